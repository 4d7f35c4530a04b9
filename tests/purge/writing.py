"""Steps that write, review and share memories, and take them in and out."""

from __future__ import annotations

from typing import Any

from tests.purge.composer import Composer, Steps
from tests.purge.steps import LEVELS, OLD, Actor, Ref, Standpoint, Step


def remember(composer: Composer) -> None:
    who = composer.somebody()
    given = composer.statement(who)
    if composer.made["memory"] and composer.random.random() < 0.16:
        source = composer.choose("memory")
        who = composer.author_of(source)
        given["derived_from"] = [Ref(source)]
        given.pop("space", None)
        space = next(step.given.get("space") for step in composer.steps if step.number == source)
        given |= {"space": space} if space else {}
    composer.write(who, **given)


def remember_many(composer: Composer) -> None:
    who = composer.somebody()
    statements = [composer.statement(who, spaces=False) for _ in range(2)]
    composer.made["memory"].append(composer.add("remember_many", who, memories=statements))


def on_memory(composer: Composer, kind: str, /, pool: str = "memory", **given: Any) -> int | None:
    """A step on a memory, if there is one: otherwise one is made."""
    if not composer.made[pool]:
        remember(composer)
        return None
    source = composer.choose(pool)
    number = composer.add(kind, composer.author_of(source), memory=Ref(source), **given)
    if kind in {"correct", "edit", "promote", "restore"}:
        composer.made["memory"].append(number)
    return number


def correct(composer: Composer) -> None:
    level = {"sensitivity": composer.random.choice(LEVELS)} if composer.random.random() < 0.4 else {}
    on_memory(composer, "correct", text=composer.text(), **level)


def restore(composer: Composer) -> None:
    corrected = [step.given["memory"].step for step in composer.steps if step.kind == "correct"]
    if not corrected:
        correct(composer)
        return
    source = composer.random.choice(corrected)
    composer.made["memory"].append(composer.add("restore", composer.author_of(source), memory=Ref(source)))


def approve(composer: Composer) -> None:
    on_memory(composer, "approve", "pending")


def reject(composer: Composer) -> None:
    on_memory(composer, "reject", "pending")


def edit(composer: Composer) -> None:
    on_memory(composer, "edit", "pending", text=composer.text())


def promote(composer: Composer) -> None:
    if not composer.made["memory"]:
        remember(composer)
        return
    source = composer.choose("memory")
    who = composer.author_of(source)
    to = composer.space(who) or {"project": "apollo"}
    composer.made["memory"].append(composer.add("promote", who, memory=Ref(source), to=to))


def used(composer: Composer) -> None:
    on_memory(composer, "used")


def phase(composer: Composer) -> None:
    who = composer.somebody()
    space = composer.space(who)
    composer.add("phase", who, reason="new plans", **({"space": space} if space else {}))


def share(composer: Composer) -> None:
    """With a user, an agent or a group; sometimes so that its holder may pass it on."""
    who, draw = composer.somebody(), composer.random.random()
    reader: dict[str, Any] = {"user": composer.random.choice(composer.people_of_interest)}
    if draw < 0.2:
        reader = {"agent": composer.random.choice(("bot", "clerk"))}
    elif draw < 0.4:
        reader = {"group": dict([composer.random.choice(list(composer.groups))])}
    if composer.random.random() < 0.35:
        reader["may_pass_on"] = True
    if who.actor.user and composer.random.random() < 0.5:
        space = {"user": who.actor.user}
    else:
        space = composer.space(who) or {"user": who.actor.user or "nobody"}
    composer.made["share"].append(composer.add("share", who, space=space, **reader))


def pass_on(composer: Composer) -> None:
    """Who holds a share shares the space with another, or copies a memory out of it."""
    open_shares = [
        composer.step(number)
        for number in composer.made["share"]
        if "user" in composer.step(number).given and "may_pass_on" in composer.step(number).given
    ]
    passed = composer.random.choice(open_shares) if open_shares else _open_share(composer)
    holder = composer.standpoint(Actor("user", passed.given["user"]))
    inside = [number for number in composer.made["memory"] if composer.step(number).who == passed.who]
    if inside and composer.random.random() < 0.5:
        copied = Ref(composer.random.choice(inside))
        composer.change("copy", holder, memory=copied, to={"user": passed.given["user"]}, share=Ref(passed.number))
        return
    other = composer.random.choice(composer.people_of_interest)
    further = composer.add("pass_on", holder, space=passed.given["space"], user=other, share=Ref(passed.number))
    composer.made["share"].append(further)


