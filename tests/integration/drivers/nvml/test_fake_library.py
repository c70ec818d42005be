"""The real nvidia-ml-py on a library that gives planted values and error codes (codes: NVML API reference)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.reading import Kind, Quality

from tests.examples import examples
from tests.open_meter import open_meter

UUID = "GPU-11111111-2222-3333-4444-555555555555"
NOT_SUPPORTED, NO_PERMISSION, DRIVER_NOT_LOADED, TIMEOUT, GPU_IS_LOST, MISMATCH, UNKNOWN = 3, 4, 9, 10, 15, 18, 999


async def poll(meter):
    return {reading.channel: reading for reading in await meter.read()}


async def test_values_in_their_units(nvml, clock, make):
    async with open_meter(make()) as meter:
        clock.pass_s(2)
        nvml.set("energy", 3_600_000_000 + 640_000)
        readings = await poll(meter)
        assert {name: (reading.value, reading.unit) for name, reading in readings.items()} == {
            "power": (320.0, "W"), "energy": (pytest.approx(1000 + 640 / 3600, rel=1e-12), "Wh"),
            "power_average": (310.5, "W"), "power_instant": (402.25, "W"), "power_usage": (310.0, "W"),
            "temperature": (61, "°C"), "clock_sm": (1.98e9, "Hz"), "clock_memory": (2.619e9, "Hz"),
            "utilisation": (97, "%"), "memory_utilisation": (43, "%"), "memory_used": (25.0, "%"),
            "clock_limits": (4, "1"),
        }  # fmt: skip
        assert all(reading.quality is Quality.GOOD for reading in readings.values())
        assert readings["energy"].kind is Kind.COUNTER
        assert readings["power"].kind is readings["power_average"].kind is Kind.AVERAGED
        assert readings["power_instant"].kind is Kind.INSTANTANEOUS
        assert meter.channels[0].id == "power"
        assert {channel.id for channel in meter.channels} == set(readings)
    assert nvml.opened == 0


async def test_who_it_is(nvml, make):
    async with open_meter(make()) as meter:
        assert (meter.identity.serial, meter.identity.firmware) == (UUID, "driver 580.95.05")
        assert meter.identity.indicative
        assert meter.identity.power_accuracy is None


async def test_a_name_that_is_no_text_does_not_matter(nvml, make):
    nvml.set("power_usage", 5_000, device=1)
    async with open_meter(make("nvml://1")) as meter:
        assert (await poll(meter))["power"].value == 5.0


async def test_by_uuid(nvml, make):
    async with open_meter(make(f"nvml:///{UUID}")) as meter:
        assert (await poll(meter))["power_average"].value == 310.5


async def test_an_old_driver_gives_its_power_and_nothing_that_it_does_not_know(old_nvml, make):
    async with open_meter(make()) as meter:
        readings = await poll(meter)
        assert {name: reading.value for name, reading in readings.items()} == {
            "power": 90.0, "temperature": 50, "clock_limits": 1,
        }  # fmt: skip
        assert [channel.id for channel in meter.channels] == ["power", "temperature", "clock_limits"]


async def test_without_a_counter_the_drivers_mean_is_the_power(nvml, make):
    nvml.set("energy", error=NOT_SUPPORTED)
    async with open_meter(make()) as meter:
        readings = await poll(meter)
        assert readings["power"].value == 310.5
        assert "power_average" not in readings


async def test_a_standing_counter_is_stale_and_quick_polls_wait_for_it(nvml, clock, make):
    async with open_meter(make()) as meter:
        nvml.set("energy", 3_600_000_000 + 150_000)
        assert (await poll(meter))["power"].value == 300.0
        assert clock.now_ns == 500_000_000
        clock.pass_s(0.1)
        assert "power" not in await poll(meter)
        clock.pass_s(1)
        readings = await poll(meter)
        assert readings["power"].quality == Quality.STALE | Quality.INVALID
        assert readings["energy"].quality is Quality.STALE


async def test_a_reloaded_driver_starts_its_counter_anew(nvml, clock, make):
    async with open_meter(make()) as meter:
        before = (await poll(meter))["energy"].value
        clock.pass_s(1)
        nvml.set("energy", 1_000)
        readings = await poll(meter)
        assert readings["energy"].value < before
        assert "power" not in readings


@pytest.mark.parametrize("error", [TIMEOUT, UNKNOWN, NOT_SUPPORTED])
async def test_an_error_of_one_question_costs_one_reading(nvml, clock, make, error):
    async with open_meter(make()) as meter:
        clock.pass_s(1)
        nvml.set("energy", error=error)
        nvml.set("temperature", error=error)
        readings = await poll(meter)
        for name in ("energy", "power", "temperature"):
            assert math.isnan(readings[name].value)
            assert readings[name].quality is Quality.INVALID
        assert readings["power_average"].quality is Quality.GOOD


async def test_a_gpu_that_fell_off_the_bus_is_a_lost_meter(nvml, make):
    async with open_meter(make()) as meter:
        nvml.set("energy", error=GPU_IS_LOST)
        with pytest.raises(ConnectionFailed, match="gpu is lost"):
            await meter.read()
    nvml.set("energy", 5)
    async with open_meter(meter):
        nvml.set("energy", 100_005)
        assert (await poll(meter))["power"].value == 200.0


@pytest.mark.parametrize(("value", "quality"), [(2**32 - 1, Quality.IMPLAUSIBLE), (5_000_001, Quality.IMPLAUSIBLE)])
async def test_impossible_powers(nvml, make, value, quality):
    nvml.set("power_usage", value)
    async with open_meter(make()) as meter:
        assert (await poll(meter))["power_usage"].quality is quality


@pytest.mark.parametrize(
    ("limits", "mw", "beyond"),
    [
        # A laptop's card of 160 W shows 600 W; a card shows megawatts; a card that was throttled to 100 W is set free.
        ({"enforced_limit": 160_000}, 600_000, True),
        ({"default_limit": 350_000}, 3_700_000, True),
        ({"enforced_limit": 100_000, "default_limit": 700_000}, 690_000, False),
        ({"enforced_limit": 160_000}, 190_000, False),
        ({}, 3_700_000, False),
    ],
)
async def test_power_beyond_twice_the_cards_own_limit_is_impossible(nvml, make, limits, mw, beyond):
    for question, value in limits.items():
        nvml.set(question, value)
    nvml.set("power_usage", mw)
    async with open_meter(make()) as meter:
        quality = (await poll(meter))["power_usage"].quality
        assert quality is (Quality.ABOVE_LIMIT | Quality.IMPLAUSIBLE if beyond else Quality.GOOD)


async def test_what_limits_the_clocks_is_logged_when_it_changes(nvml, make, caplog):
    caplog.set_level(logging.INFO)
    async with open_meter(make()) as meter:
        for mask in (0x1, 0x1, 0x44, 0x45, 0x8000):
            nvml.set("clock_limits", mask)
            assert (await poll(meter))["clock_limits"].value == mask
        assert [record.message for record in caplog.records] == [
            "Meter gpu: the clocks are limited by power cap, thermal slowdown by hardware.",
            "Meter gpu: the clocks are limited by unnamed reasons 0x8000.",
        ]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nvml://7", "There is no GPU 7. The driver has 2 GPUs"),
        ("nvml:///GPU-00000000-0000-0000-0000-000000000000", "There is no GPU-0000"),
        ("nvml:///GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "MIG instance"),
    ],
)
async def test_gpus_that_cannot_be_read(nvml, make, url, words):
    with pytest.raises(ConfigurationError, match=words):
        await make(url).open()
    assert nvml.opened == 0


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nvml:///MIG-11111111-2222-3333-4444-555555555555", "MIG instance"),
        ("nvml://first", "index first"),
        ("nvml:///0", "names no GPU"),
        (f"nvml://0/{UUID}", "both"),
        ("nvml://0?x=1", "unknown part x"),
        ("nvml:", "names no GPU"),
    ],
)
def test_wrong_addresses(make, url, words):
    with pytest.raises(ConfigurationError, match=words):
        make(url)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (DRIVER_NOT_LOADED, ConnectionFailed, "not loaded"),
        (MISMATCH, ConfigurationError, "Restart the machine"),
        (NO_PERMISSION, ConfigurationError, "/dev/nvidia"),
        (UNKNOWN, ConnectionFailed, "does not answer"),
    ],
)
async def test_refusals_at_the_door(nvml, make, error, kind, words):
    nvml.set("init", error=error)
    with pytest.raises(kind, match=words):
        await make().open()


SCRIPT = """
import asyncio
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings
try:
    asyncio.run(create_meter(MeterSettings("gpu", "nvidia.gpu", "nvml://0")).open())
