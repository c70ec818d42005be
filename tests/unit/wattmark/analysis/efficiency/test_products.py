"""Energy-delay products and cost of work, against sums done by hand."""

import pytest
from wattmark.analysis.efficiency.efficiency import cost_of_work, delay_product
from wattmark_calibration import Contribution, UncertainValue

RATE = UncertainValue(8000.0, "signs/s", (Contribution("x", 80.0, "A"),))
POWER = UncertainValue(250.0, "W", (Contribution("p", 5.0, "B"),))


def test_edp_of_a_stated_amount_of_work():
    """80 000 signs take 10 s at 250 W: E = 2500 J, EDP = 25 000 J s, ED2P = 250 000 J s2."""
    assert delay_product(RATE, POWER, 1, 80_000).value == pytest.approx(25_000)
    assert delay_product(RATE, POWER, 2, 80_000).value == pytest.approx(250_000)


def test_edp_weighs_throughput_twice():
    """2 % of power and 2 x 1 % of throughput: 2.828 %; three times for ED2P: 3.606 %."""
    assert delay_product(RATE, POWER, 1, 80_000).u == pytest.approx(0.028284 * 25_000, rel=1e-4)
    assert delay_product(RATE, POWER, 2, 80_000).u == pytest.approx(0.036056 * 250_000, rel=1e-4)


def test_unknown_power_gives_no_uncertainty():
    bare = UncertainValue(250.0, "W", (), complete=False)
    assert not delay_product(RATE, bare, 1).complete
    cost = cost_of_work(RATE, bare, price=1.0, life_years=1, tariff_per_kwh=0.3, pue=1)
    assert not cost.per_operation.complete
    assert not cost.efficiency_per_price.complete


def test_cost_of_work():
    """2400 EUR in 4 years are 1.9013e-5 EUR/s; 250 W x 1.5 x 0.30 EUR/kWh are 3.125e-5 EUR/s; over 8000 signs/s."""
    cost = cost_of_work(RATE, POWER, price=2400.0, life_years=4.0, tariff_per_kwh=0.30, pue=1.5)
    assert cost.per_operation.value == pytest.approx((1.90130e-5 + 3.125e-5) / 8000, rel=1e-5)
    assert cost.purchase_share_pct == pytest.approx(37.83, abs=0.01)
    assert cost.efficiency_per_price.value == pytest.approx(32 / 2400)
    assert cost.efficiency_per_price.u == pytest.approx(32 / 2400 * 0.0223607, rel=1e-5)


def test_cost_is_as_uncertain_as_throughput_and_energy():
    """Only energy: 2 % of power and 1 % of throughput in quadrature."""
    cost = cost_of_work(RATE, POWER, price=0.0, life_years=4.0, tariff_per_kwh=0.30, pue=1.0)
    assert cost.per_operation.u / cost.per_operation.value == pytest.approx(0.0223607, rel=1e-5)
    assert cost.efficiency_per_price is None
