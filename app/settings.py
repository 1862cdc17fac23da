"""The settings: read once at start from the environment and `.env`, checked, then passed down as values."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from dotenv import dotenv_values
from msgspec import Meta, Struct, structs

from app import setting_checks
from app.core.chat_endpoints import ChatEndpoint, read_fallbacks
from app.core.model import Bars
from app.errors import SettingsError

MEASURED_BARS = {"bundled": Bars(relevance=0.25, answerability=0.11, alone=0.40)}
"""By embedding model (bench/gate.py, docs/tuning.md)."""

Positive = Annotated[int, Meta(ge=1)]

_TYPE_NAMES = {"int": "a whole number", "float": "a number", "bool": "1 or 0"}


class Settings(Struct, frozen=True, kw_only=True):
    """One field per environment variable of the same name in capitals."""

    qdrant_url: str = ""
    qdrant_api_key: str = ""
    qdrant_path: str = ".data/qdrant"
    index_name: str = "vouch"
    corpus: str = "ingest/sample"
    include: str = ""
    default_access: str = "public"
    max_document_mb: Annotated[int, Meta(ge=1, le=1_000)] = 50
    reader_timeout_s: Annotated[int, Meta(ge=1, le=3_600)] = 120
    redis_url: str = ""
    cache_ttl_s: Positive = 86_400
    audit_ttl_s: Positive = 604_800
    embedding_model: str = "bundled"
    relevance_threshold: Annotated[float, Meta(ge=-1, le=1)] | None = None
    answerability_threshold: Annotated[float, Meta(ge=0, lt=1)] | None = None
    calibration_file: str = ""
    min_passages: Annotated[int, Meta(ge=1, le=40)] = 1
    reranker_model: str = ""
    reranker_deadline_s: Annotated[float, Meta(gt=0, le=60)] = 1.0
    chat_base_url: str = ""
    chat_model: str = ""
    chat_api_key: str = ""
    chat_fallbacks: str = ""
    chat_deadline_s: Annotated[float, Meta(gt=0, le=600)] = 20.0
    chat_allow_http: bool = False
    context_tokens: Annotated[int, Meta(ge=100)] = 2_000
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8_000
    api_keys_file: str = ""
    api_key: str = ""
    allow_anonymous: bool = False
    cors_origins: str = ""
    max_concurrent_answers: Positive = 64
    workers: Positive = 1
    log_questions: bool = False
    image_hosts: str = ""
    otel_exporter_otlp_endpoint: str = ""
    notice_secrets: str = ""

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Settings:
        """Settings from variables such as `PORT`; an empty one counts as not set.

        Raises SettingsError, one line that names the variable and what it must be.
        """
        names = {name.upper(): name for name in cls.__struct_fields__}
        given = {names[key]: value.strip() for key, value in env.items() if key in names and value.strip()}
        try:
            settings = msgspec.convert(given, cls, strict=False)
        except msgspec.ValidationError as error:
            raise SettingsError(_in_words(error, env)) from error
        settings.check()
        return settings

    @classmethod
    def load(cls) -> Settings:
        """Settings of this process: the environment over `.env` in the working directory."""
        try:
            from_file = {key: value for key, value in dotenv_values(".env").items() if value is not None}
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError("The file .env can't be read: make it a UTF-8 text file.") from error
        return cls.from_env({**from_file, **os.environ})

    def check(self) -> None:
        """Raises SettingsError when values that are fine alone do not fit together."""
        setting_checks.check_index_name(self.index_name)
        setting_checks.check_include(self.include_patterns)
        setting_checks.check_groups(self.default_groups)
        setting_checks.check_http_url("QDRANT_URL", self.qdrant_url)
        setting_checks.check_redis_url(self.redis_url)
        setting_checks.check_image_hosts(self.image_hosts)
        setting_checks.check_origins(self.cors_origins)
        setting_checks.check_notice_secrets(self.shared_secrets)
        setting_checks.check_http_url("OTEL_EXPORTER_OTLP_ENDPOINT", self.otel_exporter_otlp_endpoint)
        _check_chat(self)
        _check_exposure(self)
        _check_workers(self)

    def bars(self, embedding_model: str, calibrated: Bars | None = None) -> Bars:
        """What passages must reach under `embedding_model`: as set, else as calibrated, else as it was measured.

        A floor that is set decides alone: the bars that were measured belong to the floor that they were measured with.
        Where none tells the answerability it is not asked for. Raises SettingsError for a model without a measured
        default when it is not calibrated and RELEVANCE_THRESHOLD is not set.
        """
        if self.relevance_threshold is not None:
            return Bars(self.relevance_threshold, self.answerability_threshold or 0.0)
        measured = calibrated or MEASURED_BARS.get(embedding_model)
        if measured is None:
            raise SettingsError(
                f"No thresholds are known for EMBEDDING_MODEL={embedding_model}: run `make ingest` and"
                " `make calibrate`, or set RELEVANCE_THRESHOLD."
            )
        own = self.answerability_threshold
        bars = measured if own is None else structs.replace(measured, answerability=own)
        return bars if bars.answerability else bars.by_cosine()

    @property
    def chat_endpoints(self) -> tuple[ChatEndpoint, ...]:
        """Those of the language model in the order in which they are asked; none for extractive answers."""
        if not self.chat_base_url:
            return ()
        first = ChatEndpoint(base_url=self.chat_base_url, model=self.chat_model, api_key=self.chat_api_key)
        return (first, *read_fallbacks(self.chat_fallbacks))

    @property
    def trusted_image_hosts(self) -> frozenset[str]:
        """The hosts whose images an answer may show."""
        return frozenset(setting_checks.listed(self.image_hosts))

    @property
    def default_groups(self) -> tuple[str, ...]:
        """Who may see a document of which nothing else is said."""
        return tuple(dict.fromkeys(filter(None, map(str.strip, self.default_access.split(",")))))

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Whose pages may ask, beside the service's own."""
        return frozenset(setting_checks.listed(self.cors_origins))

    @property
    def include_patterns(self) -> tuple[str, ...]:
        """INCLUDE's patterns, which commas or new lines part; empty for every file of a known format."""
        return tuple(filter(None, (pattern.strip() for pattern in re.split(r"[,\n]", self.include))))

    @property
    def shared_secrets(self) -> tuple[str, ...]:
        """Each of which may have signed a notice; none means that notices are not taken."""
        return tuple(filter(None, (secret.strip() for secret in self.notice_secrets.split(","))))

    @property
    def store_path(self) -> Path:
        return Path(self.qdrant_path)

    @property
    def calibration_path(self) -> Path:
        """Where `make calibrate` writes and the service reads."""
        return Path(self.calibration_file) if self.calibration_file else self.store_path / "calibration.json"

    @property
    def address(self) -> str:
        """Where the service answers on its own machine, such as `http://127.0.0.1:8000`."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - nothing is bound here
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def __repr__(self) -> str:
        return "Settings(...)"  # it holds keys, and a repr ends up in logs


def _in_words(error: msgspec.ValidationError, env: Mapping[str, str]) -> str:
    """msgspec's "Expected `int`, got `str` - at `$.port`" as "PORT=abc: expected a value of type int"."""
    problem, _, place = str(error).replace("`", "").partition(" - at $.")
    wanted = problem.split(",")[0].removeprefix("Expected ").removesuffix(" | null")
    kind, _, bounds = wanted.partition(" ")
    must = f"{_TYPE_NAMES.get(kind, kind)} {bounds}".strip()
    return f"{place.upper()}={env[place.upper()]} is not a valid value: it must be {must}."


