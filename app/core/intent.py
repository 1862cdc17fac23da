"""What a question wants: an answer, a list of documents, or advice on what to read.

catalogue  asks which documents there are, about something or at all
           "Which documents about on-call are there?", "List all pages on security", "Is there a page on leave?",
           "What documents do you have?", "Welche Seiten gibt es zur Elternzeit?"
recommend  asks what to read
           "Which pages should I read before my first shift?", "Can you recommend some reading on refunds?",
           "Welche Dokumente empfiehlst du zum Einstieg?"
answer     everything else, and whatever is in doubt

A catalogue question must be one of the phrases from its first word to its last, courtesies aside, with the topic at
its place in it; a recommendation is recognised by a phrase anywhere. Both need a word for documents or for reading:
"Which documents do I need for a visa?" and "Which laptop do you recommend?" name neither a collection to list nor a
page to read, and are answered. The rules know English and German; a caller may always say what is wanted instead.
`python -m bench.intent` measures them.
"""

from __future__ import annotations

import re
from typing import Literal

from app.core.model import Intent

IntentOption = Literal["auto", "answer", "catalogue", "recommend"]

_LONGEST = 300
"""Characters: a longer question tells a story, and none of the phrases comes near."""

_TOPIC = r"(?P<topic>\S.*?)"

_OPENING = re.compile(
    r"\A(?:(?:hi|hello|hey|please|ok|okay|and|so|hallo|moin|bitte|und)\b[,!.]* ?"
    r"|(?:can|could|would|will) (?:you|i)\b(?! recommend| suggest) ?"
    r"|(?:kannst|könntest) du(?: mir)? |(?:können|könnten) sie(?: mir)? "
    r"|(?:tell|show) me (?=which|what|where)|(?:sag|sage|zeig|zeige)(?: mir)? (?=welche|was|wo))*+",
    re.IGNORECASE,
)
_IS = re.compile(r"(?<=\Awhat)['’]s\b", re.IGNORECASE)
_CLOSING = re.compile(r"(?:[\s,?!.:;]|\b(?:please|bitte|thanks|thank you|danke)\b)++\Z", re.IGNORECASE)

# English
_SOME = (
    r"(?:(?:all|any|some|the|an?|other|more|of|your|our|these|those|existing|available|internal|relevant|related"
    r"|indexed|written|few|further|good|useful|helpful) )*+"
)
_DOCS = (
    r"(?:(?:wiki|handbook|help|information) )?"
    r"(?:documents?|docs?|documentation|pages?|articles?|files?|materials?|sources?)"
)
_THING = r"(?:any|some)thing"
_SPEAKS = (
    r"(?:covers?|mentions?|discuss(?:es)?|describes?|explains?|deals? with|talks? about|(?:is|are) about(?! to\b)"
    r"|relates? to|(?:has|have) to do with)"
)
_ABOUT = rf"(?:about|on|regarding|concerning|covering|mentioning|related to|dealing with|(?:that|which) {_SPEAKS})"
_MENTIONED = r"(?:mentioned|described|covered|discussed|explained)"
_PLACE = r"(?:in|from|of) (?:the|your|our|this) (?:index|knowledge base|wiki|docs|documentation|collection|library)"
_HAVE = r"(?:(?:do )?(?:you|we) have(?: got)?|have (?:you|we)(?: got)?)"
_THERE = (
    rf"(?:(?:are|is) (?:there|available|indexed|{_PLACE})|exists?|{_HAVE}|do (?:you|we) know(?: of)?"
    r"|can i (?:find|see|read)(?: here)?)"
)
_LIST = (
    r"(?:(?:list|show|give|find|name|display|see|search for|look for|point)(?: (?:me|us))?(?: to)?"
    r"|i(?:['’]m| am) looking for|i(?:['’]d| would) like to (?:see|have|find)|i (?:need|want to see))"
    r"(?: an? (?:list|overview) of| the titles of)?"
)

