"""What a run leaves behind: tables and failures in Markdown, every figure in JSON, and the plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from app.core.model import Reply
from app.core.titles import as_text
from eval import answers, own, plots, refusal
from eval.asking import Asked
from eval.baseline import Change, as_json
from eval.figures import Figure, Figures
from eval.run import Result

_NOTES = {
    "retrieval": "A page, or a document without pages, counts once; of the sample each passage does.",
    "refusal": "A reply counts as refused whoever refused. AUC and AURC go by the gate's probability where it gives"
    " one, else by the best cosine; ECE is that of the probability.",
    "answers": "A refused question shares no word. *First two sentences* are those of the passage that the search puts"
    " first. Citations are judged in ALCE's sense, by our own support check, which is no neutral judge.",
    "sample": "The questions in `eval/questions.jsonl`, by kind.",
    "calls saved": "The questions of the sample, of which the gate or the cache spares the answerer the call.",
    "invented markers": "Markers outside code that name no source, in what left the service or the filter.",
}
_WORST = 3
_SHOWN = 160
"""Characters of an answer."""


def write(folder: Path, result: Result, changes: Sequence[Change]) -> None:
    """Write report.md, report.json and the plots into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    charts = plots.charts({row: part for row, part in result.judged.items() if not row.startswith(f"{own.NAME},")})
    for name, svg in charts.items():
        (folder / name).write_text(svg, encoding="utf-8")
    content = {"seconds": round(result.seconds), "skipped": result.skipped, "figures": as_json(result.figures)}
    (folder / "report.json").write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")
    (folder / "report.md").write_text(markdown(result, changes, list(charts)), encoding="utf-8")


def markdown(result: Result, changes: Sequence[Change], charts: Sequence[str]) -> str:
    parts = [
        "# Evaluation",
        "Written by `make eval`. Behind ± stands half of the 95 % interval over resamples of the questions; a figure is"
        " worse than the baseline when it has moved the wrong way by more than that.",
        *(f"Skipped: {line}." for line in result.skipped),
        *(part for table in tables(result.figures) for part in _section(table, result.figures)),
        "## Against the baseline",
        _list([str(change) for change in changes if change.beyond_noise]) or "Nothing moved by more than the noise.",
        "## Plots",
        *(f"![{name.removesuffix('.svg')}]({name})" for name in charts),
        "## Where it went wrong",
        *_failures(result),
    ]
    return "\n\n".join(parts) + "\n"


def tables(figures: Figures) -> list[str]:
    return list(dict.fromkeys(table for table, _, _ in figures))


def _section(table: str, figures: Figures) -> Iterator[str]:
    yield f"## {table.capitalize()}"
    yield _NOTES[table]
    yield table_of(table, figures)


def table_of(table: str, figures: Figures) -> str:
    """The figures of one table; `n` is how many questions the first column was measured on."""
    inside = {(row, column): figure for (name, row, column), figure in figures.items() if name == table}
    rows = list(dict.fromkeys(row for row, _ in inside))
    columns = list(dict.fromkeys(column for _, column in inside))
    lines = ["| | n | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for row in rows:
        cells = [_cell(inside.get((row, column)), column) for column in columns]
        count = next(inside[row, column].count for column in columns if (row, column) in inside)
        lines.append(f"| {row} | {count} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(figure: Figure | None, column: str) -> str:
    if figure is None:
        return ""
    if column in ("words", answers.SHOWN):
        return f"{figure.value:.0f}"
    return f"{figure.value:.3f} ± {figure.noise:.3f}"


def _failures(result: Result) -> Iterator[str]:
    wrong = [
        one for one in result.asked[own.NAME] if not answers.is_as_expected(one) or not answers.holds_the_facts(one)
    ]
    yield f"Of the {len(result.asked[own.NAME])} questions on the sample:"
    yield _list([_told(one) for one in wrong]) or "None."
    yield "Of the other sets, the questions answered with the highest scores and those refused with the lowest:"
    yield _list([_told(one) for one in _worst(result.asked)]) or "None."


def _worst(asked: Mapping[str, Sequence[Asked]]) -> Iterator[Asked]:
    for name, part in asked.items():
        if name != own.NAME:
            wrong = [one for one in part if not answers.is_as_expected(one)]
            by_score = sorted(wrong, key=lambda one: refusal.scores(one.reply)[0])
            yield from [one for one in reversed(by_score) if not one.case.answerable][:_WORST]
            yield from [one for one in by_score if one.case.answerable][:_WORST]


def _told(one: Asked) -> str:
    wanted = "to be answered" if one.case.answerable else "to be refused"
    kind = one.case.kind or one.case.group
    return f"{kind}, {wanted}: *{as_text(one.case.question)}* {_outcome(one.reply)}"


def _outcome(reply: Reply) -> str:
    score, _ = refusal.scores(reply)
    said = f": {as_text(' '.join(reply.answer.split())[:_SHOWN])}" if reply.answer else ""
    return f"→ {reply.status.value} {reply.reason or ''} ({score:.2f}){said}".replace("  ", " ")


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
