"""The unit, the image and the compose files: without rights, without secrets, and true to the program."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import create_app

from ..service.conftest import Start, start

__all__ = ["start"]
DOCKER = Path(__file__).parents[3] / "docker"
COMPOSE = ("compose.yaml", "compose.influxdb.yaml", "compose.grafana.yaml", "compose.clickhouse.yaml")


def load(name: str) -> dict[str, Any]:
    return dict(YAML(typ="safe").load(DOCKER / name))


def unit() -> dict[str, str]:
    lines = (DOCKER / "systemd/wattmark.service").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_the_unit_gives_no_rights_and_starts_what_there_is(tmp_path: Path) -> None:
    settings = unit()
    for setting, value in (
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("CapabilityBoundingSet", ""),
        ("DevicePolicy", "closed"),
        ("LimitCORE", "0"),
        ("Type", "notify"),
        ("User", "wattmark"),
        ("OOMPolicy", "continue"),
        ("OOMScoreAdjust", "-500"),
        ("MemoryMax", "90%"),
        ("TasksMax", "16384"),
    ):
        assert settings[setting] == value
    serve = subprocess.run(
        [Path(sys.executable).with_name("wattmark"), "serve", "--help"], capture_output=True, text=True
    )
    for option in re.findall(r"--[a-z-]+", settings["ExecStart"]):
        assert option in serve.stdout
    if analyse := shutil.which("systemd-analyze"):
        text = (DOCKER / "systemd/wattmark.service").read_text().replace("/opt/wattmark/bin/wattmark", "/bin/true")
        (tmp_path / "wattmark.service").write_text(text)
        done = subprocess.run([analyse, "verify", tmp_path / "wattmark.service"], capture_output=True, text=True)
        assert "wattmark.service" not in done.stderr, done.stderr


def test_the_unit_of_the_inventory_is_root_without_any_right(tmp_path: Path) -> None:
    text = (DOCKER / "systemd/wattmark-inventory.service").read_text()
    for line in ("Type=oneshot", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict", "UMask=0027",
                 "PrivateNetwork=yes", "Group=wattmark", "RuntimeDirectoryMode=0750"):  # fmt: skip
        assert line in text.splitlines()
    assert "wattmark-inventory.service" in unit()["Wants"]
    if analyse := shutil.which("systemd-analyze"):
        (tmp_path / "wattmark-inventory.service").write_text(text)
        done = subprocess.run(
            [analyse, "verify", tmp_path / "wattmark-inventory.service"], capture_output=True, text=True
        )
        assert "wattmark-inventory.service" not in done.stderr, done.stderr


def test_the_unit_keeps_its_bench_where_the_service_may_write(start: Start, tmp_path: Path) -> None:
    """Row 24 of the review: the bench lay in /etc, which ProtectSystem=strict keeps from being written."""
    settings = unit()
    _, *arguments = settings["ExecStart"].split()
    _, folder = settings["Environment"].split("=")
    assert folder == f"/var/lib/{settings['StateDirectory']}", "the one folder that the unit lets it write"
    assert_bench_is_edited(start, arguments, tmp_path)


def test_a_container_keeps_its_bench_in_the_volume(start: Start, tmp_path: Path) -> None:
    """Row 24 of the review: the bench was mounted for reading, into a file system for reading."""
    definition = load("compose.yaml")["services"]["wattmark"]
    assert definition["read_only"]
    data = re.search(r"\nENV WATTMARK_DATA_DIR=(\S+)", (DOCKER / "Dockerfile").read_text())
    assert data
    assert definition["volumes"] == [f"data:{data[1]}", "/run/wattmark-inventory:/run/wattmark-inventory:ro"]
    assert (definition["oom_score_adj"], definition["pids_limit"]) == (-500, 16384)
    assert_bench_is_edited(start, definition["command"], tmp_path)


def assert_bench_is_edited(start: Start, arguments: list[str], data: Path) -> None:
    """Start a service as a packaged form does, but on another port and folder, and edit its bench."""
    assert arguments[0] == "serve"
    assert not {"--bench", "--data"} & set(arguments)
    here = [argument for argument in arguments[1:] if argument not in {"--host", "0.0.0.0"}]
    service = start(data, *here)
    version = service.get("/api/bench")["version"]
    status, answer = service.ask("PATCH", "/api/bench", {"lab": "Packaged"}, If_Match=f'"{version}"')
    assert status == 200, answer
    assert "lab: Packaged" in (data / "bench.yaml").read_text()
    assert service.get("/healthz") == {"status": "ready", "reasons": [], "notes": []}


@pytest.mark.parametrize("name", COMPOSE)
def test_a_compose_file_holds_no_secret_and_opens_nothing_to_the_network(name: str) -> None:
    content = load(name)
    assert set(content) <= {"services", "volumes"}
    for service, definition in content["services"].items():
        assert "privileged" not in definition
        for port in definition.get("ports", []):
            assert port.startswith("127.0.0.1:")
        for variable, value in definition.get("environment", {}).items():
            if re.search("TOKEN|PASSWORD|SECRET", variable):
                assert re.fullmatch(r"\$\{\w+:\?.+\}", value), (service, variable)
        if "image" in definition:
            assert re.search(r":\d", definition["image"]), "an image without a version changes by itself"


def test_what_compose_files_mount_is_there_and_what_they_wait_for_has_a_health_check() -> None:
    services: dict[str, dict[str, Any]] = {}
    for name in COMPOSE:
        for service, definition in load(name)["services"].items():
            services[service] = {**services.get(service, {}), **definition}
    for definition in services.values():
        for volume in definition.get("volumes", []):
            if isinstance(volume, str) and volume.startswith("./"):
                assert (DOCKER / volume.partition(":")[0]).exists()
        for needed in definition.get("depends_on", {}):
            assert services[needed]["healthcheck"]["test"]


def test_the_image_runs_without_rights_and_asks_a_route_that_there_is() -> None:
    text = (DOCKER / "Dockerfile").read_text()
    final = text[text.rindex("\nFROM ") :]
    user = re.search(r"\nUSER ([1-9]\d*)\n", final)
    assert user
    assert f"--uid {user[1]} " in final
    assert "--require-hashes" in final
    asked = re.search(r"http://127\.0\.0\.1:8400(/[\w/]+)", final)
    assert asked
    assert asked[1] in create_app(None, AccessPolicy.for_address("127.0.0.1")).openapi()["paths"]
    assert "RUN make package" in text


def test_the_file_with_the_passwords_of_the_compose_files_goes_into_no_image_and_no_commit() -> None:
    """`COPY . .` takes what stands beside the compose files into a layer, and layers are pushed and cached."""
    root = DOCKER.parent
    assert "**/.env" in (root / ".dockerignore").read_text().split()
    assert ".env" in (root / ".gitignore").read_text().split()
