"""Fuzz every target for some seconds each: python tests/fuzz/all.py SECONDS [TARGET ...]. Exit code 1 on a find."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from targets import TARGETS

ONE = Path(__file__).with_name("one.py")


def main(arguments: list[str]) -> int:
    """Run the targets one after another and print what each did."""
    seconds = int(arguments[0]) if arguments else 30
    broken = [name for name in arguments[1:] or TARGETS if not _run(name, seconds)]
    if broken:
        sys.stdout.write(f"promises broken in: {', '.join(broken)}\n")
    return 1 if broken else 0


def _run(name: str, seconds: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="wattmark-fuzz-") as corpus:
        done = subprocess.run(
            [sys.executable, str(ONE), name, str(seconds), corpus],
            env=os.environ | {"PYTHONWARNINGS": "ignore"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        runs = re.search(r"number_of_executed_units: (\d+)", done.stdout)
        counts = re.findall(r"cov: (\d+)", done.stdout)
        verdict = "kept its promises" if done.returncode == 0 else "BROKEN"
        coverage = counts[-1] if counts else "?"
        sys.stdout.write(f"{name:16} {verdict}: {runs[1] if runs else '?'} inputs, coverage {coverage}\n")
        if done.returncode:
            lines = [line for line in done.stdout.splitlines() if not line.startswith(("INFO", "WARNING", "0x"))]
            sys.stdout.write("\n".join(lines[-40:]) + "\n")
            for file in sorted(Path(corpus).glob("broken-*")):
                sys.stdout.write(f"  input: {file.read_bytes()!r}\n")
        sys.stdout.flush()
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
