"""Tell the stories of the matrix to a real memory.

Every wording has a marker, a word that occurs nowhere else. Sensitivity, subjects, readers and the rest are given in
the call, or the sensitivity is left to words that settle nothing, so that only the rules of disclosure decide.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from memfort import BoundMemory, Denied, FixedClock, InvalidInput, Item, Memory, NotFound, Outcome

from . import matrix, oracle
from .matrix import BEFORE, CHANGED, NOW, Entry, Spec
from .oracle import Asker, Chat, Origin, Place, Rules

_QUIET = {"conflict": {"evolve": False}}
POLICIES: dict[str, tuple[Rules, dict[str, Any]]] = {
    "strict": (oracle.STRICT, _QUIET),
    "chat": (oracle.CHAT, {"extends": "chat"} | _QUIET),
}
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def marker(number: int) -> str:
    """A word that says nothing, and occurs in one wording only."""
    first, rest = divmod(number, len(_SYLLABLES) ** 2)
    second, third = divmod(rest, len(_SYLLABLES))
    return f"zq{_SYLLABLES[first]}{_SYLLABLES[second]}{_SYLLABLES[third]}q"


def wording(mark: str) -> str:
    return f"the ledger entry {mark} is filed"


class Kept(Struct, frozen=True):
    """A wording of the matrix in a store."""

    entry: Entry
    id: str
    alike: int  # the same number for all that are described alike


class World:
    """A store in which a part of the matrix has been played."""

    def __init__(self, memory: Memory, rules: Rules) -> None:
        self.memory, self.rules = memory, rules
        self.kept: list[Kept] = []
        self.problems: list[str] = []  # stories that could not be told as described
        self.known_as: dict[str, list[Kept]] = defaultdict(list)  # by id and by marker
        self.of_spec: dict[int, list[Kept]] = defaultdict(list)
        self._alike: dict[matrix.Version, int] = {}

    def keep(self, entry: Entry, id: str, mark: str) -> None:
        kept = Kept(entry, id, self._alike.setdefault(entry.version, len(self._alike)))
        self.kept.append(kept)
        self.known_as[id].append(kept)
        self.known_as[mark].append(kept)
        if entry.version.step == "promoted":
            self.known_as[self.of_spec[entry.number][0].id].append(kept)  # `promoted_from` in the copy
        self.of_spec[entry.number].append(kept)


# Telling the stories


def tell(memory: Memory, clock: FixedClock, rules: Rules, specs: Sequence[Spec]) -> World:
    """Tell every story: what is told before people join and leave, what is told now, and what becomes of it."""
    world = World(memory, rules)
    register_people(memory, BEFORE.values())
    marks = (marker(number) for number in itertools.count())
    stories = [_Story(world, number, spec, marks) for number, spec in enumerate(specs)]
    for story in stories:
        if not story.spec.told_in.endswith("/now"):
            story.begin()
    clock.advance(3600)
    register_chats(memory, CHANGED)
    for story in stories:
        if story.spec.told_in.endswith("/now"):
            story.begin()
    clock.advance(3600)
    for story in stories:
        story.end()
    return world


def register_people(memory: Memory, chats: Iterable[Chat]) -> None:
    for agent, owner in (("butler", "alice"), ("helper", "host")):
        memory.agent.register(agent, owner=owner)
    for user in sorted(matrix.MEMBERS):
        memory.member.add({"project": "apollo"}, user=user, trust="owner")
        memory.member.add({"workspace": "desk"}, user=user, trust="owner")
    register_chats(memory, chats)


def register_chats(memory: Memory, chats: Iterable[Chat]) -> None:
    for chat in chats:
        if chat.kind != "unregistered":
            agents = [agent.id for agent in chat.agents]
            memory.chat.register(chat.id, kind=chat.kind, participants=sorted(chat.persons), agents=agents)


def bind(memory: Memory, asker: Asker, place: Place, claimed: frozenset[tuple[str, str]] = frozenset()) -> BoundMemory:
    """The bound memory of a standpoint."""
    places = dict(place.coordinates | claimed)
    if place.chat is not None:
        places["chat"] = place.chat.id
    if asker.agent is None:
        return memory.as_user(asker.user, **places) if asker.user is not None else memory.as_system()
    return memory.as_agent(asker.agent.id, owner=asker.agent.owner, acting_for=asker.user, **places)


def carry_over(world: World, memory: Memory) -> World:
    """Export what alice and bob own, and import it into another store: one more origin of each memory."""
    register_people(memory, NOW.values())
    carried = World(memory, world.rules)
    for user in ("alice", "bob"):
        lines = list(world.memory.as_user(user).export())
        there = memory.as_user(user, workspace="desk")
        report = there.import_("\n".join(map(json.dumps, lines)).encode(), filename="export.jsonl")
        noted = [f"line {number}" for number, line in enumerate(lines, 1) if _is_for_strangers(line, user)]
        unexpected = [problem for problem in report.problems if problem.split(":")[0] not in noted]
        carried.problems += [f"the import of {user}: {problem}" for problem in unexpected]
        if report.counts.get("unknown_readers", 0) != len(noted):
            carried.problems.append(f"the import of {user}: {len(noted)} reader lists name strangers: {report.counts}")
        for item in there.list(limit=1000, statuses=["approved", "superseded"], deleted=True):
            _recognise(world, carried, item)
    return carried


def _is_for_strangers(line: dict[str, Any], user: str) -> bool:
    """Whether it is a memory in a user's own space, which has no members, with another reader: the import says so."""
    memory = line.get("memory")
    return (
        memory is not None
        and memory["space"] == {"user": user}
        and bool({*(memory["readers"]["users"] or ())} - {user})
    )


