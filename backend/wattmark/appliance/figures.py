"""Which figures of the appliance Prometheus sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wattmark.recording.live import LiveHub
from wattmark.recording.recorder import Recorder
from wattmark.storage.open import Storage

if TYPE_CHECKING:
    from wattmark.metrics.figures import Figures, Values


def publish(figures: Figures, storage: Storage, hub: LiveHub, recorder: Recorder) -> None:
    """Give the figures that are read when somebody asks."""
    from wattmark.metrics.figures import Figure

    for figure in (
        Figure(
            "wattmark_last_sample_age_seconds", "Age of the newest sample.", lambda: _by_name(hub.ages_s()), ("source",)
        ),
        Figure("wattmark_source_lost", "1 for a source that does not answer.", lambda: _lost(hub), ("source",)),
        Figure(
            "wattmark_runs", "Stored runs by status.", lambda: _by_name(storage.runs.count_by_status()), ("status",)
        ),
        Figure("wattmark_live_listeners", "Open live views.", lambda: [((), hub.listeners)]),
        Figure(
            "wattmark_dropped_samples",
            "Samples of runs that the store never took.",
            lambda: [((), recorder.dropped_samples)],
            counts=True,
        ),
        Figure(
            "wattmark_dropped_live_batches",
            "Batches that live views were too slow for.",
            lambda: [((), hub.dropped_batches)],
            counts=True,
        ),
    ):
        figures.add(figure)


def _by_name(values: Mapping[str, float]) -> Values:
    return [((name,), value) for name, value in values.items()]


def _lost(hub: LiveHub) -> Values:
    return [((name,), float(problem is not None)) for name, problem in hub.problems().items()]
