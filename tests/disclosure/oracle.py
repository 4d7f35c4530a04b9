"""Who may be shown a memory, written from the documents alone: read it next to the table in `rules.md`.

It judges descriptions. A `Memory` says what matters about one memory, an `Asker` who asks, a `Place` where they
stand, `Rules` which policy is in force. `in_sight` answers for memories of spaces that the asker stands in,
`about_people` for the memories of others that the about-people channel brings. Each answer cites the sentence that
decides it. Nothing here may import or read the code it judges.

Decided here
------------
Where the documents are silent, or two sentences disagree, the stricter reading holds:

 1. Several subjects: "about none of them alone" holds in every cell. None of them is "the subject" of what is
    personal, and for none of them is it a disclosure reason that a public memory is about them.
 2. An agent that nobody owns listens for nobody known, who has no reason to hear anything; in a private chat with one
    person it is that person's, as any agent that only sits there. One that asks there for nobody asks as its owner.
 3. An agent takes part in a chat when the person it acts for does. Acting for nobody, it has to be registered in the
    chat itself; that its owner takes part is not enough.
 4. The about-people channel gives an agent that acts for nobody nothing outside a chat, and its owner is not present
    where the owner does not take part.
 5. A list of users and a list of agents are two conditions. A list of users admits an agent that acts for one of them
    (it has that person's rights), and no agent that acts for nobody. A list of agents admits an agent that asks, if
    it is named and nobody else listens.
 6. Several origins (a correction elsewhere, a restoration, a derived memory, an import): each of them has to allow
    it. So they heard it only if they were in every chat where it was learned, and one origin outside a group closes
    the about-people channel. An import adds the place where it was imported to what an export says; a file that says
    nothing has the strictest origin, which is no provenance.
 7. Nobody else hears what is said outside any chat: nobody "was in the chat" then.
 8. A self-memory of the asker was said by the asker and is about the asker only; without subjects it has to be the
    asker's own as well. It is a reason for every listener: the asker chose to ask.
 9. Under `participants` every subject has to take part, and there has to be one.
10. A chat that is not registered: nobody knows who listens, so only public memories are shown that were learned there
    and nowhere else, while it was not registered or was a group. What a private chat taught is closed to it, and the
    about-people channel gives nothing there.
11. No provenance at all: closed in every chat, unless the policy opens it. Then it is a disclosure reason, and the
    table holds.
12. What was learned outside any chat has no originating chat: not portable, every chat is another. With two
    originating places it is said in neither; a chat that is registered as another kind is another place.
13. The about-people channel takes spaces of exactly one coordinate, a user or a chat, which the asker does not stand
    in; not a user's workspace or session. It takes memories with named subjects only, and each of the subjects has to
    be present, or named as far as public memories of the asker's groups go. Promoting changes nothing there: it has
    to have been learned in a group.
14. People who are only named: in a group, and nowhere else. Of people who are neither present nor named, a chat may
    be told what everybody in it heard, and need not be.
15. "Told alone" (preset `chat`) is what was said outside any chat, not what was said in a private chat. Whoever says
    something about themselves alone is its only subject.
16. Outside any chat the about-people channel brings what is about the asker alone, at any sensitivity.
17. The preset's "a public memory of one's own is always shown to its owner" goes past `portable=False`: "always". It
    does not go past a reader list, nor into a chat that is not registered or that the owner does not take part in.
18. A wider space is one without a user, a session, a chat or the private side of an agent. What is stated there was
    put there on purpose. A correction or a restoration names no space, so it is as closed as where it was made.
19. An agent always stands at itself: it sees its public side whomever it acts for. Its private side is a matter of
    ownership.
20. A superseded or forgotten wording may be seen in the history by those who would be shown it if it were in force; a
    forgotten one only by its owner. The history of somebody else's public space owes them the wording in force alone.
    The id of what was promoted stands in the copy (`promoted_from`), for everybody who may see the copy.
21. Who listens in a chat that is not registered is not known, so no reader list admits them all.
22. `list` and `export` never bring what only the about-people channel gives; `recall` and `context` owe it in a group
    and may bring it elsewhere; `get`, `history` and `explain` owe what any of these may bring, and `related` may
    answer for it. `export` and `explain` may answer for the asker's own memories where the asker does not stand, as
    far as the chat may hear them.
23. What was said in a private chat is said there only while it is private: "never surfaces in a group" holds for the
    same chat when it has become one.
24. Said before the chat was registered: nobody but the speaker is known to have been there. Where it was learned
    stays open to them: in a group when they ask, in a private chat while nobody else listens; then the table rules.
    What is public is heard by the members, for whom it is enough that they are members; the owner of an agent that
    sits there is none.
25. Unjudged, where somebody new listens in the chat where it was said: as personal, as everywhere else. A graver
    sensitivity never reveals more.
26. A listener may read a space anyway with every coordinate of it: their own user, a chat they take part in, a group
    they are a registered member of, an agent of theirs; the public side of any agent.
27. Somebody else's public space holds no reason beside the column "one person": the owner of the agent that asks is
    the one who listens.
28. What somebody else's public space holds may be withheld in a chat where not every listener has a reason of the
    column "one person": "read by the column 'one person' even outside chats". The cell of the chat may say it too.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

PUBLIC, PERSONAL, SENSITIVE = "public", "personal", "sensitive"
NOBODY_KNOWN = "(nobody known)"  # for whom an agent without an owner listens
MEMBERS = {("project", "apollo"): {"alice", "bob", "carol"}, ("workspace", "desk"): {"alice", "bob", "carol"}}


class Agent(Struct, frozen=True):
    id: str
    owner: str | None


class Chat(Struct, frozen=True):
    """A chat as it is registered at one moment."""

    id: str
    kind: Literal["private", "group", "unregistered"]
    persons: frozenset[str] = frozenset()
    agents: tuple[Agent, ...] = ()


class Asker(Struct, frozen=True):
    """A user; an agent acting for `user`; an agent acting for nobody, without `user`; or the system, with neither."""

    user: str | None = None
    agent: Agent | None = None

    @property
    def person(self) -> str | None:
        """For whom they listen."""
        if self.user is not None or self.agent is None:
            return self.user
        return self.agent.owner or NOBODY_KNOWN


class Place(Struct, frozen=True):
    """Where the asker stands: in which chat, if any, and at which other coordinates that they may take."""

    chat: Chat | None = None
    coordinates: frozenset[tuple[str, str]] = frozenset()


class Origin(Struct, frozen=True):
    """One place where it was learned: the chat, its kind then, and who listened then."""

    kind: Literal["outside", "private", "group", "unregistered", "unknown"] = "outside"
    chat: str | None = None
    present: frozenset[str] = frozenset()
    names_space: bool = True  # a correction or a restoration names none, nor does an import


class Memory(Struct, frozen=True):
    """What decides about one memory. `owner` is the user of its space, or the owner of the agent whose space it is."""

    space: frozenset[tuple[str, str]]
    owner: str | None
    author: str | None  # the person who wrote it
    stated_by: str | None
    subjects: frozenset[str] = frozenset()
    sensitivity: str = PUBLIC
    portable: bool = True
    reader_users: frozenset[str] | None = None  # `None`: no list
    reader_agents: frozenset[str] | None = None
    origins: tuple[Origin, ...] = (Origin(),)
    promoted: bool = False
    status: Literal["live", "superseded", "forgotten"] = "live"
    judged: bool = True  # whether anybody labelled it or the classifier settled it
    in_first_person: bool = False


class Rules(Struct, frozen=True):
    """The policy: the default, or preset `chat`."""

    group_column: Literal["strict", "participants"] = "strict"
    preset_chat: bool = False
    without_provenance: Literal["closed", "open"] = "closed"
    levels: frozenset[str] | None = None  # those it reads and writes; `None`: all


STRICT = Rules()
CHAT = Rules("participants", preset_chat=True, without_provenance="open", levels=frozenset({"chat", "user"}))


class Verdict(Struct, frozen=True):
    shown: bool
    because: str  # a sentence of `rules.md`
    owed: bool = True  # if shown: otherwise it may be said, and no sentence says which verb brings it

    def __bool__(self) -> bool:
        return self.shown


def yes(because: str) -> Verdict:
    return Verdict(True, because)


def no(because: str) -> Verdict:
    return Verdict(False, because)


# The two questions


def in_sight(memory: Memory, asker: Asker, place: Place, rules: Rules = STRICT) -> Verdict:
    """Whether a memory in force is shown because the asker stands in its space."""
    if not takes_part(asker, place.chat):
        return no("**Naming a chat one does not take part in** gives nothing: reads answer as an empty store")
    if not level_is_read(memory, rules):
        return no("a space whose narrowest level is not named is neither read nor written")
    if not stands_in(memory, asker, place):
        return no("A standpoint can read a space when *every* coordinate of the space is one of its own.")
    if not admitted(memory, asker, listeners(asker, place.chat)):
        return no("A reader list must admit every listener.")
    if place.chat is not None:
        return said_in(memory, asker, place.chat, rules)
    if published_by_somebody_else(memory, asker):
        return published(memory, asker, rules)
    return yes('"Outside any chat" means for everybody who may read the space: membership is the permission.')


def about_people(
    memory: Memory, asker: Asker, place: Place, rules: Rules = STRICT, named: frozenset[str] = frozenset()
) -> Verdict:
    """Whether the about-people channel brings a memory in force from another's space, if the asker names `named`."""
    if not takes_part(asker, place.chat):
        return no("**Naming a chat one does not take part in** gives nothing: reads answer as an empty store")
    if stands_in(memory, asker, place) or not level_is_read(memory, rules):
        return no("There are exactly two ways round the rule, each its own named channel")
    if not may_travel(memory, place.chat, rules):
        return no("only from user and chat spaces, only portable, only what was learned in a group")
    if told_about_oneself_alone(memory) and not (memory.subjects <= {asker.user} | named):
        return no("is found by others only when they ask for that person by name")
    if not admitted(memory, asker, listeners(asker, place.chat)):
        return no("A reader list must admit every listener.")
    if place.chat is None:
        if memory.subjects == {asker.user}:
            return yes("portable memories about a person who is present, from any owner, through the disclosure rules")
        return no("portable memories about a person who is present, from any owner, through the disclosure rules")
    if place.chat.kind == "unregistered":
        return no("this chat is not registered, so only what was learned in it is shown; register the chat")
    if everybody_heard_it(memory, asker, place.chat):
        is_owed = memory.subjects <= present(asker, place.chat)
        return Verdict(True, "*They heard it* (below) is asked first; the cells rule the rest.", is_owed)
    if memory.subjects <= present(asker, place.chat):
        return cell(memory, asker, place.chat, STRICT)  # "never loosened by `participants`"
    named_here = memory.subjects <= present(asker, place.chat) | named
    if named_here and place.chat.kind == "group" and told_by_name(memory, asker, rules):
        return yes("public memories learned in a group that the asker was in (preset `chat`: in any group)")
    return no("about people who are only named (`@dave`), public memories learned in a group that the asker was in")


