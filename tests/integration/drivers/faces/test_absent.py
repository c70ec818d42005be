"""Why there is no reading, in each protocol's own words; the expected ones are those of its standard."""

from __future__ import annotations

import asyncio
import json
import math
import struct

import pytest
from wattmark_drivers.speakers.face import REASONS

from .conftest import SECRET, run, shows
from .test_programs import ipmitool

REDFISH = {
    "waiting": "Wattmark.1.0.ReadingWaiting",
    "stale": "Wattmark.1.0.ReadingStale",
    "lost": "Wattmark.1.0.ReadingLost",
    "over-range": "Wattmark.1.0.ReadingOverRange",
    "not-accepted": "Wattmark.1.0.ReadingNotAccepted",
}
UNAVAILABLE, NONOPERATIONAL, OVERFLOW = "2", "3", "1000000000"
"""RFC 3433: EntitySensorStatus and EntitySensorValue."""
SNMP = {
    "waiting": (UNAVAILABLE, None),
    "stale": (UNAVAILABLE, None),
    "lost": (NONOPERATIONAL, None),
    "over-range": (NONOPERATIONAL, OVERFLOW),
    "not-accepted": (NONOPERATIONAL, None),
}
NOT_A_NUMBER, ABOVE = "9.91E+37", "9.9E+37"
"""SCPI 1999, volume 1, 7.2.1.5 and 7.2.1.4."""


