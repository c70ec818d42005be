"""Answers as the makers and other readers publish them, from a server that is not ours."""

from __future__ import annotations

import json
import logging
import math

import pytest
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.http_client import reconnects
from wattmark_drivers.reading import Kind, Quality

from tests.open_meter import open_meter

# Shelly API documentation, Gen2+, Switch component, example of Switch.GetStatus.
SWITCH = {
    "id": 0, "source": "WS_in", "output": True, "apower": 8.9, "voltage": 237.5, "current": 0.045, "pf": 0.83,
    "aenergy": {"total": 6.532, "by_minute": [45.199, 47.141, 88.397], "minute_ts": 1626935779},
    "temperature": {"tC": 23.5, "tF": 74.4},
}  # fmt: skip
INFO = {"name": None, "id": "shellyplus1pm-441793d69718", "mac": "441793D69718", "gen": 2, "ver": "0.10.0"}
# ShellyPy, issue 20: a Pro EM-50.
EM1 = {
    "id": 1, "current": 2.598, "voltage": 234.9, "act_power": 501.8, "aprt_power": 612.4, "pf": 0.84, "freq": 50,
    "calibration": "factory",
}  # fmt: skip
EM1_DATA = {"id": 1, "total_act_energy": 2776175.11, "total_act_ret_energy": 571584.87}
# OpenBeken and others: Status 8 of Tasmota.
TASMOTA = (
    '{"StatusSNS":{"Time":"2020-06-29T22:22:24","ENERGY":{"TotalStartTime":"2020-06-24T09:25:29","Total":41.573,'
    '"Yesterday":6.147,"Today":8.286,"Power":2,"ApparentPower":22,"ReactivePower":21,"Factor":0.08,"Voltage":230,'
    '"Current":0.094}}}'
)


def good(readings):
    return {reading.channel: reading.value for reading in readings if reading.quality is Quality.GOOD}


async def read(plug, model, output="", password=""):
    async with open_meter(plug.meter(model, output, password)) as meter:
        readings = await meter.read()
    return meter, readings


@pytest.mark.parametrize("model", ["shelly.plusplugs", "shelly.plus1pm", "shelly.pro4pm"])
async def test_a_shelly_switch(plug, model):
    plug.answers["/rpc/Switch.GetStatus?id=0"] = json.dumps(SWITCH)
    plug.answers["/rpc/Shelly.GetDeviceInfo"] = json.dumps(INFO)
    meter, readings = await read(plug, model)
    assert good(readings) == {
        "power": 8.9, "voltage": 237.5, "current": 0.045, "power_factor": 0.83, "energy": 6.532, "temperature": 23.5,
    }  # fmt: skip
    assert "frequency" not in {channel.id for channel in meter.channels}
    assert next(item for item in readings if item.channel == "energy").kind is Kind.COUNTER
    assert (meter.identity.serial, meter.identity.firmware) == ("shellyplus1pm-441793d69718", "0.10.0")
    assert not meter.identity.simulated
    assert "accuracy of power" in meter.identity.unconfirmed


async def test_a_shelly_energy_meter_and_its_counters(plug):
    plug.answers["/rpc/EM1.GetStatus?id=1"] = json.dumps(EM1)
    plug.answers["/rpc/EM1Data.GetStatus?id=1"] = json.dumps(EM1_DATA)
    _, readings = await read(plug, "shelly.proem", "1")
    assert good(readings) == {
        "power": 501.8, "voltage": 234.9, "current": 2.598, "apparent_power": 612.4, "power_factor": 0.84,
        "frequency": 50, "energy_import": 2776175.11, "energy_export": 571584.87,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("word", "power", "voltage"),
    [
        ("power_meter_failure", Quality.INVALID, Quality.INVALID),
        ("out_of_range:act_power", Quality.OVER_RANGE, Quality.GOOD),
        ("out_of_range:current", Quality.OVER_RANGE, Quality.OVER_RANGE),
        ("something_new", Quality.GOOD, Quality.GOOD),
    ],
)
async def test_what_the_device_says_of_itself_becomes_quality(plug, word, power, voltage):
    plug.answers["/rpc/EM1.GetStatus?id=1"] = json.dumps({**EM1, "errors": [word]})
    plug.answers["/rpc/EM1Data.GetStatus?id=1"] = json.dumps(EM1_DATA)
    _, readings = await read(plug, "shelly.proem", "1")
    qualities = {reading.channel: reading.quality for reading in readings}
    assert (qualities["power"], qualities["voltage"], qualities["energy_import"]) == (power, voltage, Quality.GOOD)


