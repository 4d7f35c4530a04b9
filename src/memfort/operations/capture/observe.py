"""Observe a conversation: every message that passes the gates is kept as a turn, and what it states as statements of
their own. Each is decided by itself: a message that is refused takes no other with it.

Messages are written in chunks, each in one commit. A call that is repeated, or begun again after an interruption, finds
what it has written and goes on from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from memfort.capture.extract.changes import says_otherwise
from memfort.capture.extraction import CONTEXT_TURNS, Action, Proposal, SpokenTurn
from memfort.capture.importance import compute_importance
from memfort.capture.marks import is_same_text
from memfort.capture.messages import MAX_MESSAGE_BYTES, MAX_MESSAGES, Message, Skipped, parse_messages
from memfort.capture.promotion_hints import Hint, read_hint
from memfort.engine.default_place import (
    conversation_space,
    default_conversation,
    default_places,
    space_with,
    statement_space,
)
from memfort.engine.engine import MESSAGE
from memfort.engine.indexing.embedding import SPEAKER
from memfort.engine.redact import redact_for, redact_outcome
from memfort.engine.transaction import Session, Transaction
from memfort.errors import InvalidInput, quotable
from memfort.language.types import infer_event_type
from memfort.model.decision import Decision, Outcome, OutcomeState, Verdict
from memfort.model.item import Authority, Candidate, Item, Kind, Origin
from memfort.model.occurred import Composed, Evidence
from memfort.model.reason import Reason
from memfort.model.space import Space, Visibility, check_id
from memfort.model.value import Value, count_noun, shortened
from memfort.operations.admit.batch import CHUNK, unusable, write_batch
from memfort.operations.capture.conversation import Place, slide_window
from memfort.operations.capture.hints import follow_hint, target_of
from memfort.operations.capture.known_messages import Recognised, known_by_id, recognise
from memfort.operations.capture.requests_to_forget import ForgetRequest, find_forget_requests
from memfort.operations.capture.speakers import Speaker, Speakers
from memfort.operations.capture.statements import base_importance, rules_extractor, statement_candidate, statement_text
from memfort.operations.capture.targets import Earlier, find_replaced, may_be_news_of, retract
from memfort.operations.extraction.queue import queue_turns
from memfort.operations.requests import Coordinates, Request
from memfort.operations.touched import places_of
from memfort.policy.admission import Placement
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import DefaultPlace, ForgetRequests, KeptTurns, StatementsFrom

_Answer = TypeVar("_Answer")


class ObserveRequest(Request, frozen=True):
    """Messages of a conversation."""

    read_one_by_one = frozenset({"messages"})
    messages: Annotated[
        Any,
        Meta(
            description="Messages in order: by role, items of the Responses format, turns with a speaker, or texts.",
            extra={
                "annotation": "str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]]",
                "most": MAX_MESSAGES,
                "longest": MAX_MESSAGE_BYTES,
            },
        ),
    ]
    conversation: Annotated[
        str | None, Meta(description="The id of the conversation; by default that of the chat or the session.")
    ] = None
    space: Annotated[
        Coordinates | None,
        Meta(description="The space of all of it; by default the chat or session you stand at, else your own space."),
    ] = None
    visibility: Annotated[
        Visibility | None,
        Meta(description="In place of a space: private or shared; public only under preset `agents`."),
    ] = None


class DemotedSentence(Value, frozen=True):
    """A sentence that left no statement."""

    text: str
    reason: str  # `question`, `small_talk`, `hypothetical` and so on


class EndedMemory(Value, frozen=True):
    """A memory that ended because of what a message says."""

    item: Item  # as it is now
    reason: Reason  # `superseded`: another replaced it; `retracted`: its speaker took it back; `evicted`: to make room
    by: str | None = None  # the memory that replaced it or made it give way; of what was taken back, the turn

    def __repr__(self) -> str:
        return f"<EndedMemory {self.reason} {self.item.id} {shortened(self.item.text)!r}>"


_ENDED = {Reason.SUPERSEDED: "replaced", Reason.RETRACTED: "taken back", Reason.EVICTED: "made room"}


class ObservedMessage(Value, frozen=True):
    """What became of one message."""

    index: int  # its place in the call
    turn: Outcome | None = None  # `None`: it is no turn of the conversation
    statements: tuple[Outcome, ...] = ()  # of each statement in it, in order
    ended: tuple[EndedMemory, ...] = ()  # what its statements replaced, and what it takes back
    demoted: tuple[DemotedSentence, ...] = ()
    skipped: Skipped | None = None  # why it is no turn
    may_replace: tuple[str, ...] = ()  # memories that one of its statements may correct, which is not sure

    def __repr__(self) -> str:
        became = self.skipped or ("no turn" if self.turn is None else self.turn.state)
        return f"<ObservedMessage {self.index} {became}, {count_noun(len(self.statements), 'statement')}>"

    @property
    def already_observed(self) -> bool:
        return self.turn is not None and self.turn.reason is Reason.ALREADY_OBSERVED

    @property
    def kept(self) -> list[Item]:
        """What is in force because of it, each fact once: its statements, or its turn where it left none."""
        statements = [one.item for one in self.statements if one.item is not None and one.kept]
        if statements or self.turn is None or self.turn.item is None or self.already_observed:
            return statements
        return [self.turn.item] if self.turn.kept else []

    @property
    def not_in_force(self) -> list[str]:
        """What waits for review, and why something was refused, in words. A turn repeats what its statements say."""
        named = self.statements or (() if self.turn is None else (self.turn,))
        waits = [one.item for one in named if one.state is OutcomeState.PENDING and one.item is not None]
        refused = [one.decision for one in named if one.state is OutcomeState.REFUSED]
        return [
            *(f"waits for review: {item.text}" for item in waits),
            *(f"refused: {decision.explanation}" for decision in refused),
        ]


class Observation(Value, frozen=True):
    """What became of the messages of a call. `undo(trace=…)` takes all of it back."""

    messages: tuple[ObservedMessage, ...]
    promotions: tuple[Outcome, ...] = ()
    forget_requests: tuple[ForgetRequest, ...] = ()
    summary: Item | None = None  # of the turns that have left the window, if the policy keeps no others
    trace: str = ""  # id of the call, for `trace` and `undo`

    def __repr__(self) -> str:
        counts = (
            count_noun(len(self.messages), "message"),
            f"{len(self.kept)} kept",
            f"{sum(one.state is OutcomeState.PENDING for one in self.outcomes)} pending",
            f"{len(self.ended)} ended",
            f"{sum(one.state is OutcomeState.REFUSED for one in self.outcomes)} refused",
        )
        return f"<Observation {', '.join(one for one in counts if not one.startswith('0 '))}>"

    def __str__(self) -> str:
        """What was learned, what ended or was replaced, what waits and what was refused, a line each; and how many
        messages left no statement."""
        lines = [f"learned: {item.text}" for item in self.kept if item.kind is not Kind.SHORT_TERM]
        lines += [f"{_ENDED.get(one.reason, one.reason)}: {one.item.text}" for one in self.ended]
        lines += [line for message in self.messages for line in message.not_in_force]
        if rest := sum(item.kind is Kind.SHORT_TERM for item in self.kept):
            lines.append(f"kept as said: {count_noun(rest, 'message')}")
        return "\n".join(lines) or "nothing new"

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcome of each turn and of its statements, in order."""
        return [
            outcome
            for message in self.messages
            for outcome in (*([] if message.turn is None else [message.turn]), *message.statements)
        ]

    @property
    def kept(self) -> list[Item]:
        """What is in force because of it, each fact once and in order: the statements of a message, or its turn if it
        left none. All turns are in `turns`."""
        gone = {one.item.id for one in self.ended}
        kept = {item.id: item for message in self.messages for item in message.kept}
        return [item for item in kept.values() if item.id not in gone]

    @property
    def turns(self) -> list[Item]:
        """The turns that are new, in order, also those that wait for review."""
        new = (one.turn for one in self.messages if one.turn is not None and not one.already_observed)
        return [turn.item for turn in new if turn.item is not None and turn.stored]

    @property
    def ended(self) -> list[EndedMemory]:
        """What ended or was replaced, and why."""
        return [one for message in self.messages for one in message.ended]


