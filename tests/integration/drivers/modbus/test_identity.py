"""Units that tell their model, units that tell none, and real units with a serial number of the simulators."""

from __future__ import annotations

import asyncio
import struct

import pytest
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings

from tests.open_meter import open_meter

from .frames import reply

MODEL_CODE = ("h", 0x000B)
"""Carlo Gavazzi's identification code (EM24-DIN PFA, PFB and X protocol, version 4, table 2.8-1)."""
ABB_TYPE = (("h", 0x8960), ("h", 0x8961))
SDM_SERIAL = (("h", 0xFC00), ("h", 0xFC01))
MARK = b"SIMULATED\0"


def meter_at(port: int, model: str, timeout_s: float = 2.0) -> Meter:
    return create_meter(MeterSettings("wall", model, f"modbus-tcp://127.0.0.1:{port}/1", timeout_s=timeout_s))


async def test_a_wrong_model_of_the_family_is_refused_by_name(libmodbus):
    # 341 is an EM340 (EM300 and ET300 protocol, revision 2.6, table 2.7-2).
    port = libmodbus.tcp({MODEL_CODE: 341})
    with pytest.raises(ConfigurationError, match=r"is EM340, not EM24-DIN\. Set its model to carlogavazzi\.em300\."):
        await meter_at(port, "carlogavazzi.em24").open()


async def test_a_unit_that_the_declaration_cannot_read_is_refused(libmodbus):
    port = libmodbus.tcp({MODEL_CODE: 340})
    with pytest.raises(ConfigurationError, match=r"EM340 engineering sample .*The catalogue has no model for it"):
        await meter_at(port, "carlogavazzi.em300").open()


@pytest.mark.parametrize("code", [341, 346, 0, 9999])
async def test_the_declared_model_and_unknown_codes_are_read(libmodbus, code):
    meter = meter_at(libmodbus.tcp({MODEL_CODE: code}), "carlogavazzi.em300")
    await meter.open()
    await meter.close()


async def test_a_type_in_letters(libmodbus):
    port = libmodbus.tcp(dict(zip(ABB_TYPE, struct.unpack(">2H", b"B23 "), strict=True)))
    with pytest.raises(ConfigurationError, match=r"is B23, not EQ meter B21\. Set its model to abb\.b23\."):
        await meter_at(port, "abb.b21").open()


async def test_a_real_meter_with_a_serial_number_of_the_simulators_is_not_marked(libmodbus):
    port = libmodbus.tcp(dict(zip(SDM_SERIAL, (0x5349, 0x4D01), strict=True)))
    async with open_meter(meter_at(port, "eastron.sdm120")) as meter:
        assert (meter.identity.serial, meter.identity.simulated) == ("1397312769", False)


async def test_a_unit_that_stays_silent_at_unknown_registers_is_asked_once(raw_gateway):
    """It loses one timeout at `open`; the readings after it are not delayed, on later connections neither."""

    async def answer(gateway, request):
        function, address, count = struct.unpack(">BHH", request[7:12])
        if address == 0xFFD0:
            await asyncio.sleep(1.0)
        return reply(request, bytes(2 * count)) if function == 4 else None

    gateway = await raw_gateway(answer)
    async with open_meter(meter_at(gateway.port, "eastron.sdm220", timeout_s=0.4)) as meter:
        await meter.read()
        await meter.read()
    assert not meter.identity.simulated
    assert sum(struct.unpack(">H", request[8:10]) == (0xFFD0,) for request in gateway.requests) == 1


async def test_a_simulator_in_the_place_of_a_real_unit_is_noticed_without_a_serial_number(raw_gateway):
    state = {"mark": bytes(10), "hang_up": False}

    async def answer(gateway, request):
        address, count = struct.unpack(">HH", request[8:12])
        if state["hang_up"]:
            state["hang_up"] = False
            return None
        return reply(request, state["mark"] if address == 0xFFD0 else bytes(2 * count))

    gateway = await raw_gateway(answer)
    async with open_meter(meter_at(gateway.port, "eastron.sdm220")) as meter:
        assert not meter.identity.simulated
        state |= {"mark": MARK, "hang_up": True}
        with pytest.raises(Exchanged, match="answered as a simulated device, was a real one"):
            await meter.read()
        await meter.open()
        assert meter.identity.simulated
