"""What an application pushes: a document with its id, checked before anything is done with it."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

import msgspec
from msgspec import Struct

from app.core import hashing
from app.core.callers import is_group
from ingest.errors import BadPush, UnknownFormat, UnreadableDocument
from ingest.metadata import Metadata
from ingest.readers import is_document, stated

MAX_ID_CHARACTERS = 512
MAX_WORD_CHARACTERS = 200
"""Of a tag or a group."""
MAX_WORDS = 100
ID_TAKEN = "a document of this id was pushed over HTTP: rename the file, or take that document back"
"""Why a file of the folder is not indexed."""

_SUFFIXES = {
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/plain": ".txt",
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "text/x-rst": ".rst",
    "text/prs.fallenstein.rst": ".rst",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/pdf": ".pdf",
    "application/x-ipynb+json": ".ipynb",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
}
_SAY_NOTHING = {"", "application/octet-stream", "application/x-www-form-urlencoded"}
"""What clients send when they were not told what the bytes are."""


class Push(Struct, frozen=True, kw_only=True):
    document_id: str
    media_type: str = ""
    charset: str | None = None
    data: bytes
    said: Metadata

    @property
    def byte_hash(self) -> str:
        """Of all that decides what the document becomes."""
        said = msgspec.json.encode([self.media_type, self.charset, self.said])
        return hashing.byte_hash(len(said).to_bytes(8, "big") + said + self.data)

    @property
    def name(self) -> str:
        """A file name whose suffix tells the format: by the media type, or by the id where that says nothing.

        Raises UnknownFormat.
        """
        says_nothing = self.media_type in _SAY_NOTHING
        name = self.document_id if says_nothing else f"document{_SUFFIXES.get(self.media_type, '')}"
        if not is_document(name):
            raise UnknownFormat(
                "Say what the document is by its Content-Type, such as text/markdown or application/pdf,"
                " or by the end of its id, such as .md or .pdf."
            )
        return name

    @property
    def content(self) -> bytes:
        """The bytes as its reader takes them: text in another charset than UTF-8 is recoded, with a mark that says so.

        Raises UnreadableDocument.
        """
        if self.charset is None or not self.media_type.startswith("text/"):
            return self.data
        try:
            return self.data.decode(self.charset).encode("utf-8-sig")
        except (LookupError, UnicodeError) as exc:
            raise UnreadableDocument(f"it is not text in the charset {self.charset}") from exc


def check(push: Push) -> None:
    """Raises BadPush and UnknownFormat."""
    check_id(push.document_id)
    said = push.said
    if said.title is not None and not said.title.isprintable():
        raise BadPush("title must not hold control characters or invisible ones.")
    if said.url is not None and stated.address(said.url) is None:
        raise BadPush("url must be an http or https address.")
    if said.updated_at is not None and stated.day(said.updated_at) != said.updated_at:
        raise BadPush("updated_at must be a date such as 2026-11-30.")
    if said.language is not None and stated.language(said.language) != said.language:
        raise BadPush("language must be a code of two letters, such as de.")
    for word in [*(said.tags or ()), *(said.access or ())]:
        if not 1 <= len(word) <= MAX_WORD_CHARACTERS or not word.isprintable() or word != word.strip():
            raise BadPush(f"Tags and groups are words of 1 to {MAX_WORD_CHARACTERS} characters.")
    if not all(map(is_group, said.access or ())):
        raise BadPush("access names one group, such as hr or tenant:acme: repeat it for more.")
    if max(len(said.tags or ()), len(said.access or ())) > MAX_WORDS:
        raise BadPush(f"A document has {MAX_WORDS} tags and {MAX_WORDS} groups at most.")
    assert push.name


def check_id(document_id: str) -> None:
    """Raises BadPush when it could not be the id of a document: a relative path in NFC, without `.` and `..`."""
    if not 1 <= len(document_id) <= MAX_ID_CHARACTERS:
        raise BadPush(f"A document's id has 1 to {MAX_ID_CHARACTERS} characters.")
    if not document_id.isprintable():
        raise BadPush("A document's id holds no control characters and no invisible ones.")
    if not unicodedata.is_normalized("NFC", document_id):
        raise BadPush("A document's id must be in the Unicode form NFC: composed accents.")
    if document_id != str(PurePosixPath(document_id)) or {"", ".", ".."} & set(document_id.split("/")):
        raise BadPush("A document's id is a path without `.`, `..`, empty parts or a `/` at either end.")
