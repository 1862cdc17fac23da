"""The YAML block at the top of a Markdown file."""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml
from msgspec import Struct

from ingest.errors import UnreadableDocument
from ingest.readers.encoding import paired
from ingest.readers.stated import address, day, language

_BLOCK = re.compile(r"\s*---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_UNCLOSED = re.compile(
    r"\s*---[ \t]*\n(?:[\w-]+:[ \t\n]"
    r"|(?:[ \t]*\n)*+(?:[ \t]*\S[^\n]*\n)*?[\"']?access[\"']?[ \t]*:(?:\s|\Z))",
    re.IGNORECASE,
)
"""It begins with a field; or its first lines speak of access, which is never to be taken for text."""
_DATES = ("updated", "updated_at", "last_modified", "date")
_FIELDS = frozenset(("title", "url", "tags", "access", "lang", "language", *_DATES))
_MAX_CHARACTERS = 65_536
_STRING = "tag:yaml.org,2002:str"
_NULL = "tag:yaml.org,2002:null"
_MERGE = "tag:yaml.org,2002:merge"


class FrontMatter(Struct, frozen=True):
    title: str = ""
    url: str | None = None
    updated_at: str | None = None
    tags: tuple[str, ...] = ()
    access: tuple[str, ...] | None = None
    """None where it says nothing of it."""
    language: str | None = None


def split(source: str) -> tuple[FrontMatter, str]:
    """The front matter and the text below it.

    Raises UnreadableDocument when it is not valid YAML: what it says of access must not be guessed.
    """
    block = _BLOCK.match(source)
    if block is None:
        if _UNCLOSED.match(source):
            raise UnreadableDocument("its front matter has no end: close it with a line `---`")
        return FrontMatter(), source
    node = _parse(block[1])
    if node is None:
        return FrontMatter(), source[block.end() :]
    if not isinstance(node, yaml.MappingNode):  # a text between two rules
        return FrontMatter(), source
    fields = _fields(node)
    if block[1].startswith("\n") and fields.keys().isdisjoint(_FIELDS):  # such as `Note: a text between two rules`
        return FrontMatter(), source
    return _read(fields), source[block.end() :]


def _parse(block: str) -> yaml.Node | None:
    """The nodes, not their values: those would turn the title 1.10 into 1.1, and can grow without bound."""
    if len(block) > _MAX_CHARACTERS:
        raise UnreadableDocument(f"its front matter is longer than {_MAX_CHARACTERS} characters")
    try:
        return yaml.compose(block, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as exc:
        raise UnreadableDocument("its front matter is not valid YAML") from exc


def _fields(node: yaml.MappingNode) -> Mapping[str, yaml.Node]:
    fields: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if key.tag == _MERGE:
            raise UnreadableDocument("its front matter takes fields over with `<<`: write them out")
        name = _text(key).lower()
        if name in fields:
            raise UnreadableDocument(f"its front matter says `{name}` twice")
        if name:
            fields[name] = value
    return fields


def _read(fields: Mapping[str, yaml.Node]) -> FrontMatter:
    return FrontMatter(
        title=_text(fields.get("title")),
        url=address(_text(fields.get("url"))),
        updated_at=next((given for name in _DATES if (given := day(_text(fields.get(name))))), None),
        tags=_words(fields.get("tags")),
        access=_groups(fields["access"]) if "access" in fields else None,
        language=language(_text(fields.get("lang") or fields.get("language"))),
    )


def _text(node: yaml.Node | None) -> str:
    """A scalar as it is written."""
    if not isinstance(node, yaml.ScalarNode) or node.tag == _NULL:
        return ""
    return " ".join(paired(node.value).split())


def _groups(node: yaml.Node) -> tuple[str, ...]:
    """Groups by name. A number, a truth value or a mapping is a mistake, and opens the document to nobody."""
    if isinstance(node, yaml.ScalarNode) and node.tag != _STRING:
        return ()
    return _words(node)


def _words(node: yaml.Node | None) -> tuple[str, ...]:
    """A list of words, or words with commas between them; nothing of what is neither."""
    if isinstance(node, yaml.SequenceNode):
        given = [_text(each) for each in node.value]
    else:
        given = [word.strip() for word in _text(node).split(",")]
    return tuple(dict.fromkeys(word for word in given if word))
