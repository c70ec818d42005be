"""The figures of the appliance that Prometheus reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from wattmark.alarms.service import AlarmService
from wattmark.live_out.live_meters import MeterNow
from wattmark.live_out.live_out import LiveOut
from wattmark.live_out.output import Tally
from wattmark.recording.live import LiveHub
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import Storage
from wattmark.store.outbox.outbox_types import OutboxState

if TYPE_CHECKING:
    from wattmark.service.metrics.figures import Figures, Values
    from wattmark.service.reader.keeper import Reader


def publish(figures: Figures, storage: Storage, hub: LiveHub, recorder: Recorder, alarms: AlarmService) -> None:
    """Register the figures that are read on request."""
    from wattmark.service.metrics.figures import Figure

    for figure in (
        Figure(
            "wattmark_last_sample_age_seconds", "Age of the newest sample.", lambda: _by_name(hub.ages_s()), ("source",)
        ),
        Figure(
            "wattmark_limit_alarm",
            "1 for a channel that is outside a limit of the bench.",
            lambda: [
                ((alarm.source, alarm.channel, alarm.side), 1.0) for alarm in alarms.alarms() if alarm.end_s is None
            ],
            ("source", "channel", "side"),
        ),
        Figure("wattmark_source_lost", "1 for a source that does not answer.", lambda: _lost(hub), ("source",)),
        Figure("wattmark_source_frozen", "1 for a source that repeats a reading.", lambda: _frozen(hub), ("source",)),
        Figure(
            "wattmark_runs", "Stored runs by status.", lambda: _by_name(storage.runs.count_by_status()), ("status",)
        ),
        Figure("wattmark_live_listeners", "Open live views.", lambda: [((), hub.listeners)]),
        Figure(
            "wattmark_dropped_samples",
            "Samples of runs that were never stored.",
            lambda: [((), recorder.dropped_samples)],
            counts=True,
        ),
        Figure(
            "wattmark_dropped_live_batches",
            "Batches dropped because a live view was too slow.",
            lambda: [((), hub.dropped_batches)],
            counts=True,
        ),
    ):
        figures.add(figure)


def publish_meters(figures: Figures, live_out: LiveOut) -> None:
    """Register what the meters measure; no values unless the bench asks for them.

    Each meter and BMC has at most one series of a figure. A reading that is too old is left out, not repeated.
    """
    from wattmark.service.metrics.figures import Figure

    def place(meter: MeterNow) -> tuple[str, ...]:
        return meter.name, ",".join(meter.servers), meter.role, str(meter.simulated).lower()

    of_place = ("meter", "server", "role", "simulated")
    for figure in (
        Figure(
            "wattmark_power_watts",
            "Power that the meter shows now, not corrected by a certificate.",
            lambda: [
                ((*place(meter), meter.quality), meter.power_w)
                for meter in live_out.for_prometheus()
                if meter.power_w is not None
            ],
            (*of_place, "quality"),
        ),
        Figure(
            "wattmark_energy_joules",
            "Energy since the service started, from accepted readings; across gaps by the meter's register.",
            lambda: [(place(meter), meter.energy_j) for meter in live_out.for_prometheus()],
            of_place,
            counts=True,
        ),
        Figure(
            "wattmark_reading_age_seconds",
            "Time since the newest accepted reading of power.",
            lambda: [((meter.name,), meter.age_s) for meter in live_out.for_prometheus() if meter.age_s is not None],
            ("meter",),
        ),
        Figure(
            "wattmark_excluded_readings",
            "Readings that were implausible, out of range, stale or no numbers.",
            lambda: [((meter.name,), meter.excluded) for meter in live_out.for_prometheus()],
            ("meter",),
            counts=True,
        ),
    ):
        figures.add(figure)


def publish_outputs(figures: Figures, live_out: LiveOut) -> None:
    """Register what became of readings that are sent to other machines; no values where none are."""
    from wattmark.service.metrics.figures import Figure

    def read(number: Callable[[Tally], float]) -> Callable[[], Values]:
        return lambda: [((name,), number(tally)) for name, tally in live_out.sending()]

    for name, text, number, counts in (
        ("wattmark_output_sent_readings", "Live readings that were acknowledged.", lambda tally: tally.sent, True),
        ("wattmark_output_unsent_readings", "Live readings that were not sent.", lambda tally: tally.not_sent, True),
        (
            "wattmark_output_blocked",
            "1 while something keeps an output from sending.",
            lambda tally: bool(tally.problem),
            False,
        ),
    ):
        figures.add(Figure(name, text, read(number), ("output",), counts=counts))


def publish_outboxes(figures: Figures, states: Callable[[], Sequence[OutboxState]]) -> None:
    """Register how much is to be sent to each server; no values where nothing is sent."""
    from wattmark.service.metrics.figures import Figure

    def read(number: Callable[[OutboxState], float]) -> Callable[[], Values]:
        return lambda: [((now.target,), number(now)) for now in states()]

    for name, text, number in (
        ("wattmark_outbox_waiting_samples", "Samples not yet acknowledged by the server.", lambda now: now.waiting),
        ("wattmark_outbox_waiting_runs", "Runs whose record is not yet acknowledged.", lambda now: now.waiting_runs),
        ("wattmark_outbox_blocked", "1 while something keeps the outbox from sending.", lambda now: bool(now.problem)),
    ):
        figures.add(Figure(name, text, read(number), ("target",)))
    refused = read(lambda now: now.refused)
    figures.add(
        Figure("wattmark_outbox_refused_points", "Points that the server rejected.", refused, ("target",), counts=True)
    )


def publish_reader(figures: Figures, reader: Reader) -> None:
    """Register the state of the process that reads stored runs."""
    from wattmark.service.metrics.figures import Figure

    for figure in (
        Figure("wattmark_reader_ready", "1 while stored runs can be read.", lambda: [((), float(reader.ready))]),
        Figure("wattmark_reader_starts", "Starts of the reader.", lambda: [((), reader.starts)], counts=True),
        Figure("wattmark_reader_memory_bytes", "Memory of the reader.", lambda: [((), reader.resident_bytes())]),
        Figure(
            "wattmark_reader_answering",
            "Answers about stored runs in preparation.",
            lambda: [((kind,), lane.answering) for kind, lane in reader.lanes.items()],
            ("kind",),
        ),
        Figure(
            "wattmark_reader_waiting",
            "Requests about stored runs that are waiting.",
            lambda: [((kind,), lane.waiting) for kind, lane in reader.lanes.items()],
            ("kind",),
        ),
        Figure(
            "wattmark_reader_unasked",
            "Places for answers about stored runs that are taken although nobody asks.",
            lambda: [((kind,), lane.unasked) for kind, lane in reader.lanes.items()],
            ("kind",),
        ),
        Figure(
            "wattmark_reader_refused",
            "Requests about stored runs that waited too long.",
            lambda: [((kind,), lane.refused) for kind, lane in reader.lanes.items()],
            ("kind",),
            counts=True,
        ),
    ):
        figures.add(figure)


def _by_name(values: Mapping[str, float]) -> Values:
    return [((name,), value) for name, value in values.items()]


def _lost(hub: LiveHub) -> Values:
    return [((name,), float(problem is not None)) for name, problem in hub.problems().items()]


def _frozen(hub: LiveHub) -> Values:
    frozen = hub.frozen()
    return [((name,), float(name in frozen)) for name in hub.problems()]
