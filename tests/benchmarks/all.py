"""`make bench`: every benchmark in a process of its own, and one table of all their rows, as text and as JSON.

Arguments name those that are run, such as ``store/bench_commit``; without any, all are. Some take half an hour.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.ratio import ROWS, heading, row_text

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
TEXT, JSON = Path(".cache/bench.txt"), Path(".cache/bench.json")


def main(*chosen: str) -> int:
    """Run benchmarks; return the exit status: 1 where one of them failed."""
    JSON.parent.mkdir(exist_ok=True)
    kept = JSON.with_suffix(".rows").absolute()
    kept.write_text("", encoding="utf-8")
    failed = []
    for file in sorted(HERE.glob("*/bench_*.py")):
        name = file.relative_to(HERE).with_suffix("").as_posix()
        if chosen and name not in chosen:
            continue
        sys.stdout.write(f"== {name}\n")
        sys.stdout.flush()
        command = [sys.executable, "-m", ".".join(file.relative_to(ROOT).with_suffix("").parts)]
        if subprocess.run(command, env={**os.environ, ROWS: str(kept)}, check=False).returncode:
            failed.append(name)
    rows = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    text = "\n".join([heading(), *map(row_text, rows), *(f"failed: {name}" for name in failed)])
    TEXT.write_text(f"{text}\n", encoding="utf-8")
    JSON.write_text(json.dumps({"rows": rows, "failed": failed}, indent=1), encoding="utf-8")
    kept.unlink()
    sys.stdout.write(f"== all, also in {TEXT} and {JSON}\n{text}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
