"""The engine: the state that all standpoints share. It holds no identity and knows no verb."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from memfort.clock import Clock
from memfort.embed.extractor import ExtractorModel
from memfort.engine.call import Call, Progress, call_under_way
from memfort.engine.expected_version import check_expected_version
from memfort.engine.indexing.embedding import Embedding
from memfort.engine.indexing.statement_text import StatementText
from memfort.engine.judging import Classifier
from memfort.engine.lifecycle.sweep import sweep
from memfort.engine.overrides import PolicyOverrides
from memfort.engine.recorder import Recorder, Through
from memfort.engine.transaction import Transaction
from memfort.engine.view import View
from memfort.errors import Denied, InvalidInput, StoreError, StoreReadOnly
from memfort.language.normal_form import normal_text
from memfort.model.audience import Audience, audience_of
from memfort.model.item import Candidate, ChangeKeys, Item, Kind, Readers, Sensitivity, Status, unsequenced_id
from memfort.model.moment import Moment
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.people.directory import Chat, Trust, principal_of
from memfort.model.people.person import person_of_user, user_of_person
from memfort.model.phase import FIRST, Phase
from memfort.model.reason import Reason, explanation
from memfort.model.serialize.encoding import canonical_list, short_name
from memfort.model.sight import Sight
from memfort.model.space import Coordinate, Level, Space
from memfort.policy.admission import Placement, value_of
from memfort.policy.disclosure import FindChat, ListenerDisclosure, can_be_disclosed, listeners_at
from memfort.policy.rejected_form import end_markers, ended_form, forms_to_check, rejected_form
from memfort.policy.settings.document import read_policy
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import AuditReads
from memfort.policy.sight import maintenance_sight, sight, with_listeners, with_phases
from memfort.policy.standing import Memberships
from memfort.store.port import (
    WHOLE_STORE,
    Change,
    Entry,
    Filter,
    Insert,
    Position,
    Scope,
    Store,
    Update,
    position_of,
    write_until_done,
)
from memfort.trail.event import Event

_READS_BUFFERED = 256  # so many that flushing them does not affect the 99th percentile of reads
_MAX_READS_BUFFERED = 65_536  # while they cannot be flushed
_MAX_UNSEQUENCED = 65_536
_PAGE = 1000
_Answer = TypeVar("_Answer")
_DIRECTLY = Through()
MESSAGE = "message"  # in the provenance of a turn: the id of its message
ALL_STATES = Filter(statuses=frozenset(Status), deleted=True, expired=True)


class Digests(NamedTuple):
    """What a statement is compared and found by."""

    value: bytes  # of what it says: those that share it are rivals
    # Of its words, in every form in which a reviewer may have rejected them, or in which they may have ended.
    wordings: tuple[bytes, ...]
    change_keys: ChangeKeys | None
    text: StatementText | None  # if it is the one that is kept


class WritesOfThread(threading.local):
    """The writes that a thread is in the middle of, one inside the other."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.given_ids: list[tuple[tuple[object, ...], int]] = []  # in no sequence, with their places at their moments
        self.reads: list[Event] = []  # that waited to be written down, and that these writes write down


