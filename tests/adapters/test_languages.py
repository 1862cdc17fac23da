"""Telling the language of a text by its stop words."""

from __future__ import annotations

import pytest

from app.adapters import languages
from app.adapters.languages import language_of

PROSE = {
    "ar": "يحق لكل موظف الحصول على عشرين يوما من الإجازة في السنة. يجب تقديم الطلب إلى المدير قبل أسبوعين على الأقل.",
    "de": "Jeder Beschäftigte hat Anspruch auf zwanzig Tage Urlaub im Jahr. Der Antrag ist vorher zu stellen.",
    "el": "Κάθε εργαζόμενος έχει δικαίωμα σε είκοσι ημέρες άδειας τον χρόνο. Η αίτηση πρέπει να υποβληθεί εγκαίρως.",
    "en": "Every employee has a right to twenty days of leave a year. The form is handed in two weeks before.",
    "es": "Cada empleado tiene derecho a veinte días de vacaciones al año. La solicitud se presenta dos semanas antes.",
    "fi": "Kun hakemus on jätetty, se on esimiehellä, ja hän päättää siitä, mitä lomasta tulee, ennen kuin se alkaa.",
    "fr": "Chaque salarié a droit à vingt jours de congés par an. La demande doit être déposée deux semaines avant.",
    "hu": "Minden munkavállalónak évente húsz nap szabadság jár. A kérelmet az időpont előtt kell benyújtani.",
    "it": "Ogni dipendente ha diritto a venti giorni di ferie all'anno. La richiesta deve essere presentata prima.",
    "nl": "Elke werknemer heeft recht op twintig dagen vakantie per jaar. De aanvraag moet vooraf worden ingediend.",
    "no": "Hver ansatt har rett til tjue dagers ferie i året, og ved tvil må du ta kontakt med personalavdelingen.",
    "pt": "Cada funcionário tem direito a vinte dias de férias por ano. O pedido deve ser apresentado ao responsável.",
    "ro": "Fiecare angajat are dreptul la douăzeci de zile de concediu pe an. Cererea trebuie depusă la responsabil.",
    "ru": "Каждый сотрудник имеет право на двадцать дней отпуска в год. Заявление нужно подать не позднее среды.",
    "sv": "Varje anställd har rätt till tjugo dagars semester per år. Ansökan ska lämnas till chefen före det datumet.",
    "tr": "Her çalışanın yılda yirmi gün izin hakkı vardır. Başvuru, en az iki hafta önce ve yazılı yapılmalıdır.",
}


@pytest.mark.parametrize("code", PROSE)
def test_prose_tells_its_language(code: str) -> None:
    assert language_of(PROSE[code]) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ERR_1042",
        "Fortbildungsbudget",
        "| Pump A | 10 | 3 |\n| Valve B | 20 | 8 |",
        "每位员工每年有二十天假期。请在 GitHub 上填写 the form 并提前两周提交给经理，如有疑问请联系人事部门。",
        "Dovolená náleží každému zaměstnanci, který je zaměstnán na základě pracovní smlouvy se zaměstnavatelem.",
        "Mỗi nhân viên được nghỉ phép năm hai mươi ngày làm việc.",
    ],
)
def test_what_holds_hardly_a_stop_word_tells_nothing(text: str) -> None:
    assert language_of(text) is None


@pytest.mark.parametrize(
    ("text", "stated", "language"),
    [
        ("Pumpe A, Ventil B", "de", "de"),
        (PROSE["de"], "en", "de"),  # by a template
        (PROSE["en"], "de", "en"),
        (PROSE["no"], "da", "da"),  # too near to each other to know better
        (PROSE["en"], "pl", "pl"),  # without stop words there is nothing to compare with
    ],
)
def test_the_stated_language_stands_unless_the_text_clearly_speaks_another(
    text: str, stated: str, language: str
) -> None:
    assert language_of(text, stated) == language


@pytest.mark.parametrize(
    ("likely", "language"), [((), None), (("es", "de"), "es"), (("ro",), "ro"), (("es", "ro"), None), (("de",), None)]
)
def test_of_languages_that_are_level_the_likely_one_is_spoken(likely: tuple[str, ...], language: str | None) -> None:
    assert language_of("¿Cuándo se pagó la factura?", likely=likely) == language


@pytest.mark.parametrize("code", sorted(languages.STEMMED))
def test_every_language_has_its_stemmer(code: str) -> None:
    assert languages.stemmer(code).embed_query("x1").indices
    assert (
        languages.stemmer(code, "de").embed_query("x1 und").indices == languages.stemmer(code).embed_query("x1").indices
    )
