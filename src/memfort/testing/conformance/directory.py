"""The directory: agents, chats, members, trust and shares."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.model.moment import Moment
from memfort.model.people.access_key import AccessKey, KeptKey, KeyScope, digest_of
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import Agent, Chat, ChatKind, Principal, Share, Trust, share_to_dict
from memfort.model.space import Coordinate, Level
from memfort.store.port import (
    Change,
    DropMember,
    DropPerson,
    DropReply,
    DropShare,
    Erase,
    PutAgent,
    PutChat,
    PutKey,
    PutMember,
    PutReply,
    PutShare,
    Reply,
    Store,
    TouchKey,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.samples import (
    ALICE,
    BOB,
    HOME,
    NEXT_DOOR,
    NOW,
    memory,
    put,
)
from memfort.testing.conformance.threads import write_then_fail
from memfort.testing.strategies import HOSTILE_NAMES


class Directory(Claims):
    """A store knows the current directory."""

    APOLLO = Coordinate(Level.PROJECT, "apollo")
    ALICE_NAME = Principal(ActorKind.USER, "alice")
    BOB_NAME = Principal(ActorKind.USER, "bob")

    def test_agents_have_their_owner(self, store: Store) -> None:
        store.apply([PutAgent(Agent("helper", "alice")), PutAgent(Agent("other", "bob"))], [])
        at_helper = Standpoint(BOB, (Coordinate(Level.AGENT, "helper"),))
        assert store.agent("helper") == Agent("helper", "alice")
        assert store.agent("Helper") is None
        assert dict(store.facts(at_helper).owners) == {"helper": "alice"}
        assert dict(store.facts(Standpoint(BOB, (Coordinate(Level.USER, "helper"),))).owners) == {}

    def test_the_agents_of_a_user_are_listed(self, store: Store) -> None:
        assert store.agents_of("alice", 10) == []
        owners = {"scout": "alice", "helper": "alice", "bobs": "bob", "Alices": "Alice"}
        store.apply([PutAgent(Agent(id, owner)) for id, owner in owners.items()], [])
        assert store.agents_of("alice", 10) == ["helper", "scout"]
        assert store.agents_of("alice", 1) == ["helper"]

    def test_members_join_and_leave_and_the_group_stays_known(self, store: Store) -> None:
        asked = Standpoint(ALICE, (self.APOLLO, Coordinate(Level.PROJECT, "Apollo"), Coordinate(Level.ORG, "apollo")))
        assert store.facts(asked).registered == frozenset()
        store.apply([PutMember(self.APOLLO, self.ALICE_NAME), PutMember(self.APOLLO, self.BOB_NAME)], [])
        assert store.members(self.APOLLO) == [self.ALICE_NAME, self.BOB_NAME]
        assert store.facts(asked).registered == set(store.facts(asked).joined) == {self.APOLLO}
        store.apply([DropMember(self.APOLLO, self.ALICE_NAME)], [])
        assert store.facts(asked).joined == {}
        store.apply([DropMember(self.APOLLO, self.BOB_NAME)], [])
        assert store.members(self.APOLLO) == []
        assert store.facts(asked).registered == {self.APOLLO}
        assert store.members(Coordinate(Level.ORG, "apollo")) == []

    def test_users_and_agents_with_the_same_name_are_different_members(self, store: Store) -> None:
        agent = Actor(ActorKind.AGENT, "alice", owner="bob")
        store.apply([PutMember(self.APOLLO, Principal(ActorKind.AGENT, "alice"))], [])
        assert set(store.facts(Standpoint(agent, (self.APOLLO,))).joined) == {self.APOLLO}
        assert store.facts(Standpoint(ALICE, (self.APOLLO,))).joined == {}
        assert store.facts(Standpoint(replace(agent, acting_for="carol"), (self.APOLLO,))).joined == {}

    def test_an_agent_does_not_join_the_groups_of_its_owner(self, store: Store) -> None:
        agent, own = Actor(ActorKind.AGENT, "helper", owner="alice"), Coordinate(Level.AGENT, "helper")
        store.apply([PutAgent(Agent("helper", "alice")), PutMember(self.APOLLO, self.ALICE_NAME)], [])
        assert store.facts(Standpoint(agent, (own, self.APOLLO))).joined == {}
        for_owner = replace(agent, acting_for="alice")
        assert set(store.facts(Standpoint(for_owner, (own, self.APOLLO))).joined) == {self.APOLLO}

    def test_the_last_trust_given_to_a_member_counts(self, store: Store) -> None:
        org = Coordinate(Level.ORG, "apollo")
        store.apply([PutMember(self.APOLLO, self.ALICE_NAME), PutMember(org, self.ALICE_NAME, Trust.OWNER)], [])
        assert store.trust(self.APOLLO, self.ALICE_NAME) is Trust.CONTRIBUTOR
        assert store.trust(org, self.ALICE_NAME) is Trust.OWNER
        store.apply([PutMember(self.APOLLO, self.ALICE_NAME, Trust.APPROVER)], [])
        assert store.trust(self.APOLLO, self.ALICE_NAME) is Trust.APPROVER
        assert store.members(self.APOLLO) == [self.ALICE_NAME]
        store.apply([DropMember(self.APOLLO, self.ALICE_NAME)], [])
        assert store.trust(self.APOLLO, self.ALICE_NAME) is None
        assert store.trust(org, self.ALICE_NAME) is Trust.OWNER

    def test_a_user_who_is_not_a_member_has_no_trust(self, store: Store) -> None:
        store.apply([PutMember(self.APOLLO, self.ALICE_NAME, Trust.OWNER)], [])
        assert store.trust(self.APOLLO, self.BOB_NAME) is None
        assert store.trust(self.APOLLO, Principal(ActorKind.AGENT, "alice")) is None
        assert store.trust(Coordinate(Level.PROJECT, "Apollo"), self.ALICE_NAME) is None
        assert store.trust(self.APOLLO, self.ALICE_NAME) is Trust.OWNER

    def test_a_chat_participant_is_a_contributor(self, store: Store) -> None:
        here = Coordinate(Level.CHAT, "c1")
        chat = PutChat(Chat("c1", ChatKind.GROUP, frozenset({self.ALICE_NAME})))
        store.apply([chat, PutMember(here, self.ALICE_NAME, Trust.OWNER)], [])
        assert store.trust(here, self.ALICE_NAME) is Trust.OWNER
        store.apply([chat], [])
        assert store.trust(here, self.ALICE_NAME) is Trust.CONTRIBUTOR

    def test_registering_a_chat_again_replaces_its_participants(self, store: Store) -> None:
        here = Coordinate(Level.CHAT, "c1")
        store.apply([PutChat(Chat("c1", ChatKind.GROUP, frozenset({self.ALICE_NAME, self.BOB_NAME})))], [])
        assert store.chat("c1") == Chat("c1", ChatKind.GROUP, frozenset({self.ALICE_NAME, self.BOB_NAME}))
        assert set(store.facts(Standpoint(ALICE, (here,))).joined) == {here}
        store.apply([PutChat(Chat("c1", ChatKind.PRIVATE, frozenset({self.BOB_NAME})))], [])
        assert store.chat("c1") == Chat("c1", ChatKind.PRIVATE, frozenset({self.BOB_NAME}))
        assert store.facts(Standpoint(ALICE, (here,))).joined == {}
        assert set(store.facts(Standpoint(BOB, (here,))).joined) == {here}
        store.apply([PutChat(Chat("c1", ChatKind.PRIVATE, frozenset()))], [])
        assert store.facts(Standpoint(BOB, (here,))).registered == {here}
        assert store.chat("c2") is None

    def test_a_chats_participants_are_its_members(self, store: Store) -> None:
        here = Coordinate(Level.CHAT, "c1")
        store.apply([PutChat(Chat("c1", ChatKind.GROUP, frozenset({self.ALICE_NAME})))], [])
        store.apply([PutMember(here, self.BOB_NAME), DropMember(here, self.ALICE_NAME)], [])
        assert store.members(here) == [self.BOB_NAME]
        assert store.chat("c1") == Chat("c1", ChatKind.GROUP, frozenset({self.BOB_NAME}))

    def test_hostile_names_stay_apart_in_the_directory(self, store: Store) -> None:
        store.apply([PutAgent(Agent(name, f"owner of {name}"[:200])) for name in HOSTILE_NAMES], [])
        groups = [Coordinate(Level.PROJECT, name) for name in HOSTILE_NAMES]
        store.apply([PutMember(group, Principal(ActorKind.USER, group.id)) for group in groups], [])
        for group in groups:
            asked = Standpoint(Actor(ActorKind.USER, group.id), tuple(groups))
            assert store.agent(group.id) == Agent(group.id, f"owner of {group.id}"[:200])
            assert set(store.facts(asked).joined) == {group}
            assert store.facts(asked).registered == set(groups)

    def test_shares_and_revocations_take_effect_at_once(self, store: Store) -> None:
        share = Share("shr_1", HOME, self.BOB_NAME, ALICE, NOW)
        asked = Standpoint(BOB, (Coordinate(Level.USER, "bob"),))
        assert store.facts(asked).shared == ()
        store.apply([PutShare(share)], [])
        assert store.facts(asked).shared == (HOME,)
        assert store.facts(Standpoint(ALICE, asked.coordinates)).shared == ()
        assert (store.shares_of([HOME, NEXT_DOOR]), store.shares_of([NEXT_DOOR]), store.shares_of([])) == (
            [share],
            [],
            [],
        )
        store.apply([DropShare("shr_1")], [])
        assert (store.facts(asked).shared, store.shares_of([HOME])) == ((), [])

    def test_a_share_put_again_replaces_the_one_before(self, store: Store) -> None:
        share = Share("shr_1", HOME, self.BOB_NAME, ALICE, NOW)
        moved = replace(share, space=NEXT_DOOR, reader=self.ALICE_NAME)
        store.apply([PutShare(share)], [])
        store.apply([PutShare(moved)], [])
        assert store.facts(Standpoint(BOB, ())).shared == ()
        assert store.facts(Standpoint(ALICE, ())).shared == (NEXT_DOOR,)
        assert (store.shares_of([HOME]), store.shares_of([NEXT_DOOR])) == ([], [moved])

    def test_an_agent_acting_for_a_user_has_the_shares_of_that_user(self, store: Store) -> None:
        agent = Principal(ActorKind.AGENT, "helper")
        store.apply([PutShare(Share("shr_1", HOME, agent, ALICE, NOW))], [])
        helper = Actor(ActorKind.AGENT, "helper", owner="alice")
        assert store.facts(Standpoint(helper, ())).shared == (HOME,)
        assert store.facts(Standpoint(replace(helper, acting_for="bob"), ())).shared == ()
        assert store.facts(Standpoint(Actor(ActorKind.USER, "helper"), ())).shared == ()

    def test_the_whole_directory_is_read_line_by_line(self, store: Store) -> None:
        share = Share("shr_1", HOME, self.BOB_NAME, ALICE, NOW)
        chat, org = Coordinate(Level.CHAT, "c1"), Coordinate(Level.ORG, "acme")
        helper = Principal(ActorKind.AGENT, "helper")
        store.apply([PutAgent(Agent("helper", "alice")), PutShare(share), PutShare(replace(share, id="shr_2"))], [])
        store.apply([PutChat(Chat("c1", ChatKind.GROUP, frozenset({self.ALICE_NAME}))), DropShare("shr_2")], [])
        changes: list[Change] = [
            PutMember(chat, helper, Trust.APPROVER),
            PutMember(org, helper),
            DropMember(org, helper),
        ]
        store.apply(changes, [])
        store.apply([DropMember(self.APOLLO, helper)], [])  # of an unregistered group
        assert dict(store.directory()) == {
            ("agent", "helper"): "alice",
            ("chat", "c1"): "group",
            ("group", "chat", "c1"): True,
            ("member", "chat", "c1", "user", "alice"): "contributor",
            ("member", "chat", "c1", "agent", "helper"): "approver",
            ("group", "org", "acme"): True,
            ("share", "shr_1"): share_to_dict(share),
        }

    def test_the_whole_directory_keeps_hostile_names_apart(self, store: Store) -> None:
        groups = [Coordinate(Level.PROJECT, name) for name in HOSTILE_NAMES]
        store.apply([PutMember(group, Principal(ActorKind.USER, group.id)) for group in groups], [])
        known = {("group", "project", name) for name in HOSTILE_NAMES}
        inside = {("member", "project", name, "user", name) for name in HOSTILE_NAMES}
        assert dict(store.directory()).keys() == known | inside

    def test_a_rolled_back_directory_change_was_never_there(self, store: Store) -> None:
        asked = Standpoint(BOB, (Coordinate(Level.USER, "bob"),))

        def share() -> None:
            store.apply([PutShare(Share("shr_1", HOME, self.BOB_NAME, ALICE, NOW))], [])
            assert store.facts(asked).shared == (HOME,)

        write_then_fail(store, share)
        store.apply([PutAgent(Agent("helper", "alice"))], [])  # as many changes as were rolled back
        assert store.facts(asked).shared == ()

    def test_api_keys_are_found_by_id_and_keep_their_last_use(self, store: Store) -> None:
        first, second = (_kept(id, "alice") for id in ("key_a", "key_b"))
        store.apply([PutKey(second), PutKey(first)], [])
        assert store.access_key("key_a") == first
        assert store.access_key("key_c") is None
        assert store.access_keys() == [first, second]
        store.apply([TouchKey("key_a", Moment(NOW + 5)), TouchKey("key_c", NOW)], [])
        assert store.access_key("key_a") == replace(first, key=replace(first.key, last_used_at_us=Moment(NOW + 5)))
        revoked = replace(first, key=replace(first.key, revoked_at_us=NOW))
        store.apply([PutKey(revoked)], [])
        found = store.access_key("key_a")
        assert found is not None
        assert (found.key.revoked_at_us, found.digest) == (NOW, first.digest)
        assert dict(store.directory()).keys() >= {("key", "key_a"), ("key", "key_b")}

    def test_kept_answers_are_found_and_go_with_age_and_with_what_they_name(self, store: Store) -> None:
        put(store, memory())
        first = Reply(b"1", b"f", NOW, b"answer", (memory().id, "per_x"))
        second = Reply(b"2", b"f", Moment(NOW + 5), b"other", ("mem_other",))
        store.apply([PutReply(first, NOW), PutReply(second, NOW)], [])
        assert store.reply(b"1") == replace(first, names=())
        assert store.reply(b"3") is None
        store.apply([Erase(HOME, memory().id)], [])
        assert store.reply(b"1") == replace(first, body=None, names=())
        assert store.reply(b"2") == replace(second, names=())
        store.apply([PutReply(replace(second, key=b"4"), Moment(NOW + 5))], [])
        assert store.reply(b"1") is None
        assert store.reply(b"2") is not None
        store.apply([DropReply(b"2"), DropReply(b"5")], [])
        assert store.reply(b"2") is None

    def test_a_kept_answer_goes_with_a_person(self, store: Store) -> None:
        store.apply([PutReply(Reply(b"1", b"f", NOW, b"answer", ("per_x",)), NOW), DropPerson("per_x")], [])
        kept = store.reply(b"1")
        assert kept is not None
        assert kept.body is None

    def test_a_key_of_a_write_that_failed_opens_nothing(self, store: Store) -> None:
        write_then_fail(store, lambda: store.apply([PutKey(_kept("key_a", "alice"))], []))
        assert store.access_key("key_a") is None


def _kept(id: str, user: str) -> KeptKey:
    key = AccessKey(id, Principal(ActorKind.USER, user), (KeyScope.READ,), NOW, spaces=(HOME,))
    return KeptKey(key, digest_of(id))
