"""Do the files of an HPL run hold together? Performance against order and time, time against stamps, counters against
the summary."""

from __future__ import annotations

from wattmark.analysis.efficiency.window import EEHPC_L3
from wattmark.analysis.refusal import Refused
from wattmark.importers.eehpc.hpl_power import STAMP_S, mean_power_w
from wattmark.importers.eehpc.hpl_run import HplRun
from wattmark.importers.eehpc.summary_text import SUMMARY
from wattmark.importers.mlperf.judged import at_most, not_told
from wattmark.runs.record import ImportedVerdict

_RATE_PCT = 0.1
_RATE = "HPL: (2/3 N³ + 3/2 N²) operations over the time; it prints four digits"
_PUBLISHED_PCT = 1.0
_PUBLISHED = (
    "the summary is made of the same counters; two of sixteen corrected by hand change it by 0.003 % (CLAIX-2023)"
)


def judge_hpl(run: HplRun) -> tuple[ImportedVerdict, ...]:
    """Evaluate the consistency of the output, the counters and the summary of a run."""
    return (_work_rate(run), _duration(run), _published(run))


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
