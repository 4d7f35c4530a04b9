"""The cells of the matrix: memories that differ in every dimension that decides, and everybody who may ask, everywhere.

Everything here is a description, made from the documents alone: `play.py` plays it on a real memory, `oracle.py` says
who is shown what.

A story of two moments is told. At first the chats are those of `BEFORE`; then people join and leave, and two chats
become another kind: `NOW`. Memories are learned at either moment (`told_in` is a chat, or `chat/now`), and everybody
asks at the end.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from functools import cache, cached_property

from msgspec import Struct
from msgspec.structs import replace

from . import oracle
from .oracle import PERSONAL, PUBLIC, SENSITIVE, Agent, Asker, Chat, Memory, Origin, Place, Rules

UNJUDGED = "unjudged"  # written without a label, and in words that nothing settles

BUTLER, HELPER, STRAY = Agent("butler", "alice"), Agent("helper", "host"), Agent("stray", None)
MEMBERS = frozenset({"alice", "bob", "carol"})  # of the project
PROJECT, WORKSPACE, AT_BUTLER = ("project", "apollo"), ("workspace", "desk"), ("agent", "butler")
THIRD = "dave"  # takes part in no chat but `far`
EVERYBODY = ("alice", "bob", "carol", THIRD, "erin", "frank")


def private(id: str, *persons: str, agents: tuple[Agent, ...] = ()) -> Chat:
    return Chat(id, "private", frozenset(persons), agents)


def group(id: str, *persons: str, agents: tuple[Agent, ...] = ()) -> Chat:
    return Chat(id, "group", frozenset(persons), agents)


UNREGISTERED = Chat("unregistered", "unregistered")

BEFORE = {
    chat.id: chat
    for chat in (
        private("alone", "alice", agents=(BUTLER,)),
        private("alone_with_a_foreign_agent", "alice", agents=(HELPER,)),
        private("alone_with_a_stray_agent", "alice", agents=(STRAY,)),
        private("bob_alone", "bob"),
        private("pair", "alice", "bob"),
        private("other_pair", "alice", "carol"),
        private("pair_with_an_agent", "alice", "bob", agents=(BUTLER,)),
        private("pair_with_a_foreign_agent", "alice", "bob", agents=(HELPER,)),
        private("private_joined", "alice"),
        private("private_left", "alice", "bob"),
        private("partner_changed", "alice", "bob"),
        private("agent_joined", "alice", "bob"),
        group("single", "alice"),
        group("two", "alice", "bob"),
        group("three", "alice", "bob", "carol"),
        group("four", "alice", "bob", "carol", "erin"),
        group("five", "alice", "bob", "carol", "erin", "frank"),
        group("with_agents", "alice", "bob", agents=(BUTLER, HELPER)),
        group("group_joined", "alice", "bob"),
        group("group_left", "alice", "bob", "carol"),
        group("far", "bob", THIRD),
        private("opened", "alice", "bob"),
        group("closed", "alice", "bob", "carol"),
        Chat("registered_late", "unregistered"),
        UNREGISTERED,
    )
}

CHANGED = (
    private("private_joined", "alice", "bob"),
    private("private_left", "alice"),
    private("partner_changed", "alice", "carol"),
    private("agent_joined", "alice", "bob", agents=(HELPER,)),
    group("group_joined", "alice", "bob", "carol"),
    group("group_left", "alice", "carol"),
    group("opened", "alice", "bob", "carol"),
    private("closed", "alice", "bob"),
    group("registered_late", "alice", "bob"),
)

NOW = BEFORE | {chat.id: chat for chat in CHANGED}


# Memories


class Spec(Struct, frozen=True):
    """One memory of the matrix: a value for each dimension."""

    writer: str  # alice, bob, or alice's butler acting for nobody
    space: str
    told_in: str  # `outside`, a chat before, or `chat/now`
    subjects: str
    sensitivity: str
    portable: bool
    readers: str
    change: str  # what became of it, and where

    def __str__(self) -> str:
        kept = "portable" if self.portable else "not portable"
        return (
            f"{self.sensitivity} memory about {self.subjects} by {self.writer} in the space {self.space}, "
            f"told in {self.told_in}, {kept}, readers {self.readers}, {self.change}"
        )


class Version(Struct, frozen=True):
    """One wording that a spec leaves in the store."""

    memory: Memory
    step: str  # original, corrected, restored, derived or promoted
    same_words_as: str | None = None  # the step whose text it repeats
    listed_when_ended: bool = False


DIMENSIONS: dict[str, tuple[object, ...]] = {
    "writer": ("alice", "bob", "butler"),
    "space": ("own", "workspace", "chat", "project", "agent_private", "agent_public"),
    "told_in": ("outside", *BEFORE, *(f"{chat.id}/now" for chat in CHANGED)),
    "subjects": ("nobody", "writer", "partner", "third", "writer and partner", "partner and third"),
    "sensitivity": (PUBLIC, UNJUDGED, PERSONAL, SENSITIVE),
    "portable": (True, False),
    "readers": ("all", "writer", "alice and bob"),
    "change": (
        "unchanged",
        "corrected outside",
        "corrected in alone",
        "corrected in three",
        "corrected here",
        "restored outside",
        "restored in three",
        "derived outside",
        "derived in three",
        "promoted to the project",
        "promoted to three",
        "forgotten",
    ),
}


def person_of(writer: str) -> str:
    return "alice" if writer == "butler" else writer


def asker_of(writer: str) -> Asker:
    return Asker(agent=BUTLER) if writer == "butler" else Asker(writer)


def chat_told_in(spec: Spec) -> Chat | None:
    """The chat as it was when it was told."""
    if spec.told_in == "outside":
        return None
    id, _, later = spec.told_in.partition("/")
    return (NOW if later else BEFORE)[id]


def origin_in(chat: Chat | None) -> Origin:
    """What a memory keeps of the place where it was learned: the chat, its kind then, and who listened."""
    if chat is None:
        return Origin()
    listening = oracle.listeners(Asker(), chat)
    return Origin(chat.kind, chat.id, frozenset() if chat.kind == "unregistered" else listening)


def space_of(spec: Spec) -> dict[str, str]:
    chat = chat_told_in(spec)
    return {
        "own": {"user": spec.writer},
        "workspace": {"user": spec.writer, "workspace": "desk"},
        "chat": {"chat": chat.id if chat else ""},
        "project": {"project": "apollo"},
        "agent_private": {"agent": "butler", "visibility": "private"},
        "agent_public": {"agent": "butler", "visibility": "public"},
    }[spec.space]


def subjects_of(spec: Spec) -> frozenset[str]:
    writer = person_of(spec.writer)
    partner = "alice" if writer == "bob" else "bob"
    return {
        "nobody": frozenset(),
        "writer": frozenset({writer}),
        "partner": frozenset({partner}),
        "third": frozenset({THIRD}),
        "writer and partner": frozenset({writer, partner}),
        "partner and third": frozenset({partner, THIRD}),
    }[spec.subjects]


def readers_of(spec: Spec) -> frozenset[str] | None:
    """The users of its reader list. Lists that their writer cannot read back are in `test_read_back.py`."""
    return {"all": None, "writer": frozenset({spec.writer}), "alice and bob": frozenset({"alice", "bob"})}[spec.readers]


def original(spec: Spec) -> Memory:
    """The memory as it was first written."""
    owned = spec.space not in ("chat", "project")
    said_by = None if spec.writer == "butler" else spec.writer
    return Memory(
        space=frozenset(space_of(spec).items()),
        owner=person_of(spec.writer) if owned else None,
        author=said_by,
        stated_by=said_by,
        subjects=subjects_of(spec),
        sensitivity=spec.sensitivity if is_judged(spec) else PERSONAL,
        judged=is_judged(spec),
        portable=spec.portable,
        reader_users=readers_of(spec),
        origins=(origin_in(chat_told_in(spec)),),
    )


def is_judged(spec: Spec) -> bool:
    """Whether a person labelled it. The label of an agent is the least: what its words do not settle is unjudged."""
    return spec.sensitivity != UNJUDGED and (spec.writer, spec.sensitivity) != ("butler", PUBLIC)


def place_of_change(spec: Spec) -> Place:
    """Where the writer stands while changing it; the chats are those of now."""
    where = {"in alone": "alone", "in three": "three"}  # what was told in private can be promoted only from outside
    chat = next((NOW[id] for words, id in where.items() if spec.change.endswith(words)), None)
    if spec.change.endswith("here"):
        told_in = chat_told_in(spec)
        chat = NOW[told_in.id] if told_in else None
    return Place(chat, frozenset({PROJECT, WORKSPACE, *([AT_BUTLER] if spec.space.startswith("agent") else [])}))


def versions(spec: Spec) -> tuple[Version, ...]:
    """Every wording that the spec leaves, the oldest first."""
    first = original(spec)
    kind = spec.change.split()[0]
    added = (replace(origin_in(place_of_change(spec).chat), names_space=kind not in ("corrected", "restored")),)
    ended = replace(first, status="superseded")
    moved = replace(first, origins=first.origins + added)
    if kind == "unchanged":
        return (Version(first, "original"),)
    if kind == "forgotten":
        return (Version(replace(first, status="forgotten"), "original", listed_when_ended=True),)
    if kind == "corrected":
        return (Version(ended, "original"), Version(moved, "corrected"))
    if kind == "restored":
        return (
            Version(ended, "original"),
            Version(replace(ended, origins=(*first.origins, Origin())), "corrected"),
            Version(moved, "restored", same_words_as="original"),
        )
    if kind == "derived":
        return (Version(first, "original"), Version(moved, "derived"))
    target = {"project": "apollo"} if spec.change.endswith("project") else {"chat": "three"}
    copy = replace(first, space=frozenset(target.items()), owner=None, promoted=True)
    gone = replace(first, status="forgotten")
    return (Version(gone, "original"), Version(copy, "promoted", same_words_as="original"))


def is_possible(spec: Spec, rules: Rules = oracle.STRICT, registered: bool = False) -> bool:
    """Whether the story can be told: the writer takes part, may write there, and can see what they change."""
    chat = chat_told_in(spec)
    asker = asker_of(spec.writer)
    if not oracle.takes_part(asker, chat) or (registered and chat is not None and chat.kind == "unregistered"):
        return False
    if spec.writer != "alice" and (spec.writer == "butler") != spec.space.startswith("agent"):
        return False
    if spec.writer == "butler" and (spec.change != "unchanged" or spec.readers != "all"):
        return False
    if spec.space == "chat" and (chat is None or not spec.change.endswith(("unchanged", "here", "forgotten"))):
        return False
    return _fits_the_policy(spec, rules) and _can_be_read_back(spec, rules) and _can_be_changed(spec, rules)


def _fits_the_policy(spec: Spec, rules: Rules) -> bool:
    if spec.sensitivity == UNJUDGED and (rules.preset_chat or spec.change.startswith("derived")):
        return False  # preset `chat` takes it for public; what is derived has a label
    if not oracle.level_is_read(original(spec), rules):
        return False
    return not (spec.change.startswith("promoted") and rules.preset_chat)


def _can_be_read_back(spec: Spec, rules: Rules) -> bool:
    """Whether the writer can read it back. Writes that are refused because of it are in `test_read_back.py`."""
    chat = chat_told_in(spec) if spec.space == "chat" else None
    place = Place(chat, frozenset({PROJECT, WORKSPACE, AT_BUTLER}))
    return bool(oracle.in_sight(original(spec), asker_of(spec.writer), place, rules))


def _can_be_changed(spec: Spec, rules: Rules) -> bool:
    kind, asker, place = spec.change.split()[0], asker_of(spec.writer), place_of_change(spec)
    if kind == "unchanged":
        return True
    if kind == "promoted":
        target = NOW["three"] if spec.change.endswith("three") else None
        copy = oracle.in_sight(versions(spec)[-1].memory, asker, Place(target, place.coordinates), rules)
        return spec.space == "own" and spec.readers == "all" and copy.shown
    if spec.change.endswith("here") and spec.space != "chat" and place.chat is None:
        return False
    if kind == "forgotten":
        return spec.space in ("own", "workspace")
    # The writer has to see the old wording in order to change it, and the new one to have been able to say it.
    return all(bool(oracle.in_sight(one.memory, asker, place, rules)) for one in versions(spec))


# Which memories are played


def all_specs(rules: Rules, registered: bool = False) -> Iterator[Spec]:
    """Every memory that stays as it is; and every change of memories that are portable and have no reader list."""
    for values in itertools.product(*DIMENSIONS.values()):
        spec = Spec(*values)
        plain = spec.portable and spec.readers == "all"
        if (spec.change == "unchanged" or plain) and is_possible(spec, rules, registered):
            yield spec


@cache
def chosen_specs(rules: Rules, registered: bool = False, seed: int = 0) -> tuple[Spec, ...]:
    """Few memories that cover every pair of values of two dimensions that can go together: others for each seed."""
    choose = random.Random(seed)
    open_pairs = dict.fromkeys(_pairs())
    chosen: list[Spec] = []
    while open_pairs:
        pair = next(iter(open_pairs))
        tries = [_completed(pair, choose) for _ in range(TRIES)]
        possible = [spec for spec in dict.fromkeys(tries) if is_possible(spec, rules, registered)]
        if not possible:
            del open_pairs[pair]  # the two values do not go together
            continue
        best = max(possible, key=lambda spec: sum(each in open_pairs for each in _pairs_in(spec)))
        chosen.append(best)
        for covered in _pairs_in(best):
            open_pairs.pop(covered, None)
    return tuple(chosen)


TRIES = 80

Pair = tuple[tuple[str, object], tuple[str, object]]


def _pairs() -> Iterator[Pair]:
    for one, other in itertools.combinations(DIMENSIONS, 2):
        for values in itertools.product(DIMENSIONS[one], DIMENSIONS[other]):
            yield (one, values[0]), (other, values[1])


def _pairs_in(spec: Spec) -> Iterator[Pair]:
    values = [(name, getattr(spec, name)) for name in DIMENSIONS]
    return itertools.combinations(values, 2)


def _completed(pair: Pair, choose: random.Random) -> Spec:
    values = {name: choose.choice(options) for name, options in DIMENSIONS.items()} | dict(pair)
    return Spec(**values)


# Two memories of alice's that no spec describes: imported without provenance, and in a language that nobody can judge.
_ALICES = Memory(frozenset({("user", "alice")}), owner="alice", author="alice", stated_by=None)
WITHOUT_PROVENANCE = replace(_ALICES, origins=(Origin("unknown"),))
NOT_UNDERSTOOD = replace(_ALICES, stated_by="alice", subjects=frozenset({"alice"}), sensitivity=PERSONAL, judged=False)


def single_entry(memory: Memory, told_in: str) -> Entry:
    """A memory of alice's that no spec describes, as an entry of the matrix."""
    spec = Spec("alice", "own", told_in, "as described", memory.sensitivity, memory.portable, "all", "unchanged")
    return Entry(spec, Version(memory, "original"), number=-1)


