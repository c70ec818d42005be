"""Before anything gets hot: every instrument of the plan's servers must answer."""

from __future__ import annotations

from collections.abc import Callable, Collection

from wattmark_drivers.clock import Clock

from wattmark.errors import WattmarkError
from wattmark.recording.monitor import Monitor

PATIENCE_S = 12.0
LOOK_EVERY_S = 0.2


async def wait_until_ready(
    monitor: Monitor, names: Collection[str], clock: Clock, stopped: Callable[[], bool] = lambda: False
) -> None:
    """Wait until all named instruments answer. Raises `WattmarkError` with the first one's reason when one does not."""
    end_ns = clock.monotonic_ns() + int(PATIENCE_S * 1e9)
    while (silent := _silent(monitor, names)) and not stopped():
        if clock.monotonic_ns() > end_ns or all(problem for problem in silent.values()):
            raise _not_ready(silent)
        await clock.sleep(LOOK_EVERY_S)


def _silent(monitor: Monitor, names: Collection[str]) -> dict[str, str | None]:
    """List the instruments that do not answer, with the reason where there is one."""
    states = {name: monitor.meter_state(name) for name in sorted(names)}
    return {
        name: state.problem if state else None for name, state in states.items() if state is None or state.state != "ok"
    }


def _not_ready(silent: dict[str, str | None]) -> WattmarkError:
    problems = [f"{name}: {problem or 'gives no reading.'}" for name, problem in silent.items()]
    more = f" ({len(problems) - 1} more of the plan's instruments do not answer.)" if len(problems) > 1 else ""
    return WattmarkError(f"Nothing was started: {problems[0]}{more}")
