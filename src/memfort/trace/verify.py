"""Check a trail link by link, and play it back. Reads links and nothing else: no store, no policy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memfort.model.directory import DirectoryState, Entry, Trust
from memfort.model.moment import Moment
from memfort.model.phase import Phase, phase_index
from memfort.trace.checkpoint import Checkpoint, is_genuine
from memfort.trace.event import GENESIS, ChainId, Link, next_link

POLICY_IN_USE: Entry = ("policy", "in use")
NOT_OURS = b""  # in place of a chain's head that does not carry this store's seal


@dataclass(frozen=True, slots=True)
class Break:
    """The first place where a chain does not hold."""

    chain: str
    number: int
    problem: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of the whole trail found."""

    chains: int
    events: int
    unanchored: int  # events after the last checkpoint of their chain: a cut tail there would go unnoticed
    broken: tuple[Break, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return not self.broken


def verify_chain(
    chain: ChainId,
    links: Iterable[Link],
    checkpoints: Iterable[Checkpoint],  # of the store, and those that were kept outside it as anchors
    public: bytes,
    head: tuple[int, bytes] | None = None,
) -> tuple[int, int, Break | None]:
    """Recompute one chain. Returns its length, how many events lie after the last checkpoint, and the first break."""
    signed: dict[int, list[Checkpoint]] = {}
    for checkpoint in checkpoints:
        signed.setdefault(checkpoint.number, []).append(checkpoint)
    previous, number, anchored = GENESIS, 0, 0
    for link in links:
        if link.number != number + 1:
            return number, 0, Break(str(chain), number + 1, f"the link is missing; the next there is {link.number}")
        number = link.number
        if next_link(chain, number, previous, link.body).hash != link.hash:
            return number, 0, Break(str(chain), number, "the link does not match its hash")
        previous = link.hash
        for checkpoint in signed.pop(number, ()):
            if problem := _problem(checkpoint, previous, public):
                return number, 0, Break(str(chain), number, problem)
            anchored = number
    if signed:
        return number, 0, Break(str(chain), number + 1, f"links up to {max(signed)} were signed, and are gone")
    if head is not None and head != (number, previous):
        return number, 0, Break(str(chain), number + 1, _wrong_end(head, number))
    return number, number - anchored, None


@dataclass(frozen=True, slots=True)
class Told:
    """The state that the trail says the store is in."""

    # By space and id: a digest of each memory's record after its last change.
    memories: dict[tuple[str, str], str] = field(default_factory=dict)
    names: dict[Entry, Any] = field(default_factory=dict)  # agents, chats, shares, and a digest of the policy in use
    # By level and id: who is in it, and how far trusted.
    groups: dict[tuple[str, ...], dict[tuple[str, ...], str]] = field(default_factory=dict)
    phases: dict[tuple[str, int], Phase] = field(default_factory=dict)  # by space and place
    # By space, readers and value: whether it is rejected, and why.
    bars: dict[tuple[str, str, str], Mapping[str, Any]] = field(default_factory=dict)
    erasures: dict[str, bool] = field(default_factory=dict)  # by receipt: whether it is complete
    # By space and id: import batches, with a digest of each.
    batches: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    people: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)  # the same, and relations

    @property
    def directory(self) -> DirectoryState:
        known = {("group", *group): True for group in self.groups}
        inside = {("member", *group, *one): trust for group, members in self.groups.items()
                  for one, trust in members.items()}  # fmt: skip
        return {**self.names, **known, **inside}


def replay(links: Iterable[Link], told: Told) -> None:
    """Play back the links of a chain that is sound. The chains may come in any order: what is told of one memory, or of
    one line of the directory, stands in one chain, and an erasure that is complete stays so."""
    for link in links:
        _replay(link, told)


def _replay(link: Link, told: Told) -> None:
    event = json.loads(link.body)
    if link.chain.kind == "actor":
        _play_asked(told, event["action"], event["detail"])
        return
    place = "" if event["space"] is None else json.dumps(event["space"], sort_keys=True, ensure_ascii=False)
    if place:
        _play_in(told, place, event)
    for made in (event["detail"].get("person"), event["detail"].get("relation")):
        if made is not None:
            _set(told.people, (place, made["id"]), made if made["digest"] is not None else None)
    _play(told, event["action"], event["detail"])


def _play_asked(told: Told, action: str, detail: Mapping[str, Any]) -> None:
    """Of what an actor asked for only erasures are a state of the store."""
    if action in {"erase", "finish_erasure"} and "receipt" in detail:
        complete = action == "finish_erasure" and detail["pending"] is None
        told.erasures[detail["receipt"]] = told.erasures.get(detail["receipt"], False) or complete


def _play_in(told: Told, place: str, event: Mapping[str, Any]) -> None:
    """Make the changes of a space as the store made them."""
    detail = event["detail"]
    if "after" in detail:
        after = detail["after"]
        _set(told.memories, (place, event["item"]), None if after is None else after["record"])
    if "bar" in detail:
        bar = detail["bar"]
        told.bars[place, json.dumps(bar["readers"], sort_keys=True, ensure_ascii=False), bar["value"]] = bar
    if "batch" in detail and event["action"] in {"keep_batch", "drop_batch"}:
        batch = detail["batch"]
        _set(told.batches, (place, batch["id"]), batch if event["action"] == "keep_batch" else None)
    if event["action"] == "start_phase":
        _play_phase(told, place, event)


def _play_phase(told: Told, place: str, event: Mapping[str, Any]) -> None:
    """A phase begins, and those that the policy does not keep any longer go. Those before them have gone already."""
    detail = event["detail"]
    dropped = detail.get("dropped", 0)
    while told.phases.pop((place, dropped), None) is not None:
        dropped -= 1
    index = phase_index(detail["phase"])
    told.phases[place, index] = Phase(
        index, event["reason"], detail["started_at"], detail.get("name"), Moment(event["at"])
    )


def _play(told: Told, action: str, detail: Mapping[str, Any]) -> None:
    """Make a change of the directory as the store made it."""
    match action:
        case "register_agent":
            told.names["agent", detail["agent"]] = detail["owner"]
        case "register_chat":
            told.names["chat", detail["chat"]] = detail["kind"]
            told.groups["chat", detail["chat"]] = {
                tuple(one): Trust.CONTRIBUTOR.value for one in detail["participants"]
            }
        case "add_member":
            told.groups.setdefault(tuple(detail["group"]), {})[tuple(detail["member"])] = detail["trust"]
        case "remove_member":
            told.groups.get(tuple(detail["group"]), {}).pop(tuple(detail["member"]), None)
        case "share":
            told.names["share", detail["share"]] = detail["grant"]
        case "revoke":
            told.names.pop(("share", detail["share"]), None)
        case "use_policy":
            told.names[POLICY_IN_USE] = detail["document_digest"]


def _set(state: dict[Any, Any], place: object, after: object | None) -> None:
    if after is None:
        state.pop(place, None)
    else:
        state[place] = after


def _wrong_end(head: tuple[int, bytes], number: int) -> str:
    if head[1] == NOT_OURS:
        return "the chain's head does not match its seal: somebody else wrote it"
    return f"the chain's head is at {head[0]}, its links end at {number}"


def _problem(checkpoint: Checkpoint, head: bytes, public: bytes) -> str | None:
    if not is_genuine(checkpoint, public):
        return "the checkpoint's signature is not genuine"
    if checkpoint.head != head:
        return "the checkpoint was signed over another history"
    return None
