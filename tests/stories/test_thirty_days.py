"""The assistant of the tutorial, as it stands in the page, for thirty days: what Alice said in passing is in the prompt
weeks later, what she corrected has its new value, and nothing of it is in Bob's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

from memfort import SystemClock

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
START = datetime(2026, 1, 5, 9, tzinfo=UTC)  # a Monday
DAYS = 30
SAID = {
    1: ("Hi! I work as a landscape architect", "I live in Bristol"),
    2: ("I prefer window seats on trains", "How long does the train to Leeds take?"),
    3: ("My sister Nina lives in Oslo", "thanks"),
    4: ("I'm allergic to walnuts", "Tell me a joke"),
    5: ("We decided to use slate for the courtyard at Mill Lane",),
    6: ("If I were rich I'd buy a castle", "lol ok"),
    8: ("My boss is Helen",),
    9: ("I drive a green Skoda", "What's the weather like tomorrow?"),
    10: ("My husband Paul is a chef",),
    11: ("Our daughter Iris was born on 3 May 2021", "Write a limerick about moss"),
    12: ("I don't eat meat",),
    13: ("The client for Mill Lane is Mrs Okoye",),
    14: ("The key to the shed hangs behind the kitchen door",),
    15: ("Actually I moved to Cardiff",),
    16: ("I'm learning Welsh", "How do you say good morning?"),
    17: ("My favourite author is Ursula Le Guin",),
    18: ("I take the bus to work",),
    19: ("Our wedding anniversary is on 14 June",),
    20: ("Helen left, it's Marcus now",),
    21: ("I hate cilantro", "What can I use instead in a salsa?"),
    22: ("Can you book a table for me and my friend Tomas?",),
    25: ("My shoe size is 39",),
    27: ("The Mill Lane project is due on 20 March",),
    28: ("Sorry, I misspoke, it's due on 27 March",),
}
SMALL_TALK = ("Good morning!", "ok", "Thank you, that helps")
QUESTIONS = {
    "What do I do for a living?": "landscape architect",
    "Which seat should I book?": "window seats",
    "Where does my sister live?": "Oslo",
    "What am I allergic to?": "walnuts",
    "Which stone do we use for the courtyard?": "slate",
    "Who is my boss?": "Marcus",
    "What car do I drive?": "Skoda",
    "What is my husband's job?": "chef",
    "When was Iris born?": "3 May 2021",
    "Do I eat meat?": "don't eat meat",
    "Who is the client for Mill Lane?": "Okoye",
    "Where is the key to the shed?": "kitchen door",
    "Where do I live?": "Cardiff",
    "Which language am I learning?": "Welsh",
    "Who is my favourite author?": "Le Guin",
    "How do I get to work?": "bus",
    "When is our wedding anniversary?": "14 June",
    "Which herb do I hate?": "cilantro",
    "What is my shoe size?": "39",
    "When is the Mill Lane project due?": "27 March",
}
ENDED = {"Who is my boss?": "My boss is Helen", "When is the Mill Lane project due?": "20 March"}


class Assistant:
    """The module of the tutorial, on a clock of our own, with a model that keeps its prompts."""

    def __init__(self, module: ModuleType, set_day: Callable[[int], None]) -> None:
        self.set_day = set_day
        self._reply = module.reply
        self._prompts: list[str] = []
        module.model = self._model  # type: ignore[attr-defined]

    def prompt_of(self, user: str, said: str) -> str:
        """What the model is given beside the message itself."""
        self._reply(user, said)
        return self._prompts[-1].removesuffix(f"{user}: {said}")

    def _model(self, prompt: str) -> str:
        self._prompts.append(prompt)
        return "Understood."


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("thirty-days")
    _, _, rest = TUTORIAL.read_text(encoding="utf-8").partition('```python title="assistant.py"\n')
    source, fence, _ = rest.partition("\n```")
    assert fence, "the tutorial has no assistant.py"
    now = [START]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(SystemClock, "now", lambda _: round(now[0].timestamp() * 1_000_000))
        module = ModuleType("assistant")
        exec(compile(source, "assistant.py", "exec"), module.__dict__)
        patch.setitem(sys.modules, "assistant", module)

        def set_day(day: int) -> None:
            now[0] = START + timedelta(days=day - 1)

        lived = Assistant(module, set_day)
        for day in range(1, DAYS + 1):
            for minute, said in enumerate((SMALL_TALK[day % 3], *SAID.get(day, ()))):
                now[0] = START + timedelta(days=day - 1, minutes=minute)
                lived.prompt_of("alice", said)
        lived.prompt_of("bob", "I drive a red Fiat")
        yield lived
        module.memory.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_after_thirty_days_the_answer_is_in_the_prompt(assistant: Assistant, question: str) -> None:
    assistant.set_day(DAYS + 1)
    prompt = assistant.prompt_of("alice", question)
    assert QUESTIONS[question] in prompt
    if question in ENDED and ENDED[question] in prompt:  # if at all, below what replaced it
        assert prompt.index(QUESTIONS[question]) < prompt.index(ENDED[question])


def test_nothing_of_it_is_in_the_prompt_of_another_user(assistant: Assistant) -> None:
    assistant.set_day(DAYS + 1)
    assert "red Fiat" in assistant.prompt_of("bob", "What car do I drive?")
    for question, answer in QUESTIONS.items():
        assert answer not in assistant.prompt_of("bob", question)


def test_small_talk_does_not_come_back(assistant: Assistant) -> None:
    assistant.set_day(DAYS + 1)
    prompts = "".join(assistant.prompt_of("alice", question) for question in QUESTIONS)
    assert "Skoda" in prompts
    assert [said for said in (*SMALL_TALK[::2], "castle", "Tell me a joke") if said in prompts] == []
