"""How often the meters of a bench are polled, what their readings cover, and what a run's record says about it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.yaml_source import YamlSource
from wattmark.instruments.entries import pace, renumbered_port_remarks, uncovered_remarks
from wattmark.instruments.instruments import bench_records, build_meters
from wattmark.results.meters import instrument
from wattmark.runs.disclosure import ThinnedSeries
from wattmark.runs.record import MeterRecord
from wattmark.runs.thinned import marked
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run

BENCH = """\
schema: wattmark-bench/1
lab: Lab
servers:
  - id: s
    access: {{local: true}}
    configurations: [{{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}]
meters:
  - {{id: wall, feeds: [{{server: s}}], {meter}}}
"""
HIOKI = "model: hioki.pw3335, url: 'scpi-tcp://192.0.2.1'"
WT = "model: yokogawa.wt310e, url: 'scpi-tcp://192.0.2.1:10001', range: 300V-5A"
RUN = make_run(unit="ops")


def bench(meter: str) -> Bench:
    return parse_bench(YamlSource("bench.yaml", BENCH.format(meter=meter)), Path("bench.yaml"))


def record(meter: str) -> MeterRecord:
    loaded = bench(meter)
    (only,) = bench_records(loaded, build_meters(loaded, SystemClock(), {}))
    return only


@pytest.mark.parametrize(
    ("meter", "period_s", "averaging_s"),
    [
        (HIOKI, 0.2, 0.2),
        (f"{HIOKI}, period_s: 1", 1.0, 0.2),
        (f"{WT}, options: {{update_period_s: 0.5}}", 0.5, 0.5),
        ("model: eastron.sdm120, url: 'modbus-tcp://192.0.2.1/1'", 1.0, 1.0),
        ("model: shelly.plus1pm, url: 'http://192.0.2.1/0'", 1.0, None),
        ("model: linux.rapl, url: 'rapl:///sys'", 1.0, None),
    ],
)
def test_the_bench_polls_as_often_as_the_model_averages_unless_it_says(
    meter: str, period_s: float, averaging_s: float | None
) -> None:
    (entry,) = bench(meter).meters
    rhythm = pace(entry)
    assert (rhythm.period_s, rhythm.averaging_s) == (period_s, averaging_s)
    (wall, _) = build_meters(bench(meter), SystemClock(), {})
    assert wall.period_s == period_s


def test_an_unknown_model_has_the_usual_pace() -> None:
    (entry,) = bench("model: acme.none, url: 'modbus-tcp://192.0.2.1/1'").meters
    assert pace(entry).period_s == 1.0


def test_a_run_keeps_over_how_long_its_meter_averaged() -> None:
    slow = record(f"{HIOKI}, period_s: 1")
    assert (slow.kind, slow.period_s, slow.averaging_s) == ("averaged", 1.0, 0.2)
    assert instrument(RUN, slow).averaging_s == 0.2
    plug = record("model: shelly.plus1pm, url: 'http://192.0.2.1/0'")
    assert (plug.kind, plug.averaging_s) == ("instantaneous", None)


def test_a_run_keeps_the_averaging_time_that_the_bench_states() -> None:
    """A demand register of minutes: its catalogue entry knows of none, the user does."""
    entry = "model: siemens.pac3200, url: 'modbus-tcp://192.0.2.1/1', averaging_s: 300"
    assert record(entry).averaging_s == instrument(RUN, record(entry)).averaging_s == 300.0
    (meter,) = bench(entry).meters
    assert pace(meter).averaging_s == 300.0
    assert instrument(RUN, record(entry)).averaging_lag_s == pytest.approx((300 - record(entry).period_s) / 2)


def test_a_device_that_sends_every_cycle_has_its_own_period_whatever_the_bench_says() -> None:
    meter = record("model: zes.lmg95, url: 'scpi-tcp://192.0.2.1:5025', period_s: 3")
    assert (meter.period_s, meter.averaging_s) == (0.5, 0.5)


def test_a_run_keeps_the_range_and_where_it_ends() -> None:
    """IM WT310E-02EN 1.5: over-range above 140 % of the voltage or the current range."""
    meter = record(WT)
    assert (meter.range_w, meter.range_limit_w) == (1500.0, pytest.approx(1500 * 1.4 * 1.4))
    assert instrument(RUN, meter).highest_w == meter.range_limit_w
    assert instrument(RUN, meter, ranges=2).highest_w is None
    unknown = record("model: peacefair.pzem016, url: 'modbus-rtu:///dev/ttyUSB0/1', range: 100A")
    assert unknown.range_w is not None
    assert unknown.range_limit_w is None


def test_a_bench_that_leaves_time_uncovered_is_told() -> None:
    (remark,) = uncovered_remarks(bench(f"{HIOKI}, period_s: 1"))
    assert remark.endswith("80 % of the time is not measured. Set period_s: 0.2.")
    assert uncovered_remarks(bench(HIOKI)) == []


@pytest.mark.parametrize(
    ("period_s", "averaging_s", "after_s"), [(0.25, 0.25, 1.0), (0.5, 0.2, 0.4), (0.5, None, None)]
)
def test_thinned_readings_cover_what_the_readings_covered(
    period_s: float, averaging_s: float | None, after_s: float | None
) -> None:
    meter = MeterRecord(name="w", model="m", title="M", period_s=period_s, averaging_s=averaging_s)
    run = make_run(meters=(meter,))
    series = ThinnedSeries(source="w", channel="power", range="", before=1000, after=100)
    (thinned,) = marked(run, date(2026, 11, 2), "x", [series]).meters
    assert (thinned.period_s, thinned.averaging_s) == (1.0, after_s)


@pytest.mark.parametrize(
    ("meter", "is_remarked"),
    [
        ("model: chint.dtsu666, url: 'modbus-rtu:///dev/ttyUSB0/1'", True),
        ("model: peacefair.pzem016, url: 'modbus-rtu:///dev/ttyACM3/1'", True),
        ("model: chint.dtsu666, url: 'modbus-rtu:///dev/serial/by-id/usb-FTDI_A50285BI-if00-port0/1'", False),
        ("model: eastron.sdm120, url: 'modbus-rtu:///dev/ttyUSB0/1'", False),
    ],
)
def test_a_meter_without_serial_number_on_a_numbered_port_is_told(meter: str, is_remarked: bool) -> None:
    remarks = renumbered_port_remarks(bench(meter))
    assert bool(remarks) is is_remarked
    assert all("/dev/serial/by-id/" in remark for remark in remarks)
