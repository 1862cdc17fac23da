"""`python -m bench.gate`: fits the gate's weights, and tells what they are worth on questions that they never saw.

Over the shared evaluation data (EVAL_DATA, by default ../shared/data), each set indexed and searched as the service
does it: questions of CLAPNQ and SQuAD 2 with and without an answer, and the same ones asked where they are strangers.
Half of the titles are fitted on, the others only reported. Printed are the weights, as `app/core/answerability.py` has
them, and for both halves how well its probability tells the answerable apart and what the shipped bars refuse.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct, structs

from app import answering, background, gathering, logs
from app.core import answerability, gate
from app.core.answerability import Features
from app.core.gate import Decision
from app.core.model import Candidate
from app.settings import MEASURED_BARS, Settings
from eval import figures, refusal, sets
from eval.asking import Serving, SharedEmbedders, build, opened, settings_in
from eval.cases import Case, Dataset
from eval.figures import Floats

BARS = MEASURED_BARS["bundled"]
STRANGERS = {sets.CLAPNQ: f"{sets.SQUAD} over {sets.CLAPNQ}", sets.HANDBOOK: "both over a handbook"}
_RIDGE = 1.0


class Seen(Struct, frozen=True):
    """A question and what the search brought for it."""

    group: str
    answerable: bool
    reported: bool
    """In the half that nothing is fitted on."""
    question: str
    candidates: list[Candidate]
    general: float


class Table(Struct, frozen=True):
    """The same as columns, one row a question."""

    groups: np.ndarray
    answerable: np.ndarray
    reported: np.ndarray
    features: Floats
    refused: np.ndarray
    """By the shipped bars and weights."""


async def main(folder: Path) -> None:
    seen = [one async for one in _all(folder)]
    table = _table(seen)
    started = time.process_time()
    for one in seen:
        _decided(one)
    each = (time.process_time() - started) / len(seen) * 1_000
    weights = fit(table)
    print(f"{len(seen)} questions, {each:.1f} ms of processor each\n")
    for name, shipped, fitted in zip(["intercept", *Features.__struct_fields__], _shipped(), weights, strict=True):
        print(f"{name:10} shipped {shipped:6.2f}, fitted {fitted:6.2f}")
    _report(table, np.round(weights, 2))


def fit(table: Table) -> Floats:
    """Intercept and weights of a logistic regression by Newton's method, on the half to fit on.

    Each set and label has the same say, strangers half of it; a small ridge keeps the solution finite.
    """
    fitted = ~table.reported
    say = _say(table)[fitted]
    inputs = np.c_[np.ones(fitted.sum()), table.features[fitted]]
    outcomes = table.answerable[fitted]
    ridge = _RIDGE * np.diag([0.0, *np.ones(inputs.shape[1] - 1)])
    weights = np.zeros(inputs.shape[1])
    for _ in range(25):
        expected = _logistic(inputs @ weights)
        slope = inputs.T @ (say * (expected - outcomes)) + ridge @ weights
        curve = (inputs * (say * expected * (1 - expected))[:, None]).T @ inputs + ridge
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def _say(table: Table) -> Floats:
    say = np.zeros(len(table.groups))
    for group in np.unique(table.groups):
        for label in (True, False):
            rows = (table.groups == group) & (table.answerable == label) & ~table.reported
            say[rows] = (0.5 if group in STRANGERS.values() else 1.0) / max(1, rows.sum())
    weighted: Floats = say * (~table.reported).sum() / say.sum()
    return weighted


def _report(table: Table, weights: Floats) -> None:
    probabilities = _logistic(weights[0] + table.features @ weights[1:])
    for name, half in (("fitted on", ~table.reported), ("reported", table.reported)):
        print(f"\n{name}: floor {BARS.relevance:.2f}, bar {BARS.answerability:.2f}")
        for group in (sets.CLAPNQ, sets.SQUAD):
            yes, no = (half & (table.groups == group) & (table.answerable == label) for label in (True, False))
            error = refusal.calibration_error(np.c_[probabilities, table.answerable][yes | no])
            print(
                f"  {group}: AUC {figures.auc(probabilities[yes], probabilities[no]):.3f}, ECE {error:.3f},"
                f" refused with an answer {table.refused[yes].mean():.1%}, without {table.refused[no].mean():.1%}"
            )
        at_home = half & table.answerable
        for group in STRANGERS.values():
            strangers = half & (table.groups == group)
            area = figures.auc(probabilities[at_home], probabilities[strangers])
            print(f"  {group}: AUC {area:.3f}, refused {table.refused[strangers].mean():.1%}")


def _logistic(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-values))


def _shipped() -> list[float]:
    return [answerability.INTERCEPT, *structs.astuple(answerability.WEIGHTS)]


def _table(seen: Sequence[Seen]) -> Table:
    return Table(
        groups=np.array([one.group for one in seen]),
        answerable=np.array([one.answerable for one in seen]),
        reported=np.array([one.reported for one in seen]),
        features=np.array([structs.astuple(_features(one)) for one in seen]),
        refused=np.array([_decided(one).reason is not None for one in seen]),
    )


def _decided(one: Seen) -> Decision:
    return gate.decide(one.question, one.candidates, BARS, 1, one.general)


def _features(one: Seen) -> Features:
    accepted, exact = gate.accept(one.question, one.candidates, BARS.relevance)
    return answerability.examine(one.question, accepted or one.candidates, one.general, exact=exact).features


async def _all(folder: Path) -> AsyncIterator[Seen]:
    titles = _titles()
    embedders = SharedEmbedders()
    for name, dataset, cases in _datasets(folder):
        settings = settings_in(sets.folder_of(name, folder), Settings())
        await build(dataset, settings, embedders)
        async with opened(settings, embedders) as service:
            for group, case in cases:
                title = titles[" ".join(case.question.split())]
                yield await _see(group, case, service, reported=_digest(title) >= 128)
    embedders.shut()


def _datasets(folder: Path) -> Iterable[tuple[str, Dataset, list[tuple[str, Case]]]]:
    def documents(name: str) -> Path:
        return sets.folder_of(name, folder) / "documents"

    clapnq, squad = sets.clapnq(documents(sets.CLAPNQ)), sets.squad(documents(sets.SQUAD), each=5_000)
    handbook = sets.handbook(documents(sets.HANDBOOK))
    strangers = [structs.replace(case, answerable=False) for case in sets.some(squad.cases, 300)]
    yield sets.SQUAD, squad, [(sets.SQUAD, case) for case in squad.cases]
    yield sets.HANDBOOK, handbook, [(STRANGERS[sets.HANDBOOK], case) for case in handbook.cases]
    at_home = [(sets.CLAPNQ, case) for case in clapnq.cases]
    yield sets.CLAPNQ, clapnq, at_home + [(STRANGERS[sets.CLAPNQ], case) for case in strangers]


async def _see(group: str, case: Case, service: Serving, *, reported: bool) -> Seen:
    ask = answering.ask(case.question)
    assert service.index.state is not None, "an index that was built has a state"
    vector = await service.embedder.embed_query(ask.searched)
    candidates = await gathering.find(ask, service.index.state, vector, service.services)
    general = background.nearest(vector, await service.services.background.load(service.embedder))
    return Seen(group, case.answerable, reported, ask.question, candidates, general)


def _titles() -> dict[str, str]:
    """Of the document that each question is about: halves that share none share no text either."""
    titles = {}
    for part in ("answerable", "unanswerable"):
        for line in (sets.DATA / f"qa/clapnq/clapnq_dev_{part}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            titles[" ".join(row["input"].split())] = row["passages"][0]["title"]
    squad = json.loads((sets.DATA / "qa/squad2/cs224n_dev-v2.0.json").read_text(encoding="utf-8"))
    for article in squad["data"]:
        for paragraph in article["paragraphs"]:
            titles |= {" ".join(asked["question"].split()): article["title"] for asked in paragraph["qas"]}
    return titles


def _digest(title: str) -> int:
    return hashlib.sha256(title.encode()).digest()[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.gate", description=__doc__)
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="leave the indexes there, and use those that are there"
    )
    logs.configure(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="vouch-gate-") as made:
        asyncio.run(main(parser.parse_args().keep or Path(made)))
