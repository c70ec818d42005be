"""What real BMCs do besides giving watts: switched off, out of sessions, failing now and then, supplies that vanish."""

from __future__ import annotations

import json
import math
import ssl

import pytest
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConnectionFailed
from wattmark_drivers.http_client.origin import Origin, tls_context
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.speakers.redfish.service import RedfishService

from tests.open_meter import open_meter
from tests.web_peer import self_signed, server_tls

from ..conftest import Running
from ..faults import FAULT

CHASSIS = "/redfish/v1/Chassis/1U"
SYSTEM = "/redfish/v1/Systems/1"
# gofish, issue 75: the answer of an iDRAC 9 to one session too many.
RAC0218 = {
    "error": {
        "code": "Base.1.5.GeneralError",
        "@Message.ExtendedInfo": [
            {"Message": "The maximum number of user sessions is reached.", "MessageId": "IDRAC.2.1.RAC0218"}
        ],
    }
}
GENERAL_ERROR = {
    "error": {
        "@Message.ExtendedInfo": [{"Message": "A general error has occurred.", "MessageId": "Base.1.12.GeneralError"}]
    }
}


def with_host(service, state: str) -> dict[str, str]:
    """Give the service a computer system."""
    system = {"@odata.id": SYSTEM, "Id": "1", "PowerState": state, "Links": {"Chassis": [{"@odata.id": CHASSIS}]}}
    service.documents["/redfish/v1/"]["Systems"] = {"@odata.id": "/redfish/v1/Systems"}
    service.documents["/redfish/v1/Systems"] = {"Members": [{"@odata.id": SYSTEM}]}
    service.documents[SYSTEM] = system
    return system


async def poll_all(meter: Meter) -> dict[str, Quality]:
    """Make every slow resource due, and poll until each was read."""
    for item in meter._slow:
        item.due_ns = 0
    qualities: dict[str, Quality] = {}
    for _ in meter._slow:
        qualities |= {reading.channel: reading.quality for reading in await meter.read()}
    qualities |= {reading.channel: reading.quality for reading in await meter.read()}
    return qualities


async def test_watts_of_a_server_that_is_off_are_no_measurement(service):
    """idrac_power_monitor, issue 31: the figure stands or wanders while the host is off."""
    system = with_host(service, "On")
    async with open_meter(service.meter()) as meter:
        assert (await poll_all(meter))["power"] is Quality.GOOD
        system["PowerState"] = "Off"
        quality = (await poll_all(meter))["power"]
        assert quality is Quality.HOST_OFF
        assert not quality.usable
        system["PowerState"] = "On"
        assert (await poll_all(meter))["power"] is Quality.GOOD


async def test_no_watts_are_no_measurement_and_a_supply_may_give_none(service):
    async with open_meter(service.meter()) as meter:
        service.documents[f"{CHASSIS}/EnvironmentMetrics"]["PowerWatts"]["Reading"] = 0
        metrics = service.documents[f"{CHASSIS}/PowerSubsystem/PowerSupplies/Bay1/Metrics"]
        metrics["OutputPowerWatts"]["Reading"] = 0
        qualities = await poll_all(meter)
    assert qualities["power"] is Quality.INVALID
    assert qualities["psu_bay1_output_power"] is Quality.GOOD


def with_supplies(service, *powers: float | None, state: str = "Enabled") -> list[str]:
    """Let only the metrics of supplies tell power; return their paths."""
    chassis = service.documents[CHASSIS]
    for name in ("EnvironmentMetrics", "Power"):
        chassis.pop(name, None)
    supplies = f"{CHASSIS}/PowerSubsystem/PowerSupplies"
    paths = [f"{supplies}/Bay{n}" for n in range(1, len(powers) + 1)]
    service.documents[supplies] = {
        "Members": [{"@odata.id": path} for path in paths],
        "Members@odata.count": len(paths),
    }
    for path, power in zip(paths, powers, strict=True):
        service.documents[path] = {
            "Id": path[-4:],
            "Status": {"State": state},
            "Metrics": {"@odata.id": f"{path}/Metrics"},
        }
        service.documents[f"{path}/Metrics"] = {"InputPowerWatts": {"Reading": power}}
    return paths


