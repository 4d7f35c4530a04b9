"""The comparison can fail: what the observer may notice is noticed when it is taken away, and sown leaks are caught."""

from __future__ import annotations

from typing import Any

import pytest
from tests.purge.histories import generate
from tests.purge.model import Model, Verdict
from tests.purge.replay import compare, differences, play, shrink
from tests.purge.sown import leak_through
from tests.purge.steps import SYSTEM, Actor, At, History, Ref, Standpoint, Step
from tests.purge.stores import open_dict, open_sqlite

ALICE, BOB = Actor("user", "alice"), Actor("user", "bob")
APOLLO = (("project", "apollo"),)
PAIR = (("chat", "pair"),)
RECEIPTS = {"erase", "erase_by", "forget_person", "subject_erase"}
LOOK = {
    "reads": [
        {"verb": "recall", "query": "who likes plums"},
        {"verb": "list"},
        {"verb": "about", "person": "@bob"},
        {"verb": "people.list"},
        {"verb": "review.list"},
        {"verb": "share_changes"},
    ]
}


def _history(*steps: tuple[str, Standpoint | None, dict[str, Any]], observer: Standpoint) -> History:
    numbered = tuple(Step(number, kind, who, given) for number, (kind, who, given) in enumerate(steps))
    return History(0, "trusted", observer, numbered)


def _is_noticed(history: History, purged: set[int]) -> bool:
    full = play(history, open_dict)
    return bool(differences(full, play(history.without(frozenset(purged)), open_dict, full.made)))


PLUMS = {"text": "The plums from Oslo are in the cellar", "sensitivity": "public", "space": {"project": "apollo"}}


HERE, ALONE = Standpoint(ALICE, APOLLO), Standpoint(ALICE)
SAID = ("remember", HERE, PLUMS)
SHARED = {"space": {"user": "alice"}, "user": "carol", "may_pass_on": True}
TULIPS = {"text": "The tulips from Lima are in the cellar", "sensitivity": "public"}


@pytest.mark.parametrize(
    ("steps", "purged"),
    [
        pytest.param([SAID, ("forget_by", HERE, {"query": "plums"})], 1, id="forget by words"),
        pytest.param([SAID, ("forget_by", HERE, {"since": At(0)})], 1, id="forget by time"),
        pytest.param([SAID, ("erase_by", HERE, {"author": "me"})], 1, id="erase by author"),
        pytest.param([SAID, ("erase_by", HERE, {"scope": {"project": "apollo"}})], 1, id="erase by scope"),
        pytest.param([SAID, ("reject_in_force", HERE, {"memory": Ref(0)})], 1, id="reject"),
        pytest.param([SAID, ("undo", HERE, {"author": "me"})], 1, id="undo"),
        pytest.param([SAID, ("undo", HERE, {"author": "me"}), ("redo", HERE, {"undo": Ref(1)})], 2, id="redo"),
        pytest.param([SAID, ("subject_erase", HERE, {"person": "me"})], 1, id="subject_erase"),
        pytest.param([SAID, ("subject_erase", Standpoint(SYSTEM), {"person": "@alice"})], 1, id="system"),
        pytest.param(
            [("import_plain", HERE, {"records": [{"text": PLUMS["text"], "space": PLUMS["space"]}]})], 0, id="import"
        ),
        pytest.param(
            [
                ("add_member", None, {"group": {"project": "apollo"}, "user": "bob", "trust": "viewer"}),
                ("remember", ALONE, TULIPS),
                ("share", ALONE, {"space": {"user": "alice"}, "group": {"project": "apollo"}}),
            ],
            2,
            id="share with a group",
        ),
        pytest.param(
            [
                ("remember", ALONE, TULIPS),
                ("share", ALONE, SHARED),
                (
                    "pass_on",
                    Standpoint(Actor("user", "carol")),
                    {"space": SHARED["space"], "user": "bob", "share": Ref(1)},
                ),
            ],
            2,
            id="pass on",
        ),
        pytest.param(
            [
                ("share", ALONE, {"space": {"user": "alice"}, "user": "bob"}),
                ("remember", ALONE, TULIPS),
                ("forget", ALONE, {"memory": Ref(1)}),
            ],
            2,
            id="withdraw",
        ),
        pytest.param(
            [
                ("open_chat", None, {"id": "pair", "kind": "private", "participants": ["alice", "bob"], "agents": []}),
                ("remember", Standpoint(BOB, PAIR), {**TULIPS, "space": {"chat": "pair"}}),
                ("propose", Standpoint(ALICE, PAIR), {"memory": Ref(1), "to": {"user": "alice"}}),
            ],
            2,
            id="propose",
        ),
        pytest.param([("remember", Standpoint(ALICE, APOLLO), PLUMS)], 0, id="remember"),
        pytest.param(
            [
                ("remember", Standpoint(ALICE, APOLLO), PLUMS),
                ("forget", Standpoint(ALICE, APOLLO), {"memory": Ref(0)}),
            ],
            1,
            id="forget",
        ),
        pytest.param(
            [
                ("remember", Standpoint(ALICE), {"text": "I like plums from Oslo", "sensitivity": "public"}),
                ("share", Standpoint(ALICE), {"space": {"user": "alice"}, "user": "bob"}),
            ],
            1,
            id="share",
        ),
        pytest.param(
            [
                ("remember", Standpoint(ALICE, APOLLO), PLUMS),
                ("used", Standpoint(ALICE, APOLLO), {"memory": Ref(0)}),
            ],
            1,
            id="used",
        ),
        pytest.param([("add_person", Standpoint(ALICE, APOLLO), {"name": "Tom", "listed": True})], 0, id="add_person"),
    ],
)
def test_taking_away_what_the_observer_may_see_is_noticed(steps: list[Any], purged: int) -> None:
    bob = Standpoint(BOB, APOLLO)
    history = _history(*steps, ("look", bob, LOOK), observer=bob)
    assert Model(history).verdicts()[purged] in {Verdict.VISIBLE, Verdict.UNSURE}
    assert _is_noticed(history, {purged})


