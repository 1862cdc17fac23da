"""Signatures of notices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.signatures import MAX_AGE_S, BadSignature, check, check_github, sign

NOW = 1_800_000_000
OLD, NEW = "the old shared secret", "the new shared secret"
BODY = b'{"documents": ["a.md"]}'
GITHUBS_EXAMPLE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
"""From GitHub's documentation: the body "Hello, World!" under "It's a Secret to Everybody"."""


@given(st.binary(max_size=200), st.text(min_size=1), st.integers(-MAX_AGE_S, MAX_AGE_S))
def test_what_was_signed_lately_is_believed(body: bytes, secret: str, age: int) -> None:
    try:
        secret.encode()
    except UnicodeEncodeError:
        return
    assert check(sign(secret, NOW, body), body, [secret], NOW + age)


@given(st.binary(max_size=50), st.binary(max_size=50))
def test_each_time_and_body_is_a_notice_of_its_own(first: bytes, second: bytes) -> None:
    notices = {check(sign(OLD, time, body), body, [OLD], NOW) for time in (NOW, NOW - 1) for body in (first, second)}
    assert len(notices) == 2 * len({first, second})


def test_either_secret_is_valid_while_one_replaces_the_other() -> None:
    for secret in (OLD, NEW):
        assert check(sign(secret, NOW, BODY), BODY, [OLD, NEW], NOW)
    of_new = sign(NEW, NOW, BODY).partition(",")[2]
    both = f"{sign(OLD, NOW, BODY)},{of_new}"
    assert check(both, BODY, [OLD], NOW) == check(both, BODY, [NEW], NOW), "the same notice, whichever secret it was"


@pytest.mark.parametrize("age", [MAX_AGE_S + 1, -MAX_AGE_S - 1, 10**9])
def test_what_was_signed_long_ago_or_will_be_is_refused(age: int) -> None:
    with pytest.raises(BadSignature, match="within 300 s"):
        check(sign(OLD, NOW, BODY), BODY, [OLD], NOW + age)


GOOD = sign(OLD, NOW, BODY)
HEX = GOOD.partition("v1=")[2]


@pytest.mark.parametrize(
    "header",
    [
        "",
        "v1=" + HEX,
        f"t={NOW}",
        f"t={NOW},v1=",
        f"t={NOW},v0={HEX}",
        f"t={NOW},v1={HEX[:-1]}",
        f"t={NOW},v1={HEX[:-1]}é",
        f"t={NOW},v1={HEX.upper()}",
        f"t={NOW + 1},v1={HEX}",
        f"t=-{NOW},v1={HEX}",
        f"t=١٢٣,v1={HEX}",
        f"t={NOW},t={NOW + 1},v1={HEX}",
        f"t={NOW}," + ",".join([f"v1={'0' * 64}"] * 8 + [f"v1={HEX}"]),
        GITHUBS_EXAMPLE,
    ],
)
def test_a_header_that_does_not_fit_is_refused_without_a_word_of_the_secret(header: str) -> None:
    with pytest.raises(BadSignature) as refused:
        check(header, BODY, [OLD], NOW)
    assert OLD not in str(refused.value)
    assert HEX not in str(refused.value)


def test_another_body_and_another_secret_are_refused() -> None:
    for body, secrets in ((BODY + b" ", [OLD]), (BODY, [NEW]), (BODY, [])):
        with pytest.raises(BadSignature):
            check(GOOD, body, secrets, NOW)


def test_githubs_own_example_is_believed_and_others_are_not() -> None:
    secret, body = "It's a Secret to Everybody", b"Hello, World!"
    check_github(GITHUBS_EXAMPLE, body, [NEW, secret])
    for header in ("", GITHUBS_EXAMPLE[:-1], GITHUBS_EXAMPLE.replace("sha256", "sha1"), "sha256=" + "0" * 64):
        with pytest.raises(BadSignature):
            check_github(header, body, [secret])
