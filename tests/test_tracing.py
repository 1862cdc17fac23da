"""Traces of answers, as a collector receives them over OTLP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from app.settings import Settings
from tests.scripted_chat import ScriptedChat, says
from tests.service import QUESTION, running, settings_for

TRACE_ID, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Collector(ThreadingHTTPServer):
    """Takes OTLP over HTTP on a free port of loopback."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.requests: list[ExportTraceServiceRequest] = []

    @property
    def spans(self) -> dict[str, Span]:
        resources = [resource for request in self.requests for resource in request.resource_spans]
        return {span.name: span for resource in resources for scope in resource.scope_spans for span in scope.spans}


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.requests.append(ExportTraceServiceRequest.FromString(body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def attributes(span: Span) -> dict[str, object]:
    return {a.key: getattr(a.value, str(a.value.WhichOneof("value"))) for a in span.attributes}


STAGES = ("cache", "embed", "search", "gate", "neighbours", "model")


async def test_an_answer_is_one_trace_from_its_caller_to_the_model(
    indexed: Settings, chat: ScriptedChat, collector: Collector, tmp_path: Path
) -> None:
    chat.reply = says("28 days [1]. Or 30 [9].")
    settings = settings_for(
        tmp_path,
        CHAT_BASE_URL=chat.base_url,
        CHAT_MODEL="scripted",
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.address,
    )
    async with running(settings) as service:
        headers = {"traceparent": f"00-{TRACE_ID}-{PARENT}-01"}
        reply = (await service.http.post("/v1/answers", json={"question": QUESTION}, headers=headers)).json()
    spans = collector.spans
    assert set(spans) == {f"vouch.{name}" for name in ("answer", *STAGES)}
    answer = spans["vouch.answer"]
    assert (answer.trace_id.hex(), answer.parent_span_id.hex()) == (TRACE_ID, PARENT)
    inner = [span for name, span in spans.items() if name != "vouch.answer"]
    assert {(span.trace_id, span.parent_span_id) for span in inner} == {(answer.trace_id, answer.span_id)}
    told = attributes(answer)
    assert (told["vouch.id"], told["vouch.status"], told["vouch.dropped"]) == (reply["id"], "answered", 1)
    model = spans["vouch.model"]
    assert chat.headers[0]["traceparent"] == f"00-{TRACE_ID}-{model.span_id.hex()}-01"
    assert "annual leave" not in str(collector.requests)
    (name,) = [a for a in collector.requests[0].resource_spans[0].resource.attributes if a.key == "service.name"]
    assert name.value.string_value == "vouch"


async def test_a_collector_that_is_away_costs_no_answer(indexed: Settings, tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")) as service:
        assert (await service.ask())["status"] == "answered"


async def test_without_a_collector_nothing_is_sent_on(indexed: Settings, chat: ScriptedChat, tmp_path: Path) -> None:
    chat.reply = says("28 days [1].")
    async with running(settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="scripted")) as service:
        await service.ask()
    assert "traceparent" not in chat.headers[0]
