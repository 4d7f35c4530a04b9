"""An order in passing that holds for later too ("Use pnpm, not npm, in this repo") is kept as a wish; one for the work
at hand is not. The same in every language that has rules for conversations."""

from __future__ import annotations

import pytest

from memfort.capture.extract import extract
from memfort.capture.extraction import Proposal, SpokenTurn
from memfort.model.item import Origin
from memfort.model.moment import to_moment

AT = to_moment("2026-05-01T12:00:00Z", "at")


def proposals(message: str) -> list[Proposal]:
    return list(extract([SpokenTurn(message, Origin.USER, AT)]).proposals)


KEPT = {
    "Use pnpm, not npm, in this repo": "Use pnpm, not npm, in this repo",
    "No semicolons please": "No semicolons please",
    "no emojis in commit messages, thanks": "No emojis in commit messages, thanks",
    "call me Mia from now on": "Call me Mia from now on",
    "can you call me Mia from now on?": "Call me Mia from now on",
    "Could you please answer in Dutch from now on?": "Answer in Dutch from now on",
    "Write code in Rust unless I say otherwise": "Write code in Rust unless I say otherwise",
    "Unless I say otherwise, assume Python 3.12": "Unless I say otherwise, assume Python 3.12",
    "prefer tabs over spaces": "Prefer tabs over spaces",
    "Use tabs instead of spaces": "Use tabs instead of spaces",
    "In this project we use uv, not pip": "In this project we use uv, not pip",
    "Going forward, put the tests next to the code": "Going forward, put the tests next to the code",
    "Stick to single quotes in this codebase please": "Stick to single quotes in this codebase please",
    "Until further notice, deploy to staging only": "Until further notice, deploy to staging only",
    "Nimm in diesem Repo pnpm, nicht npm": "Nimm in diesem Repo pnpm, nicht npm",
    "Bitte keine Semikolons.": "Keine Semikolons",
    "Keine Emojis bitte": "Keine Emojis bitte",
    "Kannst du mich ab jetzt Mia nennen?": "Kannst du mich ab jetzt Mia nennen",
    "Schreib Code in Rust, außer ich sage etwas anderes": "Schreib Code in Rust, außer ich sage etwas anderes",
    "Verwende lieber Tabs statt Leerzeichen": "Verwende lieber Tabs statt Leerzeichen",
    "Sofern ich nichts anderes sage, antworte auf Englisch": "Sofern ich nichts anderes sage, antworte auf Englisch",
    "Nutze in diesem Projekt uv und nicht pip": "Nutze in diesem Projekt uv und nicht pip",
    "Utilise pnpm, pas npm, dans ce dépôt": "Utilise pnpm, pas npm, dans ce dépôt",
    "Pas de points-virgules, s'il te plaît": "Pas de points-virgules, s'il te plaît",
    "Tu peux m'appeler Mia à partir de maintenant ?": "Tu peux m'appeler Mia à partir de maintenant",
    "Écris le code en Rust sauf si je dis autre chose": "Écris le code en Rust sauf si je dis autre chose",
    "Sauf indication contraire, réponds en anglais": "Sauf indication contraire, réponds en anglais",
    "Préfère les tabulations aux espaces": "Préfère les tabulations aux espaces",
    "Utilise des tabulations plutôt que des espaces": "Utilise des tabulations plutôt que des espaces",
    "Usa pnpm, no npm, en este repo": "Usa pnpm, no npm, en este repo",
    "Sin punto y coma, por favor": "Sin punto y coma, por favor",
    "¿Puedes llamarme Mia a partir de ahora?": "Puedes llamarme Mia a partir de ahora",
    "Escribe en Rust a menos que diga lo contrario": "Escribe en Rust a menos que diga lo contrario",
    "Salvo que diga otra cosa, responde en inglés": "Salvo que diga otra cosa, responde en inglés",
    "Usa tabuladores en vez de espacios": "Usa tabuladores en vez de espacios",
    "这个仓库里用pnpm，不要用npm": "这个仓库里用pnpm，不要用npm",
    "请不要用分号": "请不要用分号",
    "你以后可以叫我米娅吗？": "你以后可以叫我米娅吗",
    "除非我另有说明，否则用Rust写代码": "除非我另有说明，否则用Rust写代码",
    "用制表符，别用空格": "用制表符，别用空格",
    "在这个项目里请用uv代替pip": "在这个项目里请用uv代替pip",
}


@pytest.mark.parametrize(("message", "kept"), KEPT.items(), ids=list(KEPT))
def test_an_order_for_later_too_is_one_wish(message, kept):
    found = proposals(message)
    assert [one.text for one in found] == [kept]
    assert (found[0].type, found[0].reason) == ("preference", "standing_wish")


@pytest.mark.parametrize(
    "message",
    [
        "Write a function that sorts a list",
        "Use a list, not a tuple",
        "Fix the bug in this repo",
        "Can you call me tomorrow?",
        "Call me back when you can",
        "Replace npm with pnpm in this file",
        "Use the second paragraph, not the first",
        "No problem, thanks",
        "No idea, please help",
        "Run the tests in this repo",
        "Write a story about a man who from now on never sleeps",
        "Schreib eine Funktion, die eine Liste sortiert",
        "Kein Problem, danke",
        "Nimm den zweiten Absatz, nicht den ersten",
        "Kannst du mich morgen anrufen?",
        "Écris une fonction qui trie une liste",
        "Pas de problème, merci",
        "Utilise le deuxième paragraphe, pas le premier",
        "Escribe una función que ordene una lista",
        "No hay problema, gracias",
        "Usa el segundo párrafo, no el primero",
        "写一个排序函数",
        "没问题，谢谢",
        "用第二段，不要第一段",
    ],
)
def test_an_order_for_the_work_at_hand_leaves_nothing(message):
    assert proposals(message) == []


def test_what_is_told_beside_an_order_is_kept_too():
    assert [one.text for one in proposals("I live in Ghent. No semicolons please.")] == [
        "I live in Ghent",
        "No semicolons please",
    ]
