"""Structured personal data is found by type, with offsets into the original text, and redacted without leftovers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.policy.gates.personal_data import PersonalFinding, find_personal, redact, risk

CARD = "4" + "1" * 15


def found(text: str) -> list[tuple[str, str]]:
    return [(finding.type, text[finding.start : finding.end]) for finding in find_personal(text)]


@pytest.mark.parametrize(
    ("text", "type", "value"),
    [
        ("write to bob@x.com today", "email", "bob@x.com"),
        ("<Ana.María+news@correo.example.es>", "email", "Ana.María+news@correo.example.es"),
        ("mail почта@пример.рф now", "email", "почта@пример.рф"),
        (f"card {CARD}.", "card", CARD),
        ("card 4111-1111-1111-1111 exp 04/29", "card", "4111-1111-1111-1111"),
        ("IBAN GB82 WEST 1234 5698 7654 32, thanks", "iban", "GB82 WEST 1234 5698 7654 32"),
        ("to de89370400440532013000 please", "iban", "de89370400440532013000"),
        ("SSN 460-89-9847", "ssn", "460-89-9847"),
        ("my social security number is 460899847", "ssn", "460899847"),
        ("from 106.31.73.20, twice", "ip_address", "106.31.73.20"),
        ("host 2001:db8:85a3::8a2e:370:7334 is up", "ip_address", "2001:db8:85a3::8a2e:370:7334"),
        ("call +41 (0)38 549 02 90 now", "phone", "+41 (0)38 549 02 90"),
        ("+447700677662", "phone", "+447700677662"),
        ("at 541-714-1388.", "phone", "541-714-1388"),
        ("(415) 555-0132 ext 12", "phone", "(415) 555-0132 ext 12"),
        ("+1-604-696-5272x565", "phone", "+1-604-696-5272x565"),
        ("c'est le 01.84.17.61.18", "phone", "01.84.17.61.18"),
        ("ring 020 7946 0018", "phone", "020 7946 0018"),
        ("my mobile: 3660170548", "phone", "3660170548"),
        ("电话 13812345678", "phone", "13812345678"),
        ("0341 8387176", "phone", "0341 8387176"),
    ],
)
def test_personal_data_is_found_with_type_and_value(text: str, type: str, value: str) -> None:
    assert found(text) == [(type, value)]


@pytest.mark.parametrize(
    "text",
    [
        "order 123456789012",
        "Your order number is 1234567812345678",
        "2023-05-11 to 2024-06-12",
        "from 03/15/2024 to 03/22/2024 (7 days)",
        "version 10.4.12.7",
        "listening on 127.0.0.1 and ::1",
        "std::vector<int> a::b",
        "the meeting id is 654 578 9739",
        "the phone has serial 435778913601",
        "999-99-9999 and 000-12-3456",
        "GB82 WEST 1234 5698 7654 33",
        "1,234,567,890 people",
        "at 12:30:45 on day 3",
        "git@example.com:team/repo.git",
        "build 20240115123456",
        "@bob said hi",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        "550e8400-e29b-41d4-a716-446655440000",
        "ISBN 978-3-16-148410-0",
    ],
)
def test_is_not_personal(text: str) -> None:
    assert found(text) == []


def test_a_number_is_a_phone_only_by_shape_or_by_word() -> None:
    assert found("123456789012") == []
    assert found("call 123456789012") == [("phone", "123456789012")]
    assert found("+123456789012") == [("phone", "+123456789012")]


def test_a_marker_does_not_hide_adjacent_personal_data() -> None:
    assert risk("[REDACTED_EMAIL] and bob@x.com") == 2
    assert risk("[REDACTED_EMAIL] and nobody") == 1
    assert risk("nobody") == 0
    assert risk("") == 0


def test_redaction_leaves_only_markers() -> None:
    text = f"bob@x.com paid with {CARD} from 106.31.73.20"
    redacted = redact(text, find_personal(text))
    assert redacted == "[REDACTED_EMAIL] paid with [REDACTED_CARD] from [REDACTED_IP_ADDRESS]"
    assert risk(redacted) == 1


def test_redacting_some_keeps_the_others() -> None:
    text = "bob@x.com or ann@y.org"
    first, second = find_personal(text)
    assert redact(text, [second]) == "bob@x.com or [REDACTED_EMAIL]"
    assert redact(text, [second, first]) == "[REDACTED_EMAIL] or [REDACTED_EMAIL]"
    assert redact(text, []) == text


def test_hidden_characters_neither_hide_nor_survive() -> None:
    hidden = "mail b\u200bo\u00adb@x.com\u200b!"
    (finding,) = find_personal(hidden)
    assert redact(hidden, [finding]).replace("\u200b", "") == "mail [REDACTED_EMAIL]!"
    wide = "ｂｏｂ＠ｘ．ｃｏｍ"
    assert redact(wide, find_personal(wide)) == "[REDACTED_EMAIL]"


@given(st.text(max_size=300))
def test_findings_are_ordered_within_the_text_and_disjoint(text: str) -> None:
    edges = [edge for finding in find_personal(text) for edge in (finding.start, finding.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)
    assert risk(text) in (0, 1, 2)


@given(st.text(max_size=40), st.text(max_size=40))
def test_an_email_address_is_found_in_any_context(before: str, after: str) -> None:
    text = f"{before} bob@example.com {after}"
    assert any(finding.type == "email" for finding in find_personal(text))
    assert "bob@example.com" not in redact(text, find_personal(text))


@given(st.text(alphabet="0123456789 +-.()x@:a", max_size=200))
def test_redacted_text_holds_no_finding_twice(text: str) -> None:
    findings = find_personal(text)
    assert len(set(findings)) == len(findings)
    assert redact(text, findings).count("[REDACTED_") == len(findings)


def test_a_finding_is_a_value() -> None:
    assert PersonalFinding("email", 0, 9) == find_personal("bob@x.com")[0]
