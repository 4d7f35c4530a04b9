"""How private a statement is: what it says about somebody's health, money, loves or troubles.

The words are judged first: identifiers by their shape, then the language gate, then the lexicons of the languages that
the text may be in, then everyday statements that are clearly harmless. What sounds alike and is about no person is
taken out before a lexicon looks. What words do not settle is for the encoder and its head, and `combine` puts the two
together. Without a judgement a statement is personal: mistakes withhold rather than disclose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import re2
from msgspec import Struct

from memfort.language.data import CLAUSE_END, NEVER
from memfort.language.identifiers import find_identifier
from memfort.language.language import language, languages, shared
from memfort.language.language_gate import possible_languages
from memfort.language.normalise import LazyPattern, any_of, compile_set, wording
from memfort.language.reading import folded
from memfort.model.item import Sensitivity

EPHEMERAL_TYPES = frozenset({"context", "event", "task", "observation"})

WordsReason = Literal["identifier", "language_not_supported", "lexicon", "harmless", "unsettled"]


class WordsJudgement(Struct, frozen=True):
    """What the words of a text alone say about its sensitivity."""

    level: Sensitivity  # personal where the words settle nothing
    reason: WordsReason
    category: str | None
    is_settled: bool  # the words decide; otherwise the encoder should
    is_certain: bool  # the encoder is not asked: neither an ambiguous word nor an open question

    @property
    def needs_encoder(self) -> bool:
        """Whether the encoder could change the level."""
        return not self.is_certain


class HeadJudgement(Struct, frozen=True):
    """What the trained head says about a text, by the encoder's vector of it."""

    level: Sensitivity
    category: str | None
    p_non_public: float
    p_sensitive: float
    model_version: str


class Thresholds(Struct, frozen=True):
    """From which probability on a text is of a level."""

    personal: float = 0.06  # of not being public
    sensitive: float = 0.65  # of being sensitive
    floor: float = 0.03  # of not being public: below it, the encoder overrules an ambiguous word of the lexicon


class Judgement(Struct, frozen=True):
    """The sensitivity of a text, and why."""

    level: Sensitivity
    reason: str  # of the words, or `encoder`, or `not_classified`
    category: str | None
    score_band: str | None  # the tenth in which the encoder's probability lies, such as `0.4-0.5`


def judge_words(text: str) -> WordsJudgement:
    """The sensitivity of `text` by its words alone; the gravest of its sentences counts. What they do not settle is
    personal."""
    reading = folded(text)
    identifier = find_identifier(reading)
    names = possible_languages(text, reading)
    if names is None and identifier != _GRAVEST_IDENTIFIER:
        return _NOT_SUPPORTED
    hit = _lexicon_hit(reading, names or ())
    if identifier is not None:
        level = level_of(identifier)
        if hit is None or stricter(level, hit.level) is level:
            return WordsJudgement(level, "identifier", identifier, is_settled=True, is_certain=True)
    if hit is not None:
        return WordsJudgement(hit.level, "lexicon", hit.category, is_settled=True, is_certain=hit.is_certain)
    return _HARMLESS if is_harmless(text, names or ()) else _UNSETTLED


def statements(text: str) -> list[str]:
    """The sentences of `text` that state something: no code, and no question or instruction that is only that."""
    if "```" in text:
        text = _CODE.sub(" ", text)
    return [one for one in sentences(text) if _LETTER.search(one) and _states(one)]


def combine(words: WordsJudgement, head: HeadJudgement | None, thresholds: Thresholds) -> Judgement:
    """The level that words and head give together. The head only raises what the words say, except that it decides
    what they do not settle and overrules an ambiguous word below the floor."""
    if head is None or words.reason in ("language_not_supported", "harmless"):
        reason = "not_classified" if words.reason == "unsettled" else words.reason
        return Judgement(words.level, reason, words.category, None)
    level, band = head_level(head.p_non_public, head.p_sensitive, thresholds), score_band(head.p_non_public)
    is_overruled = words.reason == "lexicon" and not words.is_certain and head.p_non_public < thresholds.floor
    if words.reason == "unsettled" or is_overruled:
        return Judgement(level, "encoder", None if level is Sensitivity.PUBLIC else head.category, band)
    if stricter(words.level, level) is words.level:
        return Judgement(words.level, words.reason, words.category, band)
    return Judgement(level, "encoder", head.category, band)


def head_level(p_non_public: float, p_sensitive: float, thresholds: Thresholds) -> Sensitivity:
    """The level of two probabilities."""
    if p_non_public < thresholds.personal:
        return Sensitivity.PUBLIC
    return Sensitivity.SENSITIVE if p_sensitive >= thresholds.sensitive else Sensitivity.PERSONAL


def score_band(probability: float) -> str:
    """The tenth in which a probability lies."""
    low = min(int(probability * 10), 9)
    return f"{low / 10:.1f}-{(low + 1) / 10:.1f}"


