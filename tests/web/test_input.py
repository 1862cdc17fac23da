"""Input that no caller should send: each is refused with a clear problem."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import httpx

from tests.service import QUESTION, Service

BODIES: dict[str, tuple[bytes, int, str]] = {
    "over 64 KiB": (json.dumps({"question": "x" * 70_000}).encode(), 413, "request-entity-too-large"),
    "a type that is wrong": (b'{"question": ["x"]}', 400, "bad-request"),
    "a number for an object": (b'{"question": "x", "filter": 7}', 400, "bad-request"),
    "a number beyond all numbers": (b'{"question": "x", "top_k": 1e999}', 400, "bad-request"),
    "text for a number": (b'{"question": "x", "top_k": "8"}', 400, "bad-request"),
    "a number for a truth value": (b'{"question": "x", "verify": 1}', 400, "bad-request"),
    "an unknown field": (b'{"question": "x", "sudo": true}', 400, "bad-request"),
    "a null byte in the text": (b'{"question": "a\\u0000b"}', 400, "bad-question"),
    "a null byte in the JSON": (b'{"question": "a\x00b"}', 400, "bad-request"),
    "a lone surrogate": (b'{"question": "\\ud800"}', 400, "bad-request"),
    "2,001 characters": (json.dumps({"question": "x" * 2001}).encode(), 400, "bad-question"),
    "deeply nested": (b'{"question": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", 400, "bad-request"),
    "bad UTF-8": (b'{"question": "\xc3\x28"}', 400, "bad-request"),
    "UTF-16": ('{"question": "x"}'.encode("utf-16"), 400, "bad-request"),
    "two objects": (b'{"question": "x"}{"question": "y"}', 400, "bad-request"),
    "nothing": (b"", 400, "bad-request"),
}
"""By what is wrong: the body, the status and the type of the problem."""


def assert_problem(reply: httpx.Response, status: int, kind: str, what: str) -> None:
    problem = reply.json()
    assert (reply.status_code, problem["type"]) == (status, f"/problems/{kind}"), what
    assert reply.headers["content-type"] == "application/problem+json"
    assert problem["detail"]
    assert "Traceback" not in reply.text


async def test_a_body_that_can_not_be_a_question_is_a_problem(service: Service) -> None:
    for accept in ("application/json", "text/event-stream"):
        headers = {"Content-Type": "application/json", "Accept": accept}
        for what, (body, status, kind) in BODIES.items():
            reply = await service.http.post("/v1/answers", content=body, headers=headers)
            assert_problem(reply, status, kind, what)


async def test_the_problem_says_what_is_wrong(service: Service) -> None:
    for body, said in (
        (b"", "The body is empty: send JSON."),
        (b'{"question": "x", "top_k": "8"}', "top_k: Expected 'int', got 'str'"),
        (b'{"question": "x", "filter": {"tags": [1]}}', "filter.tags[0]: Expected 'str', got 'int'"),
        (b'{"question": "\\ud800"}', "The JSON ends too early, or with half a surrogate pair."),
    ):
        reply = await service.http.post("/v1/answers", content=body)
        assert reply.json()["detail"] == said


async def test_a_parameter_that_is_misspelt_widens_no_search(service: Service) -> None:
    for path, said in (
        ("/v1/search?q=x&source_prefx=hr", "source_prefx: there are q, top_k, source_prefix, tags."),
        ("/v1/index/documents?Prefix=hr", "Prefix: there are prefix, limit, cursor."),
    ):
        reply = await service.http.get(path)
        assert_problem(reply, 400, "bad-request", path)
        assert reply.json()["detail"] == f"Unknown parameter {said}"


async def test_a_body_of_unsaid_length_is_no_way_around_the_limit(service: Service) -> None:
    async def long() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 1024

    reply = await service.http.post("/v1/answers", content=long())
    assert_problem(reply, 413, "request-entity-too-large", "100 KiB in chunks")


async def test_only_json_is_taken_by_whatever_name(service: Service) -> None:
    body = json.dumps({"question": QUESTION})
    for kind in ("text/plain", "application/xml", "multipart/form-data; boundary=x", "json", "/"):
        reply = await service.http.post("/v1/answers", content=body, headers={"Content-Type": kind})
        assert_problem(reply, 415, "unsupported-media-type", kind)
    for kind in ("application/json; charset=utf-8", "application/problem+json", "application/x-www-form-urlencoded"):
        reply = await service.http.post("/v1/answers", content=body, headers={"Content-Type": kind})
        assert (reply.status_code, reply.json()["status"]) == (200, "answered"), kind


async def test_no_form_of_the_reply_that_is_wanted_is_406(service: Service) -> None:
    for accept in (
        "text/html",
        "image/*",
        "application/xml, text/html;q=0.9",
        "*/*;q=0",
        "application/json;q=0, text/event-stream; q=0.000",
    ):
        reply = await service.http.post("/v1/answers", json={"question": QUESTION}, headers={"Accept": accept})
        assert_problem(reply, 406, "not-acceptable", accept)


async def test_of_several_forms_the_one_that_is_wanted_most_is_given(service: Service) -> None:
    for accept, kind in {
        "*/*": "application/json",
        "application/json, text/event-stream": "application/json",
        "text/event-stream, application/json;q=0.5": "text/event-stream",
        "text/html, application/json;q=0.1": "application/json",
        "text/*": "text/event-stream",
        "*/*, application/json;q=0": "text/event-stream",
    }.items():
        reply = await service.http.post("/v1/answers", json={"question": QUESTION}, headers={"Accept": accept})
        assert (reply.status_code, reply.headers["content-type"].partition(";")[0]) == (200, kind), accept
