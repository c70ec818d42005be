"""The appliance: every room built once, started and stopped in order."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wattmark_drivers.clock import Clock, SystemClock

from wattmark.access.gate import Gate
from wattmark.alarms.book import AlarmBook
from wattmark.alarms.in_window import WindowAlarms
from wattmark.alarms.room import AlarmRoom
from wattmark.alarms.views import AlarmPage, alarm_page
from wattmark.annotations.inclusions import Inclusions
from wattmark.annotations.notebook import Notebook
from wattmark.annotations.trash import Trash
from wattmark.appliance.archives import Archives
from wattmark.appliance.bench import model_facts
from wattmark.appliance.bench_desk import BenchDesk, open_room
from wattmark.appliance.calibration import Calibration
from wattmark.appliance.campaigns import Campaigns
from wattmark.appliance.check_loads import LiveCheckLoads
from wattmark.appliance.connecting import Connecting
from wattmark.appliance.elsewhere import computed_by, rows_kept
from wattmark.appliance.figures import publish, publish_outbox, publish_reader
from wattmark.appliance.health import bench_notes, folder_problems, meter_problems, source_notes, write_problems
from wattmark.appliance.instruments import build_meters, pace
from wattmark.appliance.live_feed import HubFeed
from wattmark.appliance.marker_pipe import MarkerPipe
from wattmark.appliance.meter_checks import MeterChecks
from wattmark.appliance.queries import Queries
from wattmark.appliance.retention import Retention, thin_by_itself
from wattmark.appliance.runners import Runners
from wattmark.appliance.shared_store import SharedStore
from wattmark.appliance.sink import SinkDesk
from wattmark.appliance.warming import Warming, warmed
from wattmark.campaigns.plan import plan_out
from wattmark.campaigns.show import PlanView, plan_view
from wattmark.campaigns.stored import find_campaign, latest_unfinished
from wattmark.check_loads.room import CheckLoads
from wattmark.editing.room import BenchRoom
from wattmark.errors import NotFound
from wattmark.influx.settings import read_influx_settings
from wattmark.inventory.bench import Bench
from wattmark.inventory.out import bench_out
from wattmark.inventory.views import BenchOut
from wattmark.metrics.timed import TimedClock, TimedSamples
from wattmark.published.library import load_published
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor
from wattmark.recording.recorder import Recorder
from wattmark.runs.record import MeterRecord
from wattmark.runs.result import Result
from wattmark.settings import Settings
from wattmark.storage.open import Storage, open_storage
from wattmark.version import version
from wattmark.workloads.markers import MarkerBoard, MarkerKind, RefusedValue, parse_marker
from wattmark.workloads.marks import mark_now

if TYPE_CHECKING:
    from wattmark.metrics.figures import Figures
    from wattmark.reader.keeper import Reader

Planted = Callable[[str], dict[str, float] | None]


def nothing_planted(_: str) -> None:
    """Say that no load model is known for a server."""


class Appliance:
    """All rooms, wired. Use as an async context: entering starts the samplers, leaving stops load and samplers."""

    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        room: BenchRoom,
        *,
        clock: Clock,
        planted: Planted = nothing_planted,
        figures: Figures | None = None,
        reader: Reader | None = None,
    ) -> None:
        self.settings = settings
        self.reader = reader
        self.version = version()
        self.started = datetime.fromtimestamp(clock.utc_ns() * 1e-9, UTC).isoformat(timespec="seconds")
        self._clock = clock
        self._storage = storage
        self.hub = LiveHub(clock)
        self.gate = Gate(storage.tokens, storage.audit, clock, session_s=settings.session_hours * 3600)
        self.figures = figures
        self._written = TimedSamples(storage.samples, clock, *([figures.store_write_s] if figures else ()))
        self._recorder = Recorder(self._written, clock)
        aligned = room.bench.schedule == "aligned"
        meters = build_meters(room.bench, clock)
        sampling_clock = TimedClock(clock, figures.poll_late_s) if figures else clock
        self._alarm_book = AlarmBook(storage.alarms, clock)
        self.alarms = AlarmRoom(lambda: room.bench, self._alarm_book)
        window_alarms = WindowAlarms(lambda: room.bench, self.alarms, self._alarm_book, storage.alarms)
        self._monitor = Monitor(
            meters, self.hub, self._recorder, sampling_clock, aligned=aligned, watch=self.alarms.take
        )
        if figures:
            publish(figures, storage, self.hub, self._recorder, self.alarms)
        if figures and reader:
            publish_reader(figures, reader)
        self.bench = BenchDesk(room, self._monitor, clock)
        self._markers = MarkerBoard()
        feed = HubFeed(self.hub)
        self._runners = Runners(
            *(self.bench, storage, self._monitor, self._recorder, self._markers, feed),
            *(window_alarms.within, self._evaluate, clock),
        )
        library = load_published()
        rows_wanted = threading.Event()
        compute = computed_by(reader.ask) if reader else None
        self.queries = Queries(storage, library, planted, rows_wanted.set, compute)
        self._warming = Warming(
            partial(rows_kept, storage, reader.ask, rows_wanted)
            if reader
            else partial(warmed, self.queries, rows_wanted),
            rows_wanted,
        )
        self.notebook = Notebook(storage.annotations, storage.runs)
        self.inclusions = Inclusions(storage.annotations, self.queries.stated, clock)
        self.trash = Trash(storage.runs, self.queries.delete, clock)
        self.calibration = Calibration(storage, self.queries, clock, self._runners.bench_records)
        self.archives = Archives(storage, self.queries, self.calibration.statements)
        influx = read_influx_settings()
        self.shared = SharedStore(influx, storage, self.archives, library, clock)
        self.sink = SinkDesk(influx, storage, self.queries, clock, lambda: self._bench.lab)
        if figures:
            publish_outbox(figures, self.sink.state)
        self.campaigns = Campaigns(
            self._runners.make, self.hub.publish_campaign, partial(find_campaign, storage.runs, bench=self._bench.file)
        )
        self.bench.guard(lambda: self._runners.planned if self.campaigns.running else None)
        self.check_loads = LiveCheckLoads(
            CheckLoads(storage.check_loads, clock, lambda: [meter.id for meter in self._bench.meters]),
            self._monitor,
            clock,
            busy=lambda: self.campaigns.running,
            closed=lambda: self.hub.closed,
        )
        self.meter_checks = MeterChecks(lambda: self._bench, self._monitor, clock, closed=lambda: self.hub.closed)
        self.connecting = Connecting(room, clock, lambda: self.campaigns.running)
        self._marker_pipe = MarkerPipe(settings.data_dir, self._mark_line)
        self._retention = Retention(storage, self.calibration.statements, clock)
        self._sampling: asyncio.Task[None] | None = None
        self._thinning: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Start the samplers, and the reader of stored runs where there is one."""
        self._storage.runs.mark_interrupted()
        self._alarm_book.close_left()
        if self.reader is not None:
            self.reader.start()
        await asyncio.to_thread(self.trash.purge)
        self.campaigns.show_resumable(latest_unfinished(self._storage.runs, self._bench.file, newest_only=True))
        self._sampling = asyncio.create_task(self._monitor.run(), name="monitor")
        if self.settings.thin_after_days is not None:
            work = thin_by_itself(
                self._retention, self.settings.thin_after_days, self._clock, lambda: self.campaigns.running
            )
            self._thinning = asyncio.create_task(work, name="retention")
        self._marker_pipe.open()
        self.sink.start()
        self._warming.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the load, then the samplers, then the store."""
        self.end_streams()
        self._marker_pipe.close()
        await self.campaigns.close()
        if self._thinning is not None:
            self._thinning.cancel()
        await self._monitor.stop()
        self.alarms.stop()
        await self.sink.stop()
        if self.reader is not None:
            await self.reader.stop()
        await asyncio.to_thread(self._warming.stop)
        if self._sampling is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._sampling
        await asyncio.to_thread(self._storage.close)

    @property
    def alarm(self) -> str | None:
        """Say why samples are not going to disk; None while they are."""
        return self._recorder.alarm

    def problems(self) -> list[str]:
        """Tell what keeps this appliance from working; empty when it is ready."""
        found = folder_problems(self.settings.data_dir) + write_problems(self.alarm, self._written.lasts_s)
        meters = [meter.id for meter in self._bench.meters]
        found += meter_problems(meters, self.hub.problems(), self.hub.frozen(wholly=True))
        if self._sampling is None or self._sampling.done():
            found.append("The meters are not sampled: start the service again.")
        return found

    def notes(self) -> list[str]:
        """Tell what does not work although this appliance can measure."""
        unread = [self.reader.problem] if self.reader is not None and self.reader.problem else []
        return source_notes(self.hub.problems(), self.hub.frozen()) + bench_notes(self.bench.room.fixed) + unread

    def end_streams(self) -> None:
        """End every live stream, so that the server can stop."""
        self.hub.close()

    def mark(self, kind: MarkerKind, value: float | None = None) -> int:
        """Take a mark of a load that others start, as of now [UTC ns]. Raises `InputError` when no run waits."""
        mark = mark_now(self._clock)
        self._markers.put(kind, mark, value)
        return mark.utc_ns

    def _mark_line(self, line: str) -> None:
        """Take a line of the pipe, whose writer hears nothing: a number that cannot be counted fails the run."""
        try:
            self.mark(*parse_marker(line))
        except RefusedValue as error:
            self._markers.refuse(mark_now(self._clock), str(error))
            raise

    @property
    def lab(self) -> str:
        """Name the lab; empty where the bench does not."""
        return self._bench.lab

    def bench_records(self) -> list[MeterRecord]:
        """Describe every meter of the bench as a run would record it now."""
        return self._runners.bench_records()

    def now_s(self) -> float:
        """Read the time of this appliance [Unix seconds]."""
        return self._clock.utc_ns() * 1e-9

    def past_alarms(self, before: int | None, limit: int) -> AlarmPage:
        """List alarms that are kept, newest first, from before a number on (None: from the newest)."""
        return alarm_page(self._storage.alarms.before(before, limit + 1), limit)

    def plan_names(self) -> list[str]:
        """List the plans of the bench."""
        return [plan.name for plan in self._bench.plans]

    def plan_view(self, name: str) -> PlanView:
        """Show what a plan would do if it began now. Raises `NotFound`."""
        if name not in self.plan_names():
            known = ", ".join(self.plan_names()) or "none"
            raise NotFound(f"There is no plan {name[:80]!r}.", f"Plans of this bench: {known}.")
        return plan_view(self._bench.plan(name), self._bench, self.now_s())

    def bench_out(self) -> BenchOut:
        """Describe the bench."""
        room = self.bench.room
        plans = [plan_out(plan, room.bench) for plan in room.bench.plans]
        file = None if room.exists else {"file": None}
        shown = bench_out(room.bench, plans, model_facts, pace)
        return shown.model_copy(update={"version": room.version, **(file or {})})

    @property
    def _bench(self) -> Bench:
        return self.bench.room.bench

    def _evaluate(self, run_id: str) -> Result:
        return self.calibration.statements.first(self.queries.record(run_id))


def open_appliance(
    settings: Settings,
    *,
    clock: Clock | None = None,
    planted: Planted = nothing_planted,
    figures: Figures | None = None,
    reader: Reader | None = None,
) -> Appliance:
    """Check the bench file, open the store and build the appliance. Raises `WattmarkError` with the remedy."""
    clock = clock or SystemClock()
    room = open_room(settings, clock)
    storage = open_storage(settings.data_dir)
    try:
        return Appliance(settings, storage, room, clock=clock, planted=planted, figures=figures, reader=reader)
    except BaseException:
        storage.close()
        raise
