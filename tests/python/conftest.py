"""What every verb answered with, once for all tests here."""

from __future__ import annotations

from typing import Any

import pytest
from answers import answers


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    return answers(tmp_path_factory.mktemp("answers"))
