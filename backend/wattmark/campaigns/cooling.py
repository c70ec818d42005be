"""Rest until a server has cooled down."""

from __future__ import annotations

from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.campaigns.live_feed import LiveFeed, LiveTrace
from wattmark.inventory.plan_rules import CoolDownRule

LOOK_EVERY_S = 0.5


async def cool(rule: CoolDownRule, feed: LiveFeed, sources: list[str], clock: Clock) -> dict[str, Any]:
    """Wait until the temperature is low enough or the time is over; gives what a reader must know about it.

    Only readings taken since count. A temperature that nobody measures makes the server rest for as long as it may.
    """
    begin_ns, begin_s = clock.monotonic_ns(), clock.utc_ns() / 1e9
    while True:
        rested_s = (clock.monotonic_ns() - begin_ns) / 1e9
        last_c = _hottest(_watched(rule, feed, sources), begin_s)
        reached = last_c is not None and last_c <= rule.until_c
        if reached or rested_s >= rule.at_most_s:
            return {"until_c": rule.until_c, "last_c": last_c, "reached": reached, "after_s": rested_s}
        await clock.sleep(min(LOOK_EVERY_S, rule.at_most_s - rested_s))


def _watched(rule: CoolDownRule, feed: LiveFeed, sources: list[str]) -> list[LiveTrace]:
    found = [trace for source in sources for trace in feed.temperatures(source)]
    return [one for one in found if rule.channel in (None, one.channel, f"{one.source}/{one.channel}")]


def _hottest(traces: list[LiveTrace], since_s: float) -> float | None:
    latest = [recent.value[-1] for trace in traces if (recent := trace.since(since_s)).value]
    return max(latest, default=None)
