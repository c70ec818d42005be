"""Serve simulated devices: python -m wattmark_drivers.simulators SPEC.json.

Prints one JSON line when all is ready and serves until standard input ends or SIGTERM comes. Exit code 0 done, 1 the
work failed, 2 wrong specification.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

from wattmark_drivers.errors import ConfigurationError, DriverError
from wattmark_drivers.simulators.cpu import CpuUtilisation
from wattmark_drivers.simulators.lab import RunningLab
from wattmark_drivers.simulators.spec import LabSpec, parse_spec

USAGE = "usage: python -m wattmark_drivers.simulators SPEC.json"


def main(arguments: list[str]) -> int:
    """Run the simulator process and return its exit code."""
    try:
        asyncio.run(_serve(_read_spec(arguments)))
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except (DriverError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _read_spec(arguments: list[str]) -> LabSpec:
    if len(arguments) != 1:
        raise ConfigurationError("One argument is needed.", USAGE)
    try:
        return parse_spec(Path(arguments[0]).read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{arguments[0]} cannot be read: {error.strerror}.", USAGE) from None


async def _serve(spec: LabSpec) -> None:
    logging.getLogger("pymodbus").setLevel(logging.CRITICAL + 1)
    stop = _stop_event()
    folder = Path(tempfile.mkdtemp(prefix="wattmark-sim-"))
    lab = RunningLab(spec, folder, CpuUtilisation())
    try:
        ready = await lab.start()
        sys.stdout.write(json.dumps(ready) + "\n")
        sys.stdout.flush()
        await _run_until(lab, stop)
    finally:
        await lab.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def _run_until(lab: RunningLab, stop: asyncio.Event) -> None:
    running, stopping = asyncio.create_task(lab.run()), asyncio.create_task(stop.wait())
    done, pending = await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    for task in done:
        task.result()


def _stop_event() -> asyncio.Event:
    """Create an event that SIGTERM, SIGINT or the end of standard input sets, as when the parent process has ended."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def wait_for_end_of_input() -> None:
        while os.read(0, 4096):
            pass
        loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=wait_for_end_of_input, daemon=True).start()
    return stop


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
