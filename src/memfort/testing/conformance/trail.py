"""The chains of events, and the signatures on them."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.store.port import (
    Sign,
    Store,
)
from memfort.testing.conformance.base import Claims
from memfort.testing.conformance.inspection import (
    verified,
)
from memfort.testing.conformance.samples import (
    ALICE,
    HOME,
    LATER,
    NEXT_DOOR,
    NOW,
    event_of,
    memory,
    put,
    updated,
)
from memfort.trail.checkpoint import CHECKPOINT_EVERY, is_genuine
from memfort.trail.event import chain_of_actor, chain_of_space
from memfort.trail.verify import verify_chain


class Trail(Claims):
    """A store keeps every event in its place in the chain."""

    def test_links_make_a_chain_for_each_space_and_actor(self, store: Store) -> None:
        put(store, memory(), memory(number=2), memory(NEXT_DOOR))
        store.apply([], [replace(event_of(memory()), chain=chain_of_actor(ALICE), action="recall")])
        store.apply([updated(memory(version=2))], [event_of(memory(version=2), "approve")])
        lengths = {chain: length for chain, length, _ in store.chains()}
        assert lengths == {chain_of_space(HOME): 3, chain_of_space(NEXT_DOOR): 1, chain_of_actor(ALICE): 1}
        for chain, length in lengths.items():
            assert [link.number for link in store.links(chain)] == list(range(1, length + 1))
            assert verified(store, chain)

    def test_links_are_read_from_a_position_on(self, store: Store) -> None:
        put(store, *(memory(number=n) for n in range(1, 6)))
        assert [link.number for link in store.links(chain_of_space(HOME), after=3)] == [4, 5]
        assert list(store.links(chain_of_space(HOME), after=5)) == []

    def test_checkpoints_sign_only_chains_that_grew(self, store: Store) -> None:
        chain = chain_of_space(HOME)
        put(store, memory(), memory(NEXT_DOOR))
        store.apply([Sign(NOW), Sign(LATER)], [])
        put(store, memory(number=2))
        store.apply([Sign(LATER)], [])
        signed = list(store.checkpoints(chain))
        assert list(store.checkpoints(chain, after=1)) == signed[1:]
        assert [(one.number, one.at_us) for one in store.checkpoints(chain_of_space(NEXT_DOOR))] == [(1, NOW)]
        assert [(one.number, one.at_us) for one in signed] == [(1, NOW), (2, LATER)]
        assert all(is_genuine(one, store.keys.public) for one in signed)
        assert not is_genuine(replace(signed[0], number=2), store.keys.public)
        assert verified(store, chain)

    def test_a_checkpoint_signature_covers_its_own_event(self, store: Store) -> None:
        put(store, memory())
        store.apply([Sign(NOW)], [replace(event_of(memory()), action="checkpoint")])
        assert [one.number for one in store.checkpoints(chain_of_space(HOME))] == [2]
        assert verified(store, chain_of_space(HOME))

    def test_a_long_chain_is_signed_automatically(self, store: Store) -> None:
        store.apply([], [event_of(memory())] * (CHECKPOINT_EVERY + 3))
        (signed,) = store.checkpoints(chain_of_space(HOME))
        assert signed.number == CHECKPOINT_EVERY
        assert is_genuine(signed, store.keys.public)

    def test_tampering_with_the_trail_is_found(self, store: Store) -> None:
        chain = chain_of_space(HOME)
        put(store, *(memory(number=n) for n in range(1, 6)))
        store.apply([Sign(NOW)], [])
        links, signed = list(store.links(chain)), list(store.checkpoints(chain))
        ((_, length, head),) = store.chains()
        edited = [*links[:2], replace(links[2], body=links[2].body.replace(b"allowed", b"refused")), *links[3:]]
        assert verify_chain(chain, links, signed, store.keys.public, (length, head))[2] is None
        for tampered, place in ((edited, 3), ([*links[:2], *links[3:]], 3), (links[:4], 5), (links[::-1], 1)):
            broken = verify_chain(chain, tampered, signed, store.keys.public, (length, head))[2]
            assert broken is not None
            assert broken.number == place
