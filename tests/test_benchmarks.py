"""The benchmarks tell what was measured: the page equals its JSON, the arithmetic is right. Speed itself is no test."""

from __future__ import annotations

import copy
import json
import sys
import time
from collections.abc import Iterator
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from benchmarks.speed import awaited, commands, erasing, observing, people, reading, similar
from benchmarks.speed.__main__ import write
from benchmarks.speed.chart import LINES, draw
from benchmarks.speed.corpus import Corpus
from benchmarks.speed.measure import BATCHES, Effort, embedding, growth, measure
from benchmarks.speed.report import GROWTH_LIMIT, placed, render
from benchmarks.speed.stores import copied, fill, name_of
from benchmarks.speed.timing import LEAST, in_turns, median_ratio, percentiles, timed

from memfort import Memory

PAGE = Path(__file__).parents[1] / "benchmarks" / "README.md"
PUBLISHED = PAGE.parent / "results" / "published-speed.json"


@pytest.fixture
def published() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PUBLISHED.read_text())
    return found


def test_the_page_and_the_chart_are_those_of_the_published_run(published: dict[str, Any]) -> None:
    page = PAGE.read_text()
    assert render(published) in page
    assert placed(page, render(published)) == page
    assert PUBLISHED.with_suffix(".svg").read_text() == draw(published)


def test_another_number_is_another_page_and_another_chart(published: dict[str, Any]) -> None:
    other = copy.deepcopy(published)
    other["stores"][0]["delete_a_user"]["p50"] *= 2
    assert render(other) not in PAGE.read_text()
    assert draw(other) != draw(published)


def test_publishing_writes_json_tables_and_chart_and_nothing_else_of_the_page(
    published: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "README.md").write_text(placed(PAGE.read_text(), "what another run said\n"))
    write(published, tmp_path, "published-speed", with_page=True)
    assert (tmp_path / "README.md").read_text() == PAGE.read_text()
    assert {file.name for file in (tmp_path / "results").iterdir()} == {"published-speed.json", "published-speed.svg"}
    assert json.loads((tmp_path / "results" / "published-speed.json").read_text()) == published


def test_an_unpublished_run_leaves_the_page_unchanged(published: dict[str, Any], tmp_path: Path) -> None:
    write(published, tmp_path, "speed-now", with_page=False)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["speed-now.json"]


def test_a_page_without_a_place_for_the_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for the tables"):
        placed("# Benchmarks\n", "tables")


def test_the_published_recall_does_not_grow_with_the_memories_of_others(published: dict[str, Any]) -> None:
    found = published["growth"]
    assert (found["each_user"], found["small_memories"], found["large_memories"]) == (1_000, 10_000, 1_000_000)
    assert found["ratio"] <= GROWTH_LIMIT


def test_the_chart_has_a_point_for_every_median(published: dict[str, Any]) -> None:
    circles = ElementTree.fromstring(draw(published)).iter("{http://www.w3.org/2000/svg}circle")
    assert len(list(circles)) == len(LINES) * (1 + len(published["stores"]))  # one of each in the legend


def test_a_percentile_is_a_time_that_occurred() -> None:
    of_hundred = percentiles(range(100, 0, -1))
    assert (of_hundred.p50, of_hundred.p95, of_hundred.p99, of_hundred.times) == (50, 95, 99, 100)
    of_three = percentiles([7.0, 5.0, 6.0])
    assert (of_three.p50, of_three.p95, of_three.p99, of_three.times) == (6, 7, 7, 3)


def test_a_long_action_is_repeated_a_limited_number_of_times() -> None:
    assert len(timed(repeat(lambda: None), seconds=0)) == LEAST
    assert len(timed([lambda: None] * 10)) == 10


def test_preparation_between_actions_is_not_timed() -> None:
    prepared: list[float] = []

    def with_preparation() -> Iterator[Any]:
        for _ in range(3):
            prepared.extend(timed([lambda: time.sleep(0.01)]))
            yield lambda: None

    start = time.perf_counter()
    taken = timed(with_preparation())
    assert sum(taken) + sum(prepared) <= (time.perf_counter() - start) * 1000


def test_two_actions_in_turns_alternate_the_first() -> None:
    order: list[str] = []
    taken = in_turns([(lambda: order.append("one"), lambda: order.append("other"))] * 4)
    assert order == ["one", "other", "other", "one", "one", "other", "other", "one"]
    assert len(taken) == 4


