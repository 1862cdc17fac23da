"""What the settings say on which files are read, and within which bounds."""

from __future__ import annotations

from msgspec import Struct

from app.settings import Settings


class Intake(Struct, frozen=True, kw_only=True):
    include: tuple[str, ...] = ()
    """Patterns as in .gitignore, of which a file must match one; none given means every file of a known format."""
    max_document_mb: int = 50
    reader_timeout_s: int = 120
    default_access: tuple[str, ...] = ("public",)
    """Groups that may see a document of which nothing else is said."""

    @classmethod
    def of(cls, settings: Settings) -> Intake:
        return cls(
            include=settings.include_patterns,
            max_document_mb=settings.max_document_mb,
            reader_timeout_s=settings.reader_timeout_s,
            default_access=settings.default_groups,
        )
