"""Making changes: each kind of change, and the events that are recorded with it, applied to a state."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.model.item import Item, has_ended
from memfort.model.moment import Moment
from memfort.model.people.directory import Trust
from memfort.model.people.person import Person, Relation
from memfort.model.space import Coordinate, Level, Space
from memfort.store.memory.state import State, Stored, partition_of
from memfort.store.port import (
    Change,
    DropMember,
    DropPerson,
    DropPhases,
    DropQueuedTurn,
    DropRejectedValue,
    DropRelation,
    DropReply,
    DropShare,
    DropSource,
    Erase,
    Insert,
    PutAgent,
    PutChat,
    PutErasure,
    PutKey,
    PutMember,
    PutPerson,
    PutPhase,
    PutPolicy,
    PutQueuedTurn,
    PutRejectedValue,
    PutRelation,
    PutReply,
    PutShare,
    PutSource,
    Quarantine,
    Reindex,
    Sign,
    TouchKey,
    Update,
)
from memfort.trail.checkpoint import CHECKPOINT_EVERY, Checkpoint, sign_checkpoint
from memfort.trail.event import GENESIS, Event, link_event
from memfort.trail.keys import Keys

_DIRECTORY_CHANGES = (PutAgent, PutChat, PutMember, DropMember, PutShare, DropShare, PutPhase, PutPolicy)


def make_change(state: State, change: Change, keys: Keys) -> None:
    state.directory_version += isinstance(change, _DIRECTORY_CHANGES)
    match change:
        case Insert() | Update() | Erase() | Reindex():
            _change_memories(state, change)
        case (
            PutAgent()
            | PutChat()
            | PutMember()
            | DropMember()
            | PutShare()
            | DropShare()
            | PutPolicy()
            | PutKey()
            | TouchKey()
            | PutReply()
            | DropReply()
        ):
            _change_directory(state, change)
        case PutPerson() | DropPerson() | PutRelation() | DropRelation():
            _change_people(state, change)
        case PutPhase(space, phase):
            state.spaces[space.id] = space
            others = (one for one in state.phases.get(space.id, ()) if one.index != phase.index)
            state.phases[space.id] = tuple(sorted((*others, phase), key=lambda one: one.index))
            state.phases_begun += 1
        case DropPhases(space, last):
            state.phases[space.id] = tuple(one for one in state.phases.get(space.id, ()) if one.index > last)
        case PutSource() | DropSource():
            _change_sources(state, change)
        case PutRejectedValue(rejected):
            state.spaces[rejected.space.id] = rejected.space
            state.rejected_values[rejected.place] = rejected
        case DropRejectedValue(rejected):
            state.rejected_values.pop(rejected.place, None)
        case PutQueuedTurn() | DropQueuedTurn():
            _change_queue(state, change)
        case PutErasure(erasure):
            state.erasures[erasure.id] = erasure
        case Sign(at):
            _sign_chains(state, keys, at)
        case Quarantine():
            pass  # no memory is ever damaged here


def _change_sources(state: State, change: PutSource | DropSource) -> None:
    source = change.source
    if isinstance(change, DropSource):
        state.sources.pop((source.space.id, source.id), None)
        return
    state.spaces[source.space.id] = source.space
    state.sources[source.space.id, source.id] = source


def _change_queue(state: State, change: PutQueuedTurn | DropQueuedTurn) -> None:
    match change:
        case PutQueuedTurn(queued):
            _known(state, queued.space, queued.turn)
            state.queued_turns[queued.place] = queued
        case DropQueuedTurn(space, turn):
            state.queued_turns.pop((space.id, turn), None)


def append_event(state: State, event: Event, keys: Keys) -> None:
    """Add an event to its chain, and sign the chain at every so many links."""
    chain = state.chains.get(event.chain, ())
    number = len(chain) + 1
    link = link_event(event, number, chain[-1].hash if chain else GENESIS)
    state.chains[event.chain] = (*chain, link)
    if number % CHECKPOINT_EVERY == 0:
        _keep_checkpoint(state, sign_checkpoint(keys, event.chain, number, link.hash, event.at))


def _sign_chains(state: State, keys: Keys, at: Moment) -> None:
    for chain, links in sorted(state.chains.items(), key=lambda pair: (pair[0].kind, pair[0].key)):
        if not any(known.number == len(links) for known in state.checkpoints.get(chain, ())):
            _keep_checkpoint(state, sign_checkpoint(keys, chain, len(links), links[-1].hash, at))


def _keep_checkpoint(state: State, signed: Checkpoint) -> None:
    state.checkpoints[signed.chain] = (*state.checkpoints.get(signed.chain, ()), signed)


# -- memories --------------------------------------------------------------------------------------------------------


def _change_memories(state: State, change: Insert | Update | Erase | Reindex) -> None:
    match change:
        case Insert(item, value, entry, disclosed_entry, origin):
            if (item.space.id, item.id) in state.memories:
                raise ValueError(f"`{item.id}` is already in its space")
            state.handles += 1
            state.spaces[item.space.id] = item.space
            state.put(Stored(state.handles, item, value, entry, disclosed_entry))
            _count(state, item)
            if origin is not None:
                state.origins[item.space.id, item.id] = origin
        case Update(item, value, entry, disclosed_entry, redacts):
            known = _known(state, item.space, item.id)
            state.put(Stored(known.handle, item, value, entry, disclosed_entry))
            _count(state, item)
            if has_ended(item):
                state.queued_turns.pop((item.space.id, item.id), None)
            if redacts:
                _empty_replies(state, item.id)
        case Erase(space, id):
            state.remove(_known(state, space, id).place)
            _empty_replies(state, id)
            state.queued_turns.pop((space.id, id), None)
            state.origins.pop((space.id, id), None)
        case Reindex(entry_of, progress, disclosed_entry_of):
            for done, stored in enumerate(list(state.memories.values()), start=1):
                item = stored.item
                state.put(replace(stored, entry=entry_of(item), disclosed_entry=disclosed_entry_of(item)))
                if progress is not None:
                    progress(done, len(state.memories))


def _known(state: State, space: Space, id: str) -> Stored:
    found = state.memories.get((space.id, id))
    if found is None:
        raise ValueError(f"`{id}` is not in its space")
    return found


def _count(state: State, item: Item) -> None:
    """Let the sequence of the author and the tick of the partition go on after the item. An update can move it to
    another partition."""
    partition = partition_of(item)
    sequence = (*partition, item.author.key, item.kind)
    state.numbers[sequence] = max(state.numbers.get(sequence, 1), item.number + 1)
    state.ticks[partition] = max(state.ticks.get(partition, 0), item.created_tick)


# -- the directory and people ----------------------------------------------------------------------------------------


def _change_directory(
    state: State,
    change: PutAgent
    | PutChat
    | PutMember
    | DropMember
    | PutShare
    | DropShare
    | PutPolicy
    | PutKey
    | TouchKey
    | PutReply
    | DropReply,
) -> None:
    match change:
        case PutAgent(agent):
            state.agents[agent.id] = agent
        case PutChat(chat):
            state.chats[chat.id] = chat.kind
            state.members[Coordinate(Level.CHAT, chat.id)] = dict.fromkeys(chat.participants, Trust.CONTRIBUTOR)
        case PutMember(coordinate, member, trust):
            state.members[coordinate] = {**state.members.get(coordinate, {}), member: trust}
        case DropMember(coordinate, member):
            if coordinate in state.members:  # it stays registered when nobody is left in it
                left = {one: trust for one, trust in state.members[coordinate].items() if one != member}
                state.members[coordinate] = left
        case PutShare(share):
            state.shares[share.id] = share
        case DropShare(id):
            state.shares.pop(id, None)
        case PutKey(kept):
            state.access_keys[kept.key.id] = kept
        case TouchKey(id, at) if id in state.access_keys:
            kept = state.access_keys[id]
            state.access_keys[id] = replace(kept, key=replace(kept.key, last_used_at_us=at))
        case PutReply() | DropReply():
            _change_replies(state, change)
        case PutPolicy(digest, document):
            state.policies[digest] = document
            state.policy = digest


def _change_replies(state: State, change: PutReply | DropReply) -> None:
    match change:
        case PutReply(reply, oldest):
            state.replies = {key: one for key, one in state.replies.items() if one.at >= oldest} | {reply.key: reply}
        case DropReply(key):
            state.replies.pop(key, None)


def _empty_replies(state: State, name: str) -> None:
    """Nothing keeps what is erased."""
    for key, one in state.replies.items():
        if name in one.names:
            state.replies[key] = replace(one, body=None, names=())


def _change_people(state: State, change: PutPerson | DropPerson | PutRelation | DropRelation) -> None:
    match change:
        case PutPerson(person):
            state.people[person.id] = person
            _count_person(state, person)
        case DropPerson(id):
            state.people.pop(id, None)
            _empty_replies(state, id)
        case PutRelation(relation):
            state.relations[relation.id] = relation
            _count_person(state, relation)
        case DropRelation(id):
            state.relations.pop(id, None)


def _count_person(state: State, record: Person | Relation) -> None:
    """Enter the home of a person or a relation, and let the sequence of its creator there go on after it."""
    if record.home is not None:
        state.spaces[record.home.id] = record.home
    sequence = (record.home, record.readers, record.created_by.key)
    state.person_numbers[sequence] = max(state.person_numbers.get(sequence, 1), record.number + 1)
