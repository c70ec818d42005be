"""The verdict of a gate, for people and for machines."""

from __future__ import annotations

from typing import Final, Literal

from wattmark.analysis.comparison.regression import Outcome
from wattmark.core.interval import Interval
from wattmark.core.schema import Schema

MEANING: Final = "wattmark-gate/1"
"""Version of what the fields mean; a change of meaning makes the next one."""
Metric = Literal["efficiency", "throughput", "power", "energy"]
Code = Literal[
    "too-few-runs",
    "no-figure",
    "not-ranked",
    "not-in-turns",
    "unknown-uncertainty",
    "simulated",
    "program-differs",
    "too-noisy",
]
"""no-figure: no run of a side gives the figure; not-ranked: those that do failed, or were disturbed or barred else."""


class GateReason(Schema):
    """Why a verdict is not known, or holds less than it seems: a stable code and one sentence with what to do."""

    code: Code
    text: str


class GateRuns(Schema):
    """The runs of one side: those that a figure was judged by, and those that it was not."""

    used: list[str]
    unused: dict[str, str]
    """Why a run was not used, in a few words, by its id."""


class GateMetric(Schema):
    """The verdict on one figure."""

    metric: Metric
    outcome: Outcome
    baseline: GateRuns
    candidate: GateRuns
    change: Interval | None
    """Candidate over baseline, with its 95 % interval; None: it cannot be compared."""
    p: float | None
    """Of "the loss is at most the margin", one-sided."""
    repeats_needed: int | None
    """About how many more runs (or boots, or installations) of each would tell, 1 at least; None: it is known, or the
    reasons say why no number up to 100 would."""
    text: str
    reasons: list[GateReason] = []


class GateOut(Schema):
    """The verdict of a gate."""

    meaning: Literal["wattmark-gate/1"] = MEANING
    outcome: Outcome
    """The worst of all figures: regression before not known before no regression."""
    valid: bool
    """Whether the runs can tell at all: enough of them, comparable, with a known uncertainty."""
    worse_than_pct: float
    drift_pct: float
    workload: str
    level: str
    baseline: list[str]
    candidate: list[str]
    """Ids of the runs that were named; which of them a figure was judged by stands there."""
    metrics: list[GateMetric]
    text: str
    """The verdict in one sentence."""
