"""The figures of a running service in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_1_0_0, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

LATENESS_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
WRITE_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

Values = Iterable[tuple[Sequence[str], float]]
"""Values of a figure, each with the values of its labels."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that is read when somebody asks. ``counts``: it only grows, and its name ends in ``_total``."""

    name: str
    help: str
    read: Callable[[], Values]
    labels: tuple[str, ...] = ()
    counts: bool = False

    def family(self) -> Metric:
        """Read the values."""
        kind = CounterMetricFamily if self.counts else GaugeMetricFamily
        family = kind(self.name, self.help, labels=self.labels)
        for labels, value in self.read():
            family.add_metric(labels, value)
        return family


class _Read(Collector):
    def __init__(self, figures: list[Figure]) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        for figure in self._figures:
            yield figure.family()

    def describe(self) -> list[Metric]:
        return []


class Figures:
    """Observe as things happen, read the rest when asked. Safe from any thread."""

    content_type = CONTENT_TYPE_PLAIN_1_0_0

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._read: list[Figure] = []
        self._registry.register(_Read(self._read))
        self.poll_late_s = self._histogram(
            "wattmark_poll_lateness_seconds", "Delay of the start of a poll of a meter.", LATENESS_S
        )
        self.store_write_s = self._histogram(
            "wattmark_store_write_seconds", "Duration of a durable write of samples.", WRITE_S
        )

    def add(self, figure: Figure) -> None:
        """Add a figure; any room may, such as the depth of an outbox."""
        self._read.append(figure)

    def text(self) -> bytes:
        """Write all figures with their present values."""
        return generate_latest(self._registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...]) -> Callable[[float], None]:
        return Histogram(name, text, buckets=buckets, registry=self._registry).observe
