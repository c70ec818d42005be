"""Several runs: repeats of one command, or variants by turns, until enough is known."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from wattmark.analysis.comparison.comparison import SMALLEST_DIFFERENCE
from wattmark.campaigns.stored import new_identifier
from wattmark.comparison.compare.views import CompareOut
from wattmark.core.errors import WorkloadFailed
from wattmark.measurements.command import run_command
from wattmark.measurements.figures import figures_of
from wattmark.measurements.lab import MeasuringLab
from wattmark.measurements.measurement import Measurement, Order
from wattmark.measurements.screen import Figures
from wattmark.measurements.variants import FEWEST_BLOCKS, Variant, compared, in_random_blocks
from wattmark.results.result import Result

USUAL_BLOCKS = 10
"""Blocks at most where nobody said how many."""


@dataclass(frozen=True, slots=True)
class Series:
    """What to run: one order for all, and the variants of its command."""

    order: Order
    variants: Sequence[Variant]
    """One alone is a command without another to compare it with."""
    repeat: int
    """Blocks at most."""
    margin: float = SMALLEST_DIFFERENCE
    """Smallest difference that matters [1]."""
    is_decided: Callable[[Sequence[Result]], bool] | None = None
    """Whether the results so far are enough, asked after each block; None: all blocks are run."""
    prepare: tuple[str, ...] = ()
    """Run before each run, and not measured."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The runs of a series, and their comparison where there is one."""

    runs: Sequence[Figures]
    comparison: CompareOut | None


async def run_series(
    series: Series,
    lab: MeasuringLab,
    chance: random.Random,
    say: Callable[[str], None],
    show: Callable[[Figures], None],
) -> Outcome:
    """Run blocks of all variants, in a new order each. Raises `WattmarkError` where nothing can be measured."""
    runs: list[Figures] = []
    measurement = Measurement(lab, say)
    series_id = new_identifier() if series.repeat * len(series.variants) > 1 else None
    try:
        await measurement.ready()
        for number, block in enumerate(in_random_blocks(series.variants, series.repeat, chance), start=1):
            if series.repeat * len(series.variants) > 1:
                say(f"Block {number}, at most {series.repeat}.")
            for variant in block:
                figures = await _run(series, variant, measurement, lab, number, series_id)
                runs.append(figures)
                show(figures)
                if figures.measured.ended and figures.measured.ended.asked_to_end:
                    return Outcome(runs, _compared(series, runs))
            if series.is_decided and number >= FEWEST_BLOCKS and series.is_decided([run.result for run in runs]):
                break
    finally:
        measurement.close()
    return Outcome(runs, _compared(series, runs))


async def _run(
    series: Series,
    variant: Variant,
    measurement: Measurement,
    lab: MeasuringLab,
    number: int,
    series_id: str | None,
) -> Figures:
    order = series.order
    if series.prepare:
        await _prepare(series.prepare, order.environment, measurement)
    if len(series.variants) > 1:
        order = replace(order, argv=variant.argv, configuration=variant.name)
    return figures_of(await measurement.run(order, number, series_id), lab)


async def _prepare(argv: Sequence[str], environment: Mapping[str, str], measurement: Measurement) -> None:
    ended = await run_command(argv, environment, measurement.lab.clock, to_stderr=True)
    if ended.status:
        raise WorkloadFailed(f"The preparation {argv[0]} ended with status {ended.status}.", "Correct --prepare.")


def _compared(series: Series, runs: Sequence[Figures]) -> CompareOut | None:
    names = {figures.result.configuration for figures in runs}
    if len(series.variants) < 2 or series.variants[0].name not in names:
        return None
    return compared([figures.result for figures in runs], series.variants, series.margin)
