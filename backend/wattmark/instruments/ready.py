"""Before any load starts: every instrument of the plan's servers must answer."""

from __future__ import annotations

from collections.abc import Callable, Collection

from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import MeasuredPace
from wattmark_drivers.sampler import SamplerState

from wattmark.analysis.verdict import Limits
from wattmark.core.errors import WattmarkError
from wattmark.core.numbers import format_number
from wattmark.recording.monitor import Monitor

PATIENCE_S = 60.0
"""Longer than any driver takes to open a device or to say why not: a BMC has 10 s for its session, 30 s for its list
of sensors."""
LOST_FOR_S = 5.0
"""Time for a lost instrument to return [s], because its sampler retries: a busy BMC refuses now and then."""
LOOK_EVERY_S = 0.2
FEWEST_READINGS = 3
"""Fewest readings that show the pace of a device that publishes at its own times."""
LATE = 1.5
"""Multiple of the needed interval after which a missing reading means that readings come too rarely."""


async def wait_for_window(
    monitor: Monitor,
    names: Collection[str],
    window_s: float,
    clock: Clock,
    stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Wait until all named instruments answer, and give as many readings as a window of ``window_s`` [s] needs.

    Only a meter that publishes when it likes is watched for that; any other is polled, or its rate is declared. Raises
    `WattmarkError` with the first one's reason when one does not answer, or gives readings too rarely.
    """
    await wait_until_ready(monitor, names, clock, stopped)
    needed_s = window_s / Limits().short_window_samples
    for name in sorted(names):
        while not stopped() and (pace := _pace(monitor, name)) is not None:
            silent_s = (clock.utc_ns() - (pace.newest_ns or pace.since_ns)) * 1e-9
            if silent_s > LATE * needed_s or (pace.interval_s or 0.0) > needed_s:
                raise _too_rare(name, pace, silent_s, window_s)
            if pace.readings >= FEWEST_READINGS:
                break
            await clock.sleep(LOOK_EVERY_S)


def _pace(monitor: Monitor, name: str) -> MeasuredPace | None:
    """Return how often a meter gives readings by its own choice; None for one that is polled."""
    return next((item.meter.identity.pace for item in monitor.meters if item.name == name), None)


def _too_rare(name: str, pace: MeasuredPace, silent_s: float, window_s: float) -> WattmarkError:
    fewest = Limits().short_window_samples
    seen_s = max(silent_s, pace.interval_s or 0.0)
    seen = (
        f"a reading every {format_number(pace.interval_s, 3)} s"
        if pace.interval_s
        else f"no reading for {format_number(silent_s, 3)} s"
    )
    return WattmarkError(
        f"Nothing was started: {name} publishes {seen}, and a window of {window_s:g} s needs {fewest} readings, one "
        f"every {format_number(window_s / fewest, 3)} s. {pace.advice}, or set measure_s to at least "
        f"{fewest * seen_s:.0f}."
    )


async def wait_until_ready(
    monitor: Monitor, names: Collection[str], clock: Clock, stopped: Callable[[], bool] = lambda: False
) -> None:
    """Wait until all named instruments answer. Raises `WattmarkError` with the first one's reason when one does not."""
    end_ns = clock.monotonic_ns() + int(PATIENCE_S * 1e9)
    while (silent := _silent(monitor, names)) and not stopped():
        if clock.monotonic_ns() > end_ns or all(_is_lost(state, clock.utc_ns()) for state in silent.values()):
            raise _not_ready(silent)
        await clock.sleep(LOOK_EVERY_S)


def _silent(monitor: Monitor, names: Collection[str]) -> dict[str, SamplerState | None]:
    """List the instruments that do not answer; None for one whose sampler has not begun."""
    states = {name: monitor.meter_state(name) for name in sorted(names)}
    return {name: state for name, state in states.items() if state is None or state.state != "ok"}


def _is_lost(state: SamplerState | None, now_ns: int) -> bool:
    return state is not None and state.state == "lost" and now_ns - state.since_ns >= LOST_FOR_S * 1e9


def _not_ready(silent: dict[str, SamplerState | None]) -> WattmarkError:
    """Name one instrument, before all one that says what is wrong."""
    problems = {name: state.problem if state else None for name, state in silent.items()}
    name = next((name for name, problem in problems.items() if problem), next(iter(problems)))
    reason = problems[name] or f"gave no reading within {PATIENCE_S:g} s. Check its connection."
    more = f" ({len(problems) - 1} more of the plan's instruments do not answer.)" if len(problems) > 1 else ""
    return WattmarkError(f"Nothing was started: {name}: {reason}{more}")