def in_history(memory: Memory, asker: Asker, place: Place, rules: Rules = STRICT) -> Verdict:
    """Whether the history shows a wording that is no longer in force."""
    if memory.status == "forgotten" and asker.user != memory.owner:
        return no(
            "**Forgotten** is listed only for those who may end it (`list(deleted=True)`, `history`), until erased."
        )
    return in_sight(memory, asker, place, rules)


# What is said in a chat that one takes part in


def said_in(memory: Memory, asker: Asker, chat: Chat, rules: Rules) -> Verdict:
    """Whether a memory of a space that the asker stands in may be said in the chat."""
    if chat.kind == "unregistered":
        if memory.reader_users is not None or memory.reader_agents is not None:
            return no("A reader list must admit every listener.")
        if memory.sensitivity == PUBLIC and all(origin_is_of(origin, chat) for origin in memory.origins):
            return yes("this chat is not registered, so only what was learned in it is shown; register the chat")
        return no("this chat is not registered, so only what was learned in it is shown; register the chat")
    if own_public_memory(memory, asker, rules):
        return yes("(preset `chat`: a public memory of one's own is always shown to its owner")
    if not may_leave_its_chat(memory, chat):
        return no("it is said in no other chat, in that one like any other")
    if everybody_heard_it(memory, asker, chat):
        return yes("*They heard it* (below) is asked first; the cells rule the rest.")
    if not origin_allows(memory, asker, chat, rules):
        return no("What was learned in a private chat never surfaces in a group or in another private chat")
    said = cell(memory, asker, chat, rules)
    is_read_alone = one_person_column(memory, listeners(asker, chat)).shown
    is_owed = is_read_alone or not published_by_somebody_else(memory, asker)
    return Verdict(said.shown, said.because, is_owed)


