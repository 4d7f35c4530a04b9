"""observe, window, promote, restore, phase, trace and `--as-of`: the facade's verbs, in the same words."""

from __future__ import annotations

import json

import pytest

from .conftest import SECRET

ALICE = ("--as", "alice")
SESSION = (*ALICE, "--at", "session=s1", "--at", "project=apollo")


def texts(memories):
    return [one["text"] for one in memories]


# -- observe, window --------------------------------------------------------------------------------------------------


TEA = [{"role": "user", "content": "I prefer green tea"}, {"role": "assistant", "content": "Noted, green tea it is."}]


def lines(messages):
    return "\n".join(map(json.dumps, messages))


def test_observe_stores_the_turns_and_the_statements_in_them(cli):
    seen = cli.json(*SESSION, "observe", "-", stdin=lines(TEA))
    assert [one["turn"]["item"]["text"] for one in seen["messages"]] == texts_of(TEA)
    assert [one["item"]["text"] for one in seen["messages"][0]["statements"]] == ["I prefer green tea"]
    assert seen["trace"].startswith("trc_")
    assert texts(cli.json(*SESSION, "window")) == ["I prefer green tea", "Noted, green tea it is."]
    assert cli.ok(*SESSION, "window").out == "user: I prefer green tea\nai: Noted, green tea it is.\n"
    assert cli.ok("--as", "bob", "--at", "session=s1", "window").err == "no turns here\n"


def test_observe_says_which_message_was_not_kept_and_why_others_were_skipped(cli):
    system = {"role": "system", "content": "Be brief."}
    answer = cli.ok(*SESSION, "observe", "-", stdin=lines([system, TEA[0], f"the key is {SECRET}"]))
    assert "messages[2]: refused: " in answer.out
    assert answer.out.splitlines()[-1] == "1 kept, 1 refused, 1 skipped (instruction)"
    whole = cli(*SESSION, "observe", "-", stdin=lines([{"messages": [TEA[0]]}]))
    assert "messages[0]: it is a whole conversation; give its messages one by one, or import the file" in whole.err


def test_a_list_says_how_a_memory_has_ended(cli):
    cli.ok("--as", "alice", "remember", "I love pottery")
    cli.ok("--as", "alice", "forget", "--query", "pottery", "--yes")
    [line] = cli.ok("--as", "alice", "list", "--deleted").out.splitlines()
    assert line.split("\t")[3:] == ["forgotten", "I love pottery"]


def texts_of(messages):
    return [one["content"] for one in messages]


def test_a_visibility_stands_for_a_space(cli):
    cli.ok("agent", "register", "helper", "--owner", "alice")
    helper = ("--as", "agent:helper", "--at", "team=blue")
    kept = cli.json(*helper, "remember", "water is wet", "--visibility", "public")
    assert kept["item"]["space"] == {"agent": "helper", "team": "blue", "visibility": "public"}
    seen = cli.json(*helper, "observe", "-", "--visibility", "shared", stdin=lines(TEA))
    assert {tuple(one["turn"]["item"]["space"]) for one in seen["messages"]} == {("user", "visibility")}
    refused = cli(*helper, "observe", "-", "--visibility", "public", stdin=lines(TEA))
    assert (refused.code, "--visibility: a conversation is never public" in refused.err) == (2, True), refused.err
    unknown = cli(*helper, "remember", "water is wet", "--visibility", "secret")
    assert (unknown.code, "use one of" in unknown.err) == (2, True), unknown.err


def test_part_of_a_conversation_may_be_refused_and_only_all_of_it_is_denied(cli):
    answer = cli.ok(*SESSION, "observe", "-", stdin=lines([TEA[0], f"the key is {SECRET}"]))
    assert "kept mem_" in answer.out
    assert "(secret)" in answer.out
    assert answer.out.endswith("1 kept, 1 refused\n")
    refused = cli(*SESSION, "observe", "-", stdin=lines([f"the key is {SECRET}"]))
    assert refused.code == 3
    assert SECRET not in answer.out + answer.err + refused.out + refused.err


