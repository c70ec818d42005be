"""Workloads of the catalogue against real programs: compiled loads, PostgreSQL, a web server."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.bench.workload_entry import WorkloadUse
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.measure import measure
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.prepared import prepared
from wattmark_drivers.clock import SystemClock

from ..ports import free_port

POSTGRES_HOMES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def use(workload: str, **parameters: str) -> Declaration:
    entry = WorkloadUse.model_validate({"uses": workload, "with": {"parameters": parameters}})
    return entry.apply(load_catalogue()[workload])


async def run(declaration: Declaration, folder: Path, *, level: int | None = 2, seconds: float = 2) -> MarkedWork:
    clock = SystemClock()
    trigger = LocalTrigger(clock, folder)
    async with prepared(declaration, level=level, seconds=seconds, trigger=trigger) as workspace:
        return await measure(
            declaration,
            level=level,
            seconds=seconds,
            trigger=trigger,
            clock=clock,
            on_begin=lambda _: None,
            workspace=workspace,
        )


@pytest.mark.parametrize(
    ("workload", "parameters", "level"),
    [
        ("fractal", {}, 2),
        ("memory-search", {"mib": "16"}, 2),
        ("memory-latency", {}, 32),
        ("openssl.sha256", {}, 2),
        ("sysbench.cpu", {}, 2),
        ("sysbench.memory-read", {}, 2),
        ("stress-ng.cpu", {}, 2),
    ],
)
async def test_loads_that_need_nothing_count_their_work(
    workload: str, parameters: dict[str, str], level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    work = await run(use(workload, **parameters), tmp_path, level=level)
    assert work.stated_rate or sum(item.amount for item in work.intervals) > 0
    assert work.duration_s > 1
    assert list(tmp_path.iterdir()) == []


async def test_a_load_in_small_memory_is_faster_than_in_large_memory(tmp_path: Path) -> None:
    small, large = [await run(use("memory-latency"), tmp_path, level=kib, seconds=1) for kib in (16, 131072)]
    per_s = [sum(item.amount for item in work.intervals) / work.duration_s for work in (small, large)]
    assert per_s[0] > 3 * per_s[1]


async def test_disk_operations_and_response_times_by_fio(tmp_path: Path) -> None:
    work = await run(use("fio.randread", folder=str(tmp_path), size="8M"), tmp_path, level=1)
    assert work.stated_rate is not None
    assert work.stated_rate > 0
    assert {item.statistic for item in work.response} == {"mean", "p99"}
    assert list(tmp_path.iterdir()) == []


LOADGEN = """#!PYTHON
import pathlib, re, sys, time
def now(): return time.strftime("%m-%d-%Y %H:%M:%S.") + f"{time.time_ns() // 1_000_000 % 1000:03}"
begin = now(); time.sleep(0.3); stamps = {"begin": begin, "end": now()}
lines = pathlib.Path("RECORDED").read_text().splitlines()[2:]
new = [re.sub('(power_(begin|end)", "value": )"[^"]*"', lambda m: f'{m[1]}"{stamps[m[2]]}"', line) for line in lines]
for name, wanted in (("detail", True), ("summary", False)):
    chosen = [line for line in new if line.startswith(":::MLLOG") == wanted]
    pathlib.Path(sys.argv[1], f"mlperf_log_{name}.txt").write_text("\\n".join(chosen))
