"""A batch is looked at together and decided one by one: nothing about a memory tells how it came in."""

from __future__ import annotations

import inspect
import random
from collections import Counter
from functools import partial

import pytest

from memfort import Policy
from memfort.engine.engine import ALL_STATES
from memfort.engine.indexing.statement_text import read_texts
from memfort.errors import EmbedderFailed, InvalidInput, NotFound
from memfort.model.reason import Reason
from memfort.policy.settings.sections import Privacy
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Store

GIVEN = [
    "I live in Berlin",
    "I live in Paris",
    "I drink coffee every day with milk and sugar",
    "I drink coffee every day with milk and sugar",
    "[1:56 pm on 8 May, 2023] Caroline: my sister went to Zürich",
    "my password is hunter2secret!",
    "write to ann@example.com about it",
    "I have diabetes",
    "@bob is presenting next",
    "Ich wohne in Köln und trinke gerne Kaffee",
    "remind me to buy milk tomorrow",
    {"text": "likes green", "kind": "profile", "key": "colour"},
    {"text": "a turn of talk", "kind": "short_term"},
    {"text": "likes tea", "tags": ["drinks"], "type": "preference", "portable": False},
    {"text": "the badge is badge-123456"},
    {"text": "likes ink", "kind": "nothing"},
    "",
    "Sarah lives in Rome",  # she is not known yet
    {"text": "she paints", "subjects": ["Sarah"]},
    "Sarah lives in Oslo",  # now she is meant
    {"text": "it is so", "origin": "system"},
    {"text": "likes salt", "type": "nothing"},
    {"text": "likes rice", "space": {"nowhere": "at all"}},
    {"text": "likes soup", "space": {"user": "bob"}},
    {"text": "likes bread", "expires_at": 10},
    {"text": "likes cake", "derived_from": ["mem_unknown"]},
]


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy(privacy=Privacy(deny_patterns={"badge": "badge-[0-9]{6}"})),
        Policy.from_dict({"privacy": {"personal_private": "redact"}}),
        Policy.from_dict({"infer_types": False, "conflict": {"evolve": False}}),
    ],
)
def test_a_batch_is_kept_as_if_it_came_one_by_one(open_memory, policy):
    together, apart = open_memory(policy=policy).as_user("ann"), open_memory(policy=policy).as_user("ann")
    outcomes = together.remember_many(GIVEN)
    for given, outcome in zip(GIVEN, outcomes, strict=True):
        try:
            expected = apart.remember(**given) if isinstance(given, dict) else apart.remember(given)
        except (InvalidInput, NotFound):
            assert outcome.reason is Reason.INVALID
            continue
        assert (outcome.decision, outcome.item) == (expected.decision, expected.item)
    for query in ("where do I live", "coffee", "Caroline in Zürich", "Kaffee", "likes tea"):
        found, wanted = together.recall(query).hits, apart.recall(query).hits
        assert [(hit.id, hit.score, hit.features) for hit in found] == [
            (hit.id, hit.score, hit.features) for hit in wanted
        ]
        assert found


def test_a_person_created_in_a_batch_is_known_to_the_rest_of_it(open_memory):
    statements = [{"text": "she paints", "subjects": ["Sarah"]}, "Sarah lives in Oslo"]
    first, second = open_memory().as_user("ann").remember_many(statements)
    assert first.item.subjects == second.item.subjects != ()


def test_a_policy_used_in_the_middle_of_a_batch_takes_effect_at_once(open_memory):
    memory = open_memory()
    nothing = Policy.from_dict({"write_policy": "none"})
    outcomes = memory.as_user("ann").remember_many(
        ["likes tea", "likes ink"], progress=lambda *_: memory.policy.use(nothing)
    )
    assert [outcome.reason for outcome in outcomes] == [Reason.CONFIDENT, Reason.WRITE_POLICY_NONE]


def test_a_batch_longer_than_one_look_is_kept_in_order(open_memory):
    texts = [f"note number {number} is about topic {number * 7}" for number in range(230)]
    outcomes = open_memory().as_user("ann").remember_many(texts)
    assert [outcome.item.text for outcome in outcomes] == texts


def test_a_policys_own_pattern_is_checked_on_otherwise_clean_texts(open_memory):
    text = "the badge is badge-123456"
    [seen] = read_texts([text], lambda texts: [None] * len(texts))
    assert seen.is_clean
    denying = Policy(privacy=Privacy(deny_patterns={"badge": "badge-[0-9]{6}"}))
    [refused] = open_memory(policy=denying).as_user("ann").remember_many([text])
    [kept] = open_memory().as_user("ann").remember_many([text])
    assert (refused.reason, refused.kept, kept.kept) == (Reason.PRIVACY_DENY_PATTERN, False, True)


