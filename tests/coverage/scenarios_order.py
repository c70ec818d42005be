"""Runs in the order of their time: what drifts and what is correlated, in blocks, in turns and in random orders."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from wattmark.core.instants import iso
from wattmark.results.result import Result

from tests.coverage.runs import BEGIN_NS
from tests.coverage.scenario import Expectation, Scenario
from tests.coverage.scenarios_repeats import (
    COMPARED,
    TURN_NS,
    WT310E,
    Campaign,
    Generator,
    Results,
    campaign,
    measured,
    rescaled,
)

Order = Callable[[Generator], str]
"""Draw the order of the runs: a letter for each, which names its configuration."""
Change = Callable[[Generator, int], np.ndarray]
"""Draw what changes from run to run, on the logarithmic scale."""
CLAIM = "true claim not rejected"
NOT_TESTED: Mapping[str, Expectation] = {"ratio of work per joule": "covers", "no false difference": "refused"}
HELD: Mapping[str, Expectation] = {"watts per DIMM": "covers", CLAIM: "covers"}
NOT_HELD: Mapping[str, Expectation] = {"watts per DIMM": "refused", CLAIM: "refused"}


LATER_WITH_MORE = (2, 4, 2, 2, 4, 8, 2, 4, 2, 8, 4, 2, 8, 4, 8, 8, 4, 8)
"""DIMM counts of whose variance 0.29 goes with time."""


def drift(rng: Generator, runs: int) -> np.ndarray:
    """Warm by 0.1 % from each run to the next; runs scatter by 0.1 %."""
    return 0.001 * np.arange(runs) + rng.normal(0, 0.001, runs)


def correlated(rng: Generator, runs: int) -> np.ndarray:
    """Scatter by 0.4 %, each run correlated by 0.8 with the one before (AR(1))."""
    values = np.empty(runs)
    values[0] = rng.normal(0, 0.004)
    for i in range(1, runs):
        values[i] = 0.8 * values[i - 1] + rng.normal(0, 0.004 * math.sqrt(1 - 0.8**2))
    return values


def independent(rng: Generator, runs: int) -> np.ndarray:
    """Scatter by 0.1 %, whatever the time."""
    return rng.normal(0, 0.001, runs)


def listed(order: str) -> Order:
    return lambda rng: order


def shuffled(order: str) -> Order:
    return lambda rng: "".join(rng.permutation(list(order)))


def random_blocks(letters: str, repeats: int) -> Order:
    return lambda rng: "".join("".join(rng.permutation(list(letters))) for _ in range(repeats))


def equal(order: Order, change: Change) -> Campaign:
    """Measure equal configurations in an order, one run every ten minutes."""

    def make(rng: Generator) -> tuple[Results, float]:
        template = measured(rng, WT310E.drawn(rng), 250.0)
        letters = order(rng)
        results: list[Result] = []
        for place, (letter, shift) in enumerate(zip(letters, change(rng, len(letters)), strict=True)):
            run = rescaled(template, math.exp(shift), letter, letters[: place + 1].count(letter))
            results.append(run.model_copy(update={"created": iso(BEGIN_NS + place * TURN_NS, "microseconds")}))
        return sorted(results, key=lambda run: run.configuration), 1.0

    return make


def counts(order: Sequence[int], *, drift_w: float, slope_w: float = 5.0) -> Campaign:
    """Measure DIMM counts in an order while the power rises from run to run; runs scatter by 0.3 W."""

    def make(rng: Generator) -> tuple[Results, float]:
        meter, results = WT310E.drawn(rng), []
        for place, number in enumerate(order):
            level_w = 200.0 + slope_w * number + drift_w * place + rng.normal(0, 0.3)
            run = measured(rng, meter, level_w, dimms=number, repeat=place, installation=f"fitting {place}")
            results.append(run.model_copy(update={"created": iso(BEGIN_NS + place * TURN_NS, "microseconds")}))
        return results, slope_w

    return make


def comparisons(what: str, change: Change) -> list[Scenario]:
    """List the orders of equal configurations under one change."""
    blocks = ("AAAABBBB", "AAAAABBBBB")
    turns: dict[str, Order] = {
        "ABABABAB": listed("ABABABAB"),
        "ABBAABBA": listed("ABBAABBA"),
        "random order x 4": shuffled("AAAABBBB"),
        "random blocks x 4": random_blocks("AB", 4),
        "5 configurations, random blocks x 3": random_blocks("ABCDE", 3),
    }
    expected = dict.fromkeys(turns, COMPARED)
    expected["random order x 4"] = {"ratio of work per joule": "covers", "no false difference": "either"}
    return [
        *(campaign(f"order: {what}, {name}", "3", equal(listed(name), change), NOT_TESTED) for name in blocks),
        *(
            campaign(f"order: {what}, {name}", "3", equal(order, change), expected[name])
            for name, order in turns.items()
        ),
    ]


SCENARIOS = (
    *comparisons("drift 0.1 % per run", drift),
    *comparisons("correlated by 0.8, 0.4 %", correlated),
    *comparisons("independent, 0.1 %", independent),
    campaign(
        "order: W/DIMM 2,4,8 x 3, drift 0.3 W per run, ascending",
        "3",
        counts((2, 2, 2, 4, 4, 4, 8, 8, 8), drift_w=0.3),
        NOT_HELD,
    ),
    campaign(
        "order: W/DIMM 2,4,8 x 3, drift 0.3 W per run, up and down",
        "3",
        counts((2, 4, 8, 8, 4, 2, 2, 4, 8), drift_w=0.3),
        HELD,
    ),
    campaign(
        "order: W/DIMM 2,4,6,8 x 1, drift 0.3 W per run, ascending", "3", counts((2, 4, 6, 8), drift_w=0.3), NOT_HELD
    ),
    campaign("order: W/DIMM 2,4,6,8 x 1, drift 0.3 W per run, 6,2,8,4", "3", counts((6, 2, 8, 4), drift_w=0.3), HELD),
    campaign(
        "order: W/DIMM 2,4,8 x 6, drift 0.3 W per run, later with more",
        "3",
        counts(LATER_WITH_MORE, drift_w=0.3),
        HELD,
    ),
    campaign(
        "order: W/DIMM 2,4,8 x 6, no drift, later with more",
        "3",
        counts(LATER_WITH_MORE, drift_w=0.0),
        HELD,
    ),
)
