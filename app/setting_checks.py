"""What a single setting must be. Each check raises SettingsError, one line that names the variable."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from app.core.callers import is_group
from app.errors import SettingsError

_SHORTEST_SECRET = 16


def check_index_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise SettingsError("INDEX_NAME must be 1 to 64 letters, digits, - or _.")


def check_include(patterns: tuple[str, ...]) -> None:
    if not patterns:
        return
    from pathspec import GitIgnoreSpec  # slow to import, and seldom needed

    for pattern in patterns:
        try:
            GitIgnoreSpec.from_lines([pattern])
        except (ValueError, re.error) as error:
            raise SettingsError(
                f"INCLUDE holds {pattern}, which is no pattern: write them as in .gitignore, such as *.md, docs/"
            ) from error


def check_groups(groups: tuple[str, ...]) -> None:
    if not groups or not all(map(is_group, groups)):
        raise SettingsError("DEFAULT_ACCESS must be groups with commas between them, such as hr,tenant:acme.")


def check_http_url(variable: str, url: str) -> None:
    if url and not _is_url(url, ("http", "https")):
        raise SettingsError(f"{variable} must be a URL such as http://localhost:6333.")


def check_redis_url(url: str) -> None:
    """Says nothing of the value: a password may stand in it."""
    if url and not (_is_url(url, ("redis", "rediss")) and re.fullmatch(r"/?\d*", urlsplit(url).path)):
        raise SettingsError("REDIS_URL must be a URL such as redis://localhost:6379/0.")


def listed(value: str) -> list[str]:
    """The names in a setting that holds several, in lower case."""
    return [name.strip().lower() for name in value.split(",") if name.strip()]


def check_image_hosts(hosts: str) -> None:
    if not all(re.fullmatch(r"[a-z0-9._-]+", host) for host in listed(hosts)):
        raise SettingsError("IMAGE_HOSTS must be host names with commas between them, such as img.example.com.")


def check_origins(origins: str) -> None:
    for origin in listed(origins):
        if not (_is_url(origin, ("http", "https")) and re.fullmatch(r"https?://[^/?#@\s*]+", origin)):
            raise SettingsError(
                "CORS_ORIGINS must be origins with commas between them, such as https://intranet.example.com."
            )


def check_notice_secrets(secrets: tuple[str, ...]) -> None:
    """Says nothing of the values."""
    if any(len(secret) < _SHORTEST_SECRET for secret in secrets):
        raise SettingsError(
            f"NOTICE_SECRETS must be secrets of at least {_SHORTEST_SECRET} characters with commas between them:"
            " `openssl rand -hex 32` makes one."
        )


def _is_url(url: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def check_chat_url(variable: str, url: str, allow_http: bool) -> None:
    check_http_url(variable, url)
    if "@" in urlsplit(url).netloc:  # the URL is shown where the endpoint is named
        raise SettingsError(f"{variable} must hold no user name or password: put a key into CHAT_API_KEY or api_key.")
    if urlsplit(url).scheme == "https" or is_loopback(_host(url)) or (allow_http and _is_private(_host(url))):
        return
    raise SettingsError(
        f"{variable} must be https (http is for loopback, and with CHAT_ALLOW_HTTP=1 for private hosts)."
    )


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def is_loopback(host: str) -> bool:
    return host == "localhost" or (_address(host) is not None and ipaddress.ip_address(host).is_loopback)


def _is_private(host: str) -> bool:
    """A private address, or a name that only an inside resolver knows (no dot, `.internal`, `.local`).

    What is link-local is no model's: at 169.254.169.254 clouds give away the keys of the machine.
    """
    if _address(host) is not None:
        address = ipaddress.ip_address(host)
        address = getattr(address, "ipv4_mapped", None) or address
        return address.is_private and not address.is_link_local
    return "." not in host or host.endswith((".internal", ".local", ".lan"))


def _address(host: str) -> str | None:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return None
