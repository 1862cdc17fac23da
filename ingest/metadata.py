"""What is said about a document from outside of it."""

from __future__ import annotations

from msgspec import Struct, structs

from ingest.document import Document


class Metadata(Struct, frozen=True, kw_only=True):
    """Stands in place of what the document says of itself; None leaves that as it is."""

    title: str | None = None
    url: str | None = None
    updated_at: str | None = None
    """ISO 8601 date."""
    tags: tuple[str, ...] | None = None
    access: tuple[str, ...] | None = None

    def over(self, document: Document) -> Document:
        said = {field: value for field, value in structs.asdict(self).items() if value is not None}
        return structs.replace(document, **said)


UNSAID = Metadata()
