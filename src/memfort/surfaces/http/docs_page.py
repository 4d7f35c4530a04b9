"""The page at `/docs`: every route with its fields, from the OpenAPI document. No script, nothing from elsewhere."""

from __future__ import annotations

import json
from html import escape
from typing import Any

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "code{background:#f2f2f2;padding:.1em .3em;border-radius:3px}details{border-bottom:1px solid #ddd;padding:.4em 0}"
    "summary{cursor:pointer}table{border-collapse:collapse;margin:.5em 0}td,th{text-align:left;vertical-align:top;"
    "padding:.2em .8em .2em 0}b{font-family:monospace}"
)


def docs_page(document: bytes) -> bytes:
    api = json.loads(document)
    routes = [(path, method, one) for path, found in api["paths"].items() for method, one in found.items()]
    body = "".join(_route(api, *route) for route in routes)
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Memfort HTTP API</title><style>{_STYLE}</style>"
        f"<h1>Memfort HTTP API {escape(api['info']['version'])}</h1><p>{escape(api['info']['description'])} "
        "Send <code>Authorization: Bearer KEY</code>. The same as OpenAPI: <a href=/openapi.json>/openapi.json</a>.</p>"
        f"{body}</html>"
    ).encode()


def _route(api: dict[str, Any], path: str, method: str, one: dict[str, Any]) -> str:
    scope = f" <small>needs <code>{escape(one['x-scope'])}</code></small>" if "x-scope" in one else ""
    return (
        f"<details><summary><b>{escape(method.upper())} {escape(path)}</b> {escape(one['summary'])}{scope}</summary>"
        f"{_fields(api, one)}{_answers(one)}</details>"
    )


def _fields(api: dict[str, Any], one: dict[str, Any]) -> str:
    headers = [(f"{given['in']}: {given['name']}", given.get("description", "")) for given in one.get("parameters", ())]
    content = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    schema = api["components"]["schemas"].get(content.get("$ref", "").rpartition("/")[2], {})
    needed = schema.get("required", ())
    fields = [
        (f"{name}{' *' if name in needed else ''}", given.get("description", ""))
        for name, given in schema.get("properties", {}).items()
    ]
    rows = "".join(f"<tr><td><code>{escape(name)}</code><td>{escape(about)}" for name, about in (*headers, *fields))
    return f"<table>{rows}</table>"


def _answers(one: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{escape(status)}<td>{escape(about['description'])}" for status, about in one["responses"].items()
    )
    return f"<table>{rows}</table>"
