"""What an administrator over HTTP cannot make a running service do: start a program that the machine's bench does not
name, write or look at a file, or send a password to where it was not given for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.load import load_bench
from wattmark.core.errors import InputError
from wattmark_drivers.discovery.serial_ports import serial_port_names
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.integration.conftest import bench_writer
from tests.integration.hook_peer import Peer, listening_peer

from .conftest import Service, Start
from .test_editing import Editor

SECRET = "SUPERSECRETINFLUX"
RUN = "  - {{name: mine, configurations: [s/c], workloads: [{name}], repeats: 1, repeat_failed: 0, idle_s: 0," + (
    " settle_s: 0, measure_s: 1, hold_s: 0, full_load_limit_pct: null}}\n"
)


@pytest.fixture
def elsewhere() -> Iterator[Peer]:
    """Somebody else's host, that notes whatever comes."""
    with listening_peer() as peer:
        yield peer


def add_workload(service: Service, workload: str, name: str) -> tuple[int, Any]:
    """Put a workload and a plan that runs it into the text of the bench; run it if the service takes them."""
    editor = Editor(service)
    text = service.get("/api/bench/source")["text"] + RUN.format(name=name) + f"workloads:\n  - {workload}\n"
    status, answer = editor.send("PUT", "/source", {"text": text})
    if status == 200:
        assert service.ask("POST", "/api/campaign", {"plan": "mine"})[0] == 202
        service.campaign_until(lambda campaign: campaign["state"] not in ("running", "stopping"))
    return status, answer


def mistake(answer: Any) -> str:
    """Give the words of the one mistake of an answer."""
    (only,) = answer["mistakes"]
    return str(only["message"])


