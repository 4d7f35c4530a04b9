"""Theorems about who hears a memory of a space in sight. A claim is stated in the fields of things:
it calls no helper of the rule that it is about, or a wrong helper would prove itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import z3
from tests.proofs.disclosure import heard, told
from tests.proofs.logic import (
    Truth,
    both,
    either,
    every,
    has,
    implies,
    is_,
    is_empty,
    is_given,
    meets,
    no,
    reached,
    same,
    some,
    union,
    within,
)
from tests.proofs.prove import refuted, theorem
from tests.proofs.symbols import formula, just
from tests.proofs.things import DEFAULT, Memory, Policy, Room
from tests.proofs.world import World

Statement = tuple[list[Truth], Truth]
LEAVES = z3.Bool("leaves")


class Case(NamedTuple):
    """A memory in sight, and who listens."""

    memory: Memory
    room: Room
    policy: Policy

    @property
    def heard(self) -> Truth:
        return heard(told(self.memory, self.room, self.policy, LEAVES))

    @property
    def in_its_chat(self) -> Truth:
        return meets(self.memory.origin_chat, self.room.chat)

    @property
    def all_were_there(self) -> Truth:
        return within(self.room.listeners, self.memory.heard_by)

    def is_about(self, person: Any) -> Truth:
        """Whether the person is its only subject; without one, and not public, its speaker is."""
        memory = self.memory
        alone = both(has(memory.subjects, person), every(memory.subjects, lambda one: same(one, person)))
        private = both(no(is_(memory.sensitivity, "public")), no(memory.about_nobody))
        return either(alone, both(is_empty(memory.subjects), private, has(memory.speaker, person)))

    def has_reason(self, person: Any) -> Truth:
        """Whether anything about the memory is a reason to tell this person."""
        memory = self.memory
        sets = (memory.speaker, memory.owner, memory.heard_by, memory.may_read, self.room.user)
        return either(self.is_about(person), *(has(one, person) for one in sets))


def case_of(w: World, policy: Policy = DEFAULT) -> Case:
    return Case(w.memory(), w.room(), policy)


def under_any_policy(w: World) -> Case:
    return case_of(w, w.policy())


def under_strict(w: World) -> Case:
    """The rule `strict`, whatever else a preset loosens."""
    return case_of(w, replace(w.policy(), participants=False))


# -- one answer with one reason ---------------------------------------------------------------------------------------


@theorem("One reason per verdict.")
def one_reason_per_verdict(w: World) -> Statement:
    case = under_any_policy(w)
    found = reached(told(case.memory, case.room, case.policy, LEAVES))
    return [], z3.PbEq([(formula(one), 1) for one in found.values()], 1)


@theorem(
    "A reason is true: what is said to be about the asker is, and so is what is said to be theirs or said by them."
)
def a_reason_is_true(w: World) -> Statement:
    case = under_any_policy(w)
    memory, asker = case.memory, case.room.asker
    found = reached(told(memory, case.room, case.policy, LEAVES))
    means = {
        "about_listener": some(asker, case.is_about),
        "owned_by_listener": meets(asker, memory.owner),
        "stated_by_listener": meets(asker, memory.speaker),
        "listener_was_there": meets(asker, memory.heard_by),
        "may_read_anyway": meets(asker, union(memory.may_read, case.room.user)),
        "heard_it": either(case.all_were_there, both(case.in_its_chat, is_(memory.origin, "unregistered"))),
        "not_portable": no(memory.portable),
        "learned_in_private": is_(memory.origin, "private", "several", "unregistered"),
        "provenance_unknown": is_(memory.origin, "unknown"),
    }
    return [], both(*(implies(found[reason], truth) for reason, truth in means.items()))


@theorem(
    "A memory is heard in a chat only for a reason: it is public, or everybody who needs one has one of their "
    "own, or all who listen heard it."
)
def no_reason_no_sight(w: World) -> Statement:
    case = under_strict(w)
    room = case.room
    mine = implies(is_(room.kind, "group"), some(room.asker, case.has_reason))
    theirs = implies(is_(room.kind, "private"), every(room.listeners, case.has_reason))
    in_chat = no(is_(room.kind, "alone"))
    reasoned = either(is_(case.memory.sensitivity, "public"), both(mine, theirs), case.all_were_there)
    return [in_chat, case.heard], reasoned


@theorem("Fields nobody set are never a reason to show something.")
def a_memory_without_fields_is_told_in_no_chat_unless_it_is_public(w: World) -> Statement:
    case = under_any_policy(w)
    memory = case.memory
    sets = (memory.subjects, memory.speaker, memory.owner, memory.heard_by, memory.may_read)
    listened = is_given(case.room.listeners)
    bare = [*map(is_empty, sets), no(is_(case.room.kind, "alone")), listened]
    return [*bare, case.heard], is_(memory.sensitivity, "public")


@theorem("A reader list must admit every listener.")
def reader_lists_bind_every_listener(w: World) -> Statement:
    case, person = under_any_policy(w), w.person("person")
    return [case.heard, case.memory.for_users, has(case.room.listeners, person)], has(case.memory.users, person)


@theorem("Naming a chat one does not take part in gives nothing.")
def a_closed_room_hears_nothing(w: World) -> Statement:
    case = under_any_policy(w)
    return [is_(case.room.kind, "closed")], no(case.heard)


@theorem("In a chat that is not registered nothing is heard but what is public and was learned there.")
def an_unregistered_chat_hears_only_its_own_public(w: World) -> Statement:
    case = under_any_policy(w)
    public = is_(case.memory.sensitivity, "public")
    return [is_(case.room.kind, "unregistered"), case.heard], both(public, case.in_its_chat)


# -- outside chats ----------------------------------------------------------------------------------------------------


@theorem(
    "Outside any chat everybody who may read the space may read it: membership is the permission. Whoever has "
    "just written a memory can read it back at once."
)
def outside_chats_membership_is_the_permission(w: World) -> Statement:
    case = under_any_policy(w)
    lists = [no(case.memory.for_users), no(case.memory.for_agents)]
    return [is_(case.room.kind, "alone"), no(LEAVES), *lists], case.heard


@theorem(
    "Publishing releases the place, never the sensitivity: what is sensitive leaves its space only to its only "
    "subject or to who said it."
)
def sensitive_leaves_only_to_its_subject_or_its_speaker(w: World) -> Statement:
    case, person = under_any_policy(w), w.person("person")
    premises = [is_(case.room.kind, "alone"), LEAVES, has(case.room.asker, person), case.heard]
    told_to = either(case.is_about(person), has(case.memory.speaker, person))
    return [*premises, is_(case.memory.sensitivity, "sensitive")], told_to


@theorem('The public space of somebody else\'s agent and a share are read by the column "one person", origin included.')
def a_share_never_gives_what_a_private_chat_taught(w: World) -> Statement:
    case = under_any_policy(w)
    outside = both(is_(case.room.kind, "alone"), LEAVES)
    return [outside, case.heard], no(is_(case.memory.origin, "private", "several", "unregistered"))


@theorem("A share keeps its own column in groups too.")
def a_share_gives_no_more_in_a_chat_than_outside(w: World) -> Statement:
    case = case_of(w, replace(w.policy(), own_public=False))
    room = case.room
    alone = replace(room, kind="alone", chat=frozenset(), persons=room.asker, listeners=room.asker)
    registered = is_(room.kind, "private", "group")
    premises = [registered, LEAVES, is_given(room.asker), no(case.all_were_there), case.heard]
    late = both(is_(case.memory.origin, "unregistered"), case.in_its_chat)
    return [*premises, no(late)], case._replace(room=alone).heard


@theorem("What is heard in a chat of a space that one may read is read outside chats too.")
def what_a_chat_hears_is_read_outside_too(w: World) -> Statement:
    case = under_any_policy(w)
    room = case.room
    alone = replace(room, kind="alone", chat=frozenset(), persons=room.asker, listeners=room.asker)
    alone = replace(alone, all_by_agents=room.all_by_agents)
    premises = [no(LEAVES), is_given(room.asker), no(is_(room.kind, "unregistered")), case.heard]
    return premises, case._replace(room=alone).heard


# -- private chats ----------------------------------------------------------------------------------------------------


@theorem("What was learned in a private chat never surfaces in a group unless it was promoted.")
def a_private_chat_never_teaches_a_group(w: World) -> Statement:
    case = case_of(w)
    return [is_(case.room.kind, "group"), case.heard], no(is_(case.memory.origin, "private", "several"))


@refuted(
    "… under any policy.",
    people=1,
    because="Preset `chat` shows a public memory of one's own to its owner everywhere.",
)
def a_private_chat_never_teaches_a_group_under_any_policy(w: World) -> Statement:
    case = under_any_policy(w)
    return [is_(case.room.kind, "group"), case.heard], no(is_(case.memory.origin, "private", "several"))


@theorem("… nor in another private chat.")
def a_private_chat_never_teaches_another(w: World) -> Statement:
    case = case_of(w)
    return [is_(case.room.kind, "private"), is_(case.memory.origin, "private"), case.heard], case.in_its_chat


@theorem(
    "What was said in a private chat may be said there again, at any sensitivity, while every present listener "
    "was there."
)
def those_who_were_there_hear_it_again(w: World) -> Statement:
    case = case_of(w)
    memory, room = case.memory, case.room
    there = [is_(memory.origin, "private"), is_(room.kind, "private"), case.in_its_chat, case.all_were_there]
    open_to_all = [no(memory.for_users), no(memory.for_agents), is_given(room.listeners)]
    return [*there, *open_to_all], case.heard


@theorem("… and not at all to anybody who was not (a newcomer who is alone in it hears nothing of the people before).")
def a_newcomer_hears_nothing_of_the_people_before(w: World) -> Statement:
    case, newcomer = case_of(w), w.person("newcomer")
    premises = [is_(case.memory.origin, "private"), has(case.room.listeners, newcomer)]
    return [*premises, no(has(case.memory.heard_by, newcomer)), no(is_(case.room.kind, "alone"))], no(case.heard)


@theorem("A private chat that becomes a group opens nothing.")
def a_private_chat_that_becomes_a_group_opens_nothing(w: World) -> Statement:
    case = case_of(w)
    return [is_(case.memory.origin, "private"), case.in_its_chat, is_(case.room.kind, "group")], no(case.heard)


@theorem("Between two persons: public with a disclosure reason for each listener.")
def public_between_two_needs_a_reason_for_each(w: World) -> Statement:
    case, one, other = case_of(w), w.person("one"), w.person("other")
    two = [has(case.room.persons, one), has(case.room.persons, other), no(same(one, other))]
    memory = case.memory
    own = both(is_empty(memory.subjects), meets(case.room.asker, memory.owner))
    self_memory = some(
        case.room.asker, lambda asker: both(has(memory.speaker, asker), either(case.is_about(asker), own))
    )
    late = both(is_(case.memory.origin, "unregistered"), case.in_its_chat)
    return [is_(case.room.kind, "private"), *two, case.heard], either(case.has_reason(one), self_memory, late)


@theorem("Two members of a project hear its public facts in their private chat.")
def members_hear_public_facts_in_their_private_chat(w: World) -> Statement:
    case = case_of(w)
    memory, room = case.memory, case.room
    place = [is_(room.kind, "private"), is_given(room.listeners), within(room.listeners, memory.may_read), no(LEAVES)]
    fact = [
        is_(memory.sensitivity, "public"),
        is_(memory.origin, "outside"),
        memory.portable,
        no(memory.for_users),
        no(memory.for_agents),
    ]
    return [*place, *fact], case.heard


@theorem("Between two persons: personal only if every listener is the only subject or the owner.")
def personal_between_two_is_about_one_and_owned_by_the_other(w: World) -> Statement:
    case, one, other = case_of(w), w.person("one"), w.person("other")
    two = [has(case.room.persons, one), has(case.room.persons, other), no(same(one, other))]
    personal = is_(case.memory.sensitivity, "personal")
    either_is = either(case.is_about(one), has(case.memory.owner, one), case.all_were_there)
    return [is_(case.room.kind, "private"), *two, personal, case.heard], either_is


@theorem("Between two persons: sensitive not at all, but for what both heard there.")
def sensitive_between_two_was_heard_by_both(w: World) -> Statement:
    case, one, other = under_any_policy(w), w.person("one"), w.person("other")
    two = [has(case.room.persons, one), has(case.room.persons, other), no(same(one, other))]
    sensitive = is_(case.memory.sensitivity, "sensitive")
    heard_here = both(case.all_were_there, case.in_its_chat, is_(case.memory.origin, "private", "released"))
    return [is_(case.room.kind, "private"), *two, sensitive, case.heard], heard_here


# -- groups -----------------------------------------------------------------------------------------------------------


@theorem("In a group: public, yes.")
def a_group_hears_what_is_public(w: World) -> Statement:
    case = case_of(w)
    memory = case.memory
    learned = either(is_(memory.origin, "outside", "group", "released"))
    plain = [no(memory.for_users), no(memory.for_agents), memory.portable, no(LEAVES)]
    return [is_(case.room.kind, "group"), is_(memory.sensitivity, "public"), learned, *plain], case.heard


@theorem("In a group: personal only if the asker is the only subject.")
def personal_in_a_group_is_about_the_asker_alone(w: World) -> Statement:
    case = under_strict(w)
    personal = is_(case.memory.sensitivity, "personal")
    return [is_(case.room.kind, "group"), personal, case.heard], some(case.room.asker, case.is_about)


@theorem("In a group: sensitive, no.")
def sensitive_is_never_said_in_a_group(w: World) -> Statement:
    case = under_strict(w)
    return [is_(case.room.kind, "group"), is_(case.memory.sensitivity, "sensitive")], no(case.heard)


@refuted(
    "… with the looser rule `participants` too.",
    people=1,
    because="Preset `chat` shows in a group what is about people who take part in it.",
)
def sensitive_is_never_said_in_a_group_under_any_policy(w: World) -> Statement:
    case = under_any_policy(w)
    return [is_(case.room.kind, "group"), is_(case.memory.sensitivity, "sensitive")], no(case.heard)


@theorem("In a group: unjudged where every listener was there; elsewhere as personal.")
def unjudged_in_a_group_was_heard_by_all_or_is_about_the_asker(w: World) -> Statement:
    case = under_strict(w)
    unjudged, late = is_(case.memory.sensitivity, "unjudged"), is_(case.memory.origin, "unregistered")
    about = some(case.room.asker, case.is_about)
    return [is_(case.room.kind, "group"), unjudged, case.heard], either(both(case.all_were_there, no(late)), about)


@theorem(
    "What was said in a group may be said there, or in any chat all of whose listeners were there, while it is "
    "public or unjudged."
)
def those_of_a_group_hear_again_what_is_public_or_unjudged(w: World) -> Statement:
    case = case_of(w)
    memory, room = case.memory, case.room
    said = [is_(memory.origin, "group"), is_(memory.sensitivity, "public", "unjudged"), memory.portable]
    open_to_all = [no(memory.for_users), no(memory.for_agents), is_given(room.listeners), case.all_were_there]
    return [is_(room.kind, "private", "group"), *said, *open_to_all], case.heard


@theorem(
    "What was judged personal or sensitive follows the table, and so does everything as soon as anybody new listens."
)
def what_a_group_heard_and_was_judged_follows_the_table(w: World) -> Statement:
    case = under_strict(w)
    judged = is_(case.memory.sensitivity, "personal", "sensitive")
    said = [is_(case.memory.origin, "group"), judged, is_(case.room.kind, "group"), case.heard]
    return said, both(is_(case.memory.sensitivity, "personal"), some(case.room.asker, case.is_about))


@theorem(
    "What was said in a chat before it was registered is heard there by who said it, and if public by its "
    "members; nowhere else."
)
def what_was_said_before_a_chat_was_registered_stays_there(w: World) -> Statement:
    case = case_of(w)
    registered = is_(case.room.kind, "private", "group")
    said_it = every(case.room.asker, lambda one: has(case.memory.speaker, one))
    heard_there = both(case.in_its_chat, either(is_(case.memory.sensitivity, "public"), said_it))
    return [is_(case.memory.origin, "unregistered"), registered, case.heard], heard_there


@theorem("… if public by its members.")
def members_hear_what_was_public_before_a_chat_was_registered(w: World) -> Statement:
    case = case_of(w)
    memory = case.memory
    said = [is_(memory.origin, "unregistered"), case.in_its_chat, is_(memory.sensitivity, "public")]
    room = case.room
    open_to_all = [no(memory.for_users), no(memory.for_agents), is_given(room.listeners), no(LEAVES)]
    among_members = either(
        is_(room.kind, "group"), both(is_(room.kind, "private"), within(room.listeners, room.persons))
    )
    return [*said, *open_to_all, among_members], case.heard


@theorem("Importing gives the strictest origin.")
def an_import_is_said_in_no_chat(w: World) -> Statement:
    case = case_of(w)
    registered = is_(case.room.kind, "private", "group")
    return [is_(case.memory.origin, "unknown", "several"), registered], no(case.heard)


# -- not portable -----------------------------------------------------------------------------------------------------


@theorem("`portable = false` closes the way out of the originating chat: it is said in no other chat.")
def not_portable_never_leaves_its_chat(w: World) -> Statement:
    case = case_of(w)
    stays = [no(case.memory.portable), is_(case.room.kind, "private", "group")]
    return [*stays, case.heard], either(case.in_its_chat, meets(case.memory.of_chat, case.room.chat))


@theorem("… in that one like any other; whoever may read its space reads it outside chats.")
def in_its_own_chat_portable_makes_no_difference(w: World) -> Statement:
    case = under_any_policy(w)
    stays, may_go = (case._replace(memory=replace(case.memory, portable=one)) for one in (False, True))
    return [either(case.in_its_chat, is_(case.room.kind, "alone"))], stays.heard == may_go.heard


# -- graver, never more -----------------------------------------------------------------------------------------------


@theorem("A graver sensitivity never reveals more.")
def a_graver_sensitivity_never_reveals(w: World) -> Statement:
    case = under_strict(w)
    graver = [
        implies(_as(case, high).heard, _as(case, low).heard)
        for low, high in (("public", "unjudged"), ("unjudged", "personal"), ("personal", "sensitive"))
    ]
    return [], both(*graver)


@theorem("… under the rule `participants` too.")
def a_graver_sensitivity_never_reveals_under_any_policy(w: World) -> Statement:
    case = under_any_policy(w)
    graver = [
        implies(_as(case, high).heard, _as(case, low).heard)
        for low, high in (("public", "unjudged"), ("unjudged", "personal"), ("personal", "sensitive"))
    ]
    return [], both(*graver)


def _as(case: Case, sensitivity: str) -> Case:
    return case._replace(memory=replace(case.memory, sensitivity=sensitivity))


# -- nothing else counts ----------------------------------------------------------------------------------------------


@theorem(
    "Only whether a subject listens counts: people who do not listen can be exchanged without any answer changing."
)
def other_people_cannot_be_told_apart(w: World) -> Statement:
    case, one, other = under_any_policy(w), w.person("one"), w.person("other")
    memory = case.memory
    sets = (case.room.listeners, memory.heard_by, memory.speaker, memory.owner, memory.subjects)
    strangers = [no(has(each, who)) for each in sets for who in (one, other)]
    first, second = (
        case._replace(memory=replace(memory, subjects=union(memory.subjects, just(who)))) for who in (one, other)
    )
    return strangers, first.heard == second.heard
