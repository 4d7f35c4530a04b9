"""The quality benchmark: its tables are those of its runs, a small run comes to an end, and the fit finds what is
there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.quality import __main__ as quality
from benchmarks.quality import ablation, fit, floor, observed
from benchmarks.quality.corpora import Conversation, Question
from benchmarks.quality.measure import chances, found_in, shuffled, stored
from benchmarks.quality.newer_values import as_they_stand, updated_first
from benchmarks.quality.partition import Partition
from benchmarks.speed.report import placed
from click.testing import CliRunner

from embedding_server import RerankServer
from memfort.model.results import Feature
from memfort.policy.settings.sections import WEIGHTS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "benchmarks" / "README.md"
TURNS = (
    "[8 May, 2023] Ann: I went to the harbour with my sister.",
    "[8 May, 2023] Bo: How was the weather there?",
    "[8 May, 2023] Ann: Sunny, and we ate herring.",
    "[9 May, 2023] Bo: My new bicycle costs 900 francs.",
    "[9 May, 2023] Ann: That is a lot for a bicycle.",
    "[10 May, 2023] Bo: The bicycle costs 700 francs now.",
)
TALK = Conversation(
    "one", TURNS,
    (
        Question("Where did Ann go with her sister?", "single-hop", frozenset({0})),
        Question("What did Ann eat at the harbour?", "multi-hop", frozenset({0, 2})),
        Question("What does Bo's bicycle cost?", "update", frozenset({3, 5}), (frozenset({3}), frozenset({5}))),
    ),
    ("Which opera did Ann sing in?",),
)  # fmt: skip
OTHER = Conversation(
    "two", ("Cy: The printer is out of toner.", "Di: I ordered toner for the printer on Monday."),
    (Question("Who ordered toner?", "single-hop", frozenset({1})),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("published-quality", quality),
        ("published-fit", fit),
        ("published-ablation", ablation),
        ("published-observed", observed),
    ],
)
def test_the_tables_are_those_of_the_run_that_is_kept(name, module):
    published = ROOT / "benchmarks" / "results" / f"{name}.json"
    rendering = module.render(json.loads(published.read_text())) if published.exists() else ""
    assert placed(PAGE.read_text(), rendering, module.BEGIN) == PAGE.read_text()


@pytest.fixture
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(quality, "SETS", {"small": lambda: [TALK, OTHER]})
    monkeypatch.setattr(quality, "BENCHMARKS", tmp_path)
    (tmp_path / "README.md").write_text(f"# Benchmarks\n\n{quality.BEGIN}<!-- to here -->\n")
    return tmp_path


def test_a_small_run_measures_everything_and_is_published(small):
    result = CliRunner().invoke(quality.main, ["--publish"])
    assert result.exit_code == 0, result.output
    found = json.loads((small / "results" / "published-quality.json").read_text())
    one = found["sets"]["small"]
    assert one["questions"] == 4
    assert one["figures"]["R@10"] == 100.0
    assert set(one["without"]) == {*(feature.value for feature in Feature), "floor"}
    assert one["updates"]["corrected"] == {"questions": 1, "updated first": 100.0}
    assert quality.render(found) in (small / "README.md").read_text()


def test_a_reranker_is_measured_beside_and_never_published(small):
    with RerankServer(lambda text: float("out of toner" in text or "a lot for" in text)).running() as server:
        asked_with = ("--reranker", f"{server.url}#judge")
        refused = CliRunner().invoke(quality.main, [*asked_with, "--publish"])
        assert (refused.exit_code, server.requests) == (2, [])
        result = CliRunner().invoke(quality.main, [*asked_with, "--no-ablate"])
    assert result.exit_code == 0, result.output
    [kept] = (small / "results").iterdir()
    one = json.loads(kept.read_text())["sets"]["small"]
    assert one["reranked"]["figures"]["MRR"] < one["figures"]["MRR"]  # it was asked, and is a bad one
    assert "| small, reranked | 4 |" in result.output


def test_a_failing_reranker_yields_no_measurement(small):
    with RerankServer(lambda _: 0.0).running() as server:
        server.otherwise = lambda _: (400, {}, {})
        result = CliRunner().invoke(quality.main, ["--reranker", f"{server.url}#judge", "--no-ablate"])
    assert isinstance(result.exception, AssertionError)
    assert not (small / "results").exists()


def test_a_missing_dataset_is_reported_and_not_measured(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMFORT_BENCH_DATA", str(tmp_path))
    for command in (quality.main, fit.main, ablation.main, observed.main):
        result = CliRunner().invoke(command)
        assert result.exit_code == 1
        assert "is not there" in result.output
        assert not list(tmp_path.iterdir())


def partition_of(conversation: Conversation) -> Partition:
    with stored(conversation) as asker:
        partition = Partition(conversation, asker.items)
        for question in conversation.questions:
            assert partition.ask(question.text) == asker.ask(question.text), question.text
    return partition


def test_a_partition_answers_as_the_store_does():
    assert partition_of(TALK).ask("Where did Ann go with her sister?")[0] == 0
    assert partition_of(OTHER).ask("Who ordered toner?") != []


def test_the_trade_off_counts_empty_answers():
    partitions = [partition_of(TALK), partition_of(OTHER)]
    found = floor.trade_off(partitions)
    rows = found["floors"]
    assert list(rows) == [f"{least:.2f}" for least in floor.TRIED]
    assert rows["0.16"]["R@10"] == 100.0
    assert rows["0.16"]["own"] == 0.0
    empty = [row["of another conversation"] for row in rows.values()]
    assert empty == sorted(empty)
    assert rows["0.16"]["on the subject, without an answer"] == 100.0
    assert len(found["held out"]["chosen"]) == 5


def test_an_update_that_was_stored_as_one_comes_first():
    assert updated_first([TALK], "corrected") == {"questions": 1, "updated first": 100.0}
    assert updated_first([OTHER], "corrected") == {}
    assert updated_first([TALK], "observed")["questions"] == 1
    assert as_they_stand(TALK, lambda _: [0, 3, 5]) == [False]
    assert as_they_stand(TALK, lambda _: [0, 5, 3]) == [True]
    assert as_they_stand(TALK, lambda _: []) == [False]


def test_the_control_asks_with_the_words_of_another_question():
    pairs = shuffled(TALK)
    assert pairs == shuffled(TALK)
    assert pairs
    assert all(question.text != text for question, text in pairs)
    assert chances([TALK]) == {"any turn": 100.0, "about the same person": pytest.approx(66.7, abs=34)}


def test_ranks_are_of_the_turns_that_answer():
    assert found_in([4, 2, 0], TALK.questions[1]).ranks == (1, 2)


def test_the_fit_gives_the_weight_to_the_informative_feature():
    """Many features, all but one of them noise: the weight of that one is what ranks."""
    draw = np.random.default_rng(0)
    questions = []
    for _ in range(40):
        features = draw.random((12, len(fit.FITTED)))
        gold = int(np.argmax(features[:, 0]))
        question = Question("?", "made", frozenset({gold}))
        questions.append(fit.QuestionFeatures("one", question, features, np.arange(12)))
    weights = fit.fit_weights([questions])
    assert weights[0] > 4 * np.abs(weights[1:]).max()
    assert all(weights[place] <= 0 for place, feature in enumerate(fit.FITTED) if WEIGHTS[feature] < 0)
    figures = [one.figures(weights) for one in questions]
    assert np.mean([first for first, _ in figures]) == 1.0


def test_the_fit_reads_the_features_of_the_product():
    asked_all = fit.question_features([TALK, OTHER], fit.a_memory())
    assert len(asked_all) == 4
    shipped = np.array([WEIGHTS[feature] for feature in fit.FITTED])
    assert [one.figures(shipped)[0] for one in asked_all] == [1.0] * 4


def test_an_ablation_shows_the_loss_of_each_feature(monkeypatch, tmp_path):
    monkeypatch.setattr(ablation, "SETS", {"small": lambda: [TALK, OTHER]})
    monkeypatch.setattr(ablation, "BENCHMARKS", tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "README.md").write_text(f"# Benchmarks\n\n{ablation.BEGIN}<!-- to here -->\n")
    result = CliRunner().invoke(ablation.main, ["--publish"])
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "results" / "published-ablation.json").read_text())
    assert set(found["shipped"]) == {"nothing", *(one.value for one in Feature if one not in ablation.NO_DATA)}
    assert found["shipped"]["nothing"]["small"]["R@10"] == {"without": 100.0, "lost": 0.0, "low": 0.0, "high": 0.0}
    newer = found["shipped"]["newer_value"][ablation.EVERYDAY]["right value first"]
    assert newer["low"] > 0
    assert ablation.render(found) in (tmp_path / "README.md").read_text()