def handle(session: Session, request: ObserveRequest) -> Observation:
    """Record messages of a conversation: their turns, their statements, and the promotions that they ask for."""
    messages = parse_messages(request.messages, session.now)
    where = _destination_of(session, request)
    places = {one.index: where.place_of(one) for one in messages}
    with session.view() as view:
        found_before = recognise(view, places, messages)
    found, summary = list[_Observed](), None
    turns: dict[int, Item] = {}
    for start in range(0, len(messages), CHUNK):
        chunk = _Chunk(where, places, messages[start : start + CHUNK], found_before, messages[:start], turns)
        proposed = _extract(session, chunk)
        touched = places_of(session, _touched(session, where, chunk))
        seen = session.write(touched, partial(_observe, chunk=chunk, proposed=proposed))
        found += seen.messages
        summary = seen.summary or summary
        session.progress(start + len(chunk.messages), len(messages))
    requests = _forget_requests(session, found)
    return Observation(
        tuple(one.message for one in found),
        tuple(promotion for one in found for promotion in one.promotions),
        requests,
        summary,
        session.call.trace,
    )


class Archived(Struct, frozen=True):
    """Messages of an archive: words of a file, which nobody says now. They end nothing that was said here, and what
    they ask for is not done."""

    source: str  # the batch that they came with
    space: Space
    is_named: bool  # whether the importer named that space for all that is in them
    batch_space: Space  # where the batch is on record
    bring_back: bool = False  # what was forgotten or erased here

    def as_imported(self, placement: Placement) -> Placement:
        return replace(
            placement,
            at_most=Authority.AI_INFERRED,
            is_imported=True,
            said_at=placement.candidate.observed_at_us,
            brings_back=self.bring_back,
        )


