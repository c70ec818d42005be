"""Refresh the pictures of the README from a real demo: python tests/e2e/screenshots.py"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "backend/docs/pictures"
SHOWN = ("run-light", "compare-light", "memory-dark")
LIMIT_S = 300


def main() -> None:
    """Run the demo to its end, visit every page, keep the pictures that the README shows."""
    program = Path(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        command = [str(program.with_name("wattmark")), "demo", "--port", "0", "--data", f"{folder}/data", "--seed", "7"]
        demo = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            url = _address(demo)
            _wait(url)
            tour = [str(program.with_name("node")), str(ROOT / "tests/e2e/tour.mjs"), url, f"{folder}/tour"]
            environment = {**os.environ, "CHROMIUM": shutil.which("chromium") or ""}
            subprocess.run(tour, check=True, env=environment, stdout=subprocess.DEVNULL)
        finally:
            demo.send_signal(signal.SIGINT)
            demo.wait(20)
        PICTURES.mkdir(parents=True, exist_ok=True)
        for name in SHOWN:
            shutil.copyfile(f"{folder}/tour/{name}.png", PICTURES / f"{name}.png")


def _address(demo: subprocess.Popen[str]) -> str:
    assert demo.stderr is not None
    for line in demo.stderr:
        if found := re.search(r"Open (http://\S+)", line):
            return found[1]
    raise SystemExit("the demo gave no address")


def _wait(url: str) -> None:
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{url}/api/campaign") as answer:
            if json.load(answer)["state"] == "complete":
                return
        time.sleep(2)
    raise SystemExit("the demo's campaign did not end in time")


if __name__ == "__main__":
    main()
