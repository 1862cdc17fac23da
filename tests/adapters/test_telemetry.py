"""Libraries that would tell their makers of our use of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_LOAD = "from app.adapters import fastembed_embedder; fastembed_embedder.load('bundled').close()"


def test_loading_a_model_leaves_nothing_to_be_sent_anywhere(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    here = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", _LOAD], env={**env, **here}, check=True)
    assert not [path for path in tmp_path.rglob("*") if "onnxruntime" in path.name]