def observe_archived(
    session: Session,
    messages: Sequence[Message],
    archived: Archived,
    after: Callable[[Transaction, Sequence[ObservedMessage]], _Answer],
) -> _Answer:
    """Record messages of an archive in one commit, at most `CHUNK` of them, each with its conversation. `after` is a
    part of the commit."""
    where = _Destination(archived.space, archived.is_named, default_conversation(archived.space), archived)
    places = {one.index: where.place_of(one) for one in messages}
    with session.view() as view:
        found_before = recognise(view, places, messages, brings_undone=True)
    chunk = _Chunk(where, places, messages, found_before, (), {})
    proposed = _extract(session, chunk)

    def work(tx: Transaction) -> _Answer:
        return after(tx, [one.message for one in _observe(tx, chunk, proposed).messages])

    touched = [archived.batch_space, *_touched(session, where, chunk)]
    return session.write(places_of(session, touched), work)


# -- where it goes ----------------------------------------------------------------------------------------------------


class _Destination(Struct, frozen=True):
    """The space of the conversation, and whether the caller named it for all that is in it."""

    space: Space
    is_named: bool
    conversation: str
    archived: Archived | None = None

    @property
    def source(self) -> str | None:
        return None if self.archived is None else self.archived.source

    def place_of(self, message: Message) -> Place:
        return Place(self.space, message.conversation or self.conversation)


def _destination_of(session: Session, request: ObserveRequest) -> _Destination:
    is_named = request.space is not None or request.visibility is not None
    space = _space(session, request)
    named = request.conversation
    if named is not None:
        check_id(named, "conversation")
    return _Destination(space, is_named, named or default_conversation(space))


def _space(session: Session, request: ObserveRequest) -> Space:
    """The space of the conversation: the one named, the one of the visibility, or where it is by default."""
    if request.visibility is None:
        return conversation_space(session.standpoint, request.space, session.policy)
    if request.space is not None:
        raise InvalidInput("visibility", "the space is named too, and says it", "give one of the two")
    is_for_agents = session.policy.spaces.default_place is DefaultPlace.AGENT  # there public is what most is
    if request.visibility is Visibility.PUBLIC and not is_for_agents:
        raise InvalidInput("visibility", "a conversation is never public", "remember what anybody may know by itself")
    return space_with(session.standpoint, request.visibility, session.policy)


def _touched(session: Session, where: _Destination, chunk: _Chunk) -> list[Space]:
    hints = [hint for one in chunk.new if (hint := _hint(where, one)) is not None]
    targets = [target_of(session.standpoint, hint.level) for hint in hints]
    homes = [] if where.is_named else default_places(session.standpoint, session.policy)
    return [where.space, *homes, *(target for target in targets if target is not None)]


def _hint(where: _Destination, message: Message) -> Hint | None:
    is_said_now = message.origin is Origin.USER and where.archived is None
    return read_hint(message.text).hint if is_said_now else None


# -- what the messages leave ------------------------------------------------------------------------------------------


