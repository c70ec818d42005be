"""The resources of a Redfish service (DSP0268): one chassis, in current and deprecated schemas. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.indication import Indication, Inside

ROOT = "/redfish/v1"
SESSIONS = f"{ROOT}/SessionService/Sessions"
CHASSIS = f"{ROOT}/Chassis/1"
POWER_SENSOR = f"{CHASSIS}/Sensors/TotalPower"
POWER_PLACES: Mapping[str, tuple[str, ...]] = {
    POWER_SENSOR: ("Reading",),
    f"{CHASSIS}/EnvironmentMetrics": ("PowerWatts", "Reading"),
    f"{CHASSIS}/Power": ("PowerControl", "0", "PowerConsumedWatts"),
}
"""Where the chassis reports power: resource, and the way to the number in it."""
Tree = dict[str, Any]
"""Documents by their paths."""


def build_tree(indication: Indication | None, inside: Inside, now_s: float, serial: int) -> Tree:
    """Lay out one indication (a phase is a supply), temperatures and fans, with the time of the readings.

    A missing reading is null, as DSP0268 has it for one that is not available.
    """
    resources = {**_frame(serial), **_power(indication, now_s), **_thermal(inside), **_legacy(indication, inside)}
    tree: Tree = {path: {"@odata.id": path, **document} for path, document in resources.items()}
    return {"/redfish": {"v1": f"{ROOT}/"}, **tree}


def put(document: Any, way: tuple[str, ...], value: float | None) -> Any:
    """Copy a document with another value at the end of the way."""
    step, *rest = way
    if isinstance(document, list):
        return [put(item, tuple(rest), value) if str(i) == step else item for i, item in enumerate(document)]
    return {**document, step: put(document[step], tuple(rest), value) if rest else value}


def _frame(serial: int) -> Tree:
    return {
        f"{ROOT}/": {
            "@odata.type": "#ServiceRoot.v1_15_0.ServiceRoot",
            "Id": "RootService",
            "Name": f"{SIMULATOR_MARK} service",
            "RedfishVersion": "1.15.0",
            "Chassis": link(f"{ROOT}/Chassis"),
            "SessionService": link(f"{ROOT}/SessionService"),
            "Links": {"Sessions": link(SESSIONS)},
        },
        f"{ROOT}/SessionService": {"Id": "SessionService", "Name": "Session Service", "Sessions": link(SESSIONS)},
        f"{ROOT}/Chassis": collection("Chassis", [CHASSIS]),
        f"{ROOT}/Managers/BMC": {
            "Id": "BMC",
            "Name": f"{SIMULATOR_MARK} BMC",
            "FirmwareVersion": f"{SIMULATOR_MARK} 1.0",
        },
        CHASSIS: {
            "@odata.type": "#Chassis.v1_24_0.Chassis",
            "Id": "1",
            "Name": f"{SIMULATOR_MARK} server",
            "ChassisType": "RackMount",
            "AssetTag": SIMULATOR_MARK,
            "SerialNumber": f"{SIMULATOR_MARK}-{serial}",
            "Links": {"ManagedBy": [link(f"{ROOT}/Managers/BMC")]},
            **{
                name: link(f"{CHASSIS}/{name}")
                for name in ("EnvironmentMetrics", "PowerSubsystem", "ThermalSubsystem", "Power", "Thermal")
            },
        },
    }


def _power(indication: Indication | None, now_s: float) -> Tree:
    total = indication.total if indication else {}
    total_w, energy_wh = finite(total, "power"), indication.energy_wh if indication else None
    phases = indication.phases if indication else ()
    supplies = f"{CHASSIS}/PowerSubsystem/PowerSupplies"
    tree: Tree = {
        f"{CHASSIS}/EnvironmentMetrics": {
            "Id": "EnvironmentMetrics",
            "PowerWatts": {"DataSourceUri": POWER_SENSOR, "Reading": total_w},
            "EnergykWh": {"Reading": None if energy_wh is None else energy_wh / 1000},
        },
        POWER_SENSOR: {
            "Id": "TotalPower",
            "Name": "Total power",
            "ReadingType": "Power",
            "ReadingUnits": "W",
            "Reading": total_w,
            "ApparentVA": finite(total, "apparent_power"),
            "PowerFactor": finite(total, "power_factor"),
            "ReadingTime": datetime.fromtimestamp(now_s, UTC).isoformat(timespec="milliseconds"),
            "Status": {"State": "UnavailableOffline"} if total_w is None else {"State": "Enabled", "Health": "OK"},
        },
        f"{CHASSIS}/PowerSubsystem": {"Id": "PowerSubsystem", "PowerSupplies": link(supplies)},
        supplies: collection("Supplies", [f"{supplies}/{n}" for n, _ in enumerate(phases, 1)]),
    }
    for n, phase in enumerate(phases, 1):
        tree[f"{supplies}/{n}"] = {"Id": str(n), "Name": f"PSU {n}", "Metrics": link(f"{supplies}/{n}/Metrics")}
        tree[f"{supplies}/{n}/Metrics"] = {
            "Id": "Metrics",
            "InputPowerWatts": {"Reading": finite(phase, "power")},
            "InputVoltage": {"Reading": finite(phase, "voltage")},
            "InputCurrentAmps": {"Reading": finite(phase, "current")},
        }
    return tree


def _thermal(inside: Inside) -> Tree:
    fans = f"{CHASSIS}/ThermalSubsystem/Fans"
    return {
        f"{CHASSIS}/ThermalSubsystem": {
            "Id": "ThermalSubsystem",
            "Fans": link(fans),
            "ThermalMetrics": link(f"{CHASSIS}/ThermalSubsystem/ThermalMetrics"),
        },
        f"{CHASSIS}/ThermalSubsystem/ThermalMetrics": {
            "Id": "ThermalMetrics",
            "TemperatureReadingsCelsius": [
                {"DeviceName": "Inlet", "Reading": _rounded(inside.inlet_c, 1)},
                {"DeviceName": "CPU1", "Reading": _rounded(inside.cpu_c, 1)},
            ],
        },
        fans: collection("Fans", [f"{fans}/1"]),
        f"{fans}/1": {"Id": "1", "Name": "Fan 1", "SpeedPercent": {"SpeedRPM": _rounded(inside.fan_rpm)}},
    }


def _legacy(indication: Indication | None, inside: Inside) -> Tree:
    """Build the deprecated Power and Thermal resources, as older services have them."""
    total = indication.total if indication else {}
    return {
        f"{CHASSIS}/Power": {
            "Id": "Power",
            "PowerControl": [{"MemberId": "0", "PowerConsumedWatts": finite(total, "power")}],
            "PowerSupplies": [
                {"MemberId": str(n), "Name": f"PSU {n + 1}", "PowerInputWatts": finite(phase, "power")}
                for n, phase in enumerate(indication.phases if indication else ())
            ],
        },
        f"{CHASSIS}/Thermal": {
            "Id": "Thermal",
            "Temperatures": [
                {"MemberId": "0", "Name": "Inlet", "ReadingCelsius": _rounded(inside.inlet_c, 1)},
                {"MemberId": "1", "Name": "CPU1", "ReadingCelsius": _rounded(inside.cpu_c, 1)},
            ],
            "Fans": [{"MemberId": "0", "Name": "Fan 1", "Reading": _rounded(inside.fan_rpm), "ReadingUnits": "RPM"}],
        },
    }


def finite(values: Mapping[str, float], quantity: str) -> float | None:
    """Return a value that is a number; None where there is none."""
    value = values.get(quantity)
    return value if value is not None and math.isfinite(value) else None


def _rounded(value: float | None, digits: int | None = None) -> float | None:
    return None if value is None else round(value, digits)


def link(path: str) -> dict[str, str]:
    """Build a link to a resource."""
    return {"@odata.id": path}


def collection(name: str, members: list[str]) -> Tree:
    """Build a collection of resources by their paths."""
    return {"Name": name, "Members@odata.count": len(members), "Members": [link(path) for path in members]}
