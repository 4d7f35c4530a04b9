"""Who hears what: who listens, the reasons, the table, and the two ways in which a memory comes to
somebody: out of a space in sight, and about people out of the spaces of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tests.proofs.logic import (
    NOBODY,
    Set,
    Steps,
    Truth,
    both,
    either,
    every,
    first_of,
    has,
    image,
    implies,
    is_,
    is_empty,
    is_given,
    is_only,
    meets,
    no,
    only_if,
    picked,
    several,
    some,
    under,
    union,
    within,
)
from tests.proofs.sight import asker_of
from tests.proofs.things import Chat, Memory, Policy, Room, Standpoint

# -- who listens ------------------------------------------------------------------------------------------------------


def room_of(at: Standpoint, chat: Chat, owner: Callable[[Any], Set], closed: Truth) -> Room:
    """`owner`: whom an agent listens for that acts for nobody. `closed`: the asker does not take part in the chat."""
    inside = is_given(at.levels["chat"])
    known = both(inside, is_(chat.kind, "private", "group"))
    asker = asker_of(at, owner)
    persons = union(asker, only_if(known, chat.users))
    sitting = picked(only_if(known, chat.agents), lambda agent: no(has(at.agent, agent)))
    is_theirs = both(is_(chat.kind, "private"), no(several(persons)))  # the agents there are that person's
    kind = first_of(
        closed=closed,
        alone=no(inside),
        private=is_(chat.kind, "private"),
        group=is_(chat.kind, "group"),
        unregistered=is_(chat.kind, "unregistered"),
    )
    return Room(
        kind=kind,
        chat=at.levels["chat"],
        asker=asker,
        user=at.user,
        persons=persons,
        listeners=union(persons, only_if(no(is_theirs), image(sitting, owner))),
        agents=union(at.agent, sitting),
        all_by_agents=both(is_given(at.agent), within(only_if(known, chat.users), at.user)),
    )


def in_same_chat(memory: Memory, room: Room) -> Truth:
    return meets(memory.origin_chat, room.chat)


def all_were_there(memory: Memory, room: Room) -> Truth:
    return within(room.listeners, memory.heard_by)


def admits(memory: Memory, room: Room) -> Truth:
    """A reader list must admit every listener. Who else listens is not known in a chat that is not registered. A list
    of users admits an agent that acts for one of them, and none that acts for nobody."""
    known = no(is_(room.kind, "unregistered"))
    users = implies(memory.for_users, both(known, is_given(room.user), within(room.listeners, memory.users)))
    return both(users, implies(memory.for_agents, both(known, room.all_by_agents, within(room.agents, memory.agents))))


# -- what it is about, and the reasons --------------------------------------------------------------------------------


def subjects_of(memory: Memory) -> Set:
    """A statement without subjects that is not public is about its speaker, unless it is about no person."""
    unsaid = both(is_empty(memory.subjects), no(is_(memory.sensitivity, "public")), no(memory.about_nobody))
    return union(memory.subjects, only_if(unsaid, memory.speaker))


def is_about(memory: Memory, person: Any) -> Truth:
    """A memory with several subjects is about none of them alone."""
    return is_only(subjects_of(memory), person)


def is_self_memory(memory: Memory, room: Room) -> Truth:
    """Whether the asker said it of themselves: a memory of their own without subjects is about them."""
    own = is_empty(subjects_of(memory))
    return some(
        room.asker,
        lambda one: both(has(memory.speaker, one), either(is_about(memory, one), both(own, has(memory.owner, one)))),
    )


def reasons(memory: Memory, room: Room, policy: Policy) -> Mapping[str, Callable[[Any], Truth]]:
    """By name, whether each is a reason to tell one listener."""
    return {
        "about_listener": lambda one: is_about(memory, one),
        "owned_by_listener": lambda one: has(memory.owner, one),
        "stated_by_listener": lambda one: has(memory.speaker, one),
        "listener_was_there": lambda one: has(memory.heard_by, one),
        "may_read_anyway": lambda one: has(memory.may_read, one),  # a holder of a share may
        "self_memory": lambda _: is_self_memory(memory, room),
        "provenance_open": lambda _: both(policy.open_provenance, is_(memory.origin, "unknown")),
    }


DISCLOSURE_REASONS = (
    "about_listener",
    "stated_by_listener",
    "owned_by_listener",
    "may_read_anyway",
    "listener_was_there",
    "self_memory",
    "provenance_open",
)
ALWAYS = None
NEVER = ()

# Sensitivity, column: the reasons of which everybody who needs one has to have one.
TABLE: dict[str, dict[str, tuple[str, ...] | None]] = {
    "public": {"one": ALWAYS, "two": DISCLOSURE_REASONS, "group": ALWAYS},
    "personal": {
        "one": ("about_listener", "owned_by_listener", "stated_by_listener"),
        "two": ("about_listener", "owned_by_listener"),
        "group": ("about_listener",),
    },
    "sensitive": {"one": ("about_listener", "stated_by_listener"), "two": NEVER, "group": NEVER},
}
TABLE["unjudged"] = TABLE["personal"]  # where not everybody was there

HEARD = frozenset({"visible", "heard_it", *DISCLOSURE_REASONS})
OUT_OF_PRIVATE = ("private", "several", "unregistered")


# -- the table --------------------------------------------------------------------------------------------------------


def cell(memory: Memory, room: Room, policy: Policy, column: str) -> Steps:
    """One column of the table. The reason given is the asker's."""
    known, steps = reasons(memory, room, policy), Steps()
    needing = room.asker if column == "group" else room.listeners
    for level, row in TABLE.items():
        names, here = row[column], is_(memory.sensitivity, level)
        if names is None:
            steps.append(("visible", here))
            continue
        has_one = every(needing, lambda one, names=names: either(*(known[name](one) for name in names)))
        opens = both(here, is_given(needing), has_one)
        steps += [(name, both(opens, some(room.asker, known[name]))) for name in names]
        steps.append(("visible", opens))  # nobody asks
    return [*steps, ("not_for_this_chat", True)]


