"""What the purge test cannot see, because another party than ada would reveal it: the source of a promotion."""

from __future__ import annotations

from memfort.client import Memory
from memfort.client.bound import BoundMemory
from memfort.clock import FixedClock
from memfort.model.people.directory import Trust
from memfort.policy.settings.document import policy_of
from memfort.testing.histories import START, OpenMemory, World
from memfort.testing.playback import canonical_json
from memfort.testing.space_histories.words import node

APOLLO = {"project": "apollo"}
PROMOTIONS = [{"from_level": "user", "to_level": "project", "approvals": 1}]
WORLD = World(
    "registered",
    agents=(),
    groups=(("project", "apollo", ("bea", "cleo"), ()),),
    trust={"bea": Trust.APPROVER},
    policy=policy_of({"spaces": {"promotions": PROMOTIONS}}),
)
CAPPED = World("trusted", agents=(), groups=(), policy=policy_of({"budget": {"owner": 2, "when_full": "refuse"}}))


def test_the_approver_of_a_promotion_does_not_learn_its_source_space(
    on_dict: OpenMemory, on_sqlite: OpenMemory
) -> None:
    for open_memory in (on_dict, on_sqlite):
        with _settled(open_memory, WORLD) as memory:
            cleo, bea = memory.as_user("cleo", project="apollo"), memory.as_user("bea", project="apollo")
            source = str(cleo.remember("tea").id)
            proposed = str(cleo.promote(source, APOLLO).id)
            assert cleo.recall("tea").hits[0].id == source
            approved = bea.review.approve(proposed)
            answers = canonical_json(
                [approved, bea.trail.export(), bea.trace.show(str(bea.last_trace)).events, bea.list(deleted=True)]
            )
            assert cleo.recall("tea").hits[0].id == proposed, "the copy is in force, and the source is not"
            assert b'"user": "cleo"' not in answers
            assert b'"user": "cleo"' in canonical_json(cleo.trail.export())


def test_an_approval_does_not_reveal_whether_its_source_still_exists(on_dict: OpenMemory) -> None:
    assert _approval(on_dict, due_by_tick=False) == _approval(on_dict, due_by_tick=True)


def _approval(open_memory: OpenMemory, *, due_by_tick: bool) -> bytes:
    """What bea gets when she approves what cleo promoted, whose source may have ended."""
    with _settled(open_memory, WORLD) as memory:
        cleo, bea = memory.as_user("cleo", project="apollo"), memory.as_user("bea", project="apollo")
        source = str(cleo.remember("tea", ttl_ticks=1).id)
        proposed = str(cleo.promote(source, APOLLO).id)
        if due_by_tick:
            cleo.remember("coffee")
        assert (cleo.get(source) is None) is due_by_tick
        return canonical_json(
            [bea.review.approve(proposed), bea.trace.show(str(bea.last_trace)).events, bea.trail.export()]
        )


def test_others_forgetting_your_shared_memories_frees_none_of_your_budget(on_dict: OpenMemory) -> None:
    assert _next_write(on_dict, forgotten=False) == _next_write(on_dict, forgotten=True)


def _next_write(open_memory: OpenMemory, *, forgotten: bool) -> bytes:
    with _settled(open_memory, CAPPED) as memory:
        ada, bea = memory.as_user("ada", project="apollo"), memory.as_user("bea", project="apollo")
        lines = [node(text, {"users": ["ada"]}, project="apollo") for text in ("tea", "coffee")]
        assert bea.import_("\n".join(lines).encode()).counts["kept"] == 2
        if forgotten:
            _forget(ada, ada.list()[0].id)
        return canonical_json(bea.remember("violin"))


def _forget(bound: BoundMemory, id: str) -> None:
    assert bound.get(id) is not None
    bound.forget(id)


def _settled(open_memory: OpenMemory, world: World) -> Memory:
    memory = open_memory(world, FixedClock(START))
    world.register_in(memory)
    return memory