def test_the_ratio_is_the_median_of_ratios_not_the_ratio_of_medians() -> None:
    assert median_ratio([(1, 2), (10, 10), (100, 400)]) == 2


def test_embedding_a_question_is_measured_by_itself(published: dict[str, Any]) -> None:
    found = embedding(times=6)
    assert found["times"] == 6
    assert 0 < found["p50"] <= found["p95"] <= found["p99"]
    assert published["embedding"]["p50"] < published["growth"]["large"]["p50"]  # of which it is a part


def test_one_user_says_the_same_in_a_small_store_and_in_a_large_one(tmp_path: Path) -> None:
    texts = []
    for memories, users in ((5, 1), (20, 4)):
        path = tmp_path / f"{users}.db"
        fill(path, memories, users, lambda _: None)
        with Memory.open(path) as memory:
            texts.append(sorted(item.text for item in memory.as_user(name_of(0)).list()))
    assert texts[0] == texts[1] == sorted(Corpus(seed=0).statements(5))


@pytest.mark.parametrize("users", [1, 8])
def test_everything_is_measured_many_times_and_the_store_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, users: int
) -> None:
    monkeypatch.delitem(BATCHES, 1000)  # seconds, for the same code as the smaller ones
    path = tmp_path / "memory.db"
    fill(path, 24, users, lambda _: None)
    before = path.read_bytes()
    found = measure(path, users, Effort(times=6, seconds=0.2))
    assert path.read_bytes() == before
    deleted = found["delete_a_user"]
    assert (deleted["memories"], deleted["pending"]) == (24 // users, 0)
    assert all(found[action]["times"] == 6 for action in ("recall", "get", "remember", "bare_commit"))
    for each in (deleted, found["cold_open_and_recall"], found["recall"], *found["batch"].values()):
        assert each["times"] >= LEAST
        assert all(low <= high for low, high in pairwise((0, each["p50"], each["p95"], each["p99"])))
    assert found["recall_finds"] > 0
    assert found["first_recall"]["times"] == min(users, 6)
    assert found["disk"]["database_megabytes"] > 0
    assert found["memory"]["peak_megabytes"] >= found["memory"]["resident_megabytes"] > 0


def test_growth_asks_both_stores_every_question(tmp_path: Path) -> None:
    small, large = tmp_path / "small.db", tmp_path / "large.db"
    fill(small, 5, 1, lambda _: None)
    fill(large, 20, 4, lambda _: None)
    found = growth(small, large, times=6)
    assert found["small"]["times"] == found["large"]["times"] == 6
    assert found["ratio"] > 0


def test_a_copy_is_a_store_of_its_own_and_gone_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    fill(path, 6, 2, lambda _: None)
    with copied(path) as other, Memory.open(other) as memory:
        assert len(memory.as_user(name_of(0)).list().items) == 3
        memory.as_user(name_of(0)).erase(scope={"user": name_of(0)})
        assert len(memory.as_user(name_of(0)).list().items) == 0
    assert not other.exists()
    with Memory.open(path) as memory:
        assert len(memory.as_user(name_of(0)).list().items) == 3


# -- people -----------------------------------------------------------------------------------------------------------

CHAT = people.Scale(users=4, memories=40)


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, Any]]:
    """What the asker said in a store of their own, a chat, and what was counted in it."""
    folder = tmp_path_factory.mktemp("people")
    fill(folder / "personal.db", CHAT.memories, 1, lambda _: None)
    return folder / "personal.db", folder / "chat.db", people.fill_chat(folder / "chat.db", CHAT, lambda _: None)


@pytest.fixture(scope="module")
def measured(talked: tuple[Path, Path, dict[str, Any]]) -> dict[str, Any]:
    """A run of everything on that chat."""
    personal, chat, store = talked
    surroundings = {"commit": "0" * 12, "started": "2026-01-01T00:00:00Z", "python": "3", "sqlite": "3", "cores": 1}
    return {
        **surroundings, "settings": {"users": 4, "memories": 40, "times": 6}, "store": store,
        "reads": people.reads(personal, chat, 6), "doctor": people.doctor(chat), "checkup": people.checkup(chat),
        "collect": people.collect(chat),
    }  # fmt: skip


def test_the_page_shows_the_published_chat() -> None:
    published = PAGE.parent / "results" / "published-people.json"
    rendering = people.render(json.loads(published.read_text())) if published.exists() else ""
    assert placed(PAGE.read_text(), rendering, people.BEGIN) == PAGE.read_text()


