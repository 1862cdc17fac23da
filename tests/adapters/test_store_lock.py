"""One owner of the embedded store, who says so in a note."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.adapters.store_lock import StoreLock, own_store
from app.errors import StoreHeld, StoreUnavailable

HOLDER = """
import sys
from pathlib import Path
from app.adapters.store_lock import own_store

with own_store(Path(sys.argv[1]), "service") as lock:
    lock.announce("http://127.0.0.1:8000")
    print(lock.owner.token, flush=True)
    sys.stdin.read()
"""


def start_holder(path: Path) -> tuple[subprocess.Popen[str], str]:
    """Another process that holds the store until its input ends, and its token."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_the_owner_says_who_it_is_to_its_own_user_alone(tmp_path: Path) -> None:
    with own_store(tmp_path / "new" / "store", "job") as lock:
        note = tmp_path / "new" / "store" / "owner.json"
        assert stat.S_IMODE(note.stat().st_mode) == 0o600
        said = json.loads(note.read_text())
        assert said["role"] == "job"
        assert said["address"] is None
        assert len(said["token"]) >= 32
        assert abs(datetime.fromisoformat(said["since"]) - datetime.now(UTC)) < timedelta(minutes=1)
        assert said["token"] == lock.owner.token
        assert lock.owner.token not in repr(lock.owner)
    assert not note.exists()


def test_an_announced_address_stands_in_the_note(tmp_path: Path) -> None:
    with own_store(tmp_path, "service") as lock:
        before = lock.owner
        lock.announce("http://127.0.0.1:8000")
        note = tmp_path / "owner.json"
        assert stat.S_IMODE(note.stat().st_mode) == 0o600
        said = json.loads(note.read_text())
        assert said["address"] == "http://127.0.0.1:8000"
        assert said["token"] == before.token


def test_every_run_has_a_token_of_its_own(tmp_path: Path) -> None:
    tokens = set()
    for _ in range(3):
        with own_store(tmp_path, "job") as lock:
            tokens.add(lock.owner.token)
    assert len(tokens) == 3


def test_a_second_process_learns_who_holds_the_store(tmp_path: Path) -> None:
    holder, token = start_holder(tmp_path)
    with pytest.raises(StoreHeld, match=f"process {holder.pid}, a service") as caught, own_store(tmp_path, "job"):
        pass
    owner = caught.value.owner
    assert owner is not None
    assert (owner.pid, owner.role, owner.address) == (holder.pid, "service", "http://127.0.0.1:8000")
    assert owner.token == token
    assert token not in str(caught.value)
    holder.communicate(input="")
    with own_store(tmp_path, "job"):
        pass


def test_a_second_holder_in_the_same_process_is_refused_and_disturbs_nothing(tmp_path: Path) -> None:
    with own_store(tmp_path, "service") as lock:
        with pytest.raises(StoreHeld, match=": stop it first"), own_store(tmp_path, "job"):
            pass
        assert json.loads((tmp_path / "owner.json").read_text())["token"] == lock.owner.token
        with pytest.raises(StoreHeld), own_store(tmp_path, "job"):
            pass


def test_a_job_may_be_waited_for(tmp_path: Path) -> None:
    with own_store(tmp_path, "job"), pytest.raises(StoreHeld, match=r"a job since .*: wait until it is done"):
        StoreLock(tmp_path).acquire("job")


def test_a_killed_owner_frees_the_store_and_its_note_is_replaced(tmp_path: Path) -> None:
    holder, token = start_holder(tmp_path)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert json.loads((tmp_path / "owner.json").read_text())["token"] == token, "it had no time to tidy up"
    with own_store(tmp_path, "job") as lock:
        assert json.loads((tmp_path / "owner.json").read_text())["token"] == lock.owner.token != token


def note_of_a_process_that_ended() -> str:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return json.dumps({"pid": ended.pid, "since": "", "role": "service", "address": None, "token": "old"})


@pytest.mark.parametrize("note", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1e99}', "\udcff", None, "ended"])
def test_a_note_that_says_nothing_leaves_the_owner_unknown(tmp_path: Path, note: str | None) -> None:
    with own_store(tmp_path, "service"):
        file = tmp_path / "owner.json"
        if note is None:
            file.unlink()
        else:
            text = note_of_a_process_that_ended() if note == "ended" else note
            file.write_bytes(text.encode(errors="surrogateescape"))
        with pytest.raises(StoreHeld, match="stop it first") as caught, own_store(tmp_path, "job"):
            pass
        assert caught.value.owner is None


def test_a_failure_in_the_block_frees_the_store(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), own_store(tmp_path, "job"):
        raise ZeroDivisionError
    with own_store(tmp_path, "job"):
        pass


def test_releasing_twice_or_without_holding_is_harmless(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path)
    lock.release()
    lock.acquire("job")
    lock.release()
    lock.release()
    with own_store(tmp_path, "job"):
        StoreLock(tmp_path).release()
        assert (tmp_path / "owner.json").exists(), "only the owner takes its note away"


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match="set QDRANT_PATH"), own_store(tmp_path / "file" / "store", "job"):
        pass


def test_a_note_that_cannot_be_written_frees_the_store(tmp_path: Path) -> None:
    (tmp_path / "owner.json").mkdir()
    lock = StoreLock(tmp_path)
    with pytest.raises(StoreUnavailable, match="set QDRANT_PATH"):
        lock.acquire("job")
    (tmp_path / "owner.json").rmdir()
    with own_store(tmp_path, "job"):
        pass
