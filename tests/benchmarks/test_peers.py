"""The comparison tells what was measured: a leak, a wrong answer, a slow step and a text left behind are all reported.

No peer is installed here. The loop runs Memfort's own driver and small ones of this file, some of them faulty.
"""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice, pairwise
from operator import mul
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from benchmarks.peers import __main__ as peers
from benchmarks.peers import chart, report, stores
from benchmarks.peers.driver import PHASES, About, Driver, Entry, Job
from benchmarks.peers.drivers.memfort import Memfort
from benchmarks.peers.embedding import embedded
from benchmarks.peers.environments import OWN, REQUIREMENTS
from benchmarks.peers.given import DIMENSIONS, GIVEN, Vector
from benchmarks.peers.judge import RANKS, Truth, foreign, judged, truth
from benchmarks.peers.lives import MANNERS, NEWCOMERS, OWN_WORDS, PEOPLE, TOPICS, statements
from benchmarks.peers.material import EXTRA, MEMORIES, QUESTIONS, Text, read, texts_of
from benchmarks.peers.runner import Run, heard_of
from benchmarks.peers.systems import SYSTEMS
from benchmarks.postgres.__main__ import PEERS as PEERS_ON_POSTGRES
from benchmarks.speed.report import placed
from benchmarks.speed.stores import name_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "benchmarks" / "README.md"
SIZE = stores.Size(200)
QUESTION_COUNT = 30


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def dot(one: Vector, other: Vector) -> float:
    return sum(map(mul, one, other))


