"""Run assertions about a policy against `check`, `recall` and `explain` of a real memory.

Each assertion gets a fresh memory on an in-memory store with a fixed clock, so no assertion can change the result of
another. Files of assertions are read by `memfort.surfaces.assertions.file`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from memfort.client.bound import BoundMemory
from memfort.errors import Denied, InvalidInput, MemfortError
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.reason import Reason
from memfort.model.results import Explanation
from memfort.model.space import Space
from memfort.operations.table import TABLE
from memfort.policy.settings.policy import Policy
from memfort.surfaces.assertions.scene import Given, Known, Scene, Statement, open_scene

SECONDS_PER_DAY = 86_400
_EVERYTHING = 1000


class Expected(StrEnum):
    """The lists of a file: the result that each expects of its assertions."""

    ALLOWED = "allowed"
    PENDING = "pending"
    DENIED = "denied"
    EXPLAINED = "explained"


class Case(Statement, frozen=True, kw_only=True):
    """One assertion of a file: an actor, a place and a verb."""

    actor: str
    says: str | None = None  # the rule in its owner's words, for the report
    verb: str = "recall"
    memory: str | None = None  # by its name in `given`
    query: str | None = None  # for recall; the memory's own text if not given
    after_days: float = 0.0
    viewer: str | None = None  # `explained`: the viewer
    viewer_acting_for: str | None = None
    viewer_at: Mapping[str, str] = {}
    shown: bool | None = None
    reason: Reason | None = None
    contains: tuple[str, ...] = ()  # words of the explanation

    def __str__(self) -> str:
        """The verb, the actor and the place. The statement is not repeated: it may be one that must not be shown."""
        if self.says is not None:
            return self.says
        parts = (
            self.actor,
            self.acting_for and f"for {self.acting_for}",
            _places("at", self.at),
            self.verb,
            f"`{self.memory}`" if self.memory is not None else _places("in", self.space or {}),
            self.viewer and f"as {self.viewer} sees it",
            self.after_days and f"after {self.after_days:g} days",
            self.reason and f"({self.reason})",
        )
        return " ".join(part for part in parts if part)


def _places(word: str, coordinates: Mapping[str, str]) -> str:
    return " ".join([word, *(f"{level}={id}" for level, id in coordinates.items())]) if coordinates else ""


class Assertion(Struct, frozen=True):
    """A case and what is expected of it."""

    place: str  # file and line
    expected: Expected
    case: Case

    def __str__(self) -> str:
        return f"{self.place}: {self.expected}: {self.case}"


class Finding(Struct, frozen=True):
    """The result of an assertion: its problems, none if it holds, and the memory's own explanation."""

    assertion: Assertion
    problems: tuple[str, ...]
    explanation: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.problems


def check_assertion(assertion: Assertion, policy: Policy, given: Given) -> Finding:
    """Ask a fresh memory, and compare its answers with what is expected and with each other."""
    with open_scene(policy, given) as scene:
        try:
            scene.clock.advance(assertion.case.after_days * SECONDS_PER_DAY)
            answer = _ask(scene, assertion)
        except MemfortError as error:
            return Finding(assertion, (str(error),), ())
    return Finding(assertion, tuple(answer.problems), answer.explanation)


class _Answer(Struct, frozen=True):
    """What the verbs of a memory answered to one case."""

    problems: list[str]
    explanation: tuple[str, ...]


def _ask(scene: Scene, assertion: Assertion) -> _Answer:
    case, expected = assertion.case, assertion.expected
    _check_sense(case, expected)
    asker = scene.stand(case.actor, case.acting_for, case.at)
    if case.verb == "remember":
        return _ask_to_remember(asker, case, expected)
    if case.memory is None and case.space is not None:
        return _ask_about_space(asker, case, expected)
    known = scene.named(case.memory)
    if expected is Expected.EXPLAINED:
        return _ask_to_explain(scene, asker, known, case)
    return _ask_about_memory(asker, known, case, expected)


def _check_sense(case: Case, expected: Expected) -> None:
    """Refuse fields that would be ignored silently: an assertion that asserts nothing always holds."""
    if expected is Expected.PENDING and case.verb != "remember":
        raise InvalidInput("verb", f"`{case.verb}` cannot wait for review", "use remember, or another list")
    if expected is Expected.EXPLAINED and case.shown is None and case.reason is None and not case.contains:
        raise InvalidInput("explained", "it asserts nothing", "add `shown`, `reason` or `contains`")
    if case.verb == "remember" and case.memory is not None:
        raise InvalidInput("memory", "a statement is not a memory yet", "give its `text` instead")
    unused = [] if case.verb == "remember" else [name for name in case.given if name != "space"]
    if unused:
        raise InvalidInput(unused[0], f"`{case.verb}` has no such thing", "leave it out, or use the verb remember")


