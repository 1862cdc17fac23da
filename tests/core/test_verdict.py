from __future__ import annotations

import pytest

from app.core.model import Relevance, Status
from app.core.verdict import MESSAGES, UNLIKELY_MESSAGE, CitationPolicy, judge, message


@pytest.mark.parametrize(
    ("valid", "dropped", "unsupported", "policy", "verdict"),
    [
        ({1}, [], 0, "drop", (Status.ANSWERED, None)),
        ({1}, ["[9]"], 0, "drop", (Status.ANSWERED, None)),
        (set(), [], 0, "drop", (Status.UNGROUNDED, "no_citation")),
        (set(), ["[9]"], 0, "drop", (Status.UNGROUNDED, "no_citation")),
        ({1}, [], 0, "strict", (Status.ANSWERED, None)),
        ({1}, ["[9]"], 0, "strict", (Status.UNGROUNDED, "invented_citation")),
        (set(), ["[9]"], 0, "strict", (Status.UNGROUNDED, "invented_citation")),
        (set(), [], 0, "strict", (Status.UNGROUNDED, "no_citation")),
        ({1}, [], 0, "supported", (Status.ANSWERED, None)),
        ({1}, [], 1, "supported", (Status.UNGROUNDED, "unsupported_claim")),
        ({1}, ["[9]"], 0, "supported", (Status.ANSWERED, None)),
        ({1}, [], 1, "drop", (Status.ANSWERED, None)),
    ],
)
def test_answered_needs_a_valid_citation_and_the_policy_kept(
    valid: set[int], dropped: list[str], unsupported: int, policy: CitationPolicy, verdict: tuple[Status, str | None]
) -> None:
    assert judge(valid, dropped, unsupported, policy) == verdict


def test_every_reason_has_a_sentence() -> None:
    for reason in (None, *MESSAGES):
        assert message(reason).endswith(".")


def test_a_passage_above_the_threshold_is_not_said_to_be_too_far_off() -> None:
    near = Relevance(0.36, 0.25, 8, accepted=3, answerability=0.05, answerability_threshold=0.11)
    assert message("below_threshold", near) == UNLIKELY_MESSAGE
    far = Relevance(0.21, 0.25, 8, accepted=0, answerability=0.02, answerability_threshold=0.11)
    alone = Relevance(0.21, 0.25, 8, accepted=0)
    assert message("below_threshold", far) == message("below_threshold", alone) == MESSAGES["below_threshold"]
