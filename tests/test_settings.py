from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.model import Bars
from app.errors import SettingsError
from app.settings import MEASURED_BARS, Settings

ROOT = Path(__file__).parent.parent
CHAT = {"CHAT_BASE_URL": "https://api.example/v1", "CHAT_MODEL": "m"}


def test_nothing_set_gives_the_defaults() -> None:
    settings = Settings.from_env({})
    assert (settings.host, settings.port, settings.index_name) == ("127.0.0.1", 8000, "vouch")
    assert settings.bars("bundled") == settings.bars(settings.embedding_model) == MEASURED_BARS["bundled"]


def test_an_empty_variable_counts_as_not_set() -> None:
    assert Settings.from_env({"PORT": " ", "CHAT_BASE_URL": ""}) == Settings.from_env({})


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({"PORT": "abc"}, "PORT=abc"),
        ({"PORT": "70000"}, "<= 65535"),
        ({"CHAT_DEADLINE_S": "nan"}, "CHAT_DEADLINE_S"),
        ({"CACHE_TTL_S": "0"}, "CACHE_TTL_S"),
        ({"RELEVANCE_THRESHOLD": "1.5"}, "RELEVANCE_THRESHOLD"),
        ({"ANSWERABILITY_THRESHOLD": "1"}, "ANSWERABILITY_THRESHOLD"),
        ({"MIN_PASSAGES": "0"}, "MIN_PASSAGES"),
        ({"INDEX_NAME": "../x"}, "INDEX_NAME"),
        ({"INCLUDE": "*.md, [z-a].md"}, "INCLUDE holds [z-a].md"),
        ({"INCLUDE": "!"}, "INCLUDE"),
        ({"MAX_DOCUMENT_MB": "0"}, ">= 1"),
        ({"READER_TIMEOUT_S": "1e9"}, "READER_TIMEOUT_S"),
        ({"QDRANT_URL": "localhost:6333"}, "QDRANT_URL"),
        ({"QDRANT_URL": "http://[::1"}, "QDRANT_URL"),
        ({"QDRANT_URL": "http://h:99999"}, "QDRANT_URL"),
        ({"REDIS_URL": "http://localhost"}, "REDIS_URL"),
        ({"REDIS_URL": "redis://[bad"}, "REDIS_URL"),
        ({"REDIS_URL": "redis://h:notaport"}, "REDIS_URL"),
        ({"REDIS_URL": "redis://h:6379/abc"}, "REDIS_URL"),
        ({"CHAT_BASE_URL": "https://[x", "CHAT_MODEL": "m"}, "CHAT_BASE_URL"),
        ({"CHAT_BASE_URL": "https://api.example/v1"}, "CHAT_MODEL"),
        ({"CHAT_MODEL": "m"}, "CHAT_BASE_URL"),
        ({**CHAT, "CHAT_FALLBACKS": "https://api.example/v1 m"}, "CHAT_FALLBACKS must be a JSON array"),
        ({**CHAT, "CHAT_FALLBACKS": '[{"base_url": "https://a.example/v1"}]'}, "CHAT_FALLBACKS"),
        ({**CHAT, "CHAT_FALLBACKS": '[{"base_url": "http://a.example/v1", "model": "m"}]'}, "CHAT_FALLBACKS"),
        ({"CHAT_FALLBACKS": '[{"base_url": "https://a.example/v1", "model": "m"}]'}, "CHAT_BASE_URL"),
        ({"MAX_CONCURRENT_ANSWERS": "0"}, "MAX_CONCURRENT_ANSWERS"),
        ({"HOST": "0.0.0.0"}, "ALLOW_ANONYMOUS=1"),
        ({"DEFAULT_ACCESS": ","}, "DEFAULT_ACCESS"),
        ({"DEFAULT_ACCESS": "hr,tenant:"}, "DEFAULT_ACCESS"),
        ({"CORS_ORIGINS": "*"}, "CORS_ORIGINS"),
        ({"CORS_ORIGINS": "https://a.example, b.example"}, "CORS_ORIGINS"),
        ({"CORS_ORIGINS": "https://a.example/page"}, "CORS_ORIGINS"),
        ({"WORKERS": "2"}, "QDRANT_URL and REDIS_URL"),
        ({"ALLOW_ANONYMOUS": "maybe"}, "1 or 0"),
        ({"IMAGE_HOSTS": "https://img.example/"}, "IMAGE_HOSTS"),
        ({"NOTICE_SECRETS": "long-enough-to-be-one, short"}, "NOTICE_SECRETS"),
    ],
)
def test_a_bad_value_is_one_line_that_names_it(env: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(env)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_bars_are_those_that_are_set() -> None:
    measured = MEASURED_BARS["bundled"]
    assert Settings.from_env({"RELEVANCE_THRESHOLD": "0.5"}).bars("bundled") == Bars(0.5)
    both = {"RELEVANCE_THRESHOLD": "0.5", "ANSWERABILITY_THRESHOLD": "0.2"}
    assert Settings.from_env(both).bars("bundled") == Bars(0.5, 0.2)
    assert Settings.from_env({}).bars("bundled") == measured
    assert Settings.from_env({"ANSWERABILITY_THRESHOLD": "0"}).bars("bundled") == Bars(0.4)
    assert Settings.from_env({"ANSWERABILITY_THRESHOLD": "0.5"}).bars("bundled").relevance == measured.relevance


def test_a_model_that_was_not_measured_has_no_bar_but_one_that_is_set() -> None:
    env = {"EMBEDDING_MODEL": "some/other", "RELEVANCE_THRESHOLD": "0.5"}
    assert Settings.from_env(env).bars("some/other") == Bars(0.5)
    assert Settings.from_env({**env, "ANSWERABILITY_THRESHOLD": "0.1"}).bars("some/other") == Bars(0.5, 0.1)


def test_with_callers_any_address_may_be_listened_on() -> None:
    settings = Settings.from_env(
        {"HOST": "0.0.0.0", "API_KEYS_FILE": "keys.toml", "CORS_ORIGINS": "https://a.example:8443"}
    )
    assert settings.allowed_origins == {"https://a.example:8443"}


def test_patterns_are_parted_by_commas_and_lines() -> None:
    assert Settings.from_env({"INCLUDE": "*.md, docs/,\n!drafts/\n"}).include_patterns == ("*.md", "docs/", "!drafts/")
    assert Settings.from_env({"INCLUDE": ","}).include_patterns == ()


@pytest.mark.parametrize(
    ("url", "private_http", "allowed"),
    [
        ("https://api.example/v1", False, True),
        ("http://localhost:11434/v1", False, True),
        ("http://127.0.0.1:1/v1", False, True),
        ("http://[::1]:1/v1", False, True),
        ("http://10.0.0.5/v1", False, False),
        ("http://10.0.0.5/v1", True, True),
        ("http://ollama:11434/v1", True, True),
        ("http://api.example/v1", True, False),
        ("http://8.8.8.8/v1", True, False),
        ("ftp://localhost/v1", False, False),
        ("https://me:secret@api.example/v1", False, False),
        ("https://secret@api.example/v1", False, False),
    ],
)
def test_the_chat_url_is_https_but_for_inside_hosts(url: str, private_http: bool, allowed: bool) -> None:
    env = {"CHAT_BASE_URL": url, "CHAT_MODEL": "m", "CHAT_ALLOW_HTTP": "1" if private_http else "0"}
    if allowed:
        assert Settings.from_env(env).chat_base_url == url
    else:
        with pytest.raises(SettingsError, match="CHAT_BASE_URL") as caught:
            Settings.from_env(env)
        assert "secret" not in str(caught.value)


def test_a_password_in_a_bad_url_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"REDIS_URL": "redis://:s3cr/et@h:6379"})
    assert "s3cr" not in str(caught.value)


