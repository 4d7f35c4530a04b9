"""People in exports: they come along with the memories about them, are recognised where they are known, and are
never confused with others."""

from __future__ import annotations

import json

import pytest

from memfort import FixedClock, InvalidInput, Memory
from memfort.model.item import Readers
from memfort.model.people.person import person_id
from memfort.model.space import Space
from memfort.store.memory import MemoryStore
from memfort.trail.keys import Keys
from whole import whole

HERS = {"user": "alice"}
SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def parts(reader, kind):
    return [line[kind] for line in reader.export() if kind in line]


def names(reader):
    return sorted(person.name for person in reader.people.list())


def everything(memory, reader):
    """All that an import could change for a reader, and for all readers."""
    return [*list(reader.export())[1:], reader.people.list(), memory.as_user("zed").people.list()]


def became(report):
    """What became of the records of a file, each of which is accounted for once."""
    counts = {name: count for name, count in report.counts.items() if name != "read"}
    assert sum(counts.values()) == report.counts["read"]
    return counts


def lines(*records):
    return "\n".join(json.dumps(record) for record in records).encode()


@pytest.fixture
def elsewhere(clock):
    """A store with keys of its own, which is not the one that things are exported from."""
    clock.advance(60)
    return Memory(MemoryStore(Keys(b"other secret".ljust(32), b"other signing".ljust(32))), clock=clock)


@pytest.fixture
def circle(alice):
    """People alice knows in private, and her statements about them."""
    sarah = alice.people.add("Sarah", aliases=["Sal"], space=HERS, relation="wife")
    bobby = alice.people.add("Bobby", space=HERS)
    alice.people.merge(sarah.id, alice.people.add("Sara", space=HERS).id)
    alice.people.link(bobby.id, user="bob")
    alice.remember("Sarah likes tea", subjects=[sarah.id])
    alice.remember("Bobby likes jam", subjects=[bobby.id])
    alice.remember("Tom likes ink", subjects=["Tom", "@carol"])
    return alice.people.get(sarah.id)


@pytest.fixture
def exported_lines(alice):
    """An export with one of each: its header, a memory, a person and a relation."""
    sarah = alice.people.add("Sarah", space=HERS, relation="wife")
    alice.remember("likes tea", subjects=[sarah.id])
    return [*alice.export()]


# -- there and back ---------------------------------------------------------------------------------------------------


def test_an_export_includes_the_people_its_memories_are_about(alice, circle):
    header, *rest = alice.export()
    assert (header["people"], header["relations"], header["memories"]) == (4, 1, 3)
    assert [next(iter(line)) for line in rest] == ["memory"] * 3 + ["person"] * 4 + ["relation"]
    people = {one["name"]: one for one in parts(alice, "person")}
    assert people["Sarah"]["aliases"] == ["Sal", "Sara"]
    assert people["Bobby"]["merged_into"] == "@bob"
    assert people["Sara"]["merged_into"] == circle.id
    assert [(one["from_person"], one["term"], one["to_person"]) for one in parts(alice, "relation")] == [
        ("@alice", "wife", circle.id)
    ]


def test_a_round_trip_with_people_is_equal(alice, circle, open_memory, exported):
    other = open_memory()
    fresh = other.as_user("alice")
    report = fresh.import_(exported(alice))
    assert became(report) == {"kept": 3, "people": 4, "relations": 1}
    assert exported(fresh) == exported(alice)
    assert fresh.people.list() == alice.people.list()
    assert fresh.people.find("my wife") == [circle] == fresh.people.find("sara")
    assert fresh.people.find("Bobby")[0].id == "@bob"
    assert fresh.remember("my wife sings", subjects=["my wife"]).item.subjects == (circle.id,)
    assert fresh.people.add("Vera", space=HERS).id == alice.people.add("Vera", space=HERS).id
    assert other.trail.verify().ok


def test_coming_home_changes_nothing(memory, alice, circle, exported):
    listed = alice.people.add("Vera", relation="boss", listed=True)
    alice.remember("Vera likes ice", subjects=[listed.id])
    data, before = exported(alice), everything(memory, alice)
    assert became(alice.import_(data)) == {"duplicate": 4, "recognised": 7}
    assert alice.import_(data).already_imported
    assert everything(memory, alice) == before
    alice.people.update(circle.id, name="Sarah Smith")
    alice.people.unrelate("me", "wife", circle.id)
    assert became(alice.import_(data + b"\n")) == {"duplicate": 4, "recognised": 6, "relations": 1}
    assert alice.people.get(circle.id).name == "Sarah Smith"  # what the store knows is never written over
    assert memory.trail.verify().ok


