"""Answers recorded from real plugs, and answers that no plug gives.

The recorded numbers are those of python-kasa's tests/fixtures (file named in each case), served over the old protocol.
"""

from __future__ import annotations

import time

import pytest
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.traffic import listening

from tests.open_meter import open_meter

from .conftest import hidden, plug_with

WHO = {"mac": "50:C7:BF:00:00:00", "sw_ver": "1.2.5 Build 171213 Rel.101523"}


def plug(model: str, realtime: object, **who: object) -> dict[str, object]:
    return {"system": {"get_sysinfo": {**WHO, "model": model, **who}}, "emeter": {"get_realtime": realtime}}


def meter_at(port: int, model: str = "tplink.kasa", outlet: int = 1):
    return create_meter(MeterSettings("plug", model, f"kasa://127.0.0.1:{port}/{outlet}", timeout_s=2.0))


@pytest.mark.parametrize(
    ("model", "realtime", "expected"),
    [
        (  # HS110(EU)_1.0_1.2.5.json
            "HS110(EU)",
            {"current": 0.014937, "err_code": 0, "power": 0.928511, "total": 55.139, "voltage": 231.067823},
            {"power": 0.928511, "voltage": 231.067823, "current": 0.014937, "energy": 55_139.0},
        ),
        (  # HS110(EU)_4.0_1.0.4.json
            "HS110(EU)",
            {"current_ma": 451, "err_code": 0, "power_mw": 61753, "total_wh": 16323, "voltage_mv": 230837},
            {"power": 61.753, "voltage": 230.837, "current": 0.451, "energy": 16_323.0},
        ),
        (  # KP115(EU)_1.0_1.0.16.json
            "KP115(EU)",
            {"current_ma": 296, "err_code": 0, "power_mw": 63499, "total_wh": 12068, "voltage_mv": 230577},
            {"power": 63.499, "voltage": 230.577, "current": 0.296, "energy": 12_068.0},
        ),
    ],
)
async def test_recorded_answers_of_both_generations_are_read(model, realtime, expected):
    async with plug_with(plug(model, realtime)) as (port, asked), open_meter(meter_at(port)) as meter:
        readings = await meter.read()
    assert {item.channel: item.value for item in readings} == pytest.approx(expected)
    assert (meter.identity.serial, meter.identity.firmware) == (WHO["mac"], WHO["sw_ver"])
    assert not meter.identity.simulated
    assert all(command.startswith("get_") for request in asked for part in request.values() for command in part)


async def test_a_strip_is_asked_for_the_child_of_the_outlet():
    realtime = {"current_ma": 544, "err_code": 0, "power_mw": 62430, "total_wh": 26889, "voltage_mv": 118389}
    answers = plug("HS300(US)", realtime, children=[{"id": f"8006AB{n:02}"} for n in range(6)])
    # HS300(US)_1.0_1.0.21.json
    async with plug_with(answers) as (port, asked), open_meter(meter_at(port, "tplink.hs300", outlet=3)) as meter:
        (power, *_) = await meter.read()
    assert power.value == pytest.approx(62.43)
    assert asked[-1] == {"context": {"child_ids": ["8006AB02"]}, "emeter": {"get_realtime": {}}}


async def test_another_model_is_refused_by_name():
    async with plug_with(plug("HS100(UK)", {"err_code": -1, "err_msg": "module not support"})) as (port, _):
        with pytest.raises(ConfigurationError, match=r"'HS100', and tplink\.kasa is for HS110, KP115, EP25"):
            await meter_at(port).open()


async def test_a_plug_without_power_is_refused():
    async with plug_with(plug("HS110(EU)", {"err_code": -1, "err_msg": "module not support"})) as (port, _):
        with pytest.raises(ConfigurationError, match="reports no power"):
            await meter_at(port).open()


async def test_another_plug_at_the_address_ends_the_reading():
    answers = plug("KP115(EU)", {"power_mw": 63499, "err_code": 0})
    async with plug_with(answers) as (port, _), open_meter(meter_at(port)) as meter:
        answers["system"]["get_sysinfo"]["mac"] = "50:C7:BF:00:00:01"
        with pytest.raises(Exchanged, match="answered as serial 50:C7:BF:00:00:01, was 50:C7:BF:00:00:00"):
            await meter.read()


async def test_a_listener_hears_the_numbers_and_nothing_about_the_owner():
    heard: list[bytes] = []
    answers = plug("KP115(EU)", {"power_mw": 63499}, alias="My desk", latitude_i=481234, deviceId="8006ABCD")
    async with plug_with(answers) as (port, _):
        with listening(lambda _direction, data: heard.append(data)):
            async with open_meter(meter_at(port)) as meter:
                await meter.read()
    text = b"".join(heard)
    assert b"63499" in text
    assert b"desk" not in text
    assert b"481234" not in text
    assert b"8006ABCD" not in text


@pytest.mark.parametrize(
    ("frame", "error"),
    [
        (b"\xff\xff\xff\xff" + b"x" * 64, BadReply),
        (b"\x00\x00\x00\x04" + hidden(b"null"), BadReply),
        (b"\x00\x00\x00\x02" + hidden(b"[]"), BadReply),
        (b"\x00\x00\x00\x02" + hidden(b"{}"), ConfigurationError),
        (b"\x00\x00\x00\x00", BadReply),
        (b"\x00\x00\x00\x09\xd0", ConnectionFailed),
        (b"\x00\x00\xea\x60" + hidden(b"[" * 60_000), BadReply),
    ],
)
async def test_an_answer_that_no_plug_gives_is_a_named_failure_in_time(frame, error):
    async with plug_with({}, frame) as (port, _):
        began = time.monotonic()
        with pytest.raises(error):
            await meter_at(port).open()
        assert time.monotonic() - began < 8


async def test_nobody_there_is_a_lost_connection():
    with pytest.raises(ConnectionFailed, match="does not answer"):
        await meter_at(1).open()
