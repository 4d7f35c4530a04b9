"""Find problems in the memories: missing provenance, dangling links, wrong types, unknown subjects, duplicates and
contradictions; and people with missing or repeated names. Each is checked in its own space and partition, never across.
`repair` fixes them.

A finding has an id, the levels of its space and a sentence, and no text of a memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from msgspec.structs import replace

from memfort.engine.engine import Engine
from memfort.engine.transaction import Session
from memfort.language.mentions import mentions
from memfort.model.audience import audience_of
from memfort.model.item import Item, Kind, Readers, Status, is_live
from memfort.model.people.actor import Actor, ActorKind, Standpoint
from memfort.model.people.person import MAX_ALIASES, Person, Relation, check_names, is_made, user_of_person
from memfort.model.results import CheckResult, Finding
from memfort.model.sight import Sight
from memfort.model.space import Level, Space
from memfort.operations.admit.infer_type import type_from_text
from memfort.operations.ending.lineage import find_stored
from memfort.operations.people.resolve.look_up import redirects
from memfort.operations.people.resolve.unknown_person import unknown_person_id
from memfort.policy.gates.conflict import ConflictRule, claim_of, settle
from memfort.policy.gates.supersession import Change as Evolution
from memfort.policy.gates.supersession import find_slot, supersedes
from memfort.policy.people import ALLOWED, canonical, is_creator, is_known_in, is_shown, may_change
from memfort.policy.phase import in_phase
from memfort.policy.sight import maintenance_sight, own_spaces_sight
from memfort.store.port import Filter

PROVENANCE, TYPES, SUBJECTS, EDGES = "provenance", "types", "subjects", "edges"
NAMES, DUPLICATES, CONTRADICTIONS = "names", "duplicates", "contradictions"
# They are repaired in this order: the subjects decide which memories are duplicates.
CHECKS = (PROVENANCE, TYPES, SUBJECTS, EDGES, NAMES, DUPLICATES, CONTRADICTIONS)
NOTES = frozenset({PROVENANCE, TYPES})  # for a person to judge: these do not make a store broken
LISTED = 100  # how many findings of a check are named; all of them are counted
_KEPT = Filter(statuses=frozenset(Status), expired=False)
_PEOPLE_AT_ONCE = 1000
# The sentence if nothing is wrong, and the remedy otherwise.
SOUND = {
    PROVENANCE: "every memory has its provenance",
    TYPES: "every type fits its text",
    SUBJECTS: "every memory is about known people",
    EDGES: "every link has its target",
    NAMES: "no person has a name twice",
    DUPLICATES: "there are no duplicates",
    CONTRADICTIONS: "there are no contradictions",
}
REMEDIES = {
    PROVENANCE: 'judge for yourself; doctor(fix=True, also=["provenance"]) forgets them',
    TYPES: 'judge for yourself; doctor(fix=True, also=["types"]) gives them the type that their words show',
    SUBJECTS: "doctor(fix=True); somebody whom nobody knows can be entered again with people.add(name)",
    EDGES: "doctor(fix=True) cuts links that lead nowhere",
    NAMES: "doctor(fix=True)",
    DUPLICATES: "doctor(fix=True) lets the lighter one give way",
    CONTRADICTIONS: "doctor(fix=True) settles them as a write would",
}


class Scope:
    """Whose memories are checked: all of them for the system, and those in their own spaces for any other actor."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def engine(self) -> Engine:
        return self.session.engine

    @property
    def standpoint(self) -> Standpoint:
        return self.session.standpoint

    @property
    def actor(self) -> Actor:
        return self.session.actor

    @property
    def is_whole(self) -> bool:
        return self.actor.kind is ActorKind.SYSTEM

    def spaces(self) -> list[Space]:
        if not self.engine.takes_part(self.standpoint):
            return []
        spaces = list(self.engine.store.spaces())
        return spaces if self.is_whole else [one.space for one in own_spaces_sight(self.actor, spaces).spaces]

    def sight(self, *spaces: Space) -> Sight:
        """The scope of a check."""
        if self.is_whole:
            return maintenance_sight(spaces)
        return own_spaces_sight(self.actor, spaces, disclosure=self.engine.sight(self.standpoint).disclosure)

    def reach(self, *spaces: Space) -> Sight:
        """The sight in which link targets are looked up: the system's, or only what the actor can see, or a finding
        would reveal the rest."""
        return maintenance_sight(spaces) if self.is_whole else own_spaces_sight(self.actor, spaces)

    def people(self) -> Sight:
        """Where people are looked up: in the spaces, and in the directory."""
        own = {} if self.actor.user is None else {Level.USER.value: self.actor.user}
        return self.sight(Space.of(own or {Level.SYSTEM.value: ""}), *self.spaces())

    def items(self, space: Space) -> Iterator[Item]:
        return self.engine.all_items(self.sight(space), _KEPT)

    def is_theirs(self, made: Person | Relation) -> bool:
        """Whether the asker may repair a person or a relation."""
        own = isinstance(made, Person) and is_creator(self.actor, made)
        return self.is_whole or own or made.created_by.key == self.actor.key


