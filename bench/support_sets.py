"""Answers whose support is known, in a development and a test part that share no question.

ExpertQA: claims of models with the passages they cite; people judged whether those support the claim completely.
MT-RAG: whole answers of two models and of a person, with their passages; three people rated the faithfulness.
Planted: sentences that people wrote from a CLAPNQ passage, as they are and with one error put in.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from app.core.model import Source
from app.core.sentences import sentence_spans

DATA = Path(os.environ.get("EVAL_DATA", "../shared/data"))

_BAREST = 200
"""Characters below which an ExpertQA evidence is only a URL."""
_LIST_HEAD = re.compile(r"\A\[[0-9]+\]\s*\S+\s*\n\n")
_MARKERS = re.compile(r"\s*\[[0-9]+\]")
_AUXILIARY = re.compile(r"\b(?:is|was|are|were|can|has|have|had|will|may|could|must|should)\b")
_NEGATED = re.compile(r"\b(?:not|no|never|without)\b|n't", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w,.-])[0-9]+(?![\w-]|[,.][0-9])")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")


class Example(Struct, frozen=True):
    group: str
    kind: str
    """What was planted; else the group again."""
    test: bool
    answer: str
    sources: tuple[Source, ...]
    supported: bool


def examples() -> list[Example]:
    return [*_expertqa(), *_mtrag(), *_planted()]


def source(number: int, title: str, text: str) -> Source:
    return Source(
        number=number,
        document_id=str(number),
        passage_id=str(number),
        title=title,
        heading=(),
        page=None,
        url=None,
        updated_at=None,
        score=0.0,
        text=text,
    )


def _in_test(question: str) -> bool:
    return hashlib.sha256(question.encode()).digest()[0] >= 128


def _lines(path: str) -> Iterator[dict[str, Any]]:
    for line in (DATA / path).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _expertqa() -> Iterator[Example]:
    for part in ("rand_val", "rand_test"):
        for row in _lines(f"payloads/expertqa/{part}.jsonl"):
            claims = [claim for answer in row["answers"].values() for claim in answer["claims"]]
            yield from (example for claim in claims if (example := _expertqa_claim(row["question"], claim)))


def _expertqa_claim(question: str, claim: dict[str, Any]) -> Example | None:
    """None without a passage, without a verdict of the expert, and for fragments of under four words."""
    passages = [_LIST_HEAD.sub("", evidence) for evidence in claim["evidence"] if len(evidence) >= _BAREST]
    words = _MARKERS.sub("", claim["claim_string"]).strip()
    if not passages or claim["support"] not in ("Complete", "Partial", "Incomplete") or len(words.split()) < 4:
        return None
    sources = tuple(source(number, "", passage) for number, passage in enumerate(passages, 1))
    markers = "".join(f"[{one.number}]" for one in sources)
    return Example("ExpertQA", "", _in_test(question), f"{words} {markers}", sources, claim["support"] == "Complete")


def _mtrag() -> Iterator[Example]:
    path = DATA / "qa/mtrag/mtrag-human_reference_subset_with_human_evaluations.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    documents = {document["document_id"]: document for document in data["documents"]}
    contexts = {task["task_id"]: [documents[one["document_id"]] for one in task["contexts"]] for task in data["tasks"]}
    for rated in data["evaluations"]:
        sources = tuple(
            source(number, document.get("title") or "", document["text"])
            for number, document in enumerate(contexts[rated["task_id"]], 1)
        )
        marks = [int(rating["value"]) for rating in rated["annotations"]["faithfulness"].values()]
        conversation = rated["task_id"].split("<")[0]
        faithful = statistics.median(marks) > 2.5  # 1 no, 2 mostly no, 3 mostly yes, 4 yes
        yield Example("MT-RAG", "", _in_test(conversation), rated["model_response"], sources, faithful)


def _planted() -> Iterator[Example]:
    rows = list(_lines("qa/clapnq/clapnq_dev_answerable.jsonl"))
    for row in rows:
        chance = random.Random(row["id"])
        test = _in_test(row["input"])
        other = chance.choice([one for one in rows if one is not row and _in_test(one["input"]) == test])
        own, foreign = _passage(row), _passage(other)
        answer = _untokenised(row["output"][0]["answer"])
        for span in sentence_spans(answer):
            sentence = answer[slice(*span)].strip()
            if len(sentence.split()) >= 5:
                yield Example("planted", "none", test, f"{sentence} [1]", (own,), supported=True)
                yield Example("planted", "wrong source", test, f"{sentence} [1]", (foreign,), supported=False)
                for kind, wrong in _errors(sentence, own.text, foreign.text, chance):
                    yield Example("planted", kind, test, f"{wrong} [1]", (own,), supported=False)


def _errors(sentence: str, own: str, foreign: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    numbers = [found for found in _NUMBER.finditer(sentence) if found.group() in own]
    if numbers:
        found = chance.choice(numbers)
        yield "number", _replaced(sentence, found, _another_number(int(found.group()), own))
    names = [found for found in _NAME.finditer(sentence) if found.group() in own]
    others = [found.group() for found in _NAME.finditer(foreign) if found.group() not in own]
    if names and others:
        yield "name", _replaced(sentence, chance.choice(names), chance.choice(others))
    auxiliary = _AUXILIARY.search(sentence)
    if auxiliary and not _NEGATED.search(sentence):
        yield "negation", _replaced(sentence, auxiliary, f"{auxiliary.group()} not")


def _another_number(number: int, text: str) -> str:
    while str(number) in text:
        number += 1
    return str(number)


def _replaced(text: str, found: re.Match[str], other: str) -> str:
    return text[: found.start()] + other + text[found.end() :]


def _passage(row: dict[str, Any]) -> Source:
    passage = row["passages"][0]
    return source(1, passage["title"], _untokenised(passage["text"]))


def _untokenised(text: str) -> str:
    """CLAPNQ puts spaces around punctuation."""
    text = re.sub(r"``\s?|\s?''", '"', text.replace("( ", "(").replace(" - ", "-"))
    return re.sub(r" (?=[,.;:!?)%]|'s\b|n't\b)", "", text)
