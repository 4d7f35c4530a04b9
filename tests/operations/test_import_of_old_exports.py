"""An export of ours is weighed by when its memories were written, so an old one brings no outdated fact back."""

from __future__ import annotations

import pytest

HOUR = 3600


@pytest.fixture
def alice(memory):
    return memory.as_user("alice")


def in_force(reader):
    return [item.text for item in reader.list() if item.status == "approved"]


def test_an_old_export_does_not_replace_a_later_correction(alice, clock, exported):
    first = alice.remember("I live in Berlin")
    old = exported(alice)
    clock.advance(HOUR)
    alice.correct(first.id, "I live in Paris")
    clock.advance(HOUR)
    alice.import_(old)
    assert in_force(alice) == ["I live in Paris"]


def test_an_old_export_does_not_replace_a_later_value_of_another_store(alice, clock, exported, open_memory):
    alice.remember("Berlin", kind="profile", key="home")
    old = exported(alice)
    clock.advance(HOUR)
    elsewhere = open_memory().as_user("alice")
    elsewhere.remember("Paris", kind="profile", key="home")
    clock.advance(HOUR)
    elsewhere.import_(old)
    assert in_force(elsewhere) == ["Paris"]


def test_of_two_exports_the_later_words_win_in_any_order(alice, clock, exported, open_memory):
    first = alice.remember("Berlin", kind="profile", key="home")
    old = exported(alice)
    clock.advance(HOUR)
    alice.correct(first.id, "Paris")
    new = exported(alice)
    clock.advance(HOUR)
    for files in ((old, new), (new, old)):
        elsewhere = open_memory().as_user("alice")
        for data in files:
            elsewhere.import_(data)
        assert in_force(elsewhere) == ["Paris"]


def test_an_export_from_the_future_is_as_old_as_now(alice, clock, exported, open_memory):
    clock.advance(1000 * HOUR)
    alice.remember("Berlin", kind="profile", key="home")
    ahead = exported(alice)
    clock.advance(-1000 * HOUR)
    elsewhere = open_memory().as_user("alice")
    elsewhere.import_(ahead)
    clock.advance(HOUR)
    elsewhere.remember("Paris", kind="profile", key="home")
    assert in_force(elsewhere) == ["Paris"]
