from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentence_spans(text)]


SPLIT = [
    ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
    ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
    ("(It rained.) We left.", ["(It rained.)", "We left."]),
    ("**Note.** Read this.", ["**Note.**", "Read this."]),
    ("The fee is 40 EUR.[3] It is due.", ["The fee is 40 EUR.[3]", "It is due."]),
    ("The fee is 40 EUR. [3][1] It is due.", ["The fee is 40 EUR. [3][1]", "It is due."]),
    ("The fee is 40 EUR.(3) It is due.", ["The fee is 40 EUR.(3)", "It is due."]),
    ("The fee is 40 EUR [3]. It is due.", ["The fee is 40 EUR [3].", "It is due."]),
    ("It opened in 2019. The second came later.", ["It opened in 2019.", "The second came later."]),
    ("He moved to the U.S. The year was 1990.", ["He moved to the U.S.", "The year was 1990."]),
    ("Come at 5 p.m. The door is open.", ["Come at 5 p.m.", "The door is open."]),
    ("Pens, paper, etc. Everything is free.", ["Pens, paper, etc.", "Everything is free."]),
    ("No. I disagree.", ["No.", "I disagree."]),
    ("费用是四十元。请在周五前付款！好吗？好。", ["费用是四十元。", "请在周五前付款！", "好吗？", "好。"]),
    ("他说：「走吧。」然后离开了。", ["他说：「走吧。」", "然后离开了。"]),
    ("A paragraph\n\nanother one", ["A paragraph", "another one"]),
    ("A paragraph\r\n \t\r\nanother one", ["A paragraph", "another one"]),
    ("Steps:\n- open it\n- close it", ["Steps:", "- open it", "- close it"]),
    ("1. Open the lid. Wait.\n2. Close it.", ["1. Open the lid.", "Wait.", "2. Close it."]),
    ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "|---|---|", "| 1 | 2 |"]),
    (
        "# Leave\nYou get 25 days.\n## Notice\nTell us.",
        ["# Leave", "You get 25 days.", "## Notice", "Tell us."],
    ),
    ("Tokenised text . The next one .", ["Tokenised text .", "The next one ."]),
    ("Wait... What happened?", ["Wait...", "What happened?"]),
    ("Stifte, Papier usw. Alles ist frei.", ["Stifte, Papier usw.", "Alles ist frei."]),
    ("Nimm Vitamin C. Der Rest hilft nicht.", ["Nimm Vitamin C.", "Der Rest hilft nicht."]),
    ("Wir sind 40. Berlin ist am größten.", ["Wir sind 40.", "Berlin ist am größten."]),
    ("The team won by 21. May was worse.", ["The team won by 21.", "May was worse."]),
    ("¿Está abierto? Sí. ¡Entra!", ["¿Está abierto?", "Sí.", "¡Entra!"]),
    ("क्या हुआ। वह गया।", ["क्या हुआ।", "वह गया।"]),
]


@pytest.mark.parametrize(("text", "expected"), SPLIT)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


WHOLE = [
    "Ask e.g. Dr. Smith, i.e. the doctor, about No. 5.",
    "J. R. R. Tolkien lived in the U.S. Army barracks vs. Oxford.",
    "It costs 3.5 EUR in version 1.2.3 and 1,000.50 in v2.0",
    "See https://example.org/a.b?c=d. and mail a.b@example.org today",
    "Wait ... and then… go on",
    '"Really?" she asked.',
    "Fig. 3 and pp. 4 of Vol. 2 from Jan. 5 show it.",
    "Acme Inc. Berlin and Beta Ltd. Co. met.",
    "Frag Fr. Meier oder Hrn. Weber, z. B. im 2. Stock, bzgl. Abs. 3 und Nr. 7",
    "Der Antrag muss bis zum 3. Mai, d. h. bis zum 3. Tag, bei der Abt. Finanzen (Tel. 40) liegen",
    "Die Frist endet 31. Dezember 2024",
    "El Sr. García y la Sra. Pérez, p. ej. Ud. mismo, véase la pág. 7 o el núm. 3",
    "Voir Mme. Durand et M. Dupont, p. ex. Paris, art. 7",
    "Il sig. Rossi e il dott. Bianchi, cfr. pag. 9",
    "Dhr. Jansen en mevr. Smit, bijv. Amsterdam, zie blz. 4",
    "Живёт на ул. Ленина, см. Устав, стр. 5",
    "A line that\nwraps and wraps\nagain.",
    "It began in\n2019. and went on",
    "1. Open the lid",
    "  a) first of all",
    "   ",
    "x",
]


@pytest.mark.parametrize("text", WHOLE)
def test_a_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert sentence_spans(text) == [(0, len(text))]


def test_no_text_has_no_sentences() -> None:
    assert sentence_spans("") == []


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(" \n.!?。…[3](1)|-#'\"Aae.g"))))
def test_spans_join_to_the_text_and_none_is_empty(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)
    if text.strip():
        assert all(text[start:end].strip() for start, end in spans)


@pytest.mark.parametrize("unit", [".", ". ", "。(", "a.b ", ".)", "\n", " ", "\n \n", "- ", "A. ", ".[1]", "((", "1."])
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    text = unit * (200_000 // len(unit)) + "x"
    began = time.process_time()
    sentence_spans(text)
    assert time.process_time() - began < 15
