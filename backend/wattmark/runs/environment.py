"""The environment of a server: what its kernel and its firmware state that can change its power or its speed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wattmark.core.amounts import Count, Number
from wattmark.core.schema import Record

LONGEST = 400
Text = Annotated[str, Field(max_length=LONGEST)]
NOT_IN_FORCE = ", not in force"
"""Ends the text of a power limit that is switched off."""
Unread = Literal["not there", "not permitted", "empty", "not understood", "no answer in time"]
"""Why a fact could not be read."""


class Gpu(Record):
    """A GPU as nvidia-smi or the kernel's driver amdgpu describes it."""

    power_cap: Text | None = None
    performance_level: Text | None = None
    """Of amdgpu: "auto", or the level that somebody forced."""
    clock: Text | None = None
    """Application clock of its cores."""
    memory_clock: Text | None = None
    clock_limit: Text | None = None
    memory_clock_limit: Text | None = None
    mig: Text | None = None
    """Whether it is partitioned (multi-instance GPU)."""
    ecc: Text | None = None
    persistence: Text | None = None
    compute_mode: Text | None = None
    name: Text | None = None
    driver: Text | None = None
    firmware: Text | None = None


class Uncore(Record):
    """The clocks that a part of a CPU package outside its cores may have, and had at boot."""

    max: Text | None = None
    min: Text | None = None
    max_at_boot: Text | None = None
    min_at_boot: Text | None = None


class Drive(Record):
    """A drive; loop devices and volumes are not listed."""

    model: Text | None = None
    firmware: Text | None = None
    size: Text | None = None
    scheduler: Text | None = None


class Nic(Record):
    """A network card; virtual links are not listed."""

    speed: Text | None = None
    driver: Text | None = None
    device: Text | None = None
    """Maker and product by their PCI numbers."""
    firmware: Text | None = None


class Environment(Record):
    """What a server states of itself. None: not read, with the reason in ``unread``.

    The facts stand in the order in which differences are listed: by what they are known to do to power at the same
    load. First what limits clock and power directly (governor, turbo, caps; tens of percent), then what decides how
    deep an idle CPU sleeps (the idle power), then threads and memory pages, which change the work done more than the
    power, then software, then what names the hardware: if that differs, everything above may differ for its sake.

    Where the CPUs do not agree, a text says how many have each value.
    """

    governor: Text | None = None
    turbo: Text | None = None
    power_caps: dict[str, Text] | None = None
    """Limits of the CPU packages and their parts (RAPL)."""
    max_clock: Text | None = None
    min_clock: Text | None = None
    uncore: dict[str, Uncore] | None = None
    """By package and die, or by domain where there are several (intel_uncore_frequency)."""
    energy_preference: Text | None = None
    energy_bias: Text | None = None
    """The older register of the same meaning, 0 (performance) to 15 (powersave)."""
    platform_profile: Text | None = None
    tuned_profile: Text | None = None
    fans: dict[str, Text] | None = None
    """Control of each fan that a sensor chip has: full speed, by hand or automatic."""
    supplies: dict[str, Text] | None = None
    """States of the power supplies as the BMC gives them: present, failed, without input."""
    gpus: dict[str, Gpu] | None = None
    scaling_driver: Text | None = None
    driver_mode: Text | None = None
    idle_states: dict[str, Text] | None = None
    """C-states by name: enabled or disabled."""
    idle_driver: Text | None = None
    idle_governor: Text | None = None
    pcie_power: Text | None = None
    """Policy of power management of PCIe links (ASPM)."""
    smt: Text | None = None
    cpus_online: Count | None = None
    mitigations: dict[str, Text] | None = None
    memory_gib: Number | None = None
    """What the kernel has of it, to 0.01 GiB."""
    numa_nodes: Count | None = None
    transparent_huge_pages: Text | None = None
    transparent_huge_page_defrag: Text | None = None
    huge_pages: Count | None = None
    """Reserved."""
    huge_page_size: Text | None = None
    virtualisation: Text | None = None
    container: Text | None = None
    steal_pct: Count | None = None
    """CPU time taken by other guests since the boot [whole % of all CPUs]: not the same at any two instants."""
    kernel: Text | None = None
    kernel_build: Text | None = None
    kernel_parameters: tuple[Text, ...] | None = None
    """The kernel's command line; what may be secret or names one machine is hidden."""
    clock_source: Text | None = None
    distribution: Text | None = None
    libc: Text | None = None
    microcode: Text | None = None
    bios_version: Text | None = None
    bios_date: Text | None = None
    bios_vendor: Text | None = None
    cpu_model: Text | None = None
    hardware_max_clock: Text | None = None
    hardware_min_clock: Text | None = None
    drives: dict[str, Drive] | None = None
    nics: dict[str, Nic] | None = None
    unread: dict[str, Unread] = Field(default_factory=dict)
    """Why each fact that is None could not be read."""
    lines_not_understood: Count = 0


FACTS = tuple(name for name in Environment.model_fields if name not in ("unread", "lines_not_understood"))
COUNTED_SINCE_BOOT = ("steal_pct",)
"""Facts that nobody sets and that are other numbers whenever they are read: disclosed, but never compared."""
COMPARED = tuple(fact for fact in FACTS if fact not in COUNTED_SINCE_BOOT)
"""Facts that runs are compared by."""
TITLES = {
    "governor": "CPU governor",
    "power_caps": "power cap",
    "max_clock": "highest clock",
    "min_clock": "lowest clock",
    "energy_preference": "energy preference",
    "energy_bias": "energy bias",
    "tuned_profile": "tuned profile",
    "uncore": "uncore clock",
    "fans": "control of fan",
    "supplies": "power supply",
    "gpus": "GPU",
    "driver_mode": "mode of the scaling driver",
    "idle_states": "C-state",
    "pcie_power": "PCIe power policy",
    "smt": "SMT",
    "cpus_online": "CPUs online",
    "mitigations": "mitigation",
    "memory_gib": "memory of the kernel",
    "numa_nodes": "NUMA nodes",
    "transparent_huge_page_defrag": "defragmentation for transparent huge pages",
    "huge_pages": "huge pages reserved",
    "kernel_parameters": "kernel parameter",
    "libc": "C library",
    "bios_version": "BIOS version",
    "bios_date": "BIOS date",
    "bios_vendor": "BIOS vendor",
    "cpu_model": "CPU model",
    "hardware_max_clock": "highest clock of the hardware",
    "hardware_min_clock": "lowest clock of the hardware",
    "drives": "drive",
    "nics": "network card",
}
"""What a fact is called where its name with spaces does not say it."""
UNITS = {"memory_gib": " GiB"}


def fact_title(fact: str, entry: str = "", part: str = "") -> str:
    """Name a fact in words, with the entry and the part of it: "drive sda, firmware"."""
    title = TITLES.get(fact, fact.replace("_", " "))
    return f"{title} {entry}".rstrip() + (f", {part.replace('_', ' ')}" if part else "")
