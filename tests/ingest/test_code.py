"""Source code: what is under which heading, that nothing is lost, and how large functions are split."""

from __future__ import annotations

import random
import statistics
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.ports import Tokenizer
from ingest.chunking import chunk
from ingest.document import Document
from ingest.errors import UnreadableDocument
from ingest.readers import read
from ingest.readers.languages import LANGUAGES
from tests.ingest.passages import assert_within_limit, bundled_tokenizer, letters

OURS = [path for path in sorted(Path(__file__).parents[2].glob("ingest/**/*.py")) if path.stat().st_size]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return bundled_tokenizer()


def code(source: str, name: str = "a.py") -> Document:
    return read(name, dedent(source).encode())


def paths(source: str, name: str) -> list[str]:
    return [" > ".join(block.heading) for block in code(source, name).blocks]


def inside(document: Document) -> str:
    """The code between the fences."""
    return "\n".join("\n".join(block.text.split("\n")[1:-1]) for block in document.blocks)


# Python


def test_python_is_under_its_classes_and_functions() -> None:
    source = '''\
        """Says what it is.

        And more."""
        import os

        # The first.
        @cached
        def first(a, b=1):
            return a


        class Thing(Base):
            """A thing."""

            size = 1

            async def grow(
                self,
                by: int,
            ) -> None:
                self.size += by
        '''
    read = code(source)
    assert read.title == "Says what it is."
    assert [(block.heading, block.head) for block in read.blocks] == [
        ((), ""),
        (("first",), "def first(a, b=1):\n"),
        (("Thing",), "class Thing(Base):\n"),
        (("Thing", "grow"), "    async def grow(\n        self,\n        by: int,\n    ) -> None:\n"),
    ]
    assert read.blocks[1].text == "```python\n# The first.\n@cached\ndef first(a, b=1):\n    return a\n```"
    assert [block.kind for block in read.blocks] == ["code"] * 4


def test_python_that_python_can_not_read_is_read_by_its_margins() -> None:
    source = """\
        class Old:
            def speak(self):
                print "hello"

            def go(self): pass

        def end(a,
                b):
            print "bye"
        """
    assert paths(source, "a.py") == ["Old", "Old > speak", "Old", "end"]
    assert code(source).title == ""


@pytest.mark.parametrize(
    "docstring",
    [
        '"""Says what it is."""',
        '"""Says what it is.\n\nMore.\n"""',
        '"""\nSays what it is.\n"""',
        "\n# By me.\nr'''Says what it is.'''",
        "'Says what it is.'",
    ],
)
def test_an_edit_that_python_can_not_read_leaves_the_title(docstring: str) -> None:
    body = "\n\n\ndef first(a):\n    return a\n"
    assert code(f"{docstring}{body}").title == "Says what it is."
    assert code(f"{docstring}{body})").title == "Says what it is."
    assert code(f"x = 1\n{docstring}{body})").title == ""


def test_code_that_holds_fences_is_fenced_with_longer_ones() -> None:
    read = code('"""\n```\nx\n```\n"""\n')
    assert read.blocks[0].text.startswith("````python\n")
    assert read.blocks[0].text.endswith("\n````")


# Other languages

JAVA = """\
    package x;

    /** A thing (that is) good. */
    @Service
    public class Thing<T> extends Base {
        private final int size = first(1);

        public Thing(int size) {
            this.size = size;
        }

        @Override
        public List<String> names(int a,
                                  int b) throws Failure {
            for (String name : all(a)) {
                call(name);
            }
        }
    }
    """
GO = """\
    package main

    // Server serves.
    type Server struct {
        address string
    }

    func (s *Server) Start(
        ctx context.Context,
    ) error {
        return nil
    }

    var count = 1
    """
TYPESCRIPT = """\
    import x from "y";

    export const load = async (id: string): Promise<void> => {
      await fetch(id);
    };

    export default class Thing extends Base {
      constructor(private id: string) {
        super();
      }

      async get(): Promise<string> {
        if (this.id) {
          return this.id;
        }
      }
    }

    describe("it", () => {
      works();
    });
    """
RUST = """\
    impl<T> Show for Thing {
        fn show(&self) -> String {
            String::new()
        }
    }

    mod tests {
        #[test]
        fn works() {
            assert!(true);
        }
    }
    """
