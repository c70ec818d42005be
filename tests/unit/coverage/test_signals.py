"""The truth of the coverage table: integrals of its signals against sums of fine steps."""

from itertools import pairwise

import numpy as np
import pytest

from tests.coverage import signals as of

STEP_S = 1e-3
SIGNALS = {
    "constant": lambda rng: of.constant(250.0),
    "step": lambda rng: of.step(3.3, -30.0),
    "load": lambda rng: of.load(2.0, 17.0, 150.0, 250.0),
    "ramp": lambda rng: of.ramp(2.0, 12.0, 5.0),
    "settling": lambda rng: of.settling(1.0, -15.0, 4.0),
    "square": lambda rng: of.square(60.0, 7.3, 1.234, duty=0.3),
    "sawtooth": lambda rng: of.sawtooth(10.0, 6.0, 2.5),
    "sine": lambda rng: of.sine(2.0, 4.5, 0.7),
    "pulses": lambda rng: of.pulses(np.array([1.0, 1.1, 9.0]), 0.3, 300.0),
    "noise": lambda rng: of.noise(rng, 2.0, 0.3, 20.0),
    "slow noise": lambda rng: of.noise(rng, 2.0, 10.0, 20.0),
    "two states": lambda rng: of.two_states(rng, 230.0, 270.0, 3.0, 20.0),
}


@pytest.mark.parametrize("name", SIGNALS)
def test_integral(name):
    signal = SIGNALS[name](np.random.default_rng(14))
    middle_s = np.arange(0.0, 20.0, STEP_S) + STEP_S / 2
    steps_j = signal.watts(middle_s) * STEP_S
    edges_s = np.array([0.0, 5.0, 13.7, 20.0])
    expected_j = [steps_j[(middle_s > a) & (middle_s < b)].sum() for a, b in pairwise(edges_s)]
    largest_w = float(np.abs(signal.watts(middle_s)).max())
    assert np.diff(signal.energy_j(edges_s)) == pytest.approx(expected_j, abs=10 * STEP_S * largest_w)


@pytest.mark.parametrize("tau_s", [0.3, 5.0])
def test_noise_has_its_scatter_and_correlation(tau_s):
    rng, at_s = np.random.default_rng(3), np.array([5.0, 5.0 + tau_s])
    pairs = np.array([of.noise(rng, 2.0, tau_s, 10.0).watts(at_s) for _ in range(2000)])
    assert pairs.std() == pytest.approx(2.0, rel=0.05)
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(np.exp(-1), abs=0.06)
