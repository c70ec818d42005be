"""Watts of counted parts: campaigns over drives whose watts and work are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.parts.parts import parts_break_even, server_parts
from wattmark.comparison.parts.views import PartsOut
from wattmark.core.interval import Interval
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

from tests.coverage import signals as of
from tests.coverage.meters import Meter
from tests.coverage.runs import BEGIN_NS, Run, even_work, record_of, result_of
from tests.coverage.scenario import Expectation, Outcome, Scenario

Generator = np.random.Generator

TURN_NS = 600 * 10**9
DURATION_S = 60.0
BASE_W, BASE_RATE = 200.0, 1000.0
"""Of the server without drives [W, operations/s]."""
DRIVE_W, DRIVE_RATE = 5.0, 400.0
"""That a drive adds."""
LARGE_W = 9.0
"""That a drive of the other model adds."""
CARD_W = 10.0


@dataclass
class Campaign:
    """The runs of a campaign in one server."""

    records: list[RunRecord] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    def measure(
        self, rng: Generator, meter: Meter, power_w: float, rate: float, parts: Sequence[Mapping[str, object]]
    ) -> None:
        """Measure one run, fitted anew, at a level of power and a rate of work."""
        place = len(self.records)
        record = {
            "run_id": f"run {place}",
            "configuration": "+".join(f"{part['count']}-{part['model']}" for part in parts),
            "created_ns": BEGIN_NS + place * TURN_NS,
            "configuration_snapshot": {"declared": {"parts": parts}},
            "disclosure": {"installation": f"fitting {place}", "workload": {"limited_by": "disk"}},
        }
        power = of.constant(power_w) + of.noise(rng, 0.5, 0.3, DURATION_S)
        run = Run(((meter, power),), DURATION_S, even_work(DURATION_S, rate=rate), record=record)
        self.records.append(record_of(run))
        self.results.append(result_of(rng, run))

    def view(self) -> PartsOut:
        """Fit watts over the drives."""
        return server_parts(
            self.results, self.records, "drive: small", ("server", "work", "all"), installations(self.results)
        )


def _drives(count: int, model: str = "small") -> dict[str, object]:
    return {"kind": "drive", "model": model, "count": count}


def _slope(campaign: Campaign) -> Outcome:
    """Read the watts per drive [W]; what changes with the count may be named beside them."""
    view = campaign.view()
    slope = view.watts_per_part
    if slope is None or not slope.complete:
        return Outcome(None if slope is None else slope.value - DRIVE_W, None, view.refusal or view.statement)
    named = "network card" in " ".join(view.warnings)
    return Outcome(slope.value - DRIVE_W, (slope.high - slope.low) / 2, names_what_it_leaves_out=named)


def _base(campaign: Campaign) -> Outcome:
    """Read the watts without drives, where these were measured [W]."""
    view = campaign.view()
    if not view.line:
        return Outcome(None, None, view.refusal or view.statement)
    count, watts, low, high = view.line[0]
    assert count == 0
    return Outcome(watts - BASE_W, (high - low) / 2)


def _work(campaign: Campaign) -> Outcome:
    """Read the operations per joule that a drive adds, on the logarithmic scale [%]."""
    rates = {rate.quantity: rate for rate in campaign.view().rates}
    rate = rates["IOPS per W of a drive alone"]
    return _relative(rate.value, DRIVE_RATE / DRIVE_W, rate.remark)


def _equal_power(campaign: Campaign) -> Outcome:
    """Read how many small drives draw as much as a large one, on the logarithmic scale [%]."""
    sides = ("server", "drive: large"), ("server", "drive: small")
    fitted = installations(campaign.results)
    meeting = parts_break_even(campaign.results, campaign.records, sides, "work", "all", fitted)
    equal = meeting.equal_power
    return _relative(None if equal is None else equal.value, LARGE_W / DRIVE_W, meeting.statement)


def _relative(value: Interval | None, truth: float, reason: str | None) -> Outcome:
    if value is None or value.low is None or value.high is None:
        return Outcome(None, None, reason or "")
    return Outcome(100 * math.log(value.value / truth), 50 * math.log(value.high / value.low))


READERS: dict[str, Callable[[Campaign], Outcome]] = {
    "watts per drive": _slope,
    "watts without drives": _base,
    "work per joule of a drive": _work,
    "drives of equal power": _equal_power,
}


def drives(
    name: str,
    counts: Sequence[int],
    expect: Mapping[str, Expectation],
    *,
    cards: bool = False,
    large: bool = False,
    fitting_sd_w: float = 0.5,
    rate_sd: float = 0.005,
) -> Scenario:
    """Declare campaigns over drives in this order, each run fitted anew by one meter.

    ``cards``: with each two drives a network card. ``large``: drives of another model in turns with these.
    """

    def measure(rng: Generator) -> Campaign:
        meter, campaign = Meter().drawn(rng), Campaign()
        for count in counts:
            rate = (BASE_RATE + DRIVE_RATE * count) * (1 + rng.normal(0, rate_sd))
            more_w = CARD_W * (count // 2) if cards else 0.0
            card = [{"kind": "network card", "model": "X520", "count": count // 2}] if cards else []
            power_w = BASE_W + DRIVE_W * count + more_w + rng.normal(0, fitting_sd_w)
            campaign.measure(rng, meter, power_w, rate, [_drives(count), *card])
            if large:
                power_w = BASE_W + LARGE_W * count + rng.normal(0, fitting_sd_w)
                campaign.measure(rng, meter, power_w, rate, [_drives(count, "large")])
        return campaign

    def trial(rng: Generator) -> dict[str, Outcome]:
        campaign = measure(rng)
        return {claim: READERS[claim](campaign) for claim in expect}

    return Scenario(name, "own", trial, expect, trials=200)


IN_TURNS = (4, 2, 8, 8, 4, 2, 2, 8, 4)
ALONE: Mapping[str, Expectation] = {"watts per drive": "covers", "work per joule of a drive": "covers"}
SCENARIOS = (
    drives("parts: drives 2,4,8 x 3, fitted anew", IN_TURNS, ALONE),
    drives("parts: drives 2,4,8 x 3, work scatters by 2 %", IN_TURNS, ALONE, rate_sd=0.02),
    drives(
        "parts: drives 0,2,4,8 x 3, fitted anew",
        (4, 0, 2, 8, 8, 2, 0, 4, 0, 8, 4, 2),
        {"watts per drive": "covers", "watts without drives": "covers"},
    ),
    drives("parts: drives 2,4,8 x 3, 5 W against 9 W each", IN_TURNS, {"drives of equal power": "covers"}, large=True),
    drives("parts: drives 2,4,8 x 3, a card with each two of them", IN_TURNS, {"watts per drive": "named"}, cards=True),
)