class Exact:
    """An exact search in a dict: what every peer should answer."""

    about = About((), keeps=False)

    def open(self, folder: Path) -> None:
        self.users: dict[str, dict[str, Vector]] = {}

    def add(self, user: str, id: str, text: str, vector: Vector) -> None:
        self.users.setdefault(user, {})[id] = GIVEN([text])[0]

    def add_many(self, user: str, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self.add(user, entry.id, entry.text, entry.vector)

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        return self.nearest(self.users.get(user, {}), vector)[:limit]

    def settle(self) -> None: ...

    def search_unnamed(self, text: str, vector: Vector, limit: int) -> list[str] | None:
        return self.nearest(self.everything, vector)[:limit]

    def explain(self, user: str, text: str, vector: Vector) -> list[str]:
        return ["score"]

    def delete_user(self, user: str) -> int | None:
        return len(self.users.pop(user, ()))

    def residue(self, user: str) -> int | None:
        return int(user in self.users)

    def close(self) -> None: ...

    @property
    def everything(self) -> dict[str, Vector]:
        return {id: one for memories in self.users.values() for id, one in memories.items()}

    @staticmethod
    def nearest(memories: dict[str, Vector], vector: Vector) -> list[str]:
        return sorted(memories, key=lambda name: -dot(memories[name], vector))


class Leaking(Exact):
    """Forgets the filter."""

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        return self.nearest(self.everything, vector)[:limit]


class Late(Exact):
    """Filters what it found, so that others' memories take the places of one's own."""

    def search(self, user: str, text: str, vector: Vector, limit: int) -> list[str]:
        return [id for id in self.nearest(self.everything, vector)[:limit] if id in self.users.get(user, {})]


class Keeping(Exact):
    """Deletes nothing, and says nothing."""

    def delete_user(self, user: str) -> int | None:
        return None


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("material")
    stores.prepare(folder, SIZE, QUESTION_COUNT, additions=4)
    return folder


@pytest.fixture(scope="module")
def known(material: Path) -> Truth:
    return truth(material)


def phase(name: str, driver: Driver, material: Path, store: Path) -> dict[str, list[dict[str, Any]]]:
    """The reports of each step. Every step that begins also ends."""
    begun: list[str] = []
    values: dict[str, list[dict[str, Any]]] = {}

    def hear(line: dict[str, Any]) -> None:
        if "value" in line:
            values.setdefault(line["step"], []).append(line["value"])
        else:
            begun.append(line["step"])

    PHASES[name](driver, Job(material, store, seconds=60.0), hear)
    assert sorted(begun) == sorted(step for step, steps in values.items() for _ in steps)
    return values


# -- the material -----------------------------------------------------------------------------------------------------


def test_vectors_are_normalised_and_similar_texts_are_nearer() -> None:
    said, near, far = embedded(["Clara is a dentist", "the profession of Clara", "trains to Porto"]).tolist()
    assert len(said) == DIMENSIONS
    assert dot(said, said) == pytest.approx(1, abs=1e-5)
    assert dot(said, near) > dot(said, far)


def test_a_text_without_a_given_vector_is_an_error() -> None:
    GIVEN.lay_out([("here", [1.0])])
    assert GIVEN(["here"]) == [[1.0]]
    with pytest.raises(KeyError):
        GIVEN(["elsewhere"])


def test_the_material_is_read_as_it_was_written(material: Path) -> None:
    memories = list(read(material, MEMORIES))
    assert len(memories) == 200
    assert len({text.user for text, _ in memories}) == SIZE.users == 10
    for text, vector in memories[::50]:
        assert vector == embedded([text.text])[0].tolist()


def test_every_question_is_asked_by_a_remaining_user_about_an_own_memory(material: Path) -> None:
    memories = {memory.id: memory for memory in texts_of(material, MEMORIES)}
    questions = list(texts_of(material, QUESTIONS))
    assert len(questions) == QUESTION_COUNT
    assert {question.manner for question in questions} == set(MANNERS)
    leaving = {name_of(user) for user in range(SIZE.users - stores.LEAVING, SIZE.users)}
    for question in questions:
        assert memories[question.id].user == question.user
        assert question.user not in leaving
        if question.manner == OWN_WORDS:
            assert set(words(question.text)) < set(words(memories[question.id].text))


def test_a_question_in_other_words_has_no_word_in_common_but_the_name_and_small_ones() -> None:
    for topic in TOPICS:
        asked = set(words(topic.asked))
        for said in (*topic.said, *topic.values):
            assert {word for word in asked & set(words(said)) if len(word) > 3} <= {"name", "with", "from"}


def test_a_user_says_one_thing_of_each_topic_of_a_person() -> None:
    everything = statements(5, len(PEOPLE) * len(TOPICS))
    assert len({one.text for one in everything}) == len({*(tuple(one.asked.values()) for one in everything)}) == 1008
    assert statements(5, 100) == everything[:100]
    assert statements(6, 100) != everything[:100]
    with pytest.raises(ValueError, match="at most 1008 things"):
        statements(5, 1009)


def test_deletion_canaries_belong_to_one_user_only(material: Path) -> None:
    gone = set(stores.canaries(SIZE))
    assert len(gone) == stores.CANARIES
    assert [text.user for text in texts_of(material, MEMORIES) if text.text in gone] == ["user-9"] * len(gone)


def test_memories_added_later_are_about_other_people(material: Path) -> None:
    added = list(texts_of(material, EXTRA))
    assert len(added) == 4
    assert all(any(name in one.text for name in NEWCOMERS) for one in added)
    assert not set(PEOPLE) & set(NEWCOMERS)


@pytest.mark.parametrize(("memories", "users", "each"), [(1_000, 10, 100), (10_000, 10, 1_000), (100_000, 100, 1_000)])
def test_a_user_sees_a_thousand_memories_or_a_tenth_of_a_small_store(memories: int, users: int, each: int) -> None:
    size = stores.Size(memories)
    assert (size.users, size.each) == (users, each)


# -- the loop and the judge -------------------------------------------------------------------------------------------


def test_an_exact_search_finds_the_answers_and_no_other_users_memories(
    material: Path, known: Truth, tmp_path: Path
) -> None:
    steps = phase("fill", Exact(), material, tmp_path)
    assert steps["bulk_add"][0]["memories"] == 200
    assert steps["add"][0]["times"] == 4
    assert steps["search"][0]["times"] == QUESTION_COUNT
    assert {len(ids) for ids in steps["search"][0]["answers"]} == {10}
    found = judged(known, steps["look_deeper"][0]["answers"])
    assert found["answered"] == QUESTION_COUNT
    assert set(found["right"].values()) == {1.0}
    assert found["known"]["10"] > 0.9
    assert found["known_10"][OWN_WORDS] == 1.0
    assert found["foreign"] == 0
    assert found["known"] == judged(known, known.exact())["known"]


def test_memories_of_others_are_counted_as_foreign(material: Path, known: Truth, tmp_path: Path) -> None:
    steps = phase("fill", Leaking(), material, tmp_path)
    found = judged(known, steps["look_deeper"][0]["answers"])
    assert found["foreign"] > QUESTION_COUNT
    assert found["right"]["10"] < 0.9


def test_a_late_filter_returns_no_foreign_memories_but_misses_answers(
    material: Path, known: Truth, tmp_path: Path
) -> None:
    found = judged(known, phase("fill", Late(), material, tmp_path)["look_deeper"][0]["answers"])
    assert found["foreign"] == 0
    assert found["right"]["10"] < 0.9


def test_a_deletion_that_deletes_nothing_is_seen(material: Path, tmp_path: Path) -> None:
    honest, keeping = (phase("fill", driver(), material, tmp_path)["delete_user"] for driver in (Exact, Keeping))
    assert len(honest) == len(keeping) == stores.LEAVING
    assert all(value["found_before"] == 10 for value in (*honest, *keeping))
    assert {value["found_after"] for value in honest} == {0}
    assert {value["found_after"] for value in keeping} == {10}
    assert {(value["deletions_reported"], value["residue"]) for value in honest} == {(SIZE.each, 0)}
    assert {(value["deletions_reported"], value["residue"]) for value in keeping} == {(None, 1)}


def test_memfort_finds_the_answers_no_foreign_memories_and_leaves_no_deleted_text(
    material: Path, known: Truth, tmp_path: Path
) -> None:
    steps = phase("fill", Memfort(), material, tmp_path)
    found = judged(known, steps["look_deeper"][0]["answers"])
    assert found["known"]["10"] > 0.9
    assert found["foreign"] == 0
    (able,) = steps["abilities"]
    assert able["unnamed"] == [[]] * 10
    assert {"score", "reason", "words", "meaning"} <= set(able["explains"])
    assert phase("cold", Memfort(), material, tmp_path)["cold_open"][0]["found"] > 0
    texts = stores.canaries(SIZE)
    assert stores.readable(tmp_path, texts) == len(texts) == 10
    deleted = phase("delete", Memfort(), material, tmp_path)["delete_user"]
    assert all(value["found_before"] > 0 and value["found_after"] == 0 for value in deleted)
    assert {(value["deletions_reported"], value["residue"]) for value in deleted} == {(SIZE.each, 0)}
    assert stores.readable(tmp_path, texts) == 0
    assert stores.readable(tmp_path, [text.text for text in islice(stores.said(0, SIZE), 10)]) == 10


def test_a_store_without_isolation_returns_mostly_foreign_memories_without_a_user(
    material: Path, known: Truth, tmp_path: Path
) -> None:
    (able,) = phase("fill", Exact(), material, tmp_path)["abilities"]
    assert foreign(known, able["unnamed"]) > 0.5
    assert not able["refuses_unnamed"]


def test_ties_are_not_mistakes_and_a_repeated_memory_counts_once() -> None:
    known = Truth((Text("u", "a", "a"),), ({"a": 0.9, "b": 0.5, "c": 0.5, "d": 0.1},))
    assert judged(known, [["a", "c", "b"]])["right"]["3"] == 1.0
    assert judged(known, [["a", "c"]])["right"]["1"] == 1.0
    assert judged(known, [["b", "a"]])["right"]["1"] == 0.0
    assert judged(known, [["a", "a", "d"]])["right"]["3"] == pytest.approx(1 / 3, abs=1e-4)
    assert judged(known, [["b", "a"]])["known"] == {"1": 0.0, "3": 1.0, "5": 1.0, "10": 1.0, "20": 1.0}


def test_the_loop_needs_nothing_but_the_standard_library() -> None:
    asked = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import benchmarks.peers.driver; print('numpy' in sys.modules)"
    )
    alone = subprocess.run([sys.executable, "-I", "-S", "-c", asked], capture_output=True, text=True, check=True)
    assert alone.stdout == "False\n"


