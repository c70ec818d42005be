"""Send what meters show to an OpenTelemetry collector, by the SDK and its exporter for OTLP over HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.client import BadStatusLine
from typing import Any

import requests
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Metric,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from requests.adapters import HTTPAdapter
from wattmark_drivers.clock import Clock

from wattmark.bench.bench import Bench
from wattmark.bench.outputs import OtelOutput
from wattmark.core.bounded_http import bound
from wattmark.core.errors import WattmarkError
from wattmark.core.passwords import bearer
from wattmark.core.unwaited import run_unwaited
from wattmark.core.version import version
from wattmark.live_out.hardware import Hardware, hardware
from wattmark.live_out.live_meters import MeterNow

TIMEOUT_S = 5.0
"""How long a collector may take to answer, attempts together [s]."""
MOST_BYTES = 2**20
"""Longest answer that is read."""
_REMEDY = "Check endpoint and ca_file, and that the collector has a receiver for OTLP over HTTP."
_REMEDIES: Mapping[int | None, str] = {
    **dict.fromkeys((401, 403), "Check the token (token_env or token_file)."),
    **dict.fromkeys((429, 502, 503, 504), "wattmark retries automatically. If it lasts, look at the collector's log."),
}
"""What to do, by the status of the answer."""
logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL + 1)
"""The exporter logs each failure; the output reports it once."""


class NotTaken(WattmarkError):  # noqa: N818 - reads better at the raise site
    """The collector did not take what was sent."""


class Collector:
    """One collector. Nothing is buffered: what it does not take now is not sent later."""

    def __init__(
        self, settings: OtelOutput, bench: Callable[[], Bench], token: Callable[[], str] | None, clock: Clock
    ) -> None:
        """``bench`` gives the one in force: which meters are a host may change at any time."""
        self._bench = bench
        self._clock = clock
        self._session = _Session()
        self._label = settings.endpoint
        self._exporter = OTLPMetricExporter(
            endpoint=f"{settings.endpoint.rstrip('/')}/v1/metrics",
            certificate_file=None if settings.ca_file is None else str(bench().folder / settings.ca_file),
            headers={} if token is None else {"Authorization": bearer(token(), "the OpenTelemetry collector")},
            timeout=TIMEOUT_S,
            session=self._session,
        )

    async def send(self, meters: Sequence[MeterNow]) -> int:
        """Send all hosts and parts in one request; return how many meters they are of. Raises `NotTaken`."""
        return await asyncio.wrap_future(run_unwaited(lambda: self._export(meters), "wattmark-otlp"))

    async def send_one(self, meter: MeterNow) -> str:
        """Send what one meter measures; return the collector's answer in words. Raises `NotTaken`."""
        if not hardware([meter], self._bench()):
            raise NotTaken(
                f"{meter.name} measures nothing that has a name in OpenTelemetry.",
                "Add a wall meter or a BMC of a server to the bench.",
            )
        await self.send([meter])
        return f"The collector {self._label} took the reading of {meter.name} (status {self._session.status})."

    async def close(self) -> None:
        """End a request that is under way, and the connection. Never raises."""
        self._exporter.shutdown()

    def _export(self, meters: Sequence[MeterNow]) -> int:
        bench = self._bench()
        measured = hardware(meters, bench)
        data = metrics_data(measured, bench.lab, self._clock.utc_ns())
        if not measured:
            return 0
        self._session.begin()
        taken = self._exporter.export(data) is MetricExportResult.SUCCESS
        problem = self._session.problem
        if not taken or problem is not None:
            raise NotTaken(
                f"The collector {self._label} did not take the readings: {problem or 'no answer in time'}.",
                _REMEDIES.get(self._session.status, _REMEDY),
            )
        return len({name for item in measured for name in item.meters})


