"""Each command does what the facade's verb of the same name does, and says what came of it."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import apsw
import pytest

from .conftest import SECRET


def test_words_without_quotes_are_one_text(cli):
    cli.ok("--as", "alice", "remember", "green", "tea", "is", "good")
    assert cli.json("--as", "alice", "recall", "tea", "good")["hits"][0]["item"]["text"] == "green tea is good"


def test_a_profile_fact_is_read_by_its_key(cli):
    for key, text in (("drink", "green tea"), ("meal", "green tea")):
        cli.ok("--as", "alice", "remember", text, "--kind", "profile", "--key", key)
    assert cli.json("--as", "alice", "get", "--key", "meal")["key"] == "meal"
    assert [one["key"] for one in cli.json("--as", "alice", "list", "--key", "drink")["items"]] == ["drink"]
    assert cli("--as", "bob", "get", "--key", "drink").code == 4
    assert "give one of them" in cli("--as", "alice", "get").err


def test_every_field_of_a_memory_can_be_given(cli):
    parent = cli.kept("alice", "a first remark")
    cli.ok("agent", "register", "helper", "--owner", "alice")
    helper = ("--as", "agent:helper", "--acting-for", "alice")
    written = cli.json(
        *helper, "remember", "the time zone is Berlin",
        "--kind", "profile", "--key", "timezone", "--type", "identity", "--tag", "place", "--tag", "time",
        "--origin", "user", "--observed-at", "2026-01-01T00:00:00Z", "--sensitivity", "personal",
        "--reader-user", "alice", "--reader-agent", "helper", "--confidence", "0.9", "--importance", "5",
        "--expires-at", "2099-01-01T00:00:00Z", "--provenance", '{"page": 3}', "--meta", '{"colour": "green"}',
    )  # fmt: skip
    id = written["item"]["id"]
    listed = {one["id"]: one for one in cli.json("--as", "alice", "list")["items"]}
    assert id not in listed  # the reader list wants alice through the helper
    kept = cli.json(*helper, "get", id)
    wanted = {
        "kind": "profile", "key": "timezone", "type": "identity", "tags": ["place", "time"], "origin": "user",
        "observed_at": "2026-01-01T00:00:00.000000Z", "sensitivity": "personal", "confidence": 0.9, "importance": 5.0,
        "expires_at": "2099-01-01T00:00:00.000000Z", "meta": {"colour": "green"},
        "readers": {"users": ["alice"], "agents": ["helper"]},
    }  # fmt: skip
    assert {name: kept[name] for name in wanted} == wanted
    assert kept["provenance"]["page"] == 3
    child = cli.kept("alice", "a second remark", "--derived-from", parent)
    assert cli.json("--as", "alice", "erase", parent, "--dry-run")["counts"]["derived"] == 1
    assert child


def test_a_batch_of_lines_decides_each_on_its_own(cli):
    path = cli.folder / "lines.txt"
    path.write_text(f"rivers run\n\nthe key is {SECRET}\nmountains stand\nrivers run\n")
    answer = cli("--json", "--as", "alice", "remember", "--file", str(path), "--tag", "nature")
    assert answer.code == 3
    assert sorted(one["state"] for one in answer.json) == ["duplicate", "in_force", "in_force", "refused"]
    assert SECRET not in answer.out + answer.err
    assert len(cli.json("--as", "alice", "list", "--tag", "nature")["items"]) == 2


def test_a_batch_of_json_lines_has_fields_of_its_own(cli):
    lines = [{"text": "rivers run", "tags": ["water"]}, {"text": "mountains stand", "tpye": "fact"}]
    answer = cli("--json", "--as", "alice", "remember", "--file", "-", stdin="\n".join(map(json.dumps, lines)))
    assert answer.code == 2
    assert [one["state"] for one in answer.json] == ["in_force", "refused"]
    assert "did you mean `type`?" in answer.json[1]["decision"]["detail"]["problem"]
    for mixed, line in (('{"text": "x"}\nnot json', 2), ('plain\n\n{"text": "x"}', 3), ("{not json", 1)):
        refused = cli("--as", "alice", "remember", "--file", "-", stdin=mixed)
        assert (refused.code, f"line {line} " in refused.err) == (2, True)
    assert cli("--as", "alice", "remember", "--file", "-", stdin="\n\n").code == 2
    assert len(cli.json("--as", "alice", "list")["items"]) == 1


def test_list_goes_on_at_its_cursor(cli):
    cli.ok("--as", "alice", "remember", "--file", "-", stdin="\n".join(f"fact {n}" for n in range(5)))
    seen, cursor = [], None
    while True:
        page = cli.json("--as", "alice", "list", "--limit", "2", *(["--cursor", cursor] if cursor else []))
        seen += [one["text"] for one in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert sorted(seen) == [f"fact {n}" for n in range(5)]
    assert "--cursor" in cli.ok("--as", "alice", "list", "--limit", "2").err


def test_filters_narrow_the_results(cli):
    cli.kept("alice", "tea at four", "--type", "event", "--tag", "a")
    cli.kept("alice", "tea is green", "--type", "fact")
    recalled = cli.json("--as", "alice", "recall", "tea", "--type", "fact")["hits"]
    assert [hit["item"]["text"] for hit in recalled] == ["tea is green"]
    assert len(cli.json("--as", "alice", "recall", "tea", "--tag", "a")["hits"]) == 1
    assert len(cli.json("--as", "alice", "recall", "tea", "--limit", "1")["hits"]) == 1
    assert cli.json("--as", "alice", "recall", "tea", "--kind", "profile")["hits"] == []
    assert cli.json("--as", "alice", "recall", "tea", "--space", "project=x")["hits"] == []


def test_a_correction_wins_and_the_old_one_stays_in_the_history(cli):
    old = cli.kept("alice", "the launch is in May")
    new = cli.json("--as", "alice", "correct", old, "the launch is in June")["item"]["id"]
    assert [hit["item"]["id"] for hit in cli.json("--as", "alice", "recall", "launch")["hits"]] == [new]
    versions = cli.json("--as", "alice", "history", new)
    assert [(one["id"], one["status"]) for one in versions] == [(old, "superseded"), (new, "approved")]


def test_review_shows_approves_rejects_and_edits_in_bulk(cli):
    ids = [cli.kept("alice", f"call me at +49 170 123456{n}") for n in range(4)]
    inbox = cli.ok("--as", "alice", "review", "list").out
    assert all(id in inbox for id in ids)
    assert "(personal_review)" in inbox
    assert len(cli.json("--as", "alice", "review", "approve", ids[0], ids[1])) == 2
    assert cli("--as", "alice", "review", "reject", ids[2], "mem_none").code == 4  # all or none
    assert cli.ok("--as", "alice", "review", "reject", ids[2]).out.startswith("rejected ")
    assert cli("--as", "alice", "review", "edit", ids[3], f"the key is {SECRET}").code == 3
    assert cli.json("--as", "alice", "review", "edit", ids[3], "call me later")["item"]["text"] == "call me later"
    assert cli.json("--as", "alice", "review", "list") == []
    assert cli.json("--as", "bob", "review", "list") == []


def test_a_pending_correction_shows_a_diff(cli):
    old = cli.kept("alice", "reach me by post")
    cli.ok("--as", "alice", "correct", old, "reach me at +49 170 1234567")
    lines = cli.ok("--as", "alice", "review", "list").out
    assert "-reach me by post" in lines
    assert "+reach me at +49 170 1234567" in lines


def test_explain_says_why_a_memory_comes_for_a_query_or_does_not(cli):
    best, other = cli.kept("alice", "green tea"), cli.kept("alice", "tea of another kind, from the hills")
    asked = ["--as", "alice", "explain", other, "--query", "green tea"]
    mine = cli.json(*asked)
    assert (mine["shown"], mine["reason"], mine["ranking"]["rank"]) == (True, "matches_query", 2)
    assert sum(mine["ranking"]["features"].values()) == pytest.approx(mine["ranking"]["score"], abs=1e-5)
    last = cli.json(*asked, "--limit", "1")
    assert (last["shown"], last["reason"], last["ranking"]["limit"]) == (False, "below_limit", 1)
    assert "place 2 of the 2 that match" in cli.ok(*asked, "--limit", "1").out
    assert cli.json(*asked, "--budget-tokens", "30")["reason"] == "tokens_full"
    assert cli.json(*asked, "--tag", "ops")["reason"] == "not_asked_for"
    assert cli.json(*asked, "--space", "project=apollo")["reason"] == "outside_asked_space"
    assert cli.json("--as", "alice", "explain", best, "--query", "zebra")["reason"] == "no_match"
    assert cli("--as", "bob", "explain", other, "--query", "green tea").code == 4
    assert cli("--as", "alice", "explain", other, "--limit", "1").code == 2
    assert cli.json("--as", "alice", "explain", best[:14])["subject"] == best
    assert cli("--as", "bob", "explain", best[:14]).code == 4


def test_recall_explain_shows_features_and_counts_withheld_memories(cli):
    first = cli.kept("alice", "green tea")
    cli.kept("alice", "the harbor is wide")
    found = cli.json("--as", "alice", "recall", "tea", "--explain")
    assert found["withheld"] == {"no_match": 1}
    assert found["hits"][0]["features"]["words"] > 0
    assert cli.json("--as", "alice", "recall", "tea")["withheld"] is None
    lines = cli.ok("--as", "alice", "recall", "tea", "--explain").out
    assert f"{first} " in lines
    assert "withheld 1: it is not relevant enough to the query" in lines
    assert "withheld" not in cli.ok("--as", "alice", "recall", "tea").out


def test_context_explain_prints_features_and_omissions_beside_the_prompt(cli):
    first = cli.kept("alice", "green tea")
    for text in (
        "tea of the garden in the hills, picked by hand in the early morning of a cold day",
        "the harbor is wide",
    ):
        cli.kept("alice", text)
    asked = ["--as", "alice", "context", "tea", "--budget-tokens", "30"]
    plain, explained = cli.ok(*asked), cli.ok(*asked, "--explain")
    assert explained.out == plain.out
    assert f"{first} " in explained.err
    assert "withheld 1: it was recalled, but did not fit in the token budget (tokens_full)" in explained.err
    assert "withheld" not in plain.err
    document = cli.json(*asked, "--explain")
    assert document["withheld"] == {"no_match": 1, "tokens_full": 1}
    assert [hit["item"]["id"] for hit in document["hits"]] == [first]
    assert document["hits"][0]["features"]["words"] > 0
    without = cli.json(*asked)
    assert (without["withheld"], without["text"]) == (None, document["text"])


def test_context_as_of_shows_the_memories_of_that_time(cli):
    cli.kept("alice", "I prefer green tea")
    then = datetime.now(UTC).isoformat()
    cli.kept("alice", "I prefer black tea")
    asked = ["--as", "alice", "context", "tea"]
    assert "black" in cli.ok(*asked).out
    assert ("green" in cli.ok(*asked, "--as-of", then).out, "black" in cli.ok(*asked, "--as-of", then).out) == (
        True,
        False,
    )
    assert len(cli.json(*asked, "--as-of", then)["hits"]) == 1
    refused = cli("--json", *asked, "--as-of", then, "--explain")
    assert (refused.code, refused.json["error"]["field"]) == (2, "explain")
    assert refused.json["error"]["message"] == "`--as-of` is given too"


def test_a_context_is_printed_line_by_line(cli):
    cli.kept("alice", "green tea\nwith a line of its own")
    lines = cli.ok("--as", "alice", "context", "tea").out.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("<memories>", "</memories>", 4)
    assert lines[2].endswith('@alice: "green tea\\nwith a line of its own"')
    assert "\n".join(lines) == cli.json("--as", "alice", "context", "tea")["text"]
    assert cli.ok("--as", "alice", "context", "zebra", "--no-weak").out == ""


def test_explain_says_why_and_check_answers_without_doing(world):
    id = world.ids["memory"]
    mine = world.json("--as", "alice", "explain", id)
    assert (mine["shown"], mine["reason"]) == (True, "visible")
    bobs = world.json("--as", "alice", "explain", id, "--viewer", "bob")
    assert (bobs["shown"], bobs["reason"]) == (False, "not_your_identity")
    acting = ["--viewer", "agent:helper", "--viewer-acting-for", "alice", "--viewer-at", "project=apollo"]
    assert world.json("--as", "alice", "explain", id, *acting)["shown"] is True
    traced = world.ok("--as", "alice", "explain", world.ids["trace"]).out
    assert id in traced
    assert world("--as", "bob", "explain", world.ids["trace"]).code == 4
    before = world.json("store", "info")["memories"]
    assert world.json("--as", "alice", "check", "remember", "tea")["verdict"] == "allowed"
    assert world("--as", "alice", "check", "remember", SECRET).code == 3
    assert world("--as", "alice", "check", "erase", id).code == 0
    assert world("--as", "bob", "check", "erase", id).code == 4
    assert world.json("store", "info")["memories"] == before


def test_forgotten_is_out_of_every_read_and_may_be_learned_again(cli):
    id = cli.kept("alice", "green tea")
    cli.ok("--as", "alice", "forget", id, "--yes")
    assert cli.json("--as", "alice", "recall", "tea")["hits"] == []
    assert [one["id"] for one in cli.json("--as", "alice", "list", "--deleted")["items"]] == [id]
    assert cli.ok("--as", "alice", "remember", "green tea").out.startswith("kept ")


def test_erasing_leaves_a_receipt_and_nothing_in_the_file(cli):
    id = cli.kept("alice", "the xylophone is in the attic")
    receipt = cli.json("--as", "alice", "erase", id, "--yes")
    assert (receipt["pending"], receipt["dry_run"]) == (None, False)
    assert cli.json("--as", "alice", "verify-erasure", receipt["id"])["problems"] == []
    assert cli("--as", "bob", "verify-erasure", receipt["id"]).code == 4
    assert [one["id"] for one in cli.json("--as", "alice", "erasures")] == [receipt["id"]]
    assert b"xylophone" not in b"".join(path.read_bytes() for path in cli.store.parent.iterdir())


def test_erasing_a_scope_cascades_unless_disabled(cli):
    wide, narrow = ["--at", "org=acme"], ["--at", "org=acme", "--at", "project=apollo"]
    cli.kept("alice", "wide remark", *wide, "--space", "org=acme")
    cli.kept("alice", "narrow remark", *narrow, "--space", "org=acme", "--space", "project=apollo")
    run = ["--as", "alice", *narrow, "erase", "--scope", "org=acme"]
    assert cli.json(*run, "--dry-run")["counts"]["memories"] == 2
    assert cli.json(*run, "--no-cascade", "--yes")["counts"]["memories"] == 1
    left = cli.json("--as", "alice", *narrow, "list")["items"]
    assert [one["text"] for one in left] == ["narrow remark"]
    assert cli.json(*run, "--yes")["counts"]["memories"] == 1


def test_an_erasure_that_has_to_wait_says_so_and_is_finished_later(cli):
    id = cli.kept("alice", "green tea")
    reader = apsw.Connection(str(cli.store))
    reader.execute("begin")
    reader.execute("select count(*) from item").fetchall()
    answer = cli("--json", "--as", "alice", "erase", id, "--yes")
    assert (answer.code, answer.json["pending"] is None) == (1, False)
    assert cli("--as", "alice", "verify-erasure", answer.json["id"]).code == 1
    assert cli("finish-erasures").code == 1
    reader.execute("commit")
    reader.close()
    assert cli("finish-erasures").code == 0
    assert cli("--as", "alice", "verify-erasure", answer.json["id"]).code == 0


def test_an_import_has_a_source_is_a_no_op_twice_and_can_be_erased(world):
    path = str(world.folder / "rows.json")
    assert world.json("--as", "alice", "import", path)["already_imported"] is True
    assert [one["id"] for one in world.json("--as", "alice", "sources")] == [world.ids["source"]]
    assert world.json("--as", "bob", "sources") == []
    assert len(world.json("--as", "alice", "list", "--source", world.ids["source"])["items"]) == 1
    assert world.json("--as", "alice", "erase", "--source", world.ids["source"], "--yes")["counts"]["memories"] == 1
    assert world.json("--as", "alice", "recall", "volcanoes")["hits"] == []
    platform = world.json("--as", "alice", "import", path, "--platform", "notebook", "--bring-back")
    assert platform["counts"]["kept"] == 1
    assert world.json("--as", "alice", "sources")[0]["platform"] == "notebook"


def test_a_dry_run_imports_nothing(cli):
    other = str(cli.folder / "store" / "other.db")
    cli.kept("alice", "green tea")
    exported = cli.ok("--as", "alice", "export").out
    run = ["--as", "alice", "--store", other, "import", "-"]
    assert cli.ok(*run, "--dry-run", stdin=exported).out.startswith("dry run: ")
    assert not [path for path in cli.store.parent.iterdir() if path.name.startswith("other")]  # not even a store
    cli.ok(*run, stdin=exported)
    again = cli.ok("--json", *run, "--dry-run", stdin=exported)
    assert (again.json["counts"]["read"], again.json["already_imported"]) == (1, True)
    assert cli.ok("--as", "alice", "--store", other, "export").out == exported


def test_an_export_file_is_for_its_owner_alone_and_never_overwritten_unasked(cli):
    cli.kept("alice", "green tea")
    path = cli.folder / "out.jsonl"
    assert cli.json("--as", "alice", "export", "--output", str(path)) == {"file": str(path), "memories": 1}
    assert path.stat().st_mode & 0o077 == 0
    assert cli("--as", "alice", "export", "--output", str(path)).code == 2
    assert cli("--as", "alice", "export", "--output", str(path), "--overwrite").code == 0
    nowhere = cli("--as", "alice", "export", "--output", "/no/such/folder/out.jsonl")
    assert (nowhere.code, "`/no/such/folder/out.jsonl`" in nowhere.err, ".part" in nowhere.err) == (2, True, False)
    assert cli("--as", "alice", "export", "--output", str(cli.folder), "--overwrite").code == 2
    assert [one.name for one in cli.folder.iterdir() if one.suffix == ".part"] == []


def test_the_trail_records_actor_action_and_reason_but_never_the_text(cli):
    cli.kept("alice", "the xylophone is green")
    cli("--as", "bob", "remember", "hello", "--space", "user=alice")
    mine = cli.ok("--as", "alice", "trail", "export").out
    lines = [json.loads(line)["event"] for line in mine.splitlines()]
    assert {event["actor"]["id"] for event in lines} == {"alice"}
    everything = cli.ok("--as", "system", "trail", "export").out
    assert "border_write" in everything
    assert "border_write" not in mine
    assert "xylophone" not in everything
    assert cli.json("trail", "verify")["broken"] == []


def test_expired_memories_are_hidden_and_gc_retires_them(cli):
    cli.kept("alice", "passing tea", "--ttl", "0.2")
    cli.kept("alice", "lasting tea")
    time.sleep(0.3)
    assert cli.json("store", "gc")["expired"] == 1
    assert cli.json("store", "gc")["expired"] == 0
    assert "passing" not in cli.ok("--as", "alice", "recall", "tea").out
    assert "lasting" in cli.ok("--as", "alice", "recall", "tea").out


def test_the_directory_is_kept(cli):
    assert cli.json("agent", "register", "helper", "--owner", "alice")["owner"] == "alice"
    assert cli("agent", "register", "helper", "--owner", "bob").code == 2
    chat = cli.json("chat", "register", "lunch", "--kind", "group", "--participant", "bob", "--agent", "helper")
    assert chat["participants"] == [{"kind": "agent", "id": "helper"}, {"kind": "user", "id": "bob"}]
    assert cli.json("chat", "get", "lunch") == chat
    for user in ("bob", "alice"):
        cli.ok("member", "add", "project=a=b", "--user", user)
    cli.ok("member", "remove", "project=a=b", "--user", "bob")
    alice = {"kind": "user", "id": "alice", "trust": "contributor"}
    assert cli.json("member", "list", "project=a=b")["members"] == [alice]
    cli.ok("member", "add", "project=a=b", "--user", "alice", "--trust", "owner")
    assert cli.json("member", "list", "project=a=b")["members"] == [{**alice, "trust": "owner"}]


def test_a_group_chat_is_for_its_participants(cli):
    cli.ok("chat", "register", "lunch", "--kind", "group", "--participant", "alice", "--participant", "bob")
    cli.kept("alice", "lunch is at noon", "--at", "chat=lunch", "--space", "chat=lunch")
    assert "noon" in cli.ok("--as", "bob", "--at", "chat=lunch", "recall", "lunch").out
    assert "noon" not in cli.ok("--as", "carol", "--at", "chat=lunch", "recall", "lunch").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_shells(cli, shell):
    script = cli.ok("completion", shell).out
    assert f"_MEMFORT_COMPLETE={shell}_complete" in script


def test_completion_completes_commands_and_options(cli):
    def completed(words: str, number: int) -> str:
        return cli("", env={"_MEMFORT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(number)}).out

    assert "plain,recall" in completed("memfort rec", 1)
    assert "plain,approve" in completed("memfort review ap", 2)
    assert "plain,--limit" in completed("memfort recall --l", 2)
    assert not cli.store.exists()


def test_a_forget_dry_run_lists_derived_memories(cli):
    parent = cli.kept("alice", "a first remark")
    child = cli.kept("alice", "a second remark", "--derived-from", parent)
    planned = cli.json("--as", "alice", "forget", parent, "--dry-run")
    assert (planned["dry_run"], {one["id"] for one in planned["items"]}) == (True, {parent, child})
    assert len(cli.json("--as", "alice", "list")["items"]) == 2
    assert {one["id"] for one in cli.json("--as", "alice", "forget", parent, "--yes")["items"]} == {parent, child}
    assert cli.json("--as", "alice", "list")["items"] == []


def test_changing_a_readable_but_not_writable_memory_is_denied(world):
    id = world.ids["memory"]
    world.ok("--as", "alice", "share", "--with-user", "dora")
    assert "green" in world.ok("--as", "dora", "get", id).out
    for words in (["correct", id, "x"], ["forget", id, "--yes"], ["forget", id, "--dry-run"]):
        answer = world("--as", "dora", *words)
        assert (answer.code, "(read_only_here)" in answer.err) == (3, True), words
        assert world("--as", "bob", *words).code == 4


def test_writing_a_memory_you_cannot_read_is_refused(cli):
    refused = cli("--as", "alice", "remember", "tea", "--reader-user", "bob")
    assert (refused.code, "writer_not_a_reader" in refused.err) == (3, True)
    cli.ok("--as", "alice", "remember", "milk", "--reader-user", "alice")


def test_a_damaged_memory_is_named_by_list_and_export(world):
    id = world.ids["memory"]
    connection = apsw.Connection(str(world.store))
    connection.execute("update item set record = record || ' ' where id = ?", (id,))
    connection.close()
    listed = world.ok("--as", "alice", "list")
    assert (id in listed.out, f"`{id}` is damaged" in listed.err) == (False, True)
    assert world.json("--as", "alice", "list")["damaged"] == [id]
    exported = world("--as", "alice", "export")
    assert (exported.code, f"`{id}` is damaged" in exported.err) == (1, True)
    assert json.loads(exported.out.splitlines()[0])["damaged"] == [id]
    assert id not in world.ok("--as", "bob", "list").err + world.ok("--as", "bob", "export").err
