"""What of an answer is kept, and what of it is shown."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.core.evidence import Evidence, KeptSource, Viewer, put_together, show, take_apart
from app.core.model import Relevance, Reply, Source, SourcePassage, Status

SECRET = "The secret is in here."


def source(number: int, document_id: str, **fields: object) -> Source:
    values = {
        "number": number,
        "document_id": document_id,
        "passage_id": f"passage {number}",
        "title": f"{SECRET} (title)",
        "heading": (f"{SECRET} (heading)",),
        "page": 3,
        "url": f"https://handbook.example/{SECRET}",
        "updated_at": "2026-01-31",
        "score": 0.75,
        "text": SECRET,
        **fields,
    }
    return Source(**values)


def evidence(*packed: Source, status: Status = Status.ANSWERED, caller: str = "anonymous") -> Evidence:
    listed = status in (Status.ANSWERED, Status.UNGROUNDED)
    reply = Reply(
        id="a1",
        status=status,
        reason=None,
        message="Answered from the sources listed.",
        answer=f"{SECRET} [1]" if listed else None,
        sources=packed if listed else (),
        cited=(1,),
        dropped=(f"【9†{SECRET}】",),
        relevance=Relevance(0.8, 0.4, 8, 3),
        revision="r1",
        model="scripted",
        timings_ms={"total": 20.0},
    )
    return Evidence(
        caller=caller,
        question="How many?",
        searched="How many? Days of leave",
        answered_at="2026-11-29T10:00:00+00:00",
        prompt_version="1",
        packed=packed,
        reply=reply,
    )


def merged_from(heading: str) -> SourcePassage:
    return SourcePassage(passage_id="p9", heading=(heading,), page=3, start=0, end=4, score=0.5)


PACKED = (source(1, "a.md"), source(2, "b.md"), source(3, "a.md", passages=(merged_from(SECRET),), pages=(3, 4)))


def test_all_is_shown_where_all_is_visible() -> None:
    kept = evidence(*PACKED)
    shown = show(kept, {"a.md", "b.md"})
    assert (shown.withheld, shown.question, shown.searched) == (False, "How many?", "How many? Days of leave")
    assert (shown.prompt_version, shown.answered_at) == ("1", "2026-11-29T10:00:00+00:00")
    same = {name: getattr(shown, name) for name in Reply.__struct_fields__ if name != "sources"}
    assert same == {name: getattr(kept.reply, name) for name in same}
    assert [structs.asdict(s) for s in shown.sources] == [structs.asdict(s) | {"withheld": False} for s in PACKED]


@pytest.mark.parametrize("status", [Status.FAILED, Status.REFUSED])
def test_what_was_packed_is_shown_though_the_reply_lists_no_sources(status: Status) -> None:
    shown = show(evidence(*PACKED, status=status), {"a.md", "b.md"})
    assert [s.text for s in shown.sources] == [SECRET] * 3


@pytest.mark.parametrize("visible", [set(), {"b.md"}, {"a.md"}])
def test_a_source_that_may_not_be_seen_takes_its_text_and_the_answer_along(visible: set[str]) -> None:
    shown = show(evidence(*PACKED), visible)
    assert (shown.withheld, shown.answer, shown.dropped) == (True, None, ())
    assert (shown.status, shown.cited, shown.relevance) == (Status.ANSWERED, (1,), Relevance(0.8, 0.4, 8, 3))
    for before, after in zip(PACKED, shown.sources, strict=True):
        assert after.withheld == (before.document_id not in visible)
        assert (after.number, after.document_id, after.passage_id, after.score) == (
            before.number,
            before.document_id,
            before.passage_id,
            before.score,
        )
        if after.withheld:
            assert (after.title, after.heading, after.text, after.url) == ("", (), "", None)
            assert (after.passages, after.pages) == ((), None)
    if not visible:
        assert SECRET.encode() not in msgspec.json.encode(shown)


def test_whatever_else_a_reply_may_hold_is_withheld_too() -> None:
    """Quotes, checks and what else is added to a reply is mostly text of its sources."""
    kept = evidence(*PACKED)
    outcome = {"id", "status", "reason", "message", "sources", "cited", "relevance", "cached", "revision", "model"}
    others = [name for name in Reply.__struct_fields__ if name not in {*outcome, "timings_ms"}]
    full = structs.replace(kept, reply=structs.replace(kept.reply, **dict.fromkeys(others, SECRET)))
    assert SECRET.encode() in msgspec.json.encode(show(full, {"a.md", "b.md"}))
    assert SECRET.encode() not in msgspec.json.encode(show(full, set()))


def test_only_the_caller_and_admins_may_read() -> None:
    kept = evidence(caller="app-7")
    assert kept.may_be_read_by(Viewer(caller="app-7"))
    assert kept.may_be_read_by(Viewer(caller="anonymous", is_admin=True))
    assert not kept.may_be_read_by(Viewer(caller="anonymous"))


def test_a_record_holds_no_text_of_a_document() -> None:
    packed = tuple(structs.replace(s, url=None) for s in PACKED)
    record, texts = take_apart(structs.replace(evidence(*packed, status=Status.REFUSED), packed=packed))
    assert SECRET.encode() not in msgspec.json.encode(structs.replace(record.evidence, reply=evidence().reply).packed)
    assert len(texts) == 3
    assert {text.text for text in texts.values()} == {SECRET}


def test_the_images_of_a_source_are_kept_in_its_text_alone() -> None:
    text = "![plan](https://img.example/plan.png)"
    kept = evidence(source(1, "a.md", text=text, images=("https://img.example/plan.png",)))
    record, texts = take_apart(kept)
    assert [bare.images for bare in record.evidence.packed] == [()]
    assert put_together(record, texts) == kept


SOURCES = st.builds(
    source,
    st.integers(1, 40),
    st.text(max_size=8),
    title=st.text(max_size=5),
    heading=st.lists(st.text(max_size=3), max_size=2).map(tuple),
    text=st.text(max_size=8),
    passage_id=st.sampled_from(["p1", "p2", "p3"]),
    score=st.floats(-1, 1),
    passages=st.sampled_from([(), (merged_from("a"), merged_from("b"))]),
)


@given(st.lists(SOURCES, max_size=5), st.sampled_from(Status))
def test_every_evidence_is_put_together_as_it_was(packed: list[Source], status: Status) -> None:
    kept = evidence(*packed, status=status)
    record, texts = take_apart(kept)
    assert put_together(record, texts) == kept


@given(st.lists(SOURCES, min_size=1, max_size=5), st.integers(0, 4))
def test_without_one_of_its_texts_it_is_not_put_together(packed: list[Source], lost: int) -> None:
    record, texts = take_apart(evidence(*packed))
    del texts[sorted(texts)[lost % len(texts)]]
    assert put_together(record, texts) is None


def test_a_withheld_source_is_no_plain_source() -> None:
    """The reply to a new question must never carry one: `withheld` is a field of kept sources alone."""
    assert "withheld" not in Source.__struct_fields__
    assert "withheld" in KeptSource.__struct_fields__