def test_everything_said_in_the_chat_is_kept_and_a_good_part_is_about_others(
    talked: tuple[Path, Path, dict[str, Any]],
) -> None:
    _, _, store = talked
    said = [one for user in range(4) for _, one in people.statements(user, CHAT)]
    about = [one for user in range(1, 4) for _, one in people.statements(user, CHAT) if "@user-0" in _subjects(one)]
    assert store["memories"] == len(said) == 160
    assert store["about_the_asker"] == len(about) > 20
    assert store["expiring"] == sum("ttl_seconds" in one for one in said) > 5
    assert list(people.statements(1, CHAT)) == list(people.statements(1, CHAT))


def _subjects(one: dict[str, Any]) -> list[str]:
    return list(one.get("subjects", ()))


def test_the_asker_says_the_same_in_the_chat_and_in_the_personal_store() -> None:
    assert [one["text"] for _, one in people.statements(people.ASKER, CHAT)] == Corpus(seed=0).statements(40)


def test_memories_known_only_to_others_are_found_in_the_chat(measured: dict[str, Any]) -> None:
    assert measured["reads"]["disclosed"] > 0
    assert {measured["reads"][name]["room"]["times"] for name in ("private", "group")} == {6}


def test_the_whole_chat_is_looked_over_and_collected(measured: dict[str, Any]) -> None:
    assert measured["checkup"]["problems"] == 0
    assert measured["collect"]["expired"] == measured["store"]["expiring"]
    assert all(measured[work]["seconds"] > 0 for work in ("doctor", "checkup", "collect"))


def test_a_run_over_a_limit_says_which(measured: dict[str, Any]) -> None:
    within, over = copy.deepcopy(measured), copy.deepcopy(measured)
    for name in ("private", "group"):
        within["reads"][name] |= {"ratio": people.ROOM_LIMIT, "ratio_p95": people.ROOM_LIMIT}
    over["reads"]["private"] |= {"ratio": 2.5, "ratio_p95": 1.0}
    over["reads"]["group"] |= {"ratio": 1.0, "ratio_p95": 2.25}
    over["collect"]["seconds"] = 61.0
    assert people.exceeded(within) == []
    private, group, work = people.exceeded(over)
    assert "recall in a private chat costs 2.5 times" in private
    assert "recall in the group costs 2.25 times" in group
    assert "collect takes 61.0 s" in work


def test_publishing_a_chat_writes_its_table_and_nothing_else_of_the_page(
    measured: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "README.md").write_text(PAGE.read_text())
    people.write(measured, tmp_path, "published-people", with_page=True)
    page = (tmp_path / "README.md").read_text()
    assert people.render(measured) in page
    assert placed(page, "", people.BEGIN) == placed(PAGE.read_text(), "", people.BEGIN)
    assert json.loads((tmp_path / "results" / "published-people.json").read_text()) == measured


# -- awaited calls ----------------------------------------------------------------------------------------------------


def test_the_page_has_the_published_run_of_awaited_calls() -> None:
    published = PAGE.parent / "results" / "published-awaited.json"
    rendering = awaited.render(json.loads(published.read_text())) if published.exists() else ""
    assert placed(PAGE.read_text(), rendering, awaited.BEGIN) == PAGE.read_text()


def test_awaited_calls_are_measured_beside_sync_ones_and_rendered(tmp_path: Path) -> None:
    measured = awaited.run(memories=20, times=6)
    (tmp_path / "README.md").write_text(PAGE.read_text())
    awaited.write(measured, tmp_path, "published-awaited", with_page=True)
    page = (tmp_path / "README.md").read_text()
    assert awaited.render(measured) in page
    assert placed(page, "", awaited.BEGIN) == placed(PAGE.read_text(), "", awaited.BEGIN)
    assert set(measured["cost"]) == {"asyncio", "trio"}
    for calls in measured["cost"].values():
        assert all(one["ratio"] > 0 and one["sync"]["times"] == 6 for one in calls.values())
    assert list(measured["throughput"]) == ["sync", "1", "8", "64"]
    assert all(one["per_second"] > 0 for one in measured["throughput"].values())


# -- whole commands ---------------------------------------------------------------------------------------------------


