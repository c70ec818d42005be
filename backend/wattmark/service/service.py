"""The appliance: every room built once, started and stopped in order."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.reading import Reading

from wattmark.access.gate import Gate
from wattmark.alarms.in_window import WindowAlarms
from wattmark.alarms.log import AlarmLog
from wattmark.alarms.service import AlarmService
from wattmark.bench.bench import Bench
from wattmark.bench.calendar import local_zone
from wattmark.bench.editing.editor import BenchEditor
from wattmark.bench.out import bench_out
from wattmark.bench.service import BenchService
from wattmark.bench.views import BenchOut
from wattmark.campaigns.context import Lab
from wattmark.campaigns.health.health import Health
from wattmark.campaigns.history import StoredCampaigns
from wattmark.campaigns.marker_pipe import MarkerPipe
from wattmark.campaigns.planning.forecast import Forecasts
from wattmark.campaigns.planning.view import Plans, plan_out
from wattmark.campaigns.power.control import PowerControl
from wattmark.campaigns.power.leftover import Leftovers
from wattmark.campaigns.queue.queue import PlanQueue
from wattmark.campaigns.repeating import find_disturbed
from wattmark.campaigns.runners import Runners
from wattmark.campaigns.running import Campaigns
from wattmark.campaigns.servers import reached
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import find_campaign, latest_unfinished
from wattmark.campaigns.watch.live_feed import LiveFeed
from wattmark.comparison.comparisons import Comparisons, Planted
from wattmark.comparison.published.imported import ImportedResults
from wattmark.comparison.published.library import load_published
from wattmark.core.errors import Conflict
from wattmark.core.instants import iso
from wattmark.core.place import without_place
from wattmark.core.version import version
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.sending.sinks import Sinks
from wattmark.fleet.targets import configured_targets
from wattmark.gateway.gateway import Gateway
from wattmark.importers.opened import remove_scratch
from wattmark.instruments.bench_editor import open_bench_editor
from wattmark.instruments.check_standard import LiveCheckStandards
from wattmark.instruments.connecting import Connecting
from wattmark.instruments.entries import pace
from wattmark.instruments.instruments import build_meters, meter_identities, meter_records, supply_states
from wattmark.instruments.known_bench import model_facts
from wattmark.instruments.meter_checks import MeterChecks
from wattmark.instruments.ready import wait_for_window
from wattmark.live_out.live_out import LiveOut
from wattmark.measurements.lab import MeasuringLab
from wattmark.measurements.opened import OpenMeasurements
from wattmark.notices.notices import Notices
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor
from wattmark.recording.recorder import Recorder
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.calibration import Calibration
from wattmark.results.issued.elsewhere import computed_by
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.inclusions import Inclusions
from wattmark.results.pages.retention import Retention, thin_by_itself
from wattmark.results.pages.run_pages import RunPages
from wattmark.results.result import Result
from wattmark.runs.annotations.annotations import Annotations
from wattmark.runs.record import MeterRecord
from wattmark.runs.trash import Trash
from wattmark.service.figures import publish, publish_meters, publish_outboxes, publish_outputs, publish_reader
from wattmark.service.health import (
    bench_notes,
    folder_problems,
    meter_problems,
    place_notes,
    rebuilt_notes,
    source_notes,
    write_problems,
)
from wattmark.service.measuring import served_lab
from wattmark.service.metrics.timed import TimedClock, TimedSamples
from wattmark.service.settings import Settings
from wattmark.service.wings import Wings
from wattmark.store.database import FILE_NAME
from wattmark.store.rebuild import kept_aside
from wattmark.traceability.check_standards.service import CheckStandards
from wattmark.workloads.markers import MarkerBoard, MarkerInbox

if TYPE_CHECKING:
    from wattmark.service.metrics.figures import Figures
    from wattmark.service.reader.keeper import Reader


def nothing_planted(_: str) -> None:
    """Return None: no load model is known for a server."""


class Service:
    """All rooms, wired. Use as an async context: entering starts the samplers, leaving stops load and samplers."""

    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        editor: BenchEditor,
        *,
        clock: Clock,
        planted: Planted = nothing_planted,
        figures: Figures | None = None,
        reader: Reader | None = None,
    ) -> None:
        self.settings = settings
        self.reader = reader
        self.version = version()
        self.started = iso(clock.utc_ns())
        self._clock = clock
        self._storage = storage
        self.hub = LiveHub(clock)
        self.gate = Gate(storage.tokens, storage.audit, clock, session_s=settings.session_hours * 3600)
        self.figures = figures
        self._written = TimedSamples(storage.samples, clock, *([figures.store_write_s] if figures else ()))
        self._recorder = Recorder(self._written, clock)
        aligned = editor.bench.schedule == "aligned"
        meters = build_meters(editor.bench, clock)
        sampling_clock = TimedClock(clock, figures.poll_late_s) if figures else clock
        self._alarm_log = AlarmLog(storage.alarms, clock)
        self.notices = Notices(lambda: editor.bench, self.hub.problems, self.hub.is_simulated, clock)
        self.alarms = AlarmService(
            lambda: editor.bench, self._alarm_log, self.hub.is_simulated, begun=self.notices.alarm
        )
        window_alarms = WindowAlarms(lambda: editor.bench, self.alarms, self._alarm_log, storage.alarms)
        self.live_out = LiveOut(lambda: editor.bench, self.hub, clock)
        self.gateway = Gateway(
            lambda: editor.bench,
            self.hub,
            lambda: self._monitor.meters,
            storage.certificates.register,
            clock,
            own_port=settings.port or None,
        )
        self._monitor = Monitor(meters, self.hub, self._recorder, sampling_clock, aligned=aligned, watch=self._watch)
        if figures:
            publish(figures, storage, self.hub, self._recorder, self.alarms)
            publish_meters(figures, self.live_out)
            publish_outputs(figures, self.live_out)
        if figures and reader:
            publish_reader(figures, reader)
        self.bench = BenchService(editor, self._monitor, lambda bench: build_meters(bench, clock))
        self.plans = Plans(lambda: self._bench, clock)
        markers = MarkerBoard()
        self._marker_inbox = MarkerInbox(markers, clock)
        lab = Lab(
            bench=editor.bench,
            clock=clock,
            runs=storage.runs,
            recorder=self._recorder,
            feed=LiveFeed(self.hub),
            board=markers,
            meters=lambda server: meter_records(editor.bench, self._monitor.meters, server),
            identities=lambda server: meter_identities(editor.bench, self._monitor.meters, server),
            supplies=lambda server: supply_states(editor.bench, self._monitor.meters, server),
            instruments_answer=lambda names, window_s, stopped: wait_for_window(
                self._monitor, names, window_s, clock, stopped
            ),
            alarms=window_alarms.within,
            evaluate=self._evaluate,
            power=PowerControl(settings.data_dir, clock),
        )
        self.measurements = OpenMeasurements(storage.runs, self._measuring_lab, self._require_no_campaign)
        self._runners = Runners(self.bench, lab, self.measurements.require_unmeasured)
        compute = computed_by(reader.ask) if reader else None
        self.results = Evaluations(storage, compute)
        self.forecasts = Forecasts(lab.meters, self.results, clock)
        self.comparisons = Comparisons(self.results, load_published, planted, ImportedResults(storage.runs))
        self.pages = RunPages(storage, self.results)
        self.sources = Sources(self.results, lambda: self.pages, lambda: self.comparisons, storage.annotations)
        self.annotations = Annotations(storage.annotations, storage.runs)
        self.inclusions = Inclusions(storage.annotations, self.results.issued, clock)
        self.trash = Trash(storage.runs, storage.delete_run, clock)
        self.calibration = Calibration(storage, self.results, clock, self._runners.bench_records)
        self.wings = Wings(
            settings.data_dir, storage, self.results, self.calibration.issuer, lambda: self._bench.lab, clock
        )
        dossiers = Dossiers(storage, self.results, lambda: self._bench.lab)
        self.sinks = Sinks(configured_targets(), storage.database, dossiers, clock)
        if figures:
            publish_outboxes(figures, self.sinks.states)
        self.campaigns = Campaigns(
            self._runners.make,
            self._publish_campaign,
            partial(find_campaign, storage.runs, bench=self._bench.file),
            partial(find_disturbed, storage, bench=self._bench.file),
        )
        self.history = StoredCampaigns(storage)
        zone = local_zone()
        self.queue = PlanQueue(
            self.bench, self.campaigns, storage.runs, clock, zone, self.measurements.require_unmeasured
        )
        self._leftovers = Leftovers(
            lab.power, lambda server: reached(self._bench.server(server), self._bench, clock), clock, self._in_use
        )
        self.health = Health(storage, self.results, lambda: self._bench, self.history, zone, self._leftovers.notes)
        self.bench.guard(
            lambda: self._runners.planned if self.campaigns.running else None, lambda: self.measurements.servers
        )
        self.check_standards = LiveCheckStandards(
            CheckStandards(storage.check_standards, clock, lambda: [meter.id for meter in self._bench.meters]),
            self._monitor,
            clock,
            busy=lambda: self.campaigns.running,
            closed=lambda: self.hub.closed,
        )
        self.meter_checks = MeterChecks(lambda: self._bench, self._monitor, clock, closed=lambda: self.hub.closed)
        self.connecting = Connecting(editor, clock, lambda: self.campaigns.running)
        self._marker_pipe = MarkerPipe(settings.data_dir, self._marker_inbox.mark_line)
        self._retention = Retention(storage, self.calibration.issuer, clock)
        self._sampling: asyncio.Task[None] | None = None
        self._thinning: asyncio.Task[None] | None = None
        self._queueing: asyncio.Task[None] | None = None
        self._undoing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Start the samplers, and the reader of stored runs where there is one."""
        self._storage.runs.mark_interrupted()
        self._alarm_log.close_left()
        await asyncio.to_thread(self.calibration.issuer.complete_rows)
        if self.reader is not None:
            self.reader.start()
        await asyncio.to_thread(self.trash.purge)
        self.campaigns.show_resumable(latest_unfinished(self._storage.runs, self._bench.file, newest_only=True))
        self._sampling = asyncio.create_task(self._monitor.run(), name="monitor")
        if self.settings.thin_after_days is not None:
            work = thin_by_itself(self._retention, self.settings.thin_after_days, self._clock, lambda: self.recording)
            self._thinning = asyncio.create_task(work, name="retention")
        self._undoing = asyncio.create_task(self._leftovers.run(), name="power settings")
        self._marker_pipe.open()
        self.sinks.start()
        self.live_out.start()
        self.gateway.start()
        self.notices.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the load, then the samplers, then the store."""
        self.end_streams()
        self._marker_pipe.close()
        if self._queueing is not None:
            self._queueing.cancel()
        await self.campaigns.close()
        await self.measurements.close()
        if self._undoing is not None:
            self._undoing.cancel()
            await asyncio.wait([self._undoing])
        if self._thinning is not None:
            self._thinning.cancel()
        await self.live_out.stop()
        await self.gateway.stop()
        await self._monitor.stop()
        self.alarms.stop()
        await self.notices.stop()
        await self.sinks.stop()
        if self.reader is not None:
            await self.reader.stop()
        if self._sampling is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._sampling
        await asyncio.to_thread(self._storage.close)

    def provided(self) -> dict[type[object], object]:
        """Map each class that routes need to its one instance here; wings come with their sections."""
        parts: list[object] = [self.gate, self.bench, self.plans, self.campaigns, self._marker_inbox, self._alarm_log]
        parts += [self.pages, self.comparisons, self.sources, self.annotations, self.inclusions, self.trash]
        parts += [self.calibration, self.sinks, self.check_standards, self.meter_checks]
        parts += [self.connecting, self.history, self.forecasts, self.live_out, self.gateway]
        parts += [self.queue, self.health, self.measurements, self.notices]
        return {type(part): part for part in parts}

    @property
    def alarm(self) -> str | None:
        """Explain why samples are not going to disk, to people elsewhere too; None while they are."""
        alarm = self._recorder.alarm
        return None if alarm is None else without_place(alarm, self.settings.data_dir, "the data folder")

    def problems(self) -> list[str]:
        """List what keeps this service from working; empty when it is ready."""
        problems = folder_problems(self.settings.data_dir) + write_problems(self.alarm, self._written.lasts_s)
        meters = [meter.id for meter in self._bench.meters]
        problems += meter_problems(meters, self.hub.problems(), self.hub.frozen(wholly=True))
        if self._sampling is None or self._sampling.done():
            problems.append("The meters are not sampled: start the service again.")
        return problems

    def notes(self) -> list[str]:
        """List what does not work although this service can measure."""
        notes = source_notes(self.hub.problems(), self.hub.frozen()) + bench_notes(self.bench.editor.fixed)
        notes += self._leftovers.notes() + self.gateway.notes() + self.notices.notes()
        notes += rebuilt_notes(kept_aside(self.settings.data_dir / FILE_NAME))
        if self.reader is not None:
            notes += [self.reader.problem] if self.reader.problem else []
            notes += place_notes({kind: (lane.most, lane.unasked) for kind, lane in self.reader.lanes.items()})
        return notes

    def follow_queue(self) -> None:
        """Start plans from the queue from now on; a command that runs one plan does without."""
        self._queueing = asyncio.create_task(self.queue.run(), name="queue of plans")

    def announce(self, address: str) -> None:
        """Tell commands that find the data folder in use where this service is. Raises `StoreError`."""
        self._storage.database.announce(address)

    def end_streams(self) -> None:
        """Stop every live stream and what waits for meters, so that the server can stop."""
        self.hub.close()
        self.measurements.stop()

    @property
    def lab(self) -> str:
        """Return the lab's name; empty where the bench has none."""
        return self._bench.lab

    @property
    def recording(self) -> bool:
        """Return whether a campaign is running, or a measurement is open."""
        return self.campaigns.running or bool(self.measurements.servers)

    def bench_records(self) -> list[MeterRecord]:
        """Describe every meter of the bench as a run would record it now."""
        return self._runners.bench_records()

    def now_s(self) -> float:
        """Read the time of this service [Unix seconds]."""
        return self._clock.utc_ns() * 1e-9

    def bench_out(self) -> BenchOut:
        """Describe the bench."""
        editor = self.bench.editor
        plans = [plan_out(plan, editor.bench) for plan in editor.bench.plans]
        file = None if editor.exists else {"file": None}
        shown = bench_out(editor.bench, plans, model_facts, pace)
        return shown.model_copy(update={"version": editor.version, **(file or {})})

    @property
    def _bench(self) -> Bench:
        return self.bench.editor.bench

    def _publish_campaign(self, status: CampaignOut) -> None:
        """Show a state of the campaign to who looks, and tell those who do not."""
        self.hub.publish_campaign(status)
        self.notices.campaign(status)

    def _watch(self, source: str, readings: Sequence[Reading]) -> None:
        """Pass on the readings that recorder and live view have taken."""
        self.alarms.take(source, readings)
        self.live_out.take(source, readings)
        self.gateway.take(source, readings)

    def _measuring_lab(self, server: str | None) -> MeasuringLab:
        self.bench.require_rest()
        return served_lab(
            self._bench,
            server,
            self._monitor,
            self._recorder,
            self._clock,
            self._storage,
            self._evaluate,
            self.pages.span,
            self._leftovers.clear,
        )

    def _in_use(self) -> frozenset[str]:
        """Name the servers that a campaign or a measurement uses."""
        plan = self._runners.planned if self.campaigns.running else None
        return (plan.servers if plan else frozenset()) | frozenset(self.measurements.servers)

    def _require_no_campaign(self, server: str) -> None:
        plan = self._runners.planned
        if self.campaigns.running and plan is not None and server in plan.servers:
            raise Conflict(
                f"The campaign {plan.name} is running and uses the server {server}.",
                "Stop the campaign, or wait until it ends.",
            )

    def _evaluate(self, run_id: str) -> Result:
        return self.calibration.issuer.first(self.results.record(run_id))


def open_service(
    settings: Settings,
    *,
    clock: Clock | None = None,
    planted: Planted = nothing_planted,
    figures: Figures | None = None,
    reader: Reader | None = None,
) -> Service:
    """Check the bench file, open the store and build the service. Raises `WattmarkError` with the remedy."""
    clock = clock or SystemClock()
    editor = open_bench_editor(settings.bench, settings.data_dir, clock)
    storage = open_storage(settings.data_dir)
    try:
        remove_scratch(settings.data_dir)
        return Service(settings, storage, editor, clock=clock, planted=planted, figures=figures, reader=reader)
    except BaseException:
        storage.close()
        raise
