"""Read the marks of ``openssl speed -multi P -mr``, for ``rsaNNNN`` and for ``-evp NAME``.

Each process prints "+DTP:<bits>:private:rsa:<seconds>" when it begins to sign and "+R1:<count>:<bits>:<seconds>" when
it ends, then the same with "public" and "+R2" for verifications; with -evp it is "+DT:<name>:<seconds>:<bytes>" and
"+R:<count>:<name>:<seconds>", each count a block of so many bytes (apps/speed.c, OpenSSL 3.0). The seconds of +R have
two decimals; they are elapsed time with -multi and CPU time without it, where a process that waits for a CPU then looks
too fast (both measured). So the count is divided by the time between the marks, and the seconds only say whether that
time is theirs.

Counted interval: from the last process's begin to the first process's end, [B, E]. A process that counted n_i
operations until e_i contributes n_i (E - B)/(e_i - b), where b is the mean of the begins: the lines do not say which
process they come from. The begins, and the ends, lie within ``edge_s`` of each other, so the amount is wrong by less
than edge_s / (E - B) of itself. Marks are stamped when the line arrives, some 0.1 ms after it was printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Literal

from wattmark.core.amounts import read_number
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.number_track import ABSURD, EXACT
from wattmark.workloads.parsers.work import MarkedWork, interval
from wattmark.workloads.trigger import OutputLine

LEAST_OVERLAP = 0.8
"""Share of the time asked for, or of the longest process, during which all must have worked together."""
_AS_STATED = 0.05
"""Share of a process's time by which its own seconds may differ from its marks: a busy machine stamps lines late."""
_FAILURE = re.compile(r"(?i)failure|error:|unknown algorithm")


@dataclass(frozen=True, slots=True)
class OpensslMarks:
    """How begin and end lines look; the end has the groups "seconds" and "count", each worth ``unit`` units of work."""

    begin: re.Pattern[str]
    end: re.Pattern[str]
    unit: float = 1.0
    after: re.Pattern[str] | None = None
    """How the line looks that a process prints right after its end line, when it goes on to something else."""


def rsa_marks(operation: Literal["sign", "verify"]) -> OpensslMarks:
    """Find the marks of signatures or of verifications."""
    word, digit = {"sign": ("private", "1"), "verify": ("public", "2")}[operation]
    next_word = {"sign": "(?: verify)?", "verify": " encrypt"}[operation]
    return OpensslMarks(
        re.compile(rf"\+DTP:\d+:{word}:rsa(?: {operation})?:"),
        re.compile(rf"\+R{digit}:(?P<count>\d+):\d+:(?P<seconds>[\d.]+)$"),
        after=re.compile(rf"\+DTP:\d+:public:rsa{next_word}:"),
    )


def evp_marks(block_bytes: int) -> OpensslMarks:
    """Find the marks of a cipher or digest over blocks of a given size [bytes]."""
    return OpensslMarks(
        re.compile(rf"\+DT:[^:]+:\d+:{block_bytes}$"),
        re.compile(r"\+R:(?P<count>\d+):[^:]+:(?P<seconds>[\d.]+)$"),
        float(block_bytes),
    )


