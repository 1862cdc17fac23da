"""Questions as people put them, over documents that were ingested: what they are about is found first."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.settings import Settings
from tests.service import CORPUS, QUESTION, ingest, running, settings_for, write_corpus

PEOPLE = {
    "dvorak.md": ("Tomáš Dvořák", 101),
    "munoz.md": ("José Muñoz", 108),
    "wojcik.md": ("Łukasz Wójcik", 115),
    "lefevre.md": ("Anaïs Lefèvre", 122),
    "mueller.md": ("Jürgen Müller", 129),
    "okafor.md": ("Beyoncé Okafor", 136),
}
DOCUMENTS = {
    **CORPUS,
    **{
        name: f"# {who}\n\n{who} sits in room {room}. Call extension 4{room}.\n" for name, (who, room) in PEOPLE.items()
    },
    **{
        f"invoice-{number}.md": f"# Invoice\n\nInvoice INV-{number} was paid on {number % 28 + 1} March 2025.\n"
        for number in range(2200, 2230)
    },
    "umzug.md": "# Umzug\n\nWer für die Arbeit in eine andere Stadt zieht, bekommt zwei freie Tage und die Kosten der"
    " Spedition.\n",
    "fahrrad.md": "# Fahrrad\n\nWer mit dem Rad zur Arbeit kommt, bekommt einen Schlüssel für den Keller und darf die"
    " Werkstatt benutzen.\n",
}
CHATTER = (
    "Dear all, I hope that this finds you well. We have moved the furniture in the department, and many of you have"
    " written about the new kitchen, the plants at the entrance and the colour of the walls. On Tuesday we spoke about"
    " the football results and the weather, and nobody took minutes. "
)
MESSAGE = (CHATTER * 9)[:1_900].rsplit(". ", 1)[0] + "."

QUESTIONS = {
    "in another language than the document": {
        "Wann wurde die Rechnung INV-2213 bezahlt?": "invoice-2213.md",
        "¿En qué sala se sienta José Muñoz?": "munoz.md",
        "Quelle est l'extension d'Anaïs Lefèvre ?": "lefevre.md",
        "What does the Spedition cost when I move?": "umzug.md",
    },
    "with typing errors": {
        "how mny days of anual leav does an emploee get": "leave.md",
        "extension of jurgen muller": "mueller.md",
        "Tomas Dvorac": "dvorak.md",
        "meels on bussiness trips": "expenses.md",
    },
    "of one word": {
        "leave": "leave.md",
        "on-call": "on-call.txt",
        "Beyonce": "okafor.md",
        "2213": "invoice-2213.md",
    },
    "with a quoted phrase": {
        '"carry over until 31 March"': "leave.md",
        'What does "refunded up to 40 euros" mean?': "expenses.md",
        '"zwei freie Tage"': "umzug.md",
    },
    "with an identifier": {
        "INV-2207": "invoice-2207.md",
        "inv 2207 paid?": "invoice-2207.md",
        "Is INV-2219 settled?": "invoice-2219.md",
    },
    "at the start of 2,000 characters": {
        f"{question} {MESSAGE}": document
        for question, document in {
            QUESTION: "leave.md",
            "When was INV-2213 paid?": "invoice-2213.md",
        }.items()
    },
    "at the end of 2,000 characters": {
        f"{MESSAGE} {question}": document
        for question, document in {
            QUESTION: "leave.md",
            "When was INV-2213 paid?": "invoice-2213.md",
        }.items()
    },
}


ALONE, LAST = QUESTION, f"{MESSAGE} {QUESTION}"


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the search says to each question, all asked of one service."""
    folder = tmp_path_factory.mktemp("questions")
    write_corpus(folder, DOCUMENTS)
    return asyncio.run(_replies(settings_for(folder)))


async def _replies(settings: Settings) -> dict[str, Any]:
    await ingest(settings)
    asked = [ALONE, LAST, *(question for kind in QUESTIONS.values() for question in kind)]
    async with running(settings) as service:
        return {q: (await service.http.get("/v1/search", params={"q": q})).json() for q in asked}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_finds_its_document_first(replies: dict[str, Any], kind: str) -> None:
    found = {question: replies[question]["candidates"][0]["document_id"] for question in QUESTIONS[kind]}
    assert found == QUESTIONS[kind]


def test_a_question_at_the_end_of_a_long_message_is_as_near_as_alone(replies: dict[str, Any]) -> None:
    alone, last = [replies[question]["relevance"]["best"] for question in (ALONE, LAST)]
    assert last == pytest.approx(alone, abs=1e-3)
