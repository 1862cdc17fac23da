"""What a search asks of a Qdrant server, and what it makes of the answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from qdrant_client import models

from app.adapters import payloads
from app.adapters.bm25 import TermWeights
from app.adapters.qdrant_records import filter_of
from app.core.model import Candidate, Place, Query, Scope

# With payload indexes a narrow filter is scanned exactly and a wide one walks the graph's extra edges; ACORN keeps the
# recall where neither helps, such as two filters that each match much and together little. `exact` would cost every
# search a full scan.
_SEARCH = models.SearchParams(hnsw_ef=128, acorn=models.AcornSearchParams(enable=True))


def requests(query: Query, terms: TermWeights, limit: int, scope: Scope) -> list[models.QueryRequest]:
    """For one batch: the dense leg; with terms also the sparse leg's scores, and the cosines of what that leg finds."""
    visible = filter_of(payloads.scope_conditions(scope))
    vector = payloads.unit(query.vector)
    dense = models.QueryRequest(
        query=vector, using=payloads.VECTOR, filter=visible, params=_SEARCH, limit=limit, with_payload=True
    )
    if not terms.indices:
        return [dense]
    words = models.SparseVector(indices=terms.indices, values=terms.values)
    sparse = models.QueryRequest(query=words, using=payloads.SPARSE, filter=visible, limit=limit, with_payload=False)
    found = models.Prefetch(query=words, using=payloads.SPARSE, filter=visible, limit=limit)
    cosines = models.QueryRequest(prefetch=found, query=vector, using=payloads.VECTOR, limit=limit, with_payload=True)
    return [dense, sparse, cosines]


def at(places: Collection[Place], scope: Scope) -> models.Filter:
    """Lets through what stands at these places and `scope` may see."""
    return models.Filter(
        must=[filter_of(payloads.scope_conditions(scope))],
        should=[_one_of(document_id, positions) for document_id, positions in payloads.positions(places).items()],
    )


def _one_of(document_id: str, positions: list[int]) -> models.Filter:
    document = models.FieldCondition(key="document_id", match=models.MatchValue(value=document_id))
    place = models.FieldCondition(key=payloads.POSITION, match=models.MatchAny(any=positions))
    return models.Filter(must=[document, place])


def candidates(legs: Sequence[Sequence[models.ScoredPoint]]) -> list[Candidate]:
    """Everything that the requests found, each passage once."""
    sparse = {point.id: point.score for point in legs[1]} if len(legs) > 1 else {}
    found = {point.id: point for leg in (*legs[2:], legs[0]) for point in leg}
    return [Candidate(payloads.to_passage(p.id, p.payload), p.score, sparse.get(p.id)) for p in found.values()]
