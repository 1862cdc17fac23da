"""Keys and the names of callers and groups."""

from __future__ import annotations

import pytest

from app.core.callers import ANONYMOUS, OWNER, Caller, KeyedCaller, find_caller, is_group, is_name, key_digest

ALICE, BOB = Caller(name="alice"), Caller(name="bob", groups=frozenset({"public", "hr"}))
CALLERS = [KeyedCaller(ALICE, key_digest("key of alice")), KeyedCaller(BOB, key_digest("key of bob"))]


@pytest.mark.parametrize(("key", "caller"), [("key of alice", ALICE), ("key of bob", BOB)])
def test_a_key_stands_for_its_caller(key: str, caller: Caller) -> None:
    assert find_caller(key, CALLERS) == caller


@pytest.mark.parametrize("key", ["", "key of", "Key of alice", "key of alice ", key_digest("key of alice"), "\udcff"])
def test_no_other_text_stands_for_anyone(key: str) -> None:
    assert find_caller(key, CALLERS) is None
    assert find_caller(key, []) is None


def test_without_a_key_there_is_only_what_is_public() -> None:
    assert (ANONYMOUS.groups, ANONYMOUS.is_admin) == (frozenset({"public"}), False)
    assert (OWNER.groups, OWNER.is_admin) == (frozenset({"public"}), True)


@pytest.mark.parametrize("name", ["hr-portal", "a", "ops@example.org", "A.1_b", "x" * 64])
def test_names_of_callers(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["", "anonymous", "owner", "a b", "é", "-a", "a\n", "x" * 65, "a/b"])
def test_what_is_no_name_of_a_caller(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize("group", ["hr", "public", "tenant:acme", "Ärzte", "two words"])
def test_names_of_groups(group: str) -> None:
    assert is_group(group)


@pytest.mark.parametrize("group", ["", "tenant:", " hr", "hr ", "a,b", "a\nb", "x" * 201])
def test_what_is_no_name_of_a_group(group: str) -> None:
    assert not is_group(group)
