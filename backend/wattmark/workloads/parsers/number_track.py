"""Numbers that a program reports, with their instants: one at the end, or one per interval."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Sequence
from statistics import median

from wattmark.core.amounts import problem
from wattmark.core.errors import WorkloadFailed
from wattmark.runs.record import ThroughputInterval
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.bounds import step_ns
from wattmark.workloads.parsers.parsers import Reports
from wattmark.workloads.parsers.report_times import remarks_on_times
from wattmark.workloads.parsers.work import MarkedWork, interval

EXACT = 2.0**53
"""Beyond it a count has lost its last digit, and no program does as much in an interval: a number that wrapped."""
ABSURD = 1e3
"""A report this many times the median of the others is no work. Loads vary by far less from interval to interval."""
CLOCKS_S = 0.1
"""How much longer the work may take by the program's clock than by the arrival of its lines [s]."""
FEWEST = 3
"""Other reports that a median is worth something of."""


class IntervalRows:
    """Amounts of work that follow one another from ``begin`` on.

    Reports that end in the same step are added up, so that a program may report as often as it likes and every unit of
    work still counts. A thread may add while another one reads.
    """

    def __init__(self, begin: Mark, seconds: float) -> None:
        self.begin = begin
        self._step_ns = step_ns(seconds)
        self._last_step = -1
        self._end_utc_ns = array("q")
        self._end_monotonic_ns = array("q")
        self._amount = array("d")
        self._at_s = array("d")
        """When the reports were made, by the program's own clock where it has one, else when they came [s]."""
        self.merged = 0
        """Reports that ended in the same step as the one before."""
        self._total = 0.0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._amount)

    @property
    def step_s(self) -> float:
        """Return how long the steps are [s]."""
        return self._step_ns / 1e9

    def add(self, end: Mark, amount: float, at_s: float) -> None:
        """Add the work since the previous report, which was made at ``at_s``."""
        step = (end.monotonic_ns - self.begin.monotonic_ns) // self._step_ns
        with self._lock:
            if step == self._last_step:
                self._end_utc_ns[-1], self._end_monotonic_ns[-1] = end.utc_ns, end.monotonic_ns
                self._amount[-1] += amount
                self._at_s[-1] = at_s
                self.merged += 1
            else:
                self._end_utc_ns.append(end.utc_ns)
                self._end_monotonic_ns.append(end.monotonic_ns)
                self._amount.append(amount)
                self._at_s.append(at_s)
            self._last_step = step
            self._total += amount

    def so_far(self) -> tuple[Mark, float]:
        """Return when the last report came, and the work until then."""
        with self._lock:
            if not self._amount:
                return self.begin, 0.0
            return Mark(self._end_utc_ns[-1], self._end_monotonic_ns[-1]), self._total

    def amounts(self) -> list[float]:
        """List the work of each step."""
        with self._lock:
            return self._amount.tolist()

    def at_s(self) -> list[float]:
        """List when the reports were made [s]."""
        with self._lock:
            return self._at_s.tolist()

    def intervals(self) -> tuple[ThroughputInterval, ...]:
        """List the work from step to step."""
        with self._lock:
            ends = [Mark(*stamps) for stamps in zip(self._end_utc_ns, self._end_monotonic_ns, strict=True)]
            return tuple(map(interval, [self.begin, *ends], ends, self._amount))


