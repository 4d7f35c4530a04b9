"""Detect credentials in a text: every rule is applied to every reading (decoding) of the text.

Nothing here keeps, returns or logs the secret: a finding names only the rule and the reading, because findings end up
in events and in answers to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

import re2
from msgspec import Struct

from memfort.policy.secrets import views
from memfort.policy.secrets.cards import CARD
from memfort.policy.secrets.context import CONTEXTS
from memfort.policy.secrets.fold import decode_tags, fold
from memfort.policy.secrets.rules import FORMATS, LONG_RUN, Rule, is_anything
from memfort.policy.secrets.said import SAID, find_said, may_be_said

MAX_TEXT_CHARS = 200_000  # a longer text raises: skipping would let a secret through at the end of a long one
MAX_PATTERN_CHARS = 1_000
_MAX_DEPTH = 3  # encodings inside encodings
_MAX_VIEWS = 32  # ordinary text has one to twelve

RULES: tuple[Rule, ...] = (*FORMATS, *CONTEXTS, CARD, *SAID)
TANGLED = Rule("tangled_encoding", (), "", is_anything)


_NO_RULES: frozenset[str] = frozenset()
_PASSWORDS = frozenset({"password_assignment", "password_prose", "url_credentials", "command_credentials"})
_KEYS = frozenset({"key_assignment", "key_prose", "key_nearby", "short_key_assignment", "short_key_prose"})
# A secret that one of these found is not reported again: whoever allows what was named gets no second refusal.
_SAME_SECRET = {
    "said_password": _PASSWORDS,
    "said_short_password": _PASSWORDS,
    "said_login": _PASSWORDS,
    "said_key": _KEYS,
}


class SecretFinding(Struct, frozen=True):
    rule: str  # stable id, such as `github_pat`
    view: str  # the reading in which it was found, such as `percent`


class _View(Struct, frozen=True):
    name: str
    text: str
    depth: int
    prose: bool = True  # whether words are still in order
    skip: frozenset[str] = frozenset()  # readers that an earlier branch applies before this one


def find_secrets(text: str, *, extra_patterns: Sequence[tuple[str, str]] = ()) -> tuple[SecretFinding, ...]:
    """The credentials in `text`, one finding per rule, or nothing.

    `extra_patterns` are a policy's own (name, RE2 pattern). Raises ValueError on a text that is too long to decide.
    """
    if len(text) > MAX_TEXT_CHARS:
        raise ValueError(f"a text of {len(text)} characters is more than can be checked for secrets ({MAX_TEXT_CHARS})")
    own = [(name, compile_pattern(name, pattern)) for name, pattern in extra_patterns]
    whole = text.encode(errors="ignore")
    hinted = _hinted(whole)
    if not own and hinted == _NOTHING and _reads_as_it_is(text):  # as most prose
        return ()
    found: dict[str, SecretFinding] = {}
    read: set[str] = set()  # word by word
    for view, encoded, rules in _readings(whole.decode(), hinted):
        for rule in rules:
            if not rule.by_words and rule.id not in found and _matches(rule, encoded):
                found[rule.id] = SecretFinding(rule.id, view.name)
        if any(rule.by_words for rule in rules) and (folded := fold(view.text)) not in read:
            read.add(folded)
            for name in sorted(find_said(folded)):
                found.setdefault(name, SecretFinding(name, view.name))
        for name, pattern in own:
            if name not in found and pattern.search(encoded):
                found[name] = SecretFinding(name, view.name)
    return tuple(it for it in found.values() if _SAME_SECRET.get(it.rule, _NO_RULES).isdisjoint(found))


def has_secret(text: str) -> bool:
    """Whether `text` holds a credential, or is too long to be sure that it does not."""
    return len(text) > MAX_TEXT_CHARS or bool(find_secrets(text))


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
        raise ValueError(f"pattern `{name}` matches the empty text, so it would match everything; make it match more")
    return compiled


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    return options


def _byte_options(*, case_sensitive: bool = True) -> Any:
    """Options for our own patterns: bytes, since a class such as "no space" over all of Unicode makes automata huge."""
    options = _options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = case_sensitive
    return options


@cache  # one entry per shipped pattern
def _compiled(pattern: str, *, case_sensitive: bool = True) -> Any:
    return re2.compile(pattern.encode(), _byte_options(case_sensitive=case_sensitive))


def _matches(rule: Rule, encoded: bytes) -> bool:
    at = 0
    while match := _compiled(rule.pattern).search(encoded, at):
        if rule.check(match):
            return True
        at = _next_start(rule, match)
    return False


def _next_start(rule: Rule, match: Any) -> int:
    """After a value that is not a secret, search again from it: it may be the next keyword ("password: password:
    x")."""
    if not rule.in_prose or not match.lastindex:
        return int(match.end())
    return max(int(match.start(match.lastindex)), int(match.start()) + 1)


def _readings(text: str, hinted: _Hinted) -> Iterator[tuple[_View, bytes, list[Rule]]]:
    """Each view of `text`, with the rules worth trying on it; those of the first are `hinted`."""
    waiting = [_View("plain", text, 0)]
    seen = {text}
    for view in waiting:
        encoded = view.text.encode()
        rules, readers = _hinted(encoded) if view.depth else hinted
        yield view, encoded, rules if view.prose else [rule for rule in rules if not rule.in_prose]
        for further in _further(view, readers):
            if further.text not in seen:
                seen.add(further.text)
                waiting.append(further)
        if len(waiting) > _MAX_VIEWS:
            # Many encodings could hide the relevant one behind the limit, so exceeding the limit is refused.
            yield view, b"", [TANGLED]
            return


def _reads_as_it_is(text: str) -> bool:
    """Whether folding changes nothing."""
    return text.isascii() and text.isprintable()


def _further(view: _View, readers: list[_Reader]) -> Iterator[_View]:
    if view.depth == 0:
        yield _View("folded", fold(view.text), 1)
        if not view.text.isascii():
            yield _View("tags", fold(decode_tags(view.text)), 1)
    if view.depth >= _MAX_DEPTH:
        return
    skip = view.skip
    for reader in readers:
        if reader.name not in view.skip:
            text = fold(reader.read(view.text))
            apart = _LAYOUT - {reader.name} if reader.name in _LAYOUT else frozenset()
            yield _View(reader.name, text, view.depth + 1, view.prose and reader.keeps_prose, skip | apart)
            skip |= {reader.name}


class _Reader(Struct, frozen=True):
    """Another reading of a text, tried if `sign` occurs."""

    name: str
    sign: str
    read: Callable[[str], str]
    keeps_prose: bool = True


_READERS = (
    _Reader("percent", "%[0-9a-f]{2}", views.percent),
    _Reader("html", "&(?:#x?[0-9a-f]|[a-z]{2,31};)", views.html),
    _Reader("escape", r"\\[uUx01!-/:-@\[-`{-~]|%u[0-9a-f]{4}", views.escape),
    _Reader("quoted_printable", "(?:=[0-9A-F]{2}){3}", views.quoted_printable),
    _Reader("base64", LONG_RUN, views.base64_runs),
    _Reader("hex", "[0-9a-f]{16}", views.hex_runs),
    _Reader("joined", views.APART, views.join_letters),
    _Reader("markup", "[\"'`][ ]?\\+|</?[a-z]|<!--|[*][*]|[a-z0-9]__[a-z0-9]|~~|·|•|‧|∙", views.without_markup),
    _Reader(
        "grouped",
        r"(?:[!-~]{4} ){5}|(?:[!-~]{2} ){8}",
        views.join_groups,
        keeps_prose=False,
    ),
    _Reader(
        "unwrapped",
        r"[a-z0-9_+/=.-][ \t]{0,2}\\?\r?\n[ \t>|]{0,8}[a-z0-9_+/=.-]",
        views.join_lines,
        keeps_prose=False,
    ),
    # Formats with a literal of their own are looked for backwards as hints; these have none: Azure, Twilio, Asana,
    # Discord, Bitcoin.
    _Reader(
        "reversed",
        r"~q[0-9]|[0-9a-f]{16}ks|:[0-9]{15}|[a-z0-9_-]{16}\.[a-z0-9_-]{6}|[a-z0-9]{20}[5kl](?:[^a-z0-9]|$)",
        views.reverse,
        keeps_prose=False,
    ),
)

_LAYOUT = frozenset({"joined", "grouped", "unwrapped", "reversed"})  # two of these are never combined in practice


_Hinted = tuple[list[Rule], list[_Reader]]
_NOTHING: _Hinted = ([], [])
_SAID_IDS = frozenset(rule.id for rule in SAID)
_PLACES = {rule.id: place for place, rule in enumerate(RULES)}


def _hinted(encoded: bytes) -> _Hinted:
    """The rules and readers that apply to `encoded`, in their order."""
    meanings = _literal_meanings(encoded) | _shape_meanings(encoded)
    if not meanings:
        return _NOTHING
    if not meanings.isdisjoint(_SAID_IDS) and not may_be_said(encoded, meanings):
        meanings -= _SAID_IDS
    places = sorted(_PLACES[name] for name in meanings if name in _PLACES)
    return [RULES[place] for place in places], [reader for reader in _READERS if reader.name in meanings]


def _literal_meanings(encoded: bytes) -> set[str]:
    literals, meanings = _literals()
    seen = literals.Match(encoded) or ()
    if 0 not in seen:  # the empty literal is in every text; if it is missing, RE2 gave up, so everything is tried
        return set().union(*meanings)
    return set().union(*(meanings[place] for place in seen))


def _shape_meanings(encoded: bytes) -> set[str]:
    some, shapes = _sign_patterns()
    seen = some.Match(encoded) or ()
    if 0 in seen and 1 not in seen:
        return set()
    return {name for name, shape in shapes if _compiled(shape, case_sensitive=False).search(encoded)}


@lru_cache(maxsize=1)
def _literals() -> tuple[Any, list[set[str]]]:
    """All hints in one automaton. Literals and words only: counted shapes among them would multiply its states."""
    by_literal: dict[str, set[str]] = {"": set()}
    for rule in RULES:
        for hint in rule.hints:
            by_literal.setdefault(_literal(hint, rule.whole_words), set()).add(rule.id)
            if not rule.in_prose and len(hint) > 2:
                by_literal.setdefault(_literal(hint[::-1], False), set()).add("reversed")
    options = _byte_options(case_sensitive=False)
    options.max_mem = 64 << 20
    literals = re2.Set.SearchSet(options)
    for literal in by_literal:
        literals.Add(literal.encode())
    literals.Compile()
    return literals, list(by_literal.values())


def _literal(hint: str, is_word: bool) -> str:
    """A pattern for a hint. A space in it may be any sign between words."""
    escaped = str(re2.escape(hint.removeprefix("*"))).replace("\\ ", "[ _-]")
    if not is_word:
        return escaped
    return (r"\b" if hint[0].isascii() and hint[0] != "*" else "") + escaped + (r"s?\b" if hint[-1].isascii() else "")


@lru_cache(maxsize=1)
def _sign_patterns() -> tuple[Any, list[tuple[str, str]]]:
    """One pattern that tells whether any shape is there, which in plain prose it is not, and each by itself. It is in a
    set, after the empty one, because a set says only that: it takes half the time."""
    signs = [(rule.id, rule.sign) for rule in RULES if rule.sign] + [(it.name, it.sign) for it in _READERS]
    some = re2.Set.SearchSet(_byte_options(case_sensitive=False))
    for pattern in ("", "|".join(f"(?:{sign})" for _, sign in signs)):
        some.Add(pattern.encode())
    some.Compile()
    return some, signs