def _open_share(composer: Composer) -> Step:
    owner, holder = composer.random.sample(composer.users, 2)
    here = Standpoint(Actor("user", owner))
    composer.write(here, text=composer.text(), sensitivity="public")
    number = composer.add("share", here, space={"user": owner}, user=holder, may_pass_on=True)
    composer.made["share"].append(number)
    return composer.step(number)


def propose(composer: Composer) -> None:
    """Somebody promotes what another said: out of a private chat it waits until that one agrees."""
    pairs = [chat for chat, (kind, users, _) in composer.chats.items() if kind == "private" and len(users) == 2]
    if not pairs:
        promote(composer)
        return
    chat = composer.random.choice(pairs)
    speaker, other = composer.random.sample(composer.chats[chat][1], 2)
    here = (("chat", chat),)
    said = composer.write(
        Standpoint(Actor("user", speaker), here), text=composer.text(), sensitivity="public", space={"chat": chat}
    )
    composer.made["promotion"].append(
        composer.add("propose", Standpoint(Actor("user", other), here), memory=Ref(said), to={"user": other})
    )


def decide(composer: Composer) -> None:
    """Who said it, or another, approves or rejects what was proposed."""
    if not composer.made["promotion"]:
        propose(composer)
    if not composer.made["promotion"]:
        return
    proposed = composer.step(composer.choose("promotion"))
    who = composer.author_of(proposed.given["memory"].step)
    verdict = composer.random.choice(("approve", "approve", "reject"))
    composer.add("decide", who, memory=proposed.given["memory"], proposal=Ref(proposed.number), verdict=verdict)


def revoke(composer: Composer) -> None:
    if not composer.made["share"]:
        share(composer)
        return
    ended = composer.choose("share")
    composer.add("revoke", composer.author_of(ended), share=Ref(ended))


def export(composer: Composer) -> None:
    composer.made["export"].append(composer.add("export", composer.somebody()))


def import_export(composer: Composer) -> None:
    if not composer.made["export"]:
        export(composer)
    file = composer.choose("export")
    options = {name: True for name in ("bring_back", "dry_run") if composer.random.random() < 0.25}
    number = composer.add("import", composer.author_of(file), export=Ref(file), **options)
    composer.made["import"].append(number)


def import_plain(composer: Composer) -> None:
    """Plain texts from a file, some of them with a time before everything; some that were said here before."""
    who = composer.somebody()
    composer.import_plain(who, **plain_file(composer, who))


def plain_file(composer: Composer, who: Standpoint) -> dict[str, Any]:
    said = [step.given["text"] for step in composer.steps if step.kind == "remember"]
    space = composer.space(who)
    records = []
    for _ in range(composer.random.choice((1, 2, 3))):
        is_known = said and composer.random.random() < 0.6
        record: dict[str, Any] = {"text": composer.random.choice(said) if is_known else composer.text()}
        if composer.random.random() < 0.7:
            record["observed_at"] = OLD
        if space and "visibility" not in space and composer.random.random() < 0.5:
            record["space"] = space
        records.append(record)
    return {"records": records} | ({"bring_back": True} if composer.random.random() < 0.2 else {})


STEPS: Steps = {
    "remember": (34, remember),
    "remember_many": (4, remember_many),
    "correct": (7, correct),
    "restore": (5, restore),
    "approve": (15, approve),
    "reject": (6, reject),
    "edit": (10, edit),
    "promote": (6, promote),
    "used": (7, used),
    "propose": (2, propose),
    "decide": (3, decide),
    "phase": (4, phase),
    "share": (4, share),
    "pass_on": (3, pass_on),
    "revoke": (5, revoke),
    "export": (2, export),
    "import": (5, import_export),
    "import_plain": (5, import_plain),
}
