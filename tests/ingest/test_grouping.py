"""Content-defined grouping: whole, within the limit, and moved by an edit only where it happens."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ingest.grouping import Unit, group

LIMIT = 100
UNITS = st.lists(st.builds(Unit, st.text("abcdef", max_size=4), st.integers(0, 130)), max_size=60)


def contents(units: Sequence[Unit]) -> list[tuple[Unit, ...]]:
    return [tuple(each) for each in group(units, LIMIT)]


def section(randomly: random.Random, length: int, largest: int = 60) -> list[Unit]:
    return [Unit(str(randomly.random()), randomly.randint(5, largest)) for _ in range(length)]


@given(UNITS)
def test_groups_together_are_the_units_in_order(units: list[Unit]) -> None:
    assert [unit for each in contents(units) for unit in each] == units
    assert all(contents(units))


@given(UNITS)
def test_a_group_is_within_the_limit_or_a_unit_alone(units: list[Unit]) -> None:
    for each in contents(units):
        assert sum(unit.tokens for unit in each) <= LIMIT or len(each) == 1


@given(UNITS.filter(lambda units: sum(unit.tokens for unit in units) <= LIMIT))
def test_what_fits_is_one_group(units: list[Unit]) -> None:
    assert len(contents(units)) == min(1, len(units))


@given(UNITS)
def test_the_same_units_give_the_same_groups(units: list[Unit]) -> None:
    assert contents(units) == contents(list(units))


def test_an_edit_anywhere_in_a_long_section_makes_few_groups_new() -> None:
    randomly = random.Random(3)
    units = section(randomly, 400)
    before = set(contents(units))
    edits = [
        [*units[:at], *put, *units[at + 1 :]] for at in range(400) for put in ([], [*section(randomly, 1), units[at]])
    ]
    new = [len(set(contents(edited)) - before) for edited in edits]
    assert max(new) <= 4
    assert sum(new) / len(new) <= 2


def test_groups_far_from_a_place_do_not_depend_on_what_stands_before_it() -> None:
    randomly = random.Random(5)
    shared = section(randomly, 300)
    others = [contents([*section(randomly, length), *shared]) for length in (0, 1, 7, 150)]
    far = {each for each in others[0] if each[0] in shared[50:]}
    assert far
    assert all(far <= set(other) for other in others)


def test_groups_of_real_sizes_are_more_than_half_full() -> None:
    fills = sorted(sum(unit.tokens for unit in each) for each in group(section(random.Random(9), 2_000, 40), LIMIT))
    assert fills[len(fills) // 2] > LIMIT // 2


def test_equal_units_are_grouped_evenly() -> None:
    sizes = [len(each) for each in group([Unit("same", 10)] * 1_000, LIMIT)]
    assert max(sizes) - min(sizes) <= 1


def test_a_very_long_section_is_no_deep_recursion() -> None:
    assert sum(len(each) for each in group([Unit(str(n % 977), 7) for n in range(50_000)], LIMIT)) == 50_000