def test_reimported_memories_are_about_the_same_people(memory, alice, circle, exported):
    data = exported(alice)
    alice.erase(*(item.id for item in alice.list()))
    assert became(alice.import_(data, bring_back=True)) == {"kept": 3, "recognised": 5}
    assert alice.recall("Sarah").hits[0].item.subjects == (circle.id,)
    assert exported(alice) == data


def test_a_dry_run_imports_no_people(alice, circle, elsewhere, exported):
    fresh = elsewhere.as_user("alice")
    rehearsal = fresh.import_(exported(alice), dry_run=True)
    assert (fresh.people.list(), rehearsal.counts["people"]) == ([], 4)
    assert fresh.import_(exported(alice)).counts == rehearsal.counts
    assert names(fresh) == ["Bobby", "Sara", "Sarah", "Tom"]


def test_a_list_of_records_is_as_good_as_lines(alice, circle, elsewhere):
    fresh = elsewhere.as_user("alice")
    broken = [*alice.export()]
    broken.insert(3, {"memory": {}})
    broken[0] = {**broken[0], "memories": 4}
    report = fresh.import_(json.dumps(broken).encode())
    assert became(report) == {"kept": 3, "invalid": 1, "people": 4, "relations": 1}
    assert report.problems[0].startswith("record 4: ")
    again = elsewhere.as_user("alice").import_(lines(*broken[:1], *broken[-5:], *broken[1:-5]))
    assert became(again) == {"duplicate": 3, "invalid": 1, "recognised": 5}
    assert again.problems[0].startswith("line 9: ")


# -- elsewhere --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("later", [0, 5])
def test_an_equal_id_in_another_store_is_a_different_person(alice, exported, clock, open_memory, later):
    sarah = alice.people.add("Sarah", space=HERS)
    alice.remember("likes tea", subjects=[sarah.id])
    clock.advance(later)
    other = open_memory()
    fresh = other.as_user("alice")
    tom = fresh.people.add("Tom", space=HERS)
    fresh.remember("likes jam", subjects=[tom.id])
    assert tom.id == sarah.id
    assert became(fresh.import_(exported(alice))) == {"kept": 1, "people": 1}
    assert names(fresh) == ["Sarah", "Tom"]
    assert fresh.people.get(tom.id) == tom
    [moved] = fresh.people.find("Sarah")
    assert (moved.home.to_dict(), moved.created_by.id) == (HERS, "alice")
    assert [item.text for item in fresh.about(moved.id)] == ["likes tea"]
    assert [item.text for item in fresh.about(tom.id)] == ["likes jam"]


def test_people_imported_before_are_recognised_in_a_later_export(alice, exported, elsewhere, clock):
    fresh = elsewhere.as_user("alice")
    fresh.people.add("Tom", space=HERS)
    sarah = alice.people.add("Sarah", space=HERS, relation="wife")
    alice.remember("likes tea", subjects=[sarah.id])
    fresh.import_(exported(alice))
    moved = fresh.people.find("Sarah")
    clock.advance(1)
    alice.people.update(sarah.id, name="Sarah Smith")
    alice.remember("likes jam", subjects=["my wife"])
    assert became(fresh.import_(exported(alice))) == {"kept": 1, "duplicate": 1, "recognised": 2}
    assert fresh.people.find("Sarah") == moved
    assert sorted(item.text for item in fresh.about(moved[0].id)) == ["likes jam", "likes tea"]
    assert elsewhere.trail.verify().ok


def test_people_with_the_same_name_are_not_merged_on_import(alice, exported, elsewhere):
    fresh = elsewhere.as_user("alice")
    known = [fresh.people.add("Sarah", space=HERS), fresh.people.add("Sarah", listed=True)]
    alice.people.add("Vera", space=HERS)
    sarah = alice.people.add("Sarah", space=HERS)
    alice.remember("likes tea", subjects=[sarah.id])
    fresh.import_(exported(alice))
    moved = [one for one in fresh.people.find("Sarah") if one not in known]
    assert len(moved) == 1
    assert [fresh.about(one.id) for one in known] == [[], []]
    assert [item.text for item in fresh.about(moved[0].id)] == ["likes tea"]


