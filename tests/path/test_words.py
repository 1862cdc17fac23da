"""Questions that only the search by words can answer: identifiers and codes, over documents that were ingested."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service import ingest, running, settings_for, write_corpus

CODES = {
    f"code-{number}.md": f"# Pump {number - 1000}\n\nERR_{number} says that it stands still. Call the duty line.\n"
    for number in range(1030, 1060)
}
FLAGS = {
    f"{name}.md": f"# Options of the {name} job\n\nPass --{name} on the command line when you are sure of it.\n"
    for name in ("allow-removals", "allow-writes", "deny-removals", "dry-run", "no-allow")
}


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("ERR_1042", "code-1042.md"),
        ("What does ERR_1057 mean?", "code-1057.md"),
        ("--allow-removals", "allow-removals.md"),
    ],
)
async def test_an_identifier_is_found_first(tmp_path: Path, question: str, document: str) -> None:
    settings = settings_for(tmp_path)
    write_corpus(tmp_path, CODES | FLAGS)
    await ingest(settings)
    async with running(settings) as service:
        found = (await service.http.get("/v1/search", params={"q": question})).json()["candidates"]
    assert found[0]["document_id"] == document
