"""`python -m bench.support`: how often the support check is right on answers it never saw, and what it costs.

`--fit` prints the weights and the threshold for app/core/support.py instead, from the development part alone: a
logistic regression in which every set, and in it either label, weighs the same, and then the threshold with the best
balanced accuracy over the sets. An answer of several claims counts as unsupported when half of them are.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from app.adapters import bm25
from app.adapters.fastembed_embedder import BUNDLED, Embedders
from app.core.model import Source
from app.core.sentences import sentence_spans
from app.core.support import THRESHOLD, score
from app.ports import Embedder
from app.support import SupportCheck
from bench.support_sets import Example, examples

Floats = NDArray[np.float64]


def _planted(kind: str) -> Callable[[Example], bool]:
    """The untouched sentences and those with this error."""
    return lambda one: one.group == "planted" and one.kind in ("none", kind)


ANSWERS_ROW = "MT-RAG answers"
ROWS: list[tuple[str, Callable[[Example], bool]]] = [
    ("ExpertQA claims", lambda one: one.group == "ExpertQA"),
    (ANSWERS_ROW, lambda one: one.group == "MT-RAG"),
    ("planted, all", lambda one: one.group == "planted"),
    *((f"planted {kind}", _planted(kind)) for kind in ("number", "name", "negation", "wrong source")),
]
RIDGE = 1.0
ANSWERS, WORDS, SOURCES = 20, 300, 8


class Claim(Struct, frozen=True):
    overlap: float
    similarity: float
    missing: bool

    def score(self) -> float:
        return score(self.overlap, self.similarity)

    def unsupported(self, threshold: float = THRESHOLD) -> bool:
        return self.missing or self.score() < threshold


class Checked(Struct, frozen=True):
    """An example and the claims in it."""

    example: Example
    claims: list[Claim]

    def unsupported(self, threshold: float = THRESHOLD) -> bool:
        """Whether at least half of the claims are."""
        return statistics.fmean(claim.unsupported(threshold) for claim in self.claims) >= 0.5

    def rank(self) -> float:
        return statistics.fmean(0.0 if claim.missing else claim.score() for claim in self.claims)

    def overlap(self) -> float:
        return statistics.fmean(claim.overlap for claim in self.claims)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true", help="print weights fitted on the development part")
    asyncio.run(_fit() if parser.parse_args().fit else _report())


async def _checked(embedder: Embedder, *, test: bool) -> list[Checked]:
    """The examples of one part; answers that claim nothing are left out."""
    check, done = SupportCheck(bm25.words), []
    for example in examples():
        if example.test == test:
            compared = await check.compare(example.answer, example.sources, embedder)
            claims = [
                Claim(found.match.overlap if found.match else 0.0, similarity, bool(found.missing))
                for found, similarity in compared
                if found.claims
            ]
            done.append(Checked(example, claims))
    return [one for one in done if one.claims]


async def _report() -> None:
    embedder = await Embedders().get(BUNDLED)
    development, test = await _checked(embedder, test=False), await _checked(embedder, test=True)
    least = _best_threshold(development, lambda one, threshold: one.overlap() < threshold)
    print('"unsupported" on the test part: precision, recall, false alarms, balanced accuracy, area under the curve')
    for title, chosen in ROWS:
        part = [one for one in test if chosen(one.example)]
        wrong = sum(not one.example.supported for one in part)
        print(f"{title}: {len(part)}, unsupported {wrong}")
        ranks = [one.rank() for one in part]
        _line("support check", part, [one.unsupported() for one in part], ranks)
        if title == ANSWERS_ROW:
            _line("any claim of it", part, [any(map(Claim.unsupported, one.claims)) for one in part], ranks)
        _line("overlap alone", part, [one.overlap() < least for one in part], [one.overlap() for one in part])
        _line("always supported", part, [False] * len(part), [1.0] * len(part))
    await _time(embedder)


def _line(name: str, part: Sequence[Checked], flagged: Sequence[bool], scores: Sequence[float]) -> None:
    wrong = np.array([not one.example.supported for one in part])
    flags = np.array(flagged)
    precision = f"{wrong[flags].mean():.2f}" if flags.any() else "   -"
    recall, alarms = flags[wrong].mean(), flags[~wrong].mean()
    area = _area(np.array(scores), wrong)
    print(f"    {name:18}{precision:>6}{recall:>6.2f}{alarms:>6.2f}{(1 + recall - alarms) / 2:>6.2f}{area:>6.2f}")


def _area(scores: Floats, wrong: NDArray[np.bool_]) -> float:
    """The chance that a supported example scores above an unsupported one."""
    pairs = scores[~wrong][:, None] - scores[wrong][None, :]
    return float(np.mean((pairs > 0) + 0.5 * (pairs == 0)))


async def _fit() -> None:
    part = await _checked(await Embedders().get(BUNDLED), test=False)
    scored = [
        one for one in part if one.example.kind in ("", "none", "wrong source")
    ]  # what is missing is no matter of degree
    inputs = np.array(
        [[1.0, one.overlap(), statistics.fmean(claim.similarity for claim in one.claims)] for one in scored]
    )
    labels = np.array([float(one.example.supported) for one in scored])
    weights = _logistic(inputs, labels, _balanced(scored))
    print("INTERCEPT = {:.2f}\nOVERLAP_WEIGHT = {:.2f}\nSIMILARITY_WEIGHT = {:.2f}".format(*weights))
    threshold = _best_threshold(part, Checked.unsupported)
    print(f"THRESHOLD = {threshold:.2f} with the weights that stand in app/core/support.py")


def _balanced(part: Sequence[Checked]) -> Floats:
    """Weights that give every set, and in it either label, the same say."""
    keys = [(one.example.group, one.example.supported) for one in part]
    return np.array([len(part) / (len(set(keys)) * keys.count(key)) for key in keys])


def _logistic(inputs: Floats, labels: Floats, shares: Floats) -> Floats:
    """Ridge-penalised logistic regression by Newton's method (the intercept is not penalised)."""
    weights = np.zeros(inputs.shape[1])
    ridge = np.diag([0.0, *[RIDGE] * (inputs.shape[1] - 1)])
    for _ in range(30):
        chances = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (shares * (chances - labels)) + ridge @ weights
        bend = (inputs.T * (shares * chances * (1 - chances))) @ inputs + ridge
        weights -= np.linalg.solve(bend, slope)
    return weights


