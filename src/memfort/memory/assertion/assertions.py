"""Assertions about a policy: who may do what, put to `check`, `recall` and `explain` of a real memory.

Each one is asked of a fresh memory on the reference store, with a clock that stands still, so no assertion can change
the answer to another. Files of assertions are read by `memfort.memory.assertion.file`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memfort.errors import Denied, InvalidInput, MemfortError
from memfort.memory.assertion.world import Given, Known, Statement, World, world
from memfort.memory.bound import BoundMemory
from memfort.memory.results import Explanation
from memfort.model.decision import Decision, Outcome, Verdict
from memfort.model.reason import Reason
from memfort.model.space import Space
from memfort.policy.settings import Policy

SECONDS_PER_DAY = 86_400
_EVERYTHING = 1000


class Expected(StrEnum):
    """The lists of a file, and what each says of its assertions."""

    ALLOWED = "allowed"
    PENDING = "pending"
    DENIED = "denied"
    EXPLAINED = "explained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(Statement):
    """One line of a file: somebody, somewhere, doing something."""

    actor: str
    says: str | None = None  # the rule in its owner's words, for the report
    verb: str = "recall"
    memory: str | None = None  # by its name in `given`
    query: str | None = None  # for recall; the memory's own words otherwise
    after_days: float = 0.0
    viewer: str | None = None  # `explained`: for whom
    viewer_acting_for: str | None = None
    viewer_at: Mapping[str, str] = field(default_factory=dict)
    shown: bool | None = None
    reason: Reason | None = None
    contains: tuple[str, ...] = ()  # words of the explanation

    def __str__(self) -> str:
        """What is done, by whom and where. A statement is not repeated: it may be one that nobody should see."""
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


@dataclass(frozen=True, slots=True)
class Assertion:
    """A case and what is expected of it."""

    place: str  # file and line
    expected: Expected
    case: Case

    def __str__(self) -> str:
        return f"{self.place}: {self.expected}: {self.case}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of an assertion: the problems, none if it holds, and the memory's own explanation."""

    assertion: Assertion
    problems: tuple[str, ...]
    explanation: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.problems


