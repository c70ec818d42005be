"""Do the files of an HPL run hold together? Performance against order and time, time against stamps, counters against
the summary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wattmark.analysis.efficiency.window import EEHPC_L3
from wattmark.analysis.refusal import Refused
from wattmark.importers.counted_twice import total_of_others
from wattmark.importers.eehpc.counters import Counter
from wattmark.importers.eehpc.hpl_power import STAMP_S, energy_of_spans, mean_power_w, standstill_s
from wattmark.importers.eehpc.hpl_run import HplRun
from wattmark.importers.eehpc.summary_text import SUMMARY
from wattmark.importers.mlperf.judged import at_most, not_told
from wattmark.importers.written_digits import half_digit
from wattmark.runs.record import ImportedVerdict

_RATE_PCT = 0.1
_RATE = "HPL: (2/3 N³ + 3/2 N²) operations over the time; it prints four digits"
_COUNTED_TWICE = "each meter measures a part of the machine of its own"
_STANDSTILL = 5.0
"""A counter that does not change for longer than this many of its usual steps has stopped."""
_STANDS = "a machine that computes takes power all the time"
_FEWEST_VALUES = 5
"""Different readings that make equal registers more than a coincidence."""
_SAME = 1e-9
"""What the change of a unit leaves of a number [1]."""
_PUBLISHED_PCT = 1.0
_PUBLISHED = (
    "the summary is made of the same counters; two of sixteen corrected by hand change it by 0.003 % (CLAIX-2023)"
)


def judge_hpl(run: HplRun) -> tuple[ImportedVerdict, ...]:
    """Evaluate the consistency of the output, the counters and the summary of a run."""
    stated = () if run.summary.core_w is None else (_average_power(run, run.summary.core_w),)
    return (_work_rate(run), _duration(run), _published(run), *stated, _counted_twice(run), _standstill(run))


def _work_rate(run: HplRun) -> ImportedVerdict:
    """Recompute the performance as HPL does: an order and a time cannot give another one."""
    order, hpl = float(run.hpl.order), run.hpl
    expected = (2 / 3 * order**3 + 3 / 2 * order**2) / hpl.time_s / 1e9
    text = f"HPL states {hpl.gflops:g} Gflops; order {hpl.order} in {hpl.time_s:g} s is {expected:.5g} Gflops."
    off_pct = 100 * (hpl.gflops / expected - 1)
    return at_most("import-work-rate", off_pct, _RATE_PCT, "%", text, _RATE, contradiction=True)


def _duration(run: HplRun) -> ImportedVerdict:
    hpl, limit_s = run.hpl, 2 * STAMP_S + STAMP_S
    text = f"HPL states {hpl.time_s:g} s; its start and end are {run.duration_s:g} s apart."
    source = "HPL prints start and end in whole seconds"
    off_s = hpl.time_s - run.duration_s
    return at_most("import-duration", off_s, limit_s, "s", text, source, contradiction=True)


def _published(run: HplRun) -> ImportedVerdict:
    """Compare the counters with the figure published from them; a missing counter lowers the sum by its share."""
    rule, published = "import-published-figure", run.summary.published
    if published is None:
        text = f"There is no {SUMMARY} with a published figure, so nothing shows that all counters are there."
        return not_told(rule, _PUBLISHED_PCT, "%", text, _PUBLISHED)
    try:
        counted = run.hpl.gflops / mean_power_w(run, EEHPC_L3)
    except (Refused, ZeroDivisionError) as error:
        text = f"The counters give no power to compare with the published figure: {error}"
        return not_told(rule, _PUBLISHED_PCT, "%", text, _PUBLISHED)
    text = f"The summary states {published:g} GFLOPS/W; HPL's output and the counters give {counted:.5g} GFLOPS/W."
    off_pct = 100 * (counted / published - 1)
    return at_most(rule, off_pct, _PUBLISHED_PCT, "%", text, _PUBLISHED, contradiction=True)


def _average_power(run: HplRun, stated_w: float) -> ImportedVerdict:
    """Compare the counters with the average power of the core phase that the summary states."""
    rule = "import-average-power"
    try:
        counted_w = mean_power_w(run, EEHPC_L3)
    except Refused as error:
        text = f"The counters give no power to compare with the average of the summary: {error}"
        return not_told(rule, _PUBLISHED_PCT, "%", text, _PUBLISHED)
    text = f"The summary states {stated_w:g} W over the core phase; the counters give {counted_w:.6g} W."
    return at_most(rule, 100 * (counted_w / stated_w - 1), _PUBLISHED_PCT, "%", text, _PUBLISHED, contradiction=True)


def _counted_twice(run: HplRun) -> ImportedVerdict:
    """Count the counters that hold what others hold: the same register, or the sum of all others."""
    counters, twice = run.counters, _copies(run.counters)
    half_digits = sum(half_digit(counter.energy_wh) for counter in counters)
    total = None if twice else total_of_others(energy_of_spans(run), 2 * half_digits)
    if total is not None:
        text = f"The counter {counters[total].name[:60]!r} counts what all others count together."
        return at_most("import-counted-twice", 1, 0, "counters", text, _COUNTED_TWICE, contradiction=True)
    text = f"{len(twice)} of {len(counters)} counters hold the readings of another one"
    text += f", such as {twice[0][:60]!r}." if twice else "; none counts what all others count together."
    return at_most("import-counted-twice", len(twice), 0, "counters", text, _COUNTED_TWICE, contradiction=True)


def _copies(counters: Sequence[Counter]) -> list[str]:
    """Return the names of the counters whose registers go as that of an earlier one."""
    copies: list[str] = []
    registers: dict[tuple[int, float], list[Counter]] = {}
    for counter in counters:
        same = registers.setdefault((len(counter.t_ns), float(f"{np.nanmax(counter.energy_wh):.9g}")), [])
        moves = len(np.unique(counter.energy_wh)) >= _FEWEST_VALUES
        if moves and any(np.allclose(counter.energy_wh, earlier.energy_wh, _SAME, 0.0) for earlier in same):
            copies.append(counter.name)
        else:
            same.append(counter)
    return copies


def _standstill(run: HplRun) -> ImportedVerdict:
    """Find the counter that stops while the machine works; it then counts too little."""
    longest_s, usual_s, counter = max(
        ((*standstill_s(counter, run), counter) for counter in run.counters),
        key=lambda each: each[0] / max(each[1], 1e-9),
    )
    if not usual_s:
        return not_told("import-standstill", None, "s", "No counter changes often enough to tell.", _STANDS)
    text = (
        f"The counter {counter.name[:60]!r} does not change for {longest_s:g} s of the core phase; usually it changes "
        f"every {usual_s:g} s."
    )
    return at_most("import-standstill", longest_s, _STANDSTILL * usual_s, "s", text, _STANDS, contradiction=True)
