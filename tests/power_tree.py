"""The files of a server that takes power settings: a tree of /sys, and an nvidia-smi that keeps its limit in a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

CPU = "sys/devices/system/cpu"
CAPS = "sys/class/powercap"
CAP_0, CAP_1 = (f"{CAPS}/intel-rapl:{n}/constraint_0_power_limit_uw" for n in range(2))
SMI = """#!/bin/sh
limit=$(dirname "$0")/gpu-limit
case $1 in
-i) [ "$4" != 260 ] || exit 4; printf '%s.00' "$4" >"$limit" ;;
*) read -r now <"$limit" || [ -n "$now" ]; echo "0, $now, 200.00, 350.00" ;;
esac
"""
TREE: Mapping[str, str] = {
    "proc/sys/kernel/random/boot_id": "boot-1",
    f"{CPU}/smt/control": "on",
    **{f"{CPU}/cpufreq/policy{n}/scaling_available_governors": "performance powersave " for n in range(2)},
    f"{CPU}/cpufreq/policy0/scaling_governor": "powersave",
    f"{CPU}/cpufreq/policy1/scaling_governor": "performance",
    **{
        f"{CPU}/cpufreq/policy{n}/energy_performance_available_preferences": "default performance balance_power power "
        for n in range(2)
    },
    f"{CPU}/cpufreq/policy0/energy_performance_preference": "balance_power",
    f"{CPU}/cpufreq/policy1/energy_performance_preference": "performance",
    f"{CPU}/intel_pstate/no_turbo": "0",
    **{f"{CPU}/cpu{n}/cpuidle/state{s}/name": name for n in range(2) for s, name in enumerate(("POLL", "C1E", "C6"))},
    **{f"{CPU}/cpu{n}/cpuidle/state{s}/disable": "0" for n in range(2) for s in range(3)},
    **{f"{CAPS}/intel-rapl:{n}/name": f"package-{n}" for n in range(2)},
    **{f"{CAPS}/intel-rapl:{n}/enabled": "1" for n in range(2)},
    **{f"{CAPS}/intel-rapl:{n}/constraint_0_name": "long_term" for n in range(2)},
    **{f"{CAPS}/intel-rapl:{n}/constraint_0_max_power_uw": "165000000" for n in range(2)},
    CAP_0: "150000000",
    CAP_1: "140000000",
    f"{CAPS}/intel-rapl:0:0/name": "core",
    f"{CAPS}/intel-rapl:0:0/constraint_0_name": "long_term",
    f"{CAPS}/intel-rapl:0:0/constraint_0_power_limit_uw": "99000000",
}
GPU: Mapping[str, str] = {"bin/nvidia-smi": SMI, "bin/gpu-limit": "350.00"}


def plant_settings(root: Path, changes: Mapping[str, str | None] | None = None) -> None:
    """Write the tree below ``root``, with other texts in some files; None: without that file."""
    for name, text in {**TREE, **(changes or {})}.items():
        if text is not None:
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{text}\n")
            file.chmod(0o755 if name.startswith("bin/") else 0o644)


def texts(root: Path) -> dict[str, str]:
    """Read every file of a tree."""
    return {str(file.relative_to(root)): file.read_text().strip() for file in root.rglob("*") if file.is_file()}


def serve(text: str) -> Callable[[Path], None]:
    """Return what gives a text to the next reader of a pipe."""

    def give(pipe: Path) -> None:
        with pipe.open("w") as file:
            file.write(f"{text}\n")

    return give


def take(pipe: Path) -> None:
    """Take what the next writer of a pipe writes."""
    with pipe.open() as file:
        file.read()


class Pipe:
    """A pipe in place of a file: each reader and writer waits until its step has come."""

    def __init__(self, file: Path, *steps: Callable[[Path], None]) -> None:
        self._file = file
        file.unlink()
        os.mkfifo(file)
        self.done = threading.Event()
        threading.Thread(target=self._walk, args=(steps,), daemon=True).start()

    def _walk(self, steps: Sequence[Callable[[Path], None]]) -> None:
        for step in steps:
            step(self._file)
        self.done.set()

    def is_awaited(self) -> bool:
        """Return whether a reader waits for the pipe; it then goes on waiting for what is in it."""
        try:
            self._writer = os.open(self._file, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        return True

    def end(self, text: str) -> None:
        """Put a file with a text in its place; who waits for the pipe goes on waiting."""
        beside = self._file.with_name("beside")
        beside.write_text(f"{text}\n")
        beside.replace(self._file)
