"""A file for a secret: made new, and readable by its owner alone from its first byte on. What a shell's `>` makes is
often readable by everybody on the machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from memfort.errors import InvalidInput


def create_private_file(path: Path) -> TextIO:
    """A new file, open for writing, with mode 0600. It fails with `FileExistsError` if there is one."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w")


@contextmanager
def private_file(path: Path, field: str) -> Iterator[TextIO]:
    """The same for a file that the user names. It is made before the secret is, and removed if that fails, so that no
    secret is made that cannot be written anywhere."""
    try:
        file = create_private_file(path)
    except FileExistsError:
        raise InvalidInput(field, f"`{path}` exists already", "name a new file, or remove that one") from None
    except OSError as error:
        problem = f"`{path}` cannot be written: {(error.strerror or str(error)).lower()}"
        raise InvalidInput(field, problem, "name a file in a folder that you may write in") from error
    try:
        with file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise
