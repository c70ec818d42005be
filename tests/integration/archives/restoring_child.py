"""Restores an archive until the run named last is evaluated, says so, and waits to be killed."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

from wattmark.cli.keep.restore import restore
from wattmark.results import evaluate as evaluating


def main(folder: Path, file: Path, run_id: str) -> None:
    real = evaluating.evaluate

    def evaluate(run: Any, *rest: Any) -> Any:
        if run.run_id == run_id:
            sys.stdout.write("evaluating\n")
            sys.stdout.flush()
            signal.pause()
        return real(run, *rest)

    evaluating.evaluate = evaluate
    restore([file], data=folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
