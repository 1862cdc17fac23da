from __future__ import annotations

import pytest

from app.core.model import Status
from app.core.verdict import MESSAGES, CitationPolicy, judge, message


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
