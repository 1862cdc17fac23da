"""Citation recall and precision as ALCE has them, and the markers that nobody offered.

Gao and others, "Enabling large language models to generate text with citations" (2023). Our own support check stands in
for its entailment model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from msgspec import Struct

from app.core.markup.code import code_in
from app.core.model import Reply, SentenceSupport, Source
from app.ports import Embedder
from app.support import SupportCheck

_MARKER = re.compile(r"\[\s*([0-9]{1,9})\s*\]|【\s*([0-9]{1,9})\s*】")


class Citations(Struct, frozen=True):
    recall: tuple[bool, ...]
    """For each sentence that claims something: whether the sources it cites support it together."""
    precision: tuple[bool, ...]
    """For each citation of those: whether the sentence is supported and needs it, or is supported by it alone."""


async def score(reply: Reply, check: SupportCheck, embedder: Embedder) -> Citations | None:
    """None where nothing was answered, and for a list of documents, which claims nothing."""
    if not reply.answer or reply.intent == "catalogue":
        return None
    support = await check.check(reply.answer, reply.sources, embedder)
    recall, precision = [], []
    for sentence in support.sentences:
        if sentence.supported is None:
            continue
        supported = sentence.supported and bool(sentence.cited)
        recall.append(supported)
        precision += [
            supported and await _counts(sentence, number, reply.sources, check, embedder) for number in sentence.cited
        ]
    return Citations(tuple(recall), tuple(precision))


async def _counts(
    sentence: SentenceSupport, number: int, sources: Sequence[Source], check: SupportCheck, embedder: Embedder
) -> bool:
    """Whether the citation supports a supported sentence alone, or the others do not without it."""
    others = [other for other in sentence.cited if other != number]
    if not others:
        return True
    return await _supported(sentence, [number], sources, check, embedder) or not await _supported(
        sentence, others, sources, check, embedder
    )


async def _supported(
    sentence: SentenceSupport, cited: Sequence[int], sources: Sequence[Source], check: SupportCheck, embedder: Embedder
) -> bool:
    text = _MARKER.sub("", sentence.text).strip() + "".join(f" [{number}]" for number in cited)
    found = await check.check(text, sources, embedder)
    return all(part.supported is not False for part in found.sentences)


def invented(text: str, offered: Collection[int]) -> list[str]:
    """The markers outside code that name none of the numbers offered. Knows nothing of the filter's own rules."""
    code = code_in(text)
    return [
        found.group()
        for found in _MARKER.finditer(text)
        if int(found[1] or found[2]) not in offered and not any(start <= found.start() < end for start, end in code)
    ]
