"""What can go wrong with a document, and with a job. What the service must tell apart stands in app/errors.py."""

from __future__ import annotations

from app.errors import (
    BadPush,
    FolderDocument,
    IngestionError,
    JobRunning,
    OtherIndex,
    UnknownDocument,
    UnknownFormat,
    UnreadableDocument,
)

__all__ = [
    "BadPush",
    "CannotWatch",
    "FolderDocument",
    "JobFailed",
    "JobRunning",
    "NothingAnswers",
    "NothingToIngest",
    "OtherIndex",
    "ReadersUnavailable",
    "RemovalsRefused",
    "UnknownDocument",
    "UnknownFormat",
    "UnreadableDocument",
]


class NothingToIngest(IngestionError):
    """There is no corpus, or nothing in it; nothing was changed."""


class RemovalsRefused(IngestionError):
    """The run would remove more of the folder's documents than may go without being asked for; nothing was changed."""


class NothingAnswers(IngestionError):
    """The index name points at no collection, so none of them is known to be superfluous."""


class CannotWatch(IngestionError):
    """The system does not tell of changes in the folder."""


class JobFailed(IngestionError):
    """The service that was handed the job could not do it."""


class ReadersUnavailable(IngestionError):
    """No process to read documents in can be started."""
