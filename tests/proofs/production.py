"""The product's answers to the model's plain cases: each thing of the model as the value that the product has for it,
and calls of the product's own rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.proofs import things
from tests.proofs.disclosure import subjects_of
from tests.proofs.origins import Origin
from tests.proofs.things import Memory, Policy, Room

from memfort.model import learned as learned_module
from memfort.model.audience import Listeners, ListenersKind, audience
from memfort.model.item import Readers, Sensitivity
from memfort.model.learned import Learned, LearnedKind
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.directory import Chat, ChatKind, Facts, Principal, Share, Trust
from memfort.model.people.person import person_of_user
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace, Sight
from memfort.model.space import SYSTEM_ID, Coordinate, Level, Space
from memfort.policy import disclosure, sight
from memfort.policy.settings.sections import AboutPeople, Disclosure, DisclosureRule, Provenance
from memfort.policy.standing import Memberships

STRAY = "stray"  # an agent that nobody has registered
SOMEONE = "someone"  # a person who is no user
_KINDS = {
    "closed": ListenersKind.CLOSED,
    "alone": ListenersKind.ALONE,
    "private": ListenersKind.PRIVATE,
    "group": ListenersKind.GROUP,
    "unregistered": ListenersKind.UNKNOWN,
}
_LEARNED = {"group": LearnedKind.GROUP, "private": LearnedKind.PRIVATE, "released": LearnedKind.RELEASED}
# What the model calls by another name.
NAMES = {"heard_it": Reason.SAID_HERE.value, "may_read_anyway": Reason.READ_BY_LISTENER.value}


@dataclass(frozen=True)
class Asked:
    """A memory, and who asks for it where."""

    memory: Memory  # its origin is the join of `origins`
    origins: tuple[Origin, ...]
    space: Space  # where it lives
    room: Room
    actor: Actor
    policy: Policy
    leaves: bool = False
    person: str = ""  # who is asked about, if it is out of sight
    by_name: bool = False
    place: tuple[things.Standpoint, things.Chat] | None = (
        None  # where the room is made of: then the product makes its own
    )

    @property
    def listeners(self) -> Listeners:
        if self.place is None or self.room.kind == "closed":
            return listeners_of(self.room, self.actor)
        return listeners_at(*self.place)


@dataclass(frozen=True)
class Answer:
    is_told: bool
    reason: str  # in the product's words; empty where it gives none


# -- people -----------------------------------------------------------------------------------------------------------


def owner_of(agent: str) -> frozenset[str]:
    """Whom an agent listens for."""
    return frozenset({f"owner of {agent}" if agent == STRAY else agent.removeprefix("bot of ")})


def registered_owner_of(agent: str) -> str | None:
    return None if agent == STRAY else agent.removeprefix("bot of ")


def person_id(name: str) -> str:
    if name == SOMEONE:
        return "per_someone"
    return name if name.startswith("owner of ") else person_of_user(name)


def person_ids(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(person_id, names))


def only(set: frozenset[str]) -> str | None:
    """The one member of an optional value."""
    return next(iter(set), None)


# -- who listens ------------------------------------------------------------------------------------------------------


def listeners_of(room: Room, actor: Actor) -> Listeners:
    """A room of the model, however it came about."""
    asker = only(room.asker)
    return Listeners(
        _KINDS[room.kind],
        only(room.chat),
        None if asker is None else person_id(asker),
        person_ids(room.persons),
        person_ids(room.listeners),
        room.agents if room.all_by_agents else room.agents | {None},
        None if actor.user is None else person_id(actor.user),
    )


def standpoint_of(at: things.Standpoint) -> Standpoint:
    coordinates = [
        *(Coordinate(Level(level), id) for level, ids in at.levels.items() for id in ids),
        *(Coordinate(Level.USER, user) for user in at.at_user),
        *(Coordinate(Level.AGENT, agent) for agent in sorted(at.at_agents)),
        *([Coordinate(Level.SYSTEM, SYSTEM_ID)] if at.at_system else []),
    ]
    return Standpoint(actor_of(at), tuple(coordinates))


def actor_of(at: things.Standpoint) -> Actor:
    user, agent = only(at.user), only(at.agent)
    if agent is not None:
        return Actor(ActorKind.AGENT, agent, acting_for=user)
    return Actor(ActorKind.SYSTEM, "system") if user is None else Actor(ActorKind.USER, user)


def listeners_at(at: things.Standpoint, chat: things.Chat) -> Listeners:
    """Who listens at a standpoint, as the product finds it."""
    users = {Principal(ActorKind.USER, user) for user in chat.users}
    agents = {Principal(ActorKind.AGENT, agent) for agent in chat.agents}

    def find(id: str) -> Chat | None:
        return None if chat.kind == "unregistered" else Chat(id, ChatKind(chat.kind), frozenset(users | agents))

    return disclosure.listeners_at(standpoint_of(at), find, registered_owner_of)


# -- where it was learned ---------------------------------------------------------------------------------------------


def learned_of(origin: Origin) -> Learned:
    """One origin that a write can give."""
    heard_by = tuple(sorted(person_ids(origin.heard_by)))
    match origin.kind:
        case "outside":
            return learned_module.OUTSIDE_ANY_CHAT
        case "unknown":
            return learned_module.UNKNOWN
        case "several":
            return learned_module.SEVERAL
        case "unregistered":
            return Learned(only(origin.chat))
        case kind:
            return Learned(only(origin.chat), _LEARNED[kind], heard_by)


def joined(origins: Iterable[Origin]) -> Learned:
    """The stricter of several origins, as the product finds it."""
    return learned_module.strictest(map(learned_of, origins))


# -- who hears what ---------------------------------------------------------------------------------------------------


def rules_of(policy: Policy) -> Disclosure:
    return Disclosure(
        rule=DisclosureRule.PARTICIPANTS if policy.participants else DisclosureRule.STRICT,
        missing_provenance=Provenance.OPEN if policy.open_provenance else Provenance.CLOSED,
        about_people=AboutPeople.ANYWHERE if policy.told_alone else AboutPeople.GROUPS,
        own_public_everywhere=policy.own_public,
    )


def readers_of(memory: Memory) -> Readers:
    return Readers(memory.users if memory.for_users else None, memory.agents if memory.for_agents else None)


def told(asked: Asked) -> Answer:
    """Whether a memory of a space in sight is told."""
    memory, readers, about = asked.memory, readers_of(asked.memory), _audience(asked)
    owner = only(memory.owner)
    seen = SeenSpace(
        asked.space,
        0,
        False,
        Reason.VISIBLE,
        None if owner is None else person_id(owner),
        is_leaving=asked.leaves,
    )
    check = _check(asked)
    shown = Sight(asked.actor, (seen,), disclosure=check).admits_partition(seen, readers, about)
    return Answer(shown, check.verdict(seen, about).value if _is_admitted(asked, readers) else "")


def told_about(asked: Asked) -> Answer:
    """Whether a memory about a person, of a space out of sight, is told."""
    readers, about, check = readers_of(asked.memory), _audience(asked), _check(asked)
    persons, user = frozenset({person_id(asked.person)}), asked.space.get(Level.USER)
    named = persons if asked.by_name else frozenset[str]()
    view = Sight(asked.actor, (), disclosure=check, about=persons, named=named)
    shown = view.disclosed_about(readers, about, user) is not None
    if not persons.issubset(about.subjects) or not _is_admitted(asked, readers):
        return Answer(shown, "")
    owner = None if user is None else person_id(user)
    return Answer(shown, check.verdict_about(about, *persons, owner, is_named=asked.by_name).value)


def _is_admitted(asked: Asked, readers: Readers) -> bool:
    return readers.admits(asked.actor) and asked.listeners.is_among(readers)


def _check(asked: Asked) -> disclosure.ListenerDisclosure:
    # Who takes part in a chat may read its space by a rule of the product, so the directory is not asked for that.
    is_of_chat = asked.space.levels == {Level.CHAT} and asked.space.get(Level.CHAT) == only(asked.room.chat)
    may_read = frozenset[str]() if is_of_chat else person_ids(asked.memory.may_read)
    return disclosure.ListenerDisclosure(asked.listeners, rules_of(asked.policy), lambda person, _: person in may_read)


def _audience(asked: Asked) -> disclosure.Audience:
    """The fields that decide, of a memory whose subjects are those that a write finds."""
    memory, speaker = asked.memory, only(asked.memory.speaker)
    is_judged = memory.sensitivity != "unjudged"
    return audience(
        asked.space,
        Sensitivity(memory.sensitivity) if is_judged else Sensitivity.PERSONAL,
        joined(asked.origins),
        tuple(sorted(person_ids(subjects_of(memory)))),
        None if speaker is None else person_id(speaker),
        memory.portable,
        judged=is_judged,
    )


# -- who sees what ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Looked:
    """A space, and who looks where."""

    space: things.Space
    at: things.Standpoint
    record: things.Directory
    shared: bool


def space_of(space: things.Space) -> Space | None:
    """The space with these coordinates, if they make one."""
    named = {level: id for level, ids in space.levels.items() for id in ids}
    named |= dict.fromkeys(("user",), only(space.user)) if space.user else {}
    named |= dict.fromkeys(("agent",), only(space.agent)) if space.agent else {}
    named |= {"system": SYSTEM_ID} if space.system else {}
    named |= {} if space.visibility == "none" else {"visibility": space.visibility}
    try:
        return Space.of(named)
    except ValueError:
        return None


def seen_by(looked: Looked) -> tuple[bool, bool]:
    """Whether the product sees a space, and whether what it reads there leaves the space."""
    at, record, space = standpoint_of(looked.at), looked.record, space_of(looked.space)
    if space is None:
        return False, False
    of = {level: Coordinate(Level(level), id) for level, ids in looked.at.levels.items() for id in ids}
    facts = Facts(
        owners={agent: one for agent in _agents_of(looked) if (one := only(record.owner(agent))) is not None},
        registered=frozenset(one for level, one in of.items() if record.registered.get(level)),
        joined={one: Trust.VIEWER for level, one in of.items() if record.member.get(level)},
        shares=(Share("sh", space, Principal(at.actor.kind, at.actor.id), at.actor, 0),) if looked.shared else (),  # type: ignore[arg-type]
    )
    memberships = Memberships.TRUSTED if record.takes_word else Memberships.REGISTERED
    found = sight.sight(at, facts, memberships).seen(space)
    return found is not None, found is not None and found.is_leaving


def _agents_of(looked: Looked) -> frozenset[str]:
    return looked.at.agent | looked.at.at_agents | looked.space.agent
