"""Whatever a sysfs tree holds, the result is readings with a verdict, or an error with a cause and a remedy."""

from __future__ import annotations

import asyncio
import contextlib
import math
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark_drivers.errors import DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.sysfs.attribute import parse_integer

from tests.examples import examples

CONTENT = st.binary(max_size=40) | st.integers(-(2**65), 2**65).map(lambda n: f"{n}\n".encode())
ZONES = st.sampled_from(
    ["intel-rapl", "intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1", "intel-rapl:x", "intel-rapl:07"]
)
ZONE_FILES = st.sampled_from(["name", "energy_uj", "max_energy_range_uj"])
CHIPS = st.sampled_from(["hwmon0", "hwmon1", "hwmon", "x", "hwmon0/device", "hwmon1/device"])
CHIP_FILES = st.sampled_from(
    ["name", "power1_input", "power1_average", "power1_average_interval", "power1_accuracy", "power1_label",
     "power1_alarm", "power1_oem_info", "power1_is_battery", "energy1_input",
     "device/uevent", "device/unique_id", "fan1_fault", "fan1_input", "temp99999_input", "in0_input", "in0_label"]
)  # fmt: skip


@given(st.text() | st.from_regex(r"-?[0-9]{1,30}", fullmatch=True))
def test_numbers_are_exact_or_refused(text):
    with contextlib.suppress(ValueError):
        assert str(parse_integer(text)).lstrip("-0") == text.lstrip("-0")


async def read_all(model: str, url: str) -> None:
    meter = create_meter(MeterSettings("here", model, url))
    with contextlib.suppress(DriverError):
        await meter.open()
        channels = {channel.id: channel for channel in meter.channels}
        assert len(channels) == len(meter.channels)
        for reading in await meter.read():
            assert reading.unit == channels[reading.channel].unit
            assert math.isfinite(reading.value) or reading.quality & Quality.INVALID
    await meter.close()


def grow(root: Path, files: dict[tuple[str, str], bytes]) -> None:
    for (folder, name), content in files.items():
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / name).parent.mkdir(exist_ok=True)
        (root / folder / name).write_bytes(content)


@settings(max_examples=examples(60), deadline=None)
@given(st.dictionaries(st.tuples(ZONES, ZONE_FILES), CONTENT, max_size=12))
def test_any_powercap_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        grow(Path(folder), files)
        asyncio.run(read_all("linux.rapl", f"rapl://{folder}"))


@settings(max_examples=examples(60), deadline=None)
@given(st.dictionaries(st.tuples(CHIPS, CHIP_FILES), CONTENT, max_size=12))
def test_any_hwmon_tree(files):
    with tempfile.TemporaryDirectory() as folder:
        grow(Path(folder), files)
        asyncio.run(read_all("linux.hwmon", f"hwmon://{folder}"))


@settings(max_examples=examples(60), deadline=None)
@given(st.dictionaries(st.tuples(CHIPS, CHIP_FILES), CONTENT | st.just(b"amdgpu\n"), max_size=12))
def test_any_tree_of_a_gpu(files):
    with tempfile.TemporaryDirectory() as folder:
        grow(Path(folder), {**files, ("hwmon0", "name"): b"amdgpu\n"})
        asyncio.run(read_all("amd.gpu", f"amdgpu://{folder}"))
