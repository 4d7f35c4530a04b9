"""Rebuild the public trace of a call from the trail and from the memories that the actor can see now. The trail has no
texts: a memory that was erased since, or that the actor may not read, is shown without its text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from memfort.engine.default_place import find_conversation_space
from memfort.engine.view import View
from memfort.language.normal_form import normal_text
from memfort.model.item import FIRST_PHASE, PASSED_ON, Authority, EventType, Item, Kind, Origin, Status, is_expired
from memfort.model.people.actor import SYSTEM
from memfort.model.phase import FIRST, Phase, phase_index
from memfort.model.reason import Reason
from memfort.model.serialize.record import actor_from_dict
from memfort.model.space import Level, Space
from memfort.policy.gates.conflict import ConflictRule
from memfort.policy.gates.personal_data import find_personal
from memfort.policy.secrets import find_secrets
from memfort.trail.event import ChainId, chain_of_actor, chain_of_space
from memfort.trail.public import builders
from memfort.trail.public.events import Action, ForgetReason
from memfort.trail.public.view import Attempt, Call, Caller, PolicyInForce, dedup_key, gone_view, item_view

NOT_KEPT = "(not kept)"  # in place of a query that is not cached any more
Body = Mapping[str, Any]
PublicEvent = dict[str, Any]


def rebuild_trace(view: View, trace: str, *, expanded: bool) -> list[PublicEvent] | None:
    """The public events of one call of the actor's own, in order; `None` if there is no such call. The query of a
    recall is stored nowhere: the call knows those still cached in this process."""
    bodies = events_of_call(view, trace)
    if not bodies:
        return None
    call = _call(view, bodies[0], whole=expanded)
    home = find_conversation_space(view.standpoint, view.policy)
    return _TraceBuilder(view, home, call, expanded).build(bodies)


def events_of_call(view: View, id: str) -> list[Body]:
    """The trail's events of the call, if it was the actor's: the actor's own, and the system's in the same call."""
    # A memory that made room may be out of sight, in any space where the actor has written.
    spaces = dict.fromkeys((*(seen.space for seen in view.sight.spaces), *view.store.author_spaces(view.actor)))
    chains = [chain_of_actor(view.actor), *map(chain_of_space, spaces)]
    found = [body for chain in chains for body in _events_in_chain(view, chain, id)]
    actors = {actor_from_dict(body["actor"]).key for body in found}
    if view.actor.key not in actors or not actors <= {view.actor.key, SYSTEM.key}:
        return []
    return sorted(found, key=lambda body: int(body["detail"]["step"]))


def _events_in_chain(view: View, chain: ChainId, id: str) -> Iterator[Body]:
    sought = id.encode()
    for link in view.store.links(chain):
        if sought in link.body:  # most are not of this call, and are not read
            body = json.loads(link.body)
            if body["detail"].get("trace") == id:
                yield body


def _call(view: View, first: Body, *, whole: bool) -> Call:
    actor = actor_from_dict(first["actor"])
    profile = actor.agent or actor.user or actor.id
    session = view.standpoint.get(Level.SESSION) or actor.user or actor.id
    policy = view.engine.policy_with_digest(first["policy"])
    in_force = PolicyInForce(
        first["policy"] if policy is None else policy.name,
        first["policy"],
        policy.to_dict() if whole and policy is not None else {},
    )
    return Call(Caller(profile, session), in_force, _finder(view))


def _finder(view: View) -> Callable[[str], Sequence[tuple[int, int, str]]]:
    """Finds text that must not be in a trace. A query passes no gate, so it may contain anything; if a secret is found,
    the whole query is left out, because the detector does not always know its position."""
    own = tuple(view.policy.privacy.deny_patterns.items())

    def find(text: str) -> Sequence[tuple[int, int, str]]:
        try:
            secret = bool(find_secrets(text, extra_patterns=own))
        except ValueError:  # too long to be sure
            secret = True
        if secret:
            return [(0, len(text), "secret")]
        return [(found.start, found.end, found.type) for found in find_personal(text)]

    return find


class _TraceBuilder(Struct, frozen=True):
    view: View
    home: Space | None  # the default space of a conversation, if there is one
    call: Call
    expanded: bool

    def build(self, bodies: Sequence[Body]) -> list[PublicEvent]:
        """Recalls first, then one account of everything written, then how each thing was governed."""
        events = [event for body in bodies for event in self._events(body)]
        moved = {body["item"] for body in bodies if body["action"] == "promote" and body["decision"] == "allowed"}
        written = [self._written_view(body) for body in bodies if _is_write(body) and body["item"] not in moved]
        account = [builders.memory_write(self.call, written=written)] if written else []
        recalls = [event for event in events if event["type"] == "memory_recall"]
        return [*recalls, *account, *(event for event in events if event["type"] != "memory_recall")]

    def _events(self, body: Body) -> list[PublicEvent]:
        """The public events of one entry of the trail."""
        if body["decision"] == "denied":
            # A promotion refused before its memory was looked up has no source space.
            has_source = body["space"] is not None or "from" in body["detail"]
            return (
                self._promotion_denied_events(body)
                if body["action"] == "promote" and has_source
                else self._denied_events(body)
            )
        if (build := _EVENT_BUILDERS.get(body["action"])) is not None:
            return build(self, body)
        return [self._deleted_event(body, body["reason"])] if _has_ended(body) else []

    def _written_view(self, body: Body) -> PublicEvent:
        space = self._space(body)
        item = self._visible_item(space, body["item"])
        return gone_view(body["item"], space=space.primary.value) if item is None else self._view(item)

    def _kept_events(self, body: Body) -> list[PublicEvent]:
        """A memory that was kept. A promoted one is described by its promotion; for one that existed already, only its
        admission is shown."""
        if body["item"] is None:
            return [self._border_event("write", _narrowest(body["detail"]["levels"]), body["detail"]["id"])]
        item, space = self._item(body), self._space(body)
        begins = item is not None and item.created_tick == 1 and item.phase == FIRST_PHASE
        crossed = item is not None and item.promoted_from is not None and item.promotion_reason != PASSED_ON
        # An import also brings memories that had been replaced before: there was no conflict here.
        lost = body["detail"]["after"]["status"] == Status.SUPERSEDED and "by" in body["detail"]
        return [
            *([builders.memory_phase_started(self.call, space=space, phase=FIRST)] if begins else []),
            *([] if crossed else [self._border_event("write", space, body["item"])]),
            *(self._superseded_events(body) if lost else []),
        ]

    def _superseded_events(self, body: Body) -> list[PublicEvent]:
        item, winner = self._item(body), body["detail"]["by"]
        deleted = self._deleted_event(body, Reason.SUPERSEDED, replaced_by=winner)
        if item is not None and item.kind is Kind.SHORT_TERM:
            return [deleted]  # the next summary continues it; there was no conflict
        rule = body["detail"].get("rule", ConflictRule.CORRECTION.value)
        key = (
            body["digest"] if item is None else dedup_key(self.call, item, self._words(item))
        )  # keyed, where the words are gone
        conflict = builders.memory_conflict(
            self.call,
            winner_id=winner,
            loser_id=body["item"],
            dedup_key=key,
            rule=ConflictRule.IMPORTANCE.value if rule == ConflictRule.ID else rule,
        )
        return [conflict, deleted]

    def _deleted_event(self, body: Body, reason: str, replaced_by: str | None = None) -> PublicEvent:
        return builders.memory_deleted(
            self.call,
            space=self._space(body),
            phase_id=body["detail"].get("phase", FIRST_PHASE),
            memory_id=body["item"],
            reason=Reason(reason),
            replaced_by=replaced_by,
        )

    def _expired_events(self, body: Body) -> list[PublicEvent]:
        reason: ForgetReason = Reason.DECAY if body["reason"] == Reason.DECAY else Reason.TTL_EXPIRED
        forgotten = builders.memory_forget(self.call, memory_id=body["item"], reason=reason)
        return [forgotten, self._deleted_event(body, Reason.EXPIRED)]

    def _rejected_events(self, body: Body) -> list[PublicEvent]:
        """A memory that a reviewer rejected. One that was pending was never in any read."""
        return [self._deleted_event(body, Reason.REJECTED)] if body["detail"].get("was_in_force") else []

    def _denied_events(self, body: Body) -> list[PublicEvent]:
        """A refusal. The target is shown by level only, as in the trail; a refusal at the border came before any other
        check, so nothing else is shown."""
        reason, at_border = Reason(body["reason"]), body["detail"].get("gate") == "border"
        level, action = _narrowest(body["detail"]["levels"]), _ACTIONS.get(body["action"], "write")
        border = self._border_event(action, level, reason=reason if at_border else Reason.ALLOWED)
        if at_border:
            return [border]
        attempted = _attempt(body["detail"].get("attempted"))
        return [border, builders.memory_denied(self.call, attempted=attempted, space=None, reason=reason)]

    def _promoted_events(self, body: Body) -> list[PublicEvent]:
        detail, source, target = body["detail"], self._space(body), Space.of(body["detail"]["target"])
        return [
            builders.memory_border_check(
                self.call,
                action="promote",
                from_space=source,
                to_space=target,
                allowed=True,
                reason=Reason.ALLOWED,
                subject_id=body["item"],
            ),
            builders.memory_promoted(
                self.call,
                from_space=source,
                to_space=target,
                from_id=body["item"],
                to_id=detail["to"],
                authority_used=Authority(detail["authority"]),
                reason=detail["why"],
            ),
            self._deleted_event(body, Reason.PROMOTED, replaced_by=detail["to"]),
        ]

    def _promotion_denied_events(self, body: Body) -> list[PublicEvent]:
        reason, at_border = Reason(body["reason"]), body["detail"]["gate"] == "border"
        to = _narrowest(body["detail"]["levels"])
        source = _narrowest(body["detail"]["from"]) if body["space"] is None else self._space(body)
        border = builders.memory_border_check(
            self.call,
            action="promote",
            from_space=source,
            to_space=to,
            allowed=not at_border,
            reason=reason if at_border else Reason.ALLOWED,
            subject_id=body["item"],
        )
        denied = builders.memory_promotion_denied(
            self.call, from_space=source, to_space=to, memory_id=body["item"], reason=reason
        )
        return [border, denied]

    def _phase_start_events(self, body: Body) -> list[PublicEvent]:
        detail, space = body["detail"], self._space(body)
        phase = Phase(phase_index(detail["phase"]), body["reason"], detail["started_at"], detail.get("name"))
        return [
            self._border_event("phase_start", space),
            builders.memory_phase_started(self.call, space=space, phase=phase),
        ]

    def _phase_diff_events(self, body: Body) -> list[PublicEvent]:
        detail, space = body["detail"], Space.of(body["detail"]["space"])
        changes = [
            builders.Change(kind, id, replaces, self._visible_item(space, id))
            for kind, id, replaces in detail["changes"]
        ]
        diff = builders.memory_phase_diff(
            self.call, space=space, from_phase_id=detail["from"], to_phase_id=detail["to"], changes=changes
        )
        return [self._border_event("phase_diff", space), diff]

    def _recall_events(self, body: Body) -> list[PublicEvent]:
        detail = body["detail"]
        views = [self._recalled_view(*recalled) for recalled in detail["recalled"]]
        views += [self._recalled_view(id, None, level, (reason,)) for id, _, level, reason in detail.get("beside", ())]
        refused = detail.get("refused")
        event = builders.memory_recall(
            self.call,
            query=self.view.call.queries.get(detail["trace"], NOT_KEPT),
            recalled=views,
            hash=detail["hash"],
            consulted=[Level(level) for level in detail["consulted"]],
            query_digest=body["digest"],
            phase=self._phase_at(self.home, body["at"]),
            expanded=self.expanded,
        )
        if refused is None:
            return [event, *(self._border_event("read", Level(level)) for level in detail["consulted"])]
        enabled = Level(refused) in self.view.policy.spaces.read_order
        reason = Reason.NOT_WHERE_YOU_STAND if enabled else Reason.SPACE_DISABLED
        return [event, self._border_event("read", Level(refused), reason=reason)]

    def _recalled_view(
        self, id: str, score: float | None, level: str, reasons: Sequence[str] = (Reason.MATCHES_QUERY,)
    ) -> PublicEvent:
        found = [item for item in self.view.items([id]) if self._may_show_text(item)]
        if not found:
            return gone_view(id, space=level)
        return self._view(found[0], recall_reason=(*reasons, f"space:{level}"), score=score)

    def _view(self, item: Item, **more: Any) -> PublicEvent:
        phase = self._phase(item.space, item.phase)
        rule, words = self._importance_rule(item), self._words(item)
        return item_view(self.call, item, words=words, importance_reason=[rule], phase=phase, **more)

    def _words(self, item: Item) -> str:
        return normal_text(self.call.redact(item.text))

    def _importance_rule(self, item: Item) -> str:
        """The rule that set an importance which names none: that of the type, or whoever stated it."""
        settings = self.view.policy.types.get(item.type)
        return f"type:{item.type}" if settings is not None and settings.importance == item.importance else "stated"

    def _border_event(
        self, action: Action, place: builders.Place, id: str | None = None, reason: Reason = Reason.ALLOWED
    ) -> PublicEvent:
        """The border check of a write inside one place."""
        to = place if action == "write" else None
        return builders.memory_border_check(
            self.call,
            action=action,
            from_space=place,
            to_space=to,
            allowed=reason is Reason.ALLOWED,
            reason=reason,
            subject_id=id,
        )

    def _phase(self, space: Space, id: str) -> Phase | None:
        return next((phase for phase in self.view.phases_of(space) if phase.id == id), None)

    def _phase_at(self, space: Space | None, at: int) -> Phase:
        there = [FIRST] if space is None else self.view.phases_of(space)
        return next(
            (phase for phase in reversed(there) if phase.started_at_us is None or phase.started_at_us <= at), there[0]
        )

    def _item(self, body: Body) -> Item | None:
        """The memory of an entry, in any state: for its labels, not for its text."""
        found = self.view.within(self._space(body)).items([body["item"]])
        return found[0] if found else None

    def _visible_item(self, space: Space, id: str) -> Item | None:
        found = self.view.within(space).items([id])
        return next((item for item in found if self._may_show_text(item)), None)

    def _may_show_text(self, item: Item) -> bool:
        """Whether a memory's text may still be shown: it has not ended, and the actor may list it in its state."""
        if (
            item.deleted_at_us is not None
            or is_expired(item, self.view.now)
            or self.view.sight.seen(item.space) is None
        ):
            return False
        return self.view.may_list(item)

    def _space(self, body: Body) -> Space:
        return Space.of(body["space"])


