"""Notebooks: cells in order, outputs in bounds, and what is not taken in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingest.document import Block, Document
from ingest.errors import UnreadableDocument
from ingest.readers import read


def notebook(*cells: dict[str, Any], **metadata: Any) -> Document:
    return read("a.ipynb", json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}).encode())


def text(source: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source}


def code(source: str | list[str], *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def printed(words: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": [words]}


def shown(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {kind.replace("_", "/"): value for kind, value in data.items()}}


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def test_cells_stand_in_order_under_the_headings_above_them() -> None:
    read = notebook(
        text(["# Load\n", "First the data."]),
        code(["import x\n", "x.load()"], printed("10 rows\n")),
        text("## Plot"),
        code("plot()"),
        language_info={"name": "julia"},
    )
    assert read.title == "Load"
    assert read.blocks == (
        Block("First the data.", ("Load",), section=1),
        Block("```julia\nimport x\nx.load()\n```", ("Load",), "code", section=1),
        Block("```text\n10 rows\n```", ("Load",), "code", section=1),
        Block("```julia\nplot()\n```", ("Load", "Plot"), "code", section=2),
    )


def test_what_is_left_open_in_one_cell_does_not_swallow_the_next() -> None:
    assert texts(notebook(text("```\nopen"), text("<!-- open"), text("Seen.")))[-1] == "Seen."


def test_what_an_emptied_cell_printed_is_kept() -> None:
    assert texts(notebook(code(" ", printed("10 rows")))) == ["```text\n10 rows\n```"]


def test_half_an_emoji_is_a_mark_and_no_failure() -> None:
    cut = notebook(text("A \U0001f600 b"), code("x", printed("cut \ud83d")))
    assert texts(cut) == ["A \U0001f600 b", "```python\nx\n```", "```text\ncut \ufffd\n```"]


def test_front_matter_and_the_title_of_the_metadata_count() -> None:
    raw = {"cell_type": "raw", "source": "---\ntitle: Stated\naccess: [hr]\ntags: a\n---\n"}
    read = notebook(raw, text("# Heading\ntext"), title="Metadata")
    assert (read.title, read.access, read.tags) == ("Stated", ("hr",), ("a",))
    assert texts(read) == ["text"]
    assert notebook(text("# Heading\ntext"), title="Metadata").title == "Metadata"


def test_outputs_are_kept_in_bounds_and_the_rest_is_reported() -> None:
    read = notebook(code("run()", printed("y" * 5_000)))
    assert texts(read)[1] == f"```text\n{'y' * 2_000}\n```"
    assert read.left_out == ("outputs behind their first 2,000 characters",)


def test_pictures_widgets_and_warnings_are_left_out_and_reported() -> None:
    read = notebook(
        code(
            "run()",
            shown(image_png="iVBOR", text_plain="<Figure size 640x480 with 1 Axes>"),
            shown(text_html="<b>x</b>"),
            printed("Deprecated", "stderr"),
            shown(text_html="<table>", text_plain=["   a\n", "0  1"]),
            {"output_type": "error", "ename": "ValueError", "evalue": "\x1b[31mno\x1b[0m", "traceback": ["..."]},
        ),
        text("![](data:image/png;base64,iVBOR/w0=)\n\nafter"),
    )
    assert texts(read)[1:] == ["```text\n   a\n0  1\nValueError: no\n```", "![]()", "after"]
    assert read.left_out == ("2 images", "1 interactive output", "warnings that cells wrote")


def test_a_progress_bar_says_its_last_state() -> None:
    assert (
        texts(notebook(code("run()", printed("10%\r50%\rdone\nnext\r\nlast"))))[1] == "```text\ndone\nnext\nlast\n```"
    )


@pytest.mark.parametrize(
    "data", [b"{", b'"text"', b'{"worksheets": []}', b'{"cells": [{"cell_type": "code", "source": 1}]}']
)
def test_what_is_no_notebook_is_a_failure(data: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="it is no notebook of version 4: open it in Jupyter"):
        read("a.ipynb", data)


def test_a_damaged_output_is_a_failure() -> None:
    with pytest.raises(UnreadableDocument, match="it is damaged"):
        notebook(code("run()", shown(text_plain=[1])))


def test_an_empty_notebook_is_a_failure() -> None:
    with pytest.raises(UnreadableDocument, match="it is empty"):
        notebook(code(" "))