class Engine(Struct, eq=False):
    """A store, a clock and a policy, and the reads that are not recorded yet."""

    store: Store
    clock: Clock
    policy: Policy
    memberships: Memberships
    surface: str = "python"
    embedding: Embedding = field(default_factory=Embedding)
    classifier: Classifier = field(default_factory=Classifier)
    extractor: ExtractorModel | None = None  # reads turns after they are stored
    overrides: PolicyOverrides = field(default_factory=PolicyOverrides)  # of what the policy says
    unrecorded_reads: int = 0  # that were answered although they could not be written down
    applied: int = 0  # how often something was written through this engine
    policy_origin: str = "given"  # where the policy comes from, if whoever opened the store named one
    follows: bool = False  # the policy in use in the store, when another process puts another one to use
    _reads: list[Event] = field(default_factory=list)
    _sights: dict[Standpoint, tuple[object, Sight]] = field(default_factory=dict)
    _followed: str | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _writes: WritesOfThread = field(default_factory=WritesOfThread)
    _moment: Moment | None = None  # of the last call
    _repeats: dict[bytes, int] = field(default_factory=dict)  # calls of that moment, and how often each was made
    _unsequenced: dict[tuple[object, ...], int] = field(default_factory=dict)  # how many ids were given at a moment
    _newest: dict[bytes, Moment] = field(default_factory=dict)  # by space

    @property
    def has_classifier(self) -> bool:
        """Whether an encoder judges the sensitivity of what the words do not settle."""
        return self.classifier.head is not None

    @property
    def extractor_name(self) -> str:
        return "none" if self.extractor is None else self.extractor.name

    @property
    def learns_with_model(self) -> bool:
        """Whether turns are queued for a model: there is one, and the policy lets something leave."""
        return self.extractor is not None and self.overrides.extraction_enabled and bool(self.policy.extraction.send)

    # -- calls -------------------------------------------------------------------------------------------------------

    def call(self, actor: Actor, verb: str, *said: object) -> Call:
        """One call of a verb. Everything recorded inside carries its name and a step number, so that the trace of the
        call can be rebuilt. A call inside a call is part of it."""
        return call_under_way(self) or Call(self, self._name(actor, verb, said), verb)

    def untraced_call(self, verb: str) -> Call:
        """A call whose events carry no trace id, unless it is part of a call that has one."""
        return call_under_way(self) or Call(self, "", verb)

    def _name(self, actor: Actor, verb: str, said: Sequence[object]) -> str:
        """The trace id of a call: the same for the same call at the same moment, unless it is repeated then."""
        now = self.clock.now()
        seed: list[str | int] = [actor.key.hex(), now, verb, self.store.keys.digest(repr(said))]
        call = canonical_list(seed)
        with self._lock:
            if self._moment != now:
                self._moment, self._repeats = now, {}
            times = self._repeats[call] = self._repeats.get(call, 0) + 1
        return short_name("trc_", call if times == 1 else canonical_list([*seed, times]))

    def apply(self, changes: Sequence[Change], events: Sequence[Event], *, traced: bool = True) -> None:
        """Make the changes and record the events, as parts of the running call; or outside its trace, if they depend on
        what the caller may not see."""
        self.applied += 1
        self.store.apply(changes, [self._with_trace(event) for event in events] if traced else events)

    def _with_trace(self, event: Event) -> Event:
        call = call_under_way(self)
        if call is None:
            return event
        call.steps += 1
        return replace(event, detail={**event.detail, "trace": call.trace, "step": call.steps})

    def sight(self, standpoint: Standpoint) -> Sight:
        """The sight of the standpoint, now. Cached only while the directory's facts are the same."""
        facts = self.store.facts(standpoint)
        if self.follows and facts.policy not in {None, self._followed}:
            self._follow(facts.policy)
        known = self._sights.get(standpoint)
        if known is not None and known[0] == facts:
            return known[1]
        resolved = sight(standpoint, facts, self.memberships, self.policy.spaces.read_order)
        resolved = with_listeners(resolved, self.disclosure_for(standpoint))
        if standpoint.within is not None:
            resolved = resolved.narrowed(standpoint.within)
        if facts.phases:
            resolved = with_phases(
                resolved, {space: all[-1] for space, all in self.store.phases(resolved).items() if all}
            )
        if len(self._sights) > 4096:
            self._sights.clear()
        self._sights[standpoint] = (facts, resolved)
        return resolved

    def sight_in_room(self, standpoint: Standpoint, chat: Chat) -> Sight:
        """The sight as it would be if exactly these took part in the chat that the standpoint names: for telling who
        would hear what, never for showing it. Nothing of it is kept."""
        here, facts = Coordinate(Level.CHAT, chat.id), self.store.facts(standpoint)
        joined = {place: trust for place, trust in facts.joined.items() if place != here}
        if principal_of(standpoint.actor) in chat.participants:
            joined[here] = Trust.CONTRIBUTOR
        facts = replace(facts, joined=joined, registered=facts.registered | {here})
        resolved = sight(standpoint, facts, self.memberships, self.policy.spaces.read_order)
        resolved = with_listeners(resolved, self.disclosure_for(standpoint, lambda _: chat))
        return resolved if standpoint.within is None else resolved.narrowed(standpoint.within)

    def disclosure_for(self, standpoint: Standpoint, find_chat: FindChat | None = None) -> ListenerDisclosure:
        """What those who listen at the standpoint may hear."""
        listeners = listeners_at(standpoint, find_chat or self.store.chat, self._owner_of_agent)
        return ListenerDisclosure(listeners, self.policy.disclosure, self._may_read)

    def _may_read(self, person: str, space: Space) -> bool:
        """Whether a person may read a space by the directory alone: no host vouches for who only listens, and a share
        lets its holder read, not the chats they are in."""
        user = user_of_person(person)
        if user is None:
            return False
        places = tuple(one for one in space.coordinates if one.level is not Level.VISIBILITY)
        there = Standpoint(Actor(ActorKind.USER, user), places)
        found = sight(there, self.store.facts(there), Memberships.REGISTERED, self.policy.spaces.read_order)
        seen = found.seen(space)
        return seen is not None and seen.reason is not Reason.SHARED_WITH_YOU

    def _owner_of_agent(self, id: str) -> str | None:
        agent = self.store.agent(id)
        return None if agent is None else agent.owner

    def use_policy(self, policy: Policy) -> None:
        """Decide by another policy from here on."""
        self.policy = self.overrides.apply_to(policy)
        self._followed = policy.digest
        self._sights.clear()  # they were resolved with the previous policy's order of recall

    def _follow(self, digest: str | None) -> None:
        """Follow a policy that another process put to use, if this one was opened without its own."""
        assert digest is not None
        document = self.store.policy(digest)
        if document is not None:
            self.use_policy(read_policy(document, "the policy in use"))

    def all_items(self, sight: Sight, filter: Filter) -> Iterator[Item]:
        """All memories in sight that match the filter, from newest to oldest."""
        after: Position | None = None
        now = self.clock.now()
        while page := self.store.page(sight, filter, after, _PAGE, now):
            yield from page
            after = position_of(page[-1])

    def unembedded(self, sight: Sight) -> list[int]:
        """Handles of memories in force in sight without a vector of the embedder in use."""
        return self.store.unembedded(sight, self.embedding.tag, self.embedding.length)

    def own_spaces(self, held: Sight) -> list[Space]:
        """The spaces of the user whose rights these are, wherever the actor stands; but none in a chat where the actor
        does not take part."""
        user = held.actor.user
        return [] if user is None or not held.takes_part else list(self.store.spaces(user))

    def takes_part(self, standpoint: Standpoint) -> bool:
        """Whether the actor takes part in the chat it names, if it names one."""
        if standpoint.get(Level.CHAT) is None:
            return True
        with self.store.reading():
            return self.sight(standpoint).takes_part

    def check_participation(self, standpoint: Standpoint, call: Call) -> None:
        """Refuse a change from a chat where the actor does not take part, and record the refusal. Every verb that
        changes something checks this first; the sight of such a chat is empty."""
        if self.takes_part(standpoint):
            return
        reason, detail = Reason.NOT_A_PARTICIPANT, {"gate": "border", "levels": [Level.CHAT.value]}
        recorder = self.recorder(standpoint.actor, self.clock.now(), call.via)
        refusal = recorder.actor_event(call.verb, "denied", reason, detail)
        self.commit(Scope.of(actors=[standpoint.actor]), lambda: self.apply([], [refusal]))
        raise Denied(reason, explanation(reason))

    def phase_of(self, space: Space) -> Phase:
        """The present phase of a space, for any asker."""
        found = self.store.phases(maintenance_sight([space])).get(space.id)
        return found[-1] if found else FIRST

    def policy_with_digest(self, digest: str) -> Policy | None:
        """The policy with this digest, if it is in force or was once put to use here."""
        if digest == self.policy.digest:
            return self.policy
        document = self.store.policy(digest)
        return None if document is None else read_policy(document, digest)

    def policy_in_use(self) -> Policy | None:
        """The policy in use in the store, whichever is in force here."""
        return policy_in_use(self.store)

    # -- values for the store ----------------------------------------------------------------------------------------

    def insert(self, item: Item, origin: Item | None = None, digests: Digests | None = None) -> Insert:
        """A new memory as the store takes it. `origin` is the one that it is a copy of."""
        place = None if origin is None else (origin.space, origin.id)
        if digests is None:
            value, entry = self.value(item), self.embedding.entry_of(item)
        else:
            value = digests.value
            entry = self.embedding.entry_of(item, change_keys=digests.change_keys, text=digests.text)
        return Insert(item, value, entry, self.disclosed_entry_of(item), place)

    def update(self, item: Item) -> Update:
        return Update(item, self.value(item), self.embedding.entry_of(item), self.disclosed_entry_of(item))

    def disclosed_entry_of(self, item: Item, vector: bytes | None = None) -> Entry | None:
        """The index entry by which a memory is found when it is disclosed from another space, if it ever can be."""
        can_be = can_be_disclosed(item, self.policy.disclosure)
        return self.embedding.disclosed_entry_of(item, vector) if can_be else None

    def value(self, item: Item) -> bytes:
        """A digest of the item's value: items that share it are rivals."""
        return self.store.keys.value(value_text(item))

    def rejected_form(self, item: Item) -> bytes:
        """A digest of the item's words, by which a reviewer rejects them."""
        return self.store.keys.value(rejected_text(item))

    def wordings(self, kind: Kind, key: str | None, text: str, words: str) -> tuple[bytes, ...]:
        """Digests of every form of a statement that a reviewer may have rejected. `words` is its normal form."""
        return tuple(map(self.store.keys.value, forms_to_check(kind, key, text, words)))

    def ended_form(self, item: Item) -> bytes:
        """A digest of the item's words, by which older material with them is known when the item has ended."""
        return self.store.keys.value(ended_text(item))

    def ended_digest(self, text: str) -> bytes:
        """The digest under which a turn with this text is known to have ended."""
        return self.store.keys.value(ended_form(rejected_form(Kind.SHORT_TERM, None, text)))

    def ended_wordings(self, text: str, kind: Kind = Kind.SHORT_TERM, key: str | None = None) -> list[bytes]:
        """Digests of every form in which the words of a memory may have ended."""
        forms = forms_to_check(kind, key, text, normal_text(text), keeps_identifiers=True)
        return [self.store.keys.value(ended_form(form)) for form in forms]

    def digests(self, placement: Placement, audience: Audience, text: StatementText | None) -> Digests:
        """The same of a statement that is not a memory yet, and its change keys, if it is of a kind that can be
        updated."""
        candidate, space, value = placement.candidate, placement.space, self.store.keys.value
        text = StatementText(candidate.text) if text is None else text
        words = text.normal
        said = (candidate.kind, candidate.key, words)
        change_keys: ChangeKeys | None = None
        if candidate.kind is Kind.SEMANTIC:
            change_keys = text.change_keys
        own = _message_value(candidate) or _separate_by_audience(value_of(*said), space, audience)
        return Digests(
            value(own),
            (
                *self.wordings(candidate.kind, candidate.key, candidate.text, words),
                *self.ended_wordings(candidate.text, candidate.kind, candidate.key),
                *map(value, end_markers(candidate.subjects)),
            ),
            change_keys,
            text,
        )

    def unsequenced_id(
        self, space: Space, readers: Readers, author: Actor, kind: Kind, audience: Audience, at: Moment
    ) -> str:
        """The id of a new memory in no sequence: it counts only what its author writes in the partition at this very
        moment, such as the statements of one batch."""
        names = (space.id, readers, author.key, kind, audience.text, at)
        is_new_moment = at > self._newest_before(space)
        while True:
            with self._lock:
                if len(self._unsequenced) > _MAX_UNSEQUENCED:
                    self._unsequenced.clear()
                place = self._unsequenced[names] = self._unsequenced.get(names, 0) + 1
                self._writes.given_ids.append((names, place))
            id = unsequenced_id(space, readers, author, kind, audience.text, at, place)
            if is_new_moment or not self.store.items(maintenance_sight([space]), [id]):
                return id

    def _newest_before(self, space: Space) -> Moment:
        """When the newest memory was written that a space had when it was first asked about here. Only a clock that
        stands still, or was set back, gives its moment again."""
        found = self._newest.get(space.id)
        if found is None:
            page = self.store.page(maintenance_sight([space]), ALL_STATES, None, 1, self.clock.now())
            found = self._newest[space.id] = page[0].created_at_us if page else Moment(-1)
        return found

    def note_moment(self, space: Space, at: Moment) -> None:
        """A memory of that moment comes into a space with an id in no sequence, so that another write of the very
        moment, by a clock that stands still or was set back, does not get the same id."""
        self._newest[space.id] = max(self._newest_before(space), at)

    # -- events ------------------------------------------------------------------------------------------------------

    def recorder(self, actor: Actor, now: Moment, via: Through = _DIRECTLY) -> Recorder:
        """Makes the events of an actor; `via` is what its call came through."""
        surface = via.surface or self.surface
        return Recorder(actor, now, surface, self.policy.digest, self.store.keys, via.credential)

    def note_read(self, event: Event) -> None:
        """Record a read as the policy says: not at all, with the next write, or at once."""
        if self.policy.audit.reads is AuditReads.OFF:
            return
        event = self._with_trace(event)
        with self._lock:
            self._reads.append(event)
            due = len(self._reads) >= _READS_BUFFERED or self.policy.audit.reads is AuditReads.DURABLE
        if due:
            self.flush_if_possible()

    # -- views and transactions ----------------------------------------------------------------------------------------

    @contextmanager
    def view(self, standpoint: Standpoint, call: Call) -> Iterator[View]:
        """One consistent read for a standpoint. Its deferred work is done after it is closed."""
        now = self.clock.now()
        with self.store.reading():
            view = View(self, standpoint, self.sight(standpoint), now, call)
            check_expected_version(view)  # a verb that selects before it writes, or only shows what it would do
            yield view
        for overdue in view.overdue:
            with suppress(StoreError):  # a store that cannot write can still answer; the sweep is done later
                sweep(self, overdue, now)
        for note in view.notes:
            self.note_read(note)

    def write(
        self, standpoint: Standpoint, call: Call, reach: Scope | Iterable[Space], work: Callable[[Transaction], _Answer]
    ) -> _Answer:
        """Do the work in one commit for a standpoint. `reach` are the spaces that it changes, or all that it changes
        besides what belongs to the actor."""
        own = self._own_scope(standpoint.actor)
        scope = own | reach if isinstance(reach, Scope) else own.with_spaces(reach)

        def attempt() -> tuple[_Answer, list[Event]]:
            tx = Transaction(self, standpoint, self.sight(standpoint), self.clock.now(), call)
            check_expected_version(tx)
            answer = work(tx)
            call.check()  # the last moment at which cancellation still means "nothing was written"
            return answer, tx.notes

        answer, notes = self.commit(scope, attempt, call)
        call.expected_version = None  # what the call has written itself moved the version
        for note in notes:
            self.note_read(note)
        return answer

    def _own_scope(self, actor: Actor) -> Scope:
        """What any write of an actor may change: its chain, its budget if there is one, and what is known about it."""
        return _own_scope(actor, is_limited=self.policy.budget.is_limited)

    def commit(self, scope: Scope, work: Callable[[], _Answer], call: Call | None = None) -> _Answer:
        """Do the work in one write of the store: the reads of its actors that were waiting to be written down, then
        what is decided inside. In this order, so that an actor's own chain does not show when it happened to be
        written.

        The scope is named before others may have written, and before another policy came into use: work that turns out
        to reach further, or that the store gives up in favour of another write, is undone and done again."""
        if call is None:
            call = call_under_way(self)
        before = None if call is None else (call.steps, call.progress)
        return write_until_done(
            scope, lambda named: self._attempt(named, work, call, before), is_part=bool(self._writes.scopes)
        )

    def _attempt(
        self, scope: Scope, work: Callable[[], _Answer], call: Call | None, before: tuple[int, Progress | None] | None
    ) -> _Answer:
        writes = self._writes
        if call is not None and before is not None:
            call.steps, call.progress = before
        given, taken = len(writes.given_ids), len(writes.reads)
        writes.scopes.append(scope)
        try:
            with self.store.writing(scope):
                self._write_reads(scope)
                return work()
        except BaseException:  # also that of the commit, with which all that was written down is undone
            with self._lock:
                self._reads = writes.reads[taken:] + self._reads
                self._take_back_ids(writes.given_ids[given:])
            del writes.reads[taken:]
            raise
        finally:
            writes.scopes.pop()
            if not writes.scopes:
                writes.given_ids.clear()
                writes.reads.clear()

    def _take_back_ids(self, given: Sequence[tuple[tuple[object, ...], int]]) -> None:
        """Give ids of a write that was taken back once more, unless another write has got later ones."""
        for names, place in reversed(given):
            if self._unsequenced.get(names) == place:
                self._unsequenced[names] = place - 1

    def flush_if_possible(self) -> None:
        """A store that cannot write just now can still answer, unless the policy wants every read on disk first."""
        try:
            self.flush()
        except StoreError as error:
            if self.policy.audit.reads is AuditReads.DURABLE:
                self._take_reads()  # it is refused, so nobody has read anything
                raise
            self._give_up_reads(0 if isinstance(error, StoreReadOnly) else _MAX_READS_BUFFERED)

    def flush(self) -> None:
        """Write the buffered reads down, in a write of their own; inside a write, those that it may write."""
        if not self._reads:
            return
        inside = self._writes.scopes
        if inside:
            scope = inside[-1]
        else:
            with self._lock:
                scope = Scope(actors=frozenset(event.chain.key for event in self._reads))
        self._attempt(scope, lambda: None, None, None)

    def _write_reads(self, scope: Scope) -> None:
        """Write down the waiting reads of the actors in a scope. They are taken up inside the write, so that two
        threads never write down reads of one actor in another order than they were made."""
        taken = self._take_reads(scope) if self._reads else []
        if taken:
            self._writes.reads += taken
            self.store.apply([], sorted(taken, key=lambda event: event.chain.key))

    def finish_reads(self) -> None:
        """Write the last reads down. What was answered and cannot be written down is counted, and no error."""
        try:
            self.flush()
        except StoreError:
            self._give_up_reads(0)

    def _give_up_reads(self, kept: int) -> None:
        """Keep only the latest reads that wait to be written down, and count the others."""
        with self._lock:
            given_up = max(0, len(self._reads) - kept)
            del self._reads[:given_up]
            self.unrecorded_reads += given_up

    def _take_reads(self, scope: Scope = WHOLE_STORE) -> list[Event]:
        """The waiting reads of the actors in a scope, in the order in which they came."""
        with self._lock:
            taken = [event for event in self._reads if scope.whole or event.chain.key in scope.actors]
            if taken:
                self._reads = [event for event in self._reads if not (scope.whole or event.chain.key in scope.actors)]
        return taken


