"""The entry of a bench file that is made from an output: a bench reads it, and a run would count the figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.load import load_bench
from wattmark.campaigns.own_workload import made_parser
from wattmark.campaigns.parser_views import ParserOrder
from wattmark.core.errors import InputError

OUTPUT = "Failed requests:        0\nRequests per second:    5417.20 [#/sec] (mean)\n"
BENCH = "schema: wattmark-bench/1\nlab: Test\n"


def order(**changes: Any) -> ParserOrder:
    entry = {"id": "my-ab", "title": "Shop: start page", "command": "ab -n 1000 -H 'Host: shop' http://127.0.0.1/"}
    return ParserOrder.model_validate(
        {
            "output": OUTPUT,
            "unit": "requests",
            "reports": "rate",
            "figure": {"line": 1, "begin": 24, "end": 31},
            "errors": [{"line": 0, "begin": 24, "end": 25}],
            "workload": {**entry, **changes},
        }
    )


def test_the_entry_is_read_as_it_was_meant(tmp_path: Path) -> None:
    made = made_parser(order())
    assert [(line.line, line.value) for line in made.lines] == [(1, 5417.2)]
    assert made.entry is not None
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH + made.entry)
    declared = load_bench(bench).workload_declarations()["my-ab"]
    assert declared.command == ("ab", "-n", "1000", "-H", "Host: shop", "http://127.0.0.1/")
    assert (declared.title, declared.unit) == ("Shop: start page", "requests")
    assert declared.parser.model_dump(include={"kind", "pattern", "fails_on", "reports"}) == {
        "kind": "regex",
        "pattern": made.pattern,
        "fails_on": made.fails_on,
        "reports": "rate",
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "web.ab"}, "The catalogue has a workload 'web.ab'"),
        ({"command": "ab 'http://"}, "The command cannot be read"),
        ({"command": "ab -c {levle} http://127.0.0.1/"}, "The workload needs the placeholders"),
    ],
)
def test_what_cannot_be_declared_is_refused(changes: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        made_parser(order(**changes))
