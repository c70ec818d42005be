"""hwmon chips of a fake tree: files, units and flags as Documentation/ABI/testing/sysfs-class-hwmon names them."""

from __future__ import annotations

import math

import pytest
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.physics import Physics
from wattmark_drivers.reading import Kind, Quality

from tests.open_meter import open_meter

from .conftest import EIO_FILE, FORBIDDEN_FILE


@pytest.fixture
def server(tree):
    """An ACPI power meter, a PMBus supply and a board chip."""
    tree.write(
        "hwmon0", name="power_meter", power1_average=345_000_000, power1_average_interval=1000, power1_accuracy="90.00%"
    )
    tree.write(
        "hwmon1", name="pmbus", power1_input=352_250_000, power1_label="pin", in1_input=230_125, in1_label="vin",
        curr1_input=1_532, temp1_input=-3_500, fan1_input=8_520, fan1_fault=0, energy1_input=7_200_000_000,
    )  # fmt: skip
    tree.write("hwmon10", name="nct6775", temp2_input=41_000, fan2_input=0, fan2_alarm=1, temp1_enable=0)
    return tree


async def poll(meter):
    return {reading.channel: reading for reading in await meter.read()}


async def test_units(server, make):
    async with open_meter(make("linux.hwmon", f"hwmon://{server.root}?name=pmbus")) as meter:
        values = {name: (reading.value, reading.unit) for name, reading in (await poll(meter)).items()}
        assert values == {
            "power": (352.25, "W"), "in1": (230.125, "V"), "curr1": (1.532, "A"), "temp1": (-3.5, "°C"),
            "fan1": (8520.0, "RPM"), "energy1": (2.0, "Wh"),
        }  # fmt: skip
        kinds = {channel.id: channel.kind for channel in meter.channels}
        assert (kinds["power"], kinds["energy1"]) == (Kind.INSTANTANEOUS, Kind.COUNTER)


async def test_an_acpi_power_meter_is_the_servers_power_with_its_interval_and_its_claim(server, make):
    async with open_meter(make("linux.hwmon", f"hwmon://{server.root}")) as meter:
        power = meter.channels[0]
        assert (power.id, power.kind) == ("power", Kind.AVERAGED)
        assert power.label == "power_meter power1 (mean over 1 s, claims an accuracy of 90.00 %)"
        assert (await poll(meter))["power"].value == 345.0
        assert meter.identity.power_accuracy is None
        assert {channel.id for channel in meter.channels} == {
            "power", "pmbus_power1", "pmbus_in1", "pmbus_curr1", "pmbus_temp1", "pmbus_fan1", "pmbus_energy1",
            "nct6775_temp2", "nct6775_fan2",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "good"),
    [
        ({"power1_max": 160_000_000}, False),
        ({"power1_cap_max": 100_000_000, "power1_rated_max": 200_000_000}, False),
        # The greatest limit counts; one of 0 is none, and the cap in force is what somebody set.
        ({"power1_max": 160_000_000, "power1_crit": 500_000_000}, True),
        ({"power1_max": 0}, True),
        ({"power1_cap": 50_000_000}, True),
    ],
)
async def test_power_far_above_the_chip_s_own_limit_is_not_used(tree, make, limits, good):
    tree.write("hwmon0", name="power_meter", power1_average=601_000_000, **limits)
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}")) as meter:
        quality = (await poll(meter))["power"].quality
        assert quality == (Quality.GOOD if good else Quality.ABOVE_LIMIT | Quality.IMPLAUSIBLE)


@pytest.mark.parametrize("written", [0, 345, 345_000])
async def test_less_than_a_machine_takes_is_no_value(tree, make, written):
    """sysfs-class-hwmon counts µW: 345 W written as W or mW would be a machine of less than 1 W."""
    tree.write("hwmon0", name="power_meter", power1_average=written)
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}")) as meter:
        assert (await poll(meter))["power"].quality == Quality.INVALID


@pytest.mark.parametrize("end", [0x7FFFFFFF, 0xFFFFFFFF, -0x80000000])
async def test_the_end_of_a_number_is_no_value(tree, make, end):
    """2147483647 µW are 2147 W, within all limits."""
    tree.write("hwmon0", name="power_meter", power1_average=end)
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}")) as meter:
        assert (await poll(meter))["power"].quality & Quality.INVALID


@pytest.mark.parametrize(
    ("microwatts", "flag"),
    [
        (324_000_000, Quality.GOOD),
        (3_240_000_000, Quality.EXCEEDS_VA | Quality.IMPLAUSIBLE),
        (324_000, Quality.AT_ODDS | Quality.IMPLAUSIBLE),
    ],
)
async def test_a_supply_s_watts_are_held_against_its_volts_and_amperes(tree, make, microwatts, flag):
    """PMBus: pin beside vin and iin (333 VA); the last are milliwatts in a file for microwatts."""
    tree.write(
        "hwmon0", name="pmbus", power1_input=microwatts, power1_label="pin", in1_input=230_000, in1_label="vin",
        curr1_input=1_450, curr1_label="iin",
    )  # fmt: skip
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}?name=pmbus&sensor=pin")) as meter:
        marks = Physics(meter.identity, meter.channels).mark(await meter.read())
        assert next(reading.quality for reading in marks if reading.channel == "power") == flag


