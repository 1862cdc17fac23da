"""The hostile documents and questions of cases.toml, and the folder that they make."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from msgspec import Struct

QUESTION = "How much annual leave is there?"
_FILE = Path(__file__).with_name("cases.toml")
_HARMLESS = "# Handbook\n\nThe handbook grants everybody 28 days of annual leave a year.\n"


class Case(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    family: str
    text: str = "It says what annual leave there is."
    title: str | None = None
    heading: str = "Note on leave"
    tags: list[str] = []
    url: str | None = None
    file: str = "note.md"
    more: list[str] = []
    """The texts of further documents."""
    question: str = QUESTION
    reply: str | None = None
    """What a model writes that obeys; PROMPT for all that it was shown, LONG for more than it may write."""
    unseen: bool = False
    """Whether people do not see the text, so that the model must not either."""

    def obeyed(self, prompt: str) -> str:
        """What the model writes that was shown `prompt`."""
        match self.reply:
            case None:
                told = self.question if self.question != QUESTION else " ".join([self.text, *self.more])
                return f"{told} {self.title or ''} {self.heading} {' '.join(self.tags)} {self.file} [1]"
            case "PROMPT":
                return f"{prompt} [1]"
            case "LONG":
                return "Leave is 28 days [1]. " * 1_000
        return self.reply


def read_cases() -> list[Case]:
    """In the order of the file."""
    return msgspec.toml.decode(_FILE.read_bytes(), type=dict[str, list[Case]])["case"]


def folder_of(number: int) -> str:
    """Where the documents of a case are, in the corpus."""
    return f"case-{number:02}"


def write_documents(corpus: Path, cases: list[Case]) -> None:
    """A folder for each case: a harmless document, the hostile one, and what more belongs to it."""
    for number, case in enumerate(cases):
        folder = corpus / folder_of(number)
        folder.mkdir(parents=True)
        (folder / "handbook.md").write_text(_HARMLESS, encoding="utf-8")
        (folder / case.file).write_text(_document(case), encoding="utf-8")
        for place, text in enumerate(case.more):
            (folder / f"part-{place}.md").write_text(f"# Part {place} on leave\n\n{text}\n", encoding="utf-8")


def _document(case: Case) -> str:
    if case.file.endswith(".html"):
        return f"<html><body><h1>{case.heading}</h1><p>On annual leave.</p>{case.text}</body></html>"
    said = {"title": case.title, "url": case.url, "tags": case.tags or None}
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in said.items() if value is not None]
    front = "\n".join(["---", *lines, "---", ""]) if lines else ""
    return f"{front}# {case.heading}\n\n{case.text}\n"
