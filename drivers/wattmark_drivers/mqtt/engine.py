"""Offer the engine of MQTT devices to the factory."""

from __future__ import annotations

from wattmark_drivers.engine import Engine
from wattmark_drivers.mqtt.address import SCHEMES
from wattmark_drivers.mqtt.meter import MqttMeter

ENGINE = Engine(SCHEMES, MqttMeter)
