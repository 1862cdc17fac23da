"""What is said about a document from outside of it."""

from __future__ import annotations

from msgspec import Struct, structs

from app.core.callers import PUBLIC
from ingest.access import Access, effective
from ingest.document import Document

_SAID = ("title", "url", "updated_at", "tags", "access", "language")


class Metadata(Struct, frozen=True, kw_only=True):
    """Stands in place of what the document says of itself; None leaves that as it is."""

    title: str | None = None
    url: str | None = None
    updated_at: str | None = None
    """ISO 8601 date."""
    tags: tuple[str, ...] | None = None
    access: Access | None = None
    language: str | None = None
    """ISO 639-1 code."""
    access_ceiling: Access | None = None
    """What no document may go beyond, where there is such a bound."""
    access_default: Access = (PUBLIC,)
    """Of a document of which nothing else is said."""

    def over(self, document: Document) -> Document:
        """The document with all of this; its access is decided then."""
        said = {name: value for name in _SAID if (value := getattr(self, name)) is not None}
        document = structs.replace(document, **said)
        return structs.replace(document, access=effective(document.access, self.access_ceiling, self.access_default))


UNSAID = Metadata()
