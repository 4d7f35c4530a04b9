"""Seed 001, rule by rule: one schema, layered recall, reader lists, retention, governance, deletion, legacy."""

from __future__ import annotations

import json
import math
from itertools import combinations

import pytest

from memfort import InvalidInput, Memory, NotFound, Policy, Rule
from memfort.operations.table import TABLE
from memfort.store.memory import MemoryStore

NOW = 1_767_225_600_000_000
DAY = 86_400
ALL = {"recall", "get", "list", "history", "explain", "export"}
LADDER = ("session", "project", "role", "org")
HERE = {"session": "s1", "project": "p1", "role": "r1", "org": "o1"}


def space_at(level, user="ann"):
    """The space of a level with all its parents; a session has an owner."""
    space = {name: HERE[name] for name in LADDER[LADDER.index(level) :]}
    return {**space, "user": user} if level == "session" else space


def node(content="keeps bees", /, **metadata):
    """A record as the original writes it, dates in milliseconds."""
    whole = {
        "domain": "user_pref",
        "sourceId": "crm",
        "scope": {"session": "s1"},
        "provenance": {"source": "crm", "timestamp": NOW // 1000, "confidence": 0.9},
    }
    return {"id": "m_1", "content": content, "createdAt": NOW // 1000, "updatedAt": NOW // 1000, "version": 2,
            "metadata": {key: value for key, value in (whole | metadata).items() if value is not ...}}  # fmt: skip


def as_file(*nodes):
    return "\n".join(map(json.dumps, nodes)).encode()


# -- the schema -------------------------------------------------------------------------------------------------------


def test_every_field_of_the_schema_has_its_place(memory):
    ann = memory.as_user("ann", session="s1", project="p1", role="r1", org="o1")
    readers = {"read": {"userIds": ["ann"], "agentIds": []}}
    whole = node(scope=HERE, tags=["hobby"], agentId="helper", userId="ann", access=readers,
                 retention={"ttlSec": 60}, confidenceScore=0.9, ttlSec=60, embedding=[0.0] * 4)  # fmt: skip
    report = ann.import_(as_file(whole))
    [item] = ann.list()
    assert item.text == "keeps bees"
    assert item.meta["imported"] == {"id": "m_1", "version": 2}
    assert (item.created_at_us, item.expires_at_us) == (NOW, NOW + 60_000_000)
    assert (item.type, item.tags, item.confidence) == ("preference", ("hobby",), 0.9)
    assert item.space.to_dict() == {**HERE, "user": "ann"}
    assert item.space.primary == "session"
    assert item.provenance == {
        "source": "crm",
        "timestamp": NOW,
        "confidence": 0.9,
        "agentId": "helper",
        "userId": "ann",
    }
    assert item.readers.to_dict() == {"users": ["ann"], "agents": None}
    assert report.counts == {"read": 1, "kept": 1, "open_reader_list": 1}


@pytest.mark.parametrize(
    ("domain", "type"),
    [("user_pref", "preference"), ("system_fact", "fact"), ("session_summary", "context"),
     ("agent_eval", "observation"), ("code_context", "knowledge")],
)  # fmt: skip
def test_each_of_the_five_domains_has_a_type(memory, domain, type):
    assert memory.as_user("ann").remember("keeps bees", type=domain).item.type == type


# -- layered recall ---------------------------------------------------------------------------------------------------


def test_recall_goes_session_project_role_org(memory):
    ann = memory.as_user("ann", **HERE)
    for level in reversed(LADDER):
        ann.remember(f"bees at {level}", space=space_at(level))
    assert ann.recall("bees").texts == [f"bees at {level}" for level in LADDER]
    assert [hit.level for hit in ann.recall("bees")] == list(LADDER)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_only_given_levels_are_consulted(memory, size):
    ann = memory.as_user("ann", **HERE)
    for level in LADDER:
        ann.remember(f"bees at {level}", space=space_at(level))
    for levels in combinations(LADDER, size):
        found = memory.as_user("ann", **{level: HERE[level] for level in levels}).recall("bees").texts
        # A record is seen only from where all of its own levels are.
        assert found == [f"bees at {one}" for one in LADDER if set(LADDER[LADDER.index(one) :]) <= set(levels)]


@pytest.mark.parametrize("level", LADDER)
def test_a_record_may_carry_any_subset_of_levels(memory, level):
    space = {level: HERE[level]} | ({"user": "ann"} if level == "session" else {})
    ann = memory.as_user("ann", **HERE)
    assert ann.remember("keeps bees", space=space).item.space.primary == level
    assert ann.recall("bees").texts == ["keeps bees"]


@pytest.mark.parametrize("level", LADDER)
def test_within_a_level_text_comes_before_recency(memory, clock, level):
    ann = memory.as_user("ann", **HERE)
    for text in ("bees like clover", "bees like clover honey", "bees near a long and winding road of stones"):
        ann.remember(text, space=space_at(level))
        clock.advance(1)
    found = ann.recall("bees honey").texts
    assert found == ["bees like clover honey", "bees like clover", "bees near a long and winding road of stones"]


@pytest.mark.parametrize("level", LADDER)
def test_within_a_level_equal_text_goes_by_recency(memory, clock, level):
    ann = memory.as_user("ann", **HERE)
    for number in range(3):
        ann.remember(f"bees {number}", space=space_at(level))
        clock.advance(1)
    assert ann.recall("bees").texts == ["bees 2", "bees 1", "bees 0"]


def test_the_limit_comes_last_so_the_specific_may_fill_it(memory):
    ann = memory.as_user("ann", **HERE)
    ann.remember("bees and more bees at org", space=space_at("org"))
    for number in range(2):
        ann.remember(f"bees {number} at session", space=space_at("session"))
    assert {hit.level for hit in ann.recall("bees", limit=2)} == {"session"}
    assert [hit.level for hit in ann.recall("bees", limit=3)] == ["session", "session", "org"]


def test_filters_come_before_the_limit(memory):
    ann = memory.as_user("ann", **HERE)
    for number in range(5):
        ann.remember(f"bees {number}", space=space_at("session"))
    ann.remember("bees tagged", space=space_at("org"), tags=["hive"], type="decision")
    assert ann.recall("bees", limit=1, tags=["hive"]).texts == ["bees tagged"]
    assert ann.recall("bees", limit=1, types=["decision"]).texts == ["bees tagged"]


def test_a_record_is_listed_once(memory):
    ann = memory.as_user("ann", **HERE)
    ann.remember("keeps bees", space=space_at("session"))
    assert len(ann.recall("bees")) == len(ann.list()) == 1


@pytest.mark.parametrize("level", ["project", "role", "org"])
def test_visibility_is_equal_within_a_place_and_ends_at_its_border(memory, paths, level):
    kept = memory.as_user("ann", **HERE).remember("keeps bees", space=space_at(level)).item
    assert paths(memory.as_user("ben", **HERE), kept) == ALL - {"export"}
    assert paths(memory.as_user("ben", **{**HERE, level: "other"}), kept) == set()


# -- retention --------------------------------------------------------------------------------------------------------


def test_expired_at_the_very_instant(memory, clock, paths):
    ann = memory.as_user("ann")
    kept = ann.remember("keeps bees", expires_at=NOW + 1_000_000).item
    clock.set(NOW + 999_999)
    assert paths(ann, kept) == ALL
    clock.set(NOW + 1_000_000)
    assert paths(ann, kept) == set()


def test_an_expired_record_stays_gone_when_the_clock_is_set_back(memory, clock):
    ann = memory.as_user("ann")
    ann.remember("keeps bees", ttl_seconds=10)
    assert ann.recall("bees")
    clock.advance(10)
    assert memory.store.gc().expired == 1
    clock.advance(-10)
    assert not ann.recall("bees")


def test_the_default_lifetime_comes_from_the_policy(open_memory, clock, paths):
    ann = open_memory(policy=Policy(retention={"default_seconds": 90 * DAY})).as_user("ann")
    kept = ann.remember("keeps bees").item
    assert kept.expires_at_us == NOW + 90 * DAY * 1_000_000
    clock.advance(90 * DAY - 1)
    assert paths(ann, kept) == ALL
    clock.advance(1)
    assert paths(ann, kept) == set()


@pytest.mark.parametrize("override", [{"ttl_seconds": 60}, {"expires_at": NOW + 60_000_000}], ids=["ttl", "absolute"])
def test_a_record_overrides_the_default_lifetime(open_memory, override):
    ann = open_memory(policy=Policy(retention={"default_seconds": 90 * DAY})).as_user("ann")
    assert ann.remember("keeps bees", **override).item.expires_at_us == NOW + 60_000_000
    assert ann.remember("keeps wasps").item.expires_at_us == NOW + 90 * DAY * 1_000_000


@pytest.mark.parametrize("seconds", [0, -1, -0.5, math.nan, math.inf, True, "60", 1e300])
def test_a_lifetime_of_nothing_is_refused(memory, seconds):
    ann = memory.as_user("ann")
    with pytest.raises(InvalidInput) as refused:
        ann.remember("keeps bees", ttl_seconds=seconds)
    assert refused.value.field == "ttl_seconds"
    assert ann.remember("keeps bees", ttl_seconds=0.5).kept


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_policy_cannot_ask_for_a_lifetime_of_nothing(seconds):
    with pytest.raises(InvalidInput):
        Policy(retention={"default_seconds": seconds})
    assert Policy(retention={"default_seconds": 1}).retention.default_seconds == 1


# -- reader lists -----------------------------------------------------------------------------------------------------

WRITTEN_FOR_OTHERS = {"spaces": {"read_back": False}}
LISTS = {
    "users": ({"users": ["ann"]}, {"ann", "bot for ann"}),
    "agents": ({"agents": ["bot"]}, {"bot", "bot for ann", "bot for ben"}),
    "both": ({"users": ["ann"], "agents": ["bot"]}, {"bot for ann"}),
    "no one": ({"users": []}, set()),
    "open": (None, {"ann", "ben", "bot", "bot for ann", "bot for ben"}),
}


@pytest.mark.parametrize(("access", "admitted"), LISTS.values(), ids=LISTS.keys())
def test_user_and_agent_lists_must_both_admit_on_every_path(open_memory, paths, access, admitted):
    memory = open_memory(policy=WRITTEN_FOR_OTHERS)
    memory.agent.register("bot", owner="ann")
    readers = {
        "ann": memory.as_user("ann", org="o1"),
        "ben": memory.as_user("ben", org="o1"),
        "bot": memory.as_agent("bot", org="o1"),
        "bot for ann": memory.as_agent("bot", acting_for="ann", org="o1"),
        "bot for ben": memory.as_agent("bot", acting_for="ben", org="o1"),
    }
    kept = readers["ann"].remember("keeps bees", space={"org": "o1"}, access=access).item
    shown = {name: paths(reader, kept) - {"export"} for name, reader in readers.items()}
    assert {name for name, through in shown.items() if through == ALL - {"export"}} == admitted
    assert {name for name, through in shown.items() if not through} == set(readers) - admitted


def test_a_list_may_leave_out_its_writer_in_the_preset_of_this_document(open_memory):
    allowed = {"extends": "scoped", "governance_default": "allow"}
    access = {"space": {"org": "o1"}, "access": {"agents": ["bot"]}}
    assert open_memory(policy=allowed).as_user("ann", org="o1").remember("keeps bees", **access).kept
    refused = open_memory(policy=Policy()).as_user("ann", org="o1").remember("keeps bees", **access)
    assert refused.reason == "writer_not_a_reader"


def test_export_and_inbox_obey_the_reader_list_too(open_memory, paths):
    memory = open_memory(policy=WRITTEN_FOR_OTHERS)
    ann, ben = memory.as_user("ann", org="o1"), memory.as_user("ben", org="o1")
    space, access = {"org": "o1"}, {"users": ["ben"]}
    kept = ann.remember("keeps bees", space=space, access=access).item
    waits = ann.remember("keeps wasps", space=space, access=access, confidence=0.1).item
    assert paths(ann, kept) == paths(ann, waits) == set()
    assert paths(ben, kept) == ALL - {"export"}  # ben may read it; it is not ben's to take out
    assert paths(ben, waits) == {"inbox", "history"}


def test_the_list_does_not_open_a_space(memory, paths):
    kept = memory.as_user("ann").remember("keeps bees", access={"users": ["ann", "eve"]}).item
    assert paths(memory.as_user("eve"), kept) == set()
    assert paths(memory.as_user("ann"), kept) == ALL


def test_reading_requires_an_actor(memory):
    memory.as_user("ann").remember("keeps bees")
    with pytest.raises(InvalidInput):
        memory.as_user(None)
    assert not hasattr(memory, "recall")
    assert memory.as_user("ann").recall("bees")


# -- governance -------------------------------------------------------------------------------------------------------


def reason_under(open_memory, *rules, default="deny", user="ann", **fields):
    ruled = open_memory(policy=Policy(governance=rules, governance_default=default))
    return ruled.as_user(user, org="o1").remember("keeps bees", **fields).reason


def test_default_deny(open_memory):
    assert reason_under(open_memory) == "governance_default"
    assert reason_under(open_memory, default="allow") == "confident"


def test_the_first_match_wins(open_memory):
    allow, deny = Rule("allow", user="ann"), Rule("deny", user="ann", name="no ann")
    assert reason_under(open_memory, allow, deny) == "confident"
    assert reason_under(open_memory, deny, allow) == "governance_rule"


def test_a_rule_without_a_match_is_a_catch_all(open_memory):
    assert reason_under(open_memory, Rule("deny", type="task"), Rule("allow")) == "confident"
    assert reason_under(open_memory, Rule("deny"), Rule("allow"), default="allow") == "governance_rule"


MATCHES = {
    "user": (Rule("allow", user="ann"), {}, {"user": "ben"}),
    "source_origin": (Rule("allow", source="tool"), {"origin": "tool"}, {"origin": "ai"}),
    "source_name": (Rule("allow", source="crm"), {"provenance": {"source": "crm"}}, {"provenance": {"source": "web"}}),
    "type": (Rule("allow", type="task"), {"type": "task"}, {"type": "event"}),
    "domain": (Rule("allow", type="preference"), {"type": "user_pref"}, {"type": "code_context"}),
    "tag": (Rule("allow", tag="hive"), {"tags": ["x", "hive"]}, {"tags": ["x"]}),
    "level": (Rule("allow", level="org"), {"space": {"org": "o1"}}, {}),
}


@pytest.mark.parametrize(("rule", "fits", "does_not"), MATCHES.values(), ids=MATCHES.keys())
def test_each_match_field(open_memory, rule, fits, does_not):
    assert reason_under(open_memory, rule, **fits) == "confident"
    assert reason_under(open_memory, rule, **does_not) == "governance_default"


def test_a_rule_about_a_domain_is_about_its_type(open_memory):
    deny = Rule("deny", type="user_pref")
    for word in ("user_pref", "preference", "goal"):
        assert reason_under(open_memory, deny, default="allow", type=word) == "governance_rule"
    assert reason_under(open_memory, deny, default="allow", type="task") == "confident"


def test_a_rule_about_nothing_there_is_refused():
    with pytest.raises(InvalidInput, match="preference"):
        Policy(governance=(Rule("deny", type="preferences"),))
    assert Policy(governance=(Rule("deny", type="preference"),)).governance[0].type == "preference"


def test_match_field_agent(open_memory):
    ruled = open_memory(policy=Policy(governance=(Rule("allow", agent="bot"),), governance_default="deny"))
    assert ruled.as_agent("bot", owner="ann").remember("keeps bees").kept
    assert ruled.as_agent("other", owner="ann").remember("keeps bees").reason == "governance_default"
    assert ruled.as_user("ann").remember("keeps bees").reason == "governance_default"


def test_the_fields_of_a_rule_are_all_needed(open_memory):
    rule = Rule("allow", user="ann", type="task", tag="hive")
    whole = {"type": "task", "tags": ["hive"]}
    assert reason_under(open_memory, rule, **whole) == "confident"
    assert reason_under(open_memory, rule, **whole | {"type": "event"}) == "governance_default"
    assert reason_under(open_memory, rule, **whole | {"tags": []}) == "governance_default"
    assert reason_under(open_memory, rule, **whole, user="ben") == "governance_default"


def test_a_denied_write_leaves_nothing_but_the_denial(open_memory):
    ruled = open_memory(policy=Policy(governance=(Rule("deny", tag="no", name="nothing tagged no"),)))
    ann = ruled.as_user("ann")
    outcome = ann.remember("keeps bees", tags=["no"])
    assert (outcome.kept, outcome.decision.detail) == (False, {"rule": "nothing tagged no"})
    assert "`nothing tagged no`" in outcome.decision.explanation
    assert len(ann.list()) == 0
    assert ann.remember("keeps bees").kept


def test_a_batch_and_an_import_are_governed_like_a_single_write(open_memory):
    ruled = open_memory(policy=Policy(governance=(Rule("deny", tag="no"),)))
    ann = ruled.as_user("ann", session="s1")
    batch = ann.remember_many([{"text": "keeps bees", "tags": ["no"]}, "keeps wasps"])
    assert [outcome.reason for outcome in batch] == ["governance_rule", "confident"]
    report = ann.import_(as_file(node("keeps ants", tags=["no"]), node("keeps moths")))
    assert (report.counts["denied"], report.counts["kept"]) == (1, 1)
    assert sorted(ann.recall("keeps").texts) == ["keeps moths", "keeps wasps"]


# -- provenance -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "source", "timestamp"),
    [(None, "user", NOW), ({"source": "crm"}, "crm", NOW), ({"timestamp": 5}, "user", 5),
     ({"source": "crm", "timestamp": 5, "line": 3}, "crm", 5)],
    ids=["none", "source", "timestamp", "both"],
)  # fmt: skip
def test_provenance_is_on_every_item(memory, given, source, timestamp):
    item = memory.as_user("ann").remember("keeps bees", provenance=given, confidence=0.8).item
    assert (item.provenance["source"], item.provenance["timestamp"]) == (source, timestamp)
    assert item.confidence == 0.8
    assert set(given or {}) <= set(item.provenance)


