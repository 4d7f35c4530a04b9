"""One run of the command line: its options, its console, and the store while it is open."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memfort.errors import InvalidInput, MemfortError, did_you_mean
from memfort.surfaces.cli.failure import NoStore
from memfort.surfaces.cli.input.values import Places, coordinates, kind_and_name

if TYPE_CHECKING:
    import click

    from memfort.client import BoundMemory, Memory
    from memfort.client.remote.memory import RemoteMemory
    from memfort.policy.settings.policy import Policy
    from memfort.surfaces.cli.input.settings import Settings
    from memfort.surfaces.cli.output.console import Output


class Session:
    """Created once per run. Settings are read when they are first needed, so that `--help` reads no file."""

    def __init__(self) -> None:
        self.flags: dict[str, Any] = {}
        self.command: click.Command | None = None  # the running command
        self.surface = "cli"  # as the trail names it
        self._shown_trace: list[dict[str, Any]] | None = None  # the trace of the last call, if it was asked for

    @cached_property
    def settings(self) -> Settings:
        from memfort.surfaces.cli.input.settings import load

        return load(self.flags)

    @cached_property
    def output(self) -> Output:
        from memfort.surfaces.cli.output.console import Output

        return Output(as_json=self.settings["json"])

    @property
    def has_answered(self) -> bool:
        """Whether an answer was printed. Without a console none can have been."""
        output: Output | None = vars(self).get("output")
        return output is not None and output.has_answered

    @property
    def policy(self) -> Policy:
        """The policy in force, with the settings' overrides."""
        return self.in_force[0]

    @cached_property
    def in_force(self) -> tuple[Policy, str]:
        """The policy in force and where it comes from: the settings, else the store, else the default."""
        from memfort.engine.overrides import PolicyOverrides
        from memfort.policy.settings.policy import Policy

        policy, origin = self.named_policy, self.settings.found["policy"].origin
        if policy is None and self.can_be_asked:
            with self.memory() as memory:
                shown = memory.policy.show()
                return shown.policy, shown.origin
        return PolicyOverrides(**self._overrides).apply_to(policy or Policy()), origin

    @cached_property
    def named_policy(self) -> Policy | None:
        """The policy that the settings name, a file or a preset, if they name one."""
        from memfort.policy.settings.document import load_policy, preset, preset_names

        found = self.settings.found["policy"]
        path = found.value
        if path is None:
            return None
        # A bare name was resolved to a path. If it is a preset's name, the preset wins over a file of that name.
        is_bare = path.parent in {Path.cwd(), Path(found.origin).parent}
        if is_bare and path.name in preset_names():
            return preset(path.name)
        if is_bare and not path.exists():
            named = found.origin.removeprefix("flag ").removeprefix("environment ")
            problem = f"`{path.name}` is not a preset, and there is no file `{path}`"
            raise InvalidInput(named, problem, did_you_mean(path.name, preset_names()))
        return load_policy(path)

    def policy_called(self, word: str, field: str) -> Policy:
        """The policy that an argument names: a preset, a file, or `current` for the one in force."""
        from memfort.policy.settings.document import load_policy, preset, preset_names

        if word == "current":
            return self.policy
        if word in preset_names():
            return preset(word)
        if not Path(word).exists():
            raise InvalidInput(field, f"`{word}` is neither a file nor a preset", did_you_mean(word, preset_names()))
        return load_policy(Path(word))

    @property
    def server(self) -> str | None:
        """The address of the server that has the store, if the settings name one."""
        store = self.settings["store"]
        return store if isinstance(store, str) and store.startswith(("http://", "https://")) else None

    @property
    def database(self) -> str | None:
        """The address of the database that is the store, if the settings name one."""
        store = self.settings["store"]
        return store if isinstance(store, str) and self.server is None else None

    @property
    def store_file(self) -> Path:
        """The file of the store, for commands that work on files."""
        store = self.settings["store"]
        if self.database is not None:
            raise InvalidInput("store", "it is a database", "name the file of a store")
        if not isinstance(store, Path):
            raise InvalidInput("store", "it is the address of a server", "run this where the store is; name its file")
        return store

    @property
    def has_store(self) -> bool:
        """Whether there is something where the store should be. A file of no bytes is not one."""
        if self.server is not None or self.database is not None:
            return True
        path = self.store_file
        return path.exists() and not (path.is_file() and path.stat().st_size == 0)

    @property
    def can_be_asked(self) -> bool:
        """Whether there is a store, and not something else in its place."""
        return self.has_store and (isinstance(self.settings["store"], str) or self.store_file.is_file())

    @contextmanager
    def memory(self, *, make: bool = False, policy: Policy | None = None) -> Iterator[Memory]:
        """The store, opened for the command line and closed again, so that the last reads are recorded. Only what
        puts something in may make one: a path that was mistyped is not an empty memory. With `policy`, the policy in
        use is not read."""
        from memfort.surfaces.cli.input.settings import default_store

        if self.server is not None:
            with self._remote(self.server) as remote:
                yield remote  # type: ignore[misc]  # it has the same verbs
            return
        if self.database is not None:
            with self.open_memory(self.database, policy, auto_gc=make and self.settings["auto_gc"]) as memory:
                yield memory
            return
        path = self.store_file
        is_new = not self.has_store
        if is_new and (not make or self.is_read_only):
            raise NoStore(path, self.settings.found["store"].origin)
        if not is_new and not path.is_file():
            raise InvalidInput("store", f"`{path}` is not a file", "name the file that memories are kept in")
        if is_new and path == default_store():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        memory = self.open_memory(path, policy, auto_gc=make and self.settings["auto_gc"])
        with memory:
            if is_new:
                self.output.note(f"made a new store: {path}")
            yield memory
        if memory.unrecorded_reads:
            self.output.note("the answer could not be recorded in the trail: the store cannot be written to")

    def _remote(self, address: str) -> RemoteMemory:
        """The store behind a server. The key in the environment says who asks."""
        from memfort.client.remote.memory import connect

        key = os.environ.get("MEMFORT_KEY", "")
        if not key:
            raise InvalidInput("MEMFORT_KEY", "a server needs a key", "set it to an API key of the server")
        return connect(address, key)

    @contextmanager
    def memory_if_there(self) -> Iterator[Memory]:
        """The store if there is one, else an empty one without a file."""
        with self.memory() if self.has_store else self.empty_memory() as memory:
            yield memory

    def empty_memory(self, policy: Policy | None = None) -> Memory:
        """A store without a file, for commands that need none."""
        return self.open_memory(":memory:", policy)

    @property
    def is_read_only(self) -> bool:
        return bool(self.flags.get("read_only"))

    def open_memory(
        self, path: Path | str, policy: Policy | None = None, *, auto_gc: bool = False, is_new: bool = False
    ) -> Memory:
        """A store, opened with the settings. `is_new`: the command makes it for itself, so that `--read-only`, which
        protects the store of the settings, does not apply."""
        from memfort.client import Memory

        read_only = self.is_read_only and not is_new and str(path) != ":memory:"
        return Memory.open(
            path,
            read_only=read_only,
            policy=policy or self.named_policy,
            memberships=self.settings["memberships"],
            surface=self.surface,
            auto_gc=auto_gc and not read_only,
            embedder=self.settings["embedder"],
            reranker=self.settings["reranker"],
            classifier=self.settings["classifier"],
            extractor=self.settings["extractor"],
            judge="on_demand",  # a command is over before the encoder is loaded
            policy_origin=self.settings.found["policy"].origin,
            **self._overrides,
        )

    @property
    def _overrides(self) -> dict[str, Any]:
        """The settings that override the policy."""
        names = ("audit_reads", "max_entries", "extraction_enabled", "extraction_confidence_threshold")
        return {name: self.settings[name] for name in names}

    @contextmanager
    def bound(self, *, make: bool = False) -> Iterator[BoundMemory]:
        """The memory bound to the actor of this run. There is no default actor: it must be named."""
        with self.bound_with_store(make=make) as (_, bound):
            yield bound

    @contextmanager
    def bound_with_store(self, *, make: bool = False) -> Iterator[tuple[Memory, BoundMemory]]:
        """The same, with the store itself beside it."""
        self._check_identity()
        with self.memory(make=make) as memory:
            bound = self._stand(memory)
            try:
                yield memory, bound
            finally:
                self._take_trace(bound)

    def patient(self, memory: Memory) -> BoundMemory:
        """Whose memories are checked: those of the named actor, or all of them if none is named."""
        if self.settings["as"] is None:
            return memory.as_system()
        self._check_identity()
        return self._stand(memory)

    def _stand(self, memory: Memory) -> BoundMemory:
        """The memory of the actor of this run. Behind a server that is the holder of the key, if none is named."""
        if self.server is None:
            return stand(memory, **self._standpoint)
        remote: Any = memory
        if self.settings["as"] is None:
            return remote.as_holder(**dict(self.settings["at"]))  # type: ignore[no-any-return]
        named = self._standpoint
        if named.pop("owner") is not None:
            raise InvalidInput("owner", "a server knows the owners of agents", "leave it out")
        bound: BoundMemory = stand_remote(remote, **named)
        return bound

    @contextmanager
    def dry_run_memory(self) -> Iterator[BoundMemory]:
        """The memory for a dry run of a command that may create a store: without a store, an empty temporary one."""
        if self.has_store:
            with self.bound() as bound:
                yield bound
            return
        from tempfile import TemporaryDirectory

        self._check_identity()
        self.output.note(f"there is no store yet at {self.settings['store']}; this dry run uses an empty one")
        with (
            TemporaryDirectory(prefix="memfort-") as directory,
            self.open_memory(Path(directory) / "memfort.db") as memory,
        ):
            yield stand(memory, **self._standpoint)

    def show_trace(self) -> None:
        """Print the trace of the call on stderr if `--trace` asked for it."""
        if self._shown_trace is None:
            return
        from memfort.trail.public.plain import plain_events

        as_json = self.output.as_json
        for line in [json.dumps(self._shown_trace)] if as_json else plain_events(self._shown_trace).split("\n"):
            self.output.note(line or ("" if self._shown_trace else "the call left no trace"))

    def _take_trace(self, bound: BoundMemory) -> None:
        if not self.flags.get("trace"):
            return
        self._shown_trace = []
        if bound.last_trace is not None:
            with suppress(MemfortError):  # the call has no record, or the store fails and the answer says so
                self._shown_trace = bound.trace.show(bound.last_trace).events

    def _check_identity(self) -> None:
        """Refuse an impossible standpoint before a store is opened or created."""
        if self.settings["as"] is None:
            if self.server is not None:
                return
            raise InvalidInput(
                "as", "no actor is named", "say who asks with `--as alice`, MEMFORT_AS, or `as` in memfort.toml"
            )
        check_standpoint(**self._standpoint)

    @property
    def _standpoint(self) -> dict[str, Any]:
        names = {"identity": "as", "at": "at", "acting_for": "acting_for", "owner": "owner"}
        return {name: self.settings[setting] for name, setting in names.items()}


