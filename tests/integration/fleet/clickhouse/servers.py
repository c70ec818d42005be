"""Real ClickHouse servers (Debian's 18.16) in folders of their own, each behind a proxy, on free ports of the loopback.

clickhouse-connect asks a server for a column of `system.settings` that 18.16 does not have: the proxy answers that one
question in its place. It also cuts the network.
"""

from __future__ import annotations

import http.client
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.schema import make_schema
from wattmark.fleet.clickhouse.settings import ClickHouseSettings

from tests.web_peer import Handler, serving

from ...ports import free_port

PASSWORD, CLUSTER = "a-password", "lab"
CONFIG = """\
<yandex>
<logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/err</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{inter}</interserver_http_port>
<listen_host>127.0.0.1</listen_host><interserver_http_host>127.0.0.1</interserver_http_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size>
<remote_servers><{cluster}>{shards}</{cluster}></remote_servers>
{more}
</yandex>
"""
SHARD = """<shard><internal_replication>true</internal_replication>{replicas}</shard>"""
REPLICA = (
    """<replica><host>127.0.0.1</host><port>{tcp}</port><user>default</user><password>{password}</password></replica>"""
)
USERS = """\
<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default>
<readonly><readonly>2</readonly></readonly></profiles>
<users>{users}</users><quotas><default/></quotas></yandex>
"""
USER = """<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
<profile>{profile}</profile><quota>default</quota></{name}>"""


@dataclass
class Server:
    """A server that can be killed and started again on the same ports and data. ``url`` leads through its proxy."""

    folder: Path
    http: int = field(default_factory=free_port)
    tcp: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    proxy: Proxy | None = None

    @property
    def direct(self) -> str:
        return f"http://127.0.0.1:{self.http}"

    @property
    def url(self) -> str:
        assert self.proxy is not None
        return self.proxy.url

    def configure(self, shards: Sequence[Sequence[Server]], more: str = "") -> None:
        """Write the configuration; ``shards`` lists the replicas of each shard of the cluster."""
        self.folder.mkdir(parents=True, exist_ok=True)
        cluster = "".join(
            SHARD.format(replicas="".join(REPLICA.format(tcp=replica.tcp, password=PASSWORD) for replica in replicas))
            for replicas in shards
        )
        users = USER.format(name="default", password=PASSWORD, profile="default") + USER.format(
            name="reader", password=PASSWORD, profile="readonly"
        )
        (self.folder / "users.xml").write_text(USERS.format(users=users))
        (self.folder / "config.xml").write_text(
            CONFIG.format(
                folder=self.folder, http=self.http, tcp=self.tcp, inter=free_port(), cluster=CLUSTER, shards=cluster,
                more=more,
            )
        )  # fmt: skip

    def start(self, *, wait: bool = True) -> None:
        with (self.folder / "out").open("ab") as log:
            self.process = subprocess.Popen(
                [program(), "--config-file", str(self.folder / "config.xml")], stdout=log, stderr=log, cwd=self.folder
            )
        if wait:
            self.wait()

    def wait(self) -> None:
        deadline = time.monotonic() + 60
        while not self._answers():
            if self.process is None or self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"clickhouse-server did not start: {(self.folder / 'out').read_text()[-2000:]}")
            time.sleep(0.05)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def ask(self, sql: str) -> str:
        """Run a statement without the client under test."""
        query = urllib.parse.urlencode({"user": "default", "password": PASSWORD})
        with urllib.request.urlopen(f"{self.direct}/?{query}", sql.encode(), timeout=30) as answer:
            return str(answer.read().decode())

    def _answers(self) -> bool:
        try:
            return self.ask("SELECT 1") == "1\n"
        except OSError:
            return False


class Proxy:
    """Forward to a port. ``cut``: hang up. ``cut_answers``: the server gets the next inserts, its answer is lost.

    ``login``: everything is answered by a log-in page.
    """

    def __init__(self, port: int) -> None:
        self.upstream = port
        self.cut = False
        self.cut_answers = 0
        self.login = False
        self.inserts = 0
        self.url = ""


class _Handler(Handler):
    proxy: ClassVar[Proxy]

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.body())

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return super().body()
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _serve(self, body: bytes) -> None:
        if self.proxy.cut:
            self.close_connection = True
            return
        if self.proxy.login:
            self.send(200, b"<html>Please log in</html>")
            return
        path = self.path
        if body.startswith(b"SELECT name, value, readonly FROM system.settings"):
            body = body.replace(b"readonly", b"0 AS readonly")
        insert = b"INSERT" in body[:200] or "INSERT" in path
        self.proxy.inserts += insert
        upstream = http.client.HTTPConnection("127.0.0.1", self.proxy.upstream, timeout=60)
        try:
            dropped = ("host", "transfer-encoding", "content-length")
            headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
            upstream.request(self.command, path, body, headers)
            answer = upstream.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self.close_connection = True
            return
        finally:
            upstream.close()
        if insert and self.proxy.cut_answers:
            self.proxy.cut_answers -= 1
            self.close_connection = True
            return
        dropped = ("transfer-encoding", "content-length", "connection")
        kept = {name: value for name, value in answer.getheaders() if name.lower() not in dropped}
        self.send(answer.status, content, kept)


def program() -> str:
    """Find the program. Its absence fails the test with the command that installs it."""
    path = shutil.which("clickhouse-server") or shutil.which("/usr/sbin/clickhouse-server")
    if path is None:
        pytest.fail("clickhouse-server is not installed. Run: sh docker/system-packages.sh test")
    return path


@contextmanager
def proxy_to(port: int, tls: tuple[Path, Path] | None = None) -> Iterator[Proxy]:
    """``tls``: a certificate and its key."""
    proxy = Proxy(port)
    with serving(_Handler, tls=tls, proxy=proxy) as own_port:
        proxy.url = f"{'https' if tls else 'http'}://127.0.0.1:{own_port}"
        yield proxy


@contextmanager
def one_server(folder: Path) -> Iterator[Server]:
    """Start a server with the tables of wattmark."""
    server = Server(folder)
    server.configure([[server]])
    try:
        server.start()
        with proxy_to(server.http) as server.proxy:
            settings = ClickHouseSettings(url=server.url, password=PASSWORD, database="wattmark", timeout_s=30)
            with closing(Connection(settings)) as connection:
                make_schema(connection, cluster=None, ttl_days=None, software="1.0", made_ns=1_770_000_000 * 10**9)
            yield server
    finally:
        server.kill()


@contextmanager
def two_shards(folder: Path) -> Iterator[tuple[Server, Server]]:
    """Start two servers that are the shards of one cluster."""
    servers = Server(folder / "shard1"), Server(folder / "shard2")
    with ExitStack() as stack:
        for server in servers:
            server.configure([[shard] for shard in servers])
            stack.callback(server.kill)
            server.start(wait=False)
        for server in servers:
            server.wait()
            server.proxy = stack.enter_context(proxy_to(server.http))
        yield servers
