"""`python -m bench.tables`: in which form the bundled model finds the rows of a table.

Questions about one cell of one row each, to four made-up tables that stand in one index, once as Markdown tables and
once as records (`ingest/readers/sheet_tables.py`). Shown are how often a passage with the row comes first and among
the first three, and how often its cosine reaches the relevance threshold.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from app.adapters import fastembed_embedder
from app.core.hashing import prepared_text
from app.ports import Embedder
from ingest.chunking import chunk
from ingest.document import Block, Document
from ingest.readers.sheet_tables import texts_and_records
from ingest.readers.tables import markdown_table

THRESHOLD = 0.40


def _words(listed: str) -> list[str]:
    return listed.split()


CITIES = _words(
    "Rome Oslo Paris Berlin Madrid Lisbon Vienna Prague Warsaw Dublin London Zurich Geneva Milan Naples Turin Porto "
    "Seville Valencia Lyon Nice Munich Hamburg Cologne Leipzig Dresden Graz Brno Gdansk Krakow Cork Leeds York Bath "
    "Basel Ghent Bruges Antwerp Utrecht Delft Aarhus Bergen Malmo Uppsala Turku Tampere Tallinn Riga Vilnius Athens"
)
FIRST_NAMES = _words("Ana Bo Carla Dan Eva Finn Greta Hugo Ida Jan Kim Lea Max Nora Otto Pia Rosa Sam Tina Vera")
LAST_NAMES = _words("Moreau Silva Costa Novak Horvat Jensen Larsen Berg Weber Klein Wolf Rossi Conti Greco Pinto")
TEAMS = _words("Platform Payments Search Growth Support Legal Finance People Design Data Security Mobile")
COLOURS = _words("black white grey blue red green silver")
PRODUCTS = _words("laptop monitor keyboard headset dock webcam chair desk lamp router switch server phone tablet")
SUBJECTS = _words("auth billing search mail report export image audit quota token")
SERVERS = _words("api worker gateway cache scheduler")

Row = list[str]


class Table:
    """`questions` ask for the row of the thing that is put into them; the first column names it."""

    def __init__(self, title: str, head: Row, rows: Sequence[Row], questions: Sequence[str]) -> None:
        self.title, self.head, self.rows, self.questions = title, head, rows, questions


def made_up(randomly: random.Random) -> list[Table]:
    def number(first: int, last: int) -> str:
        return str(randomly.randint(first, last))

    def one_of(words: Sequence[str]) -> str:
        return randomly.choice(words)

    people = randomly.sample([" ".join(name) for name in product(FIRST_NAMES, LAST_NAMES)], 250)
    return [
        Table(
            "Travel rates",
            ["City", "Hotel limit per night (EUR)", "Meal allowance per day (EUR)", "Travel zone", "Preferred hotel"],
            [[c, number(80, 260), number(25, 70), one_of("ABC"), f"Hotel {one_of(LAST_NAMES)}"] for c in CITIES],
            [
                "What is the hotel limit in {}?",
                "How much meal allowance do I get in {}?",
                "Which hotel do we use in {}?",
            ],
        ),
        Table(
            "Staff directory",
            ["Name", "Team", "Role", "Office", "Phone extension"],
            [[p, one_of(TEAMS), one_of(["engineer", "lead"]), one_of(CITIES), number(1000, 9999)] for p in people],
            ["What is the phone extension of {}?", "In which office is {}?", "Which team is {} on?"],
        ),
        Table(
            "Equipment catalogue",
            ["Item", "Order number", "Price (EUR)", "Supplier", "Lead time (days)"],
            [
                [" ".join(item), f"N-{number(10000, 99999)}", number(20, 1900), one_of(LAST_NAMES), number(1, 40)]
                for item in product(COLOURS, PRODUCTS)
            ],
            ["What does the {} cost?", "Who supplies the {}?", "How long is the lead time for a {}?"],
        ),
        Table(
            "Service catalogue",
            ["Service", "Owner", "Recovery time objective (hours)", "Tier", "Runbook"],
            [
                ["-".join(service), one_of(TEAMS), number(1, 48), number(1, 4), f"rb-{number(100, 999)}"]
                for service in product(SUBJECTS, SERVERS)
            ],
            ["Who owns the {}?", "What is the recovery time objective of {}?", "Which runbook is for {}?"],
        ),
    ]


def as_markdown(table: Table) -> list[Block]:
    return [Block(markdown_table([table.head, *table.rows]), kind="table")]


def as_records(table: Table) -> list[Block]:
    return [Block(text, kind=kind) for kind, text in texts_and_records([table.head, *table.rows])]


async def measure(embedder: Embedder, tables: Sequence[Table], form: Callable[[Table], list[Block]], rows: int) -> str:
    passages = [
        (table, piece)
        for table in tables
        for piece in chunk(Document(title=table.title, blocks=tuple(form(table))), embedder.tokenizer)
    ]
    prepared = [prepared_text(table.title, piece.heading, piece.text) for table, piece in passages]
    vectors = np.array([await embedder.embed_passage(text) for text in prepared])
    randomly, ranks, cosines = random.Random(2), [], []
    for table in tables:
        for row in randomly.sample(list(table.rows), rows):
            held = np.array([table is of and row[0] in piece.text for of, piece in passages])
            for question in table.questions:
                scores = vectors @ np.array(await embedder.embed_query(question.format(row[0])))
                cosines.append(scores[held].max())
                ranks.append((scores > cosines[-1]).sum() + 1)
    first, third = (np.mean(np.array(ranks) <= rank) for rank in (1, 3))
    reached = np.mean(np.array(cosines) >= THRESHOLD)
    return f"{len(passages):8} {len(ranks):10} {first:7.2f} {third:10.2f} {reached:10.2f}"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=25, help="of each table, asked about")
    rows = parser.parse_args().rows
    embedder = fastembed_embedder.load("bundled")
    tables = made_up(random.Random(1))
    print("            passages  questions   first  in three  reached")
    for name, form in (("markdown", as_markdown), ("records", as_records)):
        print(f"{name:10} {await measure(embedder, tables, form, rows)}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
