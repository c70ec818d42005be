"""Refresh the pictures of the README from a real demo: python -m tests.e2e.screenshots"""

from __future__ import annotations

import tempfile
from pathlib import Path

from PIL import Image

from .conftest import ROOT, Program, browse

PICTURES = ROOT / "backend/docs/pictures"
SHOWN = ("run-light", "compare-light", "memory-dark")
LIMIT_S = 300
COLOURS = 256
"""A palette keeps a picture small; the one of the widest coverage keeps the colours of small marks."""


def main() -> None:
    """Run the demo to its end, visit every page, keep the pictures that the README shows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Program.started("demo", "--data", str(folder / "data"), "--seed", "7") as demo:
            demo.wait_for("complete", LIMIT_S)
            browse("tour.mjs", demo.url, str(folder), timeout_s=LIMIT_S)
        PICTURES.mkdir(parents=True, exist_ok=True)
        for shown in SHOWN:
            with Image.open(folder / f"{shown}.png") as picture:
                picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(
                    PICTURES / f"{shown}.png", optimize=True
                )


if __name__ == "__main__":
    main()