def classify(text: str) -> tuple[Sensitivity, str | None]:
    """The level of `text` and the category that says so; public and none where no word and no number shows one."""
    words = judge_words(text)
    if words.reason in ("identifier", "lexicon"):
        return words.level, words.category
    return Sensitivity.PUBLIC, None


def stricter(given: Sensitivity, found: Sensitivity) -> Sensitivity:
    """The graver of what was asked for and what was found."""
    return given if given is found else max(given, found, key=_GRAVITY.index)


def private_chat_floor(type: str, sensitivity: Sensitivity, *, learned_in_private: bool) -> Sensitivity:
    """What passes in a private chat and is soon over is at least personal: it was said to one person, in passing."""
    if learned_in_private and type in EPHEMERAL_TYPES:
        return stricter(sensitivity, Sensitivity.PERSONAL)
    return sensitivity


_GRAVITY = tuple(Sensitivity)  # they are declared from the least to the gravest


_GRAVEST_IDENTIFIER = "identity_number"
_NOT_SUPPORTED = WordsJudgement(Sensitivity.PERSONAL, "language_not_supported", None, is_settled=True, is_certain=True)
_HARMLESS = WordsJudgement(Sensitivity.PUBLIC, "harmless", None, is_settled=True, is_certain=True)
_UNSETTLED = WordsJudgement(Sensitivity.PERSONAL, "unsettled", None, is_settled=False, is_certain=False)

# -- sentences --------------------------------------------------------------------------------------------------------

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？…])[\"'”’)]*\s+|(?<=[。！？])|\n+")
_END_SIGN = re.compile(r"[.!?。！？…\n]")
_LETTER = re.compile(r"[^\W\d_]")
_QUESTION_ENDS = ("?", "？", "?!", '?"')


def sentences(text: str) -> list[str]:
    """The sentences of a text, as they stand in it."""
    whole = text.strip()
    if not _END_SIGN.search(whole, 0, len(whole) - 1):  # it is a single one, as most are
        return [whole] if whole else []
    return [one.strip() for one in _SENTENCE_END.split(text) if one.strip()]


def is_question(sentence: str) -> bool:
    """Whether a sentence asks."""
    return sentence.rstrip(" !)").endswith(_QUESTION_ENDS)


