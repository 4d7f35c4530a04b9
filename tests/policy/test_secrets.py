"""Credentials are found in every known format and disguise, and ordinary talk about them is left alone."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfort.policy.secrets import MAX_TEXT_CHARS, RULES, SecretFinding, compile_pattern, find_secrets
from memfort.policy.secrets.checksums import is_base58check, is_card, is_iban, luhn
from memfort.policy.secrets.fold import fold

# The made-up tokens are shared with the benchmark, which is run from the root of the repository.
sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.secrets import sets
from benchmarks.secrets.evasions import EVASIONS, TOKENS_ONLY
from benchmarks.secrets.samples import SAMPLES, Sample, card

A_TOKEN = "gh" + "p_" + "a1B2" * 9
NOT_FOR_CARDS = {"over two lines", "reversed"}  # a column of figures and a number backwards are not read as cards


def rules_of(text: str) -> set[str]:
    return {finding.rule for finding in find_secrets(text)}


def test_every_rule_has_a_sample_and_every_sample_a_rule() -> None:
    assert {sample.rule for sample in SAMPLES} == {rule.id for rule in RULES}
    assert len(RULES) >= 150


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.rule)
class TestEachRule:
    def test_finds_its_samples(self, sample: Sample) -> None:
        rng = random.Random(11)
        for _ in range(5):
            assert sample.rule in rules_of(sample.make(rng))

    def test_lets_a_near_miss_pass(self, sample: Sample) -> None:
        rng = random.Random(12)
        for _ in range(5):
            assert sample.rule not in rules_of(sample.near_miss(rng))

    def test_finds_it_under_every_disguise(self, sample: Sample) -> None:
        secret = sample.make(random.Random(13))
        for name, disguise in EVASIONS.items():
            if name in TOKENS_ONLY and sample.is_prose:
                continue
            if name in NOT_FOR_CARDS and sample.rule == "payment_card":
                continue
            text = disguise(secret) if sample.is_prose else f"note to self: {disguise(secret)} thanks"
            assert find_secrets(text), name


@pytest.mark.parametrize(
    "text",
    [
        "API key: s" + "k-abc123def456789",
        "my password is 123",
        "my password is hunter2",
        "pwd: x",
        "password = x",
        "the wifi password is sunflower",
        "The password is required, so: password: hunter2",
        'password is "correct horse battery staple"',
        "mi contraseña es gato123",
        "mon mot de passe est soleil99",
        "mein Passwort ist geheim1",
        "мой пароль: qwerty12",
        "ПАРОЛЬ: qwerty12",
        "密码是abc123",
        "パスワードは abc123",
        "user=bob pass=hunter2",
        "my password is password",
        "the alarm code is 4821",
        "my api key is abc123def",
        "postgres://user:pass@host/db",
        "https://bob:hunter2@example.com/",
        "pay with 4111 1111 1111 1111",
        "p a s s w o r d : h u n t e r 2",
        "token\\: gh" + "p\\_" + "a1B2" * 9,
    ],
)
def test_is_refused(text: str) -> None:
    assert find_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "password policy",
        "the password must be 12 characters long",
        "The password is required.",
        "The password is 12 characters long",
        "my password is too weak",
        "password: str",
        "password = request.form['password']",
        "hashed_password = argon2.hash_password(password)",
        "keyboard",
        "monkey",
        "token ring",
        "API key rotation happens monthly",
        "My API key is expired.",
        "reset my password",
        "secret santa",
        "forgot the password",
        "Authorization: Bearer <token>",
        "postgres://user:${DB_PASSWORD}@host/db",
        "api_key = os.environ['API_KEY']",
        "the ski pass: 250 euros",
        "max_tokens: 4096",
        "the wifi password is written on the router",
        "A senha é obrigatória",
        "密码是必填项",
        "The key is C major.",
        "my id is 1234567890",
        "commit a9993e364706816aba3e25717850c26c9cd0d89d",
        "request 550e8400-e29b-41d4-a716-446655440000",
        "ISBN 978-3-16-148410-0",
        "order number 1234567812345678",
        "order 123456789012",
        "sk" + "-" + "x" * 48,
        "IBAN GB82 WEST 1234 5698 7654 32",
        "----------------------------------------",
        "a, b, c, d, e, f, g, h, i, j",
    ],
)
def test_is_left_alone(text: str) -> None:
    assert find_secrets(text) == ()


def test_a_card_number_is_distinguished_from_an_order_number() -> None:
    number = "4" + "1" * 15
    assert rules_of(number) == {"payment_card"}
    assert find_secrets(number[:-1] + "2") == (), "wrong check digit"
    assert find_secrets("1" + "0" * 14 + "8") == (), "right check digit, but no network has this beginning"
    assert luhn("1" + "0" * 14 + "8")


def test_a_card_is_found_among_other_figures() -> None:
    assert rules_of("card 4111 1111 1111 1111 2027 04") == {"payment_card"}
    assert rules_of("visa" + "4" + "1" * 15) == {"payment_card"}


def test_layers_of_encoding_are_undone() -> None:
    twice = EVASIONS["base64"](EVASIONS["percent twice"](A_TOKEN))
    assert rules_of(f"see {twice}") >= {"github_pat"}


def test_a_tangle_of_encodings_is_refused_rather_than_half_read() -> None:
    tangle = "%2567&amp;#x67;\\u0025 a b c d e f g h aGVsbG8gd29ybGQgaGVsbG8gd29y 68656c6c6f20776f726c642068 =67=68=69"
    mixed = tangle + " _phg a.b.c.d.e.f.g.h.i aa\nbb"
    assert rules_of(" ".join([mixed] * 3)) == {"tangled_encoding"}
    assert find_secrets("100%25 &amp; more") == ()


def test_a_long_text_is_an_error_and_not_skipped() -> None:
    assert find_secrets("a " * (MAX_TEXT_CHARS // 2)) == ()
    assert rules_of("a " * (MAX_TEXT_CHARS // 2 - 40) + A_TOKEN) >= {"github_pat"}
    with pytest.raises(ValueError, match="more than can be checked"):
        find_secrets("a" * (MAX_TEXT_CHARS + 1))


class TestPatternsOfAPolicy:
    def test_are_matched_on_every_view(self) -> None:
        extra = [("badge", r"\bBADGE-[0-9]{4}\b")]
        assert find_secrets("BADGE-1234", extra_patterns=extra) == (SecretFinding("badge", "plain"),)
        hidden = "\u200b".join("BADGE-1234")
        assert find_secrets(hidden, extra_patterns=extra) == (SecretFinding("badge", "folded"),)
        assert find_secrets("BADGE-12", extra_patterns=extra) == ()

    @pytest.mark.parametrize("pattern", [r"(?=x)y", r"(a)\1", r"(?<!x)y", "(", "a{1001}"])
    def test_that_re2_refuses_are_refused_with_a_reason(self, pattern: str) -> None:
        with pytest.raises(ValueError, match="pattern `mine` is not one that RE2 accepts"):
            compile_pattern("mine", pattern)
        assert compile_pattern("mine", "y")

    def test_that_match_everything_are_refused(self) -> None:
        with pytest.raises(ValueError, match="would match everything"):
            compile_pattern("mine", "x*")
        with pytest.raises(ValueError, match="longer than"):
            compile_pattern("mine", "x" * 1001)


class TestAFindingGivesNothingAway:
    def test_a_finding_holds_only_rule_and_view(self) -> None:
        (finding,) = find_secrets(f"it is {A_TOKEN}")
        assert repr(finding) == "SecretFinding(rule='github_pat', view='plain')"
        assert SecretFinding.__slots__ == ("rule", "view")

    def test_two_secrets_of_a_kind_are_one_finding(self) -> None:
        assert find_secrets(f"{A_TOKEN} {A_TOKEN[:-1]}z") == find_secrets(A_TOKEN)


INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u200e\u202e\u2066\ufe0f\u3164\u115f\u17b4\u180e\U000e0041\u0301"


@given(st.text(max_size=300))
def test_any_text_is_answered(text: str) -> None:
    assert all(finding.rule and finding.view for finding in find_secrets(text))


@given(st.text(alphabet=st.characters(), max_size=60))
def test_folding_one_by_one_equals_folding_all(text: str) -> None:
    assert fold(text) == "".join(fold(character) for character in text)
    assert fold(fold(text)) == fold(text)


@given(st.lists(st.tuples(st.integers(0, len(A_TOKEN)), st.sampled_from(INVISIBLE)), max_size=40))
def test_invisible_characters_hide_nothing(inserted: list[tuple[int, str]]) -> None:
    text = A_TOKEN
    for place, character in inserted:
        text = text[:place] + character + text[place:]
    assert "github_pat" in rules_of(text)


@given(st.text(max_size=80), st.text(max_size=80))
def test_surrounding_text_does_not_hide_a_token(before: str, after: str) -> None:
    assert find_secrets(f"{before} {A_TOKEN} {after}")


@given(st.integers(0, 2**32))
def test_findings_do_not_contain_the_text(seed: int) -> None:
    rng = random.Random(seed)
    sample = rng.choice(SAMPLES)
    secret = sample.make(rng)
    assert secret not in repr(find_secrets(secret))


@given(st.integers(0, 2**32))
def test_made_up_cards_are_cards(seed: int) -> None:
    number = "".join(filter(str.isdigit, card(random.Random(seed))))
    assert is_card(number)
    assert not is_card(number[:-1] + str((int(number[-1]) + 1) % 10))


def test_checksums_know_right_from_wrong() -> None:
    assert is_iban("GB82WEST12345698765432")
    assert not is_iban("GB82WEST12345698765433")
    assert not is_iban("GB82WEST1234569876543")
    assert not is_base58check("5" * 51)


PUMPS = (
    "a", "A1", "password is ", "token: ", "eyJ.", "4111 ", "-", "sk-", "%41", "&#65;", "\\x41", "a b ", "a.", "\n",
    ":@",
)  # fmt: skip


@pytest.mark.parametrize("pump", PUMPS)
def test_four_times_the_text_is_about_four_times_the_work(pump: str) -> None:
    """Quadratic work would make it sixteen. Inside RE2 the time is linear by construction."""
    assert _calls((pump * 16_000)[:16_000]) < 8 * max(_calls((pump * 4_000)[:4_000]), 500)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.rule)
def test_each_rule_does_linear_work_on_its_own_near_misses(sample: Sample) -> None:
    rng = random.Random(14)
    words = [sample.near_miss(rng)]
    while len(words) < 1_000 and sum(map(len, words)) + len(words) <= 8_000:
        words.append(sample.near_miss(rng))
    text = " ".join(words)[:8_000]
    quarter = -(-len(text) // 4)
    quarters = [text[start : start + quarter] for start in range(0, len(text), quarter)]
    most = max(map(_calls, quarters))  # what calls for a closer look is not in every quarter
    assert _calls(text) < 8 * max(most, 500)


def _calls(text: str) -> int:
    """How many calls the search makes: a count, because a time would depend on what else the machine does."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        find_secrets(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "text",
    ["User's API key is xyz", "api_key=xyz123", "token: abc", "my Stripe API key is abc.", "auth_token = x7y8z"],
)
def test_a_short_key_is_one_where_nothing_else_can_stand(text: str) -> None:
    assert rules_of(text) & {"short_key_assignment", "short_key_prose"}