# Who asks, and where


class Standpoint(Struct, frozen=True):
    asker: Asker
    place: Place
    claimed: frozenset[tuple[str, str]] = frozenset()  # places that are named in the call and not granted

    def __str__(self) -> str:
        who = self.asker.user or "nobody"
        if self.asker.agent is not None:
            who = f"{self.asker.agent.id} for {who}"
        elif self.asker.user is None:
            who = "the system"
        where = f"in {self.place.chat.id}" if self.place.chat else "outside any chat"
        return " at ".join(
            [f"{who} {where}", *(f"{level}={id}" for level, id in sorted(self.place.coordinates | self.claimed))]
        )


def standpoints(registered: bool = False) -> list[Standpoint]:
    """Everybody who asks, everywhere."""
    found = [*_outside(), *_in_chats(), *_with_agents(), *_with_more_coordinates()]
    if registered:
        found = [one for one in found if one.place.chat is None or one.place.chat.kind != "unregistered"]
    return list(dict.fromkeys(found))


def _outside() -> Iterator[Standpoint]:
    for user in ("alice", "bob", "carol", THIRD):
        yield Standpoint(Asker(user), Place())
    for asker in (Asker("alice", BUTLER), Asker("alice", HELPER), Asker("bob", BUTLER), Asker("bob", HELPER)):
        yield Standpoint(asker, Place())
    yield Standpoint(Asker(agent=BUTLER), Place())
    yield Standpoint(Asker(agent=HELPER), Place())
    yield Standpoint(Asker(), Place())


