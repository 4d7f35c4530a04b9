"""Find codes and passwords that people hand to each other, by everything around the value that speaks for one.

"if the alarm goes off type 20938", "da kam ne SMS mit 70552, gib das ein": nothing here is called a code or a password.
What opens, how the value came, what one does with it and what it is for are each worth a few points, and so is how the
value looks; a unit, a reference or a date speaks against it. Above a threshold it is a secret.

A text is cut into words once, and each word is looked up in a dictionary. A value is compared with the words of its own
and the neighbouring sentences, at most a fixed number away, so the work grows with the text and not faster.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import re2

from memfort.policy.secrets.candidates import Kind, Value, values_in
from memfort.policy.secrets.reading import Mark, Reading, lexicon
from memfort.policy.secrets.words import is_wide, references

_BEFORE, _AFTER = 26, 16  # words on either side of a value that may speak for it
# What a word near a value is worth, by the kind of value and the part that the word plays.
_WORTH: Mapping[Kind, Mapping[str, int]] = {
    Kind.CODE: {
        "pins": 4, "one_time_codes": 4, "codes": 3, "passwords": 3, "locks": 2, "figures": 2, "arrivals": 2,
        "purposes": 2, "entering": 2, "services": 1, "turns": 1, "networks": 1,
    },
    Kind.PASSWORD: {
        "passwords": 4, "one_time_codes": 4, "short_passwords": 3, "keys": 3, "networks": 3, "logins": 3, "services": 2,
        "spelling": 2, "locks": 1, "entering": 1,
    },
    Kind.KEY: {"keys": 3, "passwords": 3, "plain_keys": 2, "entering": 1, "services": 1},
}  # fmt: skip
_ENOUGH = {Kind.CODE: 5, Kind.PASSWORD: 7, Kind.KEY: 7}
# Without one of these nothing says that there is a secret.
_NEEDED: Mapping[Kind, frozenset[str]] = {
    Kind.CODE: frozenset({"pins", "one_time_codes", "codes", "passwords", "locks", "figures", "arrivals"}),
    Kind.PASSWORD: frozenset({"passwords", "short_passwords", "networks", "logins", "one_time_codes", "services"}),
    Kind.KEY: frozenset({"keys", "plain_keys"}),
}
_NEXT_TO = 3  # for a word of entering beside the value
_TOLD, _LINKED = 2, 1


def given_away(reading: Reading) -> Iterator[str]:
    """The kinds of secrets in a text, as rules."""
    for value in values_in(reading):
        found = _kind(reading, value)
        if found is not None and not is_in_program(reading, value.start, value.end):
            yield found


def _kind(reading: Reading, value: Value) -> str | None:
    """The rule that a value meets."""
    if _is_something_else(reading, value):
        return None
    points, roles = _points(reading, value)
    missing = _ENOUGH[value.kind] - points - value.looks
    if missing > 0:
        return None
    if value.kind is Kind.CODE:
        return _kind_of_code(reading, value, roles, spare=-missing)
    if value.kind is Kind.PASSWORD:
        return _kind_of_password(value, roles)
    return _kind_of_key(reading, value, roles)


def _kind_of_code(reading: Reading, value: Value, roles: frozenset[str], *, spare: int) -> str | None:
    digits = sum(map(str.isdigit, value.text))
    is_entered = roles >= {"locks", "entering"} and _ends_clause(reading, value)
    is_short = digits == _SHORT and not roles & {"pins", "figures"} and not is_entered
    is_long = digits > _LONG and not roles & {"pins", "one_time_codes"}
    is_long |= digits > _TELEPHONE and not roles & _NAMES  # "the number of my office is …"
    is_likely_amount = is_short or (_is_year(value.text) and not roles & _NAMES)
    is_urged = roles >= {"entering", "purposes"} and value.looks > 0  # "it says 27391, type it fast"
    if is_long or not (is_urged or roles & _NEEDED[Kind.CODE]) or (is_likely_amount and spare < _DOUBT):
        return None
    is_sent = not roles & {"locks", "pins"} and roles & {"one_time_codes", "arrivals", "purposes"}
    return "said_one_time_code" if is_sent else "said_code"


def _ends_clause(reading: Reading, value: Value) -> bool:
    """Whether no word follows that the number could count."""
    if value.end == len(reading.raws) or reading.raws[value.end - 1][-1] in ".,;:!?":
        return True
    following = reading.keys[value.end]
    return "links" in reading.roles_of(value.end) or following.startswith(lexicon().wide_linked)


_SHORT, _LONG = 3, 8  # digits: a number of three is mostly no code, nor is one of nine
_TELEPHONE = 6  # more digits than that are somebody's telephone number, unless something names a code
_DOUBT = 3


def _kind_of_password(value: Value, roles: frozenset[str]) -> str | None:
    if not roles & _NEEDED[Kind.PASSWORD] and not ("keys" in roles and _is_short_key(value.text)):
        return None
    kinds = ("passwords", "said_password"), ("short_passwords", "said_short_password"), ("keys", "said_key")
    return next((rule for role, rule in kinds if role in roles), "said_login")


def _kind_of_key(reading: Reading, value: Value, roles: frozenset[str]) -> str | None:
    is_hex = value.text.startswith("0x")  # mostly an address or a transaction
    words = [mark.word for mark in _near(reading, value)] if is_hex else []
    if is_hex and not any(part in word for word in words for part in ("priv", "pryw", "私钥", "秘密鍵")):
        return None
    return "said_key" if roles & _NEEDED[Kind.KEY] else None


def _is_short_key(text: str) -> bool:
    """Digits among letters, and not only behind words: `legend2_blue5` is none."""
    parts = text.replace("-", "_").split("_")
    words = [part.rstrip("0123456789") for part in parts]
    return len(text) >= 8 and "." not in text and not all(not word or word.isalpha() for word in words)


_NAMES = frozenset({"pins", "one_time_codes", "codes", "passwords", "short_passwords"})
_NAMES_OF_NUMBERS = _NAMES | {"figures", "public_numbers"}


def _is_year(text: str) -> bool:
    return len(text) == 4 and text[:2] in ("19", "20")


def _points(reading: Reading, value: Value) -> tuple[int, frozenset[str]]:
    """How much the words around a value speak for it in the language that has most, and which parts they play."""
    worths: dict[str, dict[str, int]] = {}
    different: dict[str, set[tuple[str, str]]] = {}
    roles_by: dict[str, set[str]] = {}
    for mark in _near(reading, value):
        worth = _worth(reading, value, mark)
        if worth <= 0:
            continue
        for code in mark.languages:
            best = worths.setdefault(code, {})
            part = "name" if mark.role in _NAMES_OF_SECRETS else mark.role
            best[part] = max(best.get(part, 0), worth)
            roles_by.setdefault(code, set()).add(mark.role)
            if mark.role in _SEVERAL:
                different.setdefault(code, set()).add((mark.role, mark.word))
    if not worths:
        return 0, frozenset()
    several = {code: {role for role, _ in words} & _twice(words) for code, words in different.items()}
    code = max(
        sorted(worths),
        key=lambda one: (
            not _NEEDED[value.kind].isdisjoint(roles_by[one]),
            sum(worths[one].values()) + len(several.get(one, ())),
        ),
    )
    roles = roles_by[code]
    if "purposes" in several.get(code, ()):
        roles.add("arrivals")  # a code that confirms something and expires was sent, whoever says so
    is_jotted = len(reading.raws) <= _JOTTED
    has_address = value.kind is Kind.PASSWORD and any(
        "@" in raw[1:] for raw in reading.raws[max(0, value.start - 8) : value.start]
    )
    points = sum(worths[code].values()) + len(several.get(code, ())) + is_jotted + 2 * has_address
    return points + _lead(reading, value), frozenset(roles)


def _worth(reading: Reading, value: Value, mark: Mark) -> int:
    """What one word is worth, by its part, its distance and what stands beside it."""
    worth = _WORTH[value.kind].get(mark.role)
    if worth is None or (value.start < mark.end and mark.start < value.end):
        return 0
    apart = abs(reading.sentences[mark.start] - reading.sentences[value.start])
    if apart > 1 or is_harmless(reading, mark):
        return 0
    if mark.start >= value.end and mark.role in _NAMING and not _is_named_after(reading, value, mark):
        worth -= 1
    if mark.role == "entering" and value.start - 3 <= mark.start < value.end + 2:
        worth = _NEXT_TO
    return worth - apart


def _twice(words: set[tuple[str, str]]) -> set[str]:
    roles = [role for role, _ in words]
    return {role for role in roles if roles.count(role) > 1}


# Of these, the best counts: "codice via sms" is one name.
_NAMES_OF_SECRETS = frozenset({"pins", "one_time_codes", "codes", "passwords", "short_passwords", "keys", "plain_keys"})
_SEVERAL = ("locks", "purposes", "figures")  # two different words of these are worth a point more
_JOTTED = 8  # a note of so few words is about nothing else


def _is_named_after(reading: Reading, value: Value, mark: Mark) -> bool:
    """ "4821 is the code", "hunter2 as password": the value stands before its name."""
    if mark.start <= value.end + 1:
        return True
    following = reading.keys[value.end]
    return is_wide(following) or not lexicon().roles.get(following, frozenset()).isdisjoint(("being", "links"))


def is_harmless(reading: Reading, mark: Mark) -> bool:
    """A postal code, a primary key, a password manager: by the words beside it."""
    if mark.role in _PASSWORDS and _is_part_of_tool(reading, mark):
        return True
    kind = _HARMLESS_BESIDE.get(mark.role)
    if kind is None:
        return False
    beside = reading.marks[bisect_left(reading.starts, mark.start - 3) : bisect_left(reading.starts, mark.end + 2)]
    return any(
        one.role == kind
        and one.start <= mark.end
        and mark.start <= one.end
        and one.start != mark.start
        and (one.start > mark.start or reading.raws[one.end - 1][-1] != ",")
        for one in beside
    )


def _is_part_of_tool(reading: Reading, mark: Mark) -> bool:
    around = reading.marks[
        bisect_left(reading.starts, mark.end - _WORDS_OF_A_TOOL) : bisect_left(reading.starts, mark.end)
    ]
    return any(one.role == "tools" and mark.end <= one.end for one in around)


_WORDS_OF_A_TOOL = 6
_HARMLESS_BESIDE = {
    "codes": "harmless_codes", "keys": "harmless_keys", "plain_keys": "harmless_keys",
    "passwords": "harmless_keys", "short_passwords": "harmless_keys",
}  # fmt: skip


def _near(reading: Reading, value: Value) -> Sequence[Mark]:
    first = bisect_left(reading.starts, value.start - _BEFORE)
    return reading.marks[first : bisect_left(reading.starts, value.end + _AFTER)]


def _lead(reading: Reading, value: Value) -> int:
    """Whether what stands before the value leads to it."""
    raw = reading.raws[value.start]
    before = reading.raws[value.start - 1] if value.start else ""
    if raw[:1] in ":=" or before[-1:] in (":", "=", ">", "→") or before in ("/", "|", "-"):
        return _TOLD
    if before and before[-1] >= "\u2e80" and before[-1] not in _COMMAS:
        words = lexicon()
        return _TOLD if before.endswith(words.wide_told) else _LINKED if before.endswith(words.wide_linked) else 0
    roles = reading.roles_of(value.start - 1)
    named = {mark.role for mark in _near(reading, value) if mark.end == value.start and mark.role in _NAMING}
    is_named = bool(named)
    has_colon = any(one[-1] == ":" for one in reading.raws[max(0, value.start - 6) : value.start])
    is_first = "being" in reading.roles_of(value.end)
    if "being" in roles or has_colon or is_first or (is_named and before.endswith("'s")) or named & _PASSWORDS:
        return _TOLD
    return _LINKED if "links" in roles or is_named or before[-1:] in _COMMAS else 0


_PASSWORDS = frozenset({"passwords", "short_passwords"})
_COMMAS = frozenset(",、，")
_NAMING = frozenset({"pins", "one_time_codes", "codes", "passwords", "short_passwords", "keys", "locks"})


def _is_something_else(reading: Reading, value: Value) -> bool:
    """A reference, a word that everyone knows, or a number that counts something."""
    words = lexicon()
    before = list(reading.keys[max(0, value.start - 2) : value.start])
    if len(before) > 1 and reading.raws[value.start - 2][-1] in ",.;!?":
        before = before[1:]  # of another clause
    if (
        len(before) > 1
        and "locks" in reading.roles_of(value.start - 2)
        and "entering" in reading.roles_of(value.start - 1)
    ):
        before = before[1:]  # "to unlock my telephone dial 120987"
    if not references().isdisjoint(before) or (before and _without_link(before[-1]).endswith(words.wide_references)):
        return True
    if "not_values" in words.roles.get(value.text.lower(), ()):
        return True
    if value.kind is not Kind.CODE:
        return False
    return _is_counting(reading, value) or _is_amount(reading, value) or _is_public(reading, value)


def _is_public(reading: Reading, value: Value) -> bool:
    """Whether it is the first number behind the name of one that everybody may know, in its sentence, and behind no
    other name."""
    first = bisect_left(reading.starts, value.start - _BEFORE)
    names = [
        mark
        for mark in reading.marks[first : bisect_left(reading.starts, value.start)]
        if mark.role in _NAMES_OF_NUMBERS and reading.sentences[mark.start] == reading.sentences[value.start]
    ]
    last = max(names, key=lambda mark: (mark.end, mark.role == _PUBLIC), default=None)
    if last is None or last.role != _PUBLIC:
        return False
    return not any(map(str.isdigit, reading.keys[last.end : value.start]))  # then that was it, and this is another


_PUBLIC = "public_numbers"


def _without_link(run: str) -> str:
    """A run of letters without spaces, without the link at its end."""
    link = next((link for link in lexicon().wide_told if run.endswith(link)), "") if is_wide(run) else ""
    return run.removesuffix(link)


def _is_counting(reading: Reading, value: Value) -> bool:
    """Whether the next word is a unit, or the number goes on: a telephone number."""
    before, after = (reading.keys[at] if 0 <= at < len(reading.keys) else "" for at in (value.start - 1, value.end))
    if value.text.replace("-", "").isdigit() and (after.isdigit() or before.isdigit()):
        return True
    is_closed = reading.raws[value.end - 1][-1] in ".,;:!?"
    is_unit = "units" in reading.roles_of(value.end) or after.startswith(lexicon().wide_units)
    return is_unit and not is_closed


def _is_amount(reading: Reading, value: Value) -> bool:
    """A time, a year or an amount, by the word before it."""
    if "before_amounts" not in reading.roles_of(value.start - 1) or reading.raws[value.start - 1][-1] == ":":
        return False
    is_set = any(
        value.start - 4 <= mark.start < value.start and mark.role in ("entering", "figures")
        for mark in _near(reading, value)
    )
    return _is_time(value.text) or (not is_set and value.looks <= 0)


def _is_time(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and text[:2] < "24" and text[2:] < "60"


_PROGRAM = re2.compile(
    r"[A-Za-z_][(\[]|\{\"|\": |</|/>|<[a-z]+ |[{;]\s*$|=>| [!=]= |\b(?:def|return|self|const|await|import)\b[ .]"
    r"|\\[a-z]{3,8}\{|[0-9]\^[0-9]|\b[0-9]+C[0-9]+ |[\"'] \* [0-9]"  # formulas
)


def is_in_program(reading: Reading, start: int, end: int) -> bool:
    """Whether a line is one of a program or a formula. Assignments have a rule of their own."""
    first, last = start, end
    while first and reading.raws[first - 1] != "\n" and first > start - 20:
        first -= 1
    while last < len(reading.raws) and reading.raws[last] != "\n" and last < end + 20:
        last += 1
    return _PROGRAM.search(" ".join(reading.raws[first:last])) is not None