def examine(scope: Scope, wanted: Collection[str] = CHECKS) -> list[CheckResult]:
    """Check the memories, space by space, in one pass. Changes nothing."""
    found: dict[str, list[Finding]] = {check: [] for check in CHECKS if check in wanted}
    counts = Counter[str]()
    fixable = Counter[str]()
    for one in _findings(scope):
        if one.check in found:
            counts[one.check] += 1
            fixable[one.check] += one.can_be_fixed
            if len(found[one.check]) < LISTED:
                found[one.check].append(one)
    return [_result(check, named, counts[check], fixable[check]) for check, named in found.items()]


def _result(check: str, findings: list[Finding], count: int, fixable: int) -> CheckResult:
    if not count:
        return CheckResult(check, SOUND[check])
    named = [f"`{one.id}` ({', '.join(one.levels) or 'listed'}): {one.problem}" for one in findings]
    more = count - len(named)
    lines = (*named, f"and {more} {'other' if more == 1 else 'others'}") if more else tuple(named)
    is_note = check in NOTES
    return CheckResult(
        check,
        f"{count} {'finding' if count == 1 else 'findings'}",
        () if is_note else lines,
        lines if is_note else (),
        REMEDIES[check],
        count,
        fixable,
        tuple(findings),
    )


def _findings(scope: Scope) -> Iterator[Finding]:
    spaces = scope.spaces()
    for done, space in enumerate(spaces, start=1):
        yield from _check_space(scope, space)
        scope.session.progress(done, len(spaces))
    yield from _findings_of(EDGES, broken_people(scope))
    yield from _findings_of(NAMES, stale_names(scope))


def _check_space(scope: Scope, space: Space) -> Iterator[Finding]:
    levels = tuple(sorted(level.value for level in space.levels))
    pairs = Pairs(scope, space)
    for item in scope.items(space):
        pairs.add(item)
        for check in LOCAL:
            found = LOCAL[check](scope, item)
            if found is not None:
                yield Finding(check, item.id, levels, found[0], found[1] is not None)
    for check, losers in ((DUPLICATES, pairs.duplicates()), (CONTRADICTIONS, pairs.contradictions())):
        for loser, _, _ in losers:
            yield Finding(check, loser.id, levels, _PAIRED[check], True)


_PAIRED = {
    DUPLICATES: "another memory in force has the same content",
    CONTRADICTIONS: "another memory in force contradicts it",
}


def _findings_of(check: str, people: Iterator[tuple[Person | Relation, str, bool]]) -> Iterator[Finding]:
    for one, problem, can_be_fixed in people:
        levels = () if one.home is None else tuple(sorted(level.value for level in one.home.levels))
        yield Finding(check, one.id, levels, problem, can_be_fixed)


# -- one memory by itself: what is wrong, and the memory as it should be ---------------------------------------------

Wrong = tuple[str, Item | None]


def find_missing_provenance(_: Scope, item: Item) -> Wrong | None:
    """A memory without provenance. The only repair is to forget it."""
    if item.learned_in is not None or item.status not in {Status.APPROVED, Status.PENDING}:
        return None
    return "its provenance is unknown", item


def find_wrong_type(scope: Scope, item: Item) -> Wrong | None:
    """A memory of the default type whose words show another, unless somebody chose that type for it. How long it is
    kept was decided when it was written."""
    policy = scope.engine.policy
    if not policy.infer_types or item.kind is not Kind.SEMANTIC or item.status is not Status.APPROVED:
        return None
    if item.type != policy.default_type or item.type_chosen:
        return None
    shown = type_from_text(policy, item.text)
    if shown is None or shown == item.type:
        return None
    return f"its text fits the type `{shown}`", replace(item, type=shown)


