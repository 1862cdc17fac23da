"""The container files, checked by reading them: no Docker engine is needed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.settings import Settings

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("vouch", "ingest")
BUILT_HERE = "vouch:local"
SETTING_NAMES = {name.upper() for name in Settings.__struct_fields__}

# One instruction a line, its continuations joined, comments left out.
DOCKERFILE = [
    line
    for line in re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
    if line and not line.startswith("#")
]


def instructions(name: str) -> list[str]:
    return [line.removeprefix(f"{name} ") for line in DOCKERFILE if line.startswith(f"{name} ")]


def given(service: str, **outside: str) -> dict[str, str]:
    """The service's environment as compose fills it in, with `outside` standing for the shell and `.env`."""

    def fill(match: re.Match[str]) -> str:
        return outside.get(match["name"]) or match["default"]

    environment: dict[str, object] = SERVICES[service]["environment"]
    return {
        name: re.sub(r"\$\{(?P<name>\w+):-(?P<default>[^}]*)\}", fill, str(value))
        for name, value in environment.items()
    }


def images() -> set[str]:
    stages = {line.split(" AS ")[1] for line in instructions("FROM") if " AS " in line}
    bases = {line.split()[0] for line in instructions("FROM")} - stages
    return bases | {service["image"] for service in SERVICES.values()} - {BUILT_HERE}


def test_every_image_names_one_release() -> None:
    assert len(images()) == 6
    for image in images():
        assert re.fullmatch(r"[a-z/]+:v?\d+\.\d+\.\d+(-[a-z]+)*", image), image


def test_qdrant_is_within_one_minor_version_of_its_client() -> None:
    server = SERVICES["qdrant"]["image"].partition(":v")[2].split(".")
    client = version("qdrant-client").split(".")
    assert server[0] == client[0]
    assert abs(int(server[1]) - int(client[1])) <= 1


def test_the_image_runs_as_a_numbered_user_who_is_not_root() -> None:
    final = "\n".join(DOCKERFILE).rpartition("\nFROM ")[2]
    user = re.search(r"^USER (\d+):(\d+)$", final, re.MULTILINE)
    assert user
    assert "0" not in user.groups()


def test_packages_are_installed_by_hash_and_in_a_stage_that_is_left_behind() -> None:
    builder, final = "\n".join(DOCKERFILE).split("\nFROM ")[1:]
    assert "pip install" in builder
    assert "--require-hashes --no-deps -r requirements.txt" in builder
    assert "pip" not in final


def test_everything_that_the_dockerfile_copies_is_let_in_by_dockerignore() -> None:
    ignore = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = {line.removeprefix("!") for line in ignore if line.startswith("!")}
    sources = {line.split()[0] for line in instructions("COPY") if not line.startswith("--from")}
    assert {source.split("/")[0] for source in sources} == allowed
    assert all((ROOT / source).exists() for source in sources)


def test_only_the_service_is_reachable_and_only_from_this_machine() -> None:
    ports = [port for service in SERVICES.values() if "profiles" not in service for port in service.get("ports", [])]
    assert ports == [f"127.0.0.1:{Settings().port}:{Settings().port}"]
    for service in SERVICES.values():  # those of a profile are for whoever sits at this machine
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    assert instructions("EXPOSE") == [str(Settings().port)]
    assert Settings.from_env(given("vouch")).host == "0.0.0.0"  # else the published port leads nowhere


@pytest.mark.parametrize("service", OURS)
def test_every_variable_is_a_setting_and_the_defaults_start(service: str) -> None:
    assert set(SERVICES[service]["environment"]) <= SETTING_NAMES
    settings = Settings.from_env(given(service))
    assert settings.qdrant_url == "http://qdrant:6333"
    assert settings.redis_url == "redis://redis:6379/0"


def test_both_of_ours_agree_on_the_index() -> None:
    outside = {"INDEX_NAME": "other", "EMBEDDING_MODEL": "some/model", "RELEVANCE_THRESHOLD": "0.3"}
    service, job = (given(name, **outside) for name in OURS)
    assert {name: service[name] for name in job} == job


def test_a_model_on_this_machine_can_be_named() -> None:
    outside = {
        "CHAT_BASE_URL": "http://host.docker.internal:11434/v1",
        "CHAT_MODEL": "small",
        "CHAT_ALLOW_HTTP": "1",
    }
    assert Settings.from_env(given("vouch", **outside)).chat_model == "small"
    assert SERVICES["vouch"]["extra_hosts"] == ["host.docker.internal:host-gateway"]


