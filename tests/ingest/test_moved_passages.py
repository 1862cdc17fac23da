"""Passages that move from one document to another are not embedded again, whichever document comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service import ingest, settings_for, write_corpus


def rules(*numbers: int) -> str:
    return "# Rules\n\n" + "".join(f"## Part {n}\n\nRule number {n} of the house.\n\n" for n in numbers)


@pytest.mark.parametrize(("giving", "taking"), [("a.md", "z.md"), ("z.md", "a.md")])
async def test_a_passage_that_moves_to_another_document_keeps_its_vector(
    tmp_path: Path, giving: str, taking: str
) -> None:
    others = {f"m{n}.md": rules(100 + n) for n in range(8)}  # so that the one is written before the other is read
    write_corpus(tmp_path, {giving: rules(1, 2, 3), taking: rules(7, 8), **others})
    settings = settings_for(tmp_path)
    await ingest(settings)
    write_corpus(tmp_path, {giving: rules(1, 2), taking: rules(7, 8, 3)})
    moved = await ingest(settings)
    assert (moved.documents.changed, moved.passages.embedded, moved.passages.removed) == (2, 0, 1)
