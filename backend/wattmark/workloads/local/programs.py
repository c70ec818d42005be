"""Missing programs, and the Debian packages that contain them."""

from __future__ import annotations

import shutil
from pathlib import Path

from wattmark.workloads.declaration import Declaration


def missing_program(declaration: Declaration, folder: Path) -> str | None:
    """Explain which program of a workload is missing on this machine and how to install it; None where it is there."""
    for program, package in declaration.programs():
        if not shutil.which(str(folder / program) if "/" in program else program):
            return f"The program {program} is not installed; {remedy(package)}."
    return None


def remedy(package: str | None) -> str:
    """Return how to get a program."""
    return f"apt-get install {package}" if package else "install it or give its full path"