def table(memory: Memory, room: Room, policy: Policy) -> Steps:
    """The columns, by the kind of chat. Outside chats it is for what leaves its space."""
    private, two = is_(room.kind, "private"), several(room.persons)
    return [
        *under(either(is_(room.kind, "alone"), both(private, no(two))), cell(memory, room, policy, "one")),
        *under(both(private, two), cell(memory, room, policy, "two")),
        *under(is_(room.kind, "group"), cell(memory, room, policy, "group")),
        ("not_for_this_chat", True),
    ]


# -- where it was learned ---------------------------------------------------------------------------------------------


def heard_it(memory: Memory, room: Room) -> Truth:
    """What was said in a private chat may be said there again while everybody present was there; what was said in a
    group there, and in any chat all of whose listeners were there, while it is public or unjudged."""
    light = is_(memory.sensitivity, "public", "unjudged")
    there = both(in_same_chat(memory, room), is_(memory.origin, "private", "released"), is_(room.kind, "private"))
    again = both(is_(memory.origin, "group"), is_(room.kind, "private", "group"), light)
    return both(is_given(room.listeners), all_were_there(memory, room), either(there, again))


def was_said_to_anybody(memory: Memory, room: Room) -> Truth:
    """Whether it was learned in this chat while anybody could be in it, or in the group that it was."""
    return both(in_same_chat(memory, room), is_(memory.origin, "unregistered", "group"))


def is_late(memory: Memory, room: Room) -> Truth:
    """Whether it was said in this chat before it was registered."""
    is_known = is_(room.kind, "private", "group")
    return both(is_known, is_(memory.origin, "unregistered"), in_same_chat(memory, room))


def is_for_members(memory: Memory, room: Room) -> Truth:
    """What was said in a chat before it was registered is heard by its members if it is public."""
    public = is_(memory.sensitivity, "public")
    return both(is_late(memory, room), public, is_given(room.listeners), within(room.listeners, room.persons))


def is_confidential(memory: Memory, room: Room) -> Truth:
    """Whether where it was learned keeps it out of a chat. What was learned in a private chat is out of all but that
    one, and there it is for those who were there (`heard_it`, which is asked before). What was said in a chat before
    it was registered is open there to who said it, and what is public; then the table rules."""
    needing = only_if(is_(room.kind, "group"), room.asker), only_if(is_(room.kind, "private"), room.listeners)
    by_speaker = both(is_given(union(*needing)), within(union(*needing), memory.speaker))
    open_though_late = both(is_late(memory, room), either(is_(memory.sensitivity, "public"), by_speaker))
    return both(is_(memory.origin, *OUT_OF_PRIVATE), no(open_though_late))


