"""What the options of `wattmark measure` refuse before anything runs, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from wattmark.cli.measure import measure as module
from wattmark.cli.measure.measuring import Source, measure_series, order_of
from wattmark.core.errors import InputError, StoreError
from wattmark.measurements.command import NotStarted
from wattmark.measurements.series import BrokenOff, Outcome, Series


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ({"ops": 0.0}, "--ops 0 is no work."),
        ({"ops": float("inf")}, "--ops inf is not finite."),
        ({"ops": float("nan")}, "--ops nan is not finite."),
        ({"ops": -1.0}, "--ops -1 is below 0."),
        ({"ops": 1e40}, "--ops 1e[+]40 is above 1e[+]30"),
        ({"name": "a\nb"}, "--name 'a.*nb' is not a name."),
        ({"unit": " "}, "--unit ' ' is not a name."),
        ({"unit": "x" * 201}, "--unit 'x+' is not a name."),
        ({"configuration": "\x1b[1m"}, "--configuration '.*' is not a name."),
        ({"name": "\udcff"}, "--name '.*' is not a name."),
    ],
)
def test_what_is_no_work_and_no_name_is_refused(options: dict[str, Any], cause: str) -> None:
    usual: dict[str, Any] = {"ops": None, "work": None, "unit": "operations", "idle": "0", "name": None}
    with pytest.raises(InputError, match=cause):
        order_of(("true",), **usual | options, to_stderr=False, is_compared=False)


def test_an_archive_that_cannot_be_written_is_refused_before_anything_runs(tmp_path: Path) -> None:
    series = Series(order_of(("true",), None, None, "n", "0", None, to_stderr=False, is_compared=False), (), 1)
    with pytest.raises(InputError, match="No such file or directory"):
        measure_series(series, Source(), tmp_path, tmp_path / "none" / "run.wattmark", lambda _: None)
    with pytest.raises(InputError, match="Is a directory"):
        measure_series(series, Source(), tmp_path, tmp_path, lambda _: None)


def ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: Outcome | Exception, **options: Any) -> int:
    def series(*_: object) -> Outcome:
        if isinstance(end, Exception):
            raise end
        return end

    monkeypatch.setattr(module, "measure_series", series)
    with pytest.raises(typer.Exit) as left:
        module.measure(["echo", "{n}"] if "parameter" in options else ["true"], data=tmp_path, **options)
    return left.value.exit_code


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (Outcome([], None), 0),
        (Outcome([], None, 15), 143),
        (StoreError("x"), 125),
        (NotStarted("x", "", 127), 127),
        (BrokenOff(StoreError("x"), Outcome([], None)), 123),
    ],
)
def test_the_exit_status_says_whether_the_command_was_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: Outcome | Exception, status: int
) -> None:
    assert ended(monkeypatch, tmp_path, end) == status


@pytest.mark.parametrize(
    "options",
    [
        {"as_json": True, "as_csv": True},
        {"repeat": 0},
        {"repeat": 1001},
        {"ops": 0.0},
        {"parameter": ["n=1,2"], "configuration": "mine"},
    ],
)
def test_wrong_options_start_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any]) -> None:
    assert ended(monkeypatch, tmp_path, AssertionError("it was started"), **options) == 125


def test_a_series_that_broke_off_gives_its_runs_with_the_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "_document", lambda run: run.name)
    runs: Any = [SimpleNamespace(name="first")]
    end = BrokenOff(StoreError("The disk is full.", "Free space."), Outcome(runs, None))
    assert ended(monkeypatch, tmp_path, end, as_json=True) == 123
    out, err = capsys.readouterr()
    cause = "Measuring broke off after 1 run. The disk is full."
    assert json.loads(out) == {
        "runs": ["first"],
        "comparison": None,
        "error": {"cause": cause, "remedy": "Free space.", "exit_code": 123},
    }
    assert cause in err