def find_wrong_subjects(scope: Scope, item: Item) -> Wrong | None:
    """A memory whose subjects would be different if it were written now. Existing subjects are never removed:
    disclosure depends on them."""
    if item.status not in {Status.APPROVED, Status.PENDING}:
        return None
    people = _people_known_at(scope, item)
    moved = redirects(scope.engine.store, _enclosing_spaces(item.space), people.values(), item.author) if people else {}
    subjects = tuple(dict.fromkeys(canonical(one, moved) for one in item.subjects))
    stated_by = None if item.stated_by is None else canonical(item.stated_by, moved)
    if (subjects, stated_by) != (item.subjects, item.stated_by):
        return "a person it is about was merged into another", replace(item, subjects=subjects, stated_by=stated_by)
    if missing := _users_not_in_subjects(item):
        return "it names a user who is not among its subjects", replace(item, subjects=(*item.subjects, *missing))
    nobody = unknown_person_id(item.space, item.text)  # somebody whom the words do not tell: nothing is missing
    if any(user_of_person(one) is None and one not in people and one != nobody for one in item.subjects):
        return "it is about a person who is unknown there", None
    return None


def _users_not_in_subjects(item: Item) -> list[str]:
    """The users that a text names by their handles, if its subjects were not given: the speaker is the default
    subject."""
    if "@" not in item.text or item.kind is Kind.SHORT_TERM or set(item.subjects) - {item.stated_by}:
        return []
    return [one for one in mentions(item.text).handles if user_of_person(one) and one not in item.subjects]


def _people_known_at(scope: Scope, item: Item) -> dict[str, Person]:
    made = [one for one in (*item.subjects, item.stated_by) if one is not None and user_of_person(one) is None]
    found = scope.engine.store.people(_enclosing_spaces(item.space), made) if made else []
    return {one.id: one for one in found if is_known_in(one.home, one.readers, item.space, item.readers)}


@lru_cache(maxsize=4096)
def _enclosing_spaces(space: Space) -> Sight:
    """The spaces whose people are known to all readers of this one: itself, and every broader one."""
    parts = [
        Space(one) for size in range(1, len(space.coordinates) + 1) for one in combinations(space.coordinates, size)
    ]
    return maintenance_sight(parts)


def find_broken_links(scope: Scope, item: Item) -> Wrong | None:
    """A memory with a link to a missing one."""
    links = [*item.derived_from, *(one for one in (item.supersedes, item.superseded_by) if one is not None)]
    if not links and item.promoted_from is None:
        return None
    there = {one.id for one in find_stored(scope.engine.store, scope.reach(item.space), links)}
    mended = replace(
        item,
        derived_from=tuple(one for one in item.derived_from if one in there),
        supersedes=item.supersedes if item.supersedes in there else None,
        superseded_by=item.superseded_by if item.superseded_by in there else None,
        promoted_from=None if _came_from_nowhere(scope, item) else item.promoted_from,
    )
    return None if mended == item else ("it is linked with a missing memory", mended)


def _came_from_nowhere(scope: Scope, item: Item) -> bool:
    """Whether its promotion source is gone. Only the system may know where that was."""
    if item.promoted_from is None or not scope.is_whole:
        return False
    origins = scope.engine.store.origins(maintenance_sight([item.space]), item)
    return not any(find_stored(scope.engine.store, maintenance_sight([space]), [id]) for space, id in origins)


LOCAL: Mapping[str, Callable[[Scope, Item], Wrong | None]] = {
    PROVENANCE: find_missing_provenance,
    TYPES: find_wrong_type,
    SUBJECTS: find_wrong_subjects,
    EDGES: find_broken_links,
}


# -- two memories of one partition ------------------------------------------------------------------------------------

Lost = tuple[Item, Item, ConflictRule]  # the loser, the winner, and why


