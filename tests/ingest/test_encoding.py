"""From bytes to text, and what is refused on the way."""

from __future__ import annotations

import codecs
import contextlib

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingest.errors import UnreadableDocument
from ingest.readers import read
from ingest.readers.encoding import decode

TEXT = "Größe: 5 €\nعربي 中文 😀\n"
TEXTS = st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]))


def refusal(data: bytes, name: str = "a.md") -> str:
    with pytest.raises(UnreadableDocument) as refused:
        read(name, data)
    return str(refused.value)


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF8 * 2 + TEXT.encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
    ],
    ids=["utf-8", "utf-8-sig", "marked twice", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "crlf", "cr"],
)
def test_byte_order_marks_and_line_ends_change_nothing(data: bytes) -> None:
    assert decode(data) == TEXT


@settings(deadline=None)
@given(TEXTS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_what_is_encoded_comes_back(text: str, encoding: str) -> None:
    assume(text.strip())
    assert decode(text.encode(encoding)) == text.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\0\0\xff\xfe",
        b"text\0text",
        codecs.BOM_UTF8 + b"text\0text",
        "a\0b".encode("utf-16"),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
        bytes(range(1, 256)) * 4,
        b"PK\x03\x04" + bytes(range(0, 256, 3)) * 9,
        b"\0\1binary",
        b"a,b\n1,\0\n",  # these would be Chinese in UTF-16
        b"desk\0the train",
    ],
)
def test_binary_is_refused(data: bytes) -> None:
    assert refusal(data) == "it is binary, not text"


def test_damaged_text_is_refused_and_told_where() -> None:
    assert refusal("Größe, Länge, Höhe: für".encode()[:-1] + b"\xff") == (
        "it is not valid UTF-8 (byte 27): save it as UTF-8"
    )
    assert "not valid UTF-16" in refusal(codecs.BOM_UTF16_LE + b"a")


GERMAN = "Für die Übernachtung gilt eine Grenze von 120 Euro; größere Beträge müssen vorher genehmigt werden.\n"
FRENCH = "Le café est offert à tous les employés. Où déposer une demande de congé ? C’est écrit « ici ».\n"
PORTUGUESE = "As despesas de alimentação são pagas até ao dia três; não há exceções à regra.\n"
CZECH = "Žádost o dovolenou podejte nejméně týden předem. Příspěvek na stravování činí sto korun denně.\n"
POLISH = "Wniosek o urlop należy złożyć co najmniej tydzień wcześniej. Koszty podróży są zwracane.\n"
TURKISH = "İzin başvurusu en az bir hafta önceden yapılmalıdır. Çalışanların yıllık izni yirmi gündür.\n"
RUSSIAN = "Заявление на отпуск подаётся не позднее чем за две недели. Расходы возмещаются после предъявления чеков.\n"
GREEK = "Η αίτηση για άδεια πρέπει να υποβληθεί τουλάχιστον μία εβδομάδα νωρίτερα.\n"
JAPANESE = "休暇の申請は少なくとも一週間前に提出してください。出張の費用は払い戻されます。\n"
CHINESE = "请假申请至少提前一周提交。出差费用在提交收据后报销。员工每年有二十五天的带薪年假。\n"
OTHERS = [
    *((GERMAN, name) for name in ("cp1252", "latin-1", "utf-16-le", "utf-16-be", "mac-roman", "cp850")),
    ("Die Länge der Fähre und die Höhe der Fähnchen.\n", "mac-roman"),
    *((FRENCH, name) for name in ("cp1252", "mac-roman")),
    *((PORTUGUESE, name) for name in ("cp1252", "latin-1")),
    *((CZECH, name) for name in ("cp1250", "iso8859-2")),
    *((POLISH, name) for name in ("cp1250", "iso8859-2")),
    (TURKISH, "cp1254"),
    *((RUSSIAN, name) for name in ("koi8-r", "cp1251", "iso8859-5", "cp866", "utf-16-le")),
    *((GREEK, name) for name in ("cp1253", "iso8859-7")),
    *((JAPANESE, name) for name in ("shift_jis", "iso2022_jp", "utf-16-le")),
    *((CHINESE, name) for name in ("gb18030", "gbk", "utf-16-be")),
]


@pytest.mark.parametrize(("text", "encoding"), OTHERS, ids=[f"{name}-{text[:8]}" for text, name in OTHERS])
@pytest.mark.parametrize("times", [1, 50])
def test_other_encodings_are_detected(text: str, encoding: str, times: int) -> None:
    assert decode(f"# A\n\n{text * times}".encode(encoding)) == f"# A\n\n{text * times}"


def test_an_encoding_that_is_not_certain_is_a_failure() -> None:
    uncertain = "its encoding can't be told for certain: save it as UTF-8"
    assert uncertain in refusal(bytes(range(0xA0, 0x100)))
    assert uncertain in refusal(f"# A\n\n{JAPANESE}".encode("euc_jp"))  # as good in Korean


@pytest.mark.parametrize("name", ["koi8-r", "cp1251", "utf-8"])
def test_a_declared_encoding_is_believed(name: str) -> None:
    assert decode("Да".encode(name), name) == "Да"


def test_a_wrong_declaration_does_no_harm() -> None:
    assert decode("é".encode(), "latin-1") == "é"
    assert decode(b"plain", "utf-16") == "plain"
    assert decode(b"plain", "rot13") == decode(b"plain", "no such thing") == decode(b"plain", "a\0b") == "plain"
    assert decode(GERMAN.encode("cp1252"), "shift_jis") == GERMAN
    assert decode("“quoted” € text".encode("cp1252"), "iso-8859-1") == "“quoted” € text"


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, "\xa0\n".encode()])
@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_empty_is_refused(data: bytes, name: str) -> None:
    assert refusal(data, name) == "it is empty"


@pytest.mark.parametrize(("name", "heading"), [("a.MD", ("T",)), ("a.markdown", ("T",)), ("a.txt", ()), ("a.text", ())])
def test_the_suffix_chooses_the_reader(name: str, heading: tuple[str, ...]) -> None:
    assert read(name, b"# T\n\nText.").blocks[-1].heading == heading


@settings(deadline=None)
@given(st.binary())
def test_bytes_are_read_or_refused(data: bytes) -> None:
    for name in ("a.md", "a.txt"):
        with contextlib.suppress(UnreadableDocument):
            read(name, data)
