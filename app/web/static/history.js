// What was asked in this browser, kept here alone; the answers are read from the service.

import { element, find } from "./dom.js";
import { VERDICTS } from "./wording.js";

const KEY = "vouch.history";
const MOST = 50;

export class History {
  #section = find("#history");

  /** `open` is called with the id of an answer. */
  constructor(open) {
    this.#section.addEventListener("click", (event) => {
      const chosen = event.target.closest("a");
      if (chosen === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(chosen.dataset.answer);
    });
    find("button", this.#section).addEventListener("click", () => this.#keep([]));
    window.addEventListener("storage", () => this.#show());
    this.#show();
  }

  /** An answer told again keeps its id and its question. */
  add({ id, status }, question) {
    if (this.questionOf(id) === undefined) this.#keep([{ id, status, question }, ...read()].slice(0, MOST));
  }

  /** The question of this answer, if it was asked here. */
  questionOf(id) {
    return read().find((entry) => entry.id === id)?.question;
  }

  #keep(entries) {
    try {
      localStorage.setItem(KEY, JSON.stringify(entries));
    } catch {
      // A browser that keeps nothing has no history.
    }
    this.#show();
  }

  #show() {
    const entries = read();
    this.#section.hidden = entries.length === 0;
    find("ul", this.#section).replaceChildren(...entries.map(item));
  }
}

/** Entries, newest first; anything else is left out. */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return kept.filter((entry) => typeof entry?.id === "string" && typeof entry.question === "string");
  } catch {
    return [];
  }
}

function item({ id, question, status }) {
  const href = `?answer=${encodeURIComponent(id)}`;
  const verdict = Object.hasOwn(VERDICTS, status) ? VERDICTS[status] : "";
  return element(
    "li",
    {},
    element("a", { href, "data-answer": id }, question),
    " ",
    element("span", { class: "hint" }, verdict),
  );
}
