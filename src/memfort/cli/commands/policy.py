"""policy: show, check, diff, presets, test, simulate, use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memfort.cli.consent import has_consent
from memfort.cli.failure import Exit
from memfort.cli.options import Verbs, consent_options
from memfort.cli.output import Table
from memfort.cli.plain import counted
from memfort.cli.session import Session
from memfort.errors import InvalidInput, StoreError, did_you_mean

if TYPE_CHECKING:
    from memfort.memory.assertion.assertions import Finding
    from memfort.memory.simulation.replaying import Ruling
    from memfort.policy.settings import Policy


@click.group("policy", cls=Verbs)
def policy_command() -> None:
    """Show, compare, test, simulate and use policies."""


@policy_command.command("show")
@click.option("--preset", metavar="POLICY", help="Another one: a preset's name, or a file.")
@click.option("--digest", help="An earlier one, by its digest: a preset, or one that was once put to use here.")
@click.pass_obj
def show_policy(session: Session, preset: str | None, digest: str | None) -> None:
    """Show the policy in force, with its digest: the name that every decision carries.

    What is shown is a policy file itself. With --json it is said where it comes from: a flag, the environment, a
    file, the store, or the default.
    """
    from memfort.policy.rendering import as_toml

    if preset is not None and digest is not None:
        raise InvalidInput("digest", "`--preset` is given too", "give one of the two")
    if digest is not None:
        policy, origin = _called(session, digest)
    else:
        policy, origin = session.in_force if preset is None else (_policy(session, preset), preset)
    document = {"digest": policy.digest, "origin": origin, "policy": policy.as_dict()}
    session.output.answer(document, *as_toml(policy).splitlines())


@policy_command.command("check")
@click.argument("file", type=click.Path())
@click.pass_obj
def check_policy(session: Session, file: str) -> None:
    """Read a policy file, and say what is wrong with it: line, key and remedy."""
    from memfort.policy.document import load_policy

    policy = load_policy(Path(file))
    document = {"file": file, "name": policy.name, "digest": policy.digest}
    session.output.answer(document, f"{file} is the policy `{policy.name}`, digest {policy.digest}")


@policy_command.command("diff")
@click.argument("before")
@click.argument("after")
@click.pass_obj
def diff_policies(session: Session, before: str, after: str) -> None:
    """Show what two policies say differently, key by key.

    BEFORE and AFTER are files, names of presets, or `current` for the policy in force.
    """
    from memfort.policy.rendering import difference

    one, other = _policy(session, before), _policy(session, after)
    changes = difference(one, other)
    rows = [(change.key, _text(change.before), _text(change.after)) for change in changes]
    document = {
        "before": {"name": one.name, "digest": one.digest},
        "after": {"name": other.name, "digest": other.digest},
        "changes": [{"key": change.key, "before": change.before, "after": change.after} for change in changes],
    }
    found = [Table(("key", "before", "after"), rows)] if rows else ["they say the same"]
    session.output.answer(document, *found)


@policy_command.command("presets")
@click.pass_obj
def list_presets(session: Session) -> None:
    """List the policies that come with Memfort."""
    from memfort.policy.document import preset, preset_names

    rows = [(name, preset(name).digest, _summary(name)) for name in preset_names()]
    document = {"presets": [{"name": name, "digest": digest, "summary": summary} for name, digest, summary in rows]}
    session.output.answer(document, Table(("name", "digest", "what it is"), rows))


@policy_command.command("test")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.pass_obj
def test_policy(session: Session, files: tuple[str, ...]) -> int:
    """Put assertion files to a policy.

    FILES are YAML: given, allowed, pending, denied, explained. Each assertion is put to `check`, `recall` and
    `explain` of a memory of its own; no store is touched. A file that names no policy is about the one in force.
    Exit code 1 if an assertion does not hold.
    """
    from memfort.memory.assertion.file import load_assertions

    loaded = [load_assertions(Path(file), session.policy) for file in files]
    findings = [finding for one in loaded for finding in one.run()]
    failed = [finding for finding in findings if not finding.holds]
    document = {"held": len(findings) - len(failed), "failed": len(failed),
                "assertions": [_finding_document(one) for one in findings]}  # fmt: skip
    lines = [line for finding in findings for line in _finding_lines(finding)]
    summary = f"{counted(len(findings), 'assertion')}, {len(failed)} failed"
    session.output.answer(document, *lines, summary)
    return Exit.FAILURE if failed else Exit.OK


@policy_command.command("simulate")
@click.argument("named", metavar="POLICY")
@click.pass_obj
def simulate_policy(session: Session, named: str) -> None:
    """Show which decisions would change, before a policy is put to use.

    POLICY is a file or a preset's name. Everything you own is decided again under it, in the order of writing, and
    each change is shown: was, and would be. As the system actor it is everybody's, by ids and levels alone. Nothing
    is changed or recorded.
    """
    from memfort.cli.documents import simulation_document
    from memfort.memory.simulation.simulating import UNDECIDED, simulate

    policy = _policy(session, named)
    with session.bound() as memory, session.output.progress("simulating") as progress:
        found = simulate(memory, policy, progress=progress)
    rows = [(one.id, "+".join(one.levels), _ruling(one.was), _ruling(one.would)) for one in found.changes]
    table = [Table(("id", "levels", "was", "would be"), rows)] if rows else []
    kinds = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    summary = f"{counted(found.decisions, 'decision')}, {len(found.changes)} would change"
    undecided = [f"not decided again: {count} {UNDECIDED[name]}" for name, count in found.undecided.items() if count]
    session.output.answer(simulation_document(found), *table, summary + (f": {kinds}" if kinds else ""), *undecided)


@policy_command.command("use")
@click.argument("named", metavar="POLICY")
@consent_options
@click.pass_obj
def use_policy(session: Session, named: str, dry_run: bool, yes: bool) -> int:
    """Put a policy to use in the store, for everybody who opens it from now on.

    POLICY is a file or a preset's name. It is kept in the store with those before it, and on record. A policy named
    by a flag, the environment or a settings file still wins where it is named. See `memfort policy simulate` first.
    """
    policy, output = _policy(session, named), session.output
    keys = _changed_keys(session, policy)
    if not dry_run:
        if keys is not None and not yes and not output.as_json:
            output.note(f"{counted(len(keys), 'key')} would change; see `memfort policy diff current {named}`")
        if not has_consent(output, f"put the policy `{policy.name}` to use?", yes=yes):
            output.note("nothing was done")
            return Exit.FAILURE
        with session.memory(make=True, policy=policy) as store:
            store.use_policy(policy)
    document = {"dry_run": dry_run, "name": policy.name, "digest": policy.digest, "changed": keys}
    changed = [f"would change {key}" for key in keys or ()] if dry_run else []
    verb = "would be" if dry_run else "is"
    output.answer(document, *changed, f"the policy `{policy.name}`, digest {policy.digest}, {verb} in use")
    if session.named_policy is not None and not output.as_json:
        output.note(f"{session.settings.found['policy'].origin} names a policy too, and wins wherever it does")
    return Exit.OK


def _called(session: Session, digest: str) -> tuple[Policy, str]:
    """The policy with a digest, and where it is from. Presets are known also where there is no store."""
    from memfort.policy.document import preset, preset_names

    for name in preset_names():
        if preset(name).digest == digest:
            return preset(name), name
    with session.memory() as store:
        return store.policy_called(digest), "store"


def _changed_keys(session: Session, policy: Policy) -> list[str] | None:
    """What the policy says otherwise than the one in use; `None` if that one does not read any more. To put another
    to use is how to get rid of it, so it is no error here."""
    from memfort.policy.rendering import difference
    from memfort.policy.settings import Policy as Default

    before: Policy | None = None
    if session.settings["store"].is_file():
        with session.memory(policy=policy) as store:
            try:
                before = store.policy_in_use()
            except StoreError as error:
                session.output.note(str(error))
                return None
    return [change.key for change in difference(before or Default(), policy)]


def _ruling(ruling: Ruling) -> str:
    """A ruling in a few words: pending (low_confidence), then approved, until 2026-01-08."""
    from memfort.cli.documents import when

    verdict, status = ruling.verdict.value, ruling.status
    if verdict == "pending" != status:  # somebody has looked at it
        words = f"pending ({ruling.reason}), then {status}"
    else:
        words = f"{status or ('denied' if verdict == 'denied' else 'not kept')} ({ruling.reason})"
    ends = "" if ruling.expires_at is None else f", until {when(ruling.expires_at)}"
    return words + ends + ("" if ruling.ticks is None else f", for {counted(ruling.ticks, 'tick')}")


def _policy(session: Session, named: str) -> Policy:
    """The policy that a word on the command line means."""
    from memfort.policy.document import load_policy, preset, preset_names

    if named == "current":
        return session.policy
    if named not in preset_names() and not Path(named).exists():
        raise InvalidInput("policy", f"`{named}` is neither a file nor a preset", did_you_mean(named, preset_names()))
    return preset(named) if named in preset_names() else load_policy(Path(named))


def _summary(name: str) -> str:
    """What a preset says of itself in its first line."""
    text = files("memfort.policy").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    return text.partition("\n")[0].removeprefix("# ")


def _text(value: Any) -> str:
    if value is None:
        return "(none)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _finding_lines(finding: Finding) -> Sequence[str]:
    if finding.holds:
        return [f"ok    {finding.assertion}"]
    indented = [*finding.problems, *(f"| {line}" for line in finding.explanation)]
    return [f"FAIL  {finding.assertion}", *(f"      {line}" for line in indented)]


def _finding_document(finding: Finding) -> dict[str, Any]:
    assertion = finding.assertion
    return {
        "place": assertion.place,
        "expected": assertion.expected.value,
        "case": str(assertion.case),
        "holds": finding.holds,
        "problems": finding.problems,
        "explanation": finding.explanation,
    }
