"""Progress of a campaign on the terminal: which runs, which phases, what is left, and every result as it comes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from wattmark.campaigns.status import CampaignOut, CampaignRun, UnderWay
from wattmark.cli.console.narrow import wrapped
from wattmark.cli.console.output import USUAL_WIDTH, visible
from wattmark.core.numbers import format_alone, format_number, format_uncertain
from wattmark.core.texts import first_of

SIMULATED = " (simulated)"
MOST_NUMBERED = 12
"""Runs of one remark that are named by their numbers; the others are counted."""
_NARROWEST = 30
"""Columns that the names of a run keep beside a long remark."""
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
        self._phases: dict[int, _PhaseBar] = {}
        self._reported: set[int] = set()
        self._message: str | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def show(self, status: CampaignOut) -> None:
        """Draw one state."""
        if status.runs:
            self._show_runs(status)
            self._show_phases(status)
        if status.message and status.message != self._message:
            self._message = status.message
            self._console.print(status.message)

    def tick(self) -> None:
        """Move the bars of the phases on; call it a few times a second."""
        for bar in self._phases.values():
            self._bars.update(bar.task, completed=time.time() - bar.begin_s)

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

    def _show_phases(self, status: CampaignOut) -> None:
        """Draw a bar for each run under way; none between two runs, so that no phase seems to go on."""
        now = {run.run_index: run for run in status.under_way}
        for order in self._phases.keys() - now.keys():
            self._bars.remove_task(self._phases.pop(order).task)
        for order, run in now.items():
            if run.phase is not None and run.phase_begin_s is not None:
                self._show_phase(run, run.phase, run.phase_begin_s)
                self._bars.update(self._phases[order].task, right=_now(run, status.runs[order]))

    def _show_phase(self, run: UnderWay, phase: str, begin_s: float) -> None:
        """Start a phase anew in the bar of its run, which keeps its place among those of a group."""
        bar = self._phases.get(run.run_index)
        if bar is not None and bar.begin_s == begin_s:
            return
        task = bar.task if bar is not None else self._bars.add_task(phase, right="")
        self._phases[run.run_index] = _PhaseBar(task, begin_s)
        seconds = (run.phase_end_s or begin_s) - begin_s
        self._bars.reset(task, total=max(seconds, 0.1), description=phase)


@dataclass(frozen=True, slots=True)
class _PhaseBar:
    """The bar of one run under way, and when the phase that it shows began [Unix seconds]."""

    task: TaskID
    begin_s: float


def _now(run: UnderWay, row: CampaignRun) -> str:
    mark = SIMULATED if run.live_power_simulated else ""
    watts = "" if run.live_power_w is None else f", {format_number(run.live_power_w, 4)} W{mark}"
    done = "" if run.live_throughput is None else f", {_figure(run.live_throughput)} {run.live_throughput_unit}"
    return f"{run.server}/{run.configuration}, {row.workload}, {row.level}, repeat {row.repeat}{watts}{done}"


def _figure(value: float) -> str:
    """Write four digits, or whole thousands apart: nobody reads a power of ten at a glance."""
    return f"{value:,.0f}".replace(",", " ") if 1e4 <= value < 1e12 else f"{format_number(value, 4)}"


def _end(status: CampaignOut) -> str:
    if status.estimated_end_s is None or not status.remaining_s:
        return ""
    return f", until {time.strftime('%H:%M', time.localtime(status.estimated_end_s))}"


def _line(run: CampaignRun, total: int) -> str:
    """Write how a run ended on one line of `USUAL_WIDTH`: its names, or else its remark, are cut, never its figure."""
    names = f"{run.server}/{run.configuration}  {run.workload}, {run.level}, repeat {run.repeat}"
    head, figure, remark = f"{run.order + 1:>3}/{total}  ", _figure_of(run), _short_remark(run)
    room = USUAL_WIDTH - cell_len(f"{head}: {figure}")
    remark = _cut(remark, max(0, room - min(cell_len(names), _NARROWEST)))
    return f"{head}{_cut(names, room - cell_len(remark))}: {figure}{remark}"


def _figure_of(run: CampaignRun) -> str:
    if run.state != "complete":
        return f"{run.state}."
    if run.efficiency is None:
        return "complete, no efficiency"
    of, mark = run.efficiency, SIMULATED if run.simulated else ""
    if of.U95 is None:
        return f"{format_alone(of.value, of.unit)} without ±{mark}"
    return f"{format_uncertain(of.value, of.U95, of.unit)}{mark}"


def _short_remark(run: CampaignRun) -> str:
    """Return what the line of a run says beside its figure; the whole of it stands under the campaign."""
    if run.state != "complete":
        return f" {run.reason}" if run.reason else ""
    return "" if run.judged is None or run.judged.key == "sound" else f"  {run.judged.words}"


def _cut(text: str, width: int) -> str:
    text = visible(text).replace("\n", " ")
    return text if cell_len(text) <= width else f"{set_cell_size(text, max(0, width - 1)).rstrip()}…"


def remarks_of(status: CampaignOut, width: int) -> Iterator[str]:
    """Write what was remarked about runs and their lines do not say, each remark once with the runs it is about."""
    about: dict[str, list[int]] = defaultdict(list)
    done = [run for run in status.runs if run.state in DONE]
    for run in done:
        reason = run.reason if run.state != "complete" else run.judged and run.judged.reason
        if reason and reason not in _line(run, len(status.runs)):
            about[reason].append(run.order + 1)
    for reason, orders in about.items():
        yield wrapped(f"{_runs(orders, len(done))}: {reason}", width)


def _runs(orders: Sequence[int], done: int) -> str:
    if len(orders) == 1:
        return f"Run {orders[0]}"
    if len(orders) == done:
        return f"All {done} runs"
    return f"{len(orders)} runs ({first_of([str(order) for order in orders], MOST_NUMBERED)})"
