"""The OpenAI SDK as a client of a running service."""

from __future__ import annotations

from typing import Any

import openai

from tests.service import QUESTION, Service

MODEL = "vouch"


def base_url(service: Service) -> str:
    return f"{service.http.base_url}/v1"


def client(service: Service) -> openai.AsyncOpenAI:
    """Asks once and no more, so that a test sees what the first reply was."""
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    return openai.AsyncOpenAI(base_url=base_url(service), api_key="any", max_retries=0, http_client=http)


def blocking_client(service: Service) -> openai.OpenAI:
    http = openai.DefaultHttpxClient(trust_env=False)
    return openai.OpenAI(base_url=base_url(service), api_key="any", max_retries=0, http_client=http)


def user(text: str = QUESTION) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str, **more: object) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def extension(answer: Any) -> dict[str, Any]:
    """`vouch` of a completion or a chunk."""
    return (answer.model_extra or {})["vouch"]


async def complete(service: Service, *messages: dict[str, Any], **options: Any) -> Any:
    async with client(service) as openai:
        return await openai.chat.completions.create(model=MODEL, messages=messages or (user(),), **options)


async def stream(service: Service, *messages: dict[str, Any], **options: Any) -> list[Any]:
    async with client(service) as openai:
        chunks = await openai.chat.completions.create(
            model=MODEL, messages=messages or (user(),), stream=True, **options
        )
        return [chunk async for chunk in chunks]


def text_of(chunks: list[Any]) -> str:
    """Of a streamed completion."""
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
