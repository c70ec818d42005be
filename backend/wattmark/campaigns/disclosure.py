"""What a reader needs to repeat a run: the machine, the versions, the command, the marks."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wattmark.inventory.configuration import Configuration
from wattmark.inventory.out import configuration_out
from wattmark.runs.structure import BOOT
from wattmark.version import version
from wattmark.workloads.marks import Mark
from wattmark.workloads.work import Work

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
CLOCK_SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def host_facts() -> dict[str, Any]:
    """Describe the machine that runs the load; None where it does not tell."""
    return {
        "wattmark": version(),
        "python": platform.python_version(),
        "host": platform.node(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        BOOT: _first_line(BOOT_ID),
        "clock_source": _first_line(CLOCK_SOURCE),
        "cpu_governor": _first_line(GOVERNOR),
    }


def snapshot(configuration: Configuration) -> dict[str, Any]:
    """Keep a configuration as it was when the run was made: the view of it, and what the bench file says."""
    return {**configuration_out(configuration).model_dump(), "declared": configuration.model_dump(mode="json")}


def work_facts(work: Work, cpus: int) -> dict[str, Any]:
    """Disclose how the window came about: marks by both clocks, edges, gaps between slices, CPU time of the load.

    A share below the CPU utilisation of the host means that other programs took CPU time from the load.
    """
    share = None if work.cpu_s is None else 100 * work.cpu_s / (work.duration_s * cpus)
    return {
        "window_begin": mark_facts(work.begin),
        "window_end": mark_facts(work.end),
        "intervals": len(work.intervals),
        "interval_edge_s": work.edge_s,
        "gap_between_intervals_s": work.gap_s,
        "load_cpu_s": work.cpu_s,
        "load_cpu_share_pct": share,
        "program_facts": dict(work.facts),
    }


def mark_facts(mark: Mark) -> Mapping[str, int]:
    """Show a mark."""
    return {"utc_ns": mark.utc_ns, "monotonic_ns": mark.monotonic_ns}


def _first_line(path: Path) -> str | None:
    try:
        return path.read_text().strip() or None
    except OSError:
        return None
