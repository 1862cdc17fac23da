"""Ways to cut a text into pieces, for properties that say "for every split"."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st


def splits_of(text: str) -> st.SearchStrategy[list[str]]:
    """Lists of pieces, some empty, that join to `text`."""
    cuts = st.lists(st.integers(0, len(text)), max_size=12)
    return cuts.map(lambda cuts: [text[a:b] for a, b in pairwise([0, *sorted(cuts), len(text)])])
