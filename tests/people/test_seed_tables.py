"""The tables of seed 002, by hand and one test each. Where the seed says two things, both are here with their rule."""

from __future__ import annotations

import pytest

from memfort import Denied, NotFound

LEVELS = ("public", "personal", "sensitive")
# Three things that have nothing to do with each other, so that none takes the place of another.
ABOUT = {
    "public": "bob keeps bees on the roof",
    "personal": "bob dislikes his new haircut",
    "sensitive": "bob cannot swim at all",
}


def chats(memory):
    """The club is where things are said; the others are where they are asked for."""
    for chat, kind, participants in (
        ("club", "group", ["alice", "bob", "carol"]),
        ("office", "group", ["alice", "bob", "carol"]),
        ("band", "group", ["alice", "carol"]),  # without bob
        ("alice-bot", "private", ["alice"]),
        ("bob-bot", "private", ["bob"]),
        ("carol-bot", "private", ["carol"]),
        ("alice-bob", "private", ["alice", "bob"]),
        ("alice-carol", "private", ["alice", "carol"]),
    ):
        memory.chat.register(chat, kind=kind, participants=participants)
    return memory


def tell_of_bob(memory, say, *, space=None, chat="club", speaker="alice"):
    """Alice says a public, a personal and a sensitive thing of bob in the club, and keeps them for herself."""
    for level, text in ABOUT.items():
        say(memory.as_user(speaker, chat=chat), text, subjects=["@bob"], sensitivity=level, space=space)


def heard(memory, user, chat=None, query="bob"):
    """Which of the three are shown, by their level."""
    asker = memory.as_user(user) if chat is None else memory.as_user(user, chat=chat)
    texts = asker.recall(query).texts
    return {level: text in texts for level, text in ABOUT.items()}


def row(public, personal, sensitive):
    return dict(zip(LEVELS, (public, personal, sensitive), strict=True))


# -- sensitivity levels -----------------------------------------------------------------------------------------------


def test_sensitivity_levels_public_is_shared_anywhere(under, say):
    """| public | Can be shared anywhere (default) | No restrictions |"""
    memory = chats(under())
    item = say(memory.as_user("alice", chat="club"), "bob keeps bees", subjects=["@bob"])
    assert item.sensitivity == "public"
    for chat in ("club", "office", "band"):
        assert memory.as_user("alice", chat=chat).recall("bees").texts == ["bob keeps bees"]
    assert memory.as_user("bob", chat="bob-bot").recall("bees").texts == ["bob keeps bees"]
    assert memory.as_user("alice", chat="alice-carol").recall("bees").texts == ["bob keeps bees"]  # carol was there


def test_sensitivity_levels_personal_is_for_the_subject_and_the_owner(under, say):
    """| personal | Personal details not for group disclosure | Only with subject or memory owner |"""
    memory = chats(under())
    tell_of_bob(memory, say)
    assert heard(memory, "bob", "bob-bot")["personal"]  # the subject
    assert heard(memory, "alice", "alice-bot")["personal"]  # the owner
    assert heard(memory, "alice", "alice-bob")["personal"]  # with the subject
    assert heard(memory, "bob", "office")["personal"]  # the subject asks
    assert not heard(memory, "alice", "alice-carol")["personal"]
    assert not heard(memory, "alice", "office")["personal"]
    assert not heard(memory, "alice", "band")["personal"]
    assert not heard(memory, "carol", "carol-bot")["personal"]


def test_sensitivity_levels_sensitive_is_for_a_private_chat_with_the_subject(under, say):
    """| sensitive | High privacy (medical, financial, mental health) | Only in private chat with subject |"""
    memory = chats(under())
    tell_of_bob(memory, say)
    shown = {
        (user, chat): heard(memory, user, chat)["sensitive"]
        for user, chat in (
            ("bob", "bob-bot"), ("alice", "alice-bob"), ("alice", "alice-bot"), ("alice", "alice-carol"),
            ("bob", "office"), ("alice", "office"), ("alice", "band"), ("carol", "carol-bot"),
        )
    }  # fmt: skip
    assert [place for place, is_disclosed in shown.items() if is_disclosed] == [
        ("bob", "bob-bot"),
        ("alice", "alice-bot"),  # who said it
    ]


# -- group chats ------------------------------------------------------------------------------------------------------

# | Sensitivity | Subject is participant | Subject is NOT participant |
GROUP_CHATS = {
    "participants": {"office": row(True, True, True), "band": row(True, False, False)},
    "strict": {"office": row(True, False, False), "band": row(True, False, False)},
}


