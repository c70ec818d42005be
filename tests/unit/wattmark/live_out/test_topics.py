"""What Home Assistant is told: names, units and classes are those of its documentation."""

from __future__ import annotations

import json
import re

from wattmark.live_out.live_meters import MeterNow
from wattmark.live_out.topics import Topics

DISCOVERY = re.compile(
    r"homeassistant/(?P<component>\w+)/(?:(?P<node_id>[a-zA-Z0-9_-]+)/)?(?P<id>[a-zA-Z0-9_-]+)/config"
)
"""Form of the topics, at the default prefix, on which Home Assistant looks for devices (its discovery.py)."""
UNITS = {"power": "W", "energy": "Wh"}
"""Units of the device classes (developers.home-assistant.io/docs/core/entity/sensor)."""
STATE_CLASSES = {"power": "measurement", "energy": "total_increasing"}


def meter(name: str = "wall", power_w: float | None = 231.5, *, simulated: bool = False) -> MeterNow:
    return MeterNow(name, "wall", ("r1",), simulated, power_w, "good", 0.25, 7200.0, 0, 3)


def test_watts_watt_hours_and_what_one_has_to_know() -> None:
    states = Topics("wattmark", "Lab 1").states(meter())
    assert states["wattmark/Lab 1/wall/power"] == "231.500"
    assert states["wattmark/Lab 1/wall/energy"] == "2.000", "7200 J are 2 Wh"
    assert json.loads(states["wattmark/Lab 1/wall/about"]) == {
        "server": "r1",
        "role": "wall",
        "simulated": False,
        "quality": "good",
        "age_s": 0.25,
        "excluded_readings": 3,
    }


def test_power_that_is_not_fresh_is_not_published() -> None:
    assert set(Topics("wattmark", "Lab").states(meter(power_w=None))) == {
        "wattmark/Lab/wall/energy",
        "wattmark/Lab/wall/about",
    }


def test_home_assistant_finds_both_sensors_with_their_units() -> None:
    topics = Topics("wattmark", "Lab 1")
    messages = topics.announcements(meter(), "homeassistant", period_s=10.0)
    assert len(messages) == 2
    for topic, payload in messages.items():
        match = DISCOVERY.fullmatch(topic)
        assert match, topic
        assert match["component"] == "sensor"
        message = json.loads(payload)
        quantity = message["device_class"]
        assert message["unit_of_measurement"] == UNITS[quantity]
        assert message["state_class"] == STATE_CLASSES[quantity]
        assert message["state_topic"] in topics.states(meter())
        assert message["availability_topic"] == topics.status
        assert message["origin"]["name"] == "wattmark"
        assert message["device"]["identifiers"]
    power = next(json.loads(text) for text in messages.values() if '"device_class": "power"' in text)
    assert power["expire_after"] == 30, "three periods of 10 s"


def test_a_simulated_meter_is_named_so() -> None:
    (payload, _) = Topics("wattmark", "Lab").announcements(meter(simulated=True), "homeassistant", 10.0).values()
    assert json.loads(payload)["device"]["name"] == "wall (simulated)"


def test_no_name_makes_a_wildcard_or_another_level_and_no_two_share_a_topic() -> None:
    names = ["a+b", "a_b", "a.b", "a-b", "a/b", "a#b", "ab", "a_2eb"]
    topics = {name: Topics("wattmark", name).of_meter(name, "power") for name in names}
    assert all(topic.count("/") == 3 and not re.search(r"[+#]", topic) for topic in topics.values())
    assert len(set(topics.values())) == len(names)
    nodes = {Topics("wattmark", "Lab").discovery(name, "homeassistant")["power"] for name in names}
    assert len(nodes) == len(names)
    assert all(DISCOVERY.fullmatch(node) for node in nodes)
