// Elements made by hand. Strings become text nodes, so what a model or a document wrote is never markup.

const LINKABLE = ["http:", "https:", "mailto:"];

/**
 * An element with attributes and children. `onclick` and its like take functions; `true` sets an attribute without a
 * value, `false` and null leave it out. Children may be elements, strings, or null for none.
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

export function find(selector, within = document) {
  return within.querySelector(selector);
}

/** A link that opens apart; only its children where the URL is not one to follow. */
export function link(url, ...children) {
  if (!isLinkable(url)) return element("span", {}, ...children);
  return element("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, ...children);
}

export function isLinkable(url) {
  return URL.canParse(url) && LINKABLE.includes(new URL(url).protocol);
}