@lru_cache(maxsize=1024)
def _own_scope(actor: Actor, *, is_limited: bool) -> Scope:
    people = () if actor.user is None else (person_of_user(actor.user),)
    return Scope.of(actors=[actor], authors=[actor] if is_limited else (), people=people)


def turn_value(conversation: str, message: str) -> str:
    """The value of a turn whose message has an id: the same message is the same turn, in whatever words."""
    return f"turn\x00{conversation}\x00{message}"


def _message_value(memory: Item | Candidate) -> str | None:
    if memory.kind is not Kind.SHORT_TERM or memory.conversation is None:
        return None
    message = memory.provenance.get(MESSAGE)
    return turn_value(memory.conversation, message) if isinstance(message, str) else None


def value_text(item: Item) -> str:
    """The item's value, for comparing."""
    if (message := _message_value(item)) is not None:
        return message
    return _separate_by_audience(value_of(item.kind, item.key, normal_text(item.text)), item.space, audience_of(item))


def rejected_text(item: Item) -> str:
    """The item's words, for comparing them with what a reviewer rejected. Everyone who may read a space may know what
    was rejected there, so the audience does not count."""
    return rejected_form(item.kind, item.key, item.text)


def ended_text(item: Item) -> str:
    """The item's words, for comparing older material with what has ended."""
    return ended_form(rejected_text(item))


def _separate_by_audience(said: str, space: Space, audience: Audience) -> str:
    """In a shared space, a memory that is not public has rivals only with the same audience: other readers would see a
    memory superseded by nothing."""
    suffix = "" if space.is_private or audience.sensitivity is Sensitivity.PUBLIC else audience.text
    return f"{said}\x00{suffix}" if suffix else said


def policy_in_use(store: Store) -> Policy | None:
    """The policy in use in a store. An unreadable one is an error: a fallback would decide by rules that were never
    chosen."""
    document = store.policy()
    if document is None:
        return None
    try:
        return read_policy(document, "the policy in use")
    except InvalidInput as error:
        remedy = "put another to use with `policy.use(policy)`, or name the one to open the store with"
        raise StoreError(f"{error.field}: {error.problem}; {remedy}") from error


SYSTEM_STANDPOINT = Standpoint(SYSTEM, ())
