"""`--read-only`, and what the store's totals are shown to."""

from __future__ import annotations

from pathlib import Path


def files(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}


def test_reads_change_no_file_and_say_that_they_are_not_recorded(cli) -> None:
    cli.ok("--store", "own.db", "--as", "alice", "remember", "likes tea")
    before = files(Path.cwd())
    assert "own.db" in before
    asked = ("--store", "own.db", "--read-only")
    answer = cli.ok(*asked, "--as", "alice", "recall", "tea")
    assert "likes tea" in answer.out
    assert "could not be recorded" in answer.err
    for words in (["--as", "alice", "list"], ["trail", "verify"], ["doctor"], ["store", "info"]):
        cli.ok(*asked, *words)
    assert files(Path.cwd()) == before


def test_a_write_is_refused_by_the_name_of_the_option(cli) -> None:
    cli.ok("--store", "own.db", "--as", "alice", "remember", "likes tea")
    answer = cli("--json", "--store", "own.db", "--read-only", "--as", "alice", "remember", "likes jam")
    assert answer.code == 1
    assert answer.json["error"] == {
        "code": "store_read_only",
        "message": "the store is open to be read alone",
        "field": "read_only",
        "remedy": "leave `--read-only` out to change it",
    }
    assert cli("--store", "none.db", "--read-only", "--as", "alice", "remember", "x").code == 4
    assert not (Path.cwd() / "none.db").exists()


def test_no_directory_is_made_but_for_the_default_store(cli) -> None:
    answer = cli("--store", "missing/own.db", "--as", "alice", "remember", "likes tea")
    assert (answer.code, "--store: there is no directory" in answer.err) == (2, True)
    assert not (Path.cwd() / "missing").exists()
    cli.ok("--as", "alice", "remember", "likes tea", env={"MEMFORT_STORE": None})


def test_totals_are_for_operators(cli) -> None:
    for name in ("alice", "bob", "bob"):
        cli.ok("--store", "own.db", "--as", name, "remember", f"{name} likes tea {len(files(Path.cwd()))}")
    cli.ok("--store", "own.db", "--as", "bob", "remember", "bob likes milk")
    whole, own = (cli.json("--store", "own.db", *who, "store", "info") for who in ([], ["--as", "alice"]))
    assert whole["memories"] >= 3
    assert None not in (whole["bytes"], whole["key"], whole["file"])
    assert (own["memories"], own["spaces"]) == (1, 1)
    for total in ("bytes", "key", "file", "ballast_bytes", "erased_lines", "erased_listed"):
        assert own[total] is None
    assert cli.json("--store", "own.db", "--as", "system", "store", "info")["memories"] == whole["memories"]
    rows = {who: cli.ok("--store", "own.db", *who, "doctor").out for who in ((), ("--as", "alice"))}
    assert f"{whole['memories']} memories match" in rows[()]
    assert "memories match" not in rows["--as", "alice"]
