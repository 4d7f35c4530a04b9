"""What holds now comes right before what held, where a query asks for it; nothing else moves, and nothing unseen does
it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from benchmarks.quality.updates import NEWS, updates
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from memfort import FixedClock, Memory, Policy
from memfort.capture.turns import Trait, find_traits
from memfort.model.moment import Moment
from memfort.model.results import Feature
from memfort.policy.settings.sections import WEIGHTS, Recalling
from memfort.recall.bind_query import QueryContext, bind_query
from memfort.recall.newer_values import BEST, MAX_TIED, STEP, LayerRows, find_newer_values
from memfort.recall.parse_query import parse_query
from memfort.recall.rank import Floor, best_memories, score_memories
from memfort.recall.values import VALUES_MASK, find_values, word_bit
from memfort.store.memory import MemoryStore
from memfort.store.port import Entry
from memfort.store.port.values.columns import Columns, columns_of

OLD, NEW = "user: My rent is 900 euros for the flat", "user: The rent for the flat went up to 950 euros"
NEWEST = "user: The rent for the flat went up to 990 euros"
QUESTION = "What is my rent for the flat?"
OFF = {**WEIGHTS, Feature.NEWER_VALUE: 0.0}


def alice_of(*texts: str, policy: Policy | None = None):
    clock = FixedClock(Moment(1_767_225_600_000_000))
    alice = Memory(MemoryStore(), clock=clock, policy=policy or Policy()).as_user("alice")
    assert all(outcome.item is not None for outcome in alice.remember_many(list(texts)))
    return alice


# -- as it is used ----------------------------------------------------------------------------------------------------


def test_a_newer_value_ranks_before_the_one_it_replaces():
    first, second = alice_of(OLD, NEW).recall(QUESTION)
    assert (first.text, second.text) == (NEW, OLD)
    assert first.features["newer_value"] > 0
    assert "newer_value" not in second.features
    without = alice_of(OLD, NEW, policy=Policy(recall=Recalling({Feature.NEWER_VALUE: 0.0})))
    assert without.recall(QUESTION).texts[0] == OLD, "the positive control: words and meaning alone put the older first"


@pytest.mark.parametrize(
    "text",
    [
        "user: The rent for the flat is 950 euros in the list",
        "user: Got a letter, and they want 950 euros as rent for the flat",
        "user: The rent for the flat was raised to 950 euros",
        "user: The rent for the flat has been put off until Friday, by the way",
    ],
)
def test_another_value_of_the_attribute_ranks_first_with_or_without_a_word_of_change(text):
    found = alice_of(OLD, text).recall(QUESTION)
    assert found.texts == [text, OLD]
    assert found.hits[0].features["newer_value"] > 0


def test_a_cancellation_ranks_first_without_another_value():
    met, off = "user: The meeting with the bank is on Friday at 9", "user: The meeting with the bank was cancelled"
    found = alice_of(met, off).recall("When is the meeting with the bank?")
    assert found.texts == [off, met]
    without = alice_of(met, off, policy=Policy(recall=Recalling({Feature.NEWER_VALUE: 0.0})))
    assert without.recall("When is the meeting with the bank?").texts[0] == met, "the positive control"


def test_an_observed_turn_updates_an_earlier_observed_turn():
    alice = alice_of("Where is the tea?")
    for turn in ("My rent is 900 euros for the flat", "The rent for the flat went up to 950 euros"):
        assert alice.observe(turn).kept
    found = alice.recall(QUESTION, kinds=["short_term"])
    assert next(text for text in found.texts if "rent" in text).endswith("950 euros")


def test_the_latest_of_several_values_ranks_first():
    assert alice_of(OLD, NEW, NEWEST).recall(QUESTION).texts == [NEWEST, NEW, OLD]
    assert alice_of(OLD, NEWEST, NEW).recall(QUESTION).texts == [NEW, NEWEST, OLD]


@pytest.mark.parametrize(
    "text",
    [
        "user: The rent went up by a lot, and I do not like to pay it",  # to what?
        "user: The rent for the flat is 900 euros in the list",  # the same value
        "user: If we stay, the rent for the flat would be 950 euros",  # supposed
        "user: If we stay, the rent for the flat would go up to 950 euros",
        "user: Is the rent for the flat 950 euros, or is the list wrong?",  # asked
        "user: Has the rent for the flat been raised to 950 euros?",
        "user: I wish the rent for the flat were 850 euros",  # wished
        "user: The rent for the flat was 850 euros in the list of old",  # so it was once
        "user: My brother's rent for the flat went up to 950 euros",  # another person's
        "user: In the flat I found 950 euros behind the heater",  # of something else
        "Bob: The rent for the flat went up to 950 euros",  # another person's
        "assistant: The rent for the flat went up to 950 euros",
    ],
)
def test_statements_that_update_nothing_rank_behind(text):
    found = alice_of(OLD, text).recall(QUESTION)
    assert found.texts[0] == OLD
    assert len(found.texts) == 2
    assert not any("newer_value" in hit.features for hit in found)


def test_what_was_said_in_no_conversation_updates_nothing_of_one():
    found = alice_of(OLD, "The rent for the flat went up to 950 euros").recall(QUESTION)
    assert len(found.texts) == 2
    assert not any("newer_value" in hit.features for hit in found)


@pytest.mark.parametrize(
    "query",
    [
        "What was my rent for the flat?", "What is my rent for the flat, originally?", "What rent did I have at first?",
        "What is the first rent of the flat?", "How has my rent for the flat changed over time?",
        "my rent for the flat",
        "What is the difference between the rents of my flat?", "What is my rent after the move?",
        "What is the very first rent of the flat?",
    ],
)  # fmt: skip
def test_questions_about_the_past_do_not_rank_newer_values_first(query):
    assert not parse_query(query).asks_current_value
    found = alice_of(OLD, NEW).recall(query)
    assert found.texts
    assert not any("newer_value" in hit.features for hit in found)


@pytest.mark.parametrize(
    "query",
    [
        QUESTION, "What's my rent?", "How much is my rent?", "When is the next call?", "current rent", "my rent now",
        "What is the rent in my first flat?", "Which room is it in?", "What version of the app is on my phone?",
        "How many days a week are they at after-school care?", "How many commits have been merged?",
        "What time should I plan for the visit?", "what monthly rent do I pay?",
    ],
)  # fmt: skip
def test_a_present_tense_query_asks_for_the_current_value(query):
    assert parse_query(query).asks_current_value


def test_a_query_word_in_neither_statement_does_not_prevent_an_update():
    found = alice_of(OLD, NEW).recall("What is my current rent for the flat, these days?")
    assert found.texts == [NEW, OLD]
    assert "newer_value" in found.hits[0].features


def test_a_later_stated_day_is_newer_whenever_it_was_written():
    dated = (
        "[9 May 2023] Carol: The rent for the flat went up to 950 euros",
        "[2 May 2023] Carol: My rent is 900 euros for the flat",
    )
    found = alice_of(*dated).recall("What is Carol's rent for the flat?")
    assert found.texts == list(dated)
    assert "newer_value" in found.hits[0].features


def test_a_statement_is_not_an_update_of_one_about_another_person():
    mine, new = "Bob pays a rent of 900 euros for the flat", "Bob now pays a new rent of 950 euros for that flat of his"
    other = "Carol now pays a new rent of 990 euros for that flat of hers"
    found = alice_of(mine, other).recall("What rent is Bob to pay for the flat?")
    assert found.texts[0] == mine
    assert "newer_value" not in found.hits[1].features
    found = alice_of(mine, other, new).recall("What rent is Bob to pay for the flat?")
    assert "newer_value" in found.hits[0].features, "the positive control"
    assert found.texts[:2] == [new, mine]


@pytest.mark.parametrize(
    ("text", "says_so"),
    [
        ("The call was moved to Friday", True), ("coverage has recently improved to 78%", True),
        ("the new deadline is May 3", True), ("I'm down to 4 hours a week", True), ("we now have seven", True),
        ("The call is on Friday", False), ("We have moved. Friday is fine", False), ("a new one", False),
        ("they changed everything about it", False), ("I have 12 cats", False), ("", False),
    ],
)  # fmt: skip
def test_a_text_says_that_a_value_is_another_one_now(text, says_so):
    assert (Trait.CHANGE in find_traits(text)) == says_so


@pytest.mark.parametrize(
    ("text", "beside", "not_beside"),
    [
        ("My rent is 900 euros", {"rent", "euro"}, {"flat"}),
        ("We eat at noon, and the flat has a garden. The call is on Friday", {"eat", "call"}, {"flat", "garden"}),
        ("If it rains, take the bus at 9", {"bus"}, {"rain"}),
        ("If it rains at 9 we take the bus", set(), {"rain", "bus"}),
        ("I would pay 900 in rent", set(), {"rent", "pay"}),
        ("Is the rent 900?", set(), {"rent"}),
        ("The rent was 900", set(), {"rent"}),
        ("The rent was raised to 900", {"rent", "rais"}, set()),
        ("The rent is high", set(), {"rent", "high"}),
        ("", set(), {"rent"}),
    ],
)
def test_find_values_attributes_a_value_to_the_words_beside_it(text, beside, not_beside):
    bits = find_values(text).bits
    assert all(bits & word_bit(stem) for stem in beside)
    mine = sum({word_bit(stem) for stem in beside})
    assert not any(bits & word_bit(stem) & ~mine for stem in not_beside)


def test_values_that_are_near_each_other_are_never_taken_for_the_same():
    for number in range(900, 918):
        one, other = (find_values(f"My rent is {value} euros").bits & VALUES_MASK for value in (number, number + 1))
        assert one
        assert other
        assert not one & other
    again = find_values("They still want 900 for the rent").bits & VALUES_MASK
    assert again == find_values("My rent is 900 euros").bits & VALUES_MASK, "the positive control"


@pytest.mark.parametrize(
    ("text", "is_others"),
    [
        ("My brother's rent is 900", True), ("Lea's rent is 900", True), ("Her rent is 900", True),
        ("My rent is 900", False), ("I pay my brother's rent of 900", False), ("It's 900", False),
        ("The landlord's letter says 900", False), ("The rent is 900", False),
    ],
)  # fmt: skip
def test_find_traits_detects_statements_about_others(text, is_others):
    assert (Trait.OTHERS in find_traits(text)) == is_others


@pytest.mark.parametrize(
    ("query", "heads"),
    [
        ("What is my monthly budget for books?", {"month", "budget"}), ("How many eggs do I need?", {"egg"}),
        ("How long does the call take?", {"call", "take"}), ("When is Anna's flight?", {"anna", "flight"}),
        ("my rent now", set()),
    ],
)  # fmt: skip
def test_the_head_of_a_value_question_follows_the_question_word(query, heads):
    assert parse_query(query).head_stems >= heads
    assert "book" not in parse_query(query).head_stems


def test_everyday_updates_rank_first_and_apparent_ones_do_not():
    """`benchmarks/quality/updates.txt`, our own words: how often what is expected comes first, of the updates and of
    those that are none. Without this sign it is 13 and 77."""
    right = Counter[bool]()
    for talk in updates():
        alice = alice_of(*talk.turns)
        for question in talk.questions:
            turns = [talk.turns[place] for part in question.updated or () for place in part]
            first = next((text for text in alice.recall(question.text, limit=50).texts if text in turns), None)
            right[question.kind == NEWS] += first == turns[question.kind == NEWS]
    assert right[True] >= 66
    assert right[False] >= 70


# -- in numbers -------------------------------------------------------------------------------------------------------

MARK = b"mark"
WORDS = ["rent", "flat", "euros", "door", "jam"]
VECTORS = [bytes([127, 0, 0]), bytes([110, 63, 0]), bytes([0, 127, 0]), bytes([90, 90, 0]), b""]


def number(word: str) -> int:
    return {"": 0}.get(word, sum(ord(letter) * 31**place for place, letter in enumerate(word)))


entries_made = st.lists(
    st.builds(
        lambda words, speaker, day, traits, vector: Entry(
            Counter(words), speaker=speaker, day=day, in_talk=bool(speaker), traits=traits,
            vector=vector and MARK + vector,
        ),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.sampled_from(["", "ann", "ann"]),
        st.sampled_from([738_000, 738_001]), st.sampled_from([0, 4, 36, 38, 32]), st.sampled_from(VECTORS),
    ),
    min_size=2, max_size=40,
)  # fmt: skip


def asked_of(found: list[Columns], text: str = "what is the rent of the flat"):
    vector = np.array([100, 70, 0], np.int8)
    return bind_query(parse_query(text), found, QueryContext(number, lambda _: vector))


def answer(found: list[Columns], weights=WEIGHTS, limit: int = 99) -> list[tuple[int, float]]:
    order = best_memories(score_memories(found, asked_of(found), weights, Floor(0, 0.1)), limit)
    return [(one.handle, one.score) for one in sorted(order, key=lambda one: (one.layer, -one.score, -one.handle))]


@settings(max_examples=300, deadline=None)
@given(entries_made)
def test_newer_values_only_raise_scores_up_to_the_best(made):
    found = [columns_of(0, list(enumerate(made)), number, MARK)]
    before, after = dict(answer(found, OFF)), dict(answer(found))
    assert before.keys() == after.keys()
    risen = {handle for handle in after if after[handle] != before[handle]}
    assert all(
        before[handle] < after[handle] <= before[handle] + WEIGHTS[Feature.NEWER_VALUE] + 1e-3 for handle in risen
    )
    assert all(after[handle] <= max(before.values()) + 1e-3 for handle in risen)
    last = min(sorted(before.values(), reverse=True)[:BEST], default=0.0)
    assert all(before[handle] >= last - 1e-5 for handle in risen)
    for handle in risen:
        assert made[handle].traits & Trait.CHANGE
        assert any(
            made[other].speaker == made[handle].speaker
            and (made[other].day, other) < (made[handle].day, handle)
            and before[handle] <= before[other] < after[handle]
            for other in before
        ), "there is an earlier one right behind it"


@settings(max_examples=200, deadline=None)
@given(entries_made, st.data())
def test_hidden_memories_change_nothing(made, data):
    hidden = data.draw(st.sets(st.integers(0, len(made) - 1)))
    numbered = list(enumerate(made))
    shown = np.array([handle not in hidden for handle, _ in numbered], np.bool_)
    partly = structs.replace(columns_of(0, numbered, number, MARK), shown=shown)
    alone = columns_of(0, [one for one in numbered if one[0] not in hidden], number, MARK)
    assert answer([partly]) == answer([alone])


@settings(max_examples=200, deadline=None)
@given(entries_made, st.integers(1, 12))
def test_a_short_answer_is_the_beginning_of_a_long_one(made, limit):
    found = [columns_of(0, list(enumerate(made)), number, MARK)]
    assert answer(found, limit=limit)[:limit] == answer(found)[:limit]


@settings(max_examples=100, deadline=None)
@given(entries_made, st.randoms())
def test_the_row_order_of_the_index_does_not_matter(made, draw):
    numbered = list(enumerate(made))
    mixed = draw.sample(numbered, len(numbered))
    assert answer([columns_of(0, numbered, number, MARK)]) == answer([columns_of(0, mixed, number, MARK)])


def pair(handles: tuple[int, int] = (0, 1)) -> list[tuple[int, Entry]]:
    words, vector = Counter(["rent", "flat"]), MARK + VECTORS[0]
    old = Entry(words + Counter(["flat"]), speaker="ann", day=738_000, in_talk=True, traits=4, vector=vector)
    return [(handles[0], old), (handles[1], structs.replace(old, terms=words + Counter(["door"]), traits=36))]


def test_statements_of_different_partition_groups_do_not_update_each_other():
    old, new = pair()
    apart = [columns_of(0, [old], number, MARK), columns_of(0, [new], number, MARK)]
    assert answer(apart) == answer(apart, OFF)
    together = [columns_of(0, [old, new], number, MARK)]
    assert [handle for handle, _ in answer(together)] == [1, 0], "the positive control"
    assert [handle for handle, _ in answer(together, OFF)] == [0, 1]
    both = [*together, columns_of(0, pair((2, 3)), number, MARK)]
    assert {handle for handle, _ in answer(both)[:2]} == {1, 3}, "each partition_group has its own news"


def test_a_newer_value_rises_by_at_most_the_weight_and_only_if_asked():
    found = [columns_of(0, pair(), number, MARK)]
    query, rows = asked_of(found), np.arange(2)
    held = [LayerRows(found[0], query.matches[0], rows)]
    assert find_newer_values(query, np.array([2.0, 1.5]), held, 0.5) == [(1, pytest.approx(0.5 + STEP))]
    assert find_newer_values(query, np.array([2.0, 1.4]), held, 0.5) == []
    assert find_newer_values(query, np.array([2.0, 1.5]), held, 0.0) == []
    assert find_newer_values(structs.replace(query, asks_current_value=False), np.array([2.0, 1.5]), held, 0.5) == []
    assert find_newer_values(query, np.array([1.5, 2.0]), held, 0.5) == [], "it is above already"


def test_more_ties_than_the_limit_are_skipped():
    many = [one for place in range(MAX_TIED) for one in pair((2 * place, 2 * place + 1))]
    found = [columns_of(0, many, number, MARK)]
    query = asked_of(found)
    held = [LayerRows(found[0], query.matches[0], np.arange(len(many)))]
    assert find_newer_values(query, np.ones(len(many)), held, 0.5) == []
    assert find_newer_values(query, np.arange(len(many), 0.0, -1.0) / 100, held, 0.5), "the positive control"


def test_without_embeddings_no_newer_value_is_detected():
    found = [columns_of(0, pair(), number, b"")]
    assert answer(found) == answer(found, OFF) != []
