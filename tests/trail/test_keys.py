"""Numbers for words: keyed, the same whenever they are asked for, and bounded in what is kept of them."""

from __future__ import annotations

import hashlib

from memfort.trail import keys as keyed
from memfort.trail.keys import Keys

KEYS = Keys(b"s" * 32, b"g" * 32)


def test_the_number_of_a_term_is_its_keyed_digest():
    digest = hashlib.blake2b("über".encode(), key=KEYS.secret, person=b"memfort/term", digest_size=8).digest()
    assert KEYS.term("über") == KEYS.term("über") == int.from_bytes(digest, "big", signed=True)
    assert KEYS.term("über") != Keys(b"t" * 32, KEYS.signing).term("über")


def test_the_term_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(keyed, "_MOST_TERMS", 2)
    keys = Keys(KEYS.secret, KEYS.signing)
    words = ["tea", "milk", "rum", "gin"]
    assert keys.terms(words) == [KEYS.term(word) for word in words]
    assert len(keys._terms) == 2
