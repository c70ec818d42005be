"""What one meter brings to the budget: limits under the conditions of use, wiring, temperature."""

import math

import numpy as np
import pytest
from wattmark.analysis.limits import Limits
from wattmark.analysis.power import analyse_power
from wattmark_calibration import REFERENCE, Conditions, Influences, Specification

T_S = np.arange(-9.0, 131.0)
WATTS = 245 + np.random.default_rng(3).normal(0, 0.2, len(T_S))
WT310E = Specification(
    0.1,
    0.05,
    pf0_pct=0.1,
    source="IM WT310E-02EN",
    influences=Influences(
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
        known = {"specification": WT310E, "range_w": 600.0, "conditions": REFERENCE}
        found = analyse_power([make_trace(T_S, WATTS, **known | instrument)], make_window(120), Limits())
        return found, {c.name.split(" of ")[0]: c for c in found.mean.contributions}

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
    found, terms = measure(conditions=conditions)
    term = terms["Specification"]
    assert term.u_result == pytest.approx(u_w, rel=2e-3)
    assert math.fsum(u for _, u in term.parts) == pytest.approx(term.u)
    assert found.mean.complete


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
    found, terms = measure(conditions=conditions)
    assert "Specification" not in terms
    assert not found.mean.complete
    assert any(reason in note and note.endswith("not traceable.") for note in found.notes)


def test_a_stated_loss_in_the_wiring_is_subtracted_and_its_rest_carried(measure):
    plain, _ = measure()
    found, terms = measure(wiring_loss_w=0.4, u_wiring_loss_w=0.1)
    assert found.mean.value == pytest.approx(plain.mean.value - 0.4)
    assert found.energy_j == pytest.approx(120 * found.mean.value)
    assert (terms["Wiring"].u_result, terms["Wiring"].kind) == (0.1, "wiring")


def test_an_uncertain_temperature_counts_only_at_the_edge_of_the_band(measure):
    inside, edge = Conditions(temperature_c=23.0), Conditions(temperature_c=28.0)
    assert "Temperature" not in measure(conditions=inside, u_temperature_k=1.0)[1]
    term = measure(conditions=edge, u_temperature_k=1.0)[1]["Temperature"]
    assert term.u_result == pytest.approx(0.0003 * 245, rel=1e-3)
