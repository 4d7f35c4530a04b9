"""Decide whether the word in the position of a credential is one. Plain Python, one question per function.

Most sentences about passwords contain none: "the password must be 12 characters long". A pattern finds the position;
these functions check the word there and the text after it.
"""

from __future__ import annotations

import binascii
from itertools import pairwise
from typing import Any

from memfort.policy.secrets.fold import fold
from memfort.policy.secrets.rules import is_varied
from memfort.policy.secrets.words import is_referred_to

# Ordinary words in the position of a password. Kept as plain text so that it is easy to read and extend.
_SENTENCE_WORDS = frozenset(
    """
    a an the this that these those it its my your our
    their his her any some no not none null nil undefined empty blank
    what which who how why when where whatever something anything nothing everything same different similar
    to be been being is are was were will would should must may might can could cannot has have had do does did
    in on at by for from with without within under over above below between via as of off out up and or but if then so
    too very quite really always never only also already still just now again once often here there yet more most less
    please enter use choose create make type provide contain include
    """.split()  # noqa: SIM905 - a table of words reads better than a list of quotes
)
_NOT_A_VALUE = _SENTENCE_WORDS | frozenset(
    """
    weak strong long short secure insecure safe unsafe simple
    complex complicated hard easy good bad great fine ok okay
    correct incorrect wrong right valid invalid required
    optional mandatory missing necessary needed important critical
    unique random temporary permanent old new default current
    previous next first last same shared common known unknown
    public private confidential sensitive secret secrets hidden visible plain plaintext cleartext hashed salted
    encrypted stored saved reset changed updated set unset expired active inactive locked blocked disabled enabled
    compromised leaked stolen lost forgotten gone dead broken fixed ready done available unavailable accepted
    rejected denied string str text varchar char int integer number
    bool boolean object array list dict bytes any void true false
    password passwords passwd passphrase passcode pwd pass pin username user login email name value key token field
    input requirement requirements policy policies protected protection manager managers management hash hashing salt
    recovery strength length format rule rules rotation expiry expiration authentication authorization security
    case-sensitive case sensitive self us me you them him everyone nobody someone yours mine ours theirs
    redacted removed masked omitted example placeholder todo tbd xxx n/a na unspecified
    sha256 sha512 sha1 sha-256 sha-512 md5 bcrypt scrypt argon2
    argon2id argon2i pbkdf2 base64 utf8 utf-8 oauth2 2fa mfa
    aes256 aes-256 rsa2048 rs256 hs256 es256 totp sso saml2 http2 ipv4 ipv6 python3 auth0 k8s ec2 s3 web3 o365 w3c
    request req res self.password data params body args kwargs config env process await async new const let var return
    function def class lambda null, none, true, false, yes no maybe
    written kept taped shown given sent made taken found seen told held stuck printed
    obrigatoria valida invalida invalido valido troppo troppa trop muito demasiado requerida
    obligatoria incorrecta segura correcta debe obligatoire incorrect falsch richtig sicher erforderlich
    """.split()  # noqa: SIM905 - a table of words reads better than a list of quotes
)
_NOT_A_KEY = _NOT_A_VALUE | frozenset(
    """
    free paid cheap scoped global local read write admin bearer basic opaque jwt oauth uuid hex env vault settings
    header headers query param cookie session secrets credentials word words subword symbol comma space unused absent
    """.split()  # noqa: SIM905 - a table of words reads better than a list of quotes
)
_ADJECTIVE_ENDINGS = ("ed", "ing", "able", "ible", "ly", "less", "ful", "ous", "ive", "ment", "tion")
_COUNTED = (
    "char",
    "digit",
    "letter",
    "symbol",
    "day",
    "time",
    "hour",
    "minute",
    "second",
    "month",
    "week",
    "year",
    "attempt",
    "bit",
    "byte",
    "percent",
    "or more",
    "word",
    "number",
    "user",
    "account",
    "people",
    "%",
    "to ",
    "and ",
    "-",
    "of ",
)
_CLAUSE_ENDS = (".", ",", ";", "!", "?", ")", "]", "}", '"', "'", "`", "*", "|", "/", "\\")
_CLAUSE_WORDS = frozenset(
    {"and", "but", "so", "please", "for", "on", "if", "in", "at", "thanks", "y", "und", "et", "or", "now"}
)
_TEMPLATE_MARKS = ("<", "{", "${", "$(", "[", "%(", "%s", "...", "(")
_PLACEHOLDERS = (
    "your",
    "example",
    "redacted",
    "placeholder",
    "insert",
    "xxxx",
    "****",
    "....",
    "enter_",
    "my_pass",
    "replace",
)
_REST_BYTES = 24  # how far the clause after a value is checked


