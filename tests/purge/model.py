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

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import msgspec
from tests.purge.steps import DIRECTORY, GROUPS, NAMES, History, Ref, Standpoint, Step

Space = frozenset[tuple[str, str]]

PUBLIC, PERSONAL, SENSITIVE = 0, 1, 2
LEVEL = {"public": PUBLIC, "personal": PERSONAL, "sensitive": SENSITIVE}
GROUP_LEVELS = frozenset(level for level, _ in GROUPS)


class Verdict(StrEnum):
    OWN = "own"
    STRUCTURE = "structure"
    VISIBLE = "visible"
    UNSURE = "unsure"
    HIDDEN = "hidden"


class Chat(msgspec.Struct, frozen=True):
    kind: str  # private or group
    users: frozenset[str]
    agents: frozenset[str]


class Directory(msgspec.Struct, frozen=True):
    """Who takes part where, at one moment."""

    chats: Mapping[str, Chat]
    members: Mapping[tuple[str, str], Mapping[str, str]]  # trust by user
    owners: Mapping[str, str]
    registered: bool  # whether only registered memberships count

    def takes_part(self, who: Standpoint, chat: str) -> bool:
        found = self.chats.get(chat)
        if found is None:
            return not self.registered
        actor = who.actor
        if actor.user is not None:
            return actor.user in found.users
        return actor.id in found.agents or self.owners.get(actor.id) in found.users

    def is_shut_out(self, who: Standpoint) -> bool:
        """Whoever names a chat without taking part reads nothing and writes nothing, wherever it is meant for."""
        return who.chat is not None and not self.takes_part(who, who.chat)

    def trust(self, who: Standpoint, group: tuple[str, str]) -> str | None:
        members = self.members.get(group, {})
        return members.get(who.actor.user or "")

    def may_stand(self, who: Standpoint, coordinate: tuple[str, str], space: Space) -> bool:
        """Whether a standpoint has this coordinate of a space."""
        level, id = coordinate
        actor = who.actor
        if level == "system":
            return True
        if level == "user":
            return actor.user == id
        if level == "agent":
            return self._may_stand_at_agent(who, id, space)
        if level == "visibility":
            return True  # decided with the agent
        if coordinate not in who.places:
            return False
        if level == "chat":
            return self.takes_part(who, id)
        return not self.registered or self.trust(who, coordinate) is not None

    def _may_stand_at_agent(self, who: Standpoint, agent: str, space: Space) -> bool:
        actor, owner = who.actor, self.owners.get(agent)
        if owner is not None and actor.user == owner:
            return True  # who may always read it
        is_there = ("agent", agent) in who.places or (actor.kind == "agent" and actor.id == agent)
        if ("visibility", "public") in space:
            return is_there
        return is_there and actor.kind == "agent" and actor.id == agent and actor.acting_for in {None, owner}

    def may_read(self, who: Standpoint, space: Space) -> bool:
        return bool(space) and all(self.may_stand(who, coordinate, space) for coordinate in space)

    def may_write(self, who: Standpoint, space: Space) -> bool:
        if self.is_shut_out(who) or not self.may_read(who, space) or ("system", "") in space:
            return False
        if not self.registered:
            return True
        return all(self.trust(who, one) != "viewer" for one in space if one[0] in GROUP_LEVELS)


class Origin(msgspec.Struct, frozen=True):
    """Where a statement was made: the chat, its kind then, and the users who may have been present."""

    chat: str | None
    kind: str | None  # None: outside any chat, "unknown": a chat that is not registered, or an import
    present: frozenset[str]


class Statement(msgspec.Struct, frozen=True):
    """What is known beforehand about the memory that a step makes."""

    step: int
    user: str | None  # whose rights the author had
    author: Standpoint
    space: Space
    level: int  # at least: words and judgement only raise it
    subjects: tuple[frozenset[str], ...]  # each reading of whom it is about
    names: bool  # whether a person who is no user is meant
    said_by: str | None
    origins: tuple[Origin, ...]
    declassified: bool
    portable: bool | None
    users: frozenset[str] | None  # the reader list
    agents: frozenset[str] | None
    words: frozenset[str]  # in whatever order: a new order of the same words is a new wording of the same
    key: str | None  # of a profile fact


class Room(msgspec.Struct, frozen=True):
    chat: str
    kind: str
    listeners: frozenset[str]