def test_a_file_is_a_list_or_has_one_message_per_line(cli):
    (cli.folder / "chat.json").write_text(json.dumps(TEA))
    (cli.folder / "chat.jsonl").write_text(lines(TEA))
    first = cli.json(*SESSION, "observe", str(cli.folder / "chat.json"), "--conversation", "c-1")
    assert [one["turn"]["decision"]["reason"] for one in first["messages"]] == ["confident", "confident"]
    again = cli.json(*SESSION, "observe", str(cli.folder / "chat.jsonl"), "--conversation", "c-1")
    assert [one["turn"]["decision"]["reason"] for one in again["messages"]] == ["already_observed"] * 2
    assert (
        cli.ok(*SESSION, "observe", str(cli.folder / "chat.jsonl"), "--conversation", "c-1").out
        == "2 observed before\n"
    )
    assert len(cli.json(*SESSION, "window", "--conversation", "c-1")) == 2
    assert cli.json(*SESSION, "window") == []


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (["observe", "-"], "\n", "it has no messages"),
        (["observe", "-"], '{"role": "user", "content": "x"}\nplain', "line 2 is not a JSON message"),
        (["observe", "-"], "[1, 2", "it is not a JSON list"),
        (["observe", "-"], "[]", "there are none"),
        (["observe", "-"], '["fine", {"role": "robot", "content": "x"}]', "messages[1].role: `robot` is not a role"),
        (["promote", "mem_x"], "", "--to"),
        (["promote", "mem_x", "--to", "proect=a"], "", "did you mean `project`?"),
        (["restore", "{memory}"], "", "is approved, not superseded"),
        (["phase", "start", "auto"], "", "say why this one begins"),
        (["phase", "diff", "phase-7"], "", "use one of phase-1"),
        (["phase", "diff", "phase-1"], "", "does not come after"),
        (["recall", "tea", "--as-of", "yesterday"], "", "--as-of: the time cannot be read"),
        (["recall", "tea", "--as-of", "phase-9"], "", "--as-of: there is no phase `phase-9` here"),
        (["remember", "x", "--ttl-ticks", "0"], "", "--ttl-ticks: `0` is not a lifetime"),
        (["member", "add", "project=a", "--user", "bob", "--trust", "ower"], "", "did you mean `owner`?"),
        (["trace", "list", "--limit", "0"], "", "--limit"),
    ],
)
def test_invalid_arguments_are_reported_in_one_line(world, words, stdin, said):
    answer = world(*ALICE, *(word.format(**world.ids) for word in words), stdin=stdin)
    assert (answer.code, said in answer.err) == (2, True), answer
    assert answer.err.startswith("memfort: ")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [["restore", "mem_none"], ["promote", "mem_none", "--to", "project=apollo"], ["trace", "show", "trc_none"]]
)
def test_missing_ids_are_not_found(world, words):
    answer = world(*ALICE, "--at", "project=apollo", *words)
    assert (answer.code, "there is no" in answer.err) == (4, True)


# -- promote, restore -------------------------------------------------------------------------------------------------


def test_a_promoted_memory_is_a_copy_there_and_a_tombstone_here(cli):
    id = cli.kept("alice", "we deploy on Mondays", "--type", "decision")
    copy = cli.json(*ALICE, "--at", "project=apollo", "promote", id, "--to", "project=apollo")["item"]
    assert (copy["space"], copy["promoted_from"], copy["promotion_reason"]) == ({"project": "apollo"}, id, "manual")
    gone = cli(*ALICE, "get", id)
    assert gone.code == 4
    assert "promoted" in gone.err
    assert "Mondays" in cli.ok("--as", "bob", "--at", "project=apollo", "recall", "deploy").out


