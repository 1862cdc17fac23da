"""`python -m bench.intent`: how often the intent of a question is decided right, on the examples kept for the test.

The examples are tests/data/intents.tsv, written by hand, English and German; the hash of a question puts it into the
development or the test part. `--development` prints what goes wrong on the part that the rules may be tuned on.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from msgspec import Struct

from app.core.intent import decide
from app.core.model import Intent

EXAMPLES = Path(__file__).parent.parent / "tests" / "data" / "intents.tsv"
INTENTS: tuple[Intent, ...] = get_args(Intent)


class Example(Struct, frozen=True):
    intent: Intent
    question: str

    @property
    def test(self) -> bool:
        return hashlib.sha256(self.question.encode()).digest()[0] >= 128

    @property
    def right(self) -> bool:
        return decide(self.question) == self.intent


def examples(*, test: bool) -> list[Example]:
    """The examples of one part."""
    with EXAMPLES.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        both = [Example(row["intent"], row["question"]) for row in rows]
    return [example for example in both if example.test == test]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--development", action="store_true", help="list the errors on the development part instead")
    if parser.parse_args().development:
        _errors(examples(test=False))
    else:
        _table(examples(test=True))


def _errors(part: Sequence[Example]) -> None:
    for example in part:
        if not example.right:
            print(f"{example.intent:10} taken for {decide(example.question):10} {example.question}")
    print(f"{sum(example.right for example in part)} of {len(part)} right")


def _table(part: Sequence[Example]) -> None:
    decided = Counter((example.intent, decide(example.question)) for example in part)
    print(f"{'wanted':12}" + "".join(f"{intent:>12}" for intent in INTENTS) + "   decided")
    for wanted in INTENTS:
        print(f"{wanted:12}" + "".join(f"{decided[wanted, intent]:12}" for intent in INTENTS))
    print(f"{sum(example.right for example in part)} of {len(part)} right")


if __name__ == "__main__":
    main()
