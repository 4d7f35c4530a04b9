"""policy use and policy test, hand-written. `use` opens the store with the new policy, because the one in use may be
unreadable; `test` drives its own memory like a host program, and is not an operation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memfort.model.value import count_noun
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.input.consent import has_consent
from memfort.surfaces.cli.options import Verb, consent_options
from memfort.surfaces.cli.session import Session

if TYPE_CHECKING:
    from memfort.operations.policy.use import PolicyUse
    from memfort.surfaces.assertions.run import Finding


@click.command("use", cls=Verb)
@click.argument("named", metavar="POLICY")
@click.option("--apply", is_flag=True, help="Also give the memories that are there the ends that it sets.")
@consent_options
@click.pass_obj
def policy_use_command(session: Session, named: str, apply: bool, dry_run: bool, yes: bool) -> int:
    """Put a policy to use in the store, for everyone who opens it from now on.

    POLICY is a file or a preset's name. The store keeps it with the earlier ones and records the change. A policy named
    by a flag, the environment or a settings file still wins where it is named. See `memfort policy simulate` first.

    Memories that are there keep the ends that they have. With --apply they get those that the policy sets, counted
    from when they were written; what it would refuse or hold for review stays. Applying the earlier policy takes it
    back, but for what has ended. If it is interrupted, run it again.
    """
    policy, output = session.policy_called(named, "POLICY"), session.output
    is_there = session.can_be_asked
    with session.memory(policy=policy) if is_there else session.empty_memory(policy) as memory:
        found = memory.policy.use(policy, apply=apply, dry_run=True)
    if found.problem is not None:
        output.note(found.problem)
    if not dry_run:
        if found.changed is not None and not yes and not output.as_json:
            output.note(
                f"{count_noun(len(found.changed), 'key')} would change; see `memfort policy diff current {named}`"
            )
            for line in _applied_lines(found, "would"):
                output.note(line)
        if not has_consent(output, f"put the policy `{policy.name}` to use?", yes=yes):
            output.note("nothing was done")
            return Exit.FAILURE
        with session.memory(make=True, policy=policy) as memory:
            found = memory.policy.use(policy, apply=apply)
    keys = None if found.changed is None else list(found.changed)
    changed = [f"would change {key}" for key in keys or ()] if dry_run else []
    changed += _applied_lines(found, "would" if dry_run else "did")
    verb = "would be" if dry_run else "is"
    output.answer(found.to_dict(), *changed, f"the policy `{found.name}`, digest {found.digest}, {verb} in use")
    if session.named_policy is not None and not output.as_json:
        output.note(f"{session.settings.found['policy'].origin} names a policy too, and wins wherever it does")
    return Exit.OK


def _applied_lines(found: PolicyUse, verb: str) -> list[str]:
    """What becomes of the memories that are there, in a few lines; `policy simulate` lists them one by one."""
    if (applied := found.applied) is None:
        return []
    gets = {"would": "would get", "did": "got"}[verb]
    lines = [f"{count_noun(len(applied.changes), 'memory')} {gets} another end; {applied.end_now} of them at once"]
    kinds = ", ".join(f"{count} {name}" for name, count in applied.left.items())
    return [*lines, *([f"left as it was decided: {kinds}"] if kinds else [])]


@click.command("test", cls=Verb)
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.pass_obj
def policy_test_command(session: Session, files: tuple[str, ...]) -> int:
    """Test a policy against assertion files.

    FILES are YAML: given, allowed, pending, denied, explained. Each assertion runs `check`, `recall` and `explain` on a
    memory of its own; no store is touched. A file that names no policy tests the one in force.
    Exit code 1 if an assertion does not hold.
    """
    from memfort.surfaces.assertions.file import load_assertions

    loaded = [load_assertions(Path(file), session.policy) for file in files]
    findings = [finding for one in loaded for finding in one.run()]
    failed = [finding for finding in findings if not finding.holds]
    document = {
        "held": len(findings) - len(failed),
        "failed": len(failed),
        "assertions": [_finding_document(one) for one in findings],
    }
    lines = [line for finding in findings for line in _finding_lines(finding)]
    summary = f"{count_noun(len(findings), 'assertion')}, {len(failed)} failed"
    session.output.answer(document, *lines, summary)
    return Exit.FAILURE if failed else Exit.OK


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
