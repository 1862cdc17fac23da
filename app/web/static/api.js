// What the page asks of its service. Addresses are relative, so that it may stand below a path of a proxy.

import { eventsOf } from "./events.js";

const KEY = "vouch.key";

/** An error that the service explained; `status` is 0 when it could not be reached. */
export class Problem extends Error {
  constructor(status, title, detail) {
    super([...new Set([title, detail])].filter(Boolean).join(". "));
    this.status = status;
  }
}

export const key = {
  get: () => sessionStorage.getItem(KEY) ?? "",
  set: (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

/** The events of an answer, as they come. Aborting `signal` closes the model's request too. */
export const answer = (request, signal) => stream("v1/answers", request, signal);

/** The events of an ingestion job run inside the service. */
export const sync = (options) => stream("v1/index/sync", options);

export const index = () => getJson("v1/index");

export const keptAnswer = (id) => getJson(`v1/answers/${encodeURIComponent(id)}`);

/** What the search finds under a filter. */
export function search(question, filter) {
  const query = new URLSearchParams({ q: question });
  if (filter.source_prefix) query.set("source_prefix", filter.source_prefix);
  for (const tag of filter.tags) query.append("tags", tag);
  return getJson(`v1/search?${query}`);
}

async function getJson(path) {
  return (await call(path, { headers: access() })).json();
}

async function* stream(path, body, signal) {
  const headers = { ...access(), Accept: "text/event-stream", "Content-Type": "application/json" };
  yield* eventsOf(await call(path, { method: "POST", headers, body: JSON.stringify(body), signal }));
}

async function call(path, options) {
  let response;
  try {
    response = await fetch(path, { ...options, cache: "no-store", redirect: "error" });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem(0, "The service can't be reached", "Is it running?");
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response) {
  const told = await response.json().catch(() => ({}));
  return new Problem(response.status, String(told.title ?? `The service replied ${response.status}`), told.detail);
}

/** A key is one or the other; each is only looked for where it belongs. */
function access() {
  return key.get() ? { Authorization: `Bearer ${key.get()}`, "X-Vouch-Token": key.get() } : {};
}