async def asked(port: int, request: bytes) -> bytes:
    """Send a request on a connection of its own; return the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    async with asyncio.timeout(5):
        answer = await reader.read(65536)
    writer.close()
    await writer.wait_closed()
    return answer


def registers(function: int, address: int, count: int) -> bytes:
    return struct.pack(">HHHBBHH", 7, 0, 6, 1, function, address, count)


@pytest.mark.parametrize("absent", REASONS)
async def test_redfish_has_null_and_the_condition(speaking, absent):
    async with speaking("redfish") as running:
        running.speaker.show(None, absent)
        path = f"http://127.0.0.1:{running.port}/redfish/v1/Chassis/1"
        documents = [
            json.loads(await run("curl", "--silent", "--noproxy", "*", "--user", f"lab:{SECRET}", f"{path}{more}"))
            for more in ("/Sensors/TotalPower", "/EnvironmentMetrics", "/Power", "/Sensors/TotalVoltage")
        ]
    sensor, environment, power, volts = documents
    assert (
        sensor["Reading"] is environment["PowerWatts"]["Reading"] is volts["Reading"] is sensor["ReadingTime"] is None
    )
    assert power["PowerControl"][0]["PowerConsumedWatts"] is None
    (condition,) = sensor["Status"]["Conditions"]
    assert sensor["Status"]["State"] == "UnavailableOffline"
    assert (condition["MessageId"], condition["Message"]) == (REDFISH[absent], REASONS[absent])


@pytest.mark.parametrize("absent", REASONS)
async def test_snmp_has_a_status_and_no_value(speaking, absent, tmp_path):
    async with speaking("snmp") as running:
        running.speaker.show(None, absent)
        options = ("-v2c", "-c", SECRET, "-On", "-Oqv", f"127.0.0.1:{running.port}")
        places = ("1.3.6.1.2.1.99.1.1.1.5.2", "1.3.6.1.2.1.99.1.1.1.4.2", "1.3.6.1.4.1.13742.6.5.4.3.1.3.1.1.5")
        answers = [
            (await run("snmpget", *options, place, SNMP_PERSISTENT_DIR=str(tmp_path / "state"))).strip()
            for place in places
        ]
    status, value = SNMP[absent]
    assert answers[0] == status
    assert answers[1] == value if value else "No Such Instance" in answers[1]
    assert answers[2] == "-1"  # SensorStateEnumeration of the PDU2-MIB: unavailable


@pytest.mark.parametrize(
    ("model", "request_", "answer"),
    [
        # An Eastron's float has NaN; a PZEM's integer has nothing, so that the gateway's exception says it.
        ("eastron.sdm630", registers(4, 52, 2), None),
        ("peacefair.pzem016", registers(4, 3, 2), b"\x84\x0b"),
    ],
)
@pytest.mark.parametrize("absent", REASONS)
async def test_modbus_has_its_mark_or_an_exception(speaking, model, request_, answer, absent):
    async with speaking("modbus", model=model) as running:
        running.speaker.show(None, absent)
        pdu = (await asked(running.port, request_))[7:]
    if answer is None:
        assert math.isnan(struct.unpack(">f", pdu[2:])[0])
    else:
        assert pdu == answer


@pytest.mark.parametrize("absent", REASONS)
async def test_a_map_with_a_mark_for_overflow_has_it(speaking, absent):
    """Carlo Gavazzi EM100, communication protocol, 3.4: 7FFFFFFFh; the low word comes first."""
    async with speaking("modbus", model="carlogavazzi.em100") as running:
        running.speaker.show(None, absent)
        pdu = (await asked(running.port, registers(4, 4, 2)))[7:]
    assert pdu == (b"\x04\x04\xff\xff\x7f\xff" if absent == "over-range" else b"\x84\x0b")


@pytest.mark.parametrize("absent", REASONS)
async def test_an_analyser_has_its_number_for_none_or_for_above(speaking, absent):
    async with speaking("scpi") as running:
        running.speaker.show(None, absent)
        values = (await asked(running.port, b":MEAS:ALL?\n")).decode().strip().split(",")
    ranged = ABOVE if absent == "over-range" else NOT_A_NUMBER
    assert values == [*[ranged] * 5, NOT_A_NUMBER, NOT_A_NUMBER]


async def test_a_bmc_scans_no_more_and_has_statistics_of_what_it_knows(speaking, tmp_path):
    password = tmp_path / "lab-password"
    password.write_text(SECRET)
    async with speaking("ipmi") as running:
        for power_w in (100.0, 200.0):
            running.speaker.show(shows(power_w))
        before = await run(*ipmitool(running.port, password, "dcmi", "power", "reading"))
        running.speaker.show(None, "stale")
        await asyncio.sleep(0.3)
        none = await run(*ipmitool(running.port, password, "dcmi", "power", "reading"), status=None)
        sensors = await run(*ipmitool(running.port, password, "sdr", "list", "full"))
        running.speaker.show(shows(300.0))
        after = await run(*ipmitool(running.port, password, "dcmi", "power", "reading"))
    assert [word for word in before.split() if word.isdigit()][:4] == ["200", "100", "237", "179"]
    assert "Watts" not in none
    assert [line.split("|")[1].strip() for line in sensors.splitlines()] == ["disabled", "disabled"]
    assert [word for word in after.split() if word.isdigit()][:4] == ["300", "300", "300", "300"]


async def test_modbus_names_wattmark_and_the_meter_by_its_device_identification(speaking):
    """MODBUS application protocol V1.1b3, 6.21: basic stream, one object, and one that is not there."""
    async with speaking("modbus") as running:
        head = struct.pack(">HHHB", 7, 0, 5, 1)
        basic = (await asked(running.port, head + b"\x2b\x0e\x01\x00"))[7:]
        serial = (await asked(running.port, head + b"\x2b\x0e\x04\x06"))[7:]
        nothing = (await asked(running.port, head + b"\x2b\x0e\x04\x55"))[7:]
    texts = b"\x00\x08wattmark\x01\x1agateway to Yokogawa WT310E\x02\x050.1.0"
    assert basic == b"\x2b\x0e\x01\x82\x00\x00\x03" + texts
    assert serial == b"\x2b\x0e\x04\x82\x00\x00\x01\x06\x0991N123456"
    assert nothing == b"\xab\x02"
