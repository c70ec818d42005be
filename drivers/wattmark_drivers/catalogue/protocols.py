"""The protocol tables that a declaration may carry, distinguished by their ``engine``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wattmark_drivers.catalogue.http_map import HttpMap
from wattmark_drivers.catalogue.hwmon_map import HwmonMap
from wattmark_drivers.catalogue.ipmi_map import IpmiMap
from wattmark_drivers.catalogue.kasa_map import KasaMap
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.catalogue.nvml_map import NvmlMap
from wattmark_drivers.catalogue.powersensor_map import PowerSensorMap
from wattmark_drivers.catalogue.ptdaemon_map import PtdaemonMap
from wattmark_drivers.catalogue.rapl_map import RaplMap
from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.catalogue.replay_map import ReplayMap
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.snmp_map import SnmpMap
from wattmark_drivers.catalogue.wattsup_map import WattsUpMap

Protocol = Annotated[
    HttpMap
    | HwmonMap
    | IpmiMap
    | KasaMap
    | ModbusMap
    | MqttMap
    | NvmlMap
    | PowerSensorMap
    | PtdaemonMap
    | RaplMap
    | RedfishMap
    | ReplayMap
    | ScpiMap
    | SnmpMap
    | WattsUpMap,
    Field(discriminator="engine"),
]
