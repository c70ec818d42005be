"""Fuzz one target with atheris for a while: python tests/fuzz/one.py TARGET SECONDS CORPUS_FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["wattmark_drivers"]):
    from targets import SEEDS, TARGETS


def main() -> None:
    """Search until the time is over; libFuzzer ends the process with code 0, or 77 when a promise was broken."""
    name, seconds, corpus = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    for number, seed in enumerate(SEEDS[name]):
        (corpus / f"seed{number}").write_bytes(seed)
        TARGETS[name](seed)  # loads the catalogue, which would count as a slow input
    options = [f"-max_total_time={seconds}", "-max_len=2048", "-timeout=20", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={corpus}/broken-", str(corpus)], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
