"""What is wrong with a finished answer as Markdown and as a cited text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec import Struct

from app.core.abstention import is_abstention
from app.core.citations import CitationFilter


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


MERMAID_TYPES = _words(
    "agentflow-beta architecture architecture-beta block block-beta C4Component C4Container C4Context C4Deployment "
    "C4Dynamic classDiagram classDiagram-v2 cynefin-beta erDiagram eventmodeling flowchart flowchart-elk gantt "
    "gitGraph graph info ishikawa ishikawa-beta journey kanban mindmap packet packet-beta pie quadrantChart "
    "radar-beta railroad-abnf-beta railroad-beta railroad-ebnf-beta railroad-peg-beta requirement requirementDiagram "
    "sankey sankey-beta sequenceDiagram stateDiagram stateDiagram-v2 swimlane-beta timeline treemap treemap-beta "
    "treeView-beta usecase-beta venn-beta wardley-beta xychart xychart-beta"
)
"""The words that a Mermaid diagram may begin with, case-sensitive: what the detectors of Mermaid 11 accept that
its packages/mermaid/src/diagram-api/diagram-orchestration.ts registers."""

FaultCode = Literal[
    "unclosed_fence", "unclosed_mermaid", "unknown_mermaid", "broken_link", "invalid_marker", "no_marker"
]

_SENTENCES: dict[FaultCode, str] = {
    "unclosed_fence": "A code fence is opened and never closed: end each with a line of the marks that open it.",
    "unclosed_mermaid": "A Mermaid block is opened and never closed: end it with a line of the marks that open it.",
    "unknown_mermaid": "A Mermaid block does not begin with a type that Mermaid knows, such as flowchart or gantt.",
    "broken_link": "A link is not complete: write each as [text](address), without spaces in the address.",
    "invalid_marker": "A marker names no source: the sources are numbered 1 to {source_count}, each cited as [n].",
    "no_marker": "No source is cited: write the number of the source behind each claim, as [n].",
}

# Without text_join an escaped bracket stays a token of its own, and so is never taken for the end of a link's label.
_MARKDOWN = MarkdownIt("commonmark").disable("text_join")
_BROKEN_LINK = re.compile(r"\]\(|<(?:https?://|mailto:)")
_OPEN_BRACKET = re.compile(r"\[[^\[\]]*\Z")
_MERMAID_TYPE = re.compile(
    r"\s*+(?:---[^\S\n]*\n.*?\n---[^\S\n]*\n)?+"  # front matter
    r"(?:\s|%%\{.{0,2000}?\}%%|%%[^\n]*+)*+"  # directives and comments
    r"([\w-]*+)",
    re.DOTALL,
)


class Fault(Struct, frozen=True):
    code: FaultCode
    sentence: str
    """Tells the model what to mend."""


def faults(text: str, source_count: int) -> list[Fault]:
    """What is wrong with a whole answer as the model wrote it, each kind once; nothing for an abstention.

    A fence that ends with the quote or list item around it counts as never closed. A link is broken when it
    begins like one and CommonMark does not read it as one, or when it leads nowhere.
    """
    if is_abstention(text):
        return []
    codes = dict.fromkeys([*_markdown_faults(_MARKDOWN.parse(text)), *_marker_faults(text, source_count)])
    return [Fault(code, _SENTENCES[code].format(source_count=source_count)) for code in codes]


def _markdown_faults(tokens: list[Token]) -> Iterator[FaultCode]:
    for token in tokens:
        if token.type == "fence":
            yield from _fence_faults(token)
        elif token.type == "inline" and _has_broken_link(token.children or []):
            yield "broken_link"


def _fence_faults(fence: Token) -> Iterator[FaultCode]:
    mermaid = fence.info.lower().split()[:1] == ["mermaid"]
    if not _is_closed(fence):
        yield "unclosed_mermaid" if mermaid else "unclosed_fence"
    elif mermaid and not _has_known_type(fence.content):
        yield "unknown_mermaid"


def _is_closed(fence: Token) -> bool:
    """Whether a fence has a last line beside its first one and its content."""
    first, end = fence.map or (0, 0)
    lines = fence.content.removesuffix("\n").count("\n") + 1 if fence.content else 0
    return end - first == 2 + lines


def _has_known_type(diagram: str) -> bool:
    found = _MERMAID_TYPE.match(diagram)
    return found is not None and found[1] in MERMAID_TYPES


def _has_broken_link(inline: list[Token]) -> bool:
    texts = [token.content for token in inline if token.type == "text"]
    links = [token for token in inline if token.type in ("link_open", "image")]
    ends_open = bool(inline) and inline[-1].type == "text" and bool(_OPEN_BRACKET.search(inline[-1].content))
    return (
        ends_open
        or not all(link.attrGet("href") or link.attrGet("src") for link in links)
        or any(map(_BROKEN_LINK.search, texts))
    )


def _marker_faults(text: str, source_count: int) -> Iterator[FaultCode]:
    citations = CitationFilter(source_count)
    citations.feed(text)
    citations.flush()
    if citations.dropped:
        yield "invalid_marker"
    if not citations.valid:
        yield "no_marker"
