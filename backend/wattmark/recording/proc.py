"""What Linux tells about its CPUs and its memory: parsers of files under /proc and /sys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_GIB = 2**30
_PACKAGE_SENSORS = {"coretemp": r"Package id \d+", "k10temp": "Tdie|Tctl", "zenpower": "Tdie"}
_PACKAGE_ZONES = {"x86_pkg_temp", "cpu-thermal", "cpu_thermal"}


class CpuTime(NamedTuple):
    """Jiffies since boot of all CPUs together (proc(5), first line of /proc/stat); guest time is inside user."""

    user: int
    nice: int
    system: int
    idle: int
    iowait: int
    irq: int
    softirq: int
    steal: int

    def since(self, earlier: CpuTime) -> CpuTime:
        """Compute what passed; a field that went backwards (proc(5) warns of iowait) did not pass."""
        return CpuTime(*(max(0, now - before) for now, before in zip(self, earlier, strict=True)))

    @property
    def utilisation_pct(self) -> float | None:
        """Compute the busy share [%] of the time that the machine had; None while no jiffy has passed.

        Stolen time (another guest ran) is neither busy nor available.
        """
        available = sum(self) - self.steal
        return 100.0 * (available - self.idle - self.iowait) / available if available else None

    @property
    def steal_pct(self) -> float | None:
        """Compute the stolen share [%] of all time; None while no jiffy has passed."""
        return 100.0 * self.steal / sum(self) if sum(self) else None


def cpu_time(root: Path) -> CpuTime:
    """Read /proc/stat. Raises OSError or ValueError."""
    with (root / "proc/stat").open(encoding="ascii") as file:
        label, *fields = file.readline().split()
    if label != "cpu":
        raise ValueError("the first line is not the sum over all CPUs")
    return CpuTime(*map(int, fields[: len(CpuTime._fields)]))


def memory_used_gib(root: Path) -> float:
    """Read what is not available to programs [GiB] (MemTotal - MemAvailable). Raises OSError or ValueError."""
    text = (root / "proc/meminfo").read_text(encoding="ascii")
    found = dict(re.findall(r"^(MemTotal|MemAvailable):\s+(\d+) kB$", text, re.MULTILINE))
    if len(found) != 2:
        raise ValueError("MemTotal or MemAvailable is missing")
    return (int(found["MemTotal"]) - int(found["MemAvailable"])) * 1024 / _GIB


def cpu_frequency_files(root: Path) -> list[Path]:
    """List the files that give the present clock of each CPU [kHz]; empty where the kernel does not tell."""
    return sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_cur_freq"))


def package_temperature_files(root: Path) -> Mapping[str, Path]:
    """Find the temperature of each CPU package [m°C] by channel id; empty where there is none."""
    found = list(_hwmon(root)) or list(_thermal_zones(root))
    return {f"package{index}_temperature": path for index, path in enumerate(found)}


def whole_number(path: Path) -> int:
    """Read a file of one number. Raises OSError or ValueError."""
    return int(path.read_text(encoding="ascii"))


def _hwmon(root: Path) -> Iterator[Path]:
    for folder in sorted((root / "sys/class/hwmon").glob("hwmon*"), key=_number):
        wanted = _PACKAGE_SENSORS.get(_text(folder / "name"))
        labels = sorted(folder.glob("temp*_label")) if wanted else []
        matching = [label for label in labels if re.fullmatch(wanted or "", _text(label))]
        matching.sort(key=lambda label: _text(label) == "Tctl")
        yield from (_input(label) for label in matching[:1])


def _thermal_zones(root: Path) -> Iterator[Path]:
    for folder in sorted((root / "sys/class/thermal").glob("thermal_zone*"), key=_number):
        if _text(folder / "type") in _PACKAGE_ZONES:
            yield folder / "temp"


def _number(folder: Path) -> int:
    return int(re.sub(r"\D", "", folder.name) or 0)


def _input(label: Path) -> Path:
    return label.with_name(label.name.replace("_label", "_input"))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
