"""What the search by words compares."""

from __future__ import annotations

import subprocess
import sys

import pytest

from app.adapters import bm25
from tests.stores import passage

COLD_AND_WARM = """
import time
from app.adapters import bm25
started = time.perf_counter()
bm25.warm_up()
warmed = time.perf_counter()
bm25.of_question("中文的问题")
print((time.perf_counter() - warmed) / (warmed - started))
"""


def shared(question: str, text: str) -> set[int]:
    asked = bm25.of_question(question)
    return {*asked.indices} & {*bm25.of_passage(passage("a.md", title="", text=text)).indices}


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("resetting passwords", "Reset a password."),
        ("日本の首都", "東京は日本の首都です。"),
        ("ERR_1042?", "The log says ERR_1042."),
    ],
)
def test_a_question_shares_terms_with_a_text_that_holds_its_words(question: str, text: str) -> None:
    assert shared(question, text)


@pytest.mark.parametrize("identifier", ["ERR_1042", "--allow-removals", "app.core/fusion.py", "v2.1.0"])
def test_an_identifier_shares_more_with_itself_than_with_its_parts(identifier: str) -> None:
    parts = identifier.replace("_", " ").replace("-", " ").replace(".", " ").replace("/", " ")
    assert shared(identifier, f"See {parts} there.") < shared(identifier, f"See {identifier} there.")


def test_stop_words_alone_are_no_question() -> None:
    assert bm25.of_question("what is the") == ([], [])


def weights(question: str, text: str, language: str | None, held: tuple[str, ...] = ()) -> list[float]:
    """Of the question's terms that stand in the text."""
    asked = bm25.of_question(question, held)
    there = {*bm25.of_passage(passage("a.md", title="", text=text, language=language)).indices}
    return [weight for term, weight in zip(*asked, strict=True) if term in there]


def test_words_are_matched_as_the_language_of_the_document_inflects_them() -> None:
    assert weights("Wo ist das Haus am See?", "Zwei Häuser", "de") == [1]
    assert weights("Wo ist das Haus am See?", "Zwei Häuser", None) == []


def test_a_question_that_does_not_tell_its_language_is_stemmed_in_those_of_the_index() -> None:
    assert weights("Häuser", "Das Haus am See", "de", held=("de", "fr")) == [1]
    assert weights("Häuser", "Das Haus am See", "de") == []
    assert weights("Das Haus und die Häuser", "Das Haus am See", "de") == [1]


def test_a_name_is_found_across_languages_with_less_weight() -> None:
    assert weights("When did Luther write to the pope?", "Luthers Brief", "de", held=("de",)) == [0.5]
    assert weights("When did Luther write to the pope?", "Luther's letter", "en", held=("de",)) == [1]


def test_stop_words_of_the_question_are_no_words_to_look_for_in_another_language() -> None:
    assert weights("Was kostet die Reise und wann ist sie?", "They die.", "en") == []


def test_a_language_without_a_stemmer_goes_by_english_rules() -> None:
    assert weights("passwords", "Reset a password.", "pl", held=("pl",)) == [1]


def test_every_term_stands_once_with_its_weight() -> None:
    indices, values = bm25.of_passage(passage("a.md", text="leave leave 休暇 休暇 ERR_1042 err 1042"))
    assert len(indices) == len(set(indices)) == len(values)


def test_the_dictionaries_are_loaded_by_the_warm_up() -> None:
    share = subprocess.run([sys.executable, "-c", COLD_AND_WARM], capture_output=True, text=True, check=True).stdout
    assert float(share) < 0.1
