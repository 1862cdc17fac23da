"""What an answer to a question is expected to look like: who, when, how many, where, why, how to, yes or no, what is.

Read from the question's own words, in English, German, Spanish, French and Chinese. A question of no known kind
expects nothing in particular.
"""

from __future__ import annotations

import re

from msgspec import Struct

_TYPICAL, _DECISIVE = 0.25, 0.6
"""Points for a sign of an answer, where 1 is for holding every word of the question. A decisive one leaves sentences
without it out of the answer."""
_FLAGS = re.IGNORECASE


class Expected(Struct, frozen=True):
    """How an answer is told from text that holds the same words."""

    signs: tuple[tuple[re.Pattern[str], float], ...] = ()
    """What is found in a sentence that answers, and the points for it; one for each kind that the question is of."""
    procedure: bool = False
    """Steps are asked for, and they stay together."""

    def points(self, words: str) -> float:
        """The mean over the kinds of what `words` get for their signs."""
        return sum(points for sign, points in self.signs if sign.search(words)) / (len(self.signs) or 1)


_PROCEDURE = re.compile(
    r"\bhow (?:do|can|could|should|would|must|to)\b|\b(?:steps|procedure|process|instructions)\b"
    r"|\bwie (?:kann|können|soll|muss|geht|funktioniert|wird|werden|\w+e) (?:ich|wir|man|\w+)\b|\bcómo\b|\bcomment\b"
    r"|如何|怎么|怎样",
    _FLAGS,
)
_KINDS = [
    (re.compile(asked, _FLAGS), re.compile(answered), points)
    for asked, answered, points in [
        (
            r"\bhow (?:many|much|long|old|far|often|big|large|high|fast)\b|\bwie (?:viele?|lange|oft|hoch|weit|alt)\b"
            r"|\bcuánt[oa]s?\b|\bcombien\b|多少|[几多]久|几[个天年]",
            r"[0-9零一二三四五六七八九十百千万]|\b(?i:one|two|three|four|five|ten|zwei|drei|vier|dos|tres|deux|trois)\b",
            _TYPICAL,
        ),
        (
            r"\bwhen\b|\bwhat (?:time|date|day|year)\b|\bwann\b|\bcuándo\b|\bquand\b|何时|什么时候|哪[一]?[年天]",
            r"[0-9]|\b(?i:\w+day|daily|weekly|monthly|yearly|\w+tags?|täglich|monatlich|jährlich)\b|[年月日]",
            _TYPICAL,
        ),
        (
            r"\bwho(?:m|se)?\b|\bwe(?:r|m|n|ssen)\b|\bquién(?:es)?\b|^\W*(?:à )?qui\b|谁",
            r"(?<=[\w,;] )[A-Z]\w+|@",
            _TYPICAL,
        ),
        (
            r"\bwhere\b|\bwo(?:hin|her)?\b|\bdónde\b|\boù\b|哪里|在哪|何处",
            r"\b(?:in|at|on|near|from|to|im|bei|nach|en|à|dans) (?:the |der |la )?[A-Z]|https?://|在|位于",
            _TYPICAL,
        ),
        (
            r"\bwhy\b|\bwarum\b|\bwieso\b|\bweshalb\b|\bpor qué\b|\bpourquoi\b|为什么|为何",
            r"\b(?i:because|since|due to|so that|in order to|reasons?|as a result|therefore|caused?|led to|owing to"
            r"|weil|wegen|damit|deshalb|grund|porque|debido|parce que|car|grâce)\b|因为|由于|因此|所以",
            _TYPICAL,
        ),
        (
            r"^\W*(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|am"
            r"|ist|sind|war|kann|können|darf|dürfen|muss|müssen|gibt)\b|吗",
            r"\b(?i:yes|no|not|never|only|may|can|cannot|must|should|allowed|permitted|required|included|possible|free"
            r"|nicht|kein\w*|nur|kann|darf|muss|möglich|erlaubt)\b|n['’]t\b|不|可以|必须",
            _DECISIVE,
        ),
    ]
]
"""Kinds of question: how it is asked, what stands in an answer, and the points for that."""

_DEFINITION = [
    re.compile(form, _FLAGS)
    for form in (
        r"\b(?:meaning|definition) of (?P<topic>\S+(?: \S+){0,3}?)\W*$|^\W*define (?P<other>.{1,60}?)\W*$",
        r"^\W*(?:what|who)(?:['’]s| is| are| was| were) (?:meant by )?(?P<topic>\S+(?: \S+){0,3}?)\W*$",
        r"\bwhat (?:does|do|did) (?P<topic>.{1,60}?) (?:mean|stand for|refer to)\b",
        r"^\W*(?:was|wer) (?:ist|sind|war|bedeutet|heißt|bezeichnet) (?P<topic>\S+(?: \S+){0,3}?)\W*$",
        r"^\W*qu(?:é|ién) (?:es|son|fue|significa) (?P<topic>\S+(?: \S+){0,3}?)\W*$",
        r"^\W*(?:qu['’]est-ce (?:que|qu['’])|que signifie|qui est) ?(?P<topic>\S+(?: \S+){0,3}?)\W*$",
        r"^\W*什么是(?P<topic>[^？?]{1,20})|^(?P<other>[^？?]{1,20})是什么",
    )
]
_AROUND = " ?？!.\"'“”„«»"
_ARTICLE = r"(?:an?|the|der|die|das|eine?|el|la|los|las|una?|le|les|une|l['’])"
_LEADING_ARTICLE = re.compile(rf"{_ARTICLE}\s+", _FLAGS)
_MEANS = (
    r"(?:is|are|was|were|means?|refers?|stands?|denotes?|describes?|ist|sind|war|waren|bedeutet|bezeichnet|heißt"
    r"|es|son|fue|significa|est|sont|était|signifie|désigne)\b|是|指"
)


def expected(question: str) -> Expected:
    """What the question expects of its answer."""
    procedure = bool(_PROCEDURE.search(question))
    if topic := _defined(question):
        return Expected(((_definition_of(topic), _DECISIVE),), procedure)
    kinds = ((answered, points) for asked, answered, points in _KINDS if asked.search(question))
    return Expected(tuple(kinds), procedure)


def _defined(question: str) -> str:
    """What the question wants explained; empty when it wants something else."""
    for form in _DEFINITION:
        if found := form.search(question):
            groups = found.groupdict()
            topic = groups.get("topic") or groups.get("other") or ""
            return _LEADING_ARTICLE.sub("", topic.strip(_AROUND), count=1)
    return ""


def _definition_of(topic: str) -> re.Pattern[str]:
    """A sentence whose subject is `topic`, with its other spellings behind it, and that says what it is."""
    other_names = r"(?:\s*\([^)]{0,80}\))?(?:,? (?:or|also|oder|o|ou)\b[^.,;]{0,40},?)?"
    name = r"\s+".join(map(re.escape, topic.split()))
    return re.compile(
        rf"^[\W\d]{{0,12}}(?:{_ARTICLE}\s+)?[\"'“„«*_`]*{name}\w{{0,3}}[\"'”“»*_`]*{other_names}\s*(?:[:：–—-]|{_MEANS})",
        _FLAGS,
    )
