"""The verbs as typed methods. Generated from the table of operations by `make generate`; a test compares."""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from memfort.client.async_memory import AsyncBoundMemory
    from memfort.engine.call import Progress
    from memfort.model.comparison import Comparison
    from memfort.model.decision import Decision, Outcome, Verdict
    from memfort.model.item import Candidate, EventType, Item, Kind, Origin, Readers, Sensitivity, Status
    from memfort.model.occurred import Occurred
    from memfort.model.people.access_key import AccessKey, KeyScope, NewKey
    from memfort.model.people.directory import Agent, Chat, ChatKind, Members, Share, Trust, Withdrawal
    from memfort.model.people.person import Person, Relation
    from memfort.model.phase import Phase
    from memfort.model.results import (
        BackupReport,
        Collection,
        Diagnosis,
        Edge,
        ErasureCheck,
        Explanation,
        ExtractionRun,
        FinishedErasures,
        Forgotten,
        ImportReport,
        Page,
        PersonForgotten,
        PersonLink,
        QueuedMessage,
        Recall,
        Receipt,
        Reembedding,
        Reindexed,
        Relearned,
        ReviewEntry,
        SensitivityProgress,
        Source,
        StoreInfo,
        SubjectCopy,
        TakenOut,
        Trace,
        TracedCall,
        TrailPage,
        Undone,
    )
    from memfort.model.space import Visibility
    from memfort.operations.capture.observe import Observation
    from memfort.operations.phase.diff import PhaseDiff
    from memfort.operations.policy.check import PolicyChecked
    from memfort.operations.policy.diff import PolicyDiff
    from memfort.operations.policy.presets import Preset
    from memfort.operations.policy.show import PolicyShown
    from memfort.operations.policy.simulate import Simulation
    from memfort.operations.policy.use import PolicyUse
    from memfort.operations.trail.export import TrailFormat
    from memfort.operations.write.check import CheckedVerb
    from memfort.policy.settings.policy import Policy
    from memfort.policy.standing import Standing
    from memfort.recall.render import Context
    from memfort.store.port.values.records import Erasure
    from memfort.trail.checkpoint import Anchors, Checkpoint
    from memfort.trail.verify import Verification

Ask = Callable[..., Awaitable[Any]]  # runs the verb of this name with these fields
Stream = Callable[..., AsyncIterator[Any]]  # the same for a verb that gives an iterator


class AsyncBoundPeople:
    """`people` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def add(
        self,
        name: str,
        *,
        aliases: Iterable[str] = (),
        relation: str | None = None,
        user: str | None = None,
        space: Mapping[str, str] | None = None,
        listed: bool = False,
    ) -> Person:
        """Add a person: known to you alone, in one space, or listed for everybody.

        name: The person's name.
        aliases: Another name.
        relation: What they are to you, for example wife.
        user: The user they are.
        space: The space in which they are known.
        listed: List them in the directory, visible to everybody.
        """
        result: Person = await self._ask(
            "people.add",
            {"name": name, "aliases": aliases, "relation": relation, "user": user, "space": space, "listed": listed},
        )
        return result

    async def find(self, reference: str) -> builtins.list[Person]:
        """Find the people that a name, an alias, `my wife` or `@bob` could mean.

        reference: A name, an alias, `my wife`, `@bob` or an id.
        """
        result: builtins.list[Person] = await self._ask("people.find", {"reference": reference})
        return result

    async def get(self, id: str) -> Person | None:
        """Show one person.

        id: `@bob` for the user bob, `per_…` for an added person, or `me`.
        """
        result: Person | None = await self._ask("people.get", {"id": id})
        return result

    async def list(self, *, limit: int = 100, after: str | None = None) -> builtins.list[Person]:
        """List the people in sight who were added or mentioned, by id.

        limit: How many at most.
        after: Continue after this id, the last of the previous page.
        """
        result: builtins.list[Person] = await self._ask("people.list", {"limit": limit, "after": after})
        return result

    async def relations(self, id: str) -> builtins.list[Relation]:
        """List the relations of a person, in both directions.

        id: The person.
        """
        result: builtins.list[Relation] = await self._ask("people.relations", {"id": id})
        return result

    async def update(self, id: str, *, name: str | None = None, aliases: Iterable[str] | None = None) -> Person:
        """Rename a person.

        id: The person.
        name: Their new name.
        aliases: Replaces the other names.
        """
        result: Person = await self._ask("people.update", {"id": id, "name": name, "aliases": aliases})
        return result

    async def alias(self, id: str, *aliases: str) -> Person:
        """Give a person more names.

        id: The person.
        aliases: Names beside those that they have.
        """
        result: Person = await self._ask("people.alias", {"id": id, "aliases": aliases})
        return result

    async def merge(self, keep: str, gone: str) -> Person:
        """Merge two persons into one.

        keep: The one that stays, unless the other is a user.
        gone: The one that becomes a redirect.
        """
        result: Person = await self._ask("people.merge", {"keep": keep, "gone": gone})
        return result

    async def link(self, id: str, *, user: str) -> Person:
        """Say which user a person is.

        id: The person.
        user: The user they are.
        """
        result: Person = await self._ask("people.link", {"id": id, "user": user})
        return result

    async def relate(
        self, person: str, term: str, other: str, *, space: Mapping[str, str] | None = None, listed: bool = False
    ) -> Relation:
        """Add a relation between two people: `people relate me wife per_…`.

        person: The person whose relation it is, for example `me`.
        term: What the other person is to them, for example wife.
        other: The other person.
        space: The space in which it is known.
        listed: List it in the directory, visible to everybody.
        """
        result: Relation = await self._ask(
            "people.relate", {"person": person, "term": term, "other": other, "space": space, "listed": listed}
        )
        return result

    async def unrelate(self, person: str, term: str, other: str) -> builtins.list[Relation]:
        """Remove a relation between two people.

        person: The person whose relation it was.
        term: What the other person was to them.
        other: The other person.
        """
        result: builtins.list[Relation] = await self._ask(
            "people.unrelate", {"person": person, "term": term, "other": other}
        )
        return result

    async def drop(self, id: str) -> TakenOut:
        """Remove a person for good, with every name.

        id: The person.
        """
        result: TakenOut = await self._ask("people.drop", {"id": id})
        return result

    async def forget(
        self,
        person: str,
        *,
        which: PersonLink | Literal["about", "stated_by", "both"] = "about",
        erase: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> PersonForgotten:
        """Forget memories about a person, or what they said.

        person: The person: `@bob`, an id, a name, or `my wife`.
        which: What is known about them (about), what they said (stated_by), or both.
        erase: Remove the memories physically, and what you added about them, with a receipt.
        dry_run: Show what would happen, and do nothing.
        """
        result: PersonForgotten = await self._ask(
            "people.forget", {"person": person, "which": which, "erase": erase, "dry_run": dry_run}, progress
        )
        return result


class AsyncBoundSubject:
    """`subject` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def export(self, person: str) -> SubjectCopy:
        """Copy everything by and about a person that you may see.

        person: The person: `me`, `@bob`, an id or a name.
        """
        result: SubjectCopy = await self._ask("subject.export", {"person": person})
        return result

    async def erase(
        self, person: str, *, namesakes: Iterable[str] = (), dry_run: bool = False, progress: Progress | None = None
    ) -> Receipt:
        """Erase everything by and about a person that you may end, with a receipt.

        person: The person: `me`, `@bob`, an id or a name.
        namesakes: What becomes of memories that only say the name: `keep`, `erase`, or ids of those to erase.
        dry_run: Show what would happen, and do nothing.
        """
        result: Receipt = await self._ask(
            "subject.erase", {"person": person, "namesakes": namesakes, "dry_run": dry_run}, progress
        )
        return result


