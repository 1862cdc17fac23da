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


class BadPush(VouchError):
    """What is said of a pushed document (its id, its format, a date) is not valid; nothing was changed."""


class UnknownFormat(BadPush):
    """Nothing says what the bytes of a pushed document are, or there is no reader for that."""


class FolderDocument(VouchError):
    """A document of this id comes from the folder, which alone can change it."""


class UnknownDocument(VouchError):
    """No document of this id was ever pushed."""


class OtherIndex(VouchError):
    """What answers now was built otherwise than this service builds."""


class JobRunning(VouchError):
    """Another job is at work on the same index."""


class JobFailed(VouchError):
    """The service that was handed the job could not do it."""


class ReadersUnavailable(VouchError):
    """No process to read documents in can be started."""
