"""Where the definitions in source code begin and end, as far as lines and their margins show it.

A line that reads like a definition opens one. Lines that are set in further belong to it, and on its own margin those
that go on with its signature. It ends as its language says. A class-like definition is searched for members, all on
one margin; a function is not searched. Comments and annotations right above a definition are its first lines. A wrong
guess costs a heading, never a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from msgspec import Struct, field

from ingest.readers.languages import Language

_ABOVE = re.compile(r"\s*(?:#(?!\s*(?:include|define|undef|if|el|endif|pragma))|//|/?\*|--|@|\[\w|template\b)")
"""How a comment or an annotation begins."""
_REMARK = re.compile(r"\s*(?:#|//|/?\*|--)")
"""How a comment or a line for the preprocessor begins."""
_CLOSES = re.compile(r"\s*(?:[)\]}]|end\b)")
_OPENS_AGAIN = re.compile(r"(?:[({\[:]|=>|->|\b(?:then|do))\s*$")
_GOES_ON = {
    "bracket": re.compile(r"\s*(?:[{:]|->|where\b|throws\b|\w+:\s*$)"),  # the body's brace, the signature, labels
    "margin": re.compile(r"\s*-(?:\s|$)"),  # the items of a list in YAML
}
_LONGEST_LINE = 300
"""Characters; a longer line defines nothing, and the patterns take the square of its length."""
_LONGEST_SIGNATURE = 20


class Definition(Struct):
    """Lines `start` to `stop`, without the latter, from 0."""

    name: str
    start: int
    stop: int
    head: str
    """The lines of its signature."""
    members: list[Definition] = field(default_factory=list)


def definitions(lines: Sequence[str], language: Language) -> list[Definition]:
    """The outermost definitions, in order."""
    file = _Open(Definition("", 0, len(lines), ""), line=-1, margin=-1, is_container=True)
    unclosed = [file]
    in_comment = False
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        found = None if in_comment else _match(line, language, inside=len(unclosed) > 1)
        in_comment = _ends_in_comment(line, in_comment, language)
        while not unclosed[-1].has(line, language, defines=found is not None):
            unclosed.pop()
        for each in unclosed[1:]:
            each.definition.stop = at + 1
        if unclosed[-1].ends_with(line, language):
            unclosed.pop()
        elif found and unclosed[-1].takes(line):
            unclosed.append(_opened(lines, at, found, unclosed[-1]))
    return file.definition.members


def with_comments(lines: Sequence[str], start: int, earliest: int) -> int:
    """The first of the comments and annotations that stand right above a line, on its margin."""
    margin = _margin(lines[start])
    while start > earliest and _ABOVE.match(lines[start - 1]) and _margin(lines[start - 1]) in (margin, margin + 1):
        start -= 1
    return start


class _Open(Struct):
    """A definition whose end has not come yet."""

    definition: Definition
    line: int
    margin: int
    is_container: bool
    members_margin: int | None = None
    last_member: int = -1
    """The line where it was defined."""
    has_begun: bool = False
    """There was a line of its body, or the brace before it."""

    def has(self, line: str, language: Language, *, defines: bool) -> bool:
        margin = _margin(line)
        if margin > self.margin:
            self.has_begun = True
            return True
        if language.ends == "next":
            return not defines
        if self.has_begun and language.ends == "bracket" and _REMARK.match(line):
            return True
        if margin < self.margin or not (_CLOSES.match(line) or _GOES_ON[language.ends].match(line)):
            return False
        self.has_begun = True
        return True

    def ends_with(self, line: str, language: Language) -> bool:
        closes = language.ends == "bracket" and _margin(line) == self.margin and _CLOSES.match(line)
        return bool(closes) and not _OPENS_AGAIN.search(line[-_LONGEST_LINE:])

    def takes(self, line: str) -> bool:
        return self.is_container and _margin(line) > self.margin and self.members_margin in (None, _margin(line))


def _match(line: str, language: Language, *, inside: bool) -> tuple[str, bool] | None:
    """The name of what a line defines, and whether that is a container."""
    if len(line) > _LONGEST_LINE:
        return None
    functions = (*language.functions, *(language.members if inside else ()))
    for patterns, is_container in ((language.containers, True), (functions, False)):
        for pattern in patterns:
            if match := pattern.match(line):
                name = next(filter(None, match.groups()), "")
                return " ".join(name.split()).rstrip(" {:"), is_container
    return None


def _opened(lines: Sequence[str], at: int, found: tuple[str, bool], parent: _Open) -> _Open:
    name, is_container = found
    start = with_comments(lines, at, max(parent.line, parent.last_member) + 1)
    members, margin = parent.definition.members, _margin(lines[at])
    if members:
        members[-1].stop = min(members[-1].stop, start)
    if parent.margin >= 0:
        parent.members_margin = margin
    parent.last_member = at
    members.append(Definition(name, start, at + 1, _signature(lines, at)))
    return _Open(members[-1], at, margin, is_container)


def _signature(lines: Sequence[str], at: int) -> str:
    """The line, and those below it until its brackets pair up."""
    signature = lines[at : at + _LONGEST_SIGNATURE]
    depths = accumulate(line.count("(") - line.count(")") for line in signature)
    end = next((index + 1 for index, depth in enumerate(depths) if depth <= 0), 1)
    return "".join(f"{line}\n" for line in signature[:end])


def _ends_in_comment(line: str, in_comment: bool, language: Language) -> bool:
    """Whether a `/*` is open behind a line."""
    opens, closes = line.rfind("/*"), line.rfind("*/")
    if language.ends != "bracket" or opens == closes:
        return in_comment
    return opens > closes


def _margin(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())
