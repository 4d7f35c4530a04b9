"""`BoundMemory`: the verbs, bound to one standpoint. It translates and delegates; the work is in its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memfort.errors import InvalidInput, a
from memfort.memory import batching, forgetting, reading, reviewing, sharing, writing
from memfort.memory.engine import Call, Engine
from memfort.memory.input import Time, check_arguments, id_of, limit_of
from memfort.memory.results import (
    ErasureCheck,
    Explanation,
    ImportReport,
    InboxEntry,
    Page,
    Recall,
    Receipt,
    noted_outcome,
)
from memfort.memory.showing import shown_outcome
from memfort.model.actor import Actor, Standpoint
from memfort.model.decision import Decision, Outcome
from memfort.model.directory import Share
from memfort.model.edge import Edge
from memfort.model.item import Candidate, Item, Readers
from memfort.model.phase import Phase
from memfort.model.source import Source
from memfort.policy.sight import standings
from memfort.policy.standing import Standing
from memfort.store.port import Erasure

if TYPE_CHECKING:  # the rarer verbs are imported when they are used, so that a command line starts quickly
    from memfort.capture.interaction import ToolResult
    from memfort.memory.observing import Observation
    from memfort.memory.people.forgetting import PersonForgotten
    from memfort.memory.people.view import People
    from memfort.memory.phasing import PhaseDiff
    from memfort.memory.prompting import Context
    from memfort.memory.upkeep.doctoring import Diagnosis

_QUERIES_KEPT = 64
_WANTED = ("space", "types", "tags", "kinds", "as_of", "explain")  # what a recall takes besides its limit
_RECALLED, _RECALLED_FOR_A_PROMPT = 10, 50  # how many at most, unless a caller says so
Progress = Callable[[int, int], None]
Coordinates = Mapping[str, str]

# `list` is a verb in the class below, so lists have their names up here.
Outcomes = list[Outcome]
Items = list[Item]
Edges = list[Edge]
Entries = list[InboxEntry]
Shares = list[Share]
Erasures = list[Erasure]
Sources = list[Source]
Standings = list[Standing]
Places = list[dict[str, str]]
Phases = list[Phase]
Events = list[dict[str, Any]]


class BoundMemory:
    """Memory as one actor has it, from one place. Made by `Memory.as_user`, `as_agent` and `as_system`."""

    def __init__(self, engine: Engine, standpoint: Standpoint) -> None:
        self._engine = engine
        self._standpoint = standpoint
        self._last_trace: str | None = None
        self._queries: dict[str, str] = {}  # by trace; here and not in the engine, where others' would push them out

    def __repr__(self) -> str:
        return f"<memory of {self._standpoint}>"

    @property
    def actor(self) -> Actor:
        return self._standpoint.actor

    def standings(self) -> Standings:
        """How far this standpoint gets at each of its coordinates, and why."""
        with self._engine.store.reading():
            facts = self._engine.store.facts(self._standpoint)
        return list(standings(self._standpoint, facts, self._engine.memberships).values())

    def spaces(self) -> Places:
        """The spaces in sight, in the order of recall."""
        with self._engine.store.reading():
            return [seen.space.as_dict() for seen in self._engine.sight(self._standpoint).spaces]

    @property
    def people(self) -> People:
        """The directory of people, as this standpoint sees it."""
        from memfort.memory.people.view import People

        return People(self._engine, self._standpoint, self._change)

    @property
    def default_type(self) -> str:
        """What a statement is of which neither its author nor its words say more."""
        return self._engine.policy.default_type

    # -- write -------------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str | Candidate,
        *,
        space: Coordinates | None = None,
        type: str | None = None,
        kind: str | None = None,
        key: str | None = None,
        tags: Iterable[str] | None = None,
        origin: str | None = None,
        observed_at: Time | None = None,
        sensitivity: str | None = None,
        access: Readers | Mapping[str, Iterable[str]] | None = None,
        confidence: float | None = None,
        importance: float | None = None,
        status: str | None = None,
        ttl_seconds: float | None = None,
        ttl_ticks: int | None = None,
        expires_at: Time | None = None,
        subjects: Iterable[str] | None = None,
        portable: bool | None = None,
        derived_from: Iterable[str] | None = None,
        provenance: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """Keep a statement if policy admits it. The outcome says what was decided, and why."""
        given: writing.Given = text if isinstance(text, Candidate) else {
            "text": text, "space": space, "type": type, "kind": kind, "key": key, "tags": tags, "origin": origin,
            "observed_at": observed_at, "sensitivity": sensitivity, "access": access, "confidence": confidence,
            "importance": importance, "status": status, "ttl_seconds": ttl_seconds, "ttl_ticks": ttl_ticks,
            "expires_at": expires_at, "subjects": subjects, "portable": portable, "derived_from": derived_from,
            "provenance": provenance, "meta": meta,
        }  # fmt: skip
        with self._change("remember", text) as trace:
            outcome = writing.remember(self._engine, self._standpoint, given)
        return self._told(outcome, trace)

    def remember_many(self, candidates: Iterable[writing.Given], progress: Progress | None = None) -> Outcomes:
        """Keep many statements in one commit, each decided on its own."""
        with self._change("remember_many") as trace:
            outcomes = batching.remember_many(self._engine, self._standpoint, candidates, progress)
        return [self._told(outcome, trace) for outcome in outcomes]

    def correct(self, id: str, text: str, **fields: Any) -> Outcome:
        """Say what is right instead. The old memory is superseded, linked and kept in the history."""
        id = self._named(id)
        with self._change("correct", id, text) as trace:
            outcome = writing.correct(self._engine, self._standpoint, id, {"text": text, **fields})
        return self._told(outcome, trace)

    def restore(self, id: str) -> Outcome:
        """Bring back what a superseded memory said, in place of what took its place."""
        id = self._named(id)
        with self._change("restore", id) as trace:
            outcome = writing.restore(self._engine, self._standpoint, id)
        return self._told(outcome, trace)

    def used(self, *ids: str) -> Items:
        """Say that memories were of use, so that they come a little sooner from then on. It takes the right to write
        where they are, since everybody who recalls them there feels it."""
        from memfort.memory import using

        ids = tuple(map(self._named, ids))
        with self._change("used", *ids):
            return using.used(self._engine, self._standpoint, ids)

    def observe(
        self,
        said: str | None = None,
        answer: str | None = None,
        tools: Iterable[Mapping[str, Any] | ToolResult] = (),
        *,
        space: Coordinates | None = None,
    ) -> Observation:
        """Record an interaction: what a user said, what was answered, what tools returned. What is worth keeping is
        kept, in the session the standpoint is in or else in its own space; every gate decides on each thing alone."""
        from memfort.memory import observing

        interaction = observing.interaction_of(said, answer, tools)
        with self._change("observe", said, answer) as trace:
            return observing.observe(self._engine, self._standpoint, interaction, space, trace)

    def window(self, space: Coordinates | None = None) -> Items:
        """The recent turns of a conversation, oldest first, after the summary of those before them."""
        from memfort.memory import observing

        return observing.window(self._engine, self._standpoint, space)

    def promote(self, id: str, space: Coordinates) -> Outcome:
        """Take a memory into another space: a copy there, past every gate, and a tombstone here."""
        from memfort.memory import promoting

        id = self._named(id)
        with self._change("promote", id) as trace:
            outcome = promoting.promote(self._engine, self._standpoint, id, space)
        return self._told(outcome, trace)

    def inbox(self, limit: int = 100) -> Entries:
        """What waits for review where this standpoint may write, and in every space of its user's own."""
        return reviewing.inbox(self._engine, self._standpoint, limit_of(limit))

    def approve(self, *ids: str) -> Items:
        """Approve what waits. A promotion that needs more than one approval goes on waiting for the others."""
        ids = self._named_wherever(ids)
        with self._change("approve", *ids):
            return reviewing.approve(self._engine, self._standpoint, ids)

    def reject(self, *ids: str) -> Items:
        ids = self._named_wherever(ids)
        with self._change("reject", *ids):
            return reviewing.reject(self._engine, self._standpoint, ids)

    def edit(self, id: str, text: str) -> Outcome:
        """Change a pending memory's words; every gate runs again."""
        [id] = self._named_wherever([id])
        with self._change("edit", id, text) as trace:
            return self._told(reviewing.edit(self._engine, self._standpoint, id, text), trace)

    # -- read --------------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        limit: int = _RECALLED,
        space: Coordinates | None = None,
        types: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] | None = None,
        as_of: Time | None = None,
        explain: bool = False,
    ) -> Recall:
        """What this standpoint knows that answers `query`: the most specific level first, each ranked. With
        `as_of`, what it knew at an earlier moment, or at the end of an earlier phase (`phase-1`). With `explain`, how
        many did not come is counted by reason, which walks through everything in sight."""
        from memfort.memory import recalling

        filter = reading.filter_of(types=types, tags=tags, kinds=kinds, engine=self._engine)
        with self._call("recall", query, limit) as trace:
            found = recalling.recall(
                self._engine, self._standpoint, query, limit, space, filter, trace, as_of, explain=explain
            )
        self._queries[trace] = query
        if len(self._queries) > _QUERIES_KEPT:
            del self._queries[next(iter(self._queries))]
        return found

    def context(
        self, query: str, *, budget_tokens: int = 1000, limit: int = _RECALLED_FOR_A_PROMPT, **wanted: Any
    ) -> Context:
        """A recall rendered for a prompt: fenced as data, and within a budget of about so many tokens. The same
        memories give the same bytes. `wanted` is what `recall` takes besides; with `explain`, what did not fit is
        counted too."""
        from memfort.memory.prompting import budget_of, rendered

        budget_of(budget_tokens)
        check_arguments(wanted, (*_WANTED, "budget_tokens", "limit"))
        return rendered(self.recall(query, limit=limit, **wanted), budget_tokens)

    def get(self, id: str) -> Item | None:
        return reading.get(self._engine, self._standpoint, self._named(id))

    def about(self, *persons: str, limit: int = 50, types: Iterable[str] | None = None) -> Items:
        """What is known about persons (`@bob`, a person's id, a name), the newest first: what this standpoint sees, and
        of those who are here also what others know and may be told."""
        from memfort.memory.people import meaning

        filter = reading.filter_of(types=types, engine=self._engine)
        meant = [id for person in persons for id in meaning.ids_of(self._engine, self._standpoint, person)]
        with self._call("about", *persons):
            return reading.about(self._engine, self._standpoint, meant, limit, filter)

    def edges(self, id: str) -> Edges:
        """How a memory or a person hangs together with people, chats and other memories."""
        from memfort.memory import graph

        return graph.edges(self._engine, self._standpoint, self._named(id))

    def related(self, id: str, *, hops: int = 1, limit: int = 20) -> Items:
        """The memories that hang together with one over the people they are about, the nearest first."""
        from memfort.memory import graph

        return graph.related(self._engine, self._standpoint, self._named(id), hops, limit)

    def list(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        space: Coordinates | None = None,
        types: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] | None = None,
        statuses: Iterable[str] | None = None,
        source: str | None = None,
        deleted: bool = False,
    ) -> Page:
        """Memories from newest to oldest. What is not in force is listed only where this standpoint may write. The last
        page names the damaged ones, which no page shows."""
        filter = reading.filter_of(types=types, tags=tags, kinds=kinds, statuses=statuses, source=source,
                                   deleted=deleted, expired=deleted, engine=self._engine)  # fmt: skip
        return reading.page(self._engine, self._standpoint, limit, cursor, space, filter)

    def history(self, id: str) -> Items:
        """All versions of a memory, oldest first."""
        return reading.history(self._engine, self._standpoint, self._named(id))

    def explain(
        self,
        id: str,
        viewer: BoundMemory | None = None,
        *,
        query: str | None = None,
        limit: int | None = None,
        space: Coordinates | None = None,
        types: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        kinds: Iterable[str] | None = None,
        budget_tokens: int | None = None,
    ) -> Explanation:
        """Why a memory is or is not shown, to this standpoint or to `viewer`; or what a recall of one's own did, by its
        trace. With a `query`, why the memory comes or does not come when that is recalled with this limit, space and
        filter, or, with `budget_tokens`, rendered for a prompt."""
        from memfort.memory import explaining

        if viewer is not None and not isinstance(viewer, BoundMemory):
            raise InvalidInput("viewer", f"{a(type(viewer).__name__)} is not a viewer", "bind it, as in as_user(…)")
        default = _RECALLED if budget_tokens is None else _RECALLED_FOR_A_PROMPT
        question = explaining.question_of(
            self._engine, query, default, limit=limit, space=space, types=types, tags=tags, kinds=kinds,
            budget_tokens=budget_tokens,
        )  # fmt: skip
        if id_of(id).startswith("trc_"):
            return explaining.explain_trace(self._engine, self._standpoint, id, question)
        [id] = self._named_wherever([id])
        subject = None if viewer is None else viewer._standpoint
        return explaining.explain(self._engine, self._standpoint, id, subject, question)

    def check(self, verb: str, **given: Any) -> Decision:
        """Whether this could be done now, without doing it."""
        from memfort.memory import explaining

        return explaining.check(self._engine, self._standpoint, verb, given)

    # -- phases ------------------------------------------------------------------------------------------------------

    def start_phase(self, reason: str, *, space: Coordinates | None = None, name: str | None = None) -> Phase:
        """Begin a new phase in a space: what was before is history from now on."""
        from memfort.memory import phasing

        with self._change("start_phase", reason):
            return phasing.start(self._engine, self._standpoint, space, reason, name)

    def phases(self, space: Coordinates | None = None) -> Phases:
        """The phases of a space, the oldest first."""
        from memfort.memory import phasing

        return phasing.phases(self._engine, self._standpoint, space)

    def diff_phases(self, earlier: str, later: str | None = None, *, space: Coordinates | None = None) -> PhaseDiff:
        """What changed from the end of one phase to the end of a later one, or until now."""
        from memfort.memory import phasing

        with self._call("diff_phases", earlier, later) as trace:
            return phasing.diff(self._engine, self._standpoint, space, earlier, later, trace)

    # -- tell --------------------------------------------------------------------------------------------------------

    @property
    def last_trace(self) -> str | None:
        """The name of the last call that was made here, to be told again by `trace`."""
        return self._last_trace

    def trace(self, id: str, *, expanded: bool = False) -> Events:
        """The public events of one of this actor's own calls, in order, as plain data."""
        from memfort.memory import telling

        return telling.trace(self._engine, self._standpoint, id, self._queries, expanded=expanded)

    def _told(self, outcome: Outcome, trace: str) -> Outcome:
        """An outcome as this standpoint may hear it."""
        return shown_outcome(self._engine, self._standpoint, noted_outcome(outcome.but(trace=trace), self.actor))

    def _named(self, id: str) -> str:
        """An id that may have been given by its beginning."""
        from memfort.memory.naming import whole_id

        return whole_id(self._engine, self._standpoint, id)

    def _named_wherever(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The same of what may be spoken of and reviewed wherever the user stands."""
        from memfort.memory.naming import whole_id

        return tuple(whole_id(self._engine, self._standpoint, id, wherever=True) for id in ids)

    def _call(self, verb: str, *said: object) -> Call:
        call = self._engine.call(self.actor, verb, *said)
        self._last_trace = call.trace
        return call

    def _change(self, verb: str, *said: object) -> Call:
        """A call that changes something. It is refused from a chat that the actor takes no part in."""
        call = self._call(verb, *said)
        with call:
            self._engine.check_part(self._standpoint, verb)
        return call

    # -- share -------------------------------------------------------------------------------------------------------

    def share(self, space: Coordinates | None = None, *, user: str | None = None, agent: str | None = None) -> Share:
        """Let a user or an agent read one space, until it is revoked."""
        self._engine.check_part(self._standpoint, "share")
        return sharing.share(self._engine, self._standpoint, space, user, agent)

    def shares(self) -> Shares:
        return sharing.shares(self._engine, self._standpoint)

    def revoke(self, share_id: str) -> None:
        self._engine.check_part(self._standpoint, "revoke")
        sharing.revoke(self._engine, self._standpoint, share_id)

    # -- end ---------------------------------------------------------------------------------------------------------

    def forget(self, *ids: str, dry_run: bool = False) -> Items:
        """Out of every read at once, with everything derived; a tombstone stays, and the words may be learned again."""
        ids = tuple(map(self._named, ids))
        with self._change("forget", *ids):
            return forgetting.forget(self._engine, self._standpoint, ids, dry_run=dry_run)

    def erase(self, *ids: str, dry_run: bool = False, progress: Progress | None = None) -> Receipt:
        """Physically gone, with older versions and everything derived, and a receipt that says so."""
        from memfort.memory import erasing

        ids = tuple(map(self._named, ids))
        with self._change("erase", *ids):
            return erasing.erase(self._engine, self._standpoint, ids, dry_run=dry_run, progress=progress)

    def forget_person(
        self,
        person: str,
        which: str = "about",
        *,
        erase: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> PersonForgotten:
        """End what is known about a person (`about`), what the person said (`stated_by`) or both, as far as this
        standpoint may. With `erase`, physically, with a receipt."""
        from memfort.memory.people import forgetting as forgetting_people

        with self._change("forget_person", person, which):
            return forgetting_people.forget_person(
                self._engine, self._standpoint, person, which, erase=erase, dry_run=dry_run, progress=progress
            )

    def delete_by_scope(
        self, scope: Coordinates, *, cascade: bool = True, dry_run: bool = False, progress: Progress | None = None
    ) -> Receipt:
        """Erase by scope: the most specific level is the target, every other one given constrains."""
        from memfort.memory import erasing

        self._engine.check_part(self._standpoint, "delete_by_scope")
        return erasing.erase_scope(
            self._engine, self._standpoint, scope, cascade=cascade, dry_run=dry_run, progress=progress
        )

    def erase_source(self, source_id: str, *, dry_run: bool = False, progress: Progress | None = None) -> Receipt:
        """Erase everything that came from one import."""
        from memfort.memory import erasing

        self._engine.check_part(self._standpoint, "erase_source")
        return erasing.erase_source(self._engine, self._standpoint, source_id, dry_run=dry_run, progress=progress)

    def erasures(self) -> Erasures:
        """The erasures this actor asked for; for the system actor, all of them."""
        from memfort.memory import erasing

        return erasing.pending_erasures(self._engine, self._standpoint)

    def verify_erasure(self, receipt_id: str) -> ErasureCheck:
        """Search the store for anything an erasure left behind."""
        from memfort.memory import erasing

        return erasing.check(self._engine, self._standpoint, receipt_id)

    # -- look over ---------------------------------------------------------------------------------------------------

    def doctor(self, fix: Iterable[str] = (), progress: Progress | None = None) -> Diagnosis:
        """What is wrong with what is kept in this actor's own spaces; for the system, anywhere. It is told by names and
        numbers alone. `fix` names the checks whose findings are to be put right first."""
        from memfort.memory.upkeep import mending

        with self._change("doctor") if fix else self._call("doctor"):
            return mending.doctor(self._engine, self._standpoint, fix, progress)

    # -- carry -------------------------------------------------------------------------------------------------------

    def export(self) -> Iterator[dict[str, Any]]:
        """Everything this standpoint owns, as plain data: a header, then the memories, oldest first."""
        from memfort.memory import transfer

        return transfer.export(self._engine, self._standpoint)

    def import_(
        self,
        data: bytes,
        *,
        filename: str | None = None,
        platform: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import a file's bytes. Every record passes every gate; the same bytes again are a no-op."""
        from memfort.memory import transfer

        self._engine.check_part(self._standpoint, "import")
        return transfer.import_bytes(self._engine, self._standpoint, data, filename=filename, platform=platform,
                                     dry_run=dry_run, progress=progress)  # fmt: skip

    def sources(self) -> Sources:
        """The import batches of the spaces where this standpoint may write."""
        with self._engine.store.reading():
            found = self._engine.store.sources(self._engine.sight(self._standpoint).writable)
        return [replace(source, items=None) for source in found]

    def trail(self) -> Iterator[dict[str, Any]]:
        """What this actor did, from the trail; for the system actor, the whole trail. Never any contents."""
        from memfort.memory import audit

        return audit.export(self._engine, self._standpoint)
