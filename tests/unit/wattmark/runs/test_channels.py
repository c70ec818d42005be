"""Which channel counts as a meter's power: one decision, for every model and every place that asks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from wattmark.bench.bench import Bench
from wattmark.instruments.entries import instrument_mistakes
from wattmark.instruments.instruments import meter_record
from wattmark.recording.live import LiveHub
from wattmark.results.series import power_series, total_ids
from wattmark.runs.channels import TOTALS, total_channel, total_channels
from wattmark.runs.record import MeterRecord
from wattmark.store.sample_store import Series, SeriesKey
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Reading

ROOT = Path(__file__).parents[4]
LISTS_MORE = {"nvidia.gpu", "amd.gpu", "linux.hwmon", "redfish.bmc"}
"""Models whose device adds channels of its own when it is opened, the total among them."""


class Listed:
    """A meter that is open, with the channels that its model declares."""

    pushes = False

    def __init__(self, *channels: Channel) -> None:
        self.channels = channels
        self.identity = MeterIdentity("m", "model", "maker", "title")

    async def open(self) -> None: ...

    async def read(self) -> list[Reading]:
        return []

    async def close(self) -> None: ...


def power(name: str, quantity: str = "power", unit: str = "W", resolution: float | None = None) -> Channel:
    kind = Kind.COUNTER if quantity == "energy" else Kind.AVERAGED
    return Channel(name, quantity, unit, kind, name, resolution)


def phases() -> list[Channel]:
    return [power(f"power_l{n}", resolution=1.0) for n in (1, 2, 3)]


def shown_totals(*channels: Channel) -> list[str]:
    """List what counts live."""
    hub = LiveHub(SystemClock())
    hub.register(Listed(*channels), "wall", "a", 1.0)  # type: ignore[arg-type]
    return [channel.channel for channel in hub.snapshot() if channel.total and channel.quantity == "power"]


def stored_totals(*channels: Channel) -> list[str]:
    """List what counts in a run."""
    series = [
        Series(n, SeriesKey("r", "s", "m", c.id, c.quantity, c.unit, c.kind.value)) for n, c in enumerate(channels)
    ]
    meter = MeterRecord(name="m", model="model", title="title")
    assert {s.id for s in power_series(meter, series)} <= total_ids(series)
    return [s.key.channel for s in power_series(meter, series)]


@pytest.mark.parametrize(
    ("channels", "total"),
    [
        (["power_l1", "power_l2", "power_l3", "power"], "power"),
        (["power_ch1", "power_ch2", "power"], "power"),
        (["power_l1", "power_l2", "power_l3"], None),
        (["power_l2"], None),
        (["power_ch3"], None),
        (["power_outlet_4"], None),
        (["dcmi_power", "psu1_input_power", "psu2_input_power"], "dcmi_power"),
        (["psu1_input_power", "psu2_input_power"], None),
        (["package_power"], "package_power"),
    ],
)
def test_the_total_counts_and_a_part_never_stands_for_it(channels: list[str], total: str | None) -> None:
    assert total_channel(channels) == total
    assert shown_totals(*map(power, channels)) == stored_totals(*map(power, channels)) == ([total] if total else [])


def test_energy_taken_in_counts_and_energy_given_back_does_not() -> None:
    assert total_channel(["energy_export", "energy_import"], "energy") == "energy_import"
    assert total_channel(["energy_export"], "energy") is None
    assert total_channels([("energy", "energy"), ("power", "power_l1")]) == {("energy", "energy")}


def test_of_every_model_one_channel_counts_wherever_power_is_added_up() -> None:
    """All declarations call the total ``power``, after the register of their sources that holds it."""
    three_phase = 0
    for model, declaration in load_catalogue().items():
        channels = [power(c.channel, c.quantity, c.unit) for c in declaration.protocol.measured]
        watts = {c.id: 100.0 * n + 1.0 for n, c in enumerate(channels) if c.quantity == "power"}
        three_phase += len(watts) > 1
        if channels and model not in LISTS_MORE:
            counted = shown_totals(*channels)
            assert counted == stored_totals(*channels) == ["power"], model
            assert sum(watts[name] for name in counted) == watts["power"], model
    assert three_phase > 20


def test_the_record_of_a_meter_describes_its_total_and_not_its_first_phase() -> None:
    """Hioki PW3337, ZES LMG600 and Chroma 66204 list their inputs first."""
    meter = Listed(*phases(), power("power", resolution=0.1))
    entry = MeterRecord(name="m", model="model", title="title")
    assert meter_record(meter, "wall", entry).resolution_w == 0.1  # type: ignore[arg-type]


def test_a_meter_with_phases_and_a_register_is_a_counter() -> None:
    meter = Listed(*phases(), power("energy_import", "energy", "Wh", 10.0))
    entry = MeterRecord(name="m", model="model", title="title")
    record = meter_record(meter, "wall", entry)  # type: ignore[arg-type]
    assert (record.kind, record.register_resolution_wh) == ("counter", 10.0)


def test_a_bench_refuses_a_wall_meter_that_is_asked_for_phases_alone() -> None:
    def mistakes(channels: str, role: str = "wall") -> list[str]:
        entry = {
            "id": "m", "model": "eastron.sdm630", "url": "modbus-tcp://192.0.2.1/1", "role": role,
            "options": {"channels": channels},
        }  # fmt: skip
        return [
            mistake.text
            for mistake in instrument_mistakes(
                Bench.model_validate({"schema": "wattmark-bench/1", "lab": "l", "meters": [entry]})
            )
        ]

    assert mistakes("power_l1") == ["found only power_l1; a wall meter needs its total power or energy"]
    assert mistakes("power_l1, power_l2, power_l3, power") == mistakes("power_l1, energy_import") == []
    assert mistakes("power_l1", "secondary") == []


def test_the_panels_of_grafana_ask_for_the_totals() -> None:
    panels = json.loads((ROOT / "docker/grafana/dashboards/wattmark.json").read_text())["panels"]
    queries = [target["query"] for panel in panels for target in panel["targets"]]
    asked = {match for query in queries for match in re.findall(r'"channel" =~ /\^\(([a-z_|]+)\)\$/', query)}
    assert asked == {"|".join(TOTALS["power"])}


def test_a_source_that_has_told_no_channels_yet_waits_as_a_whole() -> None:
    assert shown_totals() == ["power"]
