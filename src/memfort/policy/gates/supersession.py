"""When a new statement replaces an old one about the same person or thing, judged by the text alone.

There are two ways. A slot is an attribute that has one value at a time, such as a place of residence: another value
replaces it. Otherwise the new statement must repeat the old one nearly word for word. The caller makes sure that both
are about the same subjects; names are compared as well, because replacing a valid statement is worse than keeping two
wordings. No text is cached here, so that erased text is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property, lru_cache

from msgspec import Struct

from memfort.bounded_cache import BoundedCache
from memfort.language.normal_form import normal_text
from memfort.language.slots import Clause, Slot, find_clauses, find_slot, may_be_same, stem
from memfort.model.item import ChangeKeys

__all__ = [
    "THRESHOLD",
    "Change",
    "Claims",
    "ClaimsOfTexts",
    "Slot",
    "Verdict",
    "change_keys_of",
    "find_slot",
    "similarity",
    "supersedes",
]

THRESHOLD = 0.9  # the lowest threshold without a false pair in benchmarks/supersession


class Change(StrEnum):
    """The relation of a new statement to an old one."""

    SAME_SLOT = "same_slot"  # another value for the same attribute: the old one is superseded
    CLAUSE = "clause"  # another value for one of several attributes: the rest of the old one stays
    SIMILAR = "similar"  # the same fact in nearly the same words: the old one is superseded
    DUPLICATE = "duplicate"  # the same value for the same attribute, or less of it: nothing new
    DIFFERENT = "different"


class Verdict(Struct, frozen=True):
    supersedes: bool
    reason: Change
    similarity: float
    attribute: str | None = None  # of the slot that both fill
    remaining: tuple[str, ...] = ()  # the statements of the old one that still hold


def supersedes(new: str, old: str, *, threshold: float = THRESHOLD) -> Verdict:
    """Whether `new` replaces `old`, and why."""
    return Claims(new).compare(Claims(old), threshold=threshold)


class Claims:
    """What a statement says of whom, read once whatever it is compared with: its clauses, each with the attribute that
    it gives a value, and its words."""

    def __init__(self, text: str, normal: str | None = None) -> None:
        self.text = text
        self._normal = normal  # its normal form, if that is known

    def compare(self, old: Claims, *, threshold: float = THRESHOLD) -> Verdict:
        """Whether it replaces an old statement, and how alike they are."""
        by_words = self._compare_words(old, threshold)
        return _compare_slots(self.clauses, old.clauses, by_words.similarity) or by_words

    def replaces(self, old: Claims, *, threshold: float) -> Verdict:
        """As `compare`, but where the slots decide, likeness is not measured."""
        return _compare_slots(self.clauses, old.clauses, alike=0.0) or self._compare_words(old, threshold)

    @property
    def says_changed(self) -> bool:
        """Whether its own words say that something was otherwise before."""
        return any(one.slot is not None and one.slot.says_changed for one in self.clauses)

    def _compare_words(self, old: Claims, threshold: float) -> Verdict:
        alike = _similarity(self.words, old.words)
        if self.words.normal == old.words.normal:
            return Verdict(False, Change.DUPLICATE, alike)
        if alike >= threshold and not old.words.counts - self.words.counts:  # no information is lost
            return Verdict(True, Change.SIMILAR, alike)
        return Verdict(False, Change.DIFFERENT, alike)

    @cached_property
    def normal(self) -> str:
        return normal_text(self.text) if self._normal is None else self._normal

    @cached_property
    def clauses(self) -> Sequence[Clause]:
        return find_clauses(self.text, self.normal)

    @cached_property
    def words(self) -> _Words:
        return _parse(self.text, self.normal)


class ClaimsOfTexts(dict[str, Claims]):
    """The claims of the texts that are met during one write, each read once. It does not outlive the write, so that
    erased text is gone."""

    def __missing__(self, text: str) -> Claims:
        found = self[text] = Claims(text)
        return found


def _compare_slots(after: Sequence[Clause], before: Sequence[Clause], alike: float) -> Verdict | None:
    """What the slots of two statements say, if they have one in common. Of an old statement with several clauses, those
    that the new one says anew or says again are replaced, and the others remain."""
    stated = [one.slot for one in after if one.slot is not None]
    changed = [
        slot.attribute for one in before if (slot := one.slot) is not None and any(new.replaces(slot) for new in stated)
    ]
    if changed:
        remaining = tuple(one.text for one in before if one.slot is None or not _is_restated(one.slot, stated))
        reason = Change.CLAUSE if remaining else Change.SAME_SLOT
        return Verdict(True, reason, alike, changed[0], remaining)
    if len(after) == len(before) == 1 and _is_restated(before[0].slot, stated):
        return Verdict(False, Change.DUPLICATE, alike, stated[0].attribute)
    return None


def _is_restated(known: Slot | None, stated: Sequence[Slot]) -> bool:
    return known is not None and any(
        new.attribute == known.attribute
        and may_be_same(new.subject, known.subject)
        and (new.replaces(known) or set(new.value.split()) <= set(known.value.split()))
        for new in stated
    )


def change_keys_of(claims: Claims) -> ChangeKeys:
    """The change keys of a statement: those by which updates find it, and those of statements that it can update. A
    nearly equal statement has the words of the old one and at most one more, since more words would weigh too much;
    only long statements would allow two more, and those are not searched for."""
    stems = tuple(map(_STEMS.__getitem__, _content_words(claims.text, _strip_negation(claims.normal)[0])))
    attributes = tuple(dict.fromkeys(one.slot.attribute for one in claims.clauses if one.slot is not None))
    return ChangeKeys(stems, attributes, is_news_of_less=_FEW < len(stems) < _MANY)


_FEW = 4  # with so few words, one more makes another statement
_MANY = 24  # with so many words, only equal sets are searched for


_STEMS = BoundedCache(stem, 65_536)


def similarity(one: str, other: str) -> float:
    """The similarity of two statements, from 0 to 1; symmetric.

    Stems are weighted: a number, a name, a relation or a wish in only one of them distinguishes two facts more than a
    word does. Two statements that each have extra words lose more, and so do the same words in another order.
    """
    return _similarity(Claims(one).words, Claims(other).words)


def _similarity(left: _Words, right: _Words) -> float:
    if not left.stems or not right.stems:
        return float(left.normal == right.normal)
    ours, theirs = left.counts, right.counts
    shared = ours & theirs
    names = left.names | right.names
    common = sum(_SHARED_NAME if word in names else 1.0 for word in shared.elements())
    only_ours, only_theirs = ours - shared, theirs - shared
    apart = sum(_weight(word, names) for word in (only_ours + only_theirs).elements())
    score = 2 * common / (2 * common + apart)
    if only_ours and only_theirs:
        score *= _BOTH_DIFFER
    if left.is_denied != right.is_denied:
        score *= _DENIED
    return score * (1 - _DISORDER * (1 - _order_agreement(left, right, shared)))


_SHARED_NAME = 0.5  # both have the same subjects, so a shared name says little
_BOTH_DIFFER = 0.8
_DENIED = 0.95
_DISORDER = 0.4


class _Words(Struct, frozen=True):
    """The content of a statement, without its wording."""

    normal: str
    stems: tuple[str, ...]  # of the content words, in order
    names: frozenset[str]  # those capitalised inside the statement
    is_denied: bool

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.stems)


def _parse(text: str, normal: str) -> _Words:
    words, is_denied = _strip_negation(normal)
    stems = tuple(map(stem, _content_words(text, words)))
    names = frozenset(map(stem, _capitals(text) - _CALENDAR)) & frozenset(stems)
    return _Words(normal, stems, names, is_denied)


def _strip_negation(normal: str) -> tuple[list[str], bool]:
    """The words of a statement without negation, with joined pairs in a fixed order, and whether it is negated."""
    words, _ = _remove_phrases(_ANY_MORE, normal.split())
    words, denials = _remove_phrases(_DENIALS, words)
    return _sort_joined_pairs(words), denials % 2 == 1


def _remove_phrases(phrases: frozenset[tuple[str, ...]], words: list[str]) -> tuple[list[str], int]:
    """The words without these phrases, and how many of them there were. A word right after one begins none: of "not
    never" the second half stays."""
    if _first_words(phrases).isdisjoint(words):
        return words, 0
    kept: list[str] = []
    found = at = 0
    while at < len(words):
        size = next((size for size in (1, 2) if tuple(words[at : at + size]) in phrases), 0)
        found += size > 0
        kept += words[at + size : at + size + 1]
        at += size + 1
    return kept, found


