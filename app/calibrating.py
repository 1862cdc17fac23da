"""`python -m app calibrate`: measures the gate's thresholds on the user's own index, and keeps them for the service."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from app.adapters import calibration_file, score_chart
from app.adapters.fastembed_embedder import Embedders
from app.adapters.score_chart import Score
from app.adapters.stores import open_store
from app.core import calibration, intent, labelled
from app.core.calibration import ANSWERABLE, Calibration, Chosen, Scored
from app.core.records import StateRecord
from app.core.trial_questions import Trial
from app.errors import CalibrationRefused
from app.ports import VectorStore
from app.settings import Settings
from app.terminal.calibration import report
from app.terminal.output import show
from app.trials import Answered, Trials

DONE = 0
FEWEST = 20
"""Questions of either side below which nothing is measured."""
_HIGHEST_RATE = 0.5


def main(
    settings: Settings,
    labels: Path | None,
    rate: float,
    *,
    as_json: bool = False,
    embedders: Embedders | None = None,
) -> int:
    """Measure, print and keep; `rate` is the share of answerable questions that may be refused.

    Raises CalibrationRefused when there is too little to measure with, StoreHeld while the service has the store, and
    what the store and the model raise.
    """
    _check_rate(rate)
    show("Asking the index ...", "dim", error=True)
    given = _for_the_gate(labelled.read(_contents(labels))) if labels else []
    measured, chosen = asyncio.run(_measured(settings, given, rate, embedders or Embedders()))
    path = settings.calibration_path
    calibration_file.write(path, measured, score_chart.png(_scores(chosen)))
    if as_json:
        print(msgspec.json.encode(measured).decode())
        return DONE
    for line in [*report(measured, chosen), *_next_steps(settings, measured)]:
        show(line)
    return DONE


async def _measured(
    settings: Settings, given: Sequence[Trial], rate: float, embedders: Embedders
) -> tuple[Calibration, Chosen]:
    async with open_store(settings, "job") as (store, _):
        state = await _state(store, settings)
        try:
            embedder = await embedders.get(state.embedding_model)
            trials = Trials(store, state, embedder, settings.min_passages)
            asked = await trials.ask(given)
        finally:
            embedders.close()
    _check_enough(asked, rate)
    show(f"Weighing {len(asked)} questions ...", "dim", error=True)
    cosines = [one.cosine for one in asked if one.trial.kind == ANSWERABLE]
    chosen = calibration.choose(cosines, lambda floor: trials.judge(asked, floor), rate)
    return _calibration(settings, state, embedder.identity, given, chosen, rate), chosen


async def _state(store: VectorStore, settings: Settings) -> StateRecord:
    state = await store.state()
    if state is None or state.documents == 0:
        raise CalibrationRefused("The index is empty: run `make ingest`, then calibrate.")
    if state.embedding_model != settings.embedding_model:
        raise CalibrationRefused(
            f"The index was built with {state.embedding_model}, and EMBEDDING_MODEL is {settings.embedding_model}:"
            " run `make ingest` first, or set EMBEDDING_MODEL back."
        )
    return state


def _check_rate(rate: float) -> None:
    if not 0 < rate <= _HIGHEST_RATE:
        raise CalibrationRefused("--false-refusals must be a share above 0 and at most 0.5, such as 0.05.")


def _contents(labels: Path) -> bytes:
    try:
        return labels.read_bytes()
    except OSError as exc:
        raise CalibrationRefused(
            f"{labels} can't be read ({exc.strerror}): name a file of labelled questions."
        ) from exc


def _for_the_gate(given: Sequence[Trial]) -> list[Trial]:
    """Without those that ask for documents, which are decided by other rules."""
    kept = [trial for trial in given if intent.decide(trial.question, "auto") == "answer"]
    if len(kept) < len(given):
        show(f"Questions left out because they ask for documents: {len(given) - len(kept)}.", "dim", error=True)
    return kept


def _check_enough(asked: Sequence[Answered], rate: float) -> None:
    """With fewer answerable questions than 1 / rate not one may be refused, and thresholds would say little."""
    counts = Counter(one.trial.kind == ANSWERABLE for one in asked)
    fewest = max(FEWEST, math.ceil(1 / rate))
    if counts[True] < fewest:
        raise _too_few(f"{counts[True]} answerable questions, and {fewest} are the fewest for {rate:.1%} of them")
    if counts[False] < FEWEST:
        raise _too_few(f"{counts[False]} questions without an answer, and {FEWEST} are the fewest")


def _too_few(words: str) -> CalibrationRefused:
    return CalibrationRefused(f"There are only {words}: give more with --labelled, or index more documents.")


def _calibration(
    settings: Settings, state: StateRecord, identity: str, given: Sequence[Trial], chosen: Chosen, rate: float
) -> Calibration:
    refused = chosen.refused()
    return Calibration(
        embedding_model=state.embedding_model,
        identity=identity,
        gate=calibration.gate_identity(),
        relevance_threshold=chosen.bars.relevance,
        cosine_alone=chosen.bars.by_cosine().relevance,
        answerability_threshold=chosen.bars.answerability,
        false_refusals=rate,
        answerable=refused[ANSWERABLE].total,
        others=sum(counted.total for kind, counted in refused.items() if kind != ANSWERABLE),
        labelled=any(trial.kind == ANSWERABLE for trial in given),
        index_name=settings.index_name,
        revision=state.revision,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _scores(chosen: Chosen) -> list[Score]:
    def score(name: str, value: Callable[[Scored], float], bar: float) -> Score:
        sides: tuple[list[float], list[float]] = ([], [])
        for one in chosen.questions:
            sides[one.kind != ANSWERABLE].append(value(one))
        return Score(name, *sides, bar)

    return [
        score("probability that the passages answer", lambda one: one.probability, chosen.bars.answerability),
        score("cosine of the nearest passage", lambda one: one.cosine, chosen.bars.relevance),
    ]


def _next_steps(settings: Settings, measured: Calibration) -> Iterator[str]:
    path = settings.calibration_path
    yield f"\nWritten to {path}, with plots in {calibration_file.chart_path(path).name}. Restart the service to use it."
    if not measured.labelled:
        yield "Built questions only come near to those that people ask: label some and give them with --labelled."
    for name, value in (
        ("RELEVANCE_THRESHOLD", settings.relevance_threshold),
        ("ANSWERABILITY_THRESHOLD", settings.answerability_threshold),
    ):
        if value is not None:
            yield f"{name}={value} is set and goes before the file: remove it to use what was measured."