async def test_an_answer_for_another_output_is_none(plug):
    plug.answers["/rpc/Switch.GetStatus?id=0"] = json.dumps(SWITCH)
    async with open_meter(plug.meter("shelly.pro4pm")) as meter:
        plug.answers["/rpc/Switch.GetStatus?id=0"] = json.dumps({**SWITCH, "id": 3})
        with pytest.raises(BadReply, match="answered for another output"):
            await meter.read()


async def test_the_first_generation_counts_watt_minutes(plug):
    # shelly-plug-prometheus: 91.81 W and 24239 W·min, so 403.98 Wh.
    answer = {
        "power": 91.81,
        "overpower": 0.0,
        "is_valid": True,
        "timestamp": 1600000000,
        "counters": [1.0],
        "total": 24239,
    }
    relay = {"ison": True, "has_timer": False, "overpower": False, "source": "http"}
    plug.answers["/status"] = json.dumps({"relays": [relay], "meters": [answer], "temperature": 27.1})
    plug.answers["/shelly"] = '{"type":"SHPLG-S","mac":"C18B12","auth":false,"fw":"20230913-113421/v1.14.0-gcb84623"}'
    meter, readings = await read(plug, "shelly.plugs")
    assert good(readings) == {"power": 91.81, "energy": pytest.approx(24239 / 60)}
    assert meter.identity.serial == "C18B12"
    plug.answers["/status"] = json.dumps({"relays": [relay], "meters": [{**answer, "is_valid": False}]})
    _, readings = await read(plug, "shelly.plugs")
    assert {reading.quality for reading in readings} == {Quality.INVALID}
    plug.answers["/status"] = json.dumps({"relays": [{**relay, "ison": False}], "meters": [answer]})
    _, readings = await read(plug, "shelly.plugs")
    assert {item.channel: item.quality for item in readings} == {
        "power": Quality.RELAY_OFF | Quality.IMPLAUSIBLE, "energy": Quality.GOOD,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("model", "answers", "words"),
    [
        # A Shelly 1 meters nothing: its power is the number that its owner entered. A Shelly 2 has one meter for two.
        ("shelly.plugs", {"/shelly": '{"type":"SHSW-1"}'}, "is a SHSW-1, and shelly.plugs is SHPLG-1"),
        ("shelly.plugs", {"/shelly": '{"type":"SHSW-21"}'}, "is a SHSW-21, and shelly.plugs is SHPLG-1"),
        # Another generation, and a switch without a meter.
        ("shelly.plugs", {"/shelly": '{"gen":2,"app":"Plus1PM"}'}, "has no /status; it calls itself Plus1PM"),
        (
            "shelly.plusplugs",
            {"/shelly": '{"type":"SHPLG-S"}'},
            r"has no /rpc/Switch.GetStatus\?id=0; it calls itself SHPLG-S",
        ),
        (
            "shelly.plusplugs",
            {"/rpc/Shelly.GetDeviceInfo": '{"app":"Plus1"}', "/rpc/Switch.GetStatus?id=0": '{"id":0,"output":true}'},
            "reports no power where shelly.plusplugs has it; it calls itself Plus1",
        ),
        (
            "shelly.pro3em",
            {
                "/rpc/Shelly.GetDeviceInfo": '{"app":"ProEM"}',
                "/rpc/EM.GetStatus?id=0": (404, '{"code":404,"message":"No handler for EM.GetStatus"}'),
            },
            "has no /rpc/EM.GetStatus; it calls itself ProEM",
        ),
        (
            "mystrom.switch",
            {"/api/v1/info": '{"mac":"5CCF7FA0AFB0","version":"2.58.0","type":105}', "/report": '{"on":true}'},
            "reports no power where mystrom.switch has it; it calls itself 105",
        ),
    ],
)
async def test_another_product_is_named_where_it_is_refused(plug, model, answers, words):
    plug.answers |= answers
    with pytest.raises((ConfigurationError, BadReply), match=words):
        await plug.meter(model).open()


async def test_a_mystrom_switch_tells_its_serial_number(plug):
    plug.answers["/api/v1/info"] = '{"mac":"5CCF7FA0AFB0","version":"2.58.0","type":"WS2"}'
    plug.answers["/report"] = '{"power":2.98,"relay":true,"temperature":20.1}'
    meter, readings = await read(plug, "mystrom.switch")
    assert good(readings)["power"] == 2.98
    assert (meter.identity.serial, meter.identity.firmware) == ("5CCF7FA0AFB0", "2.58.0")