def test_analysis_detects_secrets_and_personal_data():
    texts = ["my password is hunter2secret!", "write to ann@example.com", "likes tea"]
    assert [one.is_clean for one in read_texts(texts, lambda texts: [None] * len(texts))] == [False, False, True]


class _Sulking:
    """A quick embedder that answers about one text at a time."""

    name, is_quick = "sulking-1", True

    def embed(self, texts):
        if len(texts) > 1:
            raise EmbedderFailed(self.name, "too many", "ask for less")
        return [[float(len(texts[0])), 1.0]]


def test_an_embedder_that_fails_for_many_is_asked_for_each(open_memory):
    memory = open_memory(embedder=_Sulking())
    me = memory.as_user("ann")
    assert [outcome.kept for outcome in me.remember_many(["likes tea", "likes milk and more"])] == [True, True]
    assert memory.store.reembed(batch=1).total == 0  # none is left without its vector


CROWDED = {
    "plain": {},
    "short lives": {"retention": {"semantic": {"context": {"mode": "ttl", "ticks": 3}}}},
    "small budget": {"budget": {"semantic": 4}},
    "small budget everywhere": {"budget": {"owner": 5, "semantic": 9}},
    "full": {"budget": {"space": 6, "when_full": "refuse"}},
}


@pytest.mark.parametrize("policy", CROWDED.values(), ids=CROWDED)
@pytest.mark.parametrize("seed", range(6))
def test_statements_that_meet_each_other_in_a_batch_are_decided_as_if_they_came_one_by_one(open_memory, policy, seed):
    """Few words and places, so that statements of one batch repeat, update, end and crowd out each other."""
    chance = random.Random(seed)
    places = [None, {"user": "ann", "project": "x"}]
    given = [
        {
            "text": f"{chance.choice(['my', 'the'])} {chance.choice(['car', 'cat'])} is {chance.choice(COLOURS)}",
            "space": chance.choice(places),
            "access": chance.choice([None, {"users": ["ann"]}]),
            "sensitivity": chance.choice(["public", "personal"]),
            **({"ttl_ticks": chance.choice([1, 2, 5])} if chance.random() < 0.3 else {}),
        }
        for _ in range(60)
    ]
    memories = [open_memory(policy=Policy.from_dict(policy)) for _ in range(2)]
    together, apart = (memory.as_user("ann", project="x") for memory in memories)
    outcomes = together.remember_many(given)
    for one, outcome in zip(given, outcomes, strict=True):
        expected = apart.remember(**one)
        assert (outcome.decision, outcome.item) == (expected.decision, expected.item)
    first, second = (
        list(memory._engine.all_items(maintenance_sight(memory._engine.store.spaces()), ALL_STATES))
        for memory in memories
    )
    assert first == second
    assert len({item.status for item in first}) > 1 or any(item.deleted_at_us for item in first)
    reasons = {outcome.reason for outcome in outcomes}
    assert Reason.DUPLICATE in reasons


COLOURS = ["red", "green", "blue", "grey"]


def test_writes_made_by_the_progress_callback_are_known_to_the_rest_of_the_batch(open_memory):
    ann = open_memory().as_user("ann")
    others = iter(["likes ink", "likes tea", "likes jam"])
    outcomes = ann.remember_many(
        ["likes salt", "likes tea", "likes jam"], progress=lambda *_: ann.remember(next(others))
    )
    assert [outcome.reason for outcome in outcomes] == [Reason.CONFIDENT, Reason.CONFIDENT, Reason.CONFIDENT]
    again = iter(["likes soup", "likes rice"])
    outcomes = ann.remember_many(["likes bread", "likes soup"], progress=lambda *_: ann.remember(next(again)))
    assert [outcome.reason for outcome in outcomes] == [Reason.CONFIDENT, Reason.DUPLICATE]


def test_the_store_is_asked_once_about_one_statement_and_once_about_a_hundred(open_memory, monkeypatch):
    memory = open_memory()
    ann, asked = memory.as_user("ann"), Counter()
    ann.remember("likes tea")
    for name, _ in inspect.getmembers(Store, inspect.isfunction):
        if not name.startswith("_"):
            counted = partial(_counted, asked, name, getattr(memory._engine.store, name))
            monkeypatch.setattr(memory._engine.store, name, counted)
    ann.remember("walks to work")
    assert asked.total() <= 4
    asked.clear()
    ann.remember_many([f"the parcel {n} lies in drawer {n * 7}" for n in range(100)])
    assert asked.pop("apply") == 100  # each into the buffer of the one write
    assert asked["writing"] == 1
    assert asked.total() <= 20


def _counted(asked, name, method, *given, **named):
    inside = asked["inside"]
    asked["inside"] += 1
    try:
        return method(*given, **named)
    finally:
        asked["inside"] -= 1
        if not inside:
            asked[name] += 1
