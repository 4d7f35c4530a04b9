"""A policy is read whole or refused by line, key and remedy; its digest names exactly it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields, replace

from memfort.errors import InvalidInput
from memfort.model.item import Authority, EventType, Kind, Origin, Sensitivity
from memfort.model.results import Feature
from memfort.model.space import Level, Space, Visibility
from memfort.policy.settings import sections
from memfort.policy.settings.document import load_policy, merge_tables, preset, preset_names, read_policy
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import (
    AboutPeople,
    ApartBy,
    Audit,
    AuditReads,
    Budget,
    Conflict,
    Conversation,
    DefaultPlace,
    Disclosure,
    DisclosureRule,
    Effect,
    EvictFirst,
    Extraction,
    ForgetPolicy,
    ForgetRequests,
    GuessedLifetime,
    Keep,
    KeepMode,
    KeptTurns,
    KindPromotion,
    Origins,
    PersonalAction,
    PhaseMode,
    Phases,
    Privacy,
    Promotion,
    Provenance,
    Recalling,
    Retention,
    Rule,
    SecretAllowance,
    SecretRules,
    Section,
    SensitiveMatch,
    SensitivityRules,
    SensitivityThresholds,
    Spaces,
    SpaceSensitivity,
    StatementsFrom,
    Trust,
    TypeRule,
    VisibilityRule,
    WhenFull,
    WithoutEncoder,
    WritePolicy,
)

# Every key there is, each with another value than the default. The first test below fails for one that is missing.
WHOLE = """
name = "team"
write_policy = "minimal"
allow_event_types = ["fact", "decision"]
deny_event_types = ["context"]
low_signal = ["mhm"]
governance_default = "deny"
approve_confidence = 0.75
discard_confidence = 0.25
default_type = "rumour"
infer_types = false
authority_order = ["user_asserted", "system_imposed", "tool_verified", "ai_inferred"]

[[governance]]
effect = "deny"
name = "no gossip"
user = "bob"
agent = "helper"
source = "tool"
type = "hearsay"
tag = "gossip"
level = "project"

[types.rumour]
lifetime_seconds = 60
importance = 0.5
event_type = "decision"
domain = "talk of the town"
aliases = ["hearsay"]

[retention]
default_seconds = 3600
guessed = "end"
forget_policy = "ttl"

[retention.short_term]
context = { mode = "ttl", ticks = 12 }

[retention.semantic]
fact = { mode = "decay", seconds = 86400 }

[retention.profile]
fact = { mode = "never" }

[promotion]
short_term = ["context"]
semantic = ["fact"]
profile = []

[origins]
user = ["user"]
agent = ["ai", "tool"]
system = ["system"]

[spaces]
read_order = ["user", "session", "agent"]
default_place = "agent"
write = ["session", "agent"]
group_facts = false
read_back = false

[[spaces.visibility]]
pattern = "(?i)lesson"
visibility = "public"

[[spaces.promotions]]
from_level = "session"
to_level = "user"
authority = "tool_verified"
override = { decision = "user_asserted" }
event_types = ["decision"]
approvals = 2
trust = "owner"

[phase]
enabled = false
mode = "current_plus_history"
allow_cross_phase_recall = true
max_phases = 3
diff_enabled = false
keep_profile = false

[privacy]
deny_patterns = { badge = "badge-[0-9]{6}" }
sensitive_words = ["merger"]
sensitive_match = "substring"
profile_keys = ["name"]
personal_private = "allow"
personal_shared = "redact"
private_in_public = false
identity_data = false
review_instructions = false

[[secrets.allow]]
detector = "key_nearby"
user = "bob"
agent = "helper"
type = "rumour"
space = { project = "apollo" }

[conflict]
own_corrections_stand = true
evolve = false
similarity = 0.8
apart_by = "type"

[disclosure]
rule = "participants"
missing_provenance = "open"
about_people = "anywhere"
own_public_everywhere = true
classify = false

[sensitivity]
unknown = "sensitive"
unknown_language = "sensitive"
without_encoder = "none"
thresholds = "relaxed"
personal_at = 0.6
sensitive_at = 0.8
categories = { politics = "sensitive" }

