"""Which links an answer may hold, and how its citations are written.

A link is live only when its URL stands in a packed source, exactly as it stands there; an image only when its
host is trusted besides. This is what keeps an injected document from sending a reader's data away in a URL.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Literal
from urllib.parse import urljoin, urlsplit

from msgspec import Struct, field

from app.core.model import Source
from app.core.titles import as_text

CitationStyle = Literal["markers", "links"]

MAX_TITLE = 60
"""Characters of a title in a citation, its escapes included."""

_SCHEME = re.compile(r":(?://)?")
_LIVE_SCHEMES = ("http", "https", "mailto")
_UNSAFE = re.compile(r"[\s<>\\`\[\]\x00-\x1f]")
_BARE = r"(?:(?:https?|ftp)://|(?<![A-Za-z0-9])www\.)[^\s<>\"'`\[\]{}|\\^（）【】。，；、：！？]++"
_WRITTEN = re.compile(
    r"(?P<image>!\[[^\[\]\n]{0,300}+)?\]\(\s*+(?:<(?P<angled>[^<>\n]*+)>"
    r"|(?P<target>[^\s<>()]*+(?:\([^\s<>()]*+\)[^\s<>()]*+)*+))"
    r"|^[ ]{0,3}\[[^\[\]\n]{1,300}+\]:[ \t]*+<?(?P<defined>[^\s<>]++)"
    r"|<(?P<autolink>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+)>"
    r"|(?P<loads>\bsrc|\bhref)\s*+=\s*+[\"']?(?P<attribute>[^\s\"'<>]++)"
    rf"|(?P<bare>{_BARE})",
    re.MULTILINE | re.IGNORECASE,
)
_TRAILING = re.compile(r"(?:[?!.,:*_~'\";]|&[A-Za-z0-9]+;)\Z")


class Links(Struct, frozen=True):
    """`Links()` allows none."""

    urls: Mapping[str, str] = field(default_factory=dict)
    """From a URL as it stands in a source to the absolute one that leaves; those map to themselves."""
    owners: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """From the URL of a document to the numbers of its sources."""
    titles: Mapping[int, str] = field(default_factory=dict)
    """Markdown, of each source that has a URL."""
    targets: Mapping[int, str] = field(default_factory=dict)
    """The URL of the document of each source that has one."""
    image_hosts: frozenset[str] = frozenset()
    style: CitationStyle = "markers"

    def sources_of(self, url: str) -> tuple[int, ...]:
        """The sources whose document stands at exactly this URL."""
        return self.owners.get(url, ())

    def source_of(self, url: str) -> int | None:
        """The first of them."""
        return next(iter(self.sources_of(url)), None)

    def may_link(self, url: str) -> bool:
        return url in self.urls

    def may_load(self, url: str) -> bool:
        """Whether an image may be shown, which a browser loads without a click."""
        return url in self.urls and urlsplit(self.urls[url]).hostname in self.image_hosts

    def resolve(self, url: str) -> str:
        return self.urls[url]

    def may_begin(self, text: str) -> bool:
        """Whether an allowed URL may begin with `text`, or `text` with one."""
        return any(url.startswith(text) or text.startswith(url) for url in self.urls)

    def render(self, number: int) -> str:
        """The citation of a source, as the style has it."""
        if self.style == "links" and number in self.targets:
            return f"[{self.titles[number]}]({self.targets[number]})"
        return f"[{number}]"

    def is_title(self, label: str, number: int) -> bool:
        """Whether a reader sees in `label` what `render` writes."""
        return label == re.sub(r"\\(.)", r"\1", self.titles.get(number, ""))


def packed_links(
    sources: Sequence[Source], image_hosts: Collection[str] = (), style: CitationStyle = "markers"
) -> Links:
    """What an answer over `sources` may link to."""
    urls: dict[str, str] = {}
    owners: dict[str, tuple[int, ...]] = {}
    titles: dict[int, str] = {}
    targets: dict[int, str] = {}
    for source in sources:
        base = _absolute(source.url or "", "")
        for written, _ in _urls_in(source.text):
            if absolute := _absolute(written, base):
                urls |= {written: absolute, absolute: absolute}
        if base:
            urls[base] = base
            owners[base] = (*owners.get(base, ()), source.number)
            titles[source.number] = _short_title(source.title)
            targets[source.number] = base
    return Links(urls, owners, titles, targets, frozenset(image_hosts), style)


def images_in(text: str, url: str | None = None) -> tuple[str, ...]:
    """The URLs of the images in a source's text, absolute, in order. `url` is that of its document."""
    base = _absolute(url or "", "")
    found = (_absolute(written, base) for written, is_image in _urls_in(text) if is_image)
    return tuple(dict.fromkeys(filter(None, found)))


def stands_alone(url: str) -> bool:
    """Whether a URL in text, without brackets, is exactly the link that a reader makes of it."""
    return bool(_absolute(url, "")) and trimmed(url) == url


def without_scheme(url: str) -> str:
    """A URL as dead text: without what makes it one, and without what would be code or an escape in Markdown."""
    return _SCHEME.sub(" ", url, count=1).replace("`", "%60").replace("\\", "%5C")


def trimmed(url: str) -> str:
    """A URL that stands in text, without the punctuation after it that a reader of GFM leaves out."""
    while True:
        if found := _TRAILING.search(url):
            url = url[: found.start()]
        elif url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1]
        else:
            return url


def _urls_in(text: str) -> Iterator[tuple[str, bool]]:
    """Every URL as it is written in Markdown or HTML, and whether it is that of an image."""
    for found in _WRITTEN.finditer(text):
        url = found["angled"] or found["target"] or found["defined"] or found["autolink"] or found["attribute"]
        if url or found["bare"]:
            is_image = found["image"] is not None or (found["loads"] or "").lower() == "src"
            yield url or trimmed(found["bare"]), is_image


def _absolute(written: str, base: str) -> str:
    """The URL that a link to `written` in a document at `base` leads to; empty when that may be no link."""
    if _UNSAFE.search(written) or not _is_balanced(written):
        return ""
    if written.lower().startswith("www."):
        return f"http://{written}"
    try:
        absolute = urljoin(base, written)
        parts = urlsplit(absolute)
    except ValueError:
        return ""
    is_whole = parts.netloc or parts.scheme == "mailto"
    return absolute if parts.scheme in _LIVE_SCHEMES and is_whole else ""


def _is_balanced(url: str) -> bool:
    depths = list(accumulate((char == "(") - (char == ")") for char in url))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def _short_title(title: str) -> str:
    """A title as Markdown that fits a citation; cut between words where there are any."""
    text = as_text(title) or "Source"
    if len(text) <= MAX_TITLE:
        return text
    cut = text[: MAX_TITLE - 1].rstrip("\\")
    return (cut.rpartition(" ")[0] or cut).rstrip("\\ ") + "…"