# -- deletion by scope ------------------------------------------------------------------------------------------------

SCOPES = [
    *({"org": o} for o in ("o1", "o2")),
    *({"role": r, "org": o} for r in ("r1", "r2") for o in ("o1", "o2")),
    *({"project": p, "role": r, "org": o} for p in ("p1", "p2") for r, o in (("r1", "o1"), ("r1", "o2"))),
    *({"session": s, "project": "p1", "role": "r1", "org": o} for s in ("s1", "s2") for o in ("o1", "o2")),
    {"session": "s1", "project": "p2", "role": "r1", "org": "o1"},
    {"session": "s1"},
    {"project": "p1"},
    {"role": "r1"},
    {"session": "s1", "org": "o1"},
    {"project": "p1", "org": "o1"},
    {"user": "ann"},
    {"user": "ann", "workspace": "w1"},
    {"user": "eve"},
]


def fill(memory):
    """One record in every scope above, ids colliding under other parents; {id: scope}."""
    kept = {}
    for number, scope in enumerate(SCOPES):
        user = scope.get("user", "ann")
        standing = memory.as_user(user, **{level: id for level, id in scope.items() if level != "user"})
        space = {**scope, "user": user} if "session" in scope else scope
        kept[standing.remember(f"bees {number}", space=space).id] = scope
    return kept


