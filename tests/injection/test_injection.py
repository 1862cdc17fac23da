"""Hostile documents and questions: no prompt lets them out of their fence, no reply lets them out of the service."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.core.prompt import CONTRACT
from tests.injection.cases import Case, read_cases
from tests.injection.checks import prompt_faults, text_faults
from tests.injection.page import PAGE, shown_table
from tests.injection.run import run, table

CASES = read_cases()
_WORDS_ALONE = {"Orders in plain words", "Hidden text", "Forged sources and turns", "Split over passages"}
"""Families in which some cases break nothing even where nobody defends: what they order is what the model says."""


async def test_every_attack_stays_in_its_fence_and_leaves_nothing_and_the_page_says_so(tmp_path: Path) -> None:
    outcomes = await run(tmp_path)
    faults = {one.case.name: one.prompt + one.replies for one in outcomes if one.prompt or one.replies}
    assert faults == {}
    assert shown_table() == table(outcomes), f"write it anew into {PAGE.name}: python -m tests.injection.page"


def test_there_are_at_least_sixty_cases_each_of_its_own() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    contents = [msgspec.structs.replace(case, name="", family="") for case in CASES]
    assert all(contents.index(content) == place for place, content in enumerate(contents))


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.family not in _WORDS_ALONE], ids=lambda case: case.name
)
def test_the_checks_see_the_attack_where_nothing_defends(case: Case) -> None:
    told = "\n".join([case.title or "", case.heading, *case.tags, case.file, case.text, *case.more])
    shown = f'<source id="1">\n{told}\n</source>\n\nQuestion: {case.question}'
    messages = [{"role": "system", "content": CONTRACT}, {"role": "user", "content": shown}]
    link = f" [{case.title}]({case.url})" if case.url else ""
    assert prompt_faults(messages, 1) or text_faults(case.obeyed(shown) + link, {1, 2}, ())