# -- processes and environments ---------------------------------------------------------------------------------------


def telling(*lines: dict[str, Any], then: str = "") -> list[str]:
    steps = "".join(f"print({json.dumps(line)!r}, flush=True);" for line in lines)
    return [sys.executable, "-I", "-S", "-c", steps + then]


def test_a_drivers_output_is_collected(tmp_path: Path) -> None:
    heard = heard_of(telling({"step": "search"}, {"step": "search", "value": {"p50": 1.0}}), 30.0, tmp_path)
    assert heard.first("search") == {"p50": 1.0}
    assert heard.first("add") is None
    assert not heard.ended


def test_a_step_that_times_out_is_stopped_and_reported(tmp_path: Path) -> None:
    done = {"step": "load"}, {"step": "load", "value": {"seconds": 0.1}}
    heard = heard_of(telling(*done, {"step": "bulk_add"}, then="import time; time.sleep(60)"), 4.0, tmp_path)
    assert heard.first("bulk_add") == {"more_than_seconds": 4.0}
    assert heard.first("load") == {"seconds": 0.1}


def test_a_failing_step_is_reported_with_its_message(tmp_path: Path) -> None:
    heard = heard_of(telling({"step": "open"}, then="raise OSError('no room')"), 30.0, tmp_path)
    assert heard.first("open") == {"failed": "OSError: no room"}


