"""Assertion files: the shipped ones hold, one that is wrong fails, and what cannot be understood is refused by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfort.errors import InvalidInput
from memfort.policy.settings.document import preset, preset_names
from memfort.policy.settings.policy import Policy
from memfort.surfaces.assertions.file import AssertionFile, load_assertions, read_assertions
from memfort.surfaces.assertions.run import Finding

POLICIES = Path(__file__).parents[1] / "policies"
FILES = sorted(POLICIES.glob("*.yaml"))


def read(text: str, policy: Policy | None = None) -> AssertionFile:
    return read_assertions(text, "a.yaml", POLICIES, policy or Policy())


def findings(text: str, policy: Policy | None = None) -> list[Finding]:
    return list(read(text, policy).run())


def test_there_is_a_file_for_each_preset() -> None:
    assert [path.stem for path in FILES] == preset_names()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_assertion_files_hold(path: Path) -> None:
    file = load_assertions(path, Policy())
    wrong = [f"{one.assertion}: {'; '.join(one.problems)}" for one in file.run() if not one.holds]
    assert wrong == []
    assert len({assertion.expected for assertion in file.assertions}) >= 3


GIVEN = """
given:
  memories:
    - {name: tea, by: alice, text: Alice prefers green tea}
    - {name: mail, by: alice, text: write to carol@corp.test}
"""


@pytest.mark.parametrize(
    ("assertion", "problems"),
    [
        ("allowed: [{actor: bob, memory: tea}]",
         ("check does not show it", "recall does not show it", "explain does not show it")),
        ("denied: [{actor: alice, memory: tea}]", ("check shows it", "recall shows it", "explain shows it")),
        ("denied: [{actor: bob, memory: tea, reason: not_a_member}]",
         ("expected reason not_a_member, got not_your_identity",)),
        ("allowed: [{actor: alice, memory: tea, query: volcano}]", ("recall does not show it",)),
        ("allowed: [{actor: bob, verb: forget, memory: tea}]", ("expected allowed, got denied",)),
        ("denied: [{actor: alice, verb: forget, memory: tea}]", ("expected denied, got allowed",)),
        ("allowed: [{actor: alice, verb: remember, text: write to dora@corp.test}]",
         ("expected allowed, got pending",)),
        ("pending: [{actor: alice, verb: remember, text: rivers}]", ("expected pending, got allowed",)),
        ("denied: [{actor: alice, verb: remember, text: rivers, reason: secret}]",
         ("expected denied, got allowed", "expected reason secret, got confident")),
        ("denied: [{actor: alice, verb: share, space: {user: alice}}]", ("expected denied, got allowed",)),
        ("explained: [{actor: alice, memory: tea, viewer: bob, shown: true}]",
         ("expected that explain shows it, and it does not show it",)),
        ("explained: [{actor: alice, memory: tea, contains: [volcano]}]",
         ("the explanation does not contain `volcano`",)),
        ("denied: [{actor: alice, verb: fly, memory: tea}]", ("verb: it is not possible; use one of *",)),
        ("denied: [{actor: alice, memory: tee}]",
         ("memory: there is no memory `tee` in `given`; did you mean `tea`?",)),
        ("denied: [{actor: alice}]", ("memory: it is missing; name one of the memories in `given`",)),
        ("pending: [{actor: alice, memory: tea}]",
         ("verb: `recall` cannot wait for review; use remember, or another list",)),
        ("explained: [{actor: alice, memory: tea}]",
         ("explained: it asserts nothing; add `shown`, `reason` or `contains`",)),
        ("allowed: [{actor: alice, memory: tea, text: rivers}]",
         ("text: `recall` has no such thing; leave it out, or use the verb remember",)),
        ("allowed: [{actor: alice, verb: remember, memory: tea}]",
         ("memory: a statement is not a memory yet; give its `text` instead",)),
        ("denied: [{actor: alice, acting_for: bob, memory: tea}]",
         ("acting_for: only an agent acts for a user; leave it out, or write `agent:NAME`",)),
        ("denied: [{actor: 'robot:r2', memory: tea}]",
         ("actor: `robot` is not a kind of actor; write `alice`, `user:alice` or `agent:helper`",)),
    ],
)  # fmt: skip
def test_an_assertion_that_is_wrong_fails(assertion: str, problems: tuple[str, ...]) -> None:
    [finding] = findings(GIVEN + assertion)
    assert not finding.holds
    assert len(finding.problems) == len(problems)
    for got, wanted in zip(finding.problems, problems, strict=True):
        assert got == wanted or (wanted.endswith("*") and got.startswith(wanted[:-1]))
    assert finding.assertion.place == "a.yaml:6"


def test_the_right_ones_beside_them_hold() -> None:
    """The positive control of the test above."""
    text = (
        GIVEN
        + """
allowed:
  - {actor: alice, memory: tea}
  - {actor: alice, verb: forget, memory: tea}
  - {actor: alice, verb: remember, text: rivers, reason: confident}
  - {actor: alice, verb: share, space: {user: alice}}
