"""What a calibration shows in a terminal."""

from __future__ import annotations

from app.core.calibration import Chosen, Scored
from app.core.model import Bars
from app.terminal.calibration import report
from app.terminal.scores import histogram
from tests.adapters.test_calibration_file import MEASURED

QUESTIONS = (
    *(Scored("answerable", f"Yes {number}?", 0.5, number / 100, True) for number in range(20, 70)),
    *(Scored("off-domain", f"Stranger {number}?", 0.1, 0.01, False) for number in range(20)),
    *(Scored("adversarial", f"Trap {number}?", 0.5, number / 100, True) for number in range(30)),
)
CHOSEN = Chosen(Bars(0.25, 0.21, 0.4), QUESTIONS)


def test_rows_run_from_the_lowest_score_to_the_highest() -> None:
    head, *rows = histogram([0.11, 0.12, 0.31], [-0.02, 0.11], mark=0.2)
    assert "answerable" in head
    assert [float(row.split()[0]) for row in rows] == [-0.05, 0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
    assert [row.count("#") for row in rows] == [21, 0, 0, 49, 0, 0, 0, 14]
    assert [number for number, row in enumerate(rows) if "threshold" in row] == [5]


def test_scores_at_the_edges_have_their_own_rows() -> None:
    _, *rows = histogram([0.3, 1.0], [0.25], mark=-2)
    assert [row.split()[0] for row in (rows[0], rows[1], rows[-1])] == ["0.25", "0.30", "1.00"]


def test_report_tells_how_many_there_were_and_how_sure_it_is() -> None:
    shown = "\n".join(report(MEASURED, CHOSEN))
    assert "50 answerable, 20 off-domain, 30 adversarial; the answerable ones built from the documents" in shown
    assert "RELEVANCE_THRESHOLD 0.250, ANSWERABILITY_THRESHOLD 0.210" in shown
    assert "1 of   50    2.0% (95 % interval 0.4% to 10.5%)" in shown
    assert "20 of   20  100.0%" in shown
    assert "AUC 0.980" in shown


def test_report_names_the_questions_to_look_at() -> None:
    shown = "\n".join(report(MEASURED, CHOSEN))
    assert "0.200  Yes 20? (answerable)" in shown
    assert "0.290  Trap 29? (adversarial)" in shown