class _Chunk(Struct, frozen=True):
    """The messages of one commit, and what is known before it."""

    where: _Destination
    places: Mapping[int, Place]
    messages: Sequence[Message]
    recognised: Recognised
    before: Sequence[Message]  # the messages of earlier commits
    turns: dict[int, Item]  # those of the messages that were observed so far

    @property
    def new(self) -> list[Message]:
        return [one for one in self.messages if one.skipped is None and one.index not in self.recognised.known]


_Source = Item | int  # a turn: as it is stored, or the place of its message in the call


class _Proposed(Struct, frozen=True):
    """What an extractor found in the messages, by the place of each."""

    proposals: Mapping[int, Sequence[Proposal]]
    demoted: Mapping[int, Sequence[DemotedSentence]]
    read: Mapping[int, Sequence[_Source]]  # the turns that it was read with: the new ones, then those before them


class _Observed(Struct):
    """A message on its way through a commit."""

    given: Message
    message: ObservedMessage
    requests: list[Proposal] = field(default_factory=list)  # to forget something
    promotions: list[Outcome] = field(default_factory=list)


class _Seen(Struct, frozen=True):
    messages: list[_Observed]
    summary: Item | None


def _extract(session: Session, chunk: _Chunk) -> _Proposed:
    """What the new messages of a chunk propose, read before the write lock is taken."""
    proposals: defaultdict[int, list[Proposal]] = defaultdict(list)
    demoted: defaultdict[int, list[DemotedSentence]] = defaultdict(list)
    read: dict[int, Sequence[_Source]] = {}
    if not session.engine.overrides.extraction_enabled:
        return _Proposed(proposals, demoted, read)
    extractor, by_place = rules_extractor(session.policy), defaultdict[Place, list[Message]](list)
    for message in chunk.new:
        by_place[chunk.places[message.index]].append(message)
    for place, said in by_place.items():
        before = _before(session, chunk, place, said[0])
        found = extractor([_spoken(one, session) for one in said], [turn for turn, _ in before])
        sources = [*(one.index for one in said), *(source for _, source in before)]
        read |= dict.fromkeys((one.index for one in said), sources)
        for proposal in found.proposals:
            proposals[said[proposal.turn].index].append(proposal)
        for one in found.demoted:
            demoted[said[one.turn].index].append(DemotedSentence(quotable(one.quote), one.reason))
    return _Proposed(proposals, demoted, read)


def _spoken(message: Message, session: Session) -> SpokenTurn:
    at = session.now if message.at is None else message.at
    text = _tool_statement(message) if message.origin is Origin.TOOL else message.text
    return SpokenTurn(text, message.origin, at, message.speaker)


def _before(session: Session, chunk: _Chunk, place: Place, first: Message) -> list[tuple[SpokenTurn, _Source]]:
    """The last turns before the first new message: those of this call, else those that are stored."""
    earlier = [*chunk.before[-CONTEXT_TURNS * 4 :], *chunk.messages]
    here = [one for one in earlier if one.index < first.index and one.skipped is None]
    said = [one for one in here if chunk.places[one.index] == place][-CONTEXT_TURNS:]
    if said:
        return [(_spoken(one, session), one.index) for one in said]
    stored = chunk.recognised.before.get(place, ())
    return [(SpokenTurn(one.text, one.origin, one.observed_at_us or one.created_at_us), one) for one in stored]


# -- one commit -------------------------------------------------------------------------------------------------------


def _observe(tx: Transaction, chunk: _Chunk, proposed: _Proposed) -> _Seen:
    speakers = Speakers(tx)
    known = {**chunk.recognised.known, **_known_meanwhile(tx, chunk)}
    observed = [_Observed(one, ObservedMessage(one.index, skipped=one.skipped)) for one in chunk.messages]
    _write_turns(tx, chunk, known, proposed, speakers, observed)
    chunk.turns.update((one.given.index, turn) for one in observed if (turn := _turn_of(one)) is not None)
    if again := [one.message.turn for one in observed if one.message.already_observed]:
        ids = [one.id for one in again if one is not None and one.id is not None]
        tx.note_read("observe", Reason.ALREADY_OBSERVED, {"ids": ids})
    queue_turns(tx, _new_turns(observed), is_named=chunk.where.is_named)
    summary = _slide(tx, chunk, observed)
    _write_statements(tx, chunk, proposed, speakers, observed)
    for one in observed:
        if one.message.statements and (hint := _hint(chunk.where, one.given)) is not None:
            one.promotions = follow_hint(tx, hint, chunk.where.space, one.message.statements)
        one.message = _redact(tx, one.message)
        one.promotions = [redact_outcome(tx, promotion) for promotion in one.promotions]
    return _Seen(observed, summary)