class Share(msgspec.Struct, frozen=True):
    step: int
    space: Space
    reader: tuple[str, str]
    ended: int | None


class World:
    """What a history does, step by step, as far as the documents say it beforehand."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.steps = {step.number: step for step in history.steps}
        self.before: dict[int, Directory] = {}  # the directory before each step
        self.statements: dict[int, list[Statement]] = {}
        self.lineage: dict[int, int] = {}  # a step that made or changed a memory, and the first step of its lineage
        self.shares: list[Share] = []
        self.self_names: list[tuple[int, str, str]] = []  # step, user, name
        self._identities = _identities(history)
        directory = Directory({}, {}, {}, history.memberships == "registered")
        for step in history.steps:
            self.before[step.number] = directory
            directory = _directory_after(directory, step)
            self._follow(step)

    def related(self, number: int) -> list[Statement]:
        """Every statement of the same lineage: corrected, restored, promoted, or made from one another."""
        root = self.lineage.get(number, number)
        return [
            one
            for step, statements in self.statements.items()
            if self.lineage.get(step, step) == root
            for one in statements
        ]

    def _follow(self, step: Step) -> None:
        if step.who is None:
            return
        for source in step.refs():
            self._join(step.number, source)
        if step.kind in {"remember", "remember_many", "observe"}:
            written = step.given.get("memories") or _spoken(step)
            self.statements[step.number] = [one for given in written for one in self._stated(step, given)]
        elif step.kind in {"correct", "edit"}:
            self.statements[step.number] = [self._reworded(step, one) for one in self._old(step)]
        elif step.kind == "restore":
            self.statements[step.number] = [self._restored(step, one) for one in self._old(step)]
        elif step.kind == "promote":
            self.statements[step.number] = [self._promoted(step, one) for one in self._old(step)]
        elif step.kind == "share":
            reader = ("user", step.given["user"]) if "user" in step.given else ("agent", step.given["agent"])
            self.shares.append(Share(step.number, _space(step.given["space"]), reader, self._revoked(step)))
        elif step.kind == "rename" and step.who.actor.user:
            self.self_names.append((step.number, step.who.actor.user, step.given["name"]))

    def _join(self, number: int, source: int) -> None:
        root, other = self.lineage.get(number, number), self.lineage.get(source, source)
        for step in {number, source, *(s for s, r in self.lineage.items() if r in {root, other})}:
            self.lineage[step] = min(root, other)

    def _revoked(self, share: Step) -> int | None:
        """The step that surely ends a share: by who shared it, from the same place."""
        for step in self.history.steps:
            if step.kind == "revoke" and step.given["share"] == Ref(share.number) and step.who == share.who:
                return step.number
        return None

    def _old(self, step: Step) -> list[Statement]:
        return self.statements.get(step.given["memory"].step, [])

    def _stated(self, step: Step, given: Mapping[str, Any]) -> list[Statement]:
        """The statements that a write may lead to: one for each space in which it may end up."""
        who = step.who
        assert who is not None
        spaces = [_space(given["space"])] if given.get("space") else _default_spaces(who)
        if step.kind == "observe" and who.chat:
            spaces.append(frozenset({("chat", who.chat)}))
        sources = [one for ref in given.get("derived_from", ()) for one in self.statements.get(ref.step, ())]
        access = given.get("access", {})
        wider = bool(given.get("space")) and bool({level for level, _ in spaces[0]} - {"user", "chat"})
        return [
            Statement(
                step=step.number,
                user=who.actor.user,
                author=who,
                space=space,
                level=max([LEVEL[given.get("sensitivity", "public")], *(one.level for one in sources)]),
                subjects=self._subjects(step, given),
                names=_names_somebody(given),
                said_by=who.actor.user,
                origins=tuple({self._origin(step), *(origin for one in sources for origin in one.origins)}),
                declassified=wider and not sources,
                portable=given.get("portable"),
                users=_list(access.get("users")),
                agents=_list(access.get("agents")),
                words=frozenset(given["text"].split()),
                key=given.get("key"),
            )
            for space in spaces
        ]

    def _reworded(self, step: Step, old: Statement) -> Statement:
        assert step.who is not None
        return msgspec.structs.replace(
            old,
            step=step.number,
            user=step.who.actor.user,
            author=step.who,
            level=LEVEL[step.given["sensitivity"]] if "sensitivity" in step.given else old.level,
            subjects=tuple({*old.subjects, *self._subjects(step, step.given)}),
            names=old.names or _names_somebody(step.given),
            said_by=step.who.actor.user,
            origins=tuple({self._origin(step), *old.origins}),
            declassified=old.declassified and self._origin(step).kind != "private",
            words=frozenset(step.given["text"].split()),
        )

    def _restored(self, step: Step, old: Statement) -> Statement:
        assert step.who is not None
        origins = tuple({self._origin(step), *old.origins})
        return msgspec.structs.replace(old, step=step.number, author=step.who, origins=origins)

    def _promoted(self, step: Step, old: Statement) -> Statement:
        assert step.who is not None
        return msgspec.structs.replace(
            old, step=step.number, author=step.who, space=_space(step.given["to"]), declassified=True
        )

    def _origin(self, step: Step) -> Origin:
        who = step.who
        assert who is not None
        if who.chat is None:
            return Origin(None, None, frozenset())
        chat = self.before[step.number].chats.get(who.chat)
        if chat is None:
            return Origin(who.chat, "unknown", frozenset())
        owners = {self.before[step.number].owners.get(agent) for agent in chat.agents}
        present = chat.users | {one for one in (*owners, who.actor.person) if one}
        return Origin(who.chat, chat.kind, frozenset(present))

    def _subjects(self, step: Step, given: Mapping[str, Any]) -> tuple[frozenset[str], ...]:
        """Each reading of whom a statement is about; people who are no users stand as themselves."""
        is_given = "subjects" in given
        readings = [frozenset[str]()]
        for one in given["subjects"] if is_given else _mentioned(given["text"]):
            meant = [frozenset({person}) for person in self._meant(step, one)]
            if not is_given and one in NAMES:
                meant.append(frozenset())  # a name that nobody knows yet may count as a mere word
            readings = [reading | people for reading in readings for people in meant]
        return tuple(dict.fromkeys(readings))

    def _meant(self, step: Step, reference: str) -> set[str]:
        assert step.who is not None
        speaker = step.who.actor.user
        if reference.startswith("@"):
            return {reference[1:]}
        if reference == "me":
            return {speaker or f"agent {step.who.actor.id}"}
        chat = self.before[step.number].chats.get(step.who.chat or "")
        near = (chat.users if chat else frozenset()) | {speaker}
        users = {user for at, user, name in self.self_names if at < step.number and name == reference and user in near}
        users |= self._identities.get((speaker, reference), set())
        return {f"person {reference}", *users}


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
            "rename": lambda _: Verdict.VISIBLE,  # the names of users are listed
            "relate": self._judge_relate,
            "alias": self._judge_person_change,
            "drop": self._judge_person_change,
            "merge": self._judge_person_change,
            "link": lambda _: Verdict.VISIBLE,  # of a user
        }.get(step.kind, self._judge_change)
        return judge(step)

    def _judge_write(self, step: Step) -> Verdict:
        if not any(self._has_effect(one) for one in self.world.statements[step.number]):
            return Verdict.HIDDEN
        if not any(self._may_notice(one) for one in self.world.statements[step.number]):
            is_open = self._may_replace(step) or self._numbers_an_own_write(step)
            return Verdict.UNSURE if is_open else Verdict.HIDDEN
        return Verdict.UNSURE if step.kind == "observe" else Verdict.VISIBLE

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

    def _numbers_an_own_write(self, step: Step) -> bool:
        """Whether the observer writes something later that may be numbered after this: by the same person, in the same
        space, and as little to be said in the observer's chat. The observer gets the number with the outcome."""
        return any(
            own.author == self.observer
            and own.step > one.step
            and _is_same_person(own.author, one.author)
            and (own.space, own.level) == (one.space, one.level)
            for one in self.world.statements[step.number]
            for statements in self.world.statements.values()
            for own in statements
        )

    def _judge_change(self, step: Step) -> Verdict:
        """A change of a memory shows where any statement of the same lineage shows."""
        assert step.who is not None
        directory = self.world.before[step.number]
        targets = self.world.statements.get(step.given["memory"].step, [])
        if not any(directory.may_write(step.who, one.space) for one in targets):
            return Verdict.HIDDEN
        if step.kind == "promote" and not directory.may_write(step.who, _space(step.given["to"])):
            return Verdict.HIDDEN
        related = self.world.related(step.number)
        return Verdict.VISIBLE if any(self._may_notice(one) for one in related) else Verdict.HIDDEN

    def _judge_share(self, step: Step) -> Verdict:
        assert step.who is not None
        space = _space(step.given["space"])
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
        spaces = [_space(step.given["space"])] if "space" in step.given else _default_spaces(step.who)
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
        if any(self._may_see(space, step.number) for space in (*places, *_default_spaces(step.who))):
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
        space = _space(step.given["space"])
        if not self.world.before[step.number].may_write(step.who, space):
            return Verdict.HIDDEN
        return Verdict.UNSURE if self._may_know(step.who, space, step.number) else Verdict.HIDDEN

    def _judge_relate(self, step: Step) -> Verdict:
        return self._judge_person_change(step)

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
        return Verdict.UNSURE if self._may_know(step.who, _space(home or {}), step.number) else Verdict.HIDDEN

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
            if step.kind == "import" and step.given["export"].step in self.world.steps:
                needed |= self._exported(self.world.steps[step.given["export"].step])
            for number in needed:
                if verdicts.get(number) == Verdict.HIDDEN:
                    verdicts[number] = Verdict.UNSURE

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
        if not _readers_admit(one, self.observer, room):
            return False
        return any(
            (self._is_in_sight(one.space, moment) and _may_hear(one, subjects, room, self.observer, directory))
            or _comes_as_about_people(one, subjects, room, self.observer, directory)
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


# The table of disclosure


def _may_hear(
    one: Statement, subjects: frozenset[str], room: Room | None, observer: Standpoint, directory: Directory
) -> bool:
    """Whether a memory in sight may be said in a room."""
    if room is None or room.kind == "unknown":
        return True
    if _is_kept_by_origin(one, room):
        return False
    if _was_heard_there(one, room):
        return True
    if not subjects and one.level > PUBLIC and one.said_by:
        subjects = frozenset({one.said_by})
    if room.kind == "group":
        return one.level == PUBLIC or (one.level == PERSONAL and subjects == {observer.actor.person})
    owner = _owner(one.space, directory)
    if len(room.listeners) == 1:
        return _may_hear_alone(one, subjects, next(iter(room.listeners)), owner)
    if one.level == PUBLIC:
        return all(_has_reason(one, subjects, listener, observer) for listener in room.listeners)
    return one.level == PERSONAL and all(subjects == {listener} or listener == owner for listener in room.listeners)


def _may_hear_alone(one: Statement, subjects: frozenset[str], person: str, owner: str | None) -> bool:
    if one.level == PUBLIC or person == one.said_by:
        return True
    if one.level == PERSONAL:
        return person in subjects or person == owner
    return subjects == {person}


def _has_reason(one: Statement, subjects: frozenset[str], listener: str, observer: Standpoint) -> bool:
    """A reason to say something public to one of two. Without subjects, the documents leave open whose it is."""
    if not subjects or listener in subjects or listener == one.said_by:
        return True
    if any(listener in origin.present for origin in one.origins):
        return True
    asker = observer.actor.person
    return subjects == {asker} and asker in {one.said_by, one.user}


def _is_kept_by_origin(one: Statement, room: Room) -> bool:
    """What was learned in a private chat stays there."""
    if one.declassified:
        return False
    private = [origin for origin in one.origins if origin.kind == "private"]
    return any(origin.chat != room.chat or room.kind != "private" for origin in private)


def _was_heard_there(one: Statement, room: Room) -> bool:
    """What was said in a private chat may be said there again to those who were present."""
    return room.kind == "private" and any(
        origin.chat == room.chat and room.listeners <= origin.present for origin in one.origins
    )


def _comes_as_about_people(
    one: Statement, subjects: frozenset[str], room: Room | None, observer: Standpoint, directory: Directory
) -> bool:
    """What others' spaces give: portable, learned in a group, kept by a user or a chat, about somebody present."""
    if one.portable is False or not subjects or not {level for level, _ in one.space} & {"user", "chat"}:
        return False
    if not one.declassified and any(origin.kind in {None, "private"} for origin in one.origins):
        return False
    asker = observer.actor.person
    was_there = any(asker in origin.present for origin in one.origins)
    is_named = one.level == PUBLIC and was_there
    if room is None:
        return is_named or _may_hear_of_oneself(one, subjects, asker)
    if room.kind == "unknown":
        return True
    return (is_named or bool(subjects & room.listeners)) and _may_hear(one, subjects, room, observer, directory)


def _may_hear_of_oneself(one: Statement, subjects: frozenset[str], asker: str | None) -> bool:
    if one.level == SENSITIVE:
        return subjects == {asker} or (asker in subjects and one.said_by == asker)
    return asker in subjects


def _readers_admit(one: Statement, observer: Standpoint, room: Room | None) -> bool:
    actor = observer.actor
    if one.users is not None:
        if actor.person not in one.users and one.user != actor.user:
            return False
        if room is not None and room.kind != "unknown" and not room.listeners <= one.users:
            return False
    return one.agents is None or actor.kind == "user" or actor.id in one.agents


def _owner(space: Space, directory: Directory) -> str | None:
    for level, id in space:
        if level == "user":
            return id
        if level == "agent":
            return directory.owners.get(id)
    return None


# Reading steps


def _directory_after(directory: Directory, step: Step) -> Directory:
    given = step.given
    if step.kind == "register_agent":
        return msgspec.structs.replace(directory, owners={**directory.owners, given["id"]: given["owner"]})
    if step.kind in {"open_chat", "join_chat", "leave_chat", "reopen_chat"}:
        chat = Chat(given["kind"], frozenset(given["participants"]), frozenset(given["agents"]))
        return msgspec.structs.replace(directory, chats={**directory.chats, given["id"]: chat})
    if step.kind in {"add_member", "remove_member"}:
        [group] = given["group"].items()
        members = {user: trust for user, trust in directory.members.get(group, {}).items() if user != given["user"]}
        if step.kind == "add_member":
            members[given["user"]] = given["trust"]
        return msgspec.structs.replace(directory, members={**directory.members, group: members})
    return directory


def _identities(history: History) -> dict[tuple[str | None, str], set[str]]:
    """The users that a speaker, at some time, says a name means: by a merge, a link or a relation of the speaker's."""
    found: dict[tuple[str | None, str], set[str]] = {}
    steps = {step.number: step for step in history.steps}
    for step in history.steps:
        if step.kind not in {"merge", "link"} or step.who is None:
            continue
        user = step.given.get("user") or step.given.get("keep")
        person = steps.get(step.given["person"].step)
        if isinstance(user, str) and person is not None:
            for name in NAMES:
                found.setdefault((step.who.actor.user, name), set()).add(user.removeprefix("@"))
    return found


def _spoken(step: Step) -> list[dict[str, Any]]:
    """A turn is kept with and without what it states, and the documents do not say whom a mere turn is about."""
    if step.kind != "observe":
        return [step.given]
    return [{"text": step.given["said"]}, {"text": step.given["said"], "subjects": []}]


def _default_spaces(who: Standpoint) -> list[Space]:
    if who.actor.user:
        return [frozenset({("user", who.actor.user)})]
    return [frozenset({("agent", who.actor.id), ("visibility", "private")})]


def _space(coordinates: Mapping[str, str]) -> Space:
    return frozenset(coordinates.items())


def _mentioned(text: str) -> list[str]:
    if text.startswith("I "):
        return ["me"]
    relative = re.match(r"My (\w+)", text)
    if relative:
        return [f"my {relative[1]}"]
    return [word for word in re.findall(r"@?\w+", text) if word.startswith("@") or word in NAMES]


def _names_somebody(given: Mapping[str, Any]) -> bool:
    said: Iterable[str] = given["subjects"] if "subjects" in given else _mentioned(given["text"])
    return any(one != "me" and not one.startswith("@") for one in said)


def _list(names: Iterable[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def _is_rival(one: Statement, other: Statement) -> bool:
    is_same = one.key == other.key if one.key else one.words == other.words
    return is_same and (one.space, one.users, one.agents) == (other.space, other.users, other.agents)


def _is_same_person(one: Standpoint | None, other: Standpoint | None) -> bool:
    return one is not None and other is not None and one.actor.person == other.actor.person


def _meet(one: Space, other: Space) -> bool:
    return one <= other or other <= one
