"""A collector that reads OTLP over HTTP with the messages of OpenTelemetry's own protocol package."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsPartialSuccess,
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)

from tests.web_peer import Handler


@dataclass
class CollectorStub:
    """What it was sent, and what it answers."""

    requests: list[ExportMetricsServiceRequest] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    status: int = 200
    answer_headers: dict[str, str] = field(default_factory=dict)
    body: bytes = ExportMetricsServiceResponse().SerializeToString()

    def reject(self, points: int, words: str) -> None:
        """Take only some of the points, as the protocol allows."""
        partial = ExportMetricsPartialSuccess(rejected_data_points=points, error_message=words)
        self.body = ExportMetricsServiceResponse(partial_success=partial).SerializeToString()

    def metrics(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """List the points of the newest request, by host and metric."""
        metrics: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for resource in self.requests[-1].resource_metrics:
            host = _plain(resource.resource.attributes).get("host.name", "")
            for metric in (metric for scope in resource.scope_metrics for metric in scope.metrics):
                kind = metric.WhichOneof("data")
                metrics[host, metric.name] = [
                    {
                        "unit": metric.unit,
                        "kind": kind,
                        "value": point.as_double,
                        "begin_ns": point.start_time_unix_nano,
                        "t_ns": point.time_unix_nano,
                        **_plain(point.attributes),
                    }
                    for point in getattr(metric, kind).data_points
                ]
        return metrics


class Receiver(Handler):
    """Hand each request to the stub; to be served with `tests.web_peer.serving`."""

    stub: CollectorStub

    def do_POST(self) -> None:
        stub = self.stub
        stub.requests.append(ExportMetricsServiceRequest.FromString(self.body()))
        stub.paths.append(self.path)
        stub.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.send(stub.status, stub.body, {"Content-Type": "application/x-protobuf", **stub.answer_headers})


def _plain(attributes: Any) -> dict[str, Any]:
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in attributes}
