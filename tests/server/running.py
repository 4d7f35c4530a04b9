"""A server that listens at a socket of this machine, in a thread of the test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from tests.server.client import Service

from memfort.surfaces.http.connections import Connections, GuardedProtocol


@contextmanager
def running(service: Service, protocol: type[GuardedProtocol] = GuardedProtocol) -> Iterator[str]:
    """The address of the service, while it runs."""
    sock = socket.create_server(("127.0.0.1", 0))
    of_service = type("Protocol", (protocol,), {"open_connections": Connections(service.server.settings)})
    config = uvicorn.Config(
        service.app, log_level="error", access_log=False, http=of_service, ws="none", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: server.run(sockets=[sock]), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        sock.close()