def published(memory: Memory, asker: Asker, rules: Rules) -> Verdict:
    """Whether somebody else's public space gives it outside any chat: "by the column 'one person', origin included"."""
    if not origin_allows(memory, asker, None, rules):
        return no('read by the column "one person" even outside chats, origin included')
    return one_person_column(memory, listeners(asker, None))


def cell(memory: Memory, asker: Asker, chat: Chat, rules: Rules) -> Verdict:
    """The cell of the table."""
    if chat.kind == "group":
        return group_column(memory, asker, chat, rules)
    return (
        one_person_column(memory, listeners(asker, chat))
        if len(chat.persons) == 1
        else two_persons_column(memory, asker, chat, rules)
    )


def one_person_column(memory: Memory, heard_by: frozenset[str]) -> Verdict:
    if row(memory) == PUBLIC:
        return yes("| public | yes | yes |")
    if row(memory) == PERSONAL:
        heard = all(personal_reason(memory, listener) for listener in heard_by)
        return Verdict(heard, "the subject, the owner or who said it")
    heard = all(sensitive_reason(memory, listener) for listener in heard_by)
    return Verdict(heard, "the only subject, or who said it")


def two_persons_column(memory: Memory, asker: Asker, chat: Chat, rules: Rules) -> Verdict:
    if row(memory) == PUBLIC:
        heard = all(disclosure_reason(memory, asker, listener, chat, rules) for listener in listeners(asker, chat))
        return Verdict(heard, "with a disclosure reason for each listener")
    if row(memory) == PERSONAL:
        heard = all(subject_or_owner(memory, listener) for listener in listeners(asker, chat))
        return Verdict(heard, "every listener is the only subject or the owner")
    return no("| sensitive | yes | the only subject, or who said it | no | no |")