print(f"measured for {sys.argv[2]} s")
"""


async def test_logs_that_loadgen_wrote_into_the_folder_of_the_run(tmp_path: Path) -> None:
    """The logs are recorded ones with the stamps of now, in the zone of this machine."""
    program = tmp_path / "benchmark"
    recorded = Path(__file__).parents[2] / "unit/wattmark/workloads/recorded/loadgen_single_stream.out"
    program.write_text(LOADGEN.replace("PYTHON", sys.executable).replace("RECORDED", str(recorded)))
    program.chmod(0o700)
    work = await run(use("mlperf.loadgen", program="./benchmark"), tmp_path, level=None)
    assert [item.amount for item in work.intervals] == [614]
    assert work.duration_s >= 0.3
    program.write_text("#!/bin/sh\necho 'no GPU to be seen' >&2; exit 3\n")
    with pytest.raises(WorkloadFailed, match="exit status 3: no GPU to be seen"):
        await run(use("mlperf.loadgen", program="./benchmark"), tmp_path, level=None)


async def test_file_server_operations_by_dbench(tmp_path: Path) -> None:
    work = await run(use("dbench", folder=str(tmp_path)), tmp_path, seconds=3)
    assert work.stated_rate is not None
    assert work.duration_s == pytest.approx(3, abs=1.5)


@pytest.fixture(scope="module")
def web_port() -> Iterator[int]:
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        (folder / "page.html").write_text("<p>page</p>" * 100)
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log {folder}/error; events {{}}\n"
            f"http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;\n"
            f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n"
            f"server {{ listen 127.0.0.1:{port}; root {folder}; }} }}\n"
        )
        folder.chmod(0o755)
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        with subprocess.Popen([program, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error")]) as server:
            _wait_for(port)
            yield port
            server.terminate()


@pytest.mark.parametrize(("workload", "level"), [("web.wrk", None), ("web.ab", 4), ("web.by-rate", 50)])
async def test_pages_of_a_real_web_server(workload: str, level: int | None, web_port: int, tmp_path: Path) -> None:
    page = use(workload, host="127.0.0.1", port=str(web_port), path="/page.html")
    work = await run(page, tmp_path, level=level)
    assert work.stated_rate or sum(item.amount for item in work.intervals) > 0
    assert work.response
    if workload == "web.by-rate":
        assert sum(item.amount for item in work.intervals) == 50 * 2 * 5


async def test_a_page_that_is_not_there_is_no_throughput(web_port: int, tmp_path: Path) -> None:
    with pytest.raises(WorkloadFailed, match="Non-2xx or 3xx"):
        await run(use("web.wrk", host="127.0.0.1", port=str(web_port), path="/none"), tmp_path, level=None)


@pytest.fixture(scope="module")
def database() -> Iterator[dict[str, str]]:
    """A PostgreSQL of its own; its programs refuse to run as root, so it then belongs to the package's user."""
    owner = "postgres" if os.geteuid() == 0 else getpass.getuser()
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        os.chown(folder, pwd.getpwnam(owner).pw_uid, -1)
        programs = POSTGRES_HOMES[0]

        def call(program: str, *arguments: str) -> None:
            subprocess.run([programs / program, *arguments], user=owner, check=True, capture_output=True, cwd=folder)

        call("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "wattmark", "--no-sync")
        options = f"-c listen_addresses=127.0.0.1 -c fsync=off -p {port} -k {folder}"
        call("pg_ctl", "-w", "-D", f"{folder}/data", "-o", options, "-l", f"{folder}/log", "start")
        try:
            call("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "wattmark", "wattmark")
            yield {"port": str(port)}
        finally:
            call("pg_ctl", "-w", "-D", f"{folder}/data", "-m", "immediate", "stop")


@pytest.mark.parametrize(
    ("workload", "parameters"),
    [
        ("pgbench.select-only", {"scale": "1"}),
        ("order-entry.pgsql", {"scale": "1"}),
        ("sysbench.oltp-read-only-pgsql", {"tables": "1", "rows": "1000"}),
    ],
)
async def test_transactions_on_a_real_database(
    workload: str, parameters: dict[str, str], database: dict[str, str], tmp_path: Path
) -> None:
    declaration = use(workload, **parameters, **database).model_copy(update={"warm_up_s": 1.0})
    work = await run(declaration, tmp_path)
    assert sum(item.amount for item in work.intervals) > 10
    assert work.response
    again = await run(declaration, tmp_path, seconds=1)
    assert again.intervals


@pytest.fixture(scope="module")
def mariadb() -> Iterator[dict[str, str]]:
    """A MariaDB of its own, whose user has a password."""
    owner = "mysql" if os.geteuid() == 0 else getpass.getuser()
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        os.chown(folder, pwd.getpwnam(owner).pw_uid, -1)
        own = [f"--datadir={folder}/data", f"--user={owner}", "--no-defaults"]
        install = ["mariadb-install-db", own[2], *own[:2], "--auth-root-authentication-method=normal"]
        subprocess.run([*install, "--skip-test-db"], check=True, capture_output=True)
        (folder / "users.sql").write_text(
            "CREATE DATABASE wattmark;\nCREATE USER wattmark@'127.0.0.1' IDENTIFIED BY 'maria word';\n"
            "GRANT ALL ON wattmark.* TO wattmark@'127.0.0.1';\n"
        )
        program = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
        place = [
            f"--socket={folder}/s",
            f"--port={port}",
            "--bind-address=127.0.0.1",
            f"--init-file={folder}/users.sql",
        ]
        with subprocess.Popen([program, own[2], *own[:2], *place], stderr=subprocess.DEVNULL) as server:
            _wait_for(port)
            yield {"port": str(port)}
            server.kill()


async def test_queries_on_a_real_mariadb_with_a_password(
    mariadb: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declaration = use("sysbench.oltp-read-only-mysql", tables="1", rows="1000", **mariadb)
    declaration = declaration.model_copy(update={"warm_up_s": 0.0, "password_env": "MARIA"})
    monkeypatch.setenv("MARIA", "maria word")
    work = await run(declaration, tmp_path, seconds=1)
    assert sum(item.amount for item in work.intervals) > 10
    assert {item.statistic for item in work.response} == {"p95"}
    monkeypatch.setenv("MARIA", "another")
    with pytest.raises(WorkloadFailed, match="Access denied"):
        await run(declaration, tmp_path, seconds=1)


async def test_operations_over_the_network_by_tbench(tmp_path: Path) -> None:
    with subprocess.Popen(["tbench_srv"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(7003)
            work = await run(use("tbench"), tmp_path, seconds=3)
        finally:
            server.kill()
    assert work.stated_rate is not None
    assert work.stated_rate > 0


async def test_a_gpu_load_says_what_its_python_lacks(tmp_path: Path) -> None:
    """The Python of the tests has no PyTorch; the run itself needs a GPU."""
    with pytest.raises(WorkloadFailed, match="PyTorch is not installed for this Python"):
        await run(use("gpu.matmul", python=sys.executable), tmp_path, level=1024)


async def test_a_database_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkloadFailed, match=r"set-up of pgbench.select-only, pgbench, ended with status"):
        await run(use("pgbench.select-only", port=str(free_port())), tmp_path)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"nothing listens on port {port}")


def _bandwidth(work: MarkedWork) -> float:
    return sum(item.amount for item in work.intervals) / work.duration_s


@pytest.mark.parametrize("kernel", ["copy", "scale", "add", "triad", "read", "read3", "write"])
async def test_every_kernel_moves_what_its_level_asks_for(kernel: str, tmp_path: Path) -> None:
    """A rate that any machine has; the program ends by itself where a block holds another number than it should."""
    declaration = use(f"memory-bandwidth.{kernel}").model_copy(update={"warm_up_s": 1.0})
    work = await run(declaration, tmp_path, level=200, seconds=3)
    assert _bandwidth(work) == pytest.approx(200, rel=0.02)
    assert all(20e-9 < item.value_s < 5e-6 for item in work.response)
    assert work.response


async def test_a_level_beyond_all_machines_shows_the_most_there_is(tmp_path: Path) -> None:
    declaration = use("memory-bandwidth.triad").model_copy(update={"warm_up_s": 1.0})
    level = declaration.level.most if declaration.level else None
    work = await run(declaration, tmp_path, level=level, seconds=2)
    assert 500 < _bandwidth(work) < 1_000_000


async def test_arrays_that_the_cache_holds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkloadFailed, match="the arrays need"):
        await run(use("memory-bandwidth.triad", mib="1"), tmp_path, level=200, seconds=1)


@pytest.mark.parametrize(
    ("threshold", "words"), [("1e-10", r"The program reported: \|\|Ax-b"), ("-1.0", "did not say that it checked")]
)
async def test_equations_that_were_not_solved_right_or_not_checked_are_no_figure(
    threshold: str, words: str, tmp_path: Path
) -> None:
    """No residual is below 1e-10; with a threshold below 0 HPL checks none."""
    declaration = use("hpcc.hpl", order="300", block="32")
    command = tuple(threshold if word == "16.0" else word for word in declaration.command)
    with pytest.raises(WorkloadFailed, match=words):
        await run(declaration.model_copy(update={"command": command}), tmp_path)


async def test_arrays_of_stream_that_the_caches_may_hold_are_no_figure(tmp_path: Path) -> None:
    with pytest.raises(WorkloadFailed, match="The program reported: Total memory required"):
        await run(use("hpcc.stream", order="500", block="64"), tmp_path)


@pytest.mark.parametrize("workload", ["hpcc.hpl", "hpcc.random-access"])
async def test_hpc_loads_verify_their_result_and_are_ended_behind_it(workload: str, tmp_path: Path) -> None:
    began = time.monotonic()
    work = await run(use(workload, order="500", block="64"), tmp_path)
    assert work.stated_rate is not None
    assert work.stated_rate > 0
    assert 0 < work.duration_s < time.monotonic() - began
