"""Packed passages as sources, merged with what stands beside them in their documents."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.core import merging
from app.core.model import Candidate, Passage, Scope, Source
from app.core.records import StateRecord
from app.errors import StoreError
from app.logs import log
from app.metrics import NEIGHBOURS_MISSED
from app.patience import patience
from app.services import Services

_LOOK_UP_S = 0.5


async def merged(
    chosen: Sequence[Candidate], state: StateRecord, scope: Scope, services: Services
) -> tuple[Source, ...]:
    """The sources, at the cost of one call to the store. Never fails: without neighbours each passage stands alone.

    So it does while a job is at work: passages of two versions of a document may then stand beside each other.
    """
    standing = await _standing(chosen, state, scope, services) if state.state == "ready" else []
    return await asyncio.to_thread(merging.merge, chosen, standing, services.policy.context_tokens)


async def _standing(chosen: Sequence[Candidate], state: StateRecord, scope: Scope, services: Services) -> list[Passage]:
    try:
        async with patience(_LOOK_UP_S):
            return await services.store.passages_at(state.collection, merging.places(chosen), scope)
    except (StoreError, TimeoutError) as exc:
        log.warning("neighbours.missed", problem=str(exc) or "the index did not answer in time")
        NEIGHBOURS_MISSED.inc()
        return []
