// The state of the index, and the ingestion job.

import * as api from "./api.js";
import { element, find } from "./dom.js";
import { count, when } from "./wording.js";

export class IndexState {
  #line = find("#index");
  #sync = find("#sync");
  #button = find("#sync button");
  #bar = find("#sync progress");
  #told = find("#sync div");

  constructor() {
    this.#button.addEventListener("click", () => this.#run({}));
    this.#watchKey(find("#access form"));
  }

  async refresh() {
    try {
      const index = await api.index();
      this.#line.replaceChildren(inWords(index));
      this.#sync.hidden = !index.may_sync;
    } catch (error) {
      this.#line.replaceChildren(error.message);
      this.#sync.hidden = true;
      if (error.status === 401) find("#access").open = true;
    }
  }

  #watchKey(form) {
    const [field, forget] = [find("input", form), find("button[type=button]", form)];
    const use = (value) => {
      api.key.set(value);
      field.value = "";
      forget.hidden = !value;
      this.refresh();
    };
    forget.hidden = !api.key.get();
    forget.addEventListener("click", () => use(""));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      use(field.value.trim());
    });
  }

  async #run(options) {
    this.#button.disabled = true;
    this.#bar.hidden = false;
    this.#bar.value = 0;
    this.#told.replaceChildren("Reading the documents …");
    try {
      await this.#follow(options);
    } catch (error) {
      this.#told.replaceChildren(error.message);
    }
    this.#bar.hidden = true;
    this.#button.disabled = false;
    await this.refresh();
  }

  async #follow(options) {
    const failures = [];
    let last = null;
    for await (const { name, data } of api.sync(options)) {
      if (name === "done") last = data;
      else this.#advance(data, failures);
    }
    if (last === null) throw new Error("The connection broke; the job goes on inside the service.");
    this.#end(last, failures);
  }

  #advance({ done, total, embedded, failure }, failures) {
    if (failure) failures.push(failure);
    this.#bar.value = done / total;
    this.#told.replaceChildren(`${done} of ${count(total, "document")}, ${count(embedded, "passage")} embedded`);
  }

  #end(done, failures) {
    if (done.error) {
      this.#told.replaceChildren(`${done.error} `, ...this.#wayOn(done.reason));
      return;
    }
    const listed = failures.map(({ document_id, reason }) => element("li", {}, `${document_id}: ${reason}`));
    this.#told.replaceChildren(summary(done), ...(listed.length ? [element("ul", {}, listed)] : []));
  }

  /** Many documents are gone: that has to be confirmed. */
  #wayOn(reason) {
    if (reason !== "removals_refused") return [];
    const onclick = () => this.#run({ allow_removals: true });
    return [element("button", { type: "button", onclick }, "Remove them all the same")];
  }
}

function inWords({ documents, failures, may_sync: admin, revision, state, updated_at: updatedAt }) {
  if (state === "empty") return "The index is empty: run `make ingest`.";
  return [
    count(documents, "document"),
    revision && `revision ${revision}`,
    updatedAt && `updated ${when(updatedAt)}`,
    failures && `${count(failures, "document")} could not be read`,
    state === "updating" && "being updated now",
    api.key.get() && !admin && "the key is no admin's",
  ]
    .filter(Boolean)
    .join(" · ");
}

function summary({ documents, seconds }) {
  const parts = Object.entries(documents).filter(([, number]) => number > 0);
  return `Done in ${seconds.toFixed(1)} s: ${parts.map(([what, number]) => `${number} ${what}`).join(", ")}.`;
}