@pytest.fixture(scope="module")
def service(lab: SimulatedLab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a meter and a BMC whose password the bench names, and a secret in its environment.

    All tests use the one, for what they ask is refused; those whose changes it takes come last.
    """
    folder = tmp_path_factory.mktemp("harmless")
    tools = folder / "tools"
    tools.mkdir()
    (tools / "nvidia-smi").write_text("#!/bin/sh\n")
    (tools / "nvidia-smi").chmod(0o755)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WATTMARK_TEST_TOKEN", SECRET)
        environment.setenv("PATH", f"{tools}:/usr/local/bin:/usr/bin:/bin")
        running = Service(folder / "data", bench=bench_writer(lab, folder)(1))
    yield running
    running.end()
    assert not running.loads()


@pytest.mark.parametrize(
    ("uses", "parameter"), [("mlperf.loadgen", "program"), ("gpu.matmul", "python"), ("openssl.rsa512-sign", None)]
)
def test_no_program_comes_in_by_any_door(service: Service, uses: str, parameter: str | None, tmp_path: Path) -> None:
    """Row 5: `with.parameters.program` and `python` become argv[0] as `with.program` does."""
    proof, program = tmp_path / "proof", tmp_path / "theirs"
    program.write_text(f"#!/bin/sh\ndate > {proof}\n")
    program.chmod(0o755)
    change = f"parameters: {{{parameter}: {program}}}" if parameter else f"program: {program}"
    status, answer = add_workload(service, f"{{uses: {uses}, id: x, with: {{{change}}}}}", "x")
    assert not proof.exists()
    assert status == 422, answer
    assert "programs" in mistake(answer)


@pytest.mark.parametrize("folder", ["{victim}:{there}", "{there}", "/dev"])
def test_a_folder_that_the_machine_does_not_name_is_not_written_to(
    service: Service, folder: str, tmp_path: Path
) -> None:
    """Row 12: fio reads `:` as a list of files; and whoever asks over HTTP names no new folder at all."""
    victim = tmp_path / "victim.db"
    victim.write_text("ours\n" * 4096)
    before, seen = victim.read_bytes(), sorted(tmp_path.iterdir())
    there = folder.format(victim=victim, there=tmp_path)
    status, answer = add_workload(
        service, f'{{uses: fio.randwrite, id: x, with: {{parameters: {{folder: "{there}", size: 1M}}}}}}', "x"
    )
    assert victim.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == seen
    assert status == 422, answer


def test_a_folder_that_the_machine_names_is_not_split_either(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path
) -> None:
    """Row 12: from the bench file any folder is the administrator's choice, and `:` is refused there too."""
    file = write_bench(1)
    text = file.read_text()
    use = "workloads: [{{uses: fio.randwrite, id: x, with: {{parameters: {{folder: '{}', size: 1M}}}}}}]\n"
    file.write_text(text + use.format("/x/victim.db:/x"))
    with pytest.raises(InputError, match=r"without \.\. and not in /dev"):
        load_bench(file)
    file.write_text(text + use.format(tmp_path))
    service = start(tmp_path / "data", bench=file)
    text = service.get("/api/bench/source")["text"]
    editor = Editor(service)
    editor.make("PUT", "/source", {"text": text.replace("size: 1M", "size: 2M")})
    status, _ = editor.send("PUT", "/source", {"text": text.replace(f"'{tmp_path}'", f"'{tmp_path}/data'")})
    assert status == 422


@pytest.mark.parametrize("source", ["token_file: {file}", "ca_file: {file}", "token_env: WATTMARK_TEST_TOKEN"])
def test_a_hook_takes_no_file_and_no_variable_along(
    service: Service, elsewhere: Peer, source: str, tmp_path: Path
) -> None:
    """Rows 6 and 10: a private file's line came to the hook's host as its bearer token."""
    private = tmp_path / "private"
    private.write_text(SECRET)
    private.chmod(0o600)
    url = f"http://127.0.0.1:{elsewhere.port}"
    workload = (
        f'{{id: x, title: X, unit: things, hook: {{begin: {{url: "{url}/b"}}, end: {{url: "{url}/e"}}, '
        f"{source.format(file=private)}}}, parser: {{kind: json, pointer: /done, reports: total}}}}"
    )
    status, answer = add_workload(service, workload, "x")
    assert elsewhere.calls == []
    assert status == 422, answer


def tasmota(peer: Peer, **login: str) -> dict[str, Any]:
    return {"model": "tasmota.plug", "url": f"http://127.0.0.1:{peer.port}", **login}


@pytest.mark.parametrize("source", ["password_env", "password_file", "renamed"])
def test_a_password_goes_nowhere_but_where_it_was_given_for(service: Service, elsewhere: Peer, source: str) -> None:
    """Row 10: a try sent any variable, and every file that the bench names, to any host as `password=...`."""
    (bmc,) = service.get("/api/bench/entries")["bench"]["bmcs"]
    login = (
        {"password_env": "WATTMARK_TEST_TOKEN"} if source == "password_env" else {"password_file": bmc["password_file"]}
    )
    owner = {"id": "bmc"} if source == "renamed" else {}
    meter = {**tasmota(elsewhere, **login), **owner, "user": "admin"}
    status, answer = service.ask("POST", "/api/meters/try", {"meter": meter, "seconds": 1})
    assert elsewhere.calls == []
    assert status == 422, answer
    if source != "renamed":
        assert "belongs to another address" in mistake(answer)
        status, answer = Editor(service).send("PUT", "/meters/theirs", {"id": "theirs", **meter})
        assert (status, elsewhere.calls) == (422, [])


def test_a_bmc_does_not_take_its_password_to_another_host(service: Service, elsewhere: Peer) -> None:
    """Row 10, by the entry itself: the same BMC at another address, or asked in the clear."""
    (bmc,) = service.get("/api/bench/entries")["bench"]["bmcs"]
    ipmi = {"host", "port", "cipher"}
    moved = {name: value for name, value in bmc.items() if name not in ipmi}
    moved["url"] = f"redfish+http://127.0.0.1:{elsewhere.port}"
    for entry in (moved, {**bmc, "host": "127.0.0.2"}, {**bmc, "port": 624}):
        status, answer = Editor(service).send("PUT", "/bmcs/bmc", entry)
        assert status == 422, entry
        assert "belongs to another address" in mistake(answer)
    assert elsewhere.calls == []
    assert Editor(service).send("PUT", "/bmcs/bmc", {**bmc, "period_s": 3})[0] == 200


def test_a_password_given_for_an_address_is_used_there_alone(service: Service, elsewhere: Peer) -> None:
    """A new device and its new password come in over HTTP, and the password is sent to that device."""
    order = {"owner": "plug", "model": "tasmota.plug", "url": f"http://127.0.0.1:{elsewhere.port}/1"}
    assert service.ask("POST", "/api/bench/secrets", {**order, "url": "ftp://x", "password": "word"})[0] == 422
    status, stored = service.ask("POST", "/api/bench/secrets", {**order, "password": "s-e-s-a-m-e"})
    assert status == 201
    with listening_peer() as other:
        service.ask("POST", "/api/meters/try", {"meter": tasmota(elsewhere, user="u", **stored), "seconds": 1})
        assert any("s-e-s-a-m-e" in call["path"] for call in elsewhere.calls)
        status, _ = service.ask("POST", "/api/meters/try", {"meter": tasmota(other, user="u", **stored), "seconds": 1})
        assert (status, other.calls) == (422, [])


@pytest.mark.parametrize(
    "url", ["replay://{file}", "redfish://127.0.0.1:1?ca={file}", "hwmon://{file}", "serial://{file}", "rapl://{file}"]
)
def test_no_answer_tells_whether_a_file_is_there(service: Service, url: str, tmp_path: Path) -> None:
    """Row 22: a try told whether a file is there, is a file, is readable."""
    models = {"replay": "replay.log", "redfish": "redfish.bmc", "hwmon": "linux.hwmon", "rapl": "linux.rapl"}
    model = models.get(url.partition(":")[0], "wattsup.pro")
    there, empty = tmp_path / "there", tmp_path / "empty"
    there.write_text("something\n")
    empty.mkdir()
    answers = []
    for file in (there, empty, tmp_path / "absent"):
        meter = {"model": model, "url": url.format(file=file)}
        answers.append(service.ask("POST", "/api/meters/try", {"meter": meter, "seconds": 1}))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0] == 422
    assert "bench file" in mistake(answers[0][1])


