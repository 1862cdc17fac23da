"""A scripted OpenAI-compatible endpoint: real HTTP on loopback, byte for byte as the test says.

    async with ScriptedChat() as chat:
        chat.reply = says("Six weeks [1].")          # every request, unless a script says otherwise
        chat.script(status(500), says("Six [", "1]"))  # the next two
        ...
        assert len(chat.requests) == 2

A reply is a function of the request's JSON body that gives steps: bytes of the HTTP reply to send as they are, a
`Stall` to wait for, or a `Cut` of the connection. Each piece of an event stream travels as an HTTP chunk of its
own, so that the client reads it as a piece of its own, whatever the network does with it.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from tests.raw_http import Connection, Cut, Stall, Step

Body = dict[str, Any]
Reply = Callable[[Body], Iterable[Step]]
DONE = b"data: [DONE]\n\n"
SECRET = "sk-secret-of-the-provider"


def says(*parts: str | Stall | Cut, finish: str | None = "stop", done: bool = True) -> Reply:
    """An answer, one event for each part. Without `finish` or `done` the reply lacks that end."""
    return writes(lambda _: parts, finish=finish, done=done)


def writes(
    author: Callable[[Body], str | Iterable[str | Stall | Cut]], finish: str | None = "stop", done: bool = True
) -> Reply:
    """What `author` makes of the request: one text, or its parts."""
    ending = [event({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})] if finish else []
    ending += [DONE] if done else []

    def reply(body: Body) -> Iterable[Step]:
        written = author(body)
        parts = [written] if isinstance(written, str) else written
        steps = [delta(content=part) if isinstance(part, str) else part for part in parts]
        return streams(*steps, *ending)(body)

    return reply


def echoes(pattern: str) -> Reply:
    """Answers with what `pattern` finds in the prompt: its last group, or all of the match."""

    def found(body: Body) -> str:
        match = re.search(pattern, prompt_of(body), re.DOTALL)
        assert match, f"the prompt holds nothing like {pattern!r}"
        return match[match.lastindex or 0]

    return writes(found)


def streams(*steps: Step, content_type: str = "text/event-stream") -> Reply:
    """A chunked HTTP 200 with these bytes as its body."""

    def reply(_: Body) -> Iterator[Step]:
        yield head(200, content_type=content_type, transfer_encoding="chunked")
        for step in steps:
            yield b"%x\r\n%b\r\n" % (len(step), step) if isinstance(step, bytes) else step
        yield b"0\r\n\r\n"

    return reply


def status(code: int, content: bytes | None = None, **headers: str) -> Reply:
    """A reply before the stream: an error, a redirect, or plain JSON with a 200. The content holds a secret."""
    if content is None:
        content = json.dumps({"error": {"message": f"Wrong key {SECRET}", "code": code}}).encode()
    headers = {"content_type": "application/json", "content_length": str(len(content)), **headers}
    return sends(head(code, **headers), content)


def fails_midway(*parts: str, error: object = None) -> Reply:
    """Some of an answer, then an error object in the stream, then a proper end."""
    broken = event({"error": error or {"message": f"upstream died, key {SECRET}", "code": 502}})
    return streams(*(delta(content=part) for part in parts), broken, DONE)


def stalls(stall: Stall) -> Reply:
    """Not even a header until `stall` is released; then the connection ends."""
    return sends(stall, Cut.CLOSE)


def sends(*steps: Step) -> Reply:
    """The whole HTTP reply, head included."""
    return lambda _: steps


def head(code: int, **headers: str) -> bytes:
    """`content_type="text/plain"` gives the header `content-type: text/plain`."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"HTTP/1.1 {code} Scripted", *lines, "", ""]).encode()


def event(payload: object) -> bytes:
    return f"data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


def delta(index: int = 0, **fields: object) -> bytes:
    """The event of one chunk, with what `delta` holds given by name: content, reasoning, tool_calls, ..."""
    return event({"choices": [{"index": index, "delta": fields, "finish_reason": None}]})


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def split_markers(text: str) -> list[str]:
    """Cut after each opening bracket, and before and after each digit that follows it: no marker stays whole."""
    return [part for part in re.split(r"(?<=\[)|(?<=\d)(?=[\d\]])", text) if part]


def prompt_of(body: Body) -> str:
    """All the text of a request's messages."""
    return "\n".join(message["content"] for message in body["messages"])


class ScriptedChat:
    """The server. `base_url` is what CHAT_BASE_URL takes; every attribute may be read at any time."""

    base_url: str

    def __init__(self) -> None:
        self.reply: Reply = says("I have not been told what to say.")
        self.requests: list[Body] = []
        """The JSON body of each request, in order: their number is the number of model calls."""
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        """Of each request; the headers' names in lower case."""
        self.connections = 0
        self.closed_early = asyncio.Event()
        """Set when a client goes away before its reply is complete."""
        self.left: asyncio.Queue[float] = asyncio.Queue()
        """When each such client went, by the clock of the loop."""
        self._script: deque[Reply] = deque()
        self._writers: list[asyncio.StreamWriter] = []
        self._serving: set[asyncio.Task[None]] = set()

    def script(self, *replies: Reply) -> None:
        """Give the next requests these replies, one each."""
        self._script.extend(replies)

    async def __aenter__(self) -> ScriptedChat:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close every connection; raises what went wrong inside a reply."""
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*self._serving)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        self._serving.add(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Connection(reader, writer)
        listening = asyncio.create_task(client.listen())
        try:
            while (request := await client.requests.get()) is not None:
                await self._answer(client, *request)
        finally:
            writer.close()
            await listening
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, client: Connection, path: str, headers: dict[str, str], body: bytes) -> None:
        self.paths.append(path)
        self.headers.append(headers)
        self.requests.append(json.loads(body))
        reply = self._script.popleft() if self._script else self.reply
        if not await client.play(reply(self.requests[-1])):
            self.closed_early.set()
            self.left.put_nowait(asyncio.get_running_loop().time())
