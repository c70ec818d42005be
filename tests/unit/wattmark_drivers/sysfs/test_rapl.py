"""RAPL zones of a fake tree: powercap.rst shows the layout, the ranges are those of real processors."""

from __future__ import annotations

import asyncio
import math

import pytest
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Kind, Quality

from tests.open_meter import open_meter

from .conftest import EIO_FILE, FORBIDDEN_FILE

INTEL_RANGE_UJ = 262_143_328_850
AMD_RANGE_UJ = 65_532_610_987


def zone(tree, folder: str, name: str, energy_uj: int | str, range_uj: int | str = INTEL_RANGE_UJ) -> None:
    tree.write(folder, name=name, energy_uj=energy_uj, max_energy_range_uj=range_uj)


@pytest.fixture
def intel(tree, make):
    """Two packages with cores and memory, the control type itself, and the same package once more by MMIO."""
    tree.write("intel-rapl", enabled=1)
    for package in (0, 1):
        zone(tree, f"intel-rapl:{package}", f"package-{package}", 1_000_000_000)
        zone(tree, f"intel-rapl:{package}:0", "core", 400_000_000)
        zone(tree, f"intel-rapl:{package}:1", "dram", 100_000_000, 65_712_999_613)
    zone(tree, "intel-rapl-mmio:0", "package-0", 1_000_000_000)
    return make("linux.rapl", f"rapl://{tree.root}")


async def poll(meter) -> dict[str, tuple[float, Quality]]:
    return {reading.channel: (reading.value, reading.quality) for reading in await meter.read()}


async def test_energy_in_watt_hours_and_mean_power_since_the_last_poll(tree, clock, intel):
    async with open_meter(intel):
        clock.pass_s(2)
        tree.write("intel-rapl:0", energy_uj=1_000_000_000 + 180_000_000)
        tree.write("intel-rapl:1", energy_uj=1_000_000_000 + 60_000_000)
        tree.write("intel-rapl:0:1", energy_uj=100_000_000 + 20_000_000)
        readings = {reading.channel: reading for reading in await intel.read()}
        assert readings["power"].value == 120.0
        assert readings["package_0_power"].value == 90.0
        assert readings["package_0_dram_power"].value == 10.0
        assert readings["package_0_energy"].value == pytest.approx(1180 / 3600, rel=1e-12)
        assert readings["power"].kind is Kind.AVERAGED
        assert readings["package_0_energy"].kind is Kind.COUNTER
        assert readings["package_0_energy"].unit == "Wh"
        assert readings["power"].t_ns == clock.utc_ns()


async def test_channels_name_their_zone_and_no_zone_counts_twice(intel):
    async with open_meter(intel):
        assert [channel.id for channel in intel.channels if channel.quantity == "power"] == [
            "power",
            *(f"package_{n}{part}_power" for n in (0, 1) for part in ("", "_core", "_dram")),
        ]
        energy = next(channel for channel in intel.channels if channel.id == "package_0_energy")
        # One unit is 61.035 microjoules: 262143328850 / (2^32 - 1).
        assert energy.resolution == pytest.approx(61.035e-6 / 3600, rel=1e-4)
        assert intel.identity.indicative
        assert intel.identity.power_accuracy is None


async def test_the_memory_zone_says_what_it_overstates_and_no_other_does(intel):
    """ICPE 2024, artifact: 4.02 W against 1.85 W at an idle module of an Ice Lake-SP."""
    async with open_meter(intel):
        remarked = [channel for channel in intel.channels if "idle memory" in channel.label]
        assert [channel.id for channel in remarked] == [
            f"package_{n}_dram_{quantity}" for n in (0, 1) for quantity in ("power", "energy")
        ]
        assert remarked[0].label == (
            "Mean power of package-0 dram (up to twice the true power of idle memory on Ice Lake)"
        )


async def test_platform_zone_and_dies(tree, make):
    zone(tree, "intel-rapl:0", "package-0-die-0", 1)
    zone(tree, "intel-rapl:1", "psys", 1)
    async with open_meter(make("linux.rapl", f"rapl://{tree.root}")) as meter:
        assert [channel.id for channel in meter.channels if channel.unit == "W"] == [
            "power",
            "package_0_die_0_power",
            "psys_power",
        ]


async def test_an_amd_counter_wraps_at_its_own_range(tree, clock, make):
    zone(tree, "intel-rapl:0", "package-0", AMD_RANGE_UJ - 50_000_000, AMD_RANGE_UJ)
    zone(tree, "intel-rapl:0:0", "core", 5, AMD_RANGE_UJ)
    async with open_meter(make("linux.rapl", f"rapl://{tree.root}")) as meter:
        clock.pass_s(1)
        tree.write("intel-rapl:0", energy_uj=149_999_985)
        # 2^32 units of 15.258 microjoules: the wrap is 15 microjoules above the range.
        assert (await poll(meter))["package_0_power"][0] == 200.0