class AsyncBoundExtraction:
    """`extraction` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def list(self, *, given_up: bool = False, limit: int = 100) -> builtins.list[QueuedMessage]:
        """List turns that wait for the extractor, or were given up.

        given_up: Only those that will not be tried again by themselves.
        limit: How many at most.
        """
        result: builtins.list[QueuedMessage] = await self._ask(
            "extraction.list", {"given_up": given_up, "limit": limit}
        )
        return result

    async def retry(self, *ids: str) -> builtins.list[QueuedMessage]:
        """Let turns wait for the extractor again.

        ids: Turns of the queue; all that were given up, if none is named.
        """
        result: builtins.list[QueuedMessage] = await self._ask("extraction.retry", {"ids": ids})
        return result

    async def drop(self, *ids: str) -> builtins.list[QueuedMessage]:
        """Take turns out of the queue for the extractor.

        ids: Turns of the queue; all that were given up, if none is named.
        """
        result: builtins.list[QueuedMessage] = await self._ask("extraction.drop", {"ids": ids})
        return result


class AsyncBoundReview:
    """`review` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def list(self, *, limit: int = 100, after: str | None = None) -> builtins.list[ReviewEntry]:
        """List memories that wait for review, with the reason and what would change.

        limit: How many at most.
        after: Continue after this one: the last of the page before.
        """
        result: builtins.list[ReviewEntry] = await self._ask("review.list", {"limit": limit, "after": after})
        return result

    async def approve(self, *ids: str) -> builtins.list[Item]:
        """Approve pending memories: all of them, or none.

        ids: Memories that wait for review: all of them or none.
        """
        result: builtins.list[Item] = await self._ask("review.approve", {"ids": ids})
        return result

    async def reject(self, *ids: str) -> builtins.list[Item]:
        """Reject memories that are pending or in force. The same value is not learned again.

        ids: Memories that wait for review or are in force: all of them or none.
        """
        result: builtins.list[Item] = await self._ask("review.reject", {"ids": ids})
        return result

    async def edit(
        self, id: str, text: str, *, sensitivity: Sensitivity | Literal["public", "personal", "sensitive"] | None = None
    ) -> Outcome:
        """Change a pending memory's text and approve it; every gate runs again.

        id: A memory that waits for review.
        text: The new text.
        sensitivity: How private the new text is; the text decides if not given.
        """
        result: Outcome = await self._ask("review.edit", {"id": id, "text": text, "sensitivity": sensitivity})
        return result


class AsyncBoundPhase:
    """`phase` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def start(self, reason: str, *, space: Mapping[str, str] | None = None, name: str | None = None) -> Phase:
        """Begin a new phase of a space. Earlier memories are history from now on.

        reason: Why it begins, in a few words that stay in the trail.
        space: The space; your own if none is named.
        name: A name for people.
        """
        result: Phase = await self._ask("phase.start", {"reason": reason, "space": space, "name": name})
        return result

    async def list(self, space: Mapping[str, str] | None = None) -> builtins.list[Phase]:
        """List the phases of a space, the oldest first.

        space: The space; your own if none is named.
        """
        result: builtins.list[Phase] = await self._ask("phase.list", {"space": space})
        return result

    async def diff(
        self, earlier: str, later: str | None = None, *, space: Mapping[str, str] | None = None
    ) -> PhaseDiff:
        """Show what changed from the end of one phase to the end of a later one, or until now.

        earlier: The id of the earlier phase, such as `phase-1`.
        later: The id of the later phase; the present one if none is named.
        space: The space; your own if none is named.
        """
        result: PhaseDiff = await self._ask("phase.diff", {"earlier": earlier, "later": later, "space": space})
        return result


class AsyncBoundAgent:
    """`agent` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def register(self, id: str, *, owner: str) -> Agent:
        """Register an agent with its one owner. An agent that has an owner keeps it.

        id: The agent's id.
        owner: The one user it belongs to.
        """
        result: Agent = await self._ask("agent.register", {"id": id, "owner": owner})
        return result


class AsyncBoundMember:
    """`member` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def add(
        self,
        group: Mapping[str, str],
        *,
        user: str | None = None,
        agent: str | None = None,
        trust: Trust | Literal["viewer", "contributor", "approver", "owner"] = "contributor",
    ) -> Members:
        """Make a user or an agent a member of a group, or change its trust.

        group: One level and its id, for example project=apollo.
        user: The user who joins.
        agent: The agent that joins.
        trust: How far it is trusted: viewer, contributor, approver or owner.
        """
        result: Members = await self._ask("member.add", {"group": group, "user": user, "agent": agent, "trust": trust})
        return result

    async def remove(self, group: Mapping[str, str], *, user: str | None = None, agent: str | None = None) -> Members:
        """End a membership. The group stays registered, even when no member is left in it.

        group: One level and its id, for example project=apollo.
        user: The user who leaves.
        agent: The agent that leaves.
        """
        result: Members = await self._ask("member.remove", {"group": group, "user": user, "agent": agent})
        return result

    async def list(self, group: Mapping[str, str]) -> Members:
        """List the members of a group.

        group: One level and its id, for example project=apollo.
        """
        result: Members = await self._ask("member.list", {"group": group})
        return result


class AsyncBoundPolicy:
    """`policy` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def simulate(
        self, policy: Policy | Path | str | Mapping[str, Any], *, progress: Progress | None = None
    ) -> Simulation:
        """Show which decisions would change, before a policy is put to use.

        policy: The policy to decide by.
        """
        result: Simulation = await self._ask("policy.simulate", {"policy": policy}, progress)
        return result


