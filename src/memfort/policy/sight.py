"""Resolve a standpoint into a sight: the only place where one is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from memfort.model.audience import Audience, Listeners, ListenersKind
from memfort.model.item import Readers
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.people.directory import Facts, Share, owner_of
from memfort.model.people.person import person_of_user, user_of_person
from memfort.model.phase import Phase
from memfort.model.reason import Reason
from memfort.model.sight import DisclosureCheck, SeenSpace, Sight
from memfort.model.space import GROUP_LEVELS, OWNED_LEVELS, SYSTEM_ID, Coordinate, Level, Space, Visibility
from memfort.policy.standing import Memberships, Reach, Standing, may_read, may_write, reaches, standing

_VISIBILITY = {kind: Coordinate(Level.VISIBILITY, kind.value) for kind in Visibility}
_SYSTEM = Coordinate(Level.SYSTEM, SYSTEM_ID)


def standings(standpoint: Standpoint, facts: Facts, memberships: Memberships) -> dict[Coordinate, Standing]:
    """How far the standpoint gets at each of its coordinates, at the owner of an agent that acts for nobody, and in the
    system space, which anyone may read."""
    owner = owner_of(standpoint.actor, facts.owners)
    owners = () if owner is None else (Coordinate(Level.USER, owner.id),)
    asked = dict.fromkeys((*standpoint.coordinates, *owners, _SYSTEM))
    return {coordinate: standing(standpoint.actor, coordinate, facts, memberships) for coordinate in asked}


def sight(
    standpoint: Standpoint, facts: Facts, memberships: Memberships, read_order: Sequence[Level] = tuple(Level)
) -> Sight:
    """The spaces `standpoint` may read, in the order of recall. A standpoint with no coordinates sees nothing, neither
    does one in a chat that its actor takes no part in, and a level that is not in the order is not consulted."""
    if not standpoint.coordinates:
        return Sight(standpoint.actor, ())
    order, held = tuple(read_order), standings(standpoint, facts, memberships)
    if _names_foreign_chat(held):
        return Sight(standpoint.actor, (), disclosure=_ClosedChat(standpoint))
    reached = tuple(coordinate for coordinate, answer in held.items() if answer.reach is not Reach.NONE)
    own = {
        space: SeenSpace(
            space,
            _layer(space, order),
            may_write(space, held),
            Reason.VISIBLE,
            _owner(space, facts),
            may_end_others=reaches(space, held, Reach.REVIEW),
            may_share=reaches(space, held, Reach.FULL),
            is_leaving=_is_of_foreign_agent(space, held),
        )
        for space in _spaces(reached, order)
        if may_read(space, held)
    }
    # What others share comes after everything of one's own: nobody can put their words before yours by sharing them.
    last = len(order) + 1
    shares = shares_held(standpoint, facts, memberships)
    passed_on = {one.space for one in shares if one.may_pass_on}
    shared = {
        space: SeenSpace(
            space,
            last + _layer(space, order),
            False,
            Reason.SHARED_WITH_YOU,
            _owner(space, facts),
            may_share=space in passed_on,
            is_leaving=True,
        )
        for space in dict.fromkeys(one.space for one in shares)
        if space not in own and space.primary in order
    }
    last_in_order = sorted(shared.values(), key=lambda seen: _order(seen.space, order))
    return Sight(standpoint.actor, (*own.values(), *last_in_order))


def _names_foreign_chat(held: Mapping[Coordinate, Standing]) -> bool:
    """Whether the actor names a chat that it takes no part in."""
    return any(one.level is Level.CHAT and answer.reach is Reach.NONE for one, answer in held.items())


def _is_of_foreign_agent(space: Space, held: Mapping[Coordinate, Standing]) -> bool:
    """Whether it is read only because an agent of another owner published it."""
    agent = space.get(Level.AGENT)
    return agent is not None and held[Coordinate(Level.AGENT, agent)].reach is Reach.PUBLIC


def joined_sight(sight: Sight, more: Sight) -> Sight:
    """The sight with the spaces of another one of the same actor."""
    return replace(sight, spaces=(*sight.spaces, *more.spaces))


def shares_held(standpoint: Standpoint, facts: Facts, memberships: Memberships) -> list[Share]:
    """The shares that count for a standpoint."""
    if memberships is Memberships.TRUSTED:
        return list(facts.shares)
    return [share for share in facts.shares if not facts.is_by_word(share, standpoint)]


def with_phases(sight: Sight, phases: Mapping[bytes, Phase]) -> Sight:
    """The sight with the phases its spaces are in."""
    return replace(sight, phases=phases) if phases else sight


def with_listeners(sight: Sight, disclosure: DisclosureCheck) -> Sight:
    """The sight as the listeners may hear it, with what others know about those present besides."""
    if not sight.takes_part:
        return sight
    about = disclosure.listeners.present if sight.spaces else frozenset[str]()
    return replace(sight, disclosure=disclosure, about=about)


def with_subjects(sight: Sight, persons: Iterable[str]) -> Sight:
    """The sight, open to what others know about these persons and no one else."""
    asked = _may_be_asked_about(sight, persons)
    return replace(sight, about=asked, named=asked)


def with_present(sight: Sight, persons: Iterable[str]) -> Sight:
    """The sight, open of what others know only to what is about these persons, whom nobody names."""
    return replace(sight, about=sight.about.intersection(persons))


def with_named(sight: Sight, persons: Iterable[str]) -> Sight:
    """The sight, open also to what others know about these persons, whom the asker names."""
    named = _may_be_asked_about(sight, persons) | sight.named
    return sight if named == sight.named else replace(sight, about=sight.about | named, named=named)


def with_anyone(sight: Sight) -> Sight:
    """The sight for a memory that is asked for by its id: what naming anybody would bring, its id brings too."""
    if sight.disclosure is None or not sight.spaces or sight.disclosure.listeners.kind not in _KINDS_OF_CHATS:
        return sight
    known: Sight | None = sight.memo.get(_ANYONE)
    if known is None:
        known = sight.memo[_ANYONE] = replace(sight, names_anyone=True)
    return known


_ANYONE = "anyone"
_KINDS_OF_CHATS = frozenset({ListenersKind.GROUP, ListenersKind.PRIVATE})


def _may_be_asked_about(sight: Sight, persons: Iterable[str]) -> frozenset[str]:
    """Of these persons, those about whom something may be disclosed: users who are present, in a chat also others."""
    users = frozenset(one for one in persons if user_of_person(one) is not None)
    if sight.disclosure is None or not sight.spaces:
        return users if sight.spaces else frozenset()
    listeners = sight.disclosure.listeners
    return users if listeners.kind in _KINDS_OF_CHATS else users & listeners.present


_DECISION_SIGHT = "for_deciding"


def decision_sight(sight: Sight) -> Sight:
    """The sight as it is for deciding: what a room may not hear is there all the same. Nothing of it is shown."""
    known: Sight | None = sight.memo.get(_DECISION_SIGHT)
    if known is None:
        known = sight.memo[_DECISION_SIGHT] = replace(
            sight, disclosure=None, about=frozenset(), named=frozenset(), names_anyone=False
        )
    return known


def maintenance_sight(spaces: Iterable[Space]) -> Sight:
    """What the system actor works on when it sweeps, checks or erases: whole spaces, named one by one.

    Nothing read through it may be shown to anybody.
    """
    seen = (SeenSpace(space, 0, True, Reason.SYSTEM_ACTOR, may_end_others=True) for space in spaces)
    return Sight(SYSTEM, tuple(seen), whole=True)


def own_spaces_sight(
    actor: Actor, spaces: Iterable[Space], *, whole: bool = False, disclosure: DisclosureCheck | None = None
) -> Sight:
    """Of the given spaces, the user's own, wherever the user stands now: what is somebody's can be exported or erased
    by them, whatever project or session it was written in. `whole` is for erasing, past the reader lists; what is shown
    is for the `disclosure` of a room."""
    if actor.user is None:
        return Sight(actor, (), disclosure=disclosure)
    own, owner = [space for space in spaces if space.get(Level.USER) == actor.user], person_of_user(actor.user)
    seen = (SeenSpace(space, 0, True, Reason.OWN_IDENTITY, owner, may_end_others=True, may_share=True) for space in own)
    return Sight(actor, tuple(seen), whole and actor.kind is ActorKind.USER, disclosure=disclosure)


def space_sight(
    standpoint: Standpoint, space: Space, facts: Facts, memberships: Memberships, vouched: Collection[Coordinate]
) -> Sight | None:
    """One space of groups, if the actor may write there: at coordinates that the host vouches for by its word, if that
    counts, and at any other only as a member in the directory."""
    places = [one for one in space.coordinates if one.level in GROUP_LEVELS]
    if not places or len(places) != len(space.coordinates):
        return None
    held = {
        one: standing(standpoint.actor, one, facts, memberships if one in vouched else Memberships.REGISTERED)
        for one in places
    }
    if not may_write(space, held):
        return None
    seen = SeenSpace(
        space,
        0,
        True,
        Reason.VISIBLE,
        may_end_others=reaches(space, held, Reach.REVIEW),
        may_share=reaches(space, held, Reach.FULL),
    )
    return Sight(standpoint.actor, (seen,))


def host_sight(actor: Actor, space: Space) -> Sight:
    """One space, to put memories there in the name of an actor: for the system, which moves the records of others.
    Nothing read through it may be shown to anybody."""
    return Sight(actor, (SeenSpace(space, 0, True, Reason.SYSTEM_ACTOR),))


def own_and_writable_sight(held: Sight, spaces: Iterable[Space]) -> Sight:
    """The user's own of the given spaces, and where it may write from where it stands."""
    own = own_spaces_sight(held.actor, spaces, disclosure=held.disclosure)
    rest = (seen for seen in held.writable.spaces if seen.space.id not in own.by_id)
    return Sight(held.actor, (*own.spaces, *rest), phases=held.phases, disclosure=held.disclosure)


