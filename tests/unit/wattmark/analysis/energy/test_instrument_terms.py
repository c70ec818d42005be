"""What one meter brings to the budget: limits under the conditions of use, wiring, temperature."""

import math
from dataclasses import replace

import numpy as np
import pytest
from wattmark.analysis.energy import power
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.verdict import Limits
from wattmark_calibration import REFERENCE, Conditions, Influences, Specification

T_S = np.arange(-9.0, 131.0)
WATTS = 245 + np.random.default_rng(3).normal(0, 0.2, len(T_S))
WT310E = Specification(
    0.1,
    0.05,
    source="IM WT310E-02EN",
    influences=Influences(
        pf0_pct=0.1,
        crest_factor_6_range_factor=2.0,
        line_filter_pct=0.3,
        temperature_pct_per_k=0.03,
        temperature_low_c=18.0,
        temperature_high_c=28.0,
        frequency_low_hz=45.0,
        frequency_high_hz=66.0,
        valid_months=12.0,
    ),
)


@pytest.fixture
def measure(make_trace, make_window):
    def make(**instrument):
        defaults = {"specification": WT310E, "range_w": 600.0, "conditions": REFERENCE}
        power = analyse_power([make_trace(T_S, WATTS, **defaults | instrument)], make_window(120), Limits())
        return power, {c.name.split(" of ")[0]: c for c in power.mean.contributions}

    return make


@pytest.mark.parametrize(
    ("conditions", "u_w"),
    [
        # published_vectors.json, meter_specifications: 245 W on 300 V x 2 A at power factor 1, 0.6 and 0.2
        (Conditions(power_factor=1.0, crest_factor=3, line_filter=False), 0.3147),
        (Conditions(power_factor=0.6, crest_factor=3, line_filter=False), 0.4340),
        (Conditions(power_factor=0.2, crest_factor=3, line_filter=False), 0.8691),
        # range term twice: 0.245 + 0.6 W
        (Conditions(power_factor=1.0, crest_factor=6, line_filter=False), 0.845 / math.sqrt(3)),
        # power factor not recorded: the worse of 1 and 0.9, here 0.245 + 0.27 + 0.1187 W
        (REFERENCE, (0.245 + 0.27 + 0.245 * math.tan(math.acos(0.9))) / math.sqrt(3)),
    ],
)
def test_limits_under_the_conditions_of_use(measure, conditions, u_w):
    power, terms = measure(conditions=conditions)
    term = terms["Specification"]
    assert term.u_result == pytest.approx(u_w, rel=2e-3)
    assert math.fsum(u for _, u in term.parts) == pytest.approx(term.u)
    assert power.mean.complete


def test_what_was_assumed_is_noted(measure):
    _, terms = measure()
    assert "power factor not recorded" in terms["Specification"].note
    _, terms = measure(conditions=Conditions(1.0, 1.0, 230.0, 23.0, 50.0, 3, False, 2.0))
    assert terms["Specification"].note == "IM WT310E-02EN"


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [(Conditions(months=13.0), "for 12 months"), (Conditions(frequency_hz=400.0), "45 to 66 Hz")],
)
def test_outside_the_makers_conditions_no_uncertainty_is_given(measure, conditions, reason):
    power, terms = measure(conditions=conditions)
    assert "Specification" not in terms
    assert not power.mean.complete
    assert any(reason in note and note.endswith("not traceable.") for note in power.notes)


def test_a_stated_loss_in_the_wiring_is_subtracted_and_its_rest_carried(measure):
    plain, _ = measure()
    power, terms = measure(wiring_loss_w=0.4, u_wiring_loss_w=0.1)
    assert power.mean.value == pytest.approx(plain.mean.value - 0.4)
    assert power.energy_j == pytest.approx(120 * power.mean.value)
    assert (terms["Wiring"].u_result, terms["Wiring"].kind) == (0.1, "wiring")


def test_an_uncertain_temperature_counts_only_at_the_edge_of_the_band(measure):
    inside, edge = Conditions(temperature_c=23.0), Conditions(temperature_c=28.0)
    assert "Temperature" not in measure(conditions=inside, u_temperature_k=1.0)[1]
    term = measure(conditions=edge, u_temperature_k=1.0)[1]["Temperature"]
    assert term.u_result == pytest.approx(0.0003 * 245, rel=1e-3)


