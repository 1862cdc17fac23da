"""URIs that name documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AnyUrl

from app.core.document_uri import document_id, document_uri

SEGMENTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1).filter(
    lambda segment: segment not in (".", "..")
)
IDS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)


@given(IDS)
def test_every_document_is_found_again_by_its_uri(name: str) -> None:
    uri = document_uri(name)
    assert uri.isascii()
    assert document_id(uri) == name
    assert document_id(str(AnyUrl(uri))) == name  # as the MCP client sends it


@pytest.mark.parametrize("uri", ["file:///a.md", "vouch://other/a.md", "documents/a.md", ""])
def test_another_uri_names_no_document(uri: str) -> None:
    assert document_id(uri) is None
