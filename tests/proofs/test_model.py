"""The model with plain values: what the table of the design says, cell by cell, and its three ways round."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.proofs.disclosure import heard, reason_of, room_of, told, told_about
from tests.proofs.origins import Origin, stricter
from tests.proofs.things import DEFAULT, NO_LEVELS, Chat, Memory, Policy, Room, Standpoint

ANN, BEN, CID = "ann", "ben", "cid"
NONE: frozenset[str] = frozenset()
MEMORY = Memory(
    sensitivity="public",
    subjects=NONE,
    about_nobody=False,
    speaker=NONE,
    owner=NONE,
    may_read=NONE,
    of_chat=NONE,
    portable=True,
    origin="outside",
    origin_chat=NONE,
    heard_by=NONE,
    for_users=False,
    users=NONE,
    for_agents=False,
    agents=NONE,
)


def just(*names: str) -> frozenset[str]:
    return frozenset(names)


def standing(user: str | None, chat: str | None, agent: str | None = None) -> Standpoint:
    return Standpoint(
        kind="user" if agent is None else "agent",
        user=just(*filter(None, [user])),
        agent=just(*filter(None, [agent])),
        levels={**NO_LEVELS, "chat": just(*filter(None, [chat]))},
        at_user=just(*filter(None, [user])),
        at_agents=NONE,
        at_system=False,
    )


def room(
    asker: str | None, kind: str = "group", *others: str, agents: tuple[str, ...] = (), through: str | None = None
) -> Room:
    """Ann asks in the chat `here`, with others present; each agent is owned by the person that its name ends with."""
    at = standing(asker, None if kind == "alone" else "here", through)
    chat = Chat(
        kind if kind in {"private", "group"} else "unregistered", just(*filter(None, [asker]), *others), just(*agents)
    )
    return room_of(at, chat, lambda agent: just(agent.removeprefix("bot of ")), closed=kind == "closed")


ALONE, ONE, TWO, GROUP = (
    room(ANN, "alone"),
    room(ANN, "private"),
    room(ANN, "private", BEN),
    room(ANN, "group", BEN, CID),
)


def verdict(here: Room, policy: Policy = DEFAULT, *, leaves: bool = False, **fields: object) -> str:
    return reason_of(told(replace(MEMORY, **fields), here, policy, leaves))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sensitivity", "fields", "outside", "one", "two", "group"),
    [
        ("public", {}, "yes", "yes", "no", "yes"),
        ("public", {"speaker": just(ANN)}, "yes", "yes", "no", "yes"),
        ("public", {"may_read": just(ANN, BEN)}, "yes", "yes", "yes", "yes"),
        ("public", {"heard_by": just(ANN, BEN)}, "yes", "yes", "yes", "yes"),
        ("personal", {}, "yes", "no", "no", "no"),
        ("personal", {"speaker": just(ANN), "subjects": just(CID)}, "yes", "yes", "no", "no"),
        ("personal", {"owner": just(ANN), "subjects": just(BEN)}, "yes", "yes", "yes", "no"),
        ("personal", {"subjects": just(ANN)}, "yes", "yes", "no", "yes"),
        ("personal", {"subjects": just(ANN, BEN)}, "yes", "no", "no", "no"),
        ("personal", {"speaker": just(ANN)}, "yes", "yes", "no", "yes"),
        ("unjudged", {"subjects": just(ANN)}, "yes", "yes", "no", "yes"),
        ("unjudged", {}, "yes", "no", "no", "no"),
        ("sensitive", {"subjects": just(ANN)}, "yes", "yes", "no", "no"),
        ("sensitive", {"owner": just(ANN)}, "yes", "no", "no", "no"),
    ],
)
def test_the_table_is_that_of_the_design(
    sensitivity: str, fields: dict[str, frozenset[str]], outside: str, one: str, two: str, group: str
) -> None:
    memory = replace(MEMORY, sensitivity=sensitivity, **fields)
    answers = [heard(told(memory, here, DEFAULT, False)) for here in (ALONE, ONE, TWO, GROUP)]
    assert ["yes" if one else "no" for one in answers] == [outside, one, two, group]


def test_what_was_said_in_a_private_chat_is_said_there_again_and_nowhere_else() -> None:
    said = {"sensitivity": "sensitive", "origin": "private", "origin_chat": just("here"), "heard_by": just(ANN, BEN)}
    assert verdict(TWO, **said) == "heard_it"
    assert verdict(GROUP, **said) == "learned_in_private"
    assert verdict(room(CID, "private"), **said) == "learned_in_private"  # a newcomer, alone
    assert verdict(room(ANN, "private", CID), **said) == "learned_in_private"
    assert verdict(ALONE, **said) == "visible"
    assert verdict(ALONE, leaves=True, **said) == "learned_in_private"


def test_a_group_hears_again_what_nobody_judged_until_somebody_new_listens() -> None:
    said = {"sensitivity": "unjudged", "origin": "group", "origin_chat": just("here"), "heard_by": just(ANN, BEN)}
    assert verdict(room(ANN, "group", BEN), **said) == "heard_it"
    assert verdict(GROUP, **said) == "not_for_this_chat"
    assert verdict(replace(TWO, chat=just("there")), **said) == "heard_it"
    assert verdict(room(ANN, "group", BEN), **{**said, "sensitivity": "personal"}) == "not_for_this_chat"


def test_an_agent_in_a_private_chat_with_one_person_is_that_persons() -> None:
    asked = room(ANN, "private", agents=("bot of ben",))
    through = room(ANN, "private", agents=("bot of ben",), through="bot of ben")
    assert asked.listeners == through.listeners == just(ANN)
    assert room(ANN, "private", BEN, agents=("bot of cid",)).listeners == just(ANN, BEN, CID)
    assert room(None, "private", BEN, through="bot of ann").asker == just(ANN)


def test_about_people_comes_what_a_group_learned_of_those_present() -> None:
    of_ben = replace(MEMORY, origin="group", origin_chat=just("there"), heard_by=just(BEN, CID), subjects=just(BEN))
    assert reason_of(told_about(of_ben, BEN, GROUP, DEFAULT, by_name=False)) == "visible"
    without_ben = room(CID, "group", ANN)
    assert reason_of(told_about(of_ben, BEN, without_ben, DEFAULT, by_name=True)) == "visible"
    assert reason_of(told_about(of_ben, BEN, room(ANN, "group", CID), DEFAULT, by_name=True)) == "not_for_this_chat"
    assert reason_of(told_about(replace(of_ben, portable=False), BEN, GROUP, DEFAULT, by_name=False)) == "not_portable"
    private = replace(of_ben, origin="private")
    assert reason_of(told_about(private, BEN, GROUP, DEFAULT, by_name=False)) == "learned_in_private"


def test_the_stricter_origin_is_kept() -> None:
    group = Origin("group", just("here"), just(ANN, BEN))
    private = Origin("private", just("there"), just(ANN))
    outside, imported = Origin("outside", NONE, NONE), Origin("unknown", NONE, NONE)
    assert stricter(group, private, portable=True) == Origin("private", just("there"), just(ANN))
    assert stricter(outside, group, portable=True) == Origin("released", NONE, NONE)
    assert stricter(outside, group, portable=False) == Origin("several", NONE, NONE)
    assert stricter(imported, outside, portable=True).kind == "several"
    assert stricter(private, Origin("private", just("here"), just(ANN)), portable=True).kind == "several"
