"""Everything that can go wrong, as one tree.

    MemfortError
    ├── InvalidInput        what was given cannot be used; names the field and the remedy
    ├── Denied              policy says no, with the reason code
    ├── NotFound            absent or not visible to you: deliberately the same answer
    ├── Changed             the memory has another version than the caller expects
    ├── Cancelled           the caller gave up before the commit
    ├── Overloaded          too many async calls wait already; this one was not begun
    ├── ServerFailed        a server did not answer, or failed
    ├── ModelFailed         a model failed; the rest of the call went on without it
    │   ├── EmbedderFailed  a text could not be embedded
    │   ├── RerankerFailed  hits could not be reranked
    │   └── ClassifierFailed  the sensitivity of a text could not be judged
    └── StoreError          the store could not do its work; nothing was half written
        ├── StoreBusy       another writer held the store for longer than the wait allows
        ├── StoreFull       the disk is full; reads and erasure still work
        ├── StoreReadOnly   the store was opened to be read alone
        ├── StoreBroken     the disk answered with an error; the store stops writing
        ├── CorruptMemory   a stored row no longer matches its integrity hash
        ├── SchemaMismatch  the file was made by a newer version, or its migrations were altered
        ├── EngineTooOld    the linked SQLite can lose acknowledged writes
        ├── KeyMismatch     the key file is missing or belongs to another store
        └── BackupFailed    a backup or a restored store did not pass its checks, and was not kept

Absence, failure and denial are different and are never turned into one another. A message never
contains refused text: what may not be stored may not be logged either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

NOT_SHOWN = "(not shown: it looks like a secret)"

_detectors: list[Callable[[str], bool]] = []


def hide_from_errors(looks_secret: Callable[[str], bool]) -> None:
    """Have errors quote nothing that this function finds. The detector of secrets is in a layer above this one, so it
    calls this when it is loaded: before any store can be opened."""
    _detectors.append(looks_secret)


def quotable(text: str) -> str:
    """What an error may say of a text that a caller gave: the text, unless it looks like a secret."""
    return NOT_SHOWN if any(looks_secret(text) for looks_secret in _detectors) else text


class MemfortError(Exception):
    """The root of every error Memfort raises on purpose."""


class InvalidInput(MemfortError, ValueError):
    """Invalid input. `field` names the part, `remedy` says what to do instead."""

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        self.field, self.problem, self.remedy = map(quotable, (field, problem, remedy))
        super().__init__(f"{self.field}: {self.problem}; {self.remedy}")

    def __reduce__(self) -> tuple[type[InvalidInput], tuple[str, str, str]]:
        return InvalidInput, (self.field, self.problem, self.remedy)


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A remedy for an unknown name: the closest known one, or all of them."""
    from difflib import get_close_matches

    names = sorted(known)
    close = get_close_matches(given, names, n=1, cutoff=0.61)  # at 0.6, `team` would be a misspelt `system`
    return f"did you mean `{close[0]}`?" if close else f"use one of {', '.join(names)}"


def a(word: str) -> str:
    """The word with its article: `a list`, `an event`."""
    return f"{'an' if word[:1].lower() in {*'aeio'} else 'a'} {word}"


class Denied(MemfortError):
    """Policy refused. `reason` is a stable code; the message explains it without quoting what was refused."""

    def __init__(self, reason: str, explanation: str) -> None:
        self.reason = reason
        self.explanation = quotable(explanation)
        super().__init__(f"{self.explanation} ({reason})")

    def __reduce__(self) -> tuple[type[Denied], tuple[str, str]]:
        return Denied, (self.reason, self.explanation)


class NotFound(MemfortError, LookupError):
    """Absent or not visible to you. Both give the same answer, so that asking does not reveal what exists.

    `remedy` is only for callers who may know more.
    """

    def __init__(self, what: str, name: str, remedy: str | None = None) -> None:
        self.what = what
        self.name = quotable(name)
        self.remedy = remedy
        super().__init__(self.problem if remedy is None else f"{self.problem}; {remedy}")

    def __reduce__(self) -> tuple[type[NotFound], tuple[str, str, str | None]]:
        return NotFound, (self.what, self.name, self.remedy)

    @property
    def problem(self) -> str:
        return f"there is no {self.what} `{self.name}` that you can see"


class Changed(MemfortError):
    """The memory was changed since the caller read it. Nothing was written: read it again, and decide anew."""


class Cancelled(MemfortError):
    """The caller gave up before the commit. Nothing was written since the last one."""


class Overloaded(MemfortError):
    """Too many calls wait for a thread. This one was not started."""


class ServerFailed(MemfortError):
    """A server did not answer, or failed. A write that was sent may have been carried out."""


class ModelFailed(MemfortError):
    """A model gave no usable answer. `refused`: it does not accept these texts, and a retry will not help.
    `retry_after` is how many seconds its server asks to wait. The message names neither a text nor a key."""

    what = "model"  # the setting that names it

    def __init__(
        self, name: str, problem: str, remedy: str, *, refused: bool = False, retry_after: float = 0.0
    ) -> None:
        super().__init__(f"{self.what} `{name}`: {problem}; {remedy}")
        self.name = name
        self.problem = problem
        self.remedy = remedy
        self.refused = refused
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[Callable[..., ModelFailed], tuple[object, ...]]:
        return _model_failed, (type(self), self.name, self.problem, self.remedy, self.refused, self.retry_after)


def _model_failed(
    kind: type[ModelFailed], name: str, problem: str, remedy: str, refused: bool, retry_after: float
) -> ModelFailed:
    return kind(name, problem, remedy, refused=refused, retry_after=retry_after)


class EmbedderFailed(ModelFailed):
    """The embedder gave no usable vectors."""

    what = "embedder"


class RerankerFailed(ModelFailed):
    """The reranker gave no usable scores; the order is unchanged."""

    what = "reranker"


class ClassifierFailed(ModelFailed):
    """The classifier gave no usable judgement; what waits for it stays as private as it is."""

    what = "classifier"


class ExtractorFailed(ModelFailed):
    """The extractor gave no usable reply; the turns stay in the queue."""

    what = "extractor"


class StoreError(MemfortError):
    """The store failed; the running transaction was rolled back."""


class StoreBusy(StoreError):
    """Another writer held the store for longer than the configured wait."""


class StoreFull(StoreError):
    """The disk is full. Reads go on, and erasing works from the ballast kept for it."""


class StoreReadOnly(StoreError):
    """The store was opened to be read alone, so nothing is written."""

    field = "read_only"
    problem = "the store is open to be read alone"
    remedy = "open it without `read_only` to change it"

    def __init__(self) -> None:
        super().__init__(f"{self.field}: {self.problem}; {self.remedy}")


class StoreBroken(StoreError):
    """The disk reported an error. Nothing was acknowledged, and this process writes no more."""


class CorruptMemory(StoreError):
    """A stored row no longer matches its integrity hash, and is therefore never served."""


class SchemaMismatch(StoreError):
    """The file's schema is newer than this version, or its applied migrations were altered."""


class EngineTooOld(StoreError):
    """The linked SQLite has the write-ahead-log reset bug and can lose acknowledged writes."""


class KeyMismatch(StoreError):
    """The store's key file is missing or belongs to another store."""


class BackupFailed(StoreError):
    """A backup or a restored store did not pass its checks, and was not kept."""