_EVENT_BUILDERS: dict[str, Callable[[_TraceBuilder, Body], list[PublicEvent]]] = {
    "recall": _TraceBuilder._recall_events,
    "remember": _TraceBuilder._kept_events,
    "edit": _TraceBuilder._kept_events,
    "approve": _TraceBuilder._kept_events,
    "supersede": _TraceBuilder._superseded_events,
    "expire": _TraceBuilder._expired_events,
    "reject": _TraceBuilder._rejected_events,
    "promote": _TraceBuilder._promoted_events,
    "start_phase": _TraceBuilder._phase_start_events,
    "diff_phases": _TraceBuilder._phase_diff_events,
}


_ACTIONS: dict[str, Action] = {"start_phase": "phase_start", "diff_phases": "phase_diff"}


def _is_write(body: Body) -> bool:
    kept = body["decision"] != "denied" and body["item"] is not None
    return kept and body["action"] in {"remember", "edit", "approve"}


def _attempt(sort: Mapping[str, str] | None) -> Attempt | None:
    if sort is None:
        return None
    return Attempt(Kind(sort["kind"]), Origin(sort["source"]), EventType(sort["event_type"]))


def _has_ended(body: Body) -> bool:
    if "after" not in body["detail"]:
        return False
    after = body["detail"]["after"]
    return after is None or after.get("deleted_at") is not None


def _narrowest(levels: Sequence[str]) -> Level:
    return next(level for level in Level if level.value in levels)
