"""The words that numbers, units and dates are written with: English, German, Spanish, French, some Chinese."""

from __future__ import annotations


def _by_name(lines: str) -> dict[str, str]:
    """Lines of `name: word word`, as word -> name; each name stands for itself too."""
    rows = [line.partition(":") for line in lines.strip().splitlines()]
    return {word: name for name, _, words in rows for word in (name, *words.split())}


def _by_place(lines: str, first: int = 1, step: int = 1) -> dict[str, int]:
    """Lines of words, as word -> number: `first` for the words of the first line, and so on."""
    return {
        word: first + step * place for place, line in enumerate(lines.strip().splitlines()) for word in line.split()
    }


UNITS = _by_name("""
second:seconds sec secs sekunde sekunden segundo segundos seconde secondes 秒
minute:minutes min mins minuten minuto minutos 分钟 分鐘
hour:hours hr hrs h stunde stunden hora horas heure heures 小时 小時
day:days tag tage tagen día días dia dias jour jours 天
week:weeks woche wochen semana semanas semaine semaines 周 星期
month:months monat monate monaten mes meses mois 个月 個月
year:years yr yrs jahr jahre jahren año años ans année années 年
%:percent pct prozent ％
$:usd dollar dollars
€:eur euro euros
£:gbp
¥:yen cny rmb 元
km:kilometer kilometers kilometre kilometres kilómetros
m:meter meters metre metres metros mètres
cm:centimeter centimeters centimetre centimetres
mm:millimeter millimeters millimetre millimetres
mile:miles
foot:feet ft
inch:inches
kg:kilogram kilograms kilo kilos
g:gram grams gramm
mg:milligram milligrams
lb:lbs pound pounds
ton:tons tonne tonnes
l:liter liters litre litres
ml:milliliter milliliters millilitre millilitres
kb:kilobyte kilobytes
mb:megabyte megabytes
gb:gigabyte gigabytes
tb:terabyte terabytes
ms:millisecond milliseconds
°c:celsius
°f:fahrenheit
mph:
kwh:
mw:
gw:
hz:
am:a.m.
pm:p.m.
""")
"""Spelling -> unit. Units are compared by name, not converted: 24 hours are not one day."""

SCALES = {
    word: 10.0**power
    for word, power in _by_place(
        """
        k thousand tausend mil mille
        million millions millionen millón millones
        bn billion billions milliarde milliarden milliard milliards
        trillion trillions
        """,
        first=3,
        step=3,
    ).items()
}

NUMBERS = _by_place("""
one first once ein eine eins uno una un une
two second twice zwei dos deux
three third drei tres trois
four fourth vier cuatro quatre
five fifth fünf cinco cinq
six sixth sechs seis
seven seventh sieben siete sept
eight eighth acht ocho huit
nine ninth neun nueve neuf
ten tenth zehn diez dix
eleven eleventh elf onze
twelve twelfth zwölf doce douze
thirteen dreizehn trece treize
fourteen vierzehn catorce quatorze
fifteen fünfzehn quince quinze
sixteen sechzehn seize
seventeen siebzehn
eighteen achtzehn
nineteen neunzehn
twenty zwanzig veinte vingt
""") | _by_place(
    """
    thirty dreißig treinta trente
    forty vierzig cuarenta quarante
    fifty fünfzig cincuenta cinquante
    sixty sechzig sesenta soixante
    seventy siebzig setenta
    eighty achtzig ochenta
    ninety neunzig noventa
    """,
    first=30,
    step=10,
)

MONTHS = _by_place("""
january jan januar enero janvier
february feb februar febrero février
march mar märz marzo mars
april apr abril avril
may mai mayo
june jun juni junio juin
july jul juli julio juillet
august aug agosto août
september sep sept septiembre septembre
october oct oktober octubre octobre
november nov noviembre novembre
december dec dezember diciembre décembre
""")