def _turn_of(one: _Observed) -> Item | None:
    return None if one.message.turn is None else one.message.turn.item


def _known_meanwhile(tx: Transaction, chunk: _Chunk) -> dict[int, Item | None]:
    """What somebody else observed since this call began."""
    by_place: defaultdict[Place, list[Message]] = defaultdict(list)
    for message in chunk.new:
        if message.id is not None:
            by_place[chunk.places[message.index]].append(message)
    found: dict[int, Item | None] = {}
    for place, said in by_place.items():
        found |= known_by_id(tx, place, said, brings_undone=chunk.where.archived is not None)
    return found


def _redact(tx: Transaction, message: ObservedMessage) -> ObservedMessage:
    turn = None if message.turn is None else redact_outcome(tx, message.turn)
    statements = tuple(redact_outcome(tx, one) for one in message.statements)
    ended = tuple(one for found in message.statements for one in _find_ended(tx, found))
    shown = [one for one in (*message.ended, *ended) if tx.sight.admits(one.item)]
    told = tuple(replace(one, item=redact_for(tx.engine, tx.sight, one.item)) for one in shown)
    return replace(message, turn=turn, statements=statements, ended=told)


def _find_ended(tx: Transaction, outcome: Outcome) -> Iterator[EndedMemory]:
    """What gave way to a statement: what it replaced, and what was evicted for it. What the present room may not hear
    is among it."""
    item, evicted = outcome.item, outcome.decision.detail.get("evicted", ())
    if item is None:
        return
    replaced = [one for one in (*item.replaces, item.supersedes) if one is not None]
    if replaced and outcome.state is OutcomeState.IN_FORCE:
        found = tx.store.items(tx.decision_view.sight.narrowed([item.space]), list(dict.fromkeys(replaced)))
        yield from (
            EndedMemory(one, Reason.SUPERSEDED, item.id)
            for one in found
            if one.superseded_by == item.id and one.in_force_at_us is not None
        )
    for one in tx.decision_view.items(list(evicted)) if evicted else ():
        yield EndedMemory(one, Reason.EVICTED, item.id)


# -- turns ------------------------------------------------------------------------------------------------------------


def _write_turns(
    tx: Transaction,
    chunk: _Chunk,
    known: Mapping[int, Item | None],
    proposed: _Proposed,
    speakers: Speakers,
    observed: Sequence[_Observed],
) -> None:
    """Keep each message as a turn, unless it was observed before. Of two new messages with one id the first counts."""
    by_id: dict[tuple[Place, str], Message] = {}
    fresh: list[_Observed] = []
    for one in observed:
        message = one.given
        if message.skipped is not None or _is_only_a_statement(tx.policy, message):
            continue
        if message.index in known:
            one.message = replace(one.message, turn=_known_outcome(tx, message, known[message.index]))
            continue
        same = None if message.id is None else by_id.setdefault((chunk.places[message.index], message.id), message)
        if same is None or same is message:
            fresh.append(one)
        else:
            one.message = replace(one.message, turn=_repeated(tx, message, same.text))
    placements = [
        _turn(tx, chunk, one.given, speakers.of(one.given), proposed.proposals.get(one.given.index, ()))
        for one in fresh
    ]
    for one, outcome in zip(fresh, write_batch(tx, placements), strict=True):
        one.message = replace(one.message, turn=outcome)


def _is_only_a_statement(policy: Policy, message: Message) -> bool:
    """Whether it is a tool's result under a policy that keeps these as statements."""
    return message.origin is Origin.TOOL and policy.conversation.statements is StatementsFrom.MESSAGES


def _known_outcome(tx: Transaction, message: Message, turn: Item | None) -> Outcome:
    if turn is not None and message.id is not None and not is_same_text(turn.text, message.text):
        return _repeated(tx, message, turn.text)
    shown = turn if turn is not None and tx.sight.admits(turn) else None
    return Outcome.of(Decision(Verdict.ALLOWED, "dedup", Reason.ALREADY_OBSERVED, tx.policy.digest), shown)


def _repeated(tx: Transaction, message: Message, text: str) -> Outcome:
    """The outcome of a message whose id is taken."""
    if text == message.text:
        return Outcome.of(Decision(Verdict.ALLOWED, "dedup", Reason.ALREADY_OBSERVED, tx.policy.digest))
    problem = f"messages[{message.index}].id: another message of the conversation has it; give each its own"
    return Outcome.of(Decision(Verdict.DENIED, "input", Reason.OTHER_TEXT, tx.policy.digest, {"problem": problem}))


