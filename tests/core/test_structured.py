"""The reading of structured answers: what is accepted, and the kind of fault for everything else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.structured import SCHEMA, ClaimedQuote, Draft, FaultKind, StructuredFault, parse

ANSWER = {
    "answer": "You get 28 days {paid} [1].",
    "citations": [{"source": 1, "quote": 'gets "28" days'}],
    "confidence": "high",
}
WHOLE = json.dumps(ANSWER)
DRAFT = Draft("You get 28 days {paid} [1].", (ClaimedQuote(1, 'gets "28" days'),), "high")

ROOT = Path(__file__).parents[2]
OUTPUTS = ROOT / os.environ.get("EVAL_DATA", "../shared/data") / "payloads/json_answers/model_json_outputs.jsonl"


def changed(**members: object) -> str:
    return json.dumps({**ANSWER, **members})


def kind(text: str) -> str:
    with pytest.raises(StructuredFault) as fault:
        parse(text)
    assert fault.value.reason == "provider_protocol"
    return fault.value.kind


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"\n {json.dumps(ANSWER, indent=2)} \n",
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}\n```\n",
        f"~~~ JSON\n{WHOLE}",
        f"Here is the answer:\n\n```json\n{WHOLE}\n```",
        f'Here is the "answer": {WHOLE}',
        f'"Here" it is: {WHOLE}',
        f"\ufeff{WHOLE}",
        f"{WHOLE}\n\nLet me know if you need more. [2]",
        f"{WHOLE}}}",
        json.dumps(WHOLE),
        f"```json\n{json.dumps(WHOLE)}\n```",
        changed(thought="The first source says so."),
        WHOLE.replace("days {", "days\\u0020{"),
    ],
)
def test_an_answer_is_read_through_what_models_put_around_it(text: str) -> None:
    assert parse(text) == DRAFT


def test_a_line_break_in_a_string_is_read() -> None:
    assert parse(WHOLE.replace("28 days {", "28 days\n\n{")).answer == "You get 28 days\n\n{paid} [1]."


@pytest.mark.parametrize("text", ["NOT_FOUND", ' "NOT_FOUND".\n', "", "\n\n"])
def test_a_bare_abstention_is_one(text: str) -> None:
    assert parse(text) == Draft(text, (), None)


@pytest.mark.parametrize(
    ("claimed", "read"),
    [("low", "low"), (" High ", "high"), ("certain", None), (0.9, None), (None, None), (["high"], None)],
)
def test_a_claimed_confidence_is_one_of_three_words_or_none(claimed: object, read: str | None) -> None:
    assert parse(changed(confidence=claimed)).confidence == read


def test_a_missing_confidence_is_no_fault() -> None:
    assert parse('{"answer": "a", "citations": []}') == Draft("a", (), None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You get 28 days [1].", "no_object"),
        ("null", "no_object"),
        ('"You get 28 days [1]."', "not_an_object"),
        (f"{'So ' * 100}{WHOLE}", "no_object"),
        (f"[{WHOLE}]", "not_an_object"),
        ("[]", "not_an_object"),
        ("{", "truncated"),
        (json.dumps(WHOLE)[:-1], "truncated"),
        (WHOLE.replace('"answer"', "answer"), "malformed"),
        (WHOLE.replace('"', "'"), "malformed"),
        ("{'answer': 1}", "malformed"),
        (WHOLE.replace("}]", "},]"), "malformed"),
        (f"{{/* the answer */ {WHOLE[1:]}", "malformed"),
        ('{"answer": NaN}', "malformed"),
        (f'{{"answer": {"9" * 5000}}}', "malformed"),
        (f'{{"answer": {"[" * 100_000}', "truncated"),
        (f'{{"answer": {"[" * 100_000 + "]" * 100_000}}}', "malformed"),
        (changed(answer="\ud800"), "malformed"),
        (changed(citations=[{"source": 1, "quote": "\udfff"}]), "malformed"),
        ('{"answer": "a", "answer": "a", "citations": []}', "duplicate_key"),
        ('{"answer": "a", "citations": [{"source": 1, "source": 2, "quote": "q"}]}', "duplicate_key"),
        ("{}", "missing_field"),
        ('{"answer": "a"}', "missing_field"),
        ('{"citations": []}', "missing_field"),
        (changed(citations=[{"source": 1}]), "missing_field"),
        (changed(citations=[{"quote": "q"}]), "missing_field"),
        (changed(answer=None), "wrong_type"),
        (changed(answer=["a"]), "wrong_type"),
        (changed(citations={}), "wrong_type"),
        (changed(citations=None), "wrong_type"),
        (changed(citations=["q"]), "wrong_type"),
        (changed(citations=[{"source": "1", "quote": "q"}]), "wrong_type"),
        (changed(citations=[{"source": 1.0, "quote": "q"}]), "wrong_type"),
        (changed(citations=[{"source": True, "quote": "q"}]), "wrong_type"),
        (changed(citations=[{"source": 1, "quote": 2}]), "wrong_type"),
        (WHOLE + WHOLE, "trailing_object"),
        (f"{WHOLE}\n{{}}", "trailing_object"),
        (f"```json\n{WHOLE}\n```\n\n```json\n{WHOLE}\n```", "trailing_object"),
        (json.dumps(json.dumps(WHOLE)), "not_an_object"),
    ],
)
def test_everything_else_is_a_fault_of_its_kind(text: str, expected: str) -> None:
    assert kind(text) == expected


@pytest.mark.parametrize("length", range(1, len(WHOLE)))
def test_an_answer_cut_anywhere_is_truncated(length: int) -> None:
    assert kind(WHOLE[:length]) == "truncated"


def outputs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in OUTPUTS.read_text().splitlines()] if OUTPUTS.exists() else []


def mutations(text: str) -> list[str]:
    return [
        text,
        f"```json\n{text}\n```",
        f"Here you go:\n{text}",
        json.dumps(text),
        text + text,
        text.replace(":", ": :", 1),
        text.replace('"', "“"),
        *(text[:length] for length in range(0, len(text), 1 + len(text) // 40)),
    ]


@pytest.mark.skipif(not OUTPUTS.exists(), reason=f"no model outputs in {OUTPUTS}: set EVAL_DATA")
def test_what_models_wrote_to_other_requests_is_never_an_answer() -> None:
    read = [parse_or_kind(mutation) for output in outputs() for mutation in mutations(output["text"])]
    assert len(read) > 500
    assert {draft.answer.strip() for draft in read if isinstance(draft, Draft)} <= {""}
    assert {fault for fault in read if isinstance(fault, str)} <= set(get_args(FaultKind))


@pytest.mark.skipif(not OUTPUTS.exists(), reason=f"no model outputs in {OUTPUTS}: set EVAL_DATA")
def test_what_models_wrote_is_read_when_it_is_the_answer_of_an_object() -> None:
    for output in outputs():
        text = output["text"]
        for whole in mutations(json.dumps({"answer": text, "citations": [{"source": 1, "quote": text}]}))[:4]:
            assert parse(whole) == Draft(text, (ClaimedQuote(1, text),), None)


def parse_or_kind(text: str) -> Draft | str:
    """Any other exception gets out."""
    try:
        return parse(text)
    except StructuredFault as fault:
        return fault.kind


fragments = st.sampled_from(
    [
        *"{}[]\",:\\\n`' ",
        "```json\n",
        '"answer"',
        '"citations"',
        '"source"',
        '"quote"',
        "1",
        "1e999",
        "-",
        "true",
        "null",
    ]
) | st.sampled_from(["NaN", "\\u12", "\\ud800", "\ud800", WHOLE, "a"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*ANSWER, "source", "quote"]) | st.text(), inner),
    max_leaves=12,
)


@settings(max_examples=1000)
@given(st.one_of(st.text(), st.lists(fragments, max_size=20).map("".join), json_values.map(json.dumps)))
def test_no_text_gets_anything_out_of_the_parser_but_an_answer_or_its_fault(text: str) -> None:
    parse_or_kind(text)


quotes = st.builds(ClaimedQuote, st.integers(), st.text())
drafts = st.builds(
    Draft,
    st.text(min_size=1),
    st.lists(quotes, max_size=3).map(tuple),
    st.sampled_from(["high", "medium", "low", None]),
)


@given(drafts, st.booleans(), st.booleans())
def test_every_answer_is_read_back(draft: Draft, ascii_only: bool, twice: bool) -> None:
    citations = [{"source": claim.source, "quote": claim.quote} for claim in draft.citations]
    value = {"answer": draft.answer, "citations": citations, "confidence": draft.confidence}
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert parse(json.dumps(text) if twice else text) == draft


def test_the_schema_is_one_that_strict_validators_accept() -> None:
    """As OpenAI's strict mode has it: each object closed and with all its properties required; few keywords."""
    checked = []

    def check(schema: dict[str, Any]) -> None:
        checked.append(schema["type"])
        assert set(schema) <= {"type", "properties", "required", "additionalProperties", "items", "enum"}
        if schema["type"] == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
        for inner in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
            check(inner)

    check(SCHEMA)
    assert checked == ["object", "string", "array", "object", "integer", "string", "string"]
