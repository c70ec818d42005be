"""Measurements of work that others do: opened, begun and ended by requests, each an ordinary run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from wattmark.campaigns.stored import Journal, new_identifier
from wattmark.core.errors import Conflict, InputError, NotFound
from wattmark.core.instants import iso
from wattmark.core.quantity import Quantity
from wattmark.instruments.ready import wait_until_ready
from wattmark.measurements.edges import CLOCKS_AGREE, MarkedWindow, place_window
from wattmark.measurements.figures import figures_of
from wattmark.measurements.lab import MeasuringLab
from wattmark.measurements.marked_work import (
    MOST_PARTS,
    NO_WORK,
    check_marks,
    counted_work,
    is_counted,
    labelled,
    parts_of,
)
from wattmark.measurements.measurement import Measured
from wattmark.measurements.names import run_name
from wattmark.measurements.run_recording import RunRecording, new_record
from wattmark.measurements.screen import Figures
from wattmark.measurements.views import (
    EndMeasurement,
    LineOut,
    MeasuredOut,
    MeasurementOut,
    NewMeasurement,
    PartOut,
    State,
)
from wattmark.results.result import Result
from wattmark.runs.disclosure import LabelledMark
from wattmark.runs.record import RunStatus
from wattmark.runs.store import RunStore
from wattmark.workloads.marks import Mark, mark_now

T = TypeVar("T")
STOPPED = "The service was stopped before the measurement was ended."
LEFT = "Whoever opened the measurement did not wait for it."


@dataclass(slots=True)
class _Opened:
    """A measurement from the request that opens it until it has ended."""

    identifier: str
    name: str
    order: NewMeasurement
    lab: MeasuringLab
    drops_ns: int
    recording: RunRecording | None = None
    """None while it is being opened."""
    begun: Mark | None = None
    ending: bool = False
    timer: asyncio.Task[None] | None = None

    @property
    def out(self) -> MeasurementOut:
        state: State = "ending" if self.ending else "begun" if self.begun else "ready" if self.recording else "opening"
        return MeasurementOut(
            id=self.identifier,
            name=self.name,
            server=self.lab.server,
            configuration=self.order.configuration,
            unit=self.order.unit,
            state=state,
            meters=[identity.name for identity in self.lab.identities()],
            drops_at=iso(self.drops_ns),
        )


class OpenMeasurements:
    """The measurements that are open, at most one per server. All methods belong to the event loop's thread."""

    def __init__(
        self, runs: RunStore, lab_of: Callable[[str | None], MeasuringLab], require_free: Callable[[str], None]
    ) -> None:
        """``lab_of`` finds a server, the only one where none is named; ``require_free`` raises where it is in use."""
        self._runs = runs
        self._lab_of = lab_of
        self._require_free = require_free
        self._opened: dict[str, _Opened] = {}
        self._journal: Journal | None = None
        self._working: set[asyncio.Task[Any]] = set()
        self._closed = False

    @property
    def servers(self) -> frozenset[str]:
        """Return the servers that are being measured."""
        return frozenset(opened.lab.server for opened in self._opened.values())

    def shown(self) -> list[MeasurementOut]:
        """List the measurements that are open."""
        return [opened.out for opened in self._opened.values()]

    def require_unmeasured(self, servers: frozenset[str]) -> None:
        """Raise `Conflict` where one of the servers is being measured."""
        for opened in self._opened.values():
            if opened.lab.server in servers:
                raise Conflict(
                    f"The measurement {opened.name!r} of {opened.lab.server} is open.",
                    f"End it, or drop it: DELETE /api/measurements/{opened.identifier}. It is dropped by itself at "
                    f"{iso(opened.drops_ns)}.",
                )

    async def open(self, order: NewMeasurement) -> MeasurementOut:
        """Begin to record a server, and return when readings enclose a begin. Raises `WattmarkError`."""
        if self._closed:
            raise Conflict(STOPPED, "Start the service again.")
        name = run_name(order.name)
        if not name:
            raise InputError(f"The name {order.name[:80]!r} has no letter and no digit.", "Give another name.")
        lab = self._lab_of(order.server)
        self._require_free(lab.server)
        self.require_unmeasured(frozenset({lab.server}))
        drops_ns = lab.clock.utc_ns() + round(order.at_most_s * 1e9)
        opened = _Opened(new_identifier(), name, order, lab, drops_ns)
        self._opened[opened.identifier] = opened
        try:
            opened.recording = await self._work(self._recorded(opened), goes_on=False)
        except BaseException:
            self._opened.pop(opened.identifier, None)
            raise
        opened.timer = asyncio.create_task(self._expire(opened), name=f"measurement {opened.identifier}")
        return opened.out

    async def begin(self, identifier: str) -> int:
        """Mark the begin of the work [UTC ns]. Raises `Conflict` and `NotFound`."""
        opened = await self._find(identifier)
        if opened.recording is None or opened.begun is not None:
            state = opened.out.state
            raise Conflict(f"The measurement is {state}, so it cannot begin.", "Open another one.")
        opened.begun = mark_now(opened.lab.clock)
        return opened.begun.utc_ns

    async def end(self, identifier: str, order: EndMeasurement) -> MeasuredOut:
        """Mark the end of the work, and return its result when readings enclose it. Raises `WattmarkError`."""
        opened = await self._find(identifier)
        recording, begun, ended = opened.recording, opened.begun, mark_now(opened.lab.clock)
        if recording is None or begun is None or opened.ending:
            raise Conflict(
                f"The measurement is {opened.out.state}, so it cannot end.", "Begin it first, and end it once."
            )
        between_s = ended.since(begun) * (1 + CLOCKS_AGREE)
        check_marks(order.marks, order.operations, between_s if order.elapsed_s is None else order.elapsed_s)
        window = place_window(begun, ended, order.elapsed_s, order.round_trip_s)
        opened.ending = True
        self._stop_timer(opened)
        try:
            return await self._work(self._ended(recording, window, order), goes_on=True)
        finally:
            self._opened.pop(identifier, None)

    async def drop(self, identifier: str, reason: str) -> None:
        """End a measurement without a result; its run is kept as aborted. Raises `Conflict` and `NotFound`."""
        opened = await self._find(identifier)
        if opened.recording is None or opened.ending:
            raise Conflict(f"The measurement is {opened.out.state}, so it cannot be dropped.", "Wait a few seconds.")
        self._stop_timer(opened)
        await self._broken_off(opened, reason)

    def stop(self) -> None:
        """Open no further measurement, and give up what is being waited for."""
        self._closed = True
        for task in self._working:
            task.cancel()

    async def close(self) -> None:
        """Drop all measurements, and write what is left of their records."""
        self.stop()
        await asyncio.gather(*self._working, return_exceptions=True)
        for opened in list(self._opened.values()):
            self._stop_timer(opened)
            await self._broken_off(opened, STOPPED)
        if self._journal is not None:
            self._journal.close()

    async def _recorded(self, opened: _Opened) -> RunRecording:
        lab = opened.lab
        await lab.clear()
        names = [identity.name for identity in lab.identities()]
        await wait_until_ready(lab.monitor, names, lab.clock, lambda: self._closed)
        record = await new_record(
            lab,
            run_id=opened.identifier,
            name=opened.name,
            configuration=opened.order.configuration,
            unit=opened.order.unit,
        )
        if self._journal is None:
            self._journal = Journal(self._runs)
        recording = await RunRecording.begin(lab, self._journal, record)
        try:
            await recording.guard()
        except BaseException as error:
            await asyncio.shield(recording.break_off(error, STOPPED if self._closed else LEFT))
            raise
        return recording

    async def _ended(self, recording: RunRecording, window: MarkedWindow, order: EndMeasurement) -> MeasuredOut:
        marks = labelled(order.marks, window)
        work = counted_work(order.marks, order.operations, window)
        try:
            await recording.guard()
            await recording.complete(
                window.begin, window.end, work, window={"u_s": window.u_s, "marks": marks, "intervals": len(work)}
            )
        except BaseException as error:
            await asyncio.shield(recording.break_off(error, STOPPED))
            raise
        problem = NO_WORK if not work and is_counted(order.marks, order.operations) else None
        measured = Measured(recording.record, window.begin, window.end, problem)
        return await asyncio.to_thread(_measured_out, measured, recording.lab, window, marks)

    async def _expire(self, opened: _Opened) -> None:
        await opened.lab.clock.sleep(opened.order.at_most_s)
        opened.timer = None
        await self._broken_off(
            opened,
            f"The measurement was not ended within {opened.order.at_most_s:g} s: what opened it may have died. Raise "
            "at_most_s for longer work.",
        )

    async def _broken_off(self, opened: _Opened, reason: str) -> None:
        opened.ending = True
        try:
            if opened.recording is not None:
                await opened.recording.break_off(None, reason)
        finally:
            self._opened.pop(opened.identifier, None)

    async def _find(self, identifier: str) -> _Opened:
        """Find what is open, at once. Raises `Conflict` and `NotFound` with what has become of it."""
        if (opened := self._opened.get(identifier)) is not None:
            return opened
        run = await asyncio.to_thread(self._runs.get, identifier)
        if run is None or run.status is RunStatus.RUNNING:
            raise NotFound(f"There is no measurement {identifier[:80]!r}.", "Open one: POST /api/measurements.")
        raise Conflict(
            f"The measurement {identifier} is not open. {run.reason or 'It has ended.'}", "Open another one."
        )

    async def _work(self, coroutine: Coroutine[Any, Any, T], *, goes_on: bool) -> T:
        """Work for a request, beyond its cancellation where it ``goes_on``, until `stop`. Raises `Conflict` then."""
        task = asyncio.create_task(coroutine)
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        try:
            return await (asyncio.shield(task) if goes_on else task)
        except asyncio.CancelledError:
            if not (self._closed and task.cancelled()):
                raise
            raise Conflict(STOPPED, "Start the service again, and measure once more.") from None

    @staticmethod
    def _stop_timer(opened: _Opened) -> None:
        if opened.timer is not None:
            opened.timer.cancel()
            opened.timer = None


