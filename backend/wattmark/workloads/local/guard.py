"""A small process that outlives wattmark, only to kill the load when wattmark is gone, however it died."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

from wattmark.workloads.local.process_group import kill_marked, start_time
from wattmark.workloads.local.strays import STRAYS


class Guard:
    """Watches over a load from before it starts until `end`. The end of a pipe shows it that its owner died."""

    def __init__(self, marker: str, environment: Mapping[str, str]) -> None:
        self._process = STRAYS.start(
            [sys.executable, "-P", "-m", __name__, marker],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self.started = int(start_time(self._process.pid) or 0)
        """When it started, which is before any process of its load [clock ticks since boot]."""

    def end(self) -> None:
        """Stop what is left of the load, and wait until it has ended."""
        self._process.communicate()


def main() -> None:
    """Wait for the end of standard input, then kill every process that carries the marker given as argument."""
    sys.stdin.buffer.read()
    kill_marked(sys.argv[1])


if __name__ == "__main__":
    main()
