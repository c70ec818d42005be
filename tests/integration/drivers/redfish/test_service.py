"""The engine against a service made of DMTF's examples, not ours."""

from __future__ import annotations

import math

import pytest
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Kind, Quality, Reading

from tests.open_meter import open_meter

CHASSIS = "/redfish/v1/Chassis/1U"


async def read_all(meter: Meter) -> dict[str, Reading]:
    """Poll until every channel was read."""
    wanted, readings = {channel.id for channel in meter.channels}, {}
    for _ in range(20):
        readings |= {reading.channel: reading for reading in await meter.read()}
        if wanted <= set(readings):
            break
    return readings


async def test_the_published_example_is_read_to_the_number(service):
    async with open_meter(service.meter()) as meter:
        readings = await read_all(meter)

    # OCP Sustainability Profile and DSP0268: 374 W, 3638 kWh; supply 1 at 230.2 V, 5.19 A, 325675 kWh.
    assert {name: reading.value for name, reading in readings.items() if reading.quality.usable} == {
        "power": 374, "energy": 3_638_000,
        "psu_bay1_input_voltage": 230.2, "psu_bay1_input_current": 5.19, "psu_bay1_energy": 325_675_000,
        "temperature_intake": 24.8, "temperature_exhaust": 40.5, "fan_bay1": 2200, "fan_bay1_percent": 45,
    }  # fmt: skip
    # The example gives the supply 937.4 W, two and a half times the power of the chassis that it feeds.
    for name in ("psu_bay1_input_power", "psu_bay1_output_power"):
        assert (readings[name].value, readings[name].quality) == (937.4, Quality.IMPLAUSIBLE)
    assert readings["energy"].kind is Kind.COUNTER
    assert meter.identity.indicative
    assert (meter.identity.serial, meter.identity.firmware) == ("437XR1138R2", "1.45.455b66-rev4")
    assert not meter.identity.simulated
    assert service.closed == 1
    assert not service.tokens


async def test_a_legacy_service_is_read_by_power_and_thermal(service):
    chassis = service.documents[CHASSIS]
    for name in ("EnvironmentMetrics", "PowerSubsystem", "ThermalSubsystem"):
        del chassis[name]
    async with open_meter(service.meter("1U")) as meter:
        readings = await read_all(meter)

    assert {name: reading.value for name, reading in readings.items()} == {
        "power": 344, "average_power": 319, "psu_0_last_output_power": 325, "psu_0_input_voltage": 120,
        "temperature_cpu1_temp": 41, "temperature_cpu1_temp_2": 43, "fan_baseboard_system_fan": 2100,
        "fan_fan_b_percent": 31,
    }  # fmt: skip


async def test_the_time_of_a_sensors_reading_is_kept_and_a_standing_time_is_stale(service):
    sensor = service.documents[f"{CHASSIS}/Sensors/TotalPower"]
    sensor["ReadingTime"] = "2026-11-20T10:00:00.250+01:00"
    async with open_meter(service.meter()) as meter:
        (power, *_) = await meter.read()
        # 2026-11-20T09:00:00.25Z
        assert power.device_time_ns == 1_795_165_200_250_000_000
        assert power.quality is Quality.GOOD
        meter._told["power"] = (power.device_time_ns, meter._clock.monotonic_ns() - 4_000_000_000)
        (power, *_) = await meter.read()
        assert power.quality is Quality.STALE
        sensor["ReadingTime"] = "2026-11-20T10:00:05Z"
        (power, *_) = await meter.read()
        assert power.quality is Quality.GOOD


@pytest.mark.parametrize(
    ("reading", "quality"),
    [
        (None, Quality.INVALID),
        ("n/a", Quality.INVALID),
        ("374 W", Quality.INVALID),
        (0, Quality.INVALID),
        ("0", Quality.INVALID),
        (True, Quality.INVALID),
        (-5, Quality.IMPLAUSIBLE),
        (10**400, Quality.INVALID),
    ],
)
async def test_what_is_no_power_is_never_good(service, reading, quality):
    async with open_meter(service.meter()) as meter:
        service.documents[f"{CHASSIS}/EnvironmentMetrics"]["PowerWatts"]["Reading"] = reading
        (power, *_) = await meter.read()
        assert power.quality is quality
        assert math.isnan(power.value) or power.value == 0 or quality is Quality.IMPLAUSIBLE


async def test_a_part_is_not_taken_for_the_whole(service):
    del service.documents[CHASSIS]["EnvironmentMetrics"]
    service.documents[f"{CHASSIS}/Power"]["PowerControl"][0]["PhysicalContext"] = "CPU"
    with pytest.raises(ConnectionFailed, match="The chassis 1U reports no power"):
        await service.meter().open()
    assert service.closed == 1


async def test_several_chassis_with_power_must_be_told_apart(service):
    documents = service.documents
    documents["/redfish/v1/Chassis"]["Members"].append({"@odata.id": "/redfish/v1/Chassis/2U"})
    documents["/redfish/v1/Chassis/2U"] = {**documents[CHASSIS], "Id": "2U"}
    with pytest.raises(ConfigurationError, match=r"Several chassis report power.*1U, 2U"):
        await service.meter().open()
    meter = service.meter("2U")
    await meter.open()
    await meter.close()
    with pytest.raises(ConfigurationError, match=r"no chassis 3U\. It has 1U, 2U"):
        await service.meter("3U").open()
    del documents["/redfish/v1/Chassis/2U"]["EnvironmentMetrics"], documents["/redfish/v1/Chassis/2U"]["Power"]
    meter = service.meter()
    await meter.open()
    await meter.close()


