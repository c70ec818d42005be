"""What is examined, and the remedy when it is not as it should be."""

from __future__ import annotations

import grp
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import apsw

from wattmark.app import UI
from wattmark.version import version

SQLITE_WITHOUT_WAL_RACE = (3, 51, 3)
LOW_DISK_GIB = 2.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing examined: what was found, and what to do unless it is ok."""

    subject: str
    state: Literal["ok", "warning", "problem"]
    found: str
    remedy: str = ""

    def as_dict(self) -> dict[str, str]:
        """Give the finding as plain data."""
        return asdict(self)


def examine(folder: Path) -> list[Finding]:
    """Examine this machine and a data folder; changes nothing."""
    return [
        Finding("wattmark", "ok", version()),
        _sqlite(),
        _web_app(),
        _data_folder(folder),
        _disk(folder),
        _clock(),
        _serial_rights(),
        _program("ipmitool", "BMC power and sensors", "apt-get install ipmitool", ["ipmitool", "-V"]),
        _program("openssl", "the RSA workloads", "apt-get install openssl", ["openssl", "version"]),
        _program("ipmi_sim", "the demo's simulated BMC", "apt-get install openipmi", None),
        _program("gcc", "DCMI power in the demo's BMC", "apt-get install gcc libopenipmi-dev", ["gcc", "-dumpversion"]),
    ]


def _sqlite() -> Finding:
    found = apsw.sqlite_lib_version()
    if tuple(int(part) for part in found.split(".")) >= SQLITE_WITHOUT_WAL_RACE:
        return Finding("SQLite", "ok", f"{found} (inside apsw {apsw.apsw_version()})")
    remedy = "Install the locked apsw: versions before 3.51.3 can lose commits when two connections checkpoint."
    return Finding("SQLite", "problem", found, remedy)


def _web_app() -> Finding:
    if (UI / "index.html").is_file():
        return Finding("web app", "ok", "built in")
    return Finding("web app", "warning", "not built into this installation", "Run `make ui`, or install the wheel.")


def _data_folder(folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir():
        return Finding("data folder", "problem", f"{existing} is not a folder", "Choose another with --data DIR.")
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding("data folder", "problem", f"{existing} cannot be written", "Choose another with --data DIR.")
    state = "exists" if folder.exists() else "will be created"
    return Finding("data folder", "ok", f"{folder} ({state})")


def _disk(folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free_gib = shutil.disk_usage(existing).free / 2**30
    if free_gib < LOW_DISK_GIB:
        return Finding("disk", "warning", f"{free_gib:.1f} GiB free", "12 channels at 10 Hz take 0.17 GB a day.")
    return Finding("disk", "ok", f"{free_gib:.0f} GiB free")


def _clock() -> Finding:
    said = _output(["timedatectl", "show", "--property=NTPSynchronized", "--value"])
    if said == "yes":
        return Finding("clock", "ok", "synchronised by NTP")
    if said == "no":
        return Finding(
            "clock", "warning", "not synchronised", "Start an NTP client: stamps of several hosts must match."
        )
    return Finding("clock", "warning", "cannot tell whether it is synchronised", "Check that an NTP client runs.")


def _serial_rights() -> Finding:
    if os.geteuid() == 0:
        return Finding("serial ports", "ok", "root may open them")
    try:
        dialout = grp.getgrnam("dialout")
    except KeyError:
        return Finding("serial ports", "warning", "this system has no group dialout", "Check the rights of /dev/tty*.")
    if dialout.gr_gid in os.getgroups():
        return Finding("serial ports", "ok", "member of dialout")
    remedy = "sudo usermod -aG dialout $USER, then log in again."
    return Finding("serial ports", "warning", "not a member of dialout", remedy)


def _program(name: str, purpose: str, remedy: str, ask: list[str] | None) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name, "warning", f"not installed (needed for {purpose})", remedy)
    said = _output(ask) if ask else ""
    return Finding(name, "ok", (said or "").splitlines()[0] if said else path)


def _output(command: list[str], run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run) -> str | None:
    try:
        done = run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
