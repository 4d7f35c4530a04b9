"""Where the product and the model are known to differ, each with the sentence of the design that allows it. What the
product tells and the model does not has a sentence that tells it; everything else withholds more than it has to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.proofs.comparison import ABOUT, IN_SIGHT, Difference, Question, difference
from tests.proofs.disclosure import heard
from tests.proofs.logic import NOBODY
from tests.proofs.origins import Origin
from tests.proofs.production import Asked, joined, learned_of

from memfort.model.reason import Reason


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


def _is_joined_otherwise(asked: Asked, _: Difference) -> bool:
    memory = asked.memory
    of_model = learned_of(Origin(memory.origin, memory.origin_chat, memory.heard_by))
    return len(set(asked.origins)) > 1 and joined(asked.origins) != of_model


def _owner_is_away(asked: Asked, _: Difference) -> bool:
    """Whether an agent asks for nobody where its owner does not take part."""
    is_registered = asked.room.kind in {"private", "group"}
    users = asked.place[1].users if asked.place is not None and is_registered else NOBODY
    return asked.actor.user is None and not asked.room.asker <= users


KNOWN = [
    Known(
        "the owner of an agent that asks for nobody listens, and is not counted as present",
        "private chat, one person (and agents): persons are counted, not agents",
        True,
        _owner_is_away,
    ),
    Known(
        "what needs the owner of an agent to be present is not told to an agent that asks for nobody",
        "portable memories about a person who is present; shown if the subject takes part",
        False,
        _owner_is_away,
    ),
    Known(
        "a join may open what each of its origins opens",
        "the join of a lattice, so that it opens no more than any of them",
        True,
        _each_origin_is_told,
    ),
    Known(
        "of two origins only what is said of both is heard again",
        "always the stricter: the join of a lattice, they heard it aside",
        False,
        _is_joined_otherwise,
    ),
    Known(
        "a public memory about nobody has no speaker in a space of several",
        "every listener needs a reason, and nobody else has one because of the speaker",
        False,
        lambda asked, found: (
            not _is_about(found)
            and found.product.reason == Reason.NOT_FOR_THIS_CHAT
            and asked.memory.sensitivity == "public"
            and not asked.memory.subjects
            and not asked.memory.owner
        ),
    ),
]
