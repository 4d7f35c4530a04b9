"""Whoever writes a memory can read it back outside any chat, standing in its space, or the write is refused.

Where the chat that they stand in may not hear it, the outcome says so (`Outcome.notice`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from memfort import BoundMemory, Denied, FixedClock, InvalidInput, Memory, Outcome
from memfort.model.space import Level
from memfort.store.memory import MemoryStore

from . import matrix, oracle, play
from .matrix import BEFORE
from .oracle import Asker, Chat, Place

PRESETS = ("default", "research", "scoped", "chat", "agents", "deterministic")
SENSITIVITIES = (oracle.PUBLIC, oracle.PERSONAL, oracle.SENSITIVE)
ABOUT = ([], ["@alice"], ["@bob"], [f"@{matrix.THIRD}"], ["@alice", "@bob"])
CHATS = ("alone", "alone_with_a_foreign_agent", "pair", "single", "three", "with_agents")

Writer = Callable[[Memory], BoundMemory]


def user(**places: str) -> Writer:
    return lambda memory: memory.as_user("alice", **places)


def butler(**places: str) -> Writer:
    return lambda memory: memory.as_agent("butler", owner="alice", **places)


# Every level one may write at: who writes, standing where, and the space. A test compares them with the product's.
LEVELS: dict[str, tuple[Writer, dict[str, str]]] = {
    "user": (user(), {"user": "alice"}),
    "session": (user(session="s"), {"user": "alice", "session": "s"}),
    "session of an agent": (butler(session="s"), {"agent": "butler", "visibility": "private", "session": "s"}),
    "paper": (user(paper="p"), {"user": "alice", "paper": "p"}),
    "track": (user(workspace="w", track="t"), {"user": "alice", "workspace": "w", "track": "t"}),
    "own workspace": (user(workspace="w"), {"user": "alice", "workspace": "w"}),
    "workspace": (user(workspace="w"), {"workspace": "w"}),
    "project": (user(project="p"), {"project": "p"}),
    "role": (user(org="o", role="r"), {"org": "o", "role": "r"}),
    "org": (user(org="o"), {"org": "o"}),
    "team": (user(team="t"), {"team": "t"}),
    "chat": (user(chat="three"), {"chat": "three"}),
    "private chat": (user(chat="pair"), {"chat": "pair"}),
    "shared by my agents": (user(), {"user": "alice", "visibility": "shared"}),
    "agent, public in an org": (butler(org="o"), {"agent": "butler", "visibility": "public", "org": "o"}),
    "agent, private": (butler(), {"agent": "butler", "visibility": "private"}),
    "agent, public": (butler(), {"agent": "butler", "visibility": "public"}),
    "agent of mine, private": (user(agent="butler"), {"agent": "butler", "visibility": "private"}),
    "agent of mine, public": (user(agent="butler"), {"agent": "butler", "visibility": "public"}),
    "system": (lambda memory: memory.as_system(), {"system": ""}),
}

# What has to be kept at each preset, so that refusing everything is not an answer.
KEPT = {
    "default": set(LEVELS) - {"session of an agent", "shared by my agents", "agent, public in an org"},
    "research": {"user", "paper", "track", "own workspace"},
    "scoped": set(),  # nothing is written until a rule allows it
    "chat": {"user", "chat", "private chat"},
    "agents": {"agent, private", "agent, public", "agent of mine, private", "agent of mine, public"}
    | {"shared by my agents", "agent, public in an org"},
    "deterministic": {"session"},
}


def open_preset(preset: str, clock: FixedClock, *, judges: bool = False) -> Memory:
    """A memory under a preset, as it ships or not judging words."""
    policy = {"extends": preset, "conflict": {"evolve": False}} | (
        {} if judges else {"disclosure": {"classify": False}}
    )
    memory = Memory(MemoryStore(), clock=clock, policy=policy)
    play.register_people(memory, [BEFORE[id] for id in CHATS])
    return memory


@pytest.fixture(params=PRESETS)
def preset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def known_to(bound: BoundMemory, id: str) -> dict[str, bool]:
    """Whether each read verb shows the memory."""
    return {
        "get": bound.get(id) is not None,
        "list": id in {item.id for item in bound.list(limit=1000)},
        "recall": id in {hit.id for hit in bound.recall("ledger entry filed", limit=1000)},
        "explain": bound.explain(id).shown,
    }


def assert_read_back(outcome: Outcome, reader: BoundMemory, told: str) -> bool:
    """Either it is there for its writer, or it was refused with a reason. Returns whether it was kept."""
    if not outcome.kept:
        assert outcome.decision.verdict == "denied", told
        assert outcome.decision.explanation, told
        return False
    assert outcome.id is not None
    shown = known_to(reader, outcome.id)
    assert all(shown.values()), f"{told}: kept, and then {shown}"
    return True


def test_every_level_of_the_product_is_here() -> None:
    assert {level for _, space in LEVELS.values() for level in space} == {level.value for level in Level}


def is_private_in_public(preset: str, space: dict[str, str], sensitivity: str | None) -> bool:
    """Whether a statement is judged private and goes into a public space, which the preset for agents refuses."""
    is_public = space.get("visibility") == "public"
    return preset == "agents" and is_public and sensitivity in (oracle.PERSONAL, oracle.SENSITIVE)


@pytest.mark.fails_closed
@pytest.mark.parametrize("level", LEVELS)
def test_what_is_written_at_a_level_can_be_read_back_there(preset: str, level: str, clock: FixedClock) -> None:
    """Under the policies as they ship. A chat hears what it hears; outside it its members stand in its space."""
    memory = open_preset(preset, clock, judges=True)
    bind, space = LEVELS[level]
    for number, (sensitivity, about) in enumerate(itertools.product((*SENSITIVITIES, None), ABOUT)):
        text, given = play.wording(play.marker(number)), {} if sensitivity is None else {"sensitivity": sensitivity}
        written = bind(memory).remember(text, space=space, subjects=about, **given)
        told = f"{preset}, {level}, {sensitivity}, about {about}"
        if "chat" in space and written.kept:
            heard = bind(memory).get(written.id or "") is not None
            assert heard == (written.notice == ""), f"{told}: {written.notice!r}"
        else:
            assert_read_back(written, bind(memory), told)
        is_refused = level not in KEPT[preset] or is_private_in_public(preset, space, sensitivity)
        assert written.kept or is_refused, f"{preset} refuses {level}: {written.reason}"
    memory.close()


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_what_is_written_without_a_space_can_be_read_back(preset: str, sensitivity: str, clock: FixedClock) -> None:
    memory = open_preset(preset, clock)
    places = [{}, {"session": "s"}, {"workspace": "w"}, {"project": "p"}, {"org": "o"}, {"agent": "butler"}]
    writers = [user(**place) for place in places] + [butler(), butler(session="s")]
    writers += [lambda memory: memory.as_agent("butler", owner="alice", acting_for="alice")]
    for number, (bind, about) in enumerate(itertools.product(writers, ABOUT)):
        try:
            written = bind(memory).remember(play.wording(play.marker(number)), sensitivity=sensitivity, subjects=about)
        except (Denied, InvalidInput):
            continue  # refused; both say why
        assert_read_back(written, bind(memory), f"{preset}, {bind(memory).standpoint}, {sensitivity}, about {about}")
    memory.close()


# In a chat


def described(outcome: Outcome, chat: Chat) -> oracle.Memory:
    """What was written in a chat, as the oracle wants it described."""
    item = outcome.item
    assert item is not None
    space = item.to_dict()["space"]
    return oracle.Memory(
        space=frozenset(space.items()),
        owner=space.get("user"),
        author="alice",
        stated_by="alice",
        subjects=frozenset(subject.removeprefix("@") for subject in item.subjects),
        sensitivity=str(item.sensitivity),
        origins=(matrix.origin_in(chat),),
    )


def written_in(memory: Memory, chat: Chat, own: bool) -> Iterator[tuple[str, Outcome]]:
    """Everything that alice may write in a chat: into her own space, or into that of the chat."""
    bound = memory.as_user("alice", chat=chat.id)
    space = {"user": "alice"} if own else {"chat": chat.id}
    for number, (sensitivity, about) in enumerate(itertools.product(SENSITIVITIES, ABOUT)):
        text = play.wording(play.marker(number))
        written = bound.remember(text, space=space, sensitivity=sensitivity, subjects=about)
        yield f"{sensitivity} about {about} in {chat.id}", written


@pytest.mark.parametrize("chat", [BEFORE[id] for id in CHATS], ids=CHATS)
@pytest.mark.parametrize("preset", ["default", "chat"])
def test_ones_own_memory_from_a_chat_is_kept_and_the_outcome_says_if_the_chat_may_not_hear_it(
    preset: str, chat: Chat, clock: FixedClock
) -> None:
    memory = open_preset(preset, clock)
    rules = oracle.CHAT if preset == "chat" else oracle.STRICT
    for told, written in written_in(memory, chat, own=True):
        assert assert_read_back(written, memory.as_user("alice"), told), f"{told}: {written.reason}"
        heard = oracle.in_sight(described(written, chat), Asker("alice"), Place(chat), rules)
        shown = known_to(memory.as_user("alice", chat=chat.id), written.id or "")
        assert set(shown.values()) == {heard.shown}, f"{told}: {shown}, but: {heard.because}"
        assert bool(written.notice) != heard.shown, f"{told}: {written.notice!r}, but: {heard.because}"
        assert "zq" not in written.notice
    memory.close()


def test_a_correction_that_the_group_may_not_hear_says_so(clock: FixedClock) -> None:
    memory = open_preset("default", clock)
    alice = memory.as_user("alice", chat="three")
    first = alice.remember(play.wording(play.marker(0)), sensitivity="public", subjects=["@alice"])
    assert first.notice == ""
    second = alice.correct(first.id or "", play.wording(play.marker(1)), sensitivity="sensitive", subjects=["@alice"])
    assert assert_read_back(second, memory.as_user("alice"), "the correction")
    assert second.notice
    assert alice.get(second.id or "") is None
    memory.close()


@pytest.mark.parametrize("memberships", ["trusted", "registered"])
def test_nothing_is_written_from_a_chat_that_one_does_not_take_part_in(memberships: str, clock: FixedClock) -> None:
    memory = Memory(MemoryStore(), clock=clock, memberships=memberships)
    play.register_people(memory, BEFORE.values())
    for outsider in (
        memory.as_user(matrix.THIRD, chat="three"),
        memory.as_agent("butler", owner="alice", chat="three"),
    ):
        for space in (None, {"chat": "three"}):
            given = {} if space is None else {"space": space}
            with pytest.raises(Denied) as refused:
                outsider.remember(play.wording(play.marker(0)), **given)
            assert refused.value.reason == "not_a_participant"
    assert not list(memory.as_user(matrix.THIRD).list())
    assert memory.as_user("alice", chat="three").remember(play.wording(play.marker(1))).kept
    memory.close()
