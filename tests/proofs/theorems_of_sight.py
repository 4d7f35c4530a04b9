"""Theorems about who sees which space. A claim is stated in the fields of things: it calls no helper
of the rule that it is about, or a wrong helper would prove itself."""

from __future__ import annotations

from dataclasses import replace

import z3
from tests.proofs.logic import Truth, both, either, every, has, implies, is_, is_empty, is_given, no, some, union
from tests.proofs.prove import theorem
from tests.proofs.sight import in_sight, leaves_its_space, reads_space
from tests.proofs.symbols import Agent, Maybe, Person
from tests.proofs.things import GROUPS, LEVELS
from tests.proofs.world import World

Statement = tuple[list[Truth], Truth]
SHARED = z3.Bool("shared")


@theorem("An empty standpoint sees nothing.")
def default_deny(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    nowhere = both(is_empty(at.at_user), is_empty(at.at_agents), no(at.at_system), *map(is_empty, at.levels.values()))
    return [nowhere], no(in_sight(space, at, record, SHARED))


@theorem("A standpoint can read a space when every coordinate of the space is one of its own.")
def a_broad_standpoint_never_sees_into_narrow_spaces(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    named = both(
        implies(space.system, at.at_system),
        every(space.agent, lambda one: has(at.at_agents, one)),
        every(space.user, lambda one: either(has(at.at_user, one), is_(space.visibility, "shared"))),
        *(every(space.levels[level], lambda one, level=level: has(at.levels[level], one)) for level in LEVELS),
    )
    return [reads_space(space, at, record)], named


@theorem("A narrow standpoint sees the broad spaces above it.")
def standing_at_more_places_takes_nothing_away(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    more = replace(at, levels={**at.levels, "project": Maybe("at.a_project", at.levels["project"].one.sort())})
    less = replace(at, levels={**at.levels, "project": frozenset()})
    return [in_sight(space, less, record, SHARED)], in_sight(space, more, record, SHARED)


@theorem("Standing at more places adds only what names them.")
def standing_at_more_places_adds_only_what_names_them(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    less = replace(at, levels={**at.levels, "project": frozenset()})
    elsewhere = either(is_given(at.at_user), is_given(at.at_agents), at.at_system)
    return [elsewhere, is_empty(space.levels["project"]), reads_space(space, at, record)], reads_space(
        space, less, record
    )


@theorem("User u: u, or an agent acting for u; what is shared between a user's agents, by each of them.")
def a_users_space_is_read_only_for_that_user(w: World) -> Statement:
    at, space, record, user = w.standpoint(), w.space(), w.directory(), w.person("user")
    theirs = both(is_empty(at.user), some(at.agent, lambda agent: has(record.owner(agent), user)))
    shared = both(is_(space.visibility, "shared"), theirs)
    return [reads_space(space, at, record), has(space.user, user)], either(has(at.user, user), shared)


@theorem("Agent a, private: a's owner, and a itself when it acts for its owner or for nobody.")
def a_private_agent_space_is_read_only_for_its_owner(w: World) -> Statement:
    at, space, record, agent = w.standpoint(), w.space(), w.directory(), z3.Const("agent", Agent)
    owner = some(record.owner(agent), lambda one: has(at.user, one))
    itself = both(has(at.agent, agent), is_empty(at.user))
    private = [has(space.agent, agent), is_(space.visibility, "private")]
    return [reads_space(space, at, record), *private], either(owner, itself)


@theorem("Agent a, public: anyone.")
def a_public_agent_space_is_read_by_anyone(w: World) -> Statement:
    at, space, record, agent = w.standpoint(), w.space(), w.directory(), z3.Const("agent", Agent)
    public = [has(space.agent, agent), is_(space.visibility, "public"), has(at.at_agents, agent)]
    rest = [is_empty(at.levels["chat"]), is_empty(space.user), no(space.system), *map(is_empty, space.levels.values())]
    return [*public, *rest], reads_space(space, at, record)


@theorem("Workspace, team, project, role, org: members. Chat c: participants of c.")
def a_group_is_read_only_by_members(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    joined = both(
        *(
            implies(is_given(space.levels[level]), either(record.member[level], no(record.registered[level])))
            for level in ("chat", *GROUPS)
        )
    )
    return [reads_space(space, at, record)], joined


@theorem('Memberships registered in the store are checked instead when it is opened with `memberships="registered"`.')
def with_registered_memberships_a_word_opens_nothing(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    joined = both(
        *(implies(is_given(space.levels[level]), record.member[level]) for level in ("chat", *GROUPS)),
    )
    return [no(record.takes_word), reads_space(space, at, record)], joined


@theorem("Session s: the actor that the session belongs to.")
def a_session_is_read_only_by_whom_it_belongs_to(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    return [reads_space(space, at, record), is_given(space.levels["session"])], record.belongs["session"]


@theorem("Naming a chat one does not take part in gives nothing, for every registered chat.")
def a_chat_one_does_not_take_part_in_gives_nothing(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    foreign = both(is_given(at.levels["chat"]), record.registered["chat"], no(record.member["chat"]))
    return [foreign], no(in_sight(space, at, record, SHARED))


@theorem(
    "An agent acting for somebody has that somebody's rights, never its owner's: asked by Bob, Alice's agent sees "
    "its public space and what Bob may see."
)
def an_agent_sees_no_more_than_whom_it_acts_for_and_what_is_public(w: World) -> Statement:
    at, space, record = w.standpoint(kinds=("agent",)), w.space(), w.directory()
    person = replace(at, kind="user", agent=frozenset())
    mine, theirs = in_sight(space, at, record, SHARED), in_sight(space, person, record, SHARED)
    return [is_given(at.user), mine], either(theirs, is_(space.visibility, "public"))


@theorem("… and no less.")
def an_agent_sees_what_whom_it_acts_for_sees_from_there(w: World) -> Statement:
    at, space, record = w.standpoint(kinds=("agent",)), w.space(), w.directory()
    person = replace(at, kind="user", agent=frozenset())
    other_agents = every(space.agent, lambda one: has(at.agent, one))
    premises = [is_given(at.user), other_agents, in_sight(space, person, record, SHARED)]
    return premises, in_sight(space, at, record, SHARED)


@theorem("A share: a named actor may read a named space.")
def a_share_opens_one_space_to_its_holder(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    return [no(SHARED), in_sight(space, at, record, SHARED)], reads_space(space, at, record)


@theorem("What is read through a share, or in the public space of somebody else's agent, leaves its space.")
def a_share_and_a_foreign_agents_public_space_leave(w: World) -> Statement:
    at, space, record, agent = w.standpoint(kinds=("user",)), w.space(), w.directory(), z3.Const("agent", Agent)
    foreign = both(has(space.agent, agent), no(some(record.owner(agent), lambda one: has(at.user, one))))
    return [either(foreign, no(reads_space(space, at, record)))], leaves_its_space(space, at, record)


@theorem("What one sees depends on one's own memberships, and on the owners of the agents one names or asks through.")
def sight_depends_on_ones_own_record(w: World) -> Statement:
    at, space, record = w.standpoint(), w.space(), w.directory()
    has_owner, owner = z3.Function("had_owner", Agent, z3.BoolSort()), z3.Function("other_owner", Agent, Person)
    other = replace(record, owner=lambda agent: Maybe("", Person, given=has_owner(agent), one=owner(agent)))
    named = union(at.at_agents, at.agent)
    agree = every(named, lambda one: both(has_owner(one) == w.owner(one).given, owner(one) == w.owner(one).one))
    return [agree], in_sight(space, at, record, SHARED) == in_sight(space, at, other, SHARED)


@theorem(
    "A share holds while its giver may write there; passed on, it goes back to a member. One step: chains of any "
    "length follow by induction."
)
def a_share_in_force_goes_back_to_a_member(w: World) -> Statement:
    share = z3.DeclareSort("Share")
    first, holds, traced, gives, passes = (
        z3.Function(name, share, z3.BoolSort())
        for name in ("is_first", "is_in_force", "goes_back", "giver_may_write", "may_pass_on")
    )
    held = z3.Function("giver_holds", share, share, z3.BoolSort())
    one, before = z3.Consts("one before", share)

    def step(of: z3.FuncDeclRef) -> Truth:
        passed = both(no(first(one)), held(one, before), passes(before), of(before))
        return either(both(first(one), gives(one)), passed)

    premises = [holds(one) == step(holds), traced(one) == step(traced), implies(holds(before), traced(before))]
    return [*premises, holds(one)], traced(one)