# German
_EINIGE = (
    r"(?:(?:alle[rnm]?|sämtliche[rn]?|die|der|das|den|eine[rns]?|ein|irgendwelche|andere[nr]?|weitere[nr]?|noch"
    r"|deine[rn]?|eure[rn]?|unsere[rn]?|vorhandenen?|wichtige[nr]?|gute[nr]?) )*+"
)
_DOKUMENTE = r"(?:wiki-?)?(?:dokument(?:en?)?|dokumentation(?:en)?|doku|seiten?|artikeln?|dateien?|unterlagen)"
_HANDELT = (
    r"(?:behandel[nt]|erwähn(?:en|t)|beschreib(?:en|t)|erklär(?:en|t)|handel[nt] von|befass(?:en|t) sich mit"
    r"|gehör(?:en|t) zu)"
)
_ERWAEHNT = r"(?:erwähnt|beschrieben|behandelt|erklärt)"
_ZU = r"(?:zum thema|zum|zur|zu|über|rund um|bezüglich|betreffend)"
_ORT = r"(?:im (?:index|wiki)|in der (?:wissensdatenbank|dokumentation|sammlung))"
_HABT_IHR = r"(?:gibt es|habt ihr|hast du|haben (?:sie|wir))"
_GIBT_ES = (
    rf"(?:{_HABT_IHR}|existieren|kenn(?:st du|en sie)|(?:sind|stehen) {_ORT}|sind (?:vorhanden|verfügbar)|liegen vor)"
)
_LISTE = (
    r"(?:(?:liste|zeige?|nenne?|gib|finde?|such|suche)(?: (?:mir|uns|bitte))*+|(?:zeigen|nennen|geben) sie(?: mir)?"
    r"|ich (?:suche|brauche|möchte))(?: eine (?:liste|übersicht)(?: von| über)?)?"
)

_CATALOGUE = tuple(
    re.compile(phrase, re.IGNORECASE)
    for phrase in (
        rf"(?:which|what) {_SOME}{_DOCS} {_THERE}(?: (?:{_ABOUT}|for) {_TOPIC})?(?: {_PLACE})?",
        rf"(?:which|what) {_SOME}{_DOCS} (?:{_ABOUT}|for) {_TOPIC} {_THERE}",
        rf"(?:which|what) {_SOME}{_DOCS} {_SPEAKS} {_TOPIC}",
        rf"(?:in )?(?:which|what) {_SOME}{_DOCS} (?:is|are) {_TOPIC} {_MENTIONED}",
        rf"{_LIST} {_SOME}{_DOCS}(?: {_THERE})?(?: {_ABOUT} {_TOPIC})?(?: {_PLACE})?",
        rf"(?:(?:is|are) there|{_HAVE}) {_SOME}(?:{_DOCS} {_ABOUT}|(?:docs|documentation) for) {_TOPIC}",
        rf"(?:(?:is|are) there|{_HAVE}) {_THING} (?:written )?(?:in {_SOME}{_DOCS} )?about {_TOPIC}",
        rf"do any (?:of )?{_SOME}{_DOCS} {_SPEAKS} {_TOPIC}",
        rf"what {_HAVE} (?:about|on) {_TOPIC}|what (?:{_HAVE}|is)(?: all)? {_PLACE}",
        rf"what(?: is there| can i (?:find|read)(?: here)?) about {_TOPIC}",
        rf"where (?:can|do) i find {_SOME}{_DOCS} {_ABOUT} {_TOPIC}",
        rf"(?:got )?(?:{_SOME}{_DOCS} {_ABOUT}|anything (?:about|on)) {_TOPIC}|{_SOME}(?:documents|docs|pages)",
        rf"(?:welche[rs]?|was für) {_EINIGE}{_DOKUMENTE} {_GIBT_ES}(?: {_ORT})?(?: {_ZU} {_TOPIC})?",
        rf"(?:welche[rs]?|was für) {_EINIGE}{_DOKUMENTE} {_ZU} {_TOPIC} {_GIBT_ES}",
        rf"welche[rs]? {_EINIGE}{_DOKUMENTE} {_HANDELT} {_TOPIC}",
        rf"in welche[rnm] {_EINIGE}{_DOKUMENTE} (?:wird|werden|ist|sind) {_TOPIC} {_ERWAEHNT}",
        rf"{_LISTE} {_EINIGE}{_DOKUMENTE}(?: {_ZU} {_TOPIC})?(?: {_ORT})?(?: auf)?",
        rf"{_HABT_IHR}(?: hier| auch)? (?:{_EINIGE}{_DOKUMENTE}|etwas|was) {_ZU} {_TOPIC}",
        rf"was (?:steht|ist)(?: alles)? {_ORT}",
        rf"was gibt es(?: alles)? an {_DOKUMENTE}(?: {_ZU} {_TOPIC})?",
        rf"wo (?:finde ich|gibt es) {_EINIGE}{_DOKUMENTE} {_ZU} {_TOPIC}",
        rf"{_EINIGE}{_DOKUMENTE} {_ZU} {_TOPIC}(?: (?:auflisten|zeigen|nennen|geben))?|{_EINIGE}dokumente",
    )
)