def test_an_import_adds_directory_people_to_your_own_space(memory, alice, bob, exported, elsewhere):
    vera = alice.people.add("Vera", aliases=["V"], relation="boss", listed=True)
    alice.remember("Vera likes ice", subjects=[vera.id])
    fresh = elsewhere.as_user("alice")
    assert became(fresh.import_(exported(alice))) == {"kept": 1, "people": 1, "relations": 1}
    [moved] = fresh.people.find("my boss")
    assert (moved.name, moved.aliases, moved.home.to_dict()) == ("Vera", ("V",), HERS)
    assert fresh.recall("ice").hits[0].item.subjects == (moved.id,)
    assert names(elsewhere.as_user("bob")) == []
    assert names(bob) == ["Vera"]  # the control: where she is listed, bob sees her


def test_a_link_is_imported_only_if_the_importer_may_make_it(memory, alice, bob, exported, elsewhere):
    carol = memory.as_user("carol")
    mine, hers, everybodys = (alice.people.add(name, listed=True) for name in ("Bobby", "Bert", "Bill"))
    for one in (mine, hers, everybodys):
        alice.remember(f"{one.name} likes tea", subjects=[one.id])
    data = [*alice.export()]
    links = {mine.id: alice.actor, hers.id: carol.actor, everybodys.id: memory.as_system().actor}
    for line in data:
        if "person" in line:
            by = links[line["person"]["id"]]
            sayer = {"kind": by.kind, "id": by.id, "acting_for": None, "owner": None}
            line["person"] |= {"merged_into": "@bob", "version": 2, "merged_by": sayer}
    fresh = elsewhere.as_user("alice")
    assert fresh.import_(lines(*data)).counts["people"] == 3
    assert [fresh.people.find(name)[0].id == "@bob" for name in ("Bobby", "Bert", "Bill")] == [True, False, True]
    assert sorted(item.text for item in fresh.about("@bob")) == ["Bill likes tea", "Bobby likes tea"]
    said = {one["name"]: one["merged_by"] for one in parts(fresh, "person")}
    assert [said[name] and said[name]["id"] for name in ("Bobby", "Bert", "Bill")] == ["alice", None, "alice"]


def test_relations_stated_by_others_are_not_exported(memory, alice, bob, exported, elsewhere):
    vera, nina = alice.people.add("Vera", listed=True), bob.people.add("Nina", relation="sister", listed=True)
    there = memory.as_user("bob", project="apollo")
    there.people.relate("@alice", "wife", vera.id, space={"project": "apollo"})
    memory.as_system().people.relate("@alice", "boss", nina.id, listed=True)
    here = memory.as_user("alice", project="apollo")
    here.remember("they ski", subjects=[vera.id, nina.id])
    assert {one.term for id in (vera.id, nina.id) for one in here.people.relations(id)} == {"sister", "wife", "boss"}
    assert [one["term"] for one in parts(here, "relation")] == ["boss"]
    fresh = elsewhere.as_user("alice")
    fresh.import_(exported(here))
    assert fresh.people.find("my wife") == []
    assert fresh.people.find("my boss")[0].name == "Nina"


def test_a_dropped_person_stays_absent_after_import(alice, exported, elsewhere):
    sarah = alice.people.add("Sarah", space=HERS)
    said = alice.remember("likes tea", subjects=[sarah.id]).item
    alice.people.drop(sarah.id)
    header, *_ = alice.export()
    assert "people" not in header
    data = exported(alice)
    alice.erase(said.id)
    alice.import_(data, bring_back=True)
    assert alice.recall("tea").hits[0].item.subjects == (sarah.id,)
    fresh = elsewhere.as_user("alice")
    tom = fresh.people.add("Tom", space=HERS)
    assert tom.id == sarah.id
    fresh.import_(data)
    [subject] = fresh.recall("tea").hits[0].item.subjects
    assert subject != tom.id
    assert fresh.people.get(subject) is None
    assert fresh.about(tom.id) == []


