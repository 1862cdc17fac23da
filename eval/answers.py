"""What answers are worth: words shared with those that people wrote, citations that hold, calls that were not made."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from app.core.model import Reply, Status
from app.core.sentences import sentence_spans
from eval import citing, figures
from eval.asking import Asked
from eval.figures import Figure, Figures

TABLE, OWN_TABLE, SAVED_TABLE, MARKERS_TABLE = "answers", "sample", "calls saved", "invented markers"
SHOWN = "shown"
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKER = re.compile(r"\s*\[[0-9]+\]")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_FIRST_SENTENCES = 2


def measure(row: str, asked: Sequence[Asked]) -> Figures:
    """Against the answers that people wrote, and the facts that they marked; a refused question shares no word."""
    cases = [one for one in asked if one.case.answers]
    answered = [one for one in cases if one.reply.answer]
    citations = [one.citations for one in asked if one.citations]
    found = {
        "token F1": figures.mean([_f1(one) for one in cases]),
        "first two sentences": figures.mean([_f1_of_first_sentences(one) for one in cases if one.fused]),
        "token F1, answered": figures.mean([_f1(one) for one in answered]),
        "first two sentences, same": figures.mean([_f1_of_first_sentences(one) for one in answered if one.fused]),
        "holds the facts": figures.mean([holds_the_facts(one) for one in asked if one.case.holds]),
        "citation precision": figures.mean([hit for one in citations for hit in one.precision]),
        "citation recall": figures.mean([hit for one in citations for hit in one.recall]),
        "words": figures.mean([_words(one.reply) for one in asked if one.reply.answer]),
    }
    return _rows(TABLE, row, found)


def measure_own(asked: Sequence[Asked], author: str) -> Figures:
    """By the kind of question: whether the verdict, the words of the answer and the cited documents are right."""
    figures_of: Figures = {}
    by_kind = sorted(asked, key=lambda one: one.case.kind)
    for kind, part in groupby(by_kind, key=lambda one: one.case.kind):
        cases = list(part)
        found = {
            "verdict as expected": figures.mean([is_as_expected(one) for one in cases]),
            "holds the facts": figures.mean([holds_the_facts(one) for one in cases if one.case.holds]),
            "documents cited": figures.mean([documents_cited(one) for one in cases if one.case.answerable]),
        }
        figures_of |= _rows(OWN_TABLE, f"{kind}, {author}", found)
    return figures_of


def measure_saved(asked: Sequence[Asked], again: Sequence[Reply]) -> Figures:
    """The share of questions for which no answerer was called, when each is asked once, and a second time."""
    unanswerable = [one for one in asked if not one.case.answerable]
    found = {
        "by a refusal": figures.mean([stopped_by_the_gate(one.reply) for one in asked]),
        "by a refusal, of those without an answer": figures.mean(
            [stopped_by_the_gate(one.reply) for one in unanswerable]
        ),
        "by the cache or a refusal, asked again": figures.mean([r.cached or stopped_by_the_gate(r) for r in again]),
    }
    return _rows(SAVED_TABLE, "sample", found)


def measure_markers(row: str, shown: Sequence[tuple[str, int]]) -> Figures:
    """`shown` are texts that left the service, each with how many sources it was given."""
    counts = [len(citing.invented(text, range(1, offered + 1))) for text, offered in shown]
    return {(MARKERS_TABLE, row, SHOWN): Figure(float(sum(counts)), 0.0, len(counts))} if counts else {}


def is_as_expected(one: Asked) -> bool:
    return one.reply.status is (Status.ANSWERED if one.case.answerable else Status.REFUSED)


def holds_the_facts(one: Asked) -> bool:
    answer = " ".join((one.reply.answer or "").split())
    return all(any(words in answer for words in wordings) for wordings in one.case.holds)


def documents_cited(one: Asked) -> float:
    """The share of the documents needed that the answer cites."""
    cited = {source.document_id for source in one.reply.sources if source.number in one.reply.cited}
    wanted = set(one.case.lists) | {place.document for gold in one.case.gold for place in gold.places}
    return len(wanted & cited) / len(wanted)


def stopped_by_the_gate(reply: Reply) -> bool:
    return reply.status is Status.REFUSED and reply.reason != "model_abstained"


def token_f1(answer: str, reference: str) -> float:
    """SQuAD's measure (Rajpurkar and others 2016): case, punctuation and English articles do not count."""
    said, wanted = _tokens(answer), _tokens(reference)
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted)) if shared else 0.0


def _f1(one: Asked) -> float:
    return _best_f1(one.reply.answer or "", one)


def _f1_of_first_sentences(one: Asked) -> float:
    """Of what needs no answerer: the start of the passage that the search puts first."""
    text = one.fused[0].passage.text
    spans = sentence_spans(text)[:_FIRST_SENTENCES]
    return _best_f1(text[: spans[-1][1]] if spans else text, one)


def _best_f1(answer: str, one: Asked) -> float:
    return max(token_f1(_MARKER.sub("", answer), reference) for reference in one.case.answers)


def _words(reply: Reply) -> int:
    return len(_MARKER.sub("", reply.answer or "").split())


def _tokens(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _rows(table: str, row: str, found: dict[str, Figure | None]) -> Figures:
    return {(table, row, column): figure for column, figure in found.items() if figure}