def is_closed_way(memory: Memory, room: Room) -> Truth:
    """`portable = false` closes the way out of the originating chat; putting it into the space of a chat opens that."""
    return both(no(memory.portable), no(in_same_chat(memory, room)), no(meets(memory.of_chat, room.chat)))


# -- out of a space in sight ------------------------------------------------------------------------------------------


def told(memory: Memory, room: Room, policy: Policy, leaves: Truth) -> Steps:
    """A memory of a space in sight. `leaves`: it comes through a share, or from the public space of somebody else's
    agent, so it is read by the column "one person" wherever one asks, and in a chat by that chat's column too."""
    memory = replace(memory, may_read=union(memory.may_read, room.user))  # who asks stands in its space
    in_chat = no(is_(room.kind, "alone"))
    public = is_(memory.sensitivity, "public")
    own = both(public, meets(room.user, memory.owner))
    in_group = is_(room.kind, "group")
    take_part = both(is_given(subjects_of(memory)), within(subjects_of(memory), room.persons))
    withheld = no(heard(cell(memory, room, policy, "one")))
    return [
        ("not_a_participant", is_(room.kind, "closed")),
        ("not_a_reader", no(admits(memory, room))),
        ("visible", both(no(in_chat), no(leaves))),
        ("visible", both(is_(room.kind, "unregistered"), public, was_said_to_anybody(memory, room))),
        ("chat_not_registered", is_(room.kind, "unregistered")),
        ("owned_by_listener", both(in_chat, own, policy.own_public)),
        ("not_portable", both(in_chat, is_closed_way(memory, room))),
        ("heard_it", either(heard_it(memory, room), is_for_members(memory, room))),
        ("learned_in_private", is_confidential(memory, room)),
        ("provenance_unknown", both(is_(memory.origin, "unknown"), no(policy.open_provenance))),
        ("not_for_this_chat", both(leaves, withheld)),
        ("visible", both(in_group, policy.participants, either(public, take_part))),
        ("not_for_this_chat", both(in_group, policy.participants)),
        *table(memory, room, policy),
    ]


# -- about people, out of the spaces of others ------------------------------------------------------------------------


def told_about(memory: Memory, person: Any, room: Room, policy: Policy, by_name: Truth) -> Steps:
    """A memory about a person out of a user's or a chat's space that the asker does not see. `by_name`: the asker
    asks for that person by name."""
    subjects = subjects_of(memory)
    memory = replace(memory, may_read=NOBODY, of_chat=NOBODY)  # who else may read its space, and whose it is, is no way
    absent = picked(subjects, lambda one: no(has(room.persons, one)))
    in_group, public = is_(room.kind, "group"), is_(memory.sensitivity, "public")
    asker_was_there = meets(room.asker, memory.heard_by)
    may_name = both(
        in_group,
        by_name,
        public,
        is_(memory.origin, "group"),
        is_only(absent, person),
        either(policy.told_alone, asker_was_there),
    )
    of_themselves = some(memory.speaker, lambda one: is_about(memory, one))
    told_alone = both(policy.told_alone, either(by_name, no(of_themselves), meets(room.user, memory.speaker)))
    unknown = both(policy.told_alone, policy.open_provenance)
    return [
        ("not_a_participant", is_(room.kind, "closed")),
        ("not_a_reader", no(admits(memory, room))),
        ("chat_not_registered", is_(room.kind, "unregistered")),
        ("not_about", no(has(subjects, person))),
        ("not_portable", is_closed_way(memory, room)),
        ("provenance_unknown", both(is_(memory.origin, "unknown"), no(unknown))),
        ("learned_outside", both(is_(memory.origin, "outside"), no(told_alone))),
        ("learned_in_private", no(is_(memory.origin, "group", "outside", "unknown"))),
        ("heard_it", heard_it(memory, room)),
        ("visible", may_name),
        ("not_for_this_chat", is_given(absent)),
        *table(memory, room, policy),
    ]


# -- the answer -------------------------------------------------------------------------------------------------------


def heard(steps: Steps) -> Truth:
    """Whether the reason that decides is one to tell."""
    answer: Truth = False
    for reason, holds in reversed(steps):
        answer = either(holds, answer) if reason in HEARD else both(no(holds), answer)
    return answer


def reason_of(steps: Steps) -> str:
    """Why a memory is told, or why it is not; of plain values."""
    return next(reason for reason, holds in steps if holds)
