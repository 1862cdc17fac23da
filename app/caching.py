"""Which answers are cached, and under what."""

from __future__ import annotations

from msgspec import structs

from app.core import answerability, hashing, prompt
from app.core.model import Bars, CachedAnswer, Reply
from app.core.records import StateRecord
from app.errors import StoreError
from app.patience import patience
from app.ports import VectorStore
from app.request import Ask
from app.services import Services

_RECHECK_S = 0.25


def key(ask: Ask, state: StateRecord, bars: Bars, services: Services) -> str:
    """The cache key: everything that could make it another answer."""
    policy = services.policy
    deciding = {
        "bars": structs.astuple(bars),
        "gate": [answerability.INTERCEPT, *structs.astuple(answerability.WEIGHTS)],
        "min_passages": policy.min_passages,
        "context_tokens": policy.context_tokens,
        "chat_endpoints": policy.chat_endpoints,
        "reranker": services.reranking.model,
        "image_hosts": sorted(policy.image_hosts),
    }
    options = {
        "top_k": ask.top_k,
        "citation_policy": ask.citation_policy,
        "citation_style": ask.citation_style,
        "mode": ask.mode,
        "intent": ask.intent,
        "searched": ask.searched,
    }
    return hashing.cache_key(
        revision=state.revision,
        cache_epoch=state.cache_epoch,
        scope=ask.scope,
        question=ask.question,
        options=options,
        answerer=services.answerer.name,
        model=services.answerer.model,
        prompt_version=prompt.PROMPT_VERSION,
        settings_digest=hashing.settings_digest(deciding),
    )


async def keep(key: str, reply: Reply, state: StateRecord, services: Services) -> None:
    """Cache an answer, unless the index has changed while it was made."""
    if await _unchanged(state, services.store):
        kept = structs.asdict(reply)
        answer = CachedAnswer(**{name: kept[name] for name in CachedAnswer.__struct_fields__})
        await services.cache.put(key, answer)


async def _unchanged(state: StateRecord, store: VectorStore) -> bool:
    """Whether the index still is the one that the answer was made from."""
    try:
        async with patience(_RECHECK_S):
            now = await store.state()
    except (StoreError, TimeoutError):
        return False
    seen = (state.collection, state.generation, "ready")
    return now is not None and (now.collection, now.generation, now.state) == seen
