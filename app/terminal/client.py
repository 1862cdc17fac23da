"""The running service, as the commands of a terminal ask it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import httpx
from httpx_sse import EventSource, connect_sse

from app.errors import VouchError

_SILENCE_S = 60.0  # the service sends a comment line every 15 s
_CONNECT_S = 5.0


class CannotAsk(VouchError):
    """The service is not there, or does not take the question."""


class Client:
    """The service at `address`, with the caller's key if there is one.

    Raises CannotAsk whenever it gives no reply that can be used.
    """

    def __init__(self, address: str, key: str = "") -> None:
        self.address = address
        self._headers = {b"Authorization": f"Bearer {key}".encode()} if key else {}

    def get(self, path: str, parameters: dict[str, Any] | None = None, *, accept: tuple[int, ...] = (200,)) -> bytes:
        """The body of a reply with one of the statuses in `accept`."""
        with self._translated(), self._http() as http:
            response = http.get(path, params=parameters)
            return _checked(response, accept).content

    @contextmanager
    def events(self, path: str, body: dict[str, Any]) -> Iterator[EventSource]:
        with self._translated(), self._http() as http, connect_sse(http, "POST", path, json=body) as events:
            _checked(events.response, (200,))
            yield events

    def broke_off(self, why: str = "") -> CannotAsk:
        return CannotAsk(f"The service at {self.address} broke off{why}: ask again.")

    def _http(self) -> httpx.Client:
        bounds = httpx.Timeout(_SILENCE_S, connect=_CONNECT_S)
        return httpx.Client(base_url=self.address, headers=self._headers, trust_env=False, timeout=bounds)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except httpx.ConnectError as exc:
            raise CannotAsk(f"Nothing answers at {self.address}: start the service with `make run`.") from exc
        except httpx.HTTPError as exc:
            raise self.broke_off(f" ({type(exc).__name__})") from exc


def _checked(response: httpx.Response, accept: tuple[int, ...]) -> httpx.Response:
    if response.status_code in accept:
        return response
    response.read()
    problem = response.json() if "json" in response.headers.get("content-type", "") else {}
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        raise CannotAsk("The service asks for a valid key: put yours into API_KEY (in the environment, or in .env).")
    said = f"{problem.get('title', 'The service did not take the request')}. {problem.get('detail', '')}"
    raise CannotAsk(said.strip())
