"""Logging: named events with fields, readable on a terminal, one JSON object a line elsewhere."""

from __future__ import annotations

import logging
import sys

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("vouch")

_FIELDS: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
_PROCESSORS = [*_FIELDS, structlog.stdlib.ProcessorFormatter.wrap_for_formatter]
"""One list for the whole process: a logger keeps the one that it was first used with."""


def configure(level: int = logging.INFO) -> None:
    """Send every log line of the process to standard error, ours and the libraries' alike."""
    terminal = sys.stderr.isatty()
    renderer = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if terminal
        else structlog.processors.JSONRenderer()
    )
    last: list[structlog.typing.Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        *([] if terminal else [structlog.processors.format_exc_info]),
        renderer,
    ]
    handler = logging.StreamHandler()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=last, foreign_pre_chain=_FIELDS))
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for chatty in ("httpx", "mcp"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    structlog.configure(
        processors=_PROCESSORS,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
