"""Our values and Qdrant's points."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters import payloads
from app.core import hashing
from app.core.model import Passage
from app.core.records import DocumentRecord, StateRecord
from app.errors import StoreUnavailable
from tests.stores import document, passage, state

PASSAGES = st.builds(Passage, heading=..., page=..., url=..., updated_at=..., tags=..., access=...)
DOCUMENTS = st.builds(DocumentRecord, url=..., updated_at=..., tags=..., access=...)
STATES = st.builds(StateRecord, cache_epoch=..., documents=..., passages=..., updated_at=..., job=...)
FINITE = st.floats(-1e30, 1e30, allow_nan=False)


@given(PASSAGES)
def test_every_passage_comes_back_from_its_payload_as_json(value: Passage) -> None:
    payload = json.loads(json.dumps(payloads.passage_payload(value)))
    assert payloads.to_passage(value.passage_id, payload) == value


@given(DOCUMENTS)
def test_every_document_record_comes_back_from_its_payload_as_json(value: DocumentRecord) -> None:
    assert payloads.to_document(json.loads(json.dumps(payloads.document_payload(value)))) == value


@given(STATES)
def test_every_state_comes_back_from_its_payload_as_json(value: StateRecord) -> None:
    assert payloads.to_state(json.loads(json.dumps(payloads.state_payload(value)))) == value


@pytest.mark.parametrize("payload", [None, {}, {"document_id": 7}, payloads.document_payload(document("a.md"))])
def test_a_payload_that_is_not_ours_is_unavailable(payload: dict[str, object] | None) -> None:
    with pytest.raises(StoreUnavailable, match="can't read"):
        payloads.to_passage("id", payload)
    with pytest.raises(StoreUnavailable, match="can't read"):
        payloads.to_state(payload)


def test_a_payload_holds_every_path_above_the_document() -> None:
    assert payloads.passage_payload(passage("a/b/c.md"))["prefixes"] == ["a", "a/b", "a/b/c.md"]
    assert payloads.document_payload(document("a.md"))["prefixes"] == ["a.md"]


def test_records_never_share_a_point() -> None:
    ids = {hashing.record_id(name) for name in ("a", "A", "a/", "state", "", "ä", "a\u0308")}
    assert len(ids | {hashing.STATE_ID}) == 8


def test_the_state_is_visible_in_no_scope() -> None:
    assert not {field for field in ("access", "prefixes", "tags") if field in payloads.state_payload(state("c"))}


@given(st.lists(FINITE, min_size=1, max_size=40).filter(lambda vector: math.hypot(*vector) > 1e-200))
def test_a_vector_is_brought_to_length_one_and_stays_as_it_is_then(vector: list[float]) -> None:
    once = payloads.unit(vector)
    assert math.hypot(*once) == pytest.approx(1, abs=1e-6)
    assert payloads.unit(once) == once
