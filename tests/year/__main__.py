"""Simulate schedules of faults, one after the other, or replay one of them."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import count, islice

from tests.year.night import Verdict, live_through
from tests.year.schedule import KINDS
from tests.year.seeds import FIXED

DAY_S = 86_400.0
HASH_SEED = "PYTHONHASHSEED"


def main() -> int:
    """Run schedules; return 1 where an invariant was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.year", description=__doc__)
    parser.add_argument("--first", type=int, default=None, help="first seed (default: of the time)")
    parser.add_argument("--count", type=int, default=None, help="how many schedules (default: until the time is over)")
    parser.add_argument("--seconds", type=float, default=None, help="how long to go on [s]")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, help="what may happen (default: everything)")
    parser.add_argument("--replay", type=int, default=None, metavar="SEED", help="show one schedule and its verdict")
    parser.add_argument("--fixed", action="store_true", help="the seeds of `seeds.py`, which have found faults")
    parser.add_argument("--trace", action="store_true", help="with --replay: how far time had come, turn by turn")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    options = parser.parse_args()
    if os.environ.get(HASH_SEED) != "0":
        os.execve(sys.executable, [sys.executable, "-m", "tests.year", *sys.argv[1:]], {**os.environ, HASH_SEED: "0"})
    kinds = tuple(options.kinds) if options.kinds else None
    if options.replay is not None:
        return _replay(options.replay, kinds, trace=options.trace)
    if options.fixed:
        return _night(sorted(FIXED), None, kinds, options.jobs)
    first = int(time.time()) if options.first is None else options.first
    seeds = count(first) if options.count is None else range(first, first + options.count)
    return _night(seeds, options.seconds, kinds, options.jobs)


def _replay(seed: int, kinds: tuple[str, ...] | None, *, trace: bool) -> int:
    verdict = live_through(seed, kinds)
    tell("\n".join(map(str, verdict.schedule.events)))
    tell(f"plan {verdict.schedule.lab.plan}")
    tell(f"seed {seed}: {verdict.simulated_s:.0f} s simulated, {verdict.turns} turns")
    if trace:
        tell(f"trace {verdict.trace}")
    for sentence in verdict.broken:
        tell(f"  BROKEN {sentence}")
    for value, half, truth in verdict.ranked:
        tell(f"  ranked {value:.6g} ± {half:.2g}, truth {truth:.6g}")
    return bool(verdict.broken)


def _night(wanted: Iterable[int], seconds: float | None, kinds: tuple[str, ...] | None, jobs: int) -> int:
    begun_s, verdicts, seeds = time.perf_counter(), list[Verdict](), iter(wanted)

    def time_left() -> bool:
        return seconds is None or time.perf_counter() - begun_s < seconds

    with ProcessPoolExecutor(jobs, initializer=_warm_up) as pool:
        waiting = [pool.submit(live_through, seed, kinds) for seed in islice(seeds, 2 * jobs)]
        while waiting:
            verdict = waiting.pop(0).result()
            verdicts.append(verdict)
            if verdict.broken:
                _report(verdict, kinds)
            if time_left() and (seed := next(seeds, None)) is not None:
                waiting.append(pool.submit(live_through, seed, kinds))
    return _summary(verdicts, time.perf_counter() - begun_s)


def tell(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _warm_up() -> None:
    """Load everything once, and tell the collector that it stays: each schedule collects all garbage in its end."""
    logging.disable(logging.WARNING)
    live_through(0)
    gc.collect()
    gc.freeze()


def _report(verdict: Verdict, kinds: tuple[str, ...] | None) -> None:
    limited = f" --kinds {' '.join(repr(kind) for kind in kinds)}" if kinds else ""
    tell(f"seed {verdict.seed} BROKEN; replay: .venv/bin/python -m tests.year --replay {verdict.seed}{limited}")
    for sentence in verdict.broken[:5]:
        tell(f"  {sentence}")


def _summary(verdicts: list[Verdict], took_s: float) -> int:
    events = sum((verdict.events for verdict in verdicts), Counter[str]())
    ranked, covered = sum(len(v.ranked) for v in verdicts), sum(v.covered for v in verdicts)
    days = sum(verdict.simulated_s for verdict in verdicts) / DAY_S
    broken = [verdict.seed for verdict in verdicts if verdict.broken]
    seeds = f"seeds {verdicts[0].seed} to {verdicts[-1].seed}" if verdicts else "no seeds"
    tell(f"{len(verdicts)} schedules, {seeds}, in {took_s:.0f} s; {days:.2f} days simulated")
    tell(f"happened: {', '.join(f'{kind} {number}' for kind, number in sorted(events.items()))}")
    tell(f"power cuts: {sum(verdict.power_cuts for verdict in verdicts)}")
    tell(f"ranked figures: {ranked}, of which {covered} hold the truth within their ± ({covered / (ranked or 1):.3f})")
    tell(f"schedules with a broken invariant: {len(broken)} {broken}")
    return bool(broken)


if __name__ == "__main__":
    raise SystemExit(main())
