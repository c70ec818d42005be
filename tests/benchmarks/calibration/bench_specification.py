"""Limits of error of ten million samples, in seconds and in numpy passes over the same arrays."""

from functools import partial

import numpy as np
from wattmark_calibration import REFERENCE, Conditions, Influences, Specification

from tests.benchmarks.ratio import shortest_s, tell

SAMPLES = 10_000_000


def main() -> None:
    """Print the standard uncertainty of every sample, from the plain form to every influence at once."""
    rng = np.random.default_rng(0)
    power_w = rng.uniform(10, 1000, SAMPLES)
    range_w = np.full(SAMPLES, 1500.0)
    factor = rng.uniform(0.3, 1.0, SAMPLES)
    current_a = power_w / 230
    meter = Specification(0.1, 0.05, influences=Influences(0.1, 2, 0.3, 0.00013, 1e-7, 0.03, 18, 28))
    every = Conditions(factor, current_a, 230.0, 30.0, 50.0, 6, True)
    one_pass = shortest_s(lambda: np.add(power_w, range_w))
    for name, conditions in (
        ("reading and range", REFERENCE),
        ("and power factor", Conditions(factor, crest_factor=3, line_filter=False)),
        ("and every influence", every),
    ):
        taken = shortest_s(partial(meter.standard_uncertainty, power_w, range_w, conditions=conditions))
        tell(f"limits of error of {SAMPLES:_} samples: {name}", taken, one_pass, "s", "a numpy pass over the arrays")


if __name__ == "__main__":
    main()
