"""Which package and which core each CPU is in: the kernel's cputopology documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import by_number

FILES = (
    "/sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list",
)


class Topology:
    """The packages and cores of a machine; a CPU of which nothing is known is a core of package 0."""

    def __init__(self, texts: Texts) -> None:
        self._packages = {cpu_of(p): _whole(text) for p, text in texts.items() if p.endswith("/physical_package_id")}
        self._cores = {cpu_of(p): text.strip() for p, text in texts.items() if p.endswith("/thread_siblings_list")}

    def by_package(self, paths: Sequence[str]) -> Mapping[int, list[str]]:
        """Sort files of CPUs by the package, in the order of the CPUs."""
        packages: dict[int, list[str]] = {}
        for path in by_number(paths):
            packages.setdefault(self._packages.get(cpu_of(path), 0), []).append(path)
        return dict(sorted(packages.items()))

    def one_per_core(self, paths: Sequence[str]) -> list[str]:
        """Choose one file of each core, that of its first CPU: the threads of a core share what the file says."""
        chosen: dict[str, str] = {}
        for path in by_number(paths):
            cpu = cpu_of(path)
            chosen.setdefault(self._cores.get(cpu) or cpu, path)
        return list(chosen.values())


def cpu_of(path: str) -> str:
    """Return the CPU whose file it is: "cpu12"."""
    return path.split("/")[5]


def _whole(text: str) -> int:
    """Read a package's number; one that the kernel does not know (-1) is package 0."""
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdecimal() else 0