def _in_chats() -> Iterator[Standpoint]:
    for chat in NOW.values():
        for user in sorted(chat.persons & {"alice", "bob", "carol", "erin", THIRD}):
            yield Standpoint(Asker(user), Place(chat))
    for id in ("alone", "pair", "three", "group_left"):  # people who do not take part, one of whom has left
        for user in {"bob", "carol", THIRD} - NOW[id].persons:
            yield Standpoint(Asker(user), Place(NOW[id]))
    for user in ("alice", "bob"):
        yield Standpoint(Asker(user), Place(UNREGISTERED))


def _with_agents() -> Iterator[Standpoint]:
    for id in ("alone", "alone_with_a_foreign_agent", "pair", "pair_with_a_foreign_agent", "three", "with_agents"):
        yield Standpoint(Asker("alice", HELPER), Place(NOW[id]))
    for id in ("alone", "pair_with_an_agent", "with_agents", "three"):  # in the last it is not registered
        yield Standpoint(Asker(agent=BUTLER), Place(NOW[id]))
        yield Standpoint(Asker("bob", BUTLER), Place(NOW[id]))
    yield Standpoint(Asker(agent=HELPER), Place(NOW["with_agents"]))
    yield Standpoint(Asker(agent=HELPER), Place(NOW["pair_with_a_foreign_agent"]))
    yield Standpoint(Asker(THIRD, HELPER), Place(NOW["with_agents"]))


