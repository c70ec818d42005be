"""What commands print of what others wrote: as it is, and without orders to the terminal."""

from __future__ import annotations

import io

import pytest
from rich.table import Table as RichTable
from wattmark.cli.console.output import fail, visible
from wattmark.cli.console.plain_console import PlainConsole
from wattmark.cli.tables.shown import show
from wattmark.tables.table import Column, Table

TITLE = "\x1b]0;owned\x07"
"""Sets the title of a terminal window (xterm, operating system command 0)."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Grüße,\t5 µW\n", "Grüße,\t5 µW\n"),
        (TITLE, "\\x1b]0;owned\\x07"),
        ("a\rb\x00\x7f\x9b2J", "a\\rb\\x00\\x7f\\x9b2J"),
    ],
)
def test_control_characters_are_shown(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_a_console_prints_text_and_tables_as_they_are() -> None:
    out = io.StringIO()
    console = PlainConsole(file=out, width=200)
    table = RichTable("meter", title=TITLE)
    table.add_row(f"[bold]wall[/bold] :x: {TITLE}")
    console.print(table)
    console.print(TITLE)
    assert "\x1b" not in out.getvalue()
    assert "[bold]wall[/bold] :x: \\x1b]0;owned" in out.getvalue()


def test_an_empty_table_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show(Table("tokens", "Tokens", (Column("name", "Name"),), ()), "table", None)
    assert capsys.readouterr().out == "Tokens: nothing yet.\n"


def test_an_empty_table_that_answers_something_says_that(capsys: pytest.CaptureFixture[str]) -> None:
    show(Table("tokens", "Tokens", (Column("name", "Name"),), (), statements=("None is in force.",)), "table", None)
    assert capsys.readouterr().out == "None is in force.\n"


def test_an_error_gives_the_terminal_no_orders(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(f"The meter says {TITLE}.", "Look at it.", 1, as_json=False) == 1
    assert capsys.readouterr().err == "wattmark: The meter says \\x1b]0;owned\\x07.\n  Look at it.\n"