except Exception as error:
    print(type(error).__name__, error)
"""


def run(script: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", script], env=os.environ | environment, capture_output=True, text=True, check=True
    ).stdout


def test_a_missing_or_broken_library_is_named(tmp_path):
    (tmp_path / "libnvidia-ml.so.1").write_bytes(b"")
    output = run(SCRIPT, LD_LIBRARY_PATH=str(tmp_path))
    assert output.startswith("ConfigurationError The library libnvidia-ml.so.1")


def test_a_missing_extra_is_named():
    output = run("import sys; sys.modules['pynvml'] = None" + SCRIPT)
    assert "pip install 'wattmark[nvml]'" in output


@settings(max_examples=examples(60))
@given(
    st.dictionaries(
        st.sampled_from(
            ["energy", "power_average", "power_usage", "temperature", "utilisation_gpu", "memory_used", "memory_total",
             "clock_limits", "field_type"]
        ),
        st.tuples(st.integers(0, 2**64 - 1), st.sampled_from([0, 0, 0, 1, 2, 3, 10, 15, 21, 999, 12345])),
    )
)  # fmt: skip
def test_whatever_the_library_says(nvml, make, answers):
    async def read() -> None:
        meter = make()
        with contextlib.suppress(DriverError):
            await meter.open()
            for question, (value, error) in answers.items():
                nvml.set(question, value, error=error)
            for reading in await meter.read():
                assert math.isfinite(reading.value) or reading.quality & Quality.INVALID
                assert reading.unit != "W" or not reading.quality.usable or 0 <= reading.value <= 5001
        await meter.close()

    asyncio.run(read())
    assert nvml.opened == 0
