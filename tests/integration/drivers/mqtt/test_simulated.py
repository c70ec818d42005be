"""What only MQTT devices do, simulated at a real broker: publishing unasked, answers without numbers, outputs."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.reading import Quality

from tests.open_meter import open_meter

from ..faults import FAULT
from .conftest import TOTAL, shows

MODELS = sorted(name for name, item in load_catalogue().items() if isinstance(item.protocol, MqttMap))


def test_the_four_families_are_declared():
    assert MODELS == ["shelly.mqttgen1", "shelly.mqttgen2", "tasmota.mqtt", "zigbee2mqtt.plug"]


@pytest.mark.parametrize("model", MODELS)
async def test_what_a_device_publishes_is_read_when_it_is_only_listened_to(place, running, model):
    async with running(model) as plug:
        plug.publish_s = 0.2
        async with open_meter(place.meter(model, listen=True)) as meter:
            assert meter.pushes
            readings = [item for _ in range(8) for item in await meter.read() if item.channel == "power"]
    assert {item.value for item in readings} == {TOTAL["power"]}
    spacing_s = [(b.t_ns - a.t_ns) / 1e9 for a, b in pairwise(readings)]
    assert all(0.1 < seconds < 0.6 for seconds in spacing_s)
    pace = meter.identity.pace
    assert pace.interval_s == pytest.approx(0.2, abs=0.1)
    assert meter.identity.update_period_s == pace.interval_s
    assert pace.readings == len(readings)


async def test_what_may_be_a_late_answer_is_marked_and_its_stamp_covers_both_questions(place, running):
    async with running("tasmota.mqtt") as plug:
        plug.show(shows(100.0))
        async with open_meter(place.meter("tasmota.mqtt", timeout_s=0.5)) as meter:
            plug.inject(FAULT.validate_python({"kind": "delay", "seconds": 0.7}))
            plug.inject(FAULT.validate_python({"kind": "drop"}))
            (power, *_) = await meter.read()
            assert (power.value, power.quality) == (100.0, Quality.RETRIED)
            plug.show(shows(200.0))
            (power, *_) = await meter.read()
            assert (power.value, power.quality) == (200.0, Quality.RETRIED)
            assert power.u_t_ns > 0.25e9
            await asyncio.sleep(0.6)
            (power, *_) = await meter.read()
            assert power.quality is Quality.GOOD
            assert power.u_t_ns < 0.1e9


async def test_another_output_is_read_by_itself(place, running):
    async with running("shelly.mqttgen2"):
        async with open_meter(place.meter("shelly.mqttgen2", query="output=1")) as meter:
            assert (await meter.read())[0].value == 0.0
        with pytest.raises(ConfigurationError, match="Write 0 to 3"):
            place.meter("shelly.mqttgen2", query="output=4")
