"""The API as a page to read: made from its own description, without scripts and without anything from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any

from wattmark.access.http.permissions import needed_role

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>wattmark API</title></head><body><main><h1>wattmark API</h1>
<p>For programs: <a href="/api/openapi.json">/api/openapi.json</a>. Sign in with
<code>POST /api/session</code>, or send a token as <code>Authorization: Bearer</code>.</p>{rooms}</main></body></html>
"""


def reference_page(description: dict[str, Any]) -> str:
    """Write an OpenAPI description as HTML: every route with its role, parameters and answer in words."""
    rooms: dict[str, list[str]] = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            room = (operation.get("tags") or ["other"])[0]
            rooms.setdefault(room, []).append(_entry(method, path, operation))
    return PAGE.format(rooms="".join(f"<h2>{escape(room)}</h2>{''.join(entries)}" for room, entries in rooms.items()))


def _entry(method: str, path: str, operation: dict[str, Any]) -> str:
    role = needed_role(operation["operationId"])
    needs = f"needs {role}" if role else "open to everyone"
    description = escape(operation.get("description", operation.get("summary", "")))
    parameters = "".join(_parameter(parameter) for parameter in operation.get("parameters", []))
    shown = f"<ul>{parameters}</ul>" if parameters else ""
    return f"<h3><code>{method.upper()} {escape(path)}</code></h3><p>{description} <em>({needs})</em></p>{shown}"


def _parameter(parameter: dict[str, Any]) -> str:
    must = "" if parameter.get("required") else ", optional"
    description = escape(parameter.get("description", ""))
    return f"<li><code>{escape(parameter['name'])}</code> ({escape(parameter['in'])}{must}) {description}</li>"
