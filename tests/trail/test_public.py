"""The public trace: what each event says, and that nothing gets out that should not."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from msgspec.structs import replace
from trace_story import (
    CITY,
    COPY,
    HOME,
    MAIL,
    NOTES,
    PHASE,
    SECRET,
    SESSION,
    SNAPSHOT,
    TEA,
    TEAM,
    call,
    deletion_of,
    denials_of,
    examples,
    kept,
    nothing_of,
    recall_of,
)

from memfort.language.normal_form import normal_text
from memfort.model.item import Candidate, Item, Kind
from memfort.model.phase import Phase
from memfort.model.reason import Reason, explanation
from memfort.model.space import Space
from memfort.trail.public import builders
from memfort.trail.public.builders import TRACE_VERSION, Change, deterministic_hash, memory_denied, memory_phase_diff
from memfort.trail.public.schema import EVENT_TYPES
from memfort.trail.public.view import GONE, Call, PolicyInForce, dedup_key, gone_view, item_view


def test_every_event_has_its_type_version_and_session() -> None:
    made = examples(call())
    assert tuple(made) == EVENT_TYPES
    for type, events in made.items():
        for event in events:
            assert (event["type"], event["trace_version"]) == (type, TRACE_VERSION)
            assert (event["ai_profile"], event["session"]) == ("helper", "s1")
            assert json.loads(json.dumps(event)) == event  # plain data, through and through


def test_the_same_values_give_the_same_events() -> None:
    assert json.dumps(examples(call())) == json.dumps(examples(call()))


# -- a memory ---------------------------------------------------------------------------------------------------------


def test_a_memory_is_shown_with_all_that_is_known_of_it() -> None:
    assert item_view(call(), TEA, words=TEA.text, recall_reason=["matches_query"], score=1.25, phase=PHASE) == {
        "id": TEA.id,
        "kind": "semantic",
        "text": "alice prefers tea",
        "source": "user",
        "created_at": 8,
        "importance": 4.0,
        "scope": "session",
        "meta": {
            "space": "session",
            "owner": "s1",
            "coordinates": {"session": "s1", "user": "alice"},
            "event_type": "preference",
            "importance_reason": ["event:preference", "source:user"],
            "authority": "user_asserted",
            "authority_reason": "origin:user",
            "policy_tags": ["allowed_by:write_policy:normal"],
            "recall_reason": ["matches_query"],
            "score": 1.25,
            "dedup_key": "preference:177ecd46ea5d6ad4a1fc4f7bf300d7c2",
            "phase_id": "phase-2",
            "phase_name": "second draft",
            "phase_started_at": 7,
            "phase_reason": "manual",
        },
    }


def test_unknown_fields_are_omitted() -> None:
    bare = item_view(call(), kept(authority_reason="", policy_tags=(), importance_reasons=()))
    assert set(bare["meta"]) == {
        "space", "owner", "coordinates", "event_type", "importance_reason", "authority", "phase_id",
    }  # fmt: skip


def test_a_profile_fact_names_its_key_and_its_turns() -> None:
    meta = item_view(call(), CITY, words=CITY.text)["meta"]
    assert (meta["key"], meta["dedup_key"], meta["source_turn_ids"]) == ("city", "fact:city", [TEA.id])
    assert meta["expires_at"] == 60
    assert "summary_of" not in meta


def test_a_summary_names_its_sources() -> None:
    meta = item_view(call(), NOTES)["meta"]
    assert meta["summary_of"] == [TEA.id, CITY.id]
    assert "source_turn_ids" not in meta
    typed = item_view(call(), replace(NOTES, tags=(), type="summary"))["meta"]
    assert typed["summary_of"] == [TEA.id, CITY.id]
    of_facts = item_view(call(), replace(NOTES, kind=Kind.PROFILE, key="notes"))["meta"]
    assert "summary_of" in of_facts
    assert "source_turn_ids" not in of_facts
    plain = item_view(call(), replace(NOTES, tags=()))["meta"]
    assert "summary_of" not in plain


def test_a_promoted_memory_names_where_it_came_from() -> None:
    meta = item_view(call(), COPY)["meta"]
    assert (meta["promoted_from"], meta["promotion_reason"]) == (TEA.id, "hint:save_for_me")


def test_owners_of_the_same_name_stay_apart() -> None:
    places = [Space.of({"session": "s1", "user": user}) for user in ("a:b", "a b", "a_b")]
    shown = [item_view(call(), kept(space=place))["meta"] for place in places]
    assert {meta["owner"] for meta in shown} == {"s1"}
    assert len({json.dumps(meta["coordinates"]) for meta in shown}) == 3


def key_of(item: Item) -> str:
    return dedup_key(call(), item, normal_text(call().redact(item.text)))


def test_a_key_for_duplicates_never_holds_the_words() -> None:
    item = kept("my password was monkey")
    assert key_of(item).startswith("preference:")
    assert not any(word in key_of(item) for word in ("password", "monkey"))
    assert key_of(replace(CITY, key=f"mail of {MAIL}")) == "fact:mail of [REDACTED_EMAIL]"


def test_a_key_for_duplicates_is_the_same_wherever_the_words_are_the_same() -> None:
    key = key_of(kept("I like tea"))
    assert key == key_of(kept("i like TEA!")) == "preference:eb9daee1aed5a83b8797569e8ead557d"
    assert key != key_of(kept("I like coffee"))


def test_what_is_redacted_cannot_be_guessed_from_its_key() -> None:
    one, other = (key_of(kept(f"write to {mail}")) for mail in (MAIL, f"x{MAIL}"))
    assert one == other


# -- nothing gets out -------------------------------------------------------------------------------------------------


def poisoned(word: str) -> list[dict[str, Any]]:
    """Every event there is, with `word` in every text that the library does not write itself."""
    of = Call(call().caller, PolicyInForce(word, "d", {"note": word, "rules": [{"name": word}]}), call().find)
    phase = Phase(1, word, 0, word)
    item = kept(
        word, importance_reasons=(word,), authority_reason=word, policy_tags=(word,), kind=Kind.PROFILE, key=word,
        promotion_reason=word, promoted_from=TEA.id, tags=(word,), meta={"a": word}, provenance={"b": word},
    )  # fmt: skip
    view = item_view(of, item, recall_reason=[word], score=1.0, phase=phase)
    here, there = {"space": SESSION}, {"from_space": SESSION, "to_space": TEAM}
    why: dict[str, Any] = {"reason": Reason.POLICY_LOW_SIGNAL, "explanation": word}
    candidate = Candidate(text=word, key=word, tags=(word,), meta={"a": word}, type=word)
    return [
        builders.memory_recall(of, query=word, recalled=[view], hash="", consulted=[], phase=phase, expanded=True),
        builders.memory_write(of, written=[view]),
        memory_denied(of, attempted=candidate, **here, **why, text=word),
        memory_denied(of, attempted=candidate, **here, reason=Reason.SECRET, explanation=word, text=word),
        builders.memory_conflict(of, winner_id="a", loser_id="b", rule="recency", dedup_key=key_of(item)),
        builders.memory_forget(of, memory_id="a", reason=Reason.DECAY),
        builders.memory_border_check(of, action="promote", **there, allowed=False, reason=Reason.BORDER_WRITE),
        builders.memory_promoted(of, **there, from_id="a", to_id="b", authority_used=item.authority, reason=word),
        builders.memory_promotion_denied(of, **there, memory_id="a", **why),
        builders.memory_phase_started(of, **here, phase=phase),
        builders.memory_deleted(of, **here, phase_id="phase-1", memory_id="a", reason=Reason.ERASED),
        memory_phase_diff(of, **here, from_phase_id="a", to_phase_id="b", changes=[Change("added", "a", item=item)]),
    ]


@pytest.mark.parametrize("word", [SECRET, MAIL, f"write {MAIL} today", f"{SECRET} {'x' * 400}"])
def test_no_text_of_any_event_holds_a_secret_or_personal_data(word: str) -> None:
    for event in poisoned(word):
        written = json.dumps(event)
        assert SECRET not in written, event["type"]
        assert MAIL not in written, event["type"]


def test_harmless_words_are_rendered_in_every_event() -> None:
    """The control of the test before: the word does reach the events it was put into."""
    silent = {event["type"] for event in poisoned("ordinary words") if "ordinary words" not in json.dumps(event)}
    assert silent == set()


def test_a_long_text_is_cut_everywhere() -> None:
    for event in poisoned("x" * 500):
        assert "x" * 201 not in json.dumps(event), event["type"]


# -- each event -------------------------------------------------------------------------------------------------------


def test_a_recall_event_has_the_query_spaces_counts_and_hits() -> None:
    event = recall_of(call())
    assert event["query"] == "what does [REDACTED_EMAIL] drink?"
    assert [view["id"] for view in event["recalled"]] == [TEA.id, NOTES.id, "mem_gone"]
    assert event["spaces_consulted"] == ["session", "user", "workspace", "project"]
    assert event["recall_counts"] == {"session": 2, "user": 1, "workspace": 0, "project": 0}
    assert event["phase_counts"] == {"session": {"phase-2": 2}}
    assert event["current_phase"] == {
        "phase_id": "phase-2",
        "phase_index": 2,
        "phase_name": "second draft",
        "phase_started_at": 7,
        "phase_reason": "manual",
    }


def test_the_policy_is_a_reference_unless_the_whole_is_asked_for() -> None:
    assert recall_of(call())["policy"] == {"name": "default", "digest": "3f5a1c9e"}
    whole = recall_of(call(), expanded=True)["policy"]
    assert whole == {**SNAPSHOT, "note": "ask [REDACTED_EMAIL]", "name": "default", "digest": "3f5a1c9e"}


def test_a_recall_of_nothing_is_an_event_too() -> None:
    event = nothing_of(call())
    assert (event["recalled"], event["recall_counts"], event["phase_counts"]) == ([], {"user": 0}, {})
    assert event["current_phase"] is None


def test_the_hash_is_of_kinds_and_ids_in_order() -> None:
    pairs = json.dumps([["semantic", TEA.id], ["profile", CITY.id]], separators=(",", ":")).encode()
    assert deterministic_hash([TEA, CITY]) == hashlib.sha256(pairs).hexdigest()
    assert deterministic_hash([CITY, TEA]) != deterministic_hash([TEA, CITY])
    assert deterministic_hash([replace(TEA, text="other")]) == deterministic_hash([TEA])
    assert deterministic_hash([replace(TEA, kind=Kind.SHORT_TERM)]) != deterministic_hash([TEA])


def test_a_memory_that_is_gone_is_a_name_and_no_more() -> None:
    assert gone_view("mem_x") == {"id": "mem_x", "text": GONE, "meta": {}}
    assert gone_view("mem_x", space="user")["meta"] == {"space": "user"}


def test_a_refused_secret_is_nowhere_and_neither_is_its_key() -> None:
    event = denials_of(call())[0]
    assert event["attempted"] == {
        "text": "(redacted)",
        "kind": "semantic",
        "source": "user",
        "scope": "project",
        "meta": {"space": "project", "owner": "apollo", "coordinates": {"project": "apollo"}, "event_type": "fact"},
    }
    assert event["explanation"] == explanation(Reason.SECRET)


def test_an_explanation_may_say_more_than_the_code() -> None:
    _, ruled, plain = denials_of(call())
    assert (ruled["reason"], ruled["explanation"]) == ("governance_rule", "the rule `calm`")
    assert plain["explanation"] == explanation(Reason.WRITE_POLICY_NONE)


@pytest.mark.parametrize("reason", Reason)
def test_refused_words_are_rendered_only_where_they_were_not_the_reason(reason: Reason) -> None:
    is_shown = reason.startswith(("border", "write_", "policy_", "governance", "budget", "outranked", "space_"))
    is_shown = (is_shown and reason is not Reason.POLICY_IN_USE) or reason is Reason.WRITER_NOT_A_READER
    mood = Candidate(text="I am fine", key="mood")
    event = memory_denied(call(), attempted=mood, space=HOME, reason=reason, explanation="no", text="I am fine")
    assert event["attempted"]["text"] == ("I am fine" if is_shown else "(redacted)")
    assert ("key" in event["attempted"]["meta"]) is is_shown
    redacted_event = memory_denied(call(), attempted=mood, space=HOME, reason=reason, explanation="no")
    assert redacted_event["attempted"]["text"] == "(redacted)"
    assert "fine" not in json.dumps(redacted_event)


def test_a_write_or_a_promotion_goes_somewhere() -> None:
    with pytest.raises(AssertionError, match="write goes somewhere"):
        builders.memory_border_check(call(), action="write", from_space=HOME, allowed=True, reason=Reason.ALLOWED)
    read = builders.memory_border_check(call(), action="read", from_space=HOME, allowed=True, reason=Reason.ALLOWED)
    assert (read["from_space"], "to_space" in read) == ("user", False)


def test_a_deletion_names_the_replacement() -> None:
    assert deletion_of(call(), replaced_by=CITY.id)["replaced_by"] == CITY.id
    assert "replaced_by" not in deletion_of(call())


def test_a_diff_counts_everything_and_names_the_first_eight() -> None:
    changes = [
        *(Change("deleted", f"d{number}") for number in range(4)),
        *(Change("added", f"a{number}", item=TEA) for number in range(6)),
        Change("replaced", CITY.id, replaces=TEA.id, item=CITY),
    ]
    event = memory_phase_diff(
        call(), space=SESSION, from_phase_id="phase-1", to_phase_id="phase-2", changes=changes
    )  # fmt: skip
    assert (event["added_count"], event["deleted_count"], event["replaced_count"]) == (6, 4, 1)
    assert [change["change"] for change in event["top_changes"]] == ["replaced", *["added"] * 6, "deleted"]
    assert event["top_changes"][0] == {
        "change": "replaced",
        "memory_id": CITY.id,
        "replaces": TEA.id,
        "kind": "profile",
        "event_type": "fact",
        "text": "alice lives in Lisbon",
    }
    assert event["top_changes"][-1] == {"change": "deleted", "memory_id": "d0"}
    assert event["summary_lines"] == ["6 memories were added.", "4 memories were deleted.", "1 memory was replaced."]


def test_a_code_is_searched_once_a_call_and_not_for_ever() -> None:
    searched: list[str] = []

    def find(text: str) -> list[tuple[int, int, str]]:
        searched.append(text)
        return []

    of = Call(call().caller, call().policy, find)
    builders.memory_write(of, written=[item_view(of, TEA), item_view(of, COPY)])
    assert searched.count("event:preference") == 1
    item_view(Call(of.caller, of.policy, find), TEA)
    assert searched.count("event:preference") == 2
    assert "alice prefers tea" not in repr(of)
