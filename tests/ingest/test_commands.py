"""`python -m ingest` as people run it, with and without a service that holds the store."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import httpx

from app.adapters.store_lock import own_store
from tests import processes
from tests.service import CORPUS, QUESTION, write_corpus

KEYS = {"documents", "passages", "seconds", "revision", "state"}


async def test_json_prints_one_object_and_nothing_else(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    code, out, err = await processes.run(tmp_path, "ingest", "--json")
    summary = json.loads(out)
    assert (code, set(summary), summary["state"]) == (0, KEYS, "ready")
    assert summary["documents"] == {"added": 3, "changed": 0, "unchanged": 0, "removed": 0, "failed": 0}
    assert set(summary["passages"]) == {"embedded", "reused", "updated", "removed", "total"}
    assert "3/3 documents" in err


async def test_a_failed_document_is_named_and_the_code_is_1(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    (tmp_path / "corpus" / "broken.txt").write_bytes(b"\x00")
    code, out, err = await processes.run(tmp_path, "ingest")
    assert code == 1
    assert "3 added" in out
    assert "1 failed" in out
    assert "Failed: broken.txt: " in err


async def test_without_a_corpus_nothing_is_done_and_the_code_is_2(tmp_path: Path) -> None:
    code, out, err = await processes.run(tmp_path, "ingest")
    assert (code, out) == (2, "")
    assert "CORPUS" in err
    assert "Traceback" not in err


async def test_an_away_server_is_one_line_and_code_2(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    code, out, err = await processes.run(tmp_path, "ingest", QDRANT_URL="http://127.0.0.1:9")
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1


async def test_an_unknown_model_is_one_line_and_code_2(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    unknown = {"EMBEDDING_MODEL": "no/such-model", "RELEVANCE_THRESHOLD": "0.5"}
    code, _, err = await processes.run(tmp_path, "ingest", **unknown)
    assert code == 2
    assert "no/such-model" in err
    assert len(err.strip().splitlines()) == 1


async def test_a_second_job_is_told_who_holds_the_store(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    with own_store(tmp_path / "qdrant", "job"):
        code, out, err = await processes.run(tmp_path, "ingest")
    assert (code, out) == (3, "")
    assert "job" in err


async def test_while_the_service_holds_the_store_it_does_the_job(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    await processes.run(tmp_path, "ingest")
    async with processes.served(tmp_path) as (_, address), httpx.AsyncClient(trust_env=False) as client:
        note = tmp_path / "qdrant" / "owner.json"
        assert stat.S_IMODE(note.stat().st_mode) == 0o600
        before = (await client.post(f"{address}/v1/answers", json={"question": QUESTION})).json()
        assert "28 days" in before["answer"]
        write_corpus(tmp_path, {"leave.md": CORPUS["leave.md"].replace("28", "31")})
        code, out, err = await processes.run(tmp_path, "ingest", "--json")
        summary = json.loads(out)
        assert (code, set(summary), summary["documents"]["changed"]) == (0, KEYS, 1)
        assert "3/3 documents" in err
        after = (await client.post(f"{address}/v1/answers", json={"question": QUESTION})).json()
        assert "31 days" in after["answer"]
        assert after["revision"] == summary["revision"] != before["revision"]


async def test_the_service_takes_another_folder_from_the_command(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    other = write_corpus(tmp_path / "other", {"only.md": "# Only\n\nOnly this one.\n"})
    await processes.run(tmp_path, "ingest")
    async with processes.served(tmp_path):
        code, out, _ = await processes.run(tmp_path, "ingest", str(other), "--json")
    assert (code, json.loads(out)["documents"]) == (
        0,
        {"added": 1, "changed": 0, "unchanged": 0, "removed": 3, "failed": 0},
    )


async def test_the_service_refuses_to_build_another_index_than_its_own(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    await processes.run(tmp_path, "ingest")
    async with processes.served(tmp_path) as (_, address), httpx.AsyncClient(trust_env=False) as client:
        before = (await client.get(f"{address}/v1/index")).json()
        other = {"EMBEDDING_MODEL": "some/model", "RELEVANCE_THRESHOLD": "0.5"}
        reading = ({"INCLUDE": "*.txt"}, {"DEFAULT_ACCESS": "hr"}, {"MAX_DOCUMENT_MB": "7"})
        for changed in ({"INDEX_NAME": "second"}, other, *reading):
            code, out, err = await processes.run(tmp_path, "ingest", **changed)
            assert (code, out) == (2, "")
            assert "stop it first" in err
        assert (await client.get(f"{address}/v1/index")).json() == before


async def test_two_commands_at_once_leave_one_whole_index(tmp_path: Path) -> None:
    write_corpus(tmp_path, {**CORPUS, **{f"{n}.md": f"# {n}\n\nNumber {n}.\n" for n in range(40)}})
    results = await asyncio.gather(*(processes.run(tmp_path, "ingest", "--json") for _ in range(2)))
    assert sorted(code for code, _, _ in results) in ([0, 0], [0, 3])
    _, out, _ = await processes.run(tmp_path, "ingest", "--json")
    assert json.loads(out)["documents"]["unchanged"] == 43


async def test_ask_prints_the_answer_and_its_sources(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    await processes.run(tmp_path, "ingest")
    async with processes.served(tmp_path) as (_, address):
        port = address.rsplit(":", 1)[1]
        code, out, _ = await processes.run(tmp_path, "app", "ask", QUESTION, PORT=port)
        assert code == 0
        assert "28 days" in out
        assert "(leave.md)" in out
        code, out, err = await processes.run(tmp_path, "app", "ask", "Who won the world cup in 1998?", PORT=port)
        assert (code, out) == (4, "")
        assert "Refused" in err
        code, _, err = await processes.run(tmp_path, "app", "ask", "", PORT=port)
        assert (code, "empty" in err) == (2, True)
    code, _, err = await processes.run(tmp_path, "app", "ask", QUESTION, PORT=port)
    assert (code, "make run" in err) == (2, True)


async def test_a_second_service_says_who_holds_the_store_or_the_port(tmp_path: Path) -> None:
    async with processes.served(tmp_path) as (process, address):
        code, _, err = await processes.run(tmp_path, "app")
        assert (code, f"process {process.pid}" in err) == (2, True)
        code, _, err = await processes.run(tmp_path, "app", PORT=address.rsplit(":", 1)[1])
        assert (code, "PORT" in err) == (2, True)
