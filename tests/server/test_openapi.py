"""The OpenAPI document says what the server does: generated requests get only answers that it describes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
from tests.server.client import RUN_TOKEN, Service
from tests.server.running import running

from memfort.surfaces.http.docs_page import docs_page
from memfort.surfaces.http.openapi import openapi_document
from memfort.surfaces.http.problems import CODES

MINUTES = float(os.environ.get("MEMFORT_TEST_SCHEMA_MINUTES") or 0)
EXAMPLES = 100 if MINUTES else 4


def test_every_reference_leads_to_a_schema_that_is_valid():
    document = json.loads(openapi_document())
    schemas = document["components"]["schemas"]
    named = {part.partition('"')[0] for part in openapi_document().decode().split("#/components/schemas/")[1:]}
    assert named <= schemas.keys()
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert len(openapi_document()) < 500_000


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


def test_generated_requests_get_described_answers(tmp_path: Path):
    """Every check of schemathesis in every phase, also following the links from one answer to the next request:
    `schemathesis.toml` beside this file says what a check expects. `SCHEMA_MINUTES=30` goes on for so long."""
    service = Service(tmp_path / "memory.db", requests_per_minute=10**7, failures_per_minute=10**7)
    with running(service) as url:
        command = [
            str(Path(sys.executable).with_name("st")),
            "--config-file",
            str(Path(__file__).with_name("schemathesis.toml")),
            "run",
            f"{url}/openapi.json",
            "--header",
            f"Authorization: Bearer {RUN_TOKEN}",
            "--header",
            "X-Requester-Id: alice",
            "--checks",
            "all",
            "--phases",
            "examples,coverage,fuzzing,stateful",
            "--max-examples",
            str(EXAMPLES),
            "--continue-on-failure",
            "--seed",
            "1",
            "--no-color",
            "--suppress-health-check",
            "all",
        ]
        if MINUTES:
            command += ["--max-time", str(int(MINUTES * 60))]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        kept = service.memory.as_user("alice").list(limit=1000)
    service.close()
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    for phase in ("Coverage", "Fuzzing", "Stateful"):
        assert f"✅ {phase}" in done.stdout
    assert kept  # the requests did something
    if MINUTES:
        print(done.stdout[-1500:])


def test_a_405_names_every_method_of_its_route(service: Service):
    answer = service.operator.request("PUT", "/v1/memories/x")
    assert answer.status == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "DELETE"}


def test_a_link_leads_from_an_id_to_a_verb_that_takes_it():
    paths = json.loads(openapi_document())["paths"]
    verbs = {one["operationId"]: one for path in paths.values() for one in path.values() if "operationId" in one}
    links = [
        link
        for verb in verbs.values()
        for answer in verb["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert len(links) > 15
    for link in links:
        taker = verbs[link["operationId"]]
        schemas = json.loads(openapi_document())["components"]["schemas"]
        if "requestBody" in link:
            reference = taker["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            assert "id" in schemas[reference.rpartition("/")[2]]["properties"]
        else:
            assert "id" in {one["name"] for one in taker["parameters"]}
