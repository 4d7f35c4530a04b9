"""A login with a password: where the password may stand, and that nothing shows it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres.conftest import Databases
from tests.postgres.server import WITH_PASSWORD

from memfort import Memory
from memfort.errors import StoreError
from memfort.store.postgres.setup import check_store, create_store

PASSWORD = "korrekt-pferd-" + "batterie"
_SAYS_NO = "did not accept the password; put the right one into PGPASSWORD, a service file or ~/.pgpass"
_WAITS = """
import sys
from memfort import Memory
with Memory.open(sys.argv[1]) as memory:
    memory.as_user("alice").remember("I prefer the window seat")
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def url(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address for a login that has a password, without it."""
    name = databases.new()
    monkeypatch.setenv("MEMFORT_NEW_PASSWORD", PASSWORD)
    made = create_store(f"{databases.server.url(name)}&key_file={databases.key_file}", login=WITH_PASSWORD)
    assert (made.login_is_new, made.has_password) == (True, True)
    monkeypatch.delenv("MEMFORT_NEW_PASSWORD")
    yield f"{databases.server.url(name, WITH_PASSWORD)}&key_file={databases.key_file}"
    databases.drop()
    with databases.server.admin() as admin:
        admin.execute(f"drop role {WITH_PASSWORD}")


def test_a_password_may_stand_in_the_environment_a_password_file_or_a_service_file(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, databases: Databases
) -> None:
    def is_let_in(address: str = url) -> bool:
        with Memory.open(address) as memory:
            return bool(memory.as_user("alice").remember("I prefer the window seat"))

    for wrong in (None, "another"):
        if wrong:
            monkeypatch.setenv("PGPASSWORD", wrong)
        for opens in (Memory.open, check_store):
            with pytest.raises(StoreError, match=_SAYS_NO):
                opens(url)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert is_let_in()
    monkeypatch.delenv("PGPASSWORD")
    passwords, services = tmp_path / "pgpass", tmp_path / "services"
    passwords.write_text(f"*:*:*:{WITH_PASSWORD}:{PASSWORD}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    assert is_let_in()
    monkeypatch.delenv("PGPASSFILE")
    name = url.split("@/")[1].split("?", maxsplit=1)[0]
    services.write_text(
        f"[memories]\nhost={databases.server.folder}\nuser={WITH_PASSWORD}\ndbname={name}\npassword={PASSWORD}\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    assert is_let_in(f"postgresql://?service=memories&key_file={databases.key_file}")


def test_no_error_and_no_log_shows_a_password(url: str, databases: Databases, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with_password = url.replace("@", f":{PASSWORD}@", 1)
    told = ""
    with Memory.open(f"{with_password}&wait_seconds=1") as memory:
        alice = memory.as_user("alice")
        assert alice.remember("I prefer the window seat")
        with databases.server.admin() as admin:
            admin.execute(f"alter role {WITH_PASSWORD} password 'another'")
            admin.execute(f"select pg_terminate_backend(pid) from pg_stat_activity where usename = '{WITH_PASSWORD}'")
        time.sleep(0.2)
        with pytest.raises(StoreError) as refused:
            alice.recall("window seat")
        told += "".join(traceback.format_exception(refused.value))
    for opens in (Memory.open, check_store):
        with pytest.raises(StoreError, match=_SAYS_NO) as refused:
            opens(with_password)
        told += "".join(traceback.format_exception(refused.value))
    assert told
    assert PASSWORD not in told + caplog.text


def test_a_password_in_the_environment_is_in_no_list_of_processes(url: str) -> None:
    environment = {**os.environ, "PGPASSWORD": PASSWORD}
    command = [sys.executable, "-c", _WAITS, url]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdin is not None
        assert running.stdout.readline() == "ready\n"
        listed = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
        running.stdin.write("\n")
        running.stdin.flush()
    assert any(WITH_PASSWORD.encode() in one for one in listed), "the process is in the list"
    assert not any(PASSWORD.encode() in one for one in listed)
