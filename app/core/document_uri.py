"""What names a document where it has no URL of its own: in annotations, and as an MCP resource."""

from __future__ import annotations

from urllib.parse import quote, unquote

_PREFIX = "vouch://documents/"
TEMPLATE = f"{_PREFIX}{{+document_id}}"
"""RFC 6570."""


def document_uri(document_id: str) -> str:
    return _PREFIX + quote(document_id)


def document_id(uri: str) -> str | None:
    """The document that a URI names; None for another URI."""
    return unquote(uri.removeprefix(_PREFIX)) if uri.startswith(_PREFIX) else None
