"""A collector takes what is sent; names, units and kinds are those of the published conventions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import Gauge, InMemoryMetricReader, Metric, Sum
from opentelemetry.semconv._incubating.attributes import host_attributes, hw_attributes
from opentelemetry.semconv._incubating.metrics import hw_metrics
from wattmark.bench.bench import Bench
from wattmark.bench.configuration import Psu
from wattmark.bench.load import parse_bench
from wattmark.bench.outputs import OtelOutput
from wattmark.bench.yaml_source import YamlSource
from wattmark.core.errors import InputError
from wattmark.live_out.collector import Collector, NotTaken, metrics_data
from wattmark.live_out.hardware import hardware
from wattmark.live_out.live_meters import MeterNow

from tests.collector_stub import CollectorStub, Receiver
from tests.set_clock import SetClock
from tests.web_peer import Handler, serving

BENCH = """\
schema: wattmark-bench/1
lab: Lab
servers:
  - id: r1
    access: {{local: true}}
    configurations: [{{id: c, os: {{name: Linux, kernel: "6.1"}}, cpu: {{model: CPU, sockets: 1}}}}]
meters:
  - {{id: wall, model: m, url: "modbus-tcp://192.0.2.1/1", feeds: [{{server: r1}}]}}
  - {{id: room, model: m, url: "modbus-tcp://192.0.2.1/2"}}
outputs:
  otel: {{endpoint: "{endpoint}"}}