async def test_tasmota(plug):
    plug.answers["/cm?cmnd=Status%208"] = TASMOTA
    _, readings = await read(plug, "tasmota.plug")
    assert good(readings) == {
        "power": 2, "apparent_power": 22, "reactive_power": 21, "power_factor": 0.08, "voltage": 230, "current": 0.094,
        "energy": pytest.approx(41573),
    }  # fmt: skip


async def test_the_total_of_a_list_is_that_output_s_energy(plug):
    """EnergyShow of the firmware: with SetOption129 on, Total is a list as Power is."""
    lists = TASMOTA.replace('"Power":2', '"Power":[2,7],"Frequency":50').replace(
        '"Total":41.573', '"Total":[1.5,40.073]'
    )
    plug.answers["/cm?cmnd=Status%208"] = lists
    _, readings = await read(plug, "tasmota.plug", "2")
    assert good(readings) == {"power": 7, "voltage": 230, "frequency": 50, "energy": pytest.approx(40073)}


async def test_a_shelly_that_counts_returned_energy(plug):
    """Shelly API, Switch status: aenergy counts both directions where ret_aenergy is there."""
    answer = {**SWITCH, "ret_aenergy": {"total": 12.5}}
    plug.answers["/rpc/Switch.GetStatus?id=0"] = json.dumps(answer)
    plug.answers["/rpc/Shelly.GetDeviceInfo"] = json.dumps(INFO)
    _, readings = await read(plug, "shelly.plusplugs")
    assert good(readings)["energy_export"] == 12.5
    assert good(readings)["energy"] == SWITCH["aenergy"]["total"]


async def test_a_second_output_is_never_read_as_the_first(plug):
    plug.answers["/cm?cmnd=Status%208"] = TASMOTA
    with pytest.raises(ConfigurationError, match=r"reports no power where tasmota\.plug has it"):
        await plug.meter("tasmota.plug", "2").open()
    two = TASMOTA.replace('"Power":2', '"Power":[2,7]')
    plug.answers["/cm?cmnd=Status%208"] = two
    _, readings = await read(plug, "tasmota.plug", "2")
    assert good(readings) == {"power": 7, "voltage": 230}
    _, readings = await read(plug, "tasmota.plug", "1")
    assert "energy" not in good(readings)
    with pytest.raises(ConfigurationError, match=r"has no output 5\. Write 1 to 4"):
        plug.meter("tasmota.plug", "5")


async def test_tasmota_wants_the_password_in_the_url_and_nobody_sees_it(plug, caplog):
    caplog.set_level(logging.DEBUG)
    plug.answers["/cm?cmnd=Status%208"] = '{"WARNING":"Need user=<username>&password=<password>"}'
    with pytest.raises(AuthenticationFailed, match="rejects the login: Need user"):
        await plug.meter("tasmota.plug").open()
    plug.answers["/cm?cmnd=Status%208&user=admin&password=h%26nter%202"] = TASMOTA
    await read(plug, "tasmota.plug", password="h&nter 2")
    plug.answers.clear()
    with pytest.raises(BadReply) as caught:
        await plug.meter("tasmota.plug", password="h&nter 2").open()
    assert "nter" not in str(caught.value) + caplog.text


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ((401, ""), AuthenticationFailed, "rejects the user or the password"),
        ((403, ""), AuthenticationFailed, "does not allow this user to read"),
        ((404, ""), BadReply, "has no /rpc/Switch.GetStatus"),
        ((302, ""), BadReply, "redirects to another address"),
        ((500, '{"code":-103,"message":"no"}'), BadReply, "status 500"),
        ("<html>", BadReply, "did not answer with JSON but with '<html>'"),
        ("[]", ConfigurationError, "reports no power"),
        ('{"id":0,"output":true}', ConfigurationError, "reports no power where shelly.plusplugs has it"),
    ],
)
async def test_refusals_are_named(plug, answer, error, words):
    plug.answers["/rpc/Switch.GetStatus?id=0"] = answer
    with pytest.raises(error, match=words) as caught:
        await plug.meter("shelly.plusplugs").open()
    assert caught.value.remedy


