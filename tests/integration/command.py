"""The program inside the test, where starting another process would teach nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.cli.main import main

Command = Callable[..., tuple[int, bytes, str]]


@pytest.fixture
def wattmark(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Run a command inside this process: (exit code, standard output, standard error)."""

    def run(*arguments: str | Path) -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["wattmark", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfdbinary.readouterr()
        return int(ended.value.code or 0), out, err.decode()

    return run
