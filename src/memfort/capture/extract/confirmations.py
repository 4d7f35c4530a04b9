"""A "yes" to a question of the assistant: "So you live in Lyon?" becomes "I live in Lyon"."""

from __future__ import annotations

from memfort.capture.extract.rules import Conversation
from memfort.capture.extract.sentences import split_sentences

_MOST_WORDS = 16


def confirmed(rules: Conversation, answer: str) -> str | None:
    """What a yes to the assistant's last words states, if they end in a question about the user."""
    sentences = split_sentences(answer)
    if not sentences or not sentences[-1].is_question:
        return None
    question = sentences[-1].text.rstrip("?？ ")
    size = len(question.split()) if rules.is_spaced else len(question) // 2
    if size > _MOST_WORDS:
        return None
    turned = rules.turn_to_speaker(question)
    if turned is None or not rules.find(rules.fold(turned)).types:
        return None
    return turned


def open_question(rules: Conversation, answer: str) -> str | None:
    """The question about the user in which the assistant's last words end, if it is one."""
    sentences = split_sentences(answer)
    if not sentences or not sentences[-1].is_question:
        return None
    question = sentences[-1]
    is_about_user = rules.asks_about_user.match(question.folded) and not rules.asks_about_task.match(question.folded)
    return question.text if is_about_user else None
