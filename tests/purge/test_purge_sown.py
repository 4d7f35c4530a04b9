"""A leak of every kind of step, and through every read, is caught."""

from __future__ import annotations

import pytest
from tests.purge.sown import (
    asks,
    ended_words_hold_for_everybody,
    hides,
    leak_of,
    leak_through,
    sown,
    withdrawals_for_everybody,
)


@pytest.mark.parametrize(
    ("verb", "kind", "given"),
    [
        *(
            (f"bound.{verb}", f"{verb}_by", way)
            for verb in ("forget", "erase")
            for way in ("query", "since", "until", "author", "source", "person", "scope")
        ),
        *(("bound.undo", "undo", way) for way in ("since", "author", "source", "trace")),
        ("bound.undo", "redo", "undo"),
        ("bound.subject.erase", "subject_erase", "person"),
        ("bound.people.forget", "forget_person", "person"),
        ("bound.people.unrelate", "unrelate", "person"),
        ("bound.people.update", "update_person", "name"),
        ("bound.review.reject", "reject_in_force", "memory"),
        ("bound.review.reject", "reject", "memory"),
        ("bound.review.approve", "decide", "proposal"),
        ("bound.promote", "propose", "to"),
        ("bound.promote", "copy", "share"),
        ("bound.restore", "restore", "memory"),
        ("bound.used", "used", "memory"),
        ("bound.share", "pass_on", "space"),
        ("bound.import_", "import_plain", "records"),
        ("bound.import_", "import_plain", "bring_back"),
        ("bound.observe", "observe", "messages"),
        ("memory.store.gc", "upkeep", "verb"),
        ("memory.store.reindex", "upkeep", "verb"),
        ("memory.store.backup", "move_store", None),
        ("memory.restore", "move_store", None),
    ],
)
def test_a_leak_of_a_step_is_caught(verb: str, kind: str, given: str | None) -> None:
    where = hides(kind, given) if given else hides(kind)
    options = [given] if kind in {"forget_by", "erase_by"} or (kind == "undo" and given) else []
    if given == "bring_back":
        options = [given]
    assert sown(leak_of(verb, *(one for one in options if one)), where=where) is not None


@pytest.mark.parametrize(
    ("verb", "read"),
    [
        ("bound.forget", "preview_forget"),
        ("bound.erase", "preview_erase"),
        ("bound.undo", "preview_undo"),
        ("bound.people.forget", "preview_person"),
        ("bound.subject.erase", "preview_subject"),
        ("bound.import_", "preview_import"),
        ("bound.check", "check_remember"),
        ("bound.subject.export", "subject.export"),
        ("bound.recall", "recall_overview"),
        ("bound.recall", "recall_as_of"),
        ("bound.context", "briefing"),
        ("bound.context", "context_overview"),
        ("bound.window", "window"),
        ("bound.shares", "shares"),
        ("bound.share_changes", "share_changes"),
        ("bound.explain", "explain_for"),
        ("bound.review.list", "review.list"),
        ("bound.phase.diff", "phase.diff"),
        ("bound.policy.simulate", "policy.simulate"),
        ("bound.doctor", "doctor"),
        ("bound.member.list", "member.list"),
        ("bound.sources", "sources"),
        ("bound.erasures", "erasures"),
        ("bound.verify_erasure", "verify_erasure"),
        ("bound.trace.list", "trace.list"),
        ("bound.trace.show", "trace.show"),
        ("bound.trail.export", "trail.export"),
    ],
)
def test_a_leak_through_a_read_is_caught(verb: str, read: str) -> None:
    assert sown(leak_through(verb), where=asks(read)) is not None


def test_a_leak_of_what_others_ended_is_caught() -> None:
    assert sown(ended_words_hold_for_everybody) is not None


def test_a_leak_of_what_others_withdrew_is_caught() -> None:
    assert sown(withdrawals_for_everybody, where=asks("share_changes")) is not None


def test_no_leak_is_caught_where_none_is_sown() -> None:
    assert sown(lambda patch: None, histories=10) is None
