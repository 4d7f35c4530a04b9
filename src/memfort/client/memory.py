"""`Memory`: the door to one store. It has no verbs of its own; bind an identity to get them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, Unpack

from memfort.client._methods import StoreMethods
from memfort.client.bound import BoundMemory, missing_attribute
from memfort.client.options import MemoryOptions
from memfort.client.places import Places
from memfort.clock import Clock, SystemClock
from memfort.embed.choice import as_embedder, as_reranker
from memfort.embed.classifier import NONE, SensitivityModel, as_classifier
from memfort.embed.extractor import ExtractFunction, ExtractorModel, as_extractor
from memfort.embed.port import Embedder, Reranker
from memfort.engine.call import Call, Progress, Waiter
from memfort.engine.engine import SYSTEM_STANDPOINT, Engine, policy_in_use
from memfort.engine.indexing.embedding import Embedding
from memfort.engine.inputs import choice, coordinates_of
from memfort.engine.judging import Classifier
from memfort.engine.once import Once
from memfort.engine.overrides import PolicyOverrides, check_flag
from memfort.engine.recorder import Through
from memfort.engine.transaction import Session
from memfort.errors import InvalidInput, StoreError, a, did_you_mean
from memfort.model.people.actor import SYSTEM, Actor, ActorKind, Standpoint
from memfort.model.space import SYSTEM_ID, Coordinate, Level, check_id
from memfort.operations.requests import request_of
from memfort.operations.run import call_of, run
from memfort.operations.table import TABLE, Operation
from memfort.policy.gates.secrets import check_names
from memfort.policy.settings.policy import Policy
from memfort.policy.standing import Memberships
from memfort.store.port import Store

if TYPE_CHECKING:
    from memfort.model.item import Item
    from memfort.model.results import ExtractionRun, RestoreReport
    from memfort.operations.upkeep.gc import PeriodicGc
    from memfort.operations.upkeep.judge import BackgroundJudge
    from memfort.operations.upkeep.reembed import BackgroundEmbedder

IN_MEMORY = ":memory:"  # the path of a store without a file


class Memory(StoreMethods):
    """One store, one policy, one clock. Close it, or use it in a `with` block, so that the last reads are recorded."""

    def __init__(
        self,
        store: Store,
        *,
        policy: Policy | Path | str | Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        memberships: Memberships | Literal["trusted", "registered"] = "trusted",
        audit_reads: Literal["off", "batched", "durable"] | None = None,
        max_entries: int | None = None,
        extraction_enabled: bool = True,
        extraction_confidence_threshold: float | None = None,
        auto_gc: bool = False,
        gc_every: float | None = None,
        embedder: Embedder | str | None = None,
        reembed: Literal["background"] | None = None,
        reranker: Reranker | str | None = None,
        classifier: SensitivityModel | str | None = None,
        extractor: ExtractorModel | ExtractFunction | str | None = None,
        judge: Literal["background", "on_demand"] = "background",
        surface: str = "python",
        policy_origin: str = "given",
    ) -> None:
        """`policy` is a `Policy`, a path or the text of a TOML file, or the same as a dict. Without one it is the one
        in use in the store, else the default. `audit_reads`, `max_entries` and `extraction_confidence_threshold` stand
        in place of what it says; without `extraction_enabled` nothing but the turns is taken from a conversation. With
        `auto_gc`, what has ended is collected now; with `gc_every`, again whenever so many seconds have gone by, until
        it is closed: for a server. `embedder` is one of your own or a word for one: `words`, `none`, `local`, an
        address; with `reembed="background"`, what was written with another gets its vectors while others work. A
        `reranker`, one of your own or a word for one (`none`, `local:./folder`, an address), looks at the first hits
        once more, in each level. `classifier` judges how private a statement is whose words settle nothing: `auto` (the
        encoder of the extra `multilingual`, where it is installed), `none`, `local:multilingual` or one of your own. It
        works in the background, and with `judge="on_demand"` only when `store.judge` is called. `extractor` is a model
        that reads conversations once more: an address (`https://…/v1#model`), a function, `entry:NAME` or one of your
        own. It is given only what the policy's `extraction.send` lets leave, by `store.extract` or `memfort worker`.
        `policy_origin` is what `policy.show` says of where a given policy comes from."""
        if isinstance(store, str | PathLike):
            raise InvalidInput("store", "it is a path", f"write `Memory.open({str(store)!r})`")
        _check_values(
            {
                "clock": clock,
                "surface": surface,
                "policy_origin": policy_origin,
                "memberships": memberships,
                "auto_gc": auto_gc,
                "reembed": reembed,
                "judge": judge,
            }
        )
        overrides = PolicyOverrides(
            audit_reads,  # type: ignore[arg-type]  # made one of its own there
            max_entries,
            extraction_confidence_threshold,
            extraction_enabled,
        )
        given = None if policy is None else Policy.of(policy)
        in_force = given or policy_in_use(store) or _default_policy()
        embedding = Embedding(as_embedder(embedder), as_reranker(reranker))
        self._engine = Engine(
            store,
            clock or SystemClock(),
            in_force,
            Memberships(memberships),
            surface,
            embedding,
            Classifier(as_classifier(classifier)),
            extractor=as_extractor(extractor),
            overrides=overrides,
            policy_origin=policy_origin,
            follows=policy is None,
        )
        self._engine.use_policy(in_force)
        self._place = f"a {type(store).__name__}"
        self._background: BackgroundEmbedder | None = None
        self._background_lock = Lock()
        self._judge = self._start_judge() if judge == "background" else None
        embedding.on_missing_vector = self._embed_later
        if reembed is not None:
            self._background_embedder().all()
        if auto_gc:
            with suppress(StoreError):  # a store that cannot write just now can still be read
                self.store.gc()
        self._periodic_gc = None if gc_every is None else self._start_gc(gc_every)

    @classmethod
    def open(cls, path: Path | str, *, read_only: bool = False, **options: Unpack[MemoryOptions]) -> Self:
        """Open the store in a file, making it if it is not there; its directory has to be. `path` may be an address,
        whose first part names the engine: `sqlite:///data/memory.db` or `postgresql://host/database`. An erasure that
        had to wait is finished now. With `read_only`, nothing is written, not even beside the file: for a medium that
        cannot be written, or a copy that must stay as it is. `":memory:"` opens a store that forgets everything
        when it is closed."""
        _check_options(options, read_only=read_only)
        options = _read_options(options)
        store = _open_store(path, read_only=read_only)
        try:
            memory = cls(store, **options)
        except BaseException:
            store.close()
            raise
        if "://" not in str(path):  # an address can hold a password
            memory._place = str(path)
        with suppress(StoreError):  # it stays on record as pending, and `erasures` says so
            if not read_only and any(one.pending for one in store.erasures()):
                memory.finish_erasures()
        return memory

    @staticmethod
    def restore(
        backup: Path | str,
        path: Path | str,
        *,
        key: Path | str | None = None,
        erased: Path | str | None = None,
        clock: Clock | None = None,
        surface: str = "python",
        progress: Progress | None = None,
    ) -> RestoreReport:
        """Make a store at `path` from a file that `backup` wrote. Nothing that is there is overwritten. `erased` is the
        list of erased memories, `memory.db.erased`: what was erased after the backup was made is erased again before
        anybody can read it. `key` is the key file, if the backup is without it. Either is found where the store will
        be, too. The report says what cannot be promised."""
        from memfort.operations.upkeep.restore import restore_store
        from memfort.store.port import RestoreOrder

        order = RestoreOrder(
            _path(backup, "backup"),
            _path(path, "path"),
            None if key is None else _path(key, "key"),
            None if erased is None else _path(erased, "erased"),
        )
        return restore_store(order, clock or SystemClock(), surface, progress)

    def _ask(self, name: str, fields: dict[str, Any], progress: Progress | None = None) -> Any:
        return self.run(TABLE[name], fields, progress)

    def run(
        self,
        operation: Operation,
        fields: Mapping[str, Any],
        progress: Progress | None = None,
        *,
        strict: bool = True,
        waiter: Waiter | None = None,
        via: str | None = None,
        surface: str | None = None,
        once: Once | None = None,
    ) -> Any:
        """Run a verb of upkeep by its row of the table of operations. `via` is whose credential asks for it; `surface`
        is the trail's word for how it is asked, if that is another than the host's; with `once`, a call that was made
        before raises `Replayed`."""
        request = request_of(operation.request, fields, strict=strict)
        call = call_of(self._engine, SYSTEM, operation, request)
        if not call.is_under_way:  # and so no part of another, whose caller waits for that one
            call.progress, call.waiter, call.via, call.once = progress, waiter, Through(via, surface), once
        return run(self._engine, SYSTEM_STANDPOINT, operation, request, call)

    def __repr__(self) -> str:
        return f"<memory in {self._place}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise missing_attribute(self, name, BoundMemory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Record the reads that are still waiting and let go of the store. Vectors that are owed are asked for once
        more; what cannot be had in a few seconds is left to `reembed`."""
        if self._periodic_gc is not None:
            self._periodic_gc.close()
        if self._judge is not None:
            self._judge.close()
        if self._background is not None:
            self._background.close()
        try:
            self._engine.finish_reads()
        finally:
            self._engine.store.close()

    def extract_due(
        self, *, stop: Callable[[], bool] = lambda: False, progress: Progress | None = None
    ) -> ExtractionRun:
        """What `store.extract` does, for a worker that can be stopped between two requests."""
        from memfort.operations.extraction.worker import read_due

        session = self._session("store.extract")
        session.call.progress = progress
        return read_due(session, stop)

    @property
    def store_in_use(self) -> Store:
        """The store behind it, for surfaces that look up who asks."""
        return self._engine.store

    @property
    def unrecorded_reads(self) -> int:
        """How many reads were answered although they could not be recorded in the trail: the disk was full, or the
        store is open to be read alone. With `audit_reads="durable"` such a read is refused instead."""
        return self._engine.unrecorded_reads

    # -- who asks ----------------------------------------------------------------------------------------------------

    def as_user(self, user: str, /, **places: Unpack[Places]) -> BoundMemory:
        """Memory as a user has it, from the places named: `as_user("alice", project="apollo", org="acme")`."""
        actor = Actor(ActorKind.USER, check_id(user, "user"))
        coordinates = (Coordinate(Level.USER, actor.id), *coordinates_of(places))
        self._check_names(actor, coordinates)
        return self._bound(actor, coordinates)

    def as_agent(
        self, agent: str, /, *, owner: str | None = None, acting_for: str | None = None, **places: Unpack[Places]
    ) -> BoundMemory:
        """Memory as an agent has it. Acting for a user, it has that user's rights and never its owner's; standing at
        another agent (`agent="helper"`), it reads what is public there."""
        id = check_id(agent, "agent")
        user = None if acting_for is None else check_id(acting_for, "acting_for")
        own = [Coordinate(Level.AGENT, id), *([Coordinate(Level.USER, user)] if user is not None else [])]
        coordinates = (*own, *coordinates_of(places))  # before the agent is registered: a mistake enters nothing
        self._check_names(Actor(ActorKind.AGENT, id, acting_for=user), coordinates)
        known = self._engine.store.agent(id)
        if known is None:
            known = self._register(id, owner)
        elif owner is not None and owner != known.owner:
            raise InvalidInput("owner", f"the agent `{id}` has another owner", "leave it out, or name the right one")
        actor = Actor(ActorKind.AGENT, id, acting_for=user, owner=known.owner)
        return self._bound(actor, coordinates)

    def as_system(self) -> BoundMemory:
        """Memory as the system itself has it: the system space, and the power to erase, but no sight of anybody's."""
        return self._bound(SYSTEM, (Coordinate(Level.SYSTEM, SYSTEM_ID),))

    def _start_gc(self, seconds: float) -> PeriodicGc:
        from memfort.operations.upkeep.gc import PeriodicGc

        return PeriodicGc(self._session("store.gc"), seconds)

    def _start_judge(self) -> BackgroundJudge | None:
        """Judge what waits, in a thread of its own."""
        engine = self._engine
        if not engine.has_classifier or not engine.policy.disclosure.classify or engine.store.is_read_only:
            return None
        from memfort.operations.upkeep.judge import BackgroundJudge

        background = BackgroundJudge(self._session("store.judge"))
        engine.classifier.on_unjudged = background.add
        background.all()
        return background

    def _embed_later(self, item: Item) -> None:
        self._background_embedder().add(item)

    def _background_embedder(self) -> BackgroundEmbedder:
        from memfort.operations.upkeep.reembed import BackgroundEmbedder

        with self._background_lock:
            if self._background is None:
                self._background = BackgroundEmbedder(self._session("store.reembed"))
            return self._background

    def _session(self, verb: str) -> Session:
        """For work that goes on in a thread of its own, as the system."""
        return Session(self._engine, SYSTEM_STANDPOINT, Call(self._engine, "", verb))

    def _bound(self, actor: Actor, coordinates: tuple[Coordinate, ...]) -> BoundMemory:
        places = [one for one in coordinates if one != Coordinate(Level.AGENT, str(actor.agent))]
        for place in places:
            if [one.level for one in places].count(place.level) > 1:
                raise InvalidInput(place.level, "it is named twice", "stand at one of them at a time")
        return BoundMemory(self._engine, Standpoint(actor, coordinates))

    def _check_names(self, actor: Actor, coordinates: tuple[Coordinate, ...]) -> None:
        """Refuse a secret in place of a name: who asks and from where stands in events and in memories."""
        names = [("acting_for" if one.id == actor.acting_for else one.level.value, one.id) for one in coordinates]
        check_names(names, self._engine.policy, actor)

    def _register(self, id: str, owner: str | None) -> Any:
        if owner is None:
            raise InvalidInput("owner", f"the agent `{id}` is not registered", "name its owner, or register it first")
        if self._engine.memberships is Memberships.REGISTERED:
            raise InvalidInput("agent", f"the agent `{id}` is not registered", "register it with `agent.register`")
        return self.agent.register(id, owner=owner)


