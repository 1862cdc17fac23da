"""Keeping what an answer was made from, and showing it again to whoever may see it now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from app.core import prompt
from app.core.evidence import Evidence, KeptReply, Viewer, show
from app.core.model import Reply, Source
from app.errors import EvidenceUnavailable
from app.metrics import EVIDENCE_LOST
from app.ports import EvidenceStore, VectorStore
from app.services import Services


async def keep(
    store: EvidenceStore,
    reply: Reply,
    packed: Sequence[Source],
    *,
    question: str,
    searched: str,
    caller: str,
) -> None:
    """Keep a finished answer. Never fails: evidence that is lost was logged by the store, and is counted here."""
    evidence = Evidence(
        caller=caller,
        question=question,
        searched=searched,
        answered_at=datetime.now(UTC).isoformat(timespec="seconds"),
        prompt_version=prompt.PROMPT_VERSION,
        packed=tuple(packed),
        reply=reply,
    )
    try:
        await store.put(evidence)
    except EvidenceUnavailable:
        EVIDENCE_LOST.inc()


async def recall(answer_id: str, viewer: Viewer, services: Services) -> KeptReply | None:
    """A kept answer, without what the viewer may no longer see; None when there is none, or it is not theirs.

    Raises EvidenceUnavailable, and StoreError when access can't be checked.
    """
    evidence = await services.evidence.get(answer_id)
    if evidence is None or not evidence.may_be_read_by(viewer):
        return None
    return show(evidence, await _visible(evidence, viewer, services.store))


async def _visible(evidence: Evidence, viewer: Viewer, store: VectorStore) -> set[str]:
    document_ids = {source.document_id for source in evidence.packed}
    state = await store.state() if document_ids else None
    return await store.visible(state.collection, document_ids, viewer.scope) if state else set()
