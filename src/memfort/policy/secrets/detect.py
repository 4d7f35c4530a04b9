"""Is there a credential in this text? Every reading of the text is put to every rule.

Nothing here keeps, returns or logs what was found: a finding names the rule and the reading, and no more, because
findings end up in events and in answers to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from memfort.policy.secrets import views
from memfort.policy.secrets.cards import CARD
from memfort.policy.secrets.context import CONTEXTS
from memfort.policy.secrets.fold import fold, tagged
from memfort.policy.secrets.rules import FORMATS, LONG_RUN, Rule, is_anything

MAX_TEXT_CHARS = 200_000  # a longer text raises: skipping would let a secret through at the end of a long one
MAX_PATTERN_CHARS = 1_000
_MAX_DEPTH = 4  # encodings inside encodings
_MAX_VIEWS = 32  # ordinary text has one to sixteen

RULES: tuple[Rule, ...] = (*FORMATS, *CONTEXTS, CARD)
TANGLED = Rule("tangled_encoding", (), "", is_anything)


@dataclass(frozen=True, slots=True)
class SecretFinding:
    rule: str  # stable id, such as `github_pat`
    view: str  # the reading of the text in which it showed, such as `percent`


@dataclass(frozen=True, slots=True)
class _View:
    name: str
    text: str
    depth: int
    prose: bool = True  # whether words are still in their order
    skip: frozenset[str] = frozenset()  # readers that an earlier branch applies before this one


def find_secrets(text: str, *, extra_patterns: Sequence[tuple[str, str]] = ()) -> tuple[SecretFinding, ...]:
    """The credentials in `text`, one finding per rule, or nothing.

    `extra_patterns` are a policy's own (name, RE2 pattern). Raises ValueError on a text that is too long to decide.
    """
    if len(text) > MAX_TEXT_CHARS:
        raise ValueError(f"a text of {len(text)} characters is more than can be checked for secrets ({MAX_TEXT_CHARS})")
    own = [(name, compile_pattern(name, pattern)) for name, pattern in extra_patterns]
    found: dict[str, SecretFinding] = {}
    for view, encoded, rules in _readings(text):
        for rule in rules:
            if rule.id not in found and _matches(rule, encoded):
                found[rule.id] = SecretFinding(rule.id, view.name)
        for name, pattern in own:
            if name not in found and pattern.search(encoded):
                found[name] = SecretFinding(name, view.name)
    return tuple(found.values())


@lru_cache(maxsize=1024)
def compile_pattern(name: str, pattern: str) -> Any:
    """A policy's pattern, ready to search bytes; ValueError says why one is refused."""
    if len(pattern) > MAX_PATTERN_CHARS:
        raise ValueError(f"pattern `{name}` is longer than {MAX_PATTERN_CHARS} characters; split it in several")
    try:
        compiled = re2.compile(pattern.encode(), _options())
    except (re2.error, UnicodeEncodeError) as error:
        raise ValueError(
            f"pattern `{name}` is not one that RE2 accepts ({_reason(error)}); lookaround and backreferences are "
            "refused because they can take exponential time"
        ) from error
    if compiled.search(b""):
        raise ValueError(f"pattern `{name}` matches the empty text, so it would refuse everything; make it match more")
    return compiled


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    return options


def _byte_options(*, case_sensitive: bool = True) -> Any:
    """For our own patterns: byte by byte, since a class such as "no space" over all of Unicode makes automata huge."""
    options = _options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = case_sensitive
    return options


@lru_cache(maxsize=len(RULES))
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern.encode(), _byte_options())


def _matches(rule: Rule, encoded: bytes) -> bool:
    at = 0
    while match := _compiled(rule.pattern).search(encoded, at):
        if rule.check(match):
            return True
        at = _next_start(rule, match)
    return False


def _next_start(rule: Rule, match: Any) -> int:
    """After a value that is none, look again from it: it may be the keyword of the next ("password: password: x")."""
    if not rule.in_prose or not match.lastindex:
        return int(match.end())
    return max(int(match.start(match.lastindex)), int(match.start()) + 1)


def _readings(text: str) -> Iterator[tuple[_View, bytes, list[Rule]]]:
    """Each view of `text`, with the rules worth trying on it."""
    waiting = [_View("plain", text.encode(errors="ignore").decode(), 0)]
    seen = {waiting[0].text}
    for view in waiting:
        encoded = view.text.encode()
        rules, readers = _hinted(encoded)
        yield view, encoded, rules if view.prose else [rule for rule in rules if not rule.in_prose]
        for further in _further(view, readers):
            if further.text not in seen:
                seen.add(further.text)
                waiting.append(further)
        if len(waiting) > _MAX_VIEWS:
            # A tangle of encodings could hide the one that matters behind the limit, so the limit itself refuses.
            yield view, b"", [TANGLED]
            return


