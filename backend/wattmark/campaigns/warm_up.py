"""Ramp and settle: the load runs until the server is ready to be measured."""

from __future__ import annotations

from wattmark.campaigns.live_feed import LiveFeed, wall_names
from wattmark.campaigns.load import HeldLoad, Load
from wattmark.campaigns.run_log import RunLog
from wattmark.campaigns.settling import settled
from wattmark.inventory.plan import Plan
from wattmark.inventory.plan_rules import SettleRule
from wattmark.runs.record import PhaseName
from wattmark.workloads.marks import mark_now

LOOK_EVERY_S = 0.5


async def warm_up(plan: Plan, load: Load, log: RunLog, feed: LiveFeed | None) -> None:
    """Ramp and settle under one load; the lead-in of the measured program counts towards settling.

    Raises `WorkloadFailed` when the load fails.
    """
    rule, lead_in_s = plan.settle, load.declaration.lead_in_s(plan.measure_s)
    settle_s = rule.at_most_s if rule else max(0.0, plan.settle_s - lead_in_s)
    async with HeldLoad(load, plan.ramp_s + settle_s) as held:
        if plan.ramp_s:
            log.open(PhaseName.RAMP, plan.ramp_s)
            await held.during(plan.ramp_s)
        log.open(PhaseName.SETTLE, rule.at_least_s if rule else max(plan.settle_s, lead_in_s))
        if rule is None or feed is None:
            await held.to_its_end()
        else:
            await _until_steady(rule, held, load, log, feed)


async def _until_steady(rule: SettleRule, held: HeldLoad, load: Load, log: RunLog, feed: LiveFeed) -> None:
    """Hold the load until the wall power is steady, at least and at most as long as the rule says."""
    clock, walls = load.clock, wall_names(log.record.meters)
    begin, found = mark_now(clock), None
    while not held.over:
        now = mark_now(clock)
        if now.since(begin) >= rule.at_least_s:
            found = settled(feed, walls, rule, begin.utc_ns / 1e9, now.utc_ns / 1e9)
            if found or now.since(begin) >= rule.at_most_s:
                break
        await held.during(LOOK_EVERY_S)
    log.disclose(settled={"steady": found, "after_s": mark_now(clock).since(begin), "over_s": rule.over_s})