def test_a_scan_opens_no_file_that_is_no_serial_port(service: Service) -> None:
    """Row 22, by the scan: it opened whatever stands in /dev."""
    answers = [
        service.ask("POST", "/api/meters/scan", {"serial": port, "timeout_s": 0.05})
        for port in ("/dev/null", "/dev/no-such-thing", "/dev/../etc/hostname")
    ]
    assert {status for status, _ in answers} == {422}
    assert all("not a serial port of this machine" in answer["cause"] for _, answer in answers[:2])


def test_what_a_person_adds_in_the_browser_still_comes_in(service: Service) -> None:
    """The list of what is harmless holds what the web app is for."""
    editor = Editor(service)
    editor.make("PUT", "/meters/new", {"id": "new", "model": "eastron.sdm120", "url": "modbus-tcp://192.0.2.1/1"})
    for number, port in enumerate(sorted(serial_port_names())[:1]):
        entry = {"id": f"line-{number}", "model": "eastron.sdm120", "url": f"modbus-rtu://{port}?device=1"}
        editor.make("PUT", f"/meters/line-{number}", entry)
    (server,) = service.get("/api/bench/entries")["bench"]["servers"]
    editor.make("PUT", "/servers/t", {**server, "id": "t", "prepare": "manual"})
    text = service.get("/api/bench/source")["text"]
    added = (
        "workloads:\n  - {uses: web.wrk, id: shop, with: {parameters: {host: shop.example, connections: 20}}}\n"
        "  - {id: outside, title: Outside, unit: things, parser: {kind: markers}}\n"
    )
    editor.make("PUT", "/source", {"text": text + added})


def test_without_sign_in_the_service_says_so(service: Service) -> None:
    """On loopback every local user is an administrator; the service says it at its start and to the first page."""
    assert "Every user of this machine has full access" in "".join(service.log)
    assert "--sign-in" in "".join(service.log)
    assert service.get("/api/session")["sign_in"] is False
