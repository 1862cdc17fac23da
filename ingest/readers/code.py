"""Source code and configuration: fenced code under the path of its classes and functions, or of its sections.

Python is read by Python's own parser (source that it can't read, like any other language), the rest by its lines and
margins; both only say where headings belong. Every character is kept. Only a module of Python has a title, the first
line of its docstring.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct, structs

from ingest.document import Block, Document
from ingest.readers import python_code
from ingest.readers.definitions import Definition, definitions
from ingest.readers.encoding import decode
from ingest.readers.fences import fenced
from ingest.readers.languages import LANGUAGES

_WORDS = re.compile(r"(?!\bend\b)\b\w")


class _Stretch(Struct, frozen=True):
    """Lines `start` to `stop` of a definition, or of none, that belong to no member of it."""

    path: tuple[str, ...]
    start: int
    stop: int
    head: str


def read(data: bytes, name: str) -> Document:
    """Raises UnreadableDocument when the file is no text, or holds none."""
    source = decode(data)
    path = PurePosixPath(name.lower())
    language = LANGUAGES.get(path.name) or LANGUAGES[path.suffix]
    lines = source.split("\n")
    is_python = language.fence == "python"
    module = python_code.parse(source) if is_python else None
    found = list(python_code.definitions(module.body, lines)) if module else definitions(lines, language)
    file = Definition("", 0, len(lines), "", found)
    return Document(
        title=python_code.title(source, module) if is_python else "",
        blocks=tuple(_blocks(lines, _stretches(file, (), len(lines)), language.fence)),
    )


def _blocks(lines: Sequence[str], stretches: Iterable[_Stretch], language: str) -> Iterator[Block]:
    for section, stretch in enumerate(_telling(lines, stretches)):
        code = "\n".join(lines[stretch.start : stretch.stop]).strip("\n").rstrip()
        yield Block(fenced(code, language), stretch.path, "code", section=section, head=stretch.head)


def _telling(lines: Sequence[str], stretches: Iterable[_Stretch]) -> Iterator[_Stretch]:
    """Stretches with words in them. Brackets alone go to what they close or open."""
    last: _Stretch | None = None
    for stretch in stretches:
        if last and not _WORDS.search("\n".join(lines[stretch.start : stretch.stop])):
            last = structs.replace(last, stop=stretch.stop)
        elif last and not _WORDS.search("\n".join(lines[last.start : last.stop])):
            last = structs.replace(stretch, start=last.start)
        else:
            if last:
                yield last
            last = stretch
    if last:
        yield last


def _stretches(definition: Definition, path: tuple[str, ...], stop: int) -> Iterator[_Stretch]:
    """In order, and without a gap. A member of one line needs no heading: the line names it."""
    at = definition.start
    stop = min(stop, definition.stop)
    for member in definition.members:
        if at <= member.start < min(member.stop, stop) - 1:
            yield _Stretch(path, at, member.start, definition.head)
            yield from _stretches(member, (*path, member.name), stop)
            at = min(member.stop, stop)
    yield _Stretch(path, at, stop, definition.head)
