"""Find credentials by the words around them: "my password is ...", `api_key = ...`, `scheme://user:password@host`.

The patterns find a keyword, a connecting word or sign, and a value; `values` decides whether the value is one.
"""

from __future__ import annotations

from collections.abc import Iterable

from memfort.policy.secrets import values
from memfort.policy.secrets.fold import fold
from memfort.policy.secrets.rules import START, Check, Rule


def _spellings(words: Iterable[str]) -> tuple[str, ...]:
    """Fold keywords like the text; other alphabets in both cases, because patterns compare bytes."""
    return tuple(dict.fromkeys(fold(form) for word in words for form in (word, word.capitalize(), word.upper())))


_PASSWORD_WORDS = _spellings(
    (
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "pass word",
        "pass phrase",
        "pass code",
        "pswd",
        "contraseña",
        "mot de passe",
        "passwort",
        "kennwort",
        "senha",
        "parola",
        "wachtwoord",
        "lösenord",
        "passord",
        "adgangskode",
        "salasana",
        "hasło",
        "haslo",
        "heslo",
        "jelszó",
        "şifre",
        "mật khẩu",
        "пароль",
        "паролем",
        "κωδικός",
        "סיסמה",
        "كلمة المرور",
        "كلمة السر",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "비밀번호",
    )
)
_SHORT_PASSWORD_WORDS = ("pwd", "pw", "mdp", "psw")
_KEY_WORDS = (
    "(?:api[ _-]?key|access[ _-]?key|secret[ _-]?key|client[ _-]?secret|token|secret|credentials?"
    "|(?:private|encryption|signing|master|license|licence|account)[ _-]?key|cle api|clave api|api-schlussel"
    f"|{fold('ключ api')}|{fold('密钥')})"
)
_SAID_KEY = rf"(?:{_KEY_WORDS}|(?:my|our|his|her|their)\s(?:[a-z]{{1,20}}\s)?key)"  # "our Stripe key is ..."
_KEY_HINTS = ("key", "token", "secret", "credential", "cle api", "clave api", "schlussel", fold("ключ"), fold("密钥"))
# After these, and after `token` at the beginning of a line, a value of a few letters is a key: nothing else is there.
_SURE_KEY = "(?:api[ _-]?(?:key|token)|(?:access|auth)[ _-]?token)"
_WHOSE = r"(?:^|[^a-z])(?:my|our|your|his|her|their|[a-z]{1,20}'s)\s(?:[a-z0-9-]{1,20}\s){0,2}"

_QUOTES = "[\"'`*_\\])]{0,4}"
_ASIDE = r"(?:\s{1,3}(?:for|to|of|on|at|in|de|para|pour|fur|du|del|der|von)\s[^:=\n.?!]{1,40}?|\s?\([^()\n]{1,40}\))?"
_SIGN = r"\s{0,4}(?::=|=>|->|={1,3}|:)\s{0,4}"
# The longer phrases first, or "was" would take "changed" for the value.
_IS = (
    r"(?:(?:'s|\s+(?:(?:(?:is|was|has been|have been|got|be|being|now)\s)?(?:changed|set|reset|updated|switched)\sto"
    + r"|is|was|are|will be|becomes?|equals?|remains?|es|est|ist|era|sera|e|e'|to|-|"
    + fold("это")
    + r")(?:\s+(?:now|still|just|currently|simply|also|actually|always|literally|set\sto|probably))*[\s:]+)"
    + r"|\s{0,2}(?:是|为|為|は|는|은)[\s:]{0,4})"
)
_VALUE = r"(?:\"([^\"\n]{1,128})\"|'([^'\n]{1,128})'|`([^`\n]{1,128})`|([^\s\"'`]\S{0,127}))"
_NEAR = "(?:token|credential|secret|api key)"
_GENERATED = "[\\s\"'`(]([a-z0-9][a-z0-9_-]{15,127})"
_CREDENTIAL = "([A-Za-z0-9._~+/=-]{%d,})"

_LONG = "|".join(word.replace(" ", "[ _-]?") for word in _PASSWORD_WORDS)
_PASSWORD = f"(?:{_LONG}|(?:^|[^A-Za-z])(?:{'|'.join(_SHORT_PASSWORD_WORDS)}))"
# `db_pass: x` and `pass=x` are assignments; "the ski pass: 250 euros" is not.
_PASSWORD_IS_SET = (
    f"(?:(?:{_PASSWORD}|[_-]pass){_QUOTES}{_ASIDE}{_SIGN}|(?:^|[^A-Za-z])pass(?:\\s?=\\s?|[\"']\\s?:\\s?))"
)
_PASSWORD_HINTS = (*_PASSWORD_WORDS, *_SHORT_PASSWORD_WORDS)


def _prose(id: str, hints: tuple[str, ...], check: Check, *parts: str) -> Rule:
    return Rule(id, hints, "(?i)" + "".join(parts), check, in_prose=True)


CONTEXTS: tuple[Rule, ...] = (
    _prose("password_assignment", (*_PASSWORD_HINTS, "pass"), values.is_password, _PASSWORD_IS_SET, _VALUE),
    _prose("password_prose", _PASSWORD_HINTS, values.is_said_password, _PASSWORD, _QUOTES, _ASIDE, _IS, _VALUE),
    _prose("key_assignment", _KEY_HINTS, values.is_key_value, _KEY_WORDS, _QUOTES, _ASIDE, _SIGN, _VALUE),
    _prose("key_prose", _KEY_HINTS, values.is_key_value, _SAID_KEY, _QUOTES, _ASIDE, _IS, _VALUE),
    _prose(
        "short_key_assignment",
        _KEY_HINTS,
        values.is_short_key,
        rf"(?:{_SURE_KEY}|(?:^|\n)\s{{0,8}}[\"'`*-]{{0,2}}\s?token)",
        _QUOTES,
        _SIGN,
        _VALUE,
    ),
    _prose("short_key_prose", _KEY_HINTS, values.is_short_key, _WHOSE, _SURE_KEY, _IS, _VALUE),
    _prose(
        "key_nearby",
        ("token", "credential", "secret", "api key"),
        values.is_generated,
        rf"{_NEAR}[^\n]{{0,120}}?{_GENERATED}|{_GENERATED}[^\n]{{0,80}}?{_NEAR}",
    ),
    _prose(
        "url_credentials",
        ("://",),
        values.is_url_password,
        r"[a-z][a-z0-9+.-]{1,24}://[^\s/:@\"'<>]{0,100}:([^\s/@\"'<>]{1,200})@[^\s@]",
    ),
    _prose(
        "command_credentials",
        ("-u ", "-u'", '-u"', "-user", "sshpass", "mysql", "psql", "pgpassword", "ldap", "smbclient", "-u:"),
        values.is_command_password,
        r"(?:\s(?:-u|-{2}user|-U)[\s=]{1,2}[\"']?[^\s:\"'/@$]{1,64}[:%]|sshpass\s+-p\s{0,2}[\"']?|PGPASSWORD=[\"']?",
        r"|mysql(?:dump|admin)?\s[^\n]{0,60}?\s?-p[\"']?)([^\s\"']{4,128})",
    ),
    _prose(
        "authorization_header",
        ("authorization",),
        values.is_bearer,
        r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|ssws|digest|apikey)\s{1,3}",
        _CREDENTIAL % 8,
    ),
    _prose("bearer_token", ("bearer",), values.is_bearer, START, r"bearer\s{1,3}[\"']?", _CREDENTIAL % 16),
    _prose("basic_credentials", ("basic",), values.is_basic, START, r"basic\s{1,3}([A-Za-z0-9+/]{8,}={0,2})"),
)
