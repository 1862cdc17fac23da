from __future__ import annotations

import time

import pytest

from app.core.expected import expected


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("How many seats are there?", "It has 12 seats.", "It has many seats."),
        ("Wie viele Plätze gibt es?", "Es gibt zwei.", "Es gibt viele."),
        ("会议室有多少座位？", "有十二个座位。", "有很多座位。"),
        ("When does it open?", "It opens on Monday.", "It opens."),
        ("¿Cuándo abre?", "Abre a las 8.", "Abre temprano."),
        ("Who owns it?", "It is owned by Wiebke.", "It is owned."),
        ("Where is it?", "It is in Bremen.", "It is here."),
        ("Why is it closed?", "It is closed because it floods.", "It is closed."),
        ("Warum ist es zu?", "Es ist zu, weil es regnet.", "Es ist zu."),
        ("Can I work from abroad?", "You may work from abroad.", "Working abroad is planned."),
        ("Is breakfast included?", "Breakfast isn't in the rate.", "Breakfast is served at eight."),
        ("What is a retro?", "A retro is a meeting.", "The retro board is online."),
        ("what is Dada", "Dada ( / ˈdɑːdɑː / ) or Dadaism was an art movement.", "In Dada, art is nonsense."),
        ("What does RTO stand for?", "RTO: recovery time objective.", "An RTO of 4 hours is usual."),
        ("What is the definition of escrow?", "**Escrow** means that a third party holds it.", "Escrow fees are due."),
        ("Define escrow.", "Escrow is money held by a third party.", "The escrow agent is paid."),
        ("Was ist eine Rüstzeit?", "Die Rüstzeit ist die Zeit vor der Arbeit.", "Rüstzeit wird bezahlt."),
        ("¿Qué es una fianza?", "La fianza es un depósito.", "Se devuelve la fianza."),
        ("什么是年假？", "年假是每年的带薪假期。", "申请年假需要经理同意。"),
    ],
)
def test_an_answer_of_the_kind_that_is_asked_for_gets_more(question: str, answer: str, other: str) -> None:
    wanted = expected(question)
    assert wanted.points(answer) > wanted.points(other) == 0


def test_a_question_of_no_kind_expects_nothing() -> None:
    assert expected("parking permits").points("Parking permits: 12 in Bremen because of Wiebke.") == 0


def test_of_two_kinds_both_count() -> None:
    wanted = expected("Who decides and when?")
    both, one = wanted.points("On Monday it is decided by Wiebke."), wanted.points("It is decided on day 2.")
    assert both > one > 0


@pytest.mark.parametrize("question", ["How do I reset it?", "Wie kann ich reisen?", "¿Cómo viajo?", "如何重置密码？"])
def test_a_procedure_is_told_by_its_question(question: str) -> None:
    assert expected(question).procedure
    assert not expected("What does it cost?").procedure


@pytest.mark.parametrize("unit", ["what is ", "a ", "means ", "(", "or ", "*", "是什么"])
def test_hostile_repetition_is_read_quickly(unit: str) -> None:
    wanted = expected("what is x" + unit * 200)
    began = time.process_time()
    expected(unit * (2_000 // len(unit)))
    wanted.points(unit * (30_000 // len(unit)))
    expected("what is or?").points("or (" * 10_000)
    assert time.process_time() - began < 5