def group_column(memory: Memory, asker: Asker, chat: Chat, rules: Rules) -> Verdict:
    if row(memory) == PUBLIC:
        return yes("| public | yes | yes | with a disclosure reason for each listener | yes |")
    if rules.group_column == "participants":
        return Verdict(subjects_take_part(memory, chat), "shown if the subject takes part")
    if row(memory) == PERSONAL:
        return Verdict(asker_is_the_subject(memory, asker), "only if the asker is the only subject")
    return no("| sensitive | yes | the only subject, or who said it | no | no |")


# The single rules. Each answers one question with yes or no; the controls flip each of them in turn.


def takes_part(asker: Asker, chat: Chat | None) -> bool:
    """Whether the person whose rights the asker has takes part; for an agent that acts for nobody, the agent itself."""
    if chat is None:
        return True
    if chat.kind == "unregistered":
        return asker.user is not None
    return asker.user in chat.persons if asker.user is not None else asker.agent in chat.agents


def level_is_read(memory: Memory, rules: Rules) -> bool:
    """Whether the policy reads spaces of this kind at all."""
    return rules.levels is None or {level for level, _ in memory.space} <= rules.levels


def row(memory: Memory) -> str:
    """The row of the table. What is unjudged and was not heard by everybody is told as what is personal."""
    return memory.sensitivity if memory.judged else PERSONAL