[[sensitivity.spaces]]
level = "project"
id = "clinic"
unknown = "public"
unknown_language = "public"
without_encoder = "all"
thresholds = "strict"
personal_at = 0.1
sensitive_at = 0.2
categories = { career = "sensitive" }

[budget]
short_term = 1
semantic = 2
profile = 3
space = 4
owner = 5
when_full = "refuse"
evict_first = "oldest"
grace_seconds = 60

[conversation]
turns = "window"
statements = "messages"
forget_requests = "act"

[extraction]
send = ["public", "personal"]
debounce_seconds = 1
batch_messages = 2
context_turns = 3
memories = 4
timeout_seconds = 5
attempts = 6
backoff_seconds = 7
longest_backoff_seconds = 8

[recall]
least_words = 0.1
least_meaning = 0.5
least_evidence = 0.2
least_best = 0.3
step = 0.1
weak = 5
weights = { words = 2, speaker = 0.5 }

[audit]
reads = "durable"
"""


def test_a_policy_file_says_all_that_a_policy_can() -> None:
    policy = read_policy(WHOLE, "team.toml")
    assert policy == Policy(
        name="team",
        write_policy=WritePolicy.MINIMAL,
        allow_event_types=(EventType.FACT, EventType.DECISION),
        deny_event_types=(EventType.CONTEXT,),
        low_signal=("mhm",),
        governance_default=Effect.DENY,
        governance=(Rule(Effect.DENY, "no gossip", "bob", "helper", "tool", "rumour", "gossip", Level.PROJECT),),
        approve_confidence=0.75,
        discard_confidence=0.25,
        default_type="rumour",
        infer_types=False,
        types={
            **Policy().types,
            "rumour": TypeRule(60, 0.5, EventType.DECISION, "talk of the town", ("hearsay",)),
        },
        retention=Retention(
            3600,
            {EventType.CONTEXT: Keep(KeepMode.TTL, 12)},
            {EventType.FACT: Keep(KeepMode.DECAY, None, 86400)},
            {EventType.FACT: Keep()},
            GuessedLifetime.END,
            ForgetPolicy.TTL,
        ),
        promotion=KindPromotion((EventType.CONTEXT,), (EventType.FACT,), ()),
        spaces=Spaces(
            (Level.USER, Level.SESSION, Level.AGENT),
            (Level.SESSION, Level.AGENT),
            (
                Promotion(
                    Level.SESSION,
                    Level.USER,
                    Authority.TOOL_VERIFIED,
                    {EventType.DECISION: Authority.USER_ASSERTED},
                    (EventType.DECISION,),
                    2,
                    Trust.OWNER,
                ),
            ),
            DefaultPlace.AGENT,
            (VisibilityRule("(?i)lesson", Visibility.PUBLIC),),
            False,
            False,
        ),
        origins=Origins((Origin.USER,), (Origin.AI, Origin.TOOL), (Origin.SYSTEM,)),
        phase=Phases(False, PhaseMode.CURRENT_PLUS_HISTORY, True, 3, False, False),
        privacy=Privacy(
            {"badge": "badge-[0-9]{6}"},
            ("merger",),
            SensitiveMatch.SUBSTRING,
            ("name",),
            PersonalAction.ALLOW,
            PersonalAction.REDACT,
            False,
            False,
            False,
        ),
        secrets=SecretRules((SecretAllowance("key_nearby", "bob", "helper", "rumour", {Level.PROJECT: "apollo"}),)),
        authority_order=(
            Authority.USER_ASSERTED,
            Authority.SYSTEM_IMPOSED,
            Authority.TOOL_VERIFIED,
            Authority.AI_INFERRED,
        ),
        conflict=Conflict(True, False, 0.8, ApartBy.TYPE),
        disclosure=Disclosure(DisclosureRule.PARTICIPANTS, Provenance.OPEN, AboutPeople.ANYWHERE, True, False),
        sensitivity=SensitivityRules(
            Sensitivity.SENSITIVE,
            Sensitivity.SENSITIVE,
            WithoutEncoder.NONE,
            SensitivityThresholds.RELAXED,
            0.6,
            0.8,
            {"politics": Sensitivity.SENSITIVE},
            (
                SpaceSensitivity(
                    Level.PROJECT,
                    "clinic",
                    Sensitivity.PUBLIC,
                    Sensitivity.PUBLIC,
                    WithoutEncoder.ALL,
                    SensitivityThresholds.STRICT,
                    0.1,
                    0.2,
                    {"career": Sensitivity.SENSITIVE},
                ),
            ),
        ),
        budget=Budget(1, 2, 3, 4, 5, WhenFull.REFUSE, EvictFirst.OLDEST, 60),
        recall=Recalling({Feature.WORDS: 2.0, Feature.SPEAKER: 0.5}, 0.1, 0.5, 0.2, 0.3, 0.1, weak=5),
        conversation=Conversation(KeptTurns.WINDOW, StatementsFrom.MESSAGES, ForgetRequests.ACT),
        extraction=Extraction((Sensitivity.PUBLIC, Sensitivity.PERSONAL), 1, 2, 3, 4, 5, 6, 7, 8),
        audit=Audit(AuditReads.DURABLE),
    )


def test_every_key_is_in_the_file_above_with_another_value() -> None:
    given, default = tomllib.loads(WHOLE), Policy().to_dict()
    assert set(given) == {field.name for field in fields(Policy)}
    for name, value in given.items():
        assert value != default[name], name
    for name, made in SECTIONS.items():
        assert set(given[name]) == {field.name for field in fields(made)}, name
    assert set(given["governance"][0]) == {field.name for field in fields(Rule)}
    assert set(given["types"]["rumour"]) == {field.name for field in fields(TypeRule)}
    assert set(given["spaces"]["promotions"][0]) == {field.name for field in fields(Promotion)}
    assert set(given["secrets"]["allow"][0]) == {field.name for field in fields(SecretAllowance)}
    assert set(given["spaces"]["visibility"][0]) == {field.name for field in fields(VisibilityRule)}
    assert set(given["sensitivity"]["spaces"][0]) == {field.name for field in fields(SpaceSensitivity)}


SECTIONS: dict[str, Any] = {
    "retention": Retention, "promotion": KindPromotion, "origins": Origins, "spaces": Spaces, "phase": Phases,
    "privacy": Privacy, "secrets": SecretRules,
    "conflict": Conflict, "disclosure": Disclosure, "sensitivity": SensitivityRules, "budget": Budget,
    "conversation": Conversation, "extraction": Extraction, "recall": Recalling, "audit": Audit,
}  # fmt: skip


def test_no_section_is_forgotten() -> None:
    made = {one for one in vars(sections).values() if isinstance(one, type) and issubclass(one, Section)}
    assert made - {Section} == {
        *SECTIONS.values(),
        Rule,
        TypeRule,
        Promotion,
        VisibilityRule,
        Keep,
        SpaceSensitivity,
        SecretAllowance,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('governanse = "x"', "p.toml line 1: governanse: there is no such setting; did you mean `governance`?"),
        ("\n\nzzz = 1",
         "p.toml line 3: zzz: there is no such setting; use one of allow_event_types, approve_confidence, audit, "
         "authority_order, budget, conflict, conversation, default_type, deny_event_types, discard_confidence, "
         "disclosure, extends, extraction, governance, governance_default, infer_types, low_signal, name, origins, "
         "phase, privacy, promotion, recall, retention, secrets, sensitivity, spaces, types, unset, write_policy"),
        ('extnds = "chat"', "p.toml line 1: extnds: there is no such setting; did you mean `extends`?"),
        ('unsett = ["budget.owner"]', "p.toml line 1: unsett: there is no such setting; did you mean `unset`?"),
        ('name = "x"\n[[governance]]\neffect = "allow"\n\n[[governance]]\neffect = "deny"\nuzer = "x"',
         "p.toml line 7: governance[1].uzer: there is no such setting; did you mean `user`?"),
        ("[types.x]\nlifetime = 3",
         "p.toml line 2: types.x.lifetime: there is no such setting; did you mean `lifetime_seconds`?"),
        ("[phase]\nmax_fases = 3",
         "p.toml line 2: phase.max_fases: there is no such setting; did you mean `max_phases`?"),
        ('[audit]\nreads = "often"',
         "p.toml line 2: audit.reads: it is not possible here; use one of off, batched, durable"),
        ('write_policy = "some"',
         "p.toml line 1: write_policy: it is not possible here; use one of none, minimal, normal, aggressive"),
        ('[[governance]]\neffect = "permit"',
         "p.toml line 2: governance[0].effect: it is not possible here; use one of allow, deny"),
        ('[[governance]]\nname = "x"', "p.toml line 1: governance[0].effect: it is missing; add it"),
        ('[spaces]\nread_order = ["squad"]',
         "p.toml line 2: spaces.read_order[0]: it is not possible here; use one of session, paper, track, chat, "
         "workspace, user, project, role, agent, team, org, system, visibility"),
        ('[spaces]\nread_order = ["user"]\ndefault_place = "agent"',
         "p.toml line 3: spaces.default_place: `agent` is a space of the level `agent`, where nothing is written; "
         "name that level, or use `own` or `here`"),
        ('[[spaces.visibility]]\npattern = "(a"\nvisibility = "private"',
         "p.toml line 2: spaces.visibility[0].pattern: pattern `private` is not one that RE2 accepts (missing ): (a); "
         "lookaround and backreferences are refused because they can take exponential time; use the RE2 syntax"),
        ('[[spaces.visibility]]\npattern = "x"\nvisibility = "secret"',
         "p.toml line 3: spaces.visibility[0].visibility: it is not possible here; use one of private, public, shared"),
        ('[spaces]\nread_order = ["agent"]\n[[spaces.visibility]]\npattern = "x"\nvisibility = "shared"',
         "p.toml line 3: spaces.visibility[0]: `shared` is a space of the level `user`, where nothing is written; "
         "name that level, or leave the rule out"),
        ('[retention.semantic]\nfakt = { mode = "ttl", ticks = 3 }',
         "p.toml line 2: retention.semantic.fakt: it is not possible here; use one of preference, decision, fact, "
         "correction, execution, context"),
        ('governance = "deny"', "p.toml line 1: governance: it is not a list; write it as a list"),
        ("types = 3", "p.toml line 1: types: it is not a table; write it as a table of names and values"),
        ("[types]\nx = 3", "p.toml line 2: types.x: it is not a table; write it as a table of names and values"),
        ("name = 3", "p.toml line 1: name: an int does not fit; give a text"),
        ('approve_confidence = "high"', "p.toml line 1: approve_confidence: a str does not fit; give a number"),
        ("approve_confidence = true", "p.toml line 1: approve_confidence: a bool does not fit; give a number"),
        ("approve_confidence = 1.01",
         "p.toml line 1: approve_confidence: it is not between 0 and 1; give a number from 0 to 1"),
        ("approve_confidence = nan",
         "p.toml line 1: approve_confidence: it is not between 0 and 1; give a number from 0 to 1"),
        ("discard_confidence = -0.1",
         "p.toml line 1: discard_confidence: it is not between 0 and 1; give a number from 0 to 1"),
        ('[privacy]\nsensitive_words = ["merger", " "]',
         "p.toml line 2: privacy.sensitive_words[1]: it is empty; give a word, or leave it out"),
        ('[privacy]\nsensitive_match = "sound"',
         "p.toml line 2: privacy.sensitive_match: it is not possible here; use one of word, substring"),
        ("[budget]\ngrace_seconds = 0",
         "p.toml line 2: budget.grace_seconds: it is not above 0; give more than 0, or leave it out"),
        ('[budget]\nwhen_full = "shrug"',
         "p.toml line 2: budget.when_full: it is not possible here; use one of evict, exceed, refuse"),
        ("[budget]\nowner = 1.5",
         "p.toml line 2: budget.owner: a float does not fit; give a whole number, or leave it out"),
        ("[budget]\nowner = 0", "p.toml line 2: budget.owner: it is below 1; give at least 1, or leave it out"),
        ("[phase]\nmax_phases = 0",
         "p.toml line 2: phase.max_phases: it is below 1; give at least 1, or leave it out"),
        ("[retention]\ndefault_seconds = 0",
         "p.toml line 2: retention.default_seconds: it is not above 0; give more than 0, or leave it out"),
        ("[retention]\ndefault_seconds = inf",
         "p.toml line 2: retention.default_seconds: it is not a finite number; give a finite number"),
        ("[types.x]\nlifetime_seconds = 0",
         "p.toml line 2: types.x.lifetime_seconds: it is not above 0; give more than 0, or leave it out"),
        ("[types]\nx = { lifetime_seconds = -5 }",
         "p.toml line 2: types.x.lifetime_seconds: it is not above 0; give more than 0, or leave it out"),
        ("[types.x]\nimportance = nan",
         "p.toml line 2: types.x.importance: it is not between 0 and 10; give a number from 0 to 10"),
        ("[types.x]\nimportance = 1e9",
         "p.toml line 2: types.x.importance: it is not between 0 and 10; give a number from 0 to 10"),
        ('[retention.semantic]\nfact = { mode = "ttl", ticks = 0 }',
         "p.toml line 2: retention.semantic.fact.ticks: it is below 1; give at least 1, or leave it out"),
        ('[retention.semantic]\nfact = { mode = "ttl" }',
         "p.toml line 2: retention.semantic.fact.mode: `ttl` needs a limit; give `ticks` or `seconds`"),
        ('[retention.semantic]\nfact = { mode = "never", ticks = 3 }',
         "p.toml line 2: retention.semantic.fact.mode: `never` has no limit; use ttl or decay, or leave the limit out"),
        ('default_type = "gossip"', "p.toml line 1: default_type: `gossip` is not a type; name a type in `types`"),
        ('[types.x]\naliases = ["fact"]',
         "p.toml line 2: types.x.aliases: `fact` is already in use; leave it out"),
        ('[[governance]]\neffect = "deny"\ntype = "prefrence"',
         "p.toml line 3: governance[0].type: `prefrence` is not a type; did you mean `preference`? (*)"),
        ('authority_order = ["ai_inferred"]',
         "p.toml line 1: authority_order: it does not name each authority once; put these in order: system_imposed, "
         "tool_verified, user_asserted, ai_inferred"),
        ('[spaces]\nread_order = ["user", "user"]',
         "p.toml line 2: spaces.read_order: a level is named twice; name each once"),
        ('[[spaces.promotions]]\nfrom_level = "user"\nto_level = "org"\n\n[[spaces.promotions]]\nfrom_level = "user"\n'
         'to_level = "org"', "p.toml line 5: spaces.promotions[1]: that promotion is named twice; keep one of the two"),
        ('[[spaces.promotions]]\nfrom_level = "user"\nto_level = "org"\napprovals = -1',
         "p.toml line 4: spaces.promotions[0].approvals: it is below 0; give at least 0"),
        ('[privacy.deny_patterns]\nx = "(?<=a)b"', "p.toml line 2: privacy.deny_patterns.x: *RE2*lookaround*"),
        ("[privacy.deny_patterns]\nx = '(a)\\1'", "p.toml line 2: privacy.deny_patterns.x: *RE2*; use the RE2 syntax"),
        ('[privacy.deny_patterns]\nx = "a*"', "p.toml line 2: privacy.deny_patterns.x: *matches the empty text*"),
        ('extends = "deterministc"',
         "p.toml line 1: extends: there is no preset `deterministc`; did you mean `deterministic`?"),
        ("this is not toml", "p.toml: it is not valid TOML: *line 1*; fix the line it names"),
    ],
)  # fmt: skip
def test_an_invalid_policy_is_refused_by_line_key_and_remedy(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_policy(text, "p.toml")
    said, parts = str(refused.value), message.split("*")
    assert said == message if len(parts) == 1 else _in_order(said, parts), said


def _in_order(said: str, parts: list[str]) -> bool:
    """Whether `said` begins with the first part and has the others after it, one after the other."""
    place = 0
    for part in parts:
        place = said.find(part, place)
        if place < 0:
            return False
    return said.startswith(parts[0])


@pytest.mark.parametrize("field", sorted(field.name for field in fields(Policy)))
def test_a_value_of_no_type_fits_nowhere(field: str) -> None:
    """Python values pass the same checks as a file."""
    with pytest.raises(InvalidInput) as refused:
        replace(Policy(), **{field: object()})
    assert refused.value.field == field


def test_plain_texts_become_the_members_they_name() -> None:
    policy = Policy(write_policy="none", audit={"reads": "off"})  # type: ignore[arg-type]  # texts and tables will do
    assert policy.write_policy is WritePolicy.NONE
    assert policy.audit.reads is AuditReads.OFF


def test_a_refused_policy_changes_nothing(tmp_path: Path) -> None:
    before = {name: preset(name).digest for name in preset_names()}
    (tmp_path / "p.toml").write_text('extends = "chat"\nname = "x"\n[types.task]\nlifetime_seconds = 0')
    with pytest.raises(InvalidInput, match=r"p\.toml line 4: types\.task\.lifetime_seconds"):
        load_policy(tmp_path / "p.toml")
    assert {name: preset(name).digest for name in preset_names()} == before


def test_an_empty_file_is_the_default_policy() -> None:
    assert read_policy("", "p.toml") == Policy() == preset("default")
    assert read_policy("", "p.toml").digest == Policy().digest == preset("default").digest


@pytest.mark.parametrize("name", preset_names())
def test_a_file_states_only_differences_from_its_base(name: str) -> None:
    base = preset(name)
    policy = read_policy(f'extends = "{name}"\napprove_confidence = 0.9\n[phase]\nmax_phases = 7', "p.toml")
    assert policy == replace(base, approve_confidence=0.9, phase=replace(base.phase, max_phases=7))
    assert policy.digest != base.digest


def test_tables_are_merged_and_lists_replaced() -> None:
    assert merge_tables({"a": {"x": 1, "y": 2}, "b": [1, 2]}, {"a": {"y": 3}, "b": [4]}) == {
        "a": {"x": 1, "y": 3},
        "b": [4],
    }
    policy = read_policy('low_signal = ["mhm"]\n[types.rumour]\n[types.task]\nimportance = 9', "p.toml")
    assert policy.low_signal == ("mhm",)
    assert policy.types["task"] == replace(Policy().types["task"], importance=9)
    assert {*Policy().types, "rumour"} == set(policy.types)


def test_extending_nothing_starts_from_an_empty_page() -> None:
    policy = read_policy('extends = "nothing"\n[types.knowledge]\n[spaces]\nread_order = ["user"]', "p.toml")
    assert set(policy.types) == {"knowledge"}
    assert policy.spaces.promotions == ()
    assert policy.budget == Budget()


# -- what is switched off ---------------------------------------------------------------------------------------------

INHERITED = Policy.from_dict(
    {
        "phase": {"max_phases": 3},
        "retention": {"default_seconds": 60, "semantic": {"fact": {"mode": "ttl", "ticks": 3},
                                                          "decision": {"mode": "ttl", "ticks": 4}}},
        "privacy": {"deny_patterns": {"badge": "badge-[0-9]{6}", "desk": "desk-[0-9]{6}"}, "profile_keys": ["name"]},
        "promotion": {"profile": ["fact"]},
    }
)  # fmt: skip


def _extending(monkeypatch: pytest.MonkeyPatch, text: str) -> Policy:
    """The policy of a document that extends the one above."""
    monkeypatch.setattr("memfort.policy.settings.document.preset", lambda _: INHERITED)
    return read_policy(text, "p.toml")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("budget.short_term", None),
        ("phase.max_phases", None),
        ("retention.default_seconds", None),
        ("retention.semantic", {}),
        ("retention.semantic.fact", None),
        ("types.talk", None),
        ("types.talk.lifetime_seconds", None),
        ("privacy.deny_patterns", {}),
        ("privacy.deny_patterns.badge", None),
        ("privacy.profile_keys", None),
        ("promotion.profile", None),
        ("spaces.promotions", []),
        ("low_signal", []),
    ],
)
def test_inherited_keys_can_be_unset(monkeypatch: pytest.MonkeyPatch, key: str, value: Any) -> None:
    before = _extending(monkeypatch, "").to_dict()
    after = _extending(monkeypatch, f'unset = ["{key}"]').to_dict()
    assert _at(before, key) not in (None, {}, [])
    assert _at(after, key) == value
    assert {name for name in before if before[name] != after[name]} == {key.split(".", maxsplit=1)[0]}


def _at(data: Any, key: str) -> Any:
    for name in key.split("."):
        data = data.get(name)
    return data


def test_unset_applies_to_extending_nothing_too() -> None:
    assert read_policy('extends = "nothing"', "p.toml").budget.short_term == 12
    assert read_policy('extends = "nothing"\nunset = ["budget.short_term"]', "p.toml").budget.short_term is None


def test_unsetting_keys_keeps_the_other_inherited_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = _extending(monkeypatch, 'unset = ["types.talk", "privacy.deny_patterns.badge"]\n[types.rumour]')
    assert set(policy.types) == {*Policy().types, "rumour"} - {"talk"}
    assert set(policy.privacy.deny_patterns) == {"desk"}


def test_a_table_that_is_unset_and_given_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'unset = ["retention.semantic"]\n[retention.semantic]\nexecution = { mode = "ttl", ticks = 9 }'
    assert set(_extending(monkeypatch, text).retention.semantic) == {EventType.EXECUTION}
    assert set(_extending(monkeypatch, text.split("\n", 1)[1]).retention.semantic) == {
        EventType.FACT, EventType.DECISION, EventType.EXECUTION,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "x"\nunset = ["budget.short_trm"]',
         "p.toml line 2: unset[0]: `budget.short_trm` cannot be switched off: there is no setting `short_trm`; "
         "did you mean `short_term`?"),
        ('unset = ["name", "bugdet"]',
         "p.toml line 1: unset[0]: `name` cannot be switched off: it always has a value; give it another one"),
        ('unset = ["types.tlk"]',
         "p.toml line 1: unset[0]: `types.tlk` cannot be switched off: no `tlk` is inherited; did you mean `talk`?"),
        ('extends = "nothing"\nunset = ["types.talk"]',
         "p.toml line 2: unset[0]: `types.talk` cannot be switched off: no `talk` is inherited; leave it out"),
        ('unset = ["budget"]',
         "p.toml line 1: unset[0]: `budget` cannot be switched off: it is a whole section; name the settings in it"),
        ('unset = ["governance[0].tag"]',
         "p.toml line 1: unset[0]: `governance[0].tag` cannot be switched off: it lies inside a list or a single "
         "value; name the whole of it"),
        ('unset = ["budget.owner", "budget.short_term"]\n[budget]\nshort_term = 3',
         "p.toml line 1: unset[1]: `budget.short_term` is given a value here too; keep one of the two"),
        ('unset = ["types.talk"]\n[types.talk]\nimportance = 3',
         "p.toml line 1: unset[0]: `types.talk` is given a value here too; keep one of the two"),
        ('unset = [""]', "p.toml line 1: unset[0]: `` names nothing; give the dotted name of a setting"),
        ('unset = [3]', "p.toml line 1: unset[0]: an int does not fit; give a text"),
        ('unset = "budget.owner"', "p.toml line 1: unset: it is not a list; write it as a list"),
    ],
)  # fmt: skip
def test_keys_that_cannot_be_unset_are_refused_by_line_key_and_remedy(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_policy(text, "p.toml")
    assert str(refused.value) == message


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InvalidInput, match=r"type: `prefrence` is not a type; did you mean `preference`.*agent_eval.*user_pref"
    ):
        Policy().resolve_type("prefrence")


def test_a_rule_about_an_alias_is_about_its_type() -> None:
    assert Policy(governance=(Rule(Effect.DENY, type="todo"),)).governance[0].type == "task"


@pytest.mark.parametrize("name", sorted(field.name for field in fields(Policy)))
def test_any_other_setting_gives_another_digest(name: str) -> None:
    whole = read_policy(WHOLE, "p.toml")
    if name == "default_type":
        assert replace(Policy(), default_type="fact").digest != Policy().digest
        return
    assert replace(whole, **{name: getattr(_plainer(), name)}).digest != whole.digest


def _plainer() -> Policy:
    """The default policy, but with the types that the rules of the file above need."""
    return replace(Policy(), types={**Policy().types, "rumour": TypeRule(aliases=("hearsay",))})


@pytest.mark.parametrize("section", SECTIONS)
def test_any_other_value_in_a_section_gives_another_digest(section: str) -> None:
    whole, default = getattr(read_policy(WHOLE, "p.toml"), section), getattr(Policy(), section)
    digests = {
        one.name: replace(Policy(), **{section: replace(default, **{one.name: getattr(whole, one.name)})}).digest
        for one in fields(default)
    }
    assert len({Policy().digest, *digests.values()}) == 1 + len(digests)


@pytest.mark.parametrize("field", [field.name for field in fields(Rule) if field.name not in {"effect", "level"}])
def test_any_other_part_of_a_rule_gives_another_digest(field: str) -> None:
    plain, other = Rule(Effect.DENY, name="n"), replace(Rule(Effect.DENY, name="n"), **{field: "fact"})
    assert Policy(governance=(plain,)).digest != Policy(governance=(other,)).digest


def test_the_order_of_rules_counts_and_the_order_of_types_does_not() -> None:
    one, two = Rule(Effect.DENY, tag="a"), Rule(Effect.ALLOW, tag="b")
    assert Policy(governance=(one, two)).digest != Policy(governance=(two, one)).digest
    turned = dict(reversed(Policy().types.items()))
    assert Policy(types=turned).digest == Policy().digest


def test_the_digest_is_the_same_for_the_same_policy_everywhere() -> None:
    """A decision of years ago names its policy by this."""
    assert read_policy(WHOLE, "here").digest == read_policy(WHOLE, "there").digest
    assert len(Policy().digest) == 16


@pytest.mark.parametrize("policy", [*(preset(name) for name in preset_names()), read_policy(WHOLE, "p.toml")],
                         ids=lambda policy: policy.name)  # fmt: skip
def test_a_policy_as_plain_data_is_the_same_policy(policy: Policy) -> None:
    again = Policy.from_dict({"extends": "nothing", **policy.to_dict()})
    assert again == policy
    assert again.digest == policy.digest


def test_a_policy_cannot_be_changed() -> None:
    for table in (Policy().types, Policy().privacy.deny_patterns, Policy().retention.semantic):
        with pytest.raises(TypeError):
            table["x"] = 1  # type: ignore[index]


def test_an_event_type_without_a_rule_uses_the_rule_of_context() -> None:
    retention = Retention(semantic={EventType.CONTEXT: Keep(KeepMode.TTL, 3)})
    assert retention.rule(Kind.SEMANTIC, EventType.FACT) == Keep(KeepMode.TTL, 3)
    assert retention.rule(Kind.PROFILE, EventType.FACT) == Keep()


def test_a_policy_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"')
    for name in ("missing.toml", "latin.toml"):
        with pytest.raises(InvalidInput, match=name):
            Policy.from_toml(tmp_path / name)


def test_a_policy_file_may_be_named_by_text(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("[recall]\nleast_best = 0.3\n")
    assert Policy.from_toml(str(tmp_path / "p.toml")).recall.least_best == 0.3


def test_rules_of_sensitivity_can_differ_by_space():
    rules = Policy.of(
        {
            "sensitivity": {
                "categories": {"career": "public"},
                "spaces": [
                    {"level": "project", "id": "clinic", "unknown": "sensitive", "personal_at": 0.1},
                    {"level": "project", "thresholds": "relaxed", "categories": {"politics": "sensitive"}},
                ],
            }
        }
    ).sensitivity
    clinic, other, own = (
        rules.in_space(Space.of(one)) for one in ({"project": "clinic"}, {"project": "web"}, {"user": "alice"})
    )
    assert own is rules
    assert (clinic.unknown, clinic.personal_at, clinic.thresholds) == ("sensitive", 0.1, "strict")
    assert (other.unknown, other.thresholds, dict(other.categories)) == (
        "personal",
        "relaxed",
        {"career": "public", "politics": "sensitive"},
    )
    assert rules.in_space(Space.of({"user": "alice", "session": "s"})) is rules


@pytest.mark.parametrize("wrong", [{"level": "projekt"}, {"level": "project", "categories": {"carer": "public"}}, {}])
def test_wrong_rules_of_a_space_are_named(wrong):
    with pytest.raises(InvalidInput, match=r"sensitivity\.spaces"):
        Policy.of({"sensitivity": {"spaces": [wrong]}})
