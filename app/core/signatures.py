"""Signatures of notices: HMAC-SHA256 under a secret that the sender and the service share.

Two forms: our own, `t=1700000000,v1=HEX`, signs the time in seconds since 1970, a full stop and the raw body; GitHub's,
`sha256=HEX`, the raw body alone. While a secret is replaced, ours may carry a `v1` for each.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

MAX_AGE_S = 300
"""A notice is valid so long before and after the time that it was signed at."""

_MAX_SIGNATURES = 8
_TIME = re.compile(r"[0-9]{1,12}")
_HEX = re.compile(r"[0-9a-f]{64}")


class BadSignature(Exception):
    """Why a notice is not believed, in words that tell nothing of any secret."""


class Signed(Struct, frozen=True):
    """What a header of our own form says."""

    time: int
    signatures: tuple[str, ...]


def sign(secret: str, time: int, body: bytes) -> str:
    """The header of our own form for a body that is signed now."""
    return f"t={time},v1={_digest(secret, _timed(time, body))}"


def check(header: str, body: bytes, secrets: Sequence[str], now: float) -> str:
    """That one of the secrets signed the body, and lately: returns what tells this notice from every other one.

    Raises BadSignature.
    """
    signed = _parse(header)
    if not _matches(signed.signatures, _timed(signed.time, body), secrets):
        raise BadSignature("The signature is wrong: sign `t`, a full stop and the raw body, with a secret of both.")
    if abs(now - signed.time) > MAX_AGE_S:
        raise BadSignature(f"It was not signed within {MAX_AGE_S} s of now: sign each try anew, and check the clocks.")
    return hashlib.sha256(_timed(signed.time, body)).hexdigest()


def time_of(header: str) -> int:
    """When it was signed, as a header of our own form says. Raises BadSignature."""
    return _parse(header).time


def check_github(header: str, body: bytes, secrets: Sequence[str]) -> None:
    """That one of the secrets signed the body, whenever. Raises BadSignature."""
    form, _, signature = header.partition("=")
    if form != "sha256" or not _matches([signature], body, secrets):
        raise BadSignature("The signature is wrong: give the webhook one of the secrets in NOTICE_SECRETS.")


def _parse(header: str) -> Signed:
    fields = [field.strip().partition("=") for field in header.split(",")]
    times = [value for name, _, value in fields if name == "t" and _TIME.fullmatch(value)]
    signatures = tuple(value for name, _, value in fields if name == "v1")
    if len(times) != 1 or not 1 <= len(signatures) <= _MAX_SIGNATURES:
        raise BadSignature("The signature's header must be like `t=1700000000,v1=HEX`.")
    return Signed(int(times[0]), signatures)


def _matches(given: Iterable[str], content: bytes, secrets: Sequence[str]) -> bool:
    """Looks at every pair whole, so that the time it takes tells nothing of how near a guess was."""
    expected = [_digest(secret, content) for secret in secrets]
    candidates = [signature for signature in given if _HEX.fullmatch(signature)]
    matches = [hmac.compare_digest(digest, candidate) for digest in expected for candidate in candidates]
    return any(matches)


def _timed(time: int, body: bytes) -> bytes:
    return b"%d." % time + body


def _digest(secret: str, content: bytes) -> str:
    return hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