def published_by_somebody_else(memory: Memory, asker: Asker) -> bool:
    """Whether it is in the public space of somebody else's agent. An agent asks as its owner if it acts for nobody."""
    return ("visibility", "public") in memory.space and memory.owner != asker.person


def stands_in(memory: Memory, asker: Asker, place: Place) -> bool:
    """Whether every coordinate of the memory's space is one of the asker's own."""
    return all(may_stand_at(coordinate, memory, asker, place) for coordinate in memory.space)


def may_stand_at(coordinate: tuple[str, str], memory: Memory, asker: Asker, place: Place) -> bool:
    """Whether the asker has this coordinate: it is their own, they stand there, or everybody has it."""
    level, id = coordinate
    if level == "user":
        return asker.user == id
    if level == "chat":
        return place.chat is not None and place.chat.id == id
    if level == "visibility":
        return id == "public" or owns_the_agent(memory, asker)
    if level == "system":
        return True
    is_the_agent = level == "agent" and asker.agent is not None and asker.agent.id == id
    return is_the_agent or coordinate in place.coordinates


def owns_the_agent(memory: Memory, asker: Asker) -> bool:
    """Whether the private side of the agent is open: to its owner, and to itself acting for its owner or for nobody."""
    is_itself = asker.agent is not None and ("agent", asker.agent.id) in memory.space
    return asker.user == memory.owner or (is_itself and asker.user is None)


def listeners(asker: Asker, chat: Chat | None) -> frozenset[str]:
    """The asker and every participant of the chat; an agent that only sits there for its owner."""
    heard = {asker.person} if asker.person is not None else set()
    if chat is not None:
        heard |= chat.persons | sitting(asker, chat)
    return frozenset(heard)


def sitting(asker: Asker, chat: Chat) -> frozenset[str]:
    """For whom the agents listen that only sit in a chat: in a private chat with one person for that person."""
    if chat.kind == "private" and len(chat.persons) == 1:
        return chat.persons
    return frozenset(agent.owner or NOBODY_KNOWN for agent in chat.agents if agent != asker.agent)


def present(asker: Asker, chat: Chat) -> frozenset[str]:
    """The persons who are present: those who take part, and the one who asks."""
    return chat.persons | ({asker.user} if asker.user is not None else set())


def admitted(memory: Memory, asker: Asker, heard: frozenset[str]) -> bool:
    """Whether the reader list admits every listener."""
    if memory.reader_users is not None and (asker.user is None or not heard <= memory.reader_users):
        return False
    named = asker.agent is not None and asker.agent.id in (memory.reader_agents or ())
    return memory.reader_agents is None or (named and heard == {asker.person})


def may_leave_its_chat(memory: Memory, chat: Chat) -> bool:
    """Whether it is portable, or was learned in no chat but this one."""
    is_one_place = len({origin.kind for origin in memory.origins}) == 1
    return memory.portable or (is_one_place and all(origin.chat == chat.id for origin in memory.origins))


def everybody_heard_it(memory: Memory, asker: Asker, chat: Chat) -> bool:
    """Whether everybody who listens now was there, wherever it was learned, and it may be said here again."""
    return all(heard_then(memory, origin, asker, chat) for origin in memory.origins)


def heard_then(memory: Memory, origin: Origin, asker: Asker, chat: Chat) -> bool:
    """Whether what was said there may be said in this chat again, because everybody who listens was there."""
    heard_by = listeners(asker, chat)
    if origin.kind == "private":
        return chat.kind == "private" and chat.id == origin.chat and heard_by <= origin.present
    if origin.kind == "unregistered":
        return chat.id == origin.chat and is_public(memory) and heard_by <= chat.persons
    if origin.kind == "group":
        return heard_by <= origin.present and (is_public(memory) or not memory.judged)
    return False


