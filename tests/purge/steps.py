"""What histories consist of: actors, standpoints, steps, and the words they are made of."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from memfort import Level

USERS = ("alice", "bob", "carol", "dave", "erin")
NAMES = ("Sarah", "Tom")  # people who are not users, unless a user takes the name
RELATIVES = ("sister", "boss")
THINGS = ("plums", "violins", "tulips", "chess", "sardines", "canoes", "marzipan", "lanterns")
CITIES = ("Oslo", "Lima", "Porto")
TAGS = ("garden", "travel")
LEVELS = ("public", "personal", "sensitive")
GROUPS = tuple(
    (level, id)
    for level, id in (("project", "apollo"), ("org", "acme"), ("workspace", "lab"), ("team", "red"))
    if level in {known.value for known in Level}
)

OLD = "2025-11-03T09:00:00+00:00"  # before the first step of any history
OVERVIEWS = ("What do you know about me?", "What do you know?", "Who do I know?", "Was weißt du über mich?")

# What the host does to the store. Nobody may notice it.
UPKEEP = ("collect", "collect", "index", "judge", "relearn", "trail", "keys", "look")

# Steps that the host takes. They say who takes part where, and are played in every run.
DIRECTORY = frozenset(
    ("register_agent", "open_chat", "join_chat", "leave_chat", "reopen_chat", "add_member", "remove_member", "wait")
)


Memberships = Literal["trusted", "registered"]
ForgetRequests = Literal["ask", "act"]


class Actor(msgspec.Struct, frozen=True):
    kind: Literal["user", "agent", "system"]
    id: str
    acting_for: str | None = None
    owner: str | None = None

    @property
    def user(self) -> str | None:
        """The user whose rights these are."""
        return self.id if self.kind == "user" else self.acting_for

    @property
    def person(self) -> str | None:
        """Whom this actor listens for: its user, otherwise its owner."""
        return self.user or self.owner


SYSTEM = Actor("system", "system")


class Standpoint(msgspec.Struct, frozen=True):
    actor: Actor
    places: tuple[tuple[str, str], ...] = ()

    @property
    def chat(self) -> str | None:
        return dict(self.places).get("chat")

    @property
    def session(self) -> str | None:
        return dict(self.places).get("session")


class Ref(msgspec.Struct, frozen=True):
    """What the step with this number made: a memory, a person, a share, an export, an import, a receipt."""

    step: int


class Call(msgspec.Struct, frozen=True):
    """The trace of the step with this number."""

    step: int


class At(msgspec.Struct, frozen=True):
    """The moment of the step with this number."""

    step: int


class Step(msgspec.Struct, frozen=True):
    number: int  # its name: it stays when other steps are dropped
    kind: str
    who: Standpoint | None
    given: dict[str, Any]

    def refs(self) -> list[int]:
        return _refs(self.given)


class History(msgspec.Struct, frozen=True):
    seed: int
    memberships: Memberships
    observer: Standpoint
    steps: tuple[Step, ...]
    forget_requests: ForgetRequests = "ask"  # what a request to forget does

    def without(self, numbers: frozenset[int]) -> History:
        return msgspec.structs.replace(self, steps=tuple(s for s in self.steps if s.number not in numbers))


def _refs(value: Any) -> list[int]:
    if isinstance(value, Ref | Call):
        return [value.step]
    if isinstance(value, dict):
        return [found for one in value.values() for found in _refs(one)]
    if isinstance(value, list | tuple):
        return [found for one in value for found in _refs(one)]
    return []


# The read verbs, with what each is asked about.
READS: dict[str, tuple[str, ...]] = {
    "recall": ("query",),
    "recall_question": ("question",),
    "recall_thing": ("thing",),
    "recall_explained": ("query",),
    "recall_tagged": ("question", "tag"),
    "recall_overview": ("overview",),
    "recall_as_of": ("query", "moment"),
    "recall_phase": ("thing",),
    "context": ("query",),
    "context_overview": ("overview",),
    "briefing": (),
    "window": ("conversation",),
    "about": ("person",),
    "about_others": ("person", "user"),
    "about_me": (),
    "related": ("memory",),
    "edges": ("memory",),
    "list": (),
    "list_deleted": (),
    "list_pending": (),
    "list_source": ("source",),
    "get": ("memory",),
    "history": ("memory",),
    "explain": ("memory", "query"),
    "explain_for": ("memory", "viewer"),
    "export": (),
    "subject.export": ("person",),
    "check": ("memory", "checked"),
    "check_remember": ("file",),
    "preview_forget": ("selector",),
    "preview_erase": ("selector",),
    "preview_undo": ("undo_selector",),
    "preview_person": ("person",),
    "preview_subject": ("person",),
    "preview_import": ("file",),
    "people.find": ("person",),
    "people.get": ("known",),
    "people.list": (),
    "people.relations": ("known",),
    "spaces": (),
    "standings": (),
    "shares": (),
    "share_changes": (),
    "review.list": (),
    "phase.list": (),
    "phase.diff": (),
    "policy.simulate": (),
    "doctor": (),
    "member.list": ("group",),
    "sources": (),
    "erasures": (),
    "verify_erasure": ("receipt",),
    "trace.list": (),
    "trace.show": (),
    "trail.export": (),
}

# Reads of one's own records: they are the same in whatever room their user asks.
RECORDS = frozenset(
    ("sources", "erasures", "verify_erasure", "trace.list", "trace.show", "trail.export", "policy.simulate")
)

# Reads that reach all of one's own spaces, wherever one stands: what one could end, without its words, and whether the
# words of a file are there already.
OWN_SPACES = frozenset(
    (
        "preview_forget",
        "preview_erase",
        "preview_undo",
        "preview_person",
        "preview_subject",
        "preview_import",
        "check_remember",
    )
)
