// Markdown to elements. The library only takes the text apart; raw HTML in it stays the text that it is.

import { pieces, written } from "./citations.js";
import { element, isLinkable, link } from "./dom.js";
import { Lexer } from "./marked.esm.js";

const DEEPEST = 24; // levels of nesting: a browser's layout recurses over them
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g;

/** Shows a text that grows. What has not changed keeps its elements, and with them focus and selection. */
export class MarkdownView {
  #root;
  #cite;
  #shown = [];

  /** `cite` makes the element of a citation from its number. */
  constructor(root, cite) {
    this.#root = root;
    this.#cite = cite;
  }

  show(text) {
    const tokens = lex(text);
    let same = 0;
    while (same < tokens.length && tokens[same].raw === this.#shown[same]) same++;
    while (this.#root.childNodes.length > same) this.#root.lastChild.remove();
    this.#root.append(...tokens.slice(same).map((token) => make(token, this.#cite, 0)));
    this.#shown = tokens.map((token) => token.raw);
  }
}

/** The blocks of a text; one that can't be taken apart is a paragraph. */
function lex(text) {
  try {
    return Lexer.lex(text).filter((token) => token.type !== "space" && token.type !== "def");
  } catch {
    return [{ type: "paragraph", raw: text, tokens: [{ type: "text", text }] }];
  }
}

/** The one element of a token. A kind that is not known, or lies too deep, is its own text. */
function make(token, cite, depth) {
  const inside = (tokens = token.tokens) => tokens.map((one) => make(one, cite, depth + 1));
  const say = (text) => pieces(text).map((piece) => (typeof piece === "number" ? cite(piece) : decoded(piece)));
  const maker = depth < DEEPEST ? MAKERS[token.type] : undefined;
  return maker ? maker(token, inside, say) : element("span", {}, say(token.raw));
}

/** By a token's type what makes its element; `inside` is for the tokens in it, `say` for text. */
const MAKERS = {
  heading: (token, inside) => element(`h${Math.min(token.depth + 2, 6)}`, {}, inside()),
  paragraph: (token, inside) => element("p", {}, inside()),
  blockquote: (token, inside) => element("blockquote", {}, inside()),
  code: (token) => element("pre", { tabindex: "0" }, element("code", {}, written(token.text))),
  hr: () => element("hr"),
  html: (token, _, say) => element(token.block ? "p" : "span", {}, say(token.text)),
  list,
  table,
  checkbox: (token) => element("span", {}, token.checked ? "☑ " : "☐ "),
  text: (token, inside, say) => element("span", {}, token.tokens ? inside() : say(token.text)),
  escape: (token) => element("span", {}, token.text),
  strong: (token, inside) => element("strong", {}, inside()),
  em: (token, inside) => element("em", {}, inside()),
  del: (token, inside) => element("del", {}, inside()),
  codespan: (token) => element("code", {}, written(token.text)),
  br: () => element("br"),
  link: (token, inside, say) => (token.autolink ? autolink(token, say) : link(written(decoded(token.href)), inside())),
  image,
};

function list(token, inside) {
  const items = token.items.map((item) => element("li", {}, inside(item.tokens)));
  if (!token.ordered) return element("ul", {}, items);
  return element("ol", { start: String(token.start) }, items);
}

function table(token, inside) {
  const cell = (one, name) =>
    element(name, { scope: one.header && "col", class: one.align && `to-${one.align}` }, inside(one.tokens));
  const head = element("thead", {}, element("tr", {}, token.header.map((one) => cell(one, "th"))));
  const rows = token.rows.map((row) => element("tr", {}, row.map((one) => cell(one, "td"))));
  return element("div", { class: "scrolls", tabindex: "0" }, element("table", {}, head, element("tbody", {}, rows)));
}

/** An address in the text ends where a citation begins. */
function autolink(token, say) {
  const [address] = pieces(token.text);
  const href = token.href.slice(0, token.href.indexOf(address) + address.length);
  return element("span", {}, link(decoded(href), decoded(address)), say(token.text.slice(address.length)));
}

/** Only images that the service let through are still images here. */
function image(token) {
  const alt = written(token.text);
  const src = decoded(token.href);
  if (!isLinkable(src)) return element("span", {}, alt);
  return element("img", { src, alt, loading: "lazy", referrerpolicy: "no-referrer" });
}

/** Text with the characters of its entities; rare ones stay as they are. */
function decoded(text) {
  return text.replace(ENTITY, (entity, decimal, hexadecimal, name) => {
    if (name) return NAMED[name] ?? entity;
    const code = decimal ? Number(decimal) : parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