@lru_cache(maxsize=2)  # of denials, and of "any more"
def _first_words(phrases: frozenset[tuple[str, ...]]) -> frozenset[str]:
    return frozenset(phrase[0] for phrase in phrases)


def _sort_joined_pairs(words: list[str]) -> list[str]:
    """Sort joined pairs, whose order means nothing: "tea and milk", "milk and tea". Lists of three keep their order."""
    if _JOINING.isdisjoint(words):
        return words
    kept: list[str] = []
    at = 0
    while at < len(words):
        if at + 2 < len(words) and words[at + 1] in _JOINING:
            kept += sorted((words[at], words[at + 2]))
            kept += words[at + 3 : at + 4]
            at += 4
        else:
            kept.append(words[at])
            at += 1
    return kept


def _content_words(text: str, words: list[str]) -> list[str]:
    """The words without stop words. A single capital letter is a name, not a stop word."""
    if _STOP_LETTERS.isdisjoint(words) or not (names := _capitals(text) & _STOP_LETTERS):
        return [word for word in words if word not in _STOP_WORDS]
    return [word for word in words if word not in _STOP_WORDS or word in names]


def _capitals(text: str) -> set[str]:
    """The words with a capital inside the statement."""
    return {word for shown in text.split()[1:] if shown[0].isupper() for word in normal_text(shown).split()}


