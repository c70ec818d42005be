"""systems/*.json of an MLPerf submission: the configuration as its submitter describes it."""

from __future__ import annotations

import re
from typing import Any

from wattmark.workloads.loadgen.source_file import SourceFile, broken, parse_json

_MODULES = re.compile(r"([0-9]+)\s*x\s*([0-9.]+)\s*(G|T)i?B", re.IGNORECASE)
_CAPACITY = re.compile(r"([0-9.]+)\s*(G|T)i?B", re.IGNORECASE)
_CLOCK = re.compile(r"([0-9.]+)\s*(M|G)Hz", re.IGNORECASE)
_GIB = {"G": 1.0, "T": 1024.0}
_MHZ = {"M": 1.0, "G": 1000.0}


def parse_system(file: SourceFile) -> dict[str, Any]:
    """Read a system description into the fields of a configuration; None where it says nothing.

    The submitter's own words are kept whole under "submission". Raises `InputError` when it is not a JSON object.
    """
    try:
        stated = parse_json(file.text)
    except ValueError as error:
        raise broken(
            file.name, getattr(error, "lineno", None), f"it is not JSON: {error}", "Restore the file."
        ) from error
    if not isinstance(stated, dict):
        raise broken(
            file.name, None, "it contains no JSON object with the properties of the system", "Restore the file."
        )
    text = {key: str(value).strip() for key, value in stated.items() if isinstance(value, (str, int, float))}
    memory_gib, modules = _memory(text.get("host_memory_capacity", ""))
    cores = _whole(text.get("host_processor_core_count"))
    cpus = _whole(text.get("host_processors_per_node"))
    return {
        "title": text.get("system_name") or file.name.rpartition("/")[2].removesuffix(".json"),
        "cpu": text.get("host_processor_model_name", ""),
        "cpu_count": cpus,
        "cores": cores * cpus if cores and cpus else None,
        "clock_mhz": _scaled(_CLOCK, text.get("host_processor_frequency", ""), _MHZ),
        "memory_type": text.get("host_memory_configuration") or None,
        "memory_gib": memory_gib,
        "dimm_count": modules,
        "accelerators": _accelerators(text),
        "psus": [part for key in ("psu_details", "power_supply_quantity_and_rating_watts") if (part := text.get(key))],
        "disks": [
            part
            for part in [f"{text.get('host_storage_capacity', '')} {text.get('host_storage_type', '')}".strip()]
            if part
        ],
        "firmware": {
            key: text[key] for key in ("boot_firmware_version", "management_firmware_version") if text.get(key)
        },
        "os": text.get("operating_system", ""),
        "kernel": "",
        "framework": text.get("framework", ""),
        "submission": stated,
    }


def _memory(text: str) -> tuple[float | None, int | None]:
    """Read "512 GB" or "4x 32 GB" as total [GiB] and number of modules (None where only the total is given)."""
    match = _MODULES.search(text)
    each = _scaled(_CAPACITY, text, _GIB)
    if match is None or each is None:
        return each, None
    count = int(match[1])
    return count * each, count


def _scaled(pattern: re.Pattern[str], text: str, factors: dict[str, float]) -> float | None:
    match = pattern.search(text)
    try:
        return float(match[1]) * factors[match[2].upper()] if match else None
    except ValueError:
        return None


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else None


def _accelerators(text: dict[str, str]) -> str | None:
    model, count = text.get("accelerator_model_name"), text.get("accelerators_per_node")
    return f"{count} x {model}" if model and count not in (None, "", "0") else None
