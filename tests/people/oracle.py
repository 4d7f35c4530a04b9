"""Who may see a memory: the tables of seed 002 and of DESIGN section 5, written out a second time.

Nothing of Memfort is imported here. It is slow, obvious and right, and the engine is compared with it cell by cell.
"""

from __future__ import annotations

from dataclasses import dataclass

# -- the tables -------------------------------------------------------------------------------------------------------

# Where a memory was learned, seen from the chat it is asked in: may it be shown here at all?
PROVENANCE = {
    "here": True,
    "outside any chat": True,
    "in another private chat": False,
    "in another group": True,
    "in a chat of unknown kind": False,
    "unknown, and the policy is closed": False,
    "unknown, and the policy is open": True,
}

# The asker is alone, and the memory lies in a space that is shared with others.
ALONE = {
    "public": "always",
    "personal": "the asker is a subject or the owner",
    "sensitive": "the asker is a subject",
}

# A private chat.
PRIVATE = {
    "public": "there is a reason to disclose it",
    "personal": "a subject is present, or every partner is the owner",
    "sensitive": "a subject is present",
}

# A group. The seed states two rules that contradict each other; both are here under their names.
GROUP = {
    "strict": {"public": "always", "personal": "the asker is a subject", "sensitive": "never"},
    "participants": {"public": "always", "personal": "a subject is present", "sensitive": "a subject is present"},
}

# A chat of unknown kind.
UNKNOWN = {
    "public": "it was said here and lies here",
    "personal": "never",
    "sensitive": "never",
}

# A memory out of sight about a participant, by where it was learned ...
CROSSES = {
    "here": None,  # depends on the kind of this chat
    "outside any chat": False,
    "in another private chat": False,
    "in another group": True,
    "in a chat of unknown kind": False,
    "unknown, and the policy is closed": False,
    "unknown, and the policy is open": True,
}

# ... and by the chat it would be disclosed to. Outside any chat the asker is alone, as in a private chat with agents.
ABOUT_ME = {
    "one listener": {
        "public": "always",
        "personal": "always",  # the one who listens is a subject
        "sensitive": "every listener is the only subject or said it",
    },
    "two listeners": {
        "public": "always",
        "personal": "every listener is the only subject or the owner",
        "sensitive": "never",
    },
    "group, strict": {"public": "always", "personal": "the asker is the person asked about", "sensitive": "never"},
    "group, participants": {"public": "always", "personal": "always", "sensitive": "always"},
    "unknown": {"public": "never", "personal": "never", "sensitive": "never"},
}


# -- a case and its verdict -------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Case:
    """Everything that the verdict depends on, as plain values. Persons are written `@bob`."""

    room: str  # alone, private, group or unknown
    chat: str | None  # the one the asker stands in
    asker: str | None  # an agent that acts for no user is not a person
    present: frozenset[str]  # the persons present, the asker among them
    space_owner: str | None  # whose private space it lies in; `None` for a shared one
    space_chat: str | None  # the chat whose space it lies in
    sensitivity: str
    subjects: frozenset[str]
    stated_by: str | None
    learned_in: str | None  # a chat; "" outside any; `None` when unknown
    learned_kind: str | None  # private or group; `None` when unknown
    learned_participants: frozenset[str]
    rule: str  # strict or participants
    missing_provenance: str  # closed or open
    channel: str = "in sight"  # or "about me"
    asked_about: str | None = None  # on the channel: the asker in a recall, the person named in `about`
    portable: bool = True
    readers: frozenset[str] | None = None  # the persons on its own list of readers; `None`: it has none


def may_hear(case: Case) -> bool:
    """Whether the asker is shown the memory, in this chat."""
    if not _all_are_readers(case.room, case.present, case.readers):
        return False
    return _may_cross(case) if case.channel == "about me" else _may_surface(case)


@dataclass(frozen=True, kw_only=True)
class Acquaintance:
    """A person or relation known in a space that the asker sees, as plain values."""

    room: str
    chat: str | None
    present: frozenset[str]
    home: str  # listed, chat, or elsewhere: where it was made known
    home_chat: str | None = None
    readers: frozenset[str] | None = None


# Where a person is known, and whether the chat may know them if all participants are readers.
KNOWN = {
    "listed": {"alone": True, "private": True, "group": True, "unknown": True},
    "this chat": {"alone": False, "private": True, "group": True, "unknown": True},
    "elsewhere": {"alone": True, "private": False, "group": False, "unknown": False},
}


