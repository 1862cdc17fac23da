"""The public question sets, from the folder that EVAL_DATA names; each becomes a folder of documents and its questions.

Which questions are asked is fixed by a seed. Paragraphs become Markdown files with the title in the front matter, and
pass through the reader and the chunker as any document does.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from eval import own
from eval.cases import Case, Dataset, Gold, Place

T = TypeVar("T")
DATA = Path(os.environ.get("EVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
SEED = 7
LANGUAGES = ("de", "es", "zh")

CLAPNQ, SQUAD, CONTOSO, HANDBOOK = "CLAPNQ", "SQuAD 2", "Contoso", "handbook"
_HANDBOOK_DOCUMENTS = 60
_CITED_PAGE = re.compile(r"\[([^\[\]]+\.pdf)#page=([0-9]+)\]")
_OFF_DOMAIN = ("not related to these topics", "nonsensical")
"""How the prompts put it that made the questions of Contoso which surely have no answer. Those on its topics were never
checked, and some can be answered: they are left out."""


def datasets(work: Path, *, quick: bool) -> tuple[list[Dataset], list[str]]:
    """The sets whose data is there, documents written below `work`, and a line on each of the others."""
    sources = _QUICK if quick else _WHOLE
    found, skipped = [own.dataset()], []
    for name, (path, load) in sources.items():
        if (DATA / path).exists():
            found.append(load(folder_of(name, work) / "documents"))
        else:
            skipped.append(f"{name}: there is no {path} in {DATA} (EVAL_DATA)")
    return found, skipped


def folder_of(name: str, work: Path) -> Path:
    """Where a set's documents and index are."""
    return work / name.lower().replace(" ", "-")


def clapnq(folder: Path, each: int = 1_000) -> Dataset:
    """Every question over the passages of all, one document a passage. `each` is how many of either label."""
    rows = [(row, True) for row in _lines("qa/clapnq/clapnq_dev_answerable.jsonl")[:each]]
    rows += [(row, False) for row in _lines("qa/clapnq/clapnq_dev_unanswerable.jsonl")[:each]]
    cases = []
    for row, answerable in rows:
        passage = row["passages"][0]
        document = _write(folder, passage["title"], untokenised(passage["text"]))
        cases.append(
            Case(
                group=CLAPNQ,
                question=row["input"],
                answerable=answerable,
                gold=_gold(document) if answerable else (),
                answers=tuple(output["answer"] for output in row["output"]) if answerable else (),
            )
        )
    return Dataset(name=CLAPNQ, corpus=folder, cases=tuple(cases))


def squad(folder: Path, each: int = 300, articles: int = 1_000) -> Dataset:
    """`each` questions of either label over the paragraphs of the first `articles`, one document a paragraph."""
    cases = list(_squad_cases(folder, _json("qa/squad2/cs224n_dev-v2.0.json")["data"][:articles]))
    labels = ([case for case in cases if case.answerable is label] for label in (True, False))
    return Dataset(name=SQUAD, corpus=folder, cases=tuple(case for part in labels for case in some(part, each)))


def _squad_cases(folder: Path, articles: Iterable[dict[str, Any]]) -> Iterator[Case]:
    for article in articles:
        for paragraph in article["paragraphs"]:
            document = _write(folder, article["title"].replace("_", " "), paragraph["context"])
            for asked in paragraph["qas"]:
                answerable = not asked["is_impossible"]
                yield Case(
                    group=SQUAD,
                    question=asked["question"],
                    answerable=answerable,
                    gold=_gold(document) if answerable else (),
                    holds=(tuple(dict.fromkeys(answer["text"] for answer in asked["answers"])),) if answerable else (),
                )


def contoso(folder: Path) -> Dataset:
    """Questions with cited pages (a page or the next one counts), and those that surely have no answer."""
    folder.mkdir(parents=True, exist_ok=True)
    for pdf in sorted((DATA / "corpus/contoso_pdf").glob("*.pdf")):
        shutil.copyfile(pdf, folder / pdf.name)
    asked = _lines("qa/contoso/evaluator_qa.jsonl") + _lines("qa/contoso/java_ground_truth.jsonl")
    cases = [_contoso_case(row["question"], row["truth"]) for row in asked]
    strangers = _lines("qa/contoso/evaluator_qa_dontknows.jsonl")
    cases += [
        Case(group=CONTOSO, question=row["question"], answerable=False)
        for row in strangers
        if any(phrase in row["truth"] for phrase in _OFF_DOMAIN)
    ]
    return Dataset(name=CONTOSO, corpus=folder, cases=tuple(cases))


def _contoso_case(question: str, truth: str) -> Case:
    cited = [(file, int(page)) for file, page in _CITED_PAGE.findall(truth)]
    places = frozenset(Place(file, number) for file, page in cited for number in (page, page + 1))
    answer = _CITED_PAGE.sub("", truth).strip()
    return Case(group=CONTOSO, question=question, answerable=True, gold=(Gold(places),), answers=(answer,))