def join_sights(held: Sight, sights: Iterable[Sight]) -> Sight:
    """Sights of single spaces as one, each space heard as its own sight hears it; for erasing from several rooms at
    once. `held` is whose they are."""
    parts = [(seen, one.disclosure) for one in sights for seen in one.spaces]
    by_space = {seen.space.id: disclosure for seen, disclosure in parts}
    disclosure = None if held.disclosure is None else _PerSpace(held.disclosure.listeners, by_space)
    return Sight(held.actor, tuple(seen for seen, _ in parts), disclosure=disclosure)


def subject_sight(sight: Sight, chat: str) -> Sight:
    """The sight of a chat's space for ending what is about oneself: what was said in that chat too, though the room is
    not told of it. What was learned elsewhere in private stays untold."""
    return sight if sight.disclosure is None else replace(sight, disclosure=_WithChat(sight.disclosure, chat))


class _ClosedChat(Struct, frozen=True):
    """What is heard in a chat by who takes no part in it."""

    standpoint: Standpoint

    @property
    def listeners(self) -> Listeners:
        user, chat = self.standpoint.actor.user, self.standpoint.get(Level.CHAT)
        person = None if user is None else person_of_user(user)
        return Listeners(ListenersKind.CLOSED, chat, person, user=person)

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:  # noqa: ARG002
        return False

    def is_disclosed(self, *asked: object, is_named: bool) -> bool:  # noqa: ARG002
        return False


