"""A conversation as the OpenAI chat API sends it, read as one question and what it may follow up on.

The last message of the user is the question. Of the others only the user's earlier questions count, and only to widen
the search of a question that needs it. What the other roles say is neither evidence nor shown to the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct

from app.core.followups import AboutTheAnswer, about_the_answer, widened
from app.core.openai_parameters import Fault
from app.core.question import BadQuestion, normalise

_TEXT_PARTS = ("text", "refusal")
_REMEMBERED = 20
"""Earlier questions that are looked at."""


class Part(Struct, frozen=True):
    """A piece of a message's content."""

    type: str
    text: str = ""


class AnswerId(Struct, frozen=True):
    """What a message of ours says of its answer, and brings back when the caller sends the message again."""

    id: str | None = None


class ChatMessage(Struct, frozen=True):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | tuple[Part, ...] | None = None
    vouch: AnswerId | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or ())


class Conversation(Struct, frozen=True):
    question: str
    """The last one, normalised."""
    earlier: tuple[str, ...] = ()
    """The newest questions before it that are not about an answer, normalised, oldest first."""
    previous: str | None = None
    """The id of the answer before it, when the caller sent it back."""

    @property
    def about(self) -> AboutTheAnswer | None:
        """Set when the question is about the answer before it, not about the documents."""
        return about_the_answer(self.question)

    @property
    def searched(self) -> str | None:
        """What the question before it was searched with."""
        searched: str | None = None
        for question in self.earlier:
            searched = widened(question, searched) if searched else question
        return searched

    def asked_again(self) -> Conversation:
        """As if the question before it had been asked once more; itself when there is none."""
        return Conversation(self.earlier[-1], self.earlier[:-1]) if self.earlier else self


def fault(messages: Sequence[ChatMessage]) -> Fault | None:
    """What is wrong with the messages; None when nothing is."""
    for place, message in enumerate(messages):
        parts = () if isinstance(message.content, str) else message.content or ()
        for index, part in enumerate(parts):
            if part.type not in _TEXT_PARTS:
                text = f"Invalid content type. {part.type} is only supported by certain models."
                return Fault(text, f"messages.[{place}].content.[{index}].type", "invalid_value")
    if not any(message.role == "user" for message in messages):
        return Fault("Invalid 'messages': one of them must have the role 'user'.", "messages", "invalid_value")
    return None


def read(messages: Sequence[ChatMessage]) -> Conversation:
    """The question that faultless messages ask. Raises BadQuestion when it can't be asked."""
    last = max(place for place, message in enumerate(messages) if message.role == "user")
    before = messages[:last]
    return Conversation(normalise(messages[last].text), _questions(before), _answered(before))


def _questions(messages: Sequence[ChatMessage]) -> tuple[str, ...]:
    newest = islice((message for message in reversed(messages) if message.role == "user"), _REMEMBERED)
    return tuple(reversed([*_standing(newest)]))


def _standing(messages: Iterable[ChatMessage]) -> Iterator[str]:
    for message in messages:
        try:
            question = normalise(message.text)
        except BadQuestion:
            continue
        if about_the_answer(question) is None:
            yield question


def _answered(messages: Sequence[ChatMessage]) -> str | None:
    """The id of the newest answer; one without an id hides those before it."""
    answer = next((message for message in reversed(messages) if message.role == "assistant"), None)
    return answer.vouch.id if answer and answer.vouch else None
