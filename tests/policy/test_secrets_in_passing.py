"""Secrets that are told by what opens with them, and numbers and names that only sound like one."""

from __future__ import annotations

import pytest

from memfort.policy.secrets import find_secrets


@pytest.mark.parametrize(
    "text",
    [
        "the alarm gets disarmed with 7709",
        "the burglar alarm is deactivated with 60331",
        "l'alarme se coupe avec 4418",
        "j'ai mis 5518 pour désactiver l'alarme",
        "pour débloquer mon téléphone tape 120987",
        "la alarma se apaga marcando 8821",
        "la puerta del garaje se abre marcando 7741",
        "mit 9021 entriegelst du die Haustür",
        "die Alarmanlage schaltest du mit 7719 aus",
        "按8812解锁手机",
        "The password manager password is hunter2secret",
        "the zip code is 90210 and the door code is 4471",
        "PLZ 50667, Türcode 4471",
    ],
)
def test_a_code_is_told_by_what_it_opens(text):
    assert find_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "The password manager we use at work is Bitwarden",
        "Unser Passwort-Manager heißt Bitwarden",
        "Mon gestionnaire de mots de passe est Bitwarden",
        "El gestor de contraseñas es Bitwarden",
        "我的密码管理器是Bitwarden",
        "The zip code of the office is 90210",
        "Die Postleitzahl des Büros ist 50667",
        "le code postal du bureau est 75011",
        "El código postal de la oficina es 28013",
        "The area code of the house is 4150",
        "My router has the MAC address 3c:22:fb:9a:01:7e",
        "le chauffage se coupe à 2200",
        "la luz se apaga a las 2300",
        "the alarm system was disarmed 1450 times",
    ],
)
def test_what_keeps_passwords_and_numbers_that_all_may_know_are_no_secrets(text):
    assert not find_secrets(text)


@pytest.mark.parametrize(
    "written",
    [
        "[h][u][n][t][e][r][2][!]",
        '["h","u","n","t","e","r","2","!"]',
        "'h' 'u' 'n' 't' 'e' 'r' '2' '!'",
        "h/u/n/t/e/r/2/!",
        "h,u,n,t,e,r,2,!",
        "104 117 110 116 101 114 50 33",
        "0x68, 0x75, 0x6e, 0x74, 0x65, 0x72, 0x32, 0x21",
    ],
)
def test_letters_that_stand_apart_are_joined(written):
    assert find_secrets(f"password: {written}")


@pytest.mark.parametrize(
    "text", ["scores: 45 67 88 92 33 41 55 60 71", 'The list is ["a", "b", "c", "d", "e", "f", "g", "h", "i"]']
)
def test_numbers_and_lists_of_letters_are_no_secrets(text):
    assert not find_secrets(text)
