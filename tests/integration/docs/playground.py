"""A folder and a network of its own in which the commands of a page are typed, one after the other."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from .pages import Block, blocks

PATIENCE_S = 120
EXPORT = re.compile(r"export (\w+)=")
Heard = Callable[["Playground", Block, Sequence[str], str], None]
"""Hears of a command of a page: its block, the lines that the page shows below it, and its output."""


class Playground:
    """Types what pages say. Ports such as 8400 are free, for nothing else is in its network."""

    def __init__(self, folder: Path, network: str, heard: Heard | None = None) -> None:
        """``heard`` is told what each command that ends said."""
        self.folder = folder
        self._heard = heard
        self._inside = ("ip", "netns", "exec", network)
        self._stay: list[subprocess.Popen[bytes]] = []
        self._environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "COLUMNS": "200",
        }

    def play(self, page: Path) -> None:
        """Write the files of a page and type its commands. Fails where one does not do what the page shows."""
        for block in blocks(page):
            if "file" in block.attributes:
                (self.folder / block.attributes["file"]).write_text("\n".join(block.lines) + "\n")
            elif block.language == "console" and "not-run" not in block.attributes:
                for command, shown in block.commands():
                    self._type(block, command, shown)

    def end(self) -> None:
        """End what was left running."""
        for process in self._stay:
            process.send_signal(signal.SIGINT)
        for process in self._stay:
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _type(self, block: Block, command: str, shown: tuple[str, ...]) -> None:
        if "stays" in block.attributes:
            return self._leave_running(block, command, shown)
        exported = EXPORT.match(command)
        typed = f'{command}; printf %s "${exported[1]}"' if exported else command
        done = subprocess.run(
            [*self._inside, "bash", "-c", typed], cwd=self.folder, env=self._environment, capture_output=True,
            text=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        output = done.stdout + done.stderr
        assert str(done.returncode) in block.attributes.get("exit", "0").split(","), (
            f"{block.where}: {command}\n{output}"
        )
        if exported:
            self._environment[exported[1]] = done.stdout
        missing = [line for line in shown if not appears(line, output)]
        assert not missing, f"{block.where}: {command}\ndid not say {missing} but\n{output}"
        if self._heard is not None:
            self._heard(self, block, shown, output)
        return None

    def ask(self, command: str) -> str:
        """Return what a command says that no page has."""
        return subprocess.run(
            [*self._inside, "bash", "-c", command], cwd=self.folder, env=self._environment, capture_output=True,
            text=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL, check=True,
        ).stdout  # fmt: skip

    def _leave_running(self, block: Block, command: str, shown: tuple[str, ...]) -> None:
        log = self.folder / f".said-{len(self._stay)}"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [*self._inside, "bash", "-c", f"exec {command}"],
                cwd=self.folder, env=self._environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            )  # fmt: skip
        self._stay.append(process)
        end = time.monotonic() + PATIENCE_S
        while not all(appears(line, log.read_text()) for line in shown):
            assert process.poll() is None, f"{block.where}: {command} ended\n{log.read_text()}"
            assert time.monotonic() < end, f"{block.where}: {command} did not say {shown} but\n{log.read_text()}"
            time.sleep(0.05)


def appears(line: str, output: str) -> bool:
    """Tell whether a shown line was said; … stands for anything, and blanks for any blanks."""
    pieces = [r"\s+".join(map(re.escape, piece.split())) for piece in line.split("…")]
    return re.search(r".*".join(pieces), output) is not None


@contextmanager
def playground(folder: Path, heard: Heard | None = None) -> Iterator[Playground]:
    """Make a network with nothing but a loopback, and end everything in it afterwards."""
    name = f"wm{os.getpid()}-{folder.name}"
    with ExitStack() as stack:
        _ip("netns", "add", name)
        stack.callback(_ip, "netns", "delete", name)
        _ip("-n", name, "link", "set", "lo", "up")
        ground = Playground(folder, name, heard)
        stack.callback(ground.end)
        yield ground


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"ip {' '.join(arguments)}: {done.stderr} (needs iproute2 and root: docker run --privileged)")
