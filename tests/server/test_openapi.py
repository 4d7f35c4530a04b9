"""The OpenAPI document says what the server does: generated requests get only answers that it describes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from tests.server.client import RUN_TOKEN, Service
from tests.server.running import running

from memfort.surfaces.http.docs_page import docs_page
from memfort.surfaces.http.openapi import openapi_document
from memfort.surfaces.http.problems import CODES

MINUTES = float(os.environ.get("MEMFORT_TEST_SCHEMA_MINUTES") or 0)
EXAMPLES = 1000 if MINUTES else 3


def test_every_reference_leads_to_a_schema_that_is_valid():
    document = json.loads(openapi_document())
    schemas = document["components"]["schemas"]
    named = {part.partition('"')[0] for part in openapi_document().decode().split("#/components/schemas/")[1:]}
    assert named <= schemas.keys()
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert len(openapi_document()) < 400_000


def test_the_page_of_the_api_needs_nothing_from_elsewhere(service: Service):
    page = service.anonymous.request("GET", "/docs")
    assert page.status == 200
    assert b"/v1/recall" in page.body
    assert b"<script" not in page.body
    assert b"http://" not in page.body.replace(b"http://127.0.0.1", b"")
    assert b"https://" not in page.body
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert docs_page(openapi_document()) == page.body


def test_every_code_of_a_problem_is_described():
    sources = "".join(file.read_text() for file in Path("src/memfort/surfaces/http").glob("*.py"))
    for code in CODES:
        assert f'"{code}"' in sources.replace(f'    "{code}": (', "", 1), code  # a stale one fails


@pytest.mark.parametrize("scopes", [("read", "write", "review", "admin", "act_for")])
def test_generated_requests_get_described_answers(tmp_path: Path, scopes):
    """The six checks of schemathesis named below. Not among them are those that take any refused valid request for a
    fault: a whole number written as 40.0 is one for JSON Schema and none for us, and what a gate refuses (an id that is
    not there, a secret) is valid by its schema."""
    service = Service(tmp_path / "memory.db", requests_per_minute=10**7, failures_per_minute=10**7)
    service.memory.keys.create(user="alice", scopes=scopes)
    with running(service) as url:
        command = [
            str(Path(sys.executable).with_name("st")),
            "run",
            f"{url}/openapi.json",
            "--header",
            f"Authorization: Bearer {RUN_TOKEN}",
            "--header",
            "X-Requester-Id: alice",
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
            "unsupported_method,response_headers_conformance",
            "--phases",
            "examples,fuzzing,stateful" if MINUTES else "examples,fuzzing",
            "--max-examples",
            str(EXAMPLES),
            "--seed",
            "1",
            "--no-color",
            "--suppress-health-check",
            "all",
        ]
        if MINUTES:
            command += ["--max-time", str(int(MINUTES * 60))]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    service.close()
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
