"""Who may notice what of changes, endings and shares: those who may see something that they reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any

from tests.purge.directory import GROUP_LEVELS, as_space
from tests.purge.endings import BULK, Endings
from tests.purge.sight import ObserverSight
from tests.purge.statements import Statement, is_same_person
from tests.purge.steps import History, Standpoint, Step
from tests.purge.verdicts import Verdict

PROMOTIONS = ("promote", "propose", "copy")


class ChangesModel:
    def __init__(
        self, history: History, sight: ObserverSight, asked: Set[str], judge: Callable[[Step], Verdict]
    ) -> None:
        self.history = history
        self.sight = sight
        self.world = sight.world
        self.endings = Endings(sight.world)
        self.asked = asked
        self._judge = judge

    def judge_change(self, step: Step) -> Verdict:
        """A change of a memory shows where any statement of the same lineage shows."""
        assert step.who is not None
        directory = self.world.before[step.number]
        targets = self.world.statements.get(step.given["memory"].step, [])
        if not any(
            directory.may_write(step.who, one.space)
            or is_same_person(step.who, one.author)
            or (step.kind == "copy" and self._holds_share(step.who, step.number))
            or (step.kind == "decide" and _decides_on(step.who, one))
            for one in targets
        ):
            return Verdict.HIDDEN
        if "to" in step.given and not directory.may_write(step.who, as_space(step.given["to"])):
            return Verdict.HIDDEN
        related = self.world.related(step.number)
        if any(self.sight.may_notice(one) for one in related) or self.decides_on_promotion(related):
            return Verdict.VISIBLE
        return Verdict.UNSURE if any(self.sight.may_be_counted(one) for one in related) else Verdict.HIDDEN

    def decides_on_promotion(self, related: list[Statement]) -> bool:
        """Whether a proposal to promote may wait in the observer's review list, wherever they stand: who said it, or
        whom it is about, decides what leaves a private chat."""
        proposals = {step.given["memory"].step for step in self.history.steps if step.kind in PROMOTIONS}
        is_shut_out = all(self.world.before[moment].is_shut_out(self.sight.observer) for moment in self.sight.moments)
        return not is_shut_out and any(
            one.step in proposals and _decides_on(self.sight.observer, one) for one in related
        )

    def _holds_share(self, who: Standpoint, moment: int) -> bool:
        readers = {("user", who.actor.person), ("user", who.actor.user), ("agent", who.actor.id)}
        return any(
            (share.reader in readers or share.reader[0] in GROUP_LEVELS) and share.step < moment
            for share in self.world.shares
        )

    def judge_ending(self, step: Step) -> Verdict:
        """An ending shows where something shows that it reaches. Nothing else of it shows, but to those who share the
        space of a scope: a marker stays there, and a person who was added or named may go."""
        reached = self.endings.reached(step)
        noticed = [one for one in reached if self.sight.may_notice(one)]
        if any(self._surely_ends(step, one) for one in noticed):
            return Verdict.VISIBLE
        if noticed or self.decides_on_promotion(reached) or self._marks_a_space(step) or self._removes_people(step):
            return Verdict.UNSURE
        is_open = self._may_refuse_later_words(step, reached) or any(map(self.sight.may_be_counted, reached))
        return Verdict.UNSURE if is_open else Verdict.HIDDEN

    def _surely_ends(self, step: Step, one: Statement) -> bool:
        assert step.who is not None
        return self.world.steps[one.step].kind == "remember" and self.world.before[step.number].may_write(
            step.who, one.space
        )

    def needed_to_refuse(self, step: Step) -> set[int]:
        """The writes without which an ending would leave nothing behind that refuses later words."""
        if step.kind not in BULK or step.who is None:
            return set()
        reached = self.endings.reached(step)
        return {one.step for one in reached} if self._may_refuse_later_words(step, reached) else set()

    def _may_refuse_later_words(self, step: Step, reached: list[Statement]) -> bool:
        """Whether words that the observer may notice are written into the same space later, by an agent or from what is
        older: what has ended there is not brought back by them."""
        spaces = {one.space for one in reached}
        return any(
            one.space in spaces and self.sight.may_notice(one)
            for number, statements in self.world.statements.items()
            if number > step.number
            for one in statements
            if one.author.actor.kind != "user" or self.world.steps[number].kind in {"import", "import_plain", "observe"}
        )

    def _marks_a_space(self, step: Step) -> bool:
        assert step.who is not None
        scope = as_space(step.given.get("scope", {}))
        spaces = {one.space for many in self.world.statements.values() for one in many if scope <= one.space} | {scope}
        directory = self.world.before[step.number]
        return bool(scope) and any(
            directory.may_write(step.who, space) and self.sight.may_see(space, step.number) for space in spaces
        )

    def _removes_people(self, step: Step) -> bool:
        """Whether an ending may take somebody out of the directory whom the observer may know."""
        if step.kind not in {"forget_person", "subject_erase"}:
            return False
        assert step.who is not None
        is_system = step.who.actor.kind == "system"
        before = [one for one in self.history.steps if one.number < step.number and one.who]
        added = [one for one in before if one.kind == "add_person" and (is_system or is_same_person(one.who, step.who))]
        person = f"@{step.who.actor.user}" if step.given["person"] == "me" else step.given["person"]
        named = any(one.kind in {"rename", "link", "merge"} for one in before)
        is_own = person == f"@{step.who.actor.user}"
        return any(self._judge(one) != Verdict.HIDDEN for one in added) or (named and (is_own or is_system))

    def judge_share(self, step: Step) -> Verdict:
        assert step.who is not None
        if is_same_person(step.who, self.sight.observer):
            return Verdict.UNSURE  # a later write of theirs says that its space is shared
        space = as_space(step.given["space"])
        may_share = self.world.before[step.number].may_write(step.who, space)
        if not may_share and not self._holds_share(step.who, step.number):
            return Verdict.HIDDEN
        is_listed = "shares" in self.asked and self.sight.may_see(space, step.number)
        return Verdict.VISIBLE if is_listed or self._is_observer(step.given) else Verdict.HIDDEN

    def judge_revoke(self, step: Step) -> Verdict:
        share = self.world.steps.get(step.given["share"].step)
        if share is None or self._judge(share) != Verdict.HIDDEN or self._is_observer(share.given):
            return Verdict.VISIBLE
        space = as_space(share.given["space"])
        passed_on = (
            one for one in self.history.steps if one.kind == "pass_on" and as_space(one.given["space"]) == space
        )
        return Verdict.UNSURE if any(self._judge(one) != Verdict.HIDDEN for one in passed_on) else Verdict.HIDDEN

    def _is_observer(self, reader: Mapping[str, Any]) -> bool:
        """Whether a share is for the observer, at one moment at least."""
        actor = self.sight.observer.actor
        if "group" in reader:
            [group] = reader["group"].items()
            members = {user for one in self.world.before.values() for user in one.members.get(group, {})}
            return actor.person in members or group in self.sight.observer.places
        return reader.get("user") in {actor.user, actor.person} or reader.get("agent") == actor.id


def _decides_on(who: Standpoint, one: Statement) -> bool:
    return who.actor.person == one.said_by or any(who.actor.person in reading for reading in one.subjects)
