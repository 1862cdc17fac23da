"""The pages of documentation: their links lead somewhere, and nothing that a user can set or call is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from app.core.intent import IntentOption
from app.core.verdict import MESSAGES, CitationPolicy
from app.main import create_app
from app.metrics import REGISTRY
from app.request import Mode
from app.settings import Settings
from app.web import problems
from app.web.answers import AnswerRequest
from ingest import readers
from ingest.readers.languages import LANGUAGES
from tests.processes import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Of its headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_and_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.exists(), f"{page.name} links {target}"
        assert not anchor or anchor in anchors(file), f"{page.name} links {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_are_there(page: Path) -> None:
    named = re.findall(r"`((?:app|ingest|tests|bench|ops|docs)/[\w./-]+)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_readme_links_every_page() -> None:
    linked = set(re.findall(r"\]\(docs/(\w+\.md)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert linked == {page.name for page in DOCS.glob("*.md")}


def test_every_setting_is_listed_with_its_default() -> None:
    listed = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*?) \|", text_of("settings.md"), re.MULTILINE))
    expected = {field.encode_name.upper(): _written(field.default) for field in msgspec.structs.fields(Settings)}
    assert {name: default for name, default in listed.items() if name in expected} == expected


def _written(default: object) -> str:
    if default is None or default == "":
        return "empty"
    return f"`{int(default) if isinstance(default, bool | float) else default}`"


def test_every_route_is_told_of() -> None:
    api = create_app(Settings()).openapi_schema.to_schema()
    told = text_of("api.md")
    for path, methods in api["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}`" in told, f"{method} {path}"


def test_every_field_of_a_request_and_every_choice_is_told_of() -> None:
    told = set(re.findall(r"`([\w]+)`", text_of("api.md")))
    choices = [*get_args(CitationPolicy), *get_args(Mode), *get_args(IntentOption)]
    assert {*AnswerRequest.__struct_fields__, *choices} <= told


def test_every_error_and_every_reason_is_told_of() -> None:
    kinds = [kind for kind in vars(problems).values() if isinstance(kind, problems.Kind)]
    told = re.findall(r"^\| `/problems/([\w-]+)` \| (\d+)", text_of("api.md"), re.MULTILINE)
    assert {(kind.slug, str(kind.status)) for kind in kinds} <= set(told)
    assert set(MESSAGES) <= set(re.findall(r"`(\w+)`", text_of("concepts.md")))


def test_every_metric_is_told_of() -> None:
    told = set(re.findall(r"`(vouch_\w+)`", text_of("operations.md")))
    named = {metric.name + ("_total" if metric.type == "counter" else "") for metric in REGISTRY.collect()}
    assert {name for name in named if not name.endswith("_created")} == told


def test_every_format_is_told_of() -> None:
    told = set(re.findall(r"`(\.\w+)`", text_of("documents.md")))
    assert told >= readers.SUFFIXES - LANGUAGES.keys()