def _ask_to_remember(asker: BoundMemory, case: Case, expected: Expected) -> _Answer:
    """Check the statement, remember it and look it up: `check` must agree with `remember`."""
    decision = asker.run(TABLE["check"], {"verb": "remember", **case.given})
    problems = _compare_decision(decision, case, expected)
    try:
        outcome = asker.remember_many([case.given])[0]
    except Denied:  # a missing permission raises; a gate's refusal of a statement is an outcome
        outcome = Outcome.of(replace(decision, verdict=Verdict.DENIED))
    if outcome.decision.verdict is not decision.verdict:
        problems.append(f"check said {decision.verdict}, and remember {outcome.decision.verdict}")
    if outcome.item is not None:
        is_due = decision.verdict is Verdict.ALLOWED and decision.reason is not Reason.OUTRANKED
        known = Known(outcome.item.id, outcome.item.text, asker)
        problems += _disagreements(_answers(asker, known, case), is_due)
    return _Answer(problems, (f"{decision.explanation} ({decision.reason}, gate {decision.gate})",))


def _ask_about_space(asker: BoundMemory, case: Case, expected: Expected) -> _Answer:
    decision = asker.run(TABLE["check"], {"verb": case.verb, "space": case.space})
    problems = _compare_decision(decision, case, expected)
    is_seen = Space.of(case.space or {}).to_dict() in asker.spaces()
    if decision.verdict is Verdict.ALLOWED and not is_seen:
        problems.append(f"check said {decision.verdict}, and the space is not in sight")
    return _Answer(problems, (f"{decision.explanation} ({decision.reason}, gate {decision.gate})",))


def _ask_to_explain(scene: Scene, asker: BoundMemory, known: Known, case: Case) -> _Answer:
    viewer = None
    if case.viewer is not None:
        viewer = scene.stand(case.viewer, case.viewer_acting_for, case.viewer_at, "viewer")
    found = asker.explain(known.id, viewer=viewer)
    problems = _compare_explanation(found, case) + _disagreements(_answers(viewer or asker, known, case), found.shown)
    return _Answer(problems, found.lines)


def _ask_about_memory(asker: BoundMemory, known: Known, case: Case, expected: Expected) -> _Answer:
    """Test reading with check, recall and explain, and any other verb with `check`. The memory's author is asked for
    the reason, because an actor who may not see the memory learns only that it does not exist."""
    answers, found = _answers(asker, known, case), _why(asker, known)
    if case.verb in {"recall", "get"}:
        problems = _disagreements(answers, expected is Expected.ALLOWED) + _compare_explanation(found, case)
        return _Answer(problems, found.lines)
    decision = asker.run(TABLE["check"], {"verb": case.verb, "id": known.id})
    problems = _compare_decision(decision, case, expected) + _disagreements(answers, found.shown)
    return _Answer(problems, (f"{decision.explanation} ({decision.reason}, gate {decision.gate})", *found.lines))


def _why(asker: BoundMemory, known: Known) -> Explanation:
    try:
        return known.author.explain(known.id, viewer=asker)
    except Denied:  # its author may not write there any more, and learns no more than others
        return asker.explain(known.id)


def _answers(asker: BoundMemory, known: Known, case: Case) -> dict[str, bool]:
    """Whether each verb shows the memory."""
    return {
        "check": asker.check("get", id=known.id).verdict is Verdict.ALLOWED,
        "recall": _is_recalled(asker, case.query or known.text, known.id),
        "explain": asker.explain(known.id).shown,
    }


def _is_recalled(asker: BoundMemory, query: str, id: str) -> bool:
    return any(hit.id == id for hit in asker.recall(query, limit=_EVERYTHING))


def _disagreements(answers: Mapping[str, bool], expected: bool) -> list[str]:
    return [f"{verb} {_shows(is_shown)} it" for verb, is_shown in answers.items() if is_shown != expected]


def _shows(is_shown: bool) -> str:
    return "shows" if is_shown else "does not show"


def _compare_decision(decision: Decision, case: Case, expected: Expected) -> list[str]:
    problems = []
    if expected is not Expected.EXPLAINED and decision.verdict != expected.value:
        problems.append(f"expected {expected}, got {decision.verdict}")
    return [*problems, *_compare_words(decision.reason, decision.explanation, case)]


def _compare_explanation(found: Explanation, case: Case) -> list[str]:
    problems = []
    if case.shown is not None and case.shown != found.shown:
        problems.append(f"expected that explain {_shows(case.shown)} it, and it {_shows(found.shown)} it")
    return [*problems, *_compare_words(found.reason, str(found), case)]


def _compare_words(reason: Reason, text: str, case: Case) -> list[str]:
    problems = []
    if case.reason is not None and case.reason is not reason:
        problems.append(f"expected reason {case.reason}, got {reason}")
    return [*problems, *(f"the explanation does not contain `{words}`" for words in case.contains if words not in text)]
