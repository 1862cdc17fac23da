"""The tools of /mcp, without the SDK: what they take, what they do and what they give."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from litestar import Request
from litestar.datastructures import State
from msgspec import Meta, Struct

from app import answering
from app.core import agent_text
from app.core.model import Reply, Status
from app.core.search_reply import SearchReply
from app.request import DEFAULT_TOP_K
from app.services import Services
from app.web.access import scope_of
from app.web.answers import AnswerRequest, Filter, found, prepare
from app.web.documents import MAX_LISTED, DocumentPage, page_of

_Request = Request[Any, Any, State]


class Outcome(Struct, frozen=True):
    """The structured result of a call, and the text for a model that reads only that."""

    structured: Struct
    text: str
    is_error: bool = False


class Tool(Struct, frozen=True):
    name: str
    description: str
    takes: type[Struct]
    gives: type[Struct]
    run: Callable[[_Request, Any], Awaitable[Outcome]]

    @property
    def input_schema(self) -> dict[str, Any]:
        return _schema(self.takes)

    @property
    def output_schema(self) -> dict[str, Any]:
        return _schema(self.gives)

    async def call(self, request: _Request, arguments: dict[str, Any]) -> Outcome:
        """Raises msgspec.ValidationError for arguments that the tool does not take, and what its route raises."""
        return await self.run(request, msgspec.convert(arguments, self.takes))


class SearchRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    query: Annotated[str, Meta(description="A question, or what the passages should be about.")]
    top_k: Annotated[int, Meta(description="At most so many passages; clamped to 1..40.")] = DEFAULT_TOP_K
    filter: Filter = Filter()


class ListRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    prefix: Annotated[str | None, Meta(description="Only documents at or below this path.")] = None
    limit: Annotated[int, Meta(ge=1, le=MAX_LISTED, description="At most so many documents.")] = 100
    cursor: Annotated[str | None, Meta(description="`cursor` of the page before.")] = None


async def _ask(request: _Request, asked: AnswerRequest) -> Outcome:
    work = await prepare(request, asked)
    reply: Reply = await work(lambda _: None)
    return Outcome(reply, agent_text.answer(reply), reply.status is Status.FAILED)


async def _search(request: _Request, wanted: SearchRequest) -> Outcome:
    scope = scope_of(request, wanted.filter.source_prefix, wanted.filter.tags)
    ask = answering.ask(wanted.query, top_k=wanted.top_k, intent="answer", scope=scope)
    reply = await found(ask, _services(request))
    return Outcome(reply, agent_text.found(reply))


async def _list(request: _Request, wanted: ListRequest) -> Outcome:
    page = await page_of(request, wanted.prefix, wanted.limit, wanted.cursor)
    named = [(document.title, document.document_id) for document in page.documents]
    return Outcome(page, agent_text.listed(named, page.cursor))


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "ask",
            "Answer a question from the documents, with numbered citations and a verdict.",
            AnswerRequest,
            Reply,
            _ask,
        ),
        Tool(
            "search", "Find the passages that a question would be answered from.", SearchRequest, SearchReply, _search
        ),
        Tool(
            "list_documents",
            "List the documents there are, in the order of their ids.",
            ListRequest,
            DocumentPage,
            _list,
        ),
    )
}


def _services(request: _Request) -> Services:
    services: Services = request.app.state.services
    return services


def _schema(described: type[Struct]) -> dict[str, Any]:
    """Its JSON Schema with an object at the top, as MCP wants it."""
    schema = msgspec.json.schema(described)
    definitions: dict[str, Any] = schema["$defs"]
    top: dict[str, Any] = definitions.pop(described.__name__)
    return top | {"$defs": definitions}
