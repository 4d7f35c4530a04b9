"""The oracle of disclosure through HTTP: every read verb, from every standpoint, shows what the oracle says.

Few memories are played by default; `MEMFORT_TEST_MATRIX=all` plays all that are chosen, from every standpoint.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from tests.disclosure import ask, matrix, play
from tests.disclosure.oracle import Asker
from tests.server.behind import Served

from memfort import FixedClock, NotFound
from memfort.model.people.actor import ActorKind
from memfort.model.people.directory import Principal
from memfort.surfaces.http import verbs

WHOLE = os.environ.get("MEMFORT_TEST_MATRIX") == "all"
MEMORIES, STANDPOINTS, BY_ID = (1, 1, 6) if WHOLE else (2, 2, 12)


def failures(memory: Served, clock: FixedClock, name: str) -> tuple[list[ask.Failure], play.World]:
    rules, _ = play.POLICIES[name]
    specs = matrix.chosen_specs(rules, registered=True)[::MEMORIES]
    world = play.tell(memory, clock, rules, specs)
    asked = matrix.standpoints(registered=True)[::STANDPOINTS]
    found: list[ask.Failure] = []
    for number, standpoint in enumerate(asked):
        found += ask.failures_at(world, standpoint, world.kept[number % BY_ID :: BY_ID])
    return found, world


@pytest.mark.parametrize("name", play.POLICIES)
def test_every_read_verb_shows_what_the_oracle_says_through_http(name: str, clock: FixedClock) -> None:
    with Served(clock, play.POLICIES[name][1]) as memory:
        found, world = failures(memory, clock, name)
    assert not world.problems, "\n".join(world.problems)
    assert len(world.kept) > 30
    if found:
        pytest.fail(ask.report(found, len(world.kept)), pytrace=False)


def test_a_standpoint_in_a_project_of_others_cannot_be_taken(clock: FixedClock) -> None:
    """The oracle lets a non-member who names a project read what is told elsewhere. A server refuses the standpoint
    itself, with the answer for a project that does not exist."""
    with Served(clock) as memory:
        play.register_people(memory, matrix.NOW.values())
        assert memory.as_user("alice", project="apollo").list() == memory.as_user("alice").list()
        for project in ("apollo", "absent"):
            for answer in ask.answers_in_bulk(memory.as_user(matrix.THIRD, project=project)):
                assert not answer.found
            with pytest.raises(NotFound, match=project):
                memory.as_user(matrix.THIRD, project=project).list()


def test_a_server_that_takes_bob_for_alice_is_caught_by_the_oracle(
    monkeypatch: pytest.MonkeyPatch, clock: FixedClock
) -> None:
    """The positive control."""
    right = verbs.requester_of

    def wrong(*given: Any) -> Principal | None:
        found = right(*given)
        return Principal(ActorKind.USER, "alice") if found == Principal(ActorKind.USER, "bob") else found

    with Served(clock, play.POLICIES["strict"][1]) as memory:
        rules, _ = play.POLICIES["strict"]
        world = play.tell(memory, clock, rules, matrix.chosen_specs(rules, registered=True)[:24])
        bob = [one for one in matrix.standpoints(registered=True) if one.asker == Asker("bob")][:3]
        assert not [failure for one in bob for failure in ask.failures_at(world, one, world.kept[:6])]
        monkeypatch.setattr(verbs, "requester_of", wrong)
        assert [failure for one in bob for failure in ask.failures_at(world, one, world.kept[:6])]