LATE = {"u_latency_s": None, "name": "meter"}


def latency(make_trace, make_window, late_s, duration_s=60.0, sliding_s=1.0):
    """Budget term and error [W] of 150 W outside and 250 W between the marks, read that late by an averaging meter."""
    t = np.arange(-30.0, duration_s + 31.0) + 0.4
    loaded = np.clip(np.minimum(t - late_s, duration_s) - np.maximum(t - sliding_s - late_s, 0), 0, sliding_s)
    power = analyse_power([make_trace(t, 150 + 100 * loaded / sliding_s, **LATE)], make_window(duration_s), Limits())
    term = next(c for c in power.mean.contributions if c.name.startswith("Latency"))
    return term, power.mean.value - 250


@pytest.mark.parametrize(("late_s", "sliding_s"), [(0.0, 1.0), (0.7, 1.0), (1.5, 1.0), (2.6, 1.0), (0.0, 5.0)])
def test_what_readings_show_of_an_unknown_latency_counts(make_trace, make_window, late_s, sliding_s):
    """A meter 1.5 s late, or a sliding mean of 5 s, loses 2.5 or 4 W of a step of 100 W in a minute."""
    term, error_w = latency(make_trace, make_window, late_s, sliding_s=sliding_s)
    reach_w = term.u_result * (math.sqrt(3) if term.distribution == "rectangular" else 2)
    assert abs(error_w) <= reach_w + 100 / 60 / 2, "half a cell is the cut cells' term"
    assert reach_w <= 2 * abs(error_w) + 100 / 60


def test_a_load_that_swings_shows_no_latency(make_trace, make_window):
    """A square of 20 s that begins high at both marks is the load, not a late meter."""
    t = np.arange(-30.0, 91.0)
    value = np.where(np.floor(t / 10) % 2 == 0, 310.0, 190.0)
    power = analyse_power([make_trace(t, value, **LATE)], make_window(60), Limits())
    term = next(c for c in power.mean.contributions if c.name.startswith("Latency"))
    assert (term.u, term.distribution) == (pytest.approx(1 / math.sqrt(3)), "rectangular")
    assert term.note.endswith("latency not known: up to a whole period is taken")


@pytest.mark.parametrize(
    ("range_w", "highest_w", "beyond", "note"),
    [
        (None, None, False, "from 0 W to the highest reading, as no range is known"),
        (600.0, None, False, "from 0 W to 600 W"),
        (600.0, None, True, "from 0 W, or over range the highest reading, to 600 W, over range to 1.4 times that"),
        (600.0, 780.0, True, "from 0 W, or over range the highest reading, to 780 W"),
    ],
)
def test_what_bounds_a_lost_reading_is_noted(make_trace, make_window, range_w, highest_w, beyond, note):
    """One reading of 120 is missing, or beyond the range."""
    lost = T_S == 50
    trace = make_trace(T_S, WATTS, range_w=range_w, highest_w=highest_w)
    if beyond:
        trace = replace(trace, over_range=lost)
    else:
        trace = replace(trace, t_ns=trace.t_ns[~lost], value=trace.value[~lost], usable=trace.usable[~lost],
                        u_t_s=trace.u_t_s[~lost])  # fmt: skip
    power = analyse_power([trace], make_window(120), Limits())
    term = next(c for c in power.mean.contributions if c.name.startswith("Readings missing"))
    assert term.note == f"1 s without a good reading: {note}"


def test_jitter_of_stamps_moves_power_between_cells(make_trace, make_window, monkeypatch):
    """The true cells are whole seconds; stamps jitter by 0.1 s: root mean square error over many runs."""
    monkeypatch.setattr(power, "steady_part", lambda *_: None)  # 95 % of the time; it decides about no term
    rng, errors, terms = np.random.default_rng(6), [], []
    t = np.arange(-20.0, 261.0)
    value = np.where(np.floor(t / 4) % 2 == 0, 310.0, 190.0)
    for _ in range(200):
        stamps = t + rng.normal(0, 0.1, len(t))
        result = analyse_power([make_trace(stamps, value)], make_window(240), Limits())
        errors.append(result.mean.value - 250)
        terms.append(next(c for c in result.mean.contributions if c.name.startswith("Stamps")).u_result)
    assert np.mean(terms) == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=0.25)