def _with_more_coordinates() -> Iterator[Standpoint]:
    chats = (None, *(NOW[id] for id in ("alone", "bob_alone", "pair", "other_pair", "three", "with_agents")))
    for chat, user in itertools.product(chats, ("alice", "bob", "carol")):
        if oracle.takes_part(Asker(user), chat):
            yield Standpoint(Asker(user), Place(chat, frozenset({PROJECT, WORKSPACE, AT_BUTLER})))


# What each read verb owes


class Entry(Struct, frozen=True):
    """One wording in a store: what it is, and its place among the wordings of its spec."""

    spec: Spec
    version: Version
    number: int  # of the spec

    @property
    def memory(self) -> Memory:
        return self.version.memory

    @property
    def is_live(self) -> bool:
        return self.memory.status == "live"

    def __str__(self) -> str:
        return f"{self.version.step} wording of the {self.spec}"


class Due(Struct, frozen=True):
    """What a verb owes for one memory: it must be shown, it may be, or it must not be; and why."""

    required: bool
    allowed: bool
    because: str


# Which verbs have any business with which channel, and by which sentence. What a verb does not owe it may still show,
# if the oracle says that the asker may be shown it; `list` and `export` may not even do that.
VERBS = {
    "recall": (
        "in sight; in a group also about people",
        "In a group, recall also brings what is known about people who are present",
    ),
    "recall by name": (
        "in sight; in a group also about people",
        "about people who are only named (`@dave`), public memories",
    ),
    "context": (
        "in sight; in a group also about people",
        "In a group, recall also brings what is known about people who are present",
    ),
    "about": (
        "both, for each person asked about",
        "of people who are present also memories of others that may be disclosed",
    ),
    "related": ("in sight", "They are linked by the people they are about; the nearest comes first."),
    "list": ("in sight alone", "There are exactly two ways round the rule, each its own named channel"),
    "list of all": ("in sight alone, with ended ones", "**Forgotten** is listed only for those who may end it"),
    "get": ("both", "what one read verb gives a standpoint, every other gives too"),
    "history": ("both, with earlier wordings", "recall and context no longer bring it, `history` and `as_of` do."),
    "explain": ("both", "what one read verb gives a standpoint, every other gives too"),
    "export": ("the asker's own alone", "Export everything you own as JSON lines."),
}


