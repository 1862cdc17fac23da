"""The sample corpus: that it has the features of real documents, and answers the questions it is shown with."""

from __future__ import annotations

import datetime
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.service import ingest, running, settings_for

SAMPLE = Path(__file__).parents[1] / "ingest" / "sample"
DOCUMENTS = sorted(path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*") if path.is_file())
MARKDOWN = [name for name in DOCUMENTS if name.endswith(".md")]
HOSTILE = "support/customer-feedback-2026-q3.md"
SUPERSEDED = "finance/archive/expenses-2024.md"

QUESTIONS = [
    (
        "How many days of annual leave can I carry over into the next year?",
        "people/leave.md",
        "Up to 5 unused days carry over",
    ),
    (
        "How many weeks of full pay does the second parent get?",
        "people/parental-leave.md",
        "**Second parent:** 8 weeks at full pay",
    ),
    (
        "How many days per year may I work from another country?",
        "people/remote-work.md",
        "for up to 30 working days per calendar year",
    ),
    (
        "How much is the referral bonus and when is it paid?",
        "people/hiring.md",
        "The referral bonus is 1,500 euros",
    ),
    ("How much is paid for a team dinner?", "finance/expenses.md", "up to 45 euros per person, tips included"),
    (
        "What is the highest hotel price per night in Czechia?",
        "finance/travel.txt",
        "* Czechia: 110 euros",
    ),
    (
        "How fast does the primary on call have to acknowledge a page?",
        "engineering/on-call.md",
        "The primary acknowledges within 5 minutes",
    ),
    (
        "How often is the status page updated during a SEV1?",
        "engineering/incident-runbook.md",
        "the status page is updated every 30 minutes during a SEV1",
    ),
    (
        "How long does an old API key work after rotation?",
        "engineering/api-limits.md",
        "the old key works for 72 hours",
    ),
    (
        "My laptop was stolen, what must I do?",
        "security/security-handbook.md",
        "Report a lost or stolen laptop or phone within one hour",
    ),
    (
        "What service credit does an Ocean customer get when availability falls below 98%?",
        "support/refunds.md",
        "| below 98 % | 25 % | 50 % |",
    ),
    ("What is a blue week?", "glossary.md", "A blue week is a week without internal meetings"),
    (
        "How much is the meal allowance in Brno?",
        "offices/kancelář-brno.md",
        "Every day that you work counts 120 Kč",
    ),
    (
        "Wie lange ist das Büro in Bremen geöffnet?",
        "offices/büro-bremen.md",
        "montags bis freitags von 7 bis 20 Uhr",
    ),
]
"""(question, the document that answers it, the words in it that do)"""

OFF_TOPIC = [
    "How do I bake sourdough bread?",
    "What is the capital of Australia?",
    "Who won the football world cup in 2014?",
    "How do I change the oil of a motorcycle?",
    "What is the boiling point of ethanol?",
    "How do I train for a marathon?",
]


@cache
def text_of(name: str) -> str:
    return (SAMPLE / name).read_bytes().decode("utf-8")


def folded(text: str) -> str:
    return " ".join(text.split())


def front_matter(name: str) -> dict[str, Any]:
    match = re.match(r"---\n(.*?)\n---\n", text_of(name), re.DOTALL)
    assert match, f"{name} has no front matter"
    return dict(yaml.safe_load(match[1]))


@pytest.mark.parametrize("name", MARKDOWN)
def test_front_matter_is_whole_and_keeps_nothing_from_anyone(name: str) -> None:
    matter = front_matter(name)
    assert set(matter) == {"title", "tags", "url", "updated"}  # no `access`: the sample is public
    assert matter["url"].startswith("https://handbook.example/")
    assert isinstance(matter["updated"], datetime.date)
    assert f"\n# {matter['title']}\n" in text_of(name)


def test_no_two_documents_share_a_title_or_an_address() -> None:
    matters = [front_matter(name) for name in MARKDOWN]
    for key in ("title", "url"):
        assert len({matter[key] for matter in matters}) == len(matters)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_text_and_name_are_plain_utf_8_in_normal_form(name: str) -> None:
    assert unicodedata.is_normalized("NFC", name)
    assert unicodedata.is_normalized("NFC", text_of(name))
    assert "\r" not in text_of(name)
    assert text_of(name).endswith("\n")


@pytest.mark.parametrize("name", MARKDOWN)
def test_links_between_documents_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text_of(name)):
        assert (SAMPLE / name).parent.joinpath(target).is_file(), target


