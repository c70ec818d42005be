"""Traces as printed figures: steps of averaged readings, gaps left open, every format, phases and window in it."""

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.reports.files.trace_figure import lines_of, write_traces
from wattmark.results.pages.run_page import IntervalOut, LimitSpanOut, SeriesOut, TracesOut
from wattmark.results.pages.run_view import run_view
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase

BEGIN_NS = 1_700_000_000_000_000_000
BEGIN_S = BEGIN_NS / 1e9


def series(t_s, mean, *, source="outlet", unit="W", kind="averaged", simulated=False):
    return SeriesOut(
        id=1, source=source, channel="power", label="power", quantity="power", unit=unit, kind=kind, range="",
        simulated=simulated, total=True, total_samples=len(t_s), decimated=False, samples_per_bucket=1.0,
        t_s=[BEGIN_S + t for t in t_s], minimum=mean, maximum=mean, mean=mean,
    )  # fmt: skip


@pytest.fixture
def run(record, measure):
    phases = tuple(
        Phase(name=name, begin_ns=BEGIN_NS + begin * 10**9, end_ns=BEGIN_NS + end * 10**9)
        for name, begin, end in ((PhaseName.SETTLE, -20, 0), (PhaseName.MEASURE, 0, 100))
    )
    return run_view(record(phases=phases), measure(), None, None, Annotation())


def traces(*entries):
    return TracesOut(
        run_id="r1",
        begin_s=BEGIN_S - 20,
        end_s=BEGIN_S + 100,
        series=list(entries),
        throughput=[IntervalOut(begin_s=BEGIN_S, end_s=BEGIN_S + 100, rate=8000.0)],
        throughput_unit="signs/s",
        excluded=[],
    )


def test_a_gap_breaks_the_line_and_steady_readings_do_not(run):
    """Between 3 s and 20 s no reading came: one NaN between them, none elsewhere."""
    (line,) = lines_of([series([0, 1, 2, 3, 20, 21], [250.0] * 6)], "W", run)
    assert np.flatnonzero(np.isnan(line.mean)).tolist() == [4]
    assert line.t_s[4] - BEGIN_S == pytest.approx(11.5)
    assert line.averaged


def test_wall_meters_come_first_and_simulated_ones_are_called_so(run):
    other = series([0, 1], [90.0, 91.0], source="bmc", simulated=True)
    lines = lines_of([other, series([0, 1], [250.0, 251.0])], "W", run)
    assert [line.label for line in lines] == ["outlet power", "bmc power (simulated)"]


@pytest.mark.parametrize(("format", "beginning"), [("svg", b"<?xml"), ("pdf", b"%PDF-"), ("png", b"\x89PNG")])
def test_every_format_is_written_and_the_same_each_time(run, format, beginning):  # noqa: A002
    shown = traces(
        series([0, 1, 2], [250.0, None, 251.0]), series([0, 1], [40.0, 41.0], unit="°C", kind="instantaneous")
    )
    first = write_traces(run, shown, format)
    assert first.startswith(beginning)
    assert first == write_traces(run, shown, format)


def test_limits_have_a_row_each(run):
    reached = [
        LimitSpanOut(device=device, kind=kind, cause=cause, begin_s=BEGIN_S + begin, end_s=BEGIN_S + begin + 5)
        for device, kind, cause, begin in (
            ("CPU package 0", "power", "power limit", 10), ("CPU package 0", "power", "power limit", 30),
            ("GPU gpu0", "heat", "thermal slowdown by hardware", 20),
        )
    ]  # fmt: skip
    shown = traces(series([0, 1, 2], [250.0, 251.0, 252.0])).model_copy(update={"limits": reached})
    text = write_traces(run, shown, "svg").decode()
    assert text.count("CPU package 0: power limit") == 1
    assert "GPU gpu0: thermal slowdown by hardware" in text


def test_a_run_without_samples_and_an_unknown_format(run):
    empty = traces().model_copy(update={"throughput": []})
    assert write_traces(run, empty, "pdf").startswith(b"%PDF-")
    with pytest.raises(InputError, match="not available as 'eps'"):
        write_traces(run, empty, "eps")
