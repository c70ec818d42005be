"""A bench analyser on a TCP port or a pseudo-terminal, written from IEEE 488.2 and manuals, not from the simulators.

It knows no declaration: a table of what was last written to each header, answers by header, and scripted trouble.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import threading
import time
import tty
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

IDENTITY = "YOKOGAWA,WT310E,C3XX00001V,F1.04"
Answer = str | bytes | None


class Analyser:
    """Keeps what is written (`HEADER VALUE`) and gives it back (`HEADER?`); fixed answers win."""

    def __init__(self) -> None:
        self.identity = IDENTITY
        self.written: dict[str, str] = {
            ":COMM:REM": "0", ":COMM:HEAD": "1", ":COMM:VERB": "1", ":SYST:COMM:COMM": "WT300", ":NUM:FORM": "FLOAT",
            ":STAT:FILT1": "NEVER", ":SAMP:HOLD": "0", ":MEAS:MHOL": "0", ":INP:MODE": "RMS", ":INP:WIR": "P1W3",
            ":INP:SYNC": "CURR", ":INP:CFAC": "3", ":INP:FILT:LINE": "1", ":INP:FILT:FREQ": "1", ":MEAS:AVER:STAT": "0",
            ":MEAS:AVER:TYPE": "LIN", ":MEAS:AVER:COUN": "8", ":SAMP:RATE": "250.0E-03", ":INP:VOLT:AUTO": "1",
            ":INP:SCAL:STAT": "1",
            ":INP:VOLT:RANG": "150.0E+00", ":INP:CURR:AUTO": "1", ":INP:CURR:RANG": "500.0E-03",
            ":NUM:NORM:NUM": "2", **{f":NUM:NORM:ITEM{n}": "NONE" for n in range(1, 60)},
        }  # fmt: skip
        self.refuses: dict[str, str] = {}
        """Headers that stay at a value whatever is written."""
        self.values: dict[str, str] = {}
        """What each item (`P,1`) shows."""
        self.condition = 0
        self.errors: list[str] = []
        self.updating = True
        self.integration = "RESET"
        self.heard: list[str] = []
        self.trouble: dict[str, Callable[[str], Answer | tuple[float, Answer]]] = {}
        """By query: what happens instead of the answer, once."""
        self._updates = 0.0

    def handle(self, line: str) -> Answer | tuple[float, Answer]:
        """Answer a line; a pair is a late answer."""
        self.heard.append(line)
        good = self._answer(line)
        spoil = self.trouble.pop(line, None)
        return good if spoil is None else spoil(str(good))

    def _answer(self, line: str) -> Answer:
        header, _, value = line.partition(" ")
        match header:
            case "*IDN?":
                return self.identity
            case ":STAT:EESR?":
                return self._eesr()
            case ":STAT:COND?":
                return str(self.condition)
            case ":STAT:ERR?":
                return self.errors.pop(0) if self.errors else '0,"NO ERROR"'
            case ":INTEG:STAT?":
                return self.integration
            case ":INTEG:STAR" | ":INTEG:STOP" | ":INTEG:RES":
                self.integration = {"STAR": "START", "STOP": "STOP", "RES": "RESET"}[header.rpartition(":")[2]]
                return None
            case ":NUM:NORM:VAL?":
                count = int(self.written[":NUM:NORM:NUM"])
                return ",".join(self.values.get(self.written[f":NUM:NORM:ITEM{n}"], "NAN") for n in range(1, count + 1))
        if header.endswith("?"):
            return self._with_header(header[:-1])
        if header not in self.written:
            self.errors.append(f'113,"Undefined header;{header}"')
        else:
            self.written[header] = self.refuses.get(header, value)
        return None

    def _with_header(self, header: str) -> Answer:
        if header not in self.written:
            self.errors.append(f'113,"Undefined header;{header}"')
            return None
        value = self.written[header]
        value = {"ON": "1", "OFF": "0"}.get(value, value)
        return f"{header} {value}" if self.written[":COMM:HEAD"] in {"1", "ON"} else value

    def _eesr(self) -> str:
        """An update every 50 ms; the bit is kept until it is read, and only when its filter asks for it."""
        due = self.updating and self.written[":STAT:FILT1"] == "FALL" and time.monotonic() - self._updates >= 0.05
        if due:
            self._updates = time.monotonic()
        return "1" if due else "0"


class Server:
    """Carries the lines of one analyser."""

    def __init__(self, analyser: Analyser) -> None:
        self.analyser = analyser
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._end.set()
        self._thread.join(5)

    def _run(self) -> None:
        raise NotImplementedError

    def _serve(self, read: Callable[[], bytes], write: Callable[[bytes], object]) -> None:
        """Answer in the order of the questions: a late answer holds up those behind it."""
        pending = b""
        answers: deque[tuple[float, bytes]] = deque()
        while not self._end.is_set():
            while answers and answers[0][0] <= time.monotonic():
                write(answers.popleft()[1])
            data = read()
            *lines, pending = re.split(rb"\r?\n", pending + data)
            for line in lines:
                answer = self.analyser.handle(line.decode("ascii", "replace"))
                delay_s, answer = answer if isinstance(answer, tuple) else (0.0, answer)
                if answer == "<hang up>":
                    raise ConnectionResetError
                if answer is not None:
                    message = answer if isinstance(answer, bytes) else answer.encode() + b"\n"
                    answers.append((time.monotonic() + delay_s, message))


class TcpServer(Server):
    def __init__(self, analyser: Analyser) -> None:
        super().__init__(analyser)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.05)
        self.url = f"scpi-tcp://127.0.0.1:{self._socket.getsockname()[1]}"

    def _run(self) -> None:
        with self._socket:
            while not self._end.is_set():
                with contextlib.suppress(TimeoutError, ConnectionError, BrokenPipeError):
                    connection, _ = self._socket.accept()
                    with connection:
                        connection.settimeout(0.005)
                        self._serve(lambda: self._recv(connection), connection.sendall)  # noqa: B023

    @staticmethod
    def _recv(connection: socket.socket) -> bytes:
        try:
            data = connection.recv(4096)
        except TimeoutError:
            return b""
        if not data:
            raise ConnectionResetError
        return data


class PtyServer(Server):
    def __init__(self, analyser: Analyser, path: Path) -> None:
        super().__init__(analyser)
        self._ours, theirs = os.openpty()
        tty.setraw(theirs)
        os.set_blocking(self._ours, False)
        path.symlink_to(os.ttyname(theirs))
        self._theirs = theirs
        self.url = f"serial://{path}"

    def _run(self) -> None:
        try:
            self._serve(self._read, lambda data: os.write(self._ours, data))
        finally:
            os.close(self._theirs)
            os.close(self._ours)

    def _read(self) -> bytes:
        time.sleep(0.002)
        try:
            return os.read(self._ours, 4096)
        except (BlockingIOError, OSError):
            return b""


@pytest.fixture
def analyser() -> Analyser:
    return Analyser()


@pytest.fixture
def tcp(analyser: Analyser) -> Iterator[TcpServer]:
    server = TcpServer(analyser)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def pty(analyser: Analyser, tmp_path: Path) -> Iterator[PtyServer]:
    server = PtyServer(analyser, tmp_path / "port")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def servers() -> tuple[type[TcpServer], type[PtyServer]]:
    return TcpServer, PtyServer