def test_taking_away_what_the_observer_may_not_see_is_not_noticed() -> None:
    bob = Standpoint(BOB, APOLLO)
    secret = {"text": "I like plums from Oslo", "sensitivity": "sensitive"}
    history = _history(("remember", Standpoint(ALICE), secret), ("look", bob, LOOK), observer=bob)
    assert Model(history).verdicts()[0] == Verdict.HIDDEN
    assert not _is_noticed(history, {0})


def test_taking_away_visible_steps_is_noticed_in_most_histories() -> None:
    """Of 60 histories with steps of others that the observer may see, these are purged wrongly."""
    noticed = played = seed = 0
    while played < 60:
        history = generate(seed)
        seed += 1
        visible = {number for number, one in Model(history).verdicts().items() if one == Verdict.VISIBLE}
        if visible:
            played += 1
            noticed += _is_noticed(history, visible)
    assert noticed >= 40


def test_a_history_follows_from_its_number_and_plays_the_same_twice() -> None:
    for seed in range(20):
        assert generate(seed) == generate(seed)
        assert play(generate(seed), open_dict).answers == play(generate(seed), open_dict).answers


def test_both_stores_answer_the_same() -> None:
    """But for receipts: only a store with files says what is left in files."""
    for seed in range(10):
        history = generate(seed)
        receipts = frozenset(step.number for step in history.steps if step.kind in RECEIPTS)
        on_dict, on_sqlite = (play(history, store).answers for store in (open_dict, open_sqlite))
        assert on_dict.keys() == on_sqlite.keys()
        assert {n: on_dict[n] for n in on_dict if n not in receipts} == {
            n: on_sqlite[n] for n in on_sqlite if n not in receipts
        }


def test_a_failing_history_is_cut_down_to_the_steps_that_matter() -> None:
    history = generate(3)
    wanted = history.steps[-3].number
    smallest = shrink(history, lambda one: any(step.number == wanted for step in one.steps))
    kept = [step.number for step in smallest.steps if step.kind != "register_agent"]
    assert kept == [wanted]


def test_the_comparison_reports_where_the_answers_part(monkeypatch: pytest.MonkeyPatch) -> None:
    leak_through("bound.list")(monkeypatch)
    bob = Standpoint(BOB, APOLLO)
    secret = {"text": "I like plums from Oslo", "sensitivity": "sensitive"}
    history = _history(("remember", Standpoint(ALICE), secret), ("look", bob, LOOK), observer=bob)
    [difference] = compare(history, open_dict).differences
    assert difference.call == "1 list"
    assert "plums" in difference.full
    assert "plums" not in difference.purged
