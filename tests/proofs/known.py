"""Where the product and the model are known to differ, each with the sentence of the design that allows it. What the
product tells and the model does not has a sentence that tells it; everything else withholds more than it has to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

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
    alone = ({"origin": one.kind, "origin_chat": one.chat, "heard_by": one.heard_by} for one in asked.origins)
    return len(asked.origins) > 1 and all(_is_told(question, asked, **one) for one in alone)


def _is_told(question: Question, asked: Asked, **otherwise: Any) -> bool:
    """Whether the model would tell the memory if these of its fields were others."""
    return bool(heard(question.steps(replace(asked, memory=replace(asked.memory, **otherwise)))))


def _is_told_for_its_speaker(asked: Asked, found: Difference) -> bool:
    """Whether it is public, about nobody and in a space of several, and told only because a listener said it."""
    memory = asked.memory
    is_plain = memory.sensitivity == "public" and not memory.subjects and not memory.owner and not _is_about(found)
    return is_plain and not found.is_about_the_reason and not _is_told(IN_SIGHT, asked, speaker=NOBODY)


def _is_heard_of_one(asked: Asked, found: Difference) -> bool:
    """Whether the two join the origins otherwise, and the model tells it only because of who heard it; or both tell it,
    or neither does, for another reason."""
    memory, question = asked.memory, ABOUT if _is_about(found) else IN_SIGHT
    unheard = _is_told(question, asked, heard_by=NOBODY)
    of_model = learned_of(Origin(memory.origin, memory.origin_chat, memory.heard_by))
    is_joined_otherwise = len(set(asked.origins)) > 1 and joined(asked.origins) != of_model
    return is_joined_otherwise and (found.is_about_the_reason or not unheard)


def _is_tied_to_two_places(asked: Asked, found: Difference) -> bool:
    """Whether it is not portable and has two origins: a chat that was registered again as another kind is another."""
    is_refused = found.product.reason == Reason.NOT_PORTABLE and not asked.memory.portable
    return is_refused and len(set(asked.origins)) > 1


def _needs_its_owner_to_be_present(asked: Asked, found: Difference) -> bool:
    """Whether an agent asks for nobody where its owner does not take part, and it is in the space of that chat, or the
    model withholds it too if the owner is not counted as present."""
    is_in_chat = asked.room.kind in {"private", "group"}
    users = asked.place[1].users if asked.place is not None and is_in_chat else NOBODY
    if asked.actor.user is not None or asked.room.asker <= users:
        return False
    question = ABOUT if _is_about(found) else IN_SIGHT
    if asked.memory.of_chat & asked.room.chat:  # whose members hear it, and the owner is none of them
        return True
    away = replace(asked, room=replace(asked.room, persons=asked.room.persons - asked.room.asker))
    return not _is_told(question, away)


KNOWN = [
    Known(
        "what needs the owner of an agent to be present is not told to an agent that asks for nobody",
        "portable memories about a person who is present; shown if the subject takes part",
        False,
        _needs_its_owner_to_be_present,
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
        _is_heard_of_one,
    ),
    Known(
        "what is not portable and was learned in two places is said in neither",
        "`portable = false` closes the way out of the originating chat",
        False,
        _is_tied_to_two_places,
    ),
    Known(
        "a public memory about nobody has no speaker in a space of several",
        "every listener needs a reason, and nobody else has one because of the speaker",
        False,
        _is_told_for_its_speaker,
    ),
]
