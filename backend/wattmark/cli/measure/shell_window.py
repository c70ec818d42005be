"""The measurement that a shell has open: a file remembers it from one command to the next."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wattmark.client import (
    MOST_MARKS,
    ClientError,
    Result,
    amount_of,
    connect,
    fewer_marks,
    part_mark,
    result_of,
    work_mark,
)
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.whole_file import require_writable, write_whole

NAME = "wattmark/measurement.json"
OPEN_FIRST = "Open one first: wattmark mark begin NAME."
_GONE = (404, 409)
"""Status of an answer after which nothing is open: it was not there, or it has ended."""


def default_file() -> Path:
    """Return where it is remembered: the folder for the state of programs (XDG)."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local/state") / NAME


class ShellWindow:
    """Opens, marks and ends one measurement at a time. Times are those since the start of this machine.

    The first line of the file is the measurement, each further one a mark: commands that run together append theirs.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def is_open(self) -> bool:
        """Return whether a measurement is remembered."""
        return self._file.exists()

    def begin(self, url: str, order: dict[str, Any]) -> str | None:
        """Open a measurement and begin its window; return the name of one that was dropped for it."""
        dropped = self.drop_left()
        with self._writing():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            require_writable(self._file)
        with _in_words():
            appliance = connect(url)
            identifier = appliance.open(order)["id"]
            try:
                asked_s = _now_s()
                appliance.begin(identifier)
                begun_s = _now_s()
                window = {"url": url, "id": identifier, "name": order["name"], "begun_s": begun_s}
                with self._writing():
                    content = json.dumps({**window, "round_trip_s": begun_s - asked_s})
                    write_whole(self._file, f"{content}\n".encode(), private=True)
            except BaseException:
                with contextlib.suppress(ClientError):
                    appliance.drop(identifier)
                raise
        return dropped

    def label(self, label: str) -> None:
        """Remember a part that begins at the instant at which this command was started, until the end."""
        with _in_words():
            self._mark(part_mark(label))

    def value(self, ops: float) -> None:
        """Remember work done since the last value, until the end."""
        with _in_words():
            self._mark(work_mark(ops))

    def end(self, ops: float | None) -> tuple[dict[str, Any], Result]:
        """End the window where this command was started; return the figures as the service answers, and in words.

        It stays open where the service refuses the order, so that it can be given again.
        """
        window, marks = self._read()
        with _in_words():
            order = {
                "operations": None if ops is None else amount_of(ops),
                "elapsed_s": _elapsed_s(window),
                "round_trip_s": window["round_trip_s"],
                "marks": marks if len(marks) <= MOST_MARKS else fewer_marks(marks),
            }
            appliance = connect(window["url"])
            try:
                figures = appliance.end(window["id"], order)
            except ClientError as error:
                if error.status in _GONE:
                    self.forget()
                    raise
                again = f"{error.remedy} Then repeat `wattmark mark end`, or drop it: `wattmark mark drop`."
                raise ClientError(error.cause, again.strip(), error.status) from None
            self.forget()
            return figures, result_of(figures, appliance.page(figures["run_id"]))

    def drop(self) -> str | None:
        """End the measurement without a result; return its name, None where it was open no more."""
        window, _ = self._read()
        with _in_words():
            try:
                connect(window["url"]).drop(window["id"])
            except ClientError as error:
                if error.status not in _GONE:
                    raise
                self.forget()
                return None
        self.forget()
        return str(window["name"])

    def drop_left(self) -> str | None:
        """Drop a measurement that was left open, and forget it; return its name, None where none was open."""
        if not self.is_open:
            return None
        self._read()  # a file that holds something else stays
        try:
            return self.drop()
        except WattmarkError:
            self.forget()
            return None

    def forget(self) -> None:
        """Remember no measurement."""
        self._file.unlink(missing_ok=True)

    def _mark(self, mark: dict[str, Any]) -> None:
        window, _ = self._read()
        line = json.dumps({"elapsed_s": _elapsed_s(window), **mark})
        with self._writing(), self._file.open("a") as file:
            file.write(f"{line}\n")

    def _read(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Read the measurement, and its marks in the order of time."""
        try:
            window, *marks = map(json.loads, self._file.read_text("utf-8").splitlines())
            if {"url", "id", "name", "begun_s", "round_trip_s"} <= window.keys():
                return window, sorted(marks, key=lambda mark: float(mark["elapsed_s"]))
        except FileNotFoundError:
            raise InputError("No measurement is open.", OPEN_FIRST) from None
        except (OSError, ValueError, AttributeError, TypeError, KeyError):
            pass
        raise InputError(f"{self._file} does not hold a measurement.", f"Delete it. {OPEN_FIRST}")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise `InputError` where the file cannot be written."""
        try:
            yield
        except OSError as error:
            raise InputError(f"Cannot write {self._file}: {error.strerror}.", "Name another one by --state.") from None


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
