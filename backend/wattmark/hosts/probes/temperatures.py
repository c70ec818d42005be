"""Temperatures of the CPU packages [m°C]: hwmon (coretemp, k10temp), else thermal zones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Values, by_number, number

FILES = (
    "/sys/class/hwmon/hwmon*/name",
    "/sys/class/hwmon/hwmon*/temp*_label",
    "/sys/class/thermal/thermal_zone*/type",
)
_SENSORS = {"coretemp": r"Package id \d+", "k10temp": "Tdie|Tctl", "zenpower": "Tdie"}
_ZONES = {"x86_pkg_temp", "cpu-thermal", "cpu_thermal"}


def package_files(texts: Texts) -> list[str]:
    """Find the file of each package's temperature from names, labels and zone types."""
    return _hwmon(texts) or _zones(texts)


class TemperatureProbe:
    """One channel per CPU package."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        self._channels: Mapping[str, Channel] = {
            path: Channel(f"package{n}_temperature", "temperature", "°C", Kind.INSTANTANEOUS, f"CPU package {n}")
            for n, path in enumerate(paths)
        }

    @property
    def channels(self) -> Sequence[Channel]:
        return list(self._channels.values())

    def values(self, texts: Texts, at_s: float) -> Values:  # noqa: ARG002 - present values
        """Return the temperatures [°C]."""
        return {channel.id: number(texts, path) / 1e3 for path, channel in self._channels.items()}


def _hwmon(texts: Texts) -> list[str]:
    inputs = []
    for path in by_number(path for path in texts if path.endswith("/name")):
        folder, wanted = path.removesuffix("name"), _SENSORS.get(texts[path].strip())
        labels = by_number(p for p in texts if p.startswith(folder) and p.endswith("_label")) if wanted else []
        matching = [label for label in labels if re.fullmatch(wanted or "", texts[label].strip())]
        matching.sort(key=lambda label: texts[label].strip() == "Tctl")
        inputs += [label.replace("_label", "_input") for label in matching[:1]]
    return inputs


def _zones(texts: Texts) -> list[str]:
    types = by_number(path for path in texts if path.endswith("/type"))
    return [path.removesuffix("type") + "temp" for path in types if texts[path].strip() in _ZONES]