async def test_the_total_survives_reopening(tree, clock, intel):
    async with open_meter(intel):
        clock.pass_s(1)
        tree.write("intel-rapl:0", energy_uj=INTEL_RANGE_UJ)
    async with open_meter(intel):
        clock.pass_s(1)
        before = (await poll(intel))["package_0_energy"][0]
        clock.pass_s(1)
        tree.write("intel-rapl:0", energy_uj=99_999_939)
        assert (await poll(intel))["package_0_energy"][0] - before == pytest.approx(100 / 3600, rel=1e-9)


async def test_the_first_reading_waits_for_a_difference_and_quick_ones_have_no_power(tree, clock, intel):
    async with open_meter(intel):
        began_ns = clock.now_ns
        tree.write("intel-rapl:0", energy_uj=1_000_000_000 + 4_000_000)
        tree.write("intel-rapl:1", energy_uj=1_000_000_000 + 1_000_000)
        assert (await poll(intel))["power"][0] == 100.0
        assert clock.now_ns - began_ns == 50_000_000
        clock.pass_s(0.01)
        assert "power" not in await poll(intel)


async def test_a_counter_that_stands_is_stale(clock, intel):
    async with open_meter(intel):
        clock.pass_s(1)
        readings = await poll(intel)
        assert readings["power"][1] == readings["package_0_power"][1] == Quality.STALE | Quality.INVALID
        assert readings["package_1_energy"][1] is Quality.STALE


@pytest.mark.parametrize("text", ["", "garbage", "-5", "1e9", "9" * 40, str(INTEL_RANGE_UJ + 1), "12 34", "\0", "१२"])
async def test_what_is_no_count_is_no_reading(tree, clock, intel, text):
    async with open_meter(intel):
        clock.pass_s(1)
        tree.write("intel-rapl:0", energy_uj=text)
        tree.write("intel-rapl:1", energy_uj=1_050_000_000)
        readings = await poll(intel)
        for channel in ("power", "package_0_power", "package_0_energy"):
            assert math.isnan(readings[channel][0])
            assert readings[channel][1] is Quality.INVALID
        assert readings["package_1_power"] == (50.0, Quality.GOOD)


async def test_an_error_of_the_bus_is_no_reading(tree, clock, intel):
    async with open_meter(intel):
        clock.pass_s(1)
        tree.link("intel-rapl:0/energy_uj", EIO_FILE)
        assert (await poll(intel))["package_0_energy"][1] is Quality.INVALID


async def test_a_zone_that_vanishes_is_a_lost_meter(tree, intel):
    async with open_meter(intel):
        tree.remove("intel-rapl:1")
        with pytest.raises(ConnectionFailed, match="package-1 is gone"):
            await intel.read()


async def test_packages_that_are_numbered_anew_keep_their_own_energy(tree, clock, intel):
    """A package that comes back after its cores were off gets the next free number; counters follow its name."""
    async with open_meter(intel):
        clock.pass_s(1)
        zone(tree, "intel-rapl:0", "package-1", 1_000_000_000 + 60_000_000)
        zone(tree, "intel-rapl:1", "package-0", 1_000_000_000 + 90_000_000)
        with pytest.raises(ConnectionFailed, match="package-0 stands in another folder now"):
            await intel.read()
        await intel.open()
        clock.pass_s(1)
        tree.write("intel-rapl:0", energy_uj=1_000_000_000 + 120_000_000)
        tree.write("intel-rapl:1", energy_uj=1_000_000_000 + 180_000_000)
        readings = await poll(intel)
        assert (readings["package_0_power"][0], readings["package_1_power"][0]) == (90.0, 60.0)
        assert readings["package_0_energy"][0] == pytest.approx(1180 / 3600)


async def test_the_total_does_not_go_on_without_a_package_that_was_in_it(tree, clock, intel):
    """intel_rapl_common.c, rapl_remove_package: the zone goes with the last core that is switched off."""
    async with open_meter(intel):
        tree.remove("intel-rapl:1")
        with pytest.raises(ConnectionFailed, match=r"package-1 is gone\. Switch the cores of that package on"):
            await intel.open()
        zone(tree, "intel-rapl:1", "package-1", 0)
        await intel.open()
        clock.pass_s(1)
        tree.write("intel-rapl:0", energy_uj=1_000_000_000 + 90_000_000)
        tree.write("intel-rapl:1", energy_uj=60_000_000)
        assert (await poll(intel))["power"] == (150.0, Quality.GOOD)


