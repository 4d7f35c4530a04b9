"""Imports over HTTP: a server takes bytes, and opens no file that a caller names."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from tests.archives.builders import as_json, as_zip, chatgpt
from tests.server.client import Service

from memfort import InvalidInput
from memfort.client.remote.encode import encode_fields
from memfort.operations.table import TABLE

ZIP = as_zip({"conversations.json": as_json([chatgpt(("user", "I prefer tea over coffee."))])})


def test_a_path_is_refused_and_bytes_are_taken(service: Service, tmp_path: Path):
    alice, file = service.user("alice"), tmp_path / "archive.zip"
    file.write_bytes(ZIP)
    refused = alice.post("/v1/import", {"path": str(file)})
    assert (refused.status, refused.json["field"]) == (422, "path")
    taken = alice.post("/v1/import", {"data": base64.b64encode(ZIP).decode()})
    assert (taken.status, taken.json["counts"]["turns"]) == (200, 1)


def test_a_remote_client_reads_the_file_of_its_own_machine(tmp_path: Path):
    file = tmp_path / "archive.zip"
    file.write_bytes(ZIP)
    sent = encode_fields(TABLE["import"], {"path": str(file)}, strict=True)
    assert sent == {"data": base64.b64encode(ZIP).decode(), "filename": "archive.zip"}
    with pytest.raises(InvalidInput, match="zip it"):
        encode_fields(TABLE["import"], {"path": str(tmp_path)}, strict=True)
