"""Which of two disagreeing memories holds: the whole matrix, in either order of arrival, on real stores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from trace_events import kinds, trace_events

from memfort import Candidate, Conversation, Policy
from memfort.model.item import Kind, Origin, Status
from memfort.policy.settings.document import preset
from memfort.policy.settings.sections import Conflict

ORIGINS = ("system", "tool", "user", "ai")
STANDING = Policy(conflict=Conflict(own_corrections_stand=True))


@dataclass(frozen=True)
class Said:
    """A statement as far as a conflict cares."""

    origin: str
    correction: bool
    hearsay: bool

    @property
    def rank(self) -> int:
        """The place among the authorities: hearsay comes right after a user's own word."""
        if self.origin == "user":
            return 3 if self.hearsay else 2
        return {"system": 0, "tool": 1, "ai": 4}[self.origin]

    @property
    def outdoes_authority(self) -> bool:
        return self.correction and self.rank <= 2


def holds(earlier: Said, later: Said) -> Said:
    """The rule of seed 004, written down once more: authority unless a correction outdoes it, correction, recency."""
    if earlier.outdoes_authority != later.outdoes_authority:
        return earlier if earlier.outdoes_authority else later
    if earlier.rank != later.rank:
        return min(earlier, later, key=lambda said: said.rank)
    if earlier.correction != later.correction:
        return earlier if earlier.correction else later
    return later


CELLS = [Said(*cell) for cell in product(ORIGINS, (False, True), (False, True))]


def say(actor: Any, said: Said, text: str, key: str = "editor", about: str = "carol", **more: Any) -> Any:
    return actor.remember(
        text, kind=Kind.PROFILE, key=key, origin=Origin(said.origin), is_correction=said.correction,
        subjects=(about,) if said.hearsay else (), **more,
    )  # fmt: skip


def in_force(actor: Any, key: str = "editor") -> list[str]:
    return all_in_force(actor).get(key, [])


def all_in_force(actor: Any) -> dict[str, list[str]]:
    """By key, everything that holds."""
    texts: dict[str, list[str]] = {}
    for item in actor.list(kinds=["profile"], limit=1000):
        texts.setdefault(item.key, []).append(item.text)
    return texts


# -- the matrix -------------------------------------------------------------------------------------------------------


def test_every_cell_against_every_cell_in_either_order(open_memory, clock):
    """Sixteen kinds of statement against sixteen, the stored one and the incoming one in turn. All have one author, so
    that all four authorities meet in one space; what an author takes back is a story of its own."""
    system = open_memory(policy=STANDING).as_system()
    expected = {}
    for stored, incoming in product(CELLS, CELLS):
        key = f"{stored} against {incoming}"
        first = say(system, stored, "stored", key)
        clock.advance(1)
        second = say(system, incoming, "incoming", key)
        keeps = holds(stored, incoming) is stored and stored != incoming
        expected[key] = ["stored" if keeps else "incoming"]
        winner, loser = (first, second) if keeps else (second, first)
        lost = next(item for item in system.history(loser.id) if item.id == loser.id)
        assert (lost.status, lost.superseded_by) == (Status.SUPERSEDED, winner.id), (stored, incoming)
    assert all_in_force(system) == expected


def test_unless_recency_decides_the_order_of_arrival_does_not_matter():
    """Of the rule itself: two different statements have one winner, whichever came first."""
    for one, other in product(CELLS, CELLS):
        by_weight = one.rank != other.rank or one.correction != other.correction
        assert (holds(one, other) is holds(other, one)) == by_weight or one == other


def test_two_authors_in_one_project_settle_by_the_same_rule(memory, clock):
    """Everything a user's side can say, about no one, about oneself and about another person."""
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    about = {"no one": False, "self": False, "other": True}
    cells = list(product(("tool", "user", "ai"), (False, True), about))
    expected = {}
    for stored, incoming in product(cells, cells):
        key, outcomes = f"{stored} against {incoming}", []
        for actor, name, (origin, correction, subject) in ((alice, "alice", stored), (bob, "bob", incoming)):
            subjects = {"no one": (), "self": (name,), "other": ("carol",)}[subject]
            candidate = Candidate(
                text=f"{name} says", kind=Kind.PROFILE, key=key, origin=Origin(origin), is_correction=correction,
                subjects=subjects, space={"project": "apollo"},
            )  # fmt: skip
            outcomes += actor.remember_many([candidate])
            clock.advance(1)
        one, other = (Said(cell[0], cell[1], about[cell[2]]) for cell in (stored, incoming))
        keeps = holds(one, other) is one and one != other
        expected[key] = ["alice says" if keeps else "bob says"]
        assert [outcome.kept for outcome in outcomes] == [True, not keeps], (stored, incoming)
    assert all_in_force(alice) == all_in_force(bob) == expected


