"""Runs over one another as printed figures: aligned by their windows, feeds added up, differences of equal times."""

import numpy as np
import pytest
from wattmark.reports.files.overlay_figure import OverlaidRun, combined, power_line, write_overlay
from wattmark.reports.files.trace_figure import PlottedLine
from wattmark.results.pages.run_page import IntervalOut, SeriesOut, TracesOut
from wattmark.results.pages.run_view import run_view
from wattmark.runs.annotations.annotation import Annotation

BEGIN_S = 1_700_000_000.0


def series(t_s, mean, source="outlet"):
    return SeriesOut(
        id=1, source=source, channel="power", label="power", quantity="power", unit="W", kind="averaged", range="",
        simulated=False, total=True, total_samples=len(t_s), decimated=False, samples_per_bucket=1.0,
        t_s=[BEGIN_S + t for t in t_s], minimum=mean, maximum=mean, mean=mean,
    )  # fmt: skip


def traces(*entries):
    throughput = [IntervalOut(begin_s=BEGIN_S, end_s=BEGIN_S + 10, rate=8000.0)]
    return TracesOut(
        run_id="r1", begin_s=BEGIN_S, end_s=BEGIN_S + 10, series=list(entries), throughput=throughput,
        throughput_unit="signs/s", excluded=[],
    )  # fmt: skip


def line(t_s, mean):
    values = np.array(mean, dtype=np.float64)
    return PlottedLine("", np.array(t_s, dtype=np.float64), values, values, values, averaged=True)


@pytest.fixture
def fed_twice(record, measure):
    run = run_view(record(), measure(), None, None, Annotation())
    feed = run.meters[0].model_copy(update={"role": "wall"})
    meters = [feed.model_copy(update={"name": name}) for name in ("feed 1", "feed 2")]
    return run.model_copy(update={"meters": (*meters, feed.model_copy(update={"name": "bmc", "role": "bmc"}))})


def test_the_feeds_of_a_server_are_added_up_and_counted_from_its_window(fed_twice):
    shown = traces(
        series([0, 1, 2], [150.0, 151.0, 152.0], "feed 1"),
        series([0.1, 1.1, 2.1], [100.0, 100.0, 99.0], "feed 2"),
        series([0, 1, 2], [230.0, 230.0, 230.0], "bmc"),
    )
    power = power_line(fed_twice, shown, BEGIN_S)
    assert power.t_s == pytest.approx([0, 1, 2])
    assert power.mean.tolist() == [250.0, 251.0, 251.0]


def test_a_difference_is_drawn_only_where_both_have_readings():
    first, second = line([0, 1, 2, 3], [250.0, 251.0, 252.0, 253.0]), line([0.2, 1.2, 2.2, 9.0], [275.0] * 4)
    assert combined(second, first, -1.0).mean == pytest.approx([25.0, 24.0, 23.0, np.nan], nan_ok=True)
    assert combined(second, line([1.0], [250.0]), -1.0).mean == pytest.approx([25, 25, 25, np.nan], nan_ok=True)


@pytest.mark.parametrize(("format", "beginning"), [("svg", b"<?xml"), ("pdf", b"%PDF-"), ("png", b"\x89PNG")])
def test_six_runs_one_without_power_are_drawn(format, beginning):  # noqa: A002
    powers = [line([0, 1, 2], [250.0 + k] * 3) for k in range(5)]
    runs = [OverlaidRun(f"run {k}", BEGIN_S, 10.0, power, traces()) for k, power in enumerate([*powers, None])]
    assert write_overlay(runs, format).startswith(beginning)


def test_a_server_has_no_power_where_one_of_its_feeds_shows_none_or_parts_only(fed_twice):
    whole = series([0, 1, 2], [150.0, 151.0, 152.0], "feed 1")
    phases = series([0, 1, 2], [100.0, 100.0, 99.0], "feed 2").model_copy(
        update={"channel": "power_l1", "total": False}
    )
    assert power_line(fed_twice, traces(whole), BEGIN_S) is None
    assert power_line(fed_twice, traces(whole, phases), BEGIN_S) is None
