"""Progress of a campaign on the terminal: which run, which phase, what is left, and every result as it comes."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from wattmark.campaigns.status import CampaignOut, CampaignRun

DONE = {"complete", "failed", "aborted", "interrupted", "skipped"}


class CampaignProgress:
    """Show campaign states; on anything but a terminal one line per finished run."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=28),
            TextColumn("{task.fields[right]}", markup=False),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._runs: TaskID | None = None
        self._phase: TaskID | None = None
        self._phase_begin_s: float | None = None
        self._reported: set[int] = set()
        self._message: str | None = None

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing."""
        self._bars.stop()

    def show(self, status: CampaignOut) -> None:
        """Draw one state."""
        if status.runs:
            self._show_runs(status)
            self._show_phase(status)
            self._show_live(status)
        if status.message and status.message != self._message:
            self._message = status.message
            self._console.print(status.message)

    def tick(self) -> None:
        """Move the phase bar on; call it a few times a second."""
        if self._phase is not None and self._phase_begin_s is not None:
            self._bars.update(self._phase, completed=time.time() - self._phase_begin_s)

    def _show_runs(self, status: CampaignOut) -> None:
        done = [run for run in status.runs if run.state in DONE]
        if self._runs is None:
            self._runs = self._bars.add_task("runs", total=len(status.runs), right="")
        right = f"{len(done)} of {len(status.runs)} runs{_end(status)}"
        self._bars.update(self._runs, completed=len(done), right=right)
        for run in done:
            if run.order not in self._reported:
                self._reported.add(run.order)
                self._console.print(_line(run, len(status.runs)))

    def _show_phase(self, status: CampaignOut) -> None:
        if _running(status) is None:
            self._end_phase()
            return
        if status.phase is None or status.phase_begin_s is None or status.phase_begin_s == self._phase_begin_s:
            return
        self._end_phase()
        self._phase_begin_s = status.phase_begin_s
        seconds = (status.phase_end_s or status.phase_begin_s) - status.phase_begin_s
        self._phase = self._bars.add_task(status.phase, total=max(seconds, 0.1), right=_now(status))

    def _end_phase(self) -> None:
        """Take the bar away between two runs, so that no phase seems to go on."""
        if self._phase is not None:
            self._bars.remove_task(self._phase)
            self._phase, self._phase_begin_s = None, None

    def _show_live(self, status: CampaignOut) -> None:
        if self._phase is not None:
            self._bars.update(self._phase, right=f"{_now(status)}{_live(status)}")


def _running(status: CampaignOut) -> CampaignRun | None:
    return next((run for run in status.runs if run.state == "running"), None)


def _now(status: CampaignOut) -> str:
    now = _running(status)
    if now is None:
        return ""
    others = sum(run.state == "running" for run in status.runs) - 1
    more = f" (and {others} more)" if others else ""
    return f"{now.configuration}, {now.workload}, {now.level}, repeat {now.repeat}{more}"


def _live(status: CampaignOut) -> str:
    watts = "" if status.live_power_w is None else f", {status.live_power_w:.4g} W"
    if status.live_throughput is None:
        return watts
    return f"{watts}, {_figure(status.live_throughput)} {status.live_throughput_unit}"


def _figure(value: float) -> str:
    """Write four digits, or whole thousands apart: nobody reads a power of ten at a glance."""
    return f"{value:,.0f}".replace(",", " ") if 1e4 <= value < 1e12 else f"{value:.4g}"


def _end(status: CampaignOut) -> str:
    if status.estimated_end_s is None or not status.remaining_s:
        return ""
    return f", until {time.strftime('%H:%M', time.localtime(status.estimated_end_s))}"


def _line(run: CampaignRun, total: int) -> str:
    what = f"{run.workload}, {run.level}, repeat {run.repeat}"
    head = f"{run.order + 1:>3}/{total}  {run.server}/{run.configuration}  {what}:"
    if run.state != "complete":
        return f"{head} {run.state}. {run.reason or ''}"
    verdict = f"  {run.verdict}" if run.verdict else ""
    if run.efficiency is None:
        return f"{head} complete, no efficiency{verdict}"
    plus_minus = "" if run.efficiency_U95 is None else f" ± {run.efficiency_U95:.2g}"
    return f"{head} {run.efficiency:.4g}{plus_minus} {run.efficiency_unit}{verdict}"
