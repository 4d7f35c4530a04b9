"""Sentences that look like credentials but are not, made from templates with a fixed random state."""

from __future__ import annotations

import random
import string

HEX = "0123456789abcdef"

_TEMPLATES = (
    "Your order number is {digits16}.",
    "Order {digits12} shipped on {date}.",
    "Invoice INV-{digits8} is due on {date}.",
    "Tracking number 1Z{upper6}{digits8} is out for delivery.",
    "The commit {sha1} fixed the crash in the parser.",
    "Revert {sha7}, it broke the build on {os}.",
    "sha256 of the archive: {sha256}",
    "md5sum says {md5} for the old file.",
    "Request {uuid} took {small} ms.",
    "The session {uuid} was closed by the user.",
    "We run version {version} on {os}.",
    "Upgrade from {version} to {version} before {date}.",
    "ISBN 978-{digit}-{digits2}-{digits6}-{digit} is out of print.",
    "The meeting id is {digits3} {digits3} {digits4}.",
    "Ticket PROJ-{digits4} blocks PROJ-{digits4}.",
    "The serial number on the back is {upper6}-{digits6}.",
    "Flight {upper2}{digits3} leaves at {time} from gate {letter}{digits2}.",
    "My account id is {digits10}.",
    "The sensor reported {digits2}.{digits4} at {time}.",
    "Unix time {epoch} is {date}.",
    "Coordinates {digits2}.{digits6}, {digits2}.{digits6}.",
    "The part number is {upper3}-{digits5}-{letter}.",
    "EAN 4{digits12} was scanned twice.",
    "The password policy asks for {small} characters.",
    "The password must be {small} characters long and contain a digit.",
    "Passwords expire after {small} days.",
    "I forgot the password to my {place} account again.",
    "Please reset my password for the {place}.",
    "The password is stored hashed with bcrypt, cost {small}.",
    "She said the password was too {quality}.",
    "A good password is {quality} and never reused.",
    "Is the password {quality} or not?",
    "The password field is {state} on the {place} page.",
    "My password manager is {state}.",
    "Token ring was {quality} in 19{digits2}.",
    "The context window is {small}000 tokens.",
    "This model costs ${small} per million tokens.",
    "The tokenizer splits the word into {small} tokens.",
    "API key rotation happens every {small} days.",
    "The API key is {state}, ask {name} for a new one.",
    "The access token is {state} after {small} minutes.",
    "Keep the client secret {quality}.",
    "{name} bought a secret santa gift for ${small}.",
    "The secret to bread is {small} hours of rest.",
    "The key is under the {thing}.",
    "The monkey took the {thing} from the keyboard.",
    "Put the pin back in the {thing}, it is {small} mm wide.",
    "Pin {small} on the board drives the {thing}.",
    "The verification code never arrived at {place}.",
    "Call me about the {thing} on {date} at {time}.",
    "The phone has {small} GB and the serial {digits12}.",
    "def check_password(password: str) -> bool:",
    "password = getpass.getpass()",
    "if user.password == form.password: return True",
    "api_key = os.environ['{upper6}_API_KEY']",
    "token = request.headers.get('Authorization')",
    'headers = {"Authorization": f"Bearer {token}"}',
    "export API_KEY=<your key here>",
    "curl -u user:$PASSWORD https://api.example.com/v{digit}",
    "postgres://localhost:5432/app_{digits2}",
    "see https://example.com/{sha7}/index.html?page={small}",
    "git clone git@example.com:{name}/repo-{digits2}.git",
    "{name} works at {place} since 20{digits2}.",
    "{name} scored {digits2} points and the other side {digits2}.",
    "Rue de la Paix {small}, {digits5} {place}",
    "color: #{hex6}; margin: {small}px;",
    "The MAC address is {hexpair}:{hexpair}:{hexpair}:{hexpair}:{hexpair}:{hexpair}.",
    "0x{hex8} is the faulting address.",
    "The file IMG_{digits8}_{digits6}.jpg is blurred.",
    "np.random.seed({digits2}); x = np.zeros(({small}, {small}))",
    "La contraseña es obligatoria.",
    "Das Passwort ist zu kurz, mindestens {small} Zeichen.",
    "Le mot de passe est obligatoire.",
    "Пароль должен быть длиннее {small} символов.",
    "密码必须至少{small}个字符。",
    "She is a single mother with {small} basic needs to meet.",
    "The bearer of the ticket {digits8} may enter.",
    "I'd like to pay with my card, how do I do that?",
    "The card reader is {state}.",
    "Gift card number? I lost it on {date}.",
)
_WORDS = {
    "os": ("Linux", "macOS", "Windows", "Android"),
    "place": ("bank", "Lyon", "router", "library", "school", "office", "Osaka", "wifi", "Gmail"),
    "quality": ("short", "long", "weak", "strong", "simple", "private", "safe", "boring", "unique", "hard to guess"),
    "state": ("expired", "missing", "disabled", "broken", "locked", "gone", "required", "new", "invalid", "outdated"),
    "name": ("Caroline", "Tomás", "Mei", "Olu", "Anna", "Dmitri", "Sofia", "Raj"),
    "thing": ("lamp", "doormat", "flag", "garden shed", "bicycle", "camera", "grenade toy", "map"),
}


def sentences(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [_filled(rng.choice(_TEMPLATES), rng) for _ in range(count)]


def _filled(template: str, rng: random.Random) -> str:
    pieces = template.split("{")
    return pieces[0] + "".join(_piece(piece, rng) for piece in pieces[1:])


def _piece(piece: str, rng: random.Random) -> str:
    name, brace, rest = piece.partition("}")
    value = _value(name, rng)
    return "{" + piece if not brace or value is None else value + rest


def _value(name: str, rng: random.Random) -> str | None:
    if name in _WORDS:
        return rng.choice(_WORDS[name])
    made = {
        "small": lambda: str(rng.randint(2, 90)),
        "letter": lambda: rng.choice(string.ascii_uppercase),
        "digit": lambda: rng.choice(string.digits),
        "date": lambda: f"20{rng.randint(10, 29)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
        "time": lambda: f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}",
        "epoch": lambda: str(rng.randint(1_400_000_000, 1_900_000_000)),
        "version": lambda: f"{rng.randint(0, 30)}.{rng.randint(0, 30)}.{rng.randint(0, 30)}",
        "sha1": lambda: _of(HEX, 40, rng),
        "sha7": lambda: _of(HEX, 7, rng),
        "sha256": lambda: _of(HEX, 64, rng),
        "md5": lambda: _of(HEX, 32, rng),
        "hexpair": lambda: _of(HEX, 2, rng),
        "hex6": lambda: _of(HEX, 6, rng),
        "hex8": lambda: _of(HEX, 8, rng),
        "uuid": lambda: "-".join(_of(HEX, size, rng) for size in (8, 4, 4, 4, 12)),
        # Order numbers begin with a one or a nine: one in ten of any others is a valid card number by chance.
        "digits16": lambda: rng.choice("19") + _of(string.digits, 15, rng),
    }
    if name in made:
        return made[name]()
    for kind, alphabet in (("digits", string.digits), ("upper", string.ascii_uppercase)):
        if name.startswith(kind):
            return _of(alphabet, int(name[len(kind) :]), rng)
    return None


def _of(alphabet: str, length: int, rng: random.Random) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))
