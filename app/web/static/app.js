// The page put together: what is typed, what the address says, and what runs.

import { AnswerView, addressOf } from "./answer.js";
import * as api from "./api.js";
import { find } from "./dom.js";
import { History } from "./history.js";
import { IndexState } from "./index-state.js";
import { Sources } from "./sources.js";

const STOPPED = "stopped by the reader";

const form = find("#ask");
const field = find("#question");
const view = new AnswerView(new Sources(), ask);
const past = new History(open);
const index = new IndexState();

let running = new AbortController();
let shown = null; // the id of the answer that a question may follow up on

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (field.value.trim()) ask(field.value.trim());
});
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
find("#stop").addEventListener("click", () => running.abort(STOPPED));
window.addEventListener("popstate", load);

index.refresh();
load();

async function ask(question) {
  const request = { question, ...options() };
  const { signal } = begin();
  view.start(question);
  offerStop(true);
  try {
    const reply = await follow(request, signal);
    await finish(reply, request, signal);
  } catch (error) {
    if (signal.reason === STOPPED) view.stopped();
    else if (!signal.aborted) view.broken(error);
  }
  if (!signal.aborted || signal.reason === STOPPED) offerStop(false);
}

/** Show an answer as it comes, and return its reply. */
async function follow(request, signal) {
  let reply = null;
  for await (const { name, data } of api.answer(request, signal)) {
    if (name === "sources") view.showSources(data.sources);
    if (name === "delta") view.write(data.text);
    if (name === "done") reply = data;
  }
  if (reply !== null) return reply;
  throw new api.Problem(0, "The connection broke before the verdict", "Ask again.");
}

async function finish(reply, request, signal) {
  offerStop(false);
  conclude(reply);
  past.add(reply, request.question);
  history.pushState(null, "", addressOf(reply.id));
  index.refresh();
  if (reply.status !== "refused") return;
  const { candidates } = await api.search(request.question, request.filter).catch(() => ({ candidates: [] }));
  if (!signal.aborted) view.showClosest(candidates, reply.reason);
}

function conclude(reply) {
  view.finish(reply);
  shown = reply.answer === null ? null : reply.id;
  find("#follow-up-field").hidden = shown === null;
}

/** A kept answer that the address names. */
async function load() {
  const { signal } = begin();
  offerStop(false);
  const id = new URLSearchParams(location.search).get("answer");
  if (id === null) return view.hide();
  const known = past.questionOf(id);
  view.start(known ?? "A kept answer", "Reading what was kept …");
  try {
    const reply = await api.keptAnswer(id);
    if (signal.aborted) return;
    field.value = reply.question;
    view.start(reply.question);
    conclude(reply);
  } catch (problem) {
    if (signal.aborted) return;
    view.broken(problem);
    if (!known) find("#actions").replaceChildren();
  }
}

function open(id) {
  history.pushState(null, "", addressOf(id));
  load();
}

/** Whatever still runs gives way. */
function begin() {
  running.abort();
  running = new AbortController();
  return running;
}

function offerStop(busy) {
  const stop = find("#stop");
  const focused = document.activeElement === stop;
  stop.hidden = !busy;
  if (focused && !busy) find("#asked").focus();
}

function options() {
  const prefix = find("#prefix").value.trim();
  const tags = find("#tags").value.split(",").map((tag) => tag.trim());
  return {
    verify: find("#verify").checked,
    filter: { source_prefix: prefix || null, tags: tags.filter(Boolean) },
    previous: find("#follow-up").checked ? shown : null,
  };
}
