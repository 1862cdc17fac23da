"""Finding the documents of a folder, and reading their bytes."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import sources
from ingest.errors import NothingToIngest, UnreadableDocument
from ingest.intake import Intake
from ingest.sources import SourceFile, find_files, read_bytes


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")


def ids(root: Path) -> list[str]:
    return [file.document_id for file in find_files(root)]


def refusal(file: SourceFile, intake: Intake = sources.DEFAULT) -> str:
    with pytest.raises(UnreadableDocument) as refused:
        read_bytes(file, intake)
    return str(refused.value)


def test_documents_are_found_by_suffix_and_sorted_by_id(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/z.txt", "a.MARKDOWN", "c.text", "d.unknown", "md", "a/é.md")
    assert ids(tmp_path) == ["a.MARKDOWN", "a/z.txt", "a/é.md", "b.md", "c.text"]


def test_hidden_files_and_folders_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ".hidden.md", ".git/b.md", "c/.d/e.md", ".md")
    assert ids(tmp_path) == ["a.md"]


def test_a_root_that_is_hidden_or_a_link_is_walked(tmp_path: Path) -> None:
    write(tmp_path, ".corpus/a.md")
    (tmp_path / "link").symlink_to(".corpus")
    assert ids(tmp_path / ".corpus") == ids(tmp_path / "link") == ["a.md"]


def test_a_missing_root_holds_no_documents(tmp_path: Path) -> None:
    assert ids(tmp_path / "nowhere") == []


def test_links_out_of_the_corpus_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside.md", "out/x.md", "corpus/a.md")
    corpus = tmp_path / "corpus"
    (corpus / "file.md").symlink_to(tmp_path / "outside.md")
    (corpus / "folder").symlink_to(tmp_path / "out")
    (corpus / "nowhere.md").symlink_to("../missing.md")
    assert ids(corpus) == ["a.md"]


def test_a_folder_whose_name_begins_like_the_corpus_is_outside(tmp_path: Path) -> None:
    write(tmp_path, "corpus-private/x.md", "corpus/a.md")
    (tmp_path / "corpus/x.md").symlink_to("../corpus-private/x.md")
    assert ids(tmp_path / "corpus") == ["a.md"]


def test_links_to_files_inside_are_followed_and_links_to_folders_are_not(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "folder/b.md")
    (tmp_path / "copy.md").symlink_to("a.md")
    (tmp_path / "again").symlink_to("folder")
    (tmp_path / "folder/up").symlink_to("..")
    assert ids(tmp_path) == ["a.md", "copy.md", "folder/b.md"]
    assert read_bytes(list(find_files(tmp_path))[1]) == b"a.md"


def test_links_in_a_loop_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "x.md").symlink_to("y.md")
    (tmp_path / "y.md").symlink_to("x.md")
    assert ids(tmp_path) == ["a.md"]


def test_a_link_to_a_missing_file_inside_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "x.md").symlink_to("missing.md")
    [file] = find_files(tmp_path)
    assert refusal(file) == "it can't be read: No such file or directory"


def test_a_pipe_fails_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.md")
    [file] = find_files(tmp_path)
    assert refusal(file) == "it is not a regular file"


def test_a_name_that_is_not_utf8_fails_alone(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("text", encoding="utf-8")
    [file] = find_files(tmp_path)
    assert file.document_id.encode("utf-8").startswith(b"caf")
    assert refusal(file) == "its name is not valid UTF-8: rename it"


def test_of_two_names_that_are_one_in_nfc_one_is_the_document_and_the_other_fails(tmp_path: Path) -> None:
    write(tmp_path, "caf\u00e9/a.md", "cafe\u0301/a.md")
    first, second = sorted(find_files(tmp_path), key=lambda file: file.fault is not None)
    assert (first.document_id, read_bytes(first)) == ("café/a.md", "caf\u00e9/a.md".encode())
    assert "another file bears this name" in refusal(second)
    assert second.document_id != first.document_id


def test_a_document_that_is_too_large_fails(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"x" * (2**20 + 1))
    [file] = find_files(tmp_path)
    assert refusal(file, Intake(max_document_mb=1)) == "it is larger than 1 MB"
    assert len(read_bytes(file)) > 2**20


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_fails_alone(tmp_path: Path) -> None:
    write(tmp_path, "x.md")
    (tmp_path / "x.md").chmod(0)
    [file] = find_files(tmp_path)
    assert refusal(file) == "it can't be read: Permission denied"


def test_a_folder_that_cannot_be_read_is_a_failure_not_a_folder_without_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.md", "closed/b.md")
    scandir = os.scandir

    def refusing(path: str) -> object:
        """As the kernel does it; the superuser, who may run the tests, is never refused."""
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    a, closed = find_files(tmp_path)
    assert (a.document_id, closed.document_id) == ("a.md", "closed")
    assert refusal(closed) == "it can't be read: Permission denied"
    with pytest.raises(NothingToIngest, match="closed can't be read: Permission denied"):
        list(find_files(tmp_path / "closed"))


NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]) | st.sampled_from("e\u0301o\u0308"),
    min_size=1,
    max_size=12,
).filter(lambda name: not name.startswith("."))


@given(st.lists(NAMES, max_size=6))
def test_ids_are_in_nfc_sorted_and_each_stands_for_one_file(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    root = tmp_path_factory.mktemp("corpus")
    paths = {f"{name}.md" for name in names}
    write(root, *paths)
    files = list(find_files(root))
    found = [file.document_id for file in files]
    assert found == sorted(set(found))
    assert len(files) == len(paths)
    assert all(unicodedata.is_normalized("NFC", name) for name in found)
