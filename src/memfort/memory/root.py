"""`Memory`: the door to one store. It has no verbs of its own; bind an identity to get them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from memfort.clock import Clock, SystemClock
from memfort.embed.choice import embedder_from, reranker_from
from memfort.embed.port import Embedder, Reranker
from memfort.errors import InvalidInput, NotFound, StoreError, a
from memfort.memory import audit, erasing
from memfort.memory.bound import BoundMemory
from memfort.memory.directory import Directory
from memfort.memory.engine import Engine
from memfort.memory.in_place import InPlace, check_flag
from memfort.memory.input import choice, coordinates_of, id_of
from memfort.memory.meaning import Meaning
from memfort.memory.vectorless import vectorless
from memfort.model.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.reason import Reason
from memfort.model.space import SYSTEM_ID, Coordinate, Level, check_id
from memfort.policy.document import read_policy
from memfort.policy.rendering import as_toml
from memfort.policy.settings import Policy
from memfort.policy.standing import Memberships
from memfort.store.port import PutPolicy, Quarantine, Reindex, Store
from memfort.trace.checkpoint import Checkpoint
from memfort.trace.verify import Verification

if TYPE_CHECKING:
    from memfort.memory.upkeep.collecting import Collection, Rounds
    from memfort.memory.upkeep.reembedding import Background, Reembedding
    from memfort.model.item import Item

Progress = Callable[[int, int], None]


class Memory:
    """One store, one policy, one clock. Close it, or use it in a `with` block, so that the last reads are recorded."""

    def __init__(
        self,
        store: Store,
        *,
        policy: Policy | None = None,
        clock: Clock | None = None,
        memberships: str = "trusted",
        audit_reads: str | None = None,
        max_entries: int | None = None,
        extraction_enabled: bool = True,
        extraction_confidence_threshold: float | None = None,
        auto_gc: bool = False,
        gc_every: float | None = None,
        embedder: Embedder | str | None = None,
        reembed: str | None = None,
        reranker: Reranker | str | None = None,
        surface: str = "python",
    ) -> None:
        """Without a `policy` it is the one in use in the store, else the default. `audit_reads`, `max_entries` and
        `extraction_confidence_threshold` stand in place of what it says; without `extraction_enabled` nothing but the
        turns is taken from a conversation. With `auto_gc`, what has ended is collected now; with `gc_every`, again
        whenever so many seconds have gone by, until it is closed: for a server. `embedder` is one of your own or a word
        for one: `words`, `none`, `local`, an address; with `reembed="background"`, what was written with another gets
        its vectors while others work. A `reranker`, one of your own or a word for one (`none`, `local:./folder`, an
        address), looks at the first hits once more, in each level."""
        if policy is not None and not isinstance(policy, Policy):
            remedy = "give a `Policy`; one in a file is read by `Policy.from_toml(path)`"
            raise InvalidInput("policy", f"{a(type(policy).__name__)} is no policy", remedy)
        mode = choice(Memberships, memberships, "memberships")
        check_flag(auto_gc, "auto_gc")
        in_place = InPlace(
            audit_reads,  # type: ignore[arg-type]  # made one of its own there
            max_entries, extraction_confidence_threshold, extraction_enabled,
        )  # fmt: skip
        in_force = policy or _in_use(store) or _default_policy()
        if reembed not in {None, "background"}:
            raise InvalidInput("reembed", f"`{reembed}` is not possible", 'use "background", or leave it out')
        meaning = Meaning(embedder_from(embedder), reranker_from(reranker))
        self._engine = Engine(
            store, clock or SystemClock(), in_force, mode, surface, meaning,
            in_place=in_place, follows=policy is None,
        )  # fmt: skip
        self._engine.use(in_force)
        self.directory = Directory(self._engine)
        self._background: Background | None = None
        self._background_lock = Lock()
        meaning.owing = self._owe
        if reembed is not None:
            self._in_background().all()
        if auto_gc:
            with suppress(StoreError):  # a store that cannot write just now can still be read
                self.gc()
        self._rounds = None if gc_every is None else self._collecting(gc_every)

    @classmethod
    def open(cls, path: Path | str, **options: Any) -> Self:
        """Open the store in a file, making it if it is not there. An erasure that had to wait is finished now."""
        from memfort.store.sqlite import SqliteStore

        store = SqliteStore(path)
        try:
            memory = cls(store, **options)
        except BaseException:
            store.close()
            raise
        with suppress(StoreError):  # it stays on record as pending, and `erasures` says so
            erasing.finish(memory._engine)
        return memory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Record the reads that are still waiting and let go of the store. Vectors that are owed are asked for once
        more; what cannot be had in a few seconds is left to `reembed`."""
        if self._rounds is not None:
            self._rounds.close()
        if self._background is not None:
            self._background.close()
        try:
            self._engine.flush()
        finally:
            self._engine.store.close()

    # -- who asks ----------------------------------------------------------------------------------------------------

    def as_user(self, user: str, /, **places: str) -> BoundMemory:
        """Memory as a user has it, from the places named: `as_user("alice", project="apollo", org="acme")`."""
        actor = Actor(ActorKind.USER, check_id(user, "user"))
        return self._bound(actor, (Coordinate(Level.USER, actor.id), *coordinates_of(places)))

    def as_agent(
        self, agent: str, /, *, owner: str | None = None, acting_for: str | None = None, **places: str
    ) -> BoundMemory:
        """Memory as an agent has it. Acting for a user, it has that user's rights and never its owner's; standing at
        another agent (`agent="helper"`), it reads what is public there."""
        id = check_id(agent, "agent")
        user = None if acting_for is None else check_id(acting_for, "acting_for")
        own = [Coordinate(Level.AGENT, id), *([Coordinate(Level.USER, user)] if user is not None else [])]
        coordinates = (*own, *coordinates_of(places))  # before the agent is registered: a mistake enters nothing
        known = self.directory.agent(id)
        if known is None:
            known = self._register(id, owner)
        elif owner is not None and owner != known.owner:
            raise InvalidInput("owner", f"the agent `{id}` has another owner", "leave it out, or name the right one")
        actor = Actor(ActorKind.AGENT, id, acting_for=user, owner=known.owner)
        return self._bound(actor, coordinates)

    def as_system(self) -> BoundMemory:
        """Memory as the system itself has it: the system space, and the power to erase, but no sight of anybody's."""
        return self._bound(SYSTEM, (Coordinate(Level.SYSTEM, SYSTEM_ID),))

    # -- the policy --------------------------------------------------------------------------------------------------

    @property
    def policy(self) -> Policy:
        """The policy in force here."""
        return self._engine.policy

    def policy_in_use(self) -> Policy | None:
        """The policy that was put to use in this store, whatever is in force here."""
        return _in_use(self._engine.store)

    def policy_called(self, digest: str) -> Policy:
        """The policy with this digest: the one in force, or one that was once put to use here."""
        found = self._engine.policy_called(id_of(digest, "digest"))
        if found is None:
            raise NotFound("policy", digest, "only those that were put to use here are kept")
        return found

    def use_policy(self, policy: Policy) -> None:
        """Put a policy to use: here at once, and wherever else this store is opened from now on without another."""
        engine, document = self._engine, as_toml(policy)
        with engine.writing():
            if not _is_in_use(engine.store, document):
                told = {"policy": policy.digest, "document_digest": engine.store.keys.digest(document)}
                event = audit.upkeep(engine, "use_policy", Reason.POLICY_IN_USE, **told)
                engine.apply([PutPolicy(policy.digest, document)], [event])
            engine.use(policy)

    # -- upkeep: shows nobody any contents ---------------------------------------------------------------------------

    def audit_verify(self, anchors: Iterable[Checkpoint] = ()) -> Verification:
        """Check the whole trail, and that the store is in the state the trail tells of, and anchors kept elsewhere."""
        return audit.verify(self._engine, anchors)

    def audit_checkpoint(self) -> list[Checkpoint]:
        """Sign every chain that has grown, and give the last checkpoint of each, to be kept elsewhere as an anchor."""
        return audit.checkpoint(self._engine)

    def gc(
        self, progress: Progress | None = None, *, compact_days: float | None = None, dry_run: bool = False
    ) -> Collection:
        """Collect what has ended: retire what has expired and what is more than its author may keep, in small
        transactions. With `compact_days`, tombstones that are older are physically removed, with a receipt."""
        from memfort.memory.upkeep import collecting

        return collecting.collect(self._engine, progress=progress, compact_days=compact_days, dry_run=dry_run)

    def finish_erasures(self) -> list[str]:
        """Finish erasures that had to wait; says which are complete now."""
        return erasing.finish(self._engine)

    def reindex(self, progress: Progress | None = None) -> int:
        """Write the text index anew, with the vectors of the embedder in use; says how many memories there are."""
        engine = self._engine
        with engine.writing():
            count = int(engine.store.info()["memories"])
            event = audit.upkeep(engine, "reindex", Reason.INDEXED, memories=count)
            engine.apply([Reindex(engine.meaning.entry_of, progress, engine.meaning.told_entry_of)], [event])
        return count

    def reembed(self, progress: Progress | None = None, *, batch: int = 64) -> Reembedding:
        """Give every memory that has none of it a vector of the embedder in use, in small transactions. Whenever it is
        interrupted, the next call goes on with what is left; until then those are found by their words."""
        from memfort.memory.upkeep import reembedding

        return reembedding.reembed(self._engine, batch=batch, progress=progress)

    def reembedding(self) -> Reembedding:
        """How far that has come in the background; and how many are left in the whole store, whoever began it."""
        return replace(self._in_background().state, left=vectorless(self._engine))

    def checkup(self) -> list[tuple[str, str]]:
        """Everything that is not as it should be: (what, problem)."""
        problems = list(self._engine.store.checkup())
        problems += [("trail", f"{one.chain} link {one.number}: {one.problem}") for one in self.audit_verify().broken]
        problems += [
            ("erasure", f"`{one.id}` is pending: {one.pending}") for one in self._engine.store.erasures() if one.pending
        ]
        return problems

    def quarantine(self) -> list[str]:
        """Take damaged memories out of the index; says their names."""
        engine = self._engine
        with engine.writing():
            names = engine.store.unsound()
            if names:
                event = audit.upkeep(engine, "quarantine", Reason.CORRUPT, memories=names)
                engine.apply([Quarantine(event.at)], [event])
        return names

    def info(self) -> dict[str, Any]:
        policy, meaning = self._engine.policy, self._engine.meaning
        told = {"policy": f"{policy.name} {policy.digest}", "embedder": meaning.name, "reranker": meaning.reranker}
        return {**self._engine.store.info(), **told, "without_vector": vectorless(self._engine)}

    def _collecting(self, seconds: float) -> Rounds:
        from memfort.memory.upkeep.collecting import Rounds

        return Rounds(self._engine, seconds)

    def _owe(self, item: Item) -> None:
        self._in_background().owe(item)

    def _in_background(self) -> Background:
        from memfort.memory.upkeep.reembedding import Background

        with self._background_lock:
            if self._background is None:
                self._background = Background(self._engine)
            return self._background

    def _bound(self, actor: Actor, coordinates: tuple[Coordinate, ...]) -> BoundMemory:
        places = [one for one in coordinates if one != Coordinate(Level.AGENT, str(actor.agent))]
        for place in places:
            if [one.level for one in places].count(place.level) > 1:
                raise InvalidInput(place.level, "it is named twice", "stand at one of them at a time")
        return BoundMemory(self._engine, Standpoint(actor, coordinates))

    def _register(self, id: str, owner: str | None) -> Any:
        if owner is None:
            raise InvalidInput("owner", f"the agent `{id}` is not registered", "name its owner, or register it first")
        if self._engine.memberships is Memberships.REGISTERED:
            raise InvalidInput(
                "agent", f"the agent `{id}` is not registered", "register it with `directory.register_agent`"
            )
        return self.directory.register_agent(id, owner=owner)


def _is_in_use(store: Store, document: str) -> bool:
    try:
        return store.policy() == document
    except StoreError:  # its record is damaged, and any other is better
        return False


@lru_cache(maxsize=1)
def _default_policy() -> Policy:
    """It never changes, and working it out takes most of the time of opening a store."""
    return Policy()


def _in_use(store: Store) -> Policy | None:
    """The policy that was put to use in a store. One that cannot be read is an error: to fall back on another would be
    to decide by rules that nobody chose."""
    document = store.policy()
    if document is None:
        return None
    try:
        return read_policy(document, "the policy in use")
    except InvalidInput as error:
        remedy = "put another to use with `memfort policy use`, or name the one to open the store with"
        raise StoreError(f"{error.field}: {error.problem}; {remedy}") from error