denied: [{actor: bob, memory: tea, reason: not_your_identity}, {actor: alice, memory: mail, reason: pending_review}]
pending: [{actor: alice, verb: remember, text: write to dora@corp.test}]
explained: [{actor: alice, memory: tea, viewer: bob, shown: false, contains: [user:bob]}]
"""
    )
    assert [one.problems for one in findings(text)] == [()] * 8


def test_no_assertion_changes_the_answer_to_another() -> None:
    """Both say the same; were it one memory, the second would be a duplicate."""
    same = "{actor: alice, verb: remember, text: rivers, reason: confident}"
    assert all(one.holds for one in findings(f"allowed: [{same}, {same}]"))


def test_a_file_that_names_no_policy_is_about_the_one_given() -> None:
    text = "allowed: [{actor: alice, verb: remember, text: rivers}]"
    assert findings(text)[0].holds
    assert not findings(text, preset("scoped"))[0].holds


def test_a_policy_is_a_preset_a_file_beside_or_a_table(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"')
    cases = "\nallowed: [{actor: alice, memory: tea}]"
    for policy, name in (("chat", "chat"), ("mine.toml", "mine"), ("{extends: chat, name: ours}", "ours")):
        assert read_assertions(f"policy: {policy}{cases}", "a.yaml", tmp_path, Policy()).policy.name == name


def test_a_report_never_repeats_a_statement() -> None:
    [finding] = findings("allowed: [{actor: alice, verb: remember, text: the key is AKIAQ3EGRVFJ7WKPZT5M}]")
    assert not finding.holds
    assert "AKIA" not in " ".join([str(finding.assertion), *finding.problems, *finding.explanation])
    [finding] = findings("denied: [{actor: alice, verb: remember, text: AKIAQ3EGRVFJ7WKPZT5M, says: no keys}]")
    assert str(finding.assertion) == "a.yaml:1: denied: no keys"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("allowed:\n  - {actor: alice, werb: recall}",
         "a.yaml line 2: allowed[0].werb: there is no such setting; did you mean `verb`?"),
        ("allowed:\n  - verb: recall", "a.yaml line 2: allowed[0].actor: it is missing; add it"),
        ("allowed:\n  - actor: alice\n    reason: becauce",
         "a.yaml line 3: allowed[0].reason: it is not possible here; use one of *"),
        ("allowed:\n  - actor: no", "a.yaml line 2: allowed[0].actor: a bool does not fit; give a text"),
        ("given:\n  memories:\n    - {name: x, by: alice}\nallowed: [{actor: alice, memory: x}]",
         "a.yaml line 3: given.memories[0]: it is not kept: *"),
        ("given:\n  memories:\n    - {name: x, by: alice, text: AKIAQ3EGRVFJ7WKPZT5M}\nallowed: [{actor: alice}]",
         "a.yaml line 3: given.memories[0]: it is not kept: * (secret); give a memory that the policy admits, or "
         "assert that it is denied"),
        ("given:\n  memories:\n    - {name: x, by: alice, text: a}\n    - {name: x, by: alice, text: b}\n"
         "allowed: [{actor: alice}]",
         "a.yaml line 4: given.memories[1].name: there is a memory `x` already; give it another name"),
        ("given:\n  members:\n    squad: {a: [alice]}\nallowed: [{actor: alice}]",
         "a.yaml line 3: given.members.squad: it is not possible here; use one of *"),
        ("given:\n  chats:\n    lunch: {kind: big}\nallowed: [{actor: alice}]",
         "a.yaml line 3: given.chats.lunch.kind: it is not possible here; use one of *"),
        ("policy: scopd\nallowed: [{actor: alice}]",
         "a.yaml line 1: policy: there is no preset `scopd`; did you mean `scoped`?"),
        ("policy: 3\nallowed: [{actor: alice}]",
         "a.yaml line 1: policy: it names no policy; give a preset, a TOML file, or a table of settings"),
        ("policy:\n  types:\n    x: {lifetime_seconds: 0}\nallowed: [{actor: alice}]",
         "a.yaml line 3: policy.types.x.lifetime_seconds: it is not above 0; give more than 0, or leave it out"),
        ("alowed: []", "a.yaml line 1: alowed: there is no such setting; did you mean `allowed`?"),
        ("allowed: []", "a.yaml line 1: allowed: nothing is asserted; add one of allowed, pending, denied, explained"),
        ("", "a.yaml: allowed: nothing is asserted; add one of allowed, pending, denied, explained"),
        ("- 1", "a.yaml: it is not a table; write `given:` and one of allowed, pending, denied, explained"),
        ("allowed: [\n  {actor: alice}", "a.yaml line 2: it is not valid YAML: *; fix that line"),
        ("allowed:\n  - actor: alice\n    actor: bob",
         "a.yaml line 3: actor: it is a duplicate key; keep one of the two"),
        ("allowed: !!python/object:os.system [x]", "a.yaml line 1: it is not valid YAML: *; fix that line"),
    ],
)  # fmt: skip
def test_an_invalid_assertion_is_refused_by_file_line_and_remedy(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        findings(text)
    first, star, last = message.partition("*")
    said = str(refused.value)
    assert said == message if not star else said.startswith(first) and said.endswith(last), said


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"policy: caf\xe9")
    for name in ("missing.yaml", "latin.yaml"):
        with pytest.raises(InvalidInput, match=name):
            load_assertions(tmp_path / name, Policy())
