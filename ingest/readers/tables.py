"""Tables as Markdown: the splitter repeats the head of such a table, and an answer can quote it row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LONGEST_REPEATED = 200
"""Characters: a longer cell that spans rows stands in the first of them only."""


def filled_down(rows: Iterable[Sequence[str | None]]) -> list[list[str]]:
    """The rows, with the text above for None, which is a cell that goes on from there: each row can be read alone.

    Not in a row that says nothing itself.
    """
    filled: list[list[str]] = []
    going_on: list[str] = []
    for row in rows:
        going_on = [_above(going_on, column) if text is None else text for column, text in enumerate(row)]
        filled.append(going_on if any(row) else ["" for _ in row])
    return filled


def _above(row: Sequence[str], column: int) -> str:
    text = row[column] if column < len(row) else ""
    return text if len(text) <= LONGEST_REPEATED else ""


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """A table of at least one row; the first one is its head. Shorter rows are filled up with empty cells.

    A cell's white space is folded, as a row is one line, and its bars are escaped.
    """
    width = max(map(len, rows))
    head, *body = (_line(row, width) for row in rows)
    return "\n".join([head, f"|{' --- |' * width}", *body])


def _line(row: Iterable[str], width: int) -> str:
    cells = [" ".join(cell.split()).replace("|", "\\|") for cell in row]
    return f"| {' | '.join(cells)} |{'  |' * (width - len(cells))}"
