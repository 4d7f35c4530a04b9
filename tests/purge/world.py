"""What a history does, step by step, as far as the documents say it beforehand: the statements, and their lineage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from tests.purge.conversations import places, spoken
from tests.purge.directory import Directory, Space, as_space, default_spaces, directory_after
from tests.purge.statements import LEVEL, PERSONAL, PUBLIC, Origin, Share, Statement
from tests.purge.steps import NAMES, History, Ref, Standpoint, Step


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
            directory = directory_after(directory, step)
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
        if step.kind != "look":  # who asks for several memories does not link them
            for source in step.refs():
                self._join(step.number, source)
        if step.kind in {"remember", "remember_many", "import_plain"}:
            written = step.given.get("memories") or step.given.get("records") or [step.given]
            self.statements[step.number] = [one for given in written for one in self._stated(step, given)]
        elif step.kind == "observe":
            self.statements[step.number] = self._observed(step)
        elif step.kind in {"correct", "edit"}:
            self.statements[step.number] = [self._reworded(step, one) for one in self._old(step)]
        elif step.kind == "restore":
            self.statements[step.number] = [self._restored(step, one) for one in self._old(step)]
        elif step.kind in {"promote", "propose", "copy"}:
            self.statements[step.number] = [self._promoted(step, one) for one in self._old(step)]
        elif step.kind in {"share", "pass_on"}:
            reader = _reader(step.given)
            self.shares.append(Share(step.number, as_space(step.given["space"]), reader, self._revoked(step)))
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
        unnamed = [*default_spaces(who), *_of_the_group(who, given)]
        spaces = [as_space(given["space"])] if given.get("space") else unnamed
        sources = [one for ref in given.get("derived_from", ()) for one in self.statements.get(ref.step, ())[:1]]
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

    def _observed(self, step: Step) -> list[Statement]:
        """The turns and the statements that messages may lead to: one for each space, speaker and reading."""
        who = step.who
        assert who is not None
        turn_space, statement_spaces = places(who, step.given)
        found = []
        for one in spoken(step.given["messages"]):
            given = {"text": one.text} | ({} if one.subjects is None else {"subjects": list(one.subjects)})
            subjects = self._subjects(step, given)
            if one.is_correction:
                subjects = tuple(dict.fromkeys((*subjects, *self._talked_about(step))))
            found += [
                Statement(
                    step=step.number,
                    user=who.actor.user,
                    author=who,
                    space=space,
                    level=PERSONAL if one.is_about_health else PUBLIC,
                    subjects=subjects,
                    names=_names_somebody(given),
                    said_by=speaker,
                    origins=(self._origin(step, is_old=one.is_old),),
                    declassified=bool(step.given.get("space"))
                    and bool({level for level, _ in space} - {"user", "chat", "session"}),
                    portable=None,
                    users=None,
                    agents=None,
                    words=frozenset(one.text.split()),
                    key=None,
                    is_turn=one.is_turn,
                )
                for space in ((turn_space,) if one.is_turn else statement_spaces)
                for speaker in dict.fromkeys((who.actor.user, one.speaker or who.actor.user))
            ]
        return found

    def _talked_about(self, step: Step) -> list[frozenset[str]]:
        """Whom a correction may be about: those whom the same speaker, or the same messages, talked about before."""
        assert step.who is not None
        before = [
            reading
            for statements in self.statements.values()
            for one in statements
            if one.author.actor.person == step.who.actor.person or one.author.chat == step.who.chat
            for reading in one.subjects
        ]
        texts = [one.text for one in spoken(step.given["messages"])]
        return [*before, *(reading for text in texts for reading in self._subjects(step, {"text": text}))]

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
            old, step=step.number, author=step.who, space=as_space(step.given["to"]), declassified=True
        )

    def _origin(self, step: Step, is_old: bool = False) -> Origin:
        """Where a step is taken. The documents do not say whether those who took part when an old message was written
        count as present, so they do."""
        who = step.who
        assert who is not None
        if who.chat is None:
            return Origin(None, None, frozenset())
        chat = self.before[step.number].chats.get(who.chat)
        if chat is None:
            return Origin(who.chat, "unknown", frozenset())
        owners = {self.before[step.number].owners.get(agent) for agent in chat.agents}
        present = chat.users | {one for one in (*owners, who.actor.person) if one}
        if is_old:
            earlier = (self.before[number].chats.get(who.chat) for number in self.before if number <= step.number)
            present |= {user for one in earlier if one for user in one.users}
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


def _reader(given: Mapping[str, Any]) -> tuple[str, str]:
    """Whom a share is for: a user, an agent, or the members of a group."""
    if "group" in given:
        [(level, id)] = given["group"].items()
        return level, id
    return ("user", given["user"]) if "user" in given else ("agent", given["agent"])


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


def _of_the_group(who: Standpoint, given: Mapping[str, Any]) -> list[Space]:
    """The chat, if a statement in it has no person as its subject and is not called private: such a one is the
    chat's."""
    is_private = LEVEL[given.get("sensitivity", "public")] > PUBLIC
    is_about_a_thing = given["text"].startswith(("The ", "Our ")) and not given.get("subjects")
    return [frozenset({("chat", who.chat)})] if who.chat and is_about_a_thing and not is_private else []
