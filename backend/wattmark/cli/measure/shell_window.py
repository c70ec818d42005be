"""The measurement that a shell has open: a file remembers it from one command to the next."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wattmark.client import ClientError, Result, connect, result_of
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.whole_file import write_whole

NAME = "wattmark/measurement.json"
OPEN_FIRST = "Open one first: wattmark mark begin NAME."


def default_file() -> Path:
    """Return where it is remembered: the folder for the state of programs (XDG)."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local/state") / NAME


class ShellWindow:
    """Opens, marks and ends one measurement at a time. Times are those since the start of this machine."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def is_open(self) -> bool:
        """Return whether a measurement is remembered."""
        return self._file.exists()

    def begin(self, url: str, order: dict[str, Any]) -> str | None:
        """Open a measurement and begin its window; return the name of one that was dropped for it."""
        dropped = self.drop() if self.is_open else None
        with _in_words():
            appliance = connect(url)
            identifier = appliance.open(order)["id"]
            asked_s = _now_s()
            appliance.begin(identifier)
            begun_s = _now_s()
        window = {"url": url, "id": identifier, "name": order["name"], "begun_s": begun_s, "marks": []}
        self._write({**window, "round_trip_s": begun_s - asked_s})
        return dropped

    def mark(self, mark: dict[str, Any]) -> None:
        """Remember a mark at the instant at which this command was started. Nothing is sent before the end."""
        window = self._read()
        marks = [*window["marks"], {"elapsed_s": _elapsed_s(window), **mark}]
        self._write({**window, "marks": marks})

    def end(self, ops: float | None) -> tuple[dict[str, Any], Result]:
        """End the window where this command was started; return the figures as the service answers, and in words."""
        window = self._read()
        order = {
            "operations": ops,
            "elapsed_s": _elapsed_s(window),
            "round_trip_s": window["round_trip_s"],
            "marks": window["marks"],
        }
        with _in_words():
            appliance = connect(window["url"])
            try:
                figures = appliance.end(window["id"], order)
            finally:
                self.forget()
            return figures, result_of(figures, appliance.page(figures["run_id"]))

    def drop(self) -> str | None:
        """End the measurement without a result; return its name, None where it was open no more."""
        window = self._read()
        self.forget()
        try:
            with _in_words():
                connect(window["url"]).drop(window["id"])
        except WattmarkError:
            return None
        return str(window["name"])

    def forget(self) -> None:
        """Remember no measurement."""
        self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any]:
        try:
            window = json.loads(self._file.read_text("utf-8"))
            if {"url", "id", "name", "begun_s", "round_trip_s", "marks"} <= window.keys():
                return dict(window)
        except FileNotFoundError:
            raise InputError("No measurement is open.", OPEN_FIRST) from None
        except (OSError, ValueError, AttributeError):
            pass
        raise InputError(f"{self._file} does not hold a measurement.", f"Delete it. {OPEN_FIRST}")

    def _write(self, window: dict[str, Any]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._file, json.dumps(window).encode(), private=True)


@contextlib.contextmanager
def _in_words() -> Iterator[None]:
    """Raise what the client refuses as `WattmarkError`."""
    try:
        yield
    except ClientError as error:
        raise WattmarkError(error.cause, error.remedy) from None


def _elapsed_s(window: dict[str, Any]) -> float:
    elapsed_s = _started_s() - float(window["begun_s"])
    if elapsed_s < 0:
        raise InputError("The measurement was begun before this machine was started.", OPEN_FIRST)
    return elapsed_s


def _now_s() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _started_s() -> float:
    """Return when this process was started, before anything was imported; to 10 ms (proc_pid_stat(5), field 22)."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        after_name = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        return int(after_name[19]) / os.sysconf("SC_CLK_TCK")
    return _now_s()