class OpensslOutput:
    """The marks of one operation by several processes."""

    def __init__(self, marks: OpensslMarks, *, processes: int, seconds: float) -> None:
        self._marks = marks
        self._processes = processes
        self._seconds = seconds
        self._begins: list[Mark] = []
        self._ends: list[tuple[Mark, float, float]] = []
        """When each process ended, its count and its own seconds."""
        self._went_on = 0
        """How many processes have begun with something else."""

    @property
    def began(self) -> Mark | None:
        """Return when the last process began."""
        return self._begins[self._processes - 1] if len(self._begins) >= self._processes else None

    @property
    def done(self) -> bool:
        """Return whether every process has printed its count and gone on; else the end of the program tells.

        A repeated count would otherwise be taken for the one still missing.
        """
        return len(self._ends) >= self._processes and self._went_on >= self._processes

    def feed(self, line: OutputLine) -> None:
        """Read a line of standard error. Raises `WorkloadFailed` on openssl's own failure messages."""
        if line.stream != "stderr" or self.done:
            return
        end = self._marks.end.match(line.text)
        if self._marks.after is not None and self._marks.after.match(line.text):
            self._went_on += 1
        if self._marks.begin.match(line.text):
            self._begins.append(line.mark)
        elif end:
            self._ends.append((line.mark, read_number(end["count"]), read_number(end["seconds"])))
        elif not line.text.startswith("+") and _FAILURE.search(line.text):
            raise WorkloadFailed(f"openssl failed: {line.text.strip()[:200]}.")

    def so_far(self, now: Mark) -> None:
        """Return None: openssl counts its operations only when it ends."""

    def result(self, ended: Mark) -> MarkedWork:  # noqa: ARG002 - the marks tell, not the exit
        """Compute the operations between the last begin and the first end."""
        if self.began is None or not len(self._begins) == len(self._ends) == self._processes:
            seen = f"{len(self._begins)} begin and {len(self._ends)} end marks of {self._processes} processes"
            raise WorkloadFailed(f"openssl ended after {seen}.", "Check its output, and that it is OpenSSL 3.")
        begin, end = self.began, self._ends[0][0]
        overlap_s = end.since(begin)
        if overlap_s < LEAST_OVERLAP * self._seconds:
            cause = f"The {self._processes} processes overlapped for only {overlap_s:.2f} s of {self._seconds:g} s."
            raise WorkloadFailed(cause, "Use fewer processes or longer slices.")
        longest_s = self._length_s(self._ends[-1][0])
        if overlap_s < LEAST_OVERLAP * longest_s:
            cause = (
                f"A process of openssl reported after {longest_s:.2f} s; together they worked for {overlap_s:.2f} s."
            )
            raise WorkloadFailed(cause, self._remedy(longest_s - overlap_s))
        counts = [count for _, count, _ in self._ends]
        if max(counts) > min(EXACT, ABSURD * median(counts)):
            raise WorkloadFailed(
                f"A process of openssl counted {max(counts):.4g} operations, where {median(counts):.4g} are usual.",
                "Repeat the run; if it comes again, look for a newer version of the program.",
            )
        amount = self._marks.unit * sum(count * overlap_s / self._length_s(mark) for mark, count, _ in self._ends)
        if min(counts) <= 0:
            cause = "A process of openssl counted no operations."
            raise WorkloadFailed(cause, "Use a longer measurement for this key length.")
        return MarkedWork(
            begin, end, (interval(begin, end, amount),), edge_s=self._edge_s(), remarks=tuple(self._remarks())
        )

    def _remedy(self, late_s: float) -> str:
        """Choose the advice for a process that reports late: it may only have ended a long operation."""
        mark, count, _ = self._ends[-1]
        operation_s = self._length_s(mark) / max(count, 1)
        if late_s <= 2 * operation_s:
            return f"An operation takes {operation_s:.2g} s: use fewer processes, longer slices or a shorter key."
        return "Let nothing else use the processors, and repeat the run."

    def _remarks(self) -> Iterator[str]:
        """Say where the time of a process by its marks is not the one that it states."""
        spread_s = self._begins[-1].since(self._begins[0])
        times = [(self._length_s(mark), seconds) for mark, _, seconds in self._ends]
        apart = [pair for pair in times if abs(pair[0] - pair[1]) > _AS_STATED * pair[0] + spread_s]
        if apart:
            length_s, stated_s = max(apart, key=lambda pair: abs(pair[0] - pair[1]))
            yield (
                f"A process of openssl states {stated_s:.2f} s of work, where its lines came {length_s:.2f} s apart; "
                "its operations were counted over the latter."
            )

    def _length_s(self, end: Mark) -> float:
        mean_begin = sum(mark.monotonic_ns - end.monotonic_ns for mark in self._begins) / len(self._begins)
        return -mean_begin / 1e9

    def _edge_s(self) -> float:
        return max(self._begins[-1].since(self._begins[0]), self._ends[-1][0].since(self._ends[0][0]))
