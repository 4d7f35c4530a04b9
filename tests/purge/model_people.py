"""Who may notice what of people: who is added, related, merged and dropped, and how they are numbered."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.purge.directory import Space, as_space, default_spaces
from tests.purge.sight import ObserverSight
from tests.purge.statements import Statement
from tests.purge.steps import History, Ref, Standpoint, Step
from tests.purge.verdicts import Verdict


class PeopleModel:
    def __init__(self, history: History, sight: ObserverSight, judge: Callable[[Step], Verdict]) -> None:
        self.history = history
        self.sight = sight
        self.world = sight.world
        self._judge = judge

    def judge_add_person(self, step: Step) -> Verdict:
        assert step.who is not None
        if step.given.get("listed"):
            return Verdict.VISIBLE
        space = _home(step)
        if not self.world.before[step.number].may_write(step.who, space):
            return Verdict.HIDDEN
        return Verdict.UNSURE if self._may_know(step.who, space, step.number) else Verdict.HIDDEN

    def judge_change(self, step: Step) -> Verdict:
        """A change of people shows where one of them shows; a user's person is known to all."""
        if any(isinstance(one, str) for one in (step.given["person"], step.given.get("keep", Ref(0)))):
            return Verdict.VISIBLE
        for number in step.refs():
            person = self.world.steps.get(number)
            if person is None or person.who is None or self._judge(person) != Verdict.HIDDEN:
                return Verdict.UNSURE
            if self._is_said_to_be_a_user(number):
                return Verdict.UNSURE
        assert step.who is not None
        homes = {_home(step), _home(self.world.steps[step.given["person"].step])}
        may_know = any(self._may_know(step.who, home, step.number) for home in homes)
        return Verdict.UNSURE if may_know else Verdict.HIDDEN

    def _is_said_to_be_a_user(self, person: int) -> bool:
        return any(
            person in step.refs() and (step.kind == "link" or isinstance(step.given.get("keep"), str))
            for step in self.history.steps
        )

    def _may_know(self, who: Standpoint, home: Space, since: int) -> bool:
        """Whether the observer may know the people of a space. In a chat, only those who are known in that chat, and
        to the speaker those whom the speaker made known."""
        if not self.sight.may_see(home, since):
            return False
        is_own = self.sight.observer.actor.person == who.actor.person
        return self.sight.observer.chat is None or is_own or ("chat", self.sight.observer.chat) in home

    def keep_numbers(self, verdicts: dict[int, Verdict]) -> None:
        """Whoever sees the people of a space from two rooms may tell in one that somebody was mentioned in the other:
        people are numbered in the order in which a speaker mentions them in a space."""
        for number, verdict in verdicts.items():
            if verdict != Verdict.HIDDEN:
                continue
            mentions = [
                one for one in self.world.statements.get(number, ()) if one.names and self.sight.has_effect(one)
            ]
            if any(self._shares_numbers(one, verdicts) for one in mentions):
                verdicts[number] = Verdict.UNSURE

    def _shares_numbers(self, hidden: Statement, verdicts: Mapping[int, Verdict]) -> bool:
        later = (
            one
            for number, statements in self.world.statements.items()
            if number > hidden.step and verdicts[number] != Verdict.HIDDEN
            for one in statements
        )
        people = any(
            step.kind == "add_person" and step.number > hidden.step and verdicts[step.number] != Verdict.HIDDEN
            for step in self.history.steps
            if step.who and step.who.actor.person == hidden.author.actor.person
        )
        return people or any(
            one.names and one.author.actor.person == hidden.author.actor.person and _meet(one.space, hidden.space)
            for one in later
        )


def _home(step: Step) -> Space:
    """Where a person or a relation is known: in the space named, otherwise to whoever enters it alone."""
    assert step.who is not None
    return as_space(step.given["space"]) if "space" in step.given else default_spaces(step.who)[0]


def _meet(one: Space, other: Space) -> bool:
    return one <= other or other <= one
