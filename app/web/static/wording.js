// What the page says of a reply, in words. Nothing here touches the page.

export const VERDICTS = {
  answered: "Answered",
  ungrounded: "Not backed by the documents",
  refused: "Not answered",
  failed: "Failed",
};

/** The verdict's sentence. */
export function verdict({ status, message, cited, sources }) {
  return status === "answered" ? `Cites ${cited.length} of ${count(sources.length, "source")}.` : message;
}

/** Why the gate refused, or let a model read: how far the best passage, or the probability of an answer, is off. */
export function closeness({ best, threshold, accepted, answerability, answerability_threshold: bar }) {
  if (best === null) return "There was nothing to compare the question with.";
  if (accepted && answerability != null && answerability < bar)
    return `The closest passages hold the answer with a probability of ${answerability.toFixed(2)}; ${bar.toFixed(2)} is needed.`;
  const needed = `The closest passage scores ${best.toFixed(2)}; ${threshold.toFixed(2)} is needed`;
  if (best >= threshold) return `${needed}, so there was something to read.`;
  if (best >= 0.85 * threshold) return `${needed}: just short. Other words may find it.`;
  return `${needed}: ${best >= 0.6 * threshold ? "some way off" : "far off"}.`;
}

/** What spoke against an answer; null when nothing did, and when that was not asked. */
export function against({ evidence }) {
  return evidence?.against.length ? `Against an answer: ${evidence.against.join("; ")}.` : null;
}

/** What was taken out of the answer; null when nothing was. */
export function removed(dropped) {
  if (dropped.length === 0) return null;
  const [what, was] = dropped.length === 1 ? ["citation", "was"] : ["citations", "were"];
  return `${dropped.length} invented ${what} ${was} removed.`;
}

/** The sentences that their sources do not support, each with what was missed. */
export function unsupported(support) {
  return (support?.sentences ?? [])
    .filter((sentence) => sentence.supported === false)
    .map(({ text, missing }) => (missing.length ? `${text} (not found: ${missing.join(", ")})` : text));
}

/** Where a source stands: title and headings, page and date, as far as they are known, and its document's id. */
export function place(source) {
  const { document_id, title, page, pages, updated_at } = source;
  const heading = section(source);
  const path = heading[0] === title ? heading : [title, ...heading];
  const numbers = pages ? [...new Set(pages)].join("–") : page;
  const parts = [path.filter(Boolean).join(" › "), numbers === null ? "" : `page ${numbers}`, updated_at ?? "", document_id];
  return parts.filter(Boolean).join(" · ");
}

/** The headings over a source: its own, or those that its passages share, then the first and the last of the others. */
function section({ heading, passages = [] }) {
  const other = heading.findIndex((name, depth) => passages.some((passage) => passage.heading[depth] !== name));
  if (other < 0) return heading;
  const [first, last] = [passages[0].heading[other], passages.at(-1).heading[other]];
  const range = first && last && first !== last ? [`${first} … ${last}`] : [];
  return [...heading.slice(0, other), ...range];
}

/** What stands on the chip of a source: the heading over it, else the document's title. */
export function shortTitle(source) {
  return section(source).at(-1)?.trim() || titleOf(source);
}

export function titleOf({ title, document_id }) {
  return title.trim() || document_id;
}

/** The small print below an answer. */
export function facts(reply) {
  const { status, relevance, revision, model, timings_ms: timings, answered_at: answeredAt } = reply;
  return [
    answeredAt && `kept evidence of ${when(answeredAt)}`,
    revision && `revision ${revision}`,
    relevance?.best != null && status !== "refused" && `best match ${relevance.best.toFixed(2)}, needed ${relevance.threshold.toFixed(2)}`,
    model && `written by ${model}`,
    timings?.total && duration(timings.total),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** An answer as plain text, with a list of what it cites. */
export function asText(reply, address) {
  const cited = reply.sources.filter((source) => reply.cited.includes(source.number));
  const lines = cited.map((source) => [`[${source.number}] ${place(source)}`, source.url].filter(Boolean).join(" · "));
  return [reply.answer, lines.length ? `Sources:\n${lines.join("\n")}` : "", address].filter(Boolean).join("\n\n");
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

function duration(milliseconds) {
  return milliseconds < 1000 ? `${Math.ceil(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

export function when(time) {
  return new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}
