"""`policy use` and `policy simulate`: shown before it is done, done for all users, and named with its origin."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from tests.whole import without_ids

from memfort.policy.settings.document import preset, read_policy
from memfort.policy.settings.policy import Policy

ALICE = ("--as", "alice")


@pytest.fixture
def strict() -> str:
    Path("strict.toml").write_text('name = "strict"\napprove_confidence = 0.9')
    return "strict.toml"


def test_the_policy_in_use_decides_for_all_actors(cli, strict):
    assert "kept" in cli.ok(*ALICE, "remember", "tea is wet", "--confidence", "0.7").out
    assert "is in use" in cli.ok("policy", "use", strict, "--yes").out
    for actor in ("alice", "bob"):
        assert "pending" in cli.ok("--as", actor, "remember", "tea is hot", "--confidence", "0.7").out
    Path(strict).unlink()
    assert "pending" in cli.ok(*ALICE, "remember", "tea is sweet", "--confidence", "0.7").out


def test_a_policy_that_is_named_still_wins(cli, strict):
    cli.ok("policy", "use", strict, "--yes")
    assert "kept" in cli.ok(*ALICE, "--policy", "default", "remember", "tea is wet", "--confidence", "0.7").out
    env = {"MEMFORT_POLICY": "default"}
    assert "kept" in cli.ok(*ALICE, "remember", "tea is hot", "--confidence", "0.7", env=env).out
    said = cli.ok("policy", "use", "chat", "--yes", env=env).err
    assert "environment MEMFORT_POLICY names a policy too" in said


def test_show_and_config_name_the_origin(cli, strict):
    digest = read_policy(Path(strict).read_text(), strict).digest
    assert cli.json("policy", "show")["origin"] == "default"
    assert cli.json("config", "show")["settings"]["policy"] == {"value": None, "origin": "default"}
    cli.ok("policy", "use", strict, "--yes")
    shown = cli.json("policy", "show")
    assert (shown["origin"], shown["digest"]) == ("store", digest)
    assert cli.json("config", "show")["settings"]["policy"] == {"value": f"strict {digest}", "origin": "store"}
    assert cli.json("--policy", "chat", "policy", "show")["origin"] == "flag --policy"
    assert f"policy: strict {digest}, in use in the store" in cli.ok("doctor").out
    assert cli.ok("policy", "diff", "current", strict).out == "the policies are equal\n"


def test_earlier_ones_are_shown_by_their_digest(cli, strict):
    old = cli.json("policy", "use", strict, "--yes")["digest"]
    cli.ok("policy", "use", "chat", "--yes")
    assert read_policy(cli.ok("policy", "show", "--digest", old).out, "shown").digest == old
    assert cli.json("policy", "show", "--digest", Policy().digest)["origin"] == "default"
    answer = cli("policy", "show", "--digest", "0123456789abcdef")
    assert (answer.code, "only policies that were put to use here are kept" in answer.err) == (4, True)
    assert cli("policy", "show", "--digest", old, "--preset", "chat").code == 2


def test_policy_use_asks_for_confirmation_and_a_dry_run_lists_the_changes(cli, strict):
    cli.kept("alice", "tea is wet")
    answer = cli("policy", "use", strict)
    assert (answer.code, "--yes" in answer.err) == (2, True)
    rehearsed = cli.ok("policy", "use", strict, "--dry-run").out.splitlines()
    assert rehearsed[:-1] == ["would change name", "would change approve_confidence"]
    assert cli.json("policy", "use", strict, "--dry-run")["changed"] == ["name", "approve_confidence"]
    assert cli.json("policy", "show")["origin"] == "default"


def test_an_applied_policy_shows_first_what_becomes_of_the_memories_that_are_there(cli):
    Path("short.toml").write_text('name = "short"\n[retention]\ndefault_seconds = 2592000')
    cli.ok("policy", "use", "default", "--yes")
    cli.kept("alice", "tea is wet")
    rehearsed = cli.ok("policy", "use", "short.toml", "--apply", "--dry-run").out
    assert "1 memory would get another end; 0 of them at once" in rehearsed
    assert cli.json(*ALICE, "list")["items"][0]["expires_at"] is None
    asked = cli("policy", "use", "short.toml", "--apply")
    assert (asked.code, "1 memory would get another end" in asked.err) == (2, True)
    assert "1 memory got another end" in cli.ok("policy", "use", "short.toml", "--apply", "--yes").out
    assert cli.json(*ALICE, "list")["items"][0]["expires_at"] is not None


def test_an_unknown_policy_name_suggests_the_nearest_preset(cli):
    for verb in ("use", "simulate"):
        answer = cli(*ALICE, "policy", verb, "scopd")
        assert (answer.code, "did you mean `scoped`?" in answer.err) == (2, True)
    assert not cli.store.exists()


def test_a_document_that_no_longer_reads_stops_everything_until_another_is_in_use(cli, strict):
    cli.ok("policy", "use", strict, "--yes")
    cli.kept("alice", "tea is wet")
    spoil(cli.store)
    for words in ([*ALICE, "recall", "tea"], ["policy", "show"], [*ALICE, "remember", "tea is hot"]):
        answer = cli(*words)
        assert answer.code == 1, answer
        assert answer.err.startswith("memfort: ")
        assert "Traceback" not in answer.err
    assert "wet" in cli.ok(*ALICE, "--policy", "default", "recall", "tea").out
    assert cli("doctor").code == 1
    assert "run memfort doctor" in cli.json("config", "show")["settings"]["policy"]["origin"]
    cli.ok("policy", "use", strict, "--yes")
    assert cli.json("policy", "show")["origin"] == "store"
    assert cli.ok("doctor").code == 0
    assert "wet" in cli.ok(*ALICE, "recall", "tea").out


def spoil(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("update policy set document = 'name = 3'")
    connection.close()


def test_a_simulation_shows_was_and_would_be(cli, strict):
    id = cli.kept("alice", "tea is blue", "--confidence", "0.7")
    cli.kept("alice", "tea is wet")
    lines = cli.ok(*ALICE, "policy", "simulate", strict).out.splitlines()
    assert lines == [
        f"{id}\tuser\tapproved (confident)\tpending (low_confidence)",
        "2 decisions, 1 would change: 1 allowed to pending",
    ]
    found = cli.json(*ALICE, "policy", "simulate", strict)
    assert (found["decisions"], len(found["changes"])) == (2, 1)
    assert found["changes"][0]["would"] == {
        "verdict": "pending", "reason": "low_confidence", "status": "pending", "expires_at": None, "ticks": None,
    }  # fmt: skip
    assert cli.json("policy", "show")["origin"] == "default"
    assert cli.ok(*ALICE, "policy", "simulate", "default").out == "2 decisions, 0 would change\n"


def test_policy_simulate_shows_your_own_memories_and_the_systems_output_no_contents(world):
    mine, bobs = (world.ok("--as", one, "policy", "simulate", "scoped").out for one in ("alice", "bob"))
    assert world.ids["memory"] in mine
    assert world.ids["bob"] in bobs
    assert world.ids["memory"] not in bobs
    for flags in ([], ["--json"]):
        by_system = world.ok(*flags, "--as", "system", "policy", "simulate", "scoped").out
        assert world.ids["memory"] in by_system
        assert world.ids["bob"] in by_system
        for word in ("tea", "alice", "Alice", "bob", "launch"):
            assert word not in without_ids(by_system)


def test_policy_simulate_reports_what_it_cannot_decide(world):
    world("--as", "alice", "remember", "the password is correct-horse-7")
    out = world.ok("--as", "alice", "policy", "simulate", "default").out
    assert "not decided again: 1 refused: the trail holds no words" in out


def test_policy_use_is_recorded_in_the_trail(cli):
    cli.ok("policy", "use", "chat", "--yes")
    (line,) = [one for one in cli.json("--as", "system", "trail", "export") if one["event"]["action"] == "use_policy"]
    assert line["event"]["detail"]["policy"] == preset("chat").digest
    assert cli.json("trail", "verify")["broken"] == []


def test_renewing_the_key_keeps_the_policy_in_use(cli):
    cli.kept("alice", "tea is wet")
    cli.ok("policy", "use", "chat", "--yes")
    cli.store.with_name(cli.store.name + ".key").unlink()
    cli.ok("doctor", "--new-key", "--yes")
    shown = cli.json("policy", "show")
    assert (shown["origin"], shown["digest"]) == ("store", preset("chat").digest)
    assert cli.json("trail", "verify")["broken"] == []
