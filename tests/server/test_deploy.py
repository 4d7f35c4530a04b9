"""The files of the page about deploying are run as far as this machine can: the commands of the unit and the container,
the unit by systemd's own checker, the proxy's block in a real nginx.

`make test-server DEPLOY=1` wants nginx and systemd-analyze to be there, and installs the package into an environment of
its own as the container file does.
"""

from __future__ import annotations

import configparser
import http.client
import json
import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.server.processes import MEMFORT, WAIT_SECONDS, ask, certificate, free_port, key_of, served, wait_until_ready

import memfort

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/how-to/run-a-server.md").read_text()
BLOCKS = re.findall(r"^```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
UNIT = next(block for block in BLOCKS if block.startswith("[Unit]"))
CONTAINER = next(block for block in BLOCKS if block.startswith("FROM"))
PROXY = next(block for block in BLOCKS if block.startswith("server {"))
DEPLOY = bool(os.environ.get("MEMFORT_TEST_DEPLOY"))
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CHECKER = shutil.which("systemd-analyze")


def unit() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(UNIT)
    return parser["Service"]


@contextmanager
def started(command: list[str], port: int, log: Path) -> Iterator[subprocess.Popen[str]]:
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, text=True)
    try:
        wait_until_ready(process, port, log)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(WAIT_SECONDS)


def test_the_command_of_the_unit_runs_and_stops_in_its_time(tmp_path: Path):
    store, port = tmp_path / "memory.db", free_port()
    words = {"/opt/memfort/bin/memfort": MEMFORT, "/var/lib/memfort/memory.db": str(store), "8642": str(port)}
    given = shlex.split(unit()["ExecStart"])
    assert words.keys() <= set(given)
    with started([words.get(word, word) for word in given], port, tmp_path / "log") as process:
        process.send_signal(getattr(signal, unit()["KillSignal"]))
        begun = time.monotonic()
        assert process.wait(int(unit()["TimeoutStopSec"])) in {0, -signal.SIGTERM}
        assert time.monotonic() - begun < int(unit()["TimeoutStopSec"])


def test_the_unit_is_one_for_systemd(tmp_path: Path):
    """By its own checker where it is installed; its words are known in any case."""
    assert unit()["StateDirectory"] == "memfort"
    if CHECKER is None:
        assert not DEPLOY, "systemd-analyze is missing"
        return
    for text, is_good in ((UNIT, True), (UNIT.replace("NoNewPrivileges", "NoSuchWord"), False)):
        file = tmp_path / "memfort.service"
        file.write_text(text.replace("/opt/memfort/bin/memfort", MEMFORT))
        command = [CHECKER, "verify", "--man=no", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)
        complaints = [line for line in done.stderr.splitlines() if "memfort.service" in line]
        assert (complaints == []) is is_good, done.stderr


def container_command(store: Path, port: int, program: str) -> list[str]:
    [line] = [line for line in CONTAINER.splitlines() if line.startswith("CMD ")]
    given = json.loads(line.removeprefix("CMD "))
    words = {"memfort": program, "/home/memfort/data/memory.db": str(store)}
    return [*(words.get(word, word) for word in given), "--port", str(port)]


def test_the_command_of_the_container_needs_a_key_and_answers_by_its_name(tmp_path: Path):
    store, port = tmp_path / "memory.db", free_port()
    command = container_command(store, port, MEMFORT)
    refused = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)
    assert refused.returncode == 2
    assert "memfort keys create" in refused.stderr
    key = key_of(store)
    with (tmp_path / "log").open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, text=True)
    try:
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            try:
                status, _ = ask(port, "POST", "/v1/spaces", {}, key, host="memory.example")
                break
            except OSError:
                time.sleep(0.05)
        assert status == 200
        assert ask(port, "POST", "/v1/spaces", {}, key, host="elsewhere.example")[0] == 421
    finally:
        process.kill()
        process.wait(WAIT_SECONDS)


def proxy_configuration(folder: Path, port: int, server: int) -> Path:
    """The block of the page in a whole file, with places and ports of this test."""
    chain, key = certificate(folder)
    block = PROXY.replace("/etc/memfort/chain.pem", str(chain)).replace("/etc/memfort/key.pem", str(key))
    block = block.replace("listen 443", f"listen 127.0.0.1:{port}").replace("127.0.0.1:8642", f"127.0.0.1:{server}")
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}{block}}}\n"
    )
    return file


def test_a_request_through_the_proxy_reaches_the_server(tmp_path: Path):
    if NGINX is None:
        assert not DEPLOY, "nginx is missing"
        assert "proxy_buffering off" in PROXY
        return
    store, port = tmp_path / "memory.db", free_port()
    key = key_of(store)
    with served(store, "--allow-host", "memory.example") as (_, server, _):
        file = proxy_configuration(tmp_path, port, server)
        checked = subprocess.run([NGINX, "-t", "-c", str(file)], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
        proxy = subprocess.Popen([NGINX, "-c", str(file)], stderr=subprocess.DEVNULL)
        try:
            check_through_the_proxy(port, tmp_path / "chain.pem", key)
        finally:
            proxy.terminate()
            proxy.wait(WAIT_SECONDS)


def check_through_the_proxy(port: int, authority: Path, key: str) -> None:
    """Verbs, progress and a refusal, over TLS, by the name that the proxy passes on."""
    context = ssl.create_default_context(cafile=str(authority))
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}

    def through(path: str, body: object, host: str = "memory.example", **more: str) -> tuple[int, str, bytes]:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=WAIT_SECONDS, context=context)
        connection.request("POST", path, json.dumps(body), {**headers, "host": host, **more})
        answer = connection.getresponse()
        found = answer.status, answer.headers["content-type"], answer.read()
        connection.close()
        return found

    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            status, _, body = through("/v1/remember", {"text": "tea is hot"})
            break
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)
    assert status == 201, body
    many = {"memories": [f"fact number {number} of the sea" for number in range(250)]}
    status, kind, body = through("/v1/remember-many", many, accept="text/event-stream")
    assert (status, kind.partition(";")[0]) == (200, "text/event-stream")
    assert body.count(b"event: progress") >= 2
    assert through("/v1/spaces", {}, host="elsewhere.example")[0] == 421


@pytest.mark.skipif(not DEPLOY, reason="by flag: DEPLOY=1 installs the package anew")
def test_the_steps_of_the_container_file_work_in_an_environment_of_its_own(tmp_path: Path):
    [step] = re.findall(r'pip install (?:--\S+ )*"memfort\[server\]"', CONTAINER)
    assert step
    folder, store, port = tmp_path / "venv", tmp_path / "memory.db", free_port()
    venv.create(folder, with_pip=True)
    install = [str(folder / "bin/pip"), "install", "--quiet", f"{ROOT}[server]"]
    subprocess.run(install, check=True, timeout=600)
    program = str(folder / "bin/memfort")
    made = subprocess.run(
        [program, "--store", str(store), "keys", "create", "--user", "alice"],
        capture_output=True,
        text=True,
        check=True,
        timeout=WAIT_SECONDS,
    )
    command = [*container_command(store, port, program), "--allow-host", "127.0.0.1"]
    with (
        started(command, port, tmp_path / "log"),
        memfort.connect(f"http://127.0.0.1:{port}", made.stdout.strip()) as remote,
    ):
        assert remote.as_holder().remember("tea is hot").kept
    assert sys.executable not in program
