"""Theorems about what the spaces of others give: portable memories about people, through the same table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import z3
from tests.proofs.disclosure import heard, told_about
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
    same,
    some,
    union,
    within,
)
from tests.proofs.prove import refuted, theorem
from tests.proofs.symbols import just
from tests.proofs.things import DEFAULT, Memory, Policy, Room
from tests.proofs.world import World

Statement = tuple[list[Truth], Truth]
BY_NAME = z3.Bool("asked_by_name")


def hears_about(w: World, memory: Memory, room: Room, policy: Policy = DEFAULT) -> Truth:
    return heard(told_about(memory, w.person("asked_about"), room, policy, BY_NAME))


def is_about(memory: Memory, person: Any) -> Truth:
    """Whether the person is among its subjects; without any, and not public, its speaker is."""
    unsaid = both(is_empty(memory.subjects), no(is_(memory.sensitivity, "public")), no(memory.about_nobody))
    return either(has(memory.subjects, person), both(unsaid, has(memory.speaker, person)))


def all_were_there(memory: Memory, room: Room) -> Truth:
    return within(room.listeners, memory.heard_by)


@theorem("Only what was learned in a group.")
def about_people_comes_only_what_was_learned_in_a_group(w: World) -> Statement:
    memory, room = w.memory(), w.room()
    return [hears_about(w, memory, room)], is_(memory.origin, "group")


@theorem("What was learned in a private chat never surfaces, under any policy.")
def about_people_never_comes_what_a_private_chat_taught(w: World) -> Statement:
    memory, room = w.memory(), w.room()
    closed = is_(memory.origin, "private", "several", "unregistered", "released")
    return [hears_about(w, memory, room, w.policy())], no(closed)


@theorem("Only portable, but for what is said in the chat where it was learned.")
def not_portable_never_comes_from_others(w: World) -> Statement:
    memory, room = w.memory(), w.room()
    return [hears_about(w, memory, room, w.policy())], either(memory.portable, meets(memory.origin_chat, room.chat))


@theorem(
    "About a person who is present, or what all who listen heard; about people who are only named, public memories "
    "learned in a group that the asker was in."
)
def about_people_needs_them_present_or_named_in_public(w: World) -> Statement:
    memory, room, subject = w.memory(), w.room(), w.person("subject")
    public = both(is_(memory.sensitivity, "public"), is_(room.kind, "group"), BY_NAME, is_(memory.origin, "group"))
    named = both(public, same(subject, w.person("asked_about")), meets(room.asker, memory.heard_by))
    heard_by_all = both(all_were_there(memory, room), is_(memory.sensitivity, "public", "unjudged"))
    there = either(has(room.persons, subject), named, heard_by_all)
    return [hears_about(w, memory, room), is_about(memory, subject)], there


@theorem("Only what is about the person.")
def about_people_comes_only_what_is_about_them(w: World) -> Statement:
    memory, room = w.memory(), w.room()
    return [hears_about(w, memory, room, w.policy())], is_about(memory, w.person("asked_about"))


@theorem("A reader list must admit every listener, here too.")
def about_people_reader_lists_bind_every_listener(w: World) -> Statement:
    memory, room, person = w.memory(), w.room(), w.person("listener")
    premises = [hears_about(w, memory, room, w.policy()), memory.for_users, has(room.listeners, person)]
    return premises, has(memory.users, person)


@theorem("Naming a chat one does not take part in gives nothing; nor does one that is not registered.")
def about_people_nothing_comes_where_who_listens_is_not_known(w: World) -> Statement:
    memory, room = w.memory(), w.room()
    return [is_(room.kind, "closed", "unregistered")], no(hears_about(w, memory, room, w.policy()))


@theorem("Never loosened by `participants`.")
def participants_never_loosens_about_people(w: World) -> Statement:
    memory, room, policy = w.memory(), w.room(), w.policy()
    loose, strict = (hears_about(w, memory, room, replace(policy, participants=one)) for one in (True, False))
    return [], loose == strict


@theorem(
    "Preset `chat`: what people say about themselves outside any chat is found by others only when they ask for "
    "that person by name."
)
def what_was_told_alone_is_found_by_others_only_by_name(w: World) -> Statement:
    memory, room, policy = w.memory(), w.room(), w.policy()
    others = every(room.asker, lambda one: no(has(memory.speaker, one)))
    of_themselves = [some(memory.speaker, lambda one: is_about(memory, one)), within(memory.subjects, memory.speaker)]
    premises = [is_(memory.origin, "outside"), others, is_given(room.asker), hears_about(w, memory, room, policy)]
    return [*of_themselves, *premises], both(BY_NAME, policy.told_alone)


@theorem("… and what others said of a person outside any chat is found under that preset alone.")
def what_was_told_of_others_alone_is_found_only_under_a_preset(w: World) -> Statement:
    memory, room, policy = w.memory(), w.room(), w.policy()
    return [is_(memory.origin, "outside"), hears_about(w, memory, room, policy)], policy.told_alone


@theorem("Through the table: what is sensitive comes to its only subject or to who said it, and to nobody in a group.")
def sensitive_about_people_comes_only_to_its_subject_or_speaker(w: World) -> Statement:
    memory, room, person = w.memory(), w.room(), w.person("listener")
    sensitive = is_(memory.sensitivity, "sensitive")
    premises = [sensitive, has(room.listeners, person), hears_about(w, memory, room, w.policy())]
    alone = both(is_about(memory, person), every(memory.subjects, lambda one: same(one, person)))
    return premises, both(no(is_(room.kind, "group")), either(alone, has(memory.speaker, person)))


@theorem("A graver sensitivity never reveals more about people.")
def a_graver_sensitivity_never_reveals_about_people(w: World) -> Statement:
    memory, room, policy = w.memory(), w.room(), w.policy()

    def hears_as(name: str) -> Truth:
        return hears_about(w, replace(memory, sensitivity=name), room, policy)

    steps = (("public", "unjudged"), ("unjudged", "personal"), ("personal", "sensitive"))
    return [is_given(memory.subjects)], both(*(implies(hears_as(high), hears_as(low)) for low, high in steps))


@refuted(
    "One more person who is present never reveals more about people.",
    people=2,
    because="The memory is about the one who came: about-people is for whom is present.",
)
def adding_a_person_never_reveals_about_people(w: World) -> Statement:
    memory, room, newcomer = w.memory(), w.room(), just(w.person("newcomer"))
    more = replace(room, persons=union(room.persons, newcomer), listeners=union(room.listeners, newcomer))
    others = some(room.asker, lambda asker: no(has(newcomer, asker)))
    return [is_(room.kind, "group"), others, hears_about(w, memory, more)], hears_about(w, memory, room)


@theorem("… unless it is about whoever came.")
def adding_a_person_reveals_only_what_is_about_them(w: World) -> Statement:
    memory, room, newcomer = w.memory(), w.room(), w.person("newcomer")
    more = replace(room, persons=union(room.persons, just(newcomer)), listeners=union(room.listeners, just(newcomer)))
    premises = [is_(room.kind, "group"), no(is_about(memory, newcomer)), hears_about(w, memory, more)]
    return [*premises, is_given(room.listeners)], hears_about(w, memory, room)


@theorem("Between two persons each of them needs a reason.")
def about_people_between_two_each_needs_a_reason(w: World) -> Statement:
    memory, room, one, other = w.memory(), w.room(), w.person("one"), w.person("other")
    two = [is_(room.kind, "private"), has(room.persons, one), has(room.persons, other), no(same(one, other))]
    sets = (memory.subjects, memory.speaker, memory.owner, memory.heard_by, memory.may_read)
    own = some(room.asker, lambda asker: both(has(memory.speaker, asker), has(memory.subjects, asker)))
    mine = either(own, within(just(one), union(*sets)))
    return [*two, hears_about(w, memory, room)], mine
