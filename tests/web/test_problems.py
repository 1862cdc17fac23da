"""Errors before the path starts: problem details with a stable type."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from app import errors
from app.core.question import BadQuestion
from app.settings import Settings
from app.web.problems import INTERNAL, kind_of
from tests.service import QUESTION, Service, running, settings_for

BAD_BODIES: list[tuple[Any, str, str]] = [
    ({}, "bad-request", "question"),
    ({"question": 1}, "bad-request", "question: "),
    ({"question": "q", "temperature": 1}, "bad-request", "temperature"),
    ({"question": "q", "filter": {"prefix": "x"}}, "bad-request", "prefix"),
    ({"question": "q", "citation_policy": "lenient"}, "bad-request", "lenient"),
    ({"question": "q", "top_k": "many"}, "bad-request", "top_k: "),
    ({"question": "q", "filter": {"tags": [""]}}, "bad-request", "filter.tags"),
    ([], "bad-request", "object"),
    ({"question": " "}, "bad-question", "empty"),
    ({"question": "x" * 2001}, "bad-question", "2001"),
    ({"question": "a\0b"}, "bad-question", "null"),
]


@pytest.mark.parametrize(("body", "kind", "named"), BAD_BODIES)
async def test_a_bad_body_is_400_and_names_the_fault(service: Service, body: Any, kind: str, named: str) -> None:
    reply = await service.http.post("/v1/answers", json=body)
    problem = reply.json()
    assert (reply.status_code, reply.headers["content-type"]) == (400, "application/problem+json")
    assert (problem["type"], problem["status"]) == (f"/problems/{kind}", 400)
    assert named in problem["detail"]


@pytest.mark.parametrize("raw", [b"{", b"\xff\xfe", b'{"question": "\\ud800"}', b"[" * 10_000, b""])
async def test_a_body_that_is_no_json_is_400(service: Service, raw: bytes) -> None:
    reply = await service.http.post("/v1/answers", content=raw)
    assert (reply.status_code, reply.headers["content-type"]) == (400, "application/problem+json")
    assert "Traceback" not in reply.text


async def test_a_body_over_64_kib_is_413(service: Service) -> None:
    reply = await service.http.post("/v1/answers", json={"question": "x" * 70_000})
    assert (reply.status_code, reply.json()["type"]) == (413, "/problems/request-entity-too-large")
    assert "send a smaller one" in reply.json()["detail"]


async def test_an_unknown_route_and_a_wrong_method_are_problems(service: Service) -> None:
    missing, wrong = await service.http.get("/v1/nothing"), await service.http.get("/v1/answers")
    assert (missing.status_code, missing.json()["type"]) == (404, "/problems/not-found")
    assert (wrong.status_code, wrong.json()["type"]) == (405, "/problems/method-not-allowed")
    assert ("/schema" in missing.json()["detail"], "Allow" in wrong.json()["detail"]) == (True, True)


async def test_top_k_is_clamped_not_refused(service: Service) -> None:
    assert (await service.ask(top_k=0))["relevance"]["candidates"] == 1
    assert (await service.ask(top_k=1_000))["relevance"]["candidates"] >= 4


async def test_a_store_that_is_gone_is_503_and_comes_back(indexed: Settings, tmp_path: Path) -> None:
    pointer = next((tmp_path / "qdrant").glob("*.alias"))
    async with running(indexed) as service:
        hidden = shutil.move(pointer, tmp_path / "hidden")
        pointer.mkdir()
        reply = await service.http.post("/v1/answers", json={"question": QUESTION})
        assert (reply.status_code, reply.json()["type"]) == (503, "/problems/index-unavailable")
        assert reply.headers["retry-after"] == "5"
        assert (await service.http.get("/health/ready")).status_code == 503
        pointer.rmdir()
        shutil.move(hidden, pointer)
        assert (await service.ask())["status"] == "answered"


async def test_a_model_without_a_threshold_is_503(indexed: Settings, tmp_path: Path) -> None:
    """The collection's record names the model; the settings may know it, or not."""
    settings = settings_for(tmp_path, EMBEDDING_MODEL="unknown/model", RELEVANCE_THRESHOLD="0.4")
    async with running(settings) as service:
        assert (await service.ask())["status"] == "answered"  # the index was built with `bundled`


def test_every_error_of_ours_has_a_kind() -> None:
    def leaves(error: type[Exception]) -> list[type[Exception]]:
        below = error.__subclasses__()
        return [leaf for each in below for leaf in leaves(each)] if below else [error]

    raised_by_routes = (errors.StoreError, errors.EmbedderError)
    for error in [leaf for base in raised_by_routes for leaf in leaves(base)]:
        assert kind_of(error("x")) is not INTERNAL, error
    assert kind_of(BadQuestion("x")) is not INTERNAL
    assert kind_of(ValueError("x")) is INTERNAL
