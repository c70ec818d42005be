"""One load read by two meters: means of a minute and means of a second give one power."""

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate

IDLE_W, LOAD_W, NOISE_W, WINDOW_S = 150.0, 250.0, 0.5, 240


@pytest.fixture
def read(store, record, meter, rng):
    """Read a load that began ``settled_s`` before the window, through a meter that averages over some time."""

    def make(run_id, settled_s, averaging_s):
        t = np.arange(-200.0, WINDOW_S + 60)
        true_w = np.where((t > -settled_s) & (t <= WINDOW_S + 5), LOAD_W, IDLE_W) + rng.normal(0, NOISE_W, len(t))
        energy_j = np.concatenate([[0.0], np.cumsum(true_w)])
        mean_w = (energy_j[averaging_s:] - energy_j[:-averaging_s]) / averaging_s
        run = record(run_id, duration_s=WINDOW_S, meters=(meter(averaging_s=float(averaging_s), period_s=1.0),))
        store.add(run_id, "outlet", "power", t[averaging_s - 1 :], mean_w)
        return evaluate(run, store)

    return make


@pytest.mark.parametrize("settled_s", [90, 30])
def test_means_of_a_minute_and_of_a_second_agree(read, settled_s):
    """Both show the truth; what they differ by is the noise alone, 0.03 W a mean."""
    slow, quick = (read(f"avg{seconds}", settled_s, seconds).power for seconds in (60, 1))
    for power in (slow, quick):
        assert power.value == pytest.approx(LOAD_W, abs=power.k95 * power.u)
    assert slow.value == pytest.approx(quick.value, abs=0.2)
    assert slow.k95 * slow.u < 1.2 * quick.k95 * quick.u