def test_every_system_has_a_driver_and_an_environment_of_exact_versions() -> None:
    folder = ROOT / "benchmarks" / "peers" / "drivers"
    systems = {system.name: system.environment for system in SYSTEMS}
    systems |= {"memfort_postgres": OWN} | PEERS_ON_POSTGRES  # of another benchmark
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(systems)
    wanted = {*systems.values()} - {OWN}
    assert {path.stem for path in REQUIREMENTS.glob("*.txt")} == wanted
    for name in wanted:
        lines = (REQUIREMENTS / f"{name}.txt").read_text().splitlines()
        assert lines
        assert all(re.fullmatch(r"[a-z0-9-]+(\[[a-z,]+\])?==[\w.]+", line) for line in lines)


# -- the report -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def own() -> dict[str, Any]:
    """A run of Memfort alone, through real processes."""
    plan = peers.Plan(sizes=[40, 80], questions=10, additions=3, seconds=120.0)
    return peers.run([system for system in SYSTEMS if system.environment == OWN], plan)


@pytest.fixture
def measured(own: dict[str, Any]) -> dict[str, Any]:
    """The same run with three more systems, made up of what such a system would report."""
    found = copy.deepcopy(own)
    (memfort,) = found["systems"]
    for name in ("chroma", "lancedb", "langgraph_memory"):
        other = copy.deepcopy(memfort)
        title = next(system.title for system in SYSTEMS if system.name == name)
        found["systems"].append(
            {**other, "name": name, "title": title, "ranks_by": "vectors", "versions": {name: "9.8"}}
        )
    return found


def systems_by_name(found: dict[str, Any]) -> dict[str, Any]:
    return {system["name"]: system for system in found["systems"]}


def rows(rendering: str, title: str) -> list[dict[str, str]]:
    """What the tables of each size say of a system, by the names of the columns."""
    found: list[dict[str, str]] = []
    header: list[str] = []
    for line in rendering.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line[:1] == "|" else []
        if cells and not header:
            header = cells
        if cells and cells[0] == title:
            row = dict(zip(header, cells, strict=True))
            if found and not set(row) & set(found[-1]) - {""}:
                found[-1] |= row
            else:
                found.append(row)
        header = header if cells else []
    return found


def test_a_run_measures_every_step_in_processes_of_their_own(own: dict[str, Any]) -> None:
    (memfort,) = own["systems"]
    assert set(memfort["versions"]) == {"memfort", "apsw"}
    assert [store["memories"] for store in memfort["stores"]] == [40, 80]
    for store in memfort["stores"]:
        assert store["ended"] == {}
        assert store["search"]["times"] == store["answers"]["answered"] == 10
        assert store["cold_open"]["p50"] > store["cold_open"]["of_which_loading"] > 0
        assert store["cold_open"]["found"] > 0
        assert store["delete_user"]["times"] == stores.LEAVING
        assert store["delete_user"]["found_before"] > store["delete_user"]["found_after"] == 0
        assert store["residue"]["before"] > store["residue"]["after"] == 0
        assert store["disk_megabytes"] > 0
        assert store["answers"]["foreign"] == 0
    assert "answers" not in memfort["stores"][0]["search"]
    json.dumps(own)


