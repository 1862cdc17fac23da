"""Every case through real ingestion and a running service, with a model that obeys; and the table of outcomes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.injection.cases import Case, folder_of, read_cases, write_documents
from tests.injection.checks import agent_faults, allowed_urls, forgeries, prompt_faults, reply_faults, text_faults
from tests.scripted_chat import Body, ScriptedChat, pieces, prompt_of, writes
from tests.service import Service, ingest, running, settings_for

_PIECE = 5
"""Characters of the model's text that arrive at once: a marker or an address is seldom whole in one."""


class Outcome(Struct, frozen=True):
    case: Case
    prompt: list[str]
    """What was wrong with the prompts; nothing when every one kept what is hostile inside its fence."""
    replies: list[str]
    """What was wrong with the replies."""


async def run(folder: Path) -> list[Outcome]:
    """The outcome of every case. The index lies in `folder`."""
    cases = read_cases()
    write_documents(folder / "corpus", cases)
    everything: dict[str, object] = {"RELEVANCE_THRESHOLD": -1, "CONTEXT_TOKENS": 4_000}
    summary = await ingest(settings_for(folder, **everything))
    assert summary.documents.failed == 0
    async with ScriptedChat() as chat:
        model = {"CHAT_BASE_URL": chat.base_url, "CHAT_MODEL": "scripted"}
        async with running(settings_for(folder, **everything, **model)) as service:
            obeying = [await _obeying(service, chat, number, case) for number, case in enumerate(cases)]
    async with running(settings_for(folder, **everything)) as service:
        quoting = [await _quoting(service, number, case) for number, case in enumerate(cases)]
    return [
        Outcome(case, prompts, replies + quoted)
        for case, (prompts, replies), quoted in zip(cases, obeying, quoting, strict=True)
    ]


async def _obeying(service: Service, chat: ScriptedChat, number: int, case: Case) -> tuple[list[str], list[str]]:
    """The faults of the prompts and of the replies: streamed in pieces, at once, with links for citations, to apps
    that speak the OpenAI API, and to agents."""
    chat.requests.clear()
    chat.reply = writes(lambda body: pieces(case.obeyed(prompt_of(body)), _PIECE))
    streamed = await service.stream(**_request(number, case))
    sources: list[dict[str, Any]] = streamed.events[0][1]["sources"]
    chat.reply = writes(lambda body: case.obeyed(prompt_of(body)))
    at_once = await service.ask(**_request(number, case), top_k=9)
    linked = await service.ask(**_request(number, case), citation_style="links")
    completion = await _completed(service, number, case)
    told = await _agent_is_told(service, number, case, sources)
    prompts = [fault for body in chat.requests for fault in _prompt_faults(body, len(sources), case)]
    replies = [fault for reply in (streamed.done, at_once, linked) for fault in reply_faults(reply, sources)]
    replies += text_faults(completion, {source["number"] for source in sources}, allowed_urls(sources))
    replies += told + list(_differences(streamed.names, streamed.text, streamed.done, at_once))
    return prompts, replies


async def _completed(service: Service, number: int, case: Case) -> str:
    """What the OpenAI API's face says, which is no verdict but all text; nothing where it is an error."""
    request = _request(number, case)
    messages = [{"role": "user", "content": request.pop("question")}]
    body = {"model": "vouch", "messages": messages, "vouch": request}
    reply = await service.http.post("/v1/chat/completions", json=body)
    return str(reply.json()["choices"][0]["message"]["content"]) if reply.status_code == 200 else ""


async def _agent_is_told(service: Service, number: int, case: Case, sources: list[dict[str, Any]]) -> list[str]:
    """The faults of what the tools give: the reply and its text, and the texts that show passages and titles."""
    request = _request(number, case)
    asked = await _called(service, "ask", **request, top_k=10)
    found = await _called(service, "search", query=case.question, filter=request["filter"])
    listed = await _called(service, "list_documents", prefix=folder_of(number))
    told = [result["content"][0]["text"] for result in (asked, found, listed)]
    faults = reply_faults(asked["structuredContent"], sources) + agent_faults(told[0], asked["structuredContent"])
    return faults + [fault for text in told[1:] for fault in forgeries(text)]


async def _called(service: Service, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of an MCP tool, without the client of the SDK, which takes longer than the call."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"Accept": "application/json, text/event-stream"}
    reply = await service.http.post("/mcp", json=call, headers=headers)
    [message] = [line[6:] for line in reply.text.splitlines() if line.startswith("data: ")]
    result: dict[str, Any] = json.loads(message)["result"]
    assert "structuredContent" in result, result
    return result


async def _quoting(service: Service, number: int, case: Case) -> list[str]:
    """The faults of the answer that quotes the sources, without a model."""
    reply = await service.ask(**_request(number, case))
    return reply_faults(reply, reply["sources"])


def _request(number: int, case: Case) -> dict[str, Any]:
    return {"question": case.question, "intent": "answer", "filter": {"source_prefix": folder_of(number)}}


def _prompt_faults(body: Body, sources: int, case: Case) -> list[str]:
    hidden = ["hidden text reached the model"] if case.unseen and "SESAME" in prompt_of(body) else []
    return hidden + prompt_faults(body["messages"], sources)


def _differences(names: list[str], text: str, done: dict[str, Any], at_once: dict[str, Any]) -> Iterator[str]:
    if names.count("done") != 1 or names[-1] != "done":
        yield "not one `done`, at the end"
    if done["answer"] is not None and text != done["answer"]:
        yield "what was streamed is not the answer"
    for field in ("status", "reason", "answer", "cited", "dropped"):
        if done[field] != at_once[field]:
            yield f"{field} depends on how the text was split"


def table(outcomes: list[Outcome]) -> str:
    """For the page: a row for each family of cases."""
    families = dict.fromkeys(outcome.case.family for outcome in outcomes)
    rows = [_row(family, [one for one in outcomes if one.case.family == family]) for family in families]
    head = ["| attack | cases | kept inside its fence | nothing broke out |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, _row("all", outcomes)])


def _row(name: str, outcomes: list[Outcome]) -> str:
    fenced = sum(not outcome.prompt for outcome in outcomes)
    kept = sum(not outcome.replies for outcome in outcomes)
    return f"| {name} | {len(outcomes)} | {fenced} | {kept} |"
