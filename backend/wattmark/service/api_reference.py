"""Print the API as a documentation page, from its OpenAPI description on standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from wattmark.service.api_examples import EXAMPLES, takes_version

TEST = "tests/integration/service/test_api_examples.py"
HEAD = """# Every route

Made from the routes by `make reference`; do not edit. How to ask: [API](guide/api.md).

A test types the example of every route against a service. Names in them are those of its laboratory: put in your own.
Where an example needs what another answer said, `jq` takes it from there. If the service requires sign-in, add
`-H "Authorization: Bearer $WATTMARK_TOKEN"`. Routes of a fleet need a ClickHouse store.
"""


def page(description: dict[str, Any]) -> str:
    """Write an OpenAPI description as Markdown: routes by room, with role, description and parameters."""
    rooms: dict[str, list[str]] = {}
    for path, methods in sorted(description["paths"].items()):
        for method, operation in sorted(methods.items()):
            room = (operation.get("tags") or ["other"])[0]
            rooms.setdefault(room, []).extend(_route(method, path, operation))
    return "\n".join([HEAD, *(line for room in sorted(rooms) for line in (f"## {room}", "", *rooms[room]))])


def _route(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"### `{method.upper()} {path}`"
    yield ""
    yield from _paragraph(operation.get("description") or operation.get("summary", ""))
    for parameter in operation.get("parameters", []):
        must = "" if parameter.get("required") else ", optional"
        yield f"- `{parameter['name']}` ({parameter['in']}{must}) {_line(parameter.get('description', ''))}".rstrip()
    if taken := _taken(operation):
        yield f"- takes {taken}"
    yield f"- answers {', '.join(sorted(operation['responses']))}"
    yield ""
    yield from _example(method, path, operation)


def _example(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    """Write the example of a route as a block to type."""
    example = EXAMPLES[f"{method.upper()} {path}"]
    yield f'```console not-run="{TEST} types it"'
    yield f"$ {example.command(method.upper(), versioned=takes_version(operation))}"
    yield "```"
    yield ""
    if example.status is not None:
        yield f"In that laboratory there is nothing to do for it, so the answer is {example.status} with the reason."
        yield ""


def _paragraph(text: str) -> tuple[str, ...]:
    return (_line(text), "") if text else ()


def _line(text: str) -> str:
    return " ".join(text.split())


def _taken(operation: dict[str, Any]) -> str:
    """Describe the body of a request."""
    content = operation.get("requestBody", {}).get("content", {})
    return ", ".join(f"{kind}: {_model(body.get('schema', {}))}".rstrip(": ") for kind, body in sorted(content.items()))


def _model(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)))
