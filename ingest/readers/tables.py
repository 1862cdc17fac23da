"""Tables as Markdown: the splitter repeats the head of such a table, and an answer can quote it row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
