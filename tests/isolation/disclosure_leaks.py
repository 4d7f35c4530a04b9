"""Deliberate leaks of disclosure: each brings back one way in which memories once reached people they were not for.
They are registered with the other leaks between chats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chat_leaks import CHAT_LEAKS, Patch, change_rules, leak, patch_listeners
from msgspec import structs
from msgspec.structs import replace

from memfort.engine import engine as engines
from memfort.engine.engine import Engine
from memfort.model import sight as model_sights
from memfort.model.audience import Audience, Listeners, learned_of
from memfort.model.item import Readers, Sensitivity
from memfort.model.learned import Learned, LearnedKind
from memfort.model.people.directory import Chat, ChatKind
from memfort.model.people.person import person_of_user
from memfort.model.reason import Reason
from memfort.operations.admit import decide, enrich
from memfort.policy import disclosure
from memfort.policy import sight as sights
from memfort.policy.disclosure import TABLE, Column, ListenerDisclosure
from memfort.testing.space_histories.cast import BEA

__all__ = ["CHAT_LEAKS"]

_ABOUT = Reason.ABOUT_LISTENER


# -- who listens ------------------------------------------------------------------------------------------------------


@leak("in a private chat everything about a participant is disclosed, whoever else listens")
def disclosed_about_the_partner(patch: Patch) -> None:
    original = ListenerDisclosure.verdict_about

    def verdict_about(
        self: ListenerDisclosure, audience: Audience, person: str, owner: str | None, *, is_named: bool = True
    ) -> Reason:
        public = replace(audience, sensitivity=Sensitivity.PUBLIC)
        is_private = self.listeners.kind is disclosure.ListenersKind.PRIVATE
        alone = replace(self.listeners, listening=frozenset({person}))
        asked = structs.replace(self, listeners=alone) if is_private else self
        return original(asked, public if is_private else audience, person, owner, is_named=is_named)

    patch.setattr(ListenerDisclosure, "verdict_about", verdict_about)


def _judge(patch: Patch, change: Callable[[Listeners, Column], Listeners]) -> None:
    """Let the table judge other listeners than those who listen."""
    original = ListenerDisclosure._by_table

    def by_table(self: ListenerDisclosure, column: Column, memory: Any) -> Reason:
        return original(structs.replace(self, listeners=change(self.listeners, column)), column, memory)

    patch.setattr(ListenerDisclosure, "_by_table", by_table)


@leak("what someone says alone is said again in their private chats with others")
def personal_memories_for_the_asker_only(patch: Patch) -> None:
    for sensitivity in (Sensitivity.PERSONAL, Sensitivity.SENSITIVE):
        patch.setitem(TABLE[sensitivity], Column.TWO, TABLE[sensitivity][Column.ONE])  # type: ignore[arg-type]
    _judge(patch, _only_the_asker)


def _only_the_asker(listeners: Listeners, column: Column) -> Listeners:
    is_asked = column is Column.TWO and listeners.asker is not None
    return replace(listeners, listening=frozenset({listeners.asker})) if is_asked else listeners


@leak("in a private chat of two only the partner is judged, and not the asker")
def only_the_partner_is_judged(patch: Patch) -> None:
    def without_asker(listeners: Listeners, column: Column) -> Listeners:
        others = listeners.listening - {listeners.asker}
        return replace(listeners, listening=others) if column is Column.TWO else listeners

    _judge(patch, without_asker)


@leak("in a private chat of two, one listener with a reason is enough")
def one_reason_is_enough(patch: Patch) -> None:
    original = ListenerDisclosure._by_table

    def by_table(self: ListenerDisclosure, column: Column, memory: Any) -> Reason:
        if column is not Column.TWO:
            return original(self, column, memory)
        single = (replace(self.listeners, listening=frozenset({one})) for one in self.listeners.listening)
        found = [original(structs.replace(self, listeners=one), column, memory) for one in single]
        return next((one for one in found if one in disclosure._HEARD), Reason.NOT_FOR_THIS_CHAT)

    patch.setattr(ListenerDisclosure, "_by_table", by_table)


@leak("the owners of the agents in a chat do not count as listeners")
def owners_of_agents_do_not_listen(patch: Patch) -> None:
    patch_listeners(patch, lambda one: replace(one, listening=one.present or one.listening))


@leak("a reader list is checked for those present, and not for the owners of the agents")
def readers_are_asked_of_those_present(patch: Patch) -> None:
    original = Listeners.is_among

    def is_among(self: Listeners, readers: Readers) -> bool:
        persons = frozenset[str | None]({None}) if self.present else self.agents
        return original(replace(self, listening=self.present or self.listening, agents=persons), readers)

    patch.setattr(Listeners, "is_among", is_among)


# -- whom it is about -------------------------------------------------------------------------------------------------


def _any_subject(patch: Patch, column: Column) -> None:
    for sensitivity in (Sensitivity.PERSONAL, Sensitivity.SENSITIVE):
        reasons = TABLE[sensitivity][column] or {}
        if _ABOUT in reasons:
            loose = {**reasons, _ABOUT: lambda case: case.listener in case.memory.audience.subjects}
            patch.setitem(TABLE[sensitivity], column, loose)  # type: ignore[arg-type]


@leak("alone, one hears what is about oneself and somebody else")
def several_subjects_alone(patch: Patch) -> None:
    _any_subject(patch, Column.ONE)


@leak("in a group the asker hears what is about them and somebody else")
def several_subjects_in_a_group(patch: Patch) -> None:
    _any_subject(patch, Column.GROUP)


@leak("memories about named people come from groups that the asker was not in")
def named_people_from_any_group(patch: Patch) -> None:
    def may_name(self: ListenerDisclosure, audience: Audience) -> bool:
        return self._is_group and audience.sensitivity is Sensitivity.PUBLIC and audience.learned.is_group

    patch.setattr(ListenerDisclosure, "_may_name", may_name)


@leak("memories about people are disclosed from projects and from agents' private spaces")
def disclosed_from_every_space(patch: Patch) -> None:
    for module in (model_sights, disclosure):
        patch.setattr(module, "may_disclose_from", lambda space: True)


@leak("public memories of one's own are shown in every chat, whatever the policy says")
def own_public_memories_everywhere(patch: Patch) -> None:
    change_rules(patch, lambda rules: replace(rules, own_public_everywhere=True))


# -- where it was learned ---------------------------------------------------------------------------------------------


@leak("a correction has the origin of the old wording")
def corrections_keep_the_old_origin(patch: Patch) -> None:
    _reword(patch, lambda here, earlier: earlier)


@leak("a correction has the origin of the chat where it is made")
def corrections_take_the_new_origin(patch: Patch) -> None:
    _reword(patch, lambda here, earlier: here)


def _reword(patch: Patch, choose: Callable[[Learned, Learned], Learned]) -> None:
    original = enrich._learned

    def learned(sight: Any, placement: Any) -> Learned:
        here, earlier = original(sight, replace(placement, supersedes=None)), placement.supersedes
        return here if earlier is None else choose(here, learned_of(earlier))

    patch.setattr(enrich, "_learned", learned)


@leak("a derived memory does not have the origin of its source")
def derived_memories_lose_their_origin(patch: Patch) -> None:
    patch.setattr(decide, "strictest", lambda origins: next(iter(origins)))


def _look_up_origin(patch: Patch, change: Callable[[Learned, Chat], Learned]) -> None:
    """Judge by the directory as it is now, and not by the origin that was recorded."""
    engines_in_use: list[Engine] = []
    original, verdict = Engine.disclosure_for, ListenerDisclosure.verdict
    verdict_about = ListenerDisclosure.verdict_about

    def disclosure_for(self: Engine, standpoint: Any) -> ListenerDisclosure:
        engines_in_use[:] = [self]
        return original(self, standpoint)

    def now(audience: Audience) -> Audience:
        chat = engines_in_use[0].store.chat(audience.learned.chat) if audience.learned.chat else None
        return audience if chat is None else replace(audience, learned=change(audience.learned, chat))

    patch.setattr(Engine, "disclosure_for", disclosure_for)
    patch.setattr(ListenerDisclosure, "verdict", lambda self, seen, audience: verdict(self, seen, now(audience)))
    patch.setattr(
        ListenerDisclosure,
        "verdict_about",
        lambda self, audience, person, owner, *, is_named=True: verdict_about(
            self, now(audience), person, owner, is_named=is_named
        ),
    )
    patch.setattr(engines, "can_be_disclosed", lambda item, rules: bool(item.subjects))


def _kind_of(chat: Chat) -> LearnedKind:
    return LearnedKind.GROUP if chat.kind is ChatKind.GROUP else LearnedKind.PRIVATE


@leak("a private chat that becomes a group opens what was said in it")
def registering_a_group_opens_a_private_chat(patch: Patch) -> None:
    _look_up_origin(patch, lambda learned, chat: replace(learned, kind=learned.kind and _kind_of(chat)))


@leak("registering a chat opens what was said in it before")
def registering_a_chat_opens_it(patch: Patch) -> None:
    _look_up_origin(patch, lambda learned, chat: replace(learned, kind=learned.kind or _kind_of(chat)))


@leak("who joins a chat counts as having been there")
def who_joins_was_there(patch: Patch) -> None:
    def with_participants(learned: Learned, chat: Chat) -> Learned:
        inside = (person_of_user(one.id) for one in chat.participants)
        return replace(learned, listeners=tuple(sorted({*learned.listeners, *inside})))

    _look_up_origin(patch, with_participants)


@leak("what was said in a private chat is said there again, whoever has joined")
def said_here_before_they_came(patch: Patch) -> None:
    def all_heard_it(self: ListenerDisclosure, memory: Any) -> bool:
        learned = memory.audience.learned
        return learned.kind is LearnedKind.PRIVATE and learned.chat == self.listeners.chat

    patch.setattr(ListenerDisclosure, "_all_heard_it", all_heard_it)


# -- chats that one is not in -----------------------------------------------------------------------------------------


def _open_chats(patch: Patch, may_enter: Callable[[Any], bool]) -> None:
    original, names_foreign_chat = sights.sight, sights._names_foreign_chat

    def sight(standpoint: Any, *rest: Any) -> Any:
        if not may_enter(standpoint.actor):
            return original(standpoint, *rest)
        sights._names_foreign_chat = lambda *_: False  # type: ignore[assignment]
        try:
            return original(standpoint, *rest)
        finally:
            sights._names_foreign_chat = names_foreign_chat

    patch.setattr(engines, "sight", sight)


@leak("naming a chat is enough to hear what is disclosed there")
def naming_a_chat_opens_it(patch: Patch) -> None:
    _open_chats(patch, lambda actor: actor.user == BEA)


@leak("what is stated in the name of a chat counts as said there, by whoever it is")
def strangers_speak_in_a_chat(patch: Patch) -> None:
    _open_chats(patch, lambda actor: actor.user != BEA)
