"""Temperatures of the CPU packages [m°C]: hwmon (coretemp, k10temp, zenpower), else thermal zones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.cpu_sensors import INTEL, PACKAGE_LABEL, numbered
from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Taken, Values, by_number, number
from wattmark.hosts.probes.topology import Place, Topology

FILES = ("/sys/class/thermal/thermal_zone*/type",)
_LABELS = {INTEL: PACKAGE_LABEL, "k10temp": re.compile("Tdie|Tctl"), "zenpower": re.compile("Tdie")}
_ZONES = {"x86_pkg_temp", "cpu-thermal", "cpu_thermal"}


def package_files(texts: Texts, places: Mapping[str, Place], topology: Topology) -> Mapping[str, Place]:
    """Find the file of each package's temperature by names, labels and zone types; ``places`` are those of sensors."""
    return _hwmon(texts, places) or _zones(texts, topology)


class TemperatureProbe:
    """One channel per CPU package, die or sensor."""

    def __init__(self, files: Mapping[str, Place]) -> None:
        self.paths = list(files)
        self._channels: Mapping[str, Channel] = {
            path: Channel(f"{place.slug}_temperature", "temperature", "°C", Kind.INSTANTANEOUS, place.label)
            for path, place in files.items()
        }

    @property
    def channels(self) -> Sequence[Channel]:
        return list(self._channels.values())

    def values(self, texts: Texts, taken: Taken) -> Values:  # noqa: ARG002 - present values
        """Return the temperatures [°C]."""
        return {channel.id: number(texts, path) / 1e3 for path, channel in self._channels.items()}


def _hwmon(texts: Texts, places: Mapping[str, Place]) -> Mapping[str, Place]:
    inputs: dict[str, Place] = {}
    for folder, place in places.items():
        wanted = _LABELS[texts[f"{folder}/name"].strip()]
        labels = by_number(p for p in texts if p.startswith(f"{folder}/temp") and p.endswith("_label"))
        matching = [label for label in labels if wanted.fullmatch(texts[label].strip())]
        matching.sort(key=lambda label: texts[label].strip() == "Tctl")
        inputs |= {label.replace("_label", "_input"): place for label in matching[:1]}
    return inputs


def _zones(texts: Texts, topology: Topology) -> Mapping[str, Place]:
    """Find the zones of processors; the kernel does not say which package one is in."""
    types = by_number(path for path in texts if path.endswith("/type") and texts[path].strip() in _ZONES)
    zones = [path.removesuffix("/type") for path in types]
    kind = texts[types[0]].strip() if types else ""
    return {f"{zone}/temp": place for zone, place in numbered(zones, kind, topology).items()}
