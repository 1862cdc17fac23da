"""What a command prints for people."""

from __future__ import annotations

from io import StringIO

from ingest import display
from ingest.commands import Order
from ingest.integrity import Finding
from ingest.progress import Failure, Progress
from ingest.verify import Verification

NAME = "a\nAll is well\x1b[31m\u202e.md"
"""Of a file that a stranger put there."""
ESCAPED = "a\\nAll is well\\x1b[31m\\u202e.md"


def test_a_name_does_not_steer_the_terminal() -> None:
    output = StringIO()
    with display.progress(Order(corpus="docs"), output) as report:
        report(Progress(done=1, total=2, embedded=0, failure=Failure(NAME, "it is empty")))
    assert output.getvalue() == f"Failed: {ESCAPED}: it is empty\n"


def test_a_finding_is_one_line() -> None:
    found = (Finding(kind="gone", document_id=NAME, detail="it is gone"),)
    shown = display.text(
        Verification(ok=False, collection="c", revision="r", documents=1, passages=1, findings=found, seconds=0.1)
    )
    assert shown.splitlines()[0] == f"{ESCAPED}: it is gone (gone)"
