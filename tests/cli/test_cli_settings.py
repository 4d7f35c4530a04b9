"""Settings: flag, environment, memfort.toml, the user's file, default; each with its origin, and no unknown keys."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memfort.errors import InvalidInput
from memfort.surfaces.cli.input.settings import SETTINGS, default_store, load, project_file, user_file

VALUES = {
    "memberships": "registered",
    "embedder": "none",
    "reranker": "none",
    "classifier": "none",
    "extractor": "none",
    "audit_reads": "off",
    "auto_gc": "true",
    "max_entries": "100",
    "extraction_enabled": "false",
    "extraction_confidence_threshold": "0.7",
}


def _origin(cli, name, *flags, **env):
    found = cli.ok("--json", *flags, "config", "show", env=env).json["settings"][name]
    return found["value"], found["origin"]


@pytest.fixture
def files(cli):
    """A project's file, and the user's own."""
    project = cli.folder / "work" / "memfort.toml"
    user = cli.folder / "home" / "config" / "memfort" / "config.toml"
    user.parent.mkdir(parents=True)
    return project, user


def test_the_strongest_origin_wins_and_is_named(cli, files):
    project, user = files
    assert _origin(cli, "as") == (None, "default")
    user.write_text('as = "dora"')
    assert _origin(cli, "as") == ("dora", str(user))
    project.write_text('as = "carol"')
    assert _origin(cli, "as") == ("carol", str(project))
    assert _origin(cli, "as", MEMFORT_AS="bob") == ("bob", "environment MEMFORT_AS")
    assert _origin(cli, "as", "--as", "alice", MEMFORT_AS="bob") == ("alice", "flag --as")


@pytest.mark.parametrize(
    "setting", [one for one in SETTINGS if one.name not in {"at", "json"}], ids=lambda one: one.name
)
def test_every_setting_can_come_from_each_origin(cli, files, setting):
    project, user = files
    value = VALUES.get(setting.name, "given")
    line = f'{setting.key} = "{value}"' if setting.table is None else f"{setting.key} = {value}"
    cli.env.pop(setting.variable, None)
    environ = {"HOME": str(cli.folder / "home")}
    assert load({}, environ).found[setting.name].origin == "default"
    user.write_text(line)
    assert load({}, environ).found[setting.name].origin == str(user)
    project.write_text(line)
    assert load({}, environ).found[setting.name].origin == str(project)
    environ[setting.variable] = value
    assert load({}, environ).found[setting.name].origin == f"environment {setting.variable}"
    found = load({setting.name: value}, environ).found[setting.name]
    assert (str(found.value).lower().endswith(value), found.rank) == (True, 0)


def test_a_settings_file_is_used_for_real(cli, files):
    project, _ = files
    project.write_text('as = "alice"\nstore = "own/memory.db"\n[at]\nproject = "apollo"\n')
    (project.parent / "own").mkdir()
    env = {"MEMFORT_STORE": None}
    cli.ok("remember", "the launch is in June", "--space", "project=apollo", env=env)
    assert (cli.folder / "work" / "own" / "memory.db").exists()
    assert "June" in cli.ok("recall", "launch", env=env).out
    assert "June" not in cli.ok("--as", "bob", "--at", "project=gemini", "recall", "launch", env=env).out


def test_without_settings_the_store_is_in_the_users_data(cli):
    env = {"MEMFORT_STORE": None}
    cli.ok("--as", "alice", "remember", "green tea", env=env)
    store = cli.folder / "home" / "data" / "memfort" / "memfort.db"
    assert store.exists()
    assert store.stat().st_mode & 0o077 == store.parent.stat().st_mode & 0o077 == 0


def test_the_project_file_is_looked_for_upward_as_far_as_the_repository(tmp_path):
    below = tmp_path / "repository" / "deep" / "down"
    below.mkdir(parents=True)
    (tmp_path / "memfort.toml").write_text("")
    assert project_file(below) == tmp_path / "memfort.toml"
    (tmp_path / "repository" / ".git").mkdir()
    assert project_file(below) is None
    (tmp_path / "repository" / "memfort.toml").write_text("")
    assert project_file(below) == tmp_path / "repository" / "memfort.toml"


@pytest.mark.parametrize(
    ("wrong", "right"), [("stor", "store"), ("memberhsips", "memberships"), ("acting-for", "acting_for")]
)
def test_an_unknown_key_is_an_error_that_suggests_the_right_one(cli, files, wrong, right):
    files[0].write_text(f'{wrong} = "x"')
    answer = cli("--json", "config", "show")
    assert answer.code == 2
    assert answer.json["error"]["remedy"] == f"did you mean `{right}`?"
    assert wrong in answer.json["error"]["field"]


def test_a_variable_that_is_nearly_right_is_an_error_and_a_stranger_is_not(cli):
    answer = cli("config", "show", env={"MEMFORT_STOER": "x"})
    assert (answer.code, "`MEMFORT_STORE`" in answer.err) == (2, True)
    assert cli("config", "show", env={"MEMFORT_TEST_HISTORIES": "5"}).code == 0


def test_bad_toml_names_file_and_line(cli, files):
    files[1].write_text('store = "a"\nas = alice\n')
    answer = cli("config", "show")
    assert answer.code == 2
    assert str(files[1]) in answer.err
    assert "line 2" in answer.err


@pytest.mark.parametrize(
    "line",
    ["store = 3", "store = ''", "as = ['a']", "at = 'apollo'", "at = 7", "memberships = 'none'", "json = 'maybe'",
     "audit_reads = 'sometimes'", "policy = ''", "at = 'proect=x'", "at = ['project=a', 'project=b']",
     "at = {project = 3}", "at = 'user=bob'", "as = 'agent:'", "acting_for = ''", "store = '~nobodyatall/x'"],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_refused_by_name(cli, files, line):
    """With the file it stands in; a variable and a flag are named too."""
    name, value = line.split(" = ", 1)
    files[0].write_text(line)
    answer = cli("config", "show", env={"MEMFORT_STORE": None})
    assert answer.code == 2
    assert answer.err.startswith(f"memfort: {files[0]}: {name}: ")
    files[0].unlink()
    if name in {"memberships", "at", "json"} and value.startswith("'"):
        variable = cli("config", "show", env={f"MEMFORT_{name.upper()}": value.strip("'")})
        assert variable.err.startswith(f"memfort: MEMFORT_{name.upper()}: ")


def test_places_from_list_table_text_and_json():
    def places(value):
        return dict(load({}, {"HOME": "/nonexistent", "MEMFORT_AT": value})["at"])

    assert places("project=a=b") == {"project": "a=b"}
    assert places('{"project": "a, b", "org": "x"}') == {"project": "a, b", "org": "x"}
    assert places('["project=a"]') == {"project": "a"}
    with pytest.raises(InvalidInput, match="JSON"):
        places("{project}")


def test_flags_before_and_after_mean_the_same_and_places_add_up(cli):
    cli.kept("alice", "green tea")
    one = cli.json("--as", "alice", "--at", "project=a", "--at", "org=o", "spaces")
    two = cli.json("spaces", "--at", "org=o", "--as", "alice", "--at", "project=a")
    three = cli.json("--at", "project=a", "spaces", "--at", "org=o", "--as", "alice")
    assert one["spaces"] == two["spaces"] == three["spaces"]
    assert {"project": "a", "org": "o"} in one["spaces"]


def test_identity_settings_of_two_origins_are_not_mixed(cli, files):
    cli.ok("agent", "register", "helper", "--owner", "alice")
    files[0].write_text('as = "agent:helper"\nacting_for = "bob"\n')
    assert {"user": "bob"} in cli.json("spaces")["spaces"]
    alice = cli.json("--as", "alice", "spaces")["spaces"]
    assert {"user": "alice"} in alice
    assert {"user": "bob"} not in alice
    helper = cli.json("--as", "agent:helper", "spaces")["spaces"]
    assert {"agent": "helper", "visibility": "private"} in helper
    assert {"user": "bob"} not in helper
    assert {"user": "carol"} in cli.json("--acting-for", "carol", "spaces")["spaces"]


def test_only_an_agent_may_use_acting_for(cli):
    assert cli("--as", "alice", "--acting-for", "bob", "list").code == 2
    assert cli("--as", "alice", "--owner", "bob", "list").code == 2


def test_the_policy_file_counts_and_its_digest_is_shown(cli):
    built_in = cli.json("policy", "show")
    (cli.folder / "work" / "strict.toml").write_text('name = "strict"\ngovernance_default = "deny"\n')
    strict = cli.json("--policy", "strict.toml", "policy", "show")
    assert strict["policy"]["name"] == "strict"
    assert strict["digest"] != built_in["digest"]
    assert cli("--as", "alice", "--policy", "strict.toml", "remember", "green tea").code == 3
    assert cli("--as", "alice", "remember", "green tea").code == 0
    (cli.folder / "work" / "wrong.toml").write_text('governance_defualt = "deny"\n')
    assert "governance_default" in cli("--policy", "wrong.toml", "policy", "show").err
    assert cli("--policy", "missing.toml", "policy", "show").code == 2


def test_reads_are_recorded_as_the_settings_say(cli):
    cli.kept("alice", "green tea")

    def recalls():
        events = cli.json("--as", "system", "trail", "export")
        return [one["event"]["surface"] for one in events if one["event"]["action"] == "recall"]

    cli.ok("--as", "alice", "recall", "tea", env={"MEMFORT_AUDIT_READS": "off"})
    assert recalls() == []
    cli.ok("--as", "alice", "recall", "tea")
    assert recalls() == ["cli"]


def test_registered_memberships_require_registration(cli):
    cli.kept("alice", "the launch is in June", "--at", "project=apollo", "--space", "project=apollo")
    trusted = cli.ok("--as", "bob", "--at", "project=apollo", "recall", "launch")
    assert "June" in trusted.out
    strict = ["--memberships", "registered", "--as", "bob", "--at", "project=apollo", "recall", "launch"]
    assert "June" not in cli.ok(*strict).out
    cli.ok("member", "add", "project=apollo", "--user", "bob")
    assert "June" in cli.ok(*strict).out


def test_a_project_file_owned_by_another_user_is_refused(cli, files, monkeypatch):
    files[0].write_text('store = "theirs.db"\n')
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    theirs = cli("--json", "config", "show", env={"MEMFORT_STORE": None})
    if mine == 0:  # what belongs to the administrator is obeyed
        assert theirs.json["settings"]["store"]["value"].endswith("theirs.db")
        os.chown(files[0], 4321, -1)
        theirs = cli("--json", "config", "show", env={"MEMFORT_STORE": None})
    assert theirs.code == 2
    assert theirs.json["error"]["field"] == str(files[0])
    assert "belongs to another user" in theirs.json["error"]["message"]
    assert cli("--as", "alice", "remember", "green tea", env={"MEMFORT_STORE": None}).code == 2
    assert not (files[0].parent / "theirs.db").exists()
    named = cli.ok("--json", "config", "show", env={"MEMFORT_STORE": None, "MEMFORT_CONFIG": str(files[0])})
    assert named.json["settings"]["store"]["value"].endswith("theirs.db")


@pytest.mark.skipif(os.getuid() != 0, reason="only the administrator can make a link for another user")
def test_a_symlink_owned_by_another_user_is_not_followed(cli, files):
    (cli.folder / "own.toml").write_text('store = "own.db"\n')
    files[0].symlink_to(cli.folder / "own.toml")
    assert cli("config", "show").code == 0
    os.chown(files[0], 4321, -1, follow_symlinks=False)
    assert cli("config", "show").code == 2


def test_without_file_owners_every_project_file_is_used(cli, files, monkeypatch):
    files[0].write_text('as = "alice"\n')
    monkeypatch.delattr(os, "getuid")
    assert _origin(cli, "as") == ("alice", str(files[0]))


def test_a_named_project_file_has_to_be_there(cli, files):
    assert cli("config", "show", env={"MEMFORT_CONFIG": "/no/such/file"}).code == 2
    files[0].write_text('as = "alice"\n')
    other = cli.folder / "other.toml"
    other.write_text('as = "bob"\n')
    assert _origin(cli, "as", MEMFORT_CONFIG=str(other)) == ("bob", str(other))
    assert "`MEMFORT_CONFIG`" in cli("config", "show", env={"MEMFORT_CONFG": "x"}).err


def test_config_show_prints_the_settings_in_force(cli, files):
    files[0].write_text('as = "agent:helper"\nacting_for = "bob"\nowner = "carol"\n')
    assert _origin(cli, "acting_for") == ("bob", str(files[0]))
    value, origin = _origin(cli, "acting_for", "--as", "alice")
    assert (value, origin.startswith("default; ")) == (None, True)
    assert str(files[0]) in origin
    assert _origin(cli, "acting_for", "--as", "agent:x", "--acting-for", "dora") == ("dora", "flag --acting-for")
    assert "(nobody)" in cli.ok("--as", "alice", "config", "show").out


def test_a_store_in_memory_is_refused_because_a_command_would_forget_at_once(cli):
    for answer in (cli("--store", ":memory:", "--as", "alice", "remember", "I like tea"),
                   cli("--as", "alice", "recall", "tea", env={"MEMFORT_STORE": ":memory:"})):  # fmt: skip
        assert answer.code == 2
        assert "forget everything when the command ends" in answer.err
        assert "name a file" in answer.err
    assert not Path(":memory:").exists()
    assert cli("--store", "./:memory:", "--as", "alice", "remember", "I like tea").code == 0
    assert Path(":memory:").is_file()


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"])
@pytest.mark.parametrize("value", [None, "", "relative/place", "/somewhere/else", "/somewhere/else/"])
def test_a_users_files_are_where_platformdirs_says(monkeypatch, variable, value):
    import platformdirs

    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    if value is None:
        monkeypatch.delenv(variable, raising=False)
    else:
        monkeypatch.setenv(variable, value)
    assert user_file() == platformdirs.user_config_path("memfort") / "config.toml"
    assert default_store() == platformdirs.user_data_path("memfort") / "memfort.db"
