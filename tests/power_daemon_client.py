"""`wattmark ptd` as a harness starts it, and what a harness says to it, with a simulated WT310E on a serial line."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wattmark_drivers.simulators.simulated_lab import SimulatedLab

WATTMARK = Path(sys.executable).with_name("wattmark")
ANALYSER = "yokogawa.wt310e"
LAB: dict[str, Any] = {
    "servers": {"s": {"idle_w": 300.0, "dynamic_w": 0.0, "dimms": 2, "psu": {"rated_w": 1500}}},
    "devices": {
        "analyser": {"model": ANALYSER, "measures": ["s"], "transport": "serial"},
        "plain": {"model": "eastron.sdm120", "measures": ["s"]},
    },
}


def address(lab: SimulatedLab, device: str, more: str = "") -> str:
    """Write the address of a device of the lab with its model, and further options."""
    url = lab.devices[device].url or ""
    return f"{url}{'&' if '?' in url else '?'}model={LAB['devices'][device]['model']}{more}"


class Client:
    """A harness: one connection, CRLF lines, one reply each."""

    def __init__(self, port: int, patience_s: float = 30.0, timeout_s: float = 10.0) -> None:
        deadline_s = time.monotonic() + patience_s
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout_s)
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline_s, f"it does not listen within {patience_s:g} s"
                time.sleep(0.1)
        self.file = self.socket.makefile("rb")

    def ask(self, command: str) -> str:
        """Send a command; return the first line of its reply."""
        self.socket.sendall(f"{command}\r\n".encode())
        return self.line()

    def line(self) -> str:
        """Return the next line without its end; empty once the daemon has closed the connection."""
        return self.file.readline().decode().rstrip("\r\n")

    def sample_lines(self) -> list[str]:
        """Read what is unread as power-dev does: with all channels where there are several."""
        header = self.ask("RL,*,*")
        if header == "Invalid number of parameters":
            header = self.ask("RL")
        return [self.line() for _ in range(int(header.split()[1]))] if header.startswith("Last ") else []

    def samples(self) -> list[dict[str, str]]:
        """Read what is unread, of one channel, by column."""
        fields = [line.split(",") for line in self.sample_lines()]
        return [dict(zip(line[::2], line[1::2], strict=True)) for line in fields]

    def close(self) -> None:
        """Leave."""
        self.file.close()
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@contextmanager
def daemon(*arguments: Any, port: int) -> Iterator[subprocess.Popen[str]]:
    """Run the program; it is killed at the end, if it runs still."""
    process = subprocess.Popen(
        [WATTMARK, "ptd", "-p", str(port), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # Ctrl-C is for the test, which ends it in order
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stdout and not process.stdout.closed:
            process.stdout.close()