async def test_a_service_without_sessions_is_read_with_basic_login(service):
    service.with_sessions = False
    async with open_meter(service.meter()) as meter:
        assert (await meter.read())[0].value == 374
    with pytest.raises(AuthenticationFailed, match=r"has no sessions\. Add login=basic"):
        await service.meter(query="?login=session").open()


async def test_a_session_that_expired_is_opened_anew(service):
    async with open_meter(service.meter()) as meter:
        service.tokens.clear()
        assert (await meter.read())[0].quality is Quality.GOOD
    assert not service.tokens


async def test_a_wrong_password_is_said_and_not_shown(service):
    with pytest.raises(AuthenticationFailed, match="rejects the user or the password") as caught:
        await service.meter(password="hunter2").open()
    assert "hunter2" not in str(caught.value)


async def test_without_a_user_nobody_logs_in(service):
    meter = service.meter(user=None)
    with pytest.raises(AuthenticationFailed, match="rejects the user or the password and says: Log in"):
        await meter.open()
    service.open_to_all = True
    meter = service.meter(user=None)
    await meter.open()
    await meter.close()


@pytest.mark.parametrize(
    ("path", "answer", "error", "words"),
    [
        ("/redfish/v1/", (404, b"", {}), BadReply, "has no /redfish/v1/"),
        (
            "/redfish/v1/",
            (200, b"<html>login</html>", {}),
            BadReply,
            "did not answer with JSON but with '<html>login</html>'",
        ),
        ("/redfish/v1/", (200, b"[" * 100_000, {}), BadReply, "did not answer with JSON"),
        ("/redfish/v1/", (200, b'{"hello": 1}', {}), BadReply, "is not a Redfish service"),
        ("/redfish/v1/", (302, b"", {"Location": "https://evil.example/"}), BadReply, "redirects.*not followed"),
        ("/redfish/v1/", (500, b"", {}), BadReply, "status 500"),
        ("/redfish/v1/", (503, b"", {"Retry-After": "9"}), BadReply, "is busy"),
        ("/redfish/v1/", (200, b"x" * 2_000_000, {}), BadReply, "sends far more data"),
        ("/redfish/v1/", (200, b"x", {"Content-Encoding": "gzip"}), BadReply, "compresses its answers"),
        ("/redfish/v1/", (406, b"", {}), BadReply, "only compressed"),
        (CHASSIS, (403, b"{}", {}), AuthenticationFailed, "does not allow this user to read"),
        (f"{CHASSIS}/EnvironmentMetrics", (404, b"", {}), None, ""),
        ("/redfish/v1/Chassis", (404, b"", {}), ConnectionFailed, "has no list of chassis"),
        ("/redfish/v1/Chassis", (500, b"", {}), BadReply, "answered /redfish/v1/Chassis with status 500"),
        ("/redfish/v1/Chassis", (200, b'{"Members": [{"@odata.id": "//x"}, 3, null]}', {}), ConnectionFailed, "has no"),
    ],
)  # fmt: skip
async def test_refusals_are_named_and_leave_no_session(service, path, answer, error, words):
    service.answers[path] = answer
    meter = service.meter()
    if error is None:
        async with open_meter(meter):
            assert (await meter.read())[0].value == 344
    else:
        with pytest.raises(error, match=words) as caught:
            await meter.open()
        assert caught.value.remedy
    assert not service.tokens


@pytest.mark.parametrize("answer", [(500, b"", {}), (200, b"not JSON", {}), (200, b"[1]", {}), (503, b"", {})])
async def test_one_bad_answer_is_a_gap_and_the_next_is_good(service, answer):
    async with open_meter(service.meter()) as meter:
        service.answers[f"{CHASSIS}/EnvironmentMetrics"] = answer
        with pytest.raises(BadReply):
            await meter.read()
        service.answers.clear()
        assert (await meter.read())[0].quality is Quality.GOOD


async def test_a_slow_sensor_that_fails_does_not_cost_the_power(service):
    async with open_meter(service.meter()) as meter:
        service.answers[f"{CHASSIS}/ThermalSubsystem/ThermalMetrics"] = (500, b"", {})
        service.answers[f"{CHASSIS}/ThermalSubsystem/Fans/Bay1"] = (403, b"", {})
        await meter.read()
        failing = [
            item for item in meter._slow if item.source and item.source.parts[0].resource.path in service.answers
        ]
        service.asked.clear()
        for item in failing:
            item.due_ns = 0
        for _ in failing:
            assert [reading.channel for reading in await meter.read()] == ["power"]
        assert set(service.answers) <= set(service.asked)
        service.answers.clear()
        for item in failing:
            item.due_ns = 0
        names = {reading.channel for _ in failing for reading in await meter.read()}
        assert names >= {"power", "temperature_intake", "fan_bay1"}


async def test_another_bmc_that_does_not_know_the_session_is_noticed(service):
    """Row 13 of the review: a new login was made, and nobody asked to whom."""
    async with open_meter(service.meter()) as meter:
        await meter.read()
        service.tokens.clear()
        await meter.read()
        asked = service.asked.count(CHASSIS)
        await meter.read()
        assert service.asked.count(CHASSIS) == asked, "the same one is asked once"
        service.tokens.clear()
        service.documents[CHASSIS]["SerialNumber"] = "OTHER222"
        with pytest.raises(Exchanged, match=r"^Meter bmc answered as serial OTHER222, was 437XR1138R2\."):
            await meter.read()
        await meter.open()
        await meter.read()
        assert meter.identity.serial == "OTHER222"
