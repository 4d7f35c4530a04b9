"""Scenes with endings: somebody ends what an observer may not notice, beside what the observer has."""

from __future__ import annotations

from collections.abc import Callable

from tests.purge.composer import Composer
from tests.purge.steps import OLD, RECORDS, Actor, At, Ref, Standpoint


def the_same_words_ended_for_fewer_readers(composer: Composer) -> Standpoint:
    """A member ends, or rejects, what was for few readers. Another brings the same words from an older file."""
    writer, other = composer.random.sample(composer.users, 2)
    place, space = _group_of(composer, writer, other)
    text = composer.text()
    here = Standpoint(Actor("user", writer), place)
    said = composer.write(here, text=text, access={"users": [writer]}, sensitivity="public", space=space)
    kind = composer.random.choice(("forget", "erase", "reject_in_force", "forget_by", "erase_by"))
    if kind.endswith("_by"):
        composer.add(kind, here, **composer.random.choice(({"author": "me"}, {"since": At(said)})))
    else:
        composer.add(kind, here, memory=Ref(said))
    there = Standpoint(Actor("user", other), place)
    _say_again(composer, there, text, space)
    return there


def the_same_words_ended_elsewhere(composer: Composer) -> Standpoint:
    """Somebody ends their own words, in a space of their own. Another says the same in theirs."""
    speaker, other = composer.random.sample(composer.users, 2)
    text = composer.random.choice((composer.text(), composer.about(other)))
    here = Standpoint(Actor("user", speaker))
    said = composer.write(here, text=text, sensitivity="public")
    endings = (
        ("forget", {"memory": Ref(said)}),
        ("erase_by", {"scope": {"user": speaker}}),
        ("subject_erase", {"person": "me"}),
        ("reject_in_force", {"memory": Ref(said)}),
        ("undo", {"author": "me"}),
    )
    kind, given = composer.random.choice(endings)
    composer.add(kind, here, **given)
    there = Standpoint(Actor("user", other))
    _say_again(composer, there, text, None)
    return there


def an_import_that_is_undone(composer: Composer) -> Standpoint:
    """Two import the same file into spaces of their own; one takes it back, and back again."""
    speaker, other = composer.random.sample(composer.users, 2)
    file = {"records": [{"text": composer.text(), "observed_at": OLD}, {"text": composer.text()}]}
    here, there = Standpoint(Actor("user", speaker)), Standpoint(Actor("user", other))
    if composer.random.random() < 0.5:
        composer.import_plain(there, **file)
    brought = composer.import_plain(here, **file)
    undone = composer.add("undo", here, source=Ref(brought))
    composer.made["undo"].append(undone)
    if composer.random.random() < 0.6:
        composer.add("redo", here, undo=Ref(undone))
    return there


def a_turn_forgotten_on_one_side(composer: Composer) -> Standpoint:
    """Two say the same in conversations of their own; one of them asks to forget it, or ends it by its words."""
    speaker, other = composer.random.sample(composer.users, 2)
    text, here, there = composer.text(), Standpoint(Actor("user", speaker)), Standpoint(Actor("user", other))
    for who in (here, there):
        composer.observe(who, {"role": "user", "content": text}, {"role": "assistant", "content": f"Noted: {text}"})
    if composer.random.random() < 0.5:
        composer.observe(here, {"role": "user", "content": f"Please forget that {text}"})
    else:
        composer.add(composer.random.choice(("forget_by", "erase_by")), here, query=composer.things[-1])
    return there


def a_proposal_out_of_a_private_chat(composer: Composer) -> Standpoint:
    """What one said in a private chat the other proposes to promote. Others, and the chat itself, hear nothing."""
    speaker, partner, third = composer.random.sample(composer.users, 3)
    composer.open_chat("pair", "private", [speaker, partner], [], "reopen_chat")
    here, beside = Standpoint(Actor("user", speaker), (("chat", "pair"),)), Standpoint(Actor("user", partner))
    said = composer.write(here, text=composer.about(third), sensitivity="public", space={"chat": "pair"})
    partner_there = Standpoint(partner_actor := Actor("user", partner), (("chat", "pair"),))
    proposal = composer.add("propose", partner_there, memory=Ref(said), to={"user": partner})
    composer.made["promotion"].append(proposal)
    if composer.random.random() < 0.6:
        verdict = composer.random.choice(("approve", "reject"))
        speaker_alone = Standpoint(Actor("user", speaker))
        composer.add("decide", speaker_alone, memory=Ref(said), proposal=Ref(proposal), verdict=verdict)
    return composer.random.choice((Standpoint(Actor("user", third)), beside, Standpoint(partner_actor)))