@pytest.mark.parametrize(
    "text",
    [
        "JWT tokens should be validated on every request",
        "the token contract address is listed on the site",
        "the token contract address: see the site",
        "the next token: mat",
        "Token: ERC20",
        "token: JWT",
        "token: string",
        "token: the smallest unit of text",
        "api_key=none",
        "api_key = API_KEY",
        "api_key=$KEY",
        "api key: required",
        "the API key is rotated monthly",
        "our API key is in the vault",
        "Stripe's API key is free",
        "my access token is expired",
        "User's API key is stored in the vault",
        "the secret: patience",
    ],
)
def test_what_is_said_about_keys_and_tokens_is_kept(text: str) -> None:
    assert rules_of(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "I changed the wifi password. It's tulip-99 now.",
        "if the alarm goes off type 20938 and hit the green button",
        "my debit card pin is three nine zero seven",
        "log in with bob / hunter2x and grab the invoice",
        "text me back 482 113 so I can finish the login",
        "G-553901 is your Google code",
        "da kam ne sms mit 70552 das musst du bei paypal eintragen",
        "Der Tresor im Keller geht so auf: links 23 rechts 7 links 61",
        "pour le portail tu fais 4471 et ça s'ouvre",
        "le vieux portable demande toujours brioche comme mot de passe",
        "Si salta la alarma de la tienda, no te asustes: metes 05582 y se calla.",
        "le tre cifre dietro la carta sono 509",
        "voor internet op de zeilclub heb je zeehond31 nodig",
        "Telefon babci odblokujesz cyferkami 6614, ona zawsze je zapomina",
        "pra abrir o portão do condomínio digita 60428 e aperta o sininho",
        "今SMSで504817って来たから早く入れて",
        "到了楼下按4062#,门就会开,电梯坐到九楼",
    ],
)
def test_what_opens_or_arrives_speaks_for_a_value_without_a_name(text: str) -> None:
    assert find_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "The alarm is set for 0645 tomorrow",
        "my PIN is four digits, is that normal?",
        "I got a text from the bank saying 2500 dollars went out",
        "Enter through the back door of room 304",
        "apartment 1204 has a broken lock",
        "call the bank at 5550134 and ask for Dana",
        "Die Tür ist 2100 mm hoch",
        "le code postal c'est 75011",
        "La puerta es de 1890",
        "Abitiamo in via Porta 1450",
        "het wachtwoord is hoofdlettergevoelig",
        "Sejf waży 640 kilo",
        "O portão tem 3500 mm de largura",
        "郵便番号は1500001です",
        "收到银行短信，扣了1200元",
        "New Balance 990v5 uses a mesh",
    ],
)
def test_what_counts_or_refers_speaks_against_it(text: str) -> None:
    assert find_secrets(text) == ()


def test_the_sets_of_the_benchmark_are_met() -> None:
    for name, least in (("development", 0.95), ("development_2", 0.95), ("technical", None)):
        row = sets.measure(sets.read(sets.HERE / f"{name}.jsonl"))["all"]
        assert least is None or row["found"]["share"] >= least, name
        assert row["flagged"] is None or row["flagged"]["share"] <= 0.01, name


@pytest.mark.parametrize(("said", "named"), [("said_key", "key_nearby"), ("said_password", "password_prose")])
def test_a_secret_is_named_once(said: str, named: str) -> None:
    texts = {
        "key_nearby": "no credential for the build cache may be shared, see 8f7KQ2m4Zx9Lw3Vt6Rb1",
        "password_prose": "my password is hunter2",
    }
    assert rules_of(texts[named]) == {named}
    assert said in {rule.id for rule in RULES}