class _WithChat(Struct, frozen=True):
    """What a room may hear, and whatever was said in it."""

    inside: DisclosureCheck
    chat: str

    @property
    def listeners(self) -> Listeners:
        return self.inside.listeners

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        return audience.learned.chat == self.chat or self.inside.may_hear(seen, readers, audience)

    def is_disclosed(
        self, readers: Readers, audience: Audience, person: str, owner: str | None, *, is_named: bool
    ) -> bool:
        return self.inside.is_disclosed(readers, audience, person, owner, is_named=is_named)


class _PerSpace(Struct, frozen=True):
    """What may be heard of each space in a room of its own."""

    listeners: Listeners
    by_space: Mapping[bytes, DisclosureCheck | None]

    def may_hear(self, seen: SeenSpace, readers: Readers, audience: Audience) -> bool:
        disclosure = self.by_space[seen.space.id]
        return disclosure is None or disclosure.may_hear(seen, readers, audience)

    def is_disclosed(self, *asked: object, is_named: bool) -> bool:  # noqa: ARG002
        return False  # it is for erasing


def shared_sight(actor: Actor, space: Space, disclosure: DisclosureCheck) -> Sight:
    """One space as a holder of a share of it sees it; for telling who could see a memory, never for showing it."""
    seen = SeenSpace(space, 0, False, Reason.SHARED_WITH_YOU, is_leaving=True)
    return Sight(actor, (seen,), disclosure=disclosure)


