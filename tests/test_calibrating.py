"""`python -m app calibrate`, from an index to what the service makes of the file."""

from __future__ import annotations

import asyncio
import copy
import json
import shutil
from functools import partial
from pathlib import Path

import pytest
from msgspec import structs

from app import calibrating
from app.adapters import calibration_file
from app.adapters.fastembed_embedder import Embedders, FastembedEmbedder, identity_of
from app.adapters.stores import open_store
from app.core.calibration import Calibration, gate_identity
from app.core.model import Bars
from app.errors import CalibrationRefused, SettingsError, StoreHeld
from app.main import open_services
from app.settings import Settings
from app.thresholds import Thresholds
from ingest import job
from tests import processes
from tests.adapters.test_calibration_file import MEASURED
from tests.service import ingest, running, settings_for, write_corpus
from tests.shared_embedder import embedders

SAMPLE = Path(__file__).parents[1] / "ingest" / "sample"
OTHER = "some/other"
ANSWERABLE, UNANSWERABLE = (
    [json.dumps({"question": f"How many days of {topic} are there in {year}?", "answerable": label}) for year in years]
    for topic, label, years in (("annual leave", True, range(2020, 2040)), ("moonlight", False, range(2020, 2040)))
)
CATALOGUE = json.dumps({"question": "Which documents do you have?", "answerable": True})