def may_know(case: Acquaintance) -> bool:
    """Whether the chat may know them: by list, by name, by id, as a relation, in an export."""
    place = "this chat" if case.home == "chat" and case.home_chat == case.chat else case.home
    return KNOWN[place][case.room] and _all_are_readers(case.room, case.present, case.readers)


def _all_are_readers(room: str, present: frozenset[str], readers: frozenset[str] | None) -> bool:
    """A reader list must admit all participants; where they are unknown, it admits none."""
    if readers is None:
        return True
    return room != "unknown" and all(person in readers for person in present)


def _may_surface(case: Case) -> bool:
    if case.room == "alone":
        if case.space_owner is not None and case.space_owner == case.asker:
            return True
        return _holds(case, ALONE[case.sensitivity])
    if not PROVENANCE[_learned(case)]:
        return False
    if case.room == "private":
        return bool(_partners(case)) and _holds(case, PRIVATE[case.sensitivity])
    if case.room == "group":
        return _holds(case, GROUP[case.rule][case.sensitivity])
    return _holds(case, UNKNOWN[case.sensitivity])


def _may_cross(case: Case) -> bool:
    if not case.portable:
        return False
    if case.asked_about not in case.subjects or case.asked_about not in case.present:
        return False
    crosses = CROSSES[_learned(case)]
    if crosses is None:
        crosses = case.learned_kind == "group"
    return crosses and _holds(case, ABOUT_ME[_company(case)][case.sensitivity])


# -- the words of the tables ------------------------------------------------------------------------------------------


def _company(case: Case) -> str:
    """Who would see a disclosed memory."""
    if case.room == "group":
        return f"group, {case.rule}"
    if case.room == "unknown":
        return "unknown"
    return "one listener" if len(case.present) == 1 else "two listeners"


def _learned(case: Case) -> str:
    if case.learned_in is None:
        return f"unknown, and the policy is {case.missing_provenance}"
    if case.learned_in == "":
        return "outside any chat"
    if case.learned_in == case.chat:
        return "here"
    if case.learned_kind == "private":
        return "in another private chat"
    if case.learned_kind == "group":
        return "in another group"
    return "in a chat of unknown kind"


def _partners(case: Case) -> frozenset[str]:
    """The partners of a private chat: all but the asker; the asker, if no one else is there."""
    others = frozenset(person for person in case.present if person != case.asker)
    if others:
        return others
    return frozenset() if case.asker is None else frozenset([case.asker])


def _owner(case: Case) -> str | None:
    """The owner of a memory: the user of its space if it has one, else the speaker."""
    return case.stated_by if case.space_owner is None else case.space_owner


def _holds(case: Case, words: str) -> bool:
    if words == "always":
        return True
    if words == "never":
        return False
    if words == "the asker is a subject":
        return case.asker in case.subjects
    if words == "the asker is a subject or the owner":
        return case.asker is not None and (case.asker in case.subjects or case.asker == _owner(case))
    if words == "a subject is present":
        return any(subject in case.present for subject in case.subjects)
    if words == "a subject is present, or every partner is the owner":
        if any(subject in case.present for subject in case.subjects):
            return True
        return all(partner == _owner(case) for partner in _partners(case))
    if words == "every listener is the only subject or said it":
        return all(case.subjects == {listener} or listener == case.stated_by for listener in case.present)
    if words == "every listener is the only subject or the owner":  # a shared space has no owner
        return all(case.subjects == {listener} or listener == case.space_owner for listener in case.present)
    if words == "there is a reason to disclose it":
        return any(reasons_to_disclose(case).values())
    if words == "it was said here and lies here":
        return case.learned_in == case.chat and case.space_chat == case.chat
    if words == "the asker is the person asked about":
        return case.asker == case.asked_about
    raise KeyError(words)


def reasons_to_disclose(case: Case) -> dict[str, bool]:
    """The seed's list for private chats, in its order."""
    partners = _partners(case)
    return {
        "it is about a participant": any(subject in case.present for subject in case.subjects),
        "a partner said it": case.stated_by is not None and case.stated_by in partners,
        "a partner was there when it was said": any(one in case.learned_participants for one in partners),
        "it was said here": case.learned_in == case.chat,
        "it is a memory of oneself": not case.subjects or case.subjects == frozenset([case.stated_by]),
        "its origin is unknown, and the policy is open": case.learned_in is None and case.missing_provenance == "open",
    }
