"""Which requests a meter with several blocks gets, and what becomes of a refused one."""

from __future__ import annotations

import asyncio

import pytest
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings

from .frames import exception_to, zeros


def meter(port: int, model: str, **options: str):
    return create_meter(
        MeterSettings("wall", model, f"modbus-tcp://127.0.0.1:{port}/1", timeout_s=0.2, options=options)
    )


async def answering_zeros(_gateway: object, request: bytes) -> bytes:
    return zeros(request)


@pytest.mark.parametrize(
    ("model", "requests"),
    [
        # EM24-DIN communication protocol, page 4: function 04, at most 11 registers.
        ("carlogavazzi.em24", ["04 0024 000a", "04 000c 0008", "04 0014 0004", "04 0000 0006", "04 0035 0003",
                               "04 003e 0002", "03 000b 0001", "03 1300 0007", "03 ffd0 0005"]),
        # PAC3200 manual, 3.9.3: every number from its first register; energy is four registers at 801 (0321h).
        ("siemens.pac3200", ["03 0001 0046", "03 0321 000c", "03 ffd0 0005"]),
        # SDM72DM-V2 manual, page 13: at most 30 parameters of two registers.
        ("eastron.sdm72v2", ["04 002a 0022", "04 0000 0024", "03 fc00 0002"]),
        ("janitza.umg96", ["03 4a38 004e", "03 ffd0 0005"]),
    ],
)  # fmt: skip
async def test_each_block_is_one_request(model, requests, raw_gateway):
    """Then follow model and serial number, and the question to a simulator where no serial number rules it out."""

    gateway = await raw_gateway(answering_zeros)
    opened = meter(gateway.port, model)
    await opened.open()
    await opened.close()
    assert [request[7:].hex() for request in gateway.requests] == [text.replace(" ", "") for text in requests]


async def test_only_blocks_with_chosen_channels_are_read(raw_gateway):
    gateway = await raw_gateway(answering_zeros)
    opened = meter(gateway.port, "siemens.pac3200", channels="voltage_l1, power")
    await opened.open()
    readings = await opened.read()
    await opened.close()
    blocks = [request[7:].hex() for request in gateway.requests if request[8:10] != b"\xff\xd0"]
    assert blocks == ["0300010046"] * 2
    assert (
        {reading.channel for reading in readings}
        == {channel.id for channel in opened.channels}
        == {"power", "voltage_l1"}
    )


def test_a_channel_that_the_model_lacks_is_refused():
    with pytest.raises(ConfigurationError, match=r"has no channel watts.*Write some of power, voltage"):
        meter(1, "eastron.sdm120", channels="power,watts")


async def test_a_meter_that_refuses_the_other_length_gets_the_usual_one_again(raw_gateway):
    async def answer(gateway, request):
        if len(gateway.requests) == 1:
            await asyncio.sleep(0.3)
        return zeros(request) if request[10:12] == b"\x00\x22" else exception_to(request, 2)

    gateway = await raw_gateway(answer)
    opened = meter(gateway.port, "carlogavazzi.em100")
    with pytest.raises(BadReply, match="illegal data address"):
        await opened.open()
    await opened.open()
    await opened.close()
    blocks = [request[7:].hex() for request in gateway.requests if request[7] == 4]
    assert blocks == ["0400000022", "0400000024", "0400000022"]
