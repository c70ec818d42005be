"""Before anything gets hot: every instrument of the plan's servers must answer."""

from __future__ import annotations

from collections.abc import Callable, Collection

from wattmark_drivers.clock import Clock
from wattmark_drivers.sampler import SamplerState

from wattmark.core.errors import WattmarkError
from wattmark.recording.monitor import Monitor

PATIENCE_S = 60.0
"""Longer than any driver takes to open a device or to say why not: a BMC has 10 s for its session, 30 s for its list
of sensors."""
LOST_FOR_S = 5.0
"""So long what is lost may come back, because its sampler tries again: a busy BMC refuses now and then."""
LOOK_EVERY_S = 0.2


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
