"""gc, the settings of the `[memory]` table, the doctor for what is kept, and forgetting a person."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from msgspec.structs import replace
from tests.whole import without_ids

from memfort import Memory


@pytest.fixture
def project(cli):
    """The project's settings file."""
    return cli.folder / "work" / "memfort.toml"


def _listed(cli, actor="alice", *options):
    return sorted(one["text"] for one in cli.json("--as", actor, "list", "--limit", "1000", *options)["items"])


def _ids(ended):
    return [id for _, id in ended["items"]]


def _expired(cli):
    cli.kept("alice", "a short note", "--ttl", "0.05")
    time.sleep(0.1)


# -- gc ---------------------------------------------------------------------------------------------------------------


def test_gc_retires_expired_memories_and_a_dry_run_does_not(cli):
    _expired(cli)
    cli.kept("alice", "a lasting note")
    planned = cli.json("store", "gc", "--dry-run")
    assert (planned["dry_run"], planned["expired"]) == (True, 1)
    done = cli.json("store", "gc")
    assert (done["dry_run"], done["expired"], done["compacted"]) == (False, 1, None)
    assert cli.json("store", "gc")["expired"] == 0
    assert "retired: 0 expired memories" in cli.ok("store", "gc").out
    assert _listed(cli) == ["a lasting note"]


def test_gc_lists_the_evicted_memories(cli, project):
    ids = [cli.kept("alice", f"note {number}", "--importance", str(number)) for number in range(4)]
    project.write_text("[memory]\nmax_entries = 2\n")
    done = cli.json("store", "gc")
    assert ([id for _, id in done["evicted"]], done["over"]) == (ids[:2], 0)
    assert _listed(cli) == ["note 2", "note 3"]


def test_compacting_asks_first_and_gives_a_receipt(cli):
    gone = cli.kept("alice", "a forgotten note")
    cli.ok("--as", "alice", "forget", gone, "--yes")
    assert cli("store", "gc", "--compact-days", "0").code == 2  # no terminal to ask on
    assert len(cli.json("store", "gc", "--compact-days", "0", "--dry-run")["compacted"]["items"]) == 1
    receipt = cli.json("store", "gc", "--compact-days", "0", "--yes")["compacted"]
    assert cli.ok("--as", "system", "verify-erasure", receipt["id"]).code == 0
    assert cli.json("store", "gc", "--compact-days", "0")["compacted"]["items"] == []  # nothing to ask about


@pytest.mark.parametrize("days", ["-1", "nan", "never"])
def test_days_that_are_none_are_a_usage_error(cli, days):
    cli.kept("alice", "a note")
    assert cli("store", "gc", f"--compact-days={days}", "--yes").code == 2


def test_gc_goes_on_collecting_until_it_is_stopped(cli):
    _expired(cli)
    with subprocess.Popen(
        [sys.executable, "-m", "memfort", "store", "gc", "--every", "0.1"], stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # where this runs it may be ignored
    ) as process:  # fmt: skip
        assert process.stdout is not None
        rounds = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 130
    assert rounds == ["retired: 1 expired memory\n", *["retired: 0 expired memories\n"] * 2]


def test_gc_does_not_compact_again_and_again_unasked(cli):
    cli.kept("alice", "a note")
    refused = cli("store", "gc", "--every", "1", "--compact-days", "0")
    assert refused.code == 2
    assert "--yes" in refused.err


# -- the settings of the `[memory]` table -----------------------------------------------------------------------------


def test_auto_gc_collects_when_something_is_put_in(cli, project):
    _expired(cli)
    project.write_text("[memory]\nauto_gc = true\n")
    cli.ok("--as", "alice", "list")
    cli.kept("alice", "another note")
    assert cli.json("store", "gc")["expired"] == 0
    actions = [line["event"]["action"] for line in cli.json("--as", "system", "trail", "export")]
    assert actions.count("expire") == 1


def test_max_entries_by_variable_and_by_file(cli, project):
    project.write_text("[memory]\nmax_entries = 1\n")
    for number in range(3):
        cli.ok("--as", "alice", "remember", f"note {number}", env={"MEMFORT_MAX_ENTRIES": "2"})
    assert len(_listed(cli)) == 2
    cli.kept("alice", "note 3")
    assert len(_listed(cli)) == 1


def test_extraction_can_be_switched_off(cli):
    off = {"MEMFORT_EXTRACTION_ENABLED": "false"}
    cli.ok("--as", "alice", "observe", "-", stdin='"I prefer green tea."', env=off)
    assert _listed(cli, "alice", "--kind", "semantic") == []
    cli.ok("--as", "alice", "observe", "-", stdin='"I prefer black tea."')
    assert _listed(cli, "alice", "--kind", "semantic") == ["I prefer black tea"]