def test_the_page_has_the_commands_of_the_published_run() -> None:
    published = PAGE.parent / "results" / "published-commands.json"
    rendering = commands.render(json.loads(published.read_text())) if published.exists() else ""
    assert placed(PAGE.read_text(), rendering, commands.BEGIN) == PAGE.read_text()


def test_every_command_is_run_beside_another_tree_and_rendered(tmp_path: Path) -> None:
    found = commands.run(1, commands.SOURCE, memories=20)
    for tree in ("commands", "against"):
        assert list(found[tree]) == list(commands.COMMANDS)
        for taken in found[tree].values():
            assert all(0 < taken[clock]["best"] <= taken[clock]["median"] for clock in ("processor", "wall"))
    (tmp_path / "README.md").write_text(PAGE.read_text())
    commands.write(found, tmp_path, "published-commands", with_page=True)
    page = (tmp_path / "README.md").read_text()
    assert commands.render(found) in page
    assert placed(page, "", commands.BEGIN) == placed(PAGE.read_text(), "", commands.BEGIN)


def test_a_missed_target_is_reported() -> None:
    taken = {"processor": {"best": 151.0, "median": 160.0}}
    found = {"commands": dict.fromkeys(commands.COMMANDS, taken)}
    assert "| `memfort remember` | 150 | 151 | **not met** |" in commands._aims(found)
    assert "| `memfort recall` | 200 | 151 | met |" in commands._aims(found)


def test_a_failing_command_yields_no_measurement() -> None:
    with pytest.raises(RuntimeError, match="ended with 2: memfort: there is no command"):
        commands._timed([sys.executable, "-c", commands._START, "recal"], {"PYTHONPATH": str(commands.SOURCE)})


# -- observing --------------------------------------------------------------------------------------------------------


def test_observing_is_measured_beside_remembering() -> None:
    measured = observing.run(messages=3, grown=20)
    assert measured["growth_ms"].keys() == {"after_10", "after_20"}
    assert observing.render(measured).count("times") == 3


def test_reads_among_similar_statements_are_measured_beside_different_ones() -> None:
    measured = similar.run(statements=3, rounds=1)
    assert measured["milliseconds"].keys() == {"recall", "context", "briefing"}
    assert all(min(spent.values()) > 0 for spent in measured["milliseconds"].values())
    assert similar.render(measured).count(" | ") == 12


def test_reads_of_observed_stores_are_measured_beside_remembered_ones() -> None:
    measured = reading.run((6,), rounds=2)
    reads = measured["milliseconds"]["6"]
    assert set(reads) == {"recall", "context", "briefing"}
    assert all(set(spent) == {"remembered", "observed"} and min(spent.values()) > 0 for spent in reads.values())
    assert reading.render(measured).count("\n") == 4


def test_the_page_of_erasing_is_that_of_its_published_run() -> None:
    published = PAGE.parent / "results" / "published-erasing.json"
    found = json.loads(published.read_text()) if published.exists() else None
    rendering = "" if found is None else erasing.render(found)
    assert placed(PAGE.read_text(), rendering, erasing.BEGIN) == PAGE.read_text()
    if found is not None:
        taken = found["milliseconds"]
        assert {**found, **erasing.compare(taken["memfort"], taken["langgraph_sqlite"])} == found


def test_a_target_of_erasing_that_is_missed_is_reported() -> None:
    surroundings = {"commit": "0" * 12, "started": "2026-01-01T00:00:00Z", "python": "3", "sqlite": "3", "cores": 1}
    settings = {"memories": 10, "each": 1, "rounds": 1, "others": "1"}
    compared = erasing.compare([[100.0, 20.0, 40.0]], [[10.0, 2.0, 4.0]])
    met, missed = (copy.deepcopy({**surroundings, "settings": settings, "load": [1, 1], **compared}) for _ in range(2))
    met["later"]["ratios"], missed["later"]["ratios"] = [1.0], [99.0]
    assert "**missed**" in erasing.render(missed)
    assert "**missed**" not in erasing.render(met)


def test_the_first_deletion_of_a_process_is_compared_by_itself() -> None:
    found = erasing.compare([[100.0, 20.0, 40.0]], [[10.0, 2.0, 4.0]])
    assert (found["first"]["ratios"], found["later"]["ratios"]) == ([10.0], [10.0])
    found = erasing.compare([[100.0, 20.0, 40.0]], [[5.0, 5.0, 10.0]])
    assert (found["first"]["ratios"], found["later"]["ratios"]) == ([20.0], [4.0])
