"""The known formats of credentials: prefix, alphabet and minimum length.

Written from what issuers publish about their formats. Lengths are lower bounds, so that longer tokens of an issuer are
still found. A hint is a literal that must occur before the pattern is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import re2
from msgspec import Struct

from memfort.policy.secrets import checksums

Check = Callable[[Any], bool]  # the match, as RE2 gives it, on bytes


class Rule(Struct, frozen=True):
    id: str  # stable: appears in events and in policies
    hints: tuple[str, ...]  # literals, compared without case
    pattern: str
    check: Check  # a check that a pattern cannot express; false lets the text pass
    sign: str = ""  # a pattern instead of hints, for a format without a literal
    whole_words: bool = False  # hints count as whole words
    by_words: bool = False  # `said` reads the text word by word, for all such rules at once
    in_prose: bool = False  # reads words around a value, so it does not apply to reversed or joined text


def is_filled(match: Any) -> bool:
    """Whether it is not a placeholder: `ghp_xxxxxxxx` in a manual shows where a token goes."""
    tail = match.group()[-12:]
    return len(set(tail)) > 1 or tail[:1] not in (b"x", b"X", b"0", b".", b"-", b"_", b"*")


def is_varied(match: Any) -> bool:
    """Whether it has many different letters, for formats without a prefix."""
    return len(set(match.group()[-16:])) >= 5


def is_anything(match: Any) -> bool:  # noqa: ARG001 - the header of a private key is enough
    return True


def _is_bitcoin_key(match: Any) -> bool:
    return checksums.is_base58check(match.group(1).decode())


ALNUM = "[A-Za-z0-9]"
WORD = "[A-Za-z0-9_]"
TOKEN = "[A-Za-z0-9_-]"  # noqa: S105 - an alphabet
DOTTED = "[A-Za-z0-9_.-]"
BASE64 = "[A-Za-z0-9+/=]"
HEX = "[0-9a-f]"
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
START = "(?:^|[^A-Za-z0-9])"


def _begins(id: str, prefixes: str, alphabet: str, at_least: int) -> Rule:
    """A token recognised by its prefix. A short prefix, or one of letters only, must also begin a word."""
    literals = tuple(prefixes.split())
    return Rule(id, literals, "|".join(_beginning(p) + f"{alphabet}{{{at_least},}}" for p in literals), is_filled)


def _beginning(prefix: str) -> str:
    is_telling = len(prefix) >= 4 and not prefix[-1].isalnum()
    return ("" if is_telling else START) + str(re2.escape(prefix))


def _shaped(id: str, hints: str, pattern: str, check: Check = is_filled) -> Rule:
    return Rule(id, tuple(hints.split()), pattern, check)


LONG_RUN = "[a-z0-9+/_-]{16}"


def _unmarked(id: str, sign: str, pattern: str, check: Check = is_varied) -> Rule:
    return Rule(id, (), pattern, check, sign)


FORMATS: tuple[Rule, ...] = (
    # models
    _begins("openai_key", "sk-", ALNUM, 16),
    _begins("openai_project_key", "sk-proj-", TOKEN, 20),
    _begins("openai_service_key", "sk-svcacct- sk-service-", TOKEN, 20),
    _begins("openai_admin_key", "sk-admin-", TOKEN, 20),
    _begins("anthropic_key", "sk-ant-", TOKEN, 20),
    _begins("openrouter_key", "sk-or-", TOKEN, 20),
    _begins("langfuse_key", "sk-lf-", TOKEN, 30),
    _begins("groq_key", "gsk_", ALNUM, 40),
    _begins("replicate_token", "r8_", ALNUM, 30),
    _begins("perplexity_key", "pplx-", ALNUM, 32),
    _begins("xai_key", "xai-", ALNUM, 40),
    _begins("huggingface_token", "hf_ api_org_", ALNUM, 30),
    _begins("langsmith_key", "lsv2_pt_ lsv2_sk_", WORD, 32),
    _begins("nvidia_key", "nvapi-", TOKEN, 40),
    _begins("together_key", "tgp_v1_", TOKEN, 30),
    _begins("cerebras_key", "csk-", ALNUM, 40),
    _begins("pinecone_key", "pcsk_", WORD, 40),
    _begins("tavily_key", "tvly-", TOKEN, 24),
    _begins("elevenlabs_key", "sk_", HEX, 40),
    _begins("firecrawl_key", "fc-", HEX, 32),
    # our own
    _begins("memfort_key", "mfk_ mfrun_", TOKEN, 40),
    # code hosting and packages
    _begins("github_pat", "ghp_", ALNUM, 36),
    _begins("github_oauth", "gho_", ALNUM, 36),
    _begins("github_user_token", "ghu_", ALNUM, 36),
    _begins("github_server_token", "ghs_", ALNUM, 36),
    _begins("github_refresh_token", "ghr_", ALNUM, 36),
    _begins("github_fine_grained_pat", "github_pat_", WORD, 40),
    _begins("gitlab_pat", "glpat-", DOTTED, 20),
    _begins("gitlab_token", "gldt- glrt- glcbt- glptt- glft- glsoat- glagent- gloas- glimt- glffct-", DOTTED, 20),
    _begins("gitlab_runner_registration", "GR1348941", TOKEN, 20),
    _begins("bitbucket_app_password", "ATBB", ALNUM, 28),
    _begins("npm_token", "npm_", ALNUM, 36),
    _begins("pypi_token", "pypi-AgEI", TOKEN, 50),
    _begins("rubygems_key", "rubygems_", HEX, 40),
    _begins("crates_token", "cio", ALNUM, 32),
    _begins("nuget_key", "oy2", "[a-z0-9]", 43),
    _begins("docker_token", "dckr_pat_ dckr_oat_", TOKEN, 24),
    _begins("clojars_token", "CLOJARS_", "[0-9a-z]", 50),
    _begins("artifactory_key", "AKCp", ALNUM, 60),
    _begins("circleci_token", "CCIPAT_ CCIPRJ_", WORD, 40),
    _begins("buildkite_token", "bkua_", ALNUM, 40),
    _begins("sonar_token", "sqp_ squ_ sqa_", HEX, 40),
    _begins("sourcegraph_token", "sgp_", WORD, 40),
    # clouds and their neighbours
    _shaped("aws_access_key_id", "AKIA ASIA ABIA ACCA", START + "((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,})"),
    _shaped(
        "aws_secret_access_key",
        "aws secret_access",
        r"(?i)(?:aws|secret_?access)[^\n]{0,60}?(?:key|secret|token)[^\n]{0,20}?[\s:=\"']"
        r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)",
    ),
    _begins("aws_bedrock_key", "ABSK", BASE64, 100),
    _begins("google_api_key", "AIza", TOKEN, 35),
    _begins("google_oauth_token", "ya29.", DOTTED, 40),
    _begins("google_client_secret", "GOCSPX-", TOKEN, 24),
    _begins("google_refresh_token", "1//0", TOKEN, 40),
    _shaped("gcp_service_account", "private_key_id", r'private_key_id["\s:=\\]{1,12}[0-9a-f]{40}'),
    _shaped("azure_storage_key", "accountkey", r"(?i)AccountKey\s{0,4}=\s{0,4}[A-Za-z0-9+/]{80,}={0,2}"),
    _shaped(
        "azure_shared_access_key", "sharedaccesskey", r"(?i)SharedAccessKey\s{0,4}=\s{0,4}[A-Za-z0-9+/]{40,}={0,2}"
    ),
    _shaped(
        "azure_sas",
        "sig=",
        r"[?&;](?:s[vertpi]|skoid|spr)=\S{0,300}&sig=[A-Za-z0-9+/=_-]{40,}"
        r"|[?&]sig=[A-Za-z0-9+/=_-]{40,}\S{0,300}&s[vertp]=",
    ),
    _shaped("azure_client_secret", "q~", START + r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}"),
    _begins("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", HEX, 60),
    _begins("heroku_key", "HRKU-", TOKEN, 30),
    _begins("cloudflare_origin_ca_key", "v1.0-", "[0-9a-f-]", 150),
    _shaped(
        "cloudflare_token",
        "cloudflare",
        r"(?i)cloudflare[^\n]{0,40}?(?:token|key|secret)[^\n]{0,12}?[\s:=\"']"
        r"([A-Za-z0-9_-]{37,40})(?:[^A-Za-z0-9_-]|$)",
    ),
    _begins("fly_token", "FlyV1", r"[A-Za-z0-9 _=,+/-]", 60),
    _begins("fly_macaroon", "fm1_ fm2_", r"[A-Za-z0-9_=,+/-]", 60),
    _begins("netlify_token", "nfp_ nfc_ nfu_", ALNUM, 36),
    _begins("render_key", "rnd_", ALNUM, 28),
    _begins("neon_key", "napi_", ALNUM, 40),
    _begins("alibaba_key_id", "LTAI", ALNUM, 16),
    _begins("tencent_key_id", "AKID", ALNUM, 32),
    _begins("yandex_key", "AQVN", TOKEN, 35),
    _begins("yandex_oauth", "y0_", TOKEN, 50),
    _begins("planetscale_token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_=.-]", 32),
    _begins("supabase_token", "sbp_", HEX, 40),
    _begins("supabase_secret_key", "sb_secret_", TOKEN, 20),
    _begins("databricks_token", "dapi", HEX, 32),
    _begins("terraform_token", ".atlasv1.", TOKEN, 60),
    _begins("pulumi_token", "pul-", HEX, 40),
    _begins("scaleway_key_id", "SCW", "[A-Z0-9]", 17),
    # payments and shops
    _begins("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_org_", ALNUM, 16),
    _begins("stripe_webhook_secret", "whsec_", BASE64, 24),
    _begins("square_token", "sq0atp- sq0csp- sq0idp-", TOKEN, 22),
    _begins("square_access_token", "EAAA", TOKEN, 56),
    _shaped("braintree_token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    _shaped(
        "paypal_client_secret",
        "paypal",
        r"(?i)paypal[^\n]{0,40}?(?:secret|token|key)[^\n]{0,12}?[\s:=\"'](E[A-Za-z0-9_-]{60,})",
    ),
    _begins("shopify_token", "shpat_ shpss_ shpca_ shppa_ shpua_", "[0-9a-fA-F]", 32),
    _begins("razorpay_key", "rzp_live_ rzp_test_", ALNUM, 14),
    _shaped("plaid_token", "access-", rf"access-(?:sandbox|development|production)-{UUID}"),
    _begins("flutterwave_key", "FLWSECK-", TOKEN, 30),
    _begins("shippo_token", "shippo_live_ shippo_test_", HEX, 40),
    _begins("flutterwave_test_key", "FLWSECK_TEST- FLWPUBK_TEST-", TOKEN, 12),
    _begins("easypost_key", "EZAK EZTK", ALNUM, 54),
    _begins("duffel_token", "duffel_live_ duffel_test_", TOKEN, 40),
    # messages
    _begins(
        "slack_token",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxp- xoxe.xoxb-",
        "[A-Za-z0-9%-]",
        20,
    ),
    _begins("slack_app_token", "xapp-", TOKEN, 30),
    _shaped(
        "slack_webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,}"
    ),
    _unmarked(
        "discord_bot_token", LONG_RUN, START + r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}"
    ),
    _shaped("discord_webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/[0-9]{16,}/[A-Za-z0-9_-]{50,}"),
    _shaped("telegram_bot_token", ":aa", r"(?:^|[^0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    _shaped("twilio_key", "sk", START + r"SK[0-9a-f]{32}(?:[^0-9A-Za-z]|$)"),
    _shaped("sendgrid_key", "sg.", START + r"SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{38,}"),
    _shaped("mailgun_key", "key-", START + r"key-[0-9a-f]{32}"),
    _shaped("mailchimp_key", "-us", START + r"[0-9a-f]{32}-us[0-9]{1,2}"),
    _begins("brevo_key", "xkeysib- xsmtpsib-", "[0-9a-zA-Z-]", 70),
    _begins("resend_key", "re_", ALNUM + r"{8,}_" + ALNUM, 20),
    _shaped(
        "teams_webhook",
        "webhook.office.com",
        r"webhook\.office\.com/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/[A-Za-z]{1,40}/[0-9a-f]{32}",
    ),
    _begins("facebook_token", "EAAC EAAB EAAG EAAD", ALNUM, 80),
    _shaped("twitter_bearer", "aaaaaaaa", START + r"A{18,}[A-Za-z0-9%]{60,}", is_varied),
    # operations
    _begins("vault_token", "hvs. hvb. hvr.", TOKEN, 24),
    _begins("doppler_token", "dp.pt. dp.ct. dp.scim. dp.audit. dp.sa.", ALNUM, 40),
    _shaped("doppler_service_token", "dp.st.", r"dp\.st\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}"),
    _begins("grafana_token", "glsa_ glc_", r"[A-Za-z0-9_+/=]", 32),
    _begins("newrelic_key", "NRAK- NRII- NRRA- NRAA-", TOKEN, 26),
    _begins("sentry_token", "sntrys_ sntryu_", r"[A-Za-z0-9_+/=-]", 40),
    _shaped("dynatrace_token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _begins("linear_key", "lin_api_ lin_oauth_", ALNUM, 32),
    _begins("notion_token", "secret_", ALNUM, 43),
    _begins("notion_integration_token", "ntn_", ALNUM, 40),
    _begins("postman_key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]", 34),
    _begins("figma_token", "figd_ figu_", TOKEN, 36),
    _begins("atlassian_token", "ATATT3 ATCTT3", r"[A-Za-z0-9_=-]", 60),
    _unmarked("asana_token", "/[0-9]{15}", r"(?:^|[^0-9])[012]/[0-9]{15,18}(?:/[0-9]{15,18})?:[0-9a-f]{32}"),
    _shaped("airtable_token", "pat", START + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _begins("typeform_token", "tfp_", r"[A-Za-z0-9_.=-]", 40),
    _shaped(
        "okta_token",
        "ssws okta",
        r"(?i)(?:ssws|okta[^\n]{0,30}?(?:token|key)[^\n]{0,6}?[\s:=\"'])\s{0,3}"
        r"(00[A-Za-z0-9_-]{40})",
    ),
    _shaped("auth0_secret", "auth0", r"(?i)auth0[^\n]{0,40}?secret[^\n]{0,8}?[\s:=\"']([A-Za-z0-9_-]{60,})"),
    _shaped("clickup_token", "pk_", START + r"pk_[0-9]{6,10}_[A-Z0-9]{30,}"),
    _begins("tailscale_key", "tskey-", r"[A-Za-z0-9-]", 24),
    _begins("onepassword_service_token", "ops_eyJ", r"[A-Za-z0-9_=+/.-]", 100),
    _shaped(
        "onepassword_secret_key",
        "a3-",
        START + r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    _shaped("launchdarkly_key", "api- sdk-", START + rf"(?:api|sdk)-{UUID}"),
    _begins("mapbox_secret_token", "sk.eyJ", DOTTED, 60),
    _begins("contentful_token", "CFPAT-", TOKEN, 40),
    _begins("posthog_key", "phx_", ALNUM, 32),
    _begins("prefect_key", "pnu_", ALNUM, 36),
    _begins("readme_key", "rdme_", ALNUM, 60),
    _begins("dropbox_token", "sl.", TOKEN, 100),
    _begins("zapier_webhook", "hooks.zapier.com/hooks/catch/", r"[0-9]{4,12}/[A-Za-z0-9]", 5),
    _begins("adobe_client_secret", "p8e-", ALNUM, 32),
    _begins("artifactory_reference_token", "cmVmd", ALNUM, 50),
    _shaped(
        "authress_key",
        "sc_ ext_ scauth_ authress_",
        START
        + r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\."
        + r"[A-Za-z0-9+/_=-]{30,120}",
    ),
    _begins("bedrock_short_key", "bedrock-api-key-", BASE64, 20),
    _shaped("clickhouse_key", "4b1d", START + r"4b1d[A-Za-z0-9]{38}(?:[^A-Za-z0-9]|$)"),
    _begins("frameio_token", "fio-u-", r"[A-Za-z0-9_=-]", 40),
    _shaped("gitlab_session", "_gitlab_session", r"_gitlab_session=[0-9a-z]{32}"),
    _begins("grafana_api_key", "eyJrIjoi", BASE64, 40),
    _shaped("harness_key", "pat. sat.", START + r"(?:pat|sat)\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    _begins("infracost_key", "ico-", ALNUM, 32),
    _begins("intra42_secret", "s-s4t2ud- s-s4t2af-", HEX, 40),
    _shaped("maxmind_key", "_mmk", START + r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    _shaped("octopus_key", "api-", START + r"API-[A-Z0-9]{26}(?:[^A-Za-z0-9]|$)"),
    _begins("openshift_token", "sha256~", TOKEN, 40),
    _begins("scalingo_token", "tk-us-", TOKEN, 40),
    _begins("settlemint_token", "sm_pat_ sm_sat_ sm_aat_", ALNUM, 16),
    _shaped("authenticator_url", "otpauth://", r"(?i)otpauth://[^\s]{0,300}?secret=[A-Z2-7]{10,}"),
    _begins("adafruit_key", "aio_", ALNUM, 26),
    # keys as such
    _shaped(
        "private_key",
        "private",
        r"-{2,}\s{0,3}BEGIN\s?(?:[A-Z0-9]{1,12}\s?){0,3}PRIVATE\s?KEY(?:\s?BLOCK)?\s{0,3}-{2,}",
        is_anything,
    ),
    _shaped("putty_private_key", "putty-user-key-file", r"(?i)PuTTY-User-Key-File-[0-9]", is_anything),
    _begins("age_secret_key", "AGE-SECRET-KEY-1", "[A-Z0-9]", 50),
    _shaped("age_secret_key_lower", "age-secret-key-1", "age-secret-key-1[a-z0-9]{50,}"),
    _shaped(
        "wireguard_private_key",
        "privatekey presharedkey",
        r"(?i)(?:Private|Preshared)Key\s{0,4}=\s{0,4}([A-Za-z0-9+/]{43}=)",
    ),
    _unmarked(
        "bitcoin_private_key",
        LONG_RUN,
        START + r"([5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?:[^A-Za-z0-9]|$)",
        _is_bitcoin_key,
    ),
    _begins("bitcoin_extended_key", "xprv yprv zprv", "[1-9A-HJ-NP-Za-km-z]", 100),
    _shaped("jwt", "eyj", START + r"eyJ[A-Za-z0-9_-]{10,}\.(?:eyJ|[A-Za-z0-9_-])[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}"),
)