def test_the_tables_have_a_row_for_every_system_at_every_size(measured: dict[str, Any]) -> None:
    rendering = report.render(measured)
    assert measured["started"][:10] in rendering
    assert "chroma 9.8" in rendering
    for system in measured["systems"]:
        assert len(rows(rendering, system["title"])) == 2
    (small, _) = rows(rendering, "Memfort")
    assert small["deleted texts in the files"] == "no"
    assert small["other users' memories returned"] == "none"
    assert small["searched without a user"] == "nothing found"
    assert small["reports how many it deleted"] == "yes"
    assert small["can verify a deletion"] == "found nothing"
    assert small["explains an answer by"].endswith("named values")
    assert small["expected memory in the first 10, paraphrased / in its own words"].endswith("/ 100%")
    assert small["search, ms p50 / p95 / p99"].count("/") == 2


def test_systems_that_rank_by_more_than_vectors_are_not_judged_by_vector_order(measured: dict[str, Any]) -> None:
    rendering = report.render(measured)
    assert rows(rendering, "Memfort")[0]["nearest 10 correct"] == "ranks by more"
    assert rows(rendering, "Chroma")[0]["nearest 10 correct"].endswith("%")


def test_the_pages_state_the_cost_of_embedding_and_which_systems_include_it(measured: dict[str, Any]) -> None:
    measured["embedding"] = {"question_p50": 0.5, "memories_per_second": 1234}
    assert "0.500 ms for a question, and a second for 1,234 memories" in report.render(measured)
    assert "An answer comes with: Memfort" in report.render(measured)


def test_a_quick_run_says_so(measured: dict[str, Any]) -> None:
    assert "quick run" not in report.render(measured)
    measured["settings"]["quick"] = True
    assert "A quick run" in report.render(measured)
    assert "A quick run" in report.summary(measured)


def test_the_page_says_when_the_machine_had_other_work(measured: dict[str, Any]) -> None:
    assert "other work**: its load was 5.2 " in report.render({**measured, "load": 5.2})
    assert "other work" not in report.render({**measured, "load": 0.1})


def test_faults_of_a_system_stand_out(measured: dict[str, Any]) -> None:
    by_name = systems_by_name(measured)
    chroma = by_name["chroma"]["stores"][0]
    chroma["answers"] |= {"foreign": 7, "right_top_10": 0.125}
    chroma["residue"] |= {"before": 10, "after": 4, "texts": 10}
    chroma["delete_user"] |= {"found_after": 3, "deletions_reported": [7] * 3, "residue": [0, 2, 0]}
    chroma["abilities"] |= {"unnamed_found": 100, "unnamed_foreign": 0.875, "explains": ["distance"]}
    by_name["lancedb"]["stores"][0]["abilities"] |= {"refuses_unnamed": True}
    by_name["lancedb"]["stores"][0]["delete_user"] |= {"deletions_reported": [None] * 3, "residue": [None] * 3}
    by_name["lancedb"]["stores"][0]["residue"] |= {"before": 0, "after": 0}
    rendering = report.render(measured)
    faulty, faultless = rows(rendering, "Chroma")
    assert faulty["other users' memories returned"] == "**7**"
    assert faulty["searched without a user"] == "**87.5% other users'**"
    assert faulty["reports how many it deleted"] == "**wrongly**, 7"
    assert faulty["can verify a deletion"] == "**found 2**"
    assert faulty["explains an answer by"] == "a score"
    assert faulty["nearest 10 correct"] == "12.5%"
    assert faulty["deleted texts in the files"] == "**yes**, 4 of 10"
    assert faulty["delete a user, ms"].endswith("**3 still found**")
    assert faultless["other users' memories returned"] == "none"
    assert "found" not in faultless["delete a user, ms"]
    refusing = rows(rendering, "LanceDB")[0]
    assert refusing["deleted texts in the files"] == "not readable before either"
    assert refusing["searched without a user"] == "refused"
    assert refusing["reports how many it deleted"] == "no"
    assert refusing["can verify a deletion"] == "cannot"


