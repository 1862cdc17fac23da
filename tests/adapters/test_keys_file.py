"""The file of callers: what is taken, what is refused and how, and changes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.adapters.keys_edit import add_caller, remove_caller
from app.adapters.keys_file import KeysFile, read_callers
from app.core.callers import Caller, Limits, key_digest
from app.errors import SettingsError

DIGEST = key_digest("planted-key")
WHOLE = f"""# who asks
[[callers]]
name = "hr-portal"
sha256 = "{DIGEST}"
groups = ["hr", "tenant:acme"]
admin = true
limits = {{ requests_per_minute = 60, answers_per_month = 1000 }}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "keys.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_caller_has_all_that_its_table_says(tmp_path: Path) -> None:
    assert KeysFile(written(tmp_path, WHOLE)).find("planted-key") == Caller(
        name="hr-portal",
        groups=frozenset({"public", "hr", "tenant:acme"}),
        is_admin=True,
        limits=Limits(requests_per_minute=60, answers_per_month=1000),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("callers = 1", "is not valid: Expected array"),
        ("planted-key = [", "is not valid TOML"),
        (WHOLE.replace("admin", "is_admin"), "unknown field is_admin"),
        (WHOLE.replace(DIGEST, "planted-key"), "matching regex"),
        (WHOLE.replace(DIGEST, DIGEST.upper()), "matching regex"),
        (WHOLE.replace('"hr-portal"', '"owner"'), "not anonymous or owner"),
        (WHOLE.replace('"hr"', '"tenant:"'), "a group of hr-portal is no name"),
        (WHOLE.replace("60", "0"), ">= 1"),
        (WHOLE.replace("answers_per_month", "answers_per_week"), "unknown field answers_per_week"),
        (WHOLE + WHOLE, "names hr-portal twice"),
        (WHOLE + WHOLE.replace("hr-portal", "other"), "gives two callers the same key"),
    ],
)
def test_a_file_that_is_not_valid_is_told_in_one_line_without_a_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_callers(written(tmp_path, text))
    message = str(refused.value)
    assert said in message
    assert "keys.toml" in message
    assert not {"planted-key", DIGEST, "\n"} & {part for part in ("planted-key", DIGEST, "\n") if part in message}


def test_a_file_that_is_not_there_is_told_with_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="python -m app keys add"):
        KeysFile(tmp_path / "none.toml")


def test_what_is_added_is_found_and_only_its_digest_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "new" / "keys.toml"
    key = add_caller(path, "hr-portal", ["hr", "tenant:acme", 'a "b" \\'], is_admin=False)
    assert key not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    found = KeysFile(path).find(key)
    assert found is not None
    assert (found.name, set(found.groups)) == ("hr-portal", {"public", "hr", "tenant:acme", 'a "b" \\'})
    other = add_caller(path, "ops", [], is_admin=True)
    assert other != key
    assert [entry.caller.is_admin for entry in read_callers(path)] == [False, True]


def test_a_caller_that_could_not_be_read_back_is_not_added(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    for name, groups in (("hr-portal", []), ("two words", []), ("ops", ["tenant:"])):
        with pytest.raises(SettingsError):
            add_caller(path, name, groups, is_admin=False)
    assert path.read_text() == WHOLE


def test_a_caller_is_removed_and_all_else_stays_as_it_was_written(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    add_caller(path, "ops", [], is_admin=True)
    before = path.read_text()
    add_caller(path, "brief", ["hr"], is_admin=False)
    remove_caller(path, "brief")
    assert path.read_text().rstrip() == before.rstrip()
    remove_caller(path, "hr-portal")
    assert path.read_text().startswith("# who asks\n[[callers]]")
    assert [entry.caller.name for entry in read_callers(path)] == ["ops"]
    with pytest.raises(SettingsError, match="keys list"):
        remove_caller(path, "hr-portal")


def test_what_was_written_in_another_way_is_left_to_its_writer(tmp_path: Path) -> None:
    text = f'callers = [{{ name = "a", sha256 = "{DIGEST}" }}]\n'
    path = written(tmp_path, text)
    with pytest.raises(SettingsError, match="by hand"):
        remove_caller(path, "a")
    assert path.read_text() == text
