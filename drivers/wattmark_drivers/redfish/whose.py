"""Whose power a chassis reports: one server's, that of several, or that of a part."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.http_client.json_body import point, text_at
from wattmark_drivers.redfish.chassis import Systems, id_of, names_of
from wattmark_drivers.redfish.power_control import named_entry, systems_of, whole_entries
from wattmark_drivers.redfish.session import Resource
from wattmark_drivers.redfish.walk import last_part


def whose_power(
    chassis: Resource,
    systems: Systems,
    holders: Sequence[Resource],
    table: RedfishMap,
    documents: Sequence[object],
    *,
    named: str | None,
    sensor: str | None = None,
) -> str:
    """Say whose power it is; empty where it is that of the one server.

    ``holders`` are the chassis with a computer system; ``sensor`` is the sensor or entry that the address chooses.

    Raises `ConfigurationError` where the power is not that of one server, unless the address has ``named`` the chassis:
    then the label says so.
    """
    if sensor is not None and any(named_entry(point(doc, "/PowerControl"), sensor) is not None for doc in documents):
        return f"entry {sensor} of chassis {id_of(chassis)}"
    kind = text_at(chassis.document, "/ChassisType") or "no type"
    servers, count = systems.held_by(chassis)
    entries = [entry for document in documents for entry in _entries(document)]
    related = sorted({last_part(path) for entry in entries for path in systems_of(entry)})
    if len(related) > count:
        servers, count = related, len(related)
    if count > 1:
        names = ", ".join(servers[:8]) or f"{count} systems"
        whose = f"all {count} servers in chassis {id_of(chassis)} together ({names})"
        problem = f"The power of chassis {id_of(chassis)} is that of {count} servers together: {names}."
    elif others := [name for name in related if servers and name not in servers]:
        whose = f"of system {', '.join(others)}"
        problem = f"The power in chassis {id_of(chassis)} is that of another system: {', '.join(others)}."
    elif holders and chassis not in holders:
        whose = f"chassis {id_of(chassis)} ({kind}), which holds no server"
        problem = (
            f"The chassis of the server ({names_of(holders)}) reports no power; chassis {id_of(chassis)} ({kind}), "
            "which holds no server, does."
        )
    elif _is_part(chassis, table) and (wholes := [item for item in holders if not _is_part(item, table)]):
        whose = f"chassis {id_of(chassis)} ({kind}) alone, a part"
        problem = (
            f"The chassis of the server ({names_of(wholes)}) reports no power; its part {id_of(chassis)} ({kind}) does."
        )
    elif named is not None and _is_part(chassis, table):
        return f"chassis {id_of(chassis)} ({kind}) alone"
    else:
        return ""
    if named is None:
        raise ConfigurationError(
            problem, f"If that power is meant, write the chassis {id_of(chassis)} in the address; else meter the wall."
        )
    return whose


def _is_part(chassis: Resource, table: RedfishMap) -> bool:
    return text_at(chassis.document, "/ChassisType") in table.parts


def _entries(document: object) -> list[object]:
    return whole_entries(point(document, "/PowerControl"), "/PowerConsumedWatts")