def _turn(
    tx: Transaction, chunk: _Chunk, message: Message, speaker: Speaker, proposals: Sequence[Proposal]
) -> Placement | InvalidInput:
    place, event_type = chunk.places[message.index], infer_event_type(message.text, message.origin)
    importance = compute_importance(message.text, event_type, message.origin, base_importance(tx.policy))
    said = {MESSAGE: message.id, SPEAKER: None if speaker.person else speaker.name, "tool": message.tool}
    try:
        candidate = Candidate(
            text=message.text,
            kind=Kind.SHORT_TERM,
            type=tx.policy.type_for(event_type),
            origin=message.origin,
            observed_at=message.at,
            event_type=event_type,
            importance=importance.value,
            importance_reasons=importance.reasons,
            stated_by=speaker.person,
            conversation=place.conversation,
            captured=True,
            provenance={name: value for name, value in said.items() if value is not None},
            source=chunk.where.source,
        )
    except InvalidInput as error:
        return InvalidInput(f"messages[{message.index}].{error.field}", error.problem, error.remedy)
    said_here = [one for one in proposals if one.action is not Action.FORGET and one.composed is None]
    states = tuple(statement_text(tx.policy, one, speaker) for one in said_here)
    return replace(_placement(chunk.where, candidate, place.space, speaker), states=states)


def _placement(where: _Destination, candidate: Candidate, space: Space, speaker: Speaker) -> Placement:
    """The engine records who spoke: the caller, a tool, or somebody whom it is believed to report. An agent that acts
    for nobody may have invented a user's message."""
    on_record = speaker.is_believed and (speaker.origin is not Origin.USER or speaker.person is not None)
    placement = Placement(candidate, space, has_speaker=True, on_record=on_record, at_most=speaker.at_most)
    return placement if where.archived is None else where.archived.as_imported(placement)


def _new_turns(observed: Sequence[_Observed]) -> list[Item]:
    """The turns that this commit keeps."""
    turns = [one.message.turn for one in observed if not one.message.already_observed]
    return [turn.item for turn in turns if turn is not None and turn.item is not None and turn.stored]


def _slide(tx: Transaction, chunk: _Chunk, observed: Sequence[_Observed]) -> Item | None:
    if tx.policy.conversation.turns is KeptTurns.ALL:
        return None
    added: defaultdict[Place, list[Item]] = defaultdict(list)
    for one in observed:
        turn = one.message.turn
        if turn is not None and turn.item is not None and not one.message.already_observed:
            added[chunk.places[one.given.index]].append(turn.item)
    summaries = [slide_window(tx, place, items) for place, items in added.items()]
    return next((summary for summary in reversed(summaries) if summary is not None), None)


# -- statements -------------------------------------------------------------------------------------------------------


def _write_statements(
    tx: Transaction, chunk: _Chunk, proposed: _Proposed, speakers: Speakers, observed: Sequence[_Observed]
) -> None:
    """Keep what the new turns state, in the order in which it was said. What only adds is written together."""
    earlier = Earlier(tx)
    waiting: list[tuple[_Observed, Placement | InvalidInput]] = []

    def write_waiting() -> None:
        outcomes = write_batch(tx, [placement for _, placement in waiting])
        for (one, _), outcome in zip(waiting, outcomes, strict=True):
            one.message = replace(one.message, statements=(*one.message.statements, outcome))
            earlier.add(outcome)
        waiting.clear()

    for one in observed:
        one.message = replace(one.message, demoted=tuple(proposed.demoted.get(one.given.index, ())))
        if not _may_state(tx.policy, one):
            continue
        speaker = speakers.of(one.given)
        for proposal in proposed.proposals.get(one.given.index, ()):
            evidence = _evidence(chunk, proposed, one, proposal)
            if evidence is None and proposal.composed is not None:
                continue  # one of its two turns is not there
            if proposal.action is Action.FORGET:
                one.requests.append(proposal)
                continue
            if proposal.action is Action.ADD and not says_otherwise(f"{proposal.quote} {proposal.text}"):
                waiting.append((one, _statement(tx, chunk, one, proposal, speaker, evidence)))
                continue
            write_waiting()
            _update(tx, chunk, one, proposal, speaker, evidence, earlier)
    write_waiting()


