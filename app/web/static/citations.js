// Citations on their way through Markdown. Each travels as one character of Unicode's private use, which means nothing
// to Markdown, and becomes a button where the text has become elements.

const BASE = 0xe000;
const OURS = /[\ue001-\ue3ff]/;
const MARKER = /\[(\d{1,3})\]/g;

/** The answer with its citations on their way. `markers` places them in characters, which are not UTF-16 units. */
export function fromMarkers(answer, markers) {
  const characters = Array.from(withoutOurs(answer));
  let done = 0;
  let text = "";
  for (const { number, start, end } of markers) {
    text += characters.slice(done, start).join("") + onItsWay(number);
    done = end;
  }
  return text + characters.slice(done).join("");
}

/** The same while the answer is being written, when nobody has placed its citations yet. */
export function fromText(answer, sources) {
  return withoutOurs(answer).replace(MARKER, (marker, number) => (number <= sources ? onItsWay(+number) : marker));
}

/** Text in pieces: strings, and the numbers of citations between them. */
export function pieces(text) {
  return text.split(/([\ue001-\ue3ff])/).flatMap((piece) => {
    if (OURS.test(piece)) return [piece.charCodeAt(0) - BASE];
    return piece ? [piece] : [];
  });
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

/** One character stays one, so that places still hold. */
function withoutOurs(text) {
  return text.replace(new RegExp(OURS, "g"), "\ufffd");
}