@pytest.mark.parametrize("incoming", CELLS, ids=str)
def test_the_loser_of_a_conflict_is_linked_recorded_and_restorable(open_memory, clock, incoming):
    system = open_memory(policy=STANDING).as_system()
    stored = Said("user", correction=False, hearsay=False)
    first = say(system, stored, "vim")
    clock.advance(1)
    second = say(system, incoming, "emacs")
    winner, loser = (first, second) if in_force(system) == ["vim"] else (second, first)
    conflict, deleted = trace_events(system, "memory_conflict", "memory_deleted")
    assert (conflict["winner_id"], conflict["loser_id"]) == (winner.id, loser.id)
    assert (conflict["dedup_key"], conflict["rule"]) == ("fact:editor", rule(stored, incoming))
    assert (deleted["memory_id"], deleted["reason"], deleted["replaced_by"]) == (loser.id, "superseded", winner.id)
    clock.advance(1)
    back = system.restore(loser.id)
    assert back.kept
    assert in_force(system) == [loser.item.text]
    assert next(item for item in system.history(winner.id) if item.id == winner.id).superseded_by == back.id


def rule(one: Said, other: Said) -> str:
    winner = holds(one, other)
    loser = other if winner is one else one
    if winner.rank < loser.rank:
        return "authority"
    if winner.rank > loser.rank or winner.correction != loser.correction:
        return "correction"
    return "recency"


# -- what the seed says in so many words ------------------------------------------------------------------------------


def test_a_tools_correction_beats_the_system_and_its_plain_word_does_not(memory, clock):
    system = memory.as_system()
    say(system, Said("system", False, False), "metric", "units")
    clock.advance(1)
    assert not say(system, Said("tool", False, False), "imperial", "units").kept
    clock.advance(1)
    assert say(system, Said("tool", True, False), "imperial", "units").kept
    assert in_force(system, "units") == ["imperial"]


@pytest.mark.parametrize("origin", ["system", "tool", "user"])
def test_a_correction_by_the_ai_never_beats(open_memory, clock, origin):
    system = open_memory(policy=STANDING).as_system()
    say(system, Said(origin, False, False), "vim")
    clock.advance(1)
    guessed = say(system, Said("ai", True, False), "emacs")
    assert (guessed.reason, in_force(system)) == ("outranked", ["vim"])
    clock.advance(1)
    assert say(system, Said("ai", False, False), "nano", "shell").kept


def test_a_correction_by_type_is_a_correction(alice, clock):
    alice.remember("vim", kind="profile", key="editor", origin="tool")
    clock.advance(1)
    assert not alice.remember("emacs", kind="profile", key="editor").kept
    assert alice.remember("emacs", kind="profile", key="editor", type="correction").kept
    assert in_force(alice) == ["emacs"]


def test_a_user_may_replace_their_own_correction(open_memory, clock):
    alice = open_memory(policy=Policy(conversation=Conversation(statements="messages"))).as_user("alice")
    alice.observe("Actually, my name is Ada", space={"user": "alice"})
    clock.advance(1)
    alice.observe("My name is Bob", space={"user": "alice"})
    assert in_force(alice, "name") == ["Bob"]
    conflicts = trace_events(alice, "memory_conflict")  # of the fact, and of the statement that it was taken from
    assert [conflict["rule"] for conflict in conflicts] == ["recency", "recency"]


def test_in_the_deterministic_preset_a_correction_outranks_its_authors_later_statement(open_memory, clock):
    alice = open_memory(policy=preset("deterministic")).as_user("alice", session="s1")
    alice.observe("Actually, my name is Ada")
    clock.advance(1)
    alice.observe("My name is Bob")
    assert in_force(alice, "name") == ["Ada"]
    clock.advance(1)
    alice.observe("Actually, my name is Bob")
    assert in_force(alice, "name") == ["Bob"]


