"""Check the whole trail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta

from memfort.engine.transaction import Session
from memfort.errors import InvalidInput
from memfort.model.space import Space
from memfort.operations.requests import Custom, Request
from memfort.operations.trail.differences import differences, differing_memories
from memfort.store.port import Store
from memfort.trail.checkpoint import Anchors, Checkpoint, anchors_from_dict
from memfort.trail.event import ChainId, chain_of_space
from memfort.trail.verify import Break, ReplayedState, Verification, replay, verify_chain


class GivenAnchors(Custom):
    """Anchors as a caller kept them: what `trail.checkpoint` gave, its JSON document, or some of its checkpoints."""

    __slots__ = ("anchors",)
    annotation = "Anchors | Mapping[str, Any] | Iterable[Checkpoint]"
    imports: ClassVar[Mapping[str, str]] = {
        "Anchors": "memfort.trail.checkpoint",
        "Checkpoint": "memfort.trail.checkpoint",
    }

    def __init__(self, anchors: Anchors) -> None:
        self.anchors = anchors

    def __repr__(self) -> str:
        return f"GivenAnchors({len(self.anchors.checkpoints)} of {self.anchors.key})"

    @classmethod
    def from_given(cls, given: Any) -> Self:
        if isinstance(given, Anchors):
            return cls(given)
        try:
            if isinstance(given, Mapping):
                return cls(anchors_from_dict(given))
            kept = tuple(given)
            if all(isinstance(one, Checkpoint) for one in kept):
                return cls(Anchors(None, kept))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            pass
        raise InvalidInput("anchors", "it cannot be read", "give what `trail.checkpoint()` gave")


class VerifyRequest(Request, frozen=True):
    """What to check the trail against."""

    anchors: Annotated[
        GivenAnchors | None,
        Meta(
            description="Checkpoints kept elsewhere, as `trail checkpoint` gave them.",
            extra={
                "reads": "json",
                "metavar": "FILE",
                "remedy": "give what `trail.checkpoint()` gave",
                "most": 1_000_000,  # some for each chain of the store
            },
        ),
    ] = None


def handle(session: Session, request: VerifyRequest) -> Verification:
    """Recompute every chain and every signature, compare the store with what the trail says, and name the first break
    of each chain that has one.

    Anchors are checkpoints that were kept outside the store. What they cover cannot be rewritten or cut off unnoticed,
    not even by somebody who has the database and an old copy of it."""
    session.engine.flush_if_possible()
    anchors = Anchors(None, ()) if request.anchors is None else request.anchors.anchors
    unchecked = _signed_with_another_key(anchors, session.store)
    outside = () if unchecked else anchors.checkpoints
    with session.store.reading():
        return _verify(session, outside, unchecked)


def _verify(session: Session, outside: tuple[Checkpoint, ...], unchecked: str | None) -> Verification:
    engine, store = session.engine, session.store
    chains, spaces = list(store.chains()), {chain_of_space(space): space for space in store.spaces()}
    known = {chain for chain, _, _ in chains}
    events, unanchored, recorded, differing = 0, 0, ReplayedState(), []
    broken = [Break(str(one.chain), 1, "the whole chain is gone") for one in outside if one.chain not in known]
    for chain, number, head in chains:
        signed = [*store.checkpoints(chain), *(one for one in outside if one.chain == chain)]
        count, loose, problem = verify_chain(chain, store.links(chain), signed, store.keys.public, (number, head))
        events, unanchored = events + count, unanchored + loose
        if problem is not None:
            broken.append(problem)
        elif not broken:
            replay(store.links(chain), recorded)
            differing += differing_memories(engine, spaces.get(chain), recorded)
            recorded.memories.clear()  # of one chain at a time: a store may have more than fit into memory
    if not broken:
        for space in _spaces_without_chain(spaces, known):
            differing += differing_memories(engine, space, recorded)
        broken = differences(engine, recorded, sorted(differing))
    return Verification(len(chains), events, unanchored, tuple(broken), unchecked)


def _spaces_without_chain(spaces: Mapping[ChainId, Space], known: set[ChainId]) -> list[Space]:
    return [space for chain, space in spaces.items() if chain not in known]


def _signed_with_another_key(anchors: Anchors, store: Store) -> str | None:
    """A signature of an earlier key cannot be checked. It neither shows a forgery nor proves anything."""
    here = store.keys.fingerprint
    if anchors.key is None or anchors.key == here:
        return None
    return f"they were signed with an earlier key `{anchors.key}`, or another store's; the key here is `{here}`"
