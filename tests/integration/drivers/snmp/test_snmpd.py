"""The engine against Net-SNMP's agent, by community and by users of version 3."""

from __future__ import annotations

import math

import pytest
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.reading import Kind, Quality

from tests.open_meter import open_meter

APC = "1.3.6.1.4.1.318.1.1.26"
RARITAN = "1.3.6.1.4.1.13742.6"
AUTH, PRIV = "auth-passphrase", "priv-passphrase"
# An AP8653 of one phase: 613 hundredths of a kilowatt are 6130 W; -1 is what it does not measure (PowerNet MIB).
UNIT = {
    f"{APC}.2.1.9.1": ("string", "5A1234E56789"),
    f"{APC}.2.1.6.1": ("string", "6.8.2"),
    f"{APC}.4.3.1.5.1": ("integer", 613),
    f"{APC}.4.3.1.16.1": ("integer", 640),
    f"{APC}.4.3.1.17.1": ("integer", 96),
    f"{APC}.4.3.1.9.1": ("integer", 12345),
    f"{APC}.6.3.1.5.1": ("integer", 278),
    f"{APC}.6.3.1.6.1": ("integer", 230),
    f"{APC}.6.3.1.7.1": ("integer", 613),
    f"{APC}.6.3.1.8.1": ("integer", -1),
    f"{APC}.6.3.1.9.1": ("integer", -1),
}
OUTLET = {
    f"{APC}.9.4.3.1.7.5": ("integer", 187),
    f"{APC}.9.4.3.1.6.5": ("integer", 8),
    f"{APC}.9.4.3.1.11.5": ("integer", 42),
}
NAMES = {"current": 1, "voltage": 4, "power": 5, "apparent_power": 6, "power_factor": 7, "energy": 8,
         "reactive_power": 29}  # fmt: skip
SIGNED = ("reactive_power",)
"""Sensors that may be negative: their unsigned value is undefined (PDU2-MIB, measurementsOutletSensorValue)."""


def raritan(values, *, units=None, available=1, state=4, taken=1_700_000_000):
    """Lay out outlet 22 of a PX3: channel to (raw number, decimal digits); units by SensorUnitsEnumeration."""
    codes = {
        "current": 2,
        "voltage": 1,
        "power": 3,
        "apparent_power": 4,
        "power_factor": -1,
        "energy": 5,
        "reactive_power": 23,
        **(units or {}),
    }
    objects = {f"{RARITAN}.3.2.1.1.4.1": ("string", "QSE1234567")}
    for name, (raw, digits) in values.items():
        end = f"1.22.{NAMES[name]}"
        objects |= {
            f"{RARITAN}.5.4.3.1.2.{end}": ("integer", available),
            f"{RARITAN}.5.4.3.1.3.{end}": ("integer", state),
            f"{RARITAN}.5.4.3.1.{6 if name in SIGNED else 4}.{end}": ("integer" if name in SIGNED else "gauge", raw),
            f"{RARITAN}.5.4.3.1.5.{end}": ("gauge", taken),
            f"{RARITAN}.3.5.4.1.6.{end}": ("integer", codes[name]),
            f"{RARITAN}.3.5.4.1.7.{end}": ("gauge", digits),
        }
    return objects


PX3 = {"power": (180, 0), "current": (812, 3), "voltage": (2304, 1), "power_factor": (86, 2), "energy": (123456, 0)}


async def read(meter):
    async with open_meter(meter):
        return await meter.read()


async def test_an_apc_unit_in_its_steps_without_what_it_does_not_measure(agent):
    agent.put(UNIT)
    meter = agent.meter("apc.rpdu2")
    readings = await read(meter)
    assert {item.channel: item.value for item in readings} == {
        "power": 6130, "apparent_power": 6400, "power_factor": 0.96, "energy": 1_234_500,
        "current_l1": pytest.approx(27.8), "voltage_l1": 230, "power_l1": 6130,
    }  # fmt: skip
    assert {item.quality for item in readings} == {Quality.GOOD}
    channels = {channel.id: channel for channel in meter.channels}
    assert channels["power"].resolution == 10
    assert (channels["energy"].resolution, channels["energy"].kind) == (100, Kind.COUNTER)
    assert (meter.identity.serial, meter.identity.firmware) == ("5A1234E56789", "6.8.2")
    assert not meter.identity.simulated


async def test_an_apc_outlet_in_whole_watts(agent):
    agent.put({**UNIT, **OUTLET})
    readings = await read(agent.meter("apc.rpdu2outlet", number=5))
    assert {item.channel: item.value for item in readings} == {"power": 187, "current": 0.8, "energy": 4200}


