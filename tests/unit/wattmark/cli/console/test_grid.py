"""Long tables are drawn row by row; they look as rich draws short ones."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.table import Table
from wattmark.cli.console.grid import grid, total_width, widths_of
from wattmark.cli.console.plain_console import PlainConsole

from tests.examples import examples

CELLS = st.text(st.sampled_from("ab 1±–µ服\n"), max_size=9).map(lambda text: text.rstrip("\n"))


@settings(deadline=None, max_examples=examples(80))
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=6)))
def test_a_grid_is_what_rich_draws(rows: list[list[str]]) -> None:
    headings = [f"Column {number}" for number in range(len(rows[0]))]
    widths = widths_of(headings, lambda: rows)
    drawn = Table(*headings)
    for row in rows:
        drawn.add_row(*row)
    out = io.StringIO()
    PlainConsole(file=out, width=total_width(widths)).print(drawn)
    assert list(grid(headings, lambda: rows, widths)) == out.getvalue().splitlines()


def test_what_a_device_says_gives_a_terminal_no_orders() -> None:
    rows = [["\x1b[2J"]]
    lines = list(grid(["a"], lambda: rows, widths_of(["a"], lambda: rows)))
    assert lines[3] == "│ \\x1b[2J │"
