"""doctor: look the store over, and put right what can be put right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfort.errors import InvalidInput, NotFound
from memfort.model.value import count_noun
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.input.completion import OneOf
from memfort.surfaces.cli.input.consent import has_consent
from memfort.surfaces.cli.options import Verb, consent_options
from memfort.surfaces.cli.session import Session
from memfort.surfaces.cli.wording import in_commands

if TYPE_CHECKING:
    from memfort.model.results import CheckResult

_FIXES = {
    "directory": "close the store's directory to others",
    "files": "close the store's files to others",
    "rows": "take damaged memories out of the index",
    "index": "write the index anew",
    "erasures": "finish pending erasures",
}
_STORE_FIXES = frozenset({"rows", "index", "erasures"})  # by the system; the others are the file's owner's to do
# What is kept, and what is done about it. The last two are a matter of judgement, so they have to be named.
_CONTENTS = {
    "subjects": "say whom memories are about",
    "edges": "cut links that lead nowhere",
    "names": "give everybody each name once",
    "duplicates": "let the lighter of two memories that say the same give way",
    "contradictions": "let one of two memories that are at odds give way",
}
_ASKED_APART = {
    "provenance": "forget what nobody knows where it was learned",
    "types": "give memories the type that their words show",
}
_PLANS = {**_FIXES, **_CONTENTS, **_ASKED_APART}
_WHAT_A_NEW_KEY_COSTS = (
    "a new key makes the index, the values and the signatures anew; what the trail said of texts before cannot be "
    "checked against them any more"
)


@click.command("doctor", cls=Verb)
@click.option("--fix", is_flag=True, help="Put right what can be put right, after asking.")
@click.option(
    "--also",
    multiple=True,
    type=OneOf(*_ASKED_APART),
    metavar="CHECK",
    help="With --fix, this too: provenance (forget what nobody knows where it was learned) or types; repeat it.",
)
@click.option("--new-key", is_flag=True, help="Make a key for a store whose key file is lost, after asking.")
@consent_options
@click.pass_obj
def doctor_command(session: Session, fix: bool, also: tuple[str, ...], new_key: bool, dry_run: bool, yes: bool) -> int:
    """Look the store over, and put right what can be put right.

    Checks the versions, permissions, key, schema, pages, seals, index, vectors, trail, erasures, ballast and settings;
    then what is kept: where memories were learned, their types, whom they are about, links, names, and what is said
    twice or otherwise. It tells names and numbers, never contents; with --as, only of what is yours. Exit code 1 if a
    problem remains. --fix closes files to others, takes damaged memories out of the index, writes the index anew,
    finishes erasures and puts right what is kept; what is a matter of judgement only where --also names it.
    """
    if fix and new_key:
        raise InvalidInput("new_key", "`--fix` is given too", "make the key first, then run doctor again")
    if also and not fix:
        raise InvalidInput("also", "nothing is to be put right", "give --fix too, or leave it out")
    if new_key:
        return _new_key(session, dry_run=dry_run, yes=yes)
    checks = _examine(session)
    fixable = _fixable(session, checks)
    fixable += [check.check for check in checks if check.check in also and check.fixable]
    if not fix or not fixable:
        return _show(session, checks, [])
    plans = [_PLANS[name] for name in fixable]
    if dry_run:
        return _show(session, checks, [], [f"would {plan}" for plan in plans])
    for plan in plans:
        session.output.note(f"to do: {plan}")
    if not has_consent(session.output, "put this right?", yes=yes):
        return _show(session, checks, [])
    _fix(session, fixable)
    return _show(session, _examine(session), plans)


def _examine(session: Session) -> list[CheckResult]:
    from memfort.surfaces.cli.diagnosis import examine

    with session.output.progress("looking the store over"):
        return examine(session)


def _fixable(session: Session, checks: Sequence[CheckResult]) -> list[str]:
    """What can be put right here. Nothing, if it is not sure that this is a store at all."""
    from memfort.surfaces.cli.diagnosis import is_own_directory

    broken = [check.check for check in checks if not check.ok]
    if {"engine", "store", "schema", "pages"} & set(broken):
        return []
    borrowed = "directory" in broken and not is_own_directory(session.settings["store"])
    kept = {check.check for check in checks if check.check in _CONTENTS and check.fixable}
    known = [name for name in broken if name in _FIXES or name in kept]
    return [name for name in known if not (borrowed and name == "directory")]


def _fix(session: Session, names: Sequence[str]) -> None:
    from memfort.surfaces.cli.diagnosis import loose_files

    database: Path = session.settings["store"]
    if "directory" in names:
        database.parent.chmod(0o700)
    for path in loose_files(database):
        path.chmod(0o600)
    if left := [name for name in names if name in _STORE_FIXES]:
        _fix_as(session, left, as_system=True)
    if left := [name for name in names if name not in _FIXES]:
        _fix_as(session, left, as_system=False)


def _fix_as(session: Session, names: Sequence[str], *, as_system: bool) -> None:
    with session.memory() as memory, session.output.progress("putting right") as progress:
        asker = memory.as_system() if as_system else session.patient(memory)
        done = asker.doctor(checks=names, fix=names, progress=progress)
    for id in done.quarantined:
        session.output.note(f"`{id}` is damaged and out of the index")


def _new_key(session: Session, *, dry_run: bool, yes: bool) -> int:
    from memfort.errors import KeyMismatch
    from memfort.operations.upkeep.rekey import renew_key
    from memfort.policy.settings.policy import Policy

    database: Path = session.settings["store"]
    if not database.exists():
        raise NotFound("store", str(database))
    key = database.with_name(database.name + ".key")
    if key.exists():
        raise KeyMismatch(
            f"there is a key file `{key}`, so no new key is made; if it is not this store's, move it away"
        )
    session.output.note(_WHAT_A_NEW_KEY_COSTS)
    if dry_run:
        return _show(session, _examine(session), [], ["would make a new key"])
    if not has_consent(session.output, "make a new key?", yes=yes):
        return _show(session, _examine(session), [])
    with session.output.progress("indexing") as progress:
        policy = session.named_policy or Policy()  # without its key the store cannot be asked for its own
        count = renew_key(database, policy=policy, surface="cli", progress=progress)
    return _show(session, _examine(session), [f"made a new key and indexed {count_noun(count, 'memory')}"])


def _show(session: Session, checks: Sequence[CheckResult], fixed: Sequence[str], plans: Sequence[str] = ()) -> int:
    ok = all(check.ok for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{'ok     ' if check.ok else 'PROBLEM'} {check.check}: {check.found}")
        lines += [f"          {in_commands(problem)}" for problem in (*check.problems, *check.notes)]
        if check.remedy is not None:
            lines.append(f"          remedy: {in_commands(check.remedy)}")
    lines += [f"done: {one}" for one in fixed] + list(plans)
    document = {
        "ok": ok,
        "checks": [_document(check) for check in checks],
        "fixed": list(fixed),
        "planned": list(plans),
    }
    session.output.answer(document, *lines)
    return Exit.OK if ok else Exit.FAILURE


def _document(check: CheckResult) -> dict[str, object]:
    return {
        "check": check.check,
        "ok": check.ok,
        "found": check.found,
        "problems": [in_commands(problem) for problem in check.problems],
        "notes": [in_commands(note) for note in check.notes],
        "remedy": None if check.remedy is None else in_commands(check.remedy),
    }
