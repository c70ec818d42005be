"""Which package, die and core each CPU is in: the kernel's cputopology documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import by_number

FILES = (
    "/sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/die_id",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list",
)


class Place(NamedTuple):
    """A part of the machine: how the names of its channels begin, and how their labels do."""

    slug: str
    label: str


def package_place(package: int, die: int | None = None) -> Place:
    """Name a package, or one of its dies."""
    if die is None:
        return Place(f"package{package}", f"CPU package {package}")
    return Place(f"package{package}_die{die}", f"CPU package {package} die {die}")


class Topology:
    """The packages, dies and cores of a machine; a CPU of which nothing is known is a core of package 0."""

    def __init__(self, texts: Texts) -> None:
        self._packages = {cpu_of(p): _whole(text) for p, text in texts.items() if p.endswith("/physical_package_id")}
        self._dies = {cpu_of(p): _whole(text) for p, text in texts.items() if p.endswith("/die_id")}
        self._cores = {cpu_of(p): text.strip() for p, text in texts.items() if p.endswith("/thread_siblings_list")}
        numbers = sorted({self._die_of(cpu) for cpu in self._packages})
        dies_in = Counter(package for package, _ in numbers)
        self._places = {
            (package, die): package_place(package, die if dies_in[package] > 1 else None) for package, die in numbers
        }

    @property
    def packages(self) -> list[int]:
        """List the numbers of the packages."""
        return sorted(set(self._packages.values()))

    @property
    def dies(self) -> list[Place]:
        """List the dies, package by package; a package of one die is itself."""
        return list(self._places.values())

    def by_package(self, paths: Sequence[str]) -> Mapping[int, list[str]]:
        """Sort files of CPUs by the package, in the order of the CPUs."""
        packages: dict[int, list[str]] = {}
        for path in by_number(paths):
            packages.setdefault(self._packages.get(cpu_of(path), 0), []).append(path)
        return dict(sorted(packages.items()))

    def by_die(self, paths: Sequence[str]) -> Mapping[Place, list[str]]:
        """Sort files of CPUs by the die, in the order of the CPUs."""
        dies: dict[tuple[int, int], list[str]] = {}
        for path in by_number(paths):
            dies.setdefault(self._die_of(cpu_of(path)), []).append(path)
        return {self._places.get(die) or package_place(die[0]): files for die, files in sorted(dies.items())}

    def one_per_core(self, paths: Sequence[str]) -> list[str]:
        """Choose one file of each core, that of its first CPU: the threads of a core share what the file says."""
        chosen: dict[str, str] = {}
        for path in by_number(paths):
            cpu = cpu_of(path)
            chosen.setdefault(self._cores.get(cpu) or cpu, path)
        return list(chosen.values())

    def _die_of(self, cpu: str) -> tuple[int, int]:
        return self._packages.get(cpu, 0), self._dies.get(cpu, 0)


def cpu_of(path: str) -> str:
    """Return the CPU whose file it is: "cpu12"."""
    return path.split("/")[5]


def _whole(text: str) -> int:
    """Read the number of a package or die; one that the kernel does not know (-1) is 0."""
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdecimal() else 0
