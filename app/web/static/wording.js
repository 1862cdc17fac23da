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

/** How far the best passage, or the probability of an answer, is from its threshold. */
export function closeness({ best, threshold, accepted, answerability, answerability_threshold: bar }) {
  if (best === null) return "There was nothing to compare the question with.";
  if (accepted && answerability < bar)
    return `An answer has a probability of ${answerability.toFixed(2)}; ${bar.toFixed(2)} is needed.`;
  const needed = `The closest passage scores ${best.toFixed(2)}; ${threshold.toFixed(2)} is needed`;
  if (best >= threshold) return `${needed}, so there was something to read.`;
  if (best >= 0.85 * threshold) return `${needed}: just short. Other words may find it.`;
  return `${needed}: ${best >= 0.6 * threshold ? "some way off" : "far off"}.`;
}

/** What spoke against an answer. */
export function against({ evidence }) {
  return evidence?.against.length && `Against it: ${evidence.against.join("; ")}.`;
}

/** What was taken out of the answer. */
export function removed(dropped) {
  if (dropped.length === 0) return null;
  const [what, was] = dropped.length === 1 ? ["citation", "was"] : ["citations", "were"];
  return `${dropped.length} invented ${what} ${was} removed.`;
}

/** The sentences that are not supported, each with what was missed. */
export function unsupported(support) {
  return (support?.sentences ?? [])
    .filter((sentence) => sentence.supported === false)
    .map(({ text, missing }) => (missing.length ? `${text} (not found: ${missing.join(", ")})` : text));
}

/** Where a source stands, as far as it is known. */
export function place(source) {
  const { document_id, title, page, pages, updated_at } = source;
  const heading = section(source);
  const path = heading[0] === title ? heading : [title, ...heading];
  const numbers = [...new Set(pages ?? [page])].join("–");
  return [path.filter(Boolean).join(" › "), numbers && `page ${numbers}`, updated_at, document_id].filter(Boolean).join(" · ");
}

/** The headings over a source; of merged passages the first and the last. */
function section({ heading, passages = [] }) {
  const [first, last] = [passages[0], passages.at(-1)].map((passage) => passage?.heading.at(-1));
  return first && last && first !== last ? [...heading.slice(0, -1), `${first} … ${last}`] : heading;
}

/** What stands on the chip of a source. */
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
