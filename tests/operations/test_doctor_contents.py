"""The doctor looks over what is kept, and with consent puts it right: in each space by itself, and never by a guess."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from memfort import InvalidInput, Memory
from memfort.model.item import EVERYONE, Sensitivity, Status
from memfort.model.people.person import Person, person_id
from memfort.operations.upkeep.checks.diagnose import CHECKS, LISTED, NOTES
from memfort.store.port import DropPerson, PutPerson
from memfort.testing.messages import messages_of
from whole import whole

ROWS = b'[{"user_id": "alice", "kind": "note", "content": "reads about volcanoes"}]'


@pytest.fixture
def system(memory):
    return memory.as_system()


@pytest.fixture
def change(memory):
    """Change a memory past every gate, as an older store or a fault might have left it; the trail tells of it."""

    def change(item, **fields):
        engine = memory._engine
        after = replace(item, **fields, version=item.version + 1)
        engine.apply(
            [engine.update(after)],
            [engine.recorder(item.author, engine.clock.now()).change_event("import", after, "imported")],
        )
        return after

    return change


def found(actor, check):
    return [one.id for one in actor.doctor(checks=["contents"])[check].findings]


def counts(diagnosis):
    return {one.check: one.count for one in diagnosis.checks if one.count}


def mended(actor, *checks):
    """What a repair did; and a second one finds nothing left to do."""
    done = dict(actor.doctor(checks=["contents"], fix=checks).fixed)
    assert set(actor.doctor(checks=["contents"], fix=checks).fixed.values()) <= {0}
    return done


def twins(memory, change, actor, text="likes green tea", **given):
    """Two memories on one partition that say the same: the second was something else when it was written."""
    first = actor.remember(text, **given).item
    second = change(actor.remember("something else entirely", **given).item, text=text, subjects=first.subjects,
                    sensitivity=first.sensitivity, type=first.type)  # fmt: skip
    return first, second


# -- as a whole -------------------------------------------------------------------------------------------------------


def test_a_sound_store_has_nothing_wrong_with_it(memory, alice, bob, system):
    alice.remember("I like green tea")
    bob.correct(bob.remember("I like jam").id, "I like plum jam")
    alice.observe(messages_of("My name is Alice.", "Hello Alice!"))
    diagnosis = system.doctor(checks=["contents"])
    assert (counts(diagnosis), diagnosis.ok) == ({}, True)
    assert [one.check for one in diagnosis.checks] == list(CHECKS)


def test_a_look_changes_nothing(memory, alice, system, change):
    twins(memory, change, alice)
    before = list(memory._engine.store.chains())
    assert counts(system.doctor(checks=["contents"]))
    assert list(memory._engine.store.chains()) == before


def test_doctor_reveals_no_memory_text(memory, alice, system, change):
    twins(memory, change, alice, "the merger is planned for May")
    change(alice.remember("a rumour of oncology").item, learned_in=None)
    said = whole(system.doctor())
    assert "merger" not in said
    assert "oncology" not in said
    assert "alice" not in said
    assert "'user'" in said  # the level


def test_doctor_shows_a_user_their_own_spaces_only(memory, alice, bob, change):
    first, _ = twins(memory, change, alice)
    before = whole(bob.doctor())
    change(bob.remember("a rumour").item, learned_in=None)
    assert first.id not in whole(bob.doctor())
    assert before != whole(bob.doctor())
    assert counts(alice.doctor()) == {"duplicates": 1}


def test_a_user_fixes_only_their_own_contents(memory, alice, bob, change):
    twins(memory, change, alice)
    twins(memory, change, bob)
    assert mended(bob, "duplicates") == {"duplicates": 1}
    assert counts(alice.doctor()) == {"duplicates": 1}


def test_an_unknown_check_is_refused_by_name(system):
    with pytest.raises(InvalidInput, match="did you mean `duplicates`"):
        system.doctor(fix=["duplicate"])


def test_more_findings_are_counted_than_listed(memory, alice, system, change):
    for number in range(LISTED + 5):
        change(alice.remember(f"rumour {number}").item, learned_in=None)
    found = system.doctor(checks=["contents"])["provenance"]
    assert (found.count, len(found.findings)) == (LISTED + 5, LISTED)
    assert mended(system, "provenance") == {"provenance": LISTED + 5}


def test_every_repair_is_in_the_trail_with_its_check(memory, alice, system, change, events):
    twins(memory, change, alice)
    change(alice.remember("a rumour").item, learned_in=None)
    mended(system, "provenance", "duplicates")
    reported = [
        (one["reason"], one["detail"]["check"], one["actor"]["kind"]) for one in events() if one["action"] == "repair"
    ]
    assert sorted(reported) == [("forgotten", "provenance", "system"), ("superseded", "duplicates", "system")]
    assert memory.trail.verify().ok
    assert memory.as_system().doctor(checks=["integrity"]).problems == []


# -- where it was learned ---------------------------------------------------------------------------------------------


def test_a_memory_without_provenance_is_found_and_forgotten_on_request(memory, alice, system, change):
    lost = change(alice.remember("an old rumour").item, learned_in=None)
    alice.remember("a rumour with a source")
    assert found(system, "provenance") == [lost.id]
    assert system.doctor(checks=["contents"]).ok  # for a person to judge
    assert mended(system, "provenance") == {"provenance": 1}
    assert alice.recall("rumour").texts == ["a rumour with a source"]


def test_derived_memories_are_retired_with_their_source(memory, alice, system, change):
    lost = change(alice.remember("an old rumour").item, learned_in=None)
    alice.remember("in short: a rumour", derived_from=[lost.id])
    mended(system, "provenance")
    assert alice.recall("rumour").texts == []


def test_nothing_missing_means_nothing_is_pruned(memory, alice, system):
    alice.remember("a rumour with a source")
    assert mended(system, "provenance") == {"provenance": 0}
    assert alice.recall("rumour").texts == ["a rumour with a source"]


# -- subjects ---------------------------------------------------------------------------------------------------------


def test_a_handle_missing_from_the_subjects_is_found_and_added(memory, alice, system, change):
    item = change(alice.remember("@bob is fond of pizza").item, subjects=())
    assert found(system, "subjects") == [item.id]
    assert mended(system, "subjects") == {"subjects": 1}
    assert alice.get(item.id).subjects == ("@bob",)
    assert [one.id for one in alice.about("@bob")] == [item.id]


def test_a_subject_is_added_and_never_swapped(memory, alice, system, change):
    item = change(alice.remember("@bob and I share a flat").item, subjects=("@alice",))
    mended(system, "subjects")
    assert alice.get(item.id).subjects == ("@alice", "@bob")


def test_explicit_subjects_are_not_overridden_by_doctor(memory, alice, system):
    """Its audience depends on them."""
    item = alice.remember("@bob told me that Carol is moving", subjects=["@carol"]).item
    assert counts(system.doctor(checks=["contents"])) == {}
    assert item.subjects == ("@carol",)


def made(memory, creator, name, **given):
    engine = memory._engine
    person = Person(id=person_id(None, EVERYONE, creator, 1), name=name, created_by=creator,
                    created_at_us=engine.clock.now(), number=1, **given)  # fmt: skip
    engine.store.apply([PutPerson(person)], [])
    return person


def test_a_merged_subject_is_replaced_by_the_person_it_became(memory, alice, bob, system):
    person = made(memory, alice.actor, "Bobby")
    own = alice.remember("Bobby is fond of pizza", subjects=[person.id]).item
    other = bob.remember("Bobby is fond of jam", subjects=[person.id]).item
    memory._engine.store.apply([PutPerson(replace(person, merged_into="@bob", merged_by=alice.actor, version=2))], [])
    assert found(system, "subjects") == [own.id]  # that it is bob counts for what alice said
    assert mended(system, "subjects") == {"subjects": 1}
    assert alice.get(own.id).subjects == ("@bob",)
    assert bob.get(other.id).subjects == (person.id,)


def test_a_subject_missing_from_the_directory_is_reported_and_left(memory, alice, system):
    person = made(memory, alice.actor, "Bobby")
    item = alice.remember("Bobby is fond of pizza", subjects=[person.id]).item
    memory._engine.store.apply([DropPerson(person.id)], [])
    found = system.doctor(checks=["contents"])["subjects"]
    assert ([one.id for one in found.findings], found.fixable) == ([item.id], 0)
    assert mended(system, "subjects") == {"subjects": 0}
    assert alice.get(item.id).subjects == (person.id,)


# -- said twice, and said otherwise -----------------------------------------------------------------------------------


def test_of_two_that_say_the_same_the_lighter_gives_way(memory, alice, system, change):
    first, second = twins(memory, change, alice)
    heavy = change(first, authority="tool_verified")
    assert found(system, "duplicates") == [second.id]
    assert mended(system, "duplicates") == {"duplicates": 1}
    assert [item.id for item in alice.list()] == [heavy.id]
    lost = alice.get(second.id) or next(item for item in alice.list(statuses=["superseded"]))
    assert (lost.id, lost.status, lost.superseded_by) == (second.id, Status.SUPERSEDED, heavy.id)


def test_three_of_a_kind_leave_one(memory, alice, system, change):
    first, _ = twins(memory, change, alice)
    change(alice.remember("a third thing").item, text=first.text, subjects=first.subjects)
    assert mended(system, "duplicates") == {"duplicates": 2}
    assert len(alice.list()) == 1


def test_equal_texts_in_different_spaces_or_partitions_are_not_duplicates(memory, system, change):
    alice = memory.as_user("alice", project="apollo")
    alice.remember("the launch is in June")
    alice.remember("the launch is in June", space={"project": "apollo"})
    alice.remember("the launch is in June", access={"users": ["alice"]})
    item = alice.remember("nothing yet").item
    change(item, text="the launch is in June", sensitivity=Sensitivity.SENSITIVE)
    assert counts(system.doctor(checks=["contents"])) == {}


def test_turns_of_a_conversation_may_be_alike(memory, alice, system):
    alice.observe(messages_of("good morning", "good morning"))
    alice.observe(messages_of("good morning", "good morning"))
    assert counts(system.doctor(checks=["contents"])) == {}


def test_two_values_for_one_thing_are_settled_as_a_write_would(memory, alice, system, change, clock):
    old = alice.remember("I live in Berlin").item
    clock.advance(10)
    new = change(alice.remember("something else").item, text="I live in Rome", subjects=old.subjects)
    assert found(system, "contradictions") == [old.id]
    assert mended(system, "contradictions") == {"contradictions": 1}
    assert [item.id for item in alice.list()] == [new.id]


def test_equal_attributes_of_two_people_are_not_a_contradiction(memory, alice, system, change):
    alice.remember("@bob lives in Berlin", subjects=["@bob"])
    alice.remember("@carol lives in Rome", subjects=["@carol"])
    assert counts(system.doctor(checks=["contents"])) == {}


def test_hearsay_does_not_replace_a_persons_own_statement(memory, system, change):
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    bob, alice = memory.as_user("bob", chat="lunch"), memory.as_user("alice", chat="lunch")
    own = bob.remember("I live in Berlin", space={"chat": "lunch"}).item
    hearsay = alice.remember("nothing yet", space={"chat": "lunch"}).item
    change(hearsay, text="Bob lives in Rome", subjects=("@bob",))
    mended(system, "contradictions")
    assert bob.get(own.id).status is Status.APPROVED


def test_no_repair_creates_a_cycle_of_replacements(memory, alice, system, change):
    first, second = twins(memory, change, alice)
    change(first, superseded_by=second.id)  # in force, and yet said to have given way
    winner = found(system, "duplicates")
    system.doctor(fix=["duplicates", "contradictions"])
    kept = {item.id: item.superseded_by for item in alice.list(statuses=["approved", "superseded"])}
    assert not all(kept.values())
    assert len(winner) == 1


# -- links ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("link", ["supersedes", "superseded_by", "promoted_from", "derived_from"])
def test_a_link_to_nowhere_is_found_and_cut(memory, alice, system, change, link):
    item = alice.remember("likes green tea").item
    nowhere = "mem_nowhere"
    change(item, **{link: (nowhere,) if link == "derived_from" else nowhere})
    assert found(system, "edges") == [item.id]
    assert not system.doctor(checks=["contents"]).ok
    assert mended(system, "edges") == {"edges": 1}
    assert not getattr(alice.get(item.id), link)


def test_a_link_that_leads_somewhere_stays(memory, alice, system):
    old = alice.remember("likes green tea").id
    new = alice.correct(old, "likes black tea").id
    derived = alice.remember("likes tea, in short", derived_from=[new]).id
    assert mended(system, "edges") == {"edges": 0}
    assert [item.id for item in alice.history(new)] == [old, new]
    assert alice.get(derived).derived_from == (new,)


def test_an_erased_wording_leaves_a_loose_end(memory, alice, system):
    old = alice.remember("likes green tea").id
    new = alice.correct(old, "likes black tea").id
    alice.erase(old)
    assert found(system, "edges") == [new]
    mended(system, "edges")
    assert alice.get(new).supersedes is None


def test_a_link_to_an_invisible_memory_reveals_nothing(memory, alice, bob, change):
    """Names can be worked out, so whether a link leads anywhere must not tell what others keep."""
    hidden = bob.remember("a secret plan of bob's").id
    item = alice.remember("likes green tea").item
    change(item, derived_from=(hidden,))
    there = whole(alice.doctor())
    change(alice.get(item.id), derived_from=("mem_nowhere",))
    assert whole(alice.doctor()) == there


# -- names and types --------------------------------------------------------------------------------------------------


def test_a_name_that_is_there_twice_is_taken_out(memory, alice, system):
    person = made(memory, alice.actor, "Sarah", aliases=("sarah", "Sally", "SALLY"))
    assert found(system, "names") == [person.id]
    assert mended(system, "names") == {"names": 1}
    sight = memory._engine.sight(alice._standpoint)
    assert memory._engine.store.people(sight, [person.id])[0].aliases == ("Sally",)


def test_a_default_type_that_contradicts_the_text_is_reported_and_changed_on_request(memory, alice, system, change):
    item = change(alice.remember("I need to buy milk tomorrow").item, type="knowledge")
    assert found(system, "types") == [item.id]
    assert system.doctor(checks=["contents"]).ok
    assert mended(system, "types") == {"types": 1}
    assert alice.get(item.id).type == "task"


def test_a_type_chosen_explicitly_is_not_a_finding(memory, alice, system):
    chosen = alice.remember("I need to buy milk tomorrow", type=memory.policy.show().policy.default_type).item
    assert chosen.type == memory.policy.show().policy.default_type
    assert found(system, "types") == []
    assert mended(system, "types") == {"types": 0}
    assert alice.get(chosen.id).type == chosen.type


def test_only_judgement_findings_leave_a_store_sound():
    assert sorted(NOTES) == ["provenance", "types"]


def test_an_import_without_provenance_is_a_matter_of_judgement(memory, alice, system):
    alice.import_(ROWS)
    diagnosis = system.doctor(checks=["contents"])
    assert diagnosis.ok


def test_a_reopened_store_is_as_sound(tmp_path, clock):
    path = tmp_path / "memory.db"
    with Memory.open(path, clock=clock) as memory:
        memory.as_user("alice").remember("I like tea")
    with Memory.open(path, clock=clock) as memory:
        assert memory.as_system().doctor(checks=["contents"]).ok