def _check_options(options: Mapping[str, Any], *, read_only: bool) -> None:
    """Refuse an option that there is not, and what a store that is only read cannot do."""
    known = MemoryOptions.__annotations__
    for name in options:
        if name not in known:
            raise InvalidInput(name, "there is no such option", did_you_mean(name, [*known, "read_only"]))
    check_flag(read_only, "read_only")
    for name in ("auto_gc", "gc_every", "reembed") if read_only else ():
        if options.get(name):
            raise InvalidInput(name, "the store is to be read alone", "leave it out, or open it without `read_only`")


def _check_values(given: MemoryOptions) -> None:
    """Refuse values of options that are not possible, where nothing else reads them."""
    clock, reembed = given.get("clock"), given.get("reembed")
    if clock is not None and not callable(getattr(clock, "now", None)):
        raise InvalidInput("clock", f"{a(type(clock).__name__)} is no clock", "give something with `now()`")
    for name in ("surface", "policy_origin"):
        if not isinstance(value := given.get(name, ""), str):
            raise InvalidInput(name, f"{a(type(value).__name__)} is no text", "give a text, or leave it out")
    choice(Memberships, given.get("memberships", "trusted"), "memberships")
    check_flag(given.get("auto_gc", False), "auto_gc")
    if (judge := given.get("judge", "background")) not in {"background", "on_demand"}:
        raise InvalidInput("judge", f"`{judge}` is not possible", 'use "background" or "on_demand"')
    if reembed not in {None, "background"}:
        raise InvalidInput("reembed", f"`{reembed}` is not possible", 'use "background", or leave it out')


