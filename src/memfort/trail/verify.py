"""Verify a trail link by link, and replay it. It reads only links: no store, no policy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from memfort.model.moment import Moment
from memfort.model.people.directory import DirectoryState, Entry, Trust
from memfort.model.phase import Phase, phase_index
from memfort.model.value import Value
from memfort.trail.checkpoint import Checkpoint, is_genuine
from memfort.trail.event import GENESIS, ChainId, Link, next_link

POLICY_IN_USE: Entry = ("policy", "in use")
NOT_OURS = b""  # instead of a chain's head without this store's seal


class Break(Value, frozen=True):
    """The first broken link of a chain."""

    chain: str
    number: int
    problem: str


class Verification(Value, frozen=True):
    """What a check of the whole trail found."""

    chains: int
    events: int
    unanchored: int  # events after the last checkpoint of their chain: a cut tail there would go unnoticed
    broken: tuple[Break, ...] = ()
    unchecked: str | None = None  # why the anchors that were given could not be checked

    @property
    def ok(self) -> bool:
        return not self.broken and self.unchecked is None


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
            return number, 0, Break(str(chain), number + 1, f"the link is missing; the next one is {link.number}")
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


class ReplayedState(Struct, frozen=True):
    """The state of the store according to the trail."""

    # By space and id: a digest of each memory's record after its last change.
    memories: dict[tuple[str, str], str] = {}
    names: dict[Entry, Any] = {}  # agents, chats, shares, API keys, and a digest of the policy in use
    # By level and id: its members, and the trust of each.
    groups: dict[tuple[str, ...], dict[tuple[str, ...], str]] = {}
    phases: dict[tuple[str, int], Phase] = {}  # by space and number
    # By space, readers, value and audience: whether it is rejected or ended, and why.
    rejected_values: dict[tuple[str, str, str, str], Mapping[str, Any]] = {}
    erasures: dict[str, bool] = {}  # by receipt: whether it is complete
    # By space and id: import batches, with a digest of each.
    batches: dict[tuple[str, str], Mapping[str, Any]] = {}
    people: dict[tuple[str, str], Mapping[str, Any]] = {}  # the same, and relations

    @property
    def directory(self) -> DirectoryState:
        known = {("group", *group): True for group in self.groups}
        inside = {
            ("member", *group, *one): trust for group, members in self.groups.items() for one, trust in members.items()
        }
        return {**self.names, **known, **inside}


def replay(links: Iterable[Link], state: ReplayedState) -> None:
    """Apply the events of a sound chain to `state`. The chains may come in any order: all events of one memory, or of
    one line of the directory, are in one chain, and an erasure that is complete stays so."""
    for link in links:
        _replay_link(link, state)


def _replay_link(link: Link, state: ReplayedState) -> None:
    event = json.loads(link.body)
    if link.chain.kind == "actor":
        _replay_actor_event(state, event["action"], event["detail"])
        return
    place = "" if event["space"] is None else json.dumps(event["space"], sort_keys=True, ensure_ascii=False)
    if place:
        _replay_space_event(state, place, event)
    for made in (event["detail"].get("person"), event["detail"].get("relation")):
        if made is not None:
            _set(state.people, (place, made["id"]), made if made["digest"] is not None else None)
    _replay_directory_event(state, event["action"], event["detail"])


def _replay_actor_event(state: ReplayedState, action: str, detail: Mapping[str, Any]) -> None:
    """Of the events in an actor's chain, only erasures change the state of the store."""
    if action in {"erase", "finish_erasure"} and "receipt" in detail:
        complete = action == "finish_erasure" and detail["pending"] is None
        state.erasures[detail["receipt"]] = state.erasures.get(detail["receipt"], False) or complete


def _replay_space_event(state: ReplayedState, place: str, event: Mapping[str, Any]) -> None:
    """Apply an event of a space."""
    detail = event["detail"]
    if "after" in detail:
        after = detail["after"]
        _set(state.memories, (place, event["item"]), None if after is None else after["record"])
    for one in detail.get("rejected_values", ()):
        readers = json.dumps(one["readers"], sort_keys=True, ensure_ascii=False)
        state.rejected_values[place, readers, one["value"], one.get("audience", "")] = one
    if "batch" in detail and event["action"] in {"keep_batch", "drop_batch"}:
        batch = detail["batch"]
        _set(state.batches, (place, batch["id"]), batch if event["action"] == "keep_batch" else None)
    if event["action"] == "start_phase":
        _replay_phase(state, place, event)


def _replay_phase(state: ReplayedState, place: str, event: Mapping[str, Any]) -> None:
    """A phase begins, and the oldest that the policy does not keep are dropped, with all before them."""
    detail = event["detail"]
    dropped = detail.get("dropped", 0)
    while state.phases.pop((place, dropped), None) is not None:
        dropped -= 1
    index = phase_index(detail["phase"])
    state.phases[place, index] = Phase(
        index, event["reason"], detail["started_at"], detail.get("name"), Moment(event["at"])
    )


def _replay_directory_event(state: ReplayedState, action: str, detail: Mapping[str, Any]) -> None:
    """Apply an event of the directory."""
    match action:
        case "register_agent":
            state.names["agent", detail["agent"]] = detail["owner"]
        case "register_chat":
            state.names["chat", detail["chat"]] = detail["kind"]
            state.groups["chat", detail["chat"]] = {
                tuple(one): Trust.CONTRIBUTOR.value for one in detail["participants"]
            }
        case "add_member":
            state.groups.setdefault(tuple(detail["group"]), {})[tuple(detail["member"])] = detail["trust"]
        case "remove_member":
            state.groups.get(tuple(detail["group"]), {}).pop(tuple(detail["member"]), None)
        case "share":
            state.names["share", detail["share"]] = detail["grant"]
        case "revoke":
            state.names.pop(("share", detail["share"]), None)
        case "create_key" | "rotate_key" | "revoke_key":
            for kept in detail["keys"]:
                state.names["key", kept["id"]] = kept
        case "use_policy":
            state.names[POLICY_IN_USE] = detail["document_digest"]


def _set(state: dict[Any, Any], place: object, after: object | None) -> None:
    if after is None:
        state.pop(place, None)
    else:
        state[place] = after


def _wrong_end(head: tuple[int, bytes], number: int) -> str:
    if head[1] == NOT_OURS:
        return "the chain's head does not match its seal: another program wrote it"
    return f"the chain's head is at {head[0]}, its links end at {number}"


def _problem(checkpoint: Checkpoint, head: bytes, public: bytes) -> str | None:
    if not is_genuine(checkpoint, public):
        return "the checkpoint's signature is not genuine"
    if checkpoint.head != head:
        return "the checkpoint was signed over another history"
    return None