async def test_an_outlet_of_a_later_unit_of_a_chain_bears_that_unit_s_serial_number(agent):
    """PowerNet MIB: rPDU2OutletMeteredStatusModule names the unit, by which rPDU2Ident is indexed."""
    second = {f"{APC}.2.1.9.2": ("string", "5A2222E22222"), f"{APC}.2.1.6.2": ("string", "7.0.4")}
    agent.put({**UNIT, **OUTLET, **second, f"{APC}.9.4.3.1.2.5": ("integer", 2)})
    meter = agent.meter("apc.rpdu2outlet", number=5)
    await read(meter)
    assert (meter.identity.serial, meter.identity.firmware) == ("5A2222E22222", "7.0.4")
    agent.put({**UNIT, **OUTLET, **second, f"{APC}.9.4.3.1.2.5": ("integer", 1)})
    await read(meter)
    assert (meter.identity.serial, meter.identity.firmware) == ("5A1234E56789", "6.8.2")


@pytest.mark.parametrize(("state", "reason"), [(1, Quality.RELAY_OFF | Quality.IMPLAUSIBLE), (2, Quality.GOOD)])
async def test_watts_of_an_outlet_that_is_switched_off_are_not_used(agent, state, reason):
    """PowerNet MIB: rPDU2OutletSwitchedStatusState, off(1), on(2)."""
    agent.put({**UNIT, **OUTLET, f"{APC}.9.2.3.1.5.5": ("integer", state)})
    readings = {item.channel: item.quality for item in await read(agent.meter("apc.rpdu2outlet", number=5))}
    assert readings == {"power": reason, "current": Quality.GOOD, "energy": Quality.GOOD}


async def test_a_raritan_outlet_with_its_own_digits_and_time(agent):
    agent.put(raritan(PX3))
    meter = agent.meter("raritan.pxoutlet", number=22)
    readings = await read(meter)
    assert {item.channel: item.value for item in readings} == pytest.approx(
        {"power": 180, "current": 0.812, "voltage": 230.4, "power_factor": 0.86, "energy": 123456}
    )
    assert {item.device_time_ns for item in readings} == {1_700_000_000 * 10**9}
    assert {item.u_t_ns > 0 for item in readings} == {True}
    assert next(channel for channel in meter.channels if channel.id == "current").resolution == 0.001
    assert meter.identity.serial == "QSE1234567"


async def test_a_raritan_outlet_that_feeds_reactive_power_back(agent):
    agent.put(raritan({**PX3, "reactive_power": (-41, 0)}))
    readings = await read(agent.meter("raritan.pxoutlet", number=22))
    assert {item.channel: item.value for item in readings}["reactive_power"] == -41


@pytest.mark.parametrize(("hundredths", "limit_pct"), [(100, 1.0), (50, 0.5), (0, None), (9000, None), (None, None)])
async def test_a_raritan_pdu_tells_its_own_limit_of_error(agent, hundredths, limit_pct):
    """outletSensorAccuracy: hundredths of a percentage, the maximum relative difference to the actual value."""
    own = {} if hundredths is None else {f"{RARITAN}.3.5.4.1.8.1.22.5": ("gauge", hundredths)}
    agent.put({**raritan(PX3), **own})
    meter = agent.meter("raritan.pxoutlet", number=22)
    await read(meter)
    accuracy = meter.identity.power_accuracy
    assert (accuracy.reading_pct if accuracy else None) == limit_pct
    assert accuracy is None or accuracy.source.startswith("The device itself, as of Raritan PDU2-MIB")


async def test_the_energy_counter_of_a_raritan_outlet_wraps_by_its_digits(agent):
    """measurementsOutletSensorValue wraps around beyond 4294967295 / 10^digits."""
    agent.put(raritan({**PX3, "energy": (1234560, 1)}))
    meter = agent.meter("raritan.pxoutlet", number=22)
    readings = {item.channel: item.value for item in await read(meter)}
    energy = next(channel for channel in meter.channels if channel.id == "energy")
    assert (readings["energy"], energy.wraps_at) == (pytest.approx(123456), pytest.approx(429496729.6))


@pytest.mark.parametrize("bad", [{"available": 2}, {"state": -1}])
async def test_a_raritan_sensor_without_a_value_is_invalid(agent, bad):
    agent.put(raritan(PX3))
    async with open_meter(agent.meter("raritan.pxoutlet", number=22)) as meter:
        agent.put(raritan(PX3, **bad))
        readings = await meter.read()
        assert {item.quality for item in readings} == {Quality.INVALID}
        assert all(math.isnan(item.value) for item in readings)