async def test_the_inputs_of_the_supplies_are_added_and_a_part_is_never_the_whole(service):
    paths = with_supplies(service, 120.5, 131)
    async with open_meter(service.meter()) as meter:
        assert meter.channels[0].label == "Input power of the supplies (sum of 2, input side of the supplies)"
        (power, *_) = await meter.read()
        assert (power.value, power.quality) == (251.5, Quality.GOOD)
        service.documents[f"{paths[1]}/Metrics"]["InputPowerWatts"]["Reading"] = None
        (power, *_) = await meter.read()
        assert math.isnan(power.value)
        assert power.quality is Quality.INVALID
        del service.documents[f"{paths[1]}/Metrics"]
        with pytest.raises(BadReply):
            await meter.read()


async def test_supplies_that_take_nothing_or_feed_a_server_that_is_off_give_no_power(service):
    paths = with_supplies(service, 0, 131)
    system = with_host(service, "On")
    async with open_meter(service.meter()) as meter:
        (power, *_) = await meter.read()
        assert (power.value, power.quality) == (131, Quality.GOOD)
        service.documents[f"{paths[1]}/Metrics"]["InputPowerWatts"]["Reading"] = 0
        assert (await meter.read())[0].quality is Quality.INVALID
        service.documents[f"{paths[1]}/Metrics"]["InputPowerWatts"]["Reading"] = 12
        system["PowerState"] = "Off"
        assert (await poll_all(meter))["power"] is Quality.HOST_OFF


async def test_legacy_supplies_are_counted_one_by_one(service):
    for name in ("EnvironmentMetrics", "PowerSubsystem"):
        del service.documents[CHASSIS][name]
    supplies = [{"MemberId": "0", "PowerInputWatts": 120}, {"MemberId": "1", "PowerInputWatts": 131}]
    service.documents[f"{CHASSIS}/Power"] = {"PowerSupplies": [*supplies, {"Status": {"State": "Absent"}}]}
    async with open_meter(service.meter()) as meter:
        assert meter.channels[0].label == "Input power of the supplies (sum of 2, input side of the supplies)"
        assert (await meter.read())[0].value == 251
    service.documents[f"{CHASSIS}/Power"] = {"PowerSupplies": [*supplies, {"MemberId": "2"}]}
    with pytest.raises(ConnectionFailed, match="reports no power"):
        await service.meter().open()


async def test_a_bay_without_a_supply_does_not_count(service):
    paths = with_supplies(service, 120.5, 131)
    service.documents[paths[1]] = {"Id": "Bay2", "Status": {"State": "Absent"}}
    async with open_meter(service.meter()) as meter:
        assert meter.channels[0].label == "Input power of the supplies (sum of 1, input side of the supplies)"
        assert (await meter.read())[0].value == 120.5


@pytest.mark.parametrize("missing", ["metrics", "supply"])
async def test_a_supply_that_cannot_be_read_spoils_the_sum(service, missing):
    paths = with_supplies(service, 120.5, 131)
    if missing == "metrics":
        del service.documents[paths[1]]["Metrics"]
    else:
        del service.documents[paths[1]]
    with pytest.raises(ConnectionFailed, match="The chassis 1U reports no power"):
        await service.meter().open()


async def test_equal_supplies_may_show_their_rating(service):
    """Telegraf, issue 9575: both supplies of a Dell R720 show 900 W, whatever they take."""
    with_supplies(service, 900, 900)
    words = r"Input power of the supplies reads 1800 W, the same for each supply"
    with pytest.raises(ConnectionFailed, match=words):
        await service.meter().open()


