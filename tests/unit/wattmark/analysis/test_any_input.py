"""Whatever a meter or a workload delivers: a finite figure or a named reason, never a crash or a silent NaN."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.analysis.efficiency.run import RunInput, analyse_run
from wattmark.analysis.efficiency.window import RULES, Marks
from wattmark.analysis.energy.trace import Instrument, Trace
from wattmark_calibration import Specification

from tests.examples import examples

WATTS = st.one_of(st.floats(100, 400), st.sampled_from([-2.0, -1.0, 0.0, math.nan, math.inf, 250.0, 250.0, 250.0]))


@st.composite
def traces(draw):
    steps = draw(st.lists(st.sampled_from([0.0, 0.001, 1.0, 1.0, 1.0, 3.0, 9.0]), max_size=80))
    kind = draw(st.sampled_from(["averaged", "instantaneous", "counter"]))
    n = len(steps)
    value = np.array(draw(st.lists(WATTS, min_size=n, max_size=n)), dtype=np.float64)
    instrument = Instrument(
        name=draw(st.sampled_from(["a", "b"])),
        kind=kind,
        unit=draw(st.sampled_from(["Wh" if kind == "counter" else "W"] * 5 + ["kW"])),
        specification=draw(st.sampled_from([None, Specification(1.0), Specification(0.1, 0.1)])),
        range_w=draw(st.sampled_from([None, 600.0])),
        resolution=draw(st.sampled_from([None, 0.1])),
        latency_s=draw(st.sampled_from([0.0, 0.7])),
        group="m",
    )
    return Trace(
        instrument=instrument,
        t_ns=(np.cumsum([*steps]) * 1e9 - 5e9).astype(np.int64) if n else np.zeros(0, dtype=np.int64),
        value=np.cumsum(np.abs(np.nan_to_num(value, posinf=0))) / 100 if kind == "counter" else value,
        usable=np.array(draw(st.lists(st.booleans() | st.just(True), min_size=n, max_size=n)), dtype=bool),
        u_t_s=np.full(n, 0.01),
    )


@st.composite
def runs(draw):
    edges = draw(st.lists(st.integers(-5, 90), max_size=12))
    begin, end = draw(st.sampled_from([(0, 60), (0, 10), (0, 1), (5, 5), (None, None), (20, 80)]))
    amounts = draw(
        st.lists(
            st.one_of(st.floats(1e-9, 1e12), st.sampled_from([math.nan, -1.0, 0.0])),
            min_size=max(len(edges) - 1, 0),
            max_size=max(len(edges) - 1, 0),
        )
    )
    edges = np.array(sorted(edges), dtype=np.int64) * 10**9
    return RunInput(
        marks=Marks(
            begin_ns=None if begin is None else begin * 10**9,
            end_ns=None if end is None else end * 10**9,
            interval_begin_ns=edges[:-1],
            interval_end_ns=edges[1:],
            amount=np.array(amounts, dtype=np.float64),
        ),
        unit="signs",
        power=tuple(draw(st.lists(traces(), max_size=2))),
        secondary_traces=tuple(draw(st.lists(traces(), max_size=1))),
        stated_throughput=draw(st.sampled_from([None, 93371.4, 0.0, math.nan])),
        stated_operations=draw(st.sampled_from([None, 5e4, 0.0])),
        rule=draw(st.sampled_from(sorted(RULES))),
        full_load_limit_pct=95.0,
    )


@settings(max_examples=examples(300), deadline=None)
@given(runs())
def test_finite_or_a_reason(run):
    analysis = analyse_run(run)
    power = None if analysis.power is None else analysis.power.mean
    for value in (power, analysis.work.throughput, analysis.work.efficiency, analysis.work.energy_per_op):
        if value is not None:
            assert math.isfinite(value.value)
            assert value.value > 0
            assert math.isfinite(value.u)
            assert value.dof >= 0
    if power is None or not power.complete:
        assert analysis.notes
    if analysis.work.efficiency is not None and analysis.work.efficiency.complete:
        assert analysis.work.efficiency.u > 0
