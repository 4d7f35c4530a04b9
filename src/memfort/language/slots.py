"""Attributes that have one value at a time, read out of a plain statement: where somebody lives, what they are called.

A statement fills a slot only when it says that and nothing else. "Works at Acme and sings" is about two things, "wants
to live in Rome" about none that holds; what one may have several of, likings, pets, tongues, is no slot at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import re2
from msgspec import Struct

from memfort.language.normal_form import normal_text


class Slot(Struct, frozen=True):
    attribute: str  # `lives_in`, `favorite:color`
    value: str  # in normal form
    subject: tuple[str, ...] = ()  # the words that name whose it is; empty for a pronoun or nobody named


def find_slot(text: str, normal: str | None = None) -> Slot | None:
    """The attribute and value that `text` states, if it states one that has a single value, and nothing else. Who has
    its normal form already gives it."""
    if len(text) > _MAX_CHARS:
        return None
    seen = normal_text(text) if normal is None else normal
    if _TELLING.isdisjoint(seen.split()) or _GOES_ON.search(text):
        return None
    together, forms = _forms_together()
    for place in sorted(together.Match(seen) or ()):
        attribute, form = forms[place]
        if slot := _slot(attribute, form.fullmatch(seen), text):
            return slot
    return None


_MAX_CHARS = 200  # longer ones say more than one thing
_GOES_ON = re2.compile(r"[!?;\n]\s*[^\s]|[^\s.]{3,}\.\s+[^\s]|,\s*[^A-Z\s]")  # after a full word: not "Dr. Jones"


def may_be_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two ways to name a subject can mean the same: "I", "Bob", "Bob Miller" and "my boss Bob" can; "my sister"
    and "I", "my sister in law" or "Bob's sister" cannot."""
    if not one or not other:
        return not _is_described(one or other)
    if "s" in (*one, *other):
        return one == other
    short, long = sorted((_bare(one), _bare(other)), key=len)
    if _is_described(one) and _is_described(other):
        return short == long
    return bool(short) and short in (long[: len(short)], long[-len(short) :])


def _bare(subject: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in subject if word not in _DETERMINERS)


