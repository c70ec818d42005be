"""Refresh the pictures of the README from a real demo: python -m tests.e2e.screenshots"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from .conftest import ROOT, Program, browse

PICTURES = ROOT / "backend/docs/pictures"
SHOWN = ("run-light", "compare-light", "memory-dark")
LIMIT_S = 600


def main() -> None:
    """Run the demo to its end, visit every page, keep the pictures that the README shows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Program.started("demo", "--no-repeat", "--data", str(folder / "data"), "--seed", "7") as demo:
            demo.wait_for("complete", LIMIT_S)
            browse("tour.mjs", demo.url, str(folder), timeout_s=LIMIT_S)
        PICTURES.mkdir(parents=True, exist_ok=True)
        for shown in SHOWN:
            shutil.copyfile(folder / f"{shown}.png", PICTURES / f"{shown}.png")


if __name__ == "__main__":
    main()