def _evidence(chunk: _Chunk, proposed: _Proposed, one: _Observed, proposal: Proposal) -> Evidence | None:
    """The turn that a proposal was taken from, and the other one that a composed statement rests on."""
    turn = _turn_of(one)
    if turn is None or proposal.composed is None:
        return None if turn is None else Evidence(turn.id, proposal.quote)
    source = proposed.read[one.given.index][proposal.composed.turn]
    other = source if isinstance(source, Item) else chunk.turns.get(source)
    if other is None or other.space != turn.space:
        return None
    return Evidence(turn.id, proposal.quote, Composed(proposal.composed.way, other.id, proposal.composed.words))


def _may_state(policy: Policy, one: _Observed) -> bool:
    """Whether statements may be taken from a message: its turn is there, and new."""
    if one.given.skipped is None and _is_only_a_statement(policy, one.given):
        return True
    turn = one.message.turn
    return turn is not None and turn.stored and not one.message.already_observed


def _statement(
    tx: Transaction, chunk: _Chunk, one: _Observed, proposal: Proposal, speaker: Speaker, evidence: Evidence | None
) -> Placement | InvalidInput:
    """A proposed statement as a candidate, and where it is for."""
    place, message = chunk.places[one.given.index], one.given
    turn = _turn_of(one)
    try:
        candidate = statement_candidate(
            tx.policy,
            proposal,
            speaker,
            origin=message.origin,
            observed_at=message.at,
            conversation=place.conversation,
            evidence=evidence,
            source=chunk.where.source,
        )
    except InvalidInput as error:
        return error
    space = place.space if chunk.where.is_named or not speaker.is_caller else statement_space(tx, candidate)
    return replace(_placement(chunk.where, candidate, space, speaker), quotes=turn)


def _tool_statement(message: Message) -> str:
    """What a tool returned, with its name, and whether it failed."""
    return f"{message.tool if message.ok else f'{message.tool} failed'}: {message.text}"


def _update(
    tx: Transaction,
    chunk: _Chunk,
    one: _Observed,
    proposal: Proposal,
    speaker: Speaker,
    evidence: Evidence | None,
    earlier: Earlier,
) -> None:
    """Write a statement that corrects or takes back an earlier one. Where it is not sure which one that is, both stay,
    and the outcome names the earlier one."""
    placement = _statement(tx, chunk, one, proposal, speaker, evidence)
    if isinstance(placement, InvalidInput):
        one.message = replace(one.message, statements=(*one.message.statements, unusable(tx, placement)))
        return
    found = find_replaced(tx, chunk.places[one.given.index], placement, proposal, earlier, speaker.name)
    one.message = replace(one.message, may_replace=(*one.message.may_replace, *(item.id for item in found.unsure)))
    if proposal.action is Action.RETRACT:
        turn, outcomes = _turn_of(one), list[Outcome]()
        assert turn is not None
        taken_back = [retract(tx, item, turn).item for item in found.sure]
        ended = [EndedMemory(item, Reason.RETRACTED, turn.id) for item in taken_back if item is not None]
        one.message = replace(one.message, ended=(*one.message.ended, *ended))
    elif not found.sure and proposal.target is not None and proposal.target.is_only_an_end:
        outcomes = []
    else:
        sure = next(iter(found.sure), None)
        unsure = None if sure is not None else may_be_news_of(tx, placement, proposal, found, speaker.name)
        outcomes = list(write_batch(tx, [replace(placement, supersedes=sure, may_replace=unsure)]))
        earlier.add(outcomes[0])
    one.message = replace(one.message, statements=(*one.message.statements, *outcomes))


# -- requests to forget -----------------------------------------------------------------------------------------------


def _forget_requests(session: Session, observed: Sequence[_Observed]) -> tuple[ForgetRequest, ...]:
    """What the messages ask to forget, with the memories that it may mean."""
    asked = [(one.given.index, proposal) for one in observed for proposal in one.requests]
    if not asked or session.policy.conversation.forget_requests is ForgetRequests.IGNORE:
        return ()
    return find_forget_requests(session, asked, _said_now(observed))


def _said_now(observed: Sequence[_Observed]) -> frozenset[str]:
    """The turns of this call, in which the request itself stands."""
    turns = [one.message.turn for one in observed]
    return frozenset(turn.item.id for turn in turns if turn is not None and turn.item is not None)