CPP = """\
    /* Copyright
       This is free software (see it)
         in any form. */
    template <typename T>
    class Thing : public Base {
    public:
        int get(int a) const
        {
    #ifdef X
            return 1;
    #endif
        }
    };

    static int *helper(const char *a,
                       int b)
    {
        return 0;
    }
    """
CSHARP = """\
    namespace Our
    {
        public class Thing : IThing
        {
            public async Task<int> Run(int a)
            {
                return a;
            }
        }
    }
    """


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("a.java", JAVA, ["", "Thing", "Thing > Thing", "Thing > names"]),
        ("a.go", GO, ["", "Server", "(s *Server) Start", ""]),
        ("a.ts", TYPESCRIPT, ["", "load", "Thing", "Thing > constructor", "Thing > get", ""]),
        ("a.rs", RUST, ["Show for Thing", "Show for Thing > show", "tests", "tests > works"]),
        ("a.cpp", CPP, ["", "Thing", "Thing > get", "helper"]),
        ("a.cs", CSHARP, ["Our", "Our > Thing", "Our > Thing > Run"]),
        ("a.kt", "data class P(val a: Int) {\n    fun x() {\n        y()\n    }\n}\n", ["P", "P > x"]),
        ("a.swift", "extension P {\n    func x() {\n        y()\n    }\n}\n", ["P", "P > x"]),
        ("a.php", "<?php\nfunction y()\n{\n    return 1;\n}\n", ["", "y"]),
        ("a.rb", "class A < B\n  def x(a)\n    y\n  end\n\n  def z\n    1\n  end\nend\n", ["A", "A > x", "A > z"]),
        ("a.sh", "set -e\n# says hi\nrun() {\n  echo hi\n}\nrun\n", ["", "run", ""]),
        ("a.sql", "CREATE TABLE t (\n  id int\n);\ncreate view v as\nselect 1;\n", ["TABLE t", "view v"]),
        ("a.yaml", "version: 3\n# all\nsteps:\n- run: x\n- run: y\nname: z\n", ["", "steps", ""]),
        ("a.toml", 'title = "x"\n[project]\nname = "a"\n[[tool.x]]\ny = 1\n', ["", "project", "tool.x"]),
        ("a.json", '{\n  "name": "x",\n  "scripts": {\n    "a": "b"\n  }\n}\n', ["", "scripts"]),
        ("a.tf", 'resource "bucket" "b" {\n  name = "x"\n}\n', ['resource "bucket" "b"']),
        ("Dockerfile", "FROM python AS build\nRUN x\nFROM slim\nCOPY y\n", ["FROM python AS build", "FROM slim"]),
        ("Makefile", "X := 1\nall: build\n\tmake x\nbuild:\n\techo\n", ["", "all", "build"]),
        ("a.css", "a {\n  color: red;\n}\n", [""]),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 12 else "",
)
def test_other_languages_are_under_their_definitions(name: str, source: str, expected: list[str]) -> None:
    assert paths(source, name) == expected
    assert letters(inside(code(source, name))) == letters(dedent(source))


def test_a_bracket_that_ends_a_signature_does_not_end_the_function() -> None:
    [start] = [block for block in code(GO, "a.go").blocks if block.heading == ("(s *Server) Start",)]
    assert start.text.endswith("    return nil\n}\n```")


def test_what_is_nested_in_a_member_or_a_value_is_no_member() -> None:
    source = """\
        class Thing {
          first() {
            work();
          }
          handlers = {
            click() {
              work();
            },
          };
        }
        """
    assert paths(source, "a.js") == ["Thing", "Thing > first", "Thing"]


def test_a_comment_above_a_section_belongs_to_it() -> None:
    read = code("[a]\nx = 1\n# about b\n[b]\ny = 2\n", "a.toml")
    assert [(block.heading, block.text.split("\n")[1]) for block in read.blocks] == [
        (("a",), "[a]"),
        (("b",), "# about b"),
    ]


@pytest.mark.parametrize(("data", "reason"), [(b"\x7fELF\0\0", "binary"), (b" \n", "empty")])
def test_what_is_no_source_is_a_failure(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument, match=reason):
        read("a.go", data)


# Nothing is lost

