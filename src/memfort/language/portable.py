"""Whether a statement about somebody means anything outside the conversation it was made in.

"Bob loves pizza" does; "Bob is presenting next" belongs to the chat where it was said. Only wording that runs a chat, a
meeting or the day makes a statement stay: what is not seen to be such may travel, as far as disclosure lets it.
"""

from __future__ import annotations

from memfort.language.normalise import LazyPattern, any_of, plain


def is_portable(text: str) -> bool:
    """Whether nothing in `text` ties it to the conversation or the day."""
    return not _PASSING.is_in(plain(text))


_BE = any_of("is", "are", "am", "was", "were", "be", "i'm", "he's", "she's", "they're", "we're", "you're")
_DAY = any_of("mon", "tues", "wednes", "thurs", "fri", "satur", "sun") + "day"
_SOON = any_of(
    "eod",
    "eob",
    "cob",
    "eow",
    "end of (?:the )?(?:day|week|business|sprint)",
    "tonight",
    "tomorrow",
    "noon",
    "lunch",
    "midnight",
    rf"(?:next )?{_DAY}",
    r"[0-9]{1,2}(?::[0-9]{2})? ?(?:am|pm)?",
    "then",
    "the (?:deadline|meeting|demo)",
)
_CHORE = any_of(
    "send",
    "share",
    "post",
    "review",
    "take (?:care|it|this|that|over|notes)",
    "check",
    "call",
    "join",
    "fix",
    "bring",
    "handle",
    "follow",
    "get back",
    "look",
    "update",
    "merge",
    "deploy",
    "prepare",
    "present",
    "do (?:it|that|this)",
    "be (?:there|back|late|right|here|out|in|online|offline)",
    "start",
    "finish",
    "ping",
    "reply",
    "answer",
    "circle",
    "ask",
    "let",
    "try",
    "write",
    "book",
    "set up",
    "help",
    "pick",
    "go (?:next|first|last|ahead)",
    "own",
    "drive",
    "lead",
)
_TURN = any_of(
    "presenting",
    "speaking",
    "talking",
    "typing",
    "sharing (?:his|her|their|my|the)? ?screen",
    "up next",
    "on mute",
    "muted",
    "on it",
    "on call",
    "on a call",
    "in a meeting",
    "in the meeting",
    "taking notes",
    "taking over",
    "afk",
    "ooo",
    "out of (?:the )?office",
    "out sick",
    "out for",
    "on vacation",
    "on holiday",
    "on leave",
    "on break",
    "on lunch",
    "running late",
    "late",
    "away",
    "offline",
    "online",
    "here",
    "back",
    "waiting",
    "still waiting",
    "blocked",
    "stuck",
    "joining",
    "leaving",
    "about to",
    "going to",
    "on (?:his|her|their|my) way",
    "almost done",
    "done",
    "ready",
    "reviewing",
    "looking into",
    "handling",
    "working on (?:it|that|this)",
    "first in line",
    "the next speaker",
)
_PASSING = LazyPattern(
    r"\b"
    + any_of(
        # the day
        r"today|tonight|tomorrow|yesterday|right now|at the moment|just now|for now|asap",
        r"this (?:morning|afternoon|evening|week|sprint|meeting|call|thread|chat|channel|session|room|minute|time)",
        r"in (?:a|one|two|five|ten|[0-9]+|a few|a couple of) (?:minutes?|mins?|secs?|seconds?|moments?|bit|hours?"
        r"|days?)",
        r"later (?:today|tonight|this)|shortly|momentarily|by now",
        rf"(?:by|until|till) {_SOON}|before the (?:deadline|meeting|demo|call)",
        # whose turn it is, and who does what
        rf"{_BE} (?:not )?(?:currently |now |still |just |already )?{_TURN}",
        r"(?:will|'ll|won't|should|is going to|are going to|needs to|has to|promised to|agreed to"
        r"|offered to) "
        rf"(?:[a-z]+ )?{_CHORE}",
        r"[a-z0-9_]+'s (?:on (?:it|mute|a call)|up next|presenting|running late|out of office|afk)",
        r"(?:can|could) (?:take (?:it|over|this|that|notes)|(?:do|handle) (?:it|this|that))",
        r"(?:goes|speaks|presents|talks|is|are|[a-z0-9_]+'s) (?:next|first|last)(?:\s*[.!,]|\s*$)",
        r"(?:has|have) the floor|brb|afk|back in [0-9]+|(?:his|her|their|my|your) turn|stepped (?:out|away)|hold on",
        r"(?:just|has) (?:joined|left|pushed|posted|sent|merged|finished|started) (?:the|it|this|that|a)",
        r"the (?:next|last|previous|current) (?:speaker|slide|item|question|message|topic)",
    )
    + r"(?:\b|$)"
)