def _weight(word: str, names: frozenset[str]) -> float:
    if word.isdigit() or word in _distinguishing_stems():
        return 3.0
    return 2.0 if word in names else 1.0


def _order_agreement(left: _Words, right: _Words, shared: Counter[str]) -> float:
    """How far the common words are in the same order. A phrase moved from one end to the other keeps the order: "on
    Fridays Bob swims". Swapping subject and object does not."""
    one = [word for word in left.stems if word in shared]
    other = [word for word in right.stems if word in shared]
    names = left.names | right.names
    if [word for word in one if word in names] != [word for word in other if word in names]:
        return 0.0
    if len(one) * len(other) > _MAX_ORDER_STEPS:
        return float(one == other)
    return max(_longest_common(one, other), len(_neighbours(one) & _neighbours(other))) / max(len(one), len(other), 1)


_MAX_ORDER_STEPS = 10_000  # a longer text is not a single fact


def _neighbours(words: list[str]) -> set[tuple[str, str]]:
    """Each word with the next, and the last with the first."""
    return set(zip(words, words[1:] + words[:1], strict=True))


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    row = [0] * (len(other) + 1)
    for first in one:
        diagonal = 0
        for at, second in enumerate(other, start=1):
            diagonal, row[at] = row[at], diagonal + 1 if first == second else max(row[at], row[at - 1])
    return row[-1]


@lru_cache(maxsize=1)
def _distinguishing_stems() -> frozenset[str]:
    return frozenset(map(stem, _RELATIONS | _WISHES))


_RELATIONS = frozenset(
    (
        "wife",
        "husband",
        "partner",
        "spouse",
        "girlfriend",
        "boyfriend",
        "mother",
        "father",
        "sister",
        "brother",
        "son",
        "daughter",
        "cousin",
        "aunt",
        "uncle",
        "niece",
        "nephew",
        "grandmother",
        "grandfather",
        "friend",
        "boss",
        "manager",
        "colleague",
        "roommate",
        "neighbor",
        "parents",
        "child",
        "dog",
        "cat",
        "ex",
    )
)
_WISHES = frozenset(
    ("want", "need", "plan", "hope", "might", "would", "if", "should", "dream", "try", "consider", "think")
)
_STOP_WORDS = frozenset(
    (
        "a",
        "an",
        "the",
        "and",
        "is",
        "are",
        "was",
        "were",
        "am",
        "be",
        "been",
        "being",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "i",
        "me",
        "my",
        "mine",
        "we",
        "our",
        "us",
        "he",
        "his",
        "him",
        "she",
        "her",
        "they",
        "their",
        "them",
        "you",
        "your",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "there",
        "of",
        "in",
        "on",
        "at",
        "to",
        "as",
        "by",
        "for",
        "come",
        "comes",
        "came",
        "so",
        "s",
        "m",
        "re",
        "ve",
        "ll",
        "d",
        "really",
        "very",
        "actually",
        "now",
        "currently",
        "just",
        "quite",
        "who",
        "which",
        "whom",
        "when",
        "where",
        "will",
        "can",
        "go",
        "goes",
        "going",
    )
)
_STOP_LETTERS = _STOP_WORDS & frozenset("abcdefghijklmnopqrstuvwxyz")  # "service A"
_CALENDAR = frozenset(
    (
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mondays",
        "tuesdays",
        "wednesdays",
        "thursdays",
        "fridays",
        "saturdays",
        "sundays",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    )
)
_JOINING = frozenset(("and", "or"))
_ANY_MORE = frozenset((("anymore",), ("any", "more")))
_DENIALS: frozenset[tuple[str, ...]] = frozenset(
    (
        *(
            (verb, "t")
            for verb in (
                "don",
                "doesn",
                "didn",
                "isn",
                "aren",
                "wasn",
                "weren",
                "hasn",
                "haven",
                "hadn",
                "can",
                "couldn",
                "won",
                "wouldn",
                "shouldn",
            )
        ),
        ("not",),
        ("never",),
        ("no", "longer"),
        ("cannot",),
        ("stopped",),
        ("quit",),
        ("gave", "up"),
        ("used", "to"),
    )
)
