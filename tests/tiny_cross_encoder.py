"""Real cross-encoders of a few kilobytes, as folders for RERANKER_MODEL. They read with the bundled model's tokenizer.

What they score is the sum of a weight for each word, of question and passage together. The ONNX files are written
field by field (protobuf's wire format, field numbers of onnx.proto3): the package that could do it has 18 MB.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Mapping
from pathlib import Path

from tokenizers import Tokenizer

from app.adapters import bundled_model

_FLOAT, _INT64 = 1, 7
_INT, _INTS = 2, 7
_VARINT, _BYTES = 0, 2
_SLOW_SIDE = 1_200


def write(folder: Path, weights: Mapping[str, float], *, vocabulary: int | None = None, slow: bool = False) -> Path:
    """A model for words that are one token each. With a smaller `vocabulary` it breaks; a `slow` one takes 0.1 s and
    more for each pair."""
    with bundled_model.model_folder() as bundled:
        shutil.copytree(bundled, folder, ignore=shutil.ignore_patterns("model.onnx"))
    tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
    table = [0.0] * (vocabulary or tokens.get_vocab_size())
    for word, weight in weights.items():
        table[tokens.token_to_id(word)] = weight
    (folder / "model.onnx").write_bytes(_model(table, slow))
    return folder


def _model(table: list[float], slow: bool) -> bytes:
    nodes = [
        _node("Gather", ["weights", "input_ids"], "weighed"),
        _node("ReduceSum", ["weighed"], "sum", axes=[1], keepdims=0),
    ]
    if slow:  # a large product that depends on the input, and does not change the sum
        nodes += [
            _node("Expand", ["sum", "square"], "large"),
            _node("MatMul", ["large", "large"], "product"),
            _node("ReduceMin", ["product"], "least", axes=[0, 1], keepdims=0),
            _node("Mul", ["least", "nothing"], "zero"),
        ]
    nodes.append(_node("Add", ["sum", "zero" if slow else "nothing"], "score"))
    constants = [
        _tensor("weights", _FLOAT, [len(table), 1], struct.pack(f"<{len(table)}f", *table)),
        _tensor("nothing", _FLOAT, [1], struct.pack("<f", 0.0)),
        _tensor("square", _INT64, [2], struct.pack("<2q", _SLOW_SIDE, _SLOW_SIDE)),
    ]
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, b"tiny"),
            *(_field(5, constant) for constant in constants),
            _field(11, _value("input_ids", _INT64, "batch", "sequence")),
            _field(12, _value("score", _FLOAT, "batch", "one")),
        ]
    )
    return _field(1, 7) + _field(8, _field(2, 11)) + _field(7, graph)


def _node(kind: str, inputs: list[str], output: str, **attributes: int | list[int]) -> bytes:
    given = b"".join(_field(1, name.encode()) for name in inputs) + _field(2, output.encode())
    return given + _field(4, kind.encode()) + b"".join(_field(5, _attribute(*pair)) for pair in attributes.items())


def _attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name.encode()) + _field(20, _INT) + _field(3, value)
    return _field(1, name.encode()) + _field(20, _INTS) + b"".join(_field(8, each) for each in value)


def _tensor(name: str, kind: int, shape: list[int], data: bytes) -> bytes:
    return b"".join(_field(1, side) for side in shape) + _field(2, kind) + _field(8, name.encode()) + _field(9, data)


def _value(name: str, kind: int, *shape: str) -> bytes:
    sides = b"".join(_field(1, _field(2, side.encode())) for side in shape)
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, sides)))


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(value)
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