def _value(match: Any) -> tuple[str, str, bool]:
    """The value, the rest of its line, and whether it was quoted."""
    after = match.string[match.end() : match.end() + _REST_BYTES].decode(errors="replace").partition("\n")[0]
    *quoted, bare = (None if group is None else group.decode(errors="replace") for group in match.groups())
    inside = next((text for text in quoted if text is not None), None)
    if inside is not None:
        return inside.strip(), after, True
    value = (bare or "").lstrip("\"'`*_(")
    kept = value.rstrip(".,;:!?)]}>\"'`*|")
    return kept, value[len(kept) :] + after, False


def is_template(value: str) -> bool:
    """`<password>`, `${DB_PASSWORD}`, `********`, `your-key-here`: where a value goes, not a value."""
    lower = value.lower()
    return (
        (len(value) > 2 and not value.strip("*x.X-_#?0"))
        or value.startswith(_TEMPLATE_MARKS)
        or (value.startswith("$") and value[1:].replace("_", "").isalpha())
        or any(word in lower for word in _PLACEHOLDERS)
    )


def _is_code(value: str, rest: str) -> bool:
    """A call, an index or a dotted name: `getpass()`, `form['x']`, `settings.db_password`."""
    head, call, _ = value.partition("(")
    if call and _is_name(head) and (")" in value or ")" in rest):
        return True
    head, index, _ = value.partition("[")
    return bool(index and _is_name(head)) or ("." in value.strip(".") and _is_name(value.rstrip(";,")))


def _is_name(text: str) -> bool:
    """`settings.password`; a module's name may have a digit (`argon2.hash`), its attribute may not."""
    return len(text) > 1 and text.rpartition(".")[2].replace("_", "").isalpha()


def is_password(match: Any) -> bool:
    value, rest, is_quoted = _value(match)
    if not value or fold(value).lower() in _NOT_A_VALUE or is_template(value):
        return False
    if is_quoted:
        return _is_quoted_password(value)
    if _is_code(value, rest) or value.startswith(("/", "~/", "./", "../", "C:\\")):
        return False
    if any(character.isdigit() for character in value):
        return not _is_counted(value, rest)
    if any(character in "!@#$%^&+~?" for character in value):
        return True
    return _is_lone_word(value, rest)


def is_said_password(match: Any) -> bool:
    """In a sentence the word itself counts too: "my password is password"; in code it is the name of a field. Whether
    another plain word is a password depends on the language: `said` decides."""
    value, rest, is_quoted = _value(match)
    if value.lower() == "password":
        return _ends_clause(rest)
    return is_password(match) and (is_quoted or not value.replace("-", "").isalpha())


def _is_quoted_password(value: str) -> bool:
    words = value.lower().split()
    if value.replace("_", "").isalpha() and "password" in value.lower():
        return False  # `new_password`, `testpassword`: how examples in code are filled
    if len(words) == 1:
        return words[0] not in _NOT_A_VALUE
    return len(words) <= 8 and _SENTENCE_WORDS.isdisjoint(word.strip(".,:") for word in words)


def _is_counted(value: str, rest: str) -> bool:
    """`12 characters`, `90 days`, `8-16`, `12-character`: a number about passwords."""
    number = value.rstrip("+").replace("-", "").replace(".", "").replace(",", "")
    if number.isdigit():
        return len(number) < 3 or rest.lstrip(" +").lower().startswith(_COUNTED)
    body = value.lstrip("0123456789")
    if body and not body[0].isascii() and len(value) - len(body) < 3:  # of signs, in scripts without spaces
        return True
    digits, _, word = value.partition("-")
    return digits.isdigit() and word.lower().startswith(_COUNTED)


def _is_lone_word(value: str, rest: str) -> bool:
    """A plain word is a password only if the clause ends with it: "the wifi password is sunflower."."""
    if "_" in value or not value.replace("-", "").isalpha() or value.lower().endswith(_ADJECTIVE_ENDINGS):
        return False
    if any(part in _NOT_A_VALUE for part in value.lower().split("-")):
        return False
    # In scripts without capitals (Chinese, Thai, Hebrew) words run together, so a word looks like a sentence.
    return value.lower() != value.upper() and _ends_clause(rest)