def test_a_number_that_was_used_here_never_comes_back(alice, exported, elsewhere):
    sarah = alice.people.add("Sarah", space=HERS)
    alice.remember("likes tea", subjects=[sarah.id])
    fresh = elsewhere.as_user("alice")
    tom = fresh.people.add("Tom", space=HERS)
    fresh.remember("likes jam", subjects=[tom.id])
    fresh.people.drop(tom.id)
    fresh.import_(exported(alice))
    assert fresh.people.find("Sarah")[0].id != tom.id
    assert fresh.people.get(tom.id) is None


def test_no_import_can_exhaust_the_numbers(alice, exported_lines, elsewhere):
    _, said, person, relation = exported_lines
    last = person_id(Space.of(HERS), Readers(), alice.actor, 2**63 - 1)
    said["memory"]["subjects"] = [last]
    person["person"] |= {"id": last, "number": 2**63 - 1}
    relation["relation"]["to_person"] = last
    fresh = elsewhere.as_user("alice")
    assert became(fresh.import_(lines(*exported_lines))) == {"kept": 1, "people": 1, "relations": 1}
    assert fresh.people.find("my wife")[0].number == 1
    assert fresh.people.add("Tom", space=HERS).number < 5


def test_a_file_of_the_older_form_still_imports(alice, circle, elsewhere):
    header, *rest = alice.export()
    older = [{name: header[name] for name in ("memfort_export", "actor", "memories", "sources")}]
    older += [line for line in rest if "memory" in line]
    fresh = elsewhere.as_user("alice")
    assert became(fresh.import_(lines(*older))) == {"kept": 3}
    assert fresh.people.list() == []
    assert fresh.recall("Sarah").hits[0].item.subjects == (circle.id,)


# -- who may know which people ----------------------------------------------------------------------------------------


@pytest.fixture
def crowd(memory):
    """Persons who are known to all, to bob, in a project, in a chat, and to alice: by what they are called."""
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    bob, alice = memory.as_user("bob", project="apollo"), memory.as_user("alice")
    homes = {"listed": None, "bobs": {"user": "bob"}, "projects": {"project": "apollo"}}
    made = {name: bob.people.add(name, space=home, listed=home is None).id for name, home in homes.items()}
    made["chats"] = memory.as_user("bob", chat="lunch").people.add("chats", space={"chat": "lunch"}).id
    return made | {"alices": alice.people.add("alices", space=HERS).id}


def called(reader):
    return {one["name"] for one in parts(reader, "person")}


def test_an_export_holds_only_people_the_exporter_may_know(memory, crowd):
    alice, bob = memory.as_user("alice", project="apollo"), memory.as_user("bob", project="apollo")
    for reader in (alice, bob):  # a file can bring any id into a memory of one's own
        other = Memory(MemoryStore(), clock=FixedClock(1)).as_user(reader.actor.id)
        other.remember("they ski", subjects=["@zed"])
        header, line = other.export()
        line["memory"]["subjects"] = [crowd[name] for name in ("listed", "bobs", "alices", "chats")]
        assert became(reader.import_(lines(header, line))) == {"kept": 1}
        reader.remember(f"{reader.actor.id} skates", subjects=[crowd["projects"]], space={"project": "apollo"})
    assert called(alice) == {"listed", "alices"}
    assert called(bob) == {"listed", "bobs", "projects"}


def test_an_export_in_a_chat_holds_only_people_the_chat_may_know(memory, crowd):
    alice, bob = memory.as_user("alice", chat="lunch"), memory.as_user("bob", chat="lunch")
    for reader in (alice, bob):
        said = f"{reader.actor.id} skis"
        reader.remember(said, subjects=[crowd["listed"], crowd["chats"]], space={"chat": "lunch"})
    memory.as_user("alice").remember("skates", subjects=[crowd["alices"]], sensitivity="public")
    assert len(parts(alice, "memory")) == 2
    assert called(alice) == {"listed"}
    assert called(bob) == {"listed", "chats"}
    assert called(memory.as_user("alice")) == {"alices"}


def test_an_import_adds_no_people_for_other_users(memory, alice, bob, open_memory):
    theirs = open_memory().as_user("bob")
    sarah = theirs.people.add("Sarah", space={"user": "bob"}, relation="wife")
    theirs.remember("likes tea", subjects=[sarah.id])
    before = everything(memory, bob)
    report = alice.import_(lines(*theirs.export()))
    assert became(report) == {"denied": 1, "left_out": 2}
    assert (everything(memory, bob), alice.people.list()) == (before, [])
    theirs_again = bob.import_(lines(*theirs.export()))  # the control
    assert became(theirs_again) == {"kept": 1, "people": 1, "relations": 1}
    assert bob.people.find("my wife") == [sarah]


