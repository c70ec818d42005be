"""Requests that no driver of ours sends: each speaker answers them as its protocol prescribes, or hangs up."""

from __future__ import annotations

import asyncio
import json
import os
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.kasa import xor
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec, Surroundings, Transport, find_speaker

PHASE = {"voltage": 230.0, "current": 1.0, "power": 200.0, "apparent_power": 230.0, "frequency": 50.0}
PHASE |= {"reactive_power": 113.0, "power_factor": 0.87}
READ = struct.pack(">BHH", 4, 0, 2)
"""Read the voltage of an Eastron SDM120 (two input registers)."""


@asynccontextmanager
async def started(
    model: str, folder: Path, transport: Transport | None = None
) -> AsyncIterator[tuple[Speaker, dict[str, str], int]]:
    """Start a fed device; yield it, its entry and its port."""
    declaration = load_catalogue()[model]
    spec = SpeakerSpec("device", declaration, 1, Surroundings(folder, time.time), transport=transport)
    speaker = find_speaker(declaration.protocol.engine)(spec)
    speaker.show(Indication((PHASE, PHASE), PHASE, 1000.0, 0.0))
    entry = await speaker.start()
    try:
        yield speaker, entry, urlsplit(entry["url"]).port or 0
    finally:
        await speaker.stop()


