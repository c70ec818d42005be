"""A console that gives a terminal no orders which nobody asked for."""

from __future__ import annotations

import io

import pytest
from wattmark.cli.console.plain_console import PlainConsole


def printed() -> str:
    out = io.StringIO()
    console = PlainConsole(file=out, force_terminal=True, width=120)
    console.print("a title", style="bold italic red")
    return out.getvalue()


def test_no_color_takes_bold_and_italic_away_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """https://no-color.org: present and not empty, whatever its value."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "")
    assert "\x1b[" in printed()
    monkeypatch.setenv("NO_COLOR", "1")
    assert printed() == "a title\n"


@pytest.mark.parametrize(("width", "is_terminal", "expected"), [(60, True, 60), (250, True, 100), (60, False, 100)])
def test_sentences_are_as_wide_as_is_well_read(width: int, is_terminal: bool, expected: int) -> None:
    console = PlainConsole(file=io.StringIO(), force_terminal=is_terminal, width=width)
    assert console.text_width == expected