def expected(kept, scope, cascade):
    """What the seed says goes: every level given must match, and without cascade the narrowest must be the target."""
    target = next((level for level in LADDER if level in scope), None)

    def goes(record):
        inside = scope and all(record.get(level) == id for level, id in scope.items())
        return inside and (cascade or next(level for level in LADDER if level in record) == target)

    return {id for id, record in kept.items() if goes(record)}


def left(memory):
    return set(_ids(memory))


def _ids(memory):
    for user in ("ann", "eve"):
        places = [{level: id for level, id in scope.items() if level != "user"} for scope in SCOPES]
        for place in places:
            yield from (item.id for item in memory.as_user(user, **place).list(limit=1000))


GIVEN = [{level: HERE[level] for level in levels} for size in (1, 2, 3, 4) for levels in combinations(LADDER, size)]


@pytest.mark.parametrize("cascade", [True, False], ids=["cascade", "target_only"])
@pytest.mark.parametrize("scope", GIVEN, ids=lambda scope: "+".join(scope))
def test_delete_by_scope_deletes_exactly_the_listed_memories(memory, scope, cascade):
    kept = fill(memory)
    target = expected(kept, scope, cascade)
    system = memory.as_system()
    rehearsal = system.erase(scope=scope, cascade=cascade, dry_run=True)
    assert left(memory) == set(kept)
    receipt = system.erase(scope=scope, cascade=cascade)
    assert left(memory) == set(kept) - target
    assert {id for _, id in receipt.items} == {id for _, id in rehearsal.items} == target
    assert receipt.counts["memories"] == rehearsal.counts["memories"] == len(target)
    assert (rehearsal.state, receipt.state) == ("dry run", "complete")