def _check_chat(settings: Settings) -> None:
    url = settings.chat_base_url
    if bool(url) != bool(settings.chat_model):
        raise SettingsError("CHAT_BASE_URL and CHAT_MODEL must be set together (or neither: extractive answers).")
    if not url and read_fallbacks(settings.chat_fallbacks):
        raise SettingsError("CHAT_FALLBACKS needs CHAT_BASE_URL, the endpoint that is asked first.")
    for number, endpoint in enumerate(settings.chat_endpoints):
        setting_checks.check_chat_url(
            "CHAT_FALLBACKS" if number else "CHAT_BASE_URL", endpoint.base_url, settings.chat_allow_http
        )


def _check_exposure(settings: Settings) -> None:
    if not (settings.api_keys_file or settings.allow_anonymous or setting_checks.is_loopback(settings.host)):
        raise SettingsError(
            f"HOST={settings.host} would let anyone on the network ask: set API_KEYS_FILE, keep HOST=127.0.0.1, or set"
            " ALLOW_ANONYMOUS=1."
        )


def _check_workers(settings: Settings) -> None:
    if settings.workers > 1 and not (settings.qdrant_url and settings.redis_url):
        raise SettingsError("WORKERS above 1 needs QDRANT_URL and REDIS_URL: the embedded store has one owner.")
