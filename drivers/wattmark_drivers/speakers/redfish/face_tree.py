"""The resources of a Redfish service that stands for a meter (DSP0268): one chassis and its sensors. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import REASONS, Absent, Face
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.redfish.tree import (
    CHASSIS,
    POWER_SENSOR,
    ROOT,
    SESSIONS,
    Tree,
    collection,
    finite,
    link,
)

MANAGER = f"{ROOT}/Managers/Gateway"
SYSTEM = f"{ROOT}/Systems/1"
"""What the meter measures. Nothing is known of it, but many programs look for a chassis from here only."""
SERVICE_DOCUMENT = f"{ROOT}/odata"


class Measurand(NamedTuple):
    """A quantity of the whole (phase None) or of one phase."""

    quantity: str
    phase: int | None = None


TOTAL_POWER = Measurand("power")
WORDS = {
    "power": ("Power", "Power", "W"),
    "voltage": ("Voltage", "Voltage", "V"),
    "current": ("Current", "Current", "A"),
    "frequency": ("Frequency", "Frequency", "Hz"),
    "energy": ("Energy", "EnergykWh", "kW.h"),
}
"""Name, ReadingType and ReadingUnits (DSP0268, Sensor) of the quantities that have a sensor; the others of a power are
properties of its sensor."""


def measurands(indication: Indication) -> set[Measurand]:
    """List what an indication has a number for."""
    shown = {Measurand(quantity) for quantity in WORDS if _value(indication, Measurand(quantity)) is not None}
    for phase, _ in enumerate(indication.phases, 1) if len(indication.phases) > 1 else ():
        of_phase = (Measurand(quantity, phase) for quantity in ("power", "voltage", "current"))
        shown |= {item for item in of_phase if _value(indication, item) is not None}
    return shown


def build_face_tree(
    face: Face, indication: Indication | None, absent: Absent | None, now_s: float, measured: Iterable[Measurand]
) -> Tree:
    """Lay out one indication; ``measured`` has a sensor each, whose reading is null where there is no number now."""
    sensors = sorted({TOTAL_POWER, *measured}, key=lambda item: (item.phase or 0, list(WORDS).index(item.quantity)))
    status = _status(indication, absent, now_s)
    read_s = now_s if indication is None or indication.t_ns is None else indication.t_ns / 1e9
    resources = {
        **_frame(face, status),
        f"{CHASSIS}/Sensors": {
            "@odata.type": "#SensorCollection.SensorCollection",
            **collection("Sensors", [_path(item) for item in sensors]),
        },
        **{_path(item): _sensor(item, indication, status, read_s) for item in sensors},
        f"{CHASSIS}/EnvironmentMetrics": _environment(indication, sensors),
        f"{CHASSIS}/PowerSubsystem": {
            "@odata.type": "#PowerSubsystem.v1_1_0.PowerSubsystem",
            "Id": "PowerSubsystem",
            "Name": "Power Subsystem",
            "Status": status,
        },
        f"{CHASSIS}/Power": _power(indication, status, sensors),
    }
    tree: Tree = {path: {"@odata.id": path, **document} for path, document in resources.items()}
    services = [(name, f"{ROOT}/{name}") for name in ("Chassis", "Systems", "Managers")] + [("Sessions", SESSIONS)]
    index = [{"name": "Service", "kind": "Singleton", "url": f"{ROOT}/"}]
    index += [{"name": name, "kind": "Singleton", "url": path} for name, path in services]
    document = {"@odata.context": f"{ROOT}/$metadata", "value": index}
    return {"/redfish": {"v1": f"{ROOT}/"}, SERVICE_DOCUMENT: document, **tree}


def _frame(face: Face, status: dict[str, Any]) -> Tree:
    tag = {"AssetTag": SIMULATOR_MARK} if face.simulated else {}
    return {
        f"{ROOT}/": {
            "@odata.type": "#ServiceRoot.v1_15_0.ServiceRoot",
            "Id": "RootService",
            "Name": face.marked(f"{face.maker} {face.model}"),
            "RedfishVersion": "1.15.0",
            "Vendor": face.maker,
            "Product": face.model,
            "Chassis": link(f"{ROOT}/Chassis"),
            "Systems": link(f"{ROOT}/Systems"),
            "Managers": link(f"{ROOT}/Managers"),
            "SessionService": link(f"{ROOT}/SessionService"),
            "Links": {"Sessions": link(SESSIONS)},
        },
        f"{ROOT}/SessionService": {
            "@odata.type": "#SessionService.v1_1_8.SessionService",
            "Id": "SessionService",
            "Name": "Session Service",
            "Sessions": link(SESSIONS),
        },
        f"{ROOT}/Managers": {
            "@odata.type": "#ManagerCollection.ManagerCollection",
            **collection("Managers", [MANAGER]),
        },
        MANAGER: {
            "@odata.type": "#Manager.v1_15_0.Manager",
            "Id": "Gateway",
            "Name": f"{face.maker} gateway",
            "ManagerType": "Service",
            "FirmwareVersion": face.firmware,
        },
        f"{ROOT}/Systems": {
            "@odata.type": "#ComputerSystemCollection.ComputerSystemCollection",
            **collection("Systems", [SYSTEM]),
        },
        SYSTEM: {
            "@odata.type": "#ComputerSystem.v1_20_0.ComputerSystem",
            "Id": "1",
            "Name": face.marked("Measured system"),
            "Links": {"Chassis": [link(CHASSIS)], "ManagedBy": [link(MANAGER)]},
        },
        f"{ROOT}/Chassis": {
            "@odata.type": "#ChassisCollection.ChassisCollection",
            **collection("Chassis", [CHASSIS]),
        },
        CHASSIS: {
            "@odata.type": "#Chassis.v1_24_0.Chassis",
            "Id": "1",
            "Name": face.marked(face.model),
            "ChassisType": "Other",
            "Manufacturer": face.maker,
            "Model": face.model,
            "SerialNumber": face.marked(face.serial) or None,
            **tag,
            "Status": status,
            "Links": {"ManagedBy": [link(MANAGER)], "ComputerSystems": [link(SYSTEM)]},
            **{
                name: link(f"{CHASSIS}/{name}") for name in ("Sensors", "EnvironmentMetrics", "PowerSubsystem", "Power")
            },
        },
    }


def _status(indication: Indication | None, absent: Absent | None, now_s: float) -> dict[str, Any]:
    """Write the state of the meter, with the reason where it has no reading (DSP0268, Resource, Conditions)."""
    if indication is not None:
        return {"State": "Enabled", "Health": "OK"}
    status: dict[str, Any] = {"State": "UnavailableOffline", "Health": "Warning"}
    if absent is not None:
        name = "".join(word.capitalize() for word in absent.split("-"))
        condition = {
            "MessageId": f"Wattmark.1.0.Reading{name}",
            "Message": REASONS[absent],
            "Severity": "Warning",
            "Timestamp": _moment(now_s),
        }
        status["Conditions"] = [condition]
    return status


def _sensor(item: Measurand, indication: Indication | None, status: dict[str, Any], read_s: float) -> Tree:
    name, reading_type, units = WORDS[item.quantity]
    reading = _value(indication, item)
    whose = "Total" if item.phase is None else f"Phase {item.phase}"
    if reading is None and status["State"] == "Enabled":
        status = {"State": "UnavailableOffline"}  # the meter has a reading, but not of this
    document = {
        "@odata.type": "#Sensor.v1_8_0.Sensor",
        "Id": _id(item),
        "Name": f"{whose} {name.lower()}",
        "ReadingType": reading_type,
        "ReadingUnits": units,
        "Reading": reading,
        "ReadingTime": None if reading is None else _moment(read_s),
        "PhysicalContext": "Chassis",
        "Status": status,
    }
    if item.quantity != "power":
        return document
    return document | {
        "ApparentVA": _value(indication, Measurand("apparent_power", item.phase)),
        "ReactiveVAR": _value(indication, Measurand("reactive_power", item.phase)),
        "PowerFactor": _value(indication, Measurand("power_factor", item.phase)),
    }


def _environment(indication: Indication | None, sensors: list[Measurand]) -> Tree:
    document: Tree = {
        "@odata.type": "#EnvironmentMetrics.v1_3_0.EnvironmentMetrics",
        "Id": "EnvironmentMetrics",
        "Name": "Environment Metrics",
        "PowerWatts": {"DataSourceUri": POWER_SENSOR, "Reading": _value(indication, TOTAL_POWER)},
    }
    energy = Measurand("energy")
    if energy in sensors:
        document["EnergykWh"] = {"DataSourceUri": _path(energy), "Reading": _value(indication, energy)}
    return document


def _power(indication: Indication | None, status: dict[str, Any], sensors: list[Measurand]) -> Tree:
    """Build the deprecated resource, which most readers of BMCs still ask for."""
    path = f"{CHASSIS}/Power"
    document: Tree = {
        "@odata.type": "#Power.v1_7_1.Power",
        "Id": "Power",
        "Name": "Power",
        "PowerControl": [
            {
                "@odata.id": f"{path}#/PowerControl/0",
                "MemberId": "0",
                "Name": "Total power",
                "PowerConsumedWatts": _value(indication, TOTAL_POWER),
                "Status": status,
            }
        ],
    }
    voltages = [item for item in sensors if item.quantity == "voltage"]
    if voltages:
        document["Voltages"] = [
            {
                "@odata.id": f"{path}#/Voltages/{n}",
                "MemberId": str(n),
                "Name": _id(item),
                "ReadingVolts": _value(indication, item),
                "Status": status,
            }
            for n, item in enumerate(voltages)
        ]
    return document


def _value(indication: Indication | None, item: Measurand) -> float | None:
    if indication is None:
        return None
    if item.quantity == "energy":
        return None if indication.energy_wh is None else finite({"energy": indication.energy_wh / 1000}, "energy")
    if item.phase is None:
        return finite(indication.total, item.quantity)
    return finite(indication.phases[item.phase - 1], item.quantity) if item.phase <= len(indication.phases) else None


def _id(item: Measurand) -> str:
    return f"{'Total' if item.phase is None else f'Phase{item.phase}'}{WORDS[item.quantity][0]}"


def _path(item: Measurand) -> str:
    return f"{CHASSIS}/Sensors/{_id(item)}"


def _moment(unix_s: float) -> str:
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="milliseconds")
