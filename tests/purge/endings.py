"""What an ending may reach: the memories that its author may end and that its words may mean.

The model errs on the side of more: a memory counts as reached if one reading of the documents says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.purge.directory import Directory, as_space
from tests.purge.statements import Statement
from tests.purge.steps import CITIES, NAMES, THINGS, At, Call, Ref, Standpoint, Step
from tests.purge.world import World

CONTENT_WORDS = frozenset((*THINGS, *CITIES))
BULK = frozenset(("forget_by", "erase_by", "undo", "redo", "forget_person", "subject_erase"))


class Endings:
    def __init__(self, world: World) -> None:
        self.world = world

    def named(self, step: Step) -> list[Statement]:
        """The memories that an ending names, as far as its author may end them."""
        assert step.who is not None
        selector = self._selector(step)
        until = step.number if step.kind != "redo" else step.given["undo"].step
        directory, who = self.world.before[step.number], step.who
        return [
            one
            for number, statements in self.world.statements.items()
            if number < until
            for one in statements
            if may_end(directory, who, one) and self._may_mean(selector, one, who)
        ]

    def reached(self, step: Step) -> list[Statement]:
        """The memories that may change: those that are named, their lineage, and what conversations say of them. What
        an undo takes back may have replaced something, which comes back."""
        assert step.who is not None
        directory = self.world.before[step.number]
        named = self.named(step)
        words = frozenset(word for one in named for word in one.words) & CONTENT_WORDS
        turns = [
            one
            for number, statements in self.world.statements.items()
            if number < step.number and self.world.steps[number].kind == "observe"
            for one in statements
            if words & one.words and may_end(directory, step.who, one)
        ]
        related = [other for number in {one.step for one in (*named, *turns)} for other in self.world.related(number)]
        if step.kind in {"undo", "redo"}:
            related += [other for one in named for other in self._rivals(one)]
        return list(dict.fromkeys((*named, *related)))

    def _rivals(self, one: Statement) -> Iterable[Statement]:
        return (
            other
            for statements in self.world.statements.values()
            for other in statements
            if is_rival(one, other) and other != one
        )

    def _selector(self, step: Step) -> Mapping[str, Any]:
        if step.kind == "redo":
            undone = self.world.steps.get(step.given["undo"].step)
            return undone.given if undone else {}
        return step.given

    def _may_mean(self, selector: Mapping[str, Any], one: Statement, who: Standpoint) -> bool:
        """Whether every part of a selector may mean a memory: they narrow each other."""
        return (
            ("query" not in selector or selector["query"] in one.words or one.is_turn)
            and _is_in_time(selector, one)
            and ("author" not in selector or _may_be_by(selector["author"], one, who))
            and ("source" not in selector or self._is_from(selector["source"], one))
            and ("trace" not in selector or self._may_be_of_call(selector["trace"], one))
            and ("person" not in selector or _may_be_of(selector["person"], one, who))
            and ("scope" not in selector or as_space(selector["scope"]) <= one.space)
        )

    def _may_be_of_call(self, call: Call, one: Statement) -> bool:
        """Whether a call may have written a memory, or ended it: an ending may have reached any."""
        step = self.world.steps.get(call.step)
        return step is not None and (one.step == call.step or (step.kind in BULK and one.step < call.step))

    def _is_from(self, source: Ref | str, one: Statement) -> bool:
        """Whether an import may have brought a memory. What came from an export could be anything."""
        if not isinstance(source, Ref):
            return False
        step = self.world.steps.get(source.step)
        return step is not None and (step.kind == "import" or one.step == source.step)


def may_end(directory: Directory, who: Standpoint, one: Statement) -> bool:
    """Whether somebody may end a memory: in spaces of their own, where they stand, and in the chats they are in."""
    actor = who.actor
    if actor.kind == "system" or ("user", actor.user) in one.space:
        return True
    chats = {id for level, id in one.space if level == "chat"}
    takes_part = any(actor.user in directory.chats[id].users for id in chats if id in directory.chats)
    is_author = actor.person == one.author.actor.person
    return takes_part or is_author or directory.may_write(who, one.space)


def is_rival(one: Statement, other: Statement) -> bool:
    """Whether two statements say the same, or give the same fact two values, for the same readers in one space."""
    is_same = one.key == other.key if one.key else one.words == other.words
    return is_same and (one.space, one.users, one.agents) == (other.space, other.users, other.agents)


def _is_in_time(selector: Mapping[str, Any], one: Statement) -> bool:
    since, until = selector.get("since", At(0)), selector.get("until")
    return since.step <= one.step and (until is None or one.step < until.step)


def _may_be_by(author: str, one: Statement, who: Standpoint) -> bool:
    """Whether a memory may be by a writer. What an agent writes for a user may count as either's."""
    if author == "me":
        return who.actor.person == one.author.actor.person or who.actor.id == one.author.actor.id
    kind, _, id = author.partition(":")
    actor = one.author.actor
    return id in ({actor.user, actor.person} if kind == "user" else {actor.id})


def _may_be_of(person: str, one: Statement, who: Standpoint) -> bool:
    """Whether a memory may be about a person, or said by them. A name may mean anybody who is no user, and a user who
    goes by it; a user may be meant by a name."""
    if one.names or person in NAMES or not person.startswith(("@", "me")):
        return True
    user = who.actor.person if person == "me" else person.removeprefix("@")
    is_theirs = user in {one.user, one.said_by, one.author.actor.person} or ("user", user) in one.space
    return is_theirs or any(user in reading for reading in one.subjects)
