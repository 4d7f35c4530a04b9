"""Texts under names of several parts, as stores of other programs have them: namespaces with keys, folders with files.

Each is a profile fact. Its key spells the whole name, so that equal texts under two names are two memories; its tags
spell the beginnings of the name, whole parts only, so that `acme` is no beginning of `acme-corp`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from memfort.errors import Denied
from memfort.integrations.bound import AnyMemory, own_space, sync_of
from memfort.model.decision import Outcome, OutcomeState
from memfort.model.item import Item
from memfort.model.moment import Moment, to_moment, to_text

Name = tuple[str, ...]
_FIRST_WRITTEN = "first_written"
_PAGE = 1000
_MOST_KEYS = 500  # in one question to the store


class NamedText(Struct, frozen=True):
    """A text and its name."""

    name: Name
    item: Item
    score: float | None = None  # of a search

    @property
    def text(self) -> str:
        return self.item.text

    @property
    def first_written(self) -> Moment:
        """When its name was given its first text."""
        return to_moment(self.item.meta.get(_FIRST_WRITTEN) or self.item.created_at_us, "meta")


class NamedTexts:
    """The named texts of one identity.

    They live in the identity's own space. `spaces` names others for the names that begin with some parts, such as
    `{("team",): {"project": "apollo"}}`: who may read and write there, the policy says.
    """

    def __init__(self, memory: AnyMemory, root: str, spaces: Mapping[Name, Mapping[str, str]] | None = None) -> None:
        """`root` tells the names of one program from those of another."""
        self.memory = sync_of(memory)
        self._root = root
        self._spaces = {() if prefix == () else tuple(prefix): dict(space) for prefix, space in (spaces or {}).items()}

    def get(self, name: Name) -> NamedText | None:
        item = self.memory.get(key=self._key(name), space=self._space_of(name))
        return None if item is None else NamedText(name, item)

    def get_many(self, names: Iterable[Name]) -> dict[Name, NamedText]:
        """Those of the names that have a text."""
        found: dict[Name, NamedText] = {}
        by_space: dict[Name, dict[str, Name]] = {}
        for name in names:
            by_space.setdefault(self._region(name), {})[self._key(name)] = name
        for region, keys in by_space.items():
            wanted = list(keys)
            for start in range(0, len(wanted), _MOST_KEYS):
                part = wanted[start : start + _MOST_KEYS]
                page = self.memory.list(keys=part, space=self._home(region), limit=_PAGE)
                found |= {keys[str(item.key)]: NamedText(keys[str(item.key)], item) for item in page.items}
        return found

    def put(self, name: Name, text: str, *, origin: str = "ai", ttl_seconds: float | None = None, **meta: Any) -> Item:
        """Give a name its text, in place of the one it had. Raises `Denied` with the reason if the text is not in force
        then. A lifetime that is given begins now. `origin`: whose words they are; a model wrote them, if nobody says
        otherwise."""
        before = self.get(name)
        written = {} if before is None else {_FIRST_WRITTEN: to_text(before.first_written)}
        fields: dict[str, Any] = {"origin": origin, "ttl_seconds": ttl_seconds, "meta": {**meta, **written} or None}
        outcome = self._write(name, text, fields)
        if outcome.state is OutcomeState.DUPLICATE and before is not None and _ends(before.item, ttl_seconds):
            self.memory.forget(before.item.id)  # an equal text keeps its lifetime: end it, and begin anew
            outcome = self._write(name, text, fields)
        return _in_force(outcome)

    def delete(self, name: Name) -> bool:
        """Take the text of a name out of every read, and say whether there was one."""
        found = self.get(name)
        if found is None:
            return False
        self.memory.forget(found.item.id)
        return True

    def under(self, prefix: Name = ()) -> list[NamedText]:
        """All whose names begin with these parts, the newest first."""
        found: list[NamedText] = []
        for region in self._regions(prefix):
            cursor: str | None = None
            while True:
                page = self.memory.list(**self._filter(region, prefix), limit=_PAGE, cursor=cursor)
                found += [named for item in page.items if (named := self._named(region, item)) is not None]
                cursor = page.cursor
                if cursor is None:
                    break
        return sorted(found, key=lambda one: -one.item.created_at_us)

    def search(self, prefix: Name, query: str, limit: int) -> list[NamedText]:
        """Those of them that answer a query, the best first."""
        found: list[NamedText] = []
        for region in self._regions(prefix):
            hits = self.memory.recall(query, **self._filter(region, prefix), limit=min(limit, _PAGE)).hits
            found += [
                NamedText(named.name, hit.item, hit.score)
                for hit in hits
                if (named := self._named(region, hit.item)) is not None
            ]
        return sorted(found, key=lambda one: -(one.score or 0.0))[:limit]

    def _write(self, name: Name, text: str, fields: Mapping[str, Any]) -> Outcome:
        tags = [self._tag(name[:parts]) for parts in range(len(name))]
        space = self._space_of(name)
        return self.memory.remember(text, kind="profile", key=self._key(name), tags=tags, space=space, **fields)

    # -- names and spaces ----------------------------------------------------------------------------------------------

    def _key(self, name: Name) -> str:
        return self._tag(name)

    def _tag(self, parts: Name) -> str:
        return f"{self._root}:" + "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)

    def _named(self, region: Name, item: Item) -> NamedText | None:
        """The item as a named text, unless it is none of this program, or lies in a space that is not for its name."""
        root, _, spelled = (item.key or "").partition(":")
        if root != self._root or not item.key:
            return None
        name = tuple(part.replace("%2F", "/").replace("%25", "%") for part in spelled.split("/"))
        is_here = self._region(name) == region and item.space.to_dict() == self._home(region)
        return NamedText(name, item) if is_here else None

    def _filter(self, region: Name, prefix: Name) -> dict[str, Any]:
        return {"kinds": ["profile"], "tags": [self._tag(prefix)], "space": self._home(region)}

    def _region(self, name: Name) -> Name:
        """The longest beginning of the name that has a space of its own."""
        return next((name[:n] for n in range(len(name), -1, -1) if name[:n] in self._spaces), ())

    def _regions(self, prefix: Name) -> list[Name]:
        """The beginnings whose spaces may hold names with this prefix."""
        deeper = [one for one in self._spaces if one[: len(prefix)] == prefix]
        return list(dict.fromkeys((self._region(prefix), *deeper)))

    def _space_of(self, name: Name) -> dict[str, str]:
        return self._home(self._region(name))

    def _home(self, region: Name) -> dict[str, str]:
        if region not in self._spaces:
            self._spaces[()] = own_space(self.memory)
        return self._spaces[region]


def _ends(item: Item, ttl_seconds: float | None) -> bool:
    return ttl_seconds is not None or item.expires_at_us is not None


def _in_force(outcome: Outcome) -> Item:
    """What was written, if it can be read from now on."""
    if outcome.kept and outcome.item is not None:
        return outcome.item
    said = outcome.decision.explanation
    if outcome.state is OutcomeState.PENDING:
        said = f"it {outcome.notice or 'waits for review'}, because {said}; until then it is not read"
    raise Denied(outcome.reason, said)
