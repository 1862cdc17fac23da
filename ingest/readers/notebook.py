"""Jupyter notebooks: Markdown cells as Markdown, code cells as fenced code, and what they printed, cut short.

Of an output only its text is taken in, up to a limit: pictures, interactive parts, warnings and the rest of long
texts are reported. Front matter in the first cell counts as in a Markdown file, as Quarto's notebooks have it there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field, structs

from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers import front_matter, markdown
from ingest.readers.encoding import decode, paired
from ingest.readers.fences import fenced
from ingest.readers.left_out import LeftOut
from ingest.readers.outline import Outline

_MOST_OUTPUT = 2_000
"""Characters of one cell."""
_TEXTS = ("text/markdown", "text/plain", "text/latex")
_WIDGET = "application/vnd.jupyter.widget-view+json"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
"""What colours the text of a terminal."""
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")
"""By the next state of a progress bar."""
_OBJECT = re.compile(r"\[?<[^\n]*>\]?")
"""What an object without a text says: `<Figure size 640x480 with 1 Axes>`."""
_EMBEDDED = re.compile(r"\(data:[\w/+.-]+;base64,[A-Za-z0-9+/=\s]*\)")

Text = str | list[str]
"""Whole, or line by line."""


class _Output(Struct):
    output_type: str
    name: str = ""
    text: Text = ""
    data: dict[str, Any] = field(default_factory=dict)
    """By media type."""
    ename: str = ""
    evalue: str = ""


class _Cell(Struct):
    cell_type: str
    source: Text = ""
    outputs: list[_Output] = field(default_factory=list)


class _Language(Struct):
    name: str = "python"


class _Metadata(Struct):
    title: str = ""
    language_info: _Language = field(default_factory=_Language)


class _Notebook(Struct):
    cells: list[_Cell]
    metadata: _Metadata = field(default_factory=_Metadata)


def read(data: bytes, name: str) -> Document:
    """Raises UnreadableDocument when it is no notebook, its front matter can't be read, or it holds no text."""
    try:
        notebook = msgspec.json.decode(_with_whole_characters(decode(data)), type=_Notebook)
    except (msgspec.MsgspecError, ValueError, RecursionError) as exc:
        raise UnreadableDocument("it is no notebook of version 4: open it in Jupyter and save it again") from exc
    reader = _Reader(notebook.metadata.language_info.name)
    first = _joined(notebook.cells[0].source) if notebook.cells else ""
    about, below = front_matter.split(first)
    cells = (
        [structs.replace(notebook.cells[0], source=below), *notebook.cells[1:]] if below != first else notebook.cells
    )
    blocks = tuple(reader.blocks(cells))
    if not blocks:
        raise UnreadableDocument("it is empty")
    return Document(
        title=about.title or notebook.metadata.title or reader.outline.title,
        blocks=blocks,
        url=about.url,
        updated_at=about.updated_at,
        tags=about.tags,
        access=about.access,
        language=about.language,
        left_out=reader.left_out.sentences(),
    )


def _with_whole_characters(source: str) -> str:
    """Outputs that were cut short may end with half an emoji, which no strict JSON has. Raises ValueError."""
    if not _SURROGATE.search(source):
        return source
    return paired(json.dumps(json.loads(source), ensure_ascii=False))


class _Reader:
    """`language` is that of the code cells."""

    def __init__(self, language: str) -> None:
        self.outline = Outline()
        self.left_out = LeftOut()
        self._language = language

    def blocks(self, cells: Iterable[_Cell]) -> Iterator[Block]:
        for cell in cells:
            source = self._without_images(_joined(cell.source))
            if cell.cell_type == "markdown":
                yield from markdown.blocks(source, self.outline, self.left_out)
            elif cell.cell_type != "code":
                yield from self.outline.text(source, "other")
            else:
                yield from self._code(source, self._language)
                yield from self._code(self._printed(cell.outputs), "text")
        yield from self.outline.end()

    def _code(self, text: str, language: str) -> Iterator[Block]:
        if text.strip():
            yield from self.outline.text(fenced(text.strip("\n").rstrip(), language), "code")

    def _without_images(self, source: str) -> str:
        shown, images = _EMBEDDED.subn("()", source)
        self.left_out.count("image", images)
        return shown

    def _printed(self, outputs: Sequence[_Output]) -> str:
        text = "\n".join(filter(None, (self._text(output).strip("\n") for output in outputs)))
        if len(text) > _MOST_OUTPUT:
            self.left_out.note(f"outputs behind their first {_MOST_OUTPUT:,} characters")
        return text[:_MOST_OUTPUT]

    def _text(self, output: _Output) -> str:
        if output.output_type == "stream" and output.name == "stderr":
            self.left_out.note("warnings that cells wrote")
            return ""
        if output.output_type == "error":
            return f"{output.ename}: {_plain(output.evalue)}"
        if output.output_type == "stream":
            return _plain(_joined(output.text))
        return self._shown(output.data)

    def _shown(self, data: dict[str, Any]) -> str:
        said = next((_plain(_joined(data[kind])) for kind in _TEXTS if kind in data), "")
        if any(kind.startswith("image/") for kind in data):
            self.left_out.count("image")
            return "" if _OBJECT.fullmatch(said.strip()) else said
        if _WIDGET in data or (data and not said):
            self.left_out.count("interactive output")
            return ""
        return said


def _joined(text: Any) -> str:
    """Raises UnreadableDocument for what is no text."""
    if isinstance(text, str):
        return text
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        return "".join(text)
    raise UnreadableDocument("it is damaged: open it in Jupyter and save it again")


def _plain(text: str) -> str:
    return _OVERWRITTEN.sub("", _ESCAPE.sub("", text).replace("\r\n", "\n"))
