"""Searching a shard of passages with both legs. Every call belongs to one thread."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

import qdrant_edge as edge

from app.adapters import bm25, payloads
from app.adapters.edge_shards import filter_of
from app.core import fusion
from app.core.model import Candidate, Passage, Place, Query, Scope


def search(shard: edge.EdgeShard, query: Query, limit: int, scope: Scope) -> list[Candidate]:
    """Exact: without an HNSW graph (never optimised) the engine scans, and recall is 1 under every filter."""
    visible = filter_of(payloads.scope_conditions(scope))
    nearest = edge.Query.Nearest(payloads.unit(query.vector), using=payloads.VECTOR)
    terms = bm25.of_question(query.text, query.languages)
    depth = max(limit, fusion.DEPTH) if terms.indices else limit
    dense = _leg(shard, nearest, depth, visible)
    sparse: list[edge.ScoredPoint] = []
    if terms.indices:
        sparse = _leg(shard, edge.Query.Nearest(edge.SparseVector(*terms), using=payloads.SPARSE), depth, visible)
    found = dense + _cosines(shard, nearest, {p.id for p in sparse} - {p.id for p in dense})
    scores = {point.id: point.score for point in sparse}
    candidates = [Candidate(payloads.to_passage(p.id, p.payload), p.score, scores.get(p.id)) for p in found]
    return fusion.fused(candidates, limit)


def passages_at(shard: edge.EdgeShard, places: Collection[Place], scope: Scope) -> list[Passage]:
    """In one call: they are few, at most three for each passage that is packed."""
    if not places:
        return []
    there = edge.Filter(
        must=[filter_of(payloads.scope_conditions(scope))],
        should=[_one_of(document_id, positions) for document_id, positions in payloads.positions(places).items()],
    )
    request = edge.ScrollRequest(limit=2 * len(places), filter=there, with_payload=True, with_vector=False)
    return [payloads.to_passage(record.id, record.payload) for record in shard.scroll(request)[0]]


def _one_of(document_id: str, positions: list[int]) -> edge.Filter:
    document = edge.FieldCondition(key="document_id", match=edge.MatchValue(document_id))
    return edge.Filter(must=[document, edge.FieldCondition(key=payloads.POSITION, match=edge.MatchAny(any=positions))])


def _leg(shard: edge.EdgeShard, query: edge.Query, depth: int, visible: edge.Filter) -> list[edge.ScoredPoint]:
    """The best `depth` points, and all that tie with the last of them."""
    fetched = depth + 1
    found = _nearest(shard, query, fetched, visible)
    while payloads.tie_is_cut([point.score for point in found], depth, fetched):
        fetched *= 2
        found = _nearest(shard, query, fetched, visible)
    return found


def _cosines(shard: edge.EdgeShard, query: edge.Query, ids: Iterable[int | UUID | str]) -> list[edge.ScoredPoint]:
    wanted = set(ids)
    if not wanted:
        return []
    return _nearest(shard, query, len(wanted), edge.Filter(must=[edge.HasIdCondition(wanted)]))


def _nearest(shard: edge.EdgeShard, query: edge.Query, limit: int, wanted: edge.Filter) -> list[edge.ScoredPoint]:
    return shard.query(
        edge.QueryRequest(
            limit=limit, query=query, filter=wanted, params=edge.SearchParams(exact=True), with_payload=True
        )
    )
