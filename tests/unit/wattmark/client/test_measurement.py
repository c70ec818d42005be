"""A measurement in a program: what it counts and marks, and that it never costs the work it measures."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wattmark.client import (
    MOST_MARKS,
    Appliance,
    ClientError,
    Measurement,
    Part,
    Result,
    connect,
    fewer_marks,
    measure,
)
from wattmark.measurements.views import EndMeasurement

FIGURES = {
    "run_id": "r",
    "name": "n",
    "server": "s",
    "configuration": "as is",
    "duration_s": 1.0,
    "power": None,
    "energy": None,
    "throughput": None,
    "efficiency": None,
    "peak_w": None,
    "instead_of_wall": None,
    "simulated": False,
    "basis": "none",
    "parts": [],
    "remarks": [],
    "lines": [],
}


@dataclass
class Noted(Appliance):
    """Notes what it is asked for, and takes an end as an appliance does."""

    refusals: list[ClientError] = field(default_factory=list)
    end_order: EndMeasurement | None = None
    dropped: list[str] = field(default_factory=list)

    def open(self, order: Mapping[str, Any]) -> dict[str, Any]:
        if self.refusals:
            raise self.refusals.pop()
        return {"id": "m"}

    def begin(self, identifier: str) -> None:
        pass

    def end(self, identifier: str, order: Mapping[str, Any]) -> dict[str, Any]:
        self.end_order = EndMeasurement.model_validate(order)
        return FIGURES

    def drop(self, identifier: str) -> None:
        self.dropped.append(identifier)

    def page(self, run_id: str) -> str | None:
        return None

    def close(self) -> None:
        pass

    @property
    def order(self) -> EndMeasurement:
        assert self.end_order is not None
        return self.end_order

    @property
    def counted(self) -> list[float]:
        return [mark.operations for mark in self.order.marks if mark.operations is not None]


@pytest.fixture
def appliance() -> Noted:
    return Noted()


@pytest.fixture
def measurement(appliance: Noted) -> Measurement:
    return measure("x", appliance=appliance).begin()


@pytest.mark.parametrize("ops", [7, np.int64(7), np.float32(7), np.array(7), Fraction(7)])
def test_an_amount_may_be_any_kind_of_number(appliance: Noted, measurement: Measurement, ops: Any) -> None:
    measurement.end(ops)
    assert appliance.order.operations == 7
    with measure("x", appliance=appliance) as m:
        m.value(ops)
    assert appliance.counted == [7]


@pytest.mark.parametrize("ops", [float("nan"), float("inf"), -1, 1e-40, 1e40])
def test_what_is_no_amount_is_refused_where_it_is_counted(measurement: Measurement, ops: float) -> None:
    with pytest.raises(ClientError, match="is not finite, below 0, or beyond counting"):
        measurement.value(ops)
    measurement.value(1)


@pytest.mark.parametrize("label", ["x" * 65, "two\nlines", "\x1b[31m"])
def test_a_label_that_no_appliance_takes_is_refused_where_it_is_given(measurement: Measurement, label: str) -> None:
    with pytest.raises(ClientError, match="is not one line of up to 64 characters"):
        measurement.mark(label)
    measurement.mark("x" * 64)


def test_work_is_counted_once(appliance: Noted) -> None:
    with measure("x", ops=5, appliance=appliance) as m, pytest.raises(ClientError, match="Count it by one of them"):
        m.value(1)
    assert appliance.order.operations == 5


def test_threads_may_count_together(appliance: Noted, measurement: Measurement) -> None:
    def count() -> None:
        for _ in range(500):
            measurement.value(1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    measurement.end()
    times = [mark.elapsed_s for mark in appliance.order.marks]
    assert times == sorted(times)
    assert sum(appliance.counted) == 2000


def test_a_long_loop_may_count_each_pass(appliance: Noted, measurement: Measurement) -> None:
    """What measures never ends the work by an error after hours of it."""
    passes = 3 * MOST_MARKS
    for number in range(passes):
        measurement.value(1)
        if number == 10:
            measurement.mark("rest")
    measurement.end()
    assert sum(appliance.counted) == passes
    assert [mark.label for mark in appliance.order.marks if mark.operations is None] == ["rest"]


def test_values_are_joined_within_their_part() -> None:
    values = [{"elapsed_s": float(k), "operations": 1.0} for k in range(5)]
    marks = [*values[:3], {"elapsed_s": 2.5, "label": "x"}, *values[3:]]
    assert fewer_marks(marks) == [
        {"elapsed_s": 1.0, "operations": 2.0},
        {"elapsed_s": 2.0, "operations": 1.0},
        {"elapsed_s": 2.5, "label": "x"},
        {"elapsed_s": 4.0, "operations": 2.0},
    ]
    with pytest.raises(ClientError, match="There are more than 20,000 marks"):
        fewer_marks([{"elapsed_s": 0.0, "label": "x"}] * MOST_MARKS)


def test_a_block_may_end_or_drop_its_measurement_itself(appliance: Noted) -> None:
    with measure("x", appliance=appliance) as m:
        result = m.end(3)
    assert m.result is result
    with measure("x", appliance=appliance) as m:
        m.drop()
    assert m.result is None
    assert appliance.dropped == ["m"]


def test_a_begin_that_was_refused_may_be_tried_again(appliance: Noted) -> None:
    appliance.refusals.append(ClientError("The measurement 'y' of s is open.", "", 409))
    m = measure("x", appliance=appliance)
    with pytest.raises(ClientError, match="is open"):
        m.begin()
    m.begin().end()
    assert m.result is not None


@pytest.mark.parametrize("local", [{"meters": ["rapl://"]}, {"data": Path("folder")}])
def test_an_appliance_and_meters_exclude_each_other(local: dict[str, Any]) -> None:
    with pytest.raises(ClientError, match="An appliance is named, and meters of this machine"):
        connect("http://127.0.0.1:8400", **local)


def test_a_file_with_a_token_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_bytes(b"\xff\xfe")
    monkeypatch.delenv("WATTMARK_TOKEN", raising=False)
    for file, reason in ((tmp_path / "token", "it is no text"), (tmp_path / "none", "No such file or directory")):
        monkeypatch.setenv("WATTMARK_TOKEN_FILE", str(file))
        with pytest.raises(ClientError, match=f"{file}, which cannot be read: {reason}"):
            connect("http://127.0.0.1:1")


def test_a_part_without_figures_has_a_dash() -> None:
    shown = Result(**{**FIGURES, "parts": (Part("begin", 0.0, 1.0, None, None),), "url": None})  # type: ignore[arg-type]
    assert "begin: 1 s, –, –" in str(shown)


def test_an_appliance_is_connected_to_once(appliance: Noted) -> None:
    with pytest.raises(ClientError, match="An appliance is given, and what to connect to"):
        measure("x", url="http://127.0.0.1:1", appliance=appliance)