class OtherEmbedders(Embedders):
    """The bundled model under a name of which nothing is known."""

    async def get(self, name: str) -> FastembedEmbedder:
        loaded = copy.copy(await embedders.get("bundled"))
        loaded.name, loaded.identity = name, identity_of(name)
        return loaded

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a part of the sample, and its index."""
    folder = tmp_path_factory.mktemp("calibrating")
    (folder / "corpus").mkdir()
    for name in ("leave.md", "hiring.md"):
        shutil.copy(SAMPLE / "people" / name, folder / "corpus")
    asyncio.run(ingest(settings_for(folder)))
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    return tmp_path


def calibrated(settings: Settings, asked: Path | None = None, models: Embedders = embedders) -> Calibration:
    calibrating.main(settings, asked, 0.05, embedders=models)
    written = calibration_file.read(settings.calibration_path)
    assert written is not None
    return written


def given(settings: Settings, **changed: object) -> Calibration:
    """A calibration that holds for the bundled model, as if it had been measured."""
    held = structs.replace(MEASURED, identity=identity_of("bundled"), gate=gate_identity(), relevance_threshold=0.123)
    held = structs.replace(held, **changed)
    calibration_file.write(settings.calibration_path, held, b"")
    return held


async def test_command_measures_the_index_and_the_service_goes_by_it(folder: Path) -> None:
    code, out, _ = await processes.run(folder, "app", "calibrate")
    assert code == 0
    assert "built from the documents" in out
    assert "Restart the service" in out
    settings = settings_for(folder)
    measured = calibration_file.read(settings.calibration_path)
    assert measured is not None
    assert (folder / "qdrant" / "calibration.png").read_bytes().startswith(b"\x89PNG")
    assert (measured.identity, measured.gate) == (identity_of("bundled"), gate_identity())
    assert measured.answerable >= 20
    assert measured.others >= 60
    assert not measured.labelled
    async with running(settings) as service:
        relevance = (await service.http.get("/v1/search", params={"q": "How long is parental leave?"})).json()[
            "relevance"
        ]
        ready = (await service.http.get("/health/ready")).json()
    assert relevance["threshold"] == measured.relevance_threshold
    assert relevance["answerability_threshold"] == measured.answerability_threshold
    assert "void" not in ready["dependencies"]["index"]["detail"]


def labels(folder: Path, *lines: str) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


async def test_labelled_questions_are_measured_instead_of_built_ones(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = labels(folder, *ANSWERABLE, *UNANSWERABLE, CATALOGUE)
    measured = await asyncio.to_thread(calibrated, settings_for(folder), asked)
    assert (measured.answerable, measured.others, measured.labelled) == (20, 20, True)
    shown = capsys.readouterr()
    assert "How many days of moonlight" in shown.out
    assert "because they ask for documents: 1." in shown.err
    again = await asyncio.to_thread(calibrated, settings_for(folder), asked)
    assert structs.replace(again, measured_at=measured.measured_at) == measured


async def test_of_a_kind_that_is_not_labelled_questions_are_built(folder: Path) -> None:
    measured = await asyncio.to_thread(calibrated, settings_for(folder), labels(folder, *ANSWERABLE))
    assert (measured.answerable, measured.labelled) == (20, True)
    assert measured.others > 60


async def test_few_questions_are_refused_and_the_old_file_stands(folder: Path) -> None:
    settings = settings_for(folder)
    held = given(settings)
    for lines, said in (
        ((*ANSWERABLE[1:], *UNANSWERABLE), "only 19 answerable questions, and 20 are the fewest for 5.0%"),
        ((*ANSWERABLE, *UNANSWERABLE[1:]), "only 19 questions without an answer, and 20 are the fewest"),
    ):
        with pytest.raises(CalibrationRefused, match=said):
            await asyncio.to_thread(calibrated, settings, labels(folder, *lines))
    assert calibration_file.read(settings.calibration_path) == held


@pytest.mark.parametrize(
    ("changed", "bars"),
    [
        ({}, Bars(0.123, 0.4, 0.4)),
        ({"RELEVANCE_THRESHOLD": 0.2}, Bars(0.2)),
        ({"RELEVANCE_THRESHOLD": 0.2, "ANSWERABILITY_THRESHOLD": 0.3}, Bars(0.2, 0.3)),
        ({"ANSWERABILITY_THRESHOLD": 0.3}, Bars(0.123, 0.3, 0.4)),
        ({"ANSWERABILITY_THRESHOLD": 0}, Bars(0.4)),
    ],
)
def test_settings_go_before_the_calibration_and_it_before_the_defaults(
    changed: dict[str, float], bars: Bars, tmp_path: Path
) -> None:
    given(settings_for(tmp_path), answerability_threshold=0.4)
    assert Thresholds.read(settings_for(tmp_path, **changed)).bars("bundled") == bars


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"identity": "some/other", "embedding_model": "some/other"}, "another embedding model, some/other"),
        ({"gate": "0"}, "another version of the gate"),
    ],
)
async def test_calibration_of_something_else_is_void_loudly(
    folder: Path, changed: dict[str, str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_for(folder)
    given(settings, **changed)
    async with running(settings) as service:
        reply = (await service.http.get("/v1/search", params={"q": "How long is parental leave?"})).json()
        ready = (await service.http.get("/health/ready")).json()
    assert reply["relevance"]["threshold"] == settings.bars("bundled").relevance
    index = ready["dependencies"]["index"]
    assert index["ok"]
    assert why in index["detail"]
    assert "make calibrate" in index["detail"]
    assert why in "".join(capsys.readouterr())


async def test_a_calibration_that_is_named_and_missing_is_told(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "secret-place" / "calibration.json"
    async with running(settings_for(folder, CALIBRATION_FILE=str(missing))) as service:
        index = (await service.http.get("/health/ready")).json()["dependencies"]["index"]
    assert index["ok"]
    assert "CALIBRATION_FILE names a file that is not there" in index["detail"]
    assert "secret-place" not in index["detail"]
    assert "CALIBRATION_FILE names a file that is not there" in "".join(capsys.readouterr())


async def test_unknown_model_starts_only_when_it_is_calibrated(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    settings = settings_for(tmp_path, EMBEDDING_MODEL=OTHER)
    models = OtherEmbedders()
    await ingested(settings, models)
    with pytest.raises(SettingsError, match="`make calibrate`, or set RELEVANCE_THRESHOLD"):
        async with open_services(settings, models):
            pass
    measured = await asyncio.to_thread(calibrated, settings, labels(tmp_path, *ANSWERABLE, *UNANSWERABLE), models)
    assert (measured.embedding_model, measured.identity) == (OTHER, OTHER)
    async with running(settings, partial(open_services, embedders=models)) as service:
        reply = await service.ask()
    assert reply["status"] == "answered"
    assert reply["relevance"]["threshold"] == measured.relevance_threshold


async def ingested(settings: Settings, models: Embedders) -> None:
    async with open_store(settings, "job") as (store, _):
        embedder = await models.get(settings.embedding_model)
        await job.run(store, embedder, settings.index_name, Path(settings.corpus), lambda _: None)


async def test_unknown_model_ends_the_command_with_one_line(tmp_path: Path) -> None:
    code, out, err = await processes.run(tmp_path, "app", EMBEDDING_MODEL=OTHER)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "EMBEDDING_MODEL=some/other" in err
    assert "`make calibrate`" in err
    assert "RELEVANCE_THRESHOLD" in err


async def test_broken_calibration_ends_the_command_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text("{", encoding="utf-8")
    code, out, err = await processes.run(tmp_path, "app", CALIBRATION_FILE="calibration.json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "make calibrate" in err


async def test_store_that_the_service_holds_is_left_alone(folder: Path) -> None:
    settings = settings_for(folder)
    async with running(settings):
        with pytest.raises(StoreHeld, match="stop it first"):
            await asyncio.to_thread(calibrated, settings)


async def test_index_of_another_model_is_ingested_first(folder: Path) -> None:
    with pytest.raises(CalibrationRefused, match="run `make ingest` first"):
        await asyncio.to_thread(calibrated, settings_for(folder, EMBEDDING_MODEL=OTHER))


async def test_empty_index_names_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CalibrationRefused, match="run `make ingest`, then calibrate"):
        await asyncio.to_thread(calibrated, settings_for(tmp_path))


@pytest.mark.parametrize("rate", [0, -1, 0.7, float("nan")])
def test_share_that_is_none_is_refused(rate: float, tmp_path: Path) -> None:
    with pytest.raises(CalibrationRefused, match=r"--false-refusals must be a share above 0 and at most 0\.5"):
        calibrating.main(settings_for(tmp_path), None, rate)
