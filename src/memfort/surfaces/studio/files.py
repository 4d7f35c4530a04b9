"""The stylesheet and the scripts: read once, compressed once, under an address that changes with their bytes."""

from __future__ import annotations

import gzip
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from memfort.surfaces.studio.headers import FILE_HEADERS

_FOLDER = Path(__file__).with_name("static")
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class StaticFile(Struct, frozen=True):
    content: bytes
    compressed: bytes
    type: str
    tag: str


@cache
def static_files() -> dict[str, StaticFile]:
    """The files by their path below `static`. Nothing else is served, whatever a request names."""
    found = (path for path in sorted(_FOLDER.rglob("*")) if path.suffix in _TYPES)
    return {path.relative_to(_FOLDER).as_posix(): _read(path) for path in found}


def address_of(name: str) -> str:
    return f"/studio/static/{static_files()[name].tag}/{name}"


async def send_file(request: Request) -> Response:
    file = static_files().get(request.path_params["name"])
    if file is None or file.tag != request.path_params["tag"]:
        return Response(status_code=404)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.compressed, headers={**FILE_HEADERS, "content-encoding": "gzip"}, media_type=file.type)
    return Response(file.content, headers=dict(FILE_HEADERS), media_type=file.type)


def _read(path: Path) -> StaticFile:
    content = path.read_bytes()
    return StaticFile(content, gzip.compress(content, mtime=0), _TYPES[path.suffix], sha256(content).hexdigest()[:12])
