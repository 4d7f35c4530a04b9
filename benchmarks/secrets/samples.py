"""Generated credentials of every known format, and near misses.

They are assembled at run time, so that no file here triggers a secret scanner. Formats are described as (literal,
alphabet and length) parts, independent of the detector's patterns, so that one checks the other.
"""

from __future__ import annotations

import base64
import hashlib
import random
import string
from collections.abc import Callable
from dataclasses import dataclass

LOWER = string.ascii_lowercase
UPPER = string.ascii_uppercase
DIGITS = string.digits
ALNUM = string.ascii_letters + DIGITS
TOKEN = ALNUM + "_-"
HEX = "0123456789abcdef"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE64 = ALNUM + "+/"

Part = str | tuple[str, int]


@dataclass(frozen=True, slots=True)
class Sample:
    rule: str
    make: Callable[[random.Random], str]
    near_miss: Callable[[random.Random], str]  # the same with too little of it, or a wrong checksum
    is_prose: bool = False  # a sentence rather than a token


def _fill(parts: tuple[Part, ...], rng: random.Random) -> str:
    return "".join(part if isinstance(part, str) else _letters(*part, rng) for part in parts)


def _letters(alphabet: str, length: int, rng: random.Random) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))


def _parts(rule: str, *parts: Part, miss: tuple[Part, ...] | None = None) -> Sample:
    short = miss or _shortened(parts)
    return Sample(rule, lambda rng: _fill(parts, rng), lambda rng: _fill(short, rng))


