"""Numbers for words and marks: keyed, the same whenever they are asked for, and bounded in what is kept of them."""

from __future__ import annotations

import hashlib

from memfort.trace import keys as keyed
from memfort.trace.keys import Keys

KEYS = Keys(b"s" * 32, b"g" * 32)


def test_the_number_of_a_term_is_its_keyed_digest():
    digest = hashlib.blake2b("über".encode(), key=KEYS.secret, person=b"memfort/term", digest_size=8).digest()
    assert KEYS.term("über") == KEYS.term("über") == int.from_bytes(digest, "big", signed=True)
    assert KEYS.term("über") != Keys(b"t" * 32, KEYS.signing).term("über")


def test_a_mark_has_the_same_number_and_takes_no_words_place(monkeypatch):
    monkeypatch.setattr(keyed, "_MOST_TERMS", 2)
    keys = Keys(KEYS.secret, KEYS.signing)
    keys.term("tea")
    keys.marks(f"said:{number:x}" for number in range(5))
    assert [keys._terms] == [{"tea": number} for number in keys.marks(["tea"])]
    for word in ("milk", "rum", "gin"):
        keys.term(word)
    assert len(keys._terms) <= 2
