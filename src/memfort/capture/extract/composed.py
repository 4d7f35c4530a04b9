"""The three statements that rest on two messages. Each is marked, and both messages are its evidence:

- a value that corrects one: "My sister visits me on Saturday", "no wait, Thursday";
- a yes to a question of the assistant: "So you live in Lyon?";
- a few words that answer one, with the question as it was asked: "How old is your girl? Nine."

Nothing else is ever put together.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfort.capture.extract.clauses import Clause
from memfort.capture.extract.context import Heard, Said
from memfort.capture.extract.ends import is_compound
from memfort.capture.extract.keep import content_words, decide
from memfort.capture.extract.rules import Conversation
from memfort.capture.extract.sentences import Sentence, split_sentences
from memfort.capture.extract.values import Value, find_values
from memfort.language.words import split_words

_LONGEST_HEARD = 2_000  # characters of messages in which a value is looked for
_MOST_WORDS = 16  # of a question
_MOST_ANSWERED = 6  # words of an answer
_SIGNS_OF_A_WORD = 2  # in a script without spaces, about
_MARKS = " .!,。！，?？"
_NO_ANSWER = frozenset({"instructions", "forget_requests", "hypotheticals", "jokes", "talk", "yes"})


def with_value(rules: Conversation, text: str, said: Sequence[Said], heard: Sequence[Heard]) -> tuple[str, Said] | None:
    """The one statement of the last messages that has a value of this kind, with this value instead. `text` is all
    that follows the words for a correction; `heard` are the messages. Long ones have no value that is the only one for
    sure, and reading them again for each of many corrections would take quadratic time."""
    value = only_value(rules, text)
    if value is None or sum(len(message.text) for message in heard) > _LONGEST_HEARD:
        return None
    there = [one for message in heard for one in find_values(rules, rules.fold(message.text)) if value.is_like(one)]
    turns = {message.turn for message in heard}
    found = [
        (one, old)
        for one in said
        if one.turn in turns
        for old in find_values(rules, rules.fold(one.text))
        if value.is_like(old)
    ]
    if len(there) != 1 or len(found) != 1:
        return None
    statement, old = found[0]
    beside = _words_beside(rules, text, value)
    if not beside <= set(split_words(rules.fold(statement.text))):
        return None  # it is of something else
    if is_compound(statement.text) or rules.is_habit(rules.fold(statement.text)) or old.seen == value.seen:
        return None
    words = text[value.start : value.end].strip(" .")
    unit = old.seen.lstrip("0123456789.,") if words.isdigit() else ""
    return f"{statement.text[: old.start]}{words}{unit}{statement.text[old.end :]}", statement


def only_value(rules: Conversation, text: str) -> Value | None:
    """The value that a text gives, if it does not say itself what it is of: "it's Thursday", "it's due on 27 March"."""
    folded = rules.fold(text)
    values = find_values(rules, folded)
    if len(values) != 1:
        return None
    value = values[0]
    behind = folded[value.end :]
    if behind.strip(_MARKS) and not rules.after_value.fullmatch(behind):
        return None
    return value if rules.lacks_person(folded) or not _words_beside(rules, text, value) else None


def _words_beside(rules: Conversation, text: str, value: Value) -> set[str]:
    """The words in front of a value that do not only lead in to it."""
    before = rules.fold(text)[: value.start]
    lead = rules.before_value.match(f"{before.strip(_MARKS)} ")
    rest = before.strip(_MARKS)[lead.end() :] if lead is not None else before.strip(_MARKS)
    words = split_words(rest) if rules.is_spaced else [sign for sign in rest if sign.isalnum()]
    return {word for word in words if rules.before_value.fullmatch(f"{word} ") is None}


def confirmed(rules: Conversation, answer: str) -> str | None:
    """What a yes to the assistant's last words states, if they end in a question about the user."""
    question = last_question(answer)
    if question is None or rules.negation.search(question.folded) or rules.question_tail(question.folded):
        return None
    words = question.text.rstrip("?？ ")
    if _size(rules, words) > _MOST_WORDS:
        return None
    turned = rules.turn_to_speaker(words)
    if turned is None:
        return None
    folded = rules.fold(turned)
    found = rules.find(folded)
    return turned if found.types and decide(rules, Clause(turned, folded), found, ()).keeps else None


def answered(rules: Conversation, answer: str, message: str) -> str | None:
    """A question about the user in which the assistant's last words end, and the few words that answer it."""
    words = message.strip()
    folded = rules.fold(words)
    if not words or "\n" in words or _size(rules, words) > _MOST_ANSWERED or words.endswith(("?", "？")):
        return None
    question = open_question(rules, answer)
    if question is None or _size(rules, question) > _MOST_WORDS:
        return None
    found = rules.find(folded)
    says_something = content_words(rules, folded) or rules.find_value(folded)
    if not says_something or found.sections & _NO_ANSWER or rules.correction.match(folded):
        return None
    return f"{question} {words}"


def last_question(answer: str) -> Sentence | None:
    sentences = split_sentences(answer)
    return sentences[-1] if sentences and sentences[-1].is_question else None


def open_question(rules: Conversation, answer: str) -> str | None:
    """The question about the user in which the assistant's last words end, if it is one."""
    question = last_question(answer)
    if question is None:
        return None
    is_about_user = rules.asks_about_user.match(question.folded) and not rules.asks_about_task.match(question.folded)
    return question.text if is_about_user else None


def _size(rules: Conversation, text: str) -> int:
    return len(text.split()) if rules.is_spaced else len(text) // _SIGNS_OF_A_WORD