async def test_a_part_that_vanishes_leaves_the_total_as_it_is(tree, intel):
    async with open_meter(intel):
        tree.remove("intel-rapl:1:1")
        with pytest.raises(ConnectionFailed, match="package-1 dram is gone"):
            await intel.read()
        await intel.open()
        assert "package_1_dram_power" not in [channel.id for channel in intel.channels]


async def test_counters_for_root_only_name_the_udev_rule_and_not_sudo(tree, intel):
    tree.link("intel-rapl:0/energy_uj", FORBIDDEN_FILE)
    with pytest.raises(ConfigurationError) as caught:
        await intel.open()
    assert "udev rule" in str(caught.value)
    assert "do not run wattmark as root" in str(caught.value)
    assert "sudo" not in str(caught.value)


@pytest.mark.parametrize("folder", ["", "/nowhere"])
async def test_no_zones(tree, make, folder):
    with pytest.raises(ConnectionFailed, match="virtual machines have none"):
        await make("linux.rapl", f"rapl://{tree.root}{folder}").open()


async def test_reading_before_opening(intel):
    with pytest.raises(ConnectionFailed, match="not open"):
        await intel.read()


@pytest.mark.parametrize("url", ["rapl://host/sys", "rapl:sys", "rapl:///sys?name=x", "rapl:///a%00b"])
def test_wrong_addresses(make, url):
    with pytest.raises(ConfigurationError, match="rapl:///sys/class/powercap"):
        make("linux.rapl", url)


async def test_the_sampler_gets_along_with_it(tree, intel):
    from wattmark_drivers.sampler import Sampler

    seen: asyncio.Queue = asyncio.Queue()
    sampler = Sampler(
        intel, period_s=0.05, on_readings=lambda _, readings: seen.put_nowait(readings), on_state=lambda _: None
    )
    task = asyncio.create_task(sampler.run())
    readings = await asyncio.wait_for(seen.get(), 20)
    assert {reading.channel for reading in readings} >= {"package_0_energy"}
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    ("starts_uj", "watts", "expected_w"),
    [
        ((5_000_000_000, 5_000_000_000), (68.0, 68.0), 68.0),
        ((5_000_000_000, 5_000_040_000), (68.0, 68.0), 68.0),
        ((5_000_000_000,) * 3, (68.0,) * 3, 68.0),
        ((1_000_000_000, 5_000_000_000), (68.0, 68.0), 68.0),
        ((AMD_RANGE_UJ - 10_000_000,) * 2, (68.0, 68.0), 68.0),
        ((5_000_000_000, 1_000_000_000), (110.0, 95.0), 205.0),
        ((5_000_000_000, 5_000_000_000), (110.0, 95.0), 205.0),
    ],
    ids=["equal", "skew", "three", "moves alike", "wraps", "differ", "differ from one start"],
)
async def test_dies_that_show_one_counter_are_counted_once(tree, clock, make, caplog, starts_uj, watts, expected_w):
    """mlco2/codecarbon 1274: both dies of a Threadripper 1950X show the counter of the package."""
    for die, start_uj in enumerate(starts_uj):
        zone(tree, f"intel-rapl:{die}", f"package-0-die-{die}", start_uj, AMD_RANGE_UJ)
    async with open_meter(make("linux.rapl", f"rapl://{tree.root}")) as meter:
        for second in (1, 2):
            clock.pass_s(1)
            for die, (start_uj, power_w) in enumerate(zip(starts_uj, watts, strict=True)):
                now_uj = (start_uj + int(power_w * second * 1e6)) % (AMD_RANGE_UJ + 15)
                tree.write(f"intel-rapl:{die}", energy_uj=now_uj)
            power_w, quality = (await poll(meter))["power"]
            assert power_w == pytest.approx(expected_w)
            assert quality is Quality.GOOD
        once = expected_w == 68.0
        label = next(channel.label for channel in meter.channels if channel.id == "power")
        assert ("package-0-die-1 shows the counter of package-0-die-0" in label) is once
        assert ("it is counted once" in caplog.text) is (once or starts_uj[0] == starts_uj[1])


async def test_two_packages_that_show_one_counter_are_doubtful(tree, clock, make):
    for package in (0, 1):
        zone(tree, f"intel-rapl:{package}", f"package-{package}", 5_000_000_000)
    async with open_meter(make("linux.rapl", f"rapl://{tree.root}")) as meter:
        clock.pass_s(1)
        for package in (0, 1):
            tree.write(f"intel-rapl:{package}", energy_uj=5_068_000_000)
        assert (await poll(meter))["power"][1] is Quality.IMPLAUSIBLE