def test_policy_show_includes_the_overriding_settings(cli, project):
    plain = cli.json("policy", "show")["digest"]
    project.write_text("[memory]\nextraction_confidence_threshold = 0.7\nmax_entries = 5\n")
    shown = cli.json("policy", "show")
    assert shown["digest"] != plain
    cli.kept("alice", "likes tea")
    events = [line["event"] for line in cli.json("--as", "system", "trail", "export")]
    assert {event["policy"] for event in events if event["action"] == "remember"} == {shown["digest"]}


def test_config_show_has_them_with_their_origin(cli, project):
    project.write_text("[memory]\nmax_entries = 5\nauto_gc = true\n")
    found = cli.json("config", "show")["settings"]
    assert found["max_entries"] == {"value": 5, "origin": str(project)}
    assert found["auto_gc"] == {"value": True, "origin": str(project)}
    assert found["extraction_enabled"] == {"value": True, "origin": "default"}
    assert found["extraction_confidence_threshold"] == {"value": None, "origin": "default"}
    assert "as the policy says" in cli.ok("config", "show").out


@pytest.mark.parametrize(
    ("line", "field", "remedy"),
    [
        ("[memory]\nmax_entries = 0", "memory.max_entries", "at least 1"),
        ("[memory]\nmax_entries = 'many'", "memory.max_entries", "at least 1"),
        ("[memory]\nauto_gc = 'maybe'", "memory.auto_gc", "true or false"),
        ("[memory]\nextraction_confidence_threshold = 7", "memory.extraction_confidence_threshold", "0 to 1"),
        ("[memory]\nauto_cg = true", "memory.auto_cg", "did you mean `memory.auto_gc`?"),
        ("auto_gc = true", "auto_gc", "did you mean `memory.auto_gc`?"),
        ("memory = 3", "memory", ""),
    ],
)
def test_a_wrong_value_or_key_is_refused_by_name(cli, project, line, field, remedy):
    project.write_text(line)
    answer = cli("--json", "config", "show")
    assert (answer.code, answer.json["error"]["field"]) == (2, f"{project}: {field}")
    assert remedy in answer.json["error"]["remedy"]


@pytest.mark.parametrize(
    "variable", ["MEMFORT_MAX_ENTRIES", "MEMFORT_EXTRACTION_CONFIDENCE_THRESHOLD", "MEMFORT_AUTO_GC"]
)
def test_a_wrong_variable_is_refused_by_name(cli, variable):
    answer = cli("--json", "config", "show", env={variable: "lots"})
    assert (answer.code, answer.json["error"]["field"]) == (2, variable)


# -- doctor -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def ill(cli):
    """A store in which alice says something twice and something points nowhere, bob too, past every gate."""

    for actor in ("alice", "bob"):
        cli.kept(actor, f"{actor} likes green tea")
        cli.kept(actor, f"{actor} owns a red bicycle")
    with Memory.open(cli.store) as memory:
        engine = memory._engine
        for actor in ("alice", "bob"):
            bicycle, tea = sorted(memory.as_user(actor).list().items, key=lambda item: "tea" in item.text)
            after = replace(bicycle, text=tea.text, type=tea.type, subjects=tea.subjects, supersedes="mem_gone",
                            sensitivity=tea.sensitivity, version=2)  # fmt: skip
            event = engine.recorder(after.author, engine.clock.now()).change_event("import", after, "imported")
            engine.apply([engine.update(after)], [event])
    return cli


def _checks(answer):
    return {check["check"]: check for check in answer.json["checks"]}


def test_doctor_finds_problems_in_the_contents(ill):
    answer = ill("--json", "doctor")
    assert answer.code == 1
    problems = {name: len(check["problems"]) for name, check in _checks(answer).items() if not check["ok"]}
    assert problems == {"duplicates": 2, "edges": 2}
    assert "tea" not in without_ids(answer.out)
    assert "alice" not in without_ids(answer.out)


def test_the_doctor_puts_it_right_after_consent_and_then_finds_nothing(ill):
    assert ill("doctor", "--fix").code == 2  # no terminal to ask on
    planned = ill("--json", "doctor", "--fix", "--dry-run")
    assert (planned.code, len(planned.json["planned"])) == (1, 2)
    done = ill.ok("--json", "doctor", "--fix", "--yes")
    assert (done.json["ok"], len(done.json["fixed"])) == (True, 2)
    assert ill.ok("--json", "doctor", "--fix", "--yes").json["fixed"] == []
    assert _listed(ill) == ["alice likes green tea"]
    assert ill.ok("trail", "verify").code == 0


