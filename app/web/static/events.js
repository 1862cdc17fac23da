// The event streams of the service: blocks of lines with an empty line after each, comments between them.

/** Each event of a response as `{ name, data }`, the data parsed. Throws when the connection breaks. */
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (waiting + value).split("\n\n");
    waiting = blocks.pop();
    yield* blocks.map(parse).filter((event) => event !== null);
  }
}

function parse(block) {
  const fields = new Map(block.split("\n").map(field));
  return fields.has("data") ? { name: fields.get("event"), data: JSON.parse(fields.get("data")) } : null;
}

function field(line) {
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}
