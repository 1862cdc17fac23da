"""What the citation filter costs a token, against a plain join: `python -m bench.citation_filter`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from app.core.citations import CitationFilter

PLAIN = "The monthly fee for the standard plan is 40 euros and is billed on the first working day. "
CITED = "The fee is 40 euros [1], billed monthly [2][9]. Set `limit[0]` to **raise** it [1, 2].\n\n- See below [3].\n"
ROUNDS = 7


def tokens(text: str, count: int) -> list[str]:
    """`count` pieces of four characters, as most tokens of a model are."""
    text *= count * 4 // len(text) + 1
    return [text[at : at + 4] for at in range(0, count * 4, 4)]


def seconds_per_piece(run: Callable[[Sequence[str]], object], pieces: Sequence[str]) -> float:
    """The best of several rounds: what else the machine does only ever adds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        run(pieces)
        best = min(best, time.process_time() - begin)
    return best / len(pieces)


def join(pieces: Sequence[str]) -> str:
    return "".join([piece for piece in pieces])  # noqa: C416  one at a time, as they arrive


def filtered(pieces: Sequence[str]) -> str:
    citations = CitationFilter(3)
    return "".join([citations.feed(piece) for piece in pieces]) + citations.flush()


def main() -> None:
    for name, text in (("marker-free text", PLAIN), ("cited Markdown", CITED)):
        pieces = tokens(text, 20_000)
        plain, cost = seconds_per_piece(join, pieces), seconds_per_piece(filtered, pieces)
        print(f"{name}: filter {cost * 1e6:.2f} us a token, join {plain * 1e6:.3f} us, ratio {cost / plain:.0f}")


if __name__ == "__main__":
    main()