@pytest.mark.parametrize("rule", GROUP_CHATS)
@pytest.mark.parametrize("chat", ["office", "band"])
def test_group_chats(under, say, rule, chat):
    memory = chats(under(rule))
    tell_of_bob(memory, say)
    assert heard(memory, "alice", chat) == GROUP_CHATS[rule][chat]


@pytest.mark.parametrize("rule", GROUP_CHATS)
@pytest.mark.parametrize("chat", ["office", "band"])
def test_group_chats_for_memories_of_the_group(under, say, rule, chat):
    memory = chats(under(rule))
    tell_of_bob(memory, say, chat=chat, space={"chat": chat})
    assert heard(memory, "carol", chat) == GROUP_CHATS[rule][chat]


# -- private chats ----------------------------------------------------------------------------------------------------


def test_private_chats_disclose_memories_about_the_partner(under, say):
    memory = chats(under())
    say(memory.as_user("alice", chat="band"), "carol plays drums", subjects=["@carol"])
    say(memory.as_user("alice", chat="band"), "bob plays drums", subjects=["@bob"])
    assert memory.as_user("alice", chat="alice-bob").recall("drums").texts == ["bob plays drums"]


def test_private_chats_disclose_statements_by_the_partner(under, say):
    """Every listener needs a reason: bob said it, and it is about alice, who asks."""
    memory = chats(under())
    memory.chat.register("alice-dan", kind="private", participants=["alice", "dan"])
    memory.member.add({"project": "apollo"}, user="alice")
    memory.member.add({"project": "apollo"}, user="bob")
    bob = memory.as_user("bob", project="apollo")
    say(bob, "alice plays drums", subjects=["@alice"], space={"project": "apollo"})
    with_bob = memory.as_user("alice", project="apollo", chat="alice-bob")
    with_dan = memory.as_user("alice", project="apollo", chat="alice-dan")
    assert with_bob.recall("drums").texts == ["alice plays drums"]
    assert not with_dan.recall("drums")


def test_private_chats_disclose_statements_the_partner_was_present_for(under, say):
    memory = chats(under())
    memory.chat.register("alice-dan", kind="private", participants=["alice", "dan"])
    say(memory.as_user("alice", chat="club"), "eve plays drums", subjects=["@eve"])
    say(memory.as_user("alice", chat="band"), "eve lives in Oslo", subjects=["@eve"])
    assert memory.as_user("alice", chat="alice-bob").recall("eve").texts == ["eve plays drums"]
    assert len(memory.as_user("alice", chat="alice-carol").recall("eve")) == 2
    assert not memory.as_user("alice", chat="alice-dan").recall("eve")


def test_private_chats_disclose_self_memories(under, say):
    memory = chats(under())
    say(memory.as_user("alice"), "the drums stand in the cellar")
    say(memory.as_user("alice"), "alice plays drums", subjects=["@alice"])
    say(memory.as_user("alice"), "eve plays drums", subjects=["@eve"])
    found = memory.as_user("alice", chat="alice-bob").recall("drums").texts
    assert sorted(found) == ["alice plays drums", "the drums stand in the cellar"]


@pytest.mark.parametrize(("missing_provenance", "shown"), [("closed", []), ("open", ["eve plays drums"])])
def test_private_chats_disclose_legacy_data_only_if_the_policy_is_open(under, bring, missing_provenance, shown):
    memory = chats(under(missing_provenance=missing_provenance))
    bring(memory.as_user("alice"), "eve plays drums", subjects=["@eve"])
    assert memory.as_user("alice", chat="alice-bob").recall("drums").texts == shown
    assert memory.as_user("alice").recall("drums").texts == ["eve plays drums"]


def test_private_chats_exclude_third_parties_otherwise(under, say):
    memory = chats(under())
    say(memory.as_user("alice", chat="band"), "carol plays drums", subjects=["@carol"])
    assert not memory.as_user("alice", chat="alice-bob").recall("drums")
    assert memory.as_user("alice", chat="alice-carol").recall("drums")


# -- cross-context retrieval ------------------------------------------------------------------------------------------


def test_cross_context_the_pizza_story(under, say):
    """Alice mentions in a group that bob loves pizza; bob asks in private."""
    memory = chats(under())
    kept = say(memory.as_user("alice", chat="club"), "@bob loves pizza", subjects=["@bob"], space={"chat": "club"})
    assert kept.subjects == ("@bob",)
    (hit,) = memory.as_user("bob", chat="bob-bot").recall("pizza")
    assert (hit.text, hit.reason) == ("@bob loves pizza", "about_person")
    assert not memory.as_user("carol", chat="carol-bot").recall("pizza")