def _read_options(options: MemoryOptions) -> MemoryOptions:
    """The options, checked before a store is opened, so that a mistake makes no file. A policy and models are read
    once."""
    _check_values(options)
    PolicyOverrides(
        options.get("audit_reads"),  # type: ignore[arg-type]  # made one of its own there
        options.get("max_entries"),
        options.get("extraction_confidence_threshold"),
        options.get("extraction_enabled", True),
    )
    read = options.copy()
    if (policy := options.get("policy")) is not None:
        read["policy"] = Policy.of(policy)
    if (embedder := as_embedder(options.get("embedder"))) is not None:
        read["embedder"] = embedder
    if (reranker := as_reranker(options.get("reranker"))) is not None:
        read["reranker"] = reranker
    if (extractor := as_extractor(options.get("extractor"))) is not None:
        read["extractor"] = extractor
    read["classifier"] = as_classifier(options.get("classifier")) or NONE
    return read


def _path(given: Path | str, field: str) -> Path:
    if not isinstance(given, str | Path) or not str(given).strip() or "\0" in str(given):
        raise InvalidInput(field, "it names no file", "give the path of a file")
    return Path(given).absolute()


def _open_store(path: Path | str, *, read_only: bool) -> Store:
    from memfort.store.opening import check_address, open_store

    if check_address(path) == IN_MEMORY:
        if read_only:
            raise InvalidInput("read_only", "a store without a file is empty", "name a file, or leave it out")
        from memfort.store.opening import open_temporary_store

        return open_temporary_store()
    return open_store(path, read_only=read_only)


@lru_cache(maxsize=1)
def _default_policy() -> Policy:
    """It never changes, and working it out takes most of the time of opening a store."""
    return Policy()
