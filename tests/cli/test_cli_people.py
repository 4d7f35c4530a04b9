"""`memfort people`: adding, finding and forgetting people on the command line."""

from __future__ import annotations

import pytest

from .conftest import SECRET


@pytest.fixture
def sarah(cli):
    return cli.json("--as", "alice", "people", "add", "Sarah", "--alias", "Sal", "--relation", "wife", "--listed")["id"]


def test_people_in_the_directory_are_found_by_all_users(cli, sarah):
    assert cli.ok("--as", "bob", "people", "find", "sal").out == f"{sarah}\tSarah\tSal\tlisted\t\n"
    assert cli.ok("--as", "alice", "people", "find", "my wife").out.startswith(sarah)
    shown = cli.json("--as", "bob", "people", "get", sarah)
    assert (shown["name"], shown["merged_into"]) == ("Sarah", None)
    relations = cli.json("--as", "bob", "people", "relations", sarah)
    assert [(one["from_person"], one["term"]) for one in relations] == [("@alice", "wife")]
    assert f"{sarah} is the wife of @alice" in cli.ok("--as", "bob", "people", "relations", sarah).out


@pytest.mark.parametrize("options", [[], ["--space", "user=alice"]])
def test_people_in_a_space_are_invisible_to_other_users(cli, options):
    made = cli.ok("--as", "alice", "people", "add", "Tom", *options).out
    id = made.split()[0]
    assert "known in user=alice" in made
    assert cli.ok("--as", "alice", "people", "list").out.startswith(id)
    for words in (["find", "Tom"], ["list"]):
        answer = cli.ok("--as", "bob", "people", *words)
        assert (answer.out, answer.err) == ("", "nobody\n")
    for words in (["get", id], ["relations", id], ["update", id, "--name", "x"], ["alias", id, "x"], ["drop", id],
                  ["link", id, "--user", "bob"], ["merge", "me", id], ["relate", "me", "friend", id]):  # fmt: skip
        answer = cli("--as", "bob", "people", *words)
        assert answer.code == 4
        assert f"there is no person `{id}` that you can see" in answer.err
        assert "Tom" not in answer.err


def test_a_denial_has_its_code_and_its_reason(cli, sarah):
    for words in (["update", sarah, "--name", "x"], ["alias", "@alice", "x"], ["link", sarah, "--user", "bob"]):
        answer = cli("--json", "--as", "bob", "people", *words)
        assert (answer.code, answer.json["error"]["reason"]) == (3, "not_your_person")
    answer = cli("--json", "--as", "system", "people", "merge", "@alice", "@bob")
    assert (answer.code, answer.json["error"]["reason"]) == (3, "different_users")


def test_names_are_changed_and_people_merged_and_linked(cli, sarah):
    assert "Sarah Smith" in cli.ok("--as", "alice", "people", "update", sarah, "--name", "Sarah Smith").out
    assert "also: Sal, Sally" in cli.ok("--as", "alice", "people", "alias", sarah, "Sally").out
    twin = cli.json("--as", "alice", "people", "add", "S. Smith", "--listed")["id"]
    assert cli.ok("--as", "alice", "people", "merge", sarah, twin).out == f"they are one: {sarah} Sarah Smith\n"
    assert cli.json("--as", "bob", "people", "find", "s. smith")[0]["id"] == sarah
    assert cli.ok("--as", "system", "people", "link", sarah, "--user", "carol").out == "they are one: @carol carol\n"
    assert cli.json("--as", "bob", "people", "get", twin)["id"] == "@carol"
    answer = cli("--as", "alice", "people", "merge", sarah, twin)
    assert (answer.code, "it is `@carol` already" in answer.err) == (2, True)


def test_relations_can_be_stated_and_withdrawn(cli, sarah):
    said = cli.ok("--as", "alice", "people", "relate", "me", "boss", "@bob").out
    assert said == "@bob is the boss of @alice\n"
    assert cli.ok("--as", "alice", "people", "unrelate", "me", "boss", "@bob").out == f"removed: {said}"
    assert cli("--as", "alice", "people", "unrelate", "me", "boss", "@bob").code == 4


def test_a_dropped_person_is_gone_and_never_named_in_the_trail(cli):
    id = cli.json("--as", "alice", "people", "add", "Wilhelmina", "--listed")["id"]
    assert "Wilhelmina" in cli.ok("--as", "bob", "people", "list").out
    cli.ok("--as", "alice", "people", "drop", id)
    assert cli("--as", "alice", "people", "get", id).code == 4
    assert "Wilhelmina" not in cli.ok("--as", "system", "trail", "export").out
    assert cli.ok("trail", "verify").code == 0


def test_a_secret_is_refused_as_a_name_and_not_repeated(cli):
    answer = cli("--as", "alice", "people", "add", SECRET)
    assert (answer.code, SECRET in answer.out + answer.err) == (3, False)
    assert cli.ok("--as", "alice", "people", "list").out == ""


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["add", "@bob"], "name"),
        (["add", "Sarah", "--alias", ""], "--alias"),
        (["add", "Sarah", "--relation", "w" * 70], "--relation"),
        (["add", "Sarah", "--space", "proect=a"], "--space"),
        (["list", "--limit", "0"], "--limit"),
        (["relate", "me", "friend", "me"], "other"),
    ],
)
def test_bad_input_names_the_option(cli, words, field):
    cli.ok("--as", "alice", "people", "add", "Tom")
    answer = cli("--as", "alice", "people", *words)
    assert answer.code == 2
    assert answer.err.startswith(f"memfort: {field}: ")
