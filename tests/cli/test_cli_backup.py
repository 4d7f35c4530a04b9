"""`store backup` and `store restore` on the command line."""

from __future__ import annotations

from pathlib import Path


def test_a_store_is_backed_up_and_restored(cli, tmp_path):
    kept = cli.kept("alice", "The spare key is at Tom's")
    gone = cli.kept("alice", "The alarm code is under the mat")
    plain, full = str(tmp_path / "plain.backup"), str(tmp_path / "full.backup")
    answer = cli.ok("store", "backup", plain)
    assert "2 memories" in answer.out
    assert "without the key" in answer.err
    assert "THE KEY IS IN THIS FILE" in cli.ok("store", "backup", full, "--with-key").err
    assert cli.json("store", "backup", str(tmp_path / "third"))["with_key"] is False
    assert cli("store", "backup", plain).code == 2
    cli.ok("--as", "alice", "erase", gone, "--yes")
    store = Path(cli.json("store", "info")["file"])
    new = str(tmp_path / "new.db")
    restored = cli.ok("--store", new, "store", "restore", full, "--erased", f"{store}.erased")
    assert "erased again: 1 memory, receipt era_" in restored.out
    assert "not promised" not in restored.err
    assert [one["id"] for one in cli.json("--store", new, "--as", "alice", "list")["items"]] == [kept]
    again = cli("--store", new, "store", "restore", full)
    assert (again.code, "--store: `" in again.err) == (2, True)  # it is there already
    assert "backup: `" in cli("--store", new, "store", "backup", full).err
    other = str(tmp_path / "other.db")
    assert "without its key" in cli("--store", other, "store", "restore", plain).err
    said = cli("--json", "--store", other, "store", "restore", plain, "--key", f"{store}.key")
    assert len(said.json["not_promised"]) == 1
    assert "not promised: no list of erased memories" in said.err


def test_the_doctor_notices_a_list_that_is_too_short(cli):
    gone = cli.kept("alice", "The alarm code is under the mat")
    cli.ok("--as", "alice", "erase", gone, "--yes")
    store = Path(cli.json("store", "info")["file"])
    erasures = {one["check"]: one for one in cli.json("doctor")["checks"]}["erased_list"]
    assert (erasures["ok"], erasures["notes"]) == (True, [])
    Path(f"{store}.erased").write_text("")
    found = {one["check"]: one for one in cli.json("doctor")["checks"]}["erased_list"]
    assert "a restored backup could bring it back" in found["notes"][0]
    Path(f"{store}.erased").chmod(0o644)
    files = {one["check"]: one for one in cli("--json", "doctor").json["checks"]}["files"]
    assert not files["ok"]