def test_an_import_changes_no_existing_person(memory, alice, bob, exported):
    vera = bob.people.add("Vera", listed=True)
    alice.remember("Vera likes ice", subjects=[vera.id])
    header, memory_line, person = alice.export()
    for change in (
        {"name": "Mallory"},
        {"name": "Mallory", "version": 7},
        {"created_by": {"kind": "user", "id": "alice", "acting_for": None, "owner": None}},
        {"home": HERS, "name": "Mallory"},
    ):
        alice.import_(lines(header, memory_line, {"person": {**person["person"], **change}}))
        assert bob.people.get(vera.id) == vera
    assert {one.name for one in bob.people.list()} == {"Vera"}
    assert {one.name for one in alice.people.list()} == {"Vera", "Mallory"}  # what was forged is alice's own


def test_an_import_cannot_occupy_a_future_person_id_of_another_user(memory, open_memory):
    there = {"project": "apollo"}
    alice, bob = memory.as_user("alice", **there), memory.as_user("bob", **there)
    for speaker in (alice, bob):
        nina = speaker.people.add("Nina", space=there)
        speaker.remember(f"{speaker.actor.id} likes Nina", subjects=[nina.id], space=there)
    made = {one["created_by"]["id"]: one for who in (alice, bob) for one in parts(who, "person")}
    header, said, person = alice.export()
    other = open_memory()
    fresh, them = other.as_user("alice", **there), other.as_user("bob", **there)
    assert became(fresh.import_(lines(header, said, person))) == {"kept": 1, "people": 1}  # the control
    assert fresh.people.get(made["alice"]["id"]).name == "Nina"
    said["memory"]["subjects"] = [made["bob"]["id"]]
    fresh.import_(lines(header, said, {"person": made["bob"]}))
    assert them.people.get(made["bob"]["id"]) is None
    assert them.people.add("Nora", space=there).id == made["bob"]["id"]


def test_a_file_puts_no_relation_into_the_importers_mouth(exported_lines, elsewhere):
    fresh = elsewhere.as_user("alice")
    theirs = {"kind": "user", "id": "bob", "acting_for": None, "owner": None}
    forged = {"relation": {**exported_lines[3]["relation"], "created_by": theirs}}
    assert became(fresh.import_(lines(*exported_lines[:3], forged))) == {"kept": 1, "people": 1, "left_out": 1}
    assert fresh.people.find("my wife") == []
    assert became(fresh.import_(lines(*exported_lines))) == {
        "duplicate": 1,
        "recognised": 1,
        "relations": 1,
    }  # the control
    assert fresh.people.find("my wife")[0].name == "Sarah"


def test_a_shared_space_names_only_people_all_its_readers_may_know(memory, open_memory):
    there = open_memory().as_user("alice", project="apollo")
    nina = there.people.add("Nina", space={"project": "apollo"})
    there.remember("we ski", subjects=[nina.id, "@bob"], space={"project": "apollo"})
    sarah = there.people.add("Sarah", space=HERS)
    there.remember("I ski", subjects=[sarah.id])
    data = [*there.export()]
    for line in data:
        if line.get("memory", {}).get("text") == "we ski":
            line["memory"]["subjects"].append(sarah.id)
    alice = memory.as_user("alice", project="apollo")
    assert became(alice.import_(lines(*data))) == {"kept": 2, "people": 2}
    [said] = [item for item in alice.list() if item.text == "we ski"]
    known, handle, stranger = said.subjects
    assert (known, handle) == (nina.id, "@bob")
    assert alice.people.get(known).name == "Nina"
    assert alice.people.get(sarah.id).name == "Sarah"
    assert stranger != sarah.id
    assert alice.people.get(stranger) is None


