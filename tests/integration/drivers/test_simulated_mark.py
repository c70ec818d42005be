"""Every reading of a simulated device carries the mark, whatever the model tells of its identity."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.sampler import Sampler
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab
from wattmark_drivers.speakers.speaker import SPEAKERS

MODELS = sorted(name for name, item in load_catalogue().items() if item.protocol.engine in SPEAKERS)
STEADY = {"idle_w": 900, "dynamic_w": 0, "dimm_load_share": 0, "dimms": 4, "psu": {"powered": 3}}
FEEDS = {1: ["steady"], 3: ["steady/psu1", "steady/psu2", "steady/psu3"]}


def feeds(model: str) -> list[str]:
    protocol = load_catalogue()[model].protocol
    return FEEDS[1] if protocol.whole_server else FEEDS[protocol.phase_count]


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    devices = {name: {"model": name, "measures": feeds(name)} for name in MODELS}
    with SimulatedLab({"seed": 5, "servers": {"steady": STEADY}, "devices": devices}) as running:
        yield running


def test_only_replayed_logs_and_graphics_cards_have_no_simulator():
    assert set(load_catalogue()) - set(MODELS) == {"nvidia.gpu", "replay.log"}


@pytest.mark.parametrize("model", MODELS)
async def test_a_simulated_reading_carries_the_mark(model, lab):
    device = lab.devices[model]
    assert device.url
    secret = device.password_file.read_text("utf-8").strip() if device.password_file else ""
    settings = MeterSettings(
        "wall", model, device.url, username=device.username, password=lambda: secret, timeout_s=5.0
    )
    meter = create_meter(settings)
    got: asyncio.Future[list[Reading]] = asyncio.get_running_loop().create_future()

    def take(_meter: object, readings: list[Reading]) -> None:
        if readings and not got.done():
            got.set_result(readings)

    sampler = Sampler(meter, period_s=0.2, on_readings=take, on_state=lambda _state: None)
    running = asyncio.create_task(sampler.run())
    try:
        readings = await asyncio.wait_for(got, 20)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert meter.identity.simulated
    assert {Quality.SIMULATED in item.quality for item in readings} == {True}