class _Session(requests.Session):
    """The connection of the exporter, which keeps what the exporter only logs: the answer to the latest request.

    Answers are bounded, redirects refused, and no proxy or password of the environment is used.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False
        self.headers["Accept-Encoding"] = "identity"
        for scheme in ("http://", "https://"):
            adapter = HTTPAdapter()
            bound(adapter.poolmanager, MOST_BYTES, TIMEOUT_S)
            self.mount(scheme, adapter)
        self.begin()

    def begin(self) -> None:
        """Forget the answer before."""
        self.status: int | None = None
        self.problem: str | None = None

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """Send a request; raises as requests does, `BadAnswer` and `OSError`."""
        self.begin()
        try:
            answer = super().send(request, **kwargs)
        except WattmarkError as error:
            self.problem = f"it {error.cause}"
            raise
        except Exception as error:  # of files too, as a certificate that is not there
            self.problem = _reason(error)
            raise
        self.status = answer.status_code
        self.problem = _refusal(answer)
        return answer


def _reason(error: Exception) -> str:
    """Return the innermost cause of a failed request, on one line."""
    cause: BaseException = error
    while (inner := cause.__cause__ or cause.__context__) is not None:
        cause = inner
    if type(cause) is BadStatusLine:
        return "it does not speak HTTP"
    return _line(str(getattr(cause, "strerror", None) or cause) or type(cause).__name__)


def _line(text: str) -> str:
    """Return the begin of a text, which may be another machine's, as one line that can be printed."""
    return "".join(sign if sign.isprintable() else " " for sign in text[:160]).rstrip(" .")


def _refusal(answer: requests.Response) -> str | None:
    """Return why an answer is no full success; None where it is one."""
    if answer.status_code != requests.codes.ok:
        return _line(f"it answers with status {answer.status_code} {answer.reason or ''}")
    try:
        partial = ExportMetricsServiceResponse.FromString(answer.content).partial_success
    except DecodeError:
        return "it answers with something that is not OTLP"
    if not partial.rejected_data_points:
        return None
    words = _line(partial.error_message)
    return f"it rejects {partial.rejected_data_points} of them" + (f" ({words})" if words else "")


def metrics_data(measured: Iterable[Hardware], lab: str, now_ns: int) -> MetricsData:
    """Write hosts and parts as the data model of the SDK: a resource for each host, a metric for each quantity."""
    by_host: defaultdict[str | None, list[Hardware]] = defaultdict(list)
    for item in measured:
        by_host[item.host].append(item)
    scope = InstrumentationScope("wattmark", version())
    resources = [
        ResourceMetrics(_resource(host, lab), [ScopeMetrics(scope, _metrics(items, now_ns), "")], "")
        for host, items in by_host.items()
    ]
    return MetricsData(resources)


def _resource(host: str | None, lab: str) -> Resource:
    named = {} if host is None else {"host.name": host}
    return Resource.create({"service.name": "wattmark", "service.version": version(), "wattmark.lab": lab, **named})


def _metrics(items: Sequence[Hardware], now_ns: int) -> list[Metric]:
    hosts, parts = [item for item in items if item.whole], [item for item in items if not item.whole]
    metrics = [
        _energy("hw.host.energy", "Total energy consumed by the entire physical host.", hosts, now_ns),
        _power("hw.host.power", "Power consumed by the entire physical host.", hosts, now_ns),
        _energy("hw.energy", "Energy consumed by the component.", parts, now_ns),
        _power("hw.power", "Power consumed by the component.", parts, now_ns),
    ]
    return [metric for metric in metrics if metric.data.data_points]


def _energy(name: str, text: str, items: Sequence[Hardware], now_ns: int) -> Metric:
    points = [NumberDataPoint(item.attributes, item.since_ns, now_ns, item.energy_j) for item in items]
    return Metric(name, text, "J", Sum(points, AggregationTemporality.CUMULATIVE, is_monotonic=True))


def _power(name: str, text: str, items: Sequence[Hardware], now_ns: int) -> Metric:
    points = [
        NumberDataPoint(
            {**item.attributes, "wattmark.quality": item.quality}, 0, now_ns - int(item.age_s * 1e9), item.power_w
        )
        for item in items
        if item.power_w is not None
    ]
    return Metric(name, text, "W", Gauge(points))
