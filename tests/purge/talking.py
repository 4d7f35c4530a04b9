"""Steps in which messages of a conversation go by."""

from __future__ import annotations

from typing import Any

from tests.purge.composer import Composer, Steps
from tests.purge.steps import Ref, Step


def observe(composer: Composer) -> None:
    earlier = [step for step in composer.steps if step.kind == "observe"]
    if earlier and composer.random.random() < 0.2:
        _observe_again(composer, composer.random.choice(earlier))
        return
    who = composer.somebody()
    given: dict[str, Any] = {"conversation": "plans"} if composer.random.random() < 0.15 else {}
    space = composer.space(who)
    if space and space.get("visibility") != "public" and composer.random.random() < 0.1:
        given["space"] = space
    messages = [_message(composer) for _ in range(composer.random.choice((1, 1, 2, 3)))]
    composer.observe(who, *messages, has_ids=composer.random.random() < 0.6, **given)


def _observe_again(composer: Composer, step: Step) -> None:
    """The same messages once more: as they are, with one more, or one of them with other words."""
    messages, draw = list(step.given["messages"]), composer.random.random()
    if draw < 0.3:
        messages.append(_message(composer))
    elif draw < 0.5:
        messages[0] = {**messages[0], "content": composer.text()}
    who = composer.author_of(step.number)
    composer.change("observe", who, **{**step.given, "messages": messages, "again": Ref(step.number)})


def _message(composer: Composer) -> dict[str, Any]:
    draw, message = composer.random.random(), {"role": "user", "content": composer.text()}
    if draw < 0.1:
        message["content"] = composer.about_health()
    elif draw < 0.17:
        message["content"] += ". What do you think?"
    elif draw < 0.22:
        message["content"] = f"Our {composer.things[-1]} from Oslo are in the cellar"
    elif draw < 0.36:
        message["speaker"] = composer.random.choice(composer.people_of_interest)
    elif draw < 0.48:
        message |= {"role": "assistant", "content": f"Noted: {message['content']}"}
    elif draw < 0.55:
        message |= {"role": "tool", "tool_call_id": "call_1"}
    elif draw < 0.67:
        message["content"] = composer.correction()
    elif draw < 0.72:
        message["content"] = f"Please forget that {message['content']}"
    elif draw < 0.75:
        message["role"] = "system"
    if composer.random.random() < 0.15:
        message["at"] = "2025-11-03T09:00:00+00:00"
    return message


STEPS: Steps = {
    "observe": (8, observe),
}