def is_public(memory: Memory) -> bool:
    return memory.judged and memory.sensitivity == PUBLIC


def own_public_memory(memory: Memory, asker: Asker, rules: Rules) -> bool:
    """Preset `chat`: whether it is a public memory of the asker's own."""
    return rules.preset_chat and is_public(memory) and memory.owner is not None and memory.owner == asker.user


def origin_allows(memory: Memory, asker: Asker, chat: Chat | None, rules: Rules) -> bool:
    """Whether nothing was learned in a private chat that is not this one, or where nobody knows; unless released."""
    closed = [origin for origin in memory.origins if not origin_is_open(memory, origin, asker, chat, rules)]
    return all(declassified(memory, origin) for origin in closed)


def origin_is_open(memory: Memory, origin: Origin, asker: Asker, chat: Chat | None, rules: Rules) -> bool:
    """Whether what was learned there may be said in this chat at all, or in `None` be read in another's space."""
    if origin.kind == "private":
        return chat is not None and heard_then(memory, origin, asker, chat)
    if origin.kind == "unregistered":
        return chat is not None and chat.id == origin.chat and late_is_open(memory, asker, chat)
    if origin.kind == "unknown":
        return rules.without_provenance == "open"
    return True


def origin_is_of(origin: Origin, chat: Chat) -> bool:
    """Whether it was learned in this chat, which is not registered now, when anybody or a whole group could listen."""
    return origin.chat == chat.id and origin.kind in ("unregistered", "group")


def late_is_open(memory: Memory, asker: Asker, chat: Chat) -> bool:
    """Whether what was said in this chat before it was registered may be said there, as far as the table allows."""
    if is_public(memory):
        return True
    needing = {asker.person} if chat.kind == "group" else listeners(asker, chat)
    return memory.stated_by is not None and needing == {memory.stated_by}


def declassified(memory: Memory, origin: Origin) -> bool:
    """Whether it was promoted, or put into a wider space on purpose there."""
    narrow = {"user", "session", "chat"} & {level for level, _ in memory.space}
    is_wider = not (narrow or ("visibility", "private") in memory.space)
    return memory.promoted or (is_wider and origin.names_space)


def people_it_is_about(memory: Memory) -> frozenset[str]:
    """Its subjects; without any, what is said in the first person and not public is about its speaker."""
    if memory.subjects or is_public(memory) or memory.stated_by is None or not memory.in_first_person:
        return memory.subjects
    return frozenset({memory.stated_by})


def is_the_only_subject(memory: Memory, person: str) -> bool:
    """A memory with several subjects is about none of them alone."""
    return people_it_is_about(memory) == {person}


def said_it(memory: Memory, person: str) -> bool:
    """Whether this person stated it; where a space has no owner, its author counts as who said it."""
    return memory.stated_by == person or (memory.owner is None and memory.author == person)


def is_the_owner(memory: Memory, person: str) -> bool:
    return memory.owner == person


def personal_reason(memory: Memory, listener: str) -> bool:
    """Private chat, one person: the subject, the owner or who said it."""
    return is_the_only_subject(memory, listener) or is_the_owner(memory, listener) or said_it(memory, listener)


def sensitive_reason(memory: Memory, listener: str) -> bool:
    """Private chat, one person: the only subject, or who said it."""
    return is_the_only_subject(memory, listener) or said_it(memory, listener)


def subject_or_owner(memory: Memory, listener: str) -> bool:
    """Private chat, two persons: the only subject or the owner."""
    return is_the_only_subject(memory, listener) or is_the_owner(memory, listener)


