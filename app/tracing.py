"""Traces of answers over OpenTelemetry. Without OTEL_EXPORTER_OTLP_ENDPOINT nothing of it is imported.

A caller's `traceparent` is continued, and the model's endpoint gets one. Spans carry verdicts and counts, never the
text of a question or a document.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from app.errors import SettingsError

if TYPE_CHECKING:  # an extra: it may not be there
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

_SERVICE = "vouch"
_provider: TracerProvider | None = None
"""One for the process, as the context that carries the spans is."""

Attributes = Mapping[str, str | bool | int | float]


@contextmanager
def exported(endpoint: str) -> Iterator[None]:
    """Send spans to the collector at `endpoint` (OTLP over HTTP) for the length of the block; nowhere when it is empty.

    Raises SettingsError when the extra is not installed. A collector that is away costs no answer.
    """
    global _provider
    if not endpoint:
        yield
        return
    _provider = _connect(endpoint)
    try:
        yield
    finally:
        provider, _provider = _provider, None
        provider.shutdown()


def _connect(endpoint: str) -> TracerProvider:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as exc:
        raise SettingsError(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed:"
            " pip install --require-hashes --no-deps -r requirements-otel.txt"
        ) from exc
    resource = Resource.create()
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):  # no OTEL_SERVICE_NAME
        resource = resource.merge(Resource({SERVICE_NAME: _SERVICE}))
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces")))
    return provider


@contextmanager
def span(name: str, attributes: Attributes | None = None) -> Iterator[Callable[[Attributes], None]]:
    """A span around the block, below the one around it; what it gives adds attributes."""
    if _provider is None:
        yield lambda _: None
        return
    with _provider.get_tracer(_SERVICE).start_as_current_span(name, attributes=attributes) as current:
        yield _adding(current)


def continued(headers: Mapping[str, str], work: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    """`work` as a part of the trace that a request's headers name, if any."""
    if _provider is None:
        return work

    async def traced(*arguments: Any) -> Any:
        from opentelemetry import context, propagate

        token = context.attach(propagate.extract(headers))
        try:
            return await work(*arguments)
        finally:
            context.detach(token)

    return traced


def headers() -> dict[str, str]:
    """What tells the next service which trace a request belongs to."""
    carrier: dict[str, str] = {}
    if _provider is not None:
        from opentelemetry import propagate

        propagate.inject(carrier)
    return carrier


def _adding(current: Span) -> Callable[[Attributes], None]:
    return lambda attributes: current.set_attributes(dict(attributes))