def handbook(folder: Path) -> Dataset:
    """Pages of a handbook, asked the answerable questions of CLAPNQ and SQuAD 2, of which it knows nothing."""
    pages = DATA / "corpus/18f_handbook/pages"
    for page in some(sorted(pages.rglob("*.md")), _HANDBOOK_DOCUMENTS):
        copy = folder / page.relative_to(pages)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, copy)
    strangers = [row["input"] for row in _lines("qa/clapnq/clapnq_dev_answerable.jsonl")]
    cases = [Case(group=CLAPNQ, question=question, answerable=False) for question in strangers]
    articles = _json("qa/squad2/cs224n_dev-v2.0.json")["data"]
    of_squad = [q["question"] for a in articles for p in a["paragraphs"] for q in p["qas"] if not q["is_impossible"]]
    cases += [Case(group=SQUAD, question=question, answerable=False) for question in some(of_squad, 150)]
    return Dataset(name=HANDBOOK, corpus=folder, cases=tuple(cases))


def xquad(language: str, folder: Path, asked_in: Sequence[str], each: int = 100) -> Dataset:
    """Paragraphs of every second article in one language, asked the same questions in each language of `asked_in`.

    The titles are English in every language: the set has no others.
    """
    articles = _json(f"qa/xquad/xquad.{language}.json")["data"][::2]
    gold: dict[str, str] = {}
    for article in articles:
        for paragraph in article["paragraphs"]:
            document = _write(folder, article["title"].replace("_", " "), paragraph["context"])
            gold.update((asked["id"], document) for asked in paragraph["qas"])
    cases: list[Case] = []
    for other in asked_in:
        group = f"XQuAD {other}" if other == language else f"XQuAD {other} over {language}"
        found = [asked for asked in _xquad_questions(other) if asked["id"] in gold]
        cases += [
            Case(group=group, question=asked["question"], answerable=True, gold=_gold(gold[asked["id"]]))
            for asked in some(found, each)
        ]
    return Dataset(name=f"XQuAD {language}", corpus=folder, cases=tuple(cases))


def _xquad_questions(language: str) -> list[dict[str, Any]]:
    articles = _json(f"qa/xquad/xquad.{language}.json")["data"]
    return [asked for article in articles for paragraph in article["paragraphs"] for asked in paragraph["qas"]]


def some(items: Sequence[T], number: int) -> list[T]:
    """The same ones each time, in order."""
    if len(items) <= number:
        return list(items)
    return [items[index] for index in sorted(np.random.default_rng(SEED).permutation(len(items))[:number])]


def untokenised(text: str) -> str:
    """CLAPNQ has spaces around its punctuation, and quotation marks of TeX."""
    text = re.sub(r"(?:``|'')", '"', text).replace("( ", "(").replace(" - ", "-")
    text = re.sub(r'"\s([^"]*?)\s?"', r'"\1"', text)
    return re.sub(r" (?=[,.;:!?)%]|'(?:(?:s|re|ve|ll|d|m)\b|\s)|n't\b)", "", text)


def _write(folder: Path, title: str, text: str) -> str:
    """Write a document and return its id. The same title and text are the same document."""
    name = f"{hashlib.sha256(f'{title} {text}'.encode()).hexdigest()[:16]}.md"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"---\ntitle: {json.dumps(title)}\n---\n\n{text}\n", encoding="utf-8")
    return name


def _gold(document: str) -> tuple[Gold, ...]:
    return (Gold(frozenset({Place(document)})),)


def _lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / path).read_text(encoding="utf-8").splitlines() if line.strip()]


def _json(path: str) -> Any:
    return json.loads((DATA / path).read_text(encoding="utf-8"))


Load = Callable[[Path], Dataset]


def _in_own_language(language: str) -> tuple[str, Load]:
    return f"qa/xquad/xquad.{language}.json", lambda folder: xquad(language, folder, [language])


_WHOLE: dict[str, tuple[str, Load]] = {
    CLAPNQ: ("qa/clapnq", clapnq),
    SQUAD: ("qa/squad2", squad),
    CONTOSO: ("qa/contoso", contoso),
    HANDBOOK: ("corpus/18f_handbook", handbook),
    "XQuAD en": ("qa/xquad", lambda folder: xquad("en", folder, ["en", *LANGUAGES])),
    **{f"XQuAD {language}": _in_own_language(language) for language in LANGUAGES},
}
_QUICK: dict[str, tuple[str, Load]] = {
    CLAPNQ: ("qa/clapnq", lambda folder: clapnq(folder, each=60)),
    SQUAD: ("qa/squad2", lambda folder: squad(folder, each=100, articles=2)),
}
