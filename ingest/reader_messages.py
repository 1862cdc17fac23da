"""What the job and its reader processes say to each other: MessagePack in frames, behind four bytes of length.

A process is told to `Start` and says `Ready`. It answers each `Order` with a `Head`, its passages in batches and
`Done`, or else with `Refused`, `Overrun` or `Broke`. The job takes replies for data and nothing more: a hostile file
may have taken the process over.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from app.core.model import Passage
from ingest.document import Document
from ingest.metadata import Metadata

LENGTH_BYTES = 4


class Start(Struct, frozen=True):
    memory_mb: int
    timeout_s: int
    """For one document. A few seconds after it the process ends by itself: nobody else may be left to end it."""
    parent: int
    """Process id; when that process ends, so does this one."""
    tokenizer: bytes
    """Pickled. Pickles go to the process only, never come from it."""


class Order(Struct, frozen=True):
    document_id: str
    data: bytes
    name: str
    """Its suffix tells the format."""
    said: Metadata


class Ready(Struct, frozen=True, tag=True):
    pass


class Head(Struct, frozen=True, tag=True):
    document: Document
    """Without its blocks; the title as its passages carry it."""


class Batch(Struct, frozen=True, tag=True):
    passages: list[Passage]


class Done(Struct, frozen=True, tag=True):
    pass


class Refused(Struct, frozen=True, tag=True):
    """The reader raised UnreadableDocument."""

    reason: str


class Overrun(Struct, frozen=True, tag=True):
    """The document needed more memory than there is."""


class Broke(Struct, frozen=True, tag=True):
    """The reader raised what it should not."""

    error: str
    details: str


Reply = Ready | Head | Batch | Done | Refused | Overrun | Broke


def framed(message: Start | Order | Reply) -> bytes:
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH_BYTES, "big") + body
