"""Two shards of two replicas each, on Debian's ClickHouse 18.16 and ZooKeeper, on free ports of the loopback."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.integration.fleet.clickhouse.servers import Server, proxy_to
from tests.integration.ports import free_port

JARS = ("zookeeper", "zookeeper-jute")
MORE = """\
<zookeeper><node><host>127.0.0.1</host><port>{zookeeper}</port></node><session_timeout_ms>6000</session_timeout_ms>
</zookeeper>
<macros><shard>{shard}</shard><replica>{replica}</replica></macros>
<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
"""


@dataclass
class ZooKeeper:
    """One ZooKeeper server. Its data lies in a folder, and survives it."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        java = shutil.which("java")
        if java is None or not Path("/usr/share/java/zookeeper.jar").exists():
            pytest.fail("ZooKeeper is not installed. Run: sh docker/system-packages.sh fleet")
        self.folder.mkdir(parents=True, exist_ok=True)
        config = self.folder / "zoo.cfg"
        config.write_text(
            f"tickTime=1000\ndataDir={self.folder}/data\nclientPort={self.port}\nclientPortAddress=127.0.0.1\n"
            "admin.enableServer=false\nmaxClientCnxns=0\nautopurge.purgeInterval=1\n"
        )
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [java, "-Xmx256m", "-Dzookeeper.root.logger=WARN", "-cp", "/usr/share/java/*",
                 "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(config)],
                stdout=log, stderr=log, cwd=self.folder,
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"ZooKeeper did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"srvr")
                return b"Mode" in connection.recv(1000)
        except OSError:
            return False


@contextmanager
def replicated(folder: Path) -> Iterator[list[list[Server]]]:
    """Start the replicas of two shards, each behind a proxy; gives the servers by shard."""
    shards = [[Server(folder / f"shard{shard}-replica{replica}") for replica in (1, 2)] for shard in (1, 2)]
    zookeeper = ZooKeeper(folder / "zookeeper")
    with ExitStack() as stack:
        stack.callback(zookeeper.kill)
        zookeeper.start()
        servers = [server for replicas in shards for server in replicas]
        for shard, replicas in enumerate(shards, 1):
            for replica, server in enumerate(replicas, 1):
                server.configure(shards, MORE.format(zookeeper=zookeeper.port, shard=shard, replica=replica))
                stack.callback(server.kill)
                server.start(wait=False)
        for server in servers:
            server.wait()
            server.proxy = stack.enter_context(proxy_to(server.http))
        yield shards
