"""Identifiers are found in whichever form a query has them, and others that resemble them are not."""

from __future__ import annotations

import pytest

from memfort import FixedClock, Memory, Policy
from memfort.language.canonical import find_canonical
from memfort.model.moment import Moment
from memfort.store.memory import MemoryStore

PHONES = ["+1-415-555-0100", "+1 (415) 555-0100", "(415) 555 0100", "415.555.0100", "415-555-0100", "4155550100"]
SAME = [
    *[("Ring the plumber under {}", one, other) for one in PHONES for other in PHONES if one != other],
    ("Ring the plumber under {}", "+49 170 1234567", "0170/1234567"),
    ("Ring the plumber under {}", "06 12 34 56 78", "+33 6 12 34 56 78"),
    ("Write to {} about the rent", "Carol+news@Acme.example", "carol@acme.example"),
    ("Write to {} about the rent", "carol@acme.example", "CAROL+bills@acme.example"),
    ("The parcel went to {}", "12 Main St.", "12 Main Street"),
    ("The parcel went to {}", "7 Old Mill Avenue", "7 old mill ave"),
    ("The parcel went to {}", "Hauptstr. 5", "Hauptstraße 5"),
    ("We run {} of the app", "v2.1", "2.1.0"),
    ("We run {} of the app", "2.1.0", "v2.1"),
    ("We run {} of the app", "2.1", "v2.1.0"),
    ("The printer has {}", "192.168.001.010", "192.168.1.10"),
    ("We closed {} at noon", "TKT-100", "tkt 100"),
    ("We closed {} at noon", "tkt 100", "TKT-100"),
    ("The audit is on {}", "3 May 2024", "2024-05-03"),
    ("The audit is on {}", "2024-05-03", "May 3, 2024"),
]
OTHERS = [
    ("Ring the plumber under {}", "+1-415-555-0100", "415-555-0101"),
    ("Write to {} about the rent", "carol@acme.example", "carol@acme.test"),
    ("We run {} of the app", "v2.1", "2.1.1"),
    ("We run {} of the app", "2.1", "2.10"),
    ("The printer has {}", "192.168.1.10", "192.168.1.100"),
]


@pytest.fixture
def alice():
    policy = Policy.from_dict({"privacy": {"personal_private": "allow"}})
    clock = FixedClock(Moment(1_767_225_600_000_000))
    return Memory(MemoryStore(), clock=clock, policy=policy).as_user("alice")


@pytest.mark.parametrize(("text", "written", "asked"), SAME)
def test_one_form_finds_the_other(alice, text, written, asked):
    alice.remember(text.format(written))
    alice.remember("The kettle is new")
    assert alice.recall(asked).texts == [text.format(written)]


@pytest.mark.parametrize(("text", "written", "asked"), OTHERS)
def test_another_one_is_not_found(alice, text, written, asked):
    alice.remember(text.format(written))
    assert alice.recall(asked).texts == []
    assert alice.recall(written).texts == [text.format(written)]


@pytest.mark.parametrize(
    "text",
    ["on 2024-05-03", "on 03.05.2024 at 10:30", "10 000 000 euros", "1.000.000 euros", "from 10.30-12.00", "2024-2025",
     "i paid 1500 in 2024 and 1600 in 2025", "the street is 3 km long", "he is 3 years older"],
)  # fmt: skip
def test_dates_amounts_and_times_are_no_identifiers(text):
    assert find_canonical(text) == []
    assert find_canonical(f"{text}, 415-555-0100") != []
