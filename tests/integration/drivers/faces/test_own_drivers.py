"""Our own drivers read what a face speaks; without a reading none of them has a number, whatever the reason."""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import replace
from typing import get_args

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import ConfigurationError, DriverError
from wattmark_drivers.speakers.face import REASONS, Absent, Credentials, Doorway
from wattmark_drivers.speakers.speaker import SpeakerSpec, Surroundings, find_speaker

from tests.open_meter import open_meter

from .conftest import FACE, MODELS, TOTAL, live, shows

STEP_W = {"ipmi": 0.5, "modbus": 1e-5, "mqtt": 1e-6, "redfish": 1e-9, "scpi": 0.005, "snmp": 0.005}
"""Half the last digit of each protocol, or the rounding of its float."""
ENGINES = sorted(MODELS)
SPOKEN_MODELS = sorted(name for name, item in load_catalogue().items() if item.protocol.engine in ENGINES)
PATIENCE_S = 6.0


def at_broker(engine, broker):
    """Make what a plug needs to join a broker."""
    if engine != "mqtt":
        return {}
    return {"port": broker.port, "door": Doorway(credentials=broker.login)}


@pytest.fixture
def read():
    """Read the power of a speaker; None where it has none."""

    async def read_power(running) -> float | None:
        with contextlib.suppress(DriverError, TimeoutError):
            async with asyncio.timeout(PATIENCE_S), open_meter(running.meter(timeout_s=1.0)) as meter:
                readings = {item.channel: item for item in await meter.read()}
                power = readings.get("power")
                return power.value if power is not None and power.quality.usable else None
        return None

    return read_power


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_driver_reads_the_meter_and_not_a_simulator(speaking, broker, engine):
    async with speaking(engine, **at_broker(engine, broker)) as running, live(running.speaker):
        meter, readings = await running.read()
    power = readings["power"]
    assert power.value == pytest.approx(TOTAL["power"], abs=STEP_W[engine])
    assert power.quality.usable
    assert meter.identity.simulated is False
    told = f"{meter.identity.serial} {meter.identity.firmware}"
    if engine not in ("modbus", "ipmi"):  # a number, which this serial number is not, and a GUID
        assert "91N123456" in told
    assert sum(item.requests for item in running.speaker.askers.view()) >= 1


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_simulated_meter_behind_it_says_so(speaking, broker, engine):
    face = replace(FACE, simulated=True)
    async with speaking(engine, face=face, **at_broker(engine, broker)) as running, live(running.speaker):
        meter, _ = await running.read()
    assert meter.identity.simulated


@pytest.mark.parametrize("model", SPOKEN_MODELS)
async def test_a_simulated_meter_without_a_reading_is_no_real_one(speaking, broker, model):
    """Whatever a driver gets to open while there is no reading, it is not taken for a real meter later."""
    engine = load_catalogue()[model].protocol.engine
    face = replace(FACE, simulated=True)
    async with speaking(engine, model=model, face=face, **at_broker(engine, broker)) as running:
        running.speaker.show(None, "lost")
        with contextlib.suppress(DriverError, TimeoutError):
            async with asyncio.timeout(PATIENCE_S), open_meter(running.meter(timeout_s=1.0)) as meter:
                assert meter.identity.simulated


@pytest.mark.parametrize("privilege", ["USER", "OPERATOR", "ADMINISTRATOR"])
@pytest.mark.parametrize("simulated", [True, False])
async def test_a_bmc_says_to_every_user_whether_its_meter_is_simulated(speaking, privilege, simulated):
    """ipmi_sim answers DCMI to administrators only; the inventory is for every user (IPMI 2.0, appendix G)."""
    async with speaking("ipmi", face=replace(FACE, simulated=simulated)) as running, live(running.speaker):
        running.entry["url"] = running.entry["url"].replace("ADMINISTRATOR", privilege)
        meter, readings = await running.read()
    assert meter.identity.simulated is simulated
    assert readings["power"].value == pytest.approx(TOTAL["power"], abs=STEP_W["ipmi"])


@pytest.mark.parametrize("engine", ENGINES)
async def test_no_reason_leaves_a_number(speaking, broker, read, engine):
    """Each reason in turn, with the meter back between them."""
    async with speaking(engine, **at_broker(engine, broker)) as running:
        for absent in get_args(Absent):
            running.speaker.show(None, absent)
            await asyncio.sleep(1.5 if engine == "mqtt" else 0.2)
            assert await read(running) is None, absent
            async with live(running.speaker):
                await asyncio.sleep(1.5 if engine == "mqtt" else 0.2)
                assert await read(running) == pytest.approx(TOTAL["power"], abs=STEP_W[engine])


@pytest.mark.parametrize("engine", ENGINES)
async def test_before_the_first_reading_there_is_no_number(speaking, broker, read, engine):
    async with speaking(engine, shown=shows(math.nan), **at_broker(engine, broker)) as running:
        assert await read(running) is None


@pytest.mark.parametrize("engine", ["ipmi", "redfish"])
async def test_a_bmc_without_a_login_is_refused(speaking, engine, tmp_path):
    spec = SpeakerSpec("wall", load_catalogue()[MODELS[engine]], 1, Surroundings(tmp_path, lambda: 0.0), face=FACE)
    with pytest.raises(ConfigurationError, match="Configure a user and a password"):
        await find_speaker(engine)(spec).start()


@pytest.mark.parametrize(
    ("engine", "username", "password", "words"),
    [
        ("snmp", "lab", "short", "at least 8 characters"),
        ("ipmi", "lab", "more-than-twenty-bytes", "1 to 20 characters"),
        ("ipmi", "lab", 'a"b', "1 to 20 characters"),
        ("ipmi", "a-name-that-is-too-long", "fine", "1 to 16 characters"),
    ],
)
async def test_a_login_that_the_protocol_cannot_have_is_refused(speaking, engine, username, password, words):
    with pytest.raises(ConfigurationError, match=words):
        async with speaking(engine, door=Doorway(credentials=Credentials(username, lambda: password))):
            pass


def test_each_reason_has_words():
    assert set(REASONS) == set(get_args(Absent))
