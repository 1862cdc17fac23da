"""What DOCX, PPTX and XLSX have in common: a zip archive of XML, checked before a library unpacks it.

The libraries read every member whole and trust its XML. So the sizes that the archive declares are bounded, and a
document type declaration, which is what attacks by XML entities need and no office program writes, is refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from io import BytesIO
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile, ZipInfo

from lxml import etree  # type: ignore[import-untyped]
from msgspec import Struct

from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers.left_out import LeftOut
from ingest.readers.stated import language

MAX_UNPACKED_MB = 256
_MAX_MEMBERS = 20_000
_COMPOUND_FILE = bytes.fromhex("d0cf11e0a1b11ae1")
"""How files of Office before 2007 begin, and today's encrypted ones."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_XML = (".xml", ".rels")
_CHUNK = 65_536
_RELATIONSHIPS = "_rels/.rels"
_CORE = "/metadata/core-properties"
_NO_TITLE = re.compile(
    r"(?:untitled|word document|powerpoint presentation|(?:document|presentation|book|workbook)\s*\d*"
    r"|microsoft (?:word|powerpoint|excel)\b.*|.*\.(?:do[ct]|pp[ts]|xl[st]|od[tps]|rtf|pdf|txt)[xm]?)",
    re.IGNORECASE,
)
"""What programs and templates write where their user has given no title, names of files above all."""
_TEMPLATE_DATES = ("2013-01-27", "2013-12-23")
"""Of the templates in python-pptx and python-docx: files made with them carry these on."""


class Properties(Struct, frozen=True):
    """What an office file says of itself."""

    title: str = ""
    updated_at: str | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None


@contextmanager
def opened(data: bytes, program: str) -> Iterator[BytesIO]:
    """The checked file. Whatever a library trips over inside the block becomes UnreadableDocument.

    `program` is what the reason tells people to open and save the file with.
    """
    try:
        _check(data, program)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a library does not support is no news for whoever asks questions
            yield BytesIO(data)
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as exc:  # the libraries raise whatever their code ran into: KeyError, AttributeError, ...
        raise UnreadableDocument(f"it is damaged: open it in {program}, repair it and save it again") from exc


def properties(file: BytesIO) -> Properties:
    """The core properties; the libraries would make up those that are not there, with the time of now."""
    with ZipFile(file) as package:
        core = _core(package)
    if core is None:
        return Properties()
    said = {etree.QName(child).localname: " ".join((child.text or "").split()) for child in core.iterchildren("*")}
    title = said.get("title", "")
    return Properties(
        title="" if _NO_TITLE.fullmatch(title) else title,
        updated_at=_day(said.get("modified", "")) or _day(said.get("created", "")),
        tags=tuple(dict.fromkeys(word.strip() for word in re.split("[,;]", said.get("keywords", "")) if word.strip())),
        language=language(said.get("language", "")),
    )


def document(blocks: tuple[Block, ...], title: str, about: Properties, left_out: LeftOut) -> Document:
    """Raises UnreadableDocument when no block is there."""
    reported = left_out.sentences()
    if not blocks:
        raise UnreadableDocument(f"it holds no text, only {', '.join(reported)}" if reported else "it is empty")
    return Document(
        title=title,
        blocks=blocks,
        updated_at=about.updated_at,
        tags=about.tags,
        language=about.language,
        left_out=reported,
    )


def parse(xml: bytes) -> etree._Element:
    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True))


def _core(package: ZipFile) -> etree._Element | None:
    names = set(package.namelist())
    if _RELATIONSHIPS not in names:
        return None
    for relationship in parse(package.read(_RELATIONSHIPS)):
        name = relationship.get("Target", "").lstrip("/")
        if relationship.get("Type", "").endswith(_CORE) and name in names:
            return parse(package.read(name))
    return None


def _day(value: str) -> str | None:
    try:
        day = date.fromisoformat(value[:10]).isoformat()
    except ValueError:
        return None
    return None if day in _TEMPLATE_DATES else day


def _check(data: bytes, program: str) -> None:
    if data.startswith(_COMPOUND_FILE):
        if _ENCRYPTED in data:
            raise UnreadableDocument("it is encrypted: save it without a password")
        raise UnreadableDocument(f"it has a format from before 2007: save it anew in {program}")
    try:
        with ZipFile(BytesIO(data)) as package:
            _check_members(package)
    except BadZipFile as exc:
        reason = "it is damaged or cut short" if data.startswith(b"PK") else "it is not what its name says"
        raise UnreadableDocument(f"{reason}: open it in {program} and save it again") from exc


def _check_members(package: ZipFile) -> None:
    members = package.infolist()
    if any(member.flag_bits & 1 for member in members):
        raise UnreadableDocument("it is encrypted: save it without a password")
    if len(members) > _MAX_MEMBERS or sum(member.file_size for member in members) > MAX_UNPACKED_MB * 2**20:
        raise UnreadableDocument(f"it unpacks to more than {MAX_UNPACKED_MB} MB: split it into smaller documents")
    for member in members:
        if member.filename.lower().endswith(_XML):
            _check_prolog(package, member)


def _check_prolog(package: ZipFile, member: ZipInfo) -> None:
    """Refuse a document type declaration: it can only stand before the first element."""
    parser = expat.ParserCreate()
    begun = False

    def refuse(*_: object) -> None:
        raise UnreadableDocument("its XML declares entities, which no office program writes: save it anew")

    def begin(*_: object) -> None:
        nonlocal begun
        begun = True

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = begin
    with package.open(member) as source, suppress(expat.ExpatError):  # whoever needs this part finds it broken
        while not begun and (chunk := source.read(_CHUNK)):
            parser.Parse(chunk)
