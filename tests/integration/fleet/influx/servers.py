"""Real servers in folders of their own: InfluxDB 1.6 to 2.9 and VictoriaMetrics, on free ports of the loopback."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from ...ports import free_port

HERE = Path(__file__).parent
CACHE = HERE.parents[3] / ".cache" / "influx"
TOKEN, ORG = "a-token-of-the-tests", "lab"
CONFIG = """\
reporting-disabled = true
bind-address = "127.0.0.1:{rpc}"
[meta]
dir = "{folder}/meta"
[data]
dir = "{folder}/data"
wal-dir = "{folder}/wal"
[http]
bind-address = "127.0.0.1:{port}"
log-enabled = false
{http}
[monitor]
store-enabled = false
"""


@dataclass
class Server:
    """A server that can be killed and started again on the same port and data."""

    version: str
    folder: Path
    http: str = ""
    database: str = "wattmark"
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def victoria(self) -> bool:
        return self.version == "victoria-metrics"

    @property
    def second(self) -> bool:
        return self.version.startswith("2.")

    def start(self) -> None:
        self.port = self.port or free_port()
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self._command(), stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"{self.version} did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def set_up(self) -> None:
        if self.second:
            body = {"username": "admin", "password": "a-password", "org": ORG, "bucket": self.database, "token": TOKEN}
            self.request("/api/v2/setup", json.dumps(body).encode(), {"Content-Type": "application/json"})
        elif not self.victoria:
            self.question(f'CREATE DATABASE "{self.database}"', post=True)

    def question(self, text: str, *, post: bool = False, database: str | None = None) -> str:
        query = urllib.parse.urlencode({"db": database or self.database, "q": text, "epoch": "ns"})
        headers = {"Accept": "application/csv"}
        if self.second:
            headers["Authorization"] = f"Token {TOKEN}"
        return self.request(f"/query?{query}", b"" if post else None, headers)

    def request(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> str:
        asked = urllib.request.Request(self.url + path, body, headers or {})
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.read().decode()

    def _answers(self) -> bool:
        try:
            self.request("/health" if self.victoria or self.second else "/ping")
        except (OSError, urllib.error.URLError):
            return False
        return True

    def _command(self) -> list[str]:
        if self.victoria:
            return [
                program("victoria-metrics"), f"-storageDataPath={self.folder}/data",
                f"-httpListenAddr=127.0.0.1:{self.port}",
                "-retentionPeriod=100y", "-dedup.minScrapeInterval=1ms", "-search.latencyOffset=0s",
            ]  # fmt: skip
        if self.second:
            return [
                program(self.version), f"--http-bind-address=127.0.0.1:{self.port}", f"--bolt-path={self.folder}/bolt",
                f"--sqlite-path={self.folder}/sqlite", f"--engine-path={self.folder}/engine", "--reporting-disabled",
            ]  # fmt: skip
        config = self.folder / "influxdb.conf"
        if not config.exists():
            config.write_text(CONFIG.format(folder=self.folder, port=self.port, rpc=free_port(), http=self.http))
        return [program(self.version), "run", "-config", str(config)]


def program(version: str) -> str:
    """Find the program of a server. Its absence fails the test with the command that installs it."""
    if version in ("1.6.7", "victoria-metrics"):
        package = "influxdb" if version == "1.6.7" else version
        path = shutil.which("influxd" if version == "1.6.7" else version)
        if path is None:
            pytest.fail(f"{package} is missing: sudo apt-get install {package}")
        return path
    binary = CACHE / version / "influxd"
    if not binary.exists():
        build = HERE / "build_influxd.sh"
        done = subprocess.run([str(build), version], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.fail(f"InfluxDB {version} was not built; run {build} {version}:\n{done.stderr[-2000:]}")
    return str(binary)


@contextmanager
def running(version: str, folder: Path, **settings: str) -> Iterator[Server]:
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(version, folder, **settings)
    try:
        server.start()
        server.set_up()
        yield server
    finally:
        if server.process is not None:
            server.kill()
