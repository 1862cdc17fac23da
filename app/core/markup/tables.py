"""Which lines are rows of a table (GitHub Flavored Markdown 0.29, section 4.10).

A table needs a delimiter row (`|---|:-:|`) under a row with as many cells. Only the rows after it are known
as such when they come: the header row passes as a paragraph.
"""

from __future__ import annotations

import re

MAX_ROW = 2048
"""Characters of a line that are read; a longer one counts as no row."""

_BORDER = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")


class TableTracker:
    """Follows the lines of a paragraph; `inside` tells whether the one that began last is a row."""

    def __init__(self) -> None:
        self.inside = False
        self._row = ""
        self._header_cells = 0

    @property
    def idle(self) -> bool:
        """Whether text without `|` may go on unseen: the line is neither a row nor the start of a delimiter."""
        return not (self.inside or "|" in self._row or not self._row.strip("-: \t"))

    @property
    def row_follows(self) -> bool:
        """Whether the next line is a row if it goes on with the paragraph."""
        return self.inside or (self._is_delimiter and _cells(self._row) == self._header_cells)

    @property
    def _is_delimiter(self) -> bool:
        """Hyphens alone are none: they are text, or underline a heading."""
        return bool(_DELIMITER.fullmatch(self._row) and self._row.strip("- \t"))

    def line(self, *, continues: bool, lazy: bool) -> None:
        """The next line begins. `lazy`: without the marks around the paragraph, so that it is no delimiter row."""
        self.inside = continues and self.row_follows
        self._header_cells = _cells(self._row) if continues and not lazy else 0
        self._row = ""

    def text(self, text: str) -> list[int]:
        """Take in the next piece of the line; in a row, tells where in the piece its cells are divided."""
        begin = len(self._row)
        self._row += text[: MAX_ROW - begin]
        if not self.inside:
            return []
        return [border.start() - begin for border in _BORDER.finditer(self._row, begin)]


def _cells(row: str) -> int:
    """The cells of a row; 0 when there is none. Borders around it do not count."""
    bare = row.strip(" \t")
    if not bare or len(row) == MAX_ROW:
        return 0
    ends = bare.endswith("|") and not bare.endswith("\\|") and len(bare) > 1
    return len(_BORDER.findall(bare)) + 1 - bare.startswith("|") - ends
