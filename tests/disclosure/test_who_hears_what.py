"""Who hears what, in stories: each is a rule that no cell of the matrix shows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from memfort import BoundMemory, Memory, NotFound
from memfort.model.learned import UNKNOWN

pytestmark = pytest.mark.fails_closed  # the policy as it is, which takes nothing unlabelled for public

APOLLO = {"project": "apollo"}


@pytest.fixture
def memory(open_memory: Any) -> Memory:
    """Without an encoder: what words do not settle stays unjudged."""
    opened: Memory = open_memory(classifier="none")
    opened.agent.register("bot", owner="alice")
    opened.chat.register("team", kind="group", participants=["alice", "bob"])
    opened.chat.register("others", kind="group", participants=["alice", "dave"])
    opened.chat.register("diary", kind="private", participants=["bob"])
    return opened


def join(memory: Memory, chat: str, *users: str, kind: str = "group", agents: tuple[str, ...] = ()) -> None:
    memory.chat.register(chat, kind=kind, participants=list(users), agents=list(agents))


def hears(reader: BoundMemory, id: str | None) -> bool:
    """Whether a memory is shown by its id; `history`, `explain` and `list` of what is in sight agree."""
    assert id is not None
    is_shown = reader.get(id) is not None
    assert reader.explain(id).shown is is_shown
    if is_shown:
        assert reader.history(id)
    else:
        assert id not in {one.id for one in reader.list(limit=100)}
        with pytest.raises(NotFound):
            reader.history(id)
    return is_shown


# -- what leaves a space -----------------------------------------------------------------------------------------------


def test_an_agents_public_space_tells_others_by_sensitivity(memory: Memory) -> None:
    bot = memory.as_agent("bot")
    ill = bot.remember("Bob has cancer", subjects=["@bob"], visibility="public")
    lunch = bot.remember("Lunch is at noon", visibility="public")
    assert ill.notice.startswith("kept; others who read this public space hear it only if they said it")
    assert lunch.notice == ""
    carol, bob = memory.as_user("carol", agent="bot"), memory.as_user("bob", agent="bot")
    assert (hears(carol, ill.id), hears(carol, lunch.id)) == (False, True)
    assert carol.recall("cancer").texts == []
    assert hears(bob, ill.id)
    assert hears(memory.as_user("alice", agent="bot"), ill.id), "the agent is hers"


def test_a_share_tells_nothing_that_was_learned_in_a_private_chat(memory: Memory) -> None:
    join(memory, "pair", "alice", "carol", kind="private")
    gift = memory.as_user("alice", chat="pair").remember("The gift is green", sensitivity="public", subjects=[])
    tea = memory.as_user("alice").remember("The tea is green", sensitivity="public")
    memory.as_user("alice").share(user="dora")
    dora = memory.as_user("dora")
    assert (hears(dora, gift.id), hears(dora, tea.id)) == (False, True)


def test_a_share_holds_while_its_giver_may_write(memory: Memory) -> None:
    for user in ("alice", "zoe"):
        memory.member.add(APOLLO, user=user, trust="owner")
    alice = memory.as_user("alice", **APOLLO)
    plan = alice.remember("Apollo flies in May", space=APOLLO, sensitivity="public")
    alice.share(space=APOLLO, user="bob")
    assert hears(memory.as_user("bob"), plan.id)
    memory.as_user("zoe", **APOLLO).member.add(APOLLO, user="alice", trust="viewer")
    assert not hears(memory.as_user("bob"), plan.id)


# -- they heard it -----------------------------------------------------------------------------------------------------


def test_a_newcomer_who_is_alone_in_a_private_chat_hears_nothing_of_the_people_before(memory: Memory) -> None:
    join(memory, "pair", "alice", "bob", kind="private")
    code = memory.as_user("alice", chat="pair").remember("Tea is at nine", sensitivity="public", space={"chat": "pair"})
    assert hears(memory.as_user("bob", chat="pair"), code.id)
    join(memory, "pair", "carol", kind="private")
    assert not hears(memory.as_user("carol", chat="pair"), code.id)


def test_a_group_hears_the_unjudged_again_until_somebody_new_listens(memory: Memory) -> None:
    said = memory.as_user("alice", chat="team").remember("I got a second-hand tandem")
    assert said.item is not None
    assert said.item.judgement is not None
    assert (said.item.judgement.reason, said.notice) == ("not_classified", "")
    assert memory.as_user("bob", chat="team").recall("second-hand tandem").texts == ["I got a second-hand tandem"]
    join(memory, "team", "alice", "bob", "carol")
    assert not hears(memory.as_user("bob", chat="team"), said.id)
    assert hears(memory.as_user("alice", chat="team"), said.id), "she asks aloud for what is about her alone"


def test_what_all_heard_in_a_group_is_said_in_their_private_chat(memory: Memory) -> None:
    pizza = memory.as_user("alice", chat="team").remember("@carla loves pizza", sensitivity="public")
    bob = memory.as_user("bob", chat="diary")
    assert bob.recall("what does @carla love? pizza").texts == ["@carla loves pizza"]
    assert [one.text for one in bob.about("@carla")] == ["@carla loves pizza"]
    assert hears(bob, pizza.id)
    join(memory, "diary", "bob", "dave", kind="private")
    assert memory.as_user("bob", chat="diary").about("@carla") == []


def test_a_private_chat_that_becomes_a_group_does_not_open_its_window(memory: Memory) -> None:
    join(memory, "pair", "alice", "bob", kind="private")
    memory.as_user("alice", chat="pair").observe("I have HIV and I am scared")
    bob = memory.as_user("bob", chat="pair")
    assert [turn.text for turn in bob.window()] == ["I have HIV and I am scared"]
    join(memory, "pair", "alice", "bob", "carol")
    assert bob.window() == []
    join(memory, "pair", "alice", "bob")
    [turn] = bob.window()
    assert (turn.text, turn.id) == ("I have HIV and I am scared", ""), "no other read of the group shows it"


def test_what_was_said_before_a_chat_was_registered_is_heard_there_by_its_speaker_and_if_public_by_all(
    memory: Memory,
) -> None:
    alice = memory.as_user("alice", chat="late")
    hall = alice.remember("The hall is booked", sensitivity="public", space={"chat": "late"})
    tired = alice.remember("I am tired of the hall", sensitivity="personal")
    join(memory, "late", "alice", "bob")
    assert (hears(alice, hall.id), hears(alice, tired.id)) == (True, True)
    bob = memory.as_user("bob", chat="late")
    assert (hears(bob, hall.id), hears(bob, tired.id)) == (True, False)


# -- who listens -------------------------------------------------------------------------------------------------------


def test_dora_and_the_agent_that_asks_for_her_hear_the_same(memory: Memory) -> None:
    join(memory, "homework", "dora", kind="private", agents=("bot",))
    grade = memory.as_user("dora").remember("I failed the exam", sensitivity="personal")
    assert hears(memory.as_user("dora", chat="homework"), grade.id)
    assert hears(memory.as_agent("bot", acting_for="dora", chat="homework"), grade.id)
    assert not hears(memory.as_agent("bot", chat="homework"), grade.id), "it asks as its owner"
    join(memory, "homework", "dora", "erin", kind="private", agents=("bot",))
    assert not hears(memory.as_user("dora", chat="homework"), grade.id)


def test_a_chat_that_is_registered_no_more_says_nothing_that_was_private_there(
    memory: Memory, open_memory: Any
) -> None:
    """Neither by a read nor in its window, after a move to a store that does not know it; its control registers it."""
    join(memory, "pair", "alice", "bob", kind="private")
    pair = memory.as_user("alice", chat="pair")
    pair.remember("Tea is at nine", sensitivity="public", space={"chat": "pair"})
    pair.remember("The cake is blue", sensitivity="public", subjects=[])
    pair.observe("The party moves to Rome")
    moved = open_memory(classifier="none")
    moved.as_system().import_(b"\n".join(msgspec.json.encode(line) for line in pair.export()))
    alice = moved.as_user("alice", chat="pair")
    assert [*alice.list(limit=100), *alice.recall("tea cake party"), *alice.window(), *alice.about("@alice")] == []
    join(moved, "pair", "alice", "bob", "eve")
    assert [*alice.list(limit=100), *alice.window()] == []
    join(moved, "pair", "alice", "bob", kind="private")
    assert {"The cake is blue", "The party moves to Rome"} <= {one.text for one in alice.list(limit=100)}
    assert [turn.text for turn in alice.window()] == ["The party moves to Rome"]


def test_two_members_of_a_project_hear_its_public_facts_in_their_private_chat(memory: Memory) -> None:
    for user in ("alice", "carol"):
        memory.member.add(APOLLO, user=user)
    join(memory, "aside", "alice", "carol", kind="private")
    plan = memory.as_user("carol", **APOLLO).remember("Apollo is blue", space=APOLLO, sensitivity="public")
    alice = memory.as_user("alice", chat="aside", **APOLLO)
    assert hears(alice, plan.id)
    memory.member.remove(APOLLO, user="carol")
    join(memory, "aside", "alice", "erin", kind="private")
    assert not hears(alice, plan.id)


# -- about nobody ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Our standup is at 9:30 on Mondays",
        "Refunds need approval",
        "Deploys need a review",
        "Contracts are signed by Legal",
        "Dues are 20 euros a month",
        "The printer is broken",
        "Backups run every night",
        "Training accounts for 7 percent of the team's compute spend",
    ],
)
def test_what_a_group_says_of_itself_and_of_things_is_about_nobody_and_stays_there(memory: Memory, text: str) -> None:
    kept = memory.as_user("alice", chat="team").remember(text)
    assert kept.item is not None
    assert (kept.item.subjects, kept.item.portable, kept.item.space.to_dict()) == ((), False, {"chat": "team"})
    assert hears(memory.as_user("bob", chat="team"), kept.id)
    assert not hears(memory.as_user("dave", chat="others"), kept.id)
    assert not hears(memory.as_user("alice", chat="others"), kept.id)


@pytest.mark.parametrize("text", ["Tessa needs a ride", "I need a ride", "moved to Ghent", "James must sign"])
def test_a_persons_statement_stays_with_its_speaker(memory: Memory, text: str) -> None:
    kept = memory.as_user("alice", chat="team").remember(text)
    assert kept.item is not None
    assert kept.item.space.to_dict() == {"user": "alice"}


def test_an_empty_list_of_subjects_is_believed(memory: Memory) -> None:
    alice = memory.as_user("alice")
    said, left = alice.remember("I like tea with milk", subjects=[]), alice.remember("I like tea with lemon")
    many = alice.remember_many([{"text": "I like tea with honey", "subjects": []}])
    assert said.item is not None
    assert left.item is not None
    assert many[0].item is not None
    assert (said.item.subjects, left.item.subjects, many[0].item.subjects) == ((), ("@alice",), ())


def test_what_is_not_portable_is_said_in_its_own_chat_and_in_no_other(memory: Memory) -> None:
    join(memory, "others", "alice", "bob", "dave")
    turn = memory.as_user("alice", chat="team").remember("@bob is presenting next", sensitivity="public")
    assert turn.item is not None
    assert not turn.item.portable
    assert hears(memory.as_user("bob", chat="team"), turn.id)
    assert not hears(memory.as_user("alice", chat="others"), turn.id)
    assert hears(memory.as_user("alice"), turn.id)


# -- one answer, and nothing beside it ---------------------------------------------------------------------------------


def test_a_hit_is_there_for_every_verb_under_the_preset_chat(open_memory: Any) -> None:
    memory = open_memory(policy={"extends": "chat"}, classifier="none")
    join(memory, "lunch", "alice", "dave")
    join(memory, "far", "alice", "bob")
    pizza = memory.as_user("alice", chat="far").remember("@bob loves pizza")
    dave = memory.as_user("dave", chat="lunch")
    assert dave.recall("what about @bob and pizza").texts == ["@bob loves pizza"]
    assert hears(dave, pizza.id)


def test_what_people_say_of_themselves_alone_is_found_only_by_their_name(open_memory: Any) -> None:
    memory = open_memory(policy={"extends": "chat"}, classifier="none")
    join(memory, "lunch", "alice", "carol")
    memory.as_user("alice").remember("I want to leave the team by summer")
    carol = memory.as_user("carol", chat="lunch")
    assert carol.recall("leave the team").texts == []
    assert carol.recall("when does @alice leave the team").texts == ["I want to leave the team by summer"]
    assert [one.text for one in carol.about("@alice")] == ["I want to leave the team by summer"]


def test_a_chat_learns_nothing_from_previews_and_exports(memory: Memory) -> None:
    alice, here = memory.as_user("alice"), memory.as_user("alice", chat="team")
    secret = alice.remember("I have HIV", sensitivity="sensitive")
    quiz = alice.remember("HIV is on the quiz list", sensitivity="public", subjects=[])
    trace = alice.recall("HIV").trace
    assert secret.id is not None
    assert quiz.id is not None
    for preview in (here.forget(query="HIV", dry_run=True), here.erase(query="HIV", dry_run=True)):
        assert quiz.id in str(preview.to_dict())
        assert secret.id not in str(preview.to_dict())
    only = here.forget(author="me", query="I have HIV", dry_run=True)
    assert only.notes[-1].startswith("in a chat only what may be said there is listed")
    assert secret.id in str(list(alice.trail.export()))
    assert secret.id not in str(list(here.trail.export()))
    assert secret.id in str(alice.explain(trace).lines)
    assert secret.id not in str(here.explain(trace).lines)


def test_a_promotion_releases_what_nobody_knows_the_origin_of() -> None:
    assert UNKNOWN.is_unknown
    assert not UNKNOWN.released.is_unknown
    assert not UNKNOWN.released.is_confidential


# -- how private -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["The bank is taking the house", "Le test est positif, c'est pour avril", "Dunder pays the rent for the flat"],
)
def test_without_an_encoder_nothing_unsettled_is_public(memory: Memory, text: str) -> None:
    kept = memory.as_user("alice").remember(text)
    assert kept.item is not None
    assert kept.item.sensitivity == "personal"
    assert not hears(memory.as_user("bob", chat="team"), kept.id)


def test_a_sentence_is_as_private_as_the_one_beside_it(memory: Memory) -> None:
    alice = memory.as_user("alice")
    alice.observe("My husband hits me. The neighbours called the police twice.")
    alice.observe("I like pizza. The tram stops at the corner.")
    levels = {one.text: str(one.sensitivity) for one in alice.list(limit=50, kinds=["semantic"])}
    assert levels["The neighbours called the police twice"] == "sensitive"
    assert levels["I like pizza"] == "public"


def test_a_recall_in_a_chat_says_what_all_heard_and_the_chat_does_not_hear_again(memory: Memory) -> None:
    here = memory.as_user("alice", chat="team")
    here.remember("Kim has a bike for her back pain", sensitivity="sensitive", space={"chat": "team"})
    [warning] = memory.as_user("bob", chat="team").recall("back pain").warnings
    assert warning == "1 memory that would match: not said in this group (1 sensitive); ask outside the chat"
    join(memory, "team", "alice", "bob", "carol")
    assert memory.as_user("bob", chat="team").recall("back pain").warnings == (), "carol was not there"


def test_the_preset_for_agents_publishes_nothing_private(open_memory: Any) -> None:
    memory = open_memory(policy={"extends": "agents"}, classifier="none")
    memory.agent.register("bot", owner="alice")
    bot = memory.as_agent("bot")
    assert bot.remember("The API listens on port 80", visibility="public").item is not None
    for refused in ({"text": "Bob has cancer"}, {"text": "Bob likes tea", "sensitivity": "personal"}):
        outcome = bot.remember(visibility="public", **refused)
        assert (outcome.item, outcome.reason) == (None, "private_in_public")
    assert bot.remember("Bob has cancer", visibility="private").item is not None


def test_rules_of_two_speakers_under_one_key_both_stay_unless_one_has_more_authority(memory: Memory) -> None:
    alice, bob = memory.as_user("alice", chat="team"), memory.as_user("bob", chat="team")
    rule: dict[str, Any] = {"kind": "profile", "key": "lunch", "space": {"chat": "team"}, "sensitivity": "public"}
    alice.remember("Lunch is at noon", **rule)
    bob.remember("Lunch is at 1", **rule)
    assert {one.text for one in alice.list(kinds=["profile"])} == {"Lunch is at noon", "Lunch is at 1"}
    alice.remember("Lunch is at 2", **rule)
    texts = {one.text for one in alice.list(kinds=["profile"])}
    assert texts == {"Lunch is at 2", "Lunch is at 1"}, "her own newer rule replaces hers"
    bob.remember("Lunch is at 3", **rule, origin="tool")
    assert {one.text for one in alice.list(kinds=["profile"])} == {"Lunch is at 3"}