@pytest.mark.parametrize("wrong", [None, "8.9", True, [], {}, 10**400])
async def test_what_is_no_number_is_never_good(plug, wrong):
    plug.answers["/rpc/Switch.GetStatus?id=0"] = json.dumps(SWITCH)
    async with open_meter(plug.meter("shelly.plusplugs")) as meter:
        plug.answers["/rpc/Switch.GetStatus?id=0"] = json.dumps({**SWITCH, "apower": wrong})
        (power, *_) = await meter.read()
        assert power.quality is Quality.INVALID
        assert math.isnan(power.value)


async def test_another_plug_behind_the_same_address_is_noticed_when_the_connection_breaks(plug):
    """Row 13 of the review: who answers was asked at the begin alone."""
    plug.answers["/rpc/Switch.GetStatus?id=0"] = json.dumps(SWITCH)
    plug.answers["/rpc/Shelly.GetDeviceInfo"] = json.dumps(INFO)
    async with open_meter(plug.meter("shelly.plus1pm")) as meter:
        for _ in range(3):
            await meter.read()
        asked = plug.asked.count("/rpc/Shelly.GetDeviceInfo")
        assert asked == 1, "a connection that is kept has the same plug at its end"
        plug.hangs_up = True
        await meter.read()
        plug.hangs_up = False
        plug.answers["/rpc/Shelly.GetDeviceInfo"] = json.dumps({**INFO, "id": "shellyplus1pm-0000c0ffee00"})
        words = "^Meter plug answered as serial shellyplus1pm-0000c0ffee00, was shellyplus1pm-441793d69718"
        with pytest.raises(Exchanged, match=words):
            await meter.read()
        await meter.open()
        await meter.read()
        assert meter.identity.serial == "shellyplus1pm-0000c0ffee00"


async def test_a_plug_that_ends_every_connection_is_asked_now_and_then(plug, monkeypatch):
    plug.hangs_up = True
    plug.answers["/rpc/Switch.GetStatus?id=0"] = json.dumps(SWITCH)
    plug.answers["/rpc/Shelly.GetDeviceInfo"] = json.dumps(INFO)
    async with open_meter(plug.meter("shelly.plus1pm")) as meter:
        await meter.read()
        for _ in range(5):
            await meter.read()
        assert plug.asked.count("/rpc/Shelly.GetDeviceInfo") == 1, "once more with each poll would double the traffic"
        monkeypatch.setattr(reconnects, "LONGEST_S", 0.0)
        plug.answers["/rpc/Shelly.GetDeviceInfo"] = json.dumps({**INFO, "id": "shellyplus1pm-0000c0ffee00"})
        with pytest.raises(Exchanged, match="was shellyplus1pm-441793d69718"):
            await meter.read()


async def test_a_list_of_powers_without_an_output_is_refused(plug):
    """arendst/Tasmota 21357: three phases as a list; their sum is 1201 W."""
    energy = {"Power": [411, 388, 402], "Voltage": [231, 232, 230], "Current": [1.82, 1.71, 1.79]}
    plug.answers["/cm?cmnd=Status%208"] = json.dumps({"StatusSNS": {"ENERGY": energy}})
    with pytest.raises(ConfigurationError, match=r"gives 3 powers.*1 to 3"):
        await plug.meter("tasmota.plug").open()
    _, readings = await read(plug, "tasmota.plug", "2")
    assert good(readings)["power"] == 388


async def test_another_product_of_the_same_protocol_is_refused_by_name(plug):
    """Eraser3/HomeWizard-Wifi-p1-plugin: the meter of a whole house answers like a socket."""
    plug.answers["/api"] = json.dumps({"product_type": "HWE-P1", "serial": "3c39e7aabbcc", "firmware_version": "5.18"})
    plug.answers["/api/v1/data"] = json.dumps({"active_power_w": -1200, "total_power_import_t1_kwh": 12.5})
    with pytest.raises(ConfigurationError, match=r"is a HWE-P1, and homewizard.socket is HWE-SKT"):
        await plug.meter("homewizard.socket").open()


async def test_a_pro_3em_in_another_profile_is_told_by_name(plug):
    """evcc-io/evcc 24485: EM.GetStatus answers with status 500 in the profile of three single phases."""
    error = '{"code":-105,"message":"Argument \'id\', value 0 not found!"}'
    plug.answers["/rpc/EM.GetStatus?id=0"] = (500, error)
    with pytest.raises(ConfigurationError, match=r"has no /rpc/EM\.GetStatus\. .*monophase.*shelly\.proem"):
        await plug.meter("shelly.pro3em").open()
