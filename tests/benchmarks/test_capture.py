"""The benchmark of capture: its labels are whole, and its arithmetic says what they say."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from benchmarks.capture import labels
from benchmarks.capture.__main__ import BEGIN, counted, main, missed
from benchmarks.capture.labels import Fact, Message, contains, conversations, corrected, spans
from benchmarks.capture.learn import learn, remember
from benchmarks.capture.report import render
from benchmarks.capture.score import Answers, Hit, Learned, Statement, best, judge, summary, wilson
from benchmarks.speed.report import placed
from click.testing import CliRunner

from completion_server import CompletionServer

PAGE = Path(__file__).parents[2] / "benchmarks" / "README.md"
SETS = [name for name in labels.SETS if (labels.FOLDER / f"{name}.jsonl").exists()]


@pytest.fixture(scope="module", params=SETS)
def messages(request: pytest.FixtureRequest) -> list[Message]:
    return labels.read(request.param)


# -- the labels -------------------------------------------------------------------------------------------------------


def test_the_development_set_is_large_and_half_of_it_has_nothing_to_keep() -> None:
    messages = labels.read("dev")
    by_language = Counter(message.lang for message in messages)
    assert len(messages) >= 480
    assert set(by_language) == set(labels.LANGUAGES)
    assert 0.45 <= by_language["en"] / len(messages) <= 0.6
    assert 0.45 <= sum(not message.required for message in messages) / len(messages) <= 0.6
    assert sum(fact.replaces is not None for message in messages for fact in message.facts) >= 40


def test_every_message_has_its_own_id_and_its_own_time_in_its_conversation(messages: list[Message]) -> None:
    assert len({message.id for message in messages}) == len(messages)
    for talks in conversations(messages).values():
        times = [datetime.fromisoformat(message.at) for talk in talks for message in talk]
        assert times == sorted(set(times))


def test_what_a_correction_names_was_said_before_by_the_same_user(messages: list[Message]) -> None:
    by_id = {message.id: message for message in messages}
    for message in messages:
        for reference in (message.retracts, *(one for fact in message.facts for one in (fact.replaces, fact.retracts))):
            if reference is not None:
                source, _ = corrected(reference, by_id)
                assert (source.owner, source.at < message.at) == (message.owner, True), message.id


def test_the_fact_itself_has_the_words_that_a_statement_must_have(messages: list[Message]) -> None:
    assert [fact.fact for one in messages for fact in one.facts if not contains(fact.fact, fact.must)] == []


def test_every_date_can_be_read_and_every_lasting_fact_has_a_question(messages: list[Message]) -> None:
    facts = [fact for message in messages for fact in message.facts]
    assert all(first <= last for fact in facts if fact.date for first, last in spans(fact.date))
    assert all(fact.query for fact in facts if fact.lasting)


def test_assistants_and_tools_say_nothing_that_is_kept(messages: list[Message]) -> None:
    assert [one.id for one in messages if one.role != "user" and (one.facts or one.forget or one.retracts)] == []


def test_a_date_label_is_a_day_a_month_a_year_or_a_span_with_both_ends() -> None:
    assert spans("2026-03-11") == [(date(2026, 3, 11), date(2026, 3, 11))]
    assert spans("2026-02") == [(date(2026, 2, 1), date(2026, 2, 28))]
    assert spans("2023") == [(date(2023, 1, 1), date(2023, 12, 31))]
    assert spans("2026-05-23..2026-05-30|2026") == [
        (date(2026, 5, 23), date(2026, 5, 30)),
        (date(2026, 1, 1), date(2026, 12, 31)),
    ]


def test_words_are_compared_without_case_and_kinds_of_space() -> None:
    assert contains("Le loyer est de 1\u202f950 euros", ["loyer", "1 950"])
    assert contains("It’s Thursday", ["it's", "friday|thursday"])
    assert not contains("It is Thursday", ["friday"])


@pytest.mark.parametrize("name", labels.SETS)
def test_the_tables_are_those_of_the_run_that_is_kept(name: str) -> None:
    published = PAGE.parent / "results" / f"published-capture-{name}.json"
    rendering = render(json.loads(published.read_text())) if published.exists() else ""
    assert placed(PAGE.read_text(), rendering, BEGIN[name]) == PAGE.read_text()


# -- the score --------------------------------------------------------------------------------------------------------

DENTIST = Fact("The dentist is on Monday", ("dentist", "monday"), "event", "When is the dentist?",
               subject="user", date="2026-03-09", lasting=True)  # fmt: skip
NEWER = Fact("The dentist is on Tuesday", ("dentist", "tuesday"), "event", "When is the dentist?", ("task",),
             subject="user", date="2026-03-10", lasting=True, replaces="a-1")  # fmt: skip
WIFE = Fact("My wife Ana has anxiety", ("ana", "anxiety"), "identity", "What does Ana have?",
            subject="Ana|wife", sensitivity="sensitive", lasting=True)  # fmt: skip
TALK = [
    Message("a", "a-1", "2026-03-02T10:00:00Z", "user", "en", "The dentist is on Monday", (DENTIST,)),
    Message("a", "a-2", "2026-03-02T10:01:00Z", "user", "en", "no wait, Tuesday", (NEWER,)),
    Message("a", "a-3", "2026-03-02T10:02:00Z", "assistant", "en", "Tuesday, noted."),
    Message("a", "a-4", "2026-03-02T10:03:00Z", "user", "en", "My wife Ana has anxiety", (WIFE,)),
    Message("a", "a-5", "2026-03-02T10:04:00Z", "user", "en", "forget that about Ana", forget="Ana's anxiety"),
]
OLD = Statement("1", "a-1", "The dentist is on Monday", "event", frozenset({"user"}),
                (date(2026, 3, 9), date(2026, 3, 9)), "public", in_force=False)  # fmt: skip
NEW = Statement("2", "a-2", "The dentist is on Tuesday", "task", frozenset({"user"}),
                (date(2026, 3, 10), date(2026, 3, 10)), "public", in_force=True)  # fmt: skip
ANA = Statement("3", "a-4", "My wife Ana has anxiety", "identity", frozenset({"ana", "wife"}), None, "sensitive",
                in_force=True)  # fmt: skip


def _hit(statement: Statement) -> Hit:
    return Hit((statement.message,), statement.text, is_statement=True)


def _shares(learned: Learned) -> dict[str, tuple[int, int]]:
    return {measure: (one["all"]["right"], one["all"]["n"]) for measure, one in summary(judge(TALK, learned)).items()}


def _answers(*statements: Statement) -> Answers:
    hits = tuple(map(_hit, statements))
    return Answers(hits, hits)


PERFECT = Learned([OLD, NEW, ANA], {("a-1", 0): _answers(NEW), ("a-2", 0): _answers(NEW), ("a-4", 0): _answers(ANA)},
                  {"a-5"})  # fmt: skip


def test_whoever_learns_what_the_labels_say_has_everything_right() -> None:
    assert _shares(PERFECT) == {
        "kept": (3, 3), "worth keeping": (3, 3), "type": (3, 3), "subject": (3, 3), "sensitivity": (3, 3),
        "date": (2, 2), "date of kept": (2, 2), "old below new": (1, 1), "old ended": (1, 1), "still in force": (2, 2),
        "top statements": (2, 2), "top with turns": (2, 2), "forget requests": (1, 1),
    }  # fmt: skip


def test_whoever_learns_nothing_has_nothing_right() -> None:
    found = _shares(Learned(answers=dict.fromkeys(PERFECT.answers, _answers())))
    assert {measure: right for measure, (right, _) in found.items()} == dict.fromkeys(found, 0)
    assert (found["kept"], found["old ended"], found["forget requests"]) == ((0, 3), (0, 1), (0, 1))


@pytest.mark.parametrize(
    ("measure", "place", "wrong"),
    [
        ("kept", 1, {"text": "Tuesday"}),
        ("worth keeping", 0, {"message": "a-3"}),
        ("type", 2, {"type": "observation"}),
        ("subject", 2, {"subjects": frozenset({"user"})}),
        ("subject", 2, {"subjects": frozenset({"user", "ana"})}),
        ("sensitivity", 2, {"sensitivity": "personal"}),
        ("date", 1, {"days": (date(2026, 3, 3), date(2026, 3, 3))}),
        ("date", 1, {"days": (date(2026, 3, 10), date(2026, 3, 16))}),
        ("old ended", 0, {"in_force": True}),
        ("still in force", 2, {"in_force": False}),
        ("forget requests", 2, {"message": "a-5"}),
    ],
)
def test_each_mistake_counts_in_its_measure(measure: str, place: int, wrong: dict[str, Any]) -> None:
    statements = list(PERFECT.statements)
    statements[place] = replace(statements[place], **wrong)
    right, n = _shares(replace(PERFECT, statements=statements))[measure]
    assert right == n - 1


def test_an_old_value_above_the_new_one_or_in_its_place_is_wrong() -> None:
    for shown in ((OLD, NEW), (OLD,), ()):
        assert _shares(replace(PERFECT, answers={**PERFECT.answers, ("a-2", 0): _answers(*shown)}))[
            "old below new"
        ] == (0, 1)
    below = replace(PERFECT, answers={**PERFECT.answers, ("a-2", 0): _answers(NEW, OLD)})
    assert _shares(below)["old below new"] == (1, 1)


def test_the_sixth_hit_is_not_among_the_top_five() -> None:
    others = [Statement(str(n), "a-3", "noted", "context", frozenset(), None, "public", True) for n in range(5)]
    for rank, right in ((4, 2), (5, 1)):
        hits = _answers(*others[:rank], ANA)
        assert _shares(replace(PERFECT, answers={**PERFECT.answers, ("a-4", 0): hits}))["top statements"] == (right, 2)


def test_the_turn_itself_answers_only_where_turns_count() -> None:
    turn = Hit(("a-2",), "no wait, Tuesday", is_statement=False)
    with_turn = Answers((), (turn,))
    found = _shares(replace(PERFECT, answers={**PERFECT.answers, ("a-2", 0): with_turn}))
    assert (found["top statements"], found["top with turns"], found["old below new"]) == ((1, 2), (2, 2), (1, 1))


def test_a_message_taken_for_a_request_to_forget_is_counted() -> None:
    assert _shares(replace(PERFECT, forget_requests={"a-1", "a-5"}))["no forget request"] == (0, 1)


def test_the_nearest_statement_that_says_it_is_judged_and_a_profile_fact_last() -> None:
    longer = replace(ANA, id="4", text="By the way, my wife Ana has anxiety")
    profile = replace(ANA, id="5", text="wife: Ana, anxiety", is_profile=True)
    assert best([longer, profile, ANA], WIFE) == ANA
    assert best([profile], WIFE) == profile
    assert best([NEW], WIFE) is None


def test_the_interval_of_a_share_holds_it_and_stays_within_bounds() -> None:
    assert wilson(0, 10)[0] == 0
    assert wilson(10, 10)[1] == 1
    low, high = wilson(50, 100)
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)


def test_conversations_go_through_a_store_and_are_asked_ten_days_later() -> None:
    learned = learn(TALK, remember, lambda _: None)
    assert [(one.message, one.text) for one in learned.statements if one.message == "a-4"] == [("a-4", TALK[3].text)]
    assert all(one.message != "a-3" for one in learned.statements)  # the assistant's words are not the user's
    assert TALK[3].text in [hit.text for hit in learned.answers["a-4", 0].everything]


def test_the_report_has_a_row_for_each_measure_and_counts_the_set() -> None:
    shares = summary(judge(TALK, PERFECT))
    found = {"commit": "0" * 12, "started": "2026-01-01T00:00:00Z", "set": {"name": "dev", **counted(TALK)},
             "shares": shares, "remembered": shares}  # fmt: skip
    page = render(found)
    assert "5 messages in 1 conversations, 2 with nothing to keep; 3 facts, 1 corrections, 2 dates" in page
    assert "| facts kept | 80 / 60 | **100.0** (44–100; 3) | **100.0** (44–100; 3) | – |" in page


def test_misses_are_listed_by_measure() -> None:
    verdicts = judge(TALK, replace(PERFECT, statements=[OLD, ANA]))
    assert missed(verdicts, "kept") == ["kept | en | a-2 | The dentist is on Tuesday | no wait, Tuesday"]


def test_the_misses_of_the_held_out_set_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "FOLDER", tmp_path)
    (tmp_path / "held_out.jsonl").write_text("")
    refused = CliRunner().invoke(main, ["--set", "held_out", "--misses"])
    assert (refused.exit_code, "can no longer be judged" in refused.output) == (2, True)


def test_a_set_may_be_any_file(tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    talk.write_text("".join(f"{msgspec.json.encode(one).decode()}\n" for one in TALK), encoding="utf-8")
    assert labels.read(str(talk)) == TALK
    refused = CliRunner().invoke(main, ["--set", str(tmp_path / "none.jsonl")])
    assert (refused.exit_code, "there is no file" in refused.output) == (2, True)


def test_a_run_with_a_model_is_marked_and_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[dict[str, Any]] = []
    monkeypatch.setattr("benchmarks.capture.__main__.write", lambda found, *_, **__: runs.append(found))
    given = tmp_path / "one.jsonl"
    given.write_text("".join(f"{msgspec.json.encode(one).decode()}\n" for one in TALK), encoding="utf-8")
    with CompletionServer().running() as server:
        address = f"{server.url}#small"
        refused = CliRunner().invoke(main, ["--extractor", address, "--publish"])
        assert "needs no model" in refused.output
        assert server.requests == []
        done = CliRunner().invoke(main, ["--set", str(given), "--extractor", address])
        assert done.exit_code == 0, done.output
        assert f"With the extractor `{address}`" in done.output
        assert runs[0]["extractor"] == address