EXAMPLES = {
    "a_session": ({"session": "s1"}, True, 5),
    "a_project_and_its_sessions": ({"project": "p1"}, True, 8),
    "a_role_and_below": ({"role": "r1"}, True, 12),
    "an_org_and_everything_under_it": ({"org": "o1"}, True, 10),
    "only_the_project": ({"project": "p1"}, False, 4),
    "only_the_role": ({"role": "r1"}, False, 3),
    "only_the_org": ({"org": "o1"}, False, 1),
}


@pytest.mark.parametrize(("scope", "cascade", "count"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_the_listed_examples(memory, scope, cascade, count):
    kept = fill(memory)
    assert memory.as_system().erase(scope=scope, cascade=cascade).counts["memories"] == count
    assert len(left(memory)) == len(kept) - count


def test_cascade_is_the_default(memory):
    fill(memory)
    system = memory.as_system()
    assert system.erase(scope={"org": "o1"}, dry_run=True).counts["memories"] == 10


def test_an_empty_scope_deletes_nothing(memory):
    kept = fill(memory)
    for standing in (memory.as_system(), memory.as_user("ann", **HERE)):
        assert standing.erase(scope={}).counts["memories"] == 0
    assert left(memory) == set(kept)


def test_unscoped_records_and_other_users_are_untouched(memory):
    fill(memory)
    ann, eve = memory.as_user("ann", **HERE), memory.as_user("eve", **HERE)
    private = eve.remember("bees of eve", space={**HERE, "user": "eve"}).id
    ann.erase(scope={"org": "o1"})
    assert eve.get(private) is not None
    assert memory.as_user("ann").recall("bees").texts == ["bees 20"]
    assert [hit.text for hit in eve.recall("bees") if hit.item.space.to_dict() == {"user": "eve"}] == ["bees 22"]


def test_a_user_deletes_only_where_it_may_write(memory):
    memory.member.add({"org": "o1"}, user="ann")
    ann = memory.as_user("ann", org="o1")
    kept = ann.remember("keeps bees", space={"org": "o1"}).id
    assert memory.as_user("eve", org="o1").erase(scope={"org": "o1"}).counts["memories"] == 0
    assert ann.get(kept) is not None
    assert ann.erase(scope={"org": "o1"}).counts["memories"] == 1
    assert ann.get(kept) is None


@pytest.mark.parametrize("scope", [{"planet": "x"}, {"org": ""}, {"org": "*"}, {"org": None}, {"system": ""}, "org"])
def test_a_scope_that_means_nothing_is_refused(memory, scope):
    kept = fill(memory)
    with pytest.raises(InvalidInput):
        memory.as_system().erase(scope=scope)
    assert left(memory) == set(kept)


# -- legacy records ---------------------------------------------------------------------------------------------------


def migrated(memory, *nodes):
    ann = memory.as_user("ann", **HERE)
    report = ann.import_(as_file(*nodes))
    return report, ann.list(statuses=["approved", "pending"]).items


@pytest.mark.parametrize(
    ("metadata", "confidence", "status"),
    [
        ({"provenance": {"source": "crm", "confidence": 2}}, 1.0, "approved"),
        ({"provenance": {"source": "crm", "confidence": -3}}, 0.0, "pending"),
        ({"provenance": {"source": "crm", "confidence": math.nan}}, 0.0, "pending"),
        ({"provenance": {"source": "crm"}, "confidenceScore": 0.7}, 0.7, "approved"),
        ({"provenance": {"source": "crm", "confidence": 0.6}, "confidenceScore": 0.1}, 0.6, "approved"),
        ({"provenance": {"source": "crm"}}, 1.0, "approved"),
        ({"provenance": {"source": "crm"}, "confidenceScore": None}, 1.0, "approved"),
        ({"provenance": {"source": "crm", "confidence": "high"}}, 0.0, "pending"),
    ],
)
def test_confidence_is_taken_from_provenance_then_the_old_field_and_clamped(memory, metadata, confidence, status):
    _, [item] = migrated(memory, node(**metadata))
    assert (item.confidence, item.status) == (confidence, status)


LIFETIMES = {
    "retention_ttl": ({"retention": {"ttlSec": 60}}, 60),
    "legacy_ttl": ({"ttlSec": 60}, 60),
    "retention_before_legacy": ({"retention": {"ttlSec": 60}, "ttlSec": 5}, 60),
    "absolute": ({"retention": {"expiresAt": NOW // 1000 + 60_000}}, 60),
    "absolute_before_ttl": ({"retention": {"expiresAt": NOW // 1000 + 60_000, "ttlSec": 5}}, 60),
    "null_is_absent": ({"retention": {"ttlSec": None}, "ttlSec": 60}, 60),
    "zero_never_ended": ({"retention": {"ttlSec": 0}}, None),
    "none": ({}, None),
}


@pytest.mark.parametrize(("metadata", "seconds"), LIFETIMES.values(), ids=LIFETIMES.keys())
def test_retention_is_kept(memory, metadata, seconds):
    _, [item] = migrated(memory, node(**metadata))
    assert item.expires_at_us == (None if seconds is None else NOW + seconds * 1_000_000)


def test_a_lifetime_counts_from_the_last_update_so_the_old_are_reported_and_not_imported(memory):
    old = {**node("old bees", ttlSec=60), "updatedAt": NOW // 1000 - 60_000}
    young = {**node("young bees", ttlSec=60), "updatedAt": NOW // 1000 - 59_999}
    report, items = migrated(memory, old, young)
    assert (report.counts["expired"], report.counts["kept"]) == (1, 1)
    assert [(item.text, item.expires_at_us) for item in items] == [("young bees", NOW + 1_000)]


@pytest.mark.parametrize(
    ("scope", "level"),
    [(HERE, "session"), ({"project": "p1", "role": "r1", "org": "o1"}, "project"),
     ({"role": "r1", "org": "o1"}, "role"), ({"org": "o1"}, "org"), ({"session": "s1", "org": "o1"}, "session"),
     (None, "user"), ({}, "user")],
)  # fmt: skip
def test_the_level_is_inferred_from_the_scope(memory, scope, level):
    _, [item] = migrated(memory, node(scope=scope, scopeLevel=...))
    assert item.space.primary == level


def test_a_level_that_contradicts_the_scope_does_not_widen_it(memory, paths):
    _, [item] = migrated(memory, node(scope=HERE, scopeLevel="org"))
    assert item.space.primary == "session"
    assert paths(memory.as_user("ben", org="o1"), item) == set()


def test_provenance_is_filled_in_and_reported_when_it_is_missing(memory):
    bare = {**node(provenance=..., sourceId=...), "updatedAt": NOW // 1000 - 7}
    report, [item] = migrated(memory, bare)
    assert report.counts["without_provenance"] == 1
    assert item.provenance == {"source": "unknown", "timestamp": NOW - 7_000, "confidence": 1.0}


def test_the_older_name_of_the_source_is_read(memory):
    report, [item] = migrated(memory, node(provenance=...))
    assert item.provenance["source"] == "crm"
    assert "without_provenance" not in report.counts


def test_invalid_dates_are_replaced_by_now(memory):
    whole = {**node(), "createdAt": None, "updatedAt": "yesterday"}
    _, [item] = migrated(memory, whole)
    assert item.created_at_us == NOW


@pytest.mark.parametrize(
    ("read", "readers"),
    [({"userIds": ["ann"]}, {"users": ["ann"], "agents": None}),
     ({"agentIds": ["bot"]}, {"users": None, "agents": ["bot"]}),
     ({"userIds": ["ann"], "agentIds": ["bot"]}, {"users": ["ann"], "agents": ["bot"]})],
)  # fmt: skip
def test_reader_lists_are_kept(memory, read, readers):
    memory.agent.register("bot", owner="ann")
    migrated(memory, node(access={"read": read}))
    [item] = memory.as_agent("bot", acting_for="ann", session="s1").list()
    assert item.readers.to_dict() == readers


@pytest.mark.parametrize(
    "access", ["ann", ["ann"], {"read": ["ann"]}, {"read": {"users": ["ann"]}}, {"read": {"userIds": 5}}]
)
def test_a_reader_list_that_cannot_be_read_closes_the_record(memory, access):
    report, items = migrated(memory, node("closed bees", access=access), node("open bees"))
    assert report.counts["invalid"] == 1
    assert [item.text for item in items] == ["open bees"]
    assert "bees" not in " ".join(report.problems)


@pytest.mark.parametrize("scope", [HERE, {"session": "s1"}, {"project": "p1", "org": "o1"}, {"org": "o1"}, None])
def test_nothing_becomes_visible_to_more_people_than_before(memory, paths, scope):
    _, [item] = migrated(memory, node(scope=scope))
    assert paths(memory.as_user("ann", **HERE), item) >= ALL - {"export"}
    stranger = memory.as_user("eve", session="s1", project="other", role="other", org="other")
    assert paths(stranger, item) == set()
    inside = paths(memory.as_user("ben", **HERE), item)
    assert inside == (set() if scope is None or "session" in scope else ALL - {"export"})


@pytest.mark.parametrize("scope", [{"org": 5}, {"org": "*"}, {"project": {"id": "p1"}}])
def test_a_scope_that_cannot_be_read_is_reported(memory, scope):
    report, items = migrated(memory, node("odd bees", scope=scope), node("good bees"))
    assert report.counts["invalid"] == 1
    assert [item.text for item in items] == ["good bees"]


@pytest.mark.parametrize("field", ["createdAt", "updatedAt"])
@pytest.mark.parametrize("value", [1e300, -1e300, 10**40, math.inf])
def test_an_invalid_date_affects_no_other_record(memory, field, value):
    report, items = migrated(memory, {**node("odd bees"), field: value}, node("good bees"))
    assert "good bees" in [item.text for item in items]
    assert report.counts["read"] == 2


def test_a_rehearsed_migration_counts_and_keeps_nothing(memory):
    ann = memory.as_user("ann", **HERE)
    data = as_file(node(), node("old bees", retention={"expiresAt": 1}))
    rehearsal = ann.import_(data, dry_run=True)
    assert len(ann.list()) == len(ann.sources()) == 0
    assert ann.import_(data).counts == rehearsal.counts == {"read": 2, "kept": 1, "expired": 1}


def test_forgetting_by_id_says_when_there_is_nothing(memory):
    ann = memory.as_user("ann")
    kept = ann.remember("keeps bees").id
    assert [item.id for item in ann.forget(kept)] == [kept]
    with pytest.raises(NotFound):
        ann.forget(kept)


def test_the_schema_of_a_candidate_is_checked_by_name():
    with pytest.raises(InvalidInput, match="did you mean `confidence`"):
        Memory(MemoryStore()).as_user("ann").run(TABLE["check"], {"verb": "remember", "text": "bees", "confidense": 1})