def test_a_system_that_was_stopped_or_failed_stays_in_the_tables(measured: dict[str, Any]) -> None:
    by_name = systems_by_name(measured)
    for name, how in (("chroma", {"more_than_seconds": 300.0}), ("lancedb", {"failed": "OSError: no room"})):
        store = by_name[name]["stores"][1]
        nothing = dict.fromkeys(("search", "add", "memory", "answers", "abilities"))
        kept = {key: store[key] for key in ("memories", "users", "each")}
        by_name[name]["stores"][1] = {**kept, **nothing, "bulk_add": how, "ended": {"bulk_add": how}}
    rendering = report.render(measured)
    assert rows(rendering, "Chroma")[1]["add in bulk, per s"] == "more than 300 s"
    assert rows(rendering, "LanceDB")[1]["add in bulk, per s"] == "failed"
    assert rows(rendering, "Chroma")[1]["search, ms p50 / p95 / p99"] == report.NOTHING
    assert "- Chroma, 80 memories, `bulk_add`: more than 300 s" in rendering
    assert "`OSError: no room`" in rendering
    assert report.compared(measured) == 40
    assert "Did not come to an end" not in report.render({**measured, "systems": measured["systems"][:1]})


def test_a_size_that_would_take_too_long_is_left_out_and_said_to_be(own: dict[str, Any], tmp_path: Path) -> None:
    filled = [{"memories": 1_000, "bulk_add": {"seconds": 40.0}}]
    assert peers._expected([], stores.Size(10_000)) == 0
    assert peers._expected(filled, stores.Size(10_000)) == 400
    assert peers._expected([{"memories": 1_000, "bulk_add": {"failed": "OSError"}}], stores.Size(10_000)) == 0
    system = next(system for system in SYSTEMS if system.name == "mem0")
    one = Run(system, Path("python"), stores.Size(80), tmp_path, tmp_path, 300.0, lambda _: None)
    assert one.too_much(400.0) is None
    left = one.left_out(one.too_much(500.0) or {})
    about = {"name": "mem0", "title": system.title, "versions": {"mem0ai": "9"}, "keeps": True, "ranks_by": "vectors"}
    rendering = report.render({**own, "systems": [*own["systems"], {**about, "stores": [left]}]})
    assert rows(rendering, system.title)[0]["add in bulk, per s"] == "left out, about 500 s"
    assert f"- {system.title}, 80 memories, `bulk_add`: left out, about 500 s" in rendering


def test_a_size_beyond_a_systems_limit_is_left_out(tmp_path: Path) -> None:
    system = next(system for system in SYSTEMS if system.most)
    small, large = (
        Run(system, Path("python"), stores.Size(size), tmp_path, tmp_path, 300.0, lambda _: None)
        for size in (20_000, 100_000)
    )
    assert small.too_much(0.0) is None
    assert large.too_much(0.0) == {"meant_for": 20_000}
    assert report._ended({"meant_for": 20_000}) == "left out, not meant for more than 20,000"
    assert report._of("bulk_add", str)({"bulk_add": {"meant_for": 20_000}}) == report._ended({"meant_for": 20_000})


def test_a_system_that_keeps_nothing_says_so(measured: dict[str, Any]) -> None:
    memory = systems_by_name(measured)["langgraph_memory"]
    memory["keeps"] = False
    row = rows(report.render(measured), memory["title"])[0]
    assert {row[name] for name in ("disk, MB", "cold: load, open, search, ms", "deleted texts in the files")} == {
        "keeps nothing"
    }