def _measured_out(
    measured: Measured, lab: MeasuringLab, window: MarkedWindow, marks: Sequence[LabelledMark]
) -> MeasuredOut:
    figures = figures_of(measured, lab)
    result, run = figures.result, measured.record
    return MeasuredOut(
        run_id=run.run_id,
        name=run.workload,
        server=run.server,
        configuration=run.configuration,
        unit=run.unit,
        duration_s=measured.duration_s,
        power=result.power and result.power.bare,
        energy=_energy(result),
        throughput=result.throughput and result.throughput.bare,
        efficiency=result.efficiency and result.efficiency.bare,
        peak_w=figures.trace.peak_w if figures.trace else None,
        instead_of_wall=figures.instead or None,
        simulated=result.simulated,
        basis=result.basis,
        parts=_parts(figures, lab, window, marks),
        lines=[LineOut(name=name, text=text) for name, text in figures.lines],
        remarks=_remarks(figures, window, marks),
    )


def _energy(result: Result) -> Quantity | None:
    power, joules = result.power, result.energy_j
    if power is None or joules is None:
        return None
    u = None if power.u is None else power.u * joules / power.value
    return Quantity(value=joules, unit="J", u=u, dof=power.dof, k95=power.k95)


def _parts(figures: Figures, lab: MeasuringLab, window: MarkedWindow, marks: Sequence[LabelledMark]) -> list[PartOut]:
    """Compute the figures of the parts; they are those of what was measured instead of the wall, as for the whole."""
    parts = parts_of(marks, window)
    span = partial(lab.span, figures.measured.record.run_id)
    shown = []
    for part in parts if len(parts) <= MOST_PARTS else ():
        over = span(part.begin_ns / 1e9, part.end_ns / 1e9)
        power = over.meters[0] if figures.instead else over.server
        shown.append(
            PartOut(
                label=part.label,
                begin_s=(part.begin_ns - window.begin.utc_ns) / 1e9,
                duration_s=(part.end_ns - part.begin_ns) / 1e9,
                power=power.power,
                energy=power.energy,
            )
        )
    return shown


def _remarks(figures: Figures, window: MarkedWindow, marks: Sequence[LabelledMark]) -> list[str]:
    remarks = [] if window.remark is None else [window.remark]
    if len(marks) >= MOST_PARTS:
        remarks.append(f"{len(marks)} marks divide the window; figures of parts are given for up to {MOST_PARTS}.")
    return [*remarks, *figures.remarks]
