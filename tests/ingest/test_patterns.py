"""`.vouchignore` and INCLUDE: which files of a corpus are documents."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import UnreadableDocument
from ingest.intake import Intake
from ingest.patterns import IGNORE_FILE
from ingest.sources import find_files, read_bytes
from tests.service import ingest, settings_for, write_corpus


def corpus(root: Path, *names: str, ignored: str | dict[str, str] | None = None) -> None:
    """Files of these names, and `.vouchignore` files by folder; a text alone is that of the corpus."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("text", encoding="utf-8")
    for folder, lines in ({"": ignored} if isinstance(ignored, str) else ignored or {}).items():
        (root / folder / IGNORE_FILE).write_text(lines, encoding="utf-8")


def ids(root: Path, *include: str) -> list[str]:
    return [file.document_id for file in find_files(root, Intake(include=include))]


def test_a_pattern_holds_for_all_folders_below(tmp_path: Path) -> None:
    corpus(tmp_path, "a.md", "b.txt", "x/a.md", "x/b.txt", ignored="*.txt\n")
    assert ids(tmp_path) == ["a.md", "x/a.md"]


def test_a_pattern_with_a_slash_holds_for_its_own_folder(tmp_path: Path) -> None:
    corpus(tmp_path, "a.md", "x/a.md", "x/y/a.md", ignored={"": "# not the old one\n\n/a.md\n", "x": "y/a.md\n"})
    assert ids(tmp_path) == ["x/a.md"]


def test_a_folder_is_left_out_with_all_that_is_in_it(tmp_path: Path) -> None:
    corpus(tmp_path, "a.md", "drafts/b.md", "x/drafts/c/d.md", "drafts.md", ignored="drafts/\n!drafts/b.md\n")
    assert ids(tmp_path) == ["a.md", "drafts.md"]


def test_the_nearest_file_decides(tmp_path: Path) -> None:
    corpus(tmp_path, "a.txt", "x/a.txt", "x/y/a.txt", ignored={"": "*.txt", "x": "!*.txt", "x/y": "*.txt"})
    assert ids(tmp_path) == ["x/a.txt"]


def test_everything_but_can_be_said(tmp_path: Path) -> None:
    corpus(tmp_path, "a.md", "a.txt", "x/b.md", "x/b.txt", ignored="*\n!*/\n!*.md\n")
    assert ids(tmp_path) == ["a.md", "x/b.md"]


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    corpus(tmp_path, "a.md", "b.md", ignored="\ufeffa.md\r\nc.md\r\n")
    assert ids(tmp_path) == ["b.md"]


def test_accents_match_in_either_encoding(tmp_path: Path) -> None:
    corpus(tmp_path, "cafe\u0301.md", "a.md", ignored="caf\u00e9.md\n")
    assert ids(tmp_path) == ["a.md"]


def test_included_are_files_of_a_known_format_that_a_pattern_names(tmp_path: Path) -> None:
    corpus(tmp_path, "a.md", "b.txt", "docs/c.txt", "docs/d.md", "docs/old/e.md", "docs/f.unknown")
    assert ids(tmp_path, "*.md") == ["a.md", "docs/d.md", "docs/old/e.md"]
    assert ids(tmp_path, "docs/", "!docs/old/") == ["docs/c.txt", "docs/d.md"]
    assert ids(tmp_path, "/*.txt") == ["b.txt"]


def test_a_folder_can_be_exempted_from_what_is_included_whatever_named_its_files(tmp_path: Path) -> None:
    corpus(tmp_path, "a.md", "drafts/b.md", "docs/c.txt", "docs/drafts/d.md", "docs/e.md", "f.txt")
    assert ids(tmp_path, "*.md", "docs/", "!drafts/") == ["a.md", "docs/c.txt", "docs/e.md"]
    assert ids(tmp_path, "docs/", "!docs/e.md") == ["docs/c.txt", "docs/drafts/d.md"]
    assert ids(tmp_path, "*.md", "!drafts/", "/drafts/b.md") == ["a.md", "docs/e.md", "drafts/b.md"]


