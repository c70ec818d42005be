"""What a bench may say about outputs, and what it is told otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.bench.load import parse_bench
from wattmark.bench.mistakes import BenchError
from wattmark.bench.outputs import Outputs
from wattmark.bench.yaml_source import YamlSource


def outputs(text: str) -> Outputs:
    source = YamlSource("bench.yaml", f"schema: wattmark-bench/1\nlab: Lab\noutputs: {text}\n")
    return parse_bench(source, Path("bench.yaml")).outputs


def test_nothing_goes_anywhere_unless_the_bench_says_so() -> None:
    assert not outputs("{}").wanted
    assert not Outputs().wanted


@pytest.mark.parametrize(
    ("url", "host", "port", "topic", "scheme"),
    [
        ("mqtt://broker.lab", "broker.lab", 1883, "wattmark", "http"),
        ("mqtt://[::1]:1884/power/rack%201", "::1", 1884, "power/rack 1", "http"),
        ("mqtts://broker.lab?ca=/etc/ca.pem&mqtt=5", "broker.lab", 8883, "wattmark", "https"),
    ],
)
def test_the_address_of_a_broker(url: str, host: str, port: int, topic: str, scheme: str) -> None:
    """Ports: IANA, 1883 for MQTT and 8883 for MQTT over TLS."""
    mqtt = outputs(f'{{mqtt: {{url: "{url}"}}}}').mqtt
    assert mqtt is not None
    address = mqtt.address
    assert (address.origin.host, address.origin.port, address.topic, address.origin.scheme) == (
        host,
        port,
        topic,
        scheme,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{mqtt: {url: "mqtt://user:word@broker.lab"}}', "an address without user or password"),
        ('{mqtt: {url: "mqtt://broker.lab/a/%23"}}', "this one has a topic with a wildcard"),
        ('{mqtt: {url: "mqtt://broker.lab?tls=insecure"}}', "this one asks for TLS, which its scheme does not have"),
        ('{mqtt: {url: "mqtt://broker.lab?mqtt=4"}}', "this one has mqtt=4"),
        ('{mqtt: {url: "mqtt://broker.lab?output=4"}}', "this one"),
        ('{mqtt: {url: "mqtt://broker.lab:99999"}}', "this one"),
        ('{mqtt: {url: "http://broker.lab"}}', "mqtts?://"),
        ('{mqtt: {url: "mqtt://broker.lab", password_env: A, password_file: b}}', "at most one of password_env"),
        ('{mqtt: {url: "mqtt://broker.lab", period_s: 0.1}}', "1"),
        ('{mqtt: {url: "mqtt://broker.lab", home_assistant: "a/b"}}', "home_assistant"),
        ('{otel: {endpoint: "http://user:word@collector.lab"}}', "an address without user or password"),
        ('{otel: {endpoint: "http://collector.lab:4318?a=b"}}', "an address such as http://collector.lab:4318"),
        ('{otel: {endpoint: "http://:4318"}}', "an address such as http://collector.lab:4318"),
        ('{otel: {endpoint: "http://collector.lab:99999"}}', "an address such as http://collector.lab:4318"),
        ('{otel: {endpoint: "grpc://collector.lab:4317"}}', "an address that begins with http:// or https://"),
        ('{otel: {endpoint: "http://collector.lab", token_env: A, token_file: b}}', "at most one of token_env"),
    ],
)
def test_what_is_wrong_is_named(text: str, words: str) -> None:
    with pytest.raises(BenchError) as caught:
        outputs(text)
    assert words in str(caught.value)
