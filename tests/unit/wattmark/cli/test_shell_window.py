"""What a shell has open is not lost by a wrong command, and blocks no server without a word."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from wattmark.cli.measure import shell_window as module
from wattmark.cli.measure.shell_window import ShellWindow
from wattmark.client import ClientError
from wattmark.core.errors import InputError, WattmarkError

ORDER = {"name": "job"}


@dataclass
class Peer:
    """Stands for the appliance: refuses once by each of ``refusals``, and notes what it is asked for."""

    refusals: dict[str, ClientError] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def _asked(self, what: str, order: Any = None) -> None:
        self.asked.append((what, order))
        if what in self.refusals:
            raise self.refusals.pop(what)

    def open(self, order: Mapping[str, Any]) -> dict[str, Any]:
        self._asked("open", order)
        return {"id": "m"}

    def begin(self, identifier: str) -> None:
        self._asked("begin", identifier)

    def end(self, _: str, order: Mapping[str, Any]) -> dict[str, Any]:
        self._asked("end", order)
        return {"run_id": "r"}

    def drop(self, identifier: str) -> None:
        self._asked("drop", identifier)

    def page(self, _: str) -> str | None:
        return None


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> Peer:
    peer = Peer()
    monkeypatch.setattr(module, "connect", lambda _: peer)
    monkeypatch.setattr(module, "result_of", lambda *_: None)
    return peer


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the time since the start of the machine at which commands are started."""

    def set_now(now_s: float) -> None:
        monkeypatch.setattr(module, "_now_s", lambda: now_s)
        monkeypatch.setattr(module, "_started_s", lambda: now_s)

    set_now(100.0)
    return set_now


@pytest.fixture
def window(tmp_path: Path, peer: Peer, now: Callable[[float], None]) -> ShellWindow:
    window = ShellWindow(tmp_path / "state" / "measurement.json")
    assert window.begin("http://a", ORDER) is None
    return window


def test_marks_of_commands_that_run_together_are_all_kept_in_order(
    window: ShellWindow, peer: Peer, now: Callable[[float], None]
) -> None:
    """The second one is started first, and writes last."""
    now(103.0)
    window.value(5)
    now(102.0)
    window.label("part")
    now(104.0)
    window.end(None)
    (marks,) = (order["marks"] for what, order in peer.asked if what == "end")
    assert marks == [{"elapsed_s": 2.0, "label": "part"}, {"elapsed_s": 3.0, "operations": 5.0}]
    assert not window.is_open


def test_an_end_that_is_refused_may_be_given_again(window: ShellWindow, peer: Peer) -> None:
    peer.refusals["end"] = ClientError("Work is counted twice.", "Give one of them.", 422)
    with pytest.raises(WattmarkError, match=r"Give one of them\. Then repeat `wattmark mark end`, or drop it"):
        window.end(5)
    window.end(None)
    assert not window.is_open


@pytest.mark.parametrize("status", [404, 409])
def test_what_is_open_no_more_is_forgotten(window: ShellWindow, peer: Peer, status: int) -> None:
    peer.refusals["end"] = ClientError("The measurement m is not open.", "", status)
    with pytest.raises(WattmarkError, match="is not open"):
        window.end(None)
    assert not window.is_open


@pytest.mark.parametrize("ops", [float("nan"), float("inf"), 1e40])
def test_what_is_no_work_is_refused_at_once(window: ShellWindow, peer: Peer, ops: float) -> None:
    for count in (window.value, window.end):
        with pytest.raises(WattmarkError, match="is not finite, below 0, or beyond counting"):
            count(ops)
    with pytest.raises(WattmarkError, match="is not one line of up to 64 characters"):
        window.label("x" * 65)
    assert window.is_open
    assert "end" not in dict(peer.asked)


def test_a_drop_that_does_not_reach_the_service_is_said(window: ShellWindow, peer: Peer) -> None:
    peer.refusals["drop"] = ClientError("http://a does not answer.", "Start the service.")
    with pytest.raises(WattmarkError, match="does not answer"):
        window.drop()
    assert window.drop() == "job"


def test_what_a_command_left_open_is_dropped_whatever_its_service_says(window: ShellWindow, peer: Peer) -> None:
    assert window.drop_left() == "job"
    assert window.drop_left() is None
    window.begin("http://a", ORDER)
    peer.refusals["drop"] = ClientError("http://a does not answer.", "Start the service.")
    assert window.begin("http://b", ORDER) is None
    assert window.is_open


@pytest.mark.parametrize("error", [ClientError("It was stopped.", "", 409), KeyboardInterrupt()])
def test_a_begin_that_fails_leaves_nothing_open(tmp_path: Path, peer: Peer, error: Exception) -> None:
    peer.refusals["begin"] = error  # type: ignore[assignment]
    window = ShellWindow(tmp_path / "measurement.json")
    with pytest.raises((WattmarkError, KeyboardInterrupt)):
        window.begin("http://a", ORDER)
    assert [what for what, _ in peer.asked] == ["open", "begin", "drop"]
    assert not window.is_open


def test_a_place_that_cannot_be_written_is_found_before_anything_is_opened(tmp_path: Path, peer: Peer) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"Cannot write .*: File exists. Name another one by --state"):
        ShellWindow(tmp_path / "file" / "measurement.json").begin("http://a", ORDER)
    assert peer.asked == []


@pytest.mark.parametrize("content", ["", "{}", "[]", "1", '{"url": 1}', "not JSON", '{"id": 1}\n{"elapsed_s": 1}'])
def test_a_file_that_holds_something_else_is_no_measurement(tmp_path: Path, content: str) -> None:
    file = tmp_path / "measurement.json"
    file.write_text(content)
    with pytest.raises(InputError, match="does not hold a measurement"):
        ShellWindow(file).drop()
    for leave in (ShellWindow(file).drop_left, lambda: ShellWindow(file).begin("http://a", ORDER)):
        with pytest.raises(InputError, match="does not hold a measurement"):
            leave()
    assert file.read_text() == content
    with pytest.raises(InputError, match="does not hold a measurement"):
        ShellWindow(tmp_path).begin("http://a", ORDER)


@pytest.mark.parametrize("marks", ["{}", "[]", '{"elapsed_s": "x"}', "null"])
def test_a_mark_that_is_none_is_no_measurement(window: ShellWindow, tmp_path: Path, marks: str) -> None:
    file = tmp_path / "state" / "measurement.json"
    file.write_text(f"{file.read_text()}{marks}\n")
    with pytest.raises(InputError, match="does not hold a measurement"):
        window.end(None)


def test_a_measurement_of_before_a_restart_is_said_to_be(window: ShellWindow, now: Callable[[float], None]) -> None:
    now(5.0)
    with pytest.raises(InputError, match="begun before this machine was started"):
        window.end(None)


def test_the_file_is_for_its_owner_alone(window: ShellWindow, tmp_path: Path) -> None:
    file = tmp_path / "state" / "measurement.json"
    window.value(1)
    assert file.stat().st_mode & 0o777 == 0o600
    assert next(map(json.loads, file.read_text().splitlines()))["name"] == "job"