async def test_supplies_that_differed_may_be_equal_later(service):
    """Two supplies that share a load evenly show one number now and then; a rating would have been equal at once."""
    paths = with_supplies(service, 124, 125)
    async with open_meter(service.meter()) as meter:
        service.documents[f"{paths[0]}/Metrics"]["InputPowerWatts"]["Reading"] = 125
        (power,) = [reading for reading in await meter.read() if reading.channel == "power"]
        assert (power.value, power.quality) == (250, Quality.GOOD)


async def test_a_rating_stays_one_while_it_is_unchanged(service):
    async with open_meter(service.meter()) as meter:
        metrics = service.documents[f"{CHASSIS}/PowerSubsystem/PowerSupplies/Bay1/Metrics"]
        total = service.documents[f"{CHASSIS}/EnvironmentMetrics"]["PowerWatts"]
        assert (await poll_all(meter))["psu_bay1_input_power"] is Quality.IMPLAUSIBLE
        total["Reading"] = 900
        assert (await poll_all(meter))["psu_bay1_input_power"] is Quality.IMPLAUSIBLE
        metrics["InputPowerWatts"]["Reading"] = 905.0
        assert (await poll_all(meter))["psu_bay1_input_power"] is Quality.GOOD


async def test_inspur_tells_its_power_in_an_extension(service):
    """idrac_exporter, pull request 174: Oem.Public.TotalPower, where PowerControl is empty."""
    for name in ("EnvironmentMetrics", "PowerSubsystem"):
        del service.documents[CHASSIS][name]
    service.documents[f"{CHASSIS}/Power"] = {"PowerControl": [], "Oem": {"Public": {"TotalPower": 412}}}
    async with open_meter(service.meter()) as meter:
        assert meter.channels[0].label == "Power (Oem.Public, side of the supplies not stated)"
        assert (await meter.read())[0].value == 412


@pytest.mark.parametrize("minutes", [20, 0, None])
async def test_a_mean_over_long_or_unknown_time_is_not_the_power(service, minutes):
    for name in ("EnvironmentMetrics", "PowerSubsystem"):
        del service.documents[CHASSIS][name]
    metrics = {"AverageConsumedWatts": 221, "IntervalInMin": minutes}
    service.documents[f"{CHASSIS}/Power"] = {"PowerControl": [{"PowerMetrics": metrics}]}
    with pytest.raises(ConnectionFailed, match=r"available\) is a mean over (20 min|an unknown time)\."):
        await service.meter().open()


async def test_energy_in_joules(service):
    metrics = service.documents[f"{CHASSIS}/EnvironmentMetrics"]
    del metrics["EnergykWh"]
    metrics["EnergyJoules"] = {"Reading": 7_200_000}
    async with open_meter(service.meter()) as meter:
        energy = next(reading for reading in await meter.read() if reading.channel == "energy")
    assert energy.value == pytest.approx(2000)


async def test_after_the_last_session_the_service_is_read_by_basic_login(service, caplog):
    service.session_answer = (503, json.dumps(RAC0218).encode(), {})
    async with open_meter(service.meter()) as meter:
        assert (await meter.read())[0].value == 374
    assert "has no free session; it is read with basic login" in caplog.text
    with pytest.raises(AuthenticationFailed, match=r"has no free session\. Close sessions"):
        await service.meter(query="?login=session").open()


async def test_another_refusal_of_a_session_is_none_of_the_limit(service):
    service.session_answer = (503, b"{}", {})
    with pytest.raises(BadReply, match="is busy"):
        await service.meter().open()


async def test_a_general_error_is_asked_once_more(service):
    """check_redfish, issue 195: an iDRAC 9 answers so now and then."""
    async with open_meter(service.meter()) as meter:
        service.passing[f"{CHASSIS}/EnvironmentMetrics"] = (500, json.dumps(GENERAL_ERROR).encode(), {})
        (power, *_) = await meter.read()
        assert (power.value, power.quality) == (374, Quality.RETRIED)


