"""AMD GPUs of a fake tree: files and labels as amdgpu_pm.c names them, PCI addresses as pci_uevent writes them."""

from __future__ import annotations

import errno
import math

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Kind, Quality
from wattmark_drivers.sysfs import hwmon

from tests.open_meter import open_meter

SLOTS = ("0000:c1:00.0", "0000:83:00.0")


def gpu(tree, number: int, slot: str, **attributes: str | int) -> None:
    files = {"power1_label": "PPT", "power1_cap": 300_000_000, **attributes}
    tree.write(f"hwmon{number}", name="amdgpu", **files)
    tree.write(f"hwmon{number}/device", uevent=f"DRIVER=amdgpu\nPCI_SLOT_NAME={slot}", unique_id=f"{number:016x}")


@pytest.fixture
def card(tree):
    """A processor's sensor, and one GPU with a mean and a sample."""
    tree.write("hwmon0", name="k10temp", temp1_input=41_000)
    gpu(
        tree, 4, SLOTS[0], power1_average=203_000_000, power1_input=211_000_000, temp1_input=47_000,
        temp1_label="edge", temp2_input=55_000, temp2_label="junction", freq1_input=1_700_000_000, freq1_label="sclk",
        in0_input=806, in0_label="vddgfx", fan1_input=0,
    )  # fmt: skip
    return tree


async def poll(meter):
    return {reading.channel: reading for reading in await meter.read()}


async def test_one_gpu_with_its_mean_as_the_power_in_true_units(card, make):
    async with open_meter(make("amd.gpu", f"amdgpu://{card.root}")) as meter:
        values = {name: (reading.value, reading.unit) for name, reading in (await poll(meter)).items()}
        assert values == {
            "power": (203.0, "W"), "power1": (211.0, "W"), "temp1": (47.0, "°C"), "temp2": (55.0, "°C"),
            "freq1": (1.7e9, "Hz"), "in0": (0.806, "V"), "fan1": (0.0, "RPM"),
        }  # fmt: skip
        power = meter.channels[0]
        assert (power.id, power.kind) == ("power", Kind.AVERAGED)
        assert power.label == "Power of the GPU, PPT (mean over an unknown time)"
        assert meter.identity.serial == "0000000000000004"
        assert not meter.identity.simulated


async def test_a_gpu_without_a_mean_shows_its_sample(tree, make):
    """amdgpu_pm.c: not all products support both average and instantaneous."""
    gpu(tree, 0, SLOTS[0], power1_input=140_000_000)
    async with open_meter(make("amd.gpu", f"amdgpu://{tree.root}")) as meter:
        assert (meter.channels[0].id, meter.channels[0].kind) == ("power", Kind.INSTANTANEOUS)
        assert (await poll(meter))["power"].value == 140.0


@pytest.mark.parametrize(
    ("caps", "watts", "good"),
    [
        # A laptop card with a limit of 160 W shows 600 W; its greatest limit counts, and moments above it are real.
        ({"power1_cap": 120_000_000, "power1_cap_max": 160_000_000}, 600, False),
        ({"power1_cap": 120_000_000, "power1_cap_max": 160_000_000}, 310, True),
        ({"power1_cap": 300_000_000, "power1_cap_max": 0, "power1_cap_default": "EIO"}, 601, False),
        ({"power1_cap": 0}, 601, True),
    ],
)
async def test_power_far_above_the_card_s_own_limits_is_not_used(tree, make, caps, watts, good):
    gpu(tree, 0, SLOTS[0], power1_average=watts * 1_000_000, **{"power1_cap": 0, **caps})
    async with open_meter(make("amd.gpu", f"amdgpu://{tree.root}")) as meter:
        quality = (await poll(meter))["power"].quality
        assert quality == (Quality.GOOD if good else Quality.ABOVE_LIMIT | Quality.IMPLAUSIBLE)


async def test_of_several_the_address_names_one_by_its_slot(card, make):
    gpu(card, 5, SLOTS[1], power1_average=90_000_000)
    with pytest.raises(ConfigurationError, match=r"2 amdgpu chips.*slot=: 0000:83:00.0, 0000:c1:00.0"):
        await make("amd.gpu", f"amdgpu://{card.root}").open()
    with pytest.raises(ConnectionFailed, match=r"no amdgpu chip in .* at 0000:01:00.0"):
        await make("amd.gpu", f"amdgpu://{card.root}?slot=0000:01:00.0").open()
    async with open_meter(make("amd.gpu", f"amdgpu://{card.root}?slot={SLOTS[1].upper()}")) as meter:
        assert (await poll(meter))["power"].value == 90.0
        assert meter.identity.serial == "0000000000000005"


async def test_a_sleeping_gpu_has_no_value_and_is_no_missing_right(card, make, monkeypatch):
    """amdgpu_pm_get_access_if_active: -EPERM while the GPU sleeps or is reset."""

    def asleep(path):
        raise PermissionError(errno.EPERM, "Operation not permitted", str(path))

    async with open_meter(make("amd.gpu", f"amdgpu://{card.root}")) as meter:
        monkeypatch.setattr(hwmon, "read_text", asleep)
        power = (await poll(meter))["power"]
        assert math.isnan(power.value)
        assert power.quality is Quality.INVALID
        monkeypatch.undo()
        assert (await poll(meter))["power"].quality is Quality.GOOD


async def test_the_second_die_of_a_card_shows_no_watts_and_that_is_no_reading(tree, make):
    """aldebaran_ppt.c: the secondary die shows 0."""
    gpu(tree, 0, SLOTS[0], power1_average=0, temp1_input=40_000)
    async with open_meter(make("amd.gpu", f"amdgpu://{tree.root}")) as meter:
        assert (await poll(meter))["power"].quality is Quality.INVALID


async def test_a_gpu_without_power_says_so(tree, make):
    gpu(tree, 0, SLOTS[0], temp1_input=40_000)
    with pytest.raises(ConnectionFailed, match="shows no power"):
        await make("amd.gpu", f"amdgpu://{tree.root}").open()


async def test_no_address_of_the_servers_sensors_makes_a_gpu_the_server(card, make):
    async with open_meter(make("linux.hwmon", f"hwmon://{card.root}?name=amdgpu")) as meter:
        assert "power" not in {channel.id for channel in meter.channels}
    with pytest.raises(ConfigurationError, match="no power sensor called PPT"):
        await make("linux.hwmon", f"hwmon://{card.root}?sensor=PPT").open()
    assert load_catalogue()["amd.gpu"].measured_at == "gpu"


@pytest.mark.parametrize("url", ["amdgpu:///sys?slot=1", "amdgpu:///sys?name=amdgpu", "amdgpu://0", "hwmon:///sys"])
def test_wrong_addresses(make, url):
    with pytest.raises(ConfigurationError, match="amdgpu:///sys/class/hwmon"):
        make("amd.gpu", url)
