"""What the citation filter costs: `python -m bench.citation_filter`.

For the filter alone a token at a time, against a plain join; and for a streamed event with all that stands between
the model and the wire: filter, hold, queue and encoding.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from app.answering import Delta
from app.core.citations import CitationFilter
from app.core.links import Links
from app.web import events
from app.writing import Screen

PLAIN = "The monthly fee for the standard plan is 40 euros and is billed on the first working day. "
CITED = "The fee is 40 euros [1], billed monthly [2][9]. Set `limit[0]` to **raise** it [1, 2].\n\n- See below [3].\n"
TOKENS = 20_000
TOKENS_OF_AN_ANSWER = 3_500
"""As many as fit the longest answer."""
ROUNDS = 7


def tokens(text: str, count: int) -> list[str]:
    """`count` pieces of four characters, as most tokens of a model are."""
    text *= count * 4 // len(text) + 1
    return [text[at : at + 4] for at in range(0, count * 4, 4)]


def seconds(run: Callable[[Sequence[str]], int], pieces: Sequence[str]) -> float:
    """For each of what `run` counts. The best of several rounds: what else the machine does only ever adds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        count = run(pieces)
        best = min(best, (time.process_time() - begin) / count)
    return best


def join(pieces: Sequence[str]) -> int:
    "".join([piece for piece in pieces])  # noqa: C416  one at a time, as they arrive
    return len(pieces)


def filtered(pieces: Sequence[str]) -> int:
    citations = CitationFilter(3)
    "".join([citations.feed(piece) for piece in pieces]) + citations.flush()
    return len(pieces)


def streamed(pieces: Sequence[str]) -> int:
    """Counts the model's events."""
    asyncio.run(_stream(pieces))
    return len(pieces)


def sent(pieces: Sequence[str]) -> int:
    """Counts our own, which are fewer where text is held until it is clear what it is."""
    return asyncio.run(_stream(pieces))


async def _stream(pieces: Sequence[str]) -> int:
    async def work(show: Callable[[Any], None]) -> str:
        screen = Screen(3, Links(), lambda text: show(Delta(text)))
        for piece in pieces:
            screen.feed(piece)
        return screen.finish("bench").text

    return len([event async for event in events.stream(work, lambda _: "delta")])


def main() -> None:
    for name, text in (("marker-free text", PLAIN), ("cited Markdown", CITED)):
        plain, cost = seconds(join, tokens(text, TOKENS)), seconds(filtered, tokens(text, TOKENS))
        event, own = (seconds(run, tokens(text, TOKENS_OF_AN_ANSWER)) for run in (streamed, sent))
        print(
            f"{name}: filter {cost * 1e6:.2f} us a token, join {plain * 1e6:.3f} us, ratio {cost / plain:.0f};", end=" "
        )
        print(f"{event * 1e6:.1f} us an event of the model, {own * 1e6:.1f} us one of ours, filter included")


if __name__ == "__main__":
    main()
