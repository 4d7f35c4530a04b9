"""Where the product and the model are known to differ, each with the sentence of the design that allows it. What the
product tells and the model does not has a sentence that tells it; everything else withholds more than it has to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.proofs.comparison import ABOUT, IN_SIGHT, Difference, Question, difference
from tests.proofs.disclosure import all_were_there, heard, subjects_of
from tests.proofs.production import Asked, only

from memfort.model.reason import Reason
from memfort.model.space import Level


@dataclass(frozen=True)
class Known:
    name: str
    sentence: str
    tells: bool  # whether the product tells what the model does not
    holds: Callable[[Asked, Difference], bool]


def unknown_difference(question: Question, asked: Asked) -> Difference | None:
    """A difference that no known one explains."""
    found = difference(question, asked)
    return None if found is None or known_difference(found) is not None else found


def known_difference(found: Difference) -> Known | None:
    return next((one for one in KNOWN if one.tells == found.is_leak and one.holds(found.asked, found)), None)


def _is_about(found: Difference) -> bool:
    return found.question == "about somebody"


def _each_origin_is_told(asked: Asked, found: Difference) -> bool:
    question = ABOUT if _is_about(found) else IN_SIGHT
    alone = (
        replace(asked.memory, origin=one.kind, origin_chat=one.chat, heard_by=one.heard_by) for one in asked.origins
    )
    return len(asked.origins) > 1 and all(heard(question.steps(replace(asked, memory=one))) for one in alone)


def _is_in_the_space_of_its_chat(asked: Asked, _: Difference) -> bool:
    here = only(asked.room.chat)
    return not asked.memory.portable and here is not None and asked.space.get(Level.CHAT) == here


KNOWN = [
    Known(
        "an agent that acts for nobody is no person in a private chat",
        "private chat, one person (and agents): persons are counted, not agents",
        True,
        lambda asked, _: asked.actor.user is None and asked.room.kind == "private",
    ),
    Known(
        "an agent that acts for nobody hears no more than all who listen",
        "An agent that only sits in a chat listens for its owner.",
        False,
        lambda asked, _: asked.actor.user is None,
    ),
    Known(
        "of what was said before registration the owners of agents are no members",
        "What was said in a chat before it was registered is heard there by who said it, and if public by its members.",
        False,
        lambda asked, _: any(one.kind == "unregistered" for one in asked.origins),
    ),
    Known(
        "a join may open what each of its origins opens",
        "the join of a lattice, so that it opens no more than any of them",
        True,
        _each_origin_is_told,
    ),
    Known(
        "all who listen heard it, so who is absent does not matter",
        "what was said in a group may be said there, or in any chat all of whose listeners were there",
        True,
        lambda asked, found: (
            _is_about(found)
            and found.product.reason == Reason.SAID_HERE
            and asked.memory.origin == "group"
            and all_were_there(asked.memory, asked.room)
        ),
    ),
    Known(
        "only what people say about themselves has to be asked for by name",
        "what people say about themselves outside any chat is found by others only when they ask for that person by "
        "name",
        True,
        lambda asked, found: (
            _is_about(found)
            and asked.policy.told_alone
            and "outside" in {one.kind for one in asked.origins}
            and (subjects_of(asked.memory) != asked.memory.speaker or subjects_of(asked.memory) == asked.room.asker)
        ),
    ),
    Known(
        "what one says of oneself is about oneself, in the spaces of others too",
        "A first-person statement without subjects that is not public is about its speaker.",
        True,
        lambda asked, found: _is_about(found) and not asked.memory.subjects and found.model == "not_about",
    ),
    Known(
        "a holder of a share may read its space",
        "An explicit share: a named actor may read a named space; may read it anyway is a disclosure reason",
        True,
        lambda asked, found: (
            not _is_about(found)
            and asked.leaves
            and asked.memory.sensitivity == "public"
            and not asked.room.asker <= asked.memory.may_read
        ),
    ),
    Known(
        "the looser rule replaces the group column for what nobody judged too",
        "The looser group table (shown if the subject takes part) replaces the group column.",
        True,
        lambda asked, found: (
            asked.policy.participants and asked.memory.sensitivity == "unjudged" and asked.room.kind == "group"
        ),
    ),
    Known(
        "what is put into the space of a chat is said in that chat",
        "Naming a wider space on purpose, or promoting, is the declassifying act for origin; a chat can be the target.",
        True,
        _is_in_the_space_of_its_chat,
    ),
    Known(
        "what is not portable and was learned in no chat is said in no chat",
        "It is said in no other chat.",
        False,
        lambda asked, found: (
            not asked.memory.portable and found.product.reason == Reason.NOT_PORTABLE and not asked.memory.origin_chat
        ),
    ),
    Known(
        "of two origins only what is said of both is heard again",
        "always the stricter: the join of a lattice, they heard it aside",
        False,
        lambda asked, _: len(set(asked.origins)) > 1,
    ),
    Known(
        "a reader list admits no agent that acts for nobody by its owner",
        "An agent that asks, asks as the person it acts for, otherwise as its owner.",
        False,
        lambda asked, _: asked.memory.for_users and asked.actor.user is None,
    ),
    Known(
        "what comes through a share needs a reason for all who listen",
        "no chat hears more of a share than that",
        False,
        lambda asked, found: asked.leaves and found.product.reason == Reason.NOT_FOR_THIS_CHAT,
    ),
    Known(
        "what was released is not heard again in a group",
        "What was said in a group may be said there, while it is public or unjudged.",
        False,
        lambda asked, found: found.model == "heard_it" and asked.memory.origin == "released",
    ),
    Known(
        "out of a space out of sight, that somebody else may read it is no reason",
        "through the disclosure rules: the reason is for memories in sight",
        False,
        lambda asked, found: _is_about(found) and bool(asked.memory.may_read),
    ),
    Known(
        "a public memory about nobody has no speaker in a space of several",
        "every listener needs a reason, and nobody else has one because of the speaker",
        False,
        lambda asked, found: (
            not _is_about(found)
            and asked.memory.sensitivity == "public"
            and not asked.memory.subjects
            and asked.space.get(Level.USER) is None
        ),
    ),
]