def _is_described(subject: tuple[str, ...]) -> bool:
    return "s" in subject or not _DETERMINERS.isdisjoint(subject)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The form of a word, and of those that mean the same, that two statements are compared by."""
    plain = _SAME_MEANING.get(word, word)
    if not (plain.isascii() and plain.isalpha()):
        return plain
    from Stemmer import Stemmer

    return str(Stemmer("english", 0).stemWord(plain))  # a new one: it keeps the word it is at


def _slot(attribute: str, found: Any, text: str) -> Slot | None:
    parts = found.groupdict()
    if attribute in ("role", "name") and not _has_capital(text, (parts.get("value") or "").split()):
        return None  # "my boss is tired", "call me tomorrow"
    subject = _subject(parts.get("subject") or "")
    value = _value(parts.get("value") or "", attribute)
    if subject is None or not value:
        return None
    if (of := parts.get("of")) is not None:
        kind = [stem(word) for word in of.split() if word not in _DETERMINERS]
        if not kind or not _BINDING.isdisjoint(of.split()):
            return None
        attribute = f"{attribute}:{' '.join(kind)}"
    if (against := parts.get("against")) is not None:
        pair = sorted((value, _value(against, attribute)))
        attribute = f"{attribute}:{'|'.join(pair)}"
    return Slot(attribute, value, subject)


def _has_capital(text: str, words: list[str]) -> bool:
    return any(
        (shown[0].isupper() or shown[0] == "@") and normal_text(shown).split()[:1] == words[:1]
        for shown in text.split()
    )


def _subject(words: str) -> tuple[str, ...] | None:
    """Whose it is, as it is named; None when it is not a plain statement about one."""
    named = words.removesuffix(" s").split()
    if len(named) == 1 and named[0] in _PRONOUNS:
        return ()
    if not _NO_SUBJECT.isdisjoint(named):
        return None
    return tuple(_SAME_MEANING.get(word, word) for word in named)


def _value(words: str, attribute: str) -> str:
    """The value in one form; empty when what stands there is none, or says more than the value."""
    said = [word for word in words.split() if word not in _DETERMINERS]
    said = [_NUMBERS.get(_ORDINAL.sub(r"\1", word), _ORDINAL.sub(r"\1", word)) for word in said]
    told_more = _BINDING - {"to"} if attribute == "marital_status" else _BINDING
    if attribute == "lives_in" and words.startswith(("a ", "an ", "my ", "his ", "her ", "their ", "our ")):
        return ""  # a house, and not a place
    if not said or not told_more.isdisjoint(said) or not _NO_VALUE.get(attribute, _NOTHING).isdisjoint(said):
        return ""
    if attribute in ("birthday", "date"):
        return " ".join(sorted(word[:3] if word.isalpha() else word for word in said if word != "of"))  # "March", "Mar"
    return " ".join(said)


_PRONOUNS = frozenset(
    ("i", "we", "he", "she", "they", "you", "it", "my", "our", "his", "her", "their", "your", "its", "the")
)
_DETERMINERS = frozenset(("a", "an", "the", "my", "our", "his", "her", "their", "your", "its", "this", "that"))
_NOTHING: frozenset[str] = frozenset()
# In a subject these make it a clause, a wish or a denial.
_NO_SUBJECT = frozenset(
    (
        "i",
        "we",
        "he",
        "she",
        "they",
        "you",
        "it",
        "and",
        "or",
        "if",
        "when",
        "not",
        "never",
        "no",
        "longer",
        "t",
        "don",
        "doesn",
        "does",
        "do",
        "did",
        "think",
        "thinks",
        "thought",
        "said",
        "says",
        "told",
        "wants",
        "want",
        "used",
        "to",
        "will",
        "would",
        "might",
        "may",
        "hopes",
        "hope",
        "wish",
        "wishes",
        "also",
        "maybe",
        "once",
        "was",
        "were",
        "had",
        "is",
        "are",
        "has",
        "have",
        "who",
        "what",
        "where",
        "why",
        "how",
        "that",
        "both",
        "one",
        "of",
        "another",
        "second",
        "other",
        "in",
        "at",
        "on",
        "for",
        "with",
        "from",
        "previously",
        "formerly",
        "originally",
        "sometimes",
    )
)
# In a value these say more than the value: a second statement, a condition, a part of the time.
_BINDING = frozenset(
    (
        "and",
        "or",
        "but",
        "because",
        "when",
        "while",
        "if",
        "unless",
        "who",
        "which",
        "where",
        "also",
        "on",
        "at",
        "for",
        "with",
        "as",
        "during",
        "part",
        "weekends",
        "sometimes",
        "both",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "works",
        "lives",
        "likes",
        "loves",
        "wants",
        "though",
        "so",
        "then",
        "not",
        "to",
        "in",
        "by",
        "i",
        "he",
        "she",
        "they",
        "we",
    )
)
_NO_VALUE = {
    "lives_in": frozenset(
        (
            "fear",
            "peace",
            "sin",
            "harmony",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "tomorrow",
            "next",
            "another",
            "team",
            "folder",
            "directory",
            "repo",
            "file",
            "production",
        )
    ),
    "works_at": frozenset(
        (
            "night",
            "nights",
            "home",
            "noon",
            "free",
            "fun",
            "times",
            "least",
            "day",
            "dawn",
            "himself",
            "herself",
            "myself",
            "themselves",
            "me",
            "us",
            "him",
            "her",
            "them",
            "clients",
            "everyone",
            "call",
            "meeting",
            "choir",
            "club",
            "gym",
            "band",
            "party",
            "team",
            "group",
            "chat",
            "channel",
        )
    ),
    "role": frozenset(  # what a boss is, and not who
        (
            "american",
            "british",
            "german",
            "french",
            "dutch",
            "spanish",
            "italian",
            "indian",
            "chinese",
            "japanese",
            "canadian",
            "irish",
            "polish",
            "russian",
            "brazilian",
            "mexican",
            "swiss",
            "swedish",
            "norwegian",
            "danish",
            "greek",
            "turkish",
            "korean",
            "australian",
            "jewish",
            "muslim",
            "christian",
            "catholic",
            "hindu",
        )
    ),
    "drives": frozenset(("taxi", "bus", "truck", "forklift", "hard", "point")),
}

_NUMBERS = {
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
}
_ORDINAL = re2.compile(r"^([0-9]{1,2})(?:st|nd|rd|th)$")

_SAME_MEANING = {
    "mom": "mother",
    "mum": "mother",
    "dad": "father",
    "kid": "child",
    "kids": "child",
    "children": "child",
    "love": "like",
    "loves": "like",
    "enjoy": "like",
    "enjoys": "like",
    "likes": "like",
    "hate": "dislike",
    "hates": "dislike",
    "favourite": "favorite",
    "colour": "color",
    "called": "named",
    "scared": "afraid",
    "allergy": "allergic",
    "allergies": "allergic",
    "flat": "apartment",
    "coworker": "colleague",
    "neighbour": "neighbor",
    "autumn": "fall",
    "big": "large",
    "buy": "purchase",
    "bought": "purchase",
    "lots": "lot",
    "vintage": "old",
    "using": "uses",
    "running": "runs",
    "timezone": "zone",
    "begin": "start",
    "begins": "start",
    "began": "started",
    **_NUMBERS,
}

# Normal text is lower case without signs: "Sarah's" is `sarah s`, "I'm" is `i m`.
_WORD = r"[^\s]+"
_SUBJECT = rf"(?:(?P<subject>{_WORD}(?: {_WORD}){{0,3}}?) )?"
_OWNER = (
    rf"(?:(?P<subject>my|our|his|her|their|your|the|(?:(?:my|our|his|her|their|the) )?{_WORD}(?: {_WORD}){{0,2}}? s) )?"
)
_IS = r"(?:is|are|am|m|re|s)"
_NOW = r"(?:(?:now|currently|actually|still|just|recently) )*"
_VALUE = rf"(?P<value>{_WORD}(?: {_WORD}){{0,4}}?)"
_LATELY = (
    r"(?: (?:now|nowadays|currently|these days|at the moment|again|instead|since (?:[^\s]+ )?[^\s]+"
    r"|(?:last|this) [a-z]+|in (?:19|20)[0-9]{2}|by (?:profession|trade)))*"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_NUMBER = r"(?:[0-9]+|" + "|".join(_NUMBERS) + ")"
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?P<value>(?:the )?{_DAY}(?: of)? {_MONTH}(?: [0-9]{{4}})?|{_MONTH} (?:the )?{_DAY}(?: [0-9]{{4}})?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|[0-9]{4} [0-9]{2} [0-9]{2})"
)
_TIME = r"(?P<value>[0-9]{1,2}(?: [0-9]{2})? ?(?:am|pm)?|noon|midnight)"
_ROLE = r"(?:boss|manager|supervisor|team lead|mentor|landlord|dentist|doctor|wife|husband|girlfriend|boyfriend)"
_OF = rf"(?P<of>{_WORD}(?: {_WORD}){{0,3}}?)"


# Every form below has one of these words.
_TELLING = frozenset(
    (
        "is",
        "are",
        "am",
        "m",
        "re",
        "s",
        "live",
        "lives",
        "living",
        "reside",
        "resides",
        "residing",
        "based",
        "moved",
        "relocated",
        "work",
        "works",
        "working",
        "employed",
        "started",
        "began",
        "got",
        "joined",
        "call",
        "born",
        "drive",
        "drives",
        "turned",
        "weigh",
        "weighs",
        "prefer",
        "prefers",
        "has",
        "have",
        "use",
        "uses",
        "run",
        "runs",
        "start",
        "starts",
    )
)


def _forms() -> Iterator[tuple[str, str]]:
    """The ways to state each attribute, as the whole of a normal text."""
    at_home = r"(?:live|lives|living|reside|resides|residing|based)"
    yield "lives_in", rf"{_SUBJECT}(?:{_IS} )?{_NOW}{at_home} {_NOW}in {_VALUE}{_LATELY}"
    yield "lives_in", rf"{_SUBJECT}(?:has |have |ve |s )?{_NOW}(?:moved|relocated) (?:back )?to {_VALUE}{_LATELY}"
    at_work = r"(?:work|works|working|employed)"
    yield "works_at", rf"{_SUBJECT}(?:{_IS} )?{_NOW}{at_work} {_NOW}(?:at|for|by) {_VALUE}{_LATELY}"
    begins = r"(?:(?:started|began)(?: working| a new job)?|got a(?: new)? job)"
    yield "works_at", rf"{_SUBJECT}{_NOW}{begins} (?:at|for) {_VALUE}{_LATELY}"
    yield "works_at", rf"{_SUBJECT}{_NOW}joined {_VALUE}{_LATELY}"
    yield "works_as", rf"{_SUBJECT}(?:{_IS} )?{_NOW}{at_work} {_NOW}as {_VALUE}{_LATELY}"
    yield "works_as", rf"{_OWNER}(?:job|profession|occupation) is {_NOW}{_VALUE}{_LATELY}"
    yield "name", rf"{_OWNER}(?:full |first |real )?name is {_NOW}{_VALUE}{_LATELY}"
    yield "name", rf"{_SUBJECT}{_IS} {_NOW}(?:called|named) {_VALUE}{_LATELY}"
    yield "name", rf"(?:please )?call me {_VALUE}{_LATELY}"
    yield "birthday", rf"{_OWNER}birthday is {_NOW}(?:on )?{_DATE}"
    yield "birthday", rf"{_SUBJECT}(?:was|were|am|is) born on {_DATE}"
    yield "favorite", rf"{_OWNER}favou?rite {_OF} is {_NOW}{_VALUE}{_LATELY}"
    yield "favorite", rf"{_VALUE} is {_NOW}{_OWNER}favou?rite {_OF}{_LATELY}"
    yield "drives", rf"{_SUBJECT}{_NOW}drives? (?:a|an|the|my|his|her) {_VALUE}{_LATELY}"
    yield "age", rf"{_SUBJECT}(?:{_IS} {_NOW}|(?:just )?turned )(?P<value>{_NUMBER})(?: years old)?"
    yield "timezone", rf"{_OWNER}time ?zone is {_NOW}{_VALUE}{_LATELY}"
    yield "marital_status", rf"{_SUBJECT}{_IS} {_NOW}(?P<value>single|married|engaged|divorced|widowed){_LATELY}"
    yield "marital_status", rf"{_SUBJECT}{_IS} {_NOW}(?P<value>(?:married|engaged) to {_WORD}){_LATELY}"
    yield "role", rf"{_OWNER}(?P<of>{_ROLE}) is {_NOW}(?P<value>{_WORD}(?: {_WORD})?)"
    yield "role", rf"(?P<value>{_WORD}(?: {_WORD})?) is {_NOW}{_OWNER}(?P<of>{_ROLE})"
    yield "has", rf"{_OWNER}(?P<of>phone|laptop|car|bike|computer) is {_NOW}(?:a|an) {_VALUE}{_LATELY}"
    yield "weighs", rf"{_SUBJECT}weighs? {_NOW}(?P<value>{_NUMBER}) (?P<of>kilos?|kg|pounds|lbs)"
    against = rf"(?:over|to|rather than|instead of) (?P<against>{_WORD}(?: {_WORD}){{0,2}}?)"
    yield "prefers", rf"{_SUBJECT}prefers? {_VALUE} {against}"
    yield "prefers", rf"{_SUBJECT}prefers? (?:the )?(?P<value>{_WORD}) (?P<of>mode|theme)"
    yield "count", rf"{_SUBJECT}(?:has|have|got|ve got) {_NOW}(?P<value>{_NUMBER}) (?P<of>{_WORD})"
    yield "version", rf"{_SUBJECT}(?:uses?|runs?(?: on)?) {_NOW}(?P<of>{_WORD}) (?P<value>[0-9]+(?: [0-9]+)*)"
    yield "time", rf"{_OF} (?:is|are|starts?) {_NOW}(?:at|from) {_TIME}"
    yield "date", rf"{_OF} (?:is|are) {_NOW}(?:on |due |due on |scheduled for )?{_DATE}"


@lru_cache(maxsize=1)
def _forms_together() -> tuple[Any, list[tuple[str, Any]]]:
    """All forms, searched for at once: most statements have none, and each search costs."""
    forms = [(attribute, re2.compile(form)) for attribute, form in _forms()]
    together = re2.Set.FullMatchSet()
    for _, form in forms:
        together.Add(form.pattern)
    together.Compile()
    return together, forms
