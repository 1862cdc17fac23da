"""One set, indexed and asked: by the extractive answerer, and by a model where there is an endpoint."""

from __future__ import annotations

from pathlib import Path

from app.settings import Settings
from eval import run
from eval.asking import SharedEmbedders
from eval.cases import Case, Dataset, Gold, Place
from eval.figures import Figures
from tests.scripted_chat import ScriptedChat, says
from tests.service import OFF_TOPIC, QUESTION, write_corpus

CASES = (
    Case(
        group="sample",
        kind="answerable",
        question=QUESTION,
        answerable=True,
        gold=(Gold(frozenset({Place("leave.md")}), "28 days"),),
        answers=("28 days of annual leave.",),
        holds=(("28 days",),),
    ),
    Case(group="sample", kind="off-topic", question=OFF_TOPIC, answerable=False),
)


async def measured(folder: Path, settings: Settings) -> tuple[Figures, list[str]]:
    dataset = Dataset(name="sample", corpus=write_corpus(folder), cases=CASES, by_passage=True)
    embedders, told = SharedEmbedders(), list[str]()
    try:
        _, figures = await run.measure(dataset, folder / "work", settings, embedders, told.append)
    finally:
        embedders.shut()
    return figures, told


async def test_set_is_measured_from_its_documents_to_its_answers(tmp_path: Path) -> None:
    figures, [told] = await measured(tmp_path, Settings())
    assert figures["retrieval", "sample, fused", "R@1"].value == 1
    assert figures["answers", "sample, extractive", "holds the facts"].value == 1
    assert figures["answers", "sample, extractive", "citation recall"].value == 1
    assert figures["sample", "off-topic, extractive", "verdict as expected"].value == 1
    assert figures["calls saved", "sample", "by a refusal"].value == 0.5
    assert figures["calls saved", "sample", "by the cache or a refusal, asked again"].value == 1
    assert "2 questions" in told


async def test_model_is_measured_beside_the_extractive_answerer_and_never_asked_what_is_refused(
    tmp_path: Path, chat: ScriptedChat
) -> None:
    chat.reply = says("It is 99 days [1]. Ask People [7].")
    settings = Settings.from_env({"CHAT_BASE_URL": chat.base_url, "CHAT_MODEL": "scripted"})
    figures, _ = await measured(tmp_path, settings)
    assert figures["answers", "sample, extractive", "holds the facts"].value == 1
    assert figures["answers", "sample, scripted", "holds the facts"].value == 0
    assert figures["answers", "sample, scripted", "citation recall"].value == 0
    assert len(chat.requests) == 1


async def test_documents_that_cannot_be_read_are_told_of(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    (tmp_path / "corpus" / "broken.pdf").write_bytes(b"no PDF")
    _, [told] = await measured(tmp_path, Settings())
    assert "1 documents that can't be read" in told
