"""Files of labelled questions."""

from __future__ import annotations

import pytest

from app.core import labelled
from app.core.trial_questions import Trial
from app.errors import CalibrationRefused


def test_each_question_counts_once_as_it_is_labelled_last() -> None:
    data = (
        b'\xef\xbb\xbf{"question": "Which  one?", "answerable": true, "note": "mine"}\r\n\n'
        b'{"question": "Another?", "answerable": false}\n{"question": "Which one? ", "answerable": false}'
    )
    assert labelled.read(data) == [Trial("unanswerable", "Which one?"), Trial("unanswerable", "Another?")]


@pytest.mark.parametrize(
    "line",
    [
        b"question,answerable",
        b'{"question": "Which?"}',
        b'{"question": "Which?", "answerable": "yes"}',
        b'{"question": " ", "answerable": true}',
        b'{"question": "' + b"x" * 3_000 + b'", "answerable": true}',
        b'{"question": "\xff", "answerable": true}',
        b"[" * 100_000,
    ],
)
def test_line_that_can_not_be_read_is_named(line: bytes) -> None:
    with pytest.raises(CalibrationRefused, match=r"^Line 2 of the labelled questions [^\n]*$"):
        labelled.read(b'{"question": "First?", "answerable": true}\n' + line)