async def test_a_service_that_wants_a_slash_gets_one_and_no_other_place_is_followed(service):
    """iLO 5 before 1.40 answers 308 where the slash at the end is missing."""
    service.answers[CHASSIS] = (308, b"", {"Location": f"{CHASSIS}/"})
    meter = service.meter()
    await meter.open()
    await meter.close()
    service.answers[CHASSIS] = (308, b"", {"Location": "/redfish/v1/Chassis/other"})
    with pytest.raises(BadReply, match=r"redirects to another address \(status 308\)"):
        await service.meter().open()


async def test_the_address_names_the_sensor_of_the_server(service):
    collection, sensor = f"{CHASSIS}/Sensors", f"{CHASSIS}/Sensors/Board"
    service.documents[CHASSIS]["Sensors"] = {"@odata.id": collection}
    service.documents[collection] = {"Members": [{"@odata.id": sensor}, {"@odata.id": f"{sensor}Temp"}]}
    service.documents[sensor] = {
        "Reading": 144,
        "ReadingUnits": "W",
        "PhysicalContext": "PowerSupply",
        "PhysicalSubContext": "Output",
    }
    async with open_meter(service.meter(query="?sensor=Board")) as meter:
        assert meter.channels[0].label == "Power (sensor of the address, output side of the supplies: DC)"
        assert (await meter.read())[0].value == 144
    service.documents[sensor]["ReadingUnits"] = "Cel"
    with pytest.raises(ConnectionFailed, match="No sensor Board of power in W was found at the chassis 1U"):
        await service.meter(query="?sensor=Board").open()
    with pytest.raises(ConnectionFailed, match="No sensor Fan"):
        await service.meter(query="?sensor=Fan").open()


async def test_a_slow_bmc_is_waited_for_as_long_as_the_address_says(simulated):
    async with simulated("redfish.bmc") as running, open_meter(running.meter("?wait_s=30", timeout_s=0.2)) as patient:
        running.speaker.inject(FAULT.validate_python({"kind": "delay", "seconds": 0.6}))
        assert (await patient.read())[0].quality is Quality.GOOD


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1 is deprecated:DeprecationWarning")
async def test_a_bmc_with_old_encryption_is_read_where_the_address_allows_it(simulated, tmp_path):
    """DMTF python-redfish-library, pull request 182: BMCs that know nothing newer than TLS 1.0."""
    old = server_tls(*self_signed(tmp_path))
    old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    old.maximum_version = ssl.TLSVersion.TLSv1
    old.set_ciphers("ALL:@SECLEVEL=0")
    async with simulated("redfish.bmc") as running:
        wire = RedfishService(lambda: 1e9, tmp_path / "tls", tls=old)
        running.device.speaker, plain = wire, running.device.speaker
        running.device.step(1.0)
        secured = Running("redfish.bmc", running.device, wire, await wire.start())
        for query in ("?tls=insecure", f"?ca={tmp_path}/ca.pem"):
            with pytest.raises(ConnectionFailed):
                await secured.meter(query).open()
        for query in ("?tls=legacy", f"?tls=legacy&ca={tmp_path}/ca.pem"):
            async with open_meter(secured.meter(query)) as meter:
                assert (await meter.read())[0].quality is Quality.GOOD
        await wire.stop()
        running.device.speaker = plain


def test_old_encryption_is_never_the_default_and_can_be_verified():
    usual = tls_context(Origin("https", "bmc", 443))
    old = tls_context(Origin("https", "bmc", 443, "legacy"))
    believed = tls_context(Origin("https", "bmc", 443, "legacy", ssl.get_default_verify_paths().cafile))
    assert usual is not None
    assert old is not None
    assert believed is not None
    assert usual.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert usual.security_level > 0
    assert (old.security_level, old.verify_mode) == (0, ssl.CERT_NONE)
    assert (believed.security_level, believed.verify_mode) == (0, ssl.CERT_REQUIRED)
