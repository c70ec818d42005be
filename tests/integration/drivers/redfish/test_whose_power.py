"""Whose watts a service tells: the server's, those of a part, of several servers, or of nobody."""

from __future__ import annotations

import pytest
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.reading import Quality

from tests.open_meter import open_meter

CHASSIS = "/redfish/v1/Chassis/1U"
WHOLE = {"Name": "Server Power Control", "PowerConsumedWatts": 263}
CPU = {"Name": "CPU Sub-system Power", "PowerConsumedWatts": 155}
MEMORY = {"Name": "Memory Sub-system Power", "PowerConsumedWatts": 49}


def of_node(node: int, watts: float) -> dict:
    """Make an entry of one node of several."""
    return {
        "Name": f"Blade {node}",
        "PowerConsumedWatts": watts,
        "RelatedItem": [{"@odata.id": f"/redfish/v1/Systems/n{node}"}],
    }


def legacy(service, power: dict) -> None:
    """Leave the service with the old resource Power alone."""
    for name in ("EnvironmentMetrics", "PowerSubsystem", "ThermalSubsystem", "Sensors"):
        service.documents[CHASSIS].pop(name, None)
    service.documents[f"{CHASSIS}/Power"] = power


@pytest.mark.parametrize(
    ("control", "watts"),
    [
        ([CPU, MEMORY, WHOLE], 263),
        ([WHOLE, CPU, MEMORY], 263),
        ([None, WHOLE], 263),
        ([{"Name": "Power", "PowerConsumedWatts": None}, WHOLE], 263),
        ([{"PhysicalContext": "CPU", "PowerConsumedWatts": 155}, WHOLE], 263),
        ({"PowerConsumedWatts": 324, "PowerLimit": []}, 324),
        ({"PowerConsumedWatts": "324", "PowerLimit": []}, 324),
        ([{**WHOLE, "Status": {"State": "Enabled"}}], 263),
    ],
)
async def test_the_entry_of_the_whole_server_is_read(service, control, watts):
    """check_redfish, pull request 79 (Lenovo); fishymetrics (Cisco C220 and S3260)."""
    legacy(service, {"PowerControl": control})
    async with open_meter(service.meter()) as meter:
        (power, *_) = await meter.read()
    assert (power.channel, power.value, power.quality) == ("power", watts, Quality.GOOD)


@pytest.mark.parametrize(
    ("power", "words"),
    [
        *(
            ({"PowerControl": [{**WHOLE, "Status": {"State": state}}]}, f"263 W, but its own state is {state}")
            for state in ("Disabled", "Absent", "UnavailableOffline")
        ),
        ({"PowerControl": [CPU, MEMORY]}, "has only parts: CPU Sub-system Power, Memory Sub-system Power"),
        ({"PowerControl": [of_node(1, 310), of_node(2, 295)]}, "several entries.*Blade 1, Blade 2"),
        ({"PowerControl": [{"Name": "Enclosure Power", "PowerConsumedWatts": 1210}]}, "only parts: Enclosure Power"),
        ({"PowerControl": [{"PowerConsumedWatts": 65535}]}, "reads 65535 W"),
        ({"PowerControl": [{"PowerConsumedWatts": "324 W"}]}, 'is the text "324 W", no number'),
        ({"PowerControl": [{"PowerConsumedWatts": "N/A"}]}, 'is the text "N/A", no number'),
        ({"PowerControl": "324"}, "PowerControl is neither a list nor an object"),
        ({"PowerControl": [], "PowerSupplies": [{"LastPowerOutputWatts": 420}, {"LastPowerOutputWatts": 10}]},
         r"the supplies tell their outputs \(DC\)"),
        ({"PowerSupplies": [{"PowerInputWatts": -4}, {"PowerInputWatts": 260}]}, "supply 0 takes in -4 W"),
    ],
)  # fmt: skip
async def test_what_is_no_power_of_the_server_is_refused_with_what_it_is(service, power, words):
    """check_redfish 105, RackHD pull request 772, openbmc 3179. The server is on, so no remedy says to switch it on."""
    legacy(service, power)
    service.documents[CHASSIS]["PowerState"] = "On"
    with pytest.raises(ConnectionFailed, match=words) as error:
        await service.meter().open()
    assert "Switch the server on" not in str(error.value)


@pytest.mark.parametrize(
    ("control", "sensor", "watts"),
    [
        ([of_node(1, 310), of_node(2, 295)], "Blade 2", 295),
        # Names that repeat are told apart by MemberId, entries without either by their place.
        ([{**WHOLE, "MemberId": "0"}, {**WHOLE, "MemberId": "1", "PowerConsumedWatts": 280}], "1", 280),
        ([{"PowerConsumedWatts": 120}, {"PowerConsumedWatts": 130}], "entry 1", 130),
    ],
)
async def test_one_of_several_entries_is_chosen_by_its_name(service, control, sensor, watts):
    legacy(service, {"PowerControl": control})
    service.documents[CHASSIS]["PowerState"] = "On"
    with pytest.raises((ConnectionFailed, ConfigurationError), match=f"as sensor=NAME, one of: .*{sensor}"):
        await service.meter().open()
    async with open_meter(service.meter(query=f"?sensor={sensor}")) as meter:
        (power, *_) = await meter.read()
    assert (power.channel, power.value, power.quality) == ("power", watts, Quality.GOOD)
    assert f"entry {sensor} of chassis 1U" in meter.channels[0].label
    with pytest.raises(ConnectionFailed, match=r"No sensor Blade 9 of power in W was found.*one of: "):
        await service.meter(query="?sensor=Blade 9").open()


