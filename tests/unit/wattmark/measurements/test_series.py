"""A series ends when a signal, a failure or its last run ends it, and what was measured until then stays."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
from wattmark.core.errors import StoreError, WattmarkError, WorkloadFailed
from wattmark.measurements import series as module
from wattmark.measurements.command import NotStarted
from wattmark.measurements.measurement import Order
from wattmark.measurements.series import BrokenOff, Outcome, Series, run_series
from wattmark.measurements.variants import Variant
from wattmark_drivers.clock import SystemClock

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@dataclass
class Runs:
    """Stands for the measurement: what the runs end with, and what was done in which order."""

    endings: Sequence[tuple[int, int | None] | Exception]
    """Exit status, and the signal that asked to end; or what fails."""
    lost_before: int | None = None
    """The run before which a meter no longer answers."""
    done: list[str] = field(default_factory=list)
    has_started: bool = False

    async def ready(self) -> None:
        if len(self.done) == self.lost_before:
            raise WattmarkError("Nothing was started: wall: does not answer.")

    async def run(self, order: Order, *_: object) -> object:
        self.done.append(order.configuration)
        ending = self.endings[len(self.done) - 1]
        if isinstance(ending, Exception):
            raise ending
        self.has_started = True
        status, asked = ending
        measured = SimpleNamespace(status=status, asked_to_end=asked)
        return SimpleNamespace(measured=measured, result=SimpleNamespace(configuration=""))

    def close(self) -> None:
        pass


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    async def measure(runs: Runs, repeat: int = 3, **options: Any) -> Outcome:
        monkeypatch.setattr(module, "Measurement", lambda *_: runs)
        monkeypatch.setattr(module, "figures_of", lambda measured, *_: measured)
        argv = options.pop("argv", ("true",))
        variants = options.pop("variants", [Variant("", argv)])
        order = Order(argv, "w", ENVIRONMENT)
        lab = cast("Any", SimpleNamespace(clock=SystemClock()))
        series = Series(order, variants, repeat, **options)
        return await run_series(series, lab, random.Random(1), lambda _: None, lambda _: None)

    return measure


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("status", [0, 3, 128 + 15])
async def test_a_signal_ends_the_series(measured: Callable[..., Any], number: int, status: int) -> None:
    """As timeout(1) or a cancelled build sends it; whatever the command makes of it."""
    runs = Runs([(0, None), (status, number), (0, None)])
    outcome = await measured(runs)
    assert (len(runs.done), outcome.status) == (2, 128 + number)


async def test_a_single_run_ends_with_the_status_of_the_command(measured: Callable[..., Any]) -> None:
    outcome = await measured(Runs([(0, signal.SIGTERM)]), repeat=1)
    assert outcome.status == 0


async def test_the_first_failure_is_the_status_of_a_whole_series(measured: Callable[..., Any]) -> None:
    outcome = await measured(Runs([(0, None), (4, None), (5, None)]))
    assert (len(outcome.runs), outcome.status) == (3, 4)


@pytest.mark.parametrize(
    "failure", [StoreError("The disk is full."), OSError("The disk is full."), NotStarted("", "", 127)]
)
async def test_a_failure_after_a_run_keeps_the_runs_until_then(
    measured: Callable[..., Any], failure: Exception
) -> None:
    with pytest.raises(BrokenOff, match=r"Measuring broke off after 1 run.") as error:
        await measured(Runs([(0, None), failure]))
    assert len(error.value.outcome.runs) == 1
    assert error.value.exit_code == 123


@pytest.mark.parametrize("failure", [StoreError("The disk is full."), NotStarted("", "", 127)])
async def test_a_failure_before_the_first_command_says_that_nothing_was_started(
    measured: Callable[..., Any], failure: Exception
) -> None:
    with pytest.raises(type(failure)):
        await measured(Runs([failure]))


async def test_no_run_begins_while_a_meter_does_not_answer(measured: Callable[..., Any]) -> None:
    runs = Runs([(0, None)] * 3, lost_before=2)
    with pytest.raises(BrokenOff, match=r"after 2 runs. Nothing was started: wall"):
        await measured(runs)
    assert len(runs.done) == 2


async def test_a_preparation_that_fails_later_breaks_off(measured: Callable[..., Any], tmp_path: Any) -> None:
    script = f"test ! -e {tmp_path}/a && touch {tmp_path}/a"
    with pytest.raises(BrokenOff, match=r"after 1 run. The preparation sh ended with status 1."):
        await measured(Runs([(0, None)] * 3), prepare=("sh", "-c", script))


async def test_a_preparation_that_fails_at_first_starts_nothing(measured: Callable[..., Any]) -> None:
    runs = Runs([])
    with pytest.raises(WorkloadFailed, match=r"The preparation false ended with status 1."):
        await measured(runs, prepare=("false",))
    assert runs.done == []


async def test_a_signal_to_the_preparation_ends_the_series(measured: Callable[..., Any]) -> None:
    runs = Runs([])
    outcome = await measured(runs, prepare=("sh", "-c", "kill -TERM $PPID; sleep 5"))
    assert (runs.done, outcome.status) == ([], 143)


async def test_all_programs_are_looked_up_before_the_first_run(measured: Callable[..., Any]) -> None:
    variants = [Variant("A", ("true",)), Variant("B", ("no-such-program",))]
    runs = Runs([])
    with pytest.raises(NotStarted, match=r"There is no program 'no-such-program'."):
        await measured(runs, variants=variants)
    with pytest.raises(WorkloadFailed, match=r"The preparation cannot be started. There is no program 'no-such-one'."):
        await measured(runs, prepare=("no-such-one",))
    assert runs.done == []


async def test_a_program_may_be_what_the_preparation_makes(measured: Callable[..., Any]) -> None:
    outcome = await measured(Runs([(0, None)]), repeat=1, argv=("./not-made-yet",), prepare=("true",))
    assert outcome.status == 0
