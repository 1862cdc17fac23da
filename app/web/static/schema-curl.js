// A line for the terminal that calls an operation. What the caller must fill in stands in capitals or dots.

import { fields, resolved } from "./schema-types.js";

const PLACEHOLDER = "...";

/** The command that calls `operation` of the service at `address`, which ends in a slash. */
export function curl(operation, api, address) {
  const path = operation.path.slice(1).replace(/\{(\w+)\}/g, (_, name) => name.toUpperCase());
  const parts = ["curl", ...method(operation), ...headers(operation, api), ...query(operation), ...body(operation, api)];
  return [...parts, quoted(address + path)].join(" ");
}

function method({ method, requestBody }) {
  const implied = requestBody?.content["application/json"] ? "post" : "get";
  return method === implied ? [] : ["-X", method.toUpperCase()];
}

function headers({ security = [] }, api) {
  const names = security.slice(0, 1).flatMap(Object.keys).map((name) => api.components.securitySchemes[name].name);
  return names.flatMap((name) => ["-H", quoted(`${name}: TOKEN`)]);
}

function query({ parameters = [] }) {
  const required = parameters.filter((one) => one.in === "query" && one.required);
  return required.length ? ["-G", ...required.flatMap((one) => ["--data-urlencode", quoted(`${one.name}=${PLACEHOLDER}`)])] : [];
}

function body({ requestBody }, api) {
  if (!requestBody) return [];
  const json = requestBody.content["application/json"];
  if (!json) return ["-H", quoted("Content-Type: text/markdown"), "--data-binary", "@FILE"];
  return ["-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(example(json.schema, api)))];
}

/** The least that a schema takes: its required fields, of examples and choices the first. */
function example(schema, api) {
  const whole = resolved(schema, api);
  if (whole.examples) return whole.examples[0];
  if (whole.default !== undefined) return whole.default;
  if (whole.enum) return whole.enum[0];
  if (whole.oneOf) return example(whole.oneOf[0], api);
  if (whole.type === "array") return [example(whole.items, api)];
  if (whole.properties) return minimal(whole, api);
  return { integer: 0, number: 0, boolean: false }[whole.type] ?? PLACEHOLDER;
}

function minimal(schema, api) {
  const required = fields(schema, api).filter((one) => one.required);
  return Object.fromEntries(required.map((one) => [one.name, example(one.schema, api)]));
}

function quoted(word) {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
