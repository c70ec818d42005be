"""A home folder with a small vendor file: ipmitool starts in 8 ms instead of 30."""

from __future__ import annotations

from pathlib import Path

PLACE = Path(".local/usr/share/misc/enterprise-numbers.txt")
"""Where ipmitool 1.8.19 looks first for the names of vendors; an empty file makes it refuse to start."""
ONE_VENDOR = "0\n  Reserved\n    Internet Assigned Numbers Authority\n      iana&iana.org\n"


def write_small_vendor_file(home: str) -> None:
    """Write a vendor file with one entry, so that the 4.7 MB one of the system is not parsed at each start."""
    path = Path(home) / PLACE
    path.parent.mkdir(parents=True)
    path.write_text(ONE_VENDOR, "ascii")
