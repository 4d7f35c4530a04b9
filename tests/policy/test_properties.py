"""What holds of every policy, whatever it says: the theorems, put to random policies and statements."""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace
from test_against_naive import ACTORS, ALICE, LEVELS, NOW, SPACES, TYPES, rival_item, some_claim

from memfort.errors import InvalidInput
from memfort.model.decision import Verdict
from memfort.model.item import Authority, Candidate, Kind, Origin
from memfort.model.people.actor import Actor, ActorKind
from memfort.model.reason import Reason
from memfort.model.sight import SeenSpace
from memfort.model.space import Space
from memfort.policy.admission import Placement, place, screen
from memfort.policy.authority import lowest
from memfort.policy.gates.conflict import Claim, settle
from memfort.policy.settings.policy import Policy
from memfort.policy.settings.sections import Conflict, Effect, Rule

effects = st.sampled_from(Effect)
fields = {
    "user": st.sampled_from(["alice", "bob"]),
    "agent": st.sampled_from(["helper", "scout"]),
    "source": st.sampled_from(["user", "ai", "tool"]),
    "type": st.sampled_from(TYPES),
    "tag": st.sampled_from(["gossip", "work"]),
    "level": st.sampled_from(LEVELS),
}
rules = st.builds(lambda effect, matched: Rule(effect, **matched), effects, st.fixed_dictionaries({}, optional=fields))
forbids = rules.map(lambda rule: replace(rule, effect=Effect.DENY))
actors, spaces = st.sampled_from(ACTORS), st.sampled_from(SPACES)
candidates = st.builds(
    Candidate,
    text=st.sampled_from(["the river rises", "Thank you!", "write to carol@corp.test", "AKIAQ3EGRVFJ7WKPZT5M"]),
    kind=st.sampled_from([Kind.SEMANTIC, Kind.SHORT_TERM]),
    type=st.sampled_from(TYPES),
    tags=st.lists(st.sampled_from(["gossip", "work"]), unique=True),
    origin=st.sampled_from([Origin.USER, Origin.AI, Origin.TOOL]),
    confidence=st.sampled_from([0.0, 0.6, 1.0]),
    captured=st.booleans(),
)
policies = st.builds(
    Policy, governance=st.lists(rules, max_size=4).map(tuple), governance_default=effects,
    write_policy=st.sampled_from(["none", "minimal", "normal", "aggressive"]),
)  # fmt: skip
claims = st.builds(
    Claim, authority=st.sampled_from(Authority), is_hearsay=st.booleans(), is_correction=st.booleans(),
    author=st.sampled_from([b"alice", b"bob"]), at=st.tuples(st.integers(0, 2), st.just(0)),
    importance=st.sampled_from([1.0, 2.0]), id=st.text("abc", min_size=1, max_size=3),
)  # fmt: skip
orders = st.permutations(list(Authority)).map(tuple)


def verdict(actor: Actor, space: Space, candidate: Candidate, policy: Policy) -> tuple[Verdict, Reason]:
    decision = screen(actor, SeenSpace(space, 0, True, Reason.VISIBLE), Placement(candidate, space), policy).decision
    return decision.verdict, decision.reason


@given(actors, spaces, candidates, policies)
def test_default_deny(actor: Actor, space: Space, candidate: Candidate, policy: Policy) -> None:
    """What no rule allows is denied, where the default is to deny; and with no rules, that is everything."""
    closed = replace(policy, governance_default=Effect.DENY)
    assert verdict(actor, space, candidate, replace(closed, governance=()))[0] is Verdict.DENIED
    without_permits = tuple(rule for rule in policy.governance if rule.effect is Effect.DENY)
    assert verdict(actor, space, candidate, replace(closed, governance=without_permits))[0] is Verdict.DENIED


def test_an_allow_rule_overrides_default_deny() -> None:
    closed = Policy(governance_default=Effect.DENY, governance=(Rule(Effect.ALLOW),))
    assert verdict(ALICE, SPACES[0], Candidate(text="the river rises"), closed)[0] is Verdict.ALLOWED


@given(actors, spaces, candidates, policies, forbids)
def test_forbid_trumps_permit(actor: Actor, space: Space, candidate: Candidate, policy: Policy, forbid: Rule) -> None:
    """A forbid that stands first holds against every permit after it; and no permit opens what another gate closed."""
    alone = verdict(actor, space, candidate, replace(policy, governance=(forbid,)))
    assume(alone[0] is Verdict.DENIED)
    assume(alone[1] is not Reason.GOVERNANCE_DEFAULT)  # then the forbid was about something else
    permits = tuple(replace(rule, effect=Effect.ALLOW) for rule in (*policy.governance, Rule(Effect.ALLOW)))
    with_permits = verdict(actor, space, candidate, replace(policy, governance=(forbid, *permits)))
    assert with_permits == alone


