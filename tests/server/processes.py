"""`memfort serve` in a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from memfort import Memory

WAIT_SECONDS = 120.0
MEMFORT = str(Path(sys.executable).with_name("memfort"))


def free_port() -> int:
    """A port that nobody listens at, below those that the system gives to outgoing connections: one of these could take
    it before the server does."""
    while True:
        port = random.randrange(20_000, 32_000)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue


@contextmanager
def served(
    store: Path, *options: str, within: Sequence[str] = (), log: Path | None = None, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], int, Path]]:
    """The process, its port and its log, when it is ready. `within` is a command that runs it."""
    port, log = free_port(), log or store.with_name("server.log")
    command = [*within, MEMFORT, "--store", str(store), "serve", "--port", str(port)]
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, *options], stdout=out, stderr=out, text=True, env={**os.environ, **environment}
        )
    try:
        wait_until_ready(process, port, log)
        yield process, port, log
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(WAIT_SECONDS)


def wait_until_ready(process: subprocess.Popen[str], port: int, log: Path) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()
        try:
            if ask(port, "GET", "/readyz")[0] == 200:
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(log.read_text())


def ask(port: int, method: str, path: str, body: Any = None, key: str = "", **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)
    try:
        given = {"authorization": f"Bearer {key}", "content-type": "application/json", **headers}
        connection.request(method, path, None if body is None else json.dumps(body), given)
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None
    finally:
        connection.close()


def run_token(store: Path) -> str:
    """The token of the run of a server for a store without keys."""
    return store.with_name(f"{store.name}.run-token").read_text().strip()


def key_of(store: Path, user: str = "alice") -> str:
    with Memory.open(store) as memory:
        return memory.keys.create(user=user).token


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine and `memory.example` that is its own authority, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "memory.example")])
    now = datetime.now(UTC)
    address = x509.IPAddress(ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("memory.example"), address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    secret.write_bytes(key.private_bytes(*form))
    return chain, secret
