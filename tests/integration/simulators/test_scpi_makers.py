"""Each analyser that is not Yokogawa's, simulated and read by our driver: its dialect works both ways."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import BadReply
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.address import SCHEMES
from wattmark_drivers.scpi.engine import make_meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

STEADY = {"idle_w": 300, "dynamic_w": 0, "dimm_load_share": 0, "dimms": 4, "psu": {"shares": [0.6, 0.4]}}
RANGES = {
    "zes.lmg95": "250V-2.5A", "zes.lmg600": "250V-2.5A", "hioki.3334": "300V-3A", "hioki.pw3335": "300V-5A",
    "hioki.pw3336": "300V-5A", "hioki.pw3337": "300V-5A", "voltech.pm1000": "1000V-6.25A",
    "tektronix.pa1000": "500V-5A", "chroma.66202": "300V-8A", "chroma.66204": None, "gwinstek.gpm8213": "300V-5A",
    "gwinstek.gpm8310": "300V-5A",
}  # fmt: skip
SPEC: dict[str, Any] = {
    "seed": 7,
    "servers": {"steady": STEADY},
    "devices": {model.replace(".", ""): {"model": model, "measures": ["steady"]} for model in RANGES},
}


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


def make(lab: SimulatedLab, model: str, **options: Any) -> Any:
    """Make the meter without the half seconds that some makers want between commands."""
    declaration = load_catalogue()[model]
    url = lab.devices[model.replace(".", "")].url or ""
    parts = urlsplit(url)
    transport = declaration.transport(parts.scheme)
    assert transport is not None
    return make_meter(
        MeterSettings("m", model, url, range=options.pop("range", RANGES[model]), options=options),
        declaration,
        declaration.protocol.model_copy(update={"command_gap_s": 0.0}),
        SCHEMES[parts.scheme].parse(parts, transport),
        timeout_s=1.0,
        clock=SystemClock(),
    )


@pytest.mark.parametrize("model", sorted(RANGES))
async def test_the_power_of_the_load_comes_through(lab: SimulatedLab, model: str) -> None:
    true_w = lab.state("steady").wall_power_w
    meter = make(lab, model)
    await meter.open()
    try:
        assert meter.identity.simulated
        for _ in range(2):
            readings = {reading.channel: reading for reading in await meter.read()}
            assert readings["power"].value == pytest.approx(true_w, rel=0.01)
            assert readings["power"].quality is Quality.GOOD
            assert readings["power"].range == RANGES[model]
    finally:
        await meter.close()


@pytest.mark.parametrize(
    ("model", "choice"), [("hioki.3334", "300V-0.3A"), ("tektronix.pa1000", "500V-0.5A"), ("chroma.66202", "300V-0.2A")]
)
async def test_a_range_that_is_too_small_is_told(lab: SimulatedLab, model: str, choice: str) -> None:
    meter = make(lab, model, range=choice)
    await meter.open()
    try:
        readings = {reading.channel: reading for reading in await meter.read()}
        assert readings["power"].quality & Quality.OVER_RANGE
    finally:
        await meter.close()


async def _read_until_it_fails(meter: Any) -> None:
    for _ in range(3):
        await meter.read()


@pytest.mark.parametrize("model", ["zes.lmg95", "zes.lmg600"])
async def test_a_line_that_was_dropped_is_a_gap(lab: SimulatedLab, model: str) -> None:
    meter = make(lab, model)
    await meter.open()
    try:
        first = {reading.channel: reading.value for reading in await meter.read()}
        lab.inject(model.replace(".", ""), kind="drop", count=1)
        with pytest.raises(BadReply, match="lost 1 cycle"):
            await _read_until_it_fails(meter)
        after = {reading.channel: reading.value for reading in await meter.read()}
        clock = "cycle" if "cycle" in first else "cycle_end"
        assert after[clock] > first[clock]
    finally:
        await meter.close()
