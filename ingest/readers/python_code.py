"""What Python's own parser says of Python source."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from ingest.readers.definitions import Definition, with_comments

_DOCSTRING = re.compile(
    r"(?:[ \t]*(?:#[^\n]*)?\n)*+"
    r"""[rR]?(?P<mark>\"{3}|'{3}|["'])\s*(?P<first>[^\n]*?)[ \t]*(?:\n|(?P=mark))"""
)
"""Behind nothing but comments."""


def parse(source: str) -> ast.Module | None:
    """None when this Python can't read the source."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the source, such as an escape sequence that is none
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def title(source: str, module: ast.Module | None) -> str:
    """The first line of the docstring. An edit that Python can't read, half done maybe, leaves it as it was: every
    passage carries it."""
    if module is None:
        docstring = _DOCSTRING.match(source)
        return docstring["first"].strip() if docstring else ""
    return (ast.get_docstring(module) or "").split("\n")[0].strip()


def definitions(body: Sequence[ast.stmt], lines: Sequence[str], earliest: int = 0) -> Iterator[Definition]:
    """The outermost classes and functions of a module's or a class's body. None begins before line `earliest`."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first_of_body = max(_first_line(node.body[0]), node.lineno)
            members = definitions(node.body, lines, first_of_body) if isinstance(node, ast.ClassDef) else ()
            stop = node.end_lineno or first_of_body + 1
            yield Definition(
                name=node.name,
                start=with_comments(lines, _first_line(node), earliest),
                stop=stop,
                head="".join(f"{line}\n" for line in lines[node.lineno - 1 : first_of_body]),
                members=list(members),
            )
            earliest = stop


def _first_line(node: ast.stmt) -> int:
    """From 0; decorators stand above the line that a definition names."""
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