def check_standpoint(
    identity: str, at: Places, *, acting_for: str | None = None, owner: str | None = None, who: str = "as"
) -> None:
    """Refuse an impossible actor before the store is asked. `who` is the option that names the actor."""
    kind, _ = kind_and_name(identity, who)
    prefix = "" if who == "as" else f"{who}_"
    for field, given in (("acting_for", acting_for), ("owner", owner)):
        if kind != "agent" and given is not None:
            raise InvalidInput(prefix + field, "only an agent has one", f"leave it out, or use `--{who} agent:NAME`")
    if kind == "system" and at:
        raise InvalidInput(f"{prefix}at", "the system stands nowhere else", "leave it out, or name a user")


def stand(
    memory: Memory, identity: str, at: Places, *, acting_for: str | None = None, owner: str | None = None
) -> BoundMemory:
    """Bind an identity from the command line at its places; both are already checked."""
    kind, name = kind_and_name(identity, "as")
    if kind == "agent":
        return memory.as_agent(name, owner=owner, acting_for=acting_for, **dict(at))
    return memory.as_system() if kind == "system" else memory.as_user(name, **dict(at))


def stand_remote(memory: Any, identity: str, at: Places, *, acting_for: str | None = None) -> Any:
    """The same behind a server, which knows the agents itself."""
    kind, name = kind_and_name(identity, "as")
    if kind == "agent":
        return memory.as_agent(name, acting_for=acting_for, **dict(at))
    return memory.as_system() if kind == "system" else memory.as_user(name, **dict(at))


def space_from(given: tuple[str, ...], field: str = "space") -> dict[str, str] | None:
    """The space that repeated `level=id` name, or `None` if there are none."""
    return coordinates(given, field) if given else None