class Pairs:
    """The memories in force of one space that can contradict each other: hashes of their contents, and the ids of those
    that fill a slot. Their text is read again when two match."""

    def __init__(self, scope: Scope, space: Space) -> None:
        self.scope, self.space = scope, space
        self._phase = scope.engine.phase_of(space)
        self._seen: set[int] = set()
        self._twice: dict[tuple[Readers, bytes], None] = {}
        self._slots: dict[int, list[str]] = {}

    def add(self, item: Item) -> None:
        if not self._counts(item):
            return
        value, partition = self.scope.engine.value(item), _partition(item)
        if (said := hash((partition, value))) in self._seen:
            self._twice[item.readers, value] = None
        self._seen.add(said)
        if (slot := find_slot(item.text)) is not None and item.kind is Kind.SEMANTIC:
            self._slots.setdefault(hash((partition, slot.attribute)), []).append(item.id)

    def duplicates(self) -> Iterator[Lost]:
        """Of duplicates, all but the winner."""
        for readers, value in self._twice:
            found = self.scope.engine.store.rivals(self.scope.sight(self.space), self.space, readers, value)
            partitions: dict[object, list[Item]] = {}
            for item in found:
                if self._counts(item):
                    partitions.setdefault(_partition(item), []).append(item)
            for alike in partitions.values():
                yield from self._losers(alike)

    def contradictions(self) -> Iterator[Lost]:
        """Of those that give one slot different values, all but the winner."""
        for names in self._slots.values():
            if len(names) < 2:
                continue
            found = self.scope.engine.store.items(self.scope.sight(self.space), names)
            here = sorted((one for one in found if self._counts(one)), key=lambda one: (one.created_at_us, one.number))
            yield from self._contradicting(here)

    def _contradicting(self, items: Sequence[Item]) -> Iterator[Lost]:
        gone: set[str] = set()
        for old, new in combinations(items, 2):
            is_one = _partition(old) == _partition(new) and not {old.id, new.id} & gone
            if is_one and supersedes(new.text, old.text).reason is Evolution.SAME_SLOT:
                for lost in self._losers([old, new]):
                    gone.add(lost[0].id)
                    yield lost

    def _losers(self, items: Sequence[Item]) -> Iterator[Lost]:
        policy, winner = self.scope.engine.policy, items[0]
        for item in items[1:]:
            held, _ = settle(claim_of(winner), claim_of(item), policy)
            winner = winner if held.id == winner.id else item
        for item in items:
            if item.id != winner.id:
                yield item, winner, settle(claim_of(winner), claim_of(item), policy)[1]

    def _counts(self, item: Item) -> bool:
        """Whether it is a lasting memory in force: turns of a conversation may repeat, and an earlier phase is
        history."""
        engine = self.scope.engine
        if item.kind is Kind.SHORT_TERM or not is_live(item, engine.clock.now()):
            return False
        return in_phase(item, self._phase, engine.policy)


def _partition(item: Item) -> object:
    """What two must share to contradict each other: readers, audience, subjects and speaker."""
    return item.readers, audience_of(item), tuple(sorted(item.subjects)), item.stated_by


# -- people ----------------------------------------------------------------------------------------------------------

Ill = tuple[Person | Relation, str, bool]


def broken_people(scope: Scope) -> Iterator[Ill]:
    """Relations to unknown persons, and persons merged into unknown ones."""
    sight = scope.people()
    for relation in scope.engine.store.all_relations(sight):
        is_asked = scope.is_theirs(relation) and is_shown(sight, relation)
        if is_asked and not _all_known(scope, sight, relation.from_person, relation.to_person):
            yield relation, "it is about an unknown person", True
    for person in _everybody(scope, sight):
        if person.merged_into is not None and not _all_known(scope, sight, person.merged_into):
            yield person, "they were merged into an unknown person", False


def stale_names(scope: Scope) -> Iterator[Ill]:
    """Persons with repeated names, or without the names of persons merged into them."""
    for person, _ in people_to_rename(scope):
        yield person, "a name is repeated, or missing after a merge", True


def people_to_rename(scope: Scope) -> Iterator[tuple[Person, Person]]:
    """Persons with wrong names, and their corrected form."""
    sight = scope.people()
    others: dict[str, list[Person]] = {}
    for one in _everybody(scope, sight):
        if one.merged_into is not None:
            others.setdefault(one.merged_into, []).append(one)
    for person in _everybody(scope, sight):
        after = with_names(person, others.get(person.id, ()))
        if after != person:
            yield person, after


def with_names(person: Person, others: Sequence[Person]) -> Person:
    """A person with each name once, and with the names of persons merged into them, if the merging actor may rename the
    person and everyone who knows the person may know the names."""
    known = [one for one in others if may_change(_merger(one), person) in ALLOWED and _is_known_alike(one, person)]
    more = [name for one in known for name in one.names]
    _, aliases = check_names(person.name, [*person.aliases, *more][:MAX_ALIASES])
    return person if aliases == person.aliases else replace(person, aliases=aliases, version=person.version + 1)


def _merger(person: Person) -> Actor:
    assert person.merged_by is not None
    return person.merged_by


def _is_known_alike(one: Person, beside: Person) -> bool:
    """Whether everyone who knows the second may know the first."""
    if beside.home is None:
        return one.home is None and one.readers.is_open
    return is_known_in(one.home, one.readers, beside.home, beside.readers)


def _everybody(scope: Scope, sight: Sight) -> Iterator[Person]:
    after: str | None = None
    while page := scope.engine.store.all_people(sight, after, _PEOPLE_AT_ONCE):
        yield from (one for one in page if scope.is_theirs(one) and is_shown(sight, one))
        after = page[-1].id


def _all_known(scope: Scope, sight: Sight, *ids: str) -> bool:
    made = [one for one in ids if is_made(one)]
    return len(scope.engine.store.people(sight, made)) == len(set(made)) if made else True
