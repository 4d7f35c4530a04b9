"""doctor: names every check, what it found and the remedy; mends with consent; exits 1 if a problem remains."""

from __future__ import annotations

import apsw
import pytest

from memfort.store.port import ANALYZER
from memfort.surfaces.cli.diagnosis import CHECKS


def _problems(answer):
    return {check["check"]: check for check in answer.json["checks"] if not check["ok"]}


def test_a_sound_store_passes_every_check(world):
    answer = world.ok("--json", "doctor")
    assert [check["check"] for check in answer.json["checks"]] == list(CHECKS)
    assert answer.json["ok"] is True


def test_doctor_without_a_store_reports_no_problem_and_creates_none(cli):
    answer = cli.ok("--json", "doctor")
    assert any("no store yet" in check["found"] for check in answer.json["checks"])
    assert not cli.store.exists()


def test_open_files_are_named_and_closed(world):
    world.store.chmod(0o644)
    answer = world("--json", "doctor")
    assert answer.code == 1
    assert "files" in _problems(answer)
    assert world("doctor", "--fix").code == 2  # no terminal to ask on
    assert world.store.stat().st_mode & 0o077
    assert world("--json", "doctor", "--fix", "--dry-run").json["planned"]
    assert world.store.stat().st_mode & 0o077
    assert world.ok("--json", "doctor", "--fix", "--yes").json["fixed"]
    assert world.store.stat().st_mode & 0o077 == 0


def test_an_index_with_the_words_of_an_earlier_version_is_noted(world):
    index = {check["check"]: check for check in world.ok("--json", "doctor").json["checks"]}["index"]
    assert (index["notes"], index["remedy"]) == ([], None)
    connection = apsw.Connection(str(world.store))
    connection.execute("delete from meta where name = 'words'")
    connection.close()
    index = {check["check"]: check for check in world.ok("--json", "doctor").json["checks"]}["index"]
    assert (index["ok"], index["remedy"]) == (True, "memfort store reindex")
    assert index["notes"] == [f"it was built by the analyzer `words-2`, and queries use `{ANALYZER}`"]
    world.ok("store", "reindex")
    assert "words-2" not in world.ok("doctor").out


def test_doctor_does_not_change_a_directory_it_did_not_create(world):
    world.store.parent.chmod(0o777)
    answer = world("--json", "doctor", "--fix", "--yes")
    assert (answer.code, "directory" in _problems(answer)) == (1, True)
    assert world.store.parent.stat().st_mode & 0o777 == 0o777


def test_doctor_leaves_unrecognised_files_unchanged(cli):
    cli.store.write_bytes(b"somebody's notes " * 100)
    cli.store.chmod(0o644)
    assert cli("doctor", "--fix", "--yes").code == 1
    assert cli.store.stat().st_mode & 0o777 == 0o644
    folder = cli.folder / "work"
    folder.chmod(0o755)
    assert cli("--store", str(folder), "doctor", "--fix", "--yes").code == 1
    assert folder.stat().st_mode & 0o777 == 0o755


def test_doctor_rebuilds_a_damaged_index(world):
    with _Opened(world.store) as connection:
        connection.execute("delete from entry")
    assert world("--as", "alice", "recall", "tea").out == ""
    answer = world("--json", "doctor")
    assert (answer.code, "index" in _problems(answer)) == (1, True)
    assert world.ok("--json", "doctor", "--fix", "--yes").json["ok"] is True
    assert "green" in world.ok("--as", "alice", "recall", "tea").out


def test_a_damaged_memory_is_named_taken_out_and_the_rest_goes_on(world):
    with _Opened(world.store) as connection:
        connection.execute("update item set record = record || ' ' where id = ?", (world.ids["memory"],))
    answer = world("--json", "doctor", "--fix", "--yes")
    rows = _problems(answer)["rows"]
    assert world.ids["memory"] in rows["problems"][0]
    assert rows["remedy"]
    assert world("--as", "alice", "get", world.ids["memory"]).code in {1, 4}
    assert "June" in world.ok("--as", "alice", "recall", "launch").out
    assert "green" not in world.ok("--as", "alice", "list").out


