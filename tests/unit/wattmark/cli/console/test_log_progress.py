"""What an import tells while it runs: rarely, in place on a terminal, nothing at all where nobody reads it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from wattmark.cli.console.log_progress import ProgressLine, progress_shown
from wattmark.core.progress import Step, note_done

MB = 10**6


def written_for(steps: list[tuple[float, Step, int]], *, terminal: bool) -> str:
    out, clock = io.StringIO(), [0.0]
    line = ProgressLine("spl.txt", 400 * MB, out, terminal=terminal, now=lambda: clock[0])
    for at_s, step, amount in steps:
        clock[0] = at_s
        line.add(step, amount)
    line.clear()
    return out.getvalue()


STEPS: list[tuple[float, Step, int]] = [
    (1.0, "read", 100 * MB),
    (2.5, "read", 50 * MB),
    (3.2, "read", 50 * MB),
    (6.0, "read", 200 * MB),
    (7.6, "stored", 50_000),
    (30.0, "evaluated", 1),
]


def test_a_file_of_errors_gets_a_line_every_five_seconds() -> None:
    assert written_for(STEPS, terminal=False) == (
        "spl.txt: 150 of 400 MB read\nspl.txt: 50000 samples stored\nspl.txt: 1 evaluated\n"
    )


def test_a_terminal_gets_one_line_that_goes_at_the_end() -> None:
    written = written_for(STEPS, terminal=True)
    assert [text.rstrip() for text in written.split("\r")] == [
        "",
        "spl.txt: 150 of 400 MB read",
        "spl.txt: 200 of 400 MB read",
        "spl.txt: 400 of 400 MB read",
        "spl.txt: 50000 samples stored",
        "spl.txt: 1 evaluated",
        "",
        "",
    ]
    assert "\n" not in written


def test_a_short_import_and_a_silent_one_tell_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert written_for([(0.1, "read", MB), (1.9, "stored", 5)], terminal=True) == ""
    source = tmp_path / "spl.txt"
    source.write_text("a line\n")
    monkeypatch.setattr("wattmark.cli.console.log_progress.FIRST_S", -1.0)
    for silent, lines in ((True, 0), (False, 1)):
        with progress_shown(source, silent=silent):
            note_done("read", MB)
        assert len(capsys.readouterr().err.splitlines()) == lines
    note_done("read", MB)
    assert capsys.readouterr().err == ""
