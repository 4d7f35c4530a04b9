"""`import` on the command line: plain texts, several groups, steps, and what was skipped."""

from __future__ import annotations

import json


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
    answer = cli(*words, "--commit-every", "1")
    assert answer.code == 3
    assert (answer.json["counts"]["kept"], answer.json["counts"]["denied"]) == (2, 1)
    dry = cli.json("--as", "system", "import", str(file), "--commit-every", "2", "--dry-run")
    assert (dry["dry_run"], dry["counts"]["read"]) == (True, 3)
