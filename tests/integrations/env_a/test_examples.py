"""The examples of this environment run as they are."""

from __future__ import annotations

import pytest
from tests.integrations.examples import EXAMPLES, shows_memory_of_one_user_alone


@pytest.mark.parametrize("name", EXAMPLES["a"])
def test_an_example_shows_the_memory_of_one_user_alone(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    shows_memory_of_one_user_alone(name, capsys)
