"""Watts of memory by bandwidth: a server with FB-DIMMs whose watts idle and for traffic are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.parts.views import PartRate
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

from tests.coverage import signals as of
from tests.coverage.meters import Meter
from tests.coverage.runs import BEGIN_NS, Run, even_work, record_of, result_of
from tests.coverage.scenario import Expectation, Outcome, Scenario

Generator = np.random.Generator

TURN_NS = 600 * 10**9
DURATION_S = 60.0
BASE_W = 190.0
"""Of the idle server without modules [W]."""
DIMM_W = 8.0
"""That a module draws idle [W]."""
TRAFFIC_W = 4.0
"""For each gigabyte per second, at the wall [W/(GB/s)]."""
WAKING_W = 15.0
"""That the processor draws for any traffic at all [W]."""
GB_PER_S = (2.0, 0.5)
"""The most that is read and written: with no module, and what each adds [GB/s]. Two to a channel do not double it."""
IDLE = "active idle"
LEVELS: Mapping[str, float] = {"100 %": 1.0, "75 %": 0.75, "50 %": 0.5, "25 %": 0.25, IDLE: 0.0}
"""In the order of a plan with graduated levels, as shares of the most."""


@dataclass
class Campaign:
    """The runs of a campaign in one server, with their results."""

    pairs: list[tuple[RunRecord, Result]] = field(default_factory=list)

    def measure(
        self, rng: Generator, meter: Meter, modules: int, fitting: str, level: str, gb_per_s: float, power_w: float
    ) -> None:
        """Measure one run at a bandwidth and a level of power; a run without traffic counts no work."""
        place = len(self.pairs)
        idle = gb_per_s == 0
        disclosure = {
            "installation": fitting,
            "task": {"task": "idle" if idle else "share"},
            "workload": {"limited_by": "memory"},
        }
        record = {
            "run_id": f"run {place}",
            "configuration": f"{modules}-modules",
            "level": level,
            "created_ns": BEGIN_NS + place * TURN_NS,
            "unit": "MB",
            "configuration_snapshot": {"dimm_count": modules, "memory_gib": 2.0 * modules},
            "disclosure": disclosure,
        }
        if idle:
            record["throughput"] = ()
        power = of.constant(power_w) + of.noise(rng, 0.5, 0.3, DURATION_S)
        run = Run(((meter, power),), DURATION_S, even_work(DURATION_S, rate=1000.0 * gb_per_s), record=record)
        self.pairs.append((record_of(run), result_of(rng, run)))

    def rates(self) -> dict[str, PartRate]:
        """Fit watts per module at each bandwidth, and for the traffic."""
        results = [result for _, result in self.pairs]
        own = [(record, result) for record, result in self.pairs if record.level == IDLE]
        view = memory_view(
            [result for _, result in own],
            "server",
            "work",
            IDLE,
            fitted=installations(results),
            records=[record for record, _ in own],
            levels=self.pairs,
        )
        return {rate.quantity: rate for rate in view.rates}


def _outcome(rate: PartRate, truth: float) -> Outcome:
    value = rate.value
    if value is None or value.U95 is None:
        return Outcome(None if value is None else value.value - truth, None, rate.remark or "")
    return Outcome(value.value - truth, value.U95)


def _read(campaign: Campaign) -> dict[str, Outcome]:
    rates = campaign.rates()
    return {
        "watts per DIMM": _outcome(rates[f"W per DIMM at {IDLE}"], DIMM_W),
        "watts per GB/s": _outcome(rates["W per GB/s of memory traffic"], TRAFFIC_W),
    }


BOTH: Mapping[str, Expectation] = {"watts per DIMM": "covers", "watts per GB/s": "covers"}


def fb_dimms(
    name: str,
    counts: Sequence[int],
    expect: Mapping[str, Expectation] = BOTH,
    *,
    fitting_sd_w: float = 0.8,
    run_sd_w: float = 0.4,
    held_sd: float = 0.005,
    traffic_sd: float = 0.0,
) -> Scenario:
    """Declare campaigns over a number of FB-DIMMs in this order, each fitted anew and run at all levels.

    ``held_sd``: by how much the bandwidth of a run is off its level, as a share of it. ``traffic_sd``: by how much the
    watts for traffic scatter from fitting to fitting, as a share of them.
    """

    def trial(rng: Generator) -> Mapping[str, Outcome]:
        meter, campaign = Meter().drawn(rng), Campaign()
        for number, modules in enumerate(counts):
            fitted_w, traffic_w = rng.normal(0, fitting_sd_w), TRAFFIC_W * (1 + rng.normal(0, traffic_sd))
            for level, share in LEVELS.items():
                gb_per_s = share * (GB_PER_S[0] + GB_PER_S[1] * modules) * (1 + rng.normal(0, held_sd))
                power_w = BASE_W + DIMM_W * modules + fitted_w + rng.normal(0, run_sd_w)
                power_w += traffic_w * gb_per_s + WAKING_W * (share > 0)
                campaign.measure(rng, meter, modules, f"fitting {number}", level, gb_per_s, power_w)
        outcomes = _read(campaign)
        return {claim: outcomes[claim] for claim in expect}

    return Scenario(name, "own", trial, expect, trials=200)


IN_TURNS = (4, 2, 8, 8, 2, 4)
SCENARIOS = (
    fb_dimms("memory by bandwidth: FB-DIMMs 2,4,8 x 2, fitted anew", IN_TURNS),
    fb_dimms("memory by bandwidth: FB-DIMMs 2,4,8 x 2, traffic scatters by 3 %", IN_TURNS, traffic_sd=0.03),
)
