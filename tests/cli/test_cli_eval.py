"""`memfort eval`: a report for people and programs, an exit code for CI, and no trace in one's own store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SAID = {
    "user": "ada",
    "lang": "en",
    "messages": [
        {"role": "user", "content": "I live in Oslo.", "facts": [{"fact": "lives in Oslo", "must": ["oslo"]}]},
        {"role": "user", "content": "What time is it?"},
    ],
}
ASKED = {"user": "ada", "lang": "en", "question": "Where do I live?", "answer": ["oslo"]}
WRONG = {"user": "ada", "lang": "en", "question": "Where do I live?", "answer": ["bergen"]}


@pytest.fixture
def given(cli):
    def write(*lines: object) -> str:
        path = cli.folder / "labels.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        return str(path)

    return write


def test_it_measures_ones_own_file_and_touches_no_store(cli, given):
    answer = cli.ok("eval", given(SAID, ASKED))
    assert "retrieval_hit_rate\t1.00\t≥ 0.80\t1 of 1 questions" in answer.out
    assert "deletion_compliance\t–\t\tno deletions\t\tnot measured" in answer.out
    assert not cli.store.exists()


def test_the_store_of_the_settings_stays_as_it_is(cli, given):
    cli.kept("ada", "I live in Bergen")
    before = cli.ok("--as", "ada", "list").out
    assert cli.json("eval", given(SAID, ASKED))["met"] is True
    assert cli.ok("--as", "ada", "list").out == before


def test_what_was_missed_is_shown_with_its_line(cli, given):
    answer = cli.ok("eval", given(SAID, ASKED, WRONG))
    assert "answer not found:\n  line 3 (en): Where do I live? – found: I live in Oslo" in answer.out
    found = cli.json("eval", given(SAID, ASKED, WRONG))
    assert [one["line"] for one in found["misses"]] == [3]
    assert found["met"] is False
    assert "line 3" not in cli.ok("eval", given(SAID, ASKED, WRONG), "--misses", "0").out


def test_check_fails_with_an_exit_code(cli, given):
    good, bad = given(SAID, ASKED), None
    assert cli("eval", good, "--check").code == 0
    bad = given(SAID, ASKED, WRONG)
    assert cli("eval", bad).code == 0
    assert cli("eval", bad, "--check").code == 1
    assert cli("eval", bad, "--check", "--target", "retrieval_hit_rate=0.5").code == 0
    assert cli("eval", bad, "--check", "--target", "retrieval_hit_rate=0.51").code == 1


def test_a_target_for_what_the_file_does_not_measure_is_missed(cli, given):
    assert cli("eval", given(SAID, ASKED), "--check", "--target", "deletion_compliance=1").code == 1


@pytest.mark.parametrize("target", ["recal=1", "retrieval_hit_rate=2", "retrieval_hit_rate", "retrieval_hit_rate=nan"])
def test_a_target_that_cannot_be_is_an_error(cli, given, target):
    assert cli("eval", given(SAID), "--target", target).code == 2


def test_a_bad_file_names_its_line(cli, given):
    answer = cli("eval", given(SAID, {**ASKED, "answer": "oslo"}))
    assert answer.code == 2
    assert "line 2" in answer.err
    assert cli("eval", str(cli.folder / "missing.jsonl")).code in {2, 4}


def test_the_policy_is_the_one_that_is_named(cli, given):
    policy = cli.folder / "nothing.toml"
    policy.write_text('write_policy = "none"\n')
    path = given(SAID)
    by_name = {one["name"]: one["value"] for one in cli.json("eval", path)["measures"]}
    strict = {one["name"]: one["value"] for one in cli.json("--policy", str(policy), "eval", path)["measures"]}
    assert (by_name["extraction_recall"], strict["extraction_recall"]) == (1.0, 0.0)


def test_a_report_a_picture_and_the_store_can_be_kept(cli, given):
    page, picture, store = (cli.folder / name for name in ("report.md", "plot.svg", "kept.db"))
    path = given(SAID, ASKED)
    files = ("--markdown", str(page), "--plot", str(picture), "--keep", str(store))
    cli.ok("eval", path, *files)
    assert page.read_text().startswith("# Evaluation on `labels.jsonl`")
    assert picture.read_text().startswith("<svg")
    assert "Oslo" in cli.ok("--store", str(store), "--as", "ada", "recall", "where do I live").out
    again = cli("eval", path, *files)
    assert again.code == 2
    assert "is there already" in again.err


def test_a_store_that_is_only_read_is_measured_with_its_policy(cli, given):
    policy = cli.folder / "nothing.toml"
    policy.write_text('write_policy = "none"\n')
    cli.ok("policy", "use", str(policy), "--yes")
    found = {one["name"]: one["value"] for one in cli.json("--read-only", "eval", given(SAID))["measures"]}
    assert found["extraction_recall"] == 0.0, "the policy in use is the one in force"


def test_standard_input_is_a_file_too(cli):
    assert cli.ok("eval", "-", stdin=json.dumps(SAID)).out.startswith("extraction_precision\t1.00")


def test_ours_is_used_without_a_file(cli):
    found = cli.json("eval")
    assert found["labels"] == "ours"
    assert len(found["measures"]) == 6
    assert set(found["by_language"]) == {"en", "de", "fr", "es", "it", "zh"}
    assert not Path(cli.store).exists()
