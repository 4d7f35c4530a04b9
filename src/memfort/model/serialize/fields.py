"""The fields of a memory, in one table: the meaning of each, who sets it, and where it appears.

`Candidate` and `Item` are the structs with their types; a test fails when one of them has a field that is not here, or
the other way round. The names a caller may give, the stored record, JSON, the options of `memfort remember` and
docs/reference/memory.md come from this table or are checked against it. No other module lists the fields of a memory.
"""

from __future__ import annotations

from msgspec import Struct


class MemoryField(Struct, frozen=True):
    """One field. Its type and its default are those of the struct that has it."""

    name: str
    description: str
    given: bool = False  # a caller may give it, to `remember` and in a batch
    given_as: str = ""  # the caller's name for it, if it differs
    proposed: bool = False  # `Candidate` has it
    stored: bool = True  # `Item` has it, and so have the stored record, exports and JSON
    required: bool = False  # an export has to name it, even without a value
    options: tuple[str, ...] = ()  # of `memfort remember`


def _given(name: str, description: str, *options: str, stored: bool = True, given_as: str = "") -> MemoryField:
    """A field that a caller may give."""
    return MemoryField(
        name, description, given=True, given_as=given_as, proposed=True, stored=stored, options=tuple(options)
    )


def _given_or_null(name: str, description: str, *options: str) -> MemoryField:
    return MemoryField(name, description, given=True, proposed=True, required=True, options=tuple(options))


def _set(name: str, description: str) -> MemoryField:
    """A field that the engine sets."""
    return MemoryField(name, description)


def _set_or_null(name: str, description: str) -> MemoryField:
    return MemoryField(name, description, required=True)


FIELDS: tuple[MemoryField, ...] = (
    _set("id", "opaque and deterministic: a digest of space, author, kind, audience and number"),
    _set("number", "its place in its author's own sequence in the space"),
    _given("space", "the coordinates it lives in; the caller's own space when not given", "--space"),
    _given("visibility", "in place of a space: private, public or shared", "--visibility", stored=False),
    _given("kind", "`short_term` (a turn), `semantic` (a statement) or `profile` (a fact under a key)", "--kind"),
    _given("type", "a type of the policy; inferred from the words when not given", "--type"),
    _given("text", "the statement"),
    _given_or_null("key", "the name of a profile fact, such as `timezone`", "--key"),
    _given("tags", "labels of the caller's own", "--tag"),
    _set("author", "the actor who wrote it"),
    _given("origin", "who the words came from: user, ai, tool or system", "--origin"),
    _given_or_null("source", "the import batch it came from"),
    _given_or_null("observed_at", "when it was so, if that differs from when it was written", "--observed-at"),
    _given("sensitivity", "public, personal or sensitive; never less than its words say", "--sensitivity"),
    MemoryField("judgement", "why it has that sensitivity, where nobody stated it", proposed=True),
    _given(
        "readers",
        "who of those who see the space may read it: lists of users and agents",
        "--reader-user",
        "--reader-agent",
        given_as="access",
    ),
    _given("confidence", "how sure it is, from 0 to 1; low confidence waits for review", "--confidence"),
    _set("authority", "how much weight the words carry in a conflict"),
    _given("importance", "from 0 to 10; set by rules when not given", "--importance"),
    _set("pii_risk", "how much personal data its words hold; 0 for none"),
    _given("status", "pending, approved, rejected or superseded; a caller may ask for the first three", "--status"),
    _set("status_reason", "the reason code of its status"),
    _set("created_at", "when it was written"),
    _set("updated_at", "when it was last changed"),
    _given("ttl_seconds", "how long it lives, in seconds", "--ttl", stored=False),
    _given("ttl_ticks", "how many more memories may come into force beside it", "--ttl-ticks", stored=False),
    _given_or_null("expires_at", "when it expires", "--expires-at"),
    _set("fades_at", "when a lifetime guessed from its words is over: from then on it is shown only when asked for"),
    _set_or_null("supersedes", "the memory that it is a new wording of"),
    _set_or_null("superseded_by", "the memory that replaced it"),
    _given("derived_from", "ids in the same space that it was made from; an erase follows them", "--derived-from"),
    _set_or_null("deleted_at", "when it was forgotten or expired"),
    _set_or_null("deleted_reason", "the reason code of its end"),
    _given("provenance", "where the words came from: any JSON of the caller's", "--provenance"),
    _given("meta", "any JSON of the caller's", "--meta"),
    _set("policy", "digest of the policy that admitted it"),
    _set("version", "1 when written, one more for each change"),
    _given(
        "event_type",
        "preference, decision, fact, correction, execution or context; by default that of its type",
        "--event-type",
    ),
    _given("is_correction", "whether it was said to put something right", "--correction", "--no-correction"),
    _given("subjects", "the persons it is about: ids, `@handles` or names", "--subject"),
    MemoryField("stated_by", "the person who said it", proposed=True),
    MemoryField("learned_in", "the chat where it was said; empty outside any, null if unknown", proposed=True),
    MemoryField(
        "learned_kind",
        "the kind of that chat at that time, and whether it was said elsewhere too; null if it was not registered",
        proposed=True,
    ),
    MemoryField("learned_with", "the persons who listened there at that time", proposed=True),
    _given("portable", "whether those it is about may see it in other chats", "--portable", "--stays-here"),
    _given("captured", "taken from a conversation, and not asked for", stored=False),
    MemoryField("type_inferred", "whether its type was inferred, and not named", proposed=True, stored=False),
    MemoryField("about_nobody", "whether the caller says that it is about no person", proposed=True, stored=False),
    _set("authority_reason", "where its authority comes from"),
    _given("importance_reasons", "the rules that set its importance"),
    _set("policy_tags", "the rules that admitted and keep it"),
    _set("in_force_at", "when it was approved"),
    _set("created_tick", "how many memories of its space had come into force with it; 0 while it waits"),
    _set("expires_tick", "the tick at which it expires"),
    _set("phase", "the phase of its space when it was written"),
    _set("ended_phase", "the phase of its space when it was superseded or deleted"),
    _set("approvals", "who has agreed to a promotion that waits"),
    _set("replaces", "the memories that it replaced, besides the one it is a new wording of"),
    _set_or_null("may_replace", "an earlier memory in force that it may replace, which its words do not say for sure"),
    _set("promoted_from", "the memory in another space that it is a copy of"),
    _set("promotion_reason", "why it was promoted"),
    _set("uses", "how often it was reported to have been of use"),
    _set("type_chosen", "whether the default type was named, and not taken because none was"),
    _given("conversation", "the id of the conversation that it belongs to", "--conversation"),
    MemoryField("evidence", "the turn that it was taken from, and the words of the turn that say it", proposed=True),
    _given("occurred", "when the event happened that it tells of: start, end and precision", "--occurred"),
)

GIVEN = frozenset(one.given_as or one.name for one in FIELDS if one.given)
PROPOSED = frozenset(one.name for one in FIELDS if one.proposed)
STORED = frozenset(one.name for one in FIELDS if one.stored)
REQUIRED_IN_EXPORTS = frozenset(one.name for one in FIELDS if one.required)
