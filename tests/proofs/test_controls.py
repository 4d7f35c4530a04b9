"""Controls: each wrong rule that is sown into the model is refuted by the theorem that is there for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from tests.proofs import (
    disclosure,
    origins,
    sight,
    theorems_of_disclosure,
    theorems_of_listeners,
    theorems_of_origins,
    theorems_of_people,
    theorems_of_sight,
)
from tests.proofs.logic import both, either, has, implies, is_, is_given, meets, some, within
from tests.proofs.prove import THEOREMS, is_about_something, is_refuted

_MODULES = (
    disclosure,
    origins,
    sight,
    theorems_of_disclosure,
    theorems_of_listeners,
    theorems_of_origins,
    theorems_of_people,
    theorems_of_sight,
)
_ABOUT, _OWN, _SAID = "about_listener", "owned_by_listener", "stated_by_listener"


_TOLD_ABOUT, _OF_ABSENT = disclosure.told_about, 10  # the step that looks at who is absent


class Wrong(NamedTuple):
    """A wrong rule, in the place of the right one."""

    says: str
    refuted_by: str
    name: str  # of the function, or of the cell of the table
    rule: Any


def _always(*_given: Any) -> bool:
    return True


def _never(*_given: Any) -> bool:
    return False


def _without(steps: Callable[..., Any], reason: str) -> Callable[..., Any]:
    """The steps but those that give this reason."""
    return lambda *given: [one for one in steps(*given) if one[0] != reason]


WRONG = [
    Wrong(
        "naming a user is being that user",
        "a_users_space_is_read_only_for_that_user",
        "reads_user",
        lambda at, person, *_: has(at.at_user, person),
    ),
    Wrong(
        "an agent's private space is anybody's",
        "a_private_agent_space_is_read_only_for_its_owner",
        "reads_agent",
        lambda at, agent, *_: has(at.at_agents, agent),
    ),
    Wrong(
        "an agent has its owner's rights",
        "an_agent_sees_no_more_than_whom_it_acts_for_and_what_is_public",
        "reads_user",
        lambda at, person, _, record: either(
            has(at.user, person), some(at.agent, lambda one: has(record.owner(one), person))
        ),
    ),
    Wrong(
        "the host's word beats the record", "with_registered_memberships_a_word_opens_nothing", "takes_part", _always
    ),
    Wrong("a coordinate need not be named", "a_broad_standpoint_never_sees_into_narrow_spaces", "reads_level", _always),
    Wrong("any chat may be named", "a_chat_one_does_not_take_part_in_gives_nothing", "names_foreign_chat", _never),
    Wrong("nowhere is somewhere", "default_deny", "stands_somewhere", _always),
    Wrong(
        "a foreign agent's public space is one's own",
        "a_share_and_a_foreign_agents_public_space_leave",
        "holds_agent",
        _always,
    ),
    Wrong(
        "sensitive between two, about one of them",
        "sensitive_between_two_was_heard_by_both",
        "sensitive two",
        (_ABOUT, _OWN),
    ),
    Wrong("sensitive in a group, to its subject", "sensitive_is_never_said_in_a_group", "sensitive group", (_ABOUT,)),
    Wrong(
        "sensitive to its owner",
        "sensitive_leaves_only_to_its_subject_or_its_speaker",
        "sensitive one",
        (_ABOUT, _OWN, _SAID),
    ),
    Wrong(
        "personal in a group, to its owner",
        "personal_in_a_group_is_about_the_asker_alone",
        "personal group",
        (_ABOUT, _OWN),
    ),
    Wrong(
        "personal between two, to who said it",
        "personal_between_two_is_about_one_and_owned_by_the_other",
        "personal two",
        (_ABOUT, _OWN, _SAID),
    ),
    Wrong("personal to anybody who is alone", "no_reason_no_sight", "personal one", None),
    Wrong("public between two, always", "public_between_two_needs_a_reason_for_each", "public two", None),
    Wrong(
        "being the owner is no reason for what is public",
        "a_graver_sensitivity_never_reveals",
        "public two",
        (_ABOUT, _SAID, "listener_was_there"),
    ),
    Wrong(
        "who may read it anyway has no reason",
        "members_hear_public_facts_in_their_private_chat",
        "public two",
        (_ABOUT, _SAID, _OWN, "listener_was_there"),
    ),
    Wrong(
        "what nobody judged is public",
        "unjudged_in_a_group_was_heard_by_all_or_is_about_the_asker",
        "unjudged group",
        None,
    ),
    Wrong(
        "one of several subjects is the subject",
        "personal_in_a_group_is_about_the_asker_alone",
        "is_about",
        lambda memory, one: has(disclosure.subjects_of(memory), one),
    ),
    Wrong(
        "reader lists bind the asker alone",
        "reader_lists_bind_every_listener",
        "admits",
        lambda memory, room: implies(memory.for_users, within(room.asker, memory.users)),
    ),
    Wrong(
        "it is said again though somebody new listens",
        "a_newcomer_hears_nothing_of_the_people_before",
        "all_were_there",
        lambda memory, room: meets(room.listeners, memory.heard_by),
    ),
    Wrong(
        "any private chat is that one",
        "a_private_chat_never_teaches_another",
        "in_same_chat",
        lambda memory, room: both(is_given(memory.origin_chat), is_given(room.chat)),
    ),
    Wrong("what a private chat taught is open", "a_private_chat_never_teaches_a_group", "is_confidential", _never),
    Wrong(
        "a chat that was not registered then is any chat",
        "what_was_said_before_a_chat_was_registered_stays_there",
        "is_confidential",
        lambda memory, _: is_(memory.origin, "private", "several"),
    ),
    Wrong("what is not portable goes anywhere", "not_portable_never_leaves_its_chat", "is_closed_way", _never),
    Wrong(
        "what is not portable comes from others",
        "not_portable_never_comes_from_others",
        "told_about",
        _without(disclosure.told_about, "not_portable"),
    ),
    Wrong(
        "what was told alone comes from others",
        "about_people_comes_only_what_was_learned_in_a_group",
        "told_about",
        _without(disclosure.told_about, "learned_outside"),
    ),
    Wrong(
        "private chats teach others about people",
        "about_people_never_comes_what_a_private_chat_taught",
        "told_about",
        _without(disclosure.told_about, "learned_in_private"),
    ),
    Wrong(
        "who is absent does not count",
        "about_people_needs_them_present_or_named_in_public",
        "told_about",
        lambda *given: [one for place, one in enumerate(_TOLD_ABOUT(*given)) if place != _OF_ABSENT],
    ),
    Wrong(
        "a closed chat is open", "a_closed_room_hears_nothing", "told", _without(disclosure.told, "not_a_participant")
    ),
    Wrong("an import is open", "an_import_is_said_in_no_chat", "told", _without(disclosure.told, "provenance_unknown")),
    Wrong(
        "the asking agent's owner listens",
        "agent_for_bob_hears_what_bob_hears",
        "asker_of",
        lambda at, owner: disclosure.union(at.user, disclosure.image(at.agent, owner)),
    ),
    Wrong("the looser origin is kept", "the_strictest_origin_opens_no_more_than_any", "stricter", lambda one, *_: one),
]


@pytest.mark.parametrize("wrong", WRONG, ids=[one.says for one in WRONG])
def test_a_wrong_rule_is_refuted(wrong: Wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    [theorem] = [one for one in THEOREMS if one.name == wrong.refuted_by]
    level, _, column = wrong.name.partition(" ")
    if column:
        monkeypatch.setitem(disclosure.TABLE, level, {**disclosure.TABLE[level], column: wrong.rule})
    for module in () if column else _MODULES:
        if hasattr(module, wrong.name):
            monkeypatch.setattr(module, wrong.name, wrong.rule)
    assert is_about_something(theorem)
    assert is_refuted(theorem)