def _states(sentence: str) -> bool:
    """Whether a sentence states something. A question or an instruction does if it has several clauses or gives a
    reason: any of them may be the one that asks."""
    if not (is_question(sentence) or _is_instruction(sentence)):
        return True
    return len(clauses(sentence)) > 1 or bool(_reasons().search(folded(sentence)))


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence between its signs. A single word is a name or a greeting."""
    return [part.strip() for part in _CLAUSE_BORDER.split(sentence) if _SEVERAL_WORDS.search(part)]


_CLAUSE_BORDER = re.compile(r"[,;:，；、：](?!\d)|\s[-–—]+\s|[()（）]")
_SEVERAL_WORDS = re.compile(r"\w\W*\s+\w|[\u3040-\u30ff\u3400-\u9fff]")


def _is_instruction(sentence: str) -> bool:
    return bool(_instructions().match(folded(sentence)))


@cache
def _instructions() -> Any:
    return re2.compile(any_of(*(one.sensitivity.instructions for one in languages() if one.sensitivity.rule)))


@cache
def _reasons() -> Any:
    """A reason that does not begin the sentence."""
    spoken = [one for one in languages() if one.sensitivity.rule]
    spaced = any_of(*(one.sensitivity.reasons for one in spoken if not one.scripts))
    unspaced = any_of(*(one.sensitivity.reasons for one in spoken if one.scripts))
    return wording(rf"\w\W+{spaced}\b|.{unspaced}")


# -- harmless statements ----------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"@?[a-z_'][a-z0-9_'-]*|[0-9]+")
_FIRST_WORD = re.compile(r"\W*(@?[\w'-]+)")
_MOST_DIGITS = 4  # of a harmless number: a year, an hour, a room


def is_harmless(text: str, names: Sequence[str]) -> bool:
    """Whether every sentence is an everyday statement of one of these languages: food, tools, pets, meetings."""
    some = statements(text)
    if not some:
        return bool(text.strip()) and _LETTER.search(text) is not None
    return all(any(_is_harmless_in(name, one) for name in names) for one in some)


def _is_harmless_in(name: str, sentence: str) -> bool:
    data = language(name).sensitivity
    reading = folded(sentence)
    if data.harmless != NEVER:
        return bool(_harmless_pattern(name).fullmatch(reading.strip(" .!,")))
    words = _TOKEN.findall(reading)
    if words and _is_name(sentence, words, data.harmless_words):
        words = words[1:]
    if data.harmless_words.isdisjoint(words):
        return False
    known = _everyday_words(name)
    return all(word in known or (word.isdigit() and len(word) <= _MOST_DIGITS) or word[0] == "@" for word in words)


def _is_name(sentence: str, words: Sequence[str], harmless: frozenset[str]) -> bool:
    """Whether the first word is a name: it has a capital or is a handle, and something harmless is said about it."""
    first = _FIRST_WORD.match(sentence)
    is_capital = first is not None and (first[1][0] == "@" or first[1][0].isupper())
    return is_capital and len(words) > 1 and words[1] in harmless


@cache
def _everyday_words(name: str) -> frozenset[str]:
    one = language(name)
    own = {word for words in (one.names.mine, one.names.speaker, one.names.articles) for word in words}
    contracted = {f"{word}'{end}" for word in ("i", "we", "he", "she", "it") for end in ("s", "m", "ve", "re")}
    return frozenset({*one.stop_words, *one.sensitivity.harmless_words, *map(folded, own), *contracted} - _PEOPLE)


# Stop words that tell of people or of a change: with them, harmless words may say something else.
_PEOPLE = frozenset({"men", "women", "no", "not", "never", "nie", "nicht", "pas", "non", "niet", "nao", "without"})


@cache
def _harmless_pattern(name: str) -> Any:
    return re2.compile(language(name).sensitivity.harmless)


# -- the lexicon ------------------------------------------------------------------------------------------------------


class _Hit(Struct, frozen=True):
    level: Sensitivity
    category: str
    is_certain: bool


class _Rules(Struct, frozen=True):
    """The forms of one language. A hit is better the earlier it stands."""

    hits: tuple[_Hit, ...]
    forms: tuple[str, ...]  # a pattern for each
    together: Any  # all of them at once; then the empty pattern, which is in every text that RE2 did not give up
    ordinary: LazyPattern  # the last of the patterns

    def find(self, reading: str) -> _Hit | None:
        """The best hit in a folded reading."""
        found = self._match(reading)
        if found[-1] > self.empty and len(found) > 2:  # something ordinary is beside a hit
            found = self._match(self.ordinary.sub(" _ ", reading))
        place = min(found)
        return None if place >= self.empty else self.hits[place]

    def _match(self, reading: str) -> list[int]:
        found = self.together.Match(reading) or []
        if self.empty in found:
            return sorted(found)
        alone = [place for place, form in enumerate(self.forms) if re2.compile(form).search(reading)]
        return [*alone, self.empty, self.empty + 1]

    @property
    def empty(self) -> int:
        """The place of the empty pattern."""
        return len(self.hits)


def _lexicon_hit(reading: str, names: Sequence[str]) -> _Hit | None:
    """The best hit of several languages. In a question that states nothing, only what is certain counts."""
    best = _best_hit(reading, names)
    if best is None or best.is_certain or "?" not in reading:
        return best
    stated = " ".join([one for one in sentences(reading) if not is_question(one) or _states(one)])
    return _best_hit(stated, names) if stated else None


def _best_hit(reading: str, names: Sequence[str]) -> _Hit | None:
    best: _Hit | None = None
    for name in names:
        hit = _rules(name).find(reading)
        if hit is not None and (best is None or _rank(hit) < _rank(best)):
            best = hit
    return best


def _rank(hit: _Hit) -> tuple[int, bool]:
    return -_GRAVITY.index(hit.level), not hit.is_certain


@cache
def _levels() -> dict[str, Sensitivity]:
    return {name: Sensitivity(level) for level, names in shared().sensitivity.levels.items() for name in names}


def level_of(category: str) -> Sensitivity:
    """How grave a category is by default."""
    return _levels()[category]


@cache
def _rules(name: str) -> _Rules:
    one = language(name)
    places = {category: place for place, category in enumerate(_levels())}
    written = [(rule, True) for rule in one.sensitivity.certain] + [(rule, False) for rule in one.sensitivity.rule]
    found: dict[_Hit, str] = {}
    for rule, is_certain in written:
        hit = _Hit(level_of(rule.name), rule.name, is_certain)
        forms = rule.forms if one.scripts else [rf"\b{_bordered(form)}" for form in rule.forms]
        found[hit] = wording(any_of(*forms)).pattern
    hits = sorted(found, key=lambda hit: (*_rank(hit), places[hit.category]))
    border = "" if one.scripts else r"\b"
    ordinary = LazyPattern(f"{border}{any_of(one.sensitivity.ordinary)}{border}")
    forms = [found[hit] for hit in hits]
    return _Rules(tuple(hits), tuple(forms), compile_set([*forms, "", ordinary.pattern]), ordinary)


def _bordered(form: str) -> str:
    """The form between word borders; the end of a clause is a border of its own."""
    return form if form.endswith((CLAUSE_END, " ", r"\+")) else rf"(?:{form})\b"