class AsyncBoundTrail:
    """`trail` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    def export(
        self, *, format: TrailFormat | Literal["jsonl", "cloudevents", "ocsf"] = "jsonl", source: str | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """Export the trail as JSON lines: your own calls; for the system actor, all of it.

        format: How to write an event.
        source: The store's name in the other formats; derived from its key if not given.
        """
        result: AsyncIterator[dict[str, Any]] = self._stream("trail.export", {"format": format, "source": source})
        return result

    async def list(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        action: str | None = None,
        decision: Verdict | Literal["allowed", "pending", "denied"] | None = None,
        reason: str | None = None,
        by: str | None = None,
        item: str | None = None,
        trace: str | None = None,
        since: datetime | str | int | None = None,
        until: datetime | str | int | None = None,
    ) -> TrailPage:
        """List events of the trail, the latest first: your own; for the system actor, everybody's.

        limit: How many at most.
        cursor: Continue after the previous page.
        action: Only of this verb, as the trail names it: `recall`.
        decision: Only with this decision.
        reason: Only with this reason code.
        by: For the system: only of this actor, `user:ID` or `agent:ID`.
        item: Only events of this memory.
        trace: Only events of this call.
        since: Only those at this time or later.
        until: Only those before this time.
        """
        result: TrailPage = await self._ask(
            "trail.list",
            {
                "limit": limit,
                "cursor": cursor,
                "action": action,
                "decision": decision,
                "reason": reason,
                "by": by,
                "item": item,
                "trace": trace,
                "since": since,
                "until": until,
            },
        )
        return result


class AsyncBoundTrace:
    """`trace` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def show(self, id: str | None = None, *, expanded: bool = False) -> Trace:
        """Show what one of your calls did, event by event.

        id: The trace of one of your calls; the latest if not given.
        expanded: With the whole policy, where it is named by its digest.
        """
        result: Trace = await self._ask("trace.show", {"id": id, "expanded": expanded})
        return result

    async def list(self, *, limit: int = 20) -> builtins.list[TracedCall]:
        """List your own calls, the latest first: trace, time, and what was done.

        limit: How many at most.
        """
        result: builtins.list[TracedCall] = await self._ask("trace.list", {"limit": limit})
        return result


