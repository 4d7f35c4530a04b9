"""Reason codes: stable names for why something was decided, each with the sentence that explains it.

The codes are public API: they appear in events, answers and exit messages, and tests pin them. A sentence may be
improved; a code never changes its meaning. No sentence quotes the text that was decided on.
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """The reason of a decision. The explanation of each is in `EXPLANATIONS`."""

    # standing: may this actor take this coordinate?
    OWN_IDENTITY = "own_identity"
    ACTING_FOR = "acting_for"
    OWNER_OF_AGENT = "owner_of_agent"
    AGENT_ITSELF = "agent_itself"
    PUBLIC_TO_ALL = "public_to_all"
    MEMBER = "member"
    PARTICIPANT = "participant"
    HOST_VOUCHED = "host_vouched"
    OWN_PLACE = "own_place"
    SYSTEM_READABLE = "system_readable"
    SYSTEM_ACTOR = "system_actor"
    SHARED_WITH_YOU = "shared_with_you"
    SHARED_BY_OWNER = "shared_by_owner"
    NOT_YOUR_IDENTITY = "not_your_identity"
    NOT_A_MEMBER = "not_a_member"
    NOT_A_PARTICIPANT = "not_a_participant"
    PUBLIC_READ_ONLY = "public_read_only"
    NO_OWNER_HERE = "no_owner_here"
    SYSTEM_READ_ONLY = "system_read_only"
    NOT_WHERE_YOU_STAND = "not_where_you_stand"

    # writing
    ALLOWED = "allowed"
    BORDER_WRITE = "border_write"
    WRITER_NOT_A_READER = "writer_not_a_reader"
    SECRET = "secret"  # noqa: S105  # the code for a refused secret, not one
    TOO_LARGE_TO_CHECK = "too_large_to_check"
    GOVERNANCE_RULE = "governance_rule"
    GOVERNANCE_DEFAULT = "governance_default"
    SPACE_DISABLED = "space_disabled"
    WRITE_SPACE_DISALLOWED = "write_space_disallowed"
    WRITE_POLICY_NONE = "write_policy_none"
    WRITE_POLICY_MINIMAL = "write_policy_minimal"
    WRITE_POLICY_CONTEXT = "write_policy_context"
    POLICY_DENY_EVENT_TYPE = "policy_deny_event_type"
    POLICY_DENY_PROMOTION = "policy_deny_promotion"
    POLICY_LOW_SIGNAL = "policy_low_signal"
    PRIVACY_DENY_SENSITIVE = "privacy_deny_sensitive"
    PRIVACY_DENY_PATTERN = "privacy_deny_pattern"
    PRIVACY_DENY_PROFILE_KEY = "privacy_deny_profile_key"
    PERSONAL_SHARED = "personal_shared"
    PRIVATE_IN_PUBLIC = "private_in_public"
    PERSONAL_REVIEW = "personal_review"
    PERSONAL_DENIED = "personal_denied"
    PERSONAL_REDACTED = "personal_redacted"
    INSTRUCTION_LIKE = "instruction_like"
    CONFIDENT = "confident"
    LOW_CONFIDENCE = "low_confidence"
    DISCARDED = "discarded"
    ASKED_FOR = "asked_for"
    REJECTED_BEFORE = "rejected_before"
    ENDED_BEFORE = "ended_before"
    DUPLICATE = "duplicate"
    ALREADY_OBSERVED = "already_observed"
    OTHER_TEXT = "other_text"
    INVALID = "invalid"
    SOURCE_SEEN = "source_seen"
    OUTRANKED = "outranked"
    CORRECTION = "correction"
    BUDGET_FULL = "budget_full"

    # reading
    MATCHES_QUERY = "matches_query"
    RECENCY = "recency"
    IMPORTANCE = "importance"
    ACTIVE_RULE = "active_rule"
    BESIDE_A_HIT = "beside_a_hit"
    NO_MATCH = "no_match"
    WEAK_MATCH = "weak_match"
    BELOW_LIMIT = "below_limit"
    SHOWN_ONCE = "shown_once"
    BRIEFING = "briefing"
    NOT_ASKED_FOR = "not_asked_for"
    OUTSIDE_ASKED_SPACE = "outside_asked_space"
    TOKENS_FULL = "tokens_full"
    NOT_A_READER = "not_a_reader"
    PENDING_REVIEW = "pending_review"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"
    UNDONE = "undone"
    REDONE = "redone"
    BACK_IN_FORCE = "back_in_force"
    CORRUPT = "corrupt"
    NOT_FOUND = "not_found"
    VISIBLE = "visible"

    # who may hear it
    ABOUT_PERSON = "about_person"
    ABOUT_LISTENER = "about_listener"
    STATED_BY_LISTENER = "stated_by_listener"
    LISTENER_WAS_THERE = "listener_was_there"
    SELF_MEMORY = "self_memory"
    OWNED_BY_LISTENER = "owned_by_listener"
    PROVENANCE_OPEN = "provenance_open"
    READ_BY_LISTENER = "read_by_listener"
    NOT_FOR_THIS_CHAT = "not_for_this_chat"
    LEARNED_IN_PRIVATE = "learned_in_private"
    LEARNED_OUTSIDE = "learned_outside"
    PROVENANCE_UNKNOWN = "provenance_unknown"
    CHAT_NOT_REGISTERED = "chat_not_registered"
    SAID_HERE = "said_here"
    NOT_PORTABLE = "not_portable"

    # changing and ending
    APPROVED = "approved"
    EDITED = "edited"
    USED = "used"
    NEEDS_A_PERSON = "needs_a_person"
    READ_ONLY_HERE = "read_only_here"
    NOT_TO_PASS_ON = "not_to_pass_on"  # noqa: S105  # the code of a refusal, not a password
    REVIEW_PROVEN = "review_proven"
    ERASED = "erased"
    ERASURE_PENDING = "erasure_pending"
    REGISTERED = "registered"
    REVOKED = "revoked"
    IMPORTED = "imported"
    NEW_KEY = "new_key"
    BACKED_UP = "backed_up"
    RESTORED = "restored"
    INDEXED = "indexed"
    EMBEDDED = "embedded"
    SENSITIVITY_JUDGED = "sensitivity_judged"
    RELEARNED = "relearned"
    SENT_TO_MODEL = "sent_to_model"
    WITHHELD_FROM_MODEL = "withheld_from_model"
    READ_BY_MODEL = "read_by_model"
    MODEL_FAILED = "model_failed"
    QUEUED_AGAIN = "queued_again"
    QUEUE_DROPPED = "queue_dropped"
    SIGNED = "signed"
    TTL_EXPIRED = "ttl_expired"
    DECAY = "decay"
    EVICTED = "evicted"
    REPAIRED = "repaired"
    PHASE_RETIRED = "phase_retired"
    PROMOTED = "promoted"
    PROMOTION_DISALLOWED = "promotion_disallowed"
    PROMOTION_EVENT_TYPE = "promotion_event_type"
    PROMOTION_AUTHORITY = "promotion_authority"
    PROMOTION_WAITS = "promotion_waits"
    RELEASE_WAITS = "release_waits"
    RELEASED = "released"
    LEVEL_TOO_LOW = "level_too_low"
    PHASE_DISABLED = "phase_disabled"
    PHASE_DIFF_DISABLED = "phase_diff_disabled"
    OTHER_PHASE = "other_phase"
    PHASE_AUTO = "auto"
    INTERACTION_RECORDED = "interaction_recorded"
    POLICY_IN_USE = "policy_in_use"

    # people: who is meant, and who may change what is known of them
    NAMED_AS_SPEAKER = "named_as_speaker"
    NAMED_AS_USER = "named_as_user"
    NAMED_BY_ID = "named_by_id"
    OWN_RELATION = "own_relation"
    OWN_CONNECTION = "own_connection"
    ONLY_ONE_CALLED_SO = "only_one_called_so"
    SEVERAL_CALLED_SO = "several_called_so"
    NOBODY_CALLED_SO = "nobody_called_so"
    PERSON_CREATOR = "person_creator"
    PERSON_THEMSELVES = "person_themselves"
    PERSON_KEPT = "person_kept"
    PERSON_MENTIONED = "person_mentioned"
    NOT_YOUR_PERSON = "not_your_person"
    LISTED_BY_THEMSELVES = "listed_by_themselves"
    DIFFERENT_USERS = "different_users"


EXPLANATIONS: dict[Reason, str] = {
    Reason.OWN_IDENTITY: "it is the actor's own identity",
    Reason.ACTING_FOR: "the agent acts for this user",
    Reason.OWNER_OF_AGENT: "the actor owns this agent",
    Reason.AGENT_ITSELF: "the agent acts for its owner or for no user",
    Reason.PUBLIC_TO_ALL: "the agent's public space can be read by anyone",
    Reason.MEMBER: "the actor is a registered member",
    Reason.PARTICIPANT: "the actor takes part in this chat",
    Reason.HOST_VOUCHED: "the host program vouches for this place",
    Reason.OWN_PLACE: "the place belongs to the actor",
    Reason.SYSTEM_READABLE: "the system space can be read by anyone",
    Reason.SYSTEM_ACTOR: "the system actor may write in the system space",
    Reason.SHARED_WITH_YOU: "the space was shared with the actor",
    Reason.SHARED_BY_OWNER: "its owner shares it with all of their agents; nothing else of the owner's is in reach",
    Reason.NOT_YOUR_IDENTITY: "it belongs to another user or agent, and only they read it",
    Reason.NOT_A_MEMBER: "the actor is not a member",
    Reason.NOT_A_PARTICIPANT: "the actor does not take part in this chat",
    Reason.PUBLIC_READ_ONLY: "only the agent's owner, or the agent itself, may do more than read what is public",
    Reason.NO_OWNER_HERE: "a session, paper or track needs the user or agent it belongs to",
    Reason.SYSTEM_READ_ONLY: "only the system actor writes in the system space",
    Reason.NOT_WHERE_YOU_STAND: "the space has a coordinate that the actor does not stand at",
    Reason.ALLOWED: "no rule was against it",
    Reason.BORDER_WRITE: "the actor may not write in this space; it has to stand there (`level=id`), not as a viewer",
    Reason.WRITER_NOT_A_READER: "its reader list leaves out who writes it; add yourself to `access`, or leave it out",
    Reason.SECRET: "it looks like a credential, key or card number; those are never stored",
    Reason.TOO_LARGE_TO_CHECK: "it is too large to be checked for secrets; what cannot be checked is not stored",
    Reason.GOVERNANCE_RULE: "a governance rule decided",
    Reason.GOVERNANCE_DEFAULT: "no governance rule matched, and the default is to deny",
    Reason.SPACE_DISABLED: "the policy does not consult spaces of this level",
    Reason.WRITE_SPACE_DISALLOWED: "the policy allows no direct writes in spaces of this level",
    Reason.WRITE_POLICY_NONE: "the write policy is `none`: nothing lasting is kept",
    Reason.WRITE_POLICY_MINIMAL: "the write policy `minimal` keeps only facts, preferences, decisions and corrections",
    Reason.WRITE_POLICY_CONTEXT: "the write policy is `normal`: small talk is not kept",
    Reason.POLICY_DENY_EVENT_TYPE: "the policy does not allow this event type",
    Reason.POLICY_DENY_PROMOTION: "the policy keeps no memory of this kind for this event type",
    Reason.POLICY_LOW_SIGNAL: "it has too little content to keep",
    Reason.PRIVACY_DENY_SENSITIVE: "it contains a word that the policy lists as sensitive",
    Reason.PRIVACY_DENY_PATTERN: "it matches a pattern that the policy refuses",
    Reason.PRIVACY_DENY_PROFILE_KEY: "the policy allows no profile fact under this key",
    Reason.PERSONAL_SHARED: "it contains personal data, and this space is shared",
    Reason.PRIVATE_IN_PUBLIC: "it is personal or sensitive, and this space is public",
    Reason.PERSONAL_REVIEW: "it contains personal data and waits for review",
    Reason.PERSONAL_DENIED: "it contains personal data, and the policy denies that here",
    Reason.PERSONAL_REDACTED: "personal data in it was replaced, as the policy says",
    Reason.INSTRUCTION_LIKE: "it reads like instructions to a model and was not said by a person; it waits for review",
    Reason.CONFIDENT: "it is sure enough to be in force",
    Reason.LOW_CONFIDENCE: "its confidence is below the threshold for approval",
    Reason.DISCARDED: "it was extracted without a request, and its confidence is below the policy's minimum",
    Reason.ASKED_FOR: "this status was asked for",
    Reason.REJECTED_BEFORE: "a reviewer rejected this value, and only equal or higher authority can restate it",
    Reason.ENDED_BEFORE: "these words were forgotten or erased here, and older material does not bring them back",
    Reason.DUPLICATE: "the same statement is already here",
    Reason.ALREADY_OBSERVED: "this message was observed before",
    Reason.OTHER_TEXT: "a message with this id was observed before, with another text",
    Reason.INVALID: "it cannot be used as given",
    Reason.SOURCE_SEEN: "the same bytes were imported before",
    Reason.OUTRANKED: "the memory it would replace has higher authority, or was said later",
    Reason.CORRECTION: "a correction replaced what was there",
    Reason.BUDGET_FULL: "its author's budget is full; forget something first",
    Reason.MATCHES_QUERY: "it matches the query by its words, its meaning or its context",
    Reason.RECENCY: "it was said just now, or it states the newest value of what was asked",
    Reason.IMPORTANCE: "its importance has a share in its score, or in its place in an overview",
    Reason.ACTIVE_RULE: "it holds whatever is asked: a fact about a profile, an instruction or a standing wish",
    Reason.BESIDE_A_HIT: "it is the turn before or after one that was found, and is shown with it",
    Reason.NO_MATCH: "it is not relevant enough to the query",
    Reason.WEAK_MATCH: "little speaks for it; it comes because few others match",
    Reason.BRIEFING: "it belongs to what is known of whom or what an overview was asked for",
    Reason.SHOWN_ONCE: "another memory that comes says the same",
    Reason.BELOW_LIMIT: "it matches, but others filled the limit before it",
    Reason.NOT_ASKED_FOR: "it is not of the kinds, types or tags that were asked for",
    Reason.OUTSIDE_ASKED_SPACE: "it is not in the space that was asked",
    Reason.TOKENS_FULL: "it was recalled, but did not fit in the token budget",
    Reason.NOT_A_READER: "its reader list does not name the actor",
    Reason.PENDING_REVIEW: "it waits for review",
    Reason.REJECTED: "a reviewer rejected it",
    Reason.SUPERSEDED: "another memory replaced it",
    Reason.RETRACTED: "whoever said it took it back",
    Reason.EXPIRED: "it has expired",
    Reason.FORGOTTEN: "it was forgotten",
    Reason.UNDONE: "it was taken back by an undo",
    Reason.REDONE: "an undo that took it was taken back",
    Reason.BACK_IN_FORCE: "what had replaced it was taken back",
    Reason.CORRUPT: "its stored bytes are damaged, so it is never shown",
    Reason.NOT_FOUND: "there is no such memory that you can see",
    Reason.VISIBLE: "the actor may read its space",
    Reason.ABOUT_PERSON: "it is another user's memory about a person who is present or was named",
    Reason.ABOUT_LISTENER: "it is only about this listener",
    Reason.STATED_BY_LISTENER: "this listener said it",
    Reason.LISTENER_WAS_THERE: "this listener was in the chat when it was said",
    Reason.SELF_MEMORY: "the asker said it, and it is about no other person",
    Reason.OWNED_BY_LISTENER: "it belongs to this listener",
    Reason.PROVENANCE_OPEN: "it is not known where it was learned, and the policy opens such memories",
    Reason.READ_BY_LISTENER: "this listener may read it anyway",
    Reason.NOT_FOR_THIS_CHAT: "not everyone who listens may hear it",
    Reason.LEARNED_IN_PRIVATE: "it was learned in a private chat and stays there unless it is promoted",
    Reason.LEARNED_OUTSIDE: "it was stated outside any chat, so it is for those who may read its space",
    Reason.PROVENANCE_UNKNOWN: "it is not known where it was learned, so neither a chat nor a share shows it",
    Reason.CHAT_NOT_REGISTERED: "this chat is not registered, so only public memories learned in it are shown",
    Reason.SAID_HERE: "everyone who listens was there when it was said",
    Reason.NOT_PORTABLE: "it stays in the chat where it was learned",
    Reason.APPROVED: "a reviewer approved it",
    Reason.USED: "it was reported as useful",
    Reason.NEEDS_A_PERSON: "a person has to decide on it, not an agent acting for one",
    Reason.READ_ONLY_HERE: "the actor can read it but may not change it; only those who may write in its space can",
    Reason.NOT_TO_PASS_ON: "it was shared for reading only, and the share does not say `may_pass_on`",
    Reason.REVIEW_PROVEN: "an export of this very store proves that a person approved it",
    Reason.EDITED: "a reviewer changed it, and every gate ran again",
    Reason.ERASED: "it was erased",
    Reason.ERASURE_PENDING: "it is out of every read, but its bytes are not all gone yet",
    Reason.REGISTERED: "it was added to the directory",
    Reason.REVOKED: "it was removed from the directory",
    Reason.IMPORTED: "it came from an import",
    Reason.NEW_KEY: "the store has a new key, and its digests were recomputed",
    Reason.BACKED_UP: "the store was copied into a backup",
    Reason.RESTORED: "the store was made from a backup",
    Reason.INDEXED: "the index was rebuilt",
    Reason.EMBEDDED: "memories were embedded by the embedder in use",
    Reason.SENSITIVITY_JUDGED: "the encoder judged how private it is",
    Reason.RELEARNED: "it was made again by today's rules",
    Reason.SENT_TO_MODEL: "turns were sent to the extractor",
    Reason.WITHHELD_FROM_MODEL: "the policy does not let these turns leave, so no model reads them",
    Reason.READ_BY_MODEL: "the extractor read these turns",
    Reason.MODEL_FAILED: "the extractor gave no usable reply",
    Reason.QUEUED_AGAIN: "the turn waits for the extractor again",
    Reason.QUEUE_DROPPED: "the turn was taken out of the queue; no model reads it",
    Reason.SIGNED: "every chain that had grown was signed",
    Reason.TTL_EXPIRED: "its lifetime is over",
    Reason.DECAY: "it has faded with age",
    Reason.EVICTED: "it was removed to stay within its author's budget",
    Reason.REPAIRED: "`doctor` repaired it, after consent",
    Reason.PHASE_RETIRED: "its phase is older than the policy keeps",
    Reason.PROMOTED: "it was promoted, and lives on as a copy in another space",
    Reason.PROMOTION_DISALLOWED: "the policy does not promote from the one space to the other",
    Reason.PROMOTION_EVENT_TYPE: "the policy does not promote this event type there",
    Reason.PROMOTION_AUTHORITY: "it has too little authority to be promoted there",
    Reason.PROMOTION_WAITS: "it waits until enough trusted members agree",
    Reason.RELEASE_WAITS: "it was said in a private chat, so it waits until its speaker or its only subject agrees",
    Reason.RELEASED: "its promotion out of a private chat was agreed to",
    Reason.LEVEL_TOO_LOW: "the actor is not trusted enough in this group to do that",
    Reason.PHASE_DISABLED: "the policy has phases switched off",
    Reason.PHASE_DIFF_DISABLED: "the policy has the comparison of phases switched off",
    Reason.OTHER_PHASE: "it belongs to an earlier phase",
    Reason.PHASE_AUTO: "the first phase begins with the first memory",
    Reason.INTERACTION_RECORDED: "an interaction was recorded",
    Reason.POLICY_IN_USE: "the policy was put to use",
    Reason.NAMED_AS_SPEAKER: "it means the speaker",
    Reason.NAMED_AS_USER: "it names a user, and every user is a person",
    Reason.NAMED_BY_ID: "it is the person's id",
    Reason.OWN_RELATION: "exactly one person has this relation to the speaker",
    Reason.OWN_CONNECTION: "exactly one of the speaker's own connections has that name",
    Reason.ONLY_ONE_CALLED_SO: "exactly one person in sight has that name",
    Reason.SEVERAL_CALLED_SO: "more than one person has that name, and none is guessed",
    Reason.NOBODY_CALLED_SO: "no person known to the speaker has that name",
    Reason.PERSON_CREATOR: "the actor added this person",
    Reason.PERSON_THEMSELVES: "it is the actor's own person",
    Reason.PERSON_KEPT: "the system actor keeps the directory",
    Reason.PERSON_MENTIONED: "a memory mentions a person who was not known there",
    Reason.NOT_YOUR_PERSON: "only the person themselves, or the actor who added them, may change this",
    Reason.LISTED_BY_THEMSELVES: "a name that everybody reads is listed for a user by that user or an administrator",
    Reason.DIFFERENT_USERS: "the persons of two users cannot be merged",
}


def explanation(reason: Reason) -> str:
    return EXPLANATIONS[reason]