def test_no_key_stands_in_the_file() -> None:
    keys = {name: value for name, value in SERVICES["vouch"]["environment"].items() if name.endswith("_KEY")}
    assert keys == {"CHAT_API_KEY": "${CHAT_API_KEY:-}"}


def test_a_stop_leaves_time_for_running_answers() -> None:
    grace = SERVICES["vouch"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > Settings().chat_deadline_s + 2
    assert instructions("STOPSIGNAL") == ["SIGTERM"]


def test_ours_can_write_to_their_data_folder_and_tmp_alone() -> None:
    for name in OURS:
        service = SERVICES[name]
        assert service["read_only"] is True
        assert service["tmpfs"] == ["/tmp"]
        data, corpus = service["volumes"]
        assert data == "vouch_data:/data"
        assert corpus["target"] == "/corpus"
        assert corpus["read_only"] is True


def test_the_image_points_its_settings_at_the_folders_it_has() -> None:
    variables = dict(pair.split("=", 1) for pair in instructions("ENV")[0].split())
    assert Settings.from_env(variables).corpus == "/corpus"
    assert Settings.from_env(variables).qdrant_path.startswith("/data/")
    assert variables["HOME"] == "/data"
    assert "ingest/sample /corpus" in instructions("COPY")


def test_ours_wait_until_qdrant_and_redis_are_healthy() -> None:
    for name in OURS:
        conditions = SERVICES[name]["depends_on"]
        assert conditions == {other: {"condition": "service_healthy"} for other in ("qdrant", "redis")}
        assert all("test" in SERVICES[other]["healthcheck"] for other in conditions)


def test_ingestion_runs_only_when_asked_for() -> None:
    assert SERVICES["ingest"]["profiles"] == ["ingest"]
    assert SERVICES["ingest"]["command"] == ["python", "-m", "ingest"]
    assert "profiles" not in SERVICES["vouch"]


def test_every_volume_is_declared() -> None:
    mounted = [volume for service in SERVICES.values() for volume in service.get("volumes", [])]
    sources = {volume.split(":")[0] for volume in mounted if isinstance(volume, str)}
    files = {source for source in sources if source.startswith("./")}
    assert sources - files == set(COMPOSE["volumes"])
    assert all((ROOT / file).is_file() for file in files)


@contextmanager
def answering(status: int, path: str) -> Iterator[int]:
    """A local server that answers `status` on `path` and 404 elsewhere; gives its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == path else 404)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def qdrant_check(port: int) -> int:
    kind, *command = SERVICES["qdrant"]["healthcheck"]["test"]
    assert kind == "CMD"
    command = [part.replace("$$", "$").replace("6333", str(port)) for part in command]
    return subprocess.run(command, capture_output=True, timeout=10).returncode


def service_check(port: int) -> int:
    python, *arguments = json.loads(instructions("HEALTHCHECK")[0].partition("CMD ")[2])
    assert python == "python"
    env = {**os.environ, "PORT": str(port), "http_proxy": "http://127.0.0.1:9"}
    return subprocess.run([sys.executable, *arguments], env=env, capture_output=True, timeout=10).returncode


@pytest.mark.parametrize(("check", "path"), [(qdrant_check, "/readyz"), (service_check, "/health/live")])
def test_health_checks_tell_healthy_from_unwell_and_from_gone(check: Any, path: str) -> None:
    with answering(200, path) as port:
        assert check(port) == 0
    assert check(port) == 1  # nothing listens there any more
    with answering(503, path) as port:
        assert check(port) == 1


def test_env_example_lists_every_setting_with_its_default() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^#([A-Z_]+)=(.*)$", text, re.MULTILINE))
    assert set(listed) == SETTING_NAMES
    shown = Settings.from_env(listed)
    assert {name: getattr(shown, name) for name in shown.__struct_fields__} == {
        name: getattr(Settings(), name) for name in shown.__struct_fields__
    }


def test_each_line_of_env_example_is_explained_right_above_it() -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    for above, line in pairwise(lines):
        if re.match(r"#[A-Z_]+=", line):
            assert above.startswith("# "), line


def test_compose_itself_accepts_the_file() -> None:
    try:
        subprocess.run(["docker", "compose", "version"], check=True, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        pytest.skip("docker compose is not installed: the file was checked by reading alone")
    command = ["docker", "compose", "--profile", "ingest", "config", "--quiet"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
