"""Topics and messages at an MQTT broker, and what Home Assistant is told of them. Pure.

Home Assistant: www.home-assistant.io/integrations/mqtt/#mqtt-discovery and /integrations/sensor.mqtt/. A device class
has its units (W for power, Wh for energy); "total_increasing" may fall to 0, which begins a new count.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from wattmark.core.version import version
from wattmark.live_out.energy_total import JOULE_PER_WH
from wattmark.live_out.live_meters import MeterNow

ONLINE, OFFLINE = "online", "offline"
LATE_PERIODS = 3
"""Periods without a message after which Home Assistant shows no power."""
QUANTITIES: Mapping[str, Mapping[str, str]] = {
    "power": {
        "name": "Power",
        "device_class": "power",
        "state_class": "measurement",
        "unit_of_measurement": "W",
    },
    "energy": {
        "name": "Energy",
        "device_class": "energy",
        "state_class": "total_increasing",
        "unit_of_measurement": "Wh",
    },
}
"""What Home Assistant is told of each topic of a meter."""


@dataclass(frozen=True, slots=True)
class Topics:
    """Names of topics below ``base``; a sign that separates levels or matches several topics is written as %XX."""

    base: str
    lab: str

    @property
    def status(self) -> str:
        """Return the topic that holds whether this service publishes."""
        return f"{self.base}/{_level(self.lab)}/status"

    def of_meter(self, meter: str, what: str) -> str:
        """Return the topic of something that a meter shows."""
        return f"{self.base}/{_level(self.lab)}/{_level(meter)}/{what}"

    def states(self, meter: MeterNow) -> dict[str, str]:
        """Write what a meter shows: power [W], energy [Wh], and what one has to know of them as JSON.

        A power that is not fresh is not published; Home Assistant then shows none.
        """
        about = {
            "server": ",".join(meter.servers),
            "role": meter.role,
            "simulated": meter.simulated,
            "quality": meter.quality,
            "age_s": None if meter.age_s is None else round(meter.age_s, 3),
            "excluded_readings": meter.excluded,
        }
        power = {} if meter.power_w is None else {self.of_meter(meter.name, "power"): f"{meter.power_w:.3f}"}
        return {
            **power,
            self.of_meter(meter.name, "energy"): f"{meter.energy_j / JOULE_PER_WH:.3f}",
            self.of_meter(meter.name, "about"): json.dumps(about),
        }

    def discovery(self, meter: str, prefix: str) -> dict[str, str]:
        """Return the topic of each quantity on which Home Assistant looks for a new sensor."""
        node = f"wattmark_{_word(self.lab)}_{_word(meter)}"
        return {quantity: f"{prefix}/sensor/{node}/{quantity}/config" for quantity in QUANTITIES}

    def announcements(self, meter: MeterNow, prefix: str, period_s: float) -> dict[str, str]:
        """Write what Home Assistant is told of a meter, by topic."""
        name = f"wattmark {self.lab} {meter.name}"
        device = {
            "identifiers": [name],
            "name": f"{meter.name} (simulated)" if meter.simulated else meter.name,
            "manufacturer": "wattmark",
            "model": f"{meter.role} meter of {self.lab}",
        }
        topics = self.discovery(meter.name, prefix)
        messages: dict[str, str] = {}
        for quantity, facts in QUANTITIES.items():
            message: dict[str, Any] = {
                **facts,
                "unique_id": f"{name} {quantity}",
                "state_topic": self.of_meter(meter.name, quantity),
                "json_attributes_topic": self.of_meter(meter.name, "about"),
                "availability_topic": self.status,
                "payload_available": ONLINE,
                "payload_not_available": OFFLINE,
                "device": device,
                "origin": {"name": "wattmark", "sw_version": version()},
            }
            if quantity == "power":
                message["expire_after"] = math.ceil(LATE_PERIODS * period_s)
            messages[topics[quantity]] = json.dumps(message)
        return messages


def _level(name: str) -> str:
    """Write a name as one level of a topic."""
    return quote(name, safe=" ")


def _word(name: str) -> str:
    """Write a name with the signs that Home Assistant takes in topics, different names differently."""
    return re.sub(r"[^A-Za-z0-9]", lambda sign: "".join(f"_{byte:02x}" for byte in sign[0].encode()), name)
