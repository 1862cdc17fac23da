"""The questions: our own are well formed, and what they rest on is in the corpus; so are the public ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from app.answering import ask
from eval import own, payloads, sets
from eval.cases import Dataset
from ingest.sources import find_files

OWN = own.questions()
KINDS = {"answerable": 20, "multi-document": 6, "catalogue": 6, "other language": 8, "off-topic": 10, "near miss": 10}
needs_data = pytest.mark.skipif(not sets.DATA.is_dir(), reason="the shared data is not here: set EVAL_DATA to it")


def test_own_questions_are_sixty_of_six_kinds_and_none_stands_twice() -> None:
    assert Counter(question.kind for question in OWN) == KINDS
    assert len({question.question for question in OWN}) == 60


def test_own_questions_are_no_part_of_the_corpus() -> None:
    documents = list(find_files(own.CORPUS))
    assert documents
    assert all(own.CORPUS not in path.parents for path in own.QUESTIONS.parents)
    assert not any(document.path.endswith(own.QUESTIONS.name) for document in documents)


@pytest.mark.parametrize("question", OWN, ids=lambda question: question.question[:40])
def test_own_question_rests_on_words_that_stand_in_the_corpus(question: own.Question) -> None:
    assert question.status == ("answered" if question.gold else "refused")
    for one in question.gold:
        text = " ".join((own.CORPUS / one.document).read_text(encoding="utf-8").split())
        assert one.passage in text
    facts = question.gold and question.kind != "catalogue"
    assert bool(question.answer) == bool(question.holds) == bool(facts)
    assert all(words in question.answer for words in question.holds)
    assert (ask(question.question).intent == "catalogue") == (question.kind == "catalogue")


def test_every_document_of_the_sample_is_asked_for() -> None:
    wanted = {one.document for question in OWN if question.kind != "catalogue" for one in question.gold}
    documents = {document.document_id for document in find_files(own.CORPUS)}
    assert documents - wanted == {"support/customer-feedback-2026-q3.md"}


def test_sets_whose_data_is_missing_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "DATA", tmp_path / "nowhere")
    found, skipped = sets.datasets(tmp_path, quick=False)
    assert [dataset.name for dataset in found] == ["sample"]
    assert [line.split(":")[0] for line in skipped] == [
        "CLAPNQ", "SQuAD 2", "Contoso", "handbook", "XQuAD en", "XQuAD de", "XQuAD es", "XQuAD zh"
    ]  # fmt: skip
    assert payloads.shown() == []


@needs_data
@pytest.mark.parametrize("quick", [True, False])
def test_public_questions_rest_on_documents_that_are_written(quick: bool, tmp_path: Path) -> None:
    found, skipped = sets.datasets(tmp_path, quick=quick)
    assert skipped == []
    for dataset in found[1:]:
        _check(dataset)
    again, _ = sets.datasets(tmp_path / "again", quick=quick)
    assert [dataset.cases for dataset in again] == [dataset.cases for dataset in found]


def _check(dataset: Dataset) -> None:
    documents = {document.document_id for document in find_files(dataset.corpus)}
    assert dataset.cases
    for case in dataset.cases:
        assert case.question.strip()
        assert bool(case.gold) == case.answerable
        assert all(place.document in documents for gold in case.gold for place in gold.places)


@pytest.mark.parametrize(
    ("tokenised", "text"),
    [
        ("`` Love the One '' is a song .", '"Love the One" is a song.'),
        ("It did n't win , he 's said ( lit . ) ; the kings ' men", "It didn't win, he's said (lit.); the kings' men"),
        ("self - titled", "self-titled"),
    ],
)
def test_clapnq_is_read_without_the_spaces_around_its_punctuation(tokenised: str, text: str) -> None:
    assert sets.untokenised(tokenised) == text
