"""What the scanners hand to each other, in the order of the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple, Protocol


class Kind(Enum):
    """What a line is to the structure of a document."""

    BLANK = auto()
    RULE = auto()
    """A thematic break, or the underline of a heading."""
    HEADING = auto()
    FENCE = auto()
    """The first line of fenced code."""
    TEXT = auto()


class Line(NamedTuple):
    """The beginning of a line outside fenced code. Its text follows, without the line end."""

    newline: str
    """The line end before it; none for the first line."""
    outer: str
    """Marks and indentation of the containers that go on."""
    marks: str
    """Marks of the containers that begin here."""
    indent: str
    """White space, and the marks of a heading."""
    kind: Kind
    continues: bool
    """Goes on with the paragraph of the line before."""
    lazy: bool
    """Does so without the marks of the containers around it, or as the row of a table."""
    matched: int
    """How many containers go on."""
    opened: int
    """How many begin here."""
    closed: int
    """How many ended before it."""
    apart: bool = False
    """Whether only an HTML block, which does not pass, would keep it apart from the paragraph before."""

    @property
    def raw(self) -> str:
        return self.newline + self.outer + self.marks + self.indent


class Blocks(Protocol):
    """Receives lines and fences."""

    def line(self, line: Line) -> None: ...

    def text(self, text: str) -> None:
        """A piece of the text of the line that began last."""

    def verbatim(self, text: str) -> None:
        """A piece that passes as it is: code, with the line ends and margins in it."""

    def divide(self) -> None:
        """The border of a table cell: nothing inline reaches over it."""


class Spans(Blocks, Protocol):
    """Receives, besides, what stands in angle brackets."""

    def markup(self, text: str) -> None:
        """A tag, a comment or an autolink, whole; `<` alone is the beginning of one too long to be held."""


class Inlines(Blocks, Protocol):
    """Receives, besides, what became of it."""

    def tag(self, text: str) -> None:
        """A harmless HTML tag, which a reader does not see."""

    def cut(self, *, apart: bool = False) -> None:
        """Something stood here that must not pass and took no room. `apart`: it kept its neighbours apart."""

    def superscript(self, text: str) -> None:
        """Numbers in `<sup>`: an exponent after its base, a stray footnote mark elsewhere."""


class Targets(Inlines, Protocol):
    """Receives, besides, autolinks first."""

    def target(self, url: str) -> bool:
        """Whether one is taken for what it is after `](`: the target of a link."""


class Citations(Inlines, Protocol):
    """Receives, besides, what became of brackets."""

    @property
    def line_may_be_empty(self) -> bool:
        """Whether what comes next may stand first in its line, apart from a marker that is the same."""

    def removed(self) -> None:
        """A marker stood here that names no source."""

    def marker(self, numbers: Sequence[int]) -> None:
        """Citations of valid sources, one or more."""


@dataclass
class Findings:
    """What a filter saw, counted outside code."""

    valid: set[int] = field(default_factory=set)
    """The numbers that left as markers."""
    dropped: list[str] = field(default_factory=list)
    """The markers removed, in order, as `[9]` whatever their form; those that hold no number as they stood."""
    forms: list[str] = field(default_factory=list)
    """The form of each of them, by its name in the table of `grammar.py`."""
    defanged: int = 0
    """Links, images and bare URLs that were made dead."""


class Written(Protocol):
    """Receives text that is final but for bare URLs and the starts of lines."""

    @property
    def line_is_empty(self) -> bool:
        """Whether nothing of the line has been written."""

    def line(self, line: Line) -> None: ...

    def text(self, text: str) -> None: ...

    def verbatim(self, text: str) -> None: ...

    def tag(self, text: str) -> None: ...

    def marker(self, number: int) -> None: ...

    def gap(self) -> None:
        """Something was removed here."""

    def divide(self) -> None: ...
