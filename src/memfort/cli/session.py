"""One run of the command line: what was asked for, where answers go, and the store while it is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memfort.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from memfort.cli.output import Output
    from memfort.cli.settings import Places, Settings
    from memfort.memory import BoundMemory, Memory
    from memfort.policy.settings import Policy


class Session:
    """Made once for each run. Settings are read when they are first needed, so that `--help` reads no file."""

    def __init__(self) -> None:
        self.flags: dict[str, Any] = {}

    @cached_property
    def settings(self) -> Settings:
        from memfort.cli.settings import load

        return load(self.flags)

    @cached_property
    def output(self) -> Output:
        from memfort.cli.output import Output

        return Output(as_json=self.settings["json"])

    @cached_property
    def policy(self) -> Policy:
        """The policy in force: the file's or the built-in one, with what the settings say otherwise."""
        from dataclasses import replace

        from memfort.policy.settings import AuditReads, Policy

        path, reads = self.settings["policy"], self.settings["audit_reads"]
        try:
            policy = Policy() if path is None else Policy.from_toml(path)
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput("policy", f"`{path}` cannot be read", "name a policy file in TOML") from error
        return policy if reads is None else replace(policy, audit_reads=AuditReads(reads))

    @contextmanager
    def memory(self, *, make: bool = False) -> Iterator[Memory]:
        """The store, opened for the command line and closed again, so that the last reads are recorded."""
        path = self.settings["store"]
        is_new = not path.exists()
        if is_new and not make:
            raise NotFound("store", str(path))
        from memfort.memory import Memory

        with Memory.open(path, policy=self.policy, memberships=self.settings["memberships"], surface="cli") as memory:
            if is_new:
                self.output.note(f"made a new store: {path}")
            yield memory

    @contextmanager
    def bound(self) -> Iterator[BoundMemory]:
        """Memory as the actor of this run has it. Whoever asks must say who it is; nobody is not somebody."""
        with self.asking() as (_, bound):
            yield bound

    @contextmanager
    def asking(self) -> Iterator[tuple[Memory, BoundMemory]]:
        """The same, with the store itself beside it."""
        identity = self._identity()
        with self.memory(make=True) as memory:
            yield memory, stand(memory, identity, self.settings["at"], owner=self.settings.with_identity("owner"),
                                acting_for=self.settings.with_identity("acting_for"))  # fmt: skip

    def _identity(self) -> str:
        given: str | None = self.settings["as"]
        if given is None:
            raise InvalidInput(
                "as", "nobody is named", "say who asks with `--as alice`, MEMFORT_AS, or `as` in memfort.toml"
            )
        _kind_and_name(given)  # before a store is opened, or made, for a name that cannot be one
        return given


def stand(
    memory: Memory,
    identity: str,
    places: Places,
    *,
    acting_for: str | None = None,
    owner: str | None = None,
) -> BoundMemory:
    """Bind an identity as it is written on the command line, at its places."""
    kind, name = _kind_and_name(identity)
    if kind != "agent" and (acting_for, owner) != (None, None):
        field = "acting_for" if acting_for is not None else "owner"
        raise InvalidInput(field, "only an agent has one", "leave it out, or use `--as agent:NAME`")
    standing_at = _places(places, {"user": "--as"})
    if kind == "agent":
        return memory.as_agent(name, owner=owner, acting_for=acting_for, **standing_at)
    if kind == "system":
        if standing_at:
            raise InvalidInput("at", "the system stands nowhere else", "leave `--at` out, or name a user")
        return memory.as_system()
    return memory.as_user(name, **standing_at)


def space_from(coordinates: tuple[str, ...], field: str = "space") -> dict[str, str] | None:
    """The space that repeated `level=id` name; none named is `None`."""
    if not coordinates:
        return None
    from memfort.cli.settings import coordinate

    return _once(tuple(coordinate(one, field) for one in coordinates), field)


def _kind_and_name(identity: str) -> tuple[str, str]:
    """`user:` and `agent:` say what is meant; without one it is a user's name, whatever else it holds."""
    from memfort.model.space import check_id

    if identity == "system":
        return "system", identity
    kind, divider, name = identity.partition(":")
    if not divider or kind not in {"user", "agent"}:
        kind, name = "user", identity
    return kind, check_id(name, "as")


def _places(places: Places, taken: Mapping[str, str]) -> dict[str, str]:
    from memfort.model.space import level_of

    for level, _ in places:
        if level in taken:
            raise InvalidInput("at", f"`{level}` is not a place", f"say who asks with {taken[level]}")
        level_of(level)
    return _once(places, "at")


def _once(places: Places, field: str) -> dict[str, str]:
    levels = [level for level, _ in places]
    for level in levels:
        if levels.count(level) > 1:
            raise InvalidInput(field, f"`{level}` is named twice", "name each level once")
    return dict(places)