"""
BEGIN_NS, NOW_NS = 1_763_640_000 * 10**9, 1_763_640_060 * 10**9
WALL = MeterNow("wall", "wall", ("r1",), True, 231.5, "good", 0.5, 13_890.0, BEGIN_NS, 0)
ROOM = MeterNow("room", "wall", (), False, 800.0, "good", 0.25, 48_000.0, BEGIN_NS, 0)


def bench(endpoint: str = "http://192.0.2.9:4318") -> Bench:
    return parse_bench(YamlSource("bench.yaml", BENCH.format(endpoint=endpoint)), Path("bench.yaml"))


def published() -> dict[str, Metric]:
    """Record one value with each instrument of OpenTelemetry's own package of the conventions."""
    reader = InMemoryMetricReader()
    meter = MeterProvider([reader]).get_meter("conventions")
    hw_metrics.create_hw_host_energy(meter).add(1)
    hw_metrics.create_hw_energy(meter).add(1)
    hw_metrics.create_hw_host_power(meter, [lambda _: [Observation(1)]])
    hw_metrics.create_hw_power(meter, [lambda _: [Observation(1)]])
    data = reader.get_metrics_data()
    assert data is not None
    return {
        metric.name: metric
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


def sent() -> dict[str, Metric]:
    data = metrics_data(hardware([WALL, ROOM], bench()), "Lab", NOW_NS)
    return {
        metric.name: metric
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


def test_names_units_and_kinds_are_those_that_are_published() -> None:
    conventions, ours = published(), sent()
    assert set(ours) == set(conventions) == {"hw.host.energy", "hw.host.power", "hw.energy", "hw.power"}
    for name, metric in ours.items():
        assert metric.unit == conventions[name].unit
        assert type(metric.data) is type(conventions[name].data)
        if isinstance(metric.data, Sum):
            assert metric.unit == "J"
            assert metric.data.is_monotonic
            assert metric.data.aggregation_temporality == conventions[name].data.aggregation_temporality
        else:
            assert isinstance(metric.data, Gauge)
            assert metric.unit == "W"


def test_the_attributes_are_those_that_are_required() -> None:
    required = {hw_attributes.HW_ID, hw_attributes.HW_NAME}
    for name, metric in sent().items():
        for point in metric.data.data_points:
            assert required <= set(point.attributes)
            assert (hw_attributes.HW_TYPE in point.attributes) == (not name.startswith("hw.host.")), name
            own = {key for key in point.attributes if not key.startswith("wattmark.")}
            assert own <= required | {hw_attributes.HW_TYPE, hw_attributes.HW_PARENT}


@pytest.fixture
def stub() -> Iterator[tuple[CollectorStub, str]]:
    stub = CollectorStub()
    with serving(Receiver, stub=stub) as port:
        yield stub, f"http://127.0.0.1:{port}"


def collector(
    endpoint: str, token: Callable[[], str] | None = None, in_force: Callable[[], Bench] | None = None
) -> Collector:
    settings = bench(endpoint)
    assert settings.outputs.otel is not None
    return Collector(settings.outputs.otel, in_force or (lambda: settings), token, SetClock(ahead_ns=NOW_NS))


async def test_a_collector_takes_watts_and_joules(stub: tuple[CollectorStub, str]) -> None:
    received, endpoint = stub
    sender = collector(endpoint, lambda: "secret-token")
    assert await sender.send([WALL, ROOM, replace(WALL, name="again", role="secondary")]) == 2
    assert await sender.send([]) == 0
    await sender.close()
    assert received.paths == ["/v1/metrics"]
    assert received.headers[0]["authorization"] == "Bearer secret-token"
    assert received.headers[0]["content-type"] == "application/x-protobuf"
    about = {"hw.id": "r1", "hw.name": "r1", "wattmark.meter": "wall", "wattmark.role": "wall"}
    about |= {"wattmark.simulated": True}
    quality = {"wattmark.quality": "good"}
    metrics = received.metrics()
    assert set(metrics) == {("r1", "hw.host.energy"), ("r1", "hw.host.power"), ("", "hw.energy"), ("", "hw.power")}
    assert metrics["r1", "hw.host.energy"] == [
        {"unit": "J", "kind": "sum", "value": 13_890.0, "begin_ns": BEGIN_NS, "t_ns": NOW_NS, **about}
    ]
    assert metrics["r1", "hw.host.power"] == [
        {"unit": "W", "kind": "gauge", "value": 231.5, "begin_ns": 0, "t_ns": NOW_NS - 5 * 10**8, **about, **quality}
    ]
    resource = received.requests[0].resource_metrics[0].resource
    assert host_attributes.HOST_NAME in {attribute.key for attribute in resource.attributes}


async def test_power_that_is_not_fresh_is_not_repeated(stub: tuple[CollectorStub, str]) -> None:
    received, endpoint = stub
    sender = collector(endpoint)
    await sender.send([MeterNow("wall", "wall", ("r1",), True, None, "good", 60.0, 13_890.0, BEGIN_NS, 0)])
    await sender.close()
    assert set(received.metrics()) == {("r1", "hw.host.energy")}


async def test_a_test_says_what_answered(stub: tuple[CollectorStub, str]) -> None:
    received, endpoint = stub
    sender = collector(endpoint)
    assert await sender.send_one(WALL) == f"The collector {endpoint} took the reading of wall (status 200)."
    await sender.close()
    assert len(received.requests) == 1


@pytest.mark.parametrize(
    ("status", "words", "remedy"),
    [
        (400, "status 400 Bad Request", "endpoint"),
        (404, "status 404 Not Found", "endpoint"),
        (401, "status 401 Unauthorized", "token_file"),
        (429, "status 429 Too Many Requests", "retries"),
    ],
)
async def test_a_refusal_is_named(
    stub: tuple[CollectorStub, str], monkeypatch: pytest.MonkeyPatch, status: int, words: str, remedy: str
) -> None:
    monkeypatch.setattr("wattmark.live_out.collector.TIMEOUT_S", 0.5)
    received, endpoint = stub
    received.status = status
    sender = collector(endpoint)
    with pytest.raises(NotTaken, match=words) as refused:
        await sender.send([WALL])
    assert remedy in refused.value.remedy
    await sender.close()


async def test_points_that_are_rejected_are_no_success(stub: tuple[CollectorStub, str]) -> None:
    received, endpoint = stub
    received.reject(2, "too old\n")
    sender = collector(endpoint)
    with pytest.raises(NotTaken, match=r"it rejects 2 of them \(too old"):
        await sender.send([WALL])
    await sender.close()


async def test_a_redirect_leads_to_no_other_machine(stub: tuple[CollectorStub, str]) -> None:
    received, endpoint = stub
    received.status, received.answer_headers = 307, {"Location": f"{endpoint}/elsewhere"}
    sender = collector(endpoint)
    with pytest.raises(NotTaken, match="it redirects"):
        await sender.send([WALL])
    await sender.close()
    assert received.paths.count("/elsewhere") == 0


async def test_a_long_answer_is_not_read(stub: tuple[CollectorStub, str]) -> None:
    received, endpoint = stub
    received.body = bytes(2 * 10**6)
    sender = collector(endpoint)
    with pytest.raises(NotTaken, match="it sends more than 1 MiB in one answer"):
        await sender.send([WALL])
    await sender.close()


async def test_nobody_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wattmark.live_out.collector.TIMEOUT_S", 0.5)
    with serving(Receiver, stub=CollectorStub()) as port:
        pass
    sender = collector(f"http://127.0.0.1:{port}")
    with pytest.raises(NotTaken, match="Connection refused"):
        await sender.send([WALL])
    await sender.close()


async def test_a_meter_that_is_no_hardware_of_its_own_says_so(stub: tuple[CollectorStub, str]) -> None:
    _, endpoint = stub
    sender = collector(endpoint)
    with pytest.raises(NotTaken, match="measures nothing that has a name"):
        await sender.send_one(MeterNow("again", "secondary", ("r1",), False, 1.0, "good", 0.1, 0.0, 0, 0))
    await sender.close()


async def test_a_frozen_reading_says_so(stub: tuple[CollectorStub, str]) -> None:
    received, endpoint = stub
    sender = collector(endpoint)
    await sender.send([replace(WALL, quality="frozen")])
    await sender.close()
    assert [point["wattmark.quality"] for point in received.metrics()["r1", "hw.host.power"]] == ["frozen"]


async def test_a_meter_that_measures_no_longer_the_whole_host_is_a_part_at_once(
    stub: tuple[CollectorStub, str],
) -> None:
    received, endpoint = stub
    known = [bench(endpoint)]
    sender = collector(endpoint, in_force=lambda: known[-1])
    await sender.send([WALL])
    assert set(received.metrics()) == {("r1", "hw.host.energy"), ("r1", "hw.host.power")}
    (server,) = known[0].servers
    two = tuple(Psu(id=name) for name in ("a", "b"))
    configuration = server.configurations[0].model_copy(update={"psus": two})
    changed = server.model_copy(update={"configurations": [configuration]})
    known.append(known[0].model_copy(update={"servers": [changed]}))
    await sender.send([WALL])
    await sender.close()
    assert set(received.metrics()) == {("r1", "hw.energy"), ("r1", "hw.power")}


@pytest.mark.parametrize("token", ["s3cret\n", "s3cret s3cret", "s3crét"])
def test_a_token_that_no_header_can_hold_is_not_repeated(token: str) -> None:
    with pytest.raises(InputError, match="contains a space") as refused:
        collector("http://192.0.2.9:4318", lambda: token)
    assert "s3cr" not in str(refused.value)


async def test_a_certificate_that_is_not_there_is_named(tmp_path: Path) -> None:
    settings = OtelOutput(endpoint="https://127.0.0.1:9", ca_file=str(tmp_path / "none.pem"))
    sender = Collector(settings, bench, None, SetClock(ahead_ns=NOW_NS))
    with pytest.raises(NotTaken, match=r"none\.pem"):
        await sender.send([WALL])
    await sender.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 500 \x1b[31mno\r\nContent-Length: 0\r\n\r\n", "it answers with status 500  [31mno."),
        (bytes(range(1, 256)) + b"\r\n", "it does not speak HTTP."),
    ],
)
async def test_what_a_stranger_answers_is_one_line_that_can_be_printed(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, words: str
) -> None:
    monkeypatch.setattr("wattmark.live_out.collector.TIMEOUT_S", 0.5)

    class Stranger(Handler):
        def do_POST(self) -> None:
            self.body()
            self.wfile.write(answer)
            self.close_connection = True

    with serving(Stranger) as port:
        sender = collector(f"http://127.0.0.1:{port}")
        with pytest.raises(NotTaken) as refused:
            await sender.send([WALL])
        await sender.close()
    assert refused.value.cause.endswith(f"did not take the readings: {words}")
