"""Cursors of listings, signed with the store's key and bound to the caller and the verb: nobody can use another's, and
a cursor that was made up is refused."""

from __future__ import annotations

import base64
import binascii
import hmac

from memfort.model.people.actor import Actor
from memfort.surfaces.http.problems import HttpProblem
from memfort.trail.keys import Keys


def sign_cursor(keys: Keys, actor: Actor, verb: str, cursor: str) -> str:
    body = base64.urlsafe_b64encode(cursor.encode()).decode().rstrip("=")
    return f"{body}.{_signature(keys, actor, verb, cursor)}"


def open_cursor(keys: Keys, actor: Actor, verb: str, signed: object) -> str:
    body, _, signature = str(signed).rpartition(".")
    try:
        cursor = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode()
    except (binascii.Error, ValueError):
        raise _invalid() from None
    if not hmac.compare_digest(_signature(keys, actor, verb, cursor).encode(), signature.encode()):
        raise _invalid()
    return cursor


def _signature(keys: Keys, actor: Actor, verb: str, cursor: str) -> str:
    return keys.seal("cursor", b"\x00".join((actor.key, verb.encode(), cursor.encode()))).hex()


def _invalid() -> HttpProblem:
    return HttpProblem(
        400, "invalid_cursor", "it is not a cursor of yours", field="cursor", remedy="begin the listing anew"
    )
