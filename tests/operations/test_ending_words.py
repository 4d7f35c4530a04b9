"""An ending by words reaches what they name and nothing else: identifiers whole, quoted words as a phrase."""

from __future__ import annotations

import pytest

from memfort import InvalidInput


@pytest.fixture
def alice(memory):
    return memory.as_user("alice")


def texts(bound) -> set[str]:
    return {item.text for item in bound.list(statuses=["approved", "pending"])}


# A query, a memory that it names, and one that it does not.
NAMED = {
    "an address": ("alice@acme.io", "write to Alice@ACME.io.", "write to alice.smith@acme.io."),
    "a quoted address": ('"alice@acme.io"', "write to <alice@acme.io>!", "write to alice@acme.io.br"),
    "a tagged address": ("alice@acme.io", "alice@acme.io's inbox", "alice+news@acme.io's inbox"),
    "an address in a list": ("b@x.de", "a@x.de,b@x.de;c@x.de", "a@x.de,bb@x.de;c@x.de"),
    "a domain": ("mycompany.com", "we own mycompany.com, too", "we own mycompany.com.br, too"),
    "a narrower domain": ("mycompany.com", "the host (mycompany.com)", "the host (sub.mycompany.com)"),
    "a longer domain": ("mycompany.com", "the host is mycompany.com", "the host is notmycompany.com"),
    "a domain with words": ("our mycompany.com", "our host mycompany.com", "our host my company com"),
    "a link": ("https://x.org/a", "the plan is on http://x.org/a/", "the plan is on https://x.org/a/b"),
    "a query of a link": ("x.org/a?id=1", "see https://x.org/a?id=1.", "see https://x.org/a?id=12."),
    "a telephone number": ("+49 170 1234567", "call 0049 (170) 123-4567", "call +49 170 12345678"),
    "the end of a telephone number": ("1234567", "ticket 1234567", "call +49 170 1234567"),
    "a number": ("42", "room 42, on the left", "room 420, on the left"),
    "a decimal": ("4", "it weighs 4 kilos", "it weighs 4.5 kilos"),
    "a date": ("2024-05-01", "due on 2024-05-01", "due on 2024-05-012"),
    "an issue": ("#42", "see #42.", "see #421."),
    "a handle": ("@alice", "ask @alice about it", "ask @alice_b about it"),
    "a path": ("/srv/app", "it lies in /srv/app", "it lies in /srv/app/old"),
    "another path": (r"C:\data\a.txt", r"saved as c:\data\a.txt", r"saved as C:\data\a.txt.bak"),
    "an id": ("INV-2024-17", "paid inv-2024-17 today", "paid INV-2024-171 today"),
    "a service": ("acme-prod", "deploy to acme-prod", "deploy to acme-prod-eu"),
    "a language": ("C++", "likes C++ best", "likes C best"),
    "an address in Chinese": ("a@b.cn", "我的邮箱是a@b.cn吗", "我的邮箱是aa@b.cn吗"),
    "a wide address": ("a@b.de", "write to ａ＠ｂ．ｄｅ", "write to ａ＠ｂ．ｄｅ．ｅｕ"),
    "a phrase": ('"blue door"', "the Blue  Door squeaks", "the door is blue"),
    "the end of a phrase": ('"blue door"', 'a "blue door", they say', "both blue doors squeak"),
    "a quoted word": ('"cat"', "my cat's bowl", "my cats' bowl"),
    "a quoted stop word": ('"to be or not"', "to be or not to be", "not to be, or to be"),
    "round quotation marks": ("“blue door”", "a blue door", "a door, blue"),
    "low quotation marks": ("„blaue Tür“", "die blaue Tür", "die Tür ist blaue Farbe"),
    "pointed quotation marks": ("« porte bleue »", "la porte bleue", "bleue, la porte"),
    "corner quotation marks": ("「青い扉」", "私の青い扉", "扉は青い"),
    "single quotation marks": ("the 'blue door'", "the blue door", "the door is blue"),
    "an apostrophe": ("Anna's bicycle", "Anna has a bicycle", "Ana has a bicycle"),
    "a capital outside ASCII": ('"STRASSE"', "in der Straße", "in der Straßenbahn"),
    "a hyphen or a space": ("jean-luc", "met Jean Luc", "met Luc, then Jean"),
}


@pytest.mark.parametrize(("query", "named", "other"), NAMED.values(), ids=list(NAMED))
def test_an_ending_takes_what_the_query_names_and_nothing_else(alice, query, named, other):
    for text in (named, other):
        assert alice.remember(text).kept
    preview = alice.erase(query=query, dry_run=True)
    assert (preview.counts["memories"], set(preview.sample)) == (1, {named})
    assert {item.text for item in alice.forget(query=query, dry_run=True)} == {named}
    assert alice.erase(query=query).counts["memories"] == 1
    assert texts(alice) == {other}


def test_a_query_takes_the_sentence_of_a_turn_that_names_it(alice):
    alice.observe("The site of Bea is bea.org. The site of Bob is old.bea.org.")
    alice.erase(query='"bea.org"')
    assert [turn.text for turn in alice.window()] == ["[erased] The site of Bob is old.bea.org."]


def test_a_sentence_with_another_name_does_not_say_the_same(alice):
    turns = [
        {"role": "user", "content": "The wiki of the team is at wiki.acme.io."},
        {"role": "user", "content": "The old wiki of the team is at old.wiki.acme.io."},
        {"role": "user", "content": "The wiki of the team, remember, is at wiki.acme.io."},
    ]
    alice.observe(turns)
    receipt = alice.erase(query="wiki.acme.io")
    left = [turn.text for turn in alice.window()]
    assert left == ["[erased]", "The old wiki of the team is at old.wiki.acme.io.", "[erased]"]
    assert alice.verify_erasure(receipt.id).problems == ()


@pytest.mark.parametrize("verb", ["forget", "erase"])
@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("the", "no word that says something"),
        ("!?…", "no word that says something"),
        ('"…"', "no word that says something"),
        ("und", "only words that say nothing"),
        ("的", "only words that say nothing"),
        ("我的", "only words that say nothing"),
        ('"blue door', "not closed"),
        ("„blue door", "not closed"),
    ],
)
def test_a_query_that_would_name_anything_is_refused(alice, verb, query, problem):
    alice.remember("the blue door und 我的 cat")
    for dry_run in (True, False):
        with pytest.raises(InvalidInput, match=problem):
            getattr(alice, verb)(query=query, dry_run=dry_run)
    assert len(texts(alice)) == 1


def test_a_name_that_is_a_stop_word_elsewhere_can_be_named(alice):
    alice.remember("Kim likes chess")
    assert [item.text for item in alice.forget(query="Kim")] == ["Kim likes chess"]
