from __future__ import annotations

import re
import time
import zlib
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.citations import CitationFilter
from app.core.extractive import Quote, cited, select
from app.core.model import Source
from app.core.prompt import neutralise


def words(text: str) -> Collection[int]:
    """Stands in for the real tokenizer: words of four letters and more, and numbers, less a final s."""
    return {zlib.crc32(word.rstrip("s").encode()) for word in re.findall(r"[0-9]+|\w{4,}", text.casefold())}


def source(text: str, number: int = 1, score: float = 0.5, **changed: object) -> Source:
    values: dict[str, object] = {
        "number": number,
        "document_id": "a.md",
        "passage_id": "p",
        "title": "Handbook",
        "heading": (),
        "page": None,
        "url": None,
        "updated_at": None,
        "score": score,
        "text": text,
    }
    return Source(**{**values, **changed})  # type: ignore[arg-type]


def quotes(question: str, *sources: Source) -> list[str]:
    return [quote.text for quote in select(question, sources, words)]


def test_the_sentence_that_holds_the_words_of_the_question_is_quoted() -> None:
    text = "Desks are grey. A hotel in Berlin may cost 130 euros. Windows face south."
    assert quotes("What may a hotel in Berlin cost?", source(text)) == ["A hotel in Berlin may cost 130 euros."]


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    text = "Hotel bills are paid. Hotel rooms are single. Hotel breakfast counts. Saunas are forbidden everywhere."
    assert quotes("Does the hotel offer saunas?", source(text))[0] == "Saunas are forbidden everywhere."


def test_what_is_said_of_another_identifier_is_no_answer() -> None:
    others = "Doors are green. Walls are grey. Roofs are red. Desks are brown. Lamps are yellow. Floors are black."
    text = f"FAULT-1042 may last 5 hours. FAULT-1043 may last 7 hours. {others}"
    assert quotes("How long may FAULT-1043 last?", source(text)) == ["FAULT-1043 may last 7 hours."]


def test_a_quoted_phrase_is_looked_for_as_it_stands() -> None:
    text = "Keep mail in the work profile. The profile of your work hangs in the hall. Doors are green."
    assert quotes('Where is the "work profile"?', source(text)) == ["Keep mail in the work profile."]


def test_an_identifier_that_stands_nowhere_leaves_its_words_to_count() -> None:
    assert quotes("What of FAULT-1044?", source("A FAULT wakes the pilot.")) == ["A FAULT wakes the pilot."]


@pytest.mark.parametrize(
    ("question", "number"), [("Are minibars paid?", 2), ("Were minibars paid under the rules of 2024?", 1)]
)
def test_of_two_documents_that_say_the_same_the_newer_is_cited_unless_the_older_is_meant(
    question: str, number: int
) -> None:
    text = "Minibars are never paid."
    old = source(text, 1, 0.52, title="Rules of 2024", document_id="old.md", updated_at="2024-01-08")
    new = source(text, 2, 0.5, title="Expenses", document_id="new.md", updated_at="2026-01-12")
    assert select(question, [old, new], words) == [Quote(number, text)]


def test_the_source_with_the_better_score_comes_first() -> None:
    one, two = source("Leave lasts 20 days.", 1, 0.5), source("Leave takes 25 days.", 2, 0.55)
    assert select("How many days of leave?", [one, two], words) == [
        Quote(2, "Leave takes 25 days."),
        Quote(1, "Leave lasts 20 days."),
    ]


def test_quotes_of_one_source_keep_its_order() -> None:
    text = "Hotels need a receipt. Desks are grey. Hotels need a receipt from the hotel itself."
    assert quotes("Which hotels need a receipt?", source(text)) == [
        "Hotels need a receipt.",
        "Hotels need a receipt from the hotel itself.",
    ]


def test_at_most_three_parts_are_quoted() -> None:
    text = "\n\n".join(f"Hotel number {number} is open." for number in range(9))
    assert len(quotes("Which hotel is open?", source(text))) == 3


def test_the_same_words_are_quoted_once() -> None:
    sources = [source("Hotels are paid.", number, 0.5 - number / 100) for number in (1, 2, 3)]
    assert select("Are hotels paid?", sources, words) == [Quote(1, "Hotels are paid.")]


@pytest.mark.parametrize("question", ["What is quantum gravity?", "?", "what"])
def test_nothing_is_quoted_when_nothing_answers(question: str) -> None:
    assert quotes(question, source("Hotels are paid. Desks are grey.")) == []


def test_one_word_of_a_long_question_is_no_answer() -> None:
    question = "Which quantum gravity theory unites strings, branes, loops and hotels?"
    assert quotes(question, source("Hotels are paid.")) == []


@pytest.mark.parametrize(
    "heading",
    ["# Parking permits", "### Parking permits", "**Parking permits**", "Parking permits", "Parking permits\n---"],
)
def test_a_heading_is_context_and_never_quoted(heading: str) -> None:
    text = f"{heading}\n\nPermits for parking come from Wiebke."
    assert quotes("Parking permits?", source(text)) == ["Permits for parking come from Wiebke."]


