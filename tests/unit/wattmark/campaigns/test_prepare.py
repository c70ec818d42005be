from __future__ import annotations

from collections.abc import Callable

from wattmark.bench.bench import Bench
from wattmark.campaigns.preparation import operator_request


def test_the_operator_is_told_which_slots_to_fill(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench()
    assert operator_request(*bench.configuration("a/two")) == (
        "Bring a to two with A1, B1 fitted (2 FB-DIMM, 2 GiB), start it, then confirm."
    )
    assert operator_request(*bench.configuration("a/bare")) == "Bring a to bare, start it, then confirm."
