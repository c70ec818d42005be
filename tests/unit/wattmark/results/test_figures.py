"""Figures beside the first ones: idle-subtracted from the run's own idle phases, products, money, design power."""

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase

SECOND = 10**9
DECLARED = {
    "cpu": {"model": "Xeon 5160", "sockets": 2, "tdp_w": 80.0},
    "price": {"amount": 2400.0, "currency": "EUR"},
    "costs": {"currency": "EUR", "tariff_per_kwh": 0.3, "pue": 1.5, "life_years": 4.0},
}


@pytest.fixture
def with_idle(store, record, rng):
    """250 W for 100 s between 100 s of idle power before and after."""

    def make(before_w=150.0, after_w=150.0, declared=None, **changes):
        run = record(**changes)
        begin = run.window_begin_ns
        spans = [(-130, -30), (130, 230)]
        idle = [
            Phase(name=PhaseName.IDLE, begin_ns=begin + b * SECOND, end_ns=begin + e * SECOND)
            for (b, e), watts in zip(spans, (before_w, after_w), strict=True)
            if watts is not None
        ]
        snapshot = run.configuration_snapshot.document() | {"declared": declared or {}}
        run = run.changed(phases=tuple(idle), configuration_snapshot=snapshot)
        t = np.arange(-140.0, 241.0)
        level = np.where(t <= 0, before_w or 150.0, np.where(t <= 100, 250.0, after_w or 150.0))
        store.add("r1", "outlet", "power", t, level + rng.normal(0, 0.5, len(t)))
        return evaluate(run, store)

    return make


def test_idle_subtracted_is_a_second_figure(with_idle):
    """8000 signs/s over 250 W are 32 signs/J, over the idle-subtracted 100 W 80."""
    result = with_idle()
    assert result.efficiency.value == pytest.approx(32, rel=1e-3)
    second = result.idle_subtracted
    assert second.label == "idle-subtracted"
    assert second.efficiency.value == pytest.approx(80, rel=3e-3)
    assert second.idle.value == pytest.approx(150, abs=0.2)
    assert second.efficiency.u / second.efficiency.value > result.efficiency.u / result.efficiency.value
    assert next(v for v in result.verdicts if v.rule == "idle-drift").outcome == "pass"


def test_idle_that_drifted_fails(with_idle):
    result = with_idle(after_w=154.0)
    assert next(v for v in result.verdicts if v.rule == "idle-drift").outcome == "fail"


def test_without_an_idle_phase_there_is_none(with_idle):
    result = with_idle(before_w=None, after_w=None)
    assert result.idle_subtracted is None
    (verdict,) = [v for v in result.verdicts if v.rule == "idle-drift"]
    assert (verdict.outcome, verdict.text) == ("not-checked", "The run has no idle phase.")


def test_idle_as_high_as_load_is_refused_in_words(with_idle):
    result = with_idle(before_w=251.0, after_w=251.0)
    assert result.idle_subtracted is None
    assert any("no more power than idle" in note for note in result.notes)


def test_money_needs_price_and_tariff(with_idle):
    cost = with_idle(declared=DECLARED).cost
    assert (cost.currency, cost.pue) == ("EUR", 1.5)
    assert cost.per_operation.value == pytest.approx((1.90130e-5 + 3.125e-5) / 8000, rel=1e-3)
    # 32 signs/J over 2400 EUR; the purchase is 1.90130e-5 of 5.02630e-5 EUR/s
    assert cost.efficiency_per_price.value == pytest.approx(32 / 2400, rel=1e-3)
    assert cost.efficiency_per_price.unit == "signs/J/EUR"
    assert cost.purchase_share_pct == pytest.approx(37.83, abs=0.05)


@pytest.mark.parametrize("missing", ["price", "costs"])
def test_no_money_without_one_of_them(with_idle, missing):
    assert with_idle(declared={k: v for k, v in DECLARED.items() if k != missing}).cost is None


def test_design_power_is_only_nominal(with_idle):
    """8000 signs/s over 2 x 80 W."""
    nominal = with_idle(declared=DECLARED).nominal
    assert (nominal.label, nominal.tdp_w) == ("nominal", 160.0)
    assert nominal.efficiency.value == pytest.approx(50, rel=1e-3)
    assert "not measured" in nominal.text


def test_delay_product_states_its_work(with_idle):
    product = with_idle().delay_product
    assert (product.work, product.unit) == (1.0, "signs")
    assert product.edp.value == pytest.approx(250 / 8000**2, rel=1e-3)
    assert product.ed2p.value == pytest.approx(250 / 8000**3, rel=1e-3)


def test_second_figures_state_95_percent(with_idle):
    """A factor between that of a rectangle, 1.65, and Student's for few degrees of freedom, and never 1."""
    result = with_idle(declared=DECLARED)
    figures = [
        result.idle_subtracted.power,
        result.delay_product.edp,
        result.delay_product.ed2p,
        result.cost.per_operation,
        result.cost.efficiency_per_price,
    ]
    assert all(1.6 < figure.U95 / figure.u < 5 for figure in figures)
