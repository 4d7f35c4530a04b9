"""Ranks: every feature against a naive one, memory by memory; what is not shown moves nothing; ties by age and id."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from memfort.capture.turns import Trait
from memfort.model.moment import Moment
from memfort.model.results import Feature
from memfort.policy.settings.sections import WEIGHTS
from memfort.recall import features, rank
from memfort.recall.bind_query import BoundQuery, QueryContext, bind_query
from memfort.recall.packed_weight import pack_lifetime, pack_weight
from memfort.recall.parse_query import parse_query
from memfort.recall.rank import Floor, Layer, ScoredMemory, best_memories, break_ties, score_memories
from memfort.store.port import Entry, Position
from memfort.store.port.values import columns
from memfort.store.port.values.columns import NONE, Columns, Postings, columns_of, sorted_postings

WORDS = ["tea", "milk", "jam", "ink", "rye"]
PEOPLE = ["", "ann", "bo", "user"]
MARK = b"mark"
EVERYTHING = Floor(-1, 2)
ALL_WEIGHTS = dict(WEIGHTS)


def number(word: str) -> int:
    return {"": 0}.get(word, sum(ord(letter) * 31**place for place, letter in enumerate(word)))


# -- features, one memory after the other -----------------------------------------------------------------------------


def naive(entries: Sequence[tuple[int, Entry]], query: BoundQuery) -> dict[int, dict[Feature, float]]:
    """The features as their names say it, in plain loops."""
    ordered = [entry for _, entry in sorted(entries, key=lambda one: one[0])]
    talks = _talks(ordered)
    words = [_words(entry, query) for entry in ordered]
    meaning = [_meaning(entry, query) for entry in ordered]
    found = {}
    for place, (handle, entry) in enumerate(sorted(entries, key=lambda one: one[0])):

        def beside(values: Sequence[float], step: int, place: int = place) -> float:
            if talks[place] is None:
                return 0.0
            turns = [one for one, talk in enumerate(talks) if talk is not None]
            at = turns.index(place) - step
            other = turns[at] if 0 <= at < len(turns) else place
            if other == place or talks[place] != talks[other]:
                return 0.0
            return values[other]

        before, after = ((1, 0.8), (2, 0.65), (3, 0.5)), ((1, 0.6), (2, 0.5), (3, 0.35))
        near = [worth * beside(words, step) for step, worth in before]
        near += [worth * beside(words, -step) for step, worth in after]
        alike = [worth * beside(meaning, step) for step, worth in ((1, 0.8), (2, 0.65), (-1, 0.8), (-2, 0.65))]
        asks = [value * bool(other.traits & Trait.QUESTION) for value, other in zip(words, ordered, strict=True)]
        party = {other.speaker for other, talk in zip(ordered, talks, strict=True) if talk and talk == talks[place]}
        length = entry.length
        found[handle] = {
            Feature.WORDS: words[place],
            Feature.NEARBY_WORDS: max(0.0, max(near) - words[place]),
            Feature.MEANING: meaning[place],
            Feature.NEARBY_MEANING: 0.8 * meaning[place] if talks[place] is None else max(0.0, *alike),
            Feature.SPEAKER: (number(entry.speaker) in query.speakers) / max(1, len(party - {""}) - 1),
            Feature.ABOUT: float(handle in query.about),
            Feature.DATE: max((_near(entry.day, days) for days in query.days), default=0.0),
            Feature.FOLLOWS_QUESTION: beside(asks, 1),
            Feature.ANSWER_KIND: bool(
                entry.traits & (query.wanted_traits if talks[place] is not None else query.wanted_traits & ~Trait.NAME)
            )
            * 60
            / (60 + length),
            Feature.INSTRUCTION: float(query.is_request and bool(entry.traits & Trait.INSTRUCTION)),
            Feature.IMPORTANCE: (entry.traits >> 8 & 255) / 250,
            Feature.USE: (uses := entry.traits >> 16 & 15) / (uses + 2),
            Feature.NEWER_VALUE: 0.0,  # none of them states a value
            Feature.FADE: 0.0 if not query.today or entry.in_talk else _faded(entry, query.today),
            Feature.SHORT_QUESTION: bool(entry.traits & Trait.QUESTION) * min(1, max(0, 2 * (1 - length / 20))),
        }
    return found


def _talks(entries: Sequence[Entry]) -> list[int | None]:
    """The conversation of each turn: those of one day that follow each other, whatever else stands between them."""
    talks: list[int | None] = []
    day, number = None, 0
    for entry in entries:
        if entry.in_talk and entry.day != day:
            day, number = entry.day, number + 1
        talks.append(number if entry.in_talk else None)
    return talks


def _words(entry: Entry, query: BoundQuery) -> float:
    said = {number(word): often for word, often in entry.terms.items()}
    damping = 0.9 * (0.1 + 0.9 * entry.length / 60)
    parts = [
        weight * often / (often + damping)
        for group, weight in zip(query.terms, query.weights, strict=True)
        for often in [max(said.get(term, 0) for term in group)]
    ]
    return sum(parts) / sum(query.weights) if query.weights else 0.0


def _meaning(entry: Entry, query: BoundQuery) -> float:
    if query.vector is None or not entry.vector.startswith(MARK):
        return 0.0
    own = np.frombuffer(entry.vector[4:], np.int8).tolist()
    return max(0.0, sum(a * b for a, b in zip(own, query.vector.tolist(), strict=True)) / 127**2)


def _faded(entry: Entry, today: int) -> float:
    lifetime = [0, 1, 3, 7, 14, 30, 90, 365][entry.traits >> 59 & 7]
    age = max(0, today - entry.day) if entry.day else 0
    return age / (age + lifetime) if lifetime else 0.0


def _near(day: int, days: tuple[int, int]) -> float:
    return math.exp(-max(days[0] - day, day - days[1], 0) / 10) if day else 0.0


traits = st.builds(
    lambda flags, importance, uses, fading: flags | pack_weight(importance, uses) | fading,
    st.sampled_from([0, 1, 2, 4, 8, 16, 3, 9, 21]), st.sampled_from([-1, 0, 1, 2.5, 4, 10, 99]),
    st.sampled_from([0, 0, 0, 1, 7]), st.sampled_from([0, 0, pack_lifetime(7), pack_lifetime(30.2)]),
)  # fmt: skip
vectors = st.sampled_from(
    [b"", MARK + bytes([100, 50, 3]), MARK + bytes([2, 256 - 90, 80]), b"othe" + bytes([1, 2, 3])]
)
entries_made = st.lists(
    st.builds(
        lambda words, speaker, day, traits, vector: Entry(
            Counter(words), speaker=speaker, day=day, in_talk=bool(speaker), traits=traits, vector=vector
        ),
        st.lists(st.sampled_from(WORDS), max_size=40), st.sampled_from(PEOPLE), st.sampled_from([0, 738_000, 738_009]),
        traits, vectors,
    ),
    min_size=1, max_size=14,
)  # fmt: skip
queries = st.sampled_from([
    "tea", "When did Ann have tea with milk?", "what do I like, jam or rye?", "Can you recommend some tea?",
    "which ink on 3 August 2021", "what did Ann decide about tea",
    "which jam does Bo prefer", "how many jam did Bo and Ann buy", "Ann", "rye in 2021",
])  # fmt: skip


def asked_of(text: str, found: Sequence[Columns]) -> BoundQuery:
    vector = np.array([90, 60, -20], np.int8)
    context = QueryContext(number, lambda _: vector, ["zoe"], today=date.fromordinal(738_020))
    return bind_query(parse_query(text), found, context)


def ranked(found: Sequence[Columns], query: BoundQuery, floor: Floor, limit: int) -> list[ScoredMemory]:
    return best_memories(score_memories(found, query, ALL_WEIGHTS, floor), limit)


@settings(max_examples=300, deadline=None)
@given(entries_made, queries)
def test_every_feature_matches_the_naive_definition(made, text):
    numbered = list(enumerate(made))
    found = [columns_of(0, numbered, number, MARK)]
    query = asked_of(text, found)
    expected = naive(numbered, query)
    totals = score_memories(found, query, ALL_WEIGHTS, EVERYTHING)
    for row, handle in enumerate(totals[0].handles.tolist()):
        for feature, weight in ALL_WEIGHTS.items():
            share = totals[0].shares[feature][row] if feature in totals[0].shares else 0.0
            assert share == pytest.approx(weight * expected[handle][feature], abs=1e-6), feature
    kept = {handle for handle, values in expected.items() if sum(ALL_WEIGHTS[f] * v for f, v in values.items()) > 1e-9}
    assert kept == set(totals[0].handles.tolist())


@settings(max_examples=200, deadline=None)
@given(entries_made, queries, st.data())
def test_hidden_memories_change_nothing(made, text, data):
    hidden = data.draw(st.sets(st.integers(0, len(made) - 1)))
    numbered = list(enumerate(made))
    whole = columns_of(0, numbered, number, MARK)
    shown = np.array([handle not in hidden for handle, _ in numbered], np.bool_)
    partly, alone = (
        structs.replace(whole, shown=shown),
        columns_of(0, [one for one in numbered if one[0] not in hidden], number, MARK),
    )
    answers = [ranked([one], asked_of(text, [one]), EVERYTHING, 99) for one in (partly, alone)]
    assert answers[0] == answers[1]


@settings(max_examples=100, deadline=None)
@given(entries_made, queries, st.randoms())
def test_the_row_order_of_the_index_does_not_matter(made, text, draw):
    numbered = list(enumerate(made))
    mixed = numbered.copy()
    draw.shuffle(mixed)
    answers = [
        sorted(map(repr, ranked([one], asked_of(text, [one]), EVERYTHING, 99)))
        for one in (columns_of(0, numbered, number, MARK), columns_of(0, mixed, number, MARK))
    ]
    assert answers[0] == answers[1]


def test_of_very_many_the_likeliest_are_weighed_with_their_neighbours(monkeypatch):
    """The same answer as when all are weighed, as long as the best are among the likeliest."""
    made = [
        Entry(Counter([WORDS[place % 4]] * 3 + ["rye"] * (place in {40, 90})), speaker="ann", day=738_000, in_talk=True)
        for place in range(120)
    ]
    found = [columns_of(0, list(enumerate(made)), number, MARK)]
    query = asked_of("rye", found)
    every = ranked(found, query, Floor(0, 2), 6)
    monkeypatch.setattr(rank, "_WEIGH_ALL", 50)
    monkeypatch.setattr(rank, "_WEIGH_BEST", 10)
    assert ranked(found, query, Floor(0, 2), 6) == every
    assert {one.handle for one in every} == {40, 41, 42, 90, 91, 92, 39, 89} & {one.handle for one in every}
    assert {40, 90} < {one.handle for one in every}


def speaking(one: ScoredMemory | rank.Measurement) -> dict[str, float]:
    return {name: share for name, share in one.shares.items() if share}


@settings(max_examples=100, deadline=None)
@given(entries_made, queries)
def test_one_memory_is_measured_as_it_is_scored_among_all(made, text):
    found = [columns_of(layer, [(no, made[no]) for no in range(layer, len(made), 2)], number, MARK) for layer in (0, 1)]
    query = asked_of(text, found)
    scored = {one.handle: one for one in ranked(found, query, EVERYTHING, len(made))}
    passing = {one.handle for one in ranked(found, query, Floor(0.3, 0.5), len(made))}
    for handle in range(len(made)):
        one = rank.measure_memory(found, query, ALL_WEIGHTS, handle)
        if handle not in scored:
            assert one == rank.NOT_MEASURED
            continue
        assert (one.score, speaking(one)) == (scored[handle].score, speaking(scored[handle]))
        if one.reached["words"] > 0.3 or one.reached["meaning"] >= 0.5:
            assert handle in passing
    assert rank.measure_memory(found, query, ALL_WEIGHTS, 99) == rank.NOT_MEASURED


def test_of_very_many_the_unlikely_are_measured_without_a_score(monkeypatch):
    made = [Entry(Counter(["tea"] * 3 if place < 5 else ["milk", "tea"])) for place in range(120)]
    found = [columns_of(0, list(enumerate(made)), number, MARK)]
    query = structs.replace(asked_of("tea", found), vector=None)
    monkeypatch.setattr(rank, "_WEIGH_ALL", 50)
    monkeypatch.setattr(rank, "_WEIGH_BEST", 5)
    last, first = (rank.measure_memory(found, query, ALL_WEIGHTS, handle) for handle in (110, 0))
    assert last == rank.NOT_MEASURED
    assert first.score > 0 < first.reached["words"]


def many(count: int, width: int = 8) -> Columns:
    """Turns with vectors whose first numbers say most, as columns that have those apart too."""
    draw = random.Random(4)
    made = []
    for place in range(count):
        vector = bytes(round(draw.gauss(0, 40 / (at + 1))) & 0xFF for at in range(width))
        words = Counter(draw.choices(WORDS, k=3))
        talk = {"speaker": PEOPLE[1 + place % 2], "day": 738_000 + place // 9, "in_talk": place % 5 > 0}
        made.append(Entry(words, vector=MARK + vector, **talk))
    found = columns_of(0, list(enumerate(made)), number, MARK)
    return structs.replace(found, rough=np.ascontiguousarray(found.vectors[:, :3]))


@pytest.mark.parametrize("partition_groups", [1, 3])
@pytest.mark.parametrize("text", ["tea", "what is in the milk now?", "jam and rye", "Which tea did Ann buy?"])
def test_a_shorter_answer_is_the_beginning_of_a_longer_one(text, partition_groups):
    """Statements outside any conversation, many of which tie."""
    draw = random.Random(partition_groups)
    meant = [MARK + bytes(one) for one in ((120, 45, 0), (127, 0, 9), (45, 120, 0))]
    made = [Entry(Counter(draw.choices(WORDS, k=4)), vector=draw.choice(meant)) for _ in range(400)]
    found = [
        columns_of(0, list(enumerate(made))[partition_group::partition_groups], number, MARK)
        for partition_group in range(partition_groups)
    ]
    query, stamps = asked_of(text, found), {handle: place(-handle, str(handle)) for handle in range(len(made))}
    whole = break_ties(ranked(found, query, EVERYTHING, 400), stamps, 10)
    assert len(whole) == 10
    for limit in (1, 5, 10):
        best = break_ties(ranked(found, query, EVERYTHING, limit), stamps, limit)
        assert [(one.handle, one.score, speaking(one)) for one in best] == [
            (one.handle, one.score, speaking(one)) for one in whole[:limit]
        ]


def few_are_weighed(monkeypatch) -> None:
    monkeypatch.setattr(rank, "_WEIGH_ALL", 100)
    monkeypatch.setattr(rank, "_WEIGH_BEST", 40)
    monkeypatch.setattr(features, "ROUGH_FROM", 200)


def test_the_rough_pass_finds_nearly_what_the_full_pass_finds(monkeypatch):
    found, floor, wanted, there = many(1000), Floor(0, 0.4), 0, 0
    texts = ["tea", "Ann tea", "what did Bo say in 2021", "rye on 5 August 2021", "jam milk"]
    for text in texts:
        query = structs.replace(asked_of(text, [found]), vector=found.vectors[7])
        every = {one.handle: one for one in ranked([found], query, floor, 10)}
        with monkeypatch.context() as patch:
            few_are_weighed(patch)
            rough = ranked([found], query, floor, 10)
        both = [one for one in rough if one.handle in every]
        shares = [one.shares[Feature.MEANING] for one in both]
        assert shares == [every[one.handle].shares[Feature.MEANING] for one in both]  # the shown shares are exact
        wanted, there = wanted + len(every), there + len(both)
    assert wanted > 40
    assert there >= 0.9 * wanted


@pytest.mark.parametrize("hidden", [0.3, 0.9])
def test_hidden_memories_change_nothing_in_a_large_index(monkeypatch, hidden):
    """Neither what is found, nor whether it is looked at roughly first."""
    few_are_weighed(monkeypatch)
    whole = many(1000)
    draw = random.Random(8)
    shown = np.array([draw.random() >= hidden for _ in range(1000)], np.bool_)
    at = np.flatnonzero(shown)
    apart = {int(handle): place for place, handle in enumerate(whole.handles[at])}
    postings = whole.postings
    kept = shown[postings.rows]
    alone = structs.replace(
        whole, handles=whole.handles[at], shown=np.ones(len(at), np.bool_), lengths=whole.lengths[at],
        postings=sorted_postings(
            postings.terms[kept], np.array([apart[row] for row in postings.rows[kept].tolist()]), postings.counts[kept]
        ),
        speakers=whole.speakers[at], days=whole.days[at], event_days=whole.event_days[at],
        in_talk=whole.in_talk[at], names=whole.names[at], turns=whole.turns[at], may_replace=whole.may_replace[at],
        traits=whole.traits[at], vectors=whole.vectors[at], rough=whole.rough[at],
    )  # fmt: skip
    for text in ("tea", "the tea that Bo drank in 2021"):
        answers = []
        for one in (structs.replace(whole, shown=shown), alone):
            query = structs.replace(asked_of(text, [one]), vector=whole.vectors[7])
            answers.append(ranked([one], query, Floor(0, 0.4), 10))
        assert answers[0] == answers[1] != []


@pytest.mark.parametrize("days", [[], [0, 0], [738_000, 0, 738_003], [1, 3_000_000, 738_001, 0], [738_000] * 50])
def test_days_are_near_the_same_looked_up_or_reckoned_one_by_one(days):
    query = structs.replace(asked_of("tea", [many(5)]), days=((738_001, 738_001), (738_030, 738_060)))
    found = features.score_dates(query, np.array(days, np.int64))
    assert found.tolist() == [features._nearness(query, np.array([day], np.int64))[0] for day in days]


# -- the floor --------------------------------------------------------------------------------------------------------


def test_nothing_in_common_matches_nothing():
    near, far = MARK + bytes([127, 0, 0]), MARK + bytes([0, 127, 0])
    made = [Entry({"milk": 1}, vector=near), Entry({"jam": 1}, vector=far), Entry({"tea": 1}, vector=far)]
    found = [columns_of(0, list(enumerate(made)), number, MARK)]
    query = structs.replace(asked_of("tea", found), vector=np.array([127, 0, 0], np.int8))
    answers = ranked(found, query, Floor(0, 0.5), 9)
    assert {one.handle for one in answers} == {0, 2}


def test_a_name_alone_finds_that_speakers_statements():
    made = [Entry({"milk": 1}, speaker="ann", in_talk=True), Entry({"jam": 1}, speaker="bo", in_talk=True)]
    found = [columns_of(0, list(enumerate(made)), number, MARK)]
    for text, expected in (("Ann", {0}), ("Bo?", {1}), ("zoe", set())):
        query = structs.replace(asked_of(text, found), vector=None)
        assert {one.handle for one in ranked(found, query, Floor(0, 2), 9)} == expected, text


@pytest.mark.parametrize("made", [[], [Entry({})], [Entry({"milk": 1})]])
def test_nothing_to_score_returns_nothing(made):
    found = [columns_of(0, list(enumerate(made)), number)]
    query = structs.replace(asked_of("tea", found), vector=None)
    assert ranked(found, query, Floor(0, 1), 10) == []
    more = [*found, columns_of(0, [(9, Entry({"tea": 1}))], number)]
    assert best_memories(
        score_memories(more, structs.replace(asked_of("tea", more), vector=None), ALL_WEIGHTS, Floor(0, 1)), 10
    )


@pytest.mark.parametrize("count", [0, 1, 7])
def test_a_word_is_looked_up_as_it_is_gone_through(count, monkeypatch):
    entries = [(handle, Entry({WORDS[handle % 5]: handle + 1, "tea": 2})) for handle in range(20)]
    plain = columns_of(0, entries, number).postings
    monkeypatch.setattr(columns, "_SORT_FROM", 1)
    some = sorted_postings(plain.terms[:count], plain.rows[:count], plain.counts[:count])
    partly = Postings(plain.terms, plain.rows, plain.counts, some.order, some.ordered)
    whole = sorted_postings(plain.terms, plain.rows, plain.counts)
    assert (len(plain.order), len(partly.order), len(whole.order)) == (0, count, len(plain.terms))
    for word in WORDS:
        expected = [part.tolist() for part in plain.of(number(word))]
        assert [part.tolist() for part in partly.of(number(word))] == expected != [[], []]
        assert [part.tolist() for part in whole.of(number(word))] == expected
    asked = [number(word) for word in (*WORDS, "nothing")]
    for one in (plain, partly, whole):
        rows, counts, sizes = one.of_all(asked)
        alone = [one.of(term) for term in asked]
        assert rows.tolist() == [row for found, _ in alone for row in found.tolist()]
        assert counts.tolist() == [often for _, found in alone for often in found.tolist()]
        assert sizes == [len(found) for found, _ in alone] == [20, 4, 4, 4, 4, 0]
        assert [part if isinstance(part, list) else part.tolist() for part in one.of_all([])] == [[], [], []]


@pytest.mark.parametrize("width", [1, 3, 31, 96, 256, 384, 9000])
@pytest.mark.parametrize("count", [0, 1, 31, 33, 1025])
def test_products_are_exact_however_many_and_large_the_numbers_are(count, width):
    draw = np.random.default_rng(count)
    vectors, vector = draw.integers(-127, 128, (count, width), np.int8), draw.integers(-127, 128, width, np.int8)
    expected = (vectors.astype(np.int64) @ vector.astype(np.int64)).tolist()
    assert columns.products(vectors, vector).tolist() == expected
    most = np.full((max(1, count), width), -127, np.int8)
    assert set(columns.products(most, most[0]).tolist()) == {127.0 * 127 * width}


# -- layers -----------------------------------------------------------------------------------------------------------


def in_layers(*texts: Sequence[str]) -> list[Columns]:
    handles = iter(range(100))
    return [
        columns_of(layer, [(next(handles), Entry(Counter(text.split()))) for text in said], number)
        for layer, said in enumerate(texts)
    ]


def is_weighed(one: Columns) -> bool:
    return "rows" in one.memo


def test_a_layer_is_weighed_when_it_is_looked_at():
    near, far = found = in_layers(["tea", "tea milk"], ["tea jam", "rye"])
    query = structs.replace(asked_of("tea", found), vector=None)
    totals = score_memories(found, query, ALL_WEIGHTS, Floor(0, 1))
    assert [one.handle for one in best_memories(totals, 2)] == [0, 1]
    assert (is_weighed(near), is_weighed(far)) == (True, False)
    later = best_memories(totals, 3)
    assert (is_weighed(far), [one.handle for one in later]) == (True, [0, 1, 2])
    assert later == ranked(found, query, Floor(0, 1), 3)
    assert (list(totals), len(totals)) == ([0, 1], 2)


def test_the_best_of_all_layers_is_looked_for_only_as_far_as_it_is_needed():
    floor = Floor(0, 1, best=0.9)
    both = "tea ink " + "rye " * 9
    near, far = found = in_layers(["tea ink", "rye"], [both])
    query = structs.replace(asked_of("tea ink", found), vector=None)
    assert score_memories(found, query, ALL_WEIGHTS, floor)
    assert (is_weighed(near), is_weighed(far)) == (True, False)
    near, far = found = in_layers(["tea"], [both])
    assert (
        len(
            best_memories(
                score_memories(found, structs.replace(asked_of("tea ink", found), vector=None), ALL_WEIGHTS, floor), 9
            )
        )
        == 2
    )
    assert (is_weighed(near), is_weighed(far)) == (True, True)
    found = in_layers(["tea"], ["ink"])
    assert score_memories(found, structs.replace(asked_of("tea ink", found), vector=None), ALL_WEIGHTS, floor) == {}


def test_memoised_results_are_not_reused_for_other_columns():
    [found] = in_layers(["tea", "tea milk"])
    query = structs.replace(asked_of("milk", [found]), vector=None)
    assert [one.handle for one in ranked([found], query, Floor(0, 1), 9)] == [1]
    hidden = structs.replace(found, shown=np.array([True, False]))
    assert (hidden.count, found.count, hidden.memo) == (1, 2, {})
    query = structs.replace(asked_of("milk", [hidden]), vector=None)
    assert ranked([hidden], query, Floor(0, 1), 9) == []


@given(st.floats() | st.floats(-2, 2) | st.integers(-3_000_000, 3_000_000).map(lambda halves: halves * 5e-7))
def test_numbers_are_rounded_as_round_does_it(number):
    assert repr(rank.round_score(number)) == repr(round(number, rank.SCORE_DIGITS))


# -- order ------------------------------------------------------------------------------------------------------------


def place(created_at: int, id: str, space: bytes = b"") -> Position:
    return Position(Moment(created_at), id, space)


def layer_of(scores: dict[int, float]) -> Layer:
    handles, values = np.array(list(scores), np.int64), np.array(list(scores.values()), np.float64)
    return Layer(handles, values, {Feature.WORDS: values}, values, np.zeros_like(handles), NONE)


def test_layers_come_before_scores():
    scored = [ScoredMemory(1, 1, 9.0), ScoredMemory(2, 0, 1.0), ScoredMemory(3, 0, 2.0)]
    stamps = {one.handle: place(0, str(one.handle)) for one in scored}
    assert [one.handle for one in break_ties(scored, stamps, 10)] == [3, 2, 1]


def test_ties_go_to_the_newer_then_to_the_smaller_id_then_space():
    scored = [ScoredMemory(handle, 0, 1.0) for handle in range(5)]
    stamps = {0: place(5, "b"), 1: place(5, "a", b"2"), 2: place(9, "z"), 3: place(1, "a"), 4: place(5, "a", b"1")}
    assert [one.handle for one in break_ties(scored, stamps, 10)] == [2, 4, 1, 0, 3]


def test_memories_without_a_position_are_left_out():
    assert break_ties([ScoredMemory(1, 0, 1.0), ScoredMemory(2, 0, 1.0)], {2: place(0, "a")}, 10) == [
        ScoredMemory(2, 0, 1.0)
    ]


def test_best_memories_keeps_ties_at_the_limit():
    totals = {1: layer_of({5: 1.0}), 0: layer_of({1: 3.0, 2: 1.0, 3: 1.0 + 1e-9, 4: 0.5})}
    assert [one.handle for one in best_memories(totals, 2)] == [1, 2, 3]
    assert [one.handle for one in best_memories(totals, 4)] == [1, 2, 3, 4]
    assert [one.handle for one in best_memories(totals, 5)] == [1, 2, 3, 4, 5]


scored_lists = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), max_size=20)


@settings(max_examples=200, deadline=None)
@given(scored_lists, st.integers(1, 6))
def test_narrowing_to_contenders_never_changes_the_answer(made, limit):
    values: dict[int, dict[int, float]] = {}
    for handle, (layer, value, _) in enumerate(made):
        values.setdefault(layer, {})[handle] = value + handle * 1e-9  # ties to the digits that are shown
    totals = {layer: layer_of(inside) for layer, inside in values.items()}
    scored = [ScoredMemory(handle, layer, float(value)) for handle, (layer, value, _) in enumerate(made)]
    stamps = {handle: place(age, str(handle)) for handle, (_, _, age) in enumerate(made)}
    narrowed = [structs.replace(one, shares={}) for one in best_memories(totals, limit)]
    assert break_ties(narrowed, stamps, limit) == [
        structs.replace(one, shares={}) for one in break_ties(scored, stamps, limit)
    ]
    assert break_ties(scored, stamps, limit) == break_ties(scored, stamps, 1000)[:limit]