def test_a_correction_outranks_a_later_plain_statement_of_another_user(memory, clock):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    place = {"space": {"project": "apollo"}}
    say(alice, Said("user", True, False), "go", "language", **place)
    clock.advance(1)
    assert not say(bob, Said("user", False, False), "rust", "language", **place).kept
    assert say(bob, Said("user", True, False), "rust", "language", **place).kept


def test_hearsay_gives_way_to_the_subject_and_never_the_other_way(memory, clock):
    """Bob on Alice, then Alice on herself, then Bob again."""
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    place = {"space": {"project": "apollo"}, "kind": "profile", "key": "alice's city", "subjects": ["alice"]}
    assert bob.remember("Oslo", **place).kept
    clock.advance(1)
    assert alice.remember("Bergen", **place).kept
    clock.advance(1)
    assert not bob.remember("Oslo", **place).kept
    assert not bob.remember("Oslo", type="correction", **place).kept
    assert in_force(bob, "alice's city") == ["Bergen"]


def test_an_agents_restore_does_not_get_round_a_users_word(memory, clock):
    alice, helper = memory.as_user("alice"), memory.as_agent("helper", owner="alice", acting_for="alice")
    place = {"space": {"user": "alice"}, "kind": "profile", "key": "editor"}
    guess = helper.remember("emacs", **place)
    clock.advance(1)
    alice.remember("vim", **place)
    assert helper.restore(guess.id).reason == "outranked"
    assert in_force(alice) == ["vim"]
    assert alice.restore(guess.id).kept
    assert in_force(alice) == ["emacs"]


def test_the_same_words_with_more_authority_take_over_the_importance(alice, clock):
    alice.remember("the server is in Oslo", origin="ai", importance=9)
    clock.advance(1)
    heavier = alice.remember("The server is in Oslo", origin="tool", importance=2)
    assert (heavier.item.importance, heavier.item.importance_reasons) == (9.0, ("conflict_merge",))
    assert alice.recall("server").texts == ["The server is in Oslo"]


def test_a_duplicate_is_not_a_conflict(alice, clock):
    first = alice.remember("vim", kind="profile", key="editor")
    clock.advance(1)
    again = alice.remember("vim", kind="profile", key="editor")
    assert (again.reason, again.id) == ("duplicate", first.id)
    assert kinds(trace_events(alice)) == ["border_check"]


def test_no_history_goes_in_circles(alice, clock):
    ids = [alice.remember("vim", kind="profile", key="editor").id]
    for text in ("emacs", "vim", "emacs"):
        clock.advance(1)
        ids.append(alice.remember(text, kind="profile", key="editor").id)
    for id in ids[:-1]:
        clock.advance(1)
        alice.restore(id)
    assert len({item.id for item in alice.history(ids[0])}) == len(alice.history(ids[0])) > 1
    assert in_force(alice) == ["vim"]


@pytest.mark.parametrize(
    "values", [("Ada", "Bob"), ("Ada", "Dr. Bob Miller"), ("Florence", "Austin"), ("Bob", "vegan")]
)
def test_a_value_under_ones_own_key_is_about_oneself_whatever_name_it_spells(alice, values):
    first, second = (alice.remember(value, kind="profile", key="name") for value in values)
    assert first.item.subjects == ("@alice",)
    assert second.item.subjects in (("@alice",), ())
    assert alice.history(first.id)[0].superseded_by == second.id
    assert not alice.people.list(), "nobody of that name becomes a person"


def test_a_value_about_somebody_else_is_about_them_too_and_is_replaced_as_well(alice):
    note = alice.remember("Ana has cancer", kind="profile", key="note")
    assert note.item.subjects == (alice.people.list()[0].id, "@alice")
    later = alice.remember("Bea has a cold", kind="profile", key="note")
    assert alice.history(note.id)[0].superseded_by == later.id


def test_a_value_under_a_key_of_a_project_is_not_about_who_wrote_it(memory):
    carol = memory.as_user("carol", project="apollo")
    lead = carol.remember("Bob has the lead", kind="profile", key="lead", space={"project": "apollo"})
    assert lead.item is not None
    assert "@carol" not in lead.item.subjects
