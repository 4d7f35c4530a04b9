"""Trust in a group: a viewer reads, a contributor ends their own, an approver ends others', an owner adds members."""

from __future__ import annotations

import pytest

from memfort import Denied, NotFound
from memfort.model.space import GROUP_LEVELS

LEVELS = sorted(level.value for level in GROUP_LEVELS)
TRUSTS = ("viewer", "contributor", "approver", "owner")


@pytest.fixture(params=LEVELS)
def level(request):
    return request.param


@pytest.fixture
def group(level):
    return {level: "apollo"}


@pytest.fixture
def member(memory, group):
    """The memory of a member whose name is its trust; `owner2` and so on are others of the same trust."""

    def stand(name):
        return memory.as_user(name, **group)

    for trust in TRUSTS:
        for name in (trust, f"{trust}2"):
            memory.member.add(group, user=name, trust=trust)
    return stand


def write(reader, group, text="the launch is in May", **fields):
    return reader.remember(text, space=group, **fields).id


ENDINGS = {
    "forget": lambda reader, memory_id: reader.forget(memory_id),
    "erase": lambda reader, memory_id: reader.erase(memory_id),
    "correct": lambda reader, memory_id: reader.correct(memory_id, "the launch is in June"),
    "reject": lambda reader, memory_id: reader.review.reject(memory_id),
}
ends = pytest.mark.parametrize("end", ENDINGS.values(), ids=ENDINGS.keys())


def test_a_viewer_reads_and_does_not_write(member, group):
    write(member("contributor"), group)
    viewer = member("viewer")
    assert viewer.recall("launch").texts == ["the launch is in May"]
    denied = viewer.remember("the launch is in July", space=group)
    assert (denied.kept, denied.reason) == (False, "border_write")
    assert viewer.check("remember", text="the launch is in July", space=group).reason == "border_write"
    assert member("contributor").remember("the launch is in July", space=group).kept


@ends
def test_a_viewer_ends_nothing(member, group, end):
    id = write(member("contributor"), group)
    with pytest.raises(Denied, match="read_only_here"):
        end(member("viewer"), id)
    assert member("viewer").get(id) is not None


@ends
def test_a_contributor_ends_their_own_and_nobody_elses(member, group, end):
    own, others = write(member("contributor"), group), write(member("approver"), group, "tea is at four")
    with pytest.raises(Denied, match="level_too_low"):
        end(member("contributor"), others)
    assert member("contributor").get(others) is not None
    end(member("contributor"), own)
    assert member("viewer").get(own) is None


@ends
@pytest.mark.parametrize("name", ["approver2", "owner2"])
def test_an_approver_ends_what_others_wrote(member, group, end, name):
    for author in ("contributor", "approver", "owner"):
        id = write(member(author), group, f"{author} has tea at four")
        end(member(name), id)
        assert member("viewer").get(id) is None


@ends
def test_who_may_not_read_is_told_that_there_is_no_such_memory(memory, member, group, end):
    id = write(member("owner"), group)
    for stranger in (memory.as_user("mallory"), memory.as_user("mallory", **group)):
        with pytest.raises(NotFound) as refused:
            end(stranger, id)
        with pytest.raises(NotFound) as absent:
            end(stranger, "mem_" + "0" * 26)
        assert str(refused.value).replace(id, "") == str(absent.value).replace("mem_" + "0" * 26, "")
    assert member("viewer").get(id) is not None


@pytest.mark.parametrize("verb", ["forget", "erase", "correct", "reject"])
def test_check_answers_as_the_verb_would(member, group, verb):
    id = write(member("contributor2"), group)
    expected = {"viewer": "read_only_here", "contributor": "level_too_low", "approver": "visible", "owner": "visible"}
    assert {name: member(name).check(verb, id=id).reason for name in TRUSTS} == expected
    assert member("contributor2").check(verb, id=id).reason == "visible"


