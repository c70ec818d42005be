"""What a long command shows while it runs: in place on a terminal with the time left, nothing where nobody reads."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from wattmark.cli.console.log_progress import ProgressLine, progress_shown, time_left
from wattmark.core.progress import Step, note_done

MB = 10**6


def written_for(steps: list[tuple[float, Step, int, int | None]]) -> list[str]:
    """Return what a terminal showed, one text after the other."""
    out, clock = io.StringIO(), [0.0]
    line = ProgressLine("spl.txt", 400 * MB, out, now=lambda: clock[0])
    for at_s, step, amount, of in steps:
        clock[0] = at_s
        line.add(step, amount, of)
    line.clear()
    assert "\n" not in out.getvalue()
    return [text.rstrip() for text in out.getvalue().split("\r") if text.strip()]


def test_a_terminal_gets_one_line_with_the_time_that_is_left() -> None:
    assert written_for(
        [
            (1.0, "read", 100 * MB, None),
            (2.5, "read", 50 * MB, None),
            (3.2, "stored", 20_000, None),
            (6.0, "read", 250 * MB, None),
            (7.6, "stored", 30_000, None),
            (30.0, "evaluated", 1, 576),
            (34.0, "evaluated", 1, 576),
        ]
    ) == [
        "spl.txt: 150 of 400 MB read, 4 s left",  # 2.5 s for 150 MB: 4.2 s for 250 MB
        "spl.txt: 150 of 400 MB read, 5 s left",  # 3.2 s for 150 MB: 5.3 s for 250 MB
        "spl.txt: 400 of 400 MB read",
        "spl.txt: 50000 samples stored",
        "spl.txt: 1 of 576 evaluated",  # a step that has just begun says nothing of its end
        "spl.txt: 2 of 576 evaluated, 19 min left",  # 4 s for 2: 1148 s for 574
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s left"), (89, "89 s left"), (200, "3 min left"), (4800, "1 h 20 min left")]
)
def test_time_left_is_no_finer_than_it_is_known(seconds: float, words: str) -> None:
    assert time_left(seconds) == words


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_only_a_terminal_is_written_to_and_only_after_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert written_for([(0.1, "read", MB, None), (1.9, "stored", 5, None)]) == []
    source = tmp_path / "spl.txt"
    source.write_text("a line\n")
    monkeypatch.setattr("wattmark.cli.console.log_progress.FIRST_S", -1.0)
    for stream, silent, shown in ((Terminal(), True, False), (io.StringIO(), False, False), (Terminal(), False, True)):
        monkeypatch.setattr("sys.stderr", stream)
        with progress_shown(source, silent=silent):
            note_done("read", 7)
        assert ("spl.txt: 0 of 0 MB read" in stream.getvalue()) is shown
        note_done("read", MB)
        assert stream.getvalue().count("read") == shown
