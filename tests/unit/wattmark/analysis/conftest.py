"""Builders of instruments, traces, windows and runs; times in seconds from the window's begin."""

import numpy as np
import pytest
from wattmark.analysis.efficiency.run import RunInput
from wattmark.analysis.efficiency.window import COMPLETE, Marks, Window
from wattmark.analysis.energy.trace import Instrument, Trace
from wattmark_calibration import Specification

BEGIN_NS = 1_700_000_000_000_000_000
CLASS_HALF = Specification(reading_pct=0.5, source="a made-up meter of class 0.5")


@pytest.fixture
def begin_ns():
    return BEGIN_NS


@pytest.fixture
def make_trace():
    def make(t_s, value, usable=None, u_t_s=0.0, **instrument):
        defaults = {"name": "meter", "specification": CLASS_HALF, "group": "meter A", "u_latency_s": 0.0}
        t_s = np.asarray(t_s, dtype=np.float64)
        return Trace(
            instrument=Instrument(**defaults | instrument),
            t_ns=BEGIN_NS + np.round(t_s * 1e9).astype(np.int64),
            value=np.asarray(value, dtype=np.float64),
            usable=np.ones(len(t_s), dtype=bool) if usable is None else np.asarray(usable),
            u_t_s=np.full(len(t_s), u_t_s),
        )

    return make


@pytest.fixture
def make_marks():
    def make(begin_s=None, end_s=None, intervals=()):
        def ns(t_s):
            return None if t_s is None else BEGIN_NS + round(t_s * 1e9)

        rows = [(ns(b), ns(e), a) for b, e, a in intervals]
        return Marks(
            begin_ns=ns(begin_s),
            end_ns=ns(end_s),
            interval_begin_ns=np.array([r[0] for r in rows], dtype=np.int64),
            interval_end_ns=np.array([r[1] for r in rows], dtype=np.int64),
            amount=np.array([r[2] for r in rows], dtype=np.float64),
        )

    return make


@pytest.fixture
def make_window():
    def make(duration_s, rule=COMPLETE):
        return Window(BEGIN_NS, BEGIN_NS + round(duration_s * 1e9), rule)

    return make


@pytest.fixture
def make_run(make_trace, make_marks):
    """A steady run of 100 s at 250 W and 1000 operations a second, unless told otherwise."""

    def make(**changes):
        rng = np.random.default_rng(11)
        t_s = np.arange(-20.0, 121.0)
        watts = np.where((t_s > 0) & (t_s <= 100), 250 + rng.normal(0, 1, len(t_s)), 150.0)
        defaults = {
            "marks": make_marks(0, 100, [(10 * i, 10 * i + 10, 10_000) for i in range(10)]),
            "unit": "signs",
            "power": (make_trace(t_s, watts),),
            "utilisation_t_ns": BEGIN_NS + (t_s * 1e9).astype(np.int64),
            "utilisation_pct": np.full(len(t_s), 99.0),
            "full_load_limit_pct": 95.0,
        }
        return RunInput(**defaults | changes)

    return make
