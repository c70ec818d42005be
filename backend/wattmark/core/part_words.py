"""The words of counted parts: the one name of a kind, what a count counts and what is fitted, and a part in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

_ACRONYMS = {
    name.lower(): name
    for name in (
        "APU", "ASIC", "BBU", "BMC", "CPU", "CXL", "DIMM", "DPU", "FPGA", "GPU", "HBA", "HDD", "InfiniBand", "IPU",
        "LED", "M.2", "NIC", "NPU", "NVMe", "OCP", "PCIe", "PSU", "QSFP", "RAID", "SAS", "SATA", "SFP", "SSD", "TPU",
        "U.2", "USB", "VPU", "VRM",
    )
}  # fmt: skip
"""How the names that are not written in small letters are written."""
_SINGULAR = {
    "buses": "bus",
    "caches": "cache",
    "chassises": "chassis",
    "lens": "lens",
    "lenses": "lens",
    "series": "series",
}
"""Singulars that the regular plural does not lead back to."""
_SAME = {"disk": "drive", "hard disk": "drive", "hard drive": "drive", "NIC": "network card"}
"""Other names of a kind that a configuration lists under ``disks`` and ``nics`` too."""
STORING = ("drive", "* drive", "SSD", "HDD")
NETWORKING = ("network *",)
"""Patterns of the kinds that store, and that send and receive: what limits work by a disk or a network is one of them,
and what the system lists as drives or network cards states them."""


@dataclass(frozen=True, slots=True)
class PartWords:
    """One part and several: as they are counted ("DIMM"), and as things that are fitted ("module")."""

    one: str
    many: str
    piece: str
    pieces: str


class SizedPart(Protocol):
    """A model of part with what it is rated for."""

    @property
    def model(self) -> str: ...
    @property
    def capacity_tb(self) -> float | None: ...
    @property
    def link_gbit_s(self) -> float | None: ...


DIMM = PartWords("DIMM", "DIMMs", "module", "modules")


def canonical_kind(kind: str) -> str:
    """Return the one name of a kind of part, in the singular: "drive" for "Drives", "GPU" for "gpus"."""
    *first, last = kind.lower().split() or [kind]
    name = " ".join(_ACRONYMS.get(word, word) for word in (*first, _singular(last)))
    return _SAME.get(name, name)


def _singular(word: str) -> str:
    """Take back the plural of `part_words`."""
    if word in _SINGULAR:
        return _SINGULAR[word]
    for stem in (word, word.removesuffix("s"), word.removesuffix("es")):
        if stem in _ACRONYMS:
            return stem
    if word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > len("ties"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


def part_words(kind: str) -> PartWords:
    """Return the words of a kind of part, such as "drive": those of "DIMM", else the regular plural."""
    if kind == DIMM.one:
        return DIMM
    many = f"{kind}es" if kind.endswith(("s", "x", "ch", "sh")) else f"{kind}s"
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        many = f"{kind[:-1]}ies"
    return PartWords(kind, many, kind, many)


def part_text(part: SizedPart) -> str:
    """Write the model of a part with its capacity and link: "Intel S3500, 0.48 TB"."""
    size = "" if part.capacity_tb is None else f", {part.capacity_tb:g} TB"
    link = "" if part.link_gbit_s is None else f", {part.link_gbit_s:g} Gbit/s"
    return f"{part.model}{size}{link}"
