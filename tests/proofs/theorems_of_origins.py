"""Theorems about origins that come together: corrections, restored texts, summaries and imports."""

from __future__ import annotations

from dataclasses import replace

import z3
from tests.proofs.disclosure import heard, told, told_about
from tests.proofs.logic import Truth, both, either, has, implies, is_, is_empty, is_given, meets, no, within
from tests.proofs.origins import Origin, stricter
from tests.proofs.prove import theorem
from tests.proofs.symbols import Chat, Many, Maybe, Person
from tests.proofs.things import DEFAULT, ORIGINS, Memory
from tests.proofs.world import World, possible_origin

Statement = tuple[list[Truth], Truth]
LEAVES, BY_NAME, PORTABLE = (z3.Bool(name) for name in ("leaves", "asked_by_name", "portable"))


def origin(w: World, name: str) -> Origin:
    made = Origin(w.one_of(f"{name}.kind", ORIGINS), Maybe(f"{name}.chat", Chat), Many(f"{name}.heard_by", Person))
    w.assumed += possible_origin(made.kind, made.chat, made.heard_by)
    w.assumed.append(implies(is_(made.kind, "group"), either(is_given(made.chat), PORTABLE)))  # or of several groups
    return made


def learned(memory: Memory, at: Origin) -> Memory:
    return replace(memory, origin=at.kind, origin_chat=at.chat, heard_by=at.heard_by, portable=PORTABLE)


@theorem(
    "Corrections, restorations, derived memories and imports inherit the origin, always the stricter: the join of "
    "a lattice, so that it opens no more than any of them (they heard it aside)."
)
def the_strictest_origin_opens_no_more_than_any(w: World) -> Statement:
    memory, room, policy = w.memory(), w.room(), w.policy()
    one, other = origin(w, "one"), origin(w, "other")
    together = stricter(one, other, PORTABLE)
    aside = both(meets(together.chat, room.chat), within(room.listeners, together.heard_by))
    joined = heard(told(learned(memory, together), room, policy, LEAVES))
    alone = [heard(told(learned(memory, each), room, policy, LEAVES)) for each in (one, other)]
    return [is_given(room.listeners), no(aside), joined], both(*alone)


@theorem("… about people too.")
def the_strictest_origin_opens_no_more_than_any_about_people(w: World) -> Statement:
    memory, room, policy, person = w.memory(), w.room(), w.policy(), w.person("asked_about")
    one, other = origin(w, "one"), origin(w, "other")
    together = learned(memory, stricter(one, other, PORTABLE))
    joined = heard(told_about(together, person, room, policy, BY_NAME))
    alone = [heard(told_about(learned(memory, each), person, room, policy, BY_NAME)) for each in (one, other)]
    return [joined], both(*alone)


@theorem("Within one kind of chat a stricter origin never reveals more (they heard it, and late registration, aside).")
def a_stricter_origin_never_reveals(w: World) -> Statement:
    memory, room = w.memory(), w.room()
    there = both(meets(memory.origin_chat, room.chat), is_(memory.origin, "private", "unregistered"))
    strict = is_(memory.origin, "private", "unregistered", "unknown", "several")
    looser = [
        heard(told(replace(memory, origin=name), room, DEFAULT, LEAVES)) for name in ("outside", "group", "released")
    ]
    return [strict, no(there), heard(told(memory, room, DEFAULT, LEAVES))], both(*looser)


@theorem("Promoting releases it: what was released is heard wherever what was said outside any chat is heard.")
def what_was_promoted_opens_what_was_said_outside(w: World) -> Statement:
    memory, room, policy = w.memory(), w.room(), w.policy()
    outside = learned(memory, Origin("outside", frozenset(), frozenset()))
    released = learned(memory, Origin("released", frozenset(), memory.heard_by))
    return [heard(told(outside, room, policy, LEAVES))], heard(told(released, room, policy, LEAVES))


@theorem("The order in which origins come together makes no difference.")
def the_join_of_origins_is_commutative(w: World) -> Statement:
    one, other, person, chat = origin(w, "one"), origin(w, "other"), w.person("anybody"), z3.Const("any_chat", Chat)
    here, there = (stricter(*pair, PORTABLE) for pair in ((one, other), (other, one)))
    kinds = [is_(here.kind, name) == is_(there.kind, name) for name in ORIGINS]
    return [], both(
        *kinds, has(here.heard_by, person) == has(there.heard_by, person), has(here.chat, chat) == has(there.chat, chat)
    )


@theorem("… nor which of three come together first.")
def the_join_of_origins_is_associative(w: World) -> Statement:
    one, other, third = (origin(w, name) for name in ("one", "other", "third"))
    person, chat = w.person("anybody"), z3.Const("any_chat", Chat)
    here = stricter(stricter(one, other, PORTABLE), third, PORTABLE)
    there = stricter(one, stricter(other, third, PORTABLE), PORTABLE)
    kinds = [is_(here.kind, name) == is_(there.kind, name) for name in ORIGINS]
    return [], both(
        *kinds, has(here.heard_by, person) == has(there.heard_by, person), has(here.chat, chat) == has(there.chat, chat)
    )


@theorem("An origin with itself is itself.")
def the_join_of_an_origin_with_itself_is_itself(w: World) -> Statement:
    one, person = origin(w, "one"), w.person("anybody")
    made = stricter(one, one, PORTABLE)
    kinds = [is_(made.kind, name) == is_(one.kind, name) for name in ORIGINS]
    return [], both(
        *kinds,
        has(made.heard_by, person) == has(one.heard_by, person),
        implies(is_empty(one.chat), is_empty(made.chat)),
    )