def test_cross_context_retrieval(under, say):
    """1. public: always; 2. personal: the subject person or the owner; 3. sensitive: private chat with the subject."""
    memory = chats(under())
    tell_of_bob(memory, say)
    assert heard(memory, "bob", "bob-bot") == row(True, True, True)
    assert heard(memory, "alice", "alice-bot") == row(True, True, True)  # who said it
    assert heard(memory, "bob", "office") == row(True, True, False)
    assert heard(memory, "alice", "office") == row(True, False, False)
    assert heard(memory, "carol", "carol-bot") == row(False, False, False)  # alice's own, and not about carol


def test_cross_context_query_finds_by_subject_across_all_owners_and_counts_nothing_twice(under, say):
    memory = chats(under())
    say(memory.as_user("alice", chat="club"), "bob keeps bees", subjects=["@bob"])
    say(memory.as_user("carol", chat="club"), "bob lives in Oslo", subjects=["@bob"], space={"chat": "club"})
    say(memory.as_user("bob", chat="club"), "bob speaks Danish", subjects=["@bob"])
    say(memory.as_user("alice", chat="club"), "carol speaks Danish", subjects=["@carol"])
    texts = [item.text for item in memory.as_user("bob", chat="club").about("@bob")]
    assert sorted(texts) == ["bob keeps bees", "bob lives in Oslo", "bob speaks Danish"]
    recalled = memory.as_user("bob", chat="club").recall("bob").texts
    assert sorted(recalled) == sorted(texts)


# -- privacy in groups, self-query ------------------------------------------------------------------------------------


# | When someone asks about a person in a group chat | public: shown |
# That personal and sensitive memories are shown if their subject takes part contradicts the self-query table below,
# which counts for what comes from other spaces.
@pytest.mark.parametrize(
    ("rule", "chat", "shown"),
    [
        ("participants", "office", row(True, False, False)),
        ("strict", "office", row(True, False, False)),
        (
            "participants",
            "band",
            row(True, False, False),
        ),  # bob is only named: carol was in the group where it was said
        ("strict", "band", row(True, False, False)),
    ],
)
def test_privacy_in_groups_when_someone_asks_about_a_person(under, say, rule, chat, shown):
    memory = chats(under(rule))
    tell_of_bob(memory, say)
    texts = [item.text for item in memory.as_user("carol", chat=chat).about("@bob")]
    assert {level: text in texts for level, text in ABOUT.items()} == shown


# | Context | PUBLIC | PERSONAL | SENSITIVE |
SELF_QUERY = {
    ("bob", "bob-bot"): row(True, True, True),  # Private chat with Bob
    ("bob", "office"): row(True, True, False),  # Group chat (Bob asking)
    ("carol", "office"): row(True, False, False),  # Group chat (others asking)
}


@pytest.mark.parametrize(("user", "chat"), SELF_QUERY)
@pytest.mark.parametrize("space", [None, {"chat": "club"}], ids=["alice's own", "the club's"])
def test_self_query(under, say, user, chat, space):
    memory = chats(under())
    tell_of_bob(memory, say, space=space)
    texts = [item.text for item in memory.as_user(user, chat=chat).about("@bob")]
    assert {level: text in texts for level, text in ABOUT.items()} == SELF_QUERY[user, chat]
    if user == "bob":
        assert heard(memory, user, chat) == SELF_QUERY[user, chat]


# -- portable ---------------------------------------------------------------------------------------------------------

# | Content | Portable |
PORTABLE = {
    "Bob loves pizza": True,
    "Bob is presenting next": False,
    "Bob's birthday is in the middle of March": True,
    "Bob will send the report by tonight": False,
}


def test_portable_memories_cross_and_the_others_stay(under, say):
    memory = chats(under())
    for text, portable in PORTABLE.items():
        say(memory.as_user("alice", chat="club"), text, subjects=["@bob"], portable=portable, space={"chat": "club"})
    there = memory.as_user("carol", chat="club").recall("bob", limit=10).texts
    assert sorted(there) == sorted(PORTABLE)
    crossed = memory.as_user("bob", chat="bob-bot").recall("bob", limit=10).texts
    assert sorted(crossed) == sorted(text for text, portable in PORTABLE.items() if portable)
    assert sorted(item.text for item in memory.as_user("bob").about("@bob")) == sorted(crossed)


def test_portable_is_the_default(under, say):
    memory = chats(under())
    item = say(memory.as_user("alice", chat="club"), "Bob loves pizza", subjects=["@bob"], space={"chat": "club"})
    assert item.portable
    assert memory.as_user("bob").recall("pizza").texts == ["Bob loves pizza"]


# -- scoping ----------------------------------------------------------------------------------------------------------


