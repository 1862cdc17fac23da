"""Questions about an earlier answer, and questions that need the earlier one to be understood.

Two kinds are about the answer itself, and are served from its evidence without a model:

repeat   "Repeat that", "Say it again, please", "What was your answer?", "Once more"
         "Wiederhole das", "Noch einmal, bitte", "Was hast du gesagt?"
origin   "Where does that come from?", "Which document says so?", "How do you know?", "Sources?"
         "Woher weißt du das?", "Wo steht das?", "Quelle?"

The whole question must be one of these phrases, courtesies aside, and one that can hardly be about anything else.
"Where does the 28 come from?", "Where is it?" and "What is it based on?" are questions of their own: not to know a
phrase costs a search, to see one where there is none costs an answer.
"""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import structs

from app.core import verdict
from app.core.citations import CitationFilter
from app.core.evidence import KeptReply
from app.core.model import Reply, Source, Status
from app.core.question import MAX_LENGTH
from app.core.titles import place, section


class AboutTheAnswer(StrEnum):
    REPEAT = "repeat"
    ORIGIN = "origin"


_LONGEST = 100
"""Characters: no phrase comes near, and longer questions are not even looked at."""

_SHORT_WORDS = 5
"""A question of so few words seldom says what it is about."""

_WITHHELD = (
    "You may no longer see all the documents that answer was made from, or they are gone: ask the question again."
)

_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|theirs|this|that|these|those|he|him|his|she|her|hers|ones?|there|then|such|same|both"
    r"|either|neither|former|latter|else|another|others?"
    r"|es|sie|ihn|ihm|ihre?|ihnen|deren|dessen|dies|diese[rsmn]?|jene[rsmn]?|dort|dann|davon|dafür|damit|dazu|darüber"
    r"|darin|dabei|solche[rsmn]?|beide|sonst|anderen?)\b"
    r"|^(?:and|or|but|und|oder|aber)\b"
)
"""Words that point at something said before. German "das" is an article too often to tell."""

_COURTESY = re.compile(
    r"\b(?:please|bitte|sorry|okay|ok|thanks|danke|just|exactly|genau|gerade|eben"
    r"|(?:can|could|would|will) you|(?:kannst|könntest|würdest) du|(?:können|könnten|würden) sie)\b"
)

_ANSWER = r"(?:the|your|that|this)(?: last| previous| earlier)? (?:answer|reply|response|information|info|statement)"
_THAT = rf"(?:that|this|{_ANSWER})"
_IT = rf"(?:{_THAT}|it|so|yourself)"
_AGAIN = r"(?:again|once more|one more time|once again)"
_SOURCE = r"(?:sources?|citations?)"
_FILE = r"(?:source|document|page|file)s?"

_ANTWORT = r"(?:die|deine|ihre|diese)(?: letzte| vorige)? (?:antwort|auskunft|information|info|aussage)"
_DAS = rf"(?:das|dies|{_ANTWORT})"
_ES = rf"(?:{_DAS}|es|dich|sich)"
_NOCHMAL = r"(?:nochmals?|noch ?mal|noch einmal|erneut)"
_QUELLE = r"(?:quellen?|quellenangaben?)"
_DATEI = r"(?:quellen?|dokument(?:en?)?|seiten?|datei(?:en)?)"

