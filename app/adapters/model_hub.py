"""Models that fastembed knows by name: from its cache on this machine, or fetched once from their hub."""

from __future__ import annotations

import os
from typing import Any, Protocol, TypeVar

import httpx

from app.errors import ModelUnavailable

SESSION: dict[str, Any] = {"threads": 1}
"""On CPU two threads with sessions of one thread use two cores best. onnxruntime's arena stays on: one text a call
keeps it small, and without it memory goes back to the system and is asked for anew in each call, 3 % of the time."""
_TIMEOUT_S = 3.0

M = TypeVar("M", covariant=True)


class _Kind(Protocol[M]):
    """A class of fastembed's, such as TextEmbedding."""

    def __call__(self, model_name: str, **options: Any) -> M: ...

    def list_supported_models(self) -> list[dict[str, Any]]: ...


def load(kind: _Kind[M], setting: str, name: str, *, instead: str) -> M:
    """The model of that name, which `setting` gives. Takes seconds, a download longer: call it in a thread.

    Raises ModelUnavailable, in one line that ends with what to do `instead`, also when the hub is out of reach.
    """
    from loguru import logger

    logger.disable("fastembed")  # it tells of each place where it did not find the model; we tell what to do
    if name.lower() not in {str(model["model"]).lower() for model in kind.list_supported_models()}:
        raise ModelUnavailable(
            f"{setting}={name} is not a model that fastembed knows: {instead}, or a name from its list."
        )
    try:
        return kind(name, local_files_only=True, **SESSION)
    except Exception:  # fastembed raises whatever its libraries raise; most often it is just not downloaded yet
        _check_reach(setting, name, instead)
    try:
        return kind(name, **SESSION)
    except Exception as exc:
        raise ModelUnavailable(f"{setting}={name} could not be downloaded or loaded: {exc}") from exc


def _check_reach(setting: str, name: str, instead: str) -> None:
    """Ask the hub once; by itself fastembed sleeps and retries for 39 s before it says that there is none."""
    hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
    try:
        httpx.head(hub, timeout=_TIMEOUT_S)
    except httpx.HTTPError as exc:
        raise ModelUnavailable(
            f"{setting}={name} is not on this machine and its hub can't be reached: {instead}."
        ) from exc