def test_an_agent_acts_with_the_trust_of_its_user(memory, member, group):
    memory.agent.register("bot", owner="contributor")
    bot = memory.as_agent("bot", acting_for="contributor", **group)
    own, others = write(member("contributor"), group), write(member("approver"), group, "tea is at four")
    with pytest.raises(Denied, match="level_too_low"):
        bot.forget(others)
    assert bot.forget(own)
    kept = write(bot, group, "milk is in the fridge")
    assert member("contributor").forget(kept)


# -- review ------------------------------------------------------------------------------------------------------------


def test_an_approver_reviews_and_a_contributor_does_not(member, group):
    waits = write(member("contributor"), group, confidence=0.1)
    for name in ("contributor", "contributor2"):
        for decide in (
            member(name).review.approve,
            lambda waiting, name=name: member(name).review.edit(waiting, "in June"),
        ):
            with pytest.raises(Denied, match="level_too_low"):
                decide(waits)
        assert member(name).check("approve", id=waits).reason == "level_too_low"
    assert member("approver").check("approve", id=waits).reason == "visible"
    [approved] = member("approver").review.approve(waits)
    assert member("viewer").get(approved.id) is not None


def test_a_contributor_may_withdraw_what_waits_of_their_own(member, group):
    waits = write(member("contributor"), group, confidence=0.1)
    with pytest.raises(Denied, match="level_too_low"):
        member("contributor2").review.reject(waits)
    assert member("contributor").review.reject(waits)[0].status == "rejected"


# -- many at once ------------------------------------------------------------------------------------------------------


def test_erasing_a_scope_takes_what_one_may_end(member, group):
    own, others = write(member("contributor"), group), write(member("approver"), group, "tea is at four")
    assert member("viewer").erase(scope=group).counts["memories"] == 0
    receipt = member("contributor").erase(scope=group)
    assert [id for _, id in receipt.items] == [own]
    assert member("viewer").get(others) is not None
    assert [id for _, id in member("approver2").erase(scope=group).items] == [others]


def test_forgetting_a_person_takes_what_one_may_end(member, group):
    own = write(member("contributor"), group, "@bea likes tea")
    others = write(member("approver"), group, "@bea likes milk")
    for erase in (False, True):
        assert not member("viewer").people.forget("@bea", erase=erase).items
    gone = member("contributor").people.forget("@bea", erase=True)
    assert [id for _, id in gone.items] == [own]
    assert member("viewer").get(others) is not None
    assert [id for _, id in member("owner").people.forget("@bea", erase=True).items] == [others]


def test_forgetting_a_person_reaches_no_space_where_one_does_not_stand(memory):
    memory.chat.register("tea", kind="group", participants=["alice", "bea"])
    memory.member.add({"project": "apollo"}, user="alice", trust="owner")
    bea_in_chat = memory.as_user("bea", chat="tea")
    said = bea_in_chat.remember("our kettle is red", space={"chat": "tea"}).id
    planned = memory.as_user("alice", project="apollo").remember("@bea pours tea", space={"project": "apollo"}).id
    alice = memory.as_user("alice")
    for which in ("stated_by", "about", "both"):
        for dry_run in (True, False):
            assert alice.get(said) is None
            assert not alice.people.forget("@bea", which=which, erase=True, dry_run=dry_run).items
    assert memory.as_user("alice", chat="tea").get(said) is not None
    gone = memory.as_user("alice", chat="tea").people.forget("@bea", which="stated_by", erase=True)
    assert [id for _, id in gone.items] == [said]
    standing = memory.as_user("alice", project="apollo")
    assert [id for _, id in standing.people.forget("@bea", erase=True).items] == [planned]


def test_any_participant_deletes_a_memory_of_the_chat(memory):
    memory.chat.register("tea", kind="group", participants=["alice", "bob"])
    id = memory.as_user("alice", chat="tea").remember("our kettle is red", space={"chat": "tea"}).id
    assert memory.as_user("bob", chat="tea").forget(id)
    assert memory.as_user("alice", chat="tea").get(id) is None