async def talk(port: int, *messages: bytes) -> list[bytes]:
    """Send messages on one connection; return the answer to each, empty where the device hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = []
    for message in messages:
        writer.write(message)
        async with asyncio.timeout(10):
            answers.append(await reader.read(65536))
    writer.close()
    return answers


def tcp_frame(unit: int, pdu: bytes, protocol: int = 0) -> bytes:
    return struct.pack(">HHHB", 1, protocol, 1 + len(pdu), unit) + pdu


def rtu_frame(unit: int, pdu: bytes) -> bytes:
    """Frame a request with its checksum (MODBUS over serial line V1.02, 6.2.2)."""
    checksum = 0xFFFF
    for byte in bytes([unit]) + pdu:
        checksum ^= byte
        for _ in range(8):
            checksum = checksum >> 1 ^ (0xA001 if checksum & 1 else 0)
    return bytes([unit]) + pdu + checksum.to_bytes(2, "little")


async def test_modbus_tcp_refuses_and_hangs_up_as_it_should(tmp_path):
    async with started("eastron.sdm120", tmp_path) as (_, _, port):
        (volts,) = await talk(port, tcp_frame(1, READ))
        assert struct.unpack(">f", volts[9:13]) == (230.0,)
        assert (await talk(port, tcp_frame(255, READ)))[0][9:13] == volts[9:13]
        assert (await talk(port, tcp_frame(9, READ)))[0][7:] == b"\x84\x0b"
        assert (await talk(port, tcp_frame(1, b"\x04\x00")))[0][7:] == b"\x84\x03"
        assert (await talk(port, tcp_frame(1, b"\x41")))[0][7:] == b"\xc1\x01"
        assert await talk(port, tcp_frame(1, READ, protocol=7)) == [b""]


async def test_modbus_rtu_answers_an_unknown_function_and_goes_on(tmp_path):
    async with started("eastron.sdm120", tmp_path, "rtu-tcp") as (_, _, port):
        refused, volts = await talk(port, rtu_frame(1, b"\x41\x05"), rtu_frame(1, READ))
    assert refused == rtu_frame(1, b"\xc1\x01")
    assert struct.unpack(">f", volts[3:7]) == (230.0,)


async def test_each_client_of_an_analyser_has_its_own_line(tmp_path):
    async with started("yokogawa.wt310e", tmp_path) as (_, _, port):
        first, first_writer = await asyncio.open_connection("127.0.0.1", port)
        second, second_writer = await asyncio.open_connection("127.0.0.1", port)
        first_writer.write(b"*ID")
        await first_writer.drain()
        second_writer.write(b"*IDN?\n")
        async with asyncio.timeout(10):
            identity = await second.readline()
            first_writer.write(b"N?\n")
            assert await first.readline() == identity
        first_writer.close()
        second_writer.close()


async def test_an_analyser_reports_what_it_refused(tmp_path):
    async with started("yokogawa.wt310e", tmp_path) as (_, _, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"X" * 5000 + b";*IDN?\n" + b"*ESR?\n*STB?\n:STATUS:ERROR?\n*ESR?\n")
        async with asyncio.timeout(10):
            answers = [(await reader.readline()).strip() for _ in range(4)]
        writer.close()
    assert answers == [b"32", b"4", b'-363,"Input buffer overrun"', b"0"]


@pytest.mark.parametrize("request_text", ["[1]", "7", '{"system": 3}', "not json"])
async def test_a_plug_that_understands_no_request_serves_the_next(request_text, tmp_path):
    async with started("tplink.hs300", tmp_path) as (_, _, port):
        assert await talk(port, xor.encode(request_text.encode())) == [b""]
        (answer,) = await talk(
            port, xor.encode(b'{"context": {"child_ids": ["nobody"]}, "emeter": {"get_realtime": {}}}')
        )
    assert json.loads(xor.decode(answer[4:])) == {"emeter": {"err_code": -14, "err_msg": "entry not exist"}}


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (b"GET /\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 70000 + b"\r\n\r\n", 431),
    ],
)
async def test_http_that_cannot_be_read_is_refused(message, status, tmp_path):
    async with started("shelly.plugs", tmp_path) as (_, _, port):
        (answer,) = await talk(port, message)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())


async def test_a_redfish_service_knows_its_own_links(tmp_path):
    async with started("redfish.bmc", tmp_path) as (_, entry, port):
        password = Path(entry["password_file"]).read_text("utf-8")

        async def ask(method: str, path: str, *headers: str, body: str = "") -> tuple[int, str, bytes]:
            lines = [f"{method} {path} HTTP/1.1", "Connection: close", f"Content-Length: {len(body)}", *headers]
            (answer,) = await talk(port, ("\r\n".join(lines) + f"\r\n\r\n{body}").encode())
            head, _, document = answer.partition(b"\r\n\r\n")
            return int(head.split()[1]), head.decode(), document

        assert json.loads((await ask("GET", "/redfish"))[2]) == {"v1": "/redfish/v1/"}
        login = json.dumps({"UserName": entry["username"], "Password": password})
        status, head, _ = await ask("POST", "/redfish/v1/SessionService/Sessions", body=login)
        fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
        token = f"X-Auth-Token: {fields['X-Auth-Token']}"
        assert (status, fields["OData-Version"]) == (201, "4.0")
        assert (await ask("GET", "/redfish/v1/SessionService", token))[0] == 200
        assert (await ask("GET", fields["Location"], token))[0] == 200
        status, head, _ = await ask("DELETE", "/redfish/v1/Chassis/1", token)
        assert status == 405
        assert "Allow: GET, HEAD" in head
        status, head, _ = await ask("DELETE", fields["Location"], token)
        assert status == 204
        assert "Content-Length" not in head
        assert (await ask("GET", "/redfish/v1/Chassis", token))[0] == 401


async def test_a_pdu_walks_in_bulk_and_refuses_to_be_set(tmp_path):
    async with started("apc.rpdu2outlet", tmp_path) as (_, entry, port):
        secret = Path(entry["password_file"]).read_text("utf-8")

        async def net_snmp(program: str, *arguments: str) -> tuple[list[str], str]:
            options = ("-v2c", "-c", secret, "-On", "-Oq", "-t", "3", f"127.0.0.1:{port}", *arguments)
            process = await asyncio.create_subprocess_exec(
                program,
                *options,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, "MIBS": "", "SNMP_PERSISTENT_DIR": str(tmp_path)},
            )
            output, errors = await process.communicate()
            lines = [line for line in output.decode().splitlines() if "No more variables" not in line]
            return lines, errors.decode()

        objects, _ = await net_snmp("snmpwalk", "1.3.6.1.4.1")
        assert len(objects) == 7
        assert (await net_snmp("snmpbulkwalk", "1.3.6.1.4.1"))[0] == objects
        assert "notWritable" in (await net_snmp("snmpset", "1.3.6.1.2.1.1.5.0", "s", "mine"))[1]


async def test_a_device_at_a_broker_outlives_a_question_that_is_none(tmp_path):
    import aiomqtt
    from wattmark_drivers.speakers.mqtt.broker import USERNAME

    async with started("shelly.mqttgen2", tmp_path) as (_, entry, port):
        topic = urlsplit(entry["url"]).path.removeprefix("/")
        password = Path(entry["password_file"]).read_text("utf-8")
        async with aiomqtt.Client("127.0.0.1", port, username=USERNAME, password=password) as client:
            await client.subscribe("me/rpc")
            for number, output in (("abc", 0), (1, 99), (2, 0)):
                question = f'{{"id":{number},"src":"me","method":"Switch.GetStatus","params":{{"id":{output}}}}}'
                await client.publish(f"{topic}/rpc", question)
            async with asyncio.timeout(10):
                answer = await anext(aiter(client.messages))
    assert json.loads(answer.payload)["id"] == 2


@pytest.mark.parametrize("power_w", [-5.0, 70_000.0, float("nan")])
async def test_a_bmc_has_no_reading_for_what_dcmi_cannot_say(power_w, tmp_path):
    """DCMI's power is 16 bits without a sign (DCMI 1.5, table 6-16); completion code D5h says "not now"."""
    async with started("ipmi.bmc", tmp_path) as (speaker, entry, port):
        speaker.show(Indication((), {"power": power_w}))
        process = await asyncio.create_subprocess_exec(
            *("ipmitool", "-I", "lanplus", "-C", "3", "-H", "127.0.0.1", "-p", str(port), "-L", "ADMINISTRATOR"),
            *("-U", entry["username"], "-f", entry["password_file"], "raw", "0x2c", "0x02", "0xdc", "1", "0", "0"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
    assert b"rsp=0xd5" in output
