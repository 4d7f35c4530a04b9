"""doctor: check the store, and repair what can be repaired."""

from __future__ import annotations

import os
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
    "index": "rebuild the index",
    "erasures": "finish pending erasures",
}
_STORE_FIXES = frozenset({"rows", "index", "erasures"})  # done by the system; the owner of the files does the others
# Repairs of memories. The last two are a matter of judgement, so `--also` must name them.
_CONTENTS = {
    "subjects": "fill in the people that memories are about",
    "edges": "remove dangling links",
    "names": "remove duplicate names of people",
    "duplicates": "retire the less important of two equal memories",
    "contradictions": "retire one of two contradicting memories",
}
_ASKED_APART = {
    "provenance": "forget memories without provenance",
    "types": "correct the types of memories",
}
_PLANS = {**_FIXES, **_CONTENTS, **_ASKED_APART}
_WHAT_A_NEW_KEY_COSTS = (
    "a new key means a new index, new digests and new signatures; digests that are in the trail already cannot be "
    "checked any more"
)


@click.command("doctor", cls=Verb)
@click.option("--fix", is_flag=True, help="Repair what can be repaired, after asking.")
@click.option(
    "--also",
    multiple=True,
    type=OneOf(*_ASKED_APART),
    metavar="CHECK",
    help="With --fix, this repair too: provenance (forget memories without provenance) or types; repeat it.",
)
@click.option("--new-key", is_flag=True, help="Make a key for a store whose key file is lost, after asking.")
@click.option("--server", metavar="URL", help="Check a running server instead, with the key in MEMFORT_KEY.")
@click.option("--mcp", is_flag=True, help="Check `memfort mcp` instead, as an assistant's host would use it.")
@consent_options
@click.pass_obj
def doctor_command(  # one parameter for each option
    session: Session,
    fix: bool,
    also: tuple[str, ...],
    new_key: bool,
    server: str | None,
    mcp: bool,
    dry_run: bool,
    yes: bool,
) -> int:
    """Check the store, and repair what can be repaired.

    Checks the versions, permissions, key, schema, pages, seals, index, vectors, trail, erasures, ballast and settings;
    then the memories: their provenance, types, people, links, names, duplicates and contradictions. It prints names and
    numbers, never contents; with --as, only of what is yours. Exit code 1 if a problem remains. --fix closes files to
    others, takes damaged memories out of the index, rebuilds the index, finishes erasures and repairs memories; repairs
    that are a matter of judgement only if --also names them.
    """
    if server is not None:
        from memfort.surfaces.cli.server_checks import check_server

        return _show(session, check_server(server, os.environ.get("MEMFORT_KEY")), [])
    if mcp:
        from memfort.surfaces.cli.commands.mcp import mcp_words
        from memfort.surfaces.cli.mcp_checks import check_mcp

        return _show(session, check_mcp(mcp_words(session)), [])
    if fix and new_key:
        raise InvalidInput("new_key", "`--fix` is given too", "make the key first, then run doctor again")
    if also and not fix:
        raise InvalidInput("also", "nothing is to be repaired", "give --fix too, or leave it out")
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
    if not has_consent(session.output, "repair this?", yes=yes):
        return _show(session, checks, [])
    _fix(session, fixable)
    return _show(session, _examine(session), plans)


def _examine(session: Session) -> list[CheckResult]:
    from memfort.surfaces.cli.diagnosis import examine

    with session.output.progress("checking the store"):
        return examine(session)


def _fixable(session: Session, checks: Sequence[CheckResult]) -> list[str]:
    """The repairs that are possible. None, if the file may not be a store at all."""
    from memfort.surfaces.cli.diagnosis import is_own_directory

    broken = [check.check for check in checks if not check.ok]
    if {"engine", "store", "schema", "pages"} & set(broken):
        return []
    if session.database is not None:
        return [name for name in broken if name in _STORE_FIXES or name in _CONTENTS]
    borrowed = "directory" in broken and not is_own_directory(session.store_file)
    kept = {check.check for check in checks if check.check in _CONTENTS and check.fixable}
    known = [name for name in broken if name in _FIXES or name in kept]
    return [name for name in known if not (borrowed and name == "directory")]


def _fix(session: Session, names: Sequence[str]) -> None:
    from memfort.surfaces.cli.diagnosis import loose_files

    if session.database is None:
        database: Path = session.store_file
        if "directory" in names:
            database.parent.chmod(0o700)
        for path in loose_files(database):
            path.chmod(0o600)
    if left := [name for name in names if name in _STORE_FIXES]:
        _fix_as(session, left, as_system=True)
    if left := [name for name in names if name not in _FIXES]:
        _fix_as(session, left, as_system=False)


def _fix_as(session: Session, names: Sequence[str], *, as_system: bool) -> None:
    with session.memory() as memory, session.output.progress("repairing") as progress:
        asker = memory.as_system() if as_system else session.patient(memory)
        done = asker.doctor(checks=names, fix=names, progress=progress)
    for id in done.quarantined:
        session.output.note(f"`{id}` is damaged and out of the index")


def _new_key(session: Session, *, dry_run: bool, yes: bool) -> int:
    from memfort.errors import KeyMismatch
    from memfort.operations.upkeep.rekey import renew_key
    from memfort.policy.settings.policy import Policy

    database: Path = session.store_file
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
        policy = session.named_policy or Policy()  # without its key the store cannot be asked for its policy
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
