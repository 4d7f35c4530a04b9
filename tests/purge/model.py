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

from tests.purge.conversations import has_correction, has_forget_request
from tests.purge.directory import as_space, default_spaces
from tests.purge.disclosure import was_heard_in_the_window
from tests.purge.endings import BULK, is_rival, may_end
from tests.purge.model_changes import ChangesModel
from tests.purge.model_people import PeopleModel
from tests.purge.sight import ObserverSight
from tests.purge.statements import Statement, is_same_person
from tests.purge.steps import DIRECTORY, OWN_SPACES, RECORDS, History, Step
from tests.purge.verdicts import Verdict
from tests.purge.world import World

PERSON_CHANGES = ("relate", "unrelate", "alias", "drop", "merge", "update_person")
_RANK = [Verdict.HIDDEN, Verdict.UNSURE, Verdict.VISIBLE]


class Model:
    """What one observer may notice of a history."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.world = World(history)
        self.observer = history.observer
        self.sight = ObserverSight(history, self.world)
        self.people = PeopleModel(history, self.sight, self._judge)
        self.asked = {
            read["verb"]
            for step in history.steps
            if step.who == self.observer and step.kind == "look"
            for read in step.given["reads"]
        }
        self.changes = ChangesModel(history, self.sight, self.asked, self._judge)

    def verdicts(self) -> dict[int, Verdict]:
        verdicts = {step.number: self._judge(step) for step in self.history.steps}
        self.people.keep_numbers(verdicts)
        self._keep_what_is_needed(verdicts)
        return verdicts

    def reworded(self, verdicts: Mapping[int, Verdict]) -> set[int]:
        """Steps that stay, whose own words the observer may still not notice, nor anything made from them."""
        return {
            step.number
            for step in self.history.steps
            if step.kind in {"remember", "correct", "edit"}
            and verdicts[step.number] in {Verdict.VISIBLE, Verdict.UNSURE}
            and not any(self.sight.may_notice(one) for one in self._wordings_of(step.number))
            and not self.changes.decides_on_promotion(self._wordings_of(step.number))
            and not self._may_replace(step)
            and not self._is_compared(step.number)
            and not self._may_be_counted(step)
            and not any(has_correction(later) and later.number > step.number for later in self.history.steps)
        }

    def _wordings_of(self, number: int) -> list[Statement]:
        """What a step said, and everything of its lineage since."""
        return [one for one in self.world.related(number) if one.step >= number]

    def _may_be_counted(self, step: Step) -> bool:
        """Whether a recall in the observer's chat may count it among what matches and is not said there: everybody in
        the chat heard it."""
        return step.who is not None and step.who.chat == self.observer.chat is not None

    def _is_compared(self, number: int) -> bool:
        """Whether words may be compared later: an import names what is there already, an ending what says these words,
        in all of one's own spaces. What others import is judged as a rival."""
        later = [step for step in self.history.steps if step.number > number]
        own = [step for step in later if step.who == self.observer]
        reads = [read for step in own if step.kind == "look" for read in step.given["reads"]]
        return (
            any(step.kind == "import" for step in later)
            or any(step.kind == "import_plain" and is_same_person(step.who, self.observer) for step in later)
            or any("query" in step.given and is_same_person(step.who, self.observer) for step in later)
            or any("file" in read or "query" in read.get("selector", {}) for read in reads)
        )

    # One step

    def _judge(self, step: Step) -> Verdict:
        if step.kind in DIRECTORY:
            return Verdict.STRUCTURE
        if step.kind in {"upkeep", "move_store"}:
            return Verdict.HIDDEN
        if step.who == self.observer:
            return Verdict.OWN
        verdicts = (self._judge_others(step), self._judge_record(step), self._judge_own_spaces(step))
        return max(*verdicts, self._judge_own_endings(step), key=_RANK.index)

    def _judge_record(self, step: Step) -> Verdict:
        """The trail, the traces, the imports and the receipts of a user are the same in whatever room they ask. The
        documents do not say whether what an agent did for a user is in the user's."""
        assert step.who is not None
        is_exported = step.kind in {"import", "import_plain"} and self._exports()
        if not (self.asked & RECORDS or is_exported) or step.who.actor.person != self.observer.actor.person:
            return Verdict.HIDDEN
        return Verdict.VISIBLE if step.who.actor == self.observer.actor else Verdict.UNSURE

    def _exports(self) -> bool:
        """Whether the observer exports what they own, their imports among it."""
        return "export" in self.asked or any(
            step.kind == "export" and step.who == self.observer for step in self.history.steps
        )

    def _judge_own_spaces(self, step: Step) -> Verdict:
        """Endings in bulk and imports reach one's own spaces wherever one stands, without showing what these say."""
        if not self.asked & OWN_SPACES and not any(self._reaches_own_spaces(one) for one in self.history.steps):
            return Verdict.HIDDEN
        related = [one for one in self.world.related(step.number) if self.sight.has_effect_ever(one)]
        directories = [self.world.before[moment] for moment in self.sight.moments if moment > step.number]
        if not any(may_end(directory, self.observer, one) for one in related for directory in directories):
            return Verdict.HIDDEN
        own = ("user", self.observer.actor.user)
        return Verdict.VISIBLE if any(own in one.space for one in related) else Verdict.UNSURE

    def _judge_own_endings(self, step: Step) -> Verdict:
        """What the observer ended elsewhere is in their receipts and their trail, wherever they read these."""
        related = self.world.related(step.number)
        is_reached = self.asked & RECORDS and any(
            may_end(self.world.before[later.number], later.who, one)
            for later in self.history.steps
            if later.who is not None and later.kind in BULK and later.number > step.number
            if is_same_person(later.who, self.observer)
            for one in related
        )
        return Verdict.UNSURE if is_reached else Verdict.HIDDEN

    def _reaches_own_spaces(self, step: Step) -> bool:
        return step.who == self.observer and (step.kind in BULK or step.kind in {"import", "import_plain"})

    def _judge_others(self, step: Step) -> Verdict:
        assert step.who is not None
        if step.kind in {"look", "export"} or self.world.before[step.number].is_shut_out(step.who):
            return Verdict.HIDDEN
        if step.given.get("dry_run"):
            return Verdict.HIDDEN
        if step.kind in {"rename", "link"}:
            return Verdict.VISIBLE  # the persons of users are known to all
        judge = {
            "remember": self._judge_write,
            "remember_many": self._judge_write,
            "import_plain": self._judge_write,
            "observe": self._judge_write,
            "share": self.changes.judge_share,
            "pass_on": self.changes.judge_share,
            "revoke": self.changes.judge_revoke,
            "phase": self._judge_phase,
            "import": self._judge_import,
            "add_person": self.people.judge_add_person,
            **dict.fromkeys(BULK, self.changes.judge_ending),
            **dict.fromkeys(PERSON_CHANGES, self.people.judge_change),
        }.get(step.kind, self.changes.judge_change)
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
        if not any(self.sight.has_effect(one) for one in self.world.statements[step.number]):
            return Verdict.HIDDEN
        if not any(self.sight.may_notice(one) for one in self.world.statements[step.number]):
            is_open = self._may_replace(step) or self._numbers_an_own_write(step) or self._may_correct(step)
            is_counted = any(self.sight.may_be_counted(one) for one in self.world.statements[step.number])
            return Verdict.UNSURE if is_open or is_counted else Verdict.HIDDEN
        return Verdict.VISIBLE if step.kind != "observe" or self._shows_a_turn(step) else Verdict.UNSURE

    def _shows_a_turn(self, step: Step) -> bool:
        """Whether a turn is sure to be shown: in its space outside any chat, or in the window of its chat."""
        return any(self._is_turn_shown(one, moment) for one in self._turns(step) for moment in self.sight.moments)

    def _turns(self, step: Step) -> list[Statement]:
        return [one for one in self.world.statements[step.number] if one.is_turn and self.sight.has_effect(one)]

    def _is_turn_shown(self, one: Statement, moment: int) -> bool:
        directory = self.world.before[moment]
        if moment < one.step or not self.sight.is_in_sight(one.space, moment):
            return False
        room = self.sight.room(directory)
        return room is None or was_heard_in_the_window(one, room)

    def _may_replace(self, step: Step) -> bool:
        """Whether a write may meet one that the observer may notice: the same fact or the same words, in the same space
        and for the same readers. Then one of the two ends, or counts as said already.

        The documents have one place for this, the space, and do not say whether two statements of which only one may
        be heard somewhere are rivals. What the observer writes is another matter: its outcome must not tell what else
        is there."""
        return any(
            is_rival(one, other) and other.author != self.observer and self.sight.may_notice(other)
            for one in self.world.statements[step.number]
            for number, statements in self.world.statements.items()
            for other in statements
            if number != step.number
        )

    def _may_correct(self, step: Step) -> bool:
        """Whether a message may correct something that the observer may notice, or end it on request: in a space where
        its author writes."""
        if not has_correction(step) and not self._ends_on_request(step):
            return False
        assert step.who is not None
        directory, who = self.world.before[step.number], step.who
        return any(
            number <= step.number and directory.may_write(who, one.space) and self.sight.may_notice(one)
            for number, statements in self.world.statements.items()
            for one in statements
        )

    def _ends_on_request(self, step: Step) -> bool:
        return self.history.forget_requests == "act" and has_forget_request(step)

    def _numbers_an_own_write(self, step: Step) -> bool:
        """Whether the observer writes something later that may be numbered after this: by the same person, in the same
        space, and as little to be said in the observer's chat. The observer gets the number with the outcome."""
        return any(
            own.author == self.observer
            and own.step > one.step
            and is_same_person(own.author, one.author)
            and own.space == one.space
            and (own.level == one.level or step.kind == "observe" or self.world.steps[own.step].kind == "observe")
            for one in self.world.statements[step.number]
            for statements in self.world.statements.values()
            for own in statements
        )

    def _judge_phase(self, step: Step) -> Verdict:
        assert step.who is not None
        spaces = [as_space(step.given["space"])] if "space" in step.given else default_spaces(step.who)
        if not any(self.world.before[step.number].may_write(step.who, space) for space in spaces):
            return Verdict.HIDDEN
        noticed = {one.space for many in self.world.statements.values() for one in many if self.sight.may_notice(one)}
        if any(self.sight.may_see(space, step.number) for space in spaces) or noticed & set(spaces):
            return Verdict.UNSURE
        return Verdict.HIDDEN

    def _judge_import(self, step: Step) -> Verdict:
        """An import brings anything that was exported, to any place where the importer may write."""
        assert step.who is not None
        actor = self.observer.actor
        if step.who.actor.person == actor.person:
            return Verdict.UNSURE
        places = [frozenset({place}) for place in step.who.places]
        if any(self.sight.may_see(space, step.number) for space in (*places, *default_spaces(step.who))):
            return Verdict.UNSURE
        noticed = any(self.sight.may_notice(one) for many in self.world.statements.values() for one in many)
        return Verdict.UNSURE if noticed else Verdict.HIDDEN

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
            if verdicts[step.number] != Verdict.OWN:
                needed |= self.changes.needed_to_refuse(step)
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
                is_same_person(step.who, who)
                or any(directory.may_read(who, one.space) for one in self.world.related(step.number))
            )
        }
