"""One run: every set is indexed, asked and measured, and the figures are put together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from app.core.model import Status
from app.errors import VouchError
from app.settings import Settings
from eval import answers, own, payloads, ranking, refusal, sets
from eval.asking import Asked, SharedEmbedders, ask_all, build, opened, repeated, settings_in
from eval.cases import Case, Dataset
from eval.figures import Figures
from eval.refusal import Judged

EXTRACTIVE = "extractive"
_ASKED_OF_A_MODEL = 60
"""Questions of one set: each is a call to an endpoint that may cost money."""


class Result(Struct, frozen=True, kw_only=True):
    figures: Figures
    asked: dict[str, list[Asked]]
    """By the name of the set."""
    judged: dict[str, list[Judged]]
    """By the row of the table on refusals."""
    skipped: list[str]
    seconds: float


async def evaluate(work: Path, base: Settings, *, quick: bool, tell: Callable[[str], None]) -> Result:
    """Measure every set whose data is there. `work` takes documents and indexes, and may hold those of a run before.

    Raises VouchError when an index can't be built, and when a question fails.
    """
    started = time.monotonic()
    datasets, skipped = await asyncio.to_thread(sets.datasets, work, quick=quick)
    embedders = SharedEmbedders()
    asked: dict[str, list[Asked]] = {}
    figures: Figures = {}
    try:
        for dataset in datasets:
            asked[dataset.name], more = await measure(dataset, work, base, embedders, tell)
            figures |= more
    finally:
        embedders.shut()
    judged = dict(_refusals(asked))
    for row, questions in judged.items():
        figures |= refusal.measure(row, questions)
    figures |= await asyncio.to_thread(_markers, asked, skipped)
    seconds = time.monotonic() - started
    return Result(figures=figures, asked=asked, judged=judged, skipped=skipped, seconds=seconds)


async def measure(
    dataset: Dataset, work: Path, base: Settings, embedders: SharedEmbedders, tell: Callable[[str], None]
) -> tuple[list[Asked], Figures]:
    """Index one set, ask it, and measure all that one set can tell. Raises VouchError."""
    started = time.monotonic()
    folder = sets.folder_of(dataset.name, work)
    settings = settings_in(folder, base)
    summary = await build(dataset, settings, embedders)
    built = time.monotonic()
    async with opened(settings, embedders) as service:
        asked = await ask_all(dataset.cases, service)
        _check(asked)
        again = await repeated(dataset.cases, service) if dataset.name == own.NAME else []
    figures = ranking.measure(asked, by_passage=dataset.by_passage) | _answers(dataset, asked, EXTRACTIVE)
    if again:
        figures |= answers.measure_saved(asked, again)
    if base.chat_base_url:
        figures |= await _of_the_model(dataset, settings_in(folder, base, model=True), embedders)
    tell(
        f"{dataset.name}: {summary.passages.total} passages in {built - started:.0f} s,"
        f" {summary.documents.failed} documents that can't be read,"
        f" {len(asked)} questions in {time.monotonic() - built:.0f} s"
    )
    return asked, figures


def _check(asked: Sequence[Asked]) -> None:
    """Raises VouchError when something broke: figures over what is left would look like any others."""
    failed = [one.reply for one in asked if one.reply.status is Status.FAILED]
    if failed:
        reasons = ", ".join(sorted({reply.reason or "" for reply in failed}))
        raise VouchError(f"{len(failed)} of {len(asked)} questions failed ({reasons}): nothing was measured.")


def _answers(dataset: Dataset, asked: Sequence[Asked], author: str) -> Figures:
    """Of the sets in which people wrote answers, or marked them."""
    if not any(one.case.answers or one.case.holds for one in asked):
        return {}
    figures = answers.measure(f"{dataset.name}, {author}", asked)
    return figures | answers.measure_own(asked, author) if dataset.name == own.NAME else figures


async def _of_the_model(dataset: Dataset, settings: Settings, embedders: SharedEmbedders) -> Figures:
    if dataset.name not in (own.NAME, sets.CLAPNQ):
        return {}
    async with opened(settings, embedders) as service:
        asked = await ask_all(_first(dataset.cases), service)
        return _answers(dataset, asked, settings.chat_model)


def _first(cases: Sequence[Case]) -> Sequence[Case]:
    return sets.some([case for case in cases if case.answers or case.kind], _ASKED_OF_A_MODEL)


def _refusals(asked: dict[str, list[Asked]]) -> Iterator[tuple[str, list[Judged]]]:
    """The rows of the table: each set by itself, parts of our own, and questions asked where they do not belong."""
    for name, part in asked.items():
        if name != sets.HANDBOOK:
            for group, inside in groupby(part, key=lambda one: one.case.group):
                yield group, refusal.judged(inside)
    for kind in ("off-topic", "near miss"):
        part = [one for one in asked[own.NAME] if one.case.answerable or one.case.kind == kind]
        yield f"{own.NAME}, {kind}", refusal.judged(part)
    for group in (sets.CLAPNQ, sets.SQUAD):
        strangers = [one for one in asked.get(sets.HANDBOOK, []) if one.case.group == group]
        at_home = [one for one in asked.get(group, []) if one.case.answerable]
        if strangers and at_home:
            yield f"{group}, at home or over a handbook", refusal.judged([*at_home, *strangers])


def _markers(asked: dict[str, list[Asked]], skipped: list[str]) -> Figures:
    replies = [one.reply for part in asked.values() for one in part]
    shown = [(reply.answer, len(reply.sources)) for reply in replies if reply.answer]
    recorded = payloads.shown()
    if not recorded:
        skipped.append(f"recorded answers: there is no {payloads.PLACE} in {sets.DATA} (EVAL_DATA)")
    return answers.measure_markers("answers", shown) | answers.measure_markers("recorded answers", recorded)
