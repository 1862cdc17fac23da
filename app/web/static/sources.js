// The numbered sources of an answer: chips above it, and the panel that shows one of them.

import { element, find, isLinkable, link } from "./dom.js";
import { place, shortTitle, titleOf } from "./wording.js";

export class Sources {
  #chips = find("#sources");
  #panel = find("#source");
  #sources = new Map();
  #spans = new Map();
  #opener = null;

  constructor() {
    find("button", this.#panel).addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.#panel.hidden) this.close();
    });
  }

  get size() {
    return this.#sources.size;
  }

  /** Show these; those that are there already stay as they are. */
  show(sources) {
    this.#spans = new Map();
    if (sameAs(sources, [...this.#sources.values()])) return;
    this.close();
    this.#sources = new Map(sources.map((source) => [source.number, source]));
    this.#chips.replaceChildren(...sources.map((source) => element("li", {}, this.#chip(source))));
  }

  /** What the support check found: mark it in the passages that say so. */
  mark(support) {
    this.#spans = new Map();
    for (const { source, span } of support?.sentences ?? []) {
      if (source !== null && span !== null) this.#spans.set(source, [...(this.#spans.get(source) ?? []), span]);
    }
  }

  /** Tell apart the sources that the answer cites. */
  cite(numbers) {
    for (const chip of this.#chips.querySelectorAll("button")) {
      chip.classList.toggle("unused", !numbers.includes(Number(chip.dataset.source)));
    }
  }

  /** A citation's button; only text for a number that no source has. */
  citation(number) {
    const source = this.#sources.get(number);
    if (source === undefined) return document.createTextNode(`[${number}]`);
    return this.#button(number, "citation", `Source ${number}: ${titleOf(source)}`, `[${number}]`);
  }

  close() {
    if (this.#panel.hidden) return;
    this.#panel.hidden = true;
    this.#show(null);
    if (this.#opener?.isConnected) this.#opener.focus();
  }

  #chip(source) {
    const words = [element("b", {}, String(source.number)), " ", element("span", {}, shortTitle(source))];
    return this.#button(source.number, "chip", null, words);
  }

  #button(number, style, label, content) {
    const onclick = (event) => this.#open(number, event.currentTarget);
    const attributes = { type: "button", class: style, "aria-label": label, "aria-expanded": "false", onclick };
    return element("button", { ...attributes, "aria-controls": "source", "data-source": String(number) }, content);
  }

  #open(number, opener) {
    const source = this.#sources.get(number);
    this.#opener = opener;
    this.#show(number);
    find("#source-title").replaceChildren(`${number}. ${titleOf(source)}`);
    find("#source-place").replaceChildren(place(source));
    find("#source-link").replaceChildren(...address(source));
    this.#panel.hidden = false;
    showPassage(this.#passage(source));
    find("#source-title").focus({ preventScroll: true });
  }

  #show(number) {
    for (const button of document.querySelectorAll("[data-source]")) {
      button.setAttribute("aria-expanded", String(Number(button.dataset.source) === number));
    }
  }

  #passage(source) {
    if (source.withheld) return ["You may no longer see this document."];
    if (!source.text) return ["The whole document is listed, none of its passages."];
    return marked(source.text, this.#spans.get(source.number) ?? []);
  }
}

function sameAs(sources, others) {
  const ids = (list) => JSON.stringify(list.map((source) => [source.number, source.passage_id, source.text]));
  return ids(sources) === ids(others);
}

/** Scrolled to what is marked; nothing else moves. */
function showPassage(content) {
  const passage = find("#passage");
  const top = (one) => one.getBoundingClientRect().top;
  passage.replaceChildren(...content);
  passage.scrollTop = 0;
  const mark = find("mark", passage);
  if (mark) passage.scrollTop = top(mark) - top(passage) - passage.clientHeight / 3;
}

function address({ url }) {
  if (!url) return [];
  return isLinkable(url) ? [link(url, url)] : [`Address: ${url}`];
}

/** Text with its spans marked. They are in characters, which are not UTF-16 units. */
function marked(text, spans) {
  const characters = Array.from(text);
  const parts = [];
  let done = 0;
  for (const [start, end] of spans.toSorted((one, other) => one[0] - other[0])) {
    if (end <= done) continue;
    parts.push(characters.slice(done, start).join(""));
    parts.push(element("mark", {}, characters.slice(Math.max(start, done), end).join("")));
    done = end;
  }
  return [...parts, characters.slice(done).join("")];
}
