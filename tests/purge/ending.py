"""Steps that end memories: by id, by words, time, author, import, person and scope; and those that take it back."""

from __future__ import annotations

from typing import Any

from tests.purge.composer import Composer, Steps
from tests.purge.steps import SYSTEM, THINGS, Actor, At, Call, Ref, Standpoint
from tests.purge.writing import import_plain, on_memory

_CALLS = frozenset(("remember", "remember_many", "observe", "correct", "import_plain", "forget_by"))


def forget(composer: Composer) -> None:
    on_memory(composer, "forget")


def erase(composer: Composer) -> None:
    number = on_memory(composer, "erase")
    if number is not None:
        composer.made["receipt"].append(number)


def reject_in_force(composer: Composer) -> None:
    on_memory(composer, "reject_in_force")


def forget_person(composer: Composer) -> None:
    which = composer.random.choice(("about", "stated_by", "both"))
    who = composer.standpoint(Actor("user", composer.random.choice(composer.users)))
    composer.add("forget_person", who, person=composer.subject(), which=which, erase=composer.random.random() < 0.5)


def forget_by(composer: Composer) -> None:
    who = _ender(composer)
    composer.add("forget_by", who, **selector(composer, who))


def erase_by(composer: Composer) -> None:
    who = _ender(composer)
    composer.made["receipt"].append(composer.add("erase_by", who, **selector(composer, who)))


def undo(composer: Composer) -> None:
    who = _ender(composer)
    given = undo_selector(composer, who)
    calls = [step for step in composer.steps if step.kind in _CALLS and step.who is not None]
    if calls and len(composer.steps) % 3 == 0:  # what one call did, mostly by whoever called
        given = {"trace": Call(calls[-1].number)}
        who = calls[-1].who if len(composer.steps) % 4 else who
    composer.made["undo"].append(composer.add("undo", who, **given))


def redo(composer: Composer) -> None:
    """An undo is taken back."""
    if not composer.made["undo"]:
        undo(composer)
        return
    undone = composer.choose("undo")
    composer.add("redo", composer.author_of(undone), undo=Ref(undone))


def subject_erase(composer: Composer) -> None:
    """A person's request: their own, one that a user carries out, or one of the system."""
    draw = composer.random.random()
    user = composer.random.choice(composer.users)
    who = Standpoint(SYSTEM) if draw < 0.15 else composer.standpoint(Actor("user", user))
    person = "me" if 0.15 < draw < 0.4 else composer.subject()
    composer.made["receipt"].append(composer.add("subject_erase", who, person=person))


def selector(composer: Composer, who: Standpoint) -> dict[str, Any]:
    """What `forget` and `erase` take: one or two ways to say it."""
    ways = composer.random.sample(("query", "time", "author", "source", "person", "scope"), 2)
    chosen: dict[str, Any] = {}
    for way in ways if composer.random.random() < 0.35 else ways[:1]:
        chosen |= _way(composer, who, way)
    return chosen


def undo_selector(composer: Composer, who: Standpoint) -> dict[str, Any]:
    ways = composer.random.sample(("time", "author", "source"), 2)
    chosen: dict[str, Any] = {}
    for way in ways if composer.random.random() < 0.35 else ways[:1]:
        chosen |= _way(composer, who, way)
    return chosen


def _way(composer: Composer, who: Standpoint, way: str) -> dict[str, Any]:
    if way == "query":
        return {"query": composer.random.choice(composer.things or THINGS)}
    if way == "time":
        return _time(composer)
    if way == "author":
        others = (f"user:{composer.random.choice(composer.people_of_interest)}", "agent:bot", "agent:clerk")
        return {"author": composer.random.choice(("me", "me", *others))}
    if way == "source":
        if not composer.made["import"]:
            import_plain(composer)
        return {"source": Ref(composer.choose("import"))}
    if way == "person":
        return {"person": composer.random.choice((composer.subject(), composer.subject(), "me"))}
    return _scope(composer, who)


def _time(composer: Composer) -> dict[str, At]:
    moments = sorted(composer.random.sample(range(len(composer.steps) + 1), 2))
    bounds = {"since": At(moments[0]), "until": At(moments[1])}
    draw = composer.random.random()
    if draw < 0.4:
        del bounds["until"]
    elif draw < 0.6:
        del bounds["since"]
    return bounds


def _scope(composer: Composer, who: Standpoint) -> dict[str, Any]:
    scopes: list[dict[str, str]] = [dict([place]) for place in who.places if place[0] not in {"session", "agent"}]
    if who.actor.user:
        own = {"user": who.actor.user}
        scopes += [own, own | ({"session": who.session} if who.session else {})]
    scope = composer.random.choice(scopes) if scopes else {}
    return {"scope": scope} | ({"cascade": False} if composer.random.random() < 0.3 else {})


def _ender(composer: Composer) -> Standpoint:
    """Mostly somebody who wrote something."""
    if composer.made["memory"] and composer.random.random() < 0.7:
        who = composer.author_of(composer.choose("memory"))
    else:
        who = composer.somebody()
    if who == composer.observer and not composer.reaches_own_spaces:
        return composer.standpoint(Actor("user", composer.random.choice(composer.users)))
    return who


STEPS: Steps = {
    "forget": (4, forget),
    "erase": (3, erase),
    "reject_in_force": (3, reject_in_force),
    "forget_person": (2, forget_person),
    "forget_by": (7, forget_by),
    "erase_by": (4, erase_by),
    "undo": (4, undo),
    "redo": (7, redo),
    "subject_erase": (3, subject_erase),
}
