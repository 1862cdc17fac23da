// One answer on the page, from the question to its verdict.

import { fromMarkers, fromText } from "./citations.js";
import { element, find } from "./dom.js";
import { MarkdownView } from "./markdown.js";
import { against, asText, closeness, count, facts, removed, titleOf, unsupported, verdict, VERDICTS } from "./wording.js";

const DISCARD = "Discard what is struck out.";

export class AnswerView {
  #section = find("#answer");
  #prose = find("#text");
  #notices = find("#notices");
  #actions = find("#actions");
  #markdown;
  #sources;
  #again;
  #question = "";
  #written = "";
  #timer = 0;
  #cost = 0;

  /** `again` is called with a question that is to be asked anew. */
  constructor(sources, again) {
    this.#sources = sources;
    this.#again = again;
    this.#markdown = new MarkdownView(this.#prose, (number) => sources.citation(number));
  }

  hide() {
    this.#section.hidden = true;
    this.#sources.show([]);
  }

  start(question, doing = "Looking for passages …") {
    this.#question = question;
    this.#written = "";
    this.#sources.show([]);
    this.#notices.replaceChildren();
    this.#actions.replaceChildren();
    find("#facts").replaceChildren();
    find("#asked").replaceChildren(question);
    this.#draw("");
    this.#section.hidden = false;
    this.#judge("running", doing);
  }

  showSources(sources) {
    this.#sources.show(sources);
    this.#judge("running", `${count(sources.length, "source")} found. Writing …`);
  }

  /** The page stays usable however many pieces come. */
  write(text) {
    this.#written += text;
    const draw = () => this.#draw(fromText(this.#written, this.#sources.size));
    this.#timer ||= setTimeout(draw, Math.max(30, 3 * this.#cost));
  }

  /** `reply` is that of `done`, or of kept evidence. */
  finish(reply) {
    this.#sources.show(reply.sources);
    this.#sources.cite(reply.cited);
    this.#sources.mark(reply.support);
    this.#draw(this.#final(reply));
    this.#judge(reply.status, verdict(reply), `${VERDICTS[reply.status]}.`);
    if (reply.status === "failed" && this.#written) this.#note(DISCARD);
    for (const notice of noticesOf(reply)) this.#note(notice);
    find("#facts").replaceChildren(facts(reply));
    this.#offer(reply);
  }

  /** Titles that came closest to a refused question. */
  showClosest(candidates, reason) {
    const titles = [...new Set(candidates.map(titleOf))];
    if (titles.length === 0) return;
    const read = reason === "model_abstained";
    const title = read ? "Read, but without the answer" : "Closest titles, not close enough";
    const items = titles.map((one) => element("li", {}, one));
    this.#notices.append(element("h3", {}, title), element("ul", { class: "closest" }, items));
  }

  /** The reader pressed Stop: there will be no verdict. */
  stopped() {
    this.#end("What stands here is not finished and was not checked.", "Stopped.");
  }

  /** The service said no, or went away. */
  broken(problem) {
    this.#end(problem.message, "Failed.");
    if (this.#written) this.#note(DISCARD);
  }

  /** An end without a reply: citations of no source are text again. */
  #end(message, label) {
    this.#sources.show([]);
    this.#draw(fromText(this.#written, 0));
    this.#judge("failed", message, label);
    this.#actions.replaceChildren(this.#tryAgain());
  }

  #final(reply) {
    if (reply.answer !== null) return fromMarkers(reply.answer, reply.markers);
    return reply.status === "failed" ? fromText(this.#written, 0) : "";
  }

  #draw(text) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const started = performance.now();
    this.#markdown.show(text);
    this.#cost = performance.now() - started;
  }

  #judge(status, message, label = "") {
    this.#section.dataset.status = status;
    this.#section.setAttribute("aria-busy", String(status === "running"));
    find("#verdict").replaceChildren(element("strong", {}, label), ` ${message}`);
    find("#status").replaceChildren(`${label} ${message}`);
  }

  #note(...content) {
    this.#notices.append(element("p", { class: "notice" }, ...content));
  }

  #offer(reply) {
    const offers = [];
    if (reply.answer !== null) offers.push(copyButton(reply));
    if (reply.status === "failed") offers.push(this.#tryAgain());
    offers.push(element("a", { href: addressOf(reply.id) }, "Permalink"));
    this.#actions.replaceChildren(...offers);
  }

  #tryAgain() {
    return element("button", { type: "button", onclick: () => this.#again(this.#question) }, "Try again");
  }
}

export function addressOf(id) {
  return `?answer=${encodeURIComponent(id)}`;
}

function noticesOf(reply) {
  const claims = unsupported(reply.support);
  const listed = claims.length && [
    "The sources cited do not seem to say this (the check compares words and meaning, it does not reason):",
    element("ul", {}, claims.map((claim) => element("li", {}, claim))),
  ];
  return [
    reply.withheld && "It was written from documents that you may no longer see, so it is withheld.",
    reply.cached && `The same answer as before: it comes from the cache, for revision ${reply.revision}.`,
    removed(reply.dropped),
    reply.fallback && "The model's text was broken twice, so these are sentences of the sources.",
    ...(reply.status === "refused" && reply.relevance ? [closeness, against].map((say) => say(reply.relevance)) : []),
    listed,
  ].filter(Boolean);
}

function copyButton(reply) {
  const copy = async (event) => {
    const address = new URL(addressOf(reply.id), location.href).href;
    const copied = await copyText(asText(reply, address));
    event.target.replaceChildren(copied ? "Copied" : "This browser does not let a page copy");
  };
  return element("button", { type: "button", onclick: copy }, "Copy with sources");
}

/** Browsers copy on https and on this machine only. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
