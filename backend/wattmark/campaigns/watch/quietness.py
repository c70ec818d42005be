"""Whether other programs on a server are at rest: before a load starts, all of the CPU utilisation is theirs.

All but what wattmark itself takes of the machine that it runs on, which no waiting brings to rest.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from wattmark_drivers.clock import Clock

from wattmark.bench.plan_rules import QUIET_OVER_S, QuietRule
from wattmark.bench.server import Server, host_source
from wattmark.campaigns.watch.live_feed import LiveFeed
from wattmark.campaigns.watch.settling import LOOK_EVERY_S
from wattmark.results.undisturbed import OTHERS_LIMIT_PCT
from wattmark.runs.disclosure import Quiet, disclosing
from wattmark.workloads.local.process_group import tree_cpu_s

UNREAD_S = 10.0
"""A server whose CPU use is not read within this time cannot be judged, and nothing is waited for."""
TOLD_PCT = 5.0
"""How far the use of the CPU must change to be told again."""
OnWaiting = Callable[[Server, float], None]
"""Hears which server is not quiet, and what other programs use there [% of all CPUs]."""


def own_cpu_share() -> float | None:
    """Return the CPU time of wattmark itself, with all that it started, as seconds of all CPUs [s]."""
    own_s = tree_cpu_s(os.getpid())
    return None if own_s is None else own_s / (os.cpu_count() or 1)


async def wait_until_quiet(
    servers: Sequence[Server],
    rule: QuietRule,
    feed: LiveFeed,
    clock: Clock,
    on_waiting: OnWaiting,
    own_s: Callable[[], float | None] = own_cpu_share,
) -> dict[str, Quiet]:
    """Wait until all servers are quiet at the same time, or the time of the rule is over; return their states by id.

    The limit is that of the rule "undisturbed". Only readings taken since count.
    """
    told_pct: float | None = None
    begin_ns, begin_s = clock.monotonic_ns(), clock.utc_ns() / 1e9
    own = _OwnUse(own_s)
    while True:
        waited_s = (clock.monotonic_ns() - begin_ns) / 1e9
        now_s = clock.utc_ns() / 1e9
        own_pct = own.look(waited_s)
        used = {
            server.id: others_pct(feed, server, begin_s, now_s, own_pct if server.access.local else 0.0)
            for server in servers
        }
        loud = [server for server in servers if (used[server.id] or 0.0) > OTHERS_LIMIT_PCT]
        unread = [server for server in servers if used[server.id] is None]
        settled = not loud and (not unread or waited_s >= UNREAD_S)
        if settled or waited_s >= rule.at_most_s:
            return {server.id: _quiet(used[server.id], waited_s) for server in servers}
        if loud:
            loudest_pct = used[loud[0].id] or 0.0
            if told_pct is None or abs(loudest_pct - told_pct) >= TOLD_PCT:
                on_waiting(loud[0], told_pct := loudest_pct)
        await clock.sleep(min(LOOK_EVERY_S, rule.at_most_s - waited_s))


def still_loud(quiet: Mapping[str, Quiet], servers: Iterable[str]) -> str | None:
    """Say that a run goes on although other programs on its server are not at rest; None where they are."""
    for server in servers:
        last = quiet.get(server)
        if last is not None and last.quiet is False and last.others_pct is not None:
            return (
                f"Other programs still used {last.others_pct:.0f} % of the CPU after {last.waited_s:.0f} s. "
                "The run was started all the same and may be disturbed."
            )
    return None


def others_pct(feed: LiveFeed, server: Server, begin_s: float, now_s: float, own_pct: float) -> float | None:
    """Average what others than wattmark use of a server over the last `QUIET_OVER_S`, since an instant [Unix s] [%].

    None while its readings do not reach so far back. A reading holds for the time since the one before it: the first
    one after the begin holds for what was there before, such as the load of the run before, too.
    """
    trace = feed.utilisation(host_source(server))
    since = None if trace is None else trace.since(begin_s)
    if since is None or not since.t_s or now_s - since.t_s[0] < QUIET_OVER_S:
        return None
    recent = since.since(max(since.t_s[0], now_s - QUIET_OVER_S)).value
    return max(0.0, sum(recent) / len(recent) - own_pct) if recent else None


class _OwnUse:
    """What wattmark itself takes of the CPUs of this machine, from look to look."""

    def __init__(self, own_s: Callable[[], float | None]) -> None:
        self._own_s = own_s
        self._looks = deque[tuple[float, float]]()

    def look(self, at_s: float) -> float:
        """Return the share since the last look that is `QUIET_OVER_S` ago [% of all CPUs]; 0 where it is not known."""
        own_s = self._own_s()
        if own_s is None:
            return 0.0
        self._looks.append((at_s, own_s))
        while len(self._looks) > 1 and at_s - self._looks[1][0] >= QUIET_OVER_S:
            self._looks.popleft()
        since_s, before_s = self._looks[0]
        return max(0.0, 100 * (own_s - before_s) / (at_s - since_s)) if at_s > since_s else 0.0


def _quiet(used_pct: float | None, waited_s: float) -> Quiet:
    with disclosing():
        return Quiet(
            quiet=None if used_pct is None else used_pct <= OTHERS_LIMIT_PCT,
            waited_s=waited_s,
            others_pct=used_pct,
            limit_pct=OTHERS_LIMIT_PCT,
        )
