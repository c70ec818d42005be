"""The API reference has every route, each with one example; test_api_examples.py types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from wattmark.service.api_examples import BASE, EXAMPLES, Example
from wattmark.service.api_reference import page

OPENAPI = json.loads((Path(__file__).parents[4] / "frontend/openapi.json").read_text())
ROUTES = {f"{method.upper()} {path}" for path, methods in OPENAPI["paths"].items() for method in methods}


def test_every_route_has_an_example_and_no_other() -> None:
    assert EXAMPLES.keys() == ROUTES


@pytest.mark.parametrize("route", EXAMPLES)
def test_an_example_asks_its_own_route(route: str) -> None:
    _, path = route.split(" ")
    pattern = re.sub(r"\\{[^}]+\\}", r"(\\$\\(.+\\)|[^/]+)", re.escape(path))
    assert re.fullmatch(pattern, re.sub(r"\?[^)]*$", "", EXAMPLES[route].path)), EXAMPLES[route].path


def test_the_reference_shows_each_below_its_route() -> None:
    text = page(OPENAPI)
    sections = dict(re.findall(r"^### `([^`]+)`\n(.*?)(?=^##|\Z)", text, re.M | re.S))
    assert sections.keys() == ROUTES
    assert all(section.count("$ curl -sS") >= 1 for section in sections.values())
    put = sections["PUT /api/bench/plans/{name}"]
    assert f'-H "If-Match: $(curl -sS {BASE}/api/bench | jq .version)"' in put


def test_a_command_quotes_what_a_shell_would_take_apart() -> None:
    asked = Example("/api/compare", {"workload": "it's", "level": "100 %"})
    assert asked.command("GET") == (
        f"curl -sS -G {BASE}/api/compare --data-urlencode 'workload=it'\"'\"'s' --data-urlencode 'level=100 %'"
    )
    assert Example("/api/x?a=1&b=2").command("GET") == f"curl -sS '{BASE}/api/x?a=1&b=2'"
    sent = Example("/api/trash", body={"run_ids": ["a"]}).command("POST")
    assert (
        sent == f"""curl -sS -X POST {BASE}/api/trash -H 'Content-Type: application/json' -d '{{"run_ids": ["a"]}}'"""
    )