LINE = st.sampled_from(
    [
        "",
        "class A:",
        "    def f(self):",
        "        return f'{x}'",
        "    @cached",
        "# remark",
        "def g(a,",
        "      b):",
        "    pass",
        "class B {",
        "  int f(int x) {",
        "  }",
        "}",
        "/* open",
        "*/",
        "func x() {",
        "\treturn",
        "end",
        "[section]",
        "key:",
        "- item",
        '  "key": {',
        "all: x",
        "```",
        "é中",
        "x" * 400,
    ]
)


@settings(max_examples=150)
@given(st.lists(LINE, min_size=1, max_size=40), st.sampled_from(sorted(LANGUAGES)))
def test_every_line_is_kept_in_order(lines: list[str], suffix: str) -> None:
    source = "\n".join(["start", *lines])
    document = read(f"a{suffix}" if suffix.startswith(".") else suffix, source.encode())
    assert [line for line in inside(document).split("\n") if line.strip()] == [
        line for line in source.split("\n") if line.strip()
    ]


def test_our_own_source_is_whole_within_the_limit(tokenizer: Tokenizer) -> None:
    for path in OURS[::4]:
        document = read(path.name, path.read_bytes())
        pieces = chunk(document, tokenizer)
        assert_within_limit(document, pieces, tokenizer)
        left = iter(letters(*(piece.text for piece in pieces)))
        assert all(letter in left for letter in letters(path.read_text()))


# What is too large


def test_each_part_of_a_large_function_begins_with_its_signature(tokenizer: Tokenizer) -> None:
    lines = [f"        total += price_of_item[{n}]" for n in range(200)]
    source = "\n".join(["class Shop:", "    @cached", "    def total(", "        self,", "    ) -> int:", *lines])
    pieces = [piece for piece in chunk(code(source), tokenizer) if piece.heading == ("Shop", "total")]
    assert len(pieces) > 3
    signature = "    def total(\n        self,\n    ) -> int:\n        total +="
    assert pieces[0].text.startswith(f"```python\n    @cached\n{signature}")
    assert all(piece.text.startswith(f"```python\n{signature}") for piece in pieces[1:])
    assert all(piece.text.endswith("\n```") for piece in pieces)
    assert [line for piece in pieces for line in piece.text.split("\n") if "+=" in line] == lines


def test_a_signature_that_leaves_no_room_is_cut_to_its_first_line(tokenizer: Tokenizer) -> None:
    parameters = [f"    parameter_number_{n}," for n in range(40)]
    lines = [f"    total += price_of_item[{n}]" for n in range(100)]
    pieces = chunk(code("\n".join(["def total(", *parameters, "):", *lines])), tokenizer)
    assert len(pieces) > 3
    assert all(piece.text.startswith("```python\ndef total(\n") for piece in pieces)


def test_a_large_stretch_outside_functions_repeats_nothing(tokenizer: Tokenizer) -> None:
    source = "\n".join(f"NAME_{n} = {n}" for n in range(300))
    pieces = chunk(code(source), tokenizer)
    assert len(pieces) > 3
    assert "\n".join(piece.text.removeprefix("```python\n").removesuffix("\n```") for piece in pieces) == source


def test_an_edited_function_makes_few_passages_new(tokenizer: Tokenizer) -> None:
    randomly = random.Random(3)

    def function(n: int, lines: int) -> str:
        body = [f"    value_{randomly.randint(0, 999)} = call({randomly.randint(0, 99)})" for _ in range(lines)]
        return "\n".join([f"def function_{n}(a, b):", *body, ""])

    def passages(functions: list[str]) -> set[tuple[tuple[str, ...], str]]:
        return {(piece.heading, piece.text) for piece in chunk(code("\n\n".join(functions)), tokenizer)}

    functions = [function(n, randomly.randint(2, 40)) for n in range(40)]
    before = passages(functions)
    new: list[int] = []
    for at in range(0, 40, 3):
        lines = functions[at].split("\n")
        changed = "\n".join([*lines[:2], "    inserted = 1", *lines[2:]])
        edits = ([], [function(99, 5), functions[at]], [changed])
        new += [len(passages([*functions[:at], *put, *functions[at + 1 :]]) - before) for put in edits]
    assert statistics.mean(new) <= 2
    assert max(new) <= 4