def _further(view: _View, readers: list[_Reader]) -> Iterator[_View]:
    if view.depth == 0:
        yield _View("folded", fold(view.text), 1)
        if not view.text.isascii():
            yield _View("tags", fold(tagged(view.text)), 1)
    if view.depth >= _MAX_DEPTH:
        return
    skip = view.skip
    for reader in readers:
        if reader.name not in view.skip:
            text = fold(reader.read(view.text))
            apart = _LAYOUT - {reader.name} if reader.name in _LAYOUT else frozenset()
            yield _View(reader.name, text, view.depth + 1, view.prose and reader.keeps_prose, skip | apart)
            skip |= {reader.name}


@dataclass(frozen=True, slots=True)
class _Reader:
    """A further way to read a text, worth trying where `sign` is seen."""

    name: str
    sign: str
    read: Callable[[str], str]
    keeps_prose: bool = True


_BACKWARDS = "|".join(str(re2.escape(hint[::-1])) for rule in FORMATS for hint in rule.hints if len(hint) > 2)
# How formats without a telling beginning look from behind: Azure, Twilio, Asana, Discord, Bitcoin.
_BACKWARDS += r"|~q[0-9]|[0-9a-f]{16}ks|:[0-9]{15}|[a-z0-9_-]{16}\.[a-z0-9_-]{6}|[a-z0-9]{20}[5kl](?:[^a-z0-9]|$)"

_READERS = (
    _Reader("percent", "%[0-9a-f]{2}", views.percent),
    _Reader("html", "&(?:#x?[0-9a-f]|[a-z]{2,31};)", views.html),
    _Reader("escape", r"\\[uUx01!-/:-@\[-`{-~]|%u[0-9a-f]{4}", views.escape),
    _Reader("quoted_printable", "(?:=[0-9A-F]{2}){3}", views.quoted_printable),
    _Reader("base64", LONG_RUN, views.base64_runs),
    _Reader("hex", "[0-9a-f]{16}", views.hex_runs),
    _Reader("joined", r"(?:^|\s)(?:[!-~]\s{1,3}){4}|(?:[!-~][.\-_*|/,+~:;]){4}", views.joined),
    _Reader(
        "unwrapped",
        r"[a-z0-9_+/=.-][ \t]{0,2}\\?\r?\n[ \t>|]{0,8}[a-z0-9_+/=.-]",
        views.unwrapped,
        keeps_prose=False,
    ),
    _Reader("reversed", _BACKWARDS, views.backwards, keeps_prose=False),
)

_LAYOUT = frozenset({"joined", "unwrapped", "reversed"})  # nobody needs two of these to read a token

_EVERYTHING = ""  # a sign that is always there: if RE2 does not report it, it gave up, and every rule is tried


def _hinted(encoded: bytes) -> tuple[list[Rule], list[_Reader]]:
    signs, meanings = _signs()
    seen = signs.Match(encoded)
    if 0 not in seen:
        return list(RULES), list(_READERS)
    rules: dict[str, Rule] = {}
    readers: list[_Reader] = []
    for place in sorted(seen):
        for meaning in meanings[place]:
            if isinstance(meaning, Rule):
                rules[meaning.id] = meaning
            else:
                readers.append(meaning)
    return list(rules.values()), readers


@lru_cache(maxsize=1)
def _signs() -> tuple[Any, list[list[Rule | _Reader]]]:
    """All hints and signs in one automaton: one pass over a clean text and nothing else to do."""
    by_sign: dict[str, list[Rule | _Reader]] = {_EVERYTHING: []}
    for rule in RULES:
        for sign in _signs_of(rule):
            by_sign.setdefault(sign, []).append(rule)
    for reader in _READERS:
        by_sign.setdefault(reader.sign, []).append(reader)
    signs = re2.Set.SearchSet(_byte_options(case_sensitive=False))
    for sign in by_sign:
        signs.Add(sign.encode())
    signs.Compile()
    return signs, list(by_sign.values())


def _signs_of(rule: Rule) -> list[str]:
    return [rule.sign] if rule.sign else [str(re2.escape(hint)) for hint in rule.hints]
