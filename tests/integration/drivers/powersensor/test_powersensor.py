"""A simulated PowerSensor3 on a pseudo-terminal, read by the driver while bytes are lost and the cable is pulled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Kind, Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

SPEC: dict[str, Any] = {
    "servers": {"sut": {"idle_w": 300, "dynamic_w": 0, "dimm_load_share": 0, "dimms": 4}},
    "devices": {
        "card": {"model": "astron.powersensor3", "measures": ["sut"]},
        "plug": {"model": "wattsup.pro", "measures": ["sut"]},
    },
}


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


@pytest.fixture
async def card(lab):
    meter = create_meter(MeterSettings("card", "astron.powersensor3", lab.devices["card"].url))
    await meter.open()
    yield meter
    await meter.close()


async def usable(meter) -> dict[str, Any]:
    """Read until the mean is of enough samples: a busy machine holds a simulator up."""
    async with asyncio.timeout(60):
        while True:
            readings = {reading.channel: reading for reading in await meter.read()}
            if readings["power"].quality.usable:
                return readings


async def read_on(meter) -> None:
    while True:
        await meter.read()


async def test_the_mean_of_a_second_of_samples(card):
    readings = await usable(card)
    # 10 % and 20 % of 300 W at 12 V; the converter's step is 3.2 mV, so 54 mA or 0.65 W of each pair.
    assert readings["pcie_12v_power"].value == pytest.approx(30, abs=0.4)
    assert readings["atx_12v_power"].value == pytest.approx(60, abs=0.4)
    assert readings["power"].value == pytest.approx(90, abs=0.8)
    assert readings["pcie_12v_voltage"].value == pytest.approx(12, abs=0.01)
    assert readings["atx_12v_current"].value == pytest.approx(5, abs=0.03)
    assert {reading.kind for reading in readings.values()} == {Kind.AVERAGED}
    assert readings.keys() == {channel.id for channel in card.channels}
    assert card.identity.simulated
    assert card.identity.firmware == "SIMULATED F411-1.6.1"
    assert card.identity.indicative


@pytest.mark.parametrize("kind", ["torn", "garbage"])
async def test_lost_and_added_bytes_make_no_wrong_watt(lab, card, kind):
    await usable(card)
    lab.inject("card", kind=kind, count=20)
    for _ in range(2):
        readings = {reading.channel: reading for reading in await card.read()}
        assert readings["power"].value == pytest.approx(90, abs=0.8) or not readings["power"].quality.usable


async def test_few_samples_are_no_measurement(lab, card):
    await usable(card)
    lab.inject("card", kind="silence", count=150)
    qualities = [(await card.read())[0].quality for _ in range(3)]
    assert Quality.INVALID in qualities
    assert (await usable(card))["samples"].value >= 80


async def test_a_pulled_cable_is_a_lost_meter_that_returns(lab, card):
    lab.inject("card", kind="unplug", seconds=1)
    with pytest.raises(ConnectionFailed):
        await asyncio.wait_for(read_on(card), 20)
    async with asyncio.timeout(60):
        while True:
            try:
                await card.open()
                break
            except ConnectionFailed:
                await asyncio.sleep(0.1)
    assert (await usable(card))["power"].value == pytest.approx(90, abs=0.8)


async def test_opening_again_stops_a_stream_that_still_runs(lab, card):
    await usable(card)
    port, card._port = card._port, None
    await port.close()
    await card.open()
    assert (await usable(card))["power"].value == pytest.approx(90, abs=0.8)


async def test_another_device_on_the_port_is_refused(lab):
    meter = create_meter(MeterSettings("card", "astron.powersensor3", lab.devices["plug"].url, timeout_s=1.0))
    with pytest.raises((BadReply, ConnectionFailed), match="PowerSensor3"):
        await meter.open()
