// Citations on their way through Markdown. Each travels as one half of a surrogate pair, which means nothing to
// Markdown, and becomes a button where the text has become elements. No text holds such a half, however it is written:
// UTF-8 can't carry one, and a character reference to one stands for U+FFFD.

const BASE = 0xdc00;
const OURS = /([\udc01-\udfff])/u;
const MARKER = /\[(\d{1,3})\]/g;

/** The answer with its citations on their way. `markers` counts characters, not UTF-16 units. */
export function fromMarkers(answer, markers) {
  const characters = Array.from(answer.toWellFormed());
  let done = 0;
  let text = "";
  for (const { number, start, end } of markers) {
    text += characters.slice(done, start).join("") + onItsWay(number);
    done = end;
  }
  return text + characters.slice(done).join("");
}

/** The same while the answer is being written. */
export function fromText(answer, sources) {
  const text = answer.toWellFormed();
  return text.replace(MARKER, (marker, number) => (number > 0 && number <= sources ? onItsWay(+number) : marker));
}

/** Text in pieces: strings, and the numbers of citations between them. */
export function pieces(text) {
  const found = text.split(OURS).filter((piece) => piece !== "");
  return found.map((piece) => (OURS.test(piece) ? piece.charCodeAt(0) - BASE : piece));
}

/** Text as it was written, for places that hold no button: code and addresses. */
export function written(text) {
  return pieces(text)
    .map((piece) => (typeof piece === "number" ? `[${piece}]` : piece))
    .join("");
}

function onItsWay(number) {
  return String.fromCharCode(BASE + number);
}