@pytest.mark.parametrize("draw", [chart.latency, chart.recall])
def test_a_plot_names_every_line_beside_it(draw: Any, measured: dict[str, Any]) -> None:
    picture = ElementTree.fromstring(draw(measured))
    texts = [(text.text, float(text.get("y", 0))) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    titles = {system["title"] for system in measured["systems"]}
    heights = sorted(height for text, height in texts if text in titles)
    assert len(heights) == len(titles) == 4
    assert all(below - above > chart.LINE_HEIGHT - 0.05 for above, below in pairwise(heights))
    assert all(0 < height < chart.HEIGHT - chart.BOTTOM + chart.LINE_HEIGHT for height in heights)


def test_recall_is_drawn_at_every_rank_from_the_largest_store_that_most_answered(measured: dict[str, Any]) -> None:
    assert "not measured" not in chart.recall(measured)
    systems_by_name(measured)["lancedb"]["stores"][1]["answers"] = None
    assert report.compared(measured) == 80
    drawn = chart.recall(measured)
    assert "store of 80" in drawn
    assert "not measured in this store: LanceDB<" in drawn
    lines = re.findall(r'<polyline[^>]* points="([^"]*)"', drawn)
    assert lines
    assert {len(line.split()) for line in lines} == {len(RANKS)}


def test_lines_that_cover_each_other_are_drawn_once_with_all_their_names(measured: dict[str, Any]) -> None:
    systems = systems_by_name(measured)
    for number, name in enumerate(systems):
        systems[name]["stores"][1]["answers"]["known"] = dict.fromkeys(map(str, RANKS), 0.5 if number else 0.75)
    drawn = chart.recall(measured)
    assert drawn.count("<polyline") == 3  # Memfort, the three others together, and the exact search
    assert drawn.count(f'style="fill:{chart.SHARED}"') == 4


def test_a_line_that_stops_early_says_so(measured: dict[str, Any]) -> None:
    assert "(to " not in chart.latency(measured)
    systems_by_name(measured)["chroma"]["stores"][1]["search"] = {"more_than_seconds": 300.0}
    assert "Chroma (to 40)" in chart.latency(measured)


def test_publishing_writes_the_tables_and_plots_and_nothing_else_of_the_pages(
    measured: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    copies = {tmp_path / "README.md": ROOT / "README.md", folder / "README.md": PAGE}
    for copied, original in copies.items():
        copied.write_text(original.read_text())
    peers.write(measured, folder, peers.PUBLISHED, with_pages=True)
    for copied, original in copies.items():
        page = copied.read_text()
        assert placed(page, "", report.BEGIN) == placed(original.read_text(), "", report.BEGIN)
        drawn = re.findall(rf"\]\(([\w/]+/{peers.PUBLISHED}-\w+\.svg)\)", page)
        assert len(drawn) == (2 if copied.parent == folder else 1)
        assert all((copied.parent / picture).exists() for picture in drawn)
    assert report.render(measured) in (folder / "README.md").read_text()
    assert report.summary(measured) in (tmp_path / "README.md").read_text()
    assert json.loads((folder / "results" / "published-peers.json").read_text()) == measured


def test_the_readme_summary_shows_one_size_and_names_missing_systems(measured: dict[str, Any]) -> None:
    steps = report.summary(measured)
    assert "80 memories over 10 users" in steps
    assert measured["started"][:10] in steps
    assert "memfort " in report.render(measured)  # the versions are on the page of the benchmarks
    assert len(rows(steps, "Memfort")) == 1
    assert "Not measured" not in steps
    systems_by_name(measured)["lancedb"]["stores"][1]["answers"] = None
    assert "Not measured at this size: LanceDB." in report.summary(measured)


def test_the_pages_and_the_plots_are_those_of_the_published_run() -> None:
    published = PAGE.parent / "results" / f"{peers.PUBLISHED}.json"
    if not published.exists():
        assert all(
            placed(page.read_text(), "", report.BEGIN) == page.read_text() for page in (PAGE, ROOT / "README.md")
        )
        return
    found = json.loads(published.read_text())
    for page, rendering in peers.pages(found, PAGE.parent, peers.PUBLISHED).items():
        assert placed(page.read_text(), rendering, report.BEGIN) == page.read_text()
    for name, draw in (("latency", chart.latency), ("recall", chart.recall)):
        assert (published.parent / f"{peers.PUBLISHED}-{name}.svg").read_text() == draw(found)