def test_a_promotion_the_policy_has_no_way_for_is_denied(cli):
    id = cli.kept("alice", "we deploy on Mondays", "--at", "project=apollo", "--space", "project=apollo")
    answer = cli("--json", *ALICE, "--at", "project=apollo", "promote", id, "--to", "user=alice")
    assert (answer.code, answer.json["error"]["reason"]) == (3, "promotion_disallowed")


def test_a_pending_promotion_is_approved_by_trusted_members_only(cli):
    (cli.folder / "work" / "team.toml").write_text(
        '[[spaces.promotions]]\nfrom_level = "user"\nto_level = "project"\napprovals = 1\n'
    )
    cli.ok("policy", "use", "team.toml", "--yes")
    cli.ok("member", "add", "project=apollo", "--user", "alice")
    cli.ok("member", "add", "project=apollo", "--user", "bob", "--trust", "approver")
    here = ("--at", "project=apollo")
    id = cli.kept("alice", "we deploy on Mondays", "--type", "decision")
    waits = cli.json(*ALICE, *here, "promote", id, "--to", "project=apollo")["item"]["id"]
    assert cli(*ALICE, *here, "review", "approve", waits).code == 3
    assert cli.json("--as", "bob", *here, "recall", "deploy")["hits"] == []
    cli.ok("--as", "bob", *here, "review", "approve", waits)
    assert "Mondays" in cli.ok("--as", "bob", *here, "recall", "deploy").out


def test_a_restored_memory_is_in_force_again(cli):
    old = cli.kept("alice", "the launch is in May")
    cli.ok(*ALICE, "correct", old, "the launch is in June")
    assert cli.ok(*ALICE, "restore", old).out.startswith("kept ")
    assert [one["item"]["text"] for one in cli.json(*ALICE, "recall", "launch")["hits"]] == ["the launch is in May"]


# -- phases -----------------------------------------------------------------------------------------------------------


def test_starting_a_phase_limits_recall_to_the_current_phase(cli):
    cli.kept("alice", "the launch is in May")
    began = cli.json(*ALICE, "phase", "start", "a", "new", "quarter", "--name", "Q2")
    assert (began["index"], began["reason"], began["name"]) == (2, "a new quarter", "Q2")
    cli.kept("alice", "the launch is in June")
    recalled = cli.json(*ALICE, "recall", "launch")["hits"]
    assert [one["item"]["text"] for one in recalled] == ["the launch is in June"]
    then = cli.json(*ALICE, "recall", "launch", "--as-of", "phase-1")["hits"]
    assert [one["item"]["text"] for one in then] == ["the launch is in May"]
    assert [one["index"] for one in cli.json(*ALICE, "phase", "list")] == [1, 2]
    diff = cli.json(*ALICE, "phase", "diff", "phase-1", "phase-2")
    assert [(one["kind"], one["item"]["text"]) for one in diff["changes"]] == [("added", "the launch is in June")]
    assert "1 memory was added." in cli.ok(*ALICE, "phase", "diff", "phase-1").out


def test_a_phase_is_of_the_space_that_is_named(cli):
    here = ("--at", "project=apollo")
    cli.kept("alice", "green tea")
    cli.ok(*ALICE, *here, "phase", "start", "kickoff", "--space", "project=apollo")
    assert len(cli.json(*ALICE, *here, "phase", "list", "--space", "project=apollo")) == 2
    assert len(cli.json(*ALICE, *here, "phase", "list")) == 1
    assert cli("--as", "bob", "phase", "start", "mine now", "--space", "user=alice").code == 3
    assert cli("--as", "bob", "phase", "list", "--space", "user=alice").code == 4


def test_recall_as_of_a_moment(cli):
    old = cli.kept("alice", "the launch is in May")
    moment = cli.json(*ALICE, "get", old)["created_at"]
    cli.ok(*ALICE, "correct", old, "the launch is in June")
    hits = cli.json(*ALICE, "recall", "launch", "--as-of", moment)["hits"]
    assert [one["item"]["id"] for one in hits] == [old]


