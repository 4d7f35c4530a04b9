"""The second step: it brings what shares a rare word with a first hit, and goes by nothing that is out of sight."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfort.model.feature import Feature
from memfort.policy.sections import WEIGHTS
from memfort.recall import hops, rank
from memfort.recall.asked import asked
from memfort.recall.features import Query, against
from memfort.recall.rank import Floor, Scored, contenders, measured, score
from memfort.recall.words import FOREIGN
from memfort.store import columns as store_columns
from memfort.store.columns import Columns, columns_of
from memfort.store.port import Entry

FLOOR = Floor(0.0, 0.25, 0.1, 0.16)
ONE_STEP = {**WEIGHTS, Feature.HOP: 0.0}
QUESTION = "Where does the manager of Anna live?"
FIRST, BRIDGED = 1000, 1001
names = st.sampled_from(["priya", "lisbon", "kettl", "omar", "manag", "anna", "live", "door"])


def number(word: str) -> int:
    return {"": 0}.get(word, sum(ord(letter) * 31**place for place, letter in enumerate(word)))


def entry(text: str, speaker: str = "", day: int = 0) -> Entry:
    return Entry(Counter(text.split()), speaker=speaker, day=day, in_talk=bool(speaker))


def crowd(count: int = 80) -> list[tuple[int, Entry]]:
    """Memories of other things, every word of which many have."""
    draw = random.Random(2)
    words = ["door", "jam", "rain", "train", "desk"]
    return [(handle, entry("the of is " + " ".join(draw.choices(words, k=5)))) for handle in range(count)]


def told(also: str = "priya moved to lisbon in spring") -> list[tuple[int, Entry]]:
    return [*crowd(), (FIRST, entry("the manag of anna is priya")), (BRIDGED, entry(also))]


def query_of(found: list[Columns], text: str = QUESTION) -> Query:
    return against(asked(text), found, number, ["zoe"], lambda _: None)


def answers(
    found: list[Columns], text: str = QUESTION, weights=WEIGHTS, floor: Floor = FLOOR
) -> dict[int, Scored]:  # fmt: skip
    order = contenders(score(found, query_of(found, text), weights, floor), 999)
    return {one.handle: one for one in sorted(order, key=lambda one: (one.layer, -one.score))}


def share(one: Scored) -> float:
    return one.shares.get(Feature.HOP, 0.0)


def test_it_brings_what_the_first_step_misses_and_says_from_where():
    found = [columns_of(0, told(), number)]
    assert BRIDGED not in answers(found, weights=ONE_STEP)
    assert FIRST in answers(found, weights=ONE_STEP)
    both = answers(found)
    assert list(both) == [FIRST, BRIDGED]
    assert both[BRIDGED].source == FIRST
    assert share(both[BRIDGED]) > 0
    assert (share(both[FIRST]), both[FIRST].source) == (0.0, -1)


def test_what_is_reached_stays_below_what_it_was_reached_from():
    found = [columns_of(0, told("priya priya"), number)]
    heavy = {**WEIGHTS, Feature.HOP: 1e6}
    both = answers(found, weights=heavy)
    assert both[BRIDGED].score == pytest.approx(hops.BELOW * both[FIRST].score, abs=1e-6)
    assert list(both) == [FIRST, BRIDGED]


@pytest.mark.parametrize("layers", [(0, 0), (0, 1), (0, 2), (1, 0)])
def test_it_leads_within_a_layer_and_into_farther_ones_but_not_back(layers):
    first, bridged = told()[-2:]
    found = [columns_of(layers[0], [*crowd(40), first], number), columns_of(layers[1], [*crowd(40), bridged], number)]
    both = answers(found)
    assert FIRST in both
    assert (BRIDGED in both) == (layers[0] <= layers[1])


@pytest.mark.parametrize("count", [9, 30])
def test_the_best_of_the_first_step_keep_their_places(count):
    """Also where what is reached shares everything that counts with the very best."""
    others = [(2000 + no, entry("the manag of anna " + "desk " * (no + 4))) for no in range(count)]
    found = [columns_of(0, [*told("priya priya"), *others], number)]
    heavy = {**WEIGHTS, Feature.HOP: 1e6}
    one, two = list(answers(found, weights=ONE_STEP)), list(answers(found, weights=heavy))
    assert two[: hops.KEPT] == one[: hops.KEPT]
    assert BRIDGED not in one
    assert BRIDGED in two


@pytest.mark.parametrize(("speaker", "comes_second"), [("", False), ("zoe", True)])
def test_what_is_said_in_conversation_comes_right_behind_what_led_to_it(speaker, comes_second):
    others = [(2000 + no, entry("the manag of anna " + "desk " * (no + 4))) for no in range(9)]
    said = {
        "speaker": speaker,
        "in_talk": bool(speaker),
    }  # each on a day of its own, so that none stands beside another
    made = [(handle, one.but(day=1 + handle, **said)) for handle, one in told("priya priya")]
    found = [columns_of(0, [*made, *others], number)]
    heavy = {**WEIGHTS, Feature.HOP: 1e6}
    assert BRIDGED not in answers(found, weights=ONE_STEP)
    assert (list(answers(found, weights=heavy))[:2] == [FIRST, BRIDGED]) is comes_second
    assert [one.handle for one in contenders(score(found, query_of(found), heavy, FLOOR), 2)] == list(
        answers(found, weights=heavy)
    )[:2]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_who_asks_for_few_gets_the_first_of_what_who_asks_for_many_gets(data):
    """Where the first step fills an answer the second is not taken, and nobody can tell: not in any layer either."""
    lines = st.lists(st.lists(names, min_size=1, max_size=6).map(" ".join), max_size=24)
    handles = iter(range(FIRST, FIRST + 999))
    voices = st.sampled_from(["", "zoe", "omar"])
    racks = [[(next(handles), entry(text, data.draw(voices))) for text in data.draw(lines)] for _ in range(3)]
    found = [columns_of(layer, [*crowd(60 if not layer else 0), *made], number) for layer, made in enumerate(racks)]
    query, weights = query_of(found), {**WEIGHTS, Feature.HOP: data.draw(st.sampled_from([0.5, 2.0, 1e6]))}

    def first(limit: int, reach: int) -> list[tuple[int, float, int]]:
        order = contenders(score(found, query, weights, FLOOR), reach)
        order.sort(key=lambda one: (one.layer, -one.score, one.handle))
        return [(one.handle, one.score, one.source) for one in order[:limit]]

    for limit in range(1, hops.KEPT + 3):
        assert first(limit, limit) == first(limit, 999)


def test_the_second_step_is_taken_where_the_first_leaves_places(monkeypatch):
    taken: list[float] = []
    step = hops.reached
    monkeypatch.setattr(rank, "reached", lambda *those: taken.append(0) or step(*those))
    found = [columns_of(0, told(), number)]
    totals = score(found, query_of(found), WEIGHTS, FLOOR)
    assert [one.handle for one in contenders(totals, 1)] == [FIRST]
    assert not taken
    assert [one.handle for one in contenders(totals, 2)] == [FIRST, BRIDGED]
    assert len(taken) == 1


def test_nothing_that_answers_is_no_place_to_go_out_from():
    found = [columns_of(0, told(), number)]
    assert answers(found, "Where does Priya live?")  # the positive control: there it is found by its own word
    assert answers(found, "Which cheese is best?") == {}


@pytest.mark.parametrize("also", ["door moved to lisbon", "the of is", "anna anna anna"])
def test_common_words_and_those_of_the_query_lead_nowhere(also):
    found = [columns_of(0, told(also), number)]
    assert answers(found).get(BRIDGED, Scored(0, 0, 0.0)).source == -1


def test_among_few_there_is_no_second_step():
    made = told()[-hops.CROWD + 1 :]
    assert list(answers([columns_of(0, made, number)])) == [FIRST]
    assert list(answers([columns_of(0, told()[-hops.CROWD :], number)])) == [FIRST, BRIDGED]


@pytest.mark.parametrize("text", ["Где живёт менеджер anna?", "anna 的经理 manager"])
def test_a_query_in_another_script_has_no_second_step(text):
    found = [columns_of(0, told(), number)]
    assert query_of(found, text).foreign is None
    assert BRIDGED not in answers(found, text)


def test_the_little_words_of_another_language_lead_nowhere():
    german = [(FIRST, entry(f"{FOREIGN} der chef von anna manag")), (BRIDGED, entry(f"{FOREIGN} der hund von nebenan"))]
    found = [columns_of(0, [*crowd(), *german], number)]
    assert list(answers(found)) == [FIRST]


def test_it_goes_out_from_a_few_hits_and_from_no_long_one():
    chain = [(FIRST + no, entry(f"manag anna rare{no}" + " door" * no)) for no in range(hops.FIRST + 4)]
    ends = [(2000 + no, entry(f"rare{no} lisbon")) for no in range(hops.FIRST + 4)]
    long = [(3000, entry("manag anna anna manag endless " + "rain " * hops.LONGEST)), (3001, entry("endless lisbon"))]
    reached = answers([columns_of(0, [*crowd(), *chain, *ends, *long], number)])
    led = {one.handle for one in reached.values() if one.source >= 0}
    assert led == {2000 + no for no in range(hops.FIRST)}


def test_who_ties_for_the_last_place_is_not_gone_out_from():
    """Whichever were taken, its handle or its row would decide, and so what was written when in another space."""
    better = [(FIRST + no, entry("manag anna" + " of" * no + f" rare{no}")) for no in range(hops.FIRST - 1)]
    tied = [(2000 + no, entry("manag anna " + "of " * 30 + f"rare{no + 50}")) for no in range(3)]
    ends = [(3000 + no, entry(f"rare{no} lisbon")) for no in (0, 50, 51, 52)]
    reached = answers([columns_of(0, [*crowd(), *better, *tied, *ends], number)])
    assert 3000 in reached
    assert not {3050, 3051, 3052} & set(reached)


def test_what_somebody_else_said_counts_less():
    made = [*crowd(), (FIRST, entry("manag anna priya", "ann", 1)), (BRIDGED, entry("priya lisbon live", "ann", 2))]
    light = {**WEIGHTS, Feature.HOP: 0.5}
    same = answers([columns_of(0, made, number)], weights=light)[BRIDGED]
    made[-1] = (BRIDGED, entry("priya lisbon live", "bo", 2))
    other = answers([columns_of(0, made, number)], weights=light)[BRIDGED]
    assert share(other) == pytest.approx(hops.BY_ANOTHER * share(same))


# -- sight -----------------------------------------------------------------------------------------------------------

texts = st.lists(st.lists(names, min_size=1, max_size=6).map(" ".join), min_size=4, max_size=24)
people = st.sampled_from(["", "ann", "bo"])


@settings(max_examples=150, deadline=None)
@given(texts, st.data())
def test_what_is_out_of_sight_moves_nothing(made, data):
    numbered = [*crowd(), *((FIRST + no, entry(text, data.draw(people), 1 + no // 4)) for no, text in enumerate(made))]
    hidden = data.draw(st.sets(st.sampled_from([handle for handle, _ in numbered]), max_size=25))
    whole = columns_of(0, numbered, number)
    partly = replace(whole, shown=~np.isin(whole.handles, list(hidden)))
    alone = columns_of(0, [one for one in numbered if one[0] not in hidden], number)
    assert answers([partly], floor=Floor(-1, 2)) == answers([alone], floor=Floor(-1, 2))


def test_a_hidden_hit_leads_nowhere_and_a_hidden_word_is_not_counted():
    whole = columns_of(0, told(), number)
    assert BRIDGED in answers([whole])
    assert answers([replace(whole, shown=whole.handles != FIRST)]) == {}
    many = [*told(), *((3000 + no, entry("priya")) for no in range(hops.MANY))]
    found = columns_of(0, many, number)
    assert answers([found])[FIRST].score > 0
    assert all(one.source == -1 for one in answers([found]).values())  # too many have the word
    shown = replace(found, shown=found.handles < 3000)
    assert answers([shown]) == answers([whole])


@settings(max_examples=60, deadline=None)
@given(texts, st.randoms(), st.data())
def test_in_which_order_spaces_were_written_is_no_matter(made, draw, data):
    """Handles of two spaces interleave as it happened to be; scores and sources stay."""
    spaces = [data.draw(st.integers(0, 1)) for _ in made]
    placed = list(zip(spaces, made, strict=True))

    def told_in(order: list[int]) -> list[tuple[int, str, float, str]]:
        handles = {no: FIRST + place for place, no in enumerate(order)}
        texts = {handle: placed[no][1] for no, handle in handles.items()}
        spread = [sorted((handles[no], entry(placed[no][1])) for no in order if placed[no][0] == one) for one in (0, 1)]
        racks = [columns_of(0, one, number) for one in (*spread, crowd()) if one]
        found = answers(racks, floor=Floor(-1, 2)).values()
        return sorted((one.layer, texts.get(one.handle, ""), one.score, texts.get(one.source) or "") for one in found)

    within = [[no for no, space in enumerate(spaces) if space == one] for one in (0, 1)]
    mixed = [0] * len(within[0]) + [1] * len(within[1])
    draw.shuffle(mixed)
    queues = [iter(one) for one in within]
    assert told_in([*within[0], *within[1]]) == told_in([next(queues[space]) for space in mixed])


def test_words_are_found_sorted_or_not_and_in_any_rack(monkeypatch):
    """The same answers from an index that is sorted, partly or not at all, and from several racks."""
    expected = answers([columns_of(0, told(), number)])
    monkeypatch.setattr(store_columns, "_SORT_FROM", 1)
    assert answers([columns_of(0, told(), number)]) == expected
    partly = columns_of(0, told(), number)
    half = len(partly.postings.terms) // 2
    flat = (partly.postings.terms, partly.postings.rows, partly.postings.counts)
    known = store_columns.sorted_postings(*(one[:half] for one in flat))
    postings = replace(partly.postings, order=known.order, ordered=known.ordered)
    assert answers([replace(partly, postings=postings)]) == expected
    apart = [columns_of(0, [one for one in told() if one[0] % 2 == part], number) for part in (0, 1)]
    assert answers(apart) == expected


def test_one_memory_is_measured_with_the_step_that_the_recall_takes():
    found = [columns_of(0, told(), number)]
    one = measured(found, query_of(found), WEIGHTS, BRIDGED, FLOOR)
    assert (one.score, one.shares) == (answers(found)[BRIDGED].score, answers(found)[BRIDGED].shares)