def _ends_clause(rest: str) -> bool:
    following = rest.strip().lower()
    return not following or following.startswith(_CLAUSE_ENDS) or following.split()[0] in _CLAUSE_WORDS


def is_counted(value: str, following: str) -> bool:
    """Whether a number counts what the next word names."""
    return _is_counted(value, following) and bool(following)


def is_code_like(word: str) -> bool:
    return _is_code(word, "")


def is_said_alone(low: str) -> bool:
    """Whether a plain word can be a password: not a word that sentences are made of."""
    letters = low.replace("-", "").replace("_", "")
    return len(low) >= 5 and low.isascii() and letters.isalpha() and _NOT_A_VALUE.isdisjoint((low, *low.split("-")))


def is_sentence_word(low: str) -> bool:
    return low in _SENTENCE_WORDS


def is_mixed_password(match: Any) -> bool:
    """Without a connecting word the value must have letters and digits: "log in with password hunter2"."""
    value = match.group(1).decode(errors="replace").strip("\"'`.,;:!?()*")
    return (
        len(value) >= 6
        and value.lower() not in _NOT_A_VALUE
        and not is_template(value)
        and _has_letters_and_digits(value, 1)
        and not _is_counted(value, "")
        and not _is_code(value, "")
        and "://" not in value
    )


def is_key_value(match: Any) -> bool:
    value, rest, _ = _value(match)
    return (
        len(value) >= 8
        and not is_template(value)
        and value.lower() not in _NOT_A_VALUE
        and not _is_code(value, rest)
        and all(
            character.isascii() and (character.isalnum() or character in "_-./+=:~!@#$%^&*|") for character in value
        )
        and (_has_letters_and_digits(value, 2) or (len(value) >= 20 and value.isalnum() and is_varied(match)))
    )


def is_short_key(match: Any) -> bool:
    """A key of a few letters, for where nothing else can stand: with a digit, or a plain word that ends its line."""
    value, rest, _ = _value(match)
    value = value.rstrip("=")  # of base64, where the whole text was in it
    if len(value) < 3 or is_template(value) or value.lower() in _NOT_A_KEY or _is_code(value, rest):
        return False
    if not all(character.isascii() and (character.isalnum() or character in "_-") for character in value):
        return False
    if _has_letters_and_digits(value, 1):
        return len(value) >= 5 and not value.isupper()
    return value.islower() and not rest.strip(" \t.!\"'`*") and _is_lone_word(value, rest)


def is_generated(match: Any) -> bool:
    """Whether letters and digits are mixed as in generated values; not a hash or a UUID, which are public."""
    group = 1 if match.group(1) else 2
    value = match.group(group).decode()
    if value.startswith("0x") or is_referred_to(match.string[: match.start(group)][-40:].decode(errors="ignore")):
        return False
    plain = value.replace("-", "").replace("_", "")
    if not plain.strip("0123456789abcdefABCDEF") or is_template(value):
        return False
    turns = sum(one.isdigit() != other.isdigit() for one, other in pairwise(plain))
    return bool(turns >= 6 and sum(character.isdigit() for character in plain) >= 4)


def _has_letters_and_digits(value: str, digits: int) -> bool:
    return any(c.isalpha() for c in value) and sum(c.isdigit() for c in value) >= digits


def is_url_password(match: Any) -> bool:
    value = match.group(1).decode(errors="replace")
    return not is_template(value) or any(character.isdigit() for character in value.strip("xX0"))


def is_command_password(match: Any) -> bool:
    value = match.group(1).decode(errors="replace")
    return not is_template(value) and not value.startswith(("$", "-", "/")) and value.lower() not in _NOT_A_VALUE


def is_bearer(match: Any) -> bool:
    value = match.group(1).decode(errors="replace")
    return not is_template(value) and is_varied(match) and _has_letters_and_digits(value, 2)


def is_basic(match: Any) -> bool:
    value = match.group(1)
    try:
        return b":" in binascii.a2b_base64(value + b"=" * (-len(value) % 4))
    except (binascii.Error, ValueError):
        return False


def has_digit(match: Any) -> bool:
    return any(48 <= byte <= 57 for byte in match.group(1))