def test_a_lifetime_in_ticks_and_subjects_are_kept(cli):
    about = ("--subject", "@bob", "--subject", "@carol", "--portable")  # what the same people may hear ages it
    id = cli.kept("alice", "bob is on leave", "--ttl-ticks", "2", *about)
    kept = cli.json(*ALICE, "get", id)
    assert (kept["subjects"], kept["expires_tick"] - kept["created_tick"]) == (["@bob", "@carol"], 2)
    for number in range(2):
        cli.kept("alice", f"remark {number}", *about)
    assert cli(*ALICE, "get", id).code == 4


# -- traces -----------------------------------------------------------------------------------------------------------


def test_traces_are_listed_latest_first_and_shown_by_id(cli):
    kept = cli.json(*ALICE, "remember", "green tea")
    recalled = cli.json(*ALICE, "recall", "tea")["trace"]
    calls = cli.json(*ALICE, "trace", "list")
    assert [(one["trace"], one["actions"]) for one in calls] == [(recalled, ["recall"]), (kept["trace"], ["remember"])]
    assert cli.json(*ALICE, "trace", "show")["trace"] == recalled
    shown = cli.json(*ALICE, "trace", "show", kept["trace"])
    assert shown["events"][0]["written"][0]["id"] == kept["item"]["id"]
    assert len(cli.json(*ALICE, "trace", "list", "--limit", "1")) == 1


@pytest.mark.fails_closed
def test_a_trace_is_readable_plain_or_expanded(world):
    trace = world.ids["trace"]
    assert world.ok(*ALICE, "trace", "show", trace).out.startswith("memory_recall\n  {\n")
    plain = world.ok(*ALICE, "trace", "show", trace, "--plain").out
    assert plain.startswith("type: memory_recall\n")
    assert "\nrecalled.1.text: Alice prefers green tea\n" in plain
    assert "policy.approve_confidence" not in plain
    wide = world.json(*ALICE, "trace", "show", trace, "--expanded")["events"][0]["policy"]
    assert len(wide) > len(world.json(*ALICE, "trace", "show", trace)["events"][0]["policy"])


def test_traces_of_other_actors_are_not_shown(world):
    for other in ("bob", "system", "agent:helper"):
        theirs, none = (world("--as", other, "trace", "show", id) for id in (world.ids["trace"], "trc_none"))
        assert theirs.code == none.code == 4
        assert theirs.err.replace(world.ids["trace"], "trc_none") == none.err
        assert world.ids["trace"] not in world.ok("--as", other, "trace", "list").out
    assert world.ids["trace"] in world.ok(*ALICE, "trace", "list").out


def test_trace_option_prints_the_trace_beside_the_answer(cli):
    answer = cli.ok(*ALICE, "remember", "green tea", "--trace")
    assert answer.out.startswith("kept ")
    assert "type: memory_write\n" in answer.err
    recalled = cli.ok("--trace", "--json", *ALICE, "recall", "which tea?")
    event, *borders = json.loads(recalled.err)
    assert (event["type"], event["query"]) == ("memory_recall", "which tea?")
    assert [one["type"] for one in borders] == ["memory_border_check"] * len(event["spaces_consulted"])
    assert recalled.json["hits"]
    refused = cli(*ALICE, "remember", f"the key is {SECRET}", "--trace")
    assert refused.code == 3
    assert "type: memory_denied\n" in refused.err
    assert SECRET not in refused.err
    assert cli.ok(*ALICE, "list", "--trace").err == "the call left no trace\n"
    assert "type:" not in cli.ok(*ALICE, "recall", "tea").err


def test_trace_show_without_any_call_is_not_found(cli):
    cli.kept("alice", "green tea")
    assert cli.ok("--as", "bob", "trace", "list").err == "no calls on record\n"
    answer = cli("--as", "bob", "trace", "show")
    assert (answer.code, "no call of yours is on record" in answer.err) == (4, True)