class View:
    """What the oracle says about one memory for one standpoint."""

    def __init__(self, entry: Entry, standpoint: Standpoint, rules: Rules) -> None:
        self.entry, self.standpoint = entry, standpoint
        self._question = (entry.memory, standpoint.asker, standpoint.place, rules)
        self._people: dict[frozenset[str], oracle.Verdict] = {}

    @cached_property
    def sight(self) -> oracle.Verdict:
        return oracle.in_sight(*self._question)

    @cached_property
    def history(self) -> oracle.Verdict:
        return oracle.in_history(*self._question)

    def people(self, named: frozenset[str]) -> oracle.Verdict:
        if named not in self._people:
            self._people[named] = oracle.about_people(*self._question, named)
        return self._people[named]

    @cached_property
    def with_own_places(self) -> oracle.Verdict:
        """The same, if the asker stood in all of their own workspaces and at their own agents."""
        memory, asker, place, rules = self._question
        return oracle.in_sight(
            memory, asker, replace(place, coordinates=place.coordinates | {WORKSPACE, AT_BUTLER}), rules
        )

    @property
    def standing(self) -> tuple[Memory, Asker, Place]:
        return self._question[:3]

    @property
    def is_own(self) -> bool:
        return self.entry.memory.owner is not None and self.entry.memory.owner == self.standpoint.asker.user

    @property
    def is_in_a_group(self) -> bool:
        return self.standpoint.place.chat is not None and self.standpoint.place.chat.kind == "group"


