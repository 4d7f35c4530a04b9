"""The store's keys: one secret for keyed digests, one Ed25519 key for signing checkpoints.

They live outside the database, so that the database alone is not enough to forge a checkpoint or to test guesses
against the digest of an erased text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cached_property

from msgspec import Struct

from memfort.bounded_cache import BoundedCache

_MOST_TERMS = 65_536
_MOST_TABLES = 64


class Keys(Struct, frozen=True, dict=True):
    """Two 32-byte secrets. Never printed."""

    secret: bytes
    signing: bytes

    def __repr__(self) -> str:
        return f"Keys(fingerprint={self.fingerprint})"

    @cached_property
    def fingerprint(self) -> str:
        """A public name for this key pair, kept in the store so that a wrong key file is noticed."""
        return hashlib.blake2b(b"fingerprint", key=self.secret, digest_size=8).hexdigest()

    def digest(self, text: str) -> str:
        """A keyed digest of a text: equal for equal texts in this store, and useless without the key."""
        return self.digest_of_bytes(text.encode())

    def digest_of_bytes(self, encoded: bytes) -> str:
        """The same for a text that is already encoded."""
        hash = self._text_hash.copy()
        hash.update(encoded)
        return hash.hexdigest()

    def value(self, text: str) -> bytes:
        """A keyed digest of a normalised statement, which duplicates share."""
        hash = self._value_hash.copy()
        hash.update(text.encode())
        return hash.digest()

    def seal(self, table: str, encoded: bytes) -> bytes:
        """The store's seal on the content of a row of this table."""
        hash = self._seal_hashes[table].copy()
        hash.update(encoded)
        return hash.digest()

    @cached_property
    def term(self) -> Callable[[str], int]:
        """Maps a word to a keyed number, so that the index holds no words. It is a dict's lookup and not a method,
        because a query needs dozens: known words cost no Python call."""
        return self._terms.__getitem__

    def terms(self, terms: Iterable[str]) -> list[int]:
        """The numbers of many words."""
        return list(map(self._terms.__getitem__, terms))

    def _number(self, term: str) -> int:
        hash = self._term_hash.copy()
        hash.update(term.encode())
        return int.from_bytes(hash.digest(), "big", signed=True)

    # Hash states with the key already absorbed: a copy costs half of a fresh start.

    @cached_property
    def _text_hash(self) -> hashlib.blake2b:
        return hashlib.blake2b(key=self.secret, person=b"memfort/text", digest_size=16)

    @cached_property
    def _value_hash(self) -> hashlib.blake2b:
        return hashlib.blake2b(key=self.secret, person=b"memfort/value", digest_size=16)

    @cached_property
    def _seal_hashes(self) -> BoundedCache[hashlib.blake2b]:
        return BoundedCache(self._seal_hash, _MOST_TABLES)

    def _seal_hash(self, table: str) -> hashlib.blake2b:
        hash = hashlib.blake2b(key=self.secret, person=b"memfort/seal", digest_size=16)
        hash.update(table.encode() + b"\x00")
        return hash

    @cached_property
    def _term_hash(self) -> hashlib.blake2b:
        return hashlib.blake2b(key=self.secret, person=b"memfort/term", digest_size=8)

    @cached_property
    def _terms(self) -> BoundedCache[int]:
        return BoundedCache(self._number, _MOST_TERMS)

    def sign(self, message: bytes) -> bytes:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.signing).sign(message)

    @cached_property
    def public(self) -> bytes:
        """The public key, with which anyone can verify a checkpoint."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.signing).public_key().public_bytes_raw()


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the holder of the key with this public half signed the message."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