_TO_READ = rf"(?:{_DOCS}|guides?|manuals?|runbooks?|handbooks?|polic(?:y|ies))"
_BEST = r"(?:best|essential|important|recommended|must-read|most (?:important|useful|helpful|relevant))"
_EMPFEHLEN = r"(?:empfehl|empfiehl)\w*"
_AM_BESTEN = r"(?:am (?:wichtigsten|besten|nützlichsten)|wichtig|empfehlenswert|hilfreich)"
_RECOMMEND = re.compile(
    "|".join(
        (
            r"\bwhat (?:(?:should|must|shall|ought) [^.?!]{1,40}?|do (?:i|we) (?:have|need) to )\bread\b",
            rf"\b(?:which|what) {_SOME}{_TO_READ} (?:should|must|shall|ought|do i|do we) [^.?!]{{0,40}}?"
            r"\b(?:read|study|start with|go through|look at)\b",
            rf"\b(?:which|what) {_SOME}{_TO_READ} (?:(?:do|would|can) you (?:recommend|suggest)\b"
            rf"|(?:would|will|could|can|might) help me\b|(?:is|are|would be) (?:the |a )?(?:{_BEST}|good)\b)",
            r"\b(?:recommend|suggest)\b(?: (?:me|us))? "
            rf"{_SOME}(?:{_TO_READ}\b(?! (?:be|is|are)\b)|(?:something to )?read(?:ing)?\b|(?:that )?(?:i|we) read\b)",
            rf"\bwhat(?:'s| is| are) (?:the |a )?(?:{_BEST}|good) {_TO_READ}\b",
            r"\bwhere (?:should|do|can) (?:i|we)(?: best)? start reading\b",
            r"\b(?:reading (?:list|tips?|recommendations?|suggestions?)|(?:recommended|further) reading|worth reading"
            r"|good to read|something to read|what to read)\b",
            r"\bwas (?:soll|muss|müss)\w* [^.?!]{1,60}?\b(?:durch)?lesen\b",
            rf"\bwelche[rsn]? {_EINIGE}{_DOKUMENTE} (?:soll|muss|müss|kann)\w* [^.?!]{{1,60}}?"
            r"\b(?:(?:durch)?lesen|ansehen|anschauen|durchgehen)\b",
            rf"\b(?:{_DOKUMENTE}|lektüre)\b[^.?!]{{0,60}}?\b{_EMPFEHLEN}",
            rf"\b{_EMPFEHLEN}\b[^.?!]{{0,30}}?\b(?:{_DOKUMENTE}|lektüre)\b",
            rf"\bwelche[rs]? {_EINIGE}{_DOKUMENTE} (?:ist|sind)\b[^.?!]{{0,40}}?\b{_AM_BESTEN}\b",
            rf"\b(?:lese(?:empfehlung(?:en)?|tipps?|liste|stoff)|lesenswert\w*|lesen (?:anfangen|{_EMPFEHLEN}))\b",
        )
    ),
    re.IGNORECASE,
)

_NO_TOPIC = re.compile(r"(?:anything|everything|all topics?|alles|allem|allen themen)", re.IGNORECASE)
_AROUND_TOPIC = re.compile(
    r"\A(?:(?:the|our|your|an?|der|die|das|dem|den|unsere[rnm]?)\b ?)*+(?:(?:topics?|subjects?) of |themen? )?"
    rf"|(?: (?:here|hier|{_PLACE}|{_ORT}))+\Z",
    re.IGNORECASE,
)


def decide(question: str, wanted: IntentOption = "auto") -> Intent:
    """What a normalised question wants: what its caller says, else what the phrases tell."""
    if wanted != "auto":
        return wanted
    if len(question) > _LONGEST:
        return "answer"
    if _RECOMMEND.search(question):
        return "recommend"
    return "answer" if _match(question) is None else "catalogue"


def topic_of(question: str) -> str:
    """What the documents asked for are to be about; empty for all documents.

    All of a question that is none of the phrases, since its caller called it a catalogue question.
    """
    match = _match(question) if len(question) <= _LONGEST else None
    if match is None:
        return question
    topic = _AROUND_TOPIC.sub("", match.group("topic") or "") if "topic" in match.re.groupindex else ""
    return "" if _NO_TOPIC.fullmatch(topic) else topic


def _match(question: str) -> re.Match[str] | None:
    phrase = _IS.sub(" is", _CLOSING.sub("", _OPENING.sub("", question)))
    return next((match for pattern in _CATALOGUE if (match := pattern.fullmatch(phrase))), None)
