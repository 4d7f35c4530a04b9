"""Who may notice what: the rule as the documents state it, written without knowledge of how the product decides.

For one observer (an actor at a standpoint) every step of a history is judged:

- OWN: the observer takes it.
- STRUCTURE: the host's directory (who takes part where) and time. Played in every run.
- VISIBLE: the observer may notice it.
- UNSURE: the documents leave open whether the observer may notice it, or a step that stays needs it. It stays.
- HIDDEN: the observer may not notice it, at no moment at which they ask. A run without it must look the same.

The model errs on the side of VISIBLE and UNSURE: where two readings of the documents are possible, a step is HIDDEN
only if it is under both. So a difference between the two runs is a leak, or an error in this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from tests.purge.conversations import has_correction
from tests.purge.directory import Directory, Space, as_space, default_spaces
from tests.purge.disclosure import Room, comes_as_about_people, may_hear, readers_admit, was_heard_in_the_window
from tests.purge.steps import DIRECTORY, History, Ref, Standpoint, Step
from tests.purge.world import Statement, World


class Verdict(StrEnum):
    OWN = "own"
    STRUCTURE = "structure"
    VISIBLE = "visible"
    UNSURE = "unsure"
    HIDDEN = "hidden"


class Model:
    """What one observer may notice of a history."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.world = World(history)
        self.observer = history.observer
        self.moments = [step.number for step in history.steps if step.who == self.observer]

    def verdicts(self) -> dict[int, Verdict]:
        verdicts = {step.number: self._judge(step) for step in self.history.steps}
        self._keep_people_numbers(verdicts)
        self._keep_what_is_needed(verdicts)
        return verdicts

    def reworded(self, verdicts: Mapping[int, Verdict]) -> set[int]:
        """Steps that stay, whose own words the observer may still not notice, nor anything made from them."""
        return {
            step.number
            for step in self.history.steps
            if step.kind in {"remember", "correct", "edit"}
            and verdicts[step.number] in {Verdict.VISIBLE, Verdict.UNSURE}
            and not any(self._may_notice(one) for one in self._wordings_of(step.number))
            and not self._may_replace(step)
            and not self._is_exported(step.number)
            and not any(has_correction(later) and later.number > step.number for later in self.history.steps)
        }

    def _wordings_of(self, number: int) -> list[Statement]:
        """What a step said, and everything of its lineage since."""
        return [one for one in self.world.related(number) if one.step >= number]

    def _is_exported(self, number: int) -> bool:
        return any(step.kind == "import" and step.number > number for step in self.history.steps)

    # One step

    def _judge(self, step: Step) -> Verdict:
        if step.kind in DIRECTORY:
            return Verdict.STRUCTURE
        if step.who == self.observer:
            return Verdict.OWN
        assert step.who is not None
        if step.kind in {"look", "export"} or self.world.before[step.number].is_shut_out(step.who):
            return Verdict.HIDDEN
        if step.kind in {"rename", "link"}:
            return Verdict.VISIBLE  # the persons of users are known to all
        judge = {
            "remember": self._judge_write,
            "remember_many": self._judge_write,
            "observe": self._judge_write,
            "share": self._judge_share,
            "revoke": self._judge_revoke,
            "phase": self._judge_phase,
            "import": self._judge_import,
            "forget_person": self._judge_forget_person,
            "add_person": self._judge_add_person,
            "relate": self._judge_person_change,
            "alias": self._judge_person_change,
            "drop": self._judge_person_change,
            "merge": self._judge_person_change,
        }.get(step.kind, self._judge_change)
        verdict = judge(step)
        # Authors can correct and end what they wrote by its id, wherever they stand. The documents do not say whether a
        # user is the author of what an agent wrote for them.
        is_own = step.who.actor == self.observer.actor or (
            step.who.actor.user is not None
            and step.who.actor.user == self.observer.actor.user
            and self._names_by_id(step)
        )
        return Verdict.UNSURE if is_own and verdict is Verdict.HIDDEN else verdict

    def _names_by_id(self, step: Step) -> bool:
        """Whether the observer names what a step made, or something of the same lineage, by its id."""
        lineage = self.world.lineage
        named = {number for own in self.history.steps if own.who == self.observer for number in own.refs()}
        return lineage.get(step.number, step.number) in {lineage.get(number, number) for number in named}

    def _judge_write(self, step: Step) -> Verdict:
        if not any(self._has_effect(one) for one in self.world.statements[step.number]):
            return Verdict.HIDDEN
        if not any(self._may_notice(one) for one in self.world.statements[step.number]):
            is_open = self._may_replace(step) or self._numbers_an_own_write(step) or self._may_correct(step)
            return Verdict.UNSURE if is_open else Verdict.HIDDEN
        return Verdict.VISIBLE if step.kind != "observe" or self._shows_a_turn(step) else Verdict.UNSURE

    def _shows_a_turn(self, step: Step) -> bool:
        """Whether a turn is sure to be shown: in its space outside any chat, or in the window of its chat."""
        return any(self._is_turn_shown(one, moment) for one in self._turns(step) for moment in self.moments)

    def _turns(self, step: Step) -> list[Statement]:
        return [one for one in self.world.statements[step.number] if one.is_turn and self._has_effect(one)]

    def _is_turn_shown(self, one: Statement, moment: int) -> bool:
        directory = self.world.before[moment]
        if moment < one.step or not self._is_in_sight(one.space, moment):
            return False
        room = self._room(directory)
        return room is None or was_heard_in_the_window(one, room, self.observer)

    def _may_replace(self, step: Step) -> bool:
        """Whether a write may meet one that the observer may notice: the same fact or the same words, in the same space
        and for the same readers. Then one of the two ends, or counts as said already.

        The documents have one place for this, the space, and do not say whether two statements of which only one may
        be heard somewhere are rivals. What the observer writes is another matter: its outcome must not tell what else
        is there."""
        return any(
            _is_rival(one, other) and other.author != self.observer and self._may_notice(other)
            for one in self.world.statements[step.number]
            for number, statements in self.world.statements.items()
            for other in statements
            if number != step.number
        )

    def _may_correct(self, step: Step) -> bool:
        """Whether a message may correct something that the observer may notice: in a space where its author writes."""
        if not has_correction(step):
            return False
        assert step.who is not None
        directory, who = self.world.before[step.number], step.who
        return any(
            number <= step.number and directory.may_write(who, one.space) and self._may_notice(one)
            for number, statements in self.world.statements.items()
            for one in statements
        )

    def _numbers_an_own_write(self, step: Step) -> bool:
        """Whether the observer writes something later that may be numbered after this: by the same person, in the same
        space, and as little to be said in the observer's chat. The observer gets the number with the outcome."""
        return any(
            own.author == self.observer
            and own.step > one.step
            and _is_same_person(own.author, one.author)
            and own.space == one.space
            and (own.level == one.level or step.kind == "observe" or self.world.steps[own.step].kind == "observe")
            for one in self.world.statements[step.number]
            for statements in self.world.statements.values()
            for own in statements
        )

    def _judge_change(self, step: Step) -> Verdict:
        """A change of a memory shows where any statement of the same lineage shows."""
        assert step.who is not None
        directory = self.world.before[step.number]
        targets = self.world.statements.get(step.given["memory"].step, [])
        if not any(
            directory.may_write(step.who, one.space) or _is_same_person(step.who, one.author) for one in targets
        ):
            return Verdict.HIDDEN
        if step.kind == "promote" and not directory.may_write(step.who, as_space(step.given["to"])):
            return Verdict.HIDDEN
        related = self.world.related(step.number)
        return Verdict.VISIBLE if any(self._may_notice(one) for one in related) else Verdict.HIDDEN

    def _judge_share(self, step: Step) -> Verdict:
        assert step.who is not None
        space = as_space(step.given["space"])
        if not self.world.before[step.number].may_write(step.who, space):
            return Verdict.HIDDEN
        return Verdict.VISIBLE if self._is_observer(step.given) else Verdict.HIDDEN

    def _judge_revoke(self, step: Step) -> Verdict:
        share = self.world.steps.get(step.given["share"].step)
        return Verdict.VISIBLE if share is None or self._is_observer(share.given) else Verdict.HIDDEN

    def _is_observer(self, reader: Mapping[str, Any]) -> bool:
        actor = self.observer.actor
        return reader.get("user") in {actor.user, actor.person} or reader.get("agent") == actor.id

    def _judge_phase(self, step: Step) -> Verdict:
        assert step.who is not None
        spaces = [as_space(step.given["space"])] if "space" in step.given else default_spaces(step.who)
        if not any(self.world.before[step.number].may_write(step.who, space) for space in spaces):
            return Verdict.HIDDEN
        noticed = {one.space for many in self.world.statements.values() for one in many if self._may_notice(one)}
        if any(self._may_see(space, step.number) for space in spaces) or noticed & set(spaces):
            return Verdict.UNSURE
        return Verdict.HIDDEN

    def _judge_import(self, step: Step) -> Verdict:
        """An import brings anything that was exported, to any place where the importer may write."""
        assert step.who is not None
        actor = self.observer.actor
        if step.who.actor.person == actor.person:
            return Verdict.UNSURE
        places = [frozenset({place}) for place in step.who.places]
        if any(self._may_see(space, step.number) for space in (*places, *default_spaces(step.who))):
            return Verdict.UNSURE
        noticed = any(self._may_notice(one) for many in self.world.statements.values() for one in many)
        return Verdict.UNSURE if noticed else Verdict.HIDDEN

    def _judge_forget_person(self, step: Step) -> Verdict:
        assert step.who is not None
        directory = self.world.before[step.number]
        for number, statements in self.world.statements.items():
            if number > step.number:
                continue
            for one in statements:
                if self._may_notice(one) and self._may_end(directory, step.who, one):
                    return Verdict.UNSURE
        added = [one for one in self.history.steps if one.kind == "add_person" and _is_same_person(one.who, step.who)]
        return Verdict.UNSURE if any(self._judge(one) != Verdict.HIDDEN for one in added) else Verdict.HIDDEN

    def _may_end(self, directory: Directory, who: Standpoint, one: Statement) -> bool:
        chats = {id for level, id in one.space if level == "chat"}
        takes_part = any(who.actor.user in directory.chats[id].users for id in chats if id in directory.chats)
        return takes_part or directory.may_write(who, one.space)

    # People

    def _judge_add_person(self, step: Step) -> Verdict:
        assert step.who is not None
        if "space" not in step.given:
            return Verdict.VISIBLE  # listed for all
        space = as_space(step.given["space"])
        if not self.world.before[step.number].may_write(step.who, space):
            return Verdict.HIDDEN
        return Verdict.UNSURE if self._may_know(step.who, space, step.number) else Verdict.HIDDEN

    def _judge_person_change(self, step: Step) -> Verdict:
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
        home = step.given.get("space") or self.world.steps[step.given["person"].step].given.get("space")
        return Verdict.UNSURE if self._may_know(step.who, as_space(home or {}), step.number) else Verdict.HIDDEN

    def _is_said_to_be_a_user(self, person: int) -> bool:
        return any(
            person in step.refs() and (step.kind == "link" or isinstance(step.given.get("keep"), str))
            for step in self.history.steps
        )

    def _may_know(self, who: Standpoint, home: Space, since: int) -> bool:
        """Whether the observer may know the people of a space. In a chat, only those who are known in that chat, and
        to the speaker those whom the speaker made known."""
        if not self._may_see(home, since):
            return False
        is_own = self.observer.actor.person == who.actor.person
        return self.observer.chat is None or is_own or ("chat", self.observer.chat) in home

    def _keep_people_numbers(self, verdicts: dict[int, Verdict]) -> None:
        """Whoever sees the people of a space from two rooms may tell in one that somebody was mentioned in the other:
        people are numbered in the order in which a speaker mentions them in a space."""
        for number, verdict in verdicts.items():
            if verdict != Verdict.HIDDEN:
                continue
            mentions = [one for one in self.world.statements.get(number, ()) if one.names and self._has_effect(one)]
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

    # What a step needs

    def _keep_what_is_needed(self, verdicts: dict[int, Verdict]) -> None:
        """A step that stays needs those that made what it refers to, and an import what could be in its export. The
        observer asks for the same ids in both runs, and needs nothing, but for an import: it names what is there
        already, in whatever chat one imports."""
        for step in reversed(self.history.steps):
            if verdicts[step.number] in {Verdict.HIDDEN, Verdict.STRUCTURE}:
                continue
            needed = set() if verdicts[step.number] == Verdict.OWN else set(step.refs())
            if has_correction(step) and verdicts[step.number] != Verdict.OWN:
                needed |= self._correctable(step)
            if step.kind == "import" and step.given["export"].step in self.world.steps:
                needed |= self._exported(self.world.steps[step.given["export"].step])
            for number in needed:
                if verdicts.get(number) == Verdict.HIDDEN:
                    verdicts[number] = Verdict.UNSURE

    def _correctable(self, step: Step) -> set[int]:
        """The writes that a message may correct. What it says of them depends on their words."""
        assert step.who is not None
        directory, who = self.world.before[step.number], step.who
        return {
            number
            for number, statements in self.world.statements.items()
            if number < step.number and any(directory.may_write(who, one.space) for one in statements)
        }

    def _exported(self, export: Step) -> set[int]:
        """The steps before an export that could show in it: of the exporter, or on memories within its sight."""
        assert export.who is not None
        directory, who = self.world.before[export.number], export.who
        return {
            step.number
            for step in self.history.steps
            if step.number < export.number
            and (
                _is_same_person(step.who, who)
                or any(directory.may_read(who, one.space) for one in self.world.related(step.number))
            )
        }

    # One statement

    def _has_effect(self, one: Statement) -> bool:
        return self.world.before[one.step].may_write(one.author, one.space)

    def _may_notice(self, one: Statement) -> bool:
        if one.author == self.observer:
            return True
        return any(self._may_see_statement(one, moment) for moment in self.moments if moment > one.step)

    def _may_see(self, space: Space, since: int) -> bool:
        return any(self._is_in_sight(space, moment) for moment in self.moments if moment > since)

    def _is_in_sight(self, space: Space, moment: int) -> bool:
        directory = self.world.before[moment]
        if directory.is_shut_out(self.observer):
            return False
        is_own = ("user", self.observer.actor.user) in space  # an export has all that one owns
        return is_own or directory.may_read(self.observer, space) or self._is_shared(space, moment)

    def _is_shared(self, space: Space, moment: int) -> bool:
        actor = self.observer.actor
        readers = {("user", actor.user), ("user", actor.person), ("agent", actor.id)}
        return any(
            share.space == space
            and share.reader in readers
            and share.step < moment
            and (share.ended is None or share.ended > moment)
            for share in self.world.shares
        )

    def _may_see_statement(self, one: Statement, moment: int) -> bool:
        directory = self.world.before[moment]
        if directory.is_shut_out(self.observer) or not self._has_effect_ever(one):
            return False
        room = self._room(directory)
        if not readers_admit(one, self.observer, room):
            return False
        return any(
            (self._is_in_sight(one.space, moment) and may_hear(one, subjects, room, self.observer, directory))
            or comes_as_about_people(one, subjects, room, self.observer, directory)
            for subjects in one.subjects
        )

    def _has_effect_ever(self, one: Statement) -> bool:
        step = self.world.steps[one.step]
        return step.kind not in {"remember", "remember_many", "observe"} or self._has_effect(one)

    def _room(self, directory: Directory) -> Room | None:
        if self.observer.chat is None:
            return None
        chat = directory.chats.get(self.observer.chat)
        if chat is None:
            return Room(self.observer.chat, "unknown", frozenset())
        person = self.observer.actor.person
        return Room(self.observer.chat, chat.kind, chat.users or frozenset({person} if person else ()))


def _is_rival(one: Statement, other: Statement) -> bool:
    is_same = one.key == other.key if one.key else one.words == other.words
    return is_same and (one.space, one.users, one.agents) == (other.space, other.users, other.agents)


def _is_same_person(one: Standpoint | None, other: Standpoint | None) -> bool:
    return one is not None and other is not None and one.actor.person == other.actor.person


def _meet(one: Space, other: Space) -> bool:
    return one <= other or other <= one
