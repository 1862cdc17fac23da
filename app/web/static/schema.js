// The page at /schema: the service's own OpenAPI document, laid out. Strings become text nodes and nothing else.

import { element, find } from "./dom.js";
import { curl } from "./schema-curl.js";
import { fields, type } from "./schema-types.js";

const ADDRESS = "schema/openapi.json";

async function show() {
  const reply = await fetch(ADDRESS);
  if (!reply.ok) throw new Error(`${ADDRESS} gave ${reply.status}`);
  const api = await reply.json();
  const operations = operationsOf(api);
  const schemas = Object.entries(api.components.schemas);
  find("#version").replaceChildren(`The HTTP API, version ${api.info.version}. `, anchor(ADDRESS, "openapi.json"));
  find("#contents").append(...contents(operations, schemas));
  find("#operations").append(
    ...operations.map((one) => operation(one, api)),
    ...schemas.map(([name, schema]) => schemaSection(name, schema)),
  );
  find(`[id="${CSS.escape(location.hash.slice(1))}"]`)?.scrollIntoView();
}

/** Every operation of the document, with its path and method. */
function operationsOf(api) {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ path, method, id: `${method}${path}`, ...one })),
  );
}

function contents(operations, schemas) {
  return [
    element("h2", {}, "Operations"),
    element("ul", {}, operations.map((one) => element("li", {}, anchor(`schema#${one.id}`, ...heading(one))))),
    element(
      "details",
      {},
      element("summary", {}, "Schemas"),
      element("ul", {}, schemas.map(([name]) => element("li", {}, anchor(`schema#schema-${name}`, name)))),
    ),
  ];
}

function operation(one, api) {
  return element(
    "section",
    { id: one.id, class: "operation" },
    element("h2", {}, ...heading(one)),
    ...paragraphs(one.description),
    ...(one.security ?? []).slice(0, 1).flatMap((needed) => Object.keys(needed).map((name) => access(name, api))),
    ...parameters(one.parameters ?? []),
    ...body(one.requestBody, api),
    element("h3", {}, "Responses"),
    responses(one.responses),
    element("h3", {}, "curl"),
    command(curl(one, api, new URL(".", location.href).href)),
  );
}

function heading(one) {
  return [element("span", { class: `method ${one.method}` }, one.method.toUpperCase()), " ", breakable(one.path)];
}

/** A path that may go on in the next line after each slash. */
function breakable(path) {
  const parts = path.split(/(?<=\/)/).flatMap((part) => [part, element("wbr")]);
  return element("code", {}, parts.slice(0, -1));
}

function access(name, api) {
  const scheme = api.components.securitySchemes[name];
  return element("p", { class: "hint" }, `For ${name}s: the header `, element("code", {}, scheme.name), `. ${scheme.description}`);
}

function parameters(listed) {
  if (listed.length === 0) return [];
  const rows = listed.map((one) => [
    named(one.name, one.required),
    one.in,
    type(one.schema),
    text(one.description ?? one.schema.description),
  ]);
  return [element("h3", {}, "Parameters"), table(["name", "in", "type", ""], rows)];
}

function body(requestBody, api) {
  return Object.entries(requestBody?.content ?? {}).flatMap(([mediaType, { schema }]) => [
    element("h3", {}, "Body"),
    element("p", {}, element("code", {}, mediaType), ": ", type(schema)),
    ...paragraphs(requestBody.description),
    ...fieldTable(fields(schema, api)),
  ]);
}

function responses(byStatus) {
  const rows = Object.entries(byStatus)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([status, { description, content }]) => [
      element("code", {}, status),
      text(description),
      Object.entries(content ?? {}).map(([mediaType, { schema }]) =>
        element("div", {}, element("code", {}, mediaType), ": ", type(schema)),
      ),
    ]);
  return table(["status", "", "content"], rows);
}

function schemaSection(name, schema) {
  return element(
    "section",
    { id: `schema-${name}`, class: "schema-type" },
    element("h2", {}, name),
    ...paragraphs(schema.description),
    ...(schema.properties ? fieldTable(fields(schema)) : [element("p", {}, type(schema))]),
  );
}

function fieldTable(listed) {
  const rows = listed.map((one) => [named(one.name, one.required), type(one.schema), text(one.schema.description)]);
  return rows.length ? [table(["field", "type", ""], rows)] : [];
}

function named(name, required) {
  return [element("code", {}, name), required ? element("div", { class: "required" }, "required") : null];
}

function table(titles, rows) {
  return element(
    "div",
    { class: "scrolls" },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, titles.map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell) => element("td", {}, cell))))),
    ),
  );
}

function command(line) {
  const button = element("button", { type: "button", class: "quiet", onclick: copy }, "Copy");
  async function copy() {
    await navigator.clipboard.writeText(line);
    button.textContent = "Copied";
  }
  return element("div", { class: "curl" }, element("pre", { tabindex: "0" }, line), button);
}

function paragraphs(written) {
  return (written ?? "").split(/\n\s*\n/).filter(Boolean).map((part) => element("p", {}, text(part)));
}

/** Text in which backticks set code apart. */
function text(written) {
  return (written ?? "").split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

function anchor(href, ...children) {
  return element("a", { href }, ...children);
}

show().catch((error) => {
  const problem = find("#problem");
  problem.textContent = `The document could not be shown (${error.message}). Load the page again.`;
  problem.hidden = false;
});
