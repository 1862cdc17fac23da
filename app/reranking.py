"""The order of what the gate accepted, by a model that reads question and passage together, where one is set."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from app.core.hashing import prepared_text
from app.core.model import Candidate
from app.errors import ModelUnavailable, RerankingFailed
from app.logs import log
from app.metrics import RERANKS_MISSED
from app.ports import Reranker

_NEXT = "the order of the search stands"


class Reranking:
    """Never fails and never waits longer than `deadline_s`: late, broken or not loaded, it leaves the order alone.

    Warns when that begins, and not again until it has worked meanwhile.
    """

    def __init__(self, model: str, reranker: Reranker | None, deadline_s: float, problem: str = "") -> None:
        self.model = model
        """Empty while there is none."""
        self._reranker = reranker
        self._deadline_s = deadline_s
        self._problem = problem

    @classmethod
    async def open(cls, model: str, load: Callable[[str], Reranker], deadline_s: float) -> Reranking:
        """With the model of that name, if there is a name. One that can't be loaded is left out till the next start."""
        if not model:
            return cls("", None, deadline_s)
        try:
            return cls(model, await asyncio.to_thread(load, model), deadline_s)
        except ModelUnavailable as exc:
            log.warning("reranker.unavailable", problem=str(exc), next=_NEXT)
            return cls("", None, deadline_s, str(exc))

    def close(self) -> None:
        if self._reranker is not None:
            self._reranker.close()

    @property
    def wanted(self) -> bool:
        return self._reranker is not None or bool(self._problem)

    async def order(self, question: str, candidates: Sequence[Candidate]) -> Sequence[Candidate] | None:
        """Best first; those of one score in the order given. The scores of the candidates stay cosines.

        None when it was late or broke this time. One that could not be loaded leaves them as they are, each time.
        """
        if self._reranker is None:
            if self._problem:
                RERANKS_MISSED.labels("unavailable").inc()
            return candidates
        texts = [prepared_text(one.passage.title, one.passage.heading, one.passage.text) for one in candidates]
        try:
            async with asyncio.timeout(self._deadline_s):
                scores = await self._reranker.scores(question, texts)
        except TimeoutError:
            self._missed("late", f"not done within {self._deadline_s:g} s")
            return None
        except RerankingFailed as exc:
            self._missed("broken", str(exc))
            return None
        self._problem = ""
        ranked = sorted(zip(scores, candidates, strict=True), key=lambda pair: -pair[0])
        return [candidate for _, candidate in ranked]

    def _missed(self, kind: Literal["late", "broken"], problem: str) -> None:
        RERANKS_MISSED.labels(kind).inc()
        if not self._problem:
            log.warning("reranker.missed", problem=problem, next=_NEXT)
        self._problem = problem

    def condition(self) -> tuple[bool, str]:
        """Whether it worked when it was last asked to, and a line about it for operators."""
        return not self._problem, self._problem or "reorders"
