"""Print the OpenAPI description of the service, a line for each path and each model; web types are made from it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import create_app

_json = partial(json.dumps, ensure_ascii=False, sort_keys=True)


def main() -> None:
    """Write the description to standard output."""
    app = create_app(None, AccessPolicy.for_address("127.0.0.1", None))
    description = app.openapi()
    description["info"]["version"] = "0"
    sys.stdout.write(text_of(description))


def text_of(description: Mapping[str, Any]) -> str:
    """Write a description as JSON of which a reviewer reads the differences: a line for each path and each model."""
    parts = {name: _json(part) for name, part in description.items()}
    parts["paths"] = _lines(description["paths"])
    components = {name: _json(part) for name, part in description["components"].items()}
    components["schemas"] = _lines(description["components"]["schemas"])
    parts["components"] = _object(components)
    return f"{_object(parts)}\n"


def _lines(entries: Mapping[str, Any]) -> str:
    return _object({name: _json(entry) for name, entry in entries.items()})


def _object(parts: Mapping[str, str]) -> str:
    return "{\n" + ",\n".join(f"{_json(name)}: {parts[name]}" for name in sorted(parts)) + "\n}"


if __name__ == "__main__":
    main()