def test_a_key_in_bad_fallbacks_is_not_repeated() -> None:
    fallbacks = '[{"base_url": "https://a.example/v1", "model": 5, "api_key": "sk-planted"}]'
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({**CHAT, "CHAT_FALLBACKS": fallbacks})
    assert "sk-planted" not in f"{caught.value}{caught.value.__cause__}"


def test_endpoints_are_asked_in_the_order_of_the_settings() -> None:
    fallbacks = '[{"base_url": "https://b.example/v1", "model": "second", "api_key": "sk-planted"}]'
    endpoints = Settings.from_env({**CHAT, "CHAT_FALLBACKS": fallbacks}).chat_endpoints
    assert [endpoint.model for endpoint in endpoints] == ["m", "second"]
    assert "sk-planted" not in repr(endpoints)


def test_keys_never_show_in_a_repr() -> None:
    assert "sk-planted" not in repr(Settings.from_env({"CHAT_API_KEY": "sk-planted", "QDRANT_API_KEY": "sk-planted"}))


@pytest.mark.parametrize("module", ["app", "ingest"])
def test_a_bad_setting_ends_a_command_with_one_line_and_code_2(module: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORT=nonsense\n", encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", module], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip() == "PORT=nonsense is not a valid value: it must be a whole number."
