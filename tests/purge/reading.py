"""Steps in which somebody reads. What others read leaves nothing behind that the observer could notice."""

from __future__ import annotations

from typing import Any

from tests.purge.composer import Composer, Steps
from tests.purge.ending import selector, undo_selector
from tests.purge.steps import CITIES, OVERVIEWS, READS, TAGS, THINGS, At, Ref, Standpoint
from tests.purge.writing import plain_file

CHECKED = ("get", "history", "used", "forget", "erase", "correct", "approve", "reject", "edit")


def read(composer: Composer) -> None:
    """Another actor, or the observer from elsewhere, reads: that must leave nothing behind."""
    look(composer, composer.standpoint(), 3)


def look(composer: Composer, who: Standpoint, count: int) -> None:
    """Ask several things. Only in some histories does the observer ask for what their own user did elsewhere."""
    left_out = composer.left_out if who == composer.observer else ()
    verbs = [verb for verb in sorted(READS) if verb not in left_out]
    reads = [_read_call(composer, who, verb) for verb in composer.random.sample(verbs, count)]
    composer.add("look", who, reads=reads)


def _read_call(composer: Composer, who: Standpoint, verb: str) -> dict[str, Any]:
    person = composer.random.choice((composer.subject(), composer.subject(), "me", "my sister", "Kiki"))
    thing = composer.random.choice(composer.things or THINGS)
    draws: dict[str, Any] = {
        "query": f"who likes {thing} from {composer.random.choice(CITIES)}",
        "question": f"What does {composer.subject()} like?",
        "overview": composer.random.choice(OVERVIEWS),
        "thing": thing,
        "tag": composer.random.choice(TAGS),
        "person": person,
        "user": composer.random.choice(composer.users),
        "known": _made(composer, "person", person),
        "memory": _made(composer, "memory", "mem_absent"),
        "source": _made(composer, "import", "src_absent"),
        "receipt": _receipt(composer, who),
        "moment": At(composer.random.randrange(len(composer.steps))),
        "conversation": composer.random.choice((None, None, None, "plans")),
        "checked": composer.random.choice(CHECKED),
        "group": dict([composer.random.choice(list(composer.groups))]),
    }
    if "selector" in READS[verb]:
        draws["selector"] = selector(composer, who)
    if "undo_selector" in READS[verb]:
        draws["undo_selector"] = undo_selector(composer, who)
    if "file" in READS[verb]:
        draws["file"] = plain_file(composer, who)["records"]
    if "viewer" in READS[verb]:
        draws["viewer"] = composer.standpoint(composer.random.choice((who.actor, None)))
    return {"verb": verb} | {name: draws[name] for name in READS[verb]}


def _receipt(composer: Composer, who: Standpoint) -> Ref | str:
    """A receipt, one's own if there is one."""
    own = [number for number in composer.made["receipt"] if composer.step(number).who == who]
    return Ref(composer.random.choice(own)) if own else _made(composer, "receipt", "era_absent")


def _made(composer: Composer, kind: str, otherwise: str) -> Ref | str:
    return Ref(composer.choose(kind)) if composer.made[kind] else otherwise


STEPS: Steps = {
    "read": (3, read),
}
