"""The OpenAI API, spoken to by the real SDK: answers whole and streamed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.openai_client import MODEL, blocking_client, client, complete, extension, stream, text_of, user
from tests.raw_http import Stall
from tests.scripted_chat import ScriptedChat, fails_midway, says, split_markers
from tests.service import OFF_TOPIC, QUESTION, Service, ingest, running, settings_for, write_corpus

ANSWER = "Every employee gets 28 days a year [1]."


async def test_an_answer_is_a_completion_with_its_citations(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says(ANSWER)
    answer = await complete(chatting)
    message = answer.choices[0].message
    assert (message.content, message.role, answer.choices[0].finish_reason) == (ANSWER, "assistant", "stop")
    assert (answer.model, answer.object, message.refusal) == (MODEL, "chat.completion", None)
    [annotation] = message.annotations
    cited = annotation.url_citation
    assert message.content[cited.start_index : cited.end_index] == "[1]"
    assert (cited.title, cited.url) == ("Leave", "vouch://documents/leave.md")
    assert answer.id == f"chatcmpl-{extension(answer)['id']}"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0


async def test_the_extension_is_the_reply_of_the_other_route(service: Service) -> None:
    replied = extension(await complete(service))
    other = await service.ask()
    fresh = {"id", "timings_ms", "cached"}
    assert {k: v for k, v in replied.items() if k not in fresh} == {
        **{k: v for k, v in other.items() if k not in fresh},
        "question": QUESTION,
    }


async def test_a_stream_carries_the_same_text_and_the_same_citations(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says(*split_markers(ANSWER))
    chunks = await stream(chatting)
    whole = await complete(chatting)
    assert chunks[0].choices[0].delta.role == "assistant"
    assert text_of(chunks) == ANSWER == whole.choices[0].message.content
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    annotations = [annotation.model_dump() for annotation in whole.choices[0].message.annotations]
    assert chunks[-1].choices[0].delta.annotations == annotations
    assert extension(chunks[-1])["cited"] == [1]
    assert {(chunk.id, chunk.object, chunk.system_fingerprint) for chunk in chunks} == {
        (f"chatcmpl-{extension(chunks[-1])['id']}", "chat.completion.chunk", whole.system_fingerprint)
    }
    assert len(chat.requests) == 1  # the second was cached


async def test_usage_ends_a_stream_when_it_is_asked_for(service: Service) -> None:
    chunks = await stream(service, stream_options={"include_usage": True})
    assert chunks[-1].choices == []
    assert chunks[-1].usage == (await complete(service)).usage
    assert {chunk.usage for chunk in chunks[:-1]} == {None}


async def test_the_blocking_sdk_is_answered_whole_and_streamed(service: Service) -> None:
    def ask() -> tuple[str | None, str | None]:
        with blocking_client(service) as openai:
            whole = openai.chat.completions.create(model=MODEL, messages=[user()])
            with openai.chat.completions.stream(model=MODEL, messages=[user()]) as events:
                gathered = events.get_final_completion()
        return whole.choices[0].message.content, gathered.choices[0].message.content

    whole, gathered = await asyncio.to_thread(ask)
    assert whole is not None
    assert "28 days" in whole
    assert gathered == whole


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_refusal_is_a_completion_that_says_so(service: Service, streamed: bool) -> None:
    if streamed:
        chunks = await stream(service, user(OFF_TOPIC))
        answer, text, finished = chunks[-1], text_of(chunks), chunks[-1].choices[0].finish_reason
    else:
        answer = await complete(service, user(OFF_TOPIC))
        text, finished = answer.choices[0].message.content, answer.choices[0].finish_reason
    assert (extension(answer)["status"], extension(answer)["reason"]) == ("refused", "below_threshold")
    assert (text, finished) == (extension(answer)["message"], "stop")
    assert extension(answer)["sources"] == []


async def test_a_model_that_abstains_is_a_refusal_without_its_word(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says("NOT_", "FOUND")
    chunks = await stream(chatting)
    assert extension(chunks[-1])["reason"] == "model_abstained"
    assert text_of(chunks) == extension(chunks[-1])["message"]


async def test_a_failure_after_text_ends_the_stream_in_error(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = fails_midway("Every employee gets ", "28 days")
    chunks = await stream(chatting)
    assert text_of(chunks).startswith("Every employee")
    assert chunks[-1].choices[0].finish_reason == "error"
    assert (extension(chunks[-1])["status"], extension(chunks[-1])["reason"]) == ("failed", "provider_error")
    assert extension(chunks[-1])["answer"] is None


async def test_when_the_caller_leaves_a_stream_the_model_is_left(chatting: Service, chat: ScriptedChat) -> None:
    stall = Stall()
    chat.reply = says("Every employee gets ", stall)
    async with client(chatting) as openai:
        chunks = await openai.chat.completions.create(model=MODEL, messages=[user()], stream=True)
        await stall.reached.wait()
        await chunks.close()
        async with asyncio.timeout(5):
            await chat.closed_early.wait()


@pytest.mark.parametrize("streamed", [False, True])
async def test_when_the_caller_leaves_before_the_first_text_the_model_is_left(
    chatting: Service, chat: ScriptedChat, streamed: bool
) -> None:
    stall = Stall()
    chat.reply = says(stall)
    asking = asyncio.create_task((stream if streamed else complete)(chatting))
    await stall.reached.wait()
    asking.cancel()
    async with asyncio.timeout(5):
        await chat.closed_early.wait()


async def test_options_of_vouch_are_taken_from_the_extra_body(tmp_path: Path, chat: ScriptedChat) -> None:
    write_corpus(
        tmp_path, {"leave.md": "---\nurl: https://handbook.example/leave\n---\n# Leave\n\n28 days of leave.\n"}
    )
    settings = settings_for(tmp_path, CHAT_BASE_URL=chat.base_url, CHAT_MODEL="m")
    await ingest(settings)
    chat.reply = says("There are 28 days [1]. And [9].")
    options = {
        "citation_style": "links",
        "citation_policy": "strict",
        "top_k": 1,
        "filter": {"source_prefix": "leave.md"},
    }
    async with running(settings) as service:
        answer = await complete(service, extra_body={"vouch": options})
    [annotation] = answer.choices[0].message.annotations
    cited = annotation.url_citation
    text = answer.choices[0].message.content
    assert "[Leave](https://handbook.example/leave)" in text[cited.start_index : cited.end_index]
    assert cited.url == "https://handbook.example/leave"
    assert (extension(answer)["reason"], extension(answer)["dropped"]) == ("invented_citation", ["[9]"])


async def test_text_parts_are_one_question(service: Service) -> None:
    parts = [
        {"type": "text", "text": "How many days of annual leave"},
        {"type": "text", "text": "does an employee get?"},
    ]
    answer = await complete(service, {"role": "user", "content": parts})
    assert (extension(answer)["question"], extension(answer)["status"]) == (QUESTION, "answered")


async def test_what_only_steers_a_model_makes_no_difference(service: Service) -> None:
    plain = await complete(service)
    steered = await complete(
        service, temperature=0, top_p=0.5, max_tokens=1, max_completion_tokens=1, seed=1, user="u", n=1, stop=[],
        presence_penalty=1, response_format={"type": "text"}, tools=[], logprobs=False, metadata={"a": "b"},
    )  # fmt: skip
    assert steered.choices[0].message.content == plain.choices[0].message.content


async def test_there_is_one_model(service: Service) -> None:
    async with client(service) as openai:
        models = [model async for model in openai.models.list()]
        model = await openai.models.retrieve(MODEL)
    assert [found.id for found in models] == [MODEL]
    assert (model.id, model.object, model.owned_by) == (MODEL, "model", "vouch")


async def test_langchain_is_answered(chatting: Service, chat: ScriptedChat) -> None:
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    chat.reply = says(ANSWER)
    async with client(chatting) as openai:
        model = ChatOpenAI(
            model=MODEL, api_key=SecretStr("any"), async_client=openai.chat.completions, root_async_client=openai
        )
        conversation = [("system", "Be brief."), ("human", QUESTION)]
        whole = await model.ainvoke(conversation)
        streamed = [chunk async for chunk in model.astream(conversation)]
    assert whole.content == ANSWER == "".join(str(chunk.content) for chunk in streamed)
    assert whole.response_metadata["finish_reason"] == "stop"
    assert whole.usage_metadata is not None
