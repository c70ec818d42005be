"""The doctor says by which way the memory modules of this machine are verified, and what to do otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.campaigns.server_facts import FirmwareSlots
from wattmark.service.doctor import modules
from wattmark.service.doctor.modules import by_firmware, memory_modules

TEXT = "Memory Device\n\tSize: 8 GB\n\tLocator: A1\n\nMemory Device\n\tSize: No Module Installed\n\tLocator: A2\n"
WHY = "dmidecode is not there; /run/wattmark-inventory/dmi is not there"


def test_the_way_that_works_is_named():
    finding = by_firmware(FirmwareSlots(TEXT, "file"), otherwise=False)
    assert (finding.state, finding.found) == (
        "ok",
        "1 module in 2 slots, from the firmware's tables by the file of wattmark-inventory.service",
    )


def test_one_and_several_have_their_words():
    one = TEXT.partition("\n\n")[0] + "\n"
    assert by_firmware(FirmwareSlots(one, "file"), otherwise=False).found.startswith("1 module in 1 slot, from")
    assert by_firmware(FirmwareSlots(one * 2, "file"), otherwise=False).found.startswith("2 modules in 2 slots, from")


def test_root_reads_more_than_the_service():
    finding = by_firmware(FirmwareSlots(TEXT, "dmidecode"), otherwise=False, as_root=True)
    assert "as root; a service of another user needs /run/wattmark-inventory/dmi" in finding.found
    assert "as root" not in by_firmware(FirmwareSlots(TEXT, "dmidecode"), otherwise=False).found


@pytest.mark.parametrize("slots", [FirmwareSlots(why=WHY), FirmwareSlots(TEXT.replace("8 GB", "Unknown"), "file")])
def test_without_a_way_it_says_what_to_do(slots):
    finding = by_firmware(slots, otherwise=False)
    assert finding.state == "warning"
    assert finding.found.startswith("declared, not verified: ")
    assert "Install wattmark-inventory.service" in finding.remedy
    assert "Redfish url" in finding.remedy


def test_a_bmc_that_lists_the_modules_is_enough():
    finding = by_firmware(FirmwareSlots(why=WHY), otherwise=True)
    assert (finding.state, finding.remedy) == ("ok", "")
    assert "by the BMC" in finding.found


def test_the_bmc_of_this_machine_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bench = tmp_path / "bench.yaml"
    bench.write_text(
        "schema: wattmark-bench/1\nlab: Test\nservers:\n"
        "  - {id: s, access: {local: true}, configurations: [{id: c, cpu: {model: x}, os: {name: x, kernel: x}}]}\n"
        "bmcs:\n  - {id: ilo, server: s, url: 'redfish+http://127.0.0.1:1/1', user: u, password_env: P}\n"
    )
    monkeypatch.setattr(modules, "slots_here", lambda: FirmwareSlots(why=WHY))
    firmware, bmc = memory_modules(bench, tmp_path, {"P": "secret1"})
    assert (firmware.state, bmc.state, bmc.subject) == ("warning", "warning", "modules by ilo")
    assert "127.0.0.1" in bmc.found
    assert bmc.remedy
    assert "secret1" not in bmc.found


def test_without_a_bench_file_there_is_no_bmc_to_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(modules, "slots_here", lambda: FirmwareSlots(TEXT, "file"))
    assert [finding.subject for finding in memory_modules(None, tmp_path, {})] == ["memory modules"]
