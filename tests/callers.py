"""A file of callers for tests, whose keys are known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from app.core.callers import key_digest

KEYS = {
    "wiki": "vouch_test-key-of-wiki",
    "hr-portal": "vouch_test-key-of-hr-portal",
    "board-app": "vouch_test-key-of-board-app",
    "ops": "vouch_test-key-of-ops",
}
"""`wiki` is in no group, `ops` is an admin in none."""
_GROUPS = {"hr-portal": '"hr"', "board-app": '"board", "hr", "tenant:acme"'}


def write_keys(folder: Path, extra: str = "") -> Path:
    """The file of these callers in `folder`, with further TOML at its end."""
    tables = [
        f'[[callers]]\nname = "{name}"\nsha256 = "{key_digest(key)}"\ngroups = [{_GROUPS.get(name, "")}]\n'
        f"admin = {str(name == 'ops').lower()}\n"
        for name, key in KEYS.items()
    ]
    path = folder / "keys.toml"
    path.write_text("\n".join([*tables, extra]), encoding="utf-8")
    return path


def as_caller(name: str) -> Mapping[str, str]:
    """The header with the key of a caller."""
    return {"Authorization": f"Bearer {KEYS[name]}"}
