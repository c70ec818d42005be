"""What ends a run from outside: a limit exceeded or no longer watched, a meter that answers as another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wattmark_drivers.clock import Clock
from wattmark_drivers.exchange import REMEDY, exchange_of
from wattmark_drivers.meter import MeterIdentity

from wattmark.bench.plan_rules import LoadLimits
from wattmark.campaigns.watch.live_feed import LiveFeed, wall_power_w
from wattmark.core.errors import Disturbed, WattmarkError
from wattmark.core.numbers import format_number
from wattmark.runs.record import MeterRecord

LIMITS_EVERY_S = 0.2
METERS_EVERY_S = 0.5
BLIND_S = 30.0
"""A limit is not watched when its quantity has not been read for so long."""


class LimitExceeded(WattmarkError):  # noqa: N818 - reads better at the raise site
    """A limit of the plan was exceeded; the load is ended and the run is not repeated."""


async def watch_limits(limits: LoadLimits, feed: LiveFeed, walls: list[str], sources: list[str], clock: Clock) -> None:
    """Look until a limit is exceeded. Raises `LimitExceeded`; never returns."""
    begin_s = clock.utc_ns() / 1e9
    while True:
        now_s = clock.utc_ns() / 1e9
        since_s = max(begin_s, now_s - BLIND_S)
        blind = now_s - begin_s > BLIND_S
        if limits.max_power_w is not None:
            _power(limits.max_power_w, feed, walls, since_s, blind=blind)
        if limits.max_temperature_c is not None:
            _temperature(limits.max_temperature_c, feed, sources, since_s, blind=blind)
        await clock.sleep(LIMITS_EVERY_S)


def _power(limit_w: float, feed: LiveFeed, walls: list[str], since_s: float, *, blind: bool) -> None:
    reading = wall_power_w(feed, walls, since_s)
    if reading is None:
        _unwatched("The wall power", blind=blind)
    elif reading[1] > limit_w:
        cause = (
            f"The server drew {format_number(reading[1], 4)} W, more than the limit of {limit_w:g} W; the load was "
            "stopped."
        )
        raise LimitExceeded(cause, "Find the cause, or raise limits: {max_power_w}.")


def _temperature(limit_c: float, feed: LiveFeed, sources: list[str], since_s: float, *, blind: bool) -> None:
    traces = [trace.since(since_s) for source in sources for trace in feed.temperatures(source)]
    latest = {f"{trace.source}/{trace.channel}": trace.value[-1] for trace in traces if trace.value}
    if not latest:
        _unwatched("A temperature", blind=blind)
        return
    hottest = max(latest, key=lambda name: latest[name])
    if latest[hottest] > limit_c:
        where = f"{hottest} reached {latest[hottest]:.1f} °C"
        cause = f"{where}, more than the limit of {limit_c:g} °C; the load was stopped."
        raise LimitExceeded(cause, "Check the cooling, or raise limits: {max_temperature_c}.")


def _unwatched(what: str, *, blind: bool) -> None:
    if blind:
        cause = f"{what} has not been read for {BLIND_S:g} s, so its limit cannot be checked; the load was stopped."
        raise LimitExceeded(cause, "Check its meter or sensor, or remove the limit from the plan.")


async def watch_meters(begun: Sequence[MeterRecord], now: Callable[[], Sequence[MeterIdentity]], clock: Clock) -> None:
    """Look until a meter answers as another one. Raises `Disturbed`; never returns."""
    compared: Sequence[MeterIdentity] = ()
    while True:
        identities = now()
        if identities != compared:
            require_same_meters(begun, identities)
            compared = identities
        await clock.sleep(METERS_EVERY_S)


def require_same_meters(begun: Sequence[MeterRecord], now: Sequence[MeterIdentity]) -> None:
    """Hold the meters of a run's begin against those that answer now. Raises `Disturbed` naming both of a pair.

    A meter that tells nothing now is excluded: it is lost, and the recording says so.
    """
    current_identities = {identity.name: identity for identity in now}
    for meter in begun:
        if (current := current_identities.get(meter.name)) is None:
            continue
        words = exchange_of(
            meter.name,
            serial=(meter.serial, current.serial or meter.serial),
            firmware=(meter.firmware, current.firmware),
        )
        if words is not None:
            raise Disturbed(f"{words} The run contains readings of both.", REMEDY)