def test_what_is_included_can_still_be_ignored(tmp_path: Path) -> None:
    corpus(tmp_path, "a.md", "b.md", ignored="b.md")
    assert ids(tmp_path, "*.md") == ["a.md"]


@pytest.mark.parametrize("folder", ["", "x"])
@pytest.mark.parametrize("fault", ["a pattern", "a pipe", "a folder", "its size", "its encoding"])
def test_a_file_that_cannot_be_followed_fails_its_folder_and_shows_nothing_in_it(
    tmp_path: Path, folder: str, fault: str
) -> None:
    corpus(tmp_path, "a.md", "x/b.md", "x/y/c.md")
    path = tmp_path / folder / IGNORE_FILE
    match fault:
        case "a pattern":
            path.write_text("*.txt\n[z-a].md\n", encoding="utf-8")
        case "a pipe":
            os.mkfifo(path)
        case "a folder":
            path.mkdir()
        case "its size":
            path.write_bytes(b"x\n" * 2**20)
        case "its encoding":
            path.write_text("*.txt\n", encoding="utf-16")
    failed = list(find_files(tmp_path))[-1]
    assert ids(tmp_path) == (["a.md", "x"] if folder else ["."])
    with pytest.raises(UnreadableDocument, match="vouchignore can't be followed"):
        read_bytes(failed)


async def test_a_document_that_becomes_ignored_leaves_the_index_and_comes_back_without_embedding(
    tmp_path: Path,
) -> None:
    root = write_corpus(tmp_path)
    shutil.copy(root / "leave.md", root / "copy.md")
    first = await ingest(settings_for(tmp_path))
    (root / IGNORE_FILE).write_text("copy.md\n", encoding="utf-8")
    assert (await ingest(settings_for(tmp_path))).documents.removed == 1
    (root / IGNORE_FILE).unlink()
    again = await ingest(settings_for(tmp_path))
    assert (again.documents.added, again.passages.embedded, again.revision) == (1, 0, first.revision)


async def test_documents_stay_while_it_cannot_be_known_what_is_ignored(tmp_path: Path) -> None:
    root = write_corpus(tmp_path)
    first = await ingest(settings_for(tmp_path))
    (root / IGNORE_FILE).write_text("[z-a]\n", encoding="utf-8")
    failed = await ingest(settings_for(tmp_path))
    assert (failed.documents.removed, failed.documents.failed, failed.revision) == (0, 1, first.revision)


async def test_include_holds_for_the_job(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    assert (await ingest(settings_for(tmp_path, INCLUDE="*.md,!expenses.md"))).documents.added == 1


PATTERNS = st.lists(
    st.sampled_from(["*.md", "*.txt", "/a.md", "x/", "x", "/x/*", "**/y/a.md", "x/**/b.md", "?.txt", "*", "# a", ""])
    | st.sampled_from(["[[:alpha:]].md", "[![:upper:]b].md", "[[:digit:][:punct:]a]*", "[:alpha:].md", "[[:space:]x]/"])
    | st.sampled_from(["!a.md", "!*.txt", "!x/", "!/x/y/", "!*/", "!b.md"]),
    max_size=4,
)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed: there is nothing to compare with")
@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(["", "x", "x/y"]), PATTERNS))
def test_ignored_is_what_git_would_ignore(
    tmp_path_factory: pytest.TempPathFactory, ignored: dict[str, list[str]]
) -> None:
    root = tmp_path_factory.mktemp("corpus")
    corpus(root, *(f"{folder}{name}" for folder in ("", "x/", "x/y/") for name in ("a.md", "b.md", "a.txt")))
    for folder, lines in ignored.items():
        for file in (IGNORE_FILE, ".gitignore"):
            (root / folder / file).write_text("\n".join(lines), encoding="utf-8")
    listed = ["git", "-C", str(root), "ls-files", "--others", "--exclude-per-directory=.gitignore"]
    subprocess.run(["git", "init", "--quiet", root], check=True)
    found = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split()
    assert ids(root) == sorted(name for name in found if not Path(name).name.startswith("."))
