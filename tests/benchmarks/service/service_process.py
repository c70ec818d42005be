"""The service in a process of its own, asked over HTTP, and a browser that watches it."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

PROGRAMS = Path(sys.executable).parent


@contextlib.contextmanager
def service(bench: Path, data: Path) -> Iterator[tuple[psutil.Process, str]]:
    """Run the service; give its process and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(PROGRAMS / "wattmark"), "serve", "--bench", str(bench), "--data", str(data), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        until(lambda: ask(f"{url}/healthz/live"))
        yield psutil.Process(process.pid), url
    finally:
        process.terminate()
        process.wait(60)


def cpu_s(process: psutil.Process) -> float:
    """Read the CPU time of the service and of its processes, those that have ended included [s]."""
    total = sum(process.cpu_times()[:4])
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(child.cpu_times()[:4])
    return float(total)


def ask(url: str, body: object = None) -> Any:
    """Ask the service; a body makes it a POST."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read()
    return json.loads(text) if answer.headers["Content-Type"].startswith("application/json") else text.decode()


def until(condition: Callable[[], object], patience_s: float = 300) -> None:
    """Wait for something of the service."""
    deadline = time.monotonic() + patience_s
    while True:
        with contextlib.suppress(OSError):
            if condition():
                return
        if time.monotonic() > deadline:
            raise TimeoutError("the service did not come that far")
        time.sleep(0.2)


@contextlib.contextmanager
def browser(url: str) -> Iterator[None]:
    """Keep the Live page open in the system's Chromium."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        program = shutil.which("chromium") or "chromium"
        flags = ["--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        process = subprocess.Popen([program, *flags, f"{url}/live"], stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)