def differences(entry: Entry, item: Item) -> list[str]:
    """What of a kept memory is not as it was described."""
    users = item.readers.users
    found = {
        "space": frozenset(item.to_dict()["space"].items()),
        "subjects": frozenset(subject.removeprefix("@") for subject in item.subjects),
        "stated_by": item.stated_by.removeprefix("@") if item.stated_by else None,
        "sensitivity": oracle.PERSONAL if is_unjudged(item) else str(item.sensitivity),
        "judged": not is_unjudged(item),
        "portable": item.portable,
        "reader_users": None if users is None else frozenset(users),
    }
    return [f"{entry}: {name} is {value}" for name, value in found.items() if value != getattr(entry.memory, name)]


def is_unjudged(item: Item) -> bool:
    unjudged = ("not_classified", "unsure", "language_not_supported")
    return item.judgement is not None and item.judgement.reason in unjudged


def _recognise(world: World, carried: World, item: Item) -> None:
    """Note an imported memory as the wording it is, known by its marker."""
    mark = item.text.split()[3]
    ended = item.status != "approved" or item.deleted_at is not None
    for kept in world.known_as.get(mark, ()):
        if kept.entry.is_live != ended:
            imported = Origin(names_space=False)  # an export says where it was learned: it inherits that
            memory = replace(kept.entry.memory, origins=(*kept.entry.memory.origins, imported))
            version = replace(kept.entry.version, memory=memory, listed_when_ended=False)
            entry = replace(kept.entry, version=version)
            carried.problems += differences(entry, item)
            carried.keep(entry, item.id, mark)
            return


class _Story:
    """One spec on its way into the store."""

    def __init__(self, world: World, number: int, spec: Spec, marks: Iterator[str]) -> None:
        self.world, self.number, self.spec = world, number, spec
        self.marks = {version.step: next(marks) for version in matrix.versions(spec) if version.same_words_as is None}
        self.outcomes: dict[str, Outcome] = {}

    def begin(self) -> None:
        chat = matrix.chat_told_in(self.spec)
        coordinates = {
            "project": frozenset({matrix.PROJECT}),
            "workspace": frozenset({matrix.WORKSPACE}),
            "agent_private": frozenset({matrix.AT_BUTLER}),
            "agent_public": frozenset({matrix.AT_BUTLER}),
        }.get(self.spec.space, frozenset())
        bound = bind(self.world.memory, matrix.asker_of(self.spec.writer), Place(chat, coordinates))
        kept = bound.remember(wording(self.marks["original"]), space=matrix.space_of(self.spec), **self._fields())
        self._note("original", kept)

    def end(self) -> None:
        """Make the change, and note every wording. A story that broke off is a problem, and has no cells."""
        kind = self.spec.change.split()[0]
        if kind != "unchanged" and "original" in self.outcomes:
            bound = bind(self.world.memory, matrix.asker_of(self.spec.writer), matrix.place_of_change(self.spec))
            try:
                getattr(self, f"_{kind}")(bound)
            except (Denied, NotFound, InvalidInput) as error:
                self.world.problems.append(f"{self.spec}: could not be {kind}: {error}")
                return
        told = matrix.versions(self.spec)
        if all(version.step in self.outcomes for version in told):
            for version in told:
                self._keep(version)

    def _fields(self) -> dict[str, Any]:
        users = matrix.readers_of(self.spec)
        return {
            "type": "knowledge",
            **({} if self.spec.sensitivity == matrix.UNJUDGED else {"sensitivity": self.spec.sensitivity}),
            "subjects": [f"@{person}" for person in sorted(matrix.subjects_of(self.spec))],
            "portable": self.spec.portable,
            "access": {} if users is None else {"users": sorted(users)},
        }

    def _outside(self) -> BoundMemory:
        """Whoever wrote it, outside any chat."""
        place = matrix.place_of_change(self.spec)
        return bind(self.world.memory, matrix.asker_of(self.spec.writer), replace(place, chat=None))

    def _corrected(self, bound: BoundMemory) -> None:
        old = self.outcomes["original"].id or ""
        self._note("corrected", bound.correct(old, wording(self.marks["corrected"]), **self._fields()))

    def _restored(self, bound: BoundMemory) -> None:
        """Correct it outside any chat, then bring the first wording back where the story says."""
        self._corrected(self._outside())
        self._note("restored", bound.restore(self.outcomes["original"].id or ""))

    def _derived(self, bound: BoundMemory) -> None:
        """Derive it as public: what it is derived from makes it as private as that."""
        fields = self._fields() | {"sensitivity": "public", "derived_from": [self.outcomes["original"].id]}
        kept = bound.remember(wording(self.marks["derived"]), space=matrix.space_of(self.spec), **fields)
        self._note("derived", kept)

    def _promoted(self, bound: BoundMemory) -> None:
        """Promote it from where its target is, or from outside any chat if it is not shown there."""
        id, target = self.outcomes["original"].id or "", dict(matrix.versions(self.spec)[-1].memory.space)
        there = self.world.memory.as_user(self.spec.writer, **target)
        outcome = there.promote(id, target) if there.get(id) is not None else bound.promote(id, target)
        self._note("promoted", outcome)

    def _forgotten(self, bound: BoundMemory) -> None:
        bound.forget(self.outcomes["original"].id or "")

    def _note(self, step: str, outcome: Outcome) -> None:
        if outcome.kept:
            self.outcomes[step] = outcome
        else:
            self.world.problems.append(f"{self.spec}: the {step} wording was not kept ({outcome.reason})")

    def _keep(self, version: matrix.Version) -> None:
        item = self.outcomes[version.step].item
        assert item is not None
        entry = Entry(self.spec, version, self.number)
        self.world.problems += differences(entry, item)
        self.world.keep(entry, item.id, self.marks[version.same_words_as or version.step])
