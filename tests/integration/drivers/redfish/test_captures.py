"""What public captures of BMCs give, one expectation per machine; each figure was read in the capture by hand.

Sources, licences and what was left out of each capture: captures/README.md.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Kind, Quality, Reading

FOLDER = Path(__file__).parent / "captures"
UNSTATED = "side of the supplies not stated"
INPUT = "input side of the supplies"
DC = "output side of the supplies: DC"
OUTPUTS = "equals the sum of the supplies' outputs"
NODE = "sensor Node of HPE Cray EX"


async def serve(service, capture: str, address: str = "") -> tuple[dict[str, Reading], dict[str, str]]:
    """Read a capture once; return the readings and the labels of their channels."""
    service.documents = json.loads((FOLDER / f"{capture}.json").read_text("utf-8"))
    service.open_to_all = True
    chassis, _, query = address.partition("?")
    meter = service.meter(chassis, user=None, query=f"?{query}" if query else "")
    await meter.open()
    try:
        return {reading.channel: reading for reading in await meter.read()}, {
            channel.id: channel.label for channel in meter.channels
        }
    finally:
        await meter.close()


@pytest.mark.parametrize(
    ("capture", "address", "watts", "source", "side", "others"),
    [
        ("dmtf-rackmount1", "", 374, "EnvironmentMetrics", UNSTATED, {}),
        # 900 W is the rating of the supply (Range1MaxInputPowerWatts); 203 W is what it gives, the other is not listed.
        ("dell-r640", "", 429, "PowerControl", UNSTATED, {"average_power": 426, "psu_psu_slot_1_output_power": 203}),
        ("hpe-gen10", "", 221, "PowerControl", UNSTATED,
         {"average_power": 221, "psu_0_last_output_power": 0, "psu_1_last_output_power": 90}),
        ("hpe-dl325", "", 97, "PowerControl", OUTPUTS,
         {"average_power": 97, "mean_power": 97, "psu_0_last_output_power": 51, "psu_1_last_output_power": 46}),
        ("hpe-dl360-gen11", "", 565, "PowerControl", OUTPUTS,
         {"average_power": 521, "psu_0_last_output_power": 222, "psu_1_last_output_power": 200,
          "psu_2_last_output_power": 86, "psu_3_last_output_power": 57}),
        # Every supply of these two shows the total of the chassis.
        ("hpe-xl675d-a40", "", 779, "PowerControl", UNSTATED, {"average_power": 779}),
        ("hpe-xl675d-a100", "", 894, "PowerControl", UNSTATED, {"average_power": 893}),
        ("hpe-power-subsystem", "", 937.4, "Input power of the supplies (sum of 1; the BMC counts 2", INPUT,
         {"psu_bay1_input_power": 937.4, "psu_bay1_output_power": 937.4}),
        ("quoted-hp-ilo4", "", 93, "PowerControl", UNSTATED, {"average_power": 92}),
        ("hpe-cray-ex235a", "", 747, NODE, DC, {}),
        ("hpe-cray-ex235n", "Node0", 467, NODE, DC, {}),
        ("hpe-cray-ex235n", "Node1", 534, NODE, DC, {}),
        ("hpe-cray-ex420", "Node0", 463, NODE, DC, {}),
        ("hpe-cray-ex425", "Node0", 240, NODE, DC, {}),
        ("hpe-cray-ex425", "Node1", 238, NODE, DC, {}),
        ("hpe-cray-ex4252", "Node0", 428, NODE, DC, {}),
        ("hpe-cray-ex4252", "Node3", 427, NODE, DC, {}),
        # 3433 + 3657 + 3816 + 3819 W at the inputs of the four rectifiers.
        ("hpe-cray-cmm", "", 14725, "Power of the rectifiers (sum of 4", INPUT, {}),
        ("hpe-slingshot", "?sensor=ASICVoltageRegulator7OutputPower", 178, "sensor of the address", DC, {}),
        # Its supplies show 572 V and 13 V at their inputs, which is not believed.
        ("intel-s2600", "", 148, "PowerControl", UNSTATED, {"average_power": 147}),
        # Its metric report gives 693.036809 and 668.496932 W for the two hot-swap controllers.
        ("supermicro-gb300", "", 1349.263802, "EnvironmentMetrics", DC, {"reported_power": pytest.approx(1361.533741)}),
        ("quoted-fujitsu-rx2530-m7", "", 150, "Oem.ts_fujitsu", UNSTATED, {}),
        ("quoted-huawei", "", 120, "Oem.Huawei, sum of 1", INPUT, {}),
        ("quoted-h3c", "", 158, "PowerControl", UNSTATED, {}),
        ("quoted-microsoft-ocs", "", 166, "PowerControl", UNSTATED, {}),
        ("ami-megarac", "", 148, "reported by the BMC (no momentary power available, mean over 5 s", UNSTATED, {}),
        ("openbmc-total-power", "", 758, "sensor of total power", UNSTATED, {}),
    ],
)  # fmt: skip
async def test_a_machine_gives_its_watts_and_no_other(service, capture, address, watts, source, side, others):
    readings, labels = await serve(service, capture, address)
    believed = {
        name: reading.value for name, reading in readings.items() if reading.unit == "W" and reading.quality.usable
    }
    assert believed == {"power": watts, **others}
    assert readings["power"].quality is Quality.GOOD
    assert source in labels["power"]
    assert labels["power"].endswith(f"{side})")


@pytest.mark.parametrize(
    ("capture", "error", "words"),
    [
        (
            "supermicro-x10",
            ConnectionFailed,
            r"chassis 1 reports no power: Power \(PowerControl\) reads 0 W, which is not plausible for a server",
        ),
        (
            "supermicro-x10-119",
            ConnectionFailed,
            r"chassis 1 reports no power: Power \(PowerControl\) reads 0 W, which is not plausible for a server",
        ),
        (
            "openbmc-stock",
            ConnectionFailed,
            r"The chassis chassis reports no power, and the server is switched off\. Switch the server on",
        ),
        ("gigabyte", ConnectionFailed, r"Power \(PowerControl\) reads 100 W, but its own state is Disabled"),
        ("dell-idrac10-mock", ConnectionFailed, "The chassis System.Embedded.1, NetworkFabric.1 reports no power"),
        ("hpe-slingshot", ConnectionFailed, r"as sensor=ID, one of: .*ASICVoltageRegulator7OutputPower"),
        ("hpe-cray-ex425", ConfigurationError, r"Several chassis report power\. Add one of them .*: Node1, Node0\."),
        ("hpe-cray-ex4252", ConfigurationError, r"Several chassis report power\. .*Node0, Node3, Node1, Node2"),
    ],
)
async def test_a_machine_without_watts_or_with_several_nodes_says_so(service, capture, error, words):
    with pytest.raises(error, match=words):
        await serve(service, capture)


@pytest.mark.parametrize(
    ("capture", "implausible"),
    [
        ("dell-r640", {"psu_psu_slot_1_input_power": 900}),
        ("hpe-xl675d-a40", {f"psu_{n}_last_output_power": 779 for n in (1, 2, 3, 4)}),
        ("hpe-xl675d-a100", {f"psu_{n}_last_output_power": 894 for n in (0, 1, 2, 3)}),
        # The supplies are said to give 103 + 123 W while the chassis takes 148 W.
        ("ami-megarac", {"psu_1_last_output_power": 103, "psu_0_last_output_power": 123}),
    ],
)
async def test_ratings_and_repeated_totals_are_implausible(service, capture, implausible):
    readings, _ = await serve(service, capture)
    assert {
        name: reading.value for name, reading in readings.items() if reading.quality & Quality.IMPLAUSIBLE
    } == implausible


@pytest.mark.parametrize(
    ("capture", "interval"),
    [
        ("dell-r640", "mean over 1 min"),
        ("hpe-gen10", "mean over 20 min"),
        ("intel-s2600", "mean over 1373 h"),
    ],
)
async def test_a_mean_says_over_how_long_it_was_taken(service, capture, interval):
    readings, labels = await serve(service, capture)
    assert labels["average_power"] == f"Mean power of the BMC ({interval})"
    assert readings["average_power"].kind is Kind.AVERAGED


async def test_the_energy_of_a_cray_node_is_read_in_joules(service):
    readings, _ = await serve(service, "hpe-cray-ex235a")
    assert readings["energy"].value == pytest.approx(1_222_273_783 / 3600)
    assert readings["energy"].kind is Kind.COUNTER


async def test_the_newest_mean_of_a_log_is_read_with_its_own_time(service):
    """The last of 120 entries of FastPowerMeter is of 2022-04-14T16:53:48Z."""
    readings, labels = await serve(service, "hpe-dl325")
    mean = readings["mean_power"]
    assert (mean.value, mean.kind) == (97, Kind.AVERAGED)
    assert mean.device_time_ns == 1_649_955_228 * 10**9
    assert labels["mean_power"] == "Mean power of each 10 s (FastPowerMeter of HPE), without gaps"


async def test_the_chassis_of_the_server_is_tried_before_its_parts(service):
    """Five chassis of the GB300 tell power; four of them are GPUs. The review counted 77 requests and a refusal."""
    await serve(service, "supermicro-gb300")
    assert len(service.asked) <= 65
    assert not any("HGX_GPU_0/EnvironmentMetrics" in path for path in service.asked)


async def test_the_shared_captures_give_the_same(service):
    """The trees as they were published, not trimmed."""
    root = Path(__file__).parents[5] / "shared" / "data" / "redfish"
    if not root.is_dir():
        pytest.skip(f"{root} is missing: the captures stand beside the checkout")
    for folder, watts in (("dmtf-rackmount1", 374), ("cray-ex235a", 747)):
        documents = {
            "/redfish/v1/" + str(file.parent.relative_to(root / folder)): json.loads(file.read_text("utf-8"))
            for file in (root / folder).rglob("index.json")
        }
        documents["/redfish/v1/"] = documents.pop("/redfish/v1/.")
        service.documents = documents
        service.open_to_all = True
        meter = service.meter(user=None)
        await meter.open()
        assert (await meter.read())[0].value == watts
        await meter.close()


@pytest.mark.parametrize(
    ("capture", "states"),
    [
        ("dell-r640", {"PS1 Status": "Enabled, OK"}),
        # Both supplies have one name in the older resource Power.
        ("hpe-gen10", {"HpeServerPowerSupply 1": "Enabled, OK", "HpeServerPowerSupply 2": "Enabled, OK"}),
        ("hpe-power-subsystem", {"Power Supply Bay 1": "Enabled, Warning, Normal"}),
        ("dmtf-rackmount1", {"Power Supply Bay 1": "Enabled, Warning, Normal", "Power Supply Bay 2": "Absent"}),
    ],
)
async def test_states_of_the_power_supplies(service, capture: str, states: dict[str, str]) -> None:
    service.documents = json.loads((FOLDER / f"{capture}.json").read_text("utf-8"))
    service.open_to_all = True
    meter = service.meter("", user=None)
    await meter.open()
    try:
        assert await meter.supplies() == states
    finally:
        await meter.close()
