"""What a person may name for a scan, and what is made of what answers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.discovery.hosts import Host, _in_time, _kasa, parse_hosts
from wattmark_drivers.discovery.modbus_ids import parse_ids
from wattmark_drivers.discovery.serial_ports import describe_ports
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.kasa import xor


@pytest.mark.parametrize(
    ("text", "ids"), [("1", [1]), ("1-3", [1, 2, 3]), ("17, 2-3", [2, 3, 17]), ("247", [247]), ("5-5,5", [5])]
)
def test_ids_are_read(text: str, ids: list[int]) -> None:
    assert parse_ids(text) == ids


@pytest.mark.parametrize("text", ["", "0", "248", "1-", "-3", "3-1", "a", "1;2", "1-1000", "²"])
def test_what_is_no_range_of_ids_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="1 to 247"):
        parse_ids(text)


def test_hosts_are_read_with_and_without_a_port() -> None:
    assert parse_hosts("bmc1, 10.0.0.7:8443,[fe80::1]:80") == [
        Host("bmc1"),
        Host("10.0.0.7", 8443),
        Host("fe80::1", 80),
    ]
    assert Host("fe80::1", 80).place(623) == "[fe80::1]:80"
    assert Host("bmc1").place(623) == "bmc1"


@pytest.mark.parametrize("text", ["", ",", "10.0.0.0/24", "a b", "h:0", "h:99999", "-x", ",".join(["h"] * 65)])
def test_nothing_but_named_hosts_is_scanned(text: str) -> None:
    with pytest.raises(ConfigurationError, match="up to 64"):
        parse_hosts(text)


@given(st.text(max_size=40))
def test_no_text_breaks_the_parsers(text: str) -> None:
    for parse in (parse_ids, parse_hosts):
        try:
            outcome = parse(text)
        except ConfigurationError as refusal:
            outcome = refusal.remedy
        assert outcome


@dataclass
class Port:
    device: str
    vid: int | None = None
    pid: int | None = None
    description: str = "n/a"


def test_ports_are_told_by_their_usb_ids() -> None:
    ports = describe_ports(
        [
            Port("/dev/ttyUSB1", 0x0B21, 0x0025),
            Port("/dev/ttyUSB0", 0x0403, 0x6001),
            Port("/dev/ttyS0"),
            Port("/dev/x", 1, 2, "odd"),
        ]
    )
    assert [port.where for port in ports] == ["/dev/ttyS0", "/dev/ttyUSB0", "/dev/ttyUSB1", "/dev/x"]
    assert "virtual" in ports[0].what
    assert "Watts Up?" in ports[1].what
    assert "0403:6001" in ports[1].what
    assert "Yokogawa" in ports[2].what
    assert ports[3].what.startswith("odd")
    assert "modbus-rtu:///dev/ttyUSB0?device=1" in ports[1].urls


async def test_an_answer_that_is_nested_too_deeply_ends_no_scan() -> None:
    """One device on the network says nothing about the others."""
    answer = xor.encode(b"[" * 50_000)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(4)
        writer.write(answer)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert await _in_time(_kasa(Host("127.0.0.1", port)), 1.0) is None