def test_a_changed_trail_is_found(world):
    with _Opened(world.store) as connection:
        connection.execute("update event set body = cast(replace(body, 'allowed', 'pending') as blob) where number = 1")
    answer = world("--json", "doctor")
    assert (answer.code, "trail" in _problems(answer)) == (1, True)
    verified = world("--json", "trail", "verify")
    assert verified.code == 1
    assert verified.json["broken"][0]["number"] == 1


def test_anchors_kept_elsewhere_find_a_cut_tail(world):
    anchors = str(world.folder / "anchors.json")
    assert world.ok("trail", "verify", "--anchors", anchors).code == 0
    with _Opened(world.store) as connection:
        connection.execute("delete from checkpoint")
        connection.execute("delete from event")
        connection.execute("update chain set length = 0, head = zeroblob(32)")
    assert world("trail", "verify", "--anchors", anchors).code == 1
    (world.folder / "bad.json").write_text("[]")
    assert world("trail", "verify", "--anchors", str(world.folder / "bad.json")).code == 2


def test_doctor_reports_an_invalid_store_file_as_a_problem(cli):
    cli.store.write_bytes(b"garbage " * 1000)
    answer = cli("--json", "doctor")
    assert answer.code == 1
    assert _problems(answer)


def test_a_lost_key_is_named_and_a_new_one_brings_the_store_back(world):
    key = world.store.with_name(world.store.name + ".key")
    world.ok("--as", "alice", "review", "reject", world.ids["pending"])
    key.unlink()
    assert world("--as", "alice", "recall", "tea").code == 1
    assert "--new-key" in _problems(world("--json", "doctor"))["key"]["remedy"]
    assert world("doctor", "--new-key").code == 2
    assert not key.exists()
    answer = world.ok("doctor", "--new-key", "--yes")
    assert "cannot be checked" in answer.err  # what it costs is said
    assert key.stat().st_mode & 0o077 == 0
    assert "green" in world.ok("--as", "alice", "recall", "tea").out
    assert "known" in world.ok("--as", "alice", "remember", "Alice prefers green tea").out  # values were made anew
    assert world.json("trail", "verify")["broken"] == []
    assert world("doctor", "--new-key", "--yes").code == 1  # a key is never replaced


def test_a_rejected_value_stays_rejected_under_a_new_key(cli):
    cli.ok("agent", "register", "helper", "--owner", "alice")
    space = ["--as", "agent:helper", "--acting-for", "alice"]
    said = ["remember", "the moon is made of cheese", "--space", "user=alice"]
    pending = cli.json(*space, *said, "--confidence", "0.1")["item"]["id"]
    cli.ok("--as", "alice", "review", "reject", pending)
    assert cli(*space, *said).code == 3
    cli.store.with_name(cli.store.name + ".key").unlink()
    cli.ok("doctor", "--new-key", "--yes")
    assert cli(*space, *said).code == 3
    assert cli(*space, "remember", "the moon is made of rock", "--space", "user=alice").code == 0


@pytest.mark.parametrize("stage", ["_renew_rejected_values", "_renew_records", "index.rebuild"])
def test_a_new_key_that_fails_half_way_changes_nothing(world, monkeypatch, stage):
    key = world.store.with_name(world.store.name + ".key")
    kept = key.read_bytes()
    key.unlink()

    def fail(*_: object) -> int:
        raise RuntimeError("the power went")

    with monkeypatch.context() as patched:
        patched.setattr(f"memfort.store.sqlite.rekey.{stage}", fail)
        assert world("doctor", "--new-key", "--yes").code == 1
    assert not key.exists()
    assert not list(world.store.parent.glob("*.new*"))
    key.write_bytes(kept)
    assert "green" in world.ok("--as", "alice", "recall", "tea").out
    assert world.json("trail", "verify")["broken"] == []


class _Opened:
    """The store's file, opened behind its back."""

    def __init__(self, path):
        self._connection = apsw.Connection(str(path))

    def __enter__(self):
        return self._connection

    def __exit__(self, *_):
        self._connection.close()