async def test_equal_chips_are_told_apart_and_none_poses_as_the_whole(tree, make):
    for number in (3, 4):
        tree.write(f"hwmon{number}", name="pmbus", power1_input=100_000_000)
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}?name=pmbus")) as meter:
        assert [channel.id for channel in meter.channels] == ["pmbus_power1_hwmon3", "pmbus_power1_hwmon4"]


async def test_average_beside_input(tree, make):
    tree.write("hwmon0", name="chip", power1_input=100_000_000, power1_average=90_000_000)
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}")) as meter:
        readings = await poll(meter)
        assert (readings["power1"].value, readings["power1_average"].value) == (100.0, 90.0)
        assert readings["power1_average"].kind is Kind.AVERAGED


async def test_flags(server, make):
    """Documentation/hwmon/sysfs-interface.rst: alarms tell of crossed limits, faults of broken sensors."""
    server.write("hwmon0", power1_alarm=1)
    async with open_meter(make("linux.hwmon", f"hwmon://{server.root}")) as meter:
        readings = await poll(meter)
        assert readings["power"].quality is Quality.GOOD
        assert readings["nct6775_fan2"].quality is Quality.GOOD
        server.write("hwmon1", fan1_fault=1)
        readings = await poll(meter)
        assert readings["power"].quality is Quality.GOOD
        assert readings["pmbus_fan1"].quality is Quality.INVALID


@pytest.mark.parametrize("folder", ["hwmon0/device", "hwmon0"])
@pytest.mark.parametrize("name_at", ["hwmon0/device", "hwmon0"])
async def test_attributes_at_the_number_and_at_the_device(tree, make, folder, name_at):
    """acpi_power_meter.c puts them at the ACPI device; the name stands at the number on newer kernels."""
    tree.write(folder, power1_average=345_000_000, power1_average_interval=1000, power1_serial_number="PM-77")
    tree.write(name_at, name="power_meter")
    tree.write("hwmon1", name="k10temp", temp1_input=41_000)
    if (folder, name_at) == ("hwmon0", "hwmon0/device"):
        with pytest.raises(ConnectionFailed, match="no sensors"):
            await make("linux.hwmon", f"hwmon://{tree.root}?name=power_meter").open()
        return
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}")) as meter:
        assert [channel.id for channel in meter.channels] == ["power", "k10temp_temp1"]
        assert meter.channels[0].label == "power_meter power1 (mean over 1 s)"
        assert (await poll(meter))["power"].value == 345.0
        assert meter.identity.serial == "PM-77"


@pytest.fixture
def grace(tree):
    """Two sockets of NVIDIA Grace: names as DCGM and Alumet read them, one meter each, 50 ms."""
    watts = {"Module": 410, "Grace": 210, "CPU": 120, "SysIO": 40}
    for number, (part, socket) in enumerate((part, socket) for socket in (0, 1) for part in watts):
        tree.write(
            f"hwmon{number}/device", name="power_meter", power1_oem_info=f"{part} Power Socket {socket}",
            power1_average=(watts[part] + socket) * 1_000_000, power1_average_interval=50, power1_is_battery=0,
        )  # fmt: skip
    return tree


async def test_none_of_several_meters_is_called_the_server(grace, make):
    async with open_meter(make("linux.hwmon", f"hwmon://{grace.root}?name=power_meter")) as meter:
        labels = {channel.id: channel.label for channel in meter.channels}
        readings = await poll(meter)
    assert "power" not in labels
    assert labels["power_meter_power1_module_power_socket_0"] == "Module Power Socket 0 (mean over 0.05 s)"
    assert labels["power_meter_power1_sysio_power_socket_1"] == "SysIO Power Socket 1 (mean over 0.05 s)"
    assert len(labels) == 8
    assert readings["power_meter_power1_cpu_power_socket_1"].value == 121.0


@pytest.mark.parametrize(
    "name", ["Module Power Socket 1", "module power socket 1", "power_meter_power1_module_power_socket_1"]
)
async def test_the_address_chooses_the_meter(grace, make, name):
    async with open_meter(make("linux.hwmon", f"hwmon://{grace.root}?name=power_meter&sensor={name}")) as meter:
        assert (meter.channels[0].id, meter.channels[0].label) == ("power", "Module Power Socket 1 (mean over 0.05 s)")
        assert (await poll(meter))["power"].value == 411.0


