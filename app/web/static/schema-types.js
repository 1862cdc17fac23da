// Schemas of an OpenAPI document in words, with links to those that have a name.

import { element } from "./dom.js";

const SEGMENTS = "#/components/schemas/";

/** The name of a schema that is a reference, else null. */
export const nameOf = (schema) => schema?.$ref?.slice(SEGMENTS.length) ?? null;

/** The schema itself, where it may be a reference. */
export const resolved = (schema, api) => (nameOf(schema) ? api.components.schemas[nameOf(schema)] : schema);

/** The fields of an object, or of the one that a reference names. */
export function fields(schema, api) {
  const { properties = {}, required = [] } = resolved(schema, api) ?? {};
  const listed = Object.entries(properties).map(([name, one]) => ({ name, schema: one, required: required.includes(name) }));
  return listed.sort((one, other) => other.required - one.required);
}

/** What a value may be, such as "list of Source" or "text or null", with bounds and default: a list of nodes. */
export function type(schema = {}) {
  return [...kind(schema), bounds(schema), initial(schema)].filter(Boolean);
}

function kind(schema) {
  const name = nameOf(schema);
  if (name) return [element("a", { href: `schema#schema-${name}` }, name)];
  if (schema.enum) return choices(schema.enum);
  if ("const" in schema) return choices([schema.const]);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return joined(alternatives.map(kind));
  if (schema.prefixItems) return ["[", ...joined(schema.prefixItems.map(kind), ", "), "]"];
  if (schema.type === "array") return ["list of ", ...kind(schema.items ?? {})];
  if (schema.type === "object" && schema.additionalProperties) return ["object of ", ...kind(schema.additionalProperties)];
  return [[schema.type ?? "any"].flat().join(" or "), schema.format ? ` (${schema.format})` : ""];
}

function choices(values) {
  return joined(values.map((value) => [element("code", {}, JSON.stringify(value))]));
}

function joined(parts, separator = " or ") {
  return parts.flatMap((part, index) => (index ? [separator, ...part] : part));
}

function bounds(schema) {
  const lower = schema.minimum ?? schema.minLength ?? schema.minItems;
  const upper = schema.maximum ?? schema.maxLength ?? schema.maxItems;
  if (lower === undefined && upper === undefined) return null;
  if (upper === undefined) return `, at least ${lower}`;
  return lower === undefined ? `, at most ${upper}` : `, ${lower} to ${upper}`;
}

function initial(schema) {
  return schema.default === undefined ? null : element("div", { class: "hint" }, `default ${JSON.stringify(schema.default)}`);
}
