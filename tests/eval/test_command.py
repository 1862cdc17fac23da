"""`python -m eval`, end to end on the sample corpus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app import searching
from app.core import gate
from eval import sets
from eval.__main__ import DONE, NOT_DONE, REGRESSED, main


def test_check_passes_until_the_ranking_is_reversed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sets, "DATA", tmp_path / "nowhere")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "report"
    baseline = ["--baseline", str(tmp_path / "baseline.json"), "--keep", str(tmp_path / "kept")]

    assert main([*baseline, "--save", "--out", str(folder)]) == DONE
    _check_report(folder)
    assert "CLAPNQ: there is no qa/clapnq" in capsys.readouterr().out

    assert main([*baseline, "--check", "--out", str(folder)]) == DONE
    assert "0 regressions" in capsys.readouterr().out

    monkeypatch.setattr(searching, "search", _reversed(searching.search))
    assert main([*baseline, "--check", "--out", str(folder)]) == REGRESSED
    assert "REGRESSION: retrieval / sample, fused / R@5" in capsys.readouterr().out


def _check_report(folder: Path) -> None:
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    figures = msgspec.json.decode((folder / "report.json").read_bytes())["figures"]
    assert figures["retrieval / sample, fused / R@5"]["value"] > 0.6
    assert figures["refusal / sample, off-topic / AUC"]["value"] > 0.9
    assert figures["invented markers / answers / shown"]["value"] == 0
    for heading in (
        "Retrieval",
        "Refusal",
        "Answers",
        "Sample",
        "Calls saved",
        "Invented markers",
        "Where it went wrong",
    ):
        assert f"## {heading}\n" in markdown
    for name in ("risk-coverage.svg", "scores.svg"):
        assert f"({name})" in markdown
        assert (folder / name).read_text(encoding="utf-8").startswith("<svg ")


def _reversed(search: Callable[..., Any]) -> Callable[..., Any]:
    async def worst_first(*arguments: object) -> list[object]:
        return list(reversed(await search(*arguments)))

    return worst_first


def test_nothing_is_measured_when_a_question_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`failed` is no refusal: the figures would be better the more is broken."""
    monkeypatch.setattr(sets, "DATA", tmp_path / "nowhere")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gate, "decide", lambda *_: 1 / 0)
    assert main(["--quick", "--check"]) == NOT_DONE
    assert "questions failed (internal): nothing was measured." in capsys.readouterr().err


def test_bad_setting_is_one_line_and_nothing_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RELEVANCE_THRESHOLD", "high")
    assert main(["--quick"]) == NOT_DONE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("RELEVANCE_THRESHOLD=high is not a valid value")
    assert len(err.splitlines()) == 1