def own_private_sight(held: Sight, space: Space) -> Sight:
    """One space of a sight; whole if it is private, because a reader list there cannot keep its owner from erasing."""
    here = held.narrowed([space])
    is_owner = held.actor.kind is ActorKind.USER and space.is_private
    return Sight(here.actor, here.spaces, here.whole or is_owner, here.phases, None if is_owner else here.disclosure)


@lru_cache(maxsize=512)
def _spaces(coordinates: tuple[Coordinate, ...], read_order: tuple[Level, ...]) -> tuple[Space, ...]:
    """Every space that can be named with these coordinates, in the order of recall: their subsets, with the
    visibilities they allow. Kept, because a name is a digest: whenever the directory changes, the same ones come."""
    overrides = sorted(coordinates, key=_position)
    subsets = (chosen for count in range(1, len(overrides) + 1) for chosen in combinations(overrides, count))
    named = (space for chosen in subsets for space in _variants(chosen) if space.primary in read_order)
    return tuple(sorted(named, key=lambda space: _order(space, read_order)))


def _variants(chosen: tuple[Coordinate, ...]) -> Iterator[Space]:
    levels = {coordinate.level for coordinate in chosen}
    if len(levels) < len(chosen):
        return  # an agent that stands at another agent: each has its own spaces, and they have none together
    if Level.SYSTEM in levels and len(chosen) > 1:
        return
    if Level.AGENT in levels:
        yield Space((*chosen, _VISIBILITY[Visibility.PRIVATE]))
        yield Space((*chosen, _VISIBILITY[Visibility.PUBLIC]))
    elif Level.USER in levels:
        yield Space(chosen)
        yield Space((*chosen, _VISIBILITY[Visibility.SHARED]))
    elif not levels & OWNED_LEVELS:
        yield Space(chosen)


def _owner(space: Space, facts: Facts) -> str | None:
    """The person a space belongs to: its user, or the owner of its agent. A group has none."""
    agent = space.get(Level.AGENT)
    user = space.get(Level.USER) or (None if agent is None else facts.owners.get(agent))
    return None if user is None else person_of_user(user)


def _layer(space: Space, read_order: Sequence[Level]) -> int:
    return min(_rank(level, read_order) for level in space.levels)


def _order(space: Space, read_order: Sequence[Level]) -> tuple[int, int, tuple[int, ...], bytes]:
    """A space that refines another has all its levels and more: never a later layer, and more coordinates."""
    ranks = tuple(sorted(_rank(level, read_order) for level in space.levels))
    return ranks[0], -len(space.coordinates), ranks, space.id


def _rank(level: Level, read_order: Sequence[Level]) -> int:
    return read_order.index(level) if level in read_order else len(read_order)


def _position(coordinate: Coordinate) -> int:
    return list(Level).index(coordinate.level)