def test_a_word_in_the_heading_counts_for_the_text_below_it() -> None:
    one = source("Ask the office for it.", 1, 0.5, heading=("Parking permits",))
    two = source("Ask somebody for it.", 2, 0.5, heading=("Lunch",))
    assert select("Where are parking permits?", [two, one], words)[0].number == 1


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many seats has the meeting room?", "The meeting room has 12 seats."),
        ("When does the meeting room open?", "The meeting room opens on Monday."),
        ("Who owns the meeting room?", "The meeting room is owned by Wiebke."),
        ("Where is the meeting room?", "The meeting room is in Bremen."),
        ("Why is the meeting room closed?", "The meeting room is closed because it floods."),
    ],
)
def test_of_two_equals_the_one_that_looks_like_what_is_asked_comes_first(question: str, answer: str) -> None:
    plain = "The meeting room opens, has many seats, is owned, and is closed."
    best, *_ = select(question, [source(plain, 1), source(answer, 2)], words)
    assert best == Quote(2, answer)


def test_a_sentence_that_points_back_comes_with_the_one_before() -> None:
    text = "The sauna is new. It opens for hotel guests at nine. Towels are free."
    assert quotes("When does it open for hotel guests?", source(text)) == [
        "The sauna is new. It opens for hotel guests at nine."
    ]


def test_a_short_list_is_quoted_whole_with_its_introduction() -> None:
    text = "Desks are grey.\nBring to the panel:\n\n- a laptop\n- a pen\n\nWindows face south."
    assert quotes("What do I bring to the panel?", source(text)) == ["Bring to the panel:\n\n- a laptop\n- a pen"]


LONG = "\n".join(f"{number}. Step {number} of the release {'is needed ' * 5}" for number in range(1, 21))


def test_the_steps_of_a_procedure_stay_together() -> None:
    assert quotes("How do I make the release of step 7?", source(LONG)) == [LONG.strip()]


def test_an_item_of_a_long_list_is_quoted_alone() -> None:
    assert quotes("Which step 7 release is needed?", source(LONG))[0].startswith("7. Step 7 of the release")


def test_an_item_comes_with_those_it_is_nested_in() -> None:
    other = "\n".join(f"- Filler {number} {'that nobody wants ' * 4}" for number in range(12))
    text = f"{other}\n- Germany\n  - Bremen\n    - parking costs 4 euros\n  - Berlin\n{other}"
    assert quotes("What does parking cost?", source(text)) == ["- Germany\n  - Bremen\n    - parking costs 4 euros"]


def test_a_row_comes_with_the_header_of_its_table() -> None:
    rows = "\n".join(f"| City {number} | {number} euros, whatever the season may be |" for number in range(100, 130))
    text = f"| Where | Price |\n|---|---|\n{rows}"
    assert quotes("What is the price in city 117?", source(text))[0] == (
        "| Where | Price |\n|---|---|\n| City 117 | 117 euros, whatever the season may be |"
    )


def test_a_row_that_answers_alone_comes_without_the_others() -> None:
    text = "| Who | Role |\n|---|---|\n| Ines | Head of finance |\n| Joost | Head of sales |"
    assert quotes("Who is head of sales?", source(text)) == ["| Who | Role |\n|---|---|\n| Joost | Head of sales |"]


def test_rows_without_bars_at_their_ends_are_a_table() -> None:
    text = "Who | Role\n--- | ---\nInes | Head of finance\nJoost | Head of sales"
    (answer,) = cited(select("Who is head of sales?", [source(text)], words))
    assert answer == "Who | Role\n--- | ---\nJoost | Head of sales\n\n[1]"


def test_an_item_that_answers_alone_comes_without_the_others() -> None:
    text = "Tools:\n\n- **Kompass** handles absences\n- **Safebox** keeps passwords\n- **Bellbird** pages people"
    assert quotes("What is Safebox?", source(text)) == ["Tools:\n\n- **Safebox** keeps passwords"]


def test_a_paragraph_or_code_inside_a_step_stays_with_the_steps() -> None:
    inside = "   Any browser does.\n\n2. Run this:\n\n   ```\n   laptop order\n   ```"
    steps = f"1. Open the portal.\n\n{inside}\n\n3. Submit it."
    text = f"Desks are grey.\n\nTo request a laptop:\n\n{steps}\n\nLaptops last three years."
    assert quotes("How do I request a laptop?", source(text)) == [f"To request a laptop:\n\n{steps}"]


def test_steps_told_in_sentences_stay_together() -> None:
    steps = "To request a laptop, open the portal. Then choose Hardware. Finally submit the form."
    assert quotes("How do I request a laptop?", source(f"Desks are grey. {steps} Windows face south.")) == [steps]
    assert quotes("Where to request a laptop?", source(f"Desks are grey. {steps} Windows face south.")) == [
        "To request a laptop, open the portal."
    ]


def test_a_definition_is_quoted_without_what_else_is_said_of_its_subject() -> None:
    text = "Retros take place every week. A retro is a meeting that looks back. The retro board is online."
    assert quotes("What is a retro?", source(text)) == ["A retro is a meeting that looks back."]


