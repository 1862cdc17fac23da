"""How far up the search puts what answers a question: recall at k, MRR and nDCG, for each leg and for both fused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from app.core.model import Candidate, Passage
from eval import figures
from eval.asking import Asked
from eval.cases import Gold
from eval.figures import Figures

TABLE = "retrieval"
FUSED = "fused"
DEPTH = 10


def measure(asked: Sequence[Asked], *, by_passage: bool) -> Figures:
    """Over the questions with a known place, by their group."""
    found: Figures = {}
    for group, part in groupby((one for one in asked if one.case.gold), key=lambda one: one.case.group):
        cases = list(part)
        for leg in ("dense", "sparse", FUSED):
            orders = [distinct(order(one, leg), by_passage=by_passage) for one in cases]
            if any(orders):
                ranks = [ranks_of(one.case.gold, passages) for one, passages in zip(cases, orders, strict=True)]
                found |= _scores(f"{group}, {leg}", ranks, [len(one.case.gold) for one in cases])
    return found


def order(asked: Asked, leg: str) -> list[Passage]:
    """What was found, best first: by cosine, by BM25, or as the service ranks it."""
    candidates: Sequence[Candidate] = asked.fused
    if leg == "dense":
        candidates = sorted(asked.deep, key=lambda one: -one.score)
    elif leg == "sparse":
        scored = [(one.sparse, one) for one in asked.deep if one.sparse is not None]
        candidates = [one for _, one in sorted(scored, key=lambda pair: -pair[0])]
    return [candidate.passage for candidate in candidates]


def distinct(passages: Sequence[Passage], *, by_passage: bool) -> list[Passage]:
    """The first passage of each page, or of each document where it has no pages."""
    if by_passage:
        return list(passages)
    first: dict[tuple[str, int | None], Passage] = {}
    for passage in passages:
        first.setdefault((passage.document_id, passage.page), passage)
    return list(first.values())


def ranks_of(gold: Sequence[Gold], passages: Sequence[Passage]) -> list[int]:
    """The ranks, from 1, at which something of `gold` is found that was not found before."""
    left, ranks = list(gold), []
    for rank, passage in enumerate(passages, 1):
        hit = next((one for one in left if one.is_in(passage)), None)
        if hit is not None:
            left.remove(hit)
            ranks.append(rank)
    return ranks


def recall(ranks: Sequence[int], wanted: int, depth: int) -> float:
    return sum(rank <= depth for rank in ranks) / wanted


def reciprocal_rank(ranks: Sequence[int]) -> float:
    return 1 / ranks[0] if ranks and ranks[0] <= DEPTH else 0.0


def ndcg(ranks: Sequence[int], wanted: int, depth: int = DEPTH) -> float:
    """Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002), each thing found counting 1."""
    gain = sum(1 / math.log2(1 + rank) for rank in ranks if rank <= depth)
    return gain / sum(1 / math.log2(1 + rank) for rank in range(1, min(wanted, depth) + 1))


def _scores(row: str, ranks: Sequence[Sequence[int]], wanted: Sequence[int]) -> Figures:
    pairs = list(zip(ranks, wanted, strict=True))
    columns = {
        **{f"R@{k}": [recall(found, all_of_it, k) for found, all_of_it in pairs] for k in (1, 5, DEPTH)},
        "MRR": [reciprocal_rank(found) for found in ranks],
        f"nDCG@{DEPTH}": [ndcg(found, all_of_it) for found, all_of_it in pairs],
    }
    scored = {(TABLE, row, column): figures.mean(values) for column, values in columns.items()}
    return {key: figure for key, figure in scored.items() if figure}
