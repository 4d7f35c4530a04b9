"""Steps that change what is known of people."""

from __future__ import annotations

from typing import Any

from tests.purge.composer import Composer, Steps
from tests.purge.steps import NAMES, RELATIVES, Actor, Ref, Standpoint


def add_person(composer: Composer) -> None:
    who = composer.somebody()
    given: dict[str, Any] = {"name": composer.random.choice(NAMES)}
    if composer.random.random() < 0.75:
        own = {"user": who.actor.user} if who.actor.user else None
        space = (composer.space(who) if composer.random.random() < 0.4 else None) or own
        given |= {"space": space} if space else {}
    elif composer.random.random() < 0.3:
        given["listed"] = True
    if composer.random.random() < 0.3:
        given["aliases"] = ["Kiki"]
    if composer.random.random() < 0.3 and who.actor.user:
        given["relation"] = composer.random.choice(RELATIVES)
    composer.made["person"].append(composer.add("add_person", who, **given))


def rename(composer: Composer) -> None:
    who = composer.standpoint(Actor("user", composer.random.choice(composer.people_of_interest)))
    composer.add("rename", who, name=composer.random.choice(NAMES))


def _on_person(composer: Composer, kind: str, /, **given: Any) -> None:
    if not composer.made["person"]:
        add_person(composer)
        return
    person = composer.choose("person")
    composer.add(kind, composer.author_of(person), person=Ref(person), **given)


def alias(composer: Composer) -> None:
    _on_person(composer, "alias", alias=composer.random.choice((*NAMES, "Kiki")))


def drop(composer: Composer) -> None:
    _on_person(composer, "drop")


def link(composer: Composer) -> None:
    _on_person(composer, "link", user=composer.random.choice(composer.users))


def merge(composer: Composer) -> None:
    """Two persons whom the same actor entered are one, or a person is a user."""
    if not composer.made["person"]:
        add_person(composer)
    gone = composer.choose("person")
    entered = next(step for step in composer.steps if step.number == gone)
    keep: Ref | str = f"@{composer.random.choice(composer.users)}"
    if composer.random.random() < 0.6:
        keep = Ref(composer.add("add_person", entered.who, **{**entered.given, "name": composer.random.choice(NAMES)}))
    composer.add("merge", entered.who, person=Ref(gone), keep=keep)


def relate(composer: Composer) -> None:
    if not composer.made["person"]:
        add_person(composer)
        return
    person = composer.choose("person")
    who = composer.author_of(person)
    given: dict[str, Any] = {"term": composer.random.choice(RELATIVES), "person": Ref(person)}
    if who.actor.user and composer.random.random() < 0.6:
        given["space"] = {"user": who.actor.user}
    composer.add("relate", who, **given)


def unrelate(composer: Composer) -> None:
    """Take a relation back, or one that was never stated."""
    stated = [step for step in composer.steps if step.kind == "relate" and isinstance(step.given["person"], Ref)]
    if stated:
        step = composer.random.choice(stated)
        who = composer.author_of(step.number)
    else:
        who = Standpoint(Actor("user", composer.random.choice(composer.users)))
        person = composer.add("add_person", who, name=composer.random.choice(NAMES))
        composer.made["person"].append(person)
        step = composer.step(composer.add("relate", who, term=composer.random.choice(RELATIVES), person=Ref(person)))
    composer.add("unrelate", who, term=step.given["term"], person=step.given["person"], relation=Ref(step.number))


def update_person(composer: Composer) -> None:
    _on_person(composer, "update_person", name=composer.random.choice((*NAMES, "Kiki")))


STEPS: Steps = {
    "add_person": (4, add_person),
    "rename": (2, rename),
    "alias": (3, alias),
    "drop": (3, drop),
    "link": (4, link),
    "merge": (3, merge),
    "relate": (4, relate),
    "unrelate": (2, unrelate),
    "update_person": (5, update_person),
}