async def test_another_unit_is_refused(agent):
    agent.put(raritan(PX3, units={"power": 4}))
    with pytest.raises(ConfigurationError, match=r"reports power in unit 4, not in 3 \(W\)"):
        await agent.meter("raritan.pxoutlet", number=22).open()


async def test_impossible_digits_are_refused(agent):
    agent.put(raritan({"power": (180, 77)}))
    with pytest.raises(BadReply, match="impossible number of digits for power"):
        await agent.meter("raritan.pxoutlet", number=22).open()


async def test_an_outlet_that_is_not_there_is_named(agent):
    agent.put(OUTLET)
    with pytest.raises(ConfigurationError, match=r"no power of outlet 6 where apc\.rpdu2outlet has it"):
        await agent.meter("apc.rpdu2outlet", number=6).open()
    with pytest.raises(ConfigurationError, match=r"no outlet 201\. Write 1 to 200"):
        agent.meter("apc.rpdu2outlet", number=201)


async def test_an_object_that_goes_away_is_invalid_until_it_returns(agent):
    agent.put(OUTLET)
    async with open_meter(agent.meter("apc.rpdu2outlet", number=5)) as meter:
        without_power = {oid: value for oid, value in OUTLET.items() if ".7.5" not in oid}
        for objects, quality in ((without_power, Quality.INVALID), (OUTLET, Quality.GOOD)):
            agent.put(objects)
            readings = {item.channel: item for item in await meter.read()}
            assert (readings["power"].quality, readings["current"].quality) == (quality, Quality.GOOD)


@pytest.mark.parametrize(
    ("user", "query", "privacy"),
    [
        ("meter", "?version=3", PRIV),
        ("meter256", "?version=3&auth=SHA256&privacy=AES", PRIV),
        ("signed", "?version=3&privacy=none", None),
    ],
)
async def test_version_3_with_both_kinds_of_protection(agent, user, query, privacy):
    agent.put(OUTLET)
    more = {"privacy_password": lambda: privacy} if privacy else {}
    meter = agent.meter("apc.rpdu2outlet", query, 5, username=user, password=lambda: AUTH, **more)
    readings = await read(meter)
    assert readings[0].value == 187


@pytest.mark.parametrize(
    ("login", "error", "words"),
    [
        ({"username": "nobody", "password": lambda: AUTH}, AuthenticationFailed, "rejects the SNMP user"),
        ({"username": "meter", "password": lambda: "wrong-passphrase"}, AuthenticationFailed, "rejects the SNMP user"),
        ({"username": "meter", "password": lambda: "short"}, ConfigurationError, "authentication passphrase has fewer"),
        ({"password": lambda: AUTH}, ConfigurationError, "needs a user"),
    ],
)
async def test_refused_users_are_told_and_secrets_are_not(agent, login, error, words):
    agent.put(OUTLET)
    with pytest.raises(error, match=words) as caught:
        await agent.meter("apc.rpdu2outlet", "?version=3", 5, **login).open()
    assert "wrong-passphrase" not in str(caught.value)


async def test_a_wrong_community_gets_no_answer_and_the_error_says_so(agent):
    meter = agent.meter("apc.rpdu2outlet", number=5, password=lambda: "wrong-word")
    meter._timeout_s = 0.3
    with pytest.raises(ConnectionFailed, match="a wrong one is not answered") as caught:
        await meter.open()
    assert "wrong-word" not in str(caught.value)


async def test_another_unit_behind_the_same_address_is_noticed_with_its_first_answer(agent):
    """Row 13 of the review. SNMP has no connection that would break, so each answer carries the serial number."""
    agent.put(UNIT)
    async with open_meter(agent.meter("apc.rpdu2")) as meter:
        await meter.read()
        (serial,) = (oid for oid, (_, value) in UNIT.items() if value == "5A1234E56789")
        agent.put({**UNIT, serial: ("string", "5A0000E22222")})
        with pytest.raises(Exchanged, match=r"^Meter pdu answered as serial 5A0000E22222, was 5A1234E56789\."):
            await meter.read()
        await meter.open()
        await meter.read()
        assert meter.identity.serial == "5A0000E22222"


async def test_a_row_that_goes_to_another_unit_of_the_chain_is_no_reading_of_this_one(agent):
    """PowerNet MIB: rPDU2DeviceStatusModule names the unit that a row belongs to."""
    agent.put(UNIT)
    async with open_meter(agent.meter("apc.rpdu2")) as meter:
        agent.put({**UNIT, f"{APC}.4.3.1.2.1": ("integer", 2)})
        power = next(item for item in await meter.read() if item.channel == "power")
        assert power.quality == Quality.INVALID
        assert math.isnan(power.value)