def put(assertion: Assertion, policy: Policy, given: Given) -> Finding:
    """Ask a fresh memory, and compare the answers of its doors with what is expected and with each other."""
    with world(policy, given) as there:
        try:
            there.clock.advance(assertion.case.after_days * SECONDS_PER_DAY)
            answer = _asked(there, assertion)
        except MemfortError as error:
            return Finding(assertion, (str(error),), ())
    return Finding(assertion, tuple(answer.problems), answer.explanation)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the doors of a memory said to one case."""

    problems: list[str]
    explanation: tuple[str, ...]


def _asked(there: World, assertion: Assertion) -> _Answer:
    case, expected = assertion.case, assertion.expected
    _check_sense(case, expected)
    asker = there.stand(case.actor, case.acting_for, case.at)
    if case.verb == "remember":
        return _asked_to_remember(asker, case, expected)
    if case.memory is None and case.space is not None:
        return _asked_about_space(asker, case, expected)
    known = there.named(case.memory)
    if expected is Expected.EXPLAINED:
        return _asked_to_explain(there, asker, known, case)
    return _asked_about_memory(asker, known, case, expected)


def _check_sense(case: Case, expected: Expected) -> None:
    """Refuse what would be passed over in silence: an assertion that asserts nothing holds whatever happens."""
    if expected is Expected.PENDING and case.verb != "remember":
        raise InvalidInput("verb", f"`{case.verb}` cannot wait for review", "use remember, or another list")
    if expected is Expected.EXPLAINED and case.shown is None and case.reason is None and not case.contains:
        raise InvalidInput("explained", "it asserts nothing", "add `shown`, `reason` or `contains`")
    if case.verb == "remember" and case.memory is not None:
        raise InvalidInput("memory", "a statement is no memory yet", "give its `text` instead")
    unused = [] if case.verb == "remember" else [name for name in case.given if name != "space"]
    if unused:
        raise InvalidInput(unused[0], f"`{case.verb}` has no such thing", "leave it out, or use the verb remember")


def _asked_to_remember(asker: BoundMemory, case: Case, expected: Expected) -> _Answer:
    """Check it, do it, and look whether it is there: `check` may promise nothing that `remember` does not keep."""
    decision = asker.check("remember", **case.given)
    problems = _compared(decision, case, expected)
    try:
        outcome = asker.remember_many([case.given])[0]
    except Denied:  # what the caller may not do at all is raised; a gate's refusal of a statement is an outcome
        outcome = Outcome(decision.but(verdict=Verdict.DENIED))
    if outcome.decision.verdict is not decision.verdict:
        problems.append(f"check said {decision.verdict}, and remember {outcome.decision.verdict}")
    if outcome.item is not None:
        is_due = decision.verdict is Verdict.ALLOWED and decision.reason is not Reason.OUTRANKED
        known = Known(outcome.item.id, outcome.item.text, asker)
        problems += _disagreeing(_doors(asker, known, case), is_due)
    return _Answer(problems, (f"{decision.explanation} ({decision.reason}, gate {decision.gate})",))


def _asked_about_space(asker: BoundMemory, case: Case, expected: Expected) -> _Answer:
    decision = asker.check(case.verb, space=case.space)
    problems = _compared(decision, case, expected)
    is_seen = Space.of(case.space or {}).as_dict() in asker.spaces()
    if decision.verdict is Verdict.ALLOWED and not is_seen:
        problems.append(f"check said {decision.verdict}, and the space is not in sight")
    return _Answer(problems, (f"{decision.explanation} ({decision.reason}, gate {decision.gate})",))


def _asked_to_explain(there: World, asker: BoundMemory, known: Known, case: Case) -> _Answer:
    viewer = None
    if case.viewer is not None:
        viewer = there.stand(case.viewer, case.viewer_acting_for, case.viewer_at, "viewer")
    found = asker.explain(known.id, viewer)
    problems = _compared_explanation(found, case) + _disagreeing(_doors(viewer or asker, known, case), found.shown)
    return _Answer(problems, found.lines)


def _asked_about_memory(asker: BoundMemory, known: Known, case: Case, expected: Expected) -> _Answer:
    """Reading is put to all three doors; what else can be done with a memory, to `check`. Whoever wrote the memory is
    told why, since who may not see it learns only that there is no such thing."""
    doors, found = _doors(asker, known, case), _why(asker, known)
    if case.verb in {"recall", "get"}:
        problems = _disagreeing(doors, expected is Expected.ALLOWED) + _compared_explanation(found, case)
        return _Answer(problems, found.lines)
    decision = asker.check(case.verb, id=known.id)
    problems = _compared(decision, case, expected) + _disagreeing(doors, found.shown)
    return _Answer(problems, (f"{decision.explanation} ({decision.reason}, gate {decision.gate})", *found.lines))


def _why(asker: BoundMemory, known: Known) -> Explanation:
    try:
        return known.author.explain(known.id, asker)
    except Denied:  # its author may not write there any more, and is told no more than anybody
        return asker.explain(known.id)


def _doors(asker: BoundMemory, known: Known, case: Case) -> dict[str, bool]:
    """Whether each door shows the memory."""
    return {
        "check": asker.check("get", id=known.id).verdict is Verdict.ALLOWED,
        "recall": _recalls(asker, case.query or known.text, known.id),
        "explain": asker.explain(known.id).shown,
    }


def _recalls(asker: BoundMemory, query: str, id: str) -> bool:
    return any(hit.id == id for hit in asker.recall(query, limit=_EVERYTHING))


def _disagreeing(doors: Mapping[str, bool], expected: bool) -> list[str]:
    return [f"{door} {_shows(is_shown)} it" for door, is_shown in doors.items() if is_shown != expected]


def _shows(is_shown: bool) -> str:
    return "shows" if is_shown else "does not show"


def _compared(decision: Decision, case: Case, expected: Expected) -> list[str]:
    problems = []
    if expected is not Expected.EXPLAINED and decision.verdict != expected.value:
        problems.append(f"expected {expected}, got {decision.verdict}")
    return [*problems, *_compared_words(decision.reason, decision.explanation, case)]


def _compared_explanation(found: Explanation, case: Case) -> list[str]:
    problems = []
    if case.shown is not None and case.shown != found.shown:
        problems.append(f"expected that explain {_shows(case.shown)} it, and it {_shows(found.shown)} it")
    return [*problems, *_compared_words(found.reason, str(found), case)]


def _compared_words(reason: Reason, text: str, case: Case) -> list[str]:
    problems = []
    if case.reason is not None and case.reason is not reason:
        problems.append(f"expected reason {case.reason}, got {reason}")
    return [*problems, *(f"the explanation does not contain `{words}`" for words in case.contains if words not in text)]