_PHRASES = {
    AboutTheAnswer.REPEAT: (
        rf"repeat(?: {_IT})?(?: {_AGAIN})?",
        rf"(?:say|tell me|give me|show me) {_IT} {_AGAIN}|(?:say |come |and )?{_AGAIN}",
        rf"what (?:did you say|was that {_AGAIN}|was {_ANSWER})(?: {_AGAIN})?",
        rf"(?:wiederhole?|wiederholen sie)(?: {_ES})?(?: {_NOCHMAL})?|(?:{_ES} )?(?:{_NOCHMAL} )?wiederholen",
        rf"(?:sage?|sagen sie|gib|geben sie|zeige?|zeigen sie)(?: mir)? {_ES} {_NOCHMAL}",
        rf"(?:mir )?{_ES} {_NOCHMAL} (?:sagen|geben|zeigen)|(?:und )?{_NOCHMAL}",
        rf"was (?:hast du|haben sie)(?: {_NOCHMAL})? gesagt|wie war das {_NOCHMAL}|wie war {_ANTWORT}(?: {_NOCHMAL})?",
    ),
    AboutTheAnswer.ORIGIN: (
        rf"where (?:does|did) {_THAT} come from|where (?:is|was) {_THAT} from|what is {_ANSWER} based on",
        rf"(?:where|what) (?:did|do) you (?:get|find|read|have|take|base) {_IT}(?: from| on)?",
        rf"where (?:does it say {_IT}|is {_IT} (?:written|stated|documented))",
        rf"(?:what|which|where) (?:is|are|was|were) (?:the|your) {_SOURCE}(?: (?:for|of|behind) {_IT})?",
        rf"(?:what|which) {_FILE} (?:(?:says?|states?|supports?|backs?) {_IT}|(?:is|does|did) {_IT} (?:come )?from)",
        rf"how do you know(?: {_IT})?|says who|who says {_IT}",
        rf"(?:(?:show|give|tell|name|cite|list)(?: me)? )?(?:(?:the|your) )?{_SOURCE}(?: (?:for|of) {_IT})?",
        rf"woher (?:kommt|stammt|hast du|haben sie|nimmst du|nehmen sie|weisst du|wissen sie) {_DAS}",
        rf"wo steht {_ES}(?: geschrieben)?|wo (?:hast du|haben sie) {_ES} (?:her|gelesen|gefunden)",
        rf"(?:was|wo) (?:ist|sind) (?:die|deine|ihre) {_QUELLE}(?: (?:dafür|davon|dazu|für {_DAS}))?",
        rf"(?:(?:aus|in) )?welche[rsmn]? {_DATEI} (?:kommt|stammt|ist|steht|sagt|sagen|belegt|belegen) {_ES}",
        rf"worauf (?:stützt du|stützen sie) {_DAS}|worauf (?:beruht|basiert|stützt sich) {_ANTWORT}|wer sagt {_DAS}",
        r"(?:(?:nenne?|nennen sie|zeige?|zeigen sie|gib|geben sie)(?: mir)? )?"
        rf"(?:(?:die|deine|ihre) )?{_QUELLE}(?: (?:dafür|davon|dazu|für {_DAS}))?",
    ),
}
_PATTERNS = {kind: re.compile("|".join(phrases)) for kind, phrases in _PHRASES.items()}


def about_the_answer(question: str) -> AboutTheAnswer | None:
    """Which of the two kinds a question is; None for a question of its own."""
    if len(question) > _LONGEST:
        return None
    words = re.sub(r"\W+", " ", re.sub(r"['’]s\b", " is", question.casefold()))
    phrase = " ".join(_COURTESY.sub(" ", words).split())
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(phrase)), None)


def retold(kind: AboutTheAnswer, earlier: KeptReply) -> Reply:
    """The earlier reply, told again or reduced to the sources it cites; a verdict as it was then, under its old id.

    Refused when the viewer may no longer see a document that it was made from. An answer that cites nothing has no
    origin to tell: its own verdict says so.
    """
    if earlier.withheld:
        refused = _without_text(earlier, Status.REFUSED, "no_candidates")
        return structs.replace(refused, message=_WITHHELD, relevance=None, model=None)
    listed = earlier.status in (Status.ANSWERED, Status.UNGROUNDED)
    sources = tuple(_plain_source(source) for source in earlier.sources) if listed else ()
    if kind is AboutTheAnswer.REPEAT or not earlier.cited:
        fields = {name: getattr(earlier, name) for name in Reply.__struct_fields__}
        return Reply(**fields | {"sources": sources})
    origin = _without_text(earlier, earlier.status, earlier.reason)
    lines = [_line(source) for source in sources if source.number in earlier.cited]
    citations = CitationFilter(len(sources))
    answer = citations.feed("\n".join(lines)) + citations.flush()
    markers = tuple(citations.markers)
    return structs.replace(origin, answer=answer, sources=sources, cited=earlier.cited, markers=markers)


def widened(question: str, earlier: str) -> str:
    """What to search with for a follow-up: the question, and after it the earlier one where it needs that.

    It does when it is short, or points back with a word such as "it". `earlier` is what was searched with then, so a
    chain of such questions reaches back to the last one that stood alone. At most 2,000 characters.
    """
    if len(question.split()) > _SHORT_WORDS and not _POINTING.search(question.casefold()):
        return question
    return f"{question} {earlier}"[:MAX_LENGTH]


def _without_text(earlier: KeptReply, status: Status, reason: str | None) -> Reply:
    return Reply(
        id=earlier.id,
        status=status,
        reason=reason,
        message=verdict.message(reason),
        answer=None,
        relevance=earlier.relevance,
        revision=earlier.revision,
        model=earlier.model,
    )


def _plain_source(source: Source) -> Source:
    return Source(**{name: getattr(source, name) for name in Source.__struct_fields__})


def _line(source: Source) -> str:
    """A list item such as `- Leave › Carry-over, p. 3 [1]`."""
    return f"- {place(source.title, section(source), source.page, source.document_id, source.pages)} [{source.number}]"