async def test_a_part_is_read_where_the_address_names_it_and_is_not_proposed(service):
    legacy(service, {"PowerControl": [CPU, MEMORY]})
    with pytest.raises(ConnectionFailed, match="has only parts") as error:
        await service.meter().open()
    assert "sensor=NAME" not in str(error.value)
    async with open_meter(service.meter(query="?sensor=CPU Sub-system Power")) as meter:
        assert (await meter.read())[0].value == 155
        assert "entry CPU Sub-system Power of chassis 1U" in meter.channels[0].label


@pytest.mark.parametrize(
    "links",
    [
        {"ComputerSystems": [{"@odata.id": f"/redfish/v1/Systems/n{n}"} for n in range(1, 5)]},
        {"ComputerSystems": [{"@odata.id": "/redfish/v1/Systems/n1"}], "ComputerSystems@odata.count": 4},
    ],
)
async def test_the_power_of_several_servers_must_be_asked_for_and_says_so(service, links):
    legacy(service, {"PowerControl": [{"PowerConsumedWatts": 1210}]})
    service.documents[CHASSIS]["Links"] = links
    with pytest.raises(ConfigurationError, match=r"4 servers together.*1U"):
        await service.meter().open()
    async with open_meter(service.meter("1U")) as meter:
        assert "all 4 servers in chassis 1U together" in meter.channels[0].label


async def test_an_entry_that_relates_to_other_servers_is_not_this_ones(service):
    related = [{"@odata.id": f"/redfish/v1/Systems/n{n}"} for n in (1, 2)]
    legacy(service, {"PowerControl": [{**WHOLE, "RelatedItem": related}]})
    with pytest.raises(ConfigurationError, match="2 servers together: n1, n2"):
        await service.meter().open()


@pytest.mark.parametrize("kind", ["Module", "Enclosure"])
async def test_the_power_of_another_chassis_is_never_the_servers(service, kind):
    """A baseboard with its own system beside the server, or what encloses the server."""
    documents = service.documents
    legacy(service, {"PowerControl": []})
    documents[CHASSIS]["Links"] = {"ComputerSystems": [{"@odata.id": "/redfish/v1/Systems/437XR1138R2"}]}
    documents["/redfish/v1/Chassis"]["Members"].append({"@odata.id": "/redfish/v1/Chassis/HGX"})
    documents["/redfish/v1/Chassis/HGX"] = {
        "@odata.id": "/redfish/v1/Chassis/HGX", "Id": "HGX", "ChassisType": kind,
        "Links": {"ComputerSystems": [{"@odata.id": "/redfish/v1/Systems/HGX_0"}] if kind == "Module" else []},
        "EnvironmentMetrics": {"@odata.id": "/redfish/v1/Chassis/HGX/EnvironmentMetrics"},
    }  # fmt: skip
    documents["/redfish/v1/Chassis/HGX/EnvironmentMetrics"] = {"PowerWatts": {"Reading": 3120.5}}
    with pytest.raises(ConfigurationError, match=rf"1U.*reports no power;.*HGX \({kind}\)"):
        await service.meter().open()
    async with open_meter(service.meter("HGX")) as meter:
        assert f"HGX ({kind})" in meter.channels[0].label or kind == "Enclosure"


async def test_sensors_of_power_are_listed_by_unit_the_whole_board_first(service):
    """dell/iDRAC-Redfish-Scripting 354: SystemBoardPwrConsumption beside PS1InputPower."""
    legacy(service, {})
    base = f"{CHASSIS}/Sensors"
    sensors = {
        "PS1InputPower": {"Reading": 250, "ReadingUnits": "W"},
        "SystemBoardPwrConsumption": {"Reading": 241, "ReadingUnits": "W", "ReadingType": "Power"},
        "InletTemp": {"Reading": 21, "ReadingUnits": "Cel"},
        "SystemBoardUsage": {"Reading": 0, "ReadingUnits": "W", "Status": {"State": "Disabled"}},
    }
    service.documents[CHASSIS]["Sensors"] = {"@odata.id": base}
    service.documents[base] = {"Members": [{"@odata.id": f"{base}/{name}"} for name in sensors]}
    service.documents |= {f"{base}/{name}": {"@odata.id": f"{base}/{name}", **it} for name, it in sensors.items()}
    listed = r"one of: SystemBoardPwrConsumption, PS1InputPower, SystemBoardUsage \(state Disabled\)\."
    with pytest.raises(DriverError, match=listed):
        await service.meter().open()


async def test_a_figure_in_another_unit_is_refused_with_the_unit(service):
    service.documents[f"{CHASSIS}/EnvironmentMetrics"] = {"PowerWatts": {"Reading": 0.324, "ReadingUnits": "kW"}}
    for name in ("PowerSubsystem", "Sensors", "Power"):
        service.documents[CHASSIS].pop(name, None)
    with pytest.raises(ConnectionFailed, match="is in kW, not in W"):
        await service.meter().open()


async def test_a_server_that_says_off_in_small_letters_is_off(service):
    legacy(service, {"PowerControl": [WHOLE]})
    service.documents[CHASSIS]["PowerState"] = "off"
    async with open_meter(service.meter()) as meter:
        (power, *_) = await meter.read()
    assert power.quality & Quality.HOST_OFF