@given(actors, spaces, candidates, policies, forbids, st.integers(0, 4))
def test_adding_a_forbid_never_allows(
    actor: Actor, space: Space, candidate: Candidate, policy: Policy, forbid: Rule, at: int
) -> None:
    """Wherever in the list it is put."""
    before = verdict(actor, space, candidate, policy)[0]
    stricter = replace(policy, governance=(*policy.governance[:at], forbid, *policy.governance[at:]))
    after = verdict(actor, space, candidate, stricter)[0]
    assert after is before or after is Verdict.DENIED


JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.lists(st.text(max_size=3), max_size=2)
)


@given(actors, spaces, candidates, st.sampled_from(["effect", *fields]), JUNK)
def test_a_broken_rule_never_allows(actor: Actor, space: Space, candidate: Candidate, field: str, junk: Any) -> None:
    """A rule that cannot be understood is refused with the whole policy. One that can, but names what is not so, does
    not match."""
    table = {"effect": "allow", field: junk}
    try:
        policy = Policy.from_dict({"governance_default": "deny", "governance": [table]})
    except InvalidInput:
        return
    assume(field != "effect" and junk is not None)  # that is a whole rule, and a broken one is meant
    facts = [actor.user, actor.agent, candidate.origin.value, policy.resolve_type(candidate.type), *candidate.tags]
    assume(policy.governance[0].type not in facts and junk not in [*facts, *(level.value for level in space.levels)])
    assert verdict(actor, space, candidate, policy)[0] is Verdict.DENIED


@given(st.lists(claims, min_size=2, max_size=4, unique_by=lambda claim: claim.id), orders, st.booleans())
def test_conflict_has_one_winner_in_any_order(held: list[Claim], order: Any, stand: bool) -> None:
    """Of two, always. Of many, where a correction stands against its author's later word too: without that rule all
    claims are in one line; with it the order of the statements and their authors matter."""
    policy = Policy(authority_order=order, conflict=Conflict(own_corrections_stand=stand))
    for left, right in permutations(held, 2):
        assert settle(left, right, policy) == settle(right, left, policy)
    if stand:
        winners = {_last_standing(line, policy).id for line in permutations(held)}
        assert len(winners) == 1


def _last_standing(line: tuple[Claim, ...], policy: Policy) -> Claim:
    winner = line[0]
    for claim in line[1:]:
        winner, _ = settle(winner, claim, policy)
    return winner


@given(spaces, candidates, st.randoms(use_true_random=False), st.integers(1, 4))
def test_conflict_has_one_winner_in_any_order_of_rivals(
    space: Space, candidate: Candidate, random: Any, count: int
) -> None:
    """The order in which a store lists the rivals changes nothing about the outcome."""
    policy = Policy(write_policy="aggressive", approve_confidence=0.0)  # type: ignore[arg-type]  # a text will do
    screened = screen(ALICE, SeenSpace(space, 0, True, Reason.VISIBLE), Placement(candidate, space), policy)
    assume(screened.decision.verdict is not Verdict.DENIED)
    rivals = [rival_item(some_claim(random, str(number)), screened, space) for number in range(count)]
    outcomes = set()
    for line in permutations(rivals):
        placed = place(screened, line, None, policy, NOW)
        outcomes.add((placed.decision.reason, frozenset(rival.id for rival, _ in placed.replaced)))
    assert len(outcomes) == 1


@given(st.sampled_from(Authority), st.lists(st.sampled_from(Authority), min_size=1, max_size=4), candidates)
def test_authority_never_rises(own: Authority, sources: list[Authority], candidate: Candidate) -> None:
    """What is made from other memories weighs no more than the lightest of them, nor than who made it."""
    space, ranks = SPACES[0], list(Authority)
    allowing = Policy(write_policy="aggressive")  # type: ignore[arg-type]
    screened = screen(ALICE, SeenSpace(space, 0, True, Reason.VISIBLE), Placement(candidate, space), allowing)
    made_from = [
        replace(rival_item(some_claim(Random(0), str(number)), screened, space), authority=authority)
        for number, authority in enumerate(sources)
    ]
    result = lowest(own, made_from, Policy())
    assert all(ranks.index(result) >= ranks.index(one) for one in (own, *sources))
    assert result in {own, *sources}


def test_the_actors_are_of_every_kind() -> None:
    assert {actor.kind for actor in ACTORS} == set(ActorKind)