def disclosure_reason(memory: Memory, asker: Asker, listener: str, chat: Chat, rules: Rules) -> bool:
    """Private chat, two persons: the listener has one of the disclosure reasons."""
    return (
        is_the_only_subject(memory, listener)
        or said_it(memory, listener)
        or was_there(memory, listener)
        or self_memory(memory, asker)
        or is_the_owner(memory, listener)
        or may_read_it_anyway(memory, listener, chat)
        or opened_without_provenance(memory, rules)
    )


def may_read_it_anyway(memory: Memory, listener: str, chat: Chat) -> bool:
    """Whether the listener could read its space: membership is the permission."""
    return all(has_coordinate(coordinate, memory, listener, chat) for coordinate in memory.space)


def has_coordinate(coordinate: tuple[str, str], memory: Memory, listener: str, chat: Chat) -> bool:
    level, id = coordinate
    if level == "user":
        return listener == id
    if level == "chat":
        return chat.id == id and listener in chat.persons
    if level in ("agent", "visibility"):
        return ("visibility", "public") in memory.space or memory.owner == listener
    return level == "system" or listener in MEMBERS.get(coordinate, ())


def was_there(memory: Memory, listener: str) -> bool:
    """Whether the listener was in every chat where it was learned, when it was learned."""
    return all(listener in origin.present for origin in memory.origins)


def self_memory(memory: Memory, asker: Asker) -> bool:
    """Whether the asker said it about nobody but themselves."""
    about_nobody_else = memory.subjects == {asker.person} or (not memory.subjects and memory.owner == asker.person)
    return asker.person is not None and memory.stated_by == asker.person and about_nobody_else


def opened_without_provenance(memory: Memory, rules: Rules) -> bool:
    return rules.without_provenance == "open" and all(origin.kind == "unknown" for origin in memory.origins)


def asker_is_the_subject(memory: Memory, asker: Asker) -> bool:
    """Group: the asker is the only subject."""
    return asker.person is not None and is_the_only_subject(memory, asker.person)


def subjects_take_part(memory: Memory, chat: Chat) -> bool:
    """Group, under `participants`: those it is about take part."""
    return bool(people_it_is_about(memory)) and people_it_is_about(memory) <= chat.persons


def may_travel(memory: Memory, chat: Chat | None, rules: Rules) -> bool:
    """Whether the about-people channel takes it at all."""
    levels = [level for level, _ in memory.space]
    learned = ("group", "outside") if rules.preset_chat else ("group",)
    told = all(origin.kind in learned for origin in memory.origins)
    portable = memory.portable or all(chat is not None and origin.chat == chat.id for origin in memory.origins)
    return levels in (["user"], ["chat"]) and portable and bool(memory.subjects) and told


def told_about_oneself_alone(memory: Memory) -> bool:
    """Whether somebody said it about themselves outside any chat."""
    outside = any(origin.kind == "outside" for origin in memory.origins)
    return outside and memory.stated_by is not None and memory.subjects == {memory.stated_by}


def told_by_name(memory: Memory, asker: Asker, rules: Rules) -> bool:
    """Whether it is told of people who are only named: public, and learned in groups that the asker was in."""
    heard = all(
        origin.kind == "group" and (rules.preset_chat or asker.person in origin.present) for origin in memory.origins
    )
    return is_public(memory) and heard


RULES = (
    "takes_part",
    "level_is_read",
    "stands_in",
    "owns_the_agent",
    "admitted",
    "published_by_somebody_else",
    "may_leave_its_chat",
    "heard_then",
    "own_public_memory",
    "origin_is_open",
    "declassified",
    "is_the_only_subject",
    "said_it",
    "is_the_owner",
    "personal_reason",
    "sensitive_reason",
    "subject_or_owner",
    "disclosure_reason",
    "may_read_it_anyway",
    "was_there",
    "self_memory",
    "opened_without_provenance",
    "asker_is_the_subject",
    "subjects_take_part",
    "may_travel",
    "told_about_oneself_alone",
    "told_by_name",
)
