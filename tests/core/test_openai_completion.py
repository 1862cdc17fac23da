"""Replies in the shapes of the OpenAI API, whole and in chunks."""

from __future__ import annotations

import msgspec
from msgspec import structs

from app.core.model import Marker, Relevance, Reply, Source, Status
from app.core.openai_completion import Chunk, Chunks, completion

SOURCE = Source(
    number=2,
    document_id="hr/Fünf Tage.md",
    passage_id="p",
    title="Urlaub",
    heading=("Urlaub",),
    page=None,
    url=None,
    updated_at=None,
    score=0.5,
    text="Fünf Tage.",
)
TEXT = "Fünf 🎈 Tage [2], wirklich [2]."
REPLY = Reply(
    id="a1",
    status=Status.ANSWERED,
    reason=None,
    message="Answered from the sources listed.",
    answer=TEXT,
    sources=(structs.replace(SOURCE, number=1, url="https://example.org/a"), SOURCE),
    cited=(2,),
    markers=(Marker(2, 12, 15), Marker(2, 26, 29)),
    revision="r1",
)
REFUSED = Reply(
    id="a2",
    status=Status.REFUSED,
    reason="below_threshold",
    message="Nothing is close enough.",
    answer=None,
    relevance=Relevance(0.1, 0.4, 8, 0),
    revision="r1",
)


def chunks_of(reply: Reply, *pieces: str, with_usage: bool = False) -> list[Chunk]:
    chunks = Chunks("Wie viele?", 1_800_000_000, with_usage=with_usage)
    chunks.start(reply.id, reply.revision)
    return [chunk for piece in pieces for chunk in chunks.text(piece)] + list(chunks.end(reply))


def test_each_citation_is_annotated_where_it_stands() -> None:
    message = completion(REPLY, "Wie viele?", 1_800_000_000).choices[0].message
    places = [annotation.url_citation for annotation in message.annotations]
    assert [TEXT[place.start_index : place.end_index] for place in places] == ["[2]", "[2]"]
    assert {place.url for place in places} == {"vouch://documents/hr/F%C3%BCnf%20Tage.md"}


def test_a_document_with_an_address_is_cited_by_it() -> None:
    reply = structs.replace(REPLY, markers=(Marker(1, 0, 3),))
    [annotation] = completion(reply, "Wie viele?", 1).choices[0].message.annotations
    assert annotation.url_citation.url == "https://example.org/a"


def test_chunks_put_together_are_the_completion() -> None:
    whole = completion(REPLY, "Wie viele?", 1_800_000_000)
    chunks = chunks_of(REPLY, "Fünf 🎈 Ta", "ge [2]", ", wirklich [2].", with_usage=True)
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    assert "".join(delta.content for delta in deltas if isinstance(delta.content, str)) == TEXT
    assert [delta.role for delta in deltas if delta.role] == ["assistant"] == [deltas[0].role]
    assert deltas[-1].annotations == whole.choices[0].message.annotations
    assert (chunks[-2].vouch, chunks[-1].usage, chunks[-1].choices) == (whole.vouch, whole.usage, ())
    assert {(chunk.id, chunk.created) for chunk in chunks} == {(whole.id, whole.created)}


def test_a_refusal_says_why_in_either_shape() -> None:
    assert completion(REFUSED, "q", 1).choices[0].message.content == REFUSED.message
    deltas = [chunk.choices[0].delta for chunk in chunks_of(REFUSED)]
    assert [delta.content for delta in deltas if delta.content] == [REFUSED.message]


def test_a_failure_after_text_takes_the_answer_back() -> None:
    failed = structs.replace(REFUSED, status=Status.FAILED, reason="deadline")
    chunks = chunks_of(failed, "Fünf")
    assert chunks[-1].choices[0].finish_reason == "error"
    assert "Nothing is close" not in "".join(str(chunk.choices[0].delta.content) for chunk in chunks)


def test_a_chunk_holds_no_usage_unless_it_was_asked_for() -> None:
    plain = [msgspec.to_builtins(chunk) for chunk in chunks_of(REPLY, TEXT)]
    assert not [chunk for chunk in plain if "usage" in chunk]
    assert [chunk["usage"] for chunk in map(msgspec.to_builtins, chunks_of(REPLY, TEXT, with_usage=True))][:-1] == [
        None
    ] * 3
