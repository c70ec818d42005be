"""One attribute of sysfs: a small text file that the kernel writes when it is read."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from wattmark_drivers.errors import ConfigurationError, DriverError

LONGEST = 4096
"""Bytes of an attribute: one page (Documentation/filesystems/sysfs.rst)."""
VANISHED = frozenset({errno.ENOENT, errno.ENODEV, errno.ENOTDIR})
"""The device is gone; all else (EIO, ENODATA, EAGAIN, ...) means that there is no value now."""
FORBIDDEN = frozenset({errno.EACCES})
"""This user may not read the file. By EPERM a driver says that it has no value now (amdgpu while the GPU sleeps)."""
_INTEGER = re.compile(r"-?[0-9]{1,20}")


def read_text(path: Path) -> str:
    """Read an attribute, whatever bytes it holds, without white space at its ends. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(descriptor, LONGEST).decode("utf-8", "replace").strip()
    finally:
        os.close(descriptor)


def read_optional(path: Path) -> str | None:
    """Read an optional attribute; None where it cannot be read."""
    try:
        return read_text(path)
    except OSError:
        return None


def parse_integer(text: str) -> int:
    """Parse a whole number as the kernel prints it. Raises ValueError for anything else."""
    if not _INTEGER.fullmatch(text):
        raise ValueError("not a whole number")
    return int(text)


def forbidden(path: Path) -> DriverError:
    """Build the error for an attribute that this user may not read."""
    return ConfigurationError(
        f"This user may not read {path}.",
        "Add a udev rule that lets a group of this user read it, as in the README of wattmark_drivers/sysfs; do not "
        "run wattmark as root.",
    )