def test_in_a_group_that_nobody_registered_everybody_the_host_names_may_end_everything(memory, group):
    id = write(memory.as_user("alice", **group), group)
    assert memory.as_user("bob", **group).forget(id)


# -- what has ended ----------------------------------------------------------------------------------------------------


def test_what_was_forgotten_is_listed_for_those_who_may_end_it(member, group):
    old = write(member("contributor"), group, "the launch is in May")
    member("contributor").forget(old)
    listed = {name: [one.id for one in member(name).list(deleted=True)] for name in (*TRUSTS, "contributor2")}
    assert listed == {"viewer": [], "contributor": [old], "contributor2": [], "approver": [old], "owner": [old]}
    for name in ("viewer", "contributor2"):
        assert member(name).explain(old).reason == "not_found"
        with pytest.raises(NotFound):
            member(name).history(old)
        with pytest.raises(NotFound):
            member(name).erase(old)
    assert member("contributor").explain(old).reason == "forgotten"


def test_what_was_rejected_is_listed_for_those_who_may_end_it(member, group):
    old = write(member("contributor"), group)
    member("approver").review.reject(old)
    listed = {name: [one.id for one in member(name).list(statuses=["rejected"])] for name in (*TRUSTS, "contributor2")}
    assert listed == {"viewer": [], "contributor": [old], "contributor2": [], "approver": [old], "owner": [old]}


def test_the_beginning_of_an_id_finds_only_what_may_be_listed(member, group):
    old = write(member("contributor"), group)
    member("contributor").forget(old)
    assert member("contributor2").explain(old[:-4]).subject == old[:-4]
    assert member("approver").explain(old[:-4]).subject == old


def test_only_an_approver_begins_a_phase(member, group):
    write(member("contributor"), group)
    for name in ("viewer", "contributor"):
        with pytest.raises(Denied, match="level_too_low"):
            member(name).phase.start("spring is over", space=group)
    assert member("approver").phase.start("spring is over", space=group).id == "phase-2"


# -- members and shares ------------------------------------------------------------------------------------------------


def test_an_owner_adds_and_removes_members(member, group):
    owner = member("owner")
    added = owner.member.add(group, user="newcomer", trust="viewer")
    assert "newcomer" in {one.id for one in added}
    assert member("newcomer").recall("anything").texts == []
    assert "newcomer" not in {one.id for one in owner.member.remove(group, user="newcomer")}


@pytest.mark.parametrize("name", ["viewer", "contributor", "approver"])
def test_nobody_else_does(member, group, name):
    with pytest.raises(Denied, match="level_too_low"):
        member(name).member.add(group, user="newcomer")
    with pytest.raises(Denied, match="level_too_low"):
        member(name).member.remove(group, user="owner")
    assert "owner" in {one.id for one in member(name).member.list(group)}


def test_for_strangers_a_group_does_not_exist(memory, member, group, level):
    stranger = memory.as_user("mallory", **group)
    for there in (group, {level: "nowhere"}):
        with pytest.raises(NotFound):
            stranger.member.add(there, user="mallory", trust="owner")
        with pytest.raises(NotFound):
            stranger.member.remove(there, user="owner")
        assert not stranger.member.list(there)


def test_an_agent_adds_nobody_in_its_owners_place(memory, member, group):
    memory.agent.register("bot", owner="owner")
    with pytest.raises(Denied, match="needs_a_person"):
        memory.as_agent("bot", acting_for="owner", **group).member.add(group, user="newcomer")


def test_only_an_owner_shares_the_space_of_a_group(memory, member, group):
    id = write(member("owner"), group)
    for name in ("viewer", "contributor", "approver"):
        with pytest.raises(Denied, match="level_too_low"):
            member(name).share(space=group, user="outsider")
        assert member(name).check("share", space=group).reason == "level_too_low"
    assert memory.as_user("outsider").get(id) is None
    member("owner").share(space=group, user="outsider")
    assert memory.as_user("outsider").get(id) is not None
