"""`memfort policy`: what is shown can be read back, what is wrong is named, and tests can fail."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from memfort.policy.settings.document import preset, preset_names, read_policy
from memfort.policy.settings.policy import Policy

POLICIES = Path(__file__).parents[1] / "policies"


@pytest.mark.fails_closed
def test_show_prints_a_policy_file(cli):
    assert read_policy(cli.ok("policy", "show").out, "shown") == Policy()
    assert read_policy(cli.ok("policy", "show", "--preset", "chat").out, "shown") == preset("chat")
    Path("mine.toml").write_text('name = "mine"')
    assert tomllib.loads(cli.ok("policy", "show", "--preset", "mine.toml").out)["name"] == "mine"


def test_show_in_json_names_digest_origin_and_every_key(cli):
    shown = cli.json("policy", "show", "--policy", "scoped")
    assert shown == {
        "digest": preset("scoped").digest, "origin": "flag --policy", "policy": preset("scoped").to_dict(),
    }  # fmt: skip


@pytest.mark.parametrize("name", preset_names())
def test_the_policy_may_be_a_preset_by_name(cli, name):
    assert cli.json("--policy", name, "policy", "show")["digest"] == preset(name).digest
    assert cli.ok("policy", "show", "--json", env={"MEMFORT_POLICY": name}).json["digest"] == preset(name).digest
    Path("memfort.toml").write_text(f'policy = "{name}"')
    assert cli.json("policy", "show")["digest"] == preset(name).digest


def test_a_preset_by_name_is_in_force(cli):
    assert cli("--as", "alice", "--at", "session=s1", "--policy", "scoped", "remember", "green tea").code == 3
    assert cli("--as", "alice", "--policy", "scoped", "remember", "green tea").code == 2  # it has no place
    assert cli("--as", "alice", "--policy", "research", "remember", "green tea").code == 0


def test_a_name_in_a_folder_is_a_file_and_no_preset(cli):
    answer = cli("--policy", "folder/scoped", "policy", "show")
    assert answer.code == 2
    assert "the policy file cannot be read" in answer.err


def test_a_preset_that_is_mistyped_is_suggested(cli):
    answer = cli("--policy", "scopd", "policy", "show")
    assert answer.code == 2
    assert answer.err.startswith("memfort: --policy: `scopd` is not a preset, and there is no file `")
    assert answer.err.endswith("; did you mean `scoped`?\n")
    assert "MEMFORT_POLICY: `scopd`" in cli("policy", "show", env={"MEMFORT_POLICY": "scopd"}).err


def test_a_file_cannot_stand_in_for_a_preset(cli):
    Path("scoped").write_text('name = "planted"')
    assert cli.json("--policy", "scoped", "policy", "show")["digest"] == preset("scoped").digest


def test_check_names_file_line_key_and_remedy(cli):
    Path("good.toml").write_text('extends = "chat"\nname = "ours"')
    assert cli.ok("policy", "check", "good.toml").out.startswith("good.toml is the policy `ours`, digest ")
    Path("bad.toml").write_text('name = "ours"\n\n[types.task]\nlifetime_seconds = 0')
    answer = cli("policy", "check", "bad.toml")
    assert answer.code == 2
    assert answer.err == (
        "memfort: bad.toml line 4: types.task.lifetime_seconds: it is not above 0; give more than 0, or leave it out\n"
    )
    assert cli("--json", "policy", "check", "bad.toml").json["error"]["remedy"] == "give more than 0, or leave it out"


def test_diff_shows_each_changed_key_with_before_and_after(cli):
    Path("ours.toml").write_text('approve_confidence = 0.9\n[privacy]\nprofile_keys = ["name"]')
    assert cli.ok("policy", "diff", "default", "ours.toml").out.splitlines() == [
        "approve_confidence\t0.6\t0.9", 'privacy.profile_keys\t(none)\t["name"]',
    ]  # fmt: skip
    answer = cli.json("--policy", "ours.toml", "policy", "diff", "current", "default")
    assert answer["changes"][0] == {"key": "approve_confidence", "before": 0.9, "after": 0.6}
    assert answer["after"] == {"name": "default", "digest": Policy().digest}
    assert cli.ok("policy", "diff", "current", "default").out == "the policies are equal\n"
    assert cli("policy", "diff", "default", "missing.toml").code == 2


def test_presets_are_listed_with_a_line_each(cli):
    lines = cli.ok("policy", "presets").out.splitlines()
    assert [line.split("\t")[:2] for line in lines] == [[name, preset(name).digest] for name in preset_names()]
    summaries = {one["summary"] for one in cli.json("policy", "presets")}
    assert len(summaries) == len(preset_names())
    assert all(one.endswith(".") and not one.startswith("#") for one in summaries)


def test_test_says_a_line_for_each_assertion(cli):
    answer = cli.ok("policy", "test", str(POLICIES / "agents.yaml"), str(POLICIES / "chat.yaml"))
    *lines, summary = answer.out.splitlines()
    assert all(line.startswith("ok    ") for line in lines)
    assert summary == f"{len(lines)} assertions, 0 failed"


def test_test_fails_with_expected_got_and_the_explanation(cli):
    Path("wrong.yaml").write_text(
        "given:\n  memories:\n    - {name: tea, by: alice, text: Alice prefers green tea}\n"
        "allowed:\n  - {actor: bob, memory: tea, reason: visible}\n  - {actor: alice, memory: tea}\n"
    )
    answer = cli("policy", "test", "wrong.yaml")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert lines[0] == "FAIL  wrong.yaml:5: allowed: bob recall `tea` (visible)"
    assert "      expected reason visible, got not_your_identity" in lines
    assert any(line.startswith("      | mem_") and "is not shown to user:bob" in line for line in lines)
    assert lines[-2:] == ["ok    wrong.yaml:6: allowed: alice recall `tea`", "2 assertions, 1 failed"]
    document = cli("--json", "policy", "test", "wrong.yaml").json
    assert (document["held"], document["failed"]) == (1, 1)
    assert [one["holds"] for one in document["assertions"]] == [False, True]
    assert document["assertions"][0]["place"] == "wrong.yaml:5"


def test_test_is_about_the_policy_in_force_unless_the_file_names_one(cli):
    Path("a.yaml").write_text("allowed: [{actor: alice, verb: remember, text: rivers}]")
    assert cli("policy", "test", "a.yaml").code == 0
    assert cli("--policy", "scoped", "policy", "test", "a.yaml").code == 1
    Path("a.yaml").write_text("policy: default\nallowed: [{actor: alice, verb: remember, text: rivers}]")
    assert cli("--policy", "scoped", "policy", "test", "a.yaml").code == 0


def test_test_touches_no_store(cli):
    cli.ok("policy", "test", str(POLICIES / "agents.yaml"))
    assert not cli.store.exists()


def test_policy_test_reports_invalid_files_by_file_and_line(cli):
    Path("bad.yaml").write_text("allowed:\n  - {actor: alice, werb: recall}")
    answer = cli("policy", "test", "bad.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == ("memfort: bad.yaml line 2: allowed[0].werb: there is no such setting; did you mean `verb`?\n")
