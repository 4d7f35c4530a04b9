"""Search for remains of an erasure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.engine.view import View
from memfort.errors import NotFound
from memfort.model.people.actor import ActorKind
from memfort.model.results import ErasureCheck
from memfort.operations.ending.erasures import erasures_of
from memfort.operations.ending.finish_erasures import memories_left
from memfort.operations.ending.lineage import by_space
from memfort.operations.ending.removal import scrub
from memfort.operations.requests import Request
from memfort.policy.sight import maintenance_sight
from memfort.store.port import Erasure


class VerifyErasureRequest(Request, frozen=True):
    """The erasure to check."""

    receipt: Annotated[str, Meta(description="The id of the receipt that `erase` gave.")]


def handle(session: Session, request: VerifyErasureRequest) -> ErasureCheck:
    """Look for rows, index entries, and bytes in unused parts of the files."""
    with session.view() as view:
        erasure = next((one for one in erasures_of(view) if one.id == request.receipt), None)
        if erasure is None:
            raise NotFound("receipt", request.receipt)
        unlisted = view.store.unlisted(erasure)
        problems = [f"memory `{item.id}` is still stored" for item in memories_left(view.store, erasure)]
        problems += [f"turn `{id}` still says an erased sentence" for id in _turns_that_say_it(view, erasure)]
    if unlisted:
        problems.append(
            "the list of erased memories beside the store does not name all of it, so a restored backup could bring it "
            "back; copy the list back, or remove it and open the store again"
        )
    # Later writes leave copies of other memories in unused bytes; without later writes, any remains are an error.
    scrub(session)
    for place, count in session.store.residue().items():
        # The amount reveals what others did, so only the system actor gets it.
        figure = f"{count} " if session.actor.kind is ActorKind.SYSTEM else ""
        problems.append(f"{figure}{place.replace('_', ' ')} may hold erased text")
    if erasure.pending is not None:
        problems.append(f"the erasure is pending: {erasure.pending}")
    return ErasureCheck(request.receipt, tuple(problems))


def _turns_that_say_it(view: View, erasure: Erasure) -> Iterator[str]:
    """The turns that lost a sentence and say it nevertheless. Its words are known by their digest alone."""
    listed = by_space(erasure.rewritten)
    for space in [space for space in view.store.spaces() if space.id in listed]:
        sight = maintenance_sight([space])
        for turn in view.store.items(sight, listed[space.id]):
            said = view.engine.ended_wordings(turn.text)
            if any(one.ended_at for one in view.store.rejected_values(sight, space, turn.readers, said)):
                yield turn.id