class NumberTrack:
    """Numbers under one of the five meanings that a declaration can give them.

    Interval reports: the first one after the warm-up marks the begin; each later one closes the interval since the
    one before, which is kept in the steps of `IntervalRows`. Total and rate: the last number counts (or the sum of
    all, with ``add_up``), for the time between the begin and end marks. Every number is multiplied with ``scale``.
    """

    def __init__(
        self,
        reports: Reports,
        *,
        started: Mark,
        warm_up_s: float,
        seconds: float,
        scale: float = 1.0,
        add_up: bool = False,
    ) -> None:
        self._reports = reports
        self._scale = scale
        self._add_up = add_up
        self._started = started
        self._warm_up_s = warm_up_s
        self._seconds = seconds
        self._rows: IntervalRows | None = None
        self._last: tuple[Mark, float] | None = None
        """The last number, or the sum of all with ``add_up``."""
        self._largest = (0.0, "")
        """The largest amount of an interval, and how it was reported."""
        self._begin: Mark | None = None
        self._end: Mark | None = None
        self._timed: Mark | None = None
        """The begin as the program's own clock tells it."""
        self._begin_at_s = 0.0
        """When the report that begins the work was made [s]."""
        self._count = 0
        """How many totals or rates came."""

    @property
    def number(self) -> float | None:
        """Return the total or rate as reported, before it is scaled; None before there is one."""
        return self._last[1] / self._scale if self._last and not self.by_interval else None

    @property
    def by_interval(self) -> bool:
        """Return whether the program reports interval by interval."""
        return self._reports.startswith("interval")

    @property
    def began(self) -> Mark | None:
        """Return when the work that counts began."""
        if self.by_interval:
            return None if self._rows is None else self._rows.begin
        return self._begin

    @property
    def done(self) -> bool:
        """Return whether the intervals fill the requested time; a total is complete when the program ends."""
        if self._rows is None or self._last is None:
            return False
        return self._last[0].since(self._rows.begin) >= self._seconds

    def begin_at(self, mark: Mark) -> None:
        """Mark the begin; the first one counts."""
        self._begin = self._begin or mark

    def end_at(self, mark: Mark) -> None:
        """Mark the end; the last one counts."""
        self._end = mark

    def took(self, mark: Mark, seconds: float, quote: str) -> None:
        """Mark the end, and the begin so long before it as the program says; the last one counts.

        Raises `WorkloadFailed` when its work then began before the begin that was seen.
        """
        seen_s = mark.since(self._begin or self._started)
        if not 0 < seconds <= seen_s + CLOCKS_S:
            raise WorkloadFailed(
                f'The program says "{quote.strip()[:200]}", but what it counted took {seen_s:.4g} s at most.',
                "Check the parser's patterns begin and took, and the clock of the machine.",
            )
        self._end, self._timed = mark, mark.earlier(seconds)

    def add(self, mark: Mark, value: float, quote: str = "", at_s: float | None = None) -> None:
        """Add a number, as ``quote`` reports it, made at ``at_s`` by the program's own clock.

        Raises `WorkloadFailed` when it cannot be an amount of work.
        """
        reported, value = value, value * self._scale
        if (why := problem(reported) or problem(value)) is not None:
            cause = f"The program reported {reported:g}, which is not an amount of work: it {why}."
            raise WorkloadFailed(cause, "Check the program, and the parser's pattern and scale.")
        if not self.by_interval:
            before = self._last[1] if self._add_up and self._last else 0.0
            self._last = (mark, before + value)
            self._count += 1
        elif mark.since(self._started) >= self._warm_up_s and not self.done:
            self._add_interval(mark, value, quote, mark.since(self._started) if at_s is None else at_s)

    def _add_interval(self, mark: Mark, value: float, quote: str, at_s: float) -> None:
        """Close the interval since the previous report; the first report only begins one."""
        if self._rows is None or self._last is None:
            self._rows, self._begin_at_s = IntervalRows(mark, self._seconds), at_s
        elif self._reports == "interval-total" and value < self._last[1]:
            cause = f"The total that the program reported fell from {self._last[1]:g} to {value:g}."
            raise WorkloadFailed(cause, "Check whether it was restarted during the run.")
        elif mark.monotonic_ns > self._rows.begin.monotonic_ns:
            # What came in one piece with the first report was printed, and its work done, before the begin.
            amount = self._amount(self._last, (mark, value))
            if amount > self._largest[0]:
                self._largest = (amount, quote)
            if amount > EXACT:
                raise self._absurd("more than a program can count to")
            self._rows.add(mark, amount, at_s)
        self._last = (mark, value)

    def result(self, ended: Mark) -> MarkedWork:
        """Compute the work. Raises `WorkloadFailed` when too few numbers came."""
        work = self._by_interval() if self.by_interval else self._whole(ended)
        amount = work.stated_rate if work.stated_rate is not None else sum(item.amount for item in work.intervals)
        if amount <= 0 or work.duration_s <= 0:
            raise WorkloadFailed("The program reported no work.", "Check the command and the parser.")
        if (why := problem(amount)) is not None:
            raise WorkloadFailed(f"The reported work adds up to {amount:g}, which {why}.", "Check the parser.")
        return work

    def so_far(self, now: Mark) -> MarkedWork | None:
        """Compute the work until now, with intervals merged; None while it is not known."""
        if not self.by_interval:
            return None if self._last is None else self._whole(now)
        if not self._rows:
            return None
        end, amount = self._rows.so_far()
        return MarkedWork(self._rows.begin, end, (interval(self._rows.begin, end, amount),))

    def _absurd(self, why: str) -> WorkloadFailed:
        amount, quote = self._largest
        said = f' ("{quote.strip()[:200]}")' if quote else ""
        return WorkloadFailed(
            f"The program reported {amount:.4g} for one interval{said}, {why}.",
            "Repeat the run; if it comes again, look for a newer version of the program.",
        )

    def _by_interval(self) -> MarkedWork:
        rows = self._rows
        if not rows:
            reports = 0 if rows is None else 1
            cause = f"The program reported {reports} intervals after the warm-up; at least two are needed."
            raise WorkloadFailed(cause, "Measure longer or check the parser.")
        others = sorted(rows.amounts())[:-1]
        if len(others) >= FEWEST and self._largest[0] > ABSURD * (typical := median(others)) > 0:
            raise self._absurd(f"where the others have {typical:.4g}")
        end, _ = rows.so_far()
        remarks = remarks_on_times(
            [self._begin_at_s, *rows.at_s()], end.since(rows.begin), rows.step_s, merged=rows.merged
        )
        return MarkedWork(rows.begin, end, rows.intervals(), remarks=(*remarks, *_idle(rows.amounts())))

    def _amount(self, before: tuple[Mark, float], now: tuple[Mark, float]) -> float:
        """Compute the work between two reports."""
        if self._reports == "interval-rate":
            return now[1] * now[0].since(before[0])
        return now[1] - (before[1] if self._reports == "interval-total" else 0.0)

    def _whole(self, ended: Mark) -> MarkedWork:
        if self._last is None:
            raise WorkloadFailed("The parser found no throughput in the output of the program.", "Check the parser.")
        begin, end, value = self._timed or self._begin or self._started, self._end or ended, self._last[1]
        said: tuple[str, ...] = ()
        if self._count > 1 and not self._add_up:
            said = (f"The program printed {self._count:,} numbers for its work; the last one counts.",)
        if value > EXACT * self._scale:
            said = (*said, f"The program reported {value / self._scale:.4g}: a count beyond 2^53 has often wrapped.")
        if self._reports == "rate":
            return MarkedWork(begin, end, stated_rate=value, remarks=said)
        return MarkedWork(begin, end, (interval(begin, end, value),), remarks=said)


def _idle(amounts: Sequence[float]) -> Iterator[str]:
    """Say in how many intervals a program did nothing, where that is the exception."""
    idle = sum(amount == 0 for amount in amounts)
    if 0 < idle < len(amounts) / 2:
        yield f"The program reported no work in {idle:,} of {len(amounts):,} intervals."
