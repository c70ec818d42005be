"""Ramp and settle: the load runs until the server is ready to be measured."""

from __future__ import annotations

from wattmark.campaigns.live_feed import LiveFeed, wall_names
from wattmark.campaigns.load import HeldLoad, Load
from wattmark.campaigns.rooms import Rooms
from wattmark.campaigns.run_log import RunLog
from wattmark.campaigns.settling import settled
from wattmark.inventory.plan import Plan
from wattmark.inventory.plan_rules import SettleRule
from wattmark.runs.record import PhaseName
from wattmark.workloads.marks import mark_now

LOOK_EVERY_S = 0.5


class WarmUp:
    """Holds a load through ramp and settle; the lead-in of the measured program counts towards settling."""

    def __init__(self, plan: Plan, load: Load, rooms: Rooms, log: RunLog) -> None:
        self._plan = plan
        self._rooms = rooms
        self._log = log
        self._lead_in_s = load.declaration.lead_in_s(plan.measure_s)
        rule = plan.settle
        self._settle_s = rule.at_most_s if rule else max(0.0, plan.settle_s - self._lead_in_s)
        self._load = load

    def held(self) -> HeldLoad:
        """Begin to hold the load for as long as both may take; there is none where they take no time."""
        longest_s = self._plan.ramp_s + self._settle_s
        return HeldLoad(self._load, longest_s + self._rooms.companions.spare_s if longest_s else 0.0)

    async def until_ready(self, held: HeldLoad) -> None:
        """Ramp and settle. Raises `WorkloadFailed` when the load fails."""
        plan, rule, feed = self._plan, self._plan.settle, self._rooms.feed
        if plan.ramp_s:
            self._log.open(PhaseName.RAMP, plan.ramp_s)
            await held.during(plan.ramp_s)
        expected_s = rule.at_least_s if rule else max(plan.settle_s, self._lead_in_s)
        self._log.open(PhaseName.SETTLE, expected_s)
        if rule is not None and feed is not None:
            await self._until_steady(rule, held, feed)
        elif self._rooms.companions.spare_s:
            await held.during(self._settle_s)
        else:
            await held.to_its_end()

    async def _until_steady(self, rule: SettleRule, held: HeldLoad, feed: LiveFeed) -> None:
        """Hold the load until the wall power of every server is steady, as long as the rule says."""
        clock, walls = self._rooms.clock, wall_names(self._log.record.meters)
        begin, found = mark_now(clock), None
        while not held.over:
            now = mark_now(clock)
            if now.since(begin) >= rule.at_least_s:
                found = settled(feed, walls, rule, begin.utc_ns / 1e9, now.utc_ns / 1e9)
                if self._rooms.companions.all_steady(found) or now.since(begin) >= rule.at_most_s:
                    break
            await held.during(LOOK_EVERY_S)
        after_s = mark_now(clock).since(begin)
        self._log.disclose(settled={"steady": found, "after_s": after_s, "over_s": rule.over_s})
