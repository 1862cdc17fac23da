"""What can go wrong with a document, and with a job as a whole."""

from __future__ import annotations

from app.errors import VouchError


class UnreadableDocument(VouchError):
    """One document can't be indexed. The text is the reason, such as "it is empty"; the job goes on without it."""


class NothingToIngest(VouchError):
    """There is no corpus, or nothing in it; nothing was changed."""


class RemovalsRefused(VouchError):
    """The run would remove more of the folder's documents than may go without being asked for; nothing was changed."""


class NothingAnswers(VouchError):
    """The index name points at no collection, so none of them is known to be superfluous."""


class CannotWatch(VouchError):
    """The system does not tell of changes in the folder."""


class JobRunning(VouchError):
    """Another job is at work on the same index."""


class JobFailed(VouchError):
    """The service that was handed the job could not do it."""


class ReadersUnavailable(VouchError):
    """No process to read documents in can be started."""