def test_scoping(under, say):
    """| Personal | only the user who created it |; | Group | everyone in the chat |."""
    memory = chats(under())
    personal = say(memory.as_user("alice"), "the tea is in the cellar")
    group = say(memory.as_user("alice", chat="club"), "the tea is at nine", space={"chat": "club"})
    assert personal.space.to_dict() == {"user": "alice"}  # the default
    assert group.space.to_dict() == {"chat": "club"}
    both = sorted([personal.text, group.text])
    assert sorted(memory.as_user("alice", chat="club").recall("tea").texts) == both
    for user in ("bob", "carol"):
        assert memory.as_user(user, chat="club").recall("tea").texts == [group.text]
        assert not memory.as_user(user, chat="office").recall("tea")
        assert not memory.as_user(user).recall("tea")
    assert memory.as_user("alice").recall("tea").texts == [personal.text]
    assert not memory.as_user("dan", chat="club").recall("tea")


# -- authorization ----------------------------------------------------------------------------------------------------


def test_authorization_a_personal_memory_is_deleted_by_its_owner(under, say):
    memory = chats(under())
    item = say(memory.as_user("alice"), "the tea is in the cellar")
    for user, place in (("bob", {}), ("carol", {"chat": "club"})):
        with pytest.raises((NotFound, Denied)):
            memory.as_user(user, **place).forget(item.id)
    assert [one.id for one in memory.as_user("alice").forget(item.id)] == [item.id]
    assert not memory.as_user("alice").recall("tea")


def test_authorization_a_group_memory_is_deleted_by_a_member_of_the_chat(under, say):
    memory = chats(under())
    item = say(memory.as_user("alice", chat="club"), "the tea is at nine", space={"chat": "club"})
    for user, place in (("bob", {"chat": "office"}), ("bob", {}), ("dan", {"chat": "club"})):
        with pytest.raises((NotFound, Denied)):
            memory.as_user(user, **place).forget(item.id)
    assert [one.id for one in memory.as_user("carol", chat="club").forget(item.id)] == [item.id]
    assert not memory.as_user("alice", chat="club").recall("tea")


def test_authorization_disclosure_gives_no_right_to_delete(under, say):
    memory = chats(under())
    item = say(memory.as_user("alice", chat="club"), "bob loves pizza", subjects=["@bob"])
    bob = memory.as_user("bob", chat="bob-bot")
    assert bob.recall("pizza")
    for attempt in (bob.forget, bob.erase):
        with pytest.raises((NotFound, Denied)):
            attempt(item.id)
    assert memory.as_user("alice").recall("pizza")


@pytest.mark.parametrize("change", ["update", "alias"])
def test_authorization_a_person_is_changed_by_their_creator_or_by_themselves(under, change):
    """| Update person, add person alias | the person's creator or the person themselves |"""
    memory = chats(under())

    def changed(user, person, name):
        people = memory.as_user(user).people
        return people.update(person, name=name) if change == "update" else people.alias(person, name)

    sarah = memory.as_user("alice").people.add("Sarah", listed=True)
    assert "Sally" in changed("alice", sarah.id, "Sally").names
    assert "Robert" in changed("bob", "@bob", "Robert").names
    for user, person in (("bob", sarah.id), ("carol", sarah.id), ("alice", "@bob"), ("carol", "@bob")):
        with pytest.raises(Denied):
            changed(user, person, "Nobody")
    assert "Nobody" not in memory.as_user("carol").people.get(sarah.id).names
    assert "Nobody" not in memory.as_user("carol").people.get("@bob").names


def test_authorization_people_are_visible_to_all_and_memories_about_them_are_not(under, say):
    memory = chats(under())
    sarah = memory.as_user("alice").people.add("Sarah", listed=True)
    say(memory.as_user("alice"), "Sarah sells honey", subjects=[sarah.id])
    for user in ("bob", "carol", "dan"):
        assert [person.id for person in memory.as_user(user).people.find("Sarah")] == [sarah.id]
        assert memory.as_user(user).about(sarah.id) == []
        assert say(memory.as_user(user), f"{user} knows Sarah", subjects=[sarah.id]).subjects == (sarah.id,)
    assert [item.text for item in memory.as_user("alice").about(sarah.id)] == ["Sarah sells honey"]


def test_authorization_any_user_may_reference_a_person(under, say):
    memory = chats(under())
    for user in ("alice", "carol", "dan"):
        item = say(memory.as_user(user), f"{user} knows bob", subjects=["@bob"])
        assert item.subjects == ("@bob",)


def test_authorization_memories_about_a_person_are_filtered(under, say):
    memory = chats(under())
    tell_of_bob(memory, say)
    say(memory.as_user("carol"), "bob owes carol a tune", subjects=["@bob"])
    allowed = {"alice": sorted(ABOUT.values()), "carol": ["bob owes carol a tune"], "dan": []}
    for user, texts in allowed.items():
        assert sorted(item.text for item in memory.as_user(user).about("@bob")) == texts