class AsyncBoundMethods:
    """The verbs."""

    async def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        raise NotImplementedError

    def _stream(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> AsyncIterator[Any]:
        raise NotImplementedError

    async def remember(
        self,
        text: str,
        *,
        type: str | None = None,
        kind: Kind | Literal["short_term", "semantic", "profile"] | None = None,
        key: str | None = None,
        tags: Iterable[str] | None = None,
        origin: Origin | Literal["user", "ai", "tool", "system"] | None = None,
        observed_at: datetime | str | int | None = None,
        sensitivity: Sensitivity | Literal["public", "personal", "sensitive"] | None = None,
        access: Readers | Mapping[str, Iterable[str]] | None = None,
        confidence: float | None = None,
        importance: float | None = None,
        status: Status | Literal["pending", "approved", "rejected", "superseded"] | None = None,
        ttl_seconds: float | None = None,
        ttl_ticks: int | None = None,
        expires_at: datetime | str | int | None = None,
        subjects: Iterable[str] | None = None,
        portable: bool | None = None,
        derived_from: Iterable[str] | None = None,
        event_type: EventType
        | Literal["preference", "decision", "fact", "correction", "execution", "context"]
        | None = None,
        is_correction: bool | None = None,
        conversation: str | None = None,
        occurred: Occurred | Mapping[str, Any] | date | str | int | None = None,
        provenance: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        space: Mapping[str, str] | None = None,
        visibility: Visibility | Literal["private", "public", "shared"] | None = None,
    ) -> Outcome:
        """Keep a statement, if policy admits it.

        text: The statement.
        type: The statement's type, from the policy's table of types.
        kind: A turn, a statement (the default) or a profile fact.
        key: The name of a profile fact, for example `timezone`.
        tags: Tags to find it by.
        origin: Who said it.
        observed_at: When it was so, in ISO 8601 with a zone.
        sensitivity: How private it is; the text decides if not given.
        access: Only these users and agents may read it.
        confidence: From 0 to 1; below the policy's threshold it waits for review.
        importance: From 0 to 10, in place of the importance of its type.
        status: Ask for pending, approved or rejected.
        ttl_seconds: Its lifetime in seconds.
        ttl_ticks: It ends after so many later memories in its space.
        expires_at: When it expires, in ISO 8601 with a zone.
        subjects: The persons it is about: `me`, `@bob`, an id or a name.
        portable: Whether it may be disclosed to the persons it is about in other chats.
        derived_from: The memories it was made from.
        event_type: The kind of event it describes; its type decides if not given.
        is_correction: Whether it corrects an earlier statement.
        conversation: The id of the conversation it belongs to.
        occurred: When the event happened: `2026`, `2026-11`, `2026-11-20`, a time with a zone, or `from/to`.
        provenance: Where the text came from.
        meta: Any other facts to keep with it.
        space: The space it is for; the policy's default place if not given.
        visibility: In place of a space: the agent's private or public one, or what a user's agents share.
        """
        result: Outcome = await self._ask(
            "remember",
            {
                "text": text,
                "type": type,
                "kind": kind,
                "key": key,
                "tags": tags,
                "origin": origin,
                "observed_at": observed_at,
                "sensitivity": sensitivity,
                "access": access,
                "confidence": confidence,
                "importance": importance,
                "status": status,
                "ttl_seconds": ttl_seconds,
                "ttl_ticks": ttl_ticks,
                "expires_at": expires_at,
                "subjects": subjects,
                "portable": portable,
                "derived_from": derived_from,
                "event_type": event_type,
                "is_correction": is_correction,
                "conversation": conversation,
                "occurred": occurred,
                "provenance": provenance,
                "meta": meta,
                "space": space,
                "visibility": visibility,
            },
        )
        return result

    async def remember_many(
        self, memories: Iterable[str | Candidate | Mapping[str, Any]], *, progress: Progress | None = None
    ) -> builtins.list[Outcome]:
        """Keep many statements in one commit, each decided on its own.

        memories: Statements: texts, candidates, or mappings of the fields that `remember` takes.
        """
        result: builtins.list[Outcome] = await self._ask("remember_many", {"memories": memories}, progress)
        return result

    async def correct(
        self,
        id: str,
        text: str,
        *,
        type: str | None = None,
        kind: Kind | Literal["short_term", "semantic", "profile"] | None = None,
        key: str | None = None,
        tags: Iterable[str] | None = None,
        origin: Origin | Literal["user", "ai", "tool", "system"] | None = None,
        observed_at: datetime | str | int | None = None,
        sensitivity: Sensitivity | Literal["public", "personal", "sensitive"] | None = None,
        access: Readers | Mapping[str, Iterable[str]] | None = None,
        confidence: float | None = None,
        importance: float | None = None,
        status: Status | Literal["pending", "approved", "rejected", "superseded"] | None = None,
        ttl_seconds: float | None = None,
        ttl_ticks: int | None = None,
        expires_at: datetime | str | int | None = None,
        subjects: Iterable[str] | None = None,
        portable: bool | None = None,
        derived_from: Iterable[str] | None = None,
        event_type: EventType
        | Literal["preference", "decision", "fact", "correction", "execution", "context"]
        | None = None,
        is_correction: bool | None = None,
        conversation: str | None = None,
        occurred: Occurred | Mapping[str, Any] | date | str | int | None = None,
        provenance: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """Replace a wrong memory by a corrected one.

        id: The memory that is wrong.
        text: The corrected statement.
        type: The statement's type, from the policy's table of types.
        kind: A turn, a statement (the default) or a profile fact.
        key: The name of a profile fact, for example `timezone`.
        tags: Tags to find it by.
        origin: Who said it.
        observed_at: When it was so, in ISO 8601 with a zone.
        sensitivity: How private it is; the text decides if not given.
        access: Only these users and agents may read it.
        confidence: From 0 to 1; below the policy's threshold it waits for review.
        importance: From 0 to 10, in place of the importance of its type.
        status: Ask for pending, approved or rejected.
        ttl_seconds: Its lifetime in seconds.
        ttl_ticks: It ends after so many later memories in its space.
        expires_at: When it expires, in ISO 8601 with a zone.
        subjects: The persons it is about: `me`, `@bob`, an id or a name.
        portable: Whether it may be disclosed to the persons it is about in other chats.
        derived_from: The memories it was made from.
        event_type: The kind of event it describes; its type decides if not given.
        is_correction: Whether it corrects an earlier statement.
        conversation: The id of the conversation it belongs to.
        occurred: When the event happened: `2026`, `2026-11`, `2026-11-20`, a time with a zone, or `from/to`.
        provenance: Where the text came from.
        meta: Any other facts to keep with it.
        """
        result: Outcome = await self._ask(
            "correct",
            {
                "id": id,
                "text": text,
                "type": type,
                "kind": kind,
                "key": key,
                "tags": tags,
                "origin": origin,
                "observed_at": observed_at,
                "sensitivity": sensitivity,
                "access": access,
                "confidence": confidence,
                "importance": importance,
                "status": status,
                "ttl_seconds": ttl_seconds,
                "ttl_ticks": ttl_ticks,
                "expires_at": expires_at,
                "subjects": subjects,
                "portable": portable,
                "derived_from": derived_from,
                "event_type": event_type,
                "is_correction": is_correction,
                "conversation": conversation,
                "occurred": occurred,
                "provenance": provenance,
                "meta": meta,
            },
        )
        return result

    async def restore(self, id: str) -> Outcome:
        """Bring back what a superseded memory said.

        id: A superseded memory.
        """
        result: Outcome = await self._ask("restore", {"id": id})
        return result

    async def used(self, *ids: str) -> builtins.list[Item]:
        """Report that memories were useful.

        ids: Memories that were useful: all of them count or none.
        """
        result: builtins.list[Item] = await self._ask("used", {"ids": ids})
        return result

    async def promote(self, id: str, to: Mapping[str, str]) -> Outcome:
        """Move a memory into another space.

        id: The memory.
        to: The space it goes to.
        """
        result: Outcome = await self._ask("promote", {"id": id, "to": to})
        return result

    async def recall(
        self,
        query: str = "",
        *,
        space: Mapping[str, str] | None = None,
        types: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[Kind | Literal["short_term", "semantic", "profile"]] | None = None,
        limit: int = 10,
        as_of: datetime | str | int | None = None,
        ranking: Policy | Path | str | Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        weak: bool = True,
        explain: bool = False,
    ) -> Recall:
        """Find the memories that answer a query.

        query: What to look for, in words. Without words: a briefing.
        space: Only this space; one coordinate each.
        types: Only of these types.
        tags: Only with all of these tags.
        kinds: Only of these kinds: short_term, semantic or profile.
        limit: How many at most.
        as_of: What was known then: a time in ISO 8601 with a zone, or the end of a phase (`phase-1`).
        ranking: Weigh memories as this policy would. Of it only `[recall]` counts, never who may see what.
        weights: Weigh them with these weights, by feature; the others stay.
        weak: Fill up an answer of few hits with weak ones, which are marked and come last.
        explain: Show the features of each, and count withheld memories by reason.
        """
        result: Recall = await self._ask(
            "recall",
            {
                "query": query,
                "space": space,
                "types": types,
                "tags": tags,
                "kinds": kinds,
                "limit": limit,
                "as_of": as_of,
                "ranking": ranking,
                "weights": weights,
                "weak": weak,
                "explain": explain,
            },
        )
        return result

    async def context(
        self,
        query: str = "",
        *,
        space: Mapping[str, str] | None = None,
        types: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[Kind | Literal["short_term", "semantic", "profile"]] | None = None,
        limit: int = 50,
        as_of: datetime | str | int | None = None,
        ranking: Policy | Path | str | Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        weak: bool = True,
        explain: bool = False,
        budget_tokens: int = 1000,
    ) -> Context:
        """Recall for a prompt, within a budget of tokens.

        query: What to look for, in words. Without words: a briefing.
        space: Only this space; one coordinate each.
        types: Only of these types.
        tags: Only with all of these tags.
        kinds: Only of these kinds: short_term, semantic or profile.
        limit: How many memories at most.
        as_of: What was known then: a time in ISO 8601 with a zone, or the end of a phase (`phase-1`).
        ranking: Weigh memories as this policy would. Of it only `[recall]` counts, never who may see what.
        weights: Weigh them with these weights, by feature; the others stay.
        weak: Fill up an answer of few hits with weak ones, which are marked and come last.
        explain: Show the features of each, and count withheld memories by reason.
        budget_tokens: About how many tokens at most.
        """
        result: Context = await self._ask(
            "context",
            {
                "query": query,
                "space": space,
                "types": types,
                "tags": tags,
                "kinds": kinds,
                "limit": limit,
                "as_of": as_of,
                "ranking": ranking,
                "weights": weights,
                "weak": weak,
                "explain": explain,
                "budget_tokens": budget_tokens,
            },
        )
        return result

    async def get(
        self, id: str | None = None, *, key: str | None = None, space: Mapping[str, str] | None = None
    ) -> Item | None:
        """Show one memory.

        id: A memory, or the beginning of its id.
        key: In place of an id: the key of a profile fact. Of several, the one that comes first in recall.
        space: With a key: only this space; one coordinate each.
        """
        result: Item | None = await self._ask("get", {"id": id, "key": key, "space": space})
        return result

    async def list(
        self,
        *,
        space: Mapping[str, str] | None = None,
        types: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[Kind | Literal["short_term", "semantic", "profile"]] | None = None,
        limit: int = 50,
        cursor: str | None = None,
        statuses: Iterable[Status | Literal["pending", "approved", "rejected", "superseded"]] | None = None,
        keys: Iterable[str] | None = None,
        source: str | None = None,
        person: str | None = None,
        author: str | None = None,
        since: datetime | str | int | None = None,
        until: datetime | str | int | None = None,
        deleted: bool = False,
    ) -> Page:
        """List memories, newest first.

        space: Only this space; one coordinate each.
        types: Only of these types.
        tags: Only with all of these tags.
        kinds: Only of these kinds: short_term, semantic or profile.
        limit: How many at most.
        cursor: Continue after the previous page.
        statuses: Only of these states: pending, approved (the default), rejected or superseded.
        keys: Only profile facts with one of these keys, compared whole.
        source: Only memories from this import.
        person: Only those about a person or said by them: `@bob`, `me`, an id.
        author: Only of one writer: `me`, `user:ID` or `agent:ID`.
        since: Only those written at this time or later.
        until: Only those written before this time.
        deleted: Forgotten and expired ones too.
        """
        result: Page = await self._ask(
            "list",
            {
                "space": space,
                "types": types,
                "tags": tags,
                "kinds": kinds,
                "limit": limit,
                "cursor": cursor,
                "statuses": statuses,
                "keys": keys,
                "source": source,
                "person": person,
                "author": author,
                "since": since,
                "until": until,
                "deleted": deleted,
            },
        )
        return result

    async def about(
        self, *persons: str, limit: int = 50, types: Iterable[str] | None = None, exclude_owner: str | None = None
    ) -> builtins.list[Item]:
        """List memories about people.

        persons: People: `me`, `@bob`, an id, a name, or words such as `my wife`.
        limit: How many at most.
        types: Only of these types.
        exclude_owner: Without the memories in this user's own spaces, which the caller has already.
        """
        result: builtins.list[Item] = await self._ask(
            "about", {"persons": persons, "limit": limit, "types": types, "exclude_owner": exclude_owner}
        )
        return result

    async def related(self, id: str, *, hops: int = 1, limit: int = 20) -> builtins.list[Item]:
        """List the memories that are linked with a memory.

        id: The memory to start from.
        hops: How far to go, at most 2.
        limit: How many at most.
        """
        result: builtins.list[Item] = await self._ask("related", {"id": id, "hops": hops, "limit": limit})
        return result

    async def edges(self, id: str) -> builtins.list[Edge]:
        """Show how a memory or a person is linked with others.

        id: A memory or a person.
        """
        result: builtins.list[Edge] = await self._ask("edges", {"id": id})
        return result

    async def history(self, id: str) -> builtins.list[Item]:
        """Show all versions of a memory, oldest first.

        id: Any version of the memory.
        """
        result: builtins.list[Item] = await self._ask("history", {"id": id})
        return result

    async def explain(
        self,
        id: str,
        *,
        space: Mapping[str, str] | None = None,
        types: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[Kind | Literal["short_term", "semantic", "profile"]] | None = None,
        viewer: AsyncBoundMemory | None = None,
        query: str | None = None,
        limit: int | None = None,
        budget_tokens: int | None = None,
    ) -> Explanation:
        """Explain why a memory is or is not shown.

        id: A memory, or the trace of one of your recalls.
        space: Only this space; one coordinate each.
        types: Only of these types.
        tags: Only with all of these tags.
        kinds: Only of these kinds: short_term, semantic or profile.
        viewer: Explain it for another actor, or from another place.
        query: Explain why a recall with this query returns the memory or not.
        limit: With a query: how many to return at most; 10, or 50 for a prompt, if not given.
        budget_tokens: With a query: for a prompt with this budget, as in `context`.
        """
        result: Explanation = await self._ask(
            "explain",
            {
                "id": id,
                "space": space,
                "types": types,
                "tags": tags,
                "kinds": kinds,
                "viewer": viewer,
                "query": query,
                "limit": limit,
                "budget_tokens": budget_tokens,
            },
        )
        return result

    async def compare(
        self,
        query: str = "",
        *,
        space: Mapping[str, str] | None = None,
        types: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[Kind | Literal["short_term", "semantic", "profile"]] | None = None,
        viewers: Iterable[str] = (),
        listeners: Iterable[str] | None = None,
        chat: str | None = None,
        ids: Iterable[str] | None = None,
        limit: int = 20,
    ) -> Comparison:
        """Compare what several people would get of your memories in one room, and why.

        query: What is asked, in words. Without words: everything, newest first.
        space: Only this space; one coordinate each.
        types: Only of these types.
        tags: Only with all of these tags.
        kinds: Only of these kinds: short_term, semantic or profile.
        viewers: Users who ask, and agents of your own as `agent:helper`. You, if none is named.
        listeners: Who takes part in the chat. Those who do, if a chat is named; otherwise nobody: no chat.
        chat: A chat that you take part in. Without one, the chat of the listeners is a new one.
        ids: Only these memories, in any state.
        limit: How many memories at most.
        """
        result: Comparison = await self._ask(
            "compare",
            {
                "query": query,
                "space": space,
                "types": types,
                "tags": tags,
                "kinds": kinds,
                "viewers": viewers,
                "listeners": listeners,
                "chat": chat,
                "ids": ids,
                "limit": limit,
            },
        )
        return result

    async def check(
        self,
        verb: CheckedVerb
        | Literal[
            "remember",
            "get",
            "history",
            "used",
            "forget",
            "erase",
            "correct",
            "approve",
            "reject",
            "edit",
            "recall",
            "list",
            "share",
        ],
        *,
        type: str | None = None,
        kind: Kind | Literal["short_term", "semantic", "profile"] | None = None,
        key: str | None = None,
        tags: Iterable[str] | None = None,
        origin: Origin | Literal["user", "ai", "tool", "system"] | None = None,
        observed_at: datetime | str | int | None = None,
        sensitivity: Sensitivity | Literal["public", "personal", "sensitive"] | None = None,
        access: Readers | Mapping[str, Iterable[str]] | None = None,
        confidence: float | None = None,
        importance: float | None = None,
        status: Status | Literal["pending", "approved", "rejected", "superseded"] | None = None,
        ttl_seconds: float | None = None,
        ttl_ticks: int | None = None,
        expires_at: datetime | str | int | None = None,
        subjects: Iterable[str] | None = None,
        portable: bool | None = None,
        derived_from: Iterable[str] | None = None,
        event_type: EventType
        | Literal["preference", "decision", "fact", "correction", "execution", "context"]
        | None = None,
        is_correction: bool | None = None,
        conversation: str | None = None,
        occurred: Occurred | Mapping[str, Any] | date | str | int | None = None,
        provenance: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        id: str | None = None,
        text: str | None = None,
        captured: bool | None = None,
        space: Mapping[str, str] | None = None,
        visibility: Visibility | Literal["private", "public", "shared"] | None = None,
    ) -> Decision:
        """Say whether something would be allowed, without doing it.

        verb: The verb to check.
        type: The statement's type, from the policy's table of types.
        kind: A turn, a statement (the default) or a profile fact.
        key: The name of a profile fact, for example `timezone`.
        tags: Tags to find it by.
        origin: Who said it.
        observed_at: When it was so, in ISO 8601 with a zone.
        sensitivity: How private it is; the text decides if not given.
        access: Only these users and agents may read it.
        confidence: From 0 to 1; below the policy's threshold it waits for review.
        importance: From 0 to 10, in place of the importance of its type.
        status: Ask for pending, approved or rejected.
        ttl_seconds: Its lifetime in seconds.
        ttl_ticks: It ends after so many later memories in its space.
        expires_at: When it expires, in ISO 8601 with a zone.
        subjects: The persons it is about: `me`, `@bob`, an id or a name.
        portable: Whether it may be disclosed to the persons it is about in other chats.
        derived_from: The memories it was made from.
        event_type: The kind of event it describes; its type decides if not given.
        is_correction: Whether it corrects an earlier statement.
        conversation: The id of the conversation it belongs to.
        occurred: When the event happened: `2026`, `2026-11`, `2026-11-20`, a time with a zone, or `from/to`.
        provenance: Where the text came from.
        meta: Any other facts to keep with it.
        id: The memory that the verb applies to.
        text: With `remember`: the statement.
        captured: With `remember`: whether it was captured from a conversation.
        space: Where: for `remember`, `recall`, `list`, `share`.
        visibility: In place of a space: the agent's private or public one, or what a user's agents share.
        """
        result: Decision = await self._ask(
            "check",
            {
                "verb": verb,
                "type": type,
                "kind": kind,
                "key": key,
                "tags": tags,
                "origin": origin,
                "observed_at": observed_at,
                "sensitivity": sensitivity,
                "access": access,
                "confidence": confidence,
                "importance": importance,
                "status": status,
                "ttl_seconds": ttl_seconds,
                "ttl_ticks": ttl_ticks,
                "expires_at": expires_at,
                "subjects": subjects,
                "portable": portable,
                "derived_from": derived_from,
                "event_type": event_type,
                "is_correction": is_correction,
                "conversation": conversation,
                "occurred": occurred,
                "provenance": provenance,
                "meta": meta,
                "id": id,
                "text": text,
                "captured": captured,
                "space": space,
                "visibility": visibility,
            },
        )
        return result

    async def spaces(self) -> builtins.list[dict[str, str]]:
        """Show the spaces in sight, in the order of recall."""
        result: builtins.list[dict[str, str]] = await self._ask("spaces", {})
        return result

    async def standings(self) -> builtins.list[Standing]:
        """Show your standing at each of your places, and why."""
        result: builtins.list[Standing] = await self._ask("standings", {})
        return result

    async def forget(
        self,
        *ids: str,
        query: str | None = None,
        since: datetime | str | int | None = None,
        until: datetime | str | int | None = None,
        author: str | None = None,
        source: str | None = None,
        person: str | None = None,
        scope: Mapping[str, str] | None = None,
        cascade: bool = True,
        dry_run: bool = False,
    ) -> Forgotten:
        """Take memories out of every read; a tombstone stays.

        ids: Memories by id: all of them or none.
        query: Those that say all of these words; identifiers match whole, quoted words exactly.
        since: Those written at this time or later, in ISO 8601 with a zone.
        until: Those written before this time, in ISO 8601 with a zone.
        author: Those of one writer: `me`, `user:ID` or `agent:ID`.
        source: Those that came from one import.
        person: Those about a person or said by them: `@bob`, `me`, an id.
        scope: Those of a scope; the most specific level is the target.
        cascade: With a scope: also narrower spaces, not only the target itself.
        dry_run: Show what would happen, and do nothing.
        """
        result: Forgotten = await self._ask(
            "forget",
            {
                "ids": ids,
                "query": query,
                "since": since,
                "until": until,
                "author": author,
                "source": source,
                "person": person,
                "scope": scope,
                "cascade": cascade,
                "dry_run": dry_run,
            },
        )
        return result

    async def erase(
        self,
        *ids: str,
        query: str | None = None,
        since: datetime | str | int | None = None,
        until: datetime | str | int | None = None,
        author: str | None = None,
        source: str | None = None,
        person: str | None = None,
        scope: Mapping[str, str] | None = None,
        cascade: bool = True,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Remove memories physically, with a receipt.

        ids: Memories by id: all of them or none.
        query: Those that say all of these words; identifiers match whole, quoted words exactly.
        since: Those written at this time or later, in ISO 8601 with a zone.
        until: Those written before this time, in ISO 8601 with a zone.
        author: Those of one writer: `me`, `user:ID` or `agent:ID`.
        source: Those that came from one import.
        person: Those about a person or said by them: `@bob`, `me`, an id.
        scope: Those of a scope; the most specific level is the target.
        cascade: With a scope: also narrower spaces, not only the target itself.
        dry_run: Show what would happen, and do nothing.
        """
        result: Receipt = await self._ask(
            "erase",
            {
                "ids": ids,
                "query": query,
                "since": since,
                "until": until,
                "author": author,
                "source": source,
                "person": person,
                "scope": scope,
                "cascade": cascade,
                "dry_run": dry_run,
            },
            progress,
        )
        return result

    async def undo(
        self,
        id: str | None = None,
        *,
        source: str | None = None,
        trace: str | None = None,
        since: datetime | str | int | None = None,
        until: datetime | str | int | None = None,
        author: str | None = None,
        dry_run: bool = False,
    ) -> Undone:
        """Take back an import, one call, a time, or one writer's memories.

        id: An undo to take back, by the id that it gave: `und_…`.
        source: What one import brought.
        trace: What one call of your own did, such as `observe`, by its trace: `trc_…`.
        since: What was written at this time or later, in ISO 8601 with a zone.
        until: What was written before this time, in ISO 8601 with a zone.
        author: What one writer wrote: `me`, `user:ID` or `agent:ID`.
        dry_run: Show what would fall and what would come back, and do nothing.
        """
        result: Undone = await self._ask(
            "undo",
            {
                "id": id,
                "source": source,
                "trace": trace,
                "since": since,
                "until": until,
                "author": author,
                "dry_run": dry_run,
            },
        )
        return result

    async def erasures(self) -> builtins.list[Erasure]:
        """List erasures, and why unfinished ones wait."""
        result: builtins.list[Erasure] = await self._ask("erasures", {})
        return result

    async def verify_erasure(self, receipt: str) -> ErasureCheck:
        """Search for anything an erasure left behind.

        receipt: The id of the receipt that `erase` gave.
        """
        result: ErasureCheck = await self._ask("verify_erasure", {"receipt": receipt})
        return result

    async def observe(
        self,
        messages: str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]],
        *,
        conversation: str | None = None,
        space: Mapping[str, str] | None = None,
        visibility: Visibility | Literal["private", "public", "shared"] | None = None,
        progress: Progress | None = None,
    ) -> Observation:
        """Record messages of a conversation, and keep the statements in them.

        messages: Messages in order: by role, items of the Responses format, turns with a speaker, or texts.
        conversation: The id of the conversation; by default that of the chat or the session.
        space: The space of all of it; by default the chat or session you stand at, else your own space.
        visibility: In place of a space: private or shared; public only under preset `agents`.
        """
        result: Observation = await self._ask(
            "observe",
            {"messages": messages, "conversation": conversation, "space": space, "visibility": visibility},
            progress,
        )
        return result

    async def window(
        self, space: Mapping[str, str] | None = None, *, conversation: str | None = None
    ) -> builtins.list[Item]:
        """Show the recent turns of a conversation.

        space: The space of the conversation; the chat or session you stand at, else your own space.
        conversation: The id of the conversation; by default that of the chat or the session.
        """
        result: builtins.list[Item] = await self._ask("window", {"space": space, "conversation": conversation})
        return result

    def export(self) -> AsyncIterator[dict[str, Any]]:
        """Export everything you own as JSON lines."""
        result: AsyncIterator[dict[str, Any]] = self._stream("export", {})
        return result

    async def import_(
        self,
        data: bytes | None = None,
        *,
        path: str | None = None,
        filename: str | None = None,
        platform: str | None = None,
        visibility: Visibility | Literal["private", "public", "shared"] | None = None,
        also_at: Iterable[str] = (),
        commit_every: int | None = None,
        mine: str | None = None,
        bring_back: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import an export, an archive or notes; every record passes every gate.

        data: The file: an export, an archive, or records of a known format.
        path: In place of the bytes: a file, a folder or a zip on this machine.
        filename: The file's name; kept as provenance.
        platform: Where it came from; kept as provenance, never used to filter.
        visibility: Where records go that name no space.
        also_at: A further group where you stand, for records there: `project=borealis`.
        commit_every: Commit every so many records; an import that is interrupted goes on where it stopped.
        mine: What the file calls you, if its records name a user: `user_17`.
        bring_back: Also keep what was forgotten or erased here after the file was written.
        dry_run: Show what would happen, and keep nothing.
        """
        result: ImportReport = await self._ask(
            "import",
            {
                "data": data,
                "path": path,
                "filename": filename,
                "platform": platform,
                "visibility": visibility,
                "also_at": also_at,
                "commit_every": commit_every,
                "mine": mine,
                "bring_back": bring_back,
                "dry_run": dry_run,
            },
            progress,
        )
        return result

    async def sources(self) -> builtins.list[Source]:
        """List imports."""
        result: builtins.list[Source] = await self._ask("sources", {})
        return result

    async def share(
        self,
        *,
        space: Mapping[str, str] | None = None,
        user: str | None = None,
        agent: str | None = None,
        group: Mapping[str, str] | None = None,
        may_pass_on: bool = False,
    ) -> Share:
        """Let a user, an agent or the members of a group read a space.

        space: The space; your own when none is named.
        user: The user who may read it.
        agent: The agent that may read it.
        group: The group whose members may read it, for example project=apollo.
        may_pass_on: Whether those who read it may share it, and copy memories into other spaces.
        """
        result: Share = await self._ask(
            "share", {"space": space, "user": user, "agent": agent, "group": group, "may_pass_on": may_pass_on}
        )
        return result

    async def shares(self) -> builtins.list[Share]:
        """List the shares of your spaces."""
        result: builtins.list[Share] = await self._ask("shares", {})
        return result

    async def share_changes(self, *, since: datetime | str | int | None = None) -> builtins.list[Withdrawal]:
        """List what was withdrawn from the spaces that are shared with you.

        since: Only what was withdrawn since then, in ISO 8601 with a zone.
        """
        result: builtins.list[Withdrawal] = await self._ask("share_changes", {"since": since})
        return result

    async def revoke(self, id: str) -> TakenOut:
        """End a share.

        id: The share's id.
        """
        result: TakenOut = await self._ask("revoke", {"id": id})
        return result

    async def doctor(
        self, *, checks: Iterable[str] = (), fix: Iterable[str] = (), progress: Progress | None = None
    ) -> Diagnosis:
        """Check the store, and repair what can be repaired.

        checks: Only these checks; `store`, `integrity` and `contents` stand for all of a kind.
        fix: Checks whose findings are repaired first.
        """
        result: Diagnosis = await self._ask("doctor", {"checks": checks, "fix": fix}, progress)
        return result

    @property
    def people(self) -> AsyncBoundPeople:
        return AsyncBoundPeople(self._ask, self._stream)

    @property
    def subject(self) -> AsyncBoundSubject:
        return AsyncBoundSubject(self._ask, self._stream)

    @property
    def extraction(self) -> AsyncBoundExtraction:
        return AsyncBoundExtraction(self._ask, self._stream)

    @property
    def review(self) -> AsyncBoundReview:
        return AsyncBoundReview(self._ask, self._stream)

    @property
    def phase(self) -> AsyncBoundPhase:
        return AsyncBoundPhase(self._ask, self._stream)

    @property
    def agent(self) -> AsyncBoundAgent:
        return AsyncBoundAgent(self._ask, self._stream)

    @property
    def member(self) -> AsyncBoundMember:
        return AsyncBoundMember(self._ask, self._stream)

    @property
    def policy(self) -> AsyncBoundPolicy:
        return AsyncBoundPolicy(self._ask, self._stream)

    @property
    def trail(self) -> AsyncBoundTrail:
        return AsyncBoundTrail(self._ask, self._stream)

    @property
    def trace(self) -> AsyncBoundTrace:
        return AsyncBoundTrace(self._ask, self._stream)


class AsyncStoreAgent:
    """`agent` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def register(self, id: str, *, owner: str) -> Agent:
        """Register an agent with its one owner. An agent that has an owner keeps it.

        id: The agent's id.
        owner: The one user it belongs to.
        """
        result: Agent = await self._ask("agent.register", {"id": id, "owner": owner})
        return result

    async def get(self, id: str) -> Agent | None:
        """Show the owner of an agent.

        id: The agent's id.
        """
        result: Agent | None = await self._ask("agent.get", {"id": id})
        return result


class AsyncStoreChat:
    """`chat` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def register(
        self,
        id: str,
        *,
        kind: ChatKind | Literal["private", "group"],
        participants: Iterable[str] = (),
        agents: Iterable[str] = (),
    ) -> Chat:
        """Register a chat with its participants.

        id: The chat's id.
        kind: private or group.
        participants: A user in it.
        agents: An agent in it.
        """
        result: Chat = await self._ask(
            "chat.register", {"id": id, "kind": kind, "participants": participants, "agents": agents}
        )
        return result

    async def get(self, id: str) -> Chat | None:
        """Show the participants of a chat.

        id: The chat's id.
        """
        result: Chat | None = await self._ask("chat.get", {"id": id})
        return result


class AsyncStoreMember:
    """`member` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def add(
        self,
        group: Mapping[str, str],
        *,
        user: str | None = None,
        agent: str | None = None,
        trust: Trust | Literal["viewer", "contributor", "approver", "owner"] = "contributor",
    ) -> Members:
        """Make a user or an agent a member of a group, or change its trust.

        group: One level and its id, for example project=apollo.
        user: The user who joins.
        agent: The agent that joins.
        trust: How far it is trusted: viewer, contributor, approver or owner.
        """
        result: Members = await self._ask("member.add", {"group": group, "user": user, "agent": agent, "trust": trust})
        return result

    async def remove(self, group: Mapping[str, str], *, user: str | None = None, agent: str | None = None) -> Members:
        """End a membership. The group stays registered, even when no member is left in it.

        group: One level and its id, for example project=apollo.
        user: The user who leaves.
        agent: The agent that leaves.
        """
        result: Members = await self._ask("member.remove", {"group": group, "user": user, "agent": agent})
        return result

    async def list(self, group: Mapping[str, str]) -> Members:
        """List the members of a group.

        group: One level and its id, for example project=apollo.
        """
        result: Members = await self._ask("member.list", {"group": group})
        return result


class AsyncStoreKeys:
    """`keys` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def create(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        scopes: Iterable[KeyScope | Literal["read", "write", "review", "admin", "act_for"]] = (
            "read",
            "write",
        ),
        space: Mapping[str, str] | None = None,
        expires_at: datetime | str | int | None = None,
        note: str = "",
    ) -> NewKey:
        """Make an API key for a user or an agent, and show it once.

        user: The user whose key it is.
        agent: The registered agent whose key it is.
        scopes: What it may be used for: read, write, review, admin, act_for.
        space: It reaches this space alone; everything of its holder if not given.
        expires_at: When it expires, in ISO 8601 with a zone.
        note: What it is for, to know it again in the list.
        """
        result: NewKey = await self._ask(
            "keys.create",
            {"user": user, "agent": agent, "scopes": scopes, "space": space, "expires_at": expires_at, "note": note},
        )
        return result

    async def list(self) -> builtins.list[AccessKey]:
        """List API keys: whose they are, their scopes, expiry and last use."""
        result: builtins.list[AccessKey] = await self._ask("keys.list", {})
        return result

    async def rotate(self, id: str, *, overlap_seconds: float = 0) -> NewKey:
        """Replace an API key by a new one with the same rights.

        id: The key's id.
        overlap_seconds: How long the old one works besides, in seconds.
        """
        result: NewKey = await self._ask("keys.rotate", {"id": id, "overlap_seconds": overlap_seconds})
        return result

    async def revoke(self, id: str) -> AccessKey:
        """End an API key.

        id: The key's id.
        """
        result: AccessKey = await self._ask("keys.revoke", {"id": id})
        return result


class AsyncStorePolicy:
    """`policy` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def show(
        self,
        *,
        preset: Policy | Path | str | Mapping[str, Any] | None = None,
        digest: str | None = None,
        in_use: bool = False,
    ) -> PolicyShown:
        """Show the policy in force, with its digest: the name that every decision carries.

        preset: Another policy: a preset's name, or a file.
        digest: An earlier one, by its digest: a preset, or one that was once put to use here.
        in_use: The one in use in the store, even if another is in force.
        """
        result: PolicyShown = await self._ask("policy.show", {"preset": preset, "digest": digest, "in_use": in_use})
        return result

    async def check(self, file: str) -> PolicyChecked:
        """Check a policy file; an error names the line, the key and a remedy.

        file: The path of a policy file.
        """
        result: PolicyChecked = await self._ask("policy.check", {"file": file})
        return result

    async def diff(
        self, before: Policy | Path | str | Mapping[str, Any], after: Policy | Path | str | Mapping[str, Any]
    ) -> PolicyDiff:
        """Show the differences between two policies, key by key.

        before: The one policy.
        after: The other policy.
        """
        result: PolicyDiff = await self._ask("policy.diff", {"before": before, "after": after})
        return result

    async def presets(self) -> builtins.list[Preset]:
        """List the policies that come with Memfort."""
        result: builtins.list[Preset] = await self._ask("policy.presets", {})
        return result

    async def use(
        self,
        policy: Policy | Path | str | Mapping[str, Any],
        *,
        apply: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> PolicyUse:
        """Put a policy to use in the store, for everyone who opens it from now on.

        policy: The policy that is in force from now on.
        apply: Also give the memories that are there the ends that it sets.
        dry_run: Show what would change, and do nothing.
        """
        result: PolicyUse = await self._ask(
            "policy.use", {"policy": policy, "apply": apply, "dry_run": dry_run}, progress
        )
        return result


class AsyncStoreTrail:
    """`trail` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def verify(
        self, *, anchors: Anchors | Mapping[str, Any] | Iterable[Checkpoint] | None = None
    ) -> Verification:
        """Check the whole trail, and that the store agrees with it.

        anchors: Checkpoints kept elsewhere, as `trail checkpoint` gave them.
        """
        result: Verification = await self._ask("trail.verify", {"anchors": anchors})
        return result

    async def checkpoint(self) -> Anchors:
        """Sign every chain of the trail that has grown."""
        result: Anchors = await self._ask("trail.checkpoint", {})
        return result


class AsyncStoreStore:
    """`store` and its verbs."""

    def __init__(self, ask: Ask, stream: Stream) -> None:
        self._ask, self._stream = ask, stream

    async def info(self) -> StoreInfo:
        """Show facts about the store."""
        result: StoreInfo = await self._ask("store.info", {})
        return result

    async def gc(
        self, *, compact_days: float | None = None, dry_run: bool = False, progress: Progress | None = None
    ) -> Collection:
        """Retire expired memories, and those over their author's limit.

        compact_days: Also remove physically memories superseded, forgotten or expired over so many days ago.
        dry_run: Show what would happen, and do nothing.
        """
        result: Collection = await self._ask("store.gc", {"compact_days": compact_days, "dry_run": dry_run}, progress)
        return result

    async def reindex(self, *, progress: Progress | None = None) -> Reindexed:
        """Rebuild the text index, with the vectors of the embedder in use."""
        result: Reindexed = await self._ask("store.reindex", {}, progress)
        return result

    async def reembed(self, *, batch: int = 64, progress: Progress | None = None) -> Reembedding:
        """Give every memory a vector of the embedder in use.

        batch: How many memories in one step.
        """
        result: Reembedding = await self._ask("store.reembed", {"batch": batch}, progress)
        return result

    async def reembed_status(self) -> Reembedding:
        """Show the progress of embedding in the background."""
        result: Reembedding = await self._ask("store.reembed_status", {})
        return result

    async def judge(self, *, batch: int = 32, progress: Progress | None = None) -> SensitivityProgress:
        """Judge the sensitivity of memories that wait for it.

        batch: How many memories in one step.
        """
        result: SensitivityProgress = await self._ask("store.judge", {"batch": batch}, progress)
        return result

    async def judge_status(self) -> SensitivityProgress:
        """Show the progress of judging sensitivity in the background."""
        result: SensitivityProgress = await self._ask("store.judge_status", {})
        return result

    async def relearn(self, *, dry_run: bool = False, batch: int = 32, progress: Progress | None = None) -> Relearned:
        """Make statements and judgements of older rules again.

        dry_run: Count what would change, and do nothing.
        batch: How many memories in one step.
        """
        result: Relearned = await self._ask("store.relearn", {"dry_run": dry_run, "batch": batch}, progress)
        return result

    async def extract(self, *, progress: Progress | None = None) -> ExtractionRun:
        """Let the extractor read the turns that wait for it."""
        result: ExtractionRun = await self._ask("store.extract", {}, progress)
        return result

    async def backup(self, path: str, *, with_key: bool = False, progress: Progress | None = None) -> BackupReport:
        """Write a checked backup of the store into one file, while others write.

        path: The file to write; it must not exist.
        with_key: Put the store's key into the file too; then whoever has the file has everything.
        """
        result: BackupReport = await self._ask("store.backup", {"path": path, "with_key": with_key}, progress)
        return result

    async def quarantine(self) -> builtins.list[str]:
        """Take damaged memories out of the index, and name them."""
        result: builtins.list[str] = await self._ask("store.quarantine", {})
        return result


class AsyncStoreMethods:
    """The verbs."""

    async def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        raise NotImplementedError

    def _stream(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> AsyncIterator[Any]:
        raise NotImplementedError

    async def finish_erasures(self) -> FinishedErasures:
        """Finish erasures that had to wait."""
        result: FinishedErasures = await self._ask("finish_erasures", {})
        return result

    @property
    def agent(self) -> AsyncStoreAgent:
        return AsyncStoreAgent(self._ask, self._stream)

    @property
    def chat(self) -> AsyncStoreChat:
        return AsyncStoreChat(self._ask, self._stream)

    @property
    def member(self) -> AsyncStoreMember:
        return AsyncStoreMember(self._ask, self._stream)

    @property
    def keys(self) -> AsyncStoreKeys:
        return AsyncStoreKeys(self._ask, self._stream)

    @property
    def policy(self) -> AsyncStorePolicy:
        return AsyncStorePolicy(self._ask, self._stream)

    @property
    def trail(self) -> AsyncStoreTrail:
        return AsyncStoreTrail(self._ask, self._stream)

    @property
    def store(self) -> AsyncStoreStore:
        return AsyncStoreStore(self._ask, self._stream)
