"""HTML: what a page says of itself, and the encoding that it declares."""

from __future__ import annotations

import pytest

from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers import html, read


def head(source: str) -> Document:
    return html.parse(f"<head>{source}</head><body><h1>Leave</h1><p>Text.</p>")


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("<title>Leave - People handbook</title>", "Leave"),
        ("<title>ACME | Leave</title>", "Leave"),
        ("<title> How leave\n works </title>", "How leave works"),
        ("", "Leave"),
        ("<title></title>", "Leave"),
    ],
)
def test_the_title_is_the_page_s_without_the_site_s(source: str, title: str) -> None:
    assert head(source).title == title


def test_a_page_without_title_and_heading_has_none() -> None:
    assert html.parse("<p>Text.</p><svg><title>Icon</title></svg>").title == ""


def test_what_a_page_says_of_itself() -> None:
    document = head(
        '<link rel="stylesheet canonical" href="https://example.org/leave"><meta name=date content="2020-01-01">'
        '<meta property="article:modified_time" content="2025-04-30T23:10:00+02:00">'
        '<meta name=Keywords content="leave, time  off,">'
    )
    assert (document.url, document.tags, document.updated_at) == (
        "https://example.org/leave",
        ("leave", "time off"),
        "2025-04-30",
    )
    assert document.access is None


def test_the_language_is_the_page_s_own() -> None:
    assert html.parse("<html lang=de-AT><p>Urlaub</p></html>").language == "de"
    assert html.parse("---\nlang: fr\n---\n<html lang=de><p>Urlaub</p></html>").language == "fr"
    assert html.parse("<html><p lang=de>Urlaub</p></html>").language is None


@pytest.mark.parametrize("address", ["/leave", "javascript:alert(1)", "//example.org/leave", "http://[", ""])
def test_only_a_whole_web_address_becomes_the_url(address: str) -> None:
    assert head(f'<link rel=canonical href="{address}"><meta name=date content="soon">').url is None


def test_front_matter_is_read_and_wins() -> None:
    document = html.parse("---\ntitle: T\naccess: [hr]\ntags: a\n---\n<title>U</title><meta name=keywords content=b>c")
    assert (document.title, document.access, document.tags) == ("T", ("hr",), ("a",))
    with pytest.raises(UnreadableDocument, match="front matter"):
        html.parse("---\naccess: [hr\n---\n<p>c")


@pytest.mark.parametrize("name", ["windows-1252", "iso-8859-1", "koi8-r", "shift_jis", "utf-8", "windows-1251"])
@pytest.mark.parametrize(
    "form", ['<meta charset="{}">', '<meta http-equiv=Content-Type content="text/html; charset={}">']
)
def test_the_declared_encoding_is_honoured(name: str, form: str) -> None:
    word = {"k": "Да", "s": "休", "w": "Я" if name.endswith("1") else "é"}.get(name[0], "é")
    data = f"<html><head>{form.format(name)}</head><body><p>{word}".encode(name)
    assert read("a.html", data).blocks == (Block(word),)


def test_xhtml_is_read_in_its_declared_encoding() -> None:
    source = '<?xml version="1.0" encoding="iso-8859-1"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body><p>é</p></body></html>'
    assert read("a.xhtml", source.encode("latin-1")).blocks == (Block("é"),)
    assert read("a.htm", source.encode("utf-16")).blocks == (Block("é"),)
