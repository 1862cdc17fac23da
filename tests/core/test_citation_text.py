from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.citation_text import MarkerText
from app.core.model import Marker, SentenceSupport, Support

PIECES = st.lists(st.tuples(st.text(max_size=5), st.integers(1, 30), st.text(min_size=1, max_size=9)), max_size=6)


@given(PIECES, st.text(max_size=5))
def test_what_stands_between_citations_is_found_again_in_the_answer(
    pieces: list[tuple[str, int, str]], rest: str
) -> None:
    answer, plain, markers = "", "", []
    for text, number, link in pieces:
        markers.append(Marker(number, len(answer + text), len(answer + text + link)))
        answer += text + link
        plain += f"{text}[{number}]"
    read = MarkerText(answer + rest, markers)
    assert read.text == plain + rest
    sentence = SentenceSupport(text="", start=0, end=len(read.text), cited=(), supported=None)
    (whole,) = read.place(Support((sentence,), 0)).sentences
    assert (whole.start, whole.end, whole.text) == (0, len(answer + rest), answer + rest)
    tail = SentenceSupport(text="", start=len(plain), end=len(plain + rest), cited=(), supported=None)
    (tail,) = read.place(Support((tail,), 0)).sentences
    assert (tail.start, tail.text) == (len(answer), rest)