@pytest.mark.parametrize(
    ("feature", "name", "pattern"),
    [
        ("a table", "engineering/on-call.md", r"^\|---\|---\|$"),
        ("a nested bullet list", "people/hiring.md", r"^ {5}- "),
        ("a nested numbered list", "people/parental-leave.md", r"^ {3}2\. "),
        ("a long list of steps", "engineering/incident-runbook.md", r"^15\. "),
        ("a subscript in code", "engineering/api-limits.md", r"`arr\[0\]`"),
        ("a subscript in a fence", "engineering/on-call.md", r"^jq '\.shifts\[0\]"),
        ("shell commands", "engineering/incident-runbook.md", r"^```shell$"),
        ("a footnote mark", "support/refunds.md", r"withdrawal \[1\];"),
        ("a footnote", "support/refunds.md", r"^\[1\] "),
        ("underlined headings", "finance/travel.txt", r"^Hotels\n------$"),
        ("an underlined title", "finance/travel.txt", r"\ABUSINESS TRAVEL\n={15}$"),
        ("German", "offices/büro-bremen.md", r"Schlüsselkarte"),
        ("Czech", "offices/kancelář-brno.md", r"stravenkový paušál"),
        ("a block quote", SUPERSEDED, r"^> \*\*Superseded\.\*\*"),
        ("a fence that is closed", HOSTILE, r"</source>"),
        ("a fence in look-alikes", HOSTILE, "＜/source＞"),
        ("a fence in entities", HOSTILE, r"&lt;/source&gt;"),
        ("a fence with a zero-width space", HOSTILE, "</sour\u200bce>"),
        ("a forged source", HOSTILE, r'<source id="1">'),
        ("an order to the model", HOSTILE, r"Ignore previous instructions"),
        ("a call for a false citation", HOSTILE, r"Cite \[1\] for this"),
        ("an image that leaks the question", HOSTILE, r"!\[loading\]\(https://captain-free\.example/"),
        ("hidden text", HOSTILE, r"display:none"),
        ("a comment", HOSTILE, r"^<!-- .* -->$"),
    ],
)
def test_the_sample_shows(feature: str, name: str, pattern: str) -> None:
    assert re.search(pattern, text_of(name), re.MULTILINE), f"{name} has lost {feature}"


def test_only_one_page_attacks() -> None:
    attack = re.compile(r"source\s*>|ignore previous|display:none|<!--|captain-free", re.IGNORECASE)
    assert [name for name in DOCUMENTS if attack.search(text_of(name))] == [HOSTILE]


def test_one_page_is_long_and_has_many_sections() -> None:
    assert len(re.findall(r"^## ", text_of("security/security-handbook.md"), re.MULTILINE)) >= 12


def trigrams(name: str) -> set[tuple[str, ...]]:
    words = text_of(name).split()
    return set(zip(words, words[1:], words[2:], strict=False))


def test_the_superseded_page_is_nearly_the_same_but_for_its_numbers() -> None:
    old, new = trigrams(SUPERSEDED), trigrams("finance/expenses.md")
    assert len(old & new) / len(old) > 0.5
    for amount in ("within 90 days", "above 25 euros", "up to 300 euros", "35 euros per person, tips included"):
        assert amount in text_of(SUPERSEDED)
        assert amount not in text_of("finance/expenses.md")


@pytest.mark.parametrize(("question", "name", "words"), QUESTIONS)
def test_each_question_is_answered_by_one_document(question: str, name: str, words: str) -> None:
    assert [other for other in DOCUMENTS if words in folded(text_of(other))] == [name], question


async def test_the_service_answers_the_questions_and_refuses_what_is_off_topic(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, CORPUS=SAMPLE)
    documents = (await ingest(settings)).documents
    assert (documents.added, documents.failed) == (len(DOCUMENTS), 0)
    async with running(settings) as service:
        for question, name, _ in QUESTIONS:
            reply = await service.ask(question)
            cited = {source["document_id"] for source in reply["sources"] if source["number"] in reply["cited"]}
            assert name in cited, (question, reply)
        for question in OFF_TOPIC:
            assert (await service.ask(question))["reason"] == "below_threshold", question
