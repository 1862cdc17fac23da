"""What can go wrong, as types of our own. No error of a library crosses a port.

VouchError
├── SettingsError        a setting is wrong: one line, exit code 2
├── StoreError
│   ├── StoreUnavailable the store does not answer, or answers rubbish
│   ├── LeaseMissing     another job may write to the index now, and this one may not
│   └── StoreHeld        another process owns the embedded store
├── EvidenceUnavailable  kept answers can't be read or written now
├── NoticesUnavailable   what a signed notice asks for can't be kept now
├── EmbedderError
│   ├── ModelUnavailable the embedding model can't be loaded
│   └── EmbeddingFailed  a loaded model could not embed a text
├── RerankingFailed      a loaded model could not score a passage
├── AnswererFailed       the answerer broke mid-way; carries the reason code of the verdict
├── CalibrationRefused   thresholds can't be measured with what is there
├── Overloaded           the service has as much to do as it takes on at once
├── LimitReached         the caller has used up what it may use
└── IngestionError       a change of the index was refused, or failed
    ├── JobRunning       another job is at work on it
    ├── OtherIndex       it was built otherwise than it would be here
    ├── UnreadableDocument
    ├── UnknownDocument
    ├── FolderDocument   only the folder may change it
    └── BadPush          what is said of a pushed document is not valid
        └── UnknownFormat
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


class VouchError(Exception):
    """Every error of ours. Its text is a sentence for people and names what to do next."""


class SettingsError(VouchError):
    pass


class StoreError(VouchError):
    pass


class StoreUnavailable(StoreError):
    pass


@dataclass(frozen=True)
class StoreOwner:
    """The process that holds the embedded store, as it says itself."""

    pid: int
    since: str
    """ISO 8601 UTC."""
    role: Literal["service", "job"]
    address: str | None
    """Where a service listens; None until it does, and always for a job."""
    token: str = field(repr=False)
    """Stands for admin in a hand-over; of this run only."""


class StoreHeld(StoreError):
    """`owner` is who holds the store; None when it left no note that can be read."""

    def __init__(self, message: str, owner: StoreOwner | None = None) -> None:
        super().__init__(message)
        self.owner = owner


class LeaseMissing(StoreError):
    pass


class EvidenceUnavailable(VouchError):
    pass


class NoticesUnavailable(VouchError):
    pass


class EmbedderError(VouchError):
    pass


class ModelUnavailable(EmbedderError):
    pass


class EmbeddingFailed(EmbedderError):
    pass


class RerankingFailed(VouchError):
    pass


class AnswererFailed(VouchError):
    """The answerer could not finish. `reason` is a code of the `failed` verdict."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class CalibrationRefused(VouchError):
    pass


class Overloaded(VouchError):
    pass


class LimitReached(VouchError):
    """`limit` is its name in API_KEYS_FILE; `allowed` what it allows, `retry_after_s` when there is some again."""

    def __init__(self, limit: str, allowed: int, retry_after_s: int) -> None:
        super().__init__(f"The limit {limit} = {allowed} is reached: try again in {retry_after_s} s.")
        self.limit = limit
        self.allowed = allowed
        self.retry_after_s = retry_after_s


class IngestionError(VouchError):
    pass


class JobRunning(IngestionError):
    """Another job is at work on the same index; nothing was changed."""


class OtherIndex(IngestionError):
    """The index that answers, or is asked for, is not the one that these settings build; nothing was changed."""


class UnreadableDocument(IngestionError):
    """One document can't be indexed. The text is the reason, such as "it is empty"; the job goes on without it."""


class UnknownDocument(IngestionError):
    """No document of this id is in the index."""


class FolderDocument(IngestionError):
    """A document of this id comes from the folder, which alone can change it; nothing was changed."""


class BadPush(IngestionError):
    """What is said of a pushed document (its id, a date, an address) is not valid; nothing was changed."""


class UnknownFormat(BadPush):
    """Nothing says what the bytes of a pushed document are, or there is no reader for that."""
