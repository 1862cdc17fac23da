"""Which files of a corpus are documents, and their bytes."""

from __future__ import annotations

import os
import stat
import sys
import unicodedata
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from app.core import hashing
from ingest.access import Access, Ceilings
from ingest.errors import NothingToIngest, UnreadableDocument
from ingest.intake import Intake
from ingest.metadata import UNSAID, Metadata
from ingest.patterns import IGNORE_FILE, IgnoreFiles, Patterns
from ingest.readers import is_document

DEFAULT = Intake()

_Fault = tuple[str, str, str]
"""A path below the root, why what is there can't be known, and the folder whose ceiling holds for it."""


class SourceFile(Struct, frozen=True):
    document_id: str
    """The path below the corpus root, with `/` between its parts, in NFC."""
    path: str
    fault: str | None = None
    """Why it can't be a document, where that is known before it is opened."""
    said: Metadata = UNSAID
    """What is said of it by files beside it, and by the settings."""

    def concerns(self, document_ids: Collection[str]) -> list[str]:
        """Of these, its own, and those below it if it is a folder that could not be read."""
        below = "" if self.document_id == "." else f"{self.document_id}/"
        own = [self.document_id] if self.document_id in document_ids else []
        return own + [id_ for id_ in document_ids if self.fault and id_.startswith(below)]

    def byte_hash(self, data: bytes) -> str:
        """Of its bytes, and of what else decides what becomes of them."""
        if self.said == UNSAID:
            return hashing.byte_hash(data)
        said = msgspec.json.encode(self.said)
        return hashing.byte_hash(len(said).to_bytes(8, "big") + said + data)


def find_files(root: Path, intake: Intake = DEFAULT) -> Iterator[SourceFile]:
    """The documents below `root`, sorted by id. A folder that can't be read stands among them, with its fault.

    Hidden files and folders are passed over, and what `.vouchignore` names or `intake.include` does not, and symbolic
    links that lead out of the corpus. Links to folders are not followed: inside the corpus they would only name the
    same documents twice. Raises NothingToIngest when `root` itself can't be read, or names of files can't.
    """
    found: dict[str, SourceFile] = {}
    faults: list[_Fault] = []
    ceilings = Ceilings(root)

    def said(ceiling: Access | None) -> Metadata:
        return Metadata(access_ceiling=ceiling, access_default=intake.default_access)

    names = sorted(_names(root, intake, faults), key=_composed_first)
    _check_encoding(names)
    for name in names:
        file = _source_file(root, name, found)
        found[file.document_id] = structs.replace(file, said=said(_ceiling(root, name, ceilings)))
    faults += [(sidecar, fault, "") for sidecar, fault in ceilings.faults.items()]
    for folder, fault, ruling in faults:
        file = _source_file(root, folder, found)
        found[file.document_id] = SourceFile(file.document_id, file.path, fault, said(ceilings.of(ruling)))
    for document_id in sorted(found):
        yield found[document_id]


def read_bytes(file: SourceFile, intake: Intake = DEFAULT) -> bytes:
    """The bytes of a document. Raises UnreadableDocument."""
    if file.fault:
        raise UnreadableDocument(file.fault)
    try:
        status = os.stat(file.path)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableDocument("it is not a regular file")
        if status.st_size > intake.max_document_mb * 2**20:
            raise UnreadableDocument(f"it is larger than {intake.max_document_mb} MB")
        with open(file.path, "rb") as data:
            return data.read()
    except OSError as exc:
        raise UnreadableDocument(f"it can't be read: {exc.strerror}") from exc


def folder_identity(folder: Path) -> tuple[int, int] | None:
    """Another one where another folder is put in its place, or mounted there; None when there is none."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def file_hash(file: SourceFile, intake: Intake = DEFAULT) -> str | None:
    """Its byte hash; None for what can't be read."""
    try:
        return file.byte_hash(read_bytes(file, intake))
    except UnreadableDocument:
        return None


def _names(root: Path, intake: Intake, faults: list[_Fault]) -> Iterator[str]:
    """Paths below the root. Of folders whose files can't be known, `faults` is told."""
    top, inside = os.fspath(root), root.resolve()
    ignored = IgnoreFiles(root)
    included = Patterns(intake.include) if intake.include else None

    def below(folder: str) -> str:
        return folder[len(top) :].strip("/")

    def closed(error: OSError) -> None:
        if folder := below(error.filename):
            faults.append((folder, f"it can't be read: {error.strerror}", os.path.dirname(folder)))
        elif not isinstance(error, FileNotFoundError):  # a root that is not there holds no documents
            raise NothingToIngest(f"{top} can't be read: {error.strerror}.")

    for folder, folders, names in os.walk(top, onerror=closed):
        here = below(folder)
        try:
            ignored.enter(here)
        except (OSError, ValueError) as exc:
            faults.append((here or ".", f"its {IGNORE_FILE} can't be followed: {exc}", here))
            folders.clear()
            continue
        prefix = here and f"{here}/"
        folders[:] = [name for name in folders if _is_shown(name) and not ignored.leave_out(f"{prefix}{name}/")]
        for name in filter(_is_shown, names):
            path = f"{prefix}{name}"
            chosen = is_document(name) and (included is None or included.name(path)) and not ignored.leave_out(path)
            if chosen and (not os.path.islink(f"{top}/{path}") or _leads_into(inside, Path(top, path))):
                yield path


def _ceiling(root: Path, name: str, ceilings: Ceilings) -> Access | None:
    folder, path = os.path.dirname(name), os.path.join(root, name)
    if not os.path.islink(path):
        return ceilings.of(folder)
    return ceilings.of_link(os.path.relpath(os.path.realpath(path), os.path.realpath(root)), folder)


def _is_shown(name: str) -> bool:
    return not name.startswith(".")


def _leads_into(folder: Path, link: Path) -> bool:
    try:
        return link.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):  # a loop; which of the two depends on Python's version
        return False


def _check_encoding(names: Collection[str]) -> None:
    """Elsewhere the documents have other ids: a job would take all of them for new, and remove the old ones."""
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8" and not all(map(str.isascii, names)):
        raise NothingToIngest(
            f"Python takes the names of files for {encoding} here, and would not know their documents again:"
            " run it with PYTHONUTF8=1."
        )


def _source_file(root: Path, name: str, taken: Collection[str]) -> SourceFile:
    path = os.path.join(root, name)
    if not _is_utf8(name):
        escaped = name.encode("utf-8", "backslashreplace").decode()
        return SourceFile(escaped, path, "its name is not valid UTF-8: rename it")
    document_id = unicodedata.normalize("NFC", name)
    if document_id in taken:
        escaped = name.encode("ascii", "backslashreplace").decode()
        return SourceFile(escaped, path, "another file bears this name in another encoding of its accents: rename it")
    return SourceFile(document_id, path)


def _composed_first(name: str) -> tuple[bool, str]:
    """Of two names that are one in NFC, the one that is in NFC comes first and keeps it."""
    return not unicodedata.is_normalized("NFC", name), name


def _is_utf8(name: str) -> bool:
    """Python keeps the bytes of an undecodable name as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in name)