def a_share_that_is_passed_on(composer: Composer) -> Standpoint:
    """A space is shared, passed on, and something in it is withdrawn; one who has no share looks on."""
    owner, holder, third, *_ = composer.random.sample(composer.users, 3)
    here = Standpoint(Actor("user", owner))
    said = composer.write(here, text=composer.text(), sensitivity="public")
    given = composer.add("share", here, space={"user": owner}, user=holder, may_pass_on=True)
    composer.made["share"].append(given)
    if composer.random.random() < 0.5:
        passed = {"space": {"user": owner}, "user": composer.random.choice((third, owner)), "share": Ref(given)}
        composer.made["share"].append(composer.add("pass_on", Standpoint(Actor("user", holder)), **passed))
    composer.add(composer.random.choice(("forget", "erase", "reject_in_force")), here, memory=Ref(said))
    return Standpoint(Actor("user", composer.random.choice((third, holder))))


def a_user_in_two_rooms(composer: Composer) -> Standpoint:
    """A user ends, imports and takes back in one room, and asks for the records of it in another, through an agent or
    alone. Somebody else does the same."""
    composer.left_out -= RECORDS
    user, other = composer.random.sample(composer.users, 2)
    for who in (Standpoint(Actor("user", user)), Standpoint(Actor("user", other))):
        said = composer.write(who, text=composer.text(), sensitivity="public")
        brought = composer.import_plain(who, records=[{"text": composer.text()}])
        kind = composer.random.choice(("erase", "erase", "subject_erase", "undo"))
        given = {"erase": {"memory": Ref(said)}, "subject_erase": {"person": "me"}, "undo": {"source": Ref(brought)}}
        number = composer.add(kind, who, **given[kind])
        composer.made["undo" if kind == "undo" else "receipt"].append(number)
    agent = Actor("agent", "bot", acting_for=user, owner=composer.owners["bot"])
    return composer.random.choice((Standpoint(Actor("user", user)), composer.standpoint(agent)))


def phases_side_by_side(composer: Composer) -> Standpoint:
    """Two begin new phases of their own spaces, one of them more often; one looks back at what changed since."""
    user, other = composer.random.sample(composer.users, 2)
    for who, count in ((Standpoint(Actor("user", other)), 2), (Standpoint(Actor("user", user)), 1)):
        for _ in range(count):
            composer.write(who, text=composer.text(), sensitivity="public")
            composer.add("phase", who, reason="new plans")
    return Standpoint(Actor("user", user))


def _say_again(composer: Composer, who: Standpoint, text: str, space: dict[str, str] | None) -> None:
    """By a file that is older than everything, by an older message, or now."""
    draw, place = composer.random.random(), {"space": space} if space else {}
    if draw < 0.5:
        composer.import_plain(who, records=[{"text": text, "observed_at": OLD, **place}])
    elif draw < 0.8:
        composer.observe(who, {"role": "user", "content": text, "at": OLD}, **place)
    else:
        composer.write(who, text=text, sensitivity="public", **place)


def _group_of(composer: Composer, *users: str) -> tuple[tuple[tuple[str, str], ...], dict[str, str]]:
    group = next(iter(composer.groups))
    for user in users:
        composer.add_to_group(group, user, "contributor")
    return (group,), dict([group])


ENDING_SCENES: tuple[Callable[[Composer], Standpoint], ...] = (
    the_same_words_ended_for_fewer_readers,
    the_same_words_ended_elsewhere,
    an_import_that_is_undone,
    a_turn_forgotten_on_one_side,
    a_proposal_out_of_a_private_chat,
    a_share_that_is_passed_on,
    a_user_in_two_rooms,
    phases_side_by_side,
)
