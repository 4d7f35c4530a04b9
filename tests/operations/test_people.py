"""People: known in a space or to all, changed only by those who may, merged without attributing statements to others.
Nothing done out of a user's sight changes anything for that user."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from memfort import Denied, InvalidInput, Memory, NotFound
from memfort.model.audience import audience_of
from memfort.model.item import EVERYONE, Readers
from memfort.model.space import Space
from memfort.operations.people.edits import KnownTo, PeopleEdits, drop_people_of
from memfort.operations.people.resolve.names import resolve_subjects
from memfort.policy.sight import maintenance_sight
from memfort.store.memory import MemoryStore

CHAT = {"chat": "lunch"}
SECRET = "AKIAQ3EGRVFJ7WKPZT5M"  # shaped like an AWS key id, but made up


def mention(bound, *references, space=None, readers=EVERYONE):
    """The persons that are meant when a memory in this space has these subjects."""
    engine = bound._engine
    where = Space.of(space or {"user": bound.actor.user})

    def resolve(tx):
        draft = PeopleEdits(tx)
        ids = resolve_subjects(draft, references, KnownTo(where, readers))
        draft.apply(tx)
        return ids

    return engine.write(bound._standpoint, engine.call(bound.actor, "test"), [where], resolve)


def names(people):
    return [person.name for person in people]


@pytest.fixture
def lunch(memory):
    """A chat of three, and each of its participants."""
    memory.chat.register("lunch", kind="group", participants=["alice", "bob", "carol"])
    return [memory.as_user(user, chat="lunch") for user in ("alice", "bob", "carol")]


# -- every user is a person -------------------------------------------------------------------------------------------


def test_every_user_is_a_person_whether_or_not_there_is_one(alice):
    for user in ("alice", "bob", "nobody at all"):
        person = alice.people.get(f"@{user}")
        assert (person.id, person.name, person.user) == (f"@{user}", user, user)
    assert alice.people.get("me") == alice.people.get("@alice")
    assert alice.people.list() == []


def test_only_the_user_and_the_system_change_a_users_names(memory, alice, bob):
    bob.people.update("@bob", name="Robert", aliases=["Rob"])
    assert bob.people.alias("me", "Bobby").aliases == ("Rob", "Bobby")
    assert alice.people.get("@bob").name == "Robert"
    for change in (
        lambda: alice.people.update("@bob", name="Bobo"),
        lambda: alice.people.alias("@bob", "Bobo"),
        lambda: alice.people.drop("@bob"),
    ):
        with pytest.raises(Denied) as error:
            change()
        assert error.value.reason == "not_your_person"
    assert memory.as_system().people.update("@bob", name="Bob").version == 3
    assert alice.people.get("@bob").names == ("Bob", "Rob", "Bobby", "bob")


def test_a_denial_is_on_record_without_the_name(memory, alice, events):
    with pytest.raises(Denied):
        alice.people.update("@bob", name="Bobo the Great")
    denied = [event for event in events() if event["decision"] == "denied"]
    assert [(one["action"], one["reason"]) for one in denied] == [("update_person", "not_your_person")]
    assert "Bobo" not in json.dumps(events())
    assert alice.people.list() == []


# -- who knows which people -------------------------------------------------------------------------------------------


def test_who_is_entered_is_known_to_the_one_who_entered_them(memory, alice, bob):
    sarah = alice.people.add("Sarah", aliases=["Sal"], relation="wife")
    assert sarah.home == Space.of({"user": "alice"})
    assert alice.people.list() == alice.people.find("sal") == alice.people.find("my wife") == [sarah]
    for other in (bob, memory.as_user("carol", project="apollo"), memory.as_system()):
        assert (other.people.list(), other.people.find("sal"), other.people.get(sarah.id)) == ([], [], None)
        assert other.people.relations("@alice") == []


@pytest.mark.parametrize("preset", ["default", "chat", "agents", "research", "scoped", "deterministic"])
def test_under_every_preset_people_are_private_or_listed(open_memory, preset):
    memory = open_memory(policy=preset)
    places = {"org": "o", "role": "r", "project": "p", "session": "s"} if preset in {"scoped", "deterministic"} else {}
    memory.agent.register("helper", owner="alice")
    alice, bob = (memory.as_user(user, **places) for user in ("alice", "bob"))
    if preset == "agents":
        alice, bob = (memory.as_agent("helper", acting_for=user) for user in ("alice", "bob"))
    private = alice.people.add("Sarah", relation="wife")
    assert alice.people.find("Sarah") == alice.people.find("my wife") == [private]
    assert (bob.people.find("Sarah"), bob.people.list(), bob.people.relations("@alice")) == ([], [], [])
    system = memory.as_system()
    listed = [system.people.add(name, listed=True) for name in ("Ann", "Ben")]
    assert system.people.list() == sorted(listed, key=lambda one: one.id)
    assert system.people.find("ann") == alice.people.find("ann") == bob.people.find("ann") == listed[:1]
    assert system.people.get(listed[1].id) == listed[1]
    assert memory.trail.verify().ok


def test_the_system_lists_people_on_purpose(memory):
    with pytest.raises(InvalidInput, match="list it for everybody, or name a space"):
        memory.as_system().people.add("Sarah")
    with pytest.raises(InvalidInput, match="a space is named too"):
        memory.as_user("alice").people.add("Sarah", listed=True, space={"user": "alice"})


def test_people_added_to_the_directory_are_listed_for_all(memory, alice, bob):
    sarah = alice.people.add("Sarah", aliases=["Sal"], listed=True)
    assert bob.people.list() == bob.people.find("sal") == [sarah]
    assert bob.people.get(sarah.id) == memory.as_user("carol", project="apollo").people.get(sarah.id) == sarah


def test_people_added_in_a_space_are_known_there_only(memory, alice, bob, lunch):
    mine = alice.people.add("Sarah", space={"user": "alice"})
    ours = lunch[0].people.add("Tom", space=CHAT)
    assert set(names(lunch[0].people.list())) == {"Tom"}  # in a chat, only people its participants know
    assert set(names(alice.people.list())) == {"Sarah"}
    assert lunch[1].people.find("tom") == lunch[2].people.list() == [ours]
    stranger = memory.as_user("dora", chat="lunch")  # who takes no part there
    for bound in (bob, stranger, memory.as_system()):
        assert (bound.people.list(), bound.people.find("Sarah"), bound.people.find("Tom")) == ([], [], [])
        assert (bound.people.get(mine.id), bound.people.get(ours.id)) == (None, None)
        with pytest.raises(NotFound):
            bound.people.relations(mine.id)
        for act in (bound.people.drop, bound.people.update, bound.people.alias):
            with pytest.raises(Denied if bound is stranger else NotFound):
                act(mine.id)


def test_a_mention_in_private_is_invisible_to_others_and_moves_nothing_of_theirs(memory, alice, bob):
    def answers(bound):
        ids = (*mention(bound, "Sarah"), bound.people.add("Tom", listed=True).id)
        return ids, bound.people.find("Sarah"), bound.people.list(), [line["event"] for line in bound.trail.export()]

    (private,) = mention(alice, "Sarah")
    alice.people.add("Zoe", space={"user": "alice"})
    assert names(alice.people.find("sarah")) == ["Sarah"]
    with_her = answers(bob)
    without_her = answers(Memory(MemoryStore(memory._engine.store.keys), clock=memory._engine.clock).as_user("bob"))
    assert with_her == without_her
    assert (private in json.dumps(with_her, default=str), bob.people.get(private)) == (False, None)


def test_a_mention_creates_a_person_in_the_space_of_the_statement(lunch):
    alice, bob, _ = lunch
    (tom,) = mention(alice, "Tom", space=CHAT)
    assert names(bob.people.list()) == ["Tom"]
    assert mention(bob, "tom", space=CHAT) == [tom]
    assert bob.people.get(tom).created_by == alice.actor


def test_a_mention_for_some_readers_is_known_to_them_alone(memory):
    """Where each of them asks for themselves; in a chat, all participants listen."""
    apollo, for_two = {"project": "apollo"}, Readers.of(["alice", "bob"])
    alice, bob, carol = (memory.as_user(user, project="apollo") for user in ("alice", "bob", "carol"))
    (tom,) = mention(alice, "Tom", space=apollo, readers=for_two)
    assert (names(bob.people.list()), carol.people.list(), carol.people.find("Tom")) == (["Tom"], [], [])
    assert mention(bob, "Tom", space=apollo, readers=for_two) == [tom]
    (other,) = mention(carol, "Tom", space=apollo)
    (third,) = mention(bob, "Tom", space=apollo)
    assert (other != tom, third) == (True, other)


def test_privately_known_people_never_reach_shared_memories(alice, lunch):
    """Not even as an id, which would tell how many people there are in the private notes."""
    in_chat, bob, _ = lunch
    (private,) = mention(alice, "Sarah")
    (shared,) = mention(in_chat, "Sarah", space=CHAT)
    assert shared != private
    assert mention(in_chat, private, space=CHAT) == [shared]
    assert mention(in_chat, private) == [private]
    alice.people.relate("me", "wife", private)
    (wife,) = mention(in_chat, "my wife", space=CHAT)
    assert wife not in {private, shared}
    assert mention(in_chat, "my wife") == [private]
    assert bob.people.get(private) is None


def test_a_nested_space_knows_the_people_of_the_outer_one(memory, alice):
    (sarah,) = mention(alice, "Sarah")
    session = {"user": "alice", "session": "s1"}
    inside = memory.as_user("alice", session="s1")
    assert mention(inside, "Sarah", space=session) == [sarah]
    (tom,) = mention(inside, "Tom", space=session)
    assert mention(inside, "Tom") != [tom]


def test_a_person_id_out_of_sight_is_not_found(alice, bob):
    (private,) = mention(alice, "Sarah")
    for id in (private, "per_" + "a" * 24):
        with pytest.raises(NotFound, match="there is no person"):
            mention(bob, id)
    assert mention(alice, private) == [private]


# -- who is meant -----------------------------------------------------------------------------------------------------


def test_subjects_are_resolved_in_order_and_each_once(alice):
    sarah = alice.people.add("Sarah", listed=True)
    found = mention(alice, "@bob", "me", "Sarah", "sarah", "Tom", "my  Tom", sarah.id, "@alice")
    assert found[:3] == ["@bob", "@alice", sarah.id]
    assert (len(found), alice.people.get(found[3]).name) == (4, "Tom")
    assert mention(alice, "Tom") == [found[3]]


def test_a_name_in_a_chat_refers_to_its_participant(memory, lunch):
    alice, bob, _ = lunch
    bob.people.update("me", name="Robert Jones")
    assert mention(alice, "bob", "Carol", "Robert", space=CHAT) == ["@bob", "@carol"]
    alone = memory.as_user("alice")
    (other,) = mention(alone, "Robert Jones")
    assert other != "@bob"


def test_an_ambiguous_name_creates_a_new_person(alice, bob):
    mine, theirs = alice.people.add("Sarah", listed=True), bob.people.add("Sarah", listed=True)
    assert mention(alice, "Sarah") == [mine.id]
    alice.people.relate("me", "friend", theirs.id)
    (new,) = mention(alice, "Sarah")
    assert new not in {mine.id, theirs.id}
    assert alice.people.get(new).home == Space.of({"user": "alice"})


def test_a_relationship_is_learned_by_mentioning_it(alice, bob):
    (wife,) = mention(alice, "my wife")
    assert mention(alice, "My Wife", "wife") == [wife]
    (relation,) = alice.people.relations(wife)
    assert (relation.from_person, relation.term, relation.stated_by) == ("@alice", "wife", "@alice")
    assert names(alice.people.find("my wife")) == ["my wife"]
    assert bob.people.find("my wife") == []
    alice.people.update(wife, name="Sarah")
    assert mention(alice, "Sarah", "my wife") == [wife]


def test_me_is_undefined_for_an_agent_acting_for_no_user(memory):
    memory.agent.register("helper", owner="alice")
    agent = memory.as_agent("helper")
    with pytest.raises(InvalidInput, match="`me` names no person here"):
        mention(agent, "me", space={"agent": "helper", "visibility": "public"})
    with pytest.raises(InvalidInput, match="the speaker is not a person here"):
        agent.people.add("Sarah", relation="wife", listed=True)
    assert mention(memory.as_agent("helper", acting_for="alice"), "me", space={"user": "alice"}) == ["@alice"]


def test_a_secret_cannot_become_a_persons_name(memory, alice):
    for reference in (SECRET, f"my {SECRET}"):
        with pytest.raises(Denied) as error:
            mention(alice, reference)
        assert error.value.reason == "secret"
    assert alice.people.list() == []


# -- what may not be a name -------------------------------------------------------------------------------------------

REFUSED = {
    "name": lambda people, text: people.add(text, listed=True),
    "alias": lambda people, text: people.add("Sarah", aliases=["Sal", text], listed=True),
    "relation": lambda people, text: people.add("Sarah", relation=text, listed=True),
    "more aliases": lambda people, text: people.alias("me", text),
    "new name": lambda people, text: people.update("me", name=text),
    "term": lambda people, text: people.relate("me", text, "@bob"),
}


@pytest.mark.parametrize("where", REFUSED)
@pytest.mark.parametrize(("text", "reason"), [(SECRET, "secret"), ("sarah@example.com", "personal_denied")])
def test_a_secret_or_personal_data_is_refused_wherever_it_hides(memory, alice, events, where, text, reason):
    with pytest.raises(Denied) as error:
        REFUSED[where](alice.people, text)
    assert (error.value.reason, text in str(error.value)) == (reason, False)
    assert (alice.people.list(), alice.people.relations("me")) == ([], [])
    assert text.lower() not in json.dumps(events()).lower()
    assert len([event for event in events() if event["decision"] == "denied"]) == 1


@pytest.mark.parametrize("name", ["", "@bob", "me", "a\nb", "*", 7, None])
def test_an_invalid_name_is_refused(alice, name):
    with pytest.raises(InvalidInput, match="name"):
        alice.people.add(name, listed=True)
    with pytest.raises(InvalidInput, match="aliases"):
        alice.people.add("Sarah", aliases="Sal", listed=True)


# -- entering and changing --------------------------------------------------------------------------------------------


def test_adding_people_requires_write_permission_in_the_space(memory, alice, bob):
    alice.remember("likes tea")
    alice.share(user="bob")
    (sarah,) = mention(alice, "Sarah")
    assert bob.people.get(sarah) is None  # whom a shared space knows is not shared with it
    for space in ({"user": "alice"}, {"project": "apollo"}):
        with pytest.raises(Denied) as error:
            bob.people.add("Tom", space=space)
        assert error.value.reason == "border_write"
    for change in (lambda: bob.people.relate(sarah, "friend", "@bob"), lambda: bob.people.update(sarah, name="x")):
        with pytest.raises(NotFound):
            change()
    assert names(alice.people.list()) == ["Sarah"]


def test_only_the_creator_and_the_system_change_a_person(memory, alice, bob):
    sarah = alice.people.add("Sarah", listed=True)
    after = alice.people.update(sarah.id, name="Sarah Smith", aliases=["Sal"])
    assert (after.id, after.names, after.version) == (sarah.id, ("Sarah Smith", "Sal"), 2)
    assert alice.people.update(sarah.id, name="Sarah Smith") == after  # nothing has changed
    with pytest.raises(Denied, match="or the actor who added them"):
        bob.people.alias(sarah.id, "Sara")
    agent = memory.as_agent("helper", owner="bob", acting_for="alice")
    assert agent.people.alias(sarah.id, "Sara").aliases == ("Sal", "Sara")
    assert memory.as_system().people.alias(sarah.id, "S.").version == 4
    assert bob.people.find("Sara") == [alice.people.get(sarah.id)]


def test_a_dropped_person_is_gone_and_their_id_is_not_reused(memory, alice, bob):
    sarah = alice.people.add("Sarah", relation="wife", listed=True)
    with pytest.raises(Denied):
        bob.people.drop(sarah.id)
    alice.people.drop(sarah.id)
    for bound in (alice, bob):
        assert (bound.people.get(sarah.id), bound.people.find("Sarah"), bound.people.list()) == (None, [], [])
    assert alice.people.relations("me") == []
    assert alice.people.add("Sarah", listed=True).id != sarah.id
    with pytest.raises(NotFound):
        alice.people.drop(sarah.id)
    assert memory.trail.verify().ok


def test_new_versions_are_no_longer_about_a_dropped_person(memory, alice):
    sarah, tom, vera = (alice.people.add(name, space={"user": "alice"}) for name in ("Sarah", "Tom", "Vera"))
    said = alice.remember("they ski with @bob", subjects=[sarah.id, tom.id]).item
    assert alice.correct(said.id, "they skate with @bob").item.subjects == (sarah.id, tom.id)  # the control
    waiting = alice.remember("Sarah may move", subjects=[sarah.id], confidence=0.1).item
    alice.people.drop(sarah.id)
    alice.people.drop(vera.id)
    corrected = alice.correct(alice.recall("skate").hits[0].id, "they swim with @bob").item
    edited = alice.review.edit(waiting.id, "@bob may move").item
    restored = alice.restore(said.id).item
    assert [item.subjects[:-1] for item in (corrected, edited, restored)] == [(tom.id,), (), (tom.id,)]
    for item in (corrected, edited, restored):  # still about a person, and not about bob
        assert item.subjects[-1] != sarah.id
        assert alice.people.get(item.subjects[-1]) is None
        assert audience_of(item).subjects == audience_of(said).subjects
    assert alice.correct(restored.id, "they row").item.subjects[:-1] == (tom.id,)
    for subject in (sarah.id, vera.id):
        with pytest.raises(NotFound, match="there is no person"):
            alice.remember("somebody moves", subjects=[subject])
    with pytest.raises(NotFound, match="there is no person"):
        alice.correct(edited.id, "Vera moves", subjects=[vera.id])
    assert memory.trail.verify().ok


def test_a_listing_comes_in_pages(alice):
    ids = sorted(alice.people.add(f"Person {number}", listed=True).id for number in range(5))
    first = alice.people.list(limit=2)
    rest = alice.people.list(after=first[-1].id)
    assert [person.id for person in (*first, *rest)] == ids
    with pytest.raises(InvalidInput, match="limit"):
        alice.people.list(limit=0)


def test_erasing_a_space_drops_the_people_whose_home_it_is(memory, alice, lunch):
    home = Space.of({"user": "alice"})
    mention(alice, "Sarah", "my wife")
    alice.people.add("Tom", listed=True)
    mention(lunch[0], "Zoe", space=CHAT)
    engine = memory._engine
    call = engine.call(alice.actor, "test")
    engine.write(alice._standpoint, call, [home], lambda tx: tx.apply(*drop_people_of(tx, [home])))
    assert names(alice.people.list()) == ["Tom"]
    assert "Zoe" in names(lunch[1].people.list())
    assert (alice.people.relations("me"), memory.trail.verify().ok) == ([], True)


# -- relations --------------------------------------------------------------------------------------------------------


def test_a_relation_is_known_to_those_who_know_both_people(alice, bob):
    listed, private = alice.people.add("Sarah", listed=True), alice.people.add("Tom", space={"user": "alice"})
    wife = alice.people.relate("me", "wife", listed.id, listed=True)
    friend = alice.people.relate("me", "friend", private.id)
    assert (wife.home, friend.home) == (None, Space.of({"user": "alice"}))
    assert bob.people.relations("@alice") == bob.people.relations(listed.id) == [wife]
    assert {one.term for one in alice.people.relations("me")} == {"wife", "friend"}
    for mine in (alice.people.relate("me", "boss", "@bob"), alice.people.relate("me", "cousin", listed.id)):
        assert mine.home == Space.of({"user": "alice"})
    with pytest.raises(InvalidInput, match="not known to all there"):
        alice.people.relate("me", "friend", private.id, listed=True)
    assert bob.people.relations("me") == []


def test_directory_relations_between_two_others_are_denied(memory, alice, bob):
    with pytest.raises(Denied) as error:
        alice.people.relate("@bob", "wife", "@carol", listed=True)
    assert error.value.reason == "not_your_person"
    mine = alice.people.relate("@bob", "wife", "@carol", space={"user": "alice"})
    assert alice.people.relations("@bob") == [mine]
    assert (bob.people.relations("me"), bob.people.find("my wife")) == ([], [])
    assert memory.as_system().people.relate("@bob", "boss", "@carol", listed=True).stated_by is None
    assert names(bob.people.find("my boss")) == ["carol"]


def test_relations_stated_by_others_do_not_resolve_the_speakers_words(lunch):
    alice, bob, _ = lunch
    alice.people.relate("@bob", "wife", "@carol", space=CHAT)
    assert len(bob.people.relations("me")) == 1
    assert mention(bob, "my wife", space=CHAT) != ["@carol"]
    bob.people.relate("me", "boss", "@carol", space=CHAT)
    assert mention(bob, "my boss", space=CHAT) == ["@carol"]


def test_people_of_separate_spaces_cannot_be_related(memory, alice):
    inside = memory.as_user("alice", project="apollo")
    private, ours = (
        alice.people.add("Sarah", space={"user": "alice"}),
        inside.people.add("Tom", space={"project": "apollo"}),
    )
    with pytest.raises(InvalidInput, match="not known to all there"):
        inside.people.relate(private.id, "friend", ours.id)
    both = inside.people.relate(private.id, "friend", ours.id, space={"user": "alice", "project": "apollo"})
    assert inside.people.relations(ours.id) == [both]
    with pytest.raises(InvalidInput, match="the same person"):
        alice.people.relate("me", "friend", "@alice")


def test_a_relation_is_stated_once_and_can_be_withdrawn(memory, alice, bob):
    wife = alice.people.relate("me", "Wife", "@carol", listed=True)
    assert alice.people.relate("@alice", "my wife", "@carol", listed=True) == wife
    with pytest.raises(NotFound, match="relation `boss`"):
        alice.people.unrelate("me", "boss", "@carol")
    with pytest.raises(Denied):
        bob.people.unrelate("@alice", "wife", "@carol")
    assert alice.people.unrelate("me", "wife", "@carol") == [wife]
    assert (alice.people.relations("me"), memory.trail.verify().ok) == ([], True)


# -- merging ----------------------------------------------------------------------------------------------------------


def test_a_merge_leaves_a_redirect_and_carries_names_and_relations(memory, alice, bob):
    keep, gone = (
        alice.people.add("Sarah", listed=True),
        alice.people.add("Sal Smith", aliases=["S."], relation="wife", listed=True),
    )
    merged = alice.people.merge(keep.id, gone.id)
    assert (merged.id, merged.names) == (keep.id, ("Sarah", "Sal Smith", "S."))
    assert bob.people.get(gone.id) == bob.people.get(keep.id) == merged
    assert bob.people.find("sal smith") == bob.people.find("s.") == [merged]
    assert mention(bob, "Sal Smith", gone.id, "Sarah") == [keep.id]
    (wife,) = alice.people.relations(gone.id)
    assert wife.to_person == keep.id
    assert names(alice.people.find("my wife")) == ["Sarah"]
    assert memory.trail.verify().ok


def test_redirects_are_followed_to_the_end(alice):
    first, second, third = (alice.people.add(name, listed=True) for name in ("Sarah", "Sal", "Sally"))
    alice.people.merge(second.id, first.id)
    alice.people.merge(third.id, second.id)
    assert alice.people.get(first.id).id == third.id
    assert mention(alice, first.id, second.id, "@bob") == [third.id, "@bob"]
    for keep, gone in ((first.id, third.id), (third.id, first.id), (first.id, first.id), ("me", "@alice")):
        with pytest.raises(InvalidInput, match="already"):
            alice.people.merge(keep, gone)


def test_a_users_person_is_always_the_one_that_stays(alice):
    sarah = alice.people.add("Sarah")
    assert alice.people.merge(sarah.id, "@carol").id == "@carol"
    assert alice.people.get(sarah.id).id == "@carol"
    assert alice.people.list()[0].user == "carol"


def test_two_users_never_become_one(memory, alice):
    for bound in (alice, memory.as_system()):
        with pytest.raises(Denied) as error:
            bound.people.merge("@alice", "@bob")
        assert error.value.reason == "different_users"
    first, second = alice.people.add("Al", listed=True), alice.people.add("Bo")
    alice.people.link(first.id, user="alice")
    alice.people.link(second.id, user="bob")
    with pytest.raises(Denied):
        alice.people.merge(first.id, second.id)


def test_only_the_creator_of_both_people_may_merge_them(memory, alice, bob):
    mine, theirs = alice.people.add("Sarah", listed=True), bob.people.add("Sarah", listed=True)
    for bound, keep, gone in ((alice, mine, theirs), (bob, mine, theirs), (bob, theirs, mine)):
        with pytest.raises(Denied) as error:
            bound.people.merge(keep.id, gone.id)
        assert error.value.reason == "not_your_person"
    with pytest.raises(Denied):
        bob.people.link(mine.id, user="bob")  # no user claims to be a person another user added
    assert memory.as_system().people.merge(mine.id, theirs.id).id == mine.id
    assert bob.people.get(theirs.id).id == mine.id


def test_merged_names_are_shown_only_to_those_who_may_know_them(memory, alice, bob):
    """A link from private notes adds no name that others could read."""
    (private,) = mention(alice, "The Grump")
    listed = memory.as_system().people.add("The Chief", listed=True)
    for bound, id in ((alice, private), (memory.as_system(), listed.id)):
        assert bound.people.link(id, user="bob").id == "@bob"
    assert bob.people.get("me").names == ("bob", "The Chief", "bob")
    assert (names(alice.people.find("the grump")), bob.people.find("the grump")) == (["bob"], [])
    assert names(bob.people.find("the chief")) == ["bob"]
    assert mention(alice, "The Grump") == ["@bob"]
    bob.people.merge("me", bob.people.add("Bobby", listed=True).id)
    assert "Bobby" in bob.people.get("me").aliases


def test_only_a_user_or_the_system_lists_a_name_of_that_user_for_everybody(memory, alice, bob):
    sarah = alice.people.add("Sarah", listed=True)
    for ask in (
        lambda: alice.people.add("The Thief", user="bob", listed=True),
        lambda: alice.people.add("The Thief", relation="enemy", user="bob", listed=True),
        lambda: alice.people.link(sarah.id, user="bob"),
        lambda: alice.people.merge("@bob", sarah.id),
        lambda: alice.people.merge(sarah.id, "@bob"),
        lambda: memory.as_agent("helper", owner="alice", acting_for="alice").people.link(sarah.id, user="bob"),
    ):
        with pytest.raises(Denied) as error:
            ask()
        assert error.value.reason in {"listed_by_themselves", "not_your_person"}
    assert (alice.people.find("the thief"), alice.people.get(sarah.id).id) == ([], sarah.id)
    assert bob.people.add("Robert", user="bob", listed=True).id == "@bob"
    assert memory.as_system().people.add("Bobby", user="bob", listed=True).id == "@bob"
    assert alice.people.add("Grump", user="bob").id == "@bob"  # for herself alone
    assert names(bob.people.find("grump")) == []


def test_a_redirect_leads_to_a_person_its_readers_may_see(memory, alice):
    listed, private = alice.people.add("Sarah", listed=True), alice.people.add("Sal", space={"user": "alice"})
    with pytest.raises(InvalidInput, match="keep the one that more can see"):
        alice.people.merge(private.id, listed.id)
    assert alice.people.merge(listed.id, private.id).aliases == ()
    assert alice.people.get(private.id).id == listed.id


def test_a_link_counts_for_its_author_and_for_all_if_the_system_made_it(memory, alice, bob):
    """What somebody else says about a person is not told to a user because a third one says they are the same."""
    memory.chat.register("lunch", kind="group", participants=["alice", "bob"])
    alice, bob = (memory.as_user(user, chat="lunch") for user in ("alice", "bob"))
    sarah = alice.people.add("Sarah", space=CHAT)
    alice.people.link(sarah.id, user="carol")
    assert mention(alice, "Sarah", space=CHAT) == mention(alice, sarah.id, space=CHAT) == ["@carol"]
    assert mention(bob, "Sarah", space=CHAT) == mention(bob, sarah.id, space=CHAT) == [sarah.id]
    tom = alice.people.add("Tom", listed=True)
    memory.as_system().people.link(tom.id, user="dora")
    assert mention(bob, tom.id) == mention(alice, "Tom") == ["@dora"]


def test_a_merge_rewrites_only_the_mergers_own_memories(memory, lunch):
    alice, bob, _ = lunch
    sarah, sally = (memory.as_user("alice").people.add(name, listed=True) for name in ("Sarah", "Sally"))
    kept = {
        bound.actor.id: [
            bound.remember(f"{bound.actor.id} says Sarah likes {what}", subjects=[sarah.id, "@dora"], **where).id
            for what, where in (("tea", {}), ("jam", {"space": CHAT}), ("ink", {"space": CHAT, "confidence": 0.1}))
        ]
        for bound in (alice, bob)
    }
    memory.as_user("alice").people.merge(sally.id, sarah.id)  # wherever she stands when she says so

    def subjects(space):
        return {
            (item.author.id, item.subjects)
            for item in memory._engine.store.items(_whole(memory), [id for ids in kept.values() for id in ids])
            if item.space == Space.of(space)
        }

    assert subjects(CHAT) == {("alice", (sally.id, "@dora")), ("bob", (sarah.id, "@dora"))}
    assert subjects({"user": "alice"}) == {("alice", (sally.id, "@dora"))}
    assert subjects({"user": "bob"}) == {("bob", (sarah.id, "@dora"))}
    assert memory.trail.verify().ok
    assert memory.as_system().doctor(checks=["integrity"]).problems == []


def test_a_merge_by_the_system_rewrites_all_users_memories(memory, alice, bob):
    sarah = alice.people.add("Sarah", listed=True)
    ids = [bound.remember("Sarah likes tea", subjects=[sarah.id]).id for bound in (alice, bob)]
    memory.as_system().people.link(sarah.id, user="carol")
    found = memory._engine.store.items(_whole(memory), ids)
    assert [item.subjects for item in found] == [("@carol",), ("@carol",)]
    assert {item.version for item in found} == {2}
    assert memory.trail.verify().ok


def test_a_user_who_left_a_chat_changes_nothing_in_it(memory, lunch):
    alice = lunch[0]
    sarah, sally = (alice.people.add(name, listed=True) for name in ("Sarah", "Sally"))
    id = alice.remember("Sarah likes tea", subjects=[sarah.id], space=CHAT).id
    memory.chat.register("lunch", kind="group", participants=["bob", "carol"])
    memory.as_user("alice").people.merge(sally.id, sarah.id)
    (item,) = memory._engine.store.items(_whole(memory), [id])
    assert item.subjects == (sarah.id,)


def _whole(memory):
    return maintenance_sight(memory._engine.store.spaces())


def test_a_user_is_added_by_themselves_or_linked_to_an_added_person(alice, bob):
    assert bob.people.add("Robert", aliases=["Rob"], user="bob").id == "@bob"
    assert alice.people.get("@bob").names == ("Robert", "Rob", "bob")
    theirs = alice.people.add("Bobby", user="bob", relation="friend")
    assert theirs.id == "@bob"
    assert alice.people.get("@bob").names == ("Robert", "Rob", "bob")
    assert names(alice.people.find("bobby")) == names(alice.people.find("my friend")) == ["Robert"]
    assert replace(theirs, version=1) == theirs


# -- the trail --------------------------------------------------------------------------------------------------------


def test_every_change_is_in_the_trail_and_no_name_is(memory, alice, events):
    sarah = alice.people.add("Sarahlinde", aliases=["Sarahbelle"], relation="godmother", listed=True)
    alice.people.alias(sarah.id, "Sarahkins")
    gone = alice.people.add("Sarahlotte", listed=True)
    alice.people.merge(sarah.id, gone.id)
    alice.people.unrelate("me", "godmother", sarah.id)
    alice.people.drop(sarah.id)
    mention(alice, "Sarahmina", "my grandmother")
    actions = [event["action"] for event in events()]
    assert actions == [
        "add_person", "relate", "update_person", "add_person", "merge_people", "update_person", "unrelate",
        "drop_person", "add_person", "add_person", "relate",
    ]  # fmt: skip
    exported = json.dumps(list(memory.as_system().trail.export()), ensure_ascii=False).lower()
    assert "sarah" not in exported.replace(sarah.id, "").replace(gone.id, "")
    assert "mother" not in exported
    assert memory.trail.verify().ok