def _best_threshold(part: Sequence[Checked], unsupported: Callable[[Checked, float], bool]) -> float:
    """The threshold with the best balanced accuracy, every set weighing the same."""
    shares = _balanced(part)

    def right(threshold: float) -> float:
        return sum(
            share
            for one, share in zip(part, shares, strict=True)
            if unsupported(one, threshold) != one.example.supported
        )

    return max((hundredth / 100 for hundredth in range(5, 96)), key=right)


async def _time(embedder: Embedder) -> None:
    """Wall time depends on who else computes; processor time, and one sentence in the same run, tell how much."""
    check = SupportCheck(bm25.words)
    first, second, alone = [], [], []
    for answer, sources in _long_answers():
        first.append(await _timed(check.check(answer, sources, embedder)))
        second.append(await _timed(check.check(answer, sources, embedder)))
        alone.append(await _timed(embedder.embed_passage(" ".join(answer.split()[:20]))))
    print(f"{WORDS} words over {SOURCES} sources, {ANSWERS} answers, ms: wall p50, wall p95, processor p50")
    for name, times in (("first check", first), ("second check", second), ("one sentence", alone)):
        wall, processor = zip(*times, strict=True)
        p95 = statistics.quantiles(wall, n=20)[-1]
        print(f"    {name:18}{statistics.median(wall):>8.0f}{p95:>8.0f}{statistics.median(processor):>8.0f}")


async def _timed(work: Awaitable[object]) -> tuple[float, float]:
    """Wall and processor milliseconds."""
    wall, processor = time.perf_counter(), time.process_time()
    await work
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - processor)


def _long_answers() -> Iterator[tuple[str, list[Source]]]:
    """Sentences of MT-RAG's answers, each with the marker of a source of its own, up to WORDS words."""
    answers = [one for one in examples() if one.group == "MT-RAG" and one.test]
    for start in range(ANSWERS):
        sentences: list[str] = []
        sources: dict[str, Source] = {}
        for one in answers[7 * start :] + answers[: 7 * start]:
            for source in one.sources[:2]:
                if len(sources) < SOURCES:
                    sources.setdefault(source.text, structs.replace(source, number=len(sources) + 1))
            for span in sentence_spans(one.answer):
                cited = sources.get(one.sources[0].text) if one.sources else None
                words = re.sub(r"\s+", " ", one.answer[slice(*span)]).strip()
                if cited and len(" ".join(sentences).split()) < WORDS:
                    sentences.append(f"{words} [{cited.number}]")
        yield " ".join(sentences), list(sources.values())


if __name__ == "__main__":
    main()
