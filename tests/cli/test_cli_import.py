"""`import` on the command line: plain texts, several groups, steps, and what was skipped."""

from __future__ import annotations

import json

from tests.archives.builders import as_json, as_zip, chatgpt

KEYS = [f"AKIAQ3EGRVFJ7WKPZT5{letter}" for letter in "BCDEFGH"]  # shaped like AWS key ids, but made up


def test_plain_texts_are_imported_and_what_is_skipped_is_shown(cli):
    (cli.folder / "notes.jsonl").write_text('{"text": "I like tea"}\n{"text": "I like jam"}\n{"text": "I like tea"}\n')
    answer = cli.ok("--as", "alice", "import", str(cli.folder / "notes.jsonl"))
    assert "3 read, 2 kept, 1 duplicate" in answer.out
    assert "skipped line 3: duplicate" in answer.out


def test_a_backfill_in_steps_and_further_places(cli):
    nodes = [
        {"content": f"about {project}", "metadata": {"domain": "system_fact", "scope": {"project": project}}}
        for project in ("apollo", "borealis", "cygnus")
    ]
    file = cli.folder / "old.json"
    file.write_text(json.dumps(nodes))
    words = ("--json", "--as", "alice", "--at", "project=apollo", "import", str(file), "--also-at", "project=borealis")
    answer = cli(*words, "--commit-every", "1", "--strict")
    assert answer.code == 3
    assert (answer.json["counts"]["kept"], answer.json["counts"]["denied"]) == (2, 1)
    dry = cli.json("--as", "system", "import", str(file), "--commit-every", "2", "--dry-run")
    assert (dry["dry_run"], dry["counts"]["read"]) == (True, 3)


def test_a_file_a_folder_a_zip_and_standard_input_are_imported(cli):
    folder = cli.folder / "export"
    folder.mkdir()
    data = as_json([chatgpt(("user", "I prefer tea over coffee."), is_starred=True)])
    (folder / "conversations.json").write_bytes(data)
    (cli.folder / "export.zip").write_bytes(as_zip({"conversations.json": data}))
    for name, given in (("ann", folder / "conversations.json"), ("bea", folder), ("cal", cli.folder / "export.zip")):
        assert "1 read, 1 kept, 1 turns" in cli.ok("--as", name, "import", str(given)).out
        assert cli.json("--as", name, "import", str(given))["already_imported"] is True
    answer = cli.json("--as", "dan", "import", "-", "--dry-run", stdin=data)
    assert (answer["dry_run"], answer["counts"]["turns"], answer["source"]) == (True, 1, None)


def test_what_is_missing_or_unknown_makes_no_store(cli):
    for given in ("none.json", ""):
        assert cli("--as", "alice", "--store", "new.db", "import", given).code == 2
    assert cli("--as", "alice", "--store", "new.db", "import").code == 2
    assert not (cli.folder / "new.db").exists()


def test_refused_records_fail_a_strict_import_alone(cli):
    lines = [{"text": "I like tea"}, *({"text": f"the api_key is {key}"} for key in KEYS)]
    file = cli.folder / "notes.json"
    file.write_text(json.dumps(lines))
    dry = cli.ok("--as", "alice", "import", str(file), "--dry-run")
    *problems, summary = dry.out.strip().splitlines()
    assert summary == "dry run: 8 read, 7 denied, 1 kept"
    [folded] = problems  # seven times the same, in one line
    assert folded.startswith("record 2, record 3, record 4, record 5, record 6 and 2 more: it looks like a credential")
    assert len(cli.json("--as", "alice", "import", str(file), "--dry-run")["problems"]) == 7
    assert cli("--as", "alice", "import", str(file), "--strict", "--dry-run").code == 3
    cli.ok("--as", "alice", "import", str(file))
    assert [one["text"] for one in cli.json("--as", "alice", "list")["items"]] == ["I like tea"]
