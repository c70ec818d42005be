"""Kinds of part have one name however they are written, and a part is written one way everywhere."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from wattmark.core.part_words import canonical_kind, part_text, part_words

WRITTEN = {
    "drive": ("Drive", "drives", "DRIVES", " drive ", "disk", "Disks", "Hard drives", "hard disk"),
    "GPU": ("gpu", "GPUs", "gpus", "Gpu"),
    "network card": ("Network Card", "network  cards", "NIC", "nics", "NICs"),
    "power supply": ("Power supplies", "power supply"),
    "PCIe switch": ("PCIE switches", "pcie Switch"),
    "NVMe drive": ("nvme drives", "NVME Drive"),
    "SAS": ("sas", "SAS"),
    "chassis": ("Chassis",),
    "battery": ("batteries", "Battery"),
    "bus": ("Buses", "bus"),
    "glass": ("glasses", "Glass"),
    "case": ("cases", "Case"),
    "box": ("Boxes", "box"),
}


@pytest.mark.parametrize(("kind", "written"), [(kind, text) for kind, texts in WRITTEN.items() for text in texts])
def test_a_kind_has_one_name(kind: str, written: str) -> None:
    assert canonical_kind(written) == kind


@pytest.mark.parametrize("kind", [*WRITTEN, "fan", "riser", "SSD", "HDD", "FPGA", "accelerator", "pump", "HBA", "tray"])
def test_the_plural_that_texts_use_leads_back_to_the_kind(kind: str) -> None:
    assert canonical_kind(kind) == kind
    assert canonical_kind(part_words(kind).many) == kind


@pytest.mark.parametrize(
    ("rated", "text"),
    [
        ({}, "Intel S3500"),
        ({"capacity_tb": 0.48}, "Intel S3500, 0.48 TB"),
        ({"link_gbit_s": 10.0}, "Intel S3500, 10 Gbit/s"),
        ({"capacity_tb": 4.0, "link_gbit_s": 12.0}, "Intel S3500, 4 TB, 12 Gbit/s"),
    ],
)
def test_a_part_in_words(rated: dict[str, float], text: str) -> None:
    unrated = {"capacity_tb": None, "link_gbit_s": None}
    assert part_text(SimpleNamespace(model="Intel S3500", **{**unrated, **rated})) == text
