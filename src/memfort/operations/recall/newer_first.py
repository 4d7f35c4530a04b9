"""Of two statements about the same, the newer one first: where the later one was said to put something right, says that
something has changed, or gives the same attribute of the same thing another value, and it was not sure which earlier
statement it ends, both are in force.

Only memories that were found move, and only to just above the one that they put right, in the same layer. Memories of
two spaces or two speakers are never compared.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

from msgspec import Struct
from msgspec.structs import replace

from memfort.capture.extract.attribute import attribute_of
from memfort.capture.extract.changes import says_otherwise, says_wrong
from memfort.language.concepts import concept_terms, concepts_by_word
from memfort.language.words import content_words, stem_word
from memfort.model.item import Item, Kind, Origin
from memfort.model.results import Feature
from memfort.operations.recall.search import Selection
from memfort.recall.rank import ScoredMemory

BEST = 10  # of the memories found, so many are compared
_LEAST_SHARE = 0.2  # of the older one's score that the newer one has by itself
_LEAST_SHARE_OF_VALUE = 0.9  # the same where only another value of one attribute shows that it is newer
_SOON = 30 * 60 * 1_000_000  # microseconds: a correction said so soon after something is of that


class _Asked(Struct, frozen=True):
    pieces: frozenset[str]
    concepts: frozenset[str]


def newer_first(found: Selection, query: str) -> Selection:
    """The same memories, each correction among the best right above the first memory that it puts right."""
    if len(found.chosen) < 2:
        return found
    found = _newer_values_first(found)
    corrections = [one for one in found.chosen[:BEST] if _corrects(found.items[one.handle])]
    if not corrections:
        return found
    concepts = frozenset(term for terms in concepts_by_word(query).values() for term in terms)
    asked, order = _Asked(_pieces(query), concepts), list(found.chosen)
    for newer in sorted(corrections, key=lambda one: _said_at(found.items[one.handle])):
        item, place = found.items[newer.handle], order.index(newer)
        for above, older in enumerate(order[:place]):
            if _may_pass(newer, older) and _puts_right(item, found.items[older.handle], asked):
                del order[place]
                order.insert(above, _lifted(newer, older))
                break
    return found._replace(chosen=order)


def _newer_values_first(found: Selection) -> Selection:
    """The same memories, each of the best above those that give its attribute an older value."""
    best = found.chosen[:BEST]
    known = {one.handle: attribute_of(found.items[one.handle].text) for one in best}
    order = list(found.chosen)
    for newer in sorted(best, key=lambda one: _said_at(found.items[one.handle])):
        for above, older in enumerate(order[: order.index(newer)]):
            mine, its = known[newer.handle], known.get(older.handle)
            is_near = newer.layer == older.layer and newer.score >= _LEAST_SHARE_OF_VALUE * older.score
            if mine is None or its is None or not is_near or not mine.has_another_value(its):
                continue
            if _is_later(found.items[newer.handle], found.items[older.handle]):
                order.remove(newer)
                order.insert(above, _lifted(newer, older))
                break
    return found._replace(chosen=order)


def _corrects(item: Item) -> bool:
    """Whether it is a correction, or was said in a conversation and says that something is otherwise."""
    if item.is_correction and item.kind is not Kind.SHORT_TERM:
        return True
    was_said = item.evidence is not None or (item.kind is Kind.SHORT_TERM and item.origin is Origin.USER)
    return was_said and says_otherwise(_words(item))


def _words(item: Item) -> str:
    """What was said: fillers and openings are no part of a statement, but of the words that it was taken from."""
    return item.text if item.evidence is None else f"{item.evidence.words} {item.text}"


def _said_at(item: Item) -> tuple[int, int]:
    return item.observed_at_us or item.created_at_us, item.number


def _may_pass(newer: ScoredMemory, older: ScoredMemory) -> bool:
    return newer.layer == older.layer and newer.score >= _LEAST_SHARE * older.score


def _is_later(newer: Item, older: Item) -> bool:
    """Whether one was said after another, by the same speaker and elsewhere."""
    if older.origin is not newer.origin or older.space != newer.space or older.stated_by != newer.stated_by:
        return False
    if older.author.key != newer.author.key or _said_at(older) >= _said_at(newer) or older.id == newer.supersedes:
        return False
    return _turns(older).isdisjoint(_turns(newer))


def _puts_right(newer: Item, older: Item, asked: _Asked) -> bool:
    """Whether a later one is about the same thing."""
    return _is_later(newer, older) and (
        _answers_the_same(newer, older, asked) or _is_said_soon(newer, older) or _shares_more(newer, older, asked)
    )


def _answers_the_same(newer: Item, older: Item, asked: _Asked) -> bool:
    """Whether the newer one has all that the older one has of the query, or is about the same of what is asked."""
    both = _pieces(older.text) & asked.pieces
    if both and both <= _pieces(newer.text):
        return True
    return bool(asked.concepts) and not asked.concepts.isdisjoint(
        frozenset(concept_terms(older.text)).intersection(concept_terms(newer.text))
    )


def _is_said_soon(newer: Item, older: Item) -> bool:
    """Whether the newer one says right after the older one that something was wrong."""
    is_soon = older.conversation == newer.conversation and _said_at(newer)[0] - _said_at(older)[0] < _SOON
    return is_soon and says_wrong(_words(newer))


def _shares_more(newer: Item, older: Item, asked: _Asked) -> bool:
    """Whether they share a word that the query does not have, beside whom or what they are about: "My sister Ana now
    has a dog" is not about where she lives."""
    same = _same_beginning(older.text, newer.text)
    return not _pieces(older.text[same:]).isdisjoint(_pieces(newer.text[same:]) - asked.pieces)


def _turns(item: Item) -> frozenset[str]:
    """The memory itself, and the turn that it was taken from."""
    return frozenset((item.id,) if item.evidence is None else (item.id, *item.evidence.turns))


def _same_beginning(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _pieces(text: str) -> frozenset[str]:
    """The stems of the content words of a text; of a script without spaces, its pairs of characters."""
    stems = {stem_word(word) for word in content_words(text) if word.isascii() or not _HAN.search(word)}
    pairs = {one + other for run in _HAN.findall(text) for one, other in pairwise(run)}
    return frozenset(pairs | {stem for stem in stems if not any(map(str.isdigit, stem))})


def _lifted(newer: ScoredMemory, older: ScoredMemory) -> ScoredMemory:
    share = newer.shares.get(Feature.NEWER_VALUE, 0.0) + older.score - newer.score
    return replace(newer, score=older.score, shares={**newer.shares, Feature.NEWER_VALUE: share})


_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
