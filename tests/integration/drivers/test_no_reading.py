"""A device that has no reading says so as its protocol does; no reader takes 0, or what it showed last, for one."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.indication import QUANTITIES, Indication
from wattmark_drivers.speakers.speaker import SPEAKERS, SpeakerSpec, Surroundings, find_speaker

INSIDE_ONLY = {"amd.gpu", "astron.powersensor3", "linux.rapl"}
"""These see no wall and are fed by other sensors."""
MODELS = sorted(
    name for name, item in load_catalogue().items() if item.protocol.engine in SPEAKERS and name not in INSIDE_ONLY
)
PHASE = {"voltage": 230.0, "current": 0.5, "power": 110.0, "apparent_power": 115.0, "frequency": 50.0}
PHASE |= {"reactive_power": 33.5, "power_factor": 110 / 115}
TOTAL = PHASE | {"current": 1.5, "power": 330.0, "apparent_power": 345.0, "reactive_power": 100.5}
OTHERS = (*(quantity for quantity in QUANTITIES if quantity != "power"), "energy")
FED_EVERY_S = 0.2
SLOWEST_DISPLAY_S = 4.0
FED_PATIENCE_S, UNFED_PATIENCE_S = 30.0, 4.0
"""Some analysers take seconds to set themselves up."""


def shows(model: str) -> Indication:
    """Make what a meter shows: all quantities on each of its phases."""
    protocol = load_catalogue()[model].protocol
    phases = 2 if protocol.whole_server else protocol.phase_count
    return Indication((PHASE,) * phases, TOTAL if phases == 3 else PHASE, 5000.0, 70.0)


async def good_readings(meter: Meter, patience_s: float) -> dict[str, float]:
    """Open the meter anew and read it; return what counts as a number of an electrical quantity."""
    readings: list[Reading] = []
    with contextlib.suppress(DriverError, TimeoutError):
        async with asyncio.timeout(patience_s):
            await meter.open()
            readings = await meter.read()
    electrical = {item.id for item in meter.channels if item.quantity in {*QUANTITIES, "energy"}} if readings else {}
    with contextlib.suppress(DriverError):
        await meter.close()
    return {item.channel: item.value for item in readings if item.channel in electrical and item.quality.usable}


async def observe(model: str, folder: Path) -> list[dict[str, float]]:
    """Read a device that was never fed, that is fed, that is fed with power alone, and that is no longer fed."""
    declaration = load_catalogue()[model]
    folder.mkdir()
    spec = SpeakerSpec("device", declaration, 7, Surroundings(folder, time.time))
    speaker = find_speaker(declaration.protocol.engine)(spec)
    entry = await speaker.start()
    file = entry.get("password_file")
    secret = Path(file).read_text("utf-8").strip() if file else ""
    settings = MeterSettings(
        "wall", model, entry["url"], timeout_s=1.0, username=entry.get("username"), password=lambda: secret
    )
    present: Indication | None = None

    async def feed() -> None:
        while True:
            speaker.show(present)
            await asyncio.sleep(FED_EVERY_S)

    observed = [await good_readings(create_meter(settings), UNFED_PATIENCE_S)]
    feeding = asyncio.create_task(feed())
    for present in (shows(model), Indication((), {"power": PHASE["power"]}), None):
        await asyncio.sleep(FED_EVERY_S + min(2.5 * declaration.rhythm.update_period_s, SLOWEST_DISPLAY_S))
        patience_s = FED_PATIENCE_S if present else UNFED_PATIENCE_S
        observed.append(await good_readings(create_meter(settings), patience_s))
    feeding.cancel()
    await asyncio.gather(feeding, return_exceptions=True)
    await speaker.stop()
    return observed


@pytest.mark.parametrize("engine", sorted({load_catalogue()[model].protocol.engine for model in MODELS}))
async def test_a_device_has_a_reading_as_long_as_it_is_fed(engine: str, tmp_path: Path) -> None:
    models = [model for model in MODELS if load_catalogue()[model].protocol.engine == engine]
    observed = await asyncio.gather(*(observe(model, tmp_path / model) for model in models))
    before, fed, power_alone, after = (
        {model: states[n] for model, states in zip(models, observed, strict=True)} for n in range(4)
    )
    assert {model: values for model, values in before.items() if values} == {}
    assert {model for model, values in fed.items() if not any("power" in name for name in values)} == set()
    # Where registers of one request have no mark for a missing value, the power in it is refused with the others.
    assert {model for model, values in power_alone.items() if any(name.startswith(OTHERS) for name in values)} == set()
    assert {model: values for model, values in after.items() if values} == {}