def due(verb: str, view: View, person: str | None = None) -> Due:
    """What `verb` owes for one memory. `person` is whom `about` and `recall by name` name."""
    if not view.entry.is_live:
        return _due_when_ended(verb, view)
    sight, people = view.sight, view.people(_named(verb, person))
    owed_here = sight.shown and sight.owed
    if verb in ("list", "list of all"):
        return Due(owed_here and (view.is_own or verb == "list"), sight.shown, sight.because)
    if verb == "export":
        own = view.with_own_places
        in_own_space = ("user", view.standpoint.asker.user) in view.entry.memory.space
        return Due(owed_here and in_own_space, sight.shown or (own.shown and view.is_own), own.because)
    allowed = sight.shown or people.shown
    because = people.because if people.shown or not (sight.shown or oracle.stands_in(*view.standing)) else sight.because
    if verb in ("recall", "context", "recall by name"):
        return Due(owed_here or (people.shown and people.owed and view.is_in_a_group), allowed, because)
    if verb == "about":
        is_owed = owed_here or (people.shown and people.owed)
        return Due(allowed and is_owed and person in view.entry.memory.subjects, allowed, because)
    if verb == "related":
        told_alone = oracle.told_about_oneself_alone(view.entry.memory) and not view.people(frozenset()).shown
        return Due(owed_here, sight.shown or (people.shown and not told_alone), because)
    if verb == "explain" and view.is_own and view.with_own_places:
        return Due(owed_here or (people.shown and people.owed), True, because)
    owed = owed_here or (people.shown and people.owed)
    return Due(owed, allowed, because)  # "what one read verb gives a standpoint, every other gives too"


def _named(verb: str, person: str | None) -> frozenset[str]:
    """Whom the asker names; an id may have been found by naming anybody."""
    if verb in ("get", "history", "explain", "related"):
        return frozenset(EVERYBODY)
    return frozenset({person}) if person else frozenset()


def _due_when_ended(verb: str, view: View) -> Due:
    history = view.history
    if verb in ("history", "list of all"):
        published = oracle.published_by_somebody_else(view.entry.memory, view.standpoint.asker)
        replaced = view.entry.memory.status == "superseded" and verb == "history" and not published
        listed = view.entry.version.listed_when_ended and view.standpoint.place.chat is None
        required = history.shown and history.owed and (replaced or listed)
        return Due(required, history.shown, history.because)
    if verb in ("export", "explain") and view.is_own:
        return Due(False, view.with_own_places.shown, view.with_own_places.because)
    if verb in ("get", "explain", "export", "related"):
        return Due(False, history.shown, history.because)
    return Due(False, False, "it is live (approved, not deleted, not superseded, not expired *now*, in phase)")


def entries_of(specs: Sequence[Spec]) -> list[Entry]:
    return [Entry(spec, version, number) for number, spec in enumerate(specs) for version in versions(spec)]
