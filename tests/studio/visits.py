"""Every page, in the states that matter, for the tests that hold for all of them. A page that is listed and not here
fails a test."""

from __future__ import annotations

from typing import Any, NamedTuple

NEWEST = "{newest}"  # stands for the id of the newest memory of the store


class Visit(NamedTuple):
    """A page in one state."""

    page: str
    parameters: dict[str, Any] = {}  # noqa: RUF012  # a NamedTuple's default is not changed
    part: str = ""

    @property
    def path(self) -> str:
        return f"{self.page}/{self.part}" if self.part else self.page

    def __str__(self) -> str:
        state = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.path or 'home'}[{state}]"


VISITS = (
    Visit(""),
    Visit("recall"),
    Visit("recall", {"q": "when is the launch"}),
    Visit("recall", {"q": "launch", "limit": 2, "budget": 60, "weights": "words=0", "expect": "mem_nothing"}),
    Visit("recall", {"q": "launch day", "weights": "words=0", "embedder": "none", "limit": 3}),
    Visit("recall", {"q": "zebra quartz"}),
    Visit("memories"),
    Visit("memories", {"q": "launch"}),
    Visit("memories", {"status": "pending", "person": "me"}),
    Visit("memories", {"author": "nobody"}),
    Visit("memories", {"id": NEWEST}, "memory"),
    Visit("memories", {"id": "mem_nothing"}, "memory"),
    Visit("memories", {"ids": NEWEST, "how": "forget"}, "end"),
    Visit("memories", {"ids": NEWEST, "how": "erase"}, "end"),
    Visit("memories", {"id": "era_nothing"}, "receipt"),
    Visit("two-people"),
    Visit("two-people", {"b": "bob"}),
    Visit("two-people", {"b": "bob", "q": "launch", "chat": "apollo-team"}),
    Visit("two-people", {"b": "bob", "room": ["alice", "bob", "dave"]}),
    Visit("two-people", {"b": "bob", "chat": "nowhere"}),
    Visit("review"),
    Visit("review", {"item": "mem_decided"}),
    Visit("policy"),
    Visit("policy", {"try": "chat"}),
    Visit("policy", {"try": "scoped", "span": "week"}),
    Visit("policy", {"try": "no such preset"}),
    Visit("people"),
    Visit("people", {"q": "carol", "id": "@carol"}),
    Visit("people", {"id": "@alice"}),
    Visit("people", {"id": "per_nothing"}),
    Visit("people", {"person": "me"}, "request"),
    Visit("trail"),
    Visit("trail", {"decision": "denied", "since": "2020-01-01"}),
    Visit("trail", {"action": "remember", "view": "json"}),
    Visit("trail", {"cursor": "made up"}),
    Visit("phases"),
    Visit("phases", {"q": "launch day", "step": "50", "span": "month", "space": "user=alice"}),
    Visit("phases", {"space": "project=borealis", "earlier": "phase-7"}),
    Visit("imports"),
    Visit("imports", {"source": "src_nothing"}, "undo"),
    Visit("chat"),
    Visit("chat", {"at": "project=apollo, chat=apollo-team"}),
    Visit("sessions"),
    Visit("nothing-here"),
)
