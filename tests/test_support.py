"""The support check on the bundled model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from app.adapters import bm25
from app.adapters.fastembed_embedder import BUNDLED
from app.core.extractive import Quote, cited
from app.core.model import Source
from app.errors import EmbeddingFailed
from app.ports import Embedder, Tokenizer
from app.support import SupportCheck
from tests.shared_embedder import embedders
from tests.sources import source

LEAVE = (
    "Employees receive 20 working days of paid annual leave. Up to five unused days may be carried over into the next "
    "year.\n\n- Ask your lead first.\n- Leave is booked in Globex."
)
TRAVEL = "Trains are booked in second class. Hotels up to 120 euros a night need no approval."
URLAUB = "Beschäftigte erhalten 20 Tage Urlaub im Jahr. Der Antrag wird in Globex gestellt."
休假 = "员工每年享有20天带薪年假。未使用的假期不得结转。"


SOURCES = [source(1, LEAVE), source(2, TRAVEL), source(3, URLAUB), source(4, 休假)]


class Counting:
    """The real embedder, and what it was asked for."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name, self.identity, self.dimension = inner.name, inner.identity, inner.dimension
        self.tokenizer: Tokenizer = inner.tokenizer
        self.texts: list[str] = []
        self.at_once = self.most_at_once = 0

    async def embed_query(self, text: str) -> list[float]:
        return await self._inner.embed_query(text)

    async def embed_passage(self, text: str) -> list[float]:
        self.texts.append(text)
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        try:
            return await self._inner.embed_passage(text)
        finally:
            self.at_once -= 1


@pytest.fixture
async def embedder() -> Counting:
    return Counting(await embedders.get(BUNDLED))


async def supported(answer: str, embedder: Embedder, sources: Sequence[Source] = SOURCES) -> list[bool | None]:
    support = await SupportCheck(bm25.words).check(answer, sources, embedder)
    assert support.unsupported == sum(sentence.supported is False for sentence in support.sentences)
    return [sentence.supported for sentence in support.sentences]


async def test_what_a_cited_source_says_in_other_words_is_supported(embedder: Counting) -> None:
    answer = "You get 20 paid days of annual leave [1]. Five unused days can be carried over into next year [1]."
    assert await supported(answer, embedder) == [True, True]


async def test_a_claim_of_another_source_is_unsupported_under_this_marker(embedder: Counting) -> None:
    assert await supported("Trains are booked in second class [1].", embedder) == [False]


async def test_an_invention_is_unsupported(embedder: Counting) -> None:
    assert await supported("Sabbaticals of six months require board approval [1].", embedder) == [False]


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("Employees receive 25 working days of paid annual leave [1].", ("25",)),
        ("Employees receive 20 paid days of annual leave [1][2].", ()),
        ("Hotels up to 120 dollars a night need no approval [2].", ("dollars",)),
        ("Leave is booked in Initech [1].", ("Initech",)),
        ("Trains are not booked in second class [2].", ("not",)),
        ("Beschäftigte erhalten 30 Tage Urlaub im Jahr [3].", ("30",)),
        ("员工每年享有30天带薪年假 [4]。", ("30",)),
    ],
)
async def test_what_the_source_does_not_hold_is_listed(
    answer: str, missing: tuple[str, ...], embedder: Counting
) -> None:
    (sentence,) = (await SupportCheck(bm25.words).check(answer, SOURCES, embedder)).sentences
    assert sentence.missing == missing
    assert sentence.supported is (not missing)


async def test_quotes_of_every_source_are_supported(embedder: Counting) -> None:
    quotes = [Quote(one.number, one.text) for one in SOURCES]
    judged = await supported("".join(cited(quotes)), embedder)
    assert False not in judged
    assert judged.count(True) >= 8


async def test_spans_point_into_the_source_as_it_is(embedder: Counting) -> None:
    sources = [source(1, "Prices [3] follow.\n\n  Hotels [4] cost &lt;120 euros a night.  More below.")]
    (sentence,) = (
        await SupportCheck(bm25.words).check("Hotels cost 120 euros a night [1].", sources, embedder)
    ).sentences
    assert sentence.span
    assert sources[0].text[slice(*sentence.span)] == "Hotels [4] cost &lt;120 euros a night."


async def test_a_second_check_embeds_nothing_and_says_the_same(embedder: Counting) -> None:
    check = SupportCheck(bm25.words)
    answer = "You get 20 paid days of annual leave [1]. Hotels up to 120 euros need no approval [2]."
    first = await check.check(answer, SOURCES, embedder)
    assert len(embedder.texts) == 4
    assert await check.check(answer, SOURCES, embedder) == first
    assert len(embedder.texts) == 4


async def test_another_model_does_not_get_the_vectors_of_this_one(embedder: Counting) -> None:
    check = SupportCheck(bm25.words)
    await check.check("Leave is booked in Globex [1].", SOURCES, embedder)
    other = Counting(embedder)
    other.identity = "another"
    await check.check("Leave is booked in Globex [1].", SOURCES, other)
    assert len(other.texts) == 2


async def test_the_embedder_is_never_given_more_than_two_texts_at_once(embedder: Counting) -> None:
    await supported(" ".join(f"Employees receive leave for reason {n} [1]." for n in range(8)), embedder)
    assert embedder.most_at_once == 2


async def test_an_answer_without_claims_costs_no_embedding(embedder: Counting) -> None:
    assert await supported("# Leave\n\nSure!\n\n```\na[1]\n```\n", embedder) == [None, None, None]
    assert embedder.texts == []
    assert await supported("", embedder) == []


async def test_without_sources_every_claim_is_unsupported(embedder: Counting) -> None:
    assert await supported("Leave is booked in Globex.", embedder, []) == [False]


async def test_a_failing_embedder_is_reported_as_such(embedder: Counting) -> None:
    class Broken(Counting):
        async def embed_passage(self, text: str) -> list[float]:
            raise EmbeddingFailed("broken")

    with pytest.raises(EmbeddingFailed):
        await SupportCheck(bm25.words).check("Leave is booked in Globex [1].", SOURCES, Broken(embedder))


async def test_checks_that_run_together_say_what_each_says_alone(embedder: Counting) -> None:
    answers = [f"You get {days} paid days of annual leave [1]." for days in (20, 21, 20, 22)]
    check = SupportCheck(bm25.words)
    together = await asyncio.gather(*(check.check(answer, SOURCES, embedder) for answer in answers))
    assert [one.unsupported for one in together] == [0, 1, 0, 1]