async def test_a_meter_that_is_not_there_is_named_with_those_that_are(grace, make):
    with pytest.raises(ConfigurationError, match=r"no power sensor called Board\. .*Grace Power Socket 0, Grace Power"):
        await make("linux.hwmon", f"hwmon://{grace.root}?sensor=Board").open()
    grace.write("hwmon9/device", name="power_meter", power1_oem_info="CPU Power Socket 0", power1_average=1)
    with pytest.raises(ConfigurationError, match="more than one power sensor called CPU Power Socket 0"):
        await make("linux.hwmon", f"hwmon://{grace.root}?sensor=CPU Power Socket 0").open()


@pytest.mark.parametrize(
    "part", [{"name": "amdgpu", "power1_average": 40_000_000}, {"name": "ina226", "power1_input": 40_000_000},
             {"name": "power_meter", "power1_average": 40_000_000, "power1_is_battery": 1}]
)  # fmt: skip
async def test_a_part_that_is_alone_is_not_the_server(tree, make, part):
    tree.write("hwmon0", **part)
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}")) as meter:
        assert [channel.id for channel in meter.channels] == ["power1"]


@pytest.mark.parametrize("microwatts", [4_294_967_295_000, 0])
async def test_the_error_value_of_acpi_and_no_watts_of_a_running_machine_are_no_reading(server, make, microwatts):
    """lm-sensors issue 460: 4294967295000 / 1000 = 0xffffffff, the error of an ACPI power meter."""
    async with open_meter(make("linux.hwmon", f"hwmon://{server.root}")) as meter:
        server.write("hwmon0", power1_average=microwatts)
        assert (await poll(meter))["power"].quality is Quality.INVALID


@pytest.mark.parametrize("text", ["", "n/a", "0x10", "1.5", "9" * 30, "\0\0"])
async def test_what_is_no_number_is_no_reading(server, make, text):
    async with open_meter(make("linux.hwmon", f"hwmon://{server.root}")) as meter:
        server.write("hwmon0", power1_average=text)
        power = (await poll(meter))["power"]
        assert math.isnan(power.value)
        assert power.quality is Quality.INVALID


@pytest.mark.parametrize("microwatts", [-1_000_000, 2**63 - 1, 2**32 * 10**6])
async def test_impossible_powers_are_not_used(server, make, microwatts):
    async with open_meter(make("linux.hwmon", f"hwmon://{server.root}")) as meter:
        server.write("hwmon0", power1_average=microwatts)
        assert (await poll(meter))["power"].quality is Quality.IMPLAUSIBLE


async def test_an_error_of_the_bus_costs_one_reading_only(server, make):
    async with open_meter(make("linux.hwmon", f"hwmon://{server.root}")) as meter:
        server.link("hwmon1/in1_input", EIO_FILE)
        readings = await poll(meter)
        assert readings["pmbus_in1"].quality is Quality.INVALID
        assert readings["power"].quality is Quality.GOOD


async def test_a_chip_that_is_pulled_out_is_a_lost_meter_and_comes_back_as_it_is_then(server, make):
    async with open_meter(make("linux.hwmon", f"hwmon://{server.root}")) as meter:
        server.remove("hwmon1")
        with pytest.raises(ConnectionFailed, match="is gone"):
            await meter.read()
        await meter.open()
        assert not any(channel.id.startswith("pmbus") for channel in meter.channels)


async def test_unknown_chips_name_those_that_are_there(server, make):
    with pytest.raises(ConnectionFailed, match="nct6775, pmbus, power_meter"):
        await make("linux.hwmon", f"hwmon://{server.root}?name=acpi_power_meter").open()
    with pytest.raises(ConnectionFailed, match="Chips in it: none"):
        await make("linux.hwmon", f"hwmon://{server.root}/nowhere").open()


async def test_forbidden_files_name_the_remedy(server, make):
    server.link("hwmon0/power1_average", FORBIDDEN_FILE)
    with pytest.raises(ConfigurationError, match="udev rule"):
        await make("linux.hwmon", f"hwmon://{server.root}").open()


@pytest.mark.parametrize("url", ["hwmon://host/sys", "hwmon:///sys?chip=x"])
def test_wrong_addresses(make, url):
    with pytest.raises(ConfigurationError, match="hwmon:///sys/class/hwmon"):
        make("linux.hwmon", url)


async def test_equal_sensors_of_two_supplies_are_offered_by_their_ids(tree, make):
    for number in (0, 1):
        tree.write(
            f"hwmon{number}", name="dps1600", power1_input=310_000_000, power1_label="pin",
            power2_input=290_000_000, power2_label="pout1",
        )  # fmt: skip
    with pytest.raises(ConfigurationError, match=r"more than one .* pin\. .*dps1600_power1_hwmon0"):
        await make("linux.hwmon", f"hwmon://{tree.root}?sensor=pin").open()
    async with open_meter(make("linux.hwmon", f"hwmon://{tree.root}?sensor=dps1600_power1_hwmon0")) as meter:
        assert meter.channels[0].id == "power"
        labels = {channel.label for channel in meter.channels}
        assert "pout1 (output side of a supply: DC, without its losses)" in labels
