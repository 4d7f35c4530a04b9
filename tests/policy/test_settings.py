"""A policy is read whole or refused by name; its digest names exactly it."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from memfort.errors import InvalidInput
from memfort.model.space import Level
from memfort.policy.settings import AuditReads, Effect, PersonalAction, Policy, Rule, TypeRule


def read(text: str, tmp_path: Path) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    return Policy.from_toml(path)


WHOLE = """
name = "team"
governance_default = "deny"
personal_private = "allow"
personal_shared = "redact"
approve_confidence = 0.75
default_type = "fact"
default_lifetime_seconds = 3600
read_order = ["user", "session", "org"]
audit_reads = "durable"

[[governance]]
effect = "allow"
name = "facts from tools"
source = "tool"
type = "fact"

[[governance]]
effect = "deny"
tag = "noise"
level = "project"

[types.rumour]
lifetime_seconds = 60
importance = 0.5

[aliases]
hearsay = "rumour"

[secret_patterns]
badge = "badge-[0-9]{6}"
"""


def test_a_policy_file_says_all_that_a_policy_can(tmp_path: Path) -> None:
    policy = read(WHOLE, tmp_path)
    assert policy.name == "team"
    assert policy.governance_default is Effect.DENY
    assert policy.governance == (
        Rule(Effect.ALLOW, "facts from tools", source="tool", type="fact"),
        Rule(Effect.DENY, tag="noise", level="project"),
    )
    assert (policy.personal_private, policy.personal_shared) == (PersonalAction.ALLOW, PersonalAction.REDACT)
    assert (policy.approve_confidence, policy.default_lifetime_seconds) == (0.75, 3600)
    assert policy.types["rumour"] == TypeRule(60, 0.5)
    assert policy.types["fact"] == Policy().types["fact"]
    assert (policy.resolve_type("hearsay"), policy.resolve_type(None)) == ("rumour", "fact")
    assert policy.read_order == (Level.USER, Level.SESSION, Level.ORG)
    assert policy.secret_patterns == (("badge", "badge-[0-9]{6}"),)
    assert policy.audit_reads is AuditReads.DURABLE
    assert {field.name for field in fields(Policy)} == set(tomllib.loads(WHOLE))


def test_an_empty_file_is_the_default_policy(tmp_path: Path) -> None:
    assert read("", tmp_path) == Policy()
    assert read("", tmp_path).digest == Policy().digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('governanse = "x"', "governanse: the policy has no such setting; did you mean `governance`"),
        ("approve_confidance = 1", "approve_confidance: the policy has no such setting; did you mean `approve_conf"),
        ("zzz = 1", "zzz: the policy has no such setting; use one of aliases"),
        (
            '[[governance]]\neffect = "allow"\nuzer = "x"',
            r"governance\[0\]\.uzer: there is no such setting; did you mean `user`",
        ),
        ("[types.x]\nlifetime = 3", r"types\.x\.lifetime: there is no such setting; did you mean `lifetime_seconds`"),
        ('audit_reads = "often"', "audit_reads: `often` is not possible here; use one of off, batched, durable"),
        ('governance_default = "maybe"', "governance_default: `maybe` is not possible here; use one of allow, deny"),
        ('personal_shared = "shrug"', "personal_shared: `shrug` is not possible here"),
        (
            '[[governance]]\neffect = "permit"',
            r"governance\.effect: `permit` is not possible here; use one of allow, deny",
        ),
        ('[[governance]]\nname = "x"', r"governance\[0\]: a setting is missing"),
        ('[[governance]]\neffect = "deny"\nlevel = "team"', "`team` is not a level"),
        ('governance = "deny"', "governance: it is not a list"),
        ("types = 3", "types: it is not a table"),
        ("[types]\nx = 3", r"types\.x: it is not a table"),
        ("read_order = 3", "read_order: it is not a list"),
        ('read_order = ["team"]', "`team` is not a level"),
        ("name = 3", "name: a int does not fit"),
        ('approve_confidence = "high"', "approve_confidence: a str does not fit"),
        ("approve_confidence = true", "approve_confidence: a bool does not fit"),
        ("approve_confidence = 1.01", "approve_confidence: it is not between 0 and 1"),
        ("approve_confidence = nan", "approve_confidence: it is not between 0 and 1"),
        ("default_lifetime_seconds = 0", "default_lifetime_seconds: it is not above zero; give more, or leave it out"),
        ("default_lifetime_seconds = -1", "default_lifetime_seconds: it is not above zero"),
        ("[types.x]\nlifetime_seconds = 0", r"types\.lifetime_seconds: it is not above zero"),
        ("[types.x]\nlifetime_seconds = -5", r"types\.lifetime_seconds: it is not above zero"),
        ('[types.x]\nlifetime_seconds = "long"', r"types\.lifetime_seconds: `long` is not a number"),
        ('default_type = "gossip"', "default_type: `gossip` is not a type"),
        ('[aliases]\nx = "gossip"', r"aliases\.x: `gossip` is not a type"),
        ('[secret_patterns]\nx = "(?<=a)b"', r"secret_patterns\.x: .*RE2.*lookaround"),
        ("[secret_patterns]\nx = '(a)\\1'", r"secret_patterns\.x: .*RE2"),
        ('[secret_patterns]\nx = "("', r"secret_patterns\.x: "),
        ('[secret_patterns]\nx = "a*"', r"secret_patterns\.x: .*matches the empty text"),
        ("this is not toml", "it is not valid TOML: .*line 1"),
    ],
)
def test_what_a_policy_cannot_be_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read(text, tmp_path)


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InvalidInput, match=r"type: `prefrence` is not a type; did you mean `preference`.*agent_eval.*user_pref"
    ):
        Policy().resolve_type("prefrence")


CHANGED: dict[str, Any] = {
    "name": "other",
    "governance_default": Effect.DENY,
    "governance": (Rule(Effect.DENY),),
    "personal_private": PersonalAction.ALLOW,
    "personal_shared": PersonalAction.REVIEW,
    "approve_confidence": 0.61,
    "default_type": "fact",
    "default_lifetime_seconds": 1,
    "types": Policy().types | {"x": TypeRule()},
    "aliases": {},
    "read_order": (Level.USER,),
    "secret_patterns": (("x", "y"),),
    "audit_reads": AuditReads.OFF,
}


def test_any_other_setting_gives_another_digest() -> None:
    assert set(CHANGED) == {field.name for field in fields(Policy)}
    digests = {name: replace(Policy(), **{name: value}).digest for name, value in CHANGED.items()}
    assert len({Policy().digest, *digests.values()}) == 1 + len(CHANGED)


@pytest.mark.parametrize("field", [field.name for field in fields(Rule) if field.name not in {"effect", "level"}])
def test_any_other_part_of_a_rule_gives_another_digest(field: str) -> None:
    plain, other = Rule(Effect.DENY, name="n"), replace(Rule(Effect.DENY, name="n"), **{field: "fact"})
    assert Policy(governance=(plain,)).digest != Policy(governance=(other,)).digest


def test_the_order_of_rules_counts_and_the_order_of_types_does_not() -> None:
    one, two = Rule(Effect.DENY, tag="a"), Rule(Effect.ALLOW, tag="b")
    assert Policy(governance=(one, two)).digest != Policy(governance=(two, one)).digest
    turned = dict(reversed(Policy().types.items()))
    assert Policy(types=turned).digest == Policy().digest


def test_the_digest_is_the_same_for_the_same_policy_everywhere(tmp_path: Path) -> None:
    """A decision of years ago names its policy by this."""
    assert Policy().digest == Policy().digest
    assert read(WHOLE, tmp_path).digest == read(WHOLE, tmp_path).digest
    assert len(Policy().digest) == 16


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"default_lifetime_seconds": float("inf")}, "default_lifetime_seconds"),
        ({"types": {"x": {"importance": "high"}}}, "types.importance"),
        ({"types": {"x": {"lifetime_seconds": True}}}, "types.lifetime_seconds"),
        ({"governance": [{"effect": "deny", "user": 5}]}, "governance.user"),
        ({"secret_patterns": {"x": 5}}, "secret_patterns.x"),
        ({"aliases": {"x": ["fact"]}}, "aliases.x"),
        ({"read_order": ["user", "user"]}, "read_order"),
    ],
)
def test_what_could_never_work_is_refused_by_name(given: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Policy.from_dict(given)
    assert refused.value.field == field


def test_a_policy_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"')
    for name in ("missing.toml", "latin.toml"):
        with pytest.raises(InvalidInput, match=name):
            Policy.from_toml(tmp_path / name)


REFERENCE = Path(__file__).parent.parent.parent / "docs" / "policy.md"


def test_every_setting_type_and_alias_is_in_the_reference() -> None:
    text = REFERENCE.read_text()
    names = {*(field.name for field in fields(Policy)), *Policy().types, *Policy().aliases}
    assert [name for name in sorted(names) if f"`{name}`" not in text] == []


def test_the_example_in_the_reference_is_a_policy(tmp_path: Path) -> None:
    example = REFERENCE.read_text().split("```toml\n")[1].split("```")[0]
    (tmp_path / "policy.toml").write_text(example)
    policy = Policy.from_toml(tmp_path / "policy.toml")
    assert [rule.name for rule in policy.governance] == ["no gossip from tools", "members may write"]
    assert policy.resolve_type("daily") == "standup"