def test_a_secret_in_a_name_is_refused_and_not_repeated(memory, alice, circle, elsewhere):
    data = [*alice.export()]
    [tom] = [n for n, line in enumerate(data, start=1) if line.get("person", {}).get("name") == "Tom"]
    data[tom - 1]["person"]["aliases"] = [SECRET]
    fresh = elsewhere.as_user("alice")
    data[-1]["relation"]["term"] = SECRET.casefold()
    report = fresh.import_(lines(*data))
    assert became(report) == {"kept": 3, "denied": 2, "people": 3}
    assert [problem.split(": ")[0] for problem in report.problems] == [f"line {tom}", "line 9"]
    assert SECRET.casefold() not in (whole(report) + repr(list(fresh.trail.export()))).casefold()
    assert names(fresh) == ["Bobby", "Sara", "Sarah"]
    subject, _ = fresh.recall("ink").hits[0].item.subjects
    assert fresh.people.get(subject) is None
    assert elsewhere.trail.verify().ok


# -- lines that are not what they should be ---------------------------------------------------------------------------

GARBAGE = [None, 7, -1, 10**40, 1.5, True, "", "x", "\ud800", "a\x00b", [], [1], {}, {"a": 1}, ["x"] * 100]
FINE = {
    ("person", "aliases"): ([], ["x"] * 100),
    ("person", "created_at"): (7, -1),
    ("person", "home"): (None,),
    ("person", "merged_by"): (None,),
    ("person", "merged_into"): (None,),
    ("person", "name"): ("x",),
    ("person", "number"): (7,),
    ("person", "version"): (7,),
    ("relation", "at"): (7, -1),
    ("relation", "home"): (None,),
    ("relation", "number"): (7,),
    ("relation", "term"): ("x",),
}
FIELDS = [("person", name) for name in ("id", "name", "aliases", "home", "readers", "created_by", "created_at",
                                        "number", "merged_into", "merged_by", "version")]  # fmt: skip
FIELDS += [("relation", name) for name in ("id", "from_person", "term", "to_person", "home", "readers", "created_by",
                                           "at", "number")]  # fmt: skip


@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_an_invalid_field_of_a_person_or_relation_stops_the_import(exported_lines, elsewhere, kind, field):
    place = 3 if kind == "person" else 4
    fresh = elsewhere.as_user("alice")
    bad = [one for one in GARBAGE if not any(one is fine or one == fine for fine in FINE.get((kind, field), ()))]
    assert len(bad) > 8
    for garbage in (*bad, "missing"):
        record = {**exported_lines[place - 1][kind], field: garbage}
        if garbage == "missing":
            del record[field]
        data = [*exported_lines[: place - 1], {kind: record}, *exported_lines[place:]]
        with pytest.raises(InvalidInput) as refused:
            fresh.import_(lines(*data))
        assert refused.value.field.startswith(f"line {place}: {kind}."), garbage
        assert refused.value.remedy == "fix it, or export again; nothing was imported"
        assert len(str(refused.value)) < 200
    assert (fresh.people.list(), fresh.list().items, fresh.sources()) == ([], (), [])
    assert became(fresh.import_(lines(*exported_lines))) == {"kept": 1, "people": 1, "relations": 1}


def test_the_error_names_the_line_and_the_field(exported_lines, elsewhere):
    fresh = elsewhere.as_user("alice")
    del exported_lines[2]["person"]["name"]
    with pytest.raises(InvalidInput, match=r"^line 3: person\.name: it is missing; fix it"):
        fresh.import_(lines(*exported_lines))
    with pytest.raises(InvalidInput, match=r"^record 3: person\.name: it is missing; fix it"):
        fresh.import_(json.dumps(exported_lines).encode())


@pytest.mark.parametrize("record", [{"person": None}, {"person": []}, {"relation": 1}, {"person": {}, "relation": {}}])
def test_an_invalid_person_line_stops_the_import(exported_lines, elsewhere, record):
    fresh = elsewhere.as_user("alice")
    with pytest.raises(InvalidInput, match=r"^line 3"):
        fresh.import_(lines(*exported_lines[:2], record, *exported_lines[3:]))
    assert fresh.list().items == ()


def test_missing_or_repeated_people_stop_the_import(exported_lines, elsewhere):
    fresh = elsewhere.as_user("alice")
    header, said, person, relation = exported_lines
    for data, message in [
        ((header, said, person), "^file: it holds 1 people and 0 relations"),
        ((header, said), "^file: it holds 0 people and 0 relations"),
        (({**header, "people": 2}, said, person, person, relation), "^line 3: person.id: it is the id of another line"),
        (({**header, "people": 0}, said, relation), "^line 3: relation.to_person: there is no line for this person"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            fresh.import_(lines(*data))
    assert fresh.list().items == ()
