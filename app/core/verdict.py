"""The verdict that ends every answer, and its sentence for people."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from app.core.model import Relevance, Status

CitationPolicy = Literal["drop", "strict", "supported"]

ANSWERED_MESSAGE = "Answered from the sources listed."
UNLIKELY_MESSAGE = "The passages that come closest to the question are unlikely to hold the answer."
"""Of `below_threshold` where passages were close enough, and the answerability was too low."""

MESSAGES = {
    "no_citation": "The model wrote an answer but cited none of the sources, so nothing here backs it.",
    "invented_citation": "The answer cited a source that was never offered; it was removed.",
    "no_candidates": "Nothing could be searched: the index holds nothing that you may see and the filter lets through.",
    "below_threshold": "No passage in the documents is close enough to the question to answer from.",
    "too_few_passages": "Too few passages in the documents are close enough to the question.",
    "nothing_packed": "The passages found do not fit the space for sources; raise CONTEXT_TOKENS.",
    "model_abstained": "The sources were read, but they do not hold the answer.",
    "provider_unreachable": "The language model can't be reached. Try again later.",
    "provider_timeout": "The language model did not finish in time. Try again later.",
    "provider_error": "The language model reported an error. Try again later.",
    "provider_protocol": "The language model's reply broke off or could not be understood. Try again.",
    "content_filtered": "The language model's provider filtered the answer.",
    "answer_truncated": "The language model stopped at its length limit before the answer was complete.",
    "answer_too_long": "The answer grew past 16,000 characters and was stopped.",
    "deadline": "The request ran out of time. Try again later.",
    "index_unavailable": "The index could not be searched. Try again later.",
    "embedder_failed": "The question could not be embedded. Try again later.",
    "shutting_down": "The service was stopped before the answer was complete. Try again.",
    "unsupported_claim": "The answer says something that the sources it cites do not support.",
    "internal": "Something went wrong inside the service; its log has the details.",
}
"""One sentence for each reason code but that of `answered`, which is None."""


def judge(
    valid: Collection[int], dropped: Collection[str], unsupported: int, policy: CitationPolicy
) -> tuple[Status, str | None]:
    """The verdict on a finished text: `answered` needs a valid citation and the caller's policy kept.

    `unsupported` is the number of sentences that the sources do not support, 0 where that was not checked.
    """
    if policy == "strict" and dropped:
        return Status.UNGROUNDED, "invented_citation"
    if not valid:
        return Status.UNGROUNDED, "no_citation"
    if policy == "supported" and unsupported:
        return Status.UNGROUNDED, "unsupported_claim"
    return Status.ANSWERED, None


def message(reason: str | None, relevance: Relevance | None = None) -> str:
    """The sentence for a reason code; `relevance` tells which threshold was missed."""
    if reason is None:
        return ANSWERED_MESSAGE
    if reason == "below_threshold" and relevance and relevance.accepted and relevance.answerability is not None:
        return UNLIKELY_MESSAGE
    return MESSAGES[reason]
