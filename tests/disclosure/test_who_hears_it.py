"""Short stories of who hears what, each with its positive control. The policies judge words, and there is no encoder.

They are written from the documents, as the oracle is, and tell what the matrix does not: conversations, shares, imports
that are promoted, previews, and what somebody says with "we".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memfort import BoundMemory, Denied, FixedClock, Memory, NotFound
from memfort.store.memory import MemoryStore

OpenMemory = Callable[..., Memory]
OWN = {"user": "alice"}


@pytest.fixture
def open_here(clock: FixedClock) -> Iterator[OpenMemory]:
    """Make a memory, by default under the default policy, in which words are judged."""
    made: list[Memory] = []

    def make(preset: str = "default") -> Memory:
        made.append(Memory(MemoryStore(), clock=clock, policy={"extends": preset, "conflict": {"evolve": False}}))
        return made[-1]

    yield make
    for memory in made:
        memory.close()


@pytest.fixture
def memory(open_here: OpenMemory) -> Memory:
    return open_here()


def group(memory: Memory, id: str, *persons: str, agents: tuple[str, ...] = ()) -> None:
    memory.chat.register(id, kind="group", participants=list(persons), agents=list(agents))


def private(memory: Memory, id: str, *persons: str, agents: tuple[str, ...] = ()) -> None:
    memory.chat.register(id, kind="private", participants=list(persons), agents=list(agents))


def is_used(reader: BoundMemory, id: str) -> bool:
    """Whether the verb `used` knows it; who may only read it is told so."""
    try:
        reader.used(id)
    except NotFound:
        return False
    except Denied as error:
        return error.reason == "read_only_here"
    return True


def answers(reader: BoundMemory, id: str, query: str) -> dict[str, bool]:
    """Whether each read verb gives it."""
    return {
        "recall": id in {hit.id for hit in reader.recall(query)},
        "get": reader.get(id) is not None,
        "history": _in_history(reader, id),
        "explain": reader.explain(id).shown,
        "used": is_used(reader, id),
    }


def _in_history(reader: BoundMemory, id: str) -> bool:
    try:
        return bool(reader.history(id))
    except NotFound:
        return False


def hears(reader: BoundMemory, outcome: Any, query: str) -> bool:
    """Whether the reader is given it: by every read verb, or by none."""
    given = answers(reader, outcome.id, query)
    assert len(set(given.values())) == 1, given
    return given["get"]


# The public space of somebody else's agent, and shares


def published(memory: Memory, text: str, **given: Any) -> Any:
    memory.agent.register("bot", owner="alice")
    space = {"agent": "bot", "visibility": "public"}
    kept = memory.as_user("alice", agent="bot").remember(text, space=space, **given)
    assert kept.kept
    return kept


def test_publishing_releases_the_place_never_the_sensitivity(memory: Memory) -> None:
    kept = published(memory, "Bob has cancer", subjects=["@bob"])
    assert not hears(memory.as_user("carol", agent="bot"), kept, "cancer")
    assert hears(memory.as_user("bob", agent="bot"), kept, "cancer"), "the only subject"
    assert hears(memory.as_user("alice", agent="bot"), kept, "cancer"), "the owner"
    hours = published(memory, "The library opens at nine", sensitivity="public", subjects=[])
    assert hears(memory.as_user("carol", agent="bot"), hours, "library"), "what is public anyone reads"


def test_the_outcome_says_that_not_everybody_will_read_what_was_published(memory: Memory) -> None:
    assert published(memory, "Bob has cancer", subjects=["@bob"]).notice
    assert not published(memory, "The library opens at nine", sensitivity="public", subjects=[]).notice


def test_what_is_published_in_a_private_chat_on_purpose_is_released(memory: Memory) -> None:
    private(memory, "diary", "alice")
    memory.agent.register("bot", owner="alice")
    there, space = memory.as_user("alice", chat="diary", agent="bot"), {"agent": "bot", "visibility": "public"}
    first = there.remember("The library opens at nine", space=space, sensitivity="public", subjects=[])
    reader = memory.as_user("carol", agent="bot")
    assert hears(reader, first, "library")
    second = there.correct(first.id or "", "The library opens at ten", sensitivity="public", subjects=[])
    assert not hears(reader, second, "library"), "a correction names no space"
    assert hears(memory.as_user("alice", agent="bot"), second, "library")


def test_a_share_does_not_tell_what_a_private_chat_taught(memory: Memory) -> None:
    private(memory, "diary", "alice")
    told = memory.as_user("alice", chat="diary").remember(
        "The lamp cost forty euros", space=OWN, sensitivity="public", subjects=[]
    )
    outside = memory.as_user("alice").remember("The sofa cost ninety euros", sensitivity="public", subjects=[])
    memory.as_user("alice").share(user="bob")
    assert not hears(memory.as_user("bob"), told, "lamp")
    assert hears(memory.as_user("bob"), outside, "sofa")


def test_a_share_is_read_by_the_column_one_person(memory: Memory) -> None:
    alice = memory.as_user("alice")
    kept = {
        person: alice.remember(f"@{person} likes the lamp of {person}", sensitivity="personal", subjects=[f"@{person}"])
        for person in ("bob", "carol")
    }
    alice.share(user="bob")
    assert hears(memory.as_user("bob"), kept["bob"], "lamp"), "the only subject"
    assert not hears(memory.as_user("bob"), kept["carol"], "lamp")
    assert not hears(memory.as_user("carol"), kept["carol"], "lamp"), "nobody shared it with carol"


# They heard it


def test_the_window_of_a_private_chat_that_becomes_a_group_shows_nothing_of_before(memory: Memory) -> None:
    private(memory, "den", "alice", "bob")
    memory.as_user("alice", chat="den").observe("I have HIV and I am scared")
    bob = memory.as_user("bob", chat="den")
    assert [turn.text for turn in bob.window()] == ["I have HIV and I am scared"]
    group(memory, "den", "alice", "bob", "carol")
    assert [bob.window(), memory.as_user("carol", chat="den").window()] == [[], []]
    memory.as_user("alice", chat="den").observe("The stairs are wet")
    assert [turn.text for turn in bob.window()] == ["The stairs are wet"]


def test_a_newcomer_alone_in_a_private_chat_hears_nothing_of_the_people_before(memory: Memory) -> None:
    private(memory, "den", "alice", "bob")
    said = {"sensitivity": "public", "subjects": [], "space": {"chat": "den"}}
    kept = memory.as_user("alice", chat="den").remember("The lamp cost forty euros", **said)
    memory.as_user("alice", chat="den").observe("The stairs are wet")
    assert hears(memory.as_user("bob", chat="den"), kept, "lamp")
    private(memory, "den", "carol")
    carol = memory.as_user("carol", chat="den")
    assert not hears(carol, kept, "lamp")
    assert carol.window() == []


def test_what_was_said_in_a_group_is_said_there_until_somebody_new_listens(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob")
    alice, bob = memory.as_user("alice", chat="lunch"), memory.as_user("bob", chat="lunch")
    unjudged = alice.remember("@bob keeps the spare lamp", subjects=["@bob"], space={"chat": "lunch"})
    public = alice.remember("The stairs are wet", sensitivity="public", subjects=[], space={"chat": "lunch"})
    personal = alice.remember(
        "@bob owes the kitty ten euros", sensitivity="personal", subjects=["@bob"], space={"chat": "lunch"}
    )
    assert unjudged.item.judgement.reason == "not_classified"
    assert [hears(alice, one, "lamp stairs kitty") for one in (unjudged, public, personal)] == [True, True, False]
    group(memory, "lunch", "alice", "bob", "carol")
    assert [hears(alice, one, "lamp stairs kitty") for one in (unjudged, public, personal)] == [False, True, False]
    assert hears(bob, unjudged, "lamp"), "as personal: bob asks, and is its only subject"


def test_whoever_heard_it_in_a_group_is_told_in_their_private_chat(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob", "carol")
    private(memory, "tea", "alice", "carol")
    private(memory, "wine", "alice", "dave")
    private(memory, "diary", "alice")
    said = {"subjects": ["@carol"], "space": OWN, "portable": True}
    kept = memory.as_user("alice", chat="lunch").remember("@carol keeps the spare lamp", **said)
    assert kept.item.judgement.reason == "not_classified"
    assert hears(memory.as_user("alice", chat="tea"), kept, "lamp")
    assert hears(memory.as_user("alice", chat="diary"), kept, "lamp")
    carol = memory.as_user("carol", chat="tea")
    assert kept.id in {item.id for item in carol.about("@carol")}
    assert carol.get(kept.id or "") is not None
    assert not hears(memory.as_user("alice", chat="wine"), kept, "lamp"), "dave was not there"


def test_what_was_said_before_a_chat_was_registered_is_heard_there_by_its_members_if_public(memory: Memory) -> None:
    alice = memory.as_user("alice", chat="late")
    said = {"space": {"chat": "late"}, "subjects": []}
    public = alice.remember("The stairs are wet", sensitivity="public", **said)
    personal = alice.remember("The lamp cost forty euros", sensitivity="personal", **said)
    private(memory, "late", "alice")
    assert [hears(alice, one, "stairs lamp") for one in (public, personal)] == [True, True], "who said it"
    group(memory, "late", "alice", "bob")
    bob = memory.as_user("bob", chat="late")
    assert [hears(bob, one, "stairs lamp") for one in (public, personal)] == [True, False]


# Who listens


def test_dora_and_the_assistant_that_asks_for_dora_get_the_same(memory: Memory) -> None:
    memory.agent.register("helper", owner="host")
    private(memory, "den", "dora", agents=("helper",))
    said = {"sensitivity": "personal", "subjects": ["@dora"], "space": {"user": "dora"}}
    kept = memory.as_user("dora").remember("I collect lamps", **said)
    helper = memory.as_agent("helper", owner="host", acting_for="dora", chat="den")
    assert hears(memory.as_user("dora", chat="den"), kept, "lamps")
    assert hears(helper, kept, "lamps")
    private(memory, "den", "dora", "bob", agents=("helper",))
    assert not hears(memory.as_user("dora", chat="den"), kept, "lamps")


def test_two_members_of_a_project_hear_its_public_facts_in_their_private_chat(memory: Memory) -> None:
    for user in ("alice", "bob", "carol"):
        memory.member.add({"project": "apollo"}, user=user, trust="owner")
    private(memory, "tea", "alice", "bob")
    private(memory, "wine", "alice", "dave")
    said = {"space": {"project": "apollo"}, "subjects": []}
    carol = memory.as_user("carol", project="apollo")
    public = carol.remember("The launch is in May", sensitivity="public", **said)
    personal = carol.remember("The budget is in June", sensitivity="personal", **said)
    tea = memory.as_user("alice", chat="tea", project="apollo")
    assert [hears(tea, one, "launch budget") for one in (public, personal)] == [True, False]
    assert not hears(memory.as_user("alice", chat="wine", project="apollo"), public, "launch"), "dave is no member"


def test_a_memory_about_two_is_about_neither_alone(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob")
    alice, here = memory.as_user("alice"), memory.as_user("alice", chat="lunch")
    both = alice.remember("@alice and @bob share a lamp", sensitivity="personal", subjects=["@alice", "@bob"])
    one = alice.remember("@alice has a lamp", sensitivity="personal", subjects=["@alice"])
    assert [hears(here, kept, "lamp") for kept in (both, one)] == [False, True]


def test_a_reader_list_admits_every_listener_or_it_is_not_said(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob")
    group(memory, "hall", "alice", "bob", "carol")
    said = {"sensitivity": "public", "subjects": [], "space": OWN, "access": {"users": ["alice", "bob"]}}
    kept = memory.as_user("alice").remember("The lamp is broken", **said)
    assert hears(memory.as_user("alice", chat="lunch"), kept, "lamp")
    assert not hears(memory.as_user("alice", chat="hall"), kept, "lamp")


# What stays in its chat


def test_what_is_not_portable_is_said_in_its_chat_and_in_no_other(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob")
    group(memory, "hall", "alice", "bob")
    said = {"sensitivity": "public", "subjects": ["@bob"], "space": OWN}
    here = memory.as_user("alice", chat="lunch")
    stays = here.remember("@bob is presenting next", portable=False, **said)
    moves = here.remember("@bob has a lamp", portable=True, **said)
    for user in ("alice", "bob"):
        assert hears(memory.as_user(user, chat="lunch"), stays, "presenting next"), user
        assert not hears(memory.as_user(user, chat="hall"), stays, "presenting next"), user
        assert hears(memory.as_user(user, chat="hall"), moves, "lamp"), user
    assert hears(memory.as_user("alice"), stays, "presenting next"), "whoever may read its space"


@pytest.mark.parametrize("preset", ["default", "chat"])
def test_what_we_do_in_a_group_is_about_nobody_and_stays_there(preset: str, open_here: OpenMemory) -> None:
    memory = open_here(preset)
    group(memory, "lunch", "alice", "bob")
    group(memory, "team", "alice", "dave")
    kept = memory.as_user("alice", chat="lunch").remember("Our standup is at 9am")
    assert (kept.item.subjects, kept.item.portable) == ((), False)
    assert hears(memory.as_user("bob", chat="lunch"), kept, "When is the standup?")
    dave = memory.as_user("dave", chat="team")
    assert not hears(dave, kept, "When is the standup?")
    assert kept.id not in {item.id for item in dave.about("@alice")}


def test_the_subjects_that_a_caller_gives_are_believed(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob")
    alice = memory.as_user("alice", chat="lunch")
    assert alice.remember("I have the key to the kitchen", subjects=[]).item.subjects == ()
    assert alice.remember("I have the key to the cellar").item.subjects == ("@alice",)


def test_an_import_is_said_in_a_chat_once_it_is_promoted_there(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob")
    row = {"user_id": "alice", "kind": "preference", "content": "the stairs are wet", "scope_type": "global"}
    alice, here = memory.as_user("alice"), memory.as_user("alice", chat="lunch")
    alice.import_(json.dumps([row]).encode(), filename="rows.json")
    [item] = alice.list()
    lowered = alice.correct(item.id, item.text, sensitivity="public", subjects=[])
    id = lowered.id if lowered.kept else item.id
    assert here.get(id or "") is None
    promoted = alice.promote(id or "", {"chat": "lunch"})
    assert promoted.kept, promoted.reason
    assert hears(memory.as_user("bob", chat="lunch"), promoted, "stairs")


def test_promoting_never_releases_the_sensitivity(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob")
    private(memory, "diary", "alice")
    told = {
        level: memory.as_user("alice", chat="diary").remember(
            f"The lamp of {level} glass is broken", sensitivity=level, subjects=[], space=OWN
        )
        for level in ("public", "sensitive")
    }
    heard = {}
    for level, kept in told.items():
        copy = memory.as_user("alice").promote(kept.id or "", {"chat": "lunch"})
        heard[level] = copy.kept and hears(memory.as_user("bob", chat="lunch"), copy, "lamp glass")
    assert heard == {"public": True, "sensitive": False}


# Presets


def test_what_somebody_tells_about_themselves_alone_is_found_by_name_only(open_here: OpenMemory) -> None:
    memory = open_here("chat")
    group(memory, "lunch", "alice", "carol")
    kept = memory.as_user("alice").remember("I want to leave the team by summer")
    carol = memory.as_user("carol", chat="lunch")
    assert kept.id not in {hit.id for hit in carol.recall("leave the team")}
    assert kept.id not in {hit.id for hit in carol.recall("Who wants to leave the team by summer?")}
    assert kept.id in {hit.id for hit in carol.recall("Does @alice want to leave the team?")}
    assert kept.id in {item.id for item in carol.about("@alice")}


def test_a_public_memory_of_one_s_own_is_always_shown_to_its_owner(open_here: OpenMemory) -> None:
    heard = {}
    for preset in ("chat", "default"):
        memory = open_here(preset)
        private(memory, "diary", "alice")
        group(memory, "lunch", "alice", "bob")
        said = {"sensitivity": "public", "subjects": ["@alice"], "space": OWN}
        kept = memory.as_user("alice", chat="diary").remember("I bought a telescope", **said)
        heard[preset] = hears(memory.as_user("alice", chat="lunch"), kept, "telescope")
    assert heard == {"chat": True, "default": False}


# One answer


@pytest.mark.parametrize("preset", ["default", "chat"])
def test_what_recall_gives_every_read_verb_gives(preset: str, open_here: OpenMemory) -> None:
    memory = open_here(preset)
    group(memory, "lunch", "alice", "bob")
    group(memory, "team", "bob", "dave")
    private(memory, "hall", "dave", "erin")  # in a group the preset tells of those who are named
    said = {"sensitivity": "public", "subjects": ["@bob"], "space": OWN, "portable": True}
    kept = memory.as_user("alice", chat="lunch").remember("@bob loves pizza", **said)
    assert hears(memory.as_user("dave", chat="team"), kept, "pizza")
    assert not hears(memory.as_user("dave", chat="hall"), kept, "pizza")
    assert not hears(memory.as_user("dave"), kept, "pizza")


def test_a_preview_and_the_trail_in_a_group_name_nothing_that_the_group_may_not_hear(memory: Memory) -> None:
    group(memory, "lunch", "alice", "bob")
    alice, here = memory.as_user("alice"), memory.as_user("alice", chat="lunch")
    said = {"subjects": ["@alice"], "space": OWN}
    secret = alice.remember("I take pills for my heart", sensitivity="sensitive", **said)
    known = alice.remember("I take the early bus", sensitivity="public", **said)
    for words, kept, is_named in (("pills heart", secret, False), ("early bus", known, True)):
        for end in ("forget", "erase"):
            preview = getattr(here, end)(query=words, dry_run=True)
            assert (str(kept.id) in json.dumps(preview.to_dict(), default=str)) == is_named, (end, words)
            outside = getattr(alice, end)(query=words, dry_run=True)
            assert str(kept.id) in json.dumps(outside.to_dict(), default=str), (end, words)
    assert str(secret.id) in json.dumps(list(alice.trail.export()), default=str)
    assert str(secret.id) not in json.dumps(list(here.trail.export()), default=str)
