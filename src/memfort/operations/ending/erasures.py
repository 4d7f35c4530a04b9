"""List erasures."""

from __future__ import annotations

from memfort.engine.view import View
from memfort.model.people.actor import Actor, ActorKind
from memfort.operations.requests import Request
from memfort.store.port import Erasure


class ErasuresRequest(Request, frozen=True):
    """No fields."""


def handle(view: View, request: ErasuresRequest) -> list[Erasure]:  # noqa: ARG001  # it has no fields
    """The erasures that this actor asked for; for the system actor, all of them. In a chat none is listed: nobody can
    tell any more what may be said of the memories that a receipt names and counts."""
    return [] if view.sight.is_in_chat and view.actor.kind is not ActorKind.SYSTEM else erasures_of(view)


def erasures_of(view: View) -> list[Erasure]:
    if not view.sight.takes_part:
        return []
    return [one for one in view.store.erasures() if _may_check(view.actor, one)]


def _may_check(actor: Actor, erasure: Erasure) -> bool:
    return actor.kind is ActorKind.SYSTEM or actor.key == erasure.actor