def test_with_an_identity_the_doctor_looks_at_its_own_alone(ill):
    found = _checks(ill("--json", "--as", "alice", "doctor"))
    assert len(found["duplicates"]["problems"]) == 1
    ill.ok("--as", "alice", "doctor", "--fix", "--yes")
    assert len(_checks(ill("--json", "doctor"))["duplicates"]["problems"]) == 1
    assert len(_listed(ill, "bob")) == 2


def test_judgement_findings_are_notes_and_fixed_only_when_named(cli):
    path = cli.folder / "rows.json"
    path.write_text('[{"user_id": "alice", "kind": "note", "content": "reads about volcanoes"}]')
    cli.ok("--as", "alice", "import", str(path))
    found = _checks(cli.ok("--json", "doctor"))["provenance"]
    assert (found["ok"], len(found["notes"])) == (True, 1)
    assert "--also provenance" in found["remedy"]
    assert cli.ok("--json", "doctor", "--fix", "--yes").json["fixed"] == []
    assert cli("doctor", "--also", "provenance").code == 2
    assert cli.ok("--json", "doctor", "--fix", "--also", "provenance", "--yes").json["fixed"]
    assert _listed(cli) == []
    assert _checks(cli.ok("--json", "doctor"))["provenance"]["notes"] == []


# -- forgetting a person ----------------------------------------------------------------------------------------------


def test_a_person_is_forgotten_after_consent(cli):
    about = cli.kept("alice", "@bob is fond of pizza")
    other = cli.kept("carol", "@bob is fond of jam")
    run = ("--as", "alice", "people", "forget", "@bob")
    assert cli(*run).code == 2  # no terminal to ask on
    planned = cli.json(*run, "--dry-run")
    assert (_ids(planned), planned["dry_run"], planned["receipt"]) == ([about], True, None)
    assert cli.ok(*run, "--dry-run").out.startswith("would forget 1 memory")
    assert _ids(cli.json(*run, "--yes")) == [about]
    assert cli("--as", "alice", "get", about).code == 4
    assert cli.ok("--as", "carol", "get", other).code == 0


def test_people_forget_selects_statements_and_erases_with_a_receipt(cli):
    cli.ok("chat", "register", "lunch", "--kind", "group", "--participant", "alice", "--participant", "bob")
    here = ("--at", "chat=lunch", "--space", "chat=lunch")
    said = cli.json("--as", "bob", "remember", "the lake was cold", *here)["item"]["id"]
    about = cli.json("--as", "alice", "remember", "@bob plays chess", *here)["item"]["id"]
    run = ("--as", "alice", "--at", "chat=lunch", "people", "forget", "@bob")
    assert _ids(cli.json(*run, "--which", "stated_by", "--dry-run")) == [said]
    assert _ids(cli.json(*run, "--dry-run")) == [about]
    erased = cli.json(*run, "--which", "both", "--erase", "--yes")
    assert sorted(_ids(erased)) == sorted([said, about])
    assert cli.ok("--as", "alice", "verify-erasure", erased["receipt"]["id"]).code == 0


def test_forgetting_an_unknown_person_is_not_found(cli):
    cli.kept("alice", "a note")
    assert cli("--as", "alice", "people", "forget", "Zebulon", "--yes").code == 4


def test_a_dry_run_of_forget_says_how_many_and_shows_their_words(cli):
    for text in ("my boat is called Zephyr", "the boat lies in Bari", "I live in Rome"):
        cli.ok("--as", "alice", "remember", text)
    shown = cli.ok("--as", "alice", "forget", "--query", "boat", "--dry-run").out
    assert shown.startswith("would forget 2 memories\n")
    assert "my boat is called Zephyr" in shown
    assert "the boat lies in Bari" in shown
    assert "Rome" not in shown


def test_an_undo_that_is_taken_back_offers_no_undo_that_is_gone(cli):
    cli.ok("--as", "alice", "remember", "my boat is called Zephyr")
    fallen = cli.ok("--as", "alice", "undo", "--author", "me", "--yes").out
    [id] = [word for word in fallen.split() if word.startswith("und_")]
    back = cli.ok("--as", "alice", "undo", id, "--yes").out
    assert "Zephyr" in back
    assert "to take this back" not in back


def test_a_copy_for_a_person_is_printed_line_by_line(cli):
    cli.ok("--as", "alice", "remember", "@bob plays the oboe\nand the harp")
    lines = cli.ok("--as", "alice", "subject", "export", "@bob").out.splitlines()
    assert lines[0] == "# What is kept by and about @bob"
    assert [line for line in lines if "@bob plays the oboe and the harp" in line]
    assert not [line for line in lines if "\\n" in line]