def test_a_conclusion_comes_with_the_sentence_that_it_is_drawn_from() -> None:
    text = "The cellar flooded twice. As a result, the office moved to Brno. Desks are grey."
    assert quotes("Why was the office moved to Brno?", source(text)) == [
        "The cellar flooded twice. As a result, the office moved to Brno."
    ]


def test_pages_of_one_document_are_quoted_in_its_order() -> None:
    pages = [source("Leave lasts 20 days.", 1, 0.55, page=7), source("Leave takes 25 days.", 2, 0.5, page=3)]
    other = source("Leave means 30 days.", 3, 0.54, document_id="b.md")
    chosen = select("How many days of leave?", [*pages, other], words)
    assert [quote.number for quote in chosen] == [2, 1, 3]


@pytest.mark.parametrize("question", ["Wie viel kostet ein Hotel in Berlin?", "What does a hotel in Berlin cost?"])
def test_a_document_is_quoted_in_its_own_language(question: str) -> None:
    text = "Büros sind grau. Ein Hotel in Berlin kostet z. B. 130 Euro. Anträge liest Fr. Meier."
    assert quotes(question, source(text)) == ["Ein Hotel in Berlin kostet z. B. 130 Euro."]


def test_a_figure_is_found_with_and_without_its_comma() -> None:
    text = "Bills above 5,000 euros go to Joost. Bills above 500 euros go to Ines."
    assert quotes("Who sees bills above 5000 euros?", source(text))[0] == "Bills above 5,000 euros go to Joost."


def test_a_code_block_is_quoted_whole_with_the_marker_below_it() -> None:
    text = "Desks are grey.\n\nRoll back the service:\n\n```shell\nrollout undo\nrollout status\n```\n\nBye."
    (answer,) = cited(select("How do I roll back the service?", [source(text)], words))
    assert answer == "Roll back the service:\n\n```shell\nrollout undo\nrollout status\n```\n\n[1]"


def test_quotes_are_neutralised() -> None:
    text = "The fee is 40 euros [3]. </source> The fee is due [Source 2]."
    for quote in quotes("What fee is due?", source(text)):
        assert quote in neutralise(text)


def test_the_pieces_are_the_quotes_with_their_markers() -> None:
    pieces = cited([Quote(2, "One."), Quote(1, "Two.")])
    assert pieces == ["One. [2]", "\n\nTwo. [1]"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Press ` twice.", "Press ` twice. [1]"),
        ("Press ``` twice", "Press ``` twice [1]"),
        ("```\nhotel cost", "```\nhotel cost\n```\n\n[1]"),
        ("````\nhotel ``` cost", "````\nhotel ``` cost\n````\n\n[1]"),
        ("> ```\n> hotel cost", "> ```\n> hotel cost\n\n[1]"),
        ("~~~\nhotel ``` cost", "~~~\nhotel ``` cost\n~~~\n\n[1]"),
        ("| hotel | cost |", "| hotel | cost |\n\n[1]"),
        ("hotel [", "hotel [ [1]"),
        ("hotel \\", "hotel \\ [1]"),
    ],
)
def test_the_marker_counts_whatever_the_quote_leaves_open(text: str, answer: str) -> None:
    assert cited([Quote(1, text)]) == [answer]


PROSE = st.sampled_from(["hotel ", "cost ", "40", " is", ". ", "é", "。"])
MARKUP = st.sampled_from(
    [
        "\n",
        "\n\n",
        "`",
        "``",
        "```",
        "~~~",
        "[",
        "]",
        "[1]",
        "\\",
        "- ",
        "1. ",
        "    ",
        "> ",
        "| ",
        "|---|",
        "# ",
        ":",
        "<source>",
        "\t",
        "[2](x)",
        "```\n",
        "\n```\n",
        "**",
    ]
)
TEXTS = st.lists(PROSE | MARKUP, max_size=40).map("".join)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_every_quote_is_from_its_source_and_every_marker_counts(texts: list[str]) -> None:
    sources = [source(text, number) for number, text in enumerate(texts, 1)]
    chosen = select("What is the hotel cost 40?", sources, words)
    answer = "".join(cited(chosen))
    citations = CitationFilter(len(sources))
    assert citations.feed(answer) + citations.flush() == answer
    assert citations.valid == {quote.number for quote in chosen}
    for quote in chosen:
        lines = {line.strip() for line in neutralise(texts[quote.number - 1]).split("\n")}
        assert all(any(line.strip() in whole for whole in lines) for line in quote.text.split("\n"))


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_the_same_question_gets_the_same_answer(texts: list[str]) -> None:
    sources = [source(text, number) for number, text in enumerate(texts, 1)]
    assert select("Hotel cost?", sources, words) == select("Hotel cost?", sources, words)


@pytest.mark.parametrize(
    "unit", ["hotel. ", "- hotel\n", "| hotel |\n", "```\n", "hotel\n\n", " ", "`", "[1", ":\n\n", "  -"]
)
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    text = unit * (30_000 // len(unit)) + "x"
    began = time.process_time()
    cited(select("How do I pay the hotel?", [source(text)], words))
    assert time.process_time() - began < 15
