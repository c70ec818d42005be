"""Which package each temperature sensor of a processor is in; where that is not told, its number is the sensor's own.

Sources: coretemp.rst and coretemp.c (the label "Package id N" has the number of a package, since Linux 5.3 that of a
die, counted over all packages), k10temp.c and amd/node.h (function 3 of PCI device 18h + N is that of node N, and
there are as many nodes in each package).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import by_number
from wattmark.hosts.probes.topology import Place, Topology, package_place

FILES = (
    "/sys/class/hwmon/hwmon*/name",
    "/sys/class/hwmon/hwmon*/temp*_label",
    "/sys/class/hwmon/hwmon*/device/uevent",
)
INTEL, AMD = "coretemp", ("k10temp", "zenpower")
PACKAGE_LABEL = re.compile(r"Package id (\d+)")
_NODE = re.compile(r"^PCI_SLOT_NAME=0000:00:(1[89a-f])\.3$", re.MULTILINE)
_FIRST_NODE = 0x18


def sensor_places(texts: Texts, topology: Topology) -> Mapping[str, Place]:
    """Find where the processors' sensors are, by their folders."""
    named = {path.removesuffix("/name"): texts[path].strip() for path in by_number(texts) if _is_name(path)}
    intel = [folder for folder, name in named.items() if name == INTEL]
    places = dict(_intel(intel, texts, topology))
    for kind in AMD:
        folders = [folder for folder, name in named.items() if name == kind]
        places |= _amd(folders, texts, topology) or numbered(folders, kind, topology)
    return places


def numbered(sensors: Sequence[str], kind: str, topology: Topology) -> Mapping[str, Place]:
    """Number sensors in their order, which is no order of packages; a single one is that of a single package."""
    packages = topology.packages or [0]
    if len(sensors) == len(packages) == 1:
        return {sensors[0]: package_place(packages[0])}
    return {
        sensor: Place(f"cpu_sensor{n}", f"CPU sensor {n} ({kind}, {sensor.rpartition('/')[2]})")
        for n, sensor in enumerate(sensors)
    }


def _is_name(path: str) -> bool:
    return path.startswith("/sys/class/hwmon/") and path.endswith("/name")


def _intel(folders: Sequence[str], texts: Texts, topology: Topology) -> Mapping[str, Place]:
    labels = {folder: PACKAGE_LABEL.fullmatch(texts.get(f"{folder}/temp1_label", "").strip()) for folder in folders}
    numbers = {folder: int(match[1]) for folder, match in labels.items() if match}
    packages, dies = topology.packages or sorted(numbers.values()), topology.dies
    if len(dies) <= len(packages) and set(numbers.values()) <= set(packages):
        return {folder: package_place(number) for folder, number in numbers.items()}
    if max(numbers.values(), default=0) < len(dies):
        return {folder: dies[number] for folder, number in numbers.items()}
    return numbered(list(numbers), INTEL, topology)


def _amd(folders: Sequence[str], texts: Texts, topology: Topology) -> Mapping[str, Place]:
    """Find the packages of AMD's nodes; empty where a node is not told, or some are missing."""
    matches = {folder: _NODE.search(texts.get(f"{folder}/device/uevent", "")) for folder in folders}
    nodes = {folder: int(match[1], 16) - _FIRST_NODE for folder, match in matches.items() if match}
    packages = topology.packages or [0]
    per_package = len(folders) // len(packages)
    if sorted(nodes.values()) != list(range(per_package * len(packages))) or len(nodes) < len(folders) or not nodes:
        return {}
    return {folder: _node_place(packages[node // per_package], node, per_package) for folder, node in nodes.items()}


def _node_place(package: int, node: int, per_package: int) -> Place:
    of = package_place(package)
    return of if per_package == 1 else Place(f"{of.slug}_node{node}", f"{of.label} node {node}")
