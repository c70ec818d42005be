"""A chosen part of a run: the same figures as the window where it is the window, and sums that a person can check."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.run_pages import RunPages
from wattmark.results.pages.span import SpanOut, span_of
from wattmark.runs.record import RunRecord
from wattmark.traceability.certificates.register import CertificateRegister

from ...conftest import BEGIN_NS
from ..whole_run import SECONDS, whole_run

NS = 10**9
SECONDARY_INDEX = 1


def span(run: RunRecord, store, begin_s: float, end_s: float) -> SpanOut:
    begin_ns, end_ns = (BEGIN_NS + round(second * NS) for second in (begin_s, end_s))
    return span_of(run, store, begin_ns, end_ns, CertificateRegister())


def test_the_span_of_the_window_has_the_figures_of_the_result():
    run, store = whole_run()
    result, seen = evaluate(run, store), span(run, store, 0, SECONDS)
    assert seen.server.power == result.power.bare
    assert seen.server.energy.value == pytest.approx(result.energy_j)
    assert pytest.approx(result.power.U95 * SECONDS) == seen.server.energy.U95
    assert seen.throughput == result.throughput.bare
    assert seen.efficiency == result.efficiency.bare
    assert seen.energy_per_op == result.energy_per_op
    assert [(meter.meter, meter.role) for meter in seen.meters] == [("outlet", "wall"), ("beside", "secondary")]
    assert seen.meters[0].power == result.power.bare
    assert seen.meters[SECONDARY_INDEX].power.U95 is not None


def stepped(store, record, **changes) -> RunRecord:
    """Readings of 200 W up to second 50 and of 300 W after it, each the mean of the second before its stamp."""
    t_s = np.arange(-20.0, 121)
    store.add("r1", "outlet", "power", t_s, np.where(t_s <= 50, 200.0, 300.0))
    return record(**changes)


def test_mean_energy_and_readings_of_a_span_over_a_step(store, record):
    seen = span(stepped(store, record), store, 45, 55)
    readings = [200.0] * 5 + [300.0] * 4
    (outlet,) = seen.meters
    assert (outlet.power.value, outlet.energy.value) == (pytest.approx(250), pytest.approx(2500))
    assert (outlet.readings, outlet.excluded, outlet.missing_s, outlet.gaps) == (9, 0, 0, 0)
    assert (outlet.minimum_w, outlet.maximum_w) == (200, 300)
    assert outlet.sd_w == pytest.approx(statistics.stdev(readings))
    assert seen.server.power == outlet.power


def test_a_span_that_ends_near_a_load_step_says_why_its_uncertainty_is_large(store, record):
    """Shifted by dt, a span of 10 s whose end lies on a step of 100 W has another mean by 100 W x dt / 10 s."""
    run = stepped(store, record)
    near, steady = span(run, store, 40.5, 50.5), span(run, store, 30, 40)
    assert near.server.power.U95 > 2 * steady.server.power.U95
    assert "comes from the ends of the span" in near.server.notes[-1]
    assert "step of" in near.server.notes[-1]
    assert not any("ends of the span" in note for note in steady.server.notes)


def test_a_span_is_cut_inside_a_reading_and_inside_an_interval_of_work(store, record):
    seen = span(stepped(store, record), store, 49.5, 52)
    assert seen.server.power.value == pytest.approx((0.5 * 200 + 2 * 300) / 2.5)
    assert seen.throughput.value == pytest.approx(8000), "ten seconds hold 80 000 signs, evenly"
    assert seen.efficiency.value == pytest.approx(8000 / 280)


def test_work_that_only_the_source_states_is_not_claimed_for_a_part(store, record):
    seen = span(stepped(store, record, throughput=(), stated_throughput=8000.0), store, 20, 40)
    assert (seen.throughput, seen.efficiency) == (None, None)


def test_missing_readings_are_said_and_widen_the_uncertainty(store, record):
    t_s = np.arange(-20.0, 121)
    present = t_s != 20
    whole, marred = type(store)(), store
    for target, chosen in ((whole, t_s > -99), (marred, present)):
        target.add("r1", "outlet", "power", t_s[chosen], 200.0 + t_s[chosen] % 2)
    run = record()
    (sound,), (seen,) = span(run, whole, 0, 100).meters, span(run, marred, 0, 100).meters
    assert (sound.missing_s, sound.gaps) == (0, 0)
    assert (seen.missing_s, seen.gaps) == (pytest.approx(1), 1)
    assert seen.power.U95 > sound.power.U95


def test_a_span_of_gaps_has_a_reason_and_no_power(store, record):
    t_s = np.arange(-20.0, 121)
    present = (t_s < 20) | (t_s > 60)
    store.add("r1", "outlet", "power", t_s[present], np.full(int(present.sum()), 200.0))
    (outlet,) = span(record(), store, 10, 80).meters
    assert outlet.power is None
    assert outlet.missing_s == pytest.approx(41)
    assert "gave no good reading for 41 s" in outlet.notes[0]
    assert outlet.readings == 9 + 19


def test_a_bmc_is_shown_without_uncertainty(store, record, meter):
    bmc = meter(name="bmc", role="bmc", indicative=True, reading_pct=None, fixed_w=None, range_pct=None)
    run = stepped(store, record, meters=(meter(), bmc))
    t_s = np.arange(-20.0, 121)
    store.add("r1", "bmc", "power", t_s, np.full(len(t_s), 180.0))
    seen = span(run, store, 60, 90)
    assert [m.power.value for m in seen.meters] == [pytest.approx(300), pytest.approx(180)]
    assert seen.meters[1].power.U95 is None
    assert "indicative" in seen.meters[1].notes[0]
    assert seen.server.power == seen.meters[0].power


def test_two_wall_meters_add_up(store, record, meter):
    run = record(meters=(meter(name="psu1", serial="A1"), meter(name="psu2", serial="B1")))
    t_s = np.arange(-20.0, 121)
    store.add("r1", "psu1", "power", t_s, 120 + t_s % 2)
    store.add("r1", "psu2", "power", t_s, 130 + t_s % 2)
    seen = span(run, store, 10, 30)
    assert seen.server.power.value == pytest.approx(sum(m.power.value for m in seen.meters))
    assert seen.server.power.value == pytest.approx(251)
    assert seen.server.power.u <= math.fsum(m.power.u for m in seen.meters)


def test_a_span_that_ends_before_it_begins_is_refused(storage: Storage, record):
    storage.runs.put(record())
    pages = RunPages(storage, Evaluations(storage))
    with pytest.raises(InputError, match="not after its start"):
        pages.span("r1", 10.0, 10.0)
    (outlet,) = pages.span("r1", BEGIN_NS / NS, BEGIN_NS / NS + 10).meters
    assert outlet.power is None
    assert outlet.notes


def test_a_span_says_whether_a_simulator_gave_its_power(store, record, meter):
    beside = meter(name="beside", role="secondary", simulated=True)
    assert not span(stepped(store, record, meters=(meter(), beside)), store, 45, 55).simulated
    assert span(stepped(store, record, meters=(meter(simulated=True),)), store, 45, 55).simulated
