"""The oracle cites the documents, it says yes and no often enough, and the matrix notices a rule that is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from . import ask, matrix, oracle, play
from .ask import Answer, Bench
from .matrix import View
from .oracle import PERSONAL, PUBLIC, SENSITIVE

RULES = (Path(__file__).parent / "rules.md").read_text()
SENSITIVITIES = (PUBLIC, PERSONAL, SENSITIVE)
IN_BULK = ("list", "recall", "about")
# Half of them are enough, with all of those in a chat that is not registered.
STANDPOINTS = [
    standpoint
    for number, standpoint in enumerate(matrix.standpoints())
    if number % 2 == 0 or standpoint.place.chat == matrix.UNREGISTERED
]


def described(name: str) -> play.World:
    """The chosen memories of the matrix, without a store: ids and markers are made up."""
    rules, _ = play.POLICIES[name]
    world = play.World(None, rules)
    entries = matrix.entries_of(matrix.chosen_specs(rules))
    entries += [matrix.single_entry(one, "outside") for one in (matrix.WITHOUT_PROVENANCE, matrix.NOT_UNDERSTOOD)]
    for number, entry in enumerate(entries):
        world.keep(entry, f"mem_{number}", play.marker(number))
    return world


@pytest.fixture(scope="module")
def worlds() -> dict[str, play.World]:
    return {name: described(name) for name in play.POLICIES}


def views(world: play.World) -> Iterator[View]:
    """Every cell, each of those that are described alike once."""
    alike = {kept.alike: kept.entry for kept in world.kept}
    for standpoint in STANDPOINTS:
        for entry in alike.values():
            yield View(entry, standpoint, world.rules)


def column_of(view: View) -> str:
    chat = view.standpoint.place.chat
    if chat is None:
        return "outside"
    return f"private {len(chat.persons)}" if chat.kind == "private" else chat.kind


def test_the_oracle_cites_the_documents_word_for_word(worlds: dict[str, play.World]) -> None:
    everybody = frozenset(matrix.EVERYBODY)
    cited = {sentence for _, sentence in matrix.VERBS.values()}
    for world in worlds.values():
        for view in views(world):
            cited |= {view.sight.because, view.history.because, view.people(everybody).because}
            cited.add(matrix.due("recall", view).because)
    assert len(cited) > 20
    assert [sentence for sentence in cited if sentence not in RULES] == []


@pytest.mark.parametrize("name", play.POLICIES)
def test_the_oracle_says_yes_and_no_in_every_column(name: str, worlds: dict[str, play.World]) -> None:
    said: Counter[tuple[str, str, bool]] = Counter()
    for view in views(worlds[name]):
        if view.entry.is_live:
            said[column_of(view), view.entry.memory.sensitivity, view.sight.shown] += 1
    never = {("unregistered", PERSONAL), ("unregistered", SENSITIVE)}  # nobody knows who listens
    if name == "strict":
        never.add(("group", SENSITIVE))  # the table says no
    for column in ("outside", "private 1", "private 2", "group", "unregistered"):
        for sensitivity in SENSITIVITIES:
            assert said[column, sensitivity, False] >= 20, (column, sensitivity)
            if (column, sensitivity) in never:
                assert said[column, sensitivity, True] == 0, (column, sensitivity)
            else:
                assert said[column, sensitivity, True] >= 2, (column, sensitivity)


@pytest.mark.parametrize("name", play.POLICIES)
def test_the_about_people_channel_says_yes_in_every_column(name: str, worlds: dict[str, play.World]) -> None:
    named = frozenset({matrix.THIRD})
    present: Counter[str] = Counter()
    by_name: Counter[str] = Counter()
    for view in views(worlds[name]):
        if view.entry.is_live:
            present[column_of(view)] += view.people(frozenset()).shown
            by_name[column_of(view)] += view.people(named).shown and not view.people(frozenset()).shown
    for column in ("outside", "private 1", "private 2", "group"):
        assert present[column] >= 3, (column, present)
    assert by_name["group"] >= 3
    assert set(+by_name) == {"group"}
    assert present["unregistered"] == 0


# The comparison itself


def answers(world: play.World, standpoint: matrix.Standpoint, shows: Callable[[matrix.Due], bool]) -> Iterator[Answer]:
    """The answers of a product that shows what `shows` says."""
    bench = Bench(world, standpoint)
    for verb in IN_BULK:
        person = "bob" if verb == "about" else None
        found = [kept.id for kept in world.kept if shows(bench.owed(verb, kept, person))]
        yield Answer(verb, frozenset(found), person=person)
    for kept in world.kept[::40]:
        yield from answers_by_id(bench, kept, shows)


def answers_by_id(bench: Bench, kept: play.Kept, shows: Callable[[matrix.Due], bool]) -> Iterator[Answer]:
    shown = {verb: shows(bench.owed(verb, kept)) for verb in ("get", "history", "explain")}
    yield Answer("get", frozenset({kept.id} if shown["get"] else ()), id=kept.id)
    yield Answer("explain", frozenset({kept.id}), id=kept.id, shown=shown["explain"])
    wordings = [one for one in bench.world.of_spec[kept.entry.number] if shows(bench.owed("history", one))]
    yield Answer("history", frozenset(one.id for one in wordings if shown["history"]), id=kept.id)


def failures(world: play.World, given: dict[matrix.Standpoint, list[Answer]]) -> Iterator[ask.Failure]:
    for standpoint, told in given.items():
        bench = Bench(world, standpoint)
        for answer in told:
            yield from bench.failures(answer)


@pytest.fixture(scope="module")
def right_answers(worlds: dict[str, play.World]) -> dict[str, dict[matrix.Standpoint, list[Answer]]]:
    """The answers of a product that shows exactly what it owes."""
    return {
        name: {one: list(answers(world, one, lambda due: due.required)) for one in STANDPOINTS}
        for name, world in worlds.items()
    }


@pytest.mark.parametrize("name", play.POLICIES)
def test_a_right_product_passes(name: str, worlds: dict[str, play.World], right_answers: dict[str, Any]) -> None:
    assert not list(failures(worlds[name], right_answers[name]))


@pytest.mark.parametrize("rule", oracle.RULES)
def test_the_matrix_notices_a_rule_that_is_wrong(
    rule: str, worlds: dict[str, play.World], right_answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(oracle, rule)
    monkeypatch.setattr(oracle, rule, lambda *given: not right(*given))
    assert any(next(failures(world, right_answers[name]), None) for name, world in worlds.items())


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
@pytest.mark.parametrize("column", ["one_person_column", "two_persons_column", "group_column"])
def test_the_matrix_notices_a_cell_that_is_wrong(
    column: str,
    sensitivity: str,
    worlds: dict[str, play.World],
    right_answers: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = getattr(oracle, column)

    def wrong(memory: oracle.Memory, *given: Any) -> oracle.Verdict:
        verdict = right(memory, *given)
        return verdict if memory.sensitivity != sensitivity else oracle.Verdict(not verdict.shown, verdict.because)

    monkeypatch.setattr(oracle, column, wrong)
    assert next(failures(worlds["strict"], right_answers["strict"]), None)


@pytest.mark.parametrize("name", play.POLICIES)
def test_a_product_that_shows_nothing_or_everything_fails(name: str, worlds: dict[str, play.World]) -> None:
    for standpoint in matrix.standpoints()[::7]:
        takes_part = oracle.takes_part(standpoint.asker, standpoint.place.chat)
        nothing = {standpoint: list(answers(worlds[name], standpoint, lambda _: False))}
        everything = {standpoint: list(answers(worlds[name], standpoint, lambda _: True))}
        sees_some = any(matrix.due("list", view).required for view in views_at(worlds[name], standpoint))
        assert bool(list(failures(worlds[name], nothing))) >= (takes_part and sees_some)
        assert list(failures(worlds[name], everything))


def views_at(world: play.World, standpoint: matrix.Standpoint) -> Iterator[View]:
    return (View(kept.entry, standpoint, world.rules) for kept in world.kept)


def test_a_leaked_word_or_id_is_found_anywhere_in_an_answer(worlds: dict[str, play.World]) -> None:
    answer = ask.read("list", lambda: {"deep": [{"down": f"it says {play.marker(7)}"}], "from": ["mem_7"]})
    assert answer.found == {play.marker(7), "mem_7"}
    stranger = matrix.Standpoint(oracle.Asker("erin"), oracle.Place())
    told = list(Bench(worlds["strict"], stranger).failures(answer))
    assert [failure.kind for failure in told] == ["leak", "leak"]


def test_an_empty_standpoint_sees_nothing(worlds: dict[str, play.World]) -> None:
    system = matrix.Standpoint(oracle.Asker(), oracle.Place())
    assert not any(view.sight for view in views_at(worlds["strict"], system))
    own = matrix.Standpoint(oracle.Asker("alice"), oracle.Place())
    assert any(view.sight for view in views_at(worlds["strict"], own))
