"""The service's metrics, kept in one registry of their own."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

REGISTRY = CollectorRegistry()

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus_client's own: where it is set, each process of several counts in files of that folder."""


def exposed() -> bytes:
    """Prometheus text; the sum over all processes where there are several."""
    if FOLDER_VARIABLE not in os.environ:
        return generate_latest(REGISTRY)
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return generate_latest(together)


ANSWERS = Counter("vouch_answers", "Answers by verdict.", ["status", "reason", "cached"], registry=REGISTRY)
STAGE_SECONDS = Histogram(
    "vouch_stage_seconds",
    "Time a stage of an answer took.",
    ["stage"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40),
    registry=REGISTRY,
)
CITATIONS_DROPPED = Counter(
    "vouch_citations_dropped",
    "Invented citations removed from answers, by how they were written.",
    ["form"],
    registry=REGISTRY,
)
LINKS_DEFANGED = Counter(
    "vouch_links_defanged", "Links, images and URLs in answers that no source holds, made dead.", registry=REGISTRY
)
MODEL_CALLS = Counter("vouch_model_calls", "Calls to the language model.", ["answerer"], registry=REGISTRY)
MODEL_TOKENS = Counter(
    "vouch_model_tokens",
    "Tokens sent to and written by the language model, estimated.",
    ["direction"],
    registry=REGISTRY,
)
ANSWERS_SHARED = Counter(
    "vouch_answers_shared", "Questions that joined the same one already in progress.", registry=REGISTRY
)
REQUESTS_OVERLOADED = Counter(
    "vouch_requests_overloaded",
    "Requests sent away because the service was full, by what of it.",
    ["of"],
    registry=REGISTRY,
)
REQUESTS_LIMITED = Counter(
    "vouch_requests_limited", "Requests sent away because their caller was at a limit.", ["limit"], registry=REGISTRY
)
LIMIT_FAILURES = Counter(
    "vouch_limit_failures",
    "Calls to the shared limits that failed: each process then counts for itself.",
    ["kind"],
    registry=REGISTRY,
)
CHAT_FALLBACKS = Counter(
    "vouch_chat_fallbacks",
    "Questions that a further chat endpoint was asked for, by why.",
    ["reason"],
    registry=REGISTRY,
)
CHAT_RETRIES = Counter("vouch_chat_retries", "Questions that a chat endpoint was asked again.", registry=REGISTRY)
CHAT_CIRCUIT = Gauge(
    "vouch_chat_circuit_open",
    "1 while a chat endpoint is left alone after failures; 0 is the first one, then CHAT_FALLBACKS.",
    ["endpoint"],
    multiprocess_mode="livemax",
    registry=REGISTRY,
)
CACHE_REQUESTS = Counter("vouch_cache_requests", "Look-ups in the answer cache.", ["result"], registry=REGISTRY)
CACHE_FAILURES = Counter(
    "vouch_cache_failures", "Cache calls that failed, and were treated as a miss.", ["kind"], registry=REGISTRY
)
EVIDENCE_FAILURES = Counter(
    "vouch_evidence_failures", "Calls to the store of kept answers that failed.", ["kind"], registry=REGISTRY
)
EVIDENCE_LOST = Counter("vouch_evidence_lost", "Answers whose evidence could not be kept.", registry=REGISTRY)
RERANKS_MISSED = Counter(
    "vouch_reranks_missed",
    "Questions whose passages kept the order of the search, because the reranker was late, broken or not loaded.",
    ["kind"],
    registry=REGISTRY,
)
NEIGHBOURS_MISSED = Counter(
    "vouch_neighbours_missed",
    "Answers whose passages were not merged with their neighbours: the index did not give them in time.",
    registry=REGISTRY,
)
STRUCTURED_PARSE_FAILURES = Counter(
    "vouch_structured_parse_failures",
    "Structured replies of a model that were not JSON as asked.",
    ["kind"],
    registry=REGISTRY,
)
QUOTES_REJECTED = Counter(
    "vouch_quotes_rejected", "Quotes of structured answers that do not stand in their source.", registry=REGISTRY
)
ACCESS_REFUSED = Counter(
    "vouch_access_refused",
    "Requests without a valid key (401), without the right, or from a place that gets no answer (403).",
    ["status", "reason"],
    registry=REGISTRY,
)
NOTICES = Counter("vouch_notices", "Signed notices, by what became of them.", ["result"], registry=REGISTRY)
NOTICE_FAILURES = Counter(
    "vouch_notice_failures", "Calls to the shared memory of seen notices that failed.", ["kind"], registry=REGISTRY
)
IN_PROGRESS = Gauge(
    "vouch_answers_in_progress", "Answers being made now.", multiprocess_mode="livesum", registry=REGISTRY
)
EMBEDDINGS_IN_PROGRESS = Gauge(
    "vouch_embeddings_in_progress",
    "Texts that wait for the embedding model, or are in its hands.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
CALLS_IN_PROGRESS = Gauge(
    "vouch_calls_in_progress",
    "Calls to outside systems that hold, or wait for, a connection of their pool.",
    ["to"],
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
INDEX_DOCUMENTS = Gauge(
    "vouch_index_documents", "Documents in the index.", multiprocess_mode="livemostrecent", registry=REGISTRY
)
INDEX_PASSAGES = Gauge(
    "vouch_index_passages", "Passages in the index.", multiprocess_mode="livemostrecent", registry=REGISTRY
)
INDEX_GENERATION = Gauge(
    "vouch_index_generation", "Counts the changes of the index.", multiprocess_mode="livemostrecent", registry=REGISTRY
)
INDEX_UPDATING = Gauge(
    "vouch_index_updating",
    "1 while a job writes to the index, or was cut short.",
    multiprocess_mode="livemostrecent",
    registry=REGISTRY,
)