def _shortened(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The same with a third of its last random part, like a truncated token or a prefix in a manual."""
    for place in reversed(range(len(parts))):
        part = parts[place]
        if not isinstance(part, str):
            return (*parts[:place], (part[0], max(2, part[1] // 3)), *parts[place + 1 :])
    raise ValueError("a format without a random part has no near miss; give one")


def _uuid(rng: random.Random) -> str:
    return "-".join(_letters(HEX, length, rng) for length in (8, 4, 4, 4, 12))


def _with_uuid(rule: str, prefix: str) -> Sample:
    return Sample(rule, lambda rng: prefix + _uuid(rng), lambda rng: prefix + _letters(HEX, 8, rng))


def _sentences(
    rule: str, shapes: tuple[str, ...], values: Callable[[random.Random], str], misses: tuple[str, ...]
) -> Sample:
    return Sample(
        rule,
        lambda rng: rng.choice(shapes).replace("@@", values(rng)),
        lambda rng: rng.choice(misses),
        is_prose=True,
    )


def _password(rng: random.Random) -> str:
    word = rng.choice(("sunflower", "dragon", "kestrel", "harbour", "maple", "tundra", "velvet", "comet"))
    styles = (
        word + _letters(DIGITS, rng.randint(1, 4), rng),
        word.capitalize() + rng.choice("!#$%&@") + _letters(DIGITS, 2, rng),
        _letters(ALNUM, 6, rng) + _letters(DIGITS, 2, rng),
        _letters(ALNUM + "!#$^*+?", 10, rng) + rng.choice(DIGITS),
    )
    return rng.choice(styles)


def _key(rng: random.Random) -> str:
    styles = (
        _letters(HEX, 32, rng), _letters(ALNUM, 24, rng) + "42", _letters(LOWER + DIGITS, 14, rng) + "17",
        _letters(UPPER + DIGITS, 4, rng) + "-" + _letters(UPPER + DIGITS, 4, rng) + "-" + _letters(DIGITS, 4, rng),
    )  # fmt: skip
    return rng.choice(styles)


def _short_key(rng: random.Random) -> str:
    return rng.choice(("xyz", "abc", "xyz123", "k" + _letters(LOWER + DIGITS, 4, rng) + "7"))


def luhn_digit(body: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 - place % 2)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def card(rng: random.Random) -> str:
    prefix, length = rng.choice(
        (
            ("4", 16),
            ("51", 16),
            ("55", 16),
            ("2221", 16),
            ("34", 15),
            ("37", 15),
            ("6011", 16),
            ("3530", 16),
            ("36", 14),
            ("62", 16),
        )
    )
    body = prefix + _letters(DIGITS, length - len(prefix) - 1, rng)
    number = body + luhn_digit(body)
    return number if rng.random() < 0.5 else _grouped(number, rng.choice((" ", "-")))


def _grouped(number: str, separator: str) -> str:
    sizes = (4, 4, 4, 4) if len(number) == 16 else (4, 6, 5) if len(number) == 15 else (4, 6, 4)
    pieces, at = [], 0
    for size in sizes:
        pieces.append(number[at : at + size])
        at += size
    return separator.join(pieces)


def _wrong_card(rng: random.Random) -> str:
    body = "4" + _letters(DIGITS, 14, rng)
    return body + str((int(luhn_digit(body)) + 1 + rng.randrange(9)) % 10)


def _bitcoin(rng: random.Random, *, right: bool = True) -> str:
    raw = b"\x80" + rng.randbytes(32) + b"\x01"
    check = hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    number = int.from_bytes(raw + (check if right else bytes(reversed(check[:3])) + b"\x00"), "big")
    text = ""
    while number:
        number, rest = divmod(number, 58)
        text = BASE58[rest] + text
    return text


def _jwt(rng: random.Random) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(b'{"sub":"%d","name":"N"}' % rng.randrange(10**9)).decode().rstrip("=")
    return f"{head}.{body}.{_letters(TOKEN, 43, rng)}"


def _basic(rng: random.Random) -> str:
    return "Basic " + base64.b64encode(f"user:{_password(rng)}".encode()).decode()


def _teams(rng: random.Random) -> str:
    return f"https://x.webhook.office.com/webhookb2/{_uuid(rng)}@{_uuid(rng)}/Incoming/{_letters(HEX, 32, rng)}"


def _pem(rng: random.Random) -> str:
    return "-----BEGIN " + rng.choice(("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")) + "PRIVATE" + " KEY-----"


def _weak(rng: random.Random) -> str:
    return _letters(LOWER, 7, rng) + _letters(DIGITS, 3, rng)


_WALLET_WORDS = """
    witch collapse practice feed shame open despair creek road again ice least ocean tiger velvet maple candle orbit
    river stone cloud penny lamp forest
    """.split()  # noqa: SIM905 - a table of words reads better than a list of quotes


def _generated(rng: random.Random) -> str:
    return "zz_" + "-".join(_fill(((DIGITS, 1), (UPPER, 1), (DIGITS, 1), (UPPER, 1)), rng) for _ in range(4))


SAMPLES: tuple[Sample, ...] = (
    _parts("openai_key", "sk-", (ALNUM, 48), miss=("sk-", (ALNUM, 9))),
    _parts("openai_project_key", "sk-", "proj-", (TOKEN, 74), miss=("sk-", "proj-", (LOWER, 8))),
    _parts("openai_service_key", "sk-", "svcacct-", (TOKEN, 74), miss=("sk-", "svcacct-", (LOWER, 8))),
    _parts("openai_admin_key", "sk-", "admin-", (TOKEN, 74), miss=("sk-", "admin-", (LOWER, 8))),
    _parts("anthropic_key", "sk-", "ant-", "api03-", (TOKEN, 93), miss=("sk-", "ant-", (TOKEN, 6))),
    _parts("openrouter_key", "sk-", "or-v1-", (HEX, 64), miss=("sk-", "or-v1-", (HEX, 6))),
    Sample("langfuse_key", lambda rng: "sk-" + "lf-" + _uuid(rng), lambda rng: "sk-" + "lf-" + _letters(HEX, 8, rng)),
    _parts("groq_key", "gsk", "_", (ALNUM, 52)),
    _parts("replicate_token", "r8", "_", (ALNUM, 37)),
    _parts("memfort_key", "mfk", "_", (LOWER, 24), "_", (LOWER, 52), miss=("mfk", "_", (LOWER, 20))),
    _parts("perplexity_key", "pplx", "-", (ALNUM, 48)),
    _parts("xai_key", "xai", "-", (ALNUM, 80)),
    _parts("huggingface_token", "hf", "_", (string.ascii_letters, 34)),
    _parts("langsmith_key", "lsv2", "_pt_", (HEX, 32), "_", (HEX, 10), miss=("lsv2", "_pt_", (HEX, 10))),
    _parts("nvidia_key", "nvapi", "-", (TOKEN, 64)),
    _parts("together_key", "tgp", "_v1_", (TOKEN, 43)),
    _parts("cerebras_key", "csk", "-", (LOWER + DIGITS, 48)),
    _parts("pinecone_key", "pcsk", "_", (ALNUM, 6), "_", (ALNUM, 63)),
    _parts("tavily_key", "tvly", "-", (ALNUM, 32)),
    _parts("elevenlabs_key", "sk", "_", (HEX, 48)),
    _parts("firecrawl_key", "fc", "-", (HEX, 32)),
    _parts("github_pat", "ghp", "_", (ALNUM, 36)),
    _parts("github_oauth", "gho", "_", (ALNUM, 36)),
    _parts("github_user_token", "ghu", "_", (ALNUM, 36)),
    _parts("github_server_token", "ghs", "_", (ALNUM, 36)),
    _parts("github_refresh_token", "ghr", "_", (ALNUM, 76)),
    _parts(
        "github_fine_grained_pat",
        "github",
        "_pat_",
        (ALNUM, 22),
        "_",
        (ALNUM, 59),
        miss=("github", "_pat_", (ALNUM, 12)),
    ),
    _parts("gitlab_pat", "glpat", "-", (TOKEN, 20)),
    _parts("gitlab_token", "gldt", "-", (TOKEN, 20)),
    _parts("gitlab_runner_registration", "GR13", "48941", (TOKEN, 20)),
    _parts("bitbucket_app_password", "AT", "BB", (ALNUM, 32)),
    _parts("npm_token", "npm", "_", (ALNUM, 36)),
    _parts("pypi_token", "pypi", "-AgEI", (TOKEN, 150), miss=("pypi", "-AgEI", (TOKEN, 20))),
    _parts("rubygems_key", "rubygems", "_", (HEX, 48)),
    _parts("crates_token", "ci", "o", (ALNUM, 32)),
    _parts("nuget_key", "oy", "2", (LOWER + DIGITS, 43)),
    _parts("docker_token", "dckr", "_pat_", (TOKEN, 27)),
    _parts("clojars_token", "CLOJARS", "_", (LOWER + DIGITS, 60)),
    _parts("artifactory_key", "AK", "Cp", (ALNUM, 69)),
    _parts("circleci_token", "CCIPAT", "_", (ALNUM, 22), "_", (HEX, 40), miss=("CCIPAT", "_", (ALNUM, 12))),
    _parts("buildkite_token", "bkua", "_", (HEX, 40)),
    _parts("sonar_token", "sqp", "_", (HEX, 40)),
    _parts("sourcegraph_token", "sgp", "_", (HEX, 40)),
    _parts("aws_access_key_id", "AK", "IA", (UPPER + "234567", 16)),
    _parts(
        "aws_secret_access_key",
        "aws_secret_",
        "access_key = ",
        (BASE64, 40),
        miss=("aws_secret_", "access_key = ", (LOWER, 5)),
    ),
    _parts("aws_bedrock_key", "AB", "SK", (BASE64, 120)),
    _parts("google_api_key", "AI", "za", (TOKEN, 35)),
    _parts("google_oauth_token", "ya", "29.", (TOKEN, 120), miss=("ya", "29.", (TOKEN, 10))),
    _parts("google_client_secret", "GOC", "SPX-", (TOKEN, 28)),
    _parts("google_refresh_token", "1/", "/0", (TOKEN, 60), miss=("1/", "/0", (TOKEN, 8))),
    _parts("gcp_service_account", '"private_key_id": "', (HEX, 40), '"', miss=('"private_key_id": "', (LOWER, 5), '"')),
    _parts("azure_storage_key", "Account", "Key=", (BASE64, 86), "==", miss=("Account", "Key=", (LOWER, 5))),
    _parts(
        "azure_shared_access_key", "SharedAccess", "Key=", (BASE64, 43), "=", miss=("SharedAccess", "Key=", (LOWER, 5))
    ),
    _parts(
        "azure_sas",
        "https://x.blob.core.windows.net/c?sv=2022-11-02&",
        "sig=",
        (ALNUM, 43),
        "%3D",
        miss=("https://x.blob.core.windows.net/c?sv=2022-11-02&sig=", (LOWER, 6)),
    ),
    _parts("azure_client_secret", (ALNUM, 3), "8Q", "~", (ALNUM, 34)),
    _parts("digitalocean_token", "dop", "_v1_", (HEX, 64)),
    _parts("heroku_key", "HRKU", "-", (TOKEN, 60), miss=("HRKU", "-", (TOKEN, 10))),
    _parts("cloudflare_origin_ca_key", "v1.0", "-", (HEX, 24), "-", (HEX, 146)),
    _parts("cloudflare_token", "cloudflare ", "token: ", (TOKEN, 40), miss=("cloudflare token: ", (LOWER, 6))),
    _parts("fly_token", "Fly", "V1 fm2_", (BASE64, 120), miss=("Fly", "V1 ", (LOWER, 12))),
    _parts("fly_macaroon", "fm2", "_", (BASE64, 120)),
    _parts("netlify_token", "nfp", "_", (ALNUM, 36)),
    _parts("render_key", "rnd", "_", (ALNUM, 28)),
    _parts("neon_key", "napi", "_", (LOWER + DIGITS, 64)),
    _parts("alibaba_key_id", "LT", "AI", (ALNUM, 20), miss=("LT", "AI", (ALNUM, 6))),
    _parts("tencent_key_id", "AK", "ID", (ALNUM, 32)),
    _parts("yandex_key", "AQ", "VN", (TOKEN, 36)),
    _parts("yandex_oauth", "y0", "_", (TOKEN, 55)),
    _parts("planetscale_token", "pscale", "_tkn_", (TOKEN, 43)),
    _parts("supabase_token", "sbp", "_", (HEX, 40)),
    _parts("supabase_secret_key", "sb", "_secret_", (TOKEN, 31), miss=("sb", "_secret_", (LOWER, 6))),
    _parts("databricks_token", "da", "pi", (HEX, 32)),
    _parts("terraform_token", (ALNUM, 14), ".atlas", "v1.", (TOKEN, 67)),
    _parts("pulumi_token", "pul", "-", (HEX, 40)),
    _parts("scaleway_key_id", "SC", "W", (UPPER + DIGITS, 17)),
    _parts("stripe_key", "sk", "_live_", (ALNUM, 24)),
    _parts("stripe_webhook_secret", "wh", "sec_", (ALNUM, 32)),
    _parts("square_token", "sq0", "atp-", (TOKEN, 22)),
    _parts("square_access_token", "EA", "AA", (TOKEN, 60)),
    _parts("braintree_token", "access_token", "$production$", (LOWER + DIGITS, 16), "$", (HEX, 32)),
    _parts("paypal_client_secret", "paypal ", "secret: E", (TOKEN, 79), miss=("paypal secret: E", (LOWER, 6))),
    _parts("shopify_token", "shp", "at_", (HEX, 32)),
    _parts("razorpay_key", "rzp", "_live_", (ALNUM, 14)),
    _with_uuid("plaid_token", "access-" + "production-"),
    _parts("flutterwave_key", "FLW", "SECK-", (HEX, 32), "-X"),
    _parts("shippo_token", "shippo", "_live_", (HEX, 40)),
    _parts("flutterwave_test_key", "FLW", "SECK_TEST-", (HEX, 32), "-X", miss=("FLW", "SECK_TEST-", (HEX, 4))),
    _parts("easypost_key", "EZ", "AK", (ALNUM, 54)),
    _parts("duffel_token", "duffel", "_live_", (TOKEN, 43)),
    _parts(
        "slack_token", "xo", "xb-", (DIGITS, 12), "-", (DIGITS, 12), "-", (ALNUM, 24), miss=("xo", "xb-", (DIGITS, 6))
    ),
    _parts(
        "slack_app_token",
        "xa",
        "pp-1-A",
        (UPPER + DIGITS, 10),
        "-",
        (DIGITS, 13),
        "-",
        (HEX, 64),
        miss=("xa", "pp-1-A", (DIGITS, 6)),
    ),
    _parts(
        "slack_webhook",
        "https://hooks.",
        "slack.com/services/T",
        (UPPER, 8),
        "/B",
        (UPPER, 8),
        "/",
        (ALNUM, 24),
        miss=("https://hooks.", "slack.com/services/T", (UPPER, 8)),
    ),
    _parts("discord_bot_token", "M", (ALNUM, 23), ".", (ALNUM, 6), ".", (TOKEN, 27)),
    _parts("discord_webhook", "https://discord", ".com/api/webhooks/", (DIGITS, 18), "/", (TOKEN, 68)),
    _parts("telegram_bot_token", (DIGITS, 10), ":A", "A", (TOKEN, 33), miss=((DIGITS, 10), ":A", "A", (TOKEN, 8))),
    _parts("twilio_key", "S", "K", (HEX, 32)),
    _parts("sendgrid_key", "S", "G.", (TOKEN, 22), ".", (TOKEN, 43)),
    _parts("mailgun_key", "ke", "y-", (HEX, 32)),
    _parts("mailchimp_key", (HEX, 32), "-u", "s12", miss=((HEX, 12), "-us12")),
    _parts("brevo_key", "xkey", "sib-", (HEX, 64), "-", (ALNUM, 16), miss=("xkey", "sib-", (HEX, 20))),
    _parts("resend_key", "r", "e_", (ALNUM, 8), "_", (ALNUM, 24)),
    Sample("teams_webhook", _teams, lambda rng: f"https://x.webhook.office.com/webhookb2/{_letters(HEX, 8, rng)}"),
    _parts("facebook_token", "EA", "AC", (ALNUM, 160), miss=("EA", "AC", (ALNUM, 20))),
    _parts("twitter_bearer", "A" * 22, (ALNUM, 80), miss=("A" * 22, (ALNUM, 12))),
    _parts("vault_token", "hv", "s.", (ALNUM, 24)),
    _parts("doppler_token", "dp", ".pt.", (ALNUM, 43)),
    _parts("doppler_service_token", "dp", ".st.", "dev.", (ALNUM, 43)),
    _parts("grafana_token", "gl", "sa_", (ALNUM, 32), "_", (HEX, 8), miss=("gl", "sa_", (ALNUM, 10))),
    _parts("newrelic_key", "NR", "AK-", (UPPER + DIGITS, 27)),
    _parts("sentry_token", "sntr", "ys_", (BASE64, 120), miss=("sntr", "ys_", (BASE64, 20))),
    _parts("dynatrace_token", "dt0", "c01.", (UPPER + DIGITS, 24), ".", (UPPER + DIGITS, 64)),
    _parts("linear_key", "lin", "_api_", (ALNUM, 40)),
    _parts("notion_token", "secret", "_", (ALNUM, 43)),
    _parts("notion_integration_token", "nt", "n_", (ALNUM, 46)),
    _parts("postman_key", "PM", "AK-", (HEX, 24), "-", (HEX, 34)),
    _parts("figma_token", "fig", "d_", (TOKEN, 40)),
    _parts("atlassian_token", "ATA", "TT3", (TOKEN, 180), miss=("ATA", "TT3", (TOKEN, 12))),
    _parts("asana_token", "1/12", (DIGITS, 14), ":", (HEX, 32)),
    _parts("airtable_token", "pa", "t", (ALNUM, 14), ".", (HEX, 64)),
    _parts("typeform_token", "tf", "p_", (TOKEN, 44)),
    _parts("okta_token", "SS", "WS 00", (TOKEN, 40)),
    _parts("auth0_secret", "auth0 client ", "secret: ", (TOKEN, 64), miss=("auth0 client secret: ", (LOWER, 6))),
    _parts("clickup_token", "pk", "_", (DIGITS, 8), "_", (UPPER + DIGITS, 32)),
    _parts("tailscale_key", "tskey", "-auth-", (ALNUM, 17), "-", (ALNUM, 32), miss=("tskey", "-auth-", (ALNUM, 6))),
    _parts("onepassword_service_token", "ops", "_eyJ", (ALNUM, 250), miss=("ops", "_eyJ", (ALNUM, 20))),
    _parts(
        "onepassword_secret_key",
        "A",
        "3-",
        (UPPER, 6),
        "-",
        (UPPER, 11),
        "-",
        (UPPER, 5),
        "-",
        (UPPER, 5),
        "-",
        (UPPER, 5),
    ),
    _with_uuid("launchdarkly_key", "ap" + "i-"),
    _parts("mapbox_secret_token", "sk", ".eyJ", (ALNUM, 60), ".", (ALNUM, 22), miss=("sk", ".eyJ", (ALNUM, 12))),
    _parts("contentful_token", "CF", "PAT-", (TOKEN, 43)),
    _parts("posthog_key", "ph", "x_", (ALNUM, 43)),
    _parts("prefect_key", "pn", "u_", (ALNUM, 36)),
    _parts("readme_key", "rd", "me_", (ALNUM, 70)),
    _parts("dropbox_token", "s", "l.", (TOKEN, 135)),
    _parts(
        "zapier_webhook",
        "https://hooks.",
        "zapier.com/hooks/catch/",
        (DIGITS, 7),
        "/",
        (ALNUM, 7),
        miss=("https://hooks.", "zapier.com/hooks/catch/", (DIGITS, 3)),
    ),
    _parts("adobe_client_secret", "p8", "e-", (LOWER + DIGITS, 32)),
    _parts("artifactory_reference_token", "cm", "Vmd", (ALNUM, 59)),
    _parts(
        "authress_key",
        "sc",
        "_",
        (LOWER, 8),
        ".",
        (LOWER, 5),
        ".acc-",
        (LOWER, 14),
        ".",
        (ALNUM, 60),
        miss=("sc", "_", (LOWER, 8), ".", (LOWER, 5)),
    ),
    _parts("bedrock_short_key", "bedrock-", "api-key-", (BASE64, 60), miss=("bedrock-", "api-key-", (LOWER, 5))),
    _parts("clickhouse_key", "4b", "1d", (ALNUM, 38)),
    _parts("frameio_token", "fio", "-u-", (TOKEN, 64)),
    _parts("gitlab_session", "_gitlab", "_session=", (LOWER + DIGITS, 32), miss=("_gitlab", "_session=", (LOWER, 6))),
    _parts("grafana_api_key", "eyJ", "rIjoi", (ALNUM, 80)),
    _parts("harness_key", "pa", "t.", (ALNUM, 22), ".", (HEX, 24), ".", (ALNUM, 20), miss=("pa", "t.", (ALNUM, 22))),
    _parts("infracost_key", "ic", "o-", (ALNUM, 32)),
    _parts("intra42_secret", "s-s4", "t2ud-", (HEX, 64)),
    _parts("maxmind_key", (ALNUM, 6), "_", (ALNUM, 29), "_m", "mk", miss=((ALNUM, 6), "_", (ALNUM, 12))),
    _parts("octopus_key", "AP", "I-", (UPPER + DIGITS, 26)),
    _parts("openshift_token", "sha256", "~", (TOKEN, 43)),
    _parts("scalingo_token", "tk-", "us-", (TOKEN, 48)),
    _parts("settlemint_token", "sm", "_pat_", (ALNUM, 16)),
    _parts(
        "authenticator_url",
        "otpauth",
        "://totp/Acme:bob?secret=",
        (UPPER + "234567", 32),
        miss=("otpauth", "://totp/Acme:bob"),
    ),
    _parts("adafruit_key", "ai", "o_", (ALNUM, 28)),
    Sample("private_key", _pem, lambda _: "-----BEGIN PUBLIC KEY-----"),
    Sample("putty_private_key", lambda _: "PuTTY-User-" + "Key-File-3: ssh-ed25519", lambda _: "PuTTY-User-Guide"),
    _parts("age_secret_key", "AGE-SECRET", "-KEY-1", (UPPER + DIGITS, 58)),
    _parts("age_secret_key_lower", "age-secret", "-key-1", (LOWER + DIGITS, 58)),
    _parts("wireguard_private_key", "Private", "Key = ", (BASE64, 43), "=", miss=("PrivateKey = ", (LOWER, 5))),
    Sample("bitcoin_private_key", _bitcoin, lambda rng: _bitcoin(rng, right=False)),
    _parts("bitcoin_extended_key", "xp", "rv", (BASE58, 107)),
    Sample("jwt", _jwt, lambda rng: "ey" + "J" + _letters(ALNUM, 30, rng)),
    _sentences(
        "password_assignment",
        (
            "password: @@",
            "pwd=@@",
            'db_password = "@@"',
            "Passwort: @@",
            "пароль: @@",
            "contraseña: @@",
            "passphrase: @@",
        ),
        _password,
        (
            "password: required",
            "Password: must be at least 12 characters",
            "password = request.form['password']",
            "password: str",
        ),
    ),
    _sentences(
        "password_prose",
        (
            "my password is @@",
            "the wifi password is @@.",
            "her password was changed to @@ yesterday",
            "mi contraseña es @@",
            "mon mot de passe est @@",
            "mein Passwort ist @@",
            "密码是@@",
            "the password for the router is now @@",
        ),
        _password,
        (
            "my password is too weak",
            "the password must be 12 characters long",
            "the password was changed yesterday",
            "mi contraseña es segura",
        ),
    ),
    _sentences(
        "key_assignment",
        ("API key: @@", "api_key=@@", '"client_secret": "@@"', "access token: @@", "secret_key = '@@'"),
        _key,
        ("API key: required", "api_key=os.environ['KEY']", "client_secret: <your secret>"),
    ),
    _sentences(
        "key_prose",
        ("my api key is @@", "the access token is @@", "our API key for staging is @@"),
        _key,
        ("my api key is expired", "the access token is refreshed hourly", "API key rotation happens monthly"),
    ),
    _sentences(
        "short_key_assignment",
        ("the staging server is called with api_key=@@", "what it needs is the access token: @@"),
        _short_key,
        ("api_key=none", "token: JWT", "access token: required", "the next token: mat"),
    ),
    _sentences(
        "short_key_prose",
        ("as far as I know, the user's API key is @@", "write down that our Stripe API key is @@"),
        _short_key,
        ("Stripe's API key is free", "our API key is in the vault", "my access token is revoked"),
    ),
    _sentences(
        "key_nearby",
        ("the token in use on the staging path since May: @@", "Rotate the leaked credential, the value @@ is dead"),
        _generated,
        (
            "the token for build a9993e364706816aba3e25717850c26c9cd0d89d",
            "16k tokens fit gpt-4o-mini-2024-07-18",
            "the secret of 550e8400-e29b-41d4-a716-446655440000",
        ),
    ),
    _sentences(
        "url_credentials",
        (
            "postgres://app:@@@db.internal:5432/x",
            "https://bob:@@@example.com/",
            "mongodb+srv://u:@@@c0.example.net",
            "redis://:@@@cache:6379/0",
        ),
        lambda rng: _letters(ALNUM, 12, rng),
        ("postgres://db.internal:5432/x", "https://user:<password>@example.com", "see http://example.com:8080/@home"),
    ),
    _sentences(
        "command_credentials",
        ("curl -u bob:@@ https://intranet.example/api", "sshpass -p @@ ssh root@host", "mysql -u root -p@@ shop"),
        _password,
        ("curl -u user:$PASSWORD https://api.example.com", "mysql -u root -p shop", "ls -u name"),
    ),
    _sentences(
        "said_password",
        (
            "das WLAN-Passwort lautet @@",
            "le mot de passe du wifi c'est @@",
            "zmieniłem hasło na @@",
            "log in as bob with password @@",
            "use @@ as the password",
            "@@ is my wifi password",
        ),
        _weak,
        (
            "Das Passwort läuft in 30 Tagen ab",
            "Le mot de passe est obligatoire",
            "the password is on the fridge",
            "a password manager",
            "use bcrypt as the password hash",
        ),
    ),
    _sentences(
        "said_short_password",
        ("the netflix pass is @@", "pw @@", "mdp netflix @@"),
        _weak,
        ("pass me the 2019 report", "my pass mark was 65 percent", "the ski pass: 250 euros"),
    ),
    _sentences(
        "said_code",
        (
            "the voicemail code is @@",
            "el código de la puerta es @@",
            "mój pin do karty to @@",
            "bank card PIN: @@",
            "if the alarm goes off type @@",
            "the cvv on it is @@",
        ),
        lambda rng: _letters("13456789", 4, rng),
        (
            "the postal code is 94110",
            "the error code is 104455",
            "I forgot my PIN again",
            "the pin is 5 cm long",
            "the alarm is set for 0645",
            "cvv is on the back",
        ),
    ),
    _sentences(
        "said_one_time_code",
        (
            "@@ is your Google verification code",
            "Session OTP for Diana: @@.",
            "votre code de vérification est @@",
            "they just texted me @@, enter it before it expires",
        ),
        lambda rng: _letters("123456789", 6, rng),
        ("the verification code never arrived", "OTP codes have 6 digits", "they texted me at 1830"),
    ),
    _sentences(
        "said_key",
        ("our Stripe key: @@", "den Schlüssel für die Wetter-API haben wir, das ist @@", "the datadog token @@"),
        lambda rng: _letters(HEX, 15, rng) + "7a9f",
        ("Row key edc8c08e026d8b2b is hot", "map key is legend2_blue5", "the token expires in 30 minutes"),
    ),
    _sentences(
        "said_login",
        ("creds: bob:@@", "identifiants : lea / @@"),
        _weak,
        ("login: see the wiki / page 12", "the user opened app/main.py"),
    ),
    _sentences(
        "authenticator_seed",
        ("2FA seed: @@", "TOTP secret @@"),
        lambda rng: " ".join(_letters(UPPER, 4, rng) for _ in range(4)),
        ("the TOTP secret is stored in the vault", "2FA seed: see the vault"),
    ),
    _sentences(
        "recovery_phrase",
        ("seed phrase: @@", "my recovery phrase is @@"),
        lambda rng: " ".join(rng.sample(_WALLET_WORDS, 12)),
        ("write the seed phrase on paper and keep it in the safe at home with your passport", "what is a seed phrase?"),
    ),
    _sentences(
        "authorization_header",
        ("Authorization: Bearer @@", 'authorization="Token @@"'),
        lambda rng: _letters(ALNUM, 30, rng) + "42",
        ("Authorization: Bearer <token>", "authorization: required"),
    ),
    _sentences(
        "bearer_token",
        ("send it as bearer @@",),
        lambda rng: _letters(ALNUM, 30, rng) + "42",
        ("bearer authentication is enough", "the bearer of this letter"),
    ),
    Sample("basic_credentials", _basic, lambda _: "basic understanding of things", is_prose=True),
    Sample("payment_card", card, _wrong_card),
)
