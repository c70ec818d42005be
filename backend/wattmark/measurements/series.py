"""Several runs: repeats of one command, or variants by turns, until enough is known."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import DriverError

from wattmark.analysis.comparison.comparison import SMALLEST_DIFFERENCE
from wattmark.campaigns.stored import new_identifier
from wattmark.comparison.compare.views import CompareOut
from wattmark.core.errors import WattmarkError, WorkloadFailed
from wattmark.measurements.command import SIGNALLED, NotStarted, require_program, run_command
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
    asked_to_end: int | None = None
    """Number of the signal that ended the series before its last run."""

    @property
    def status(self) -> int:
        """Return the exit status: of the signal that ended the series, else the first of its runs that is not 0."""
        if self.asked_to_end is not None:
            return SIGNALLED + self.asked_to_end
        return next((status for run in self.runs if (status := run.measured.status)), 0)


class BrokenOff(WattmarkError):  # noqa: N818 - reads better at the raise site
    """Measuring failed after a command had been started; with the runs until then."""

    exit_code = 123

    def __init__(self, error: WattmarkError | DriverError | OSError, outcome: Outcome) -> None:
        cause, remedy = (str(error), "") if isinstance(error, OSError) else (error.cause, error.remedy)
        runs = f"{len(outcome.runs)} run{'s' * (len(outcome.runs) != 1)}"
        super().__init__(f"Measuring broke off after {runs}. {cause}", remedy)
        self.outcome = outcome


async def run_series(
    series: Series,
    lab: MeasuringLab,
    chance: random.Random,
    say: Callable[[str], None],
    show: Callable[[Figures], None],
) -> Outcome:
    """Run blocks of all variants, in a new order each.

    Raises `WattmarkError` where nothing can be measured, and `BrokenOff` where that fails after a command was started.
    """
    _require_programs(series)
    runs: list[Figures] = []
    measurement = Measurement(lab, say)
    is_one = series.repeat * len(series.variants) == 1
    series_id = None if is_one else new_identifier()
    try:
        for number, block in enumerate(in_random_blocks(series.variants, series.repeat, chance), start=1):
            if not is_one:
                say(f"Block {number}, at most {series.repeat}.")
            for variant in block:
                await measurement.ready()
                if series.prepare and (asked := await _prepare(series.prepare, series.order.environment, lab.clock)):
                    return Outcome(runs, _compared(series, runs), asked)
                figures = await _run(series, variant, measurement, lab, number, series_id)
                runs.append(figures)
                show(figures)
                if (asked := figures.measured.asked_to_end) is not None:
                    return Outcome(runs, _compared(series, runs), None if is_one else asked)
            if series.is_decided and number >= FEWEST_BLOCKS and series.is_decided([run.result for run in runs]):
                break
    except (WattmarkError, DriverError, OSError) as error:
        if not measurement.has_started:
            raise
        raise BrokenOff(error, Outcome(runs, _compared(series, runs))) from error
    finally:
        measurement.close()
    return Outcome(runs, _compared(series, runs))


def _require_programs(series: Series) -> None:
    """Look up all programs before the first run, but for what the preparation may make. Raises `NotStarted`."""
    environment = series.order.environment
    if series.prepare:
        try:
            require_program(series.prepare, environment)
        except NotStarted as error:
            raise WorkloadFailed(f"The preparation cannot be started. {error.cause}", error.remedy) from None
    for argv in (variant.argv for variant in series.variants):
        if not series.prepare or "/" not in argv[0]:
            require_program(argv, environment)


async def _run(
    series: Series,
    variant: Variant,
    measurement: Measurement,
    lab: MeasuringLab,
    number: int,
    series_id: str | None,
) -> Figures:
    order = series.order
    if len(series.variants) > 1:
        order = replace(order, argv=variant.argv, configuration=variant.name)
    return figures_of(await measurement.run(order, number, series_id), lab)


async def _prepare(argv: Sequence[str], environment: Mapping[str, str], clock: Clock) -> int | None:
    """Run the preparation; returns the signal that asked to end meanwhile. Raises `WorkloadFailed`."""
    try:
        ended = await run_command(argv, environment, clock, to_stderr=True)
    except NotStarted as error:
        raise WorkloadFailed(f"The preparation cannot be started. {error.cause}", error.remedy) from None
    if ended.status and ended.asked_to_end is None:
        raise WorkloadFailed(f"The preparation {argv[0]} ended with status {ended.status}.", "Correct --prepare.")
    return ended.asked_to_end


def _compared(series: Series, runs: Sequence[Figures]) -> CompareOut | None:
    names = {figures.result.configuration for figures in runs}
    if len(series.variants) < 2 or series.variants[0].name not in names:
        return None
    return compared([figures.result for figures in runs], series.variants, series.margin)
