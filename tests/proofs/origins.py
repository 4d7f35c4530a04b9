"""The stricter of two origins: what a correction, a restored text, a summary or an import gets."""

from __future__ import annotations

from dataclasses import dataclass

from tests.proofs.logic import (
    Choice,
    Set,
    Truth,
    both,
    either,
    first_of,
    has,
    is_,
    is_given,
    meets,
    no,
    only_if,
    picked,
    union,
)


@dataclass(frozen=True)
class Origin:
    kind: Choice
    chat: Set
    heard_by: Set


def stricter(one: Origin, other: Origin, portable: Truth) -> Origin:
    """The join of two origins: it opens no more than either of them. What is not portable stays in the one chat that it
    was learned in; of two places, one of them outside chats or not, it is said in neither."""

    def are(*names: str) -> Truth:
        return both(is_(one.kind, *names), is_(other.kind, *names))

    def any_is(*names: str) -> Truth:
        return either(is_(one.kind, *names), is_(other.kind, *names))

    chats_agree = meets(one.chat, other.chat)
    two_places = both(either(is_given(one.chat), is_given(other.chat)), no(chats_agree))
    nowhere = either(
        any_is("several"),
        both(any_is("unknown"), no(are("unknown"))),
        both(any_is("unregistered"), no(both(are("unregistered"), chats_agree))),
        both(are("private"), no(chats_agree)),
        both(two_places, no(portable)),
    )
    is_private = any_is("private")
    kind = first_of(
        several=nowhere,
        unknown=are("unknown"),
        unregistered=are("unregistered"),
        private=is_private,
        outside=are("outside"),
        released=any_is("released", "outside"),
        group=True,
    )
    chat = union(
        only_if(is_(one.kind, "private"), one.chat),
        only_if(both(is_(other.kind, "private"), no(is_(one.kind, "private"))), other.chat),
        only_if(both(no(is_private), chats_agree), one.chat),
    )
    return Origin(
        kind=kind,
        chat=only_if(no(nowhere), chat),
        heard_by=only_if(no(nowhere), picked(one.heard_by, lambda person: has(other.heard_by, person))),
    )
