"""The bill of materials of a build: all that is locked, with hashes and licences, and nothing of this machine."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file as `make package` writes it."""
    file = tmp_path_factory.mktemp("dist") / "wattmark.cdx.json"
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    environment = {"PATH": path, "SOURCE_DATE_EPOCH": "1800000000"}
    subprocess.run([sys.executable, ROOT / "docker/sbom.py", file], check=True, env=environment)
    return file.read_text("utf-8")


@pytest.fixture(scope="module")
def bill(text: str) -> dict[str, Any]:
    return dict(json.loads(text))


def test_it_is_cyclonedx_by_its_own_schema(text: str) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def test_it_names_wattmark_and_when_it_was_made(bill: dict[str, Any]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    whole = bill["metadata"]["component"]
    assert (whole["name"], whole["version"]) == ("wattmark", project["version"])
    assert whole["licenses"] == [{"expression": project["license"]}]
    assert bill["metadata"]["timestamp"] == "2027-01-15T08:00:00Z"


def test_every_locked_requirement_is_in_it_with_all_of_its_hashes(bill: dict[str, Any]) -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    locked = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock, re.MULTILINE)
    parts = [part for part in bill["components"] if part["purl"].startswith("pkg:pypi/")]
    assert sorted((part["name"], part["version"]) for part in parts) == sorted(locked)
    hashes = {known["content"] for part in parts for known in part["externalReferences"][0]["hashes"]}
    assert hashes == set(re.findall(r"--hash=sha256:([0-9a-f]{64})", lock))


def test_the_web_app_is_in_it_with_hashes_and_licences_and_its_tools_are_not(bill: dict[str, Any]) -> None:
    parts = {part["name"]: part for part in bill["components"] if part["purl"].startswith("pkg:npm/")}
    declared = json.loads((ROOT / "frontend/package.json").read_text("utf-8"))
    assert set(declared["dependencies"]) <= set(parts)
    assert not set(declared["devDependencies"]) & set(parts)
    assert all(part["hashes"] and part["licenses"] for part in parts.values())


def test_the_licence_that_binds_whoever_passes_it_on_is_named(bill: dict[str, Any]) -> None:
    (kasa,) = [part for part in bill["components"] if part["name"] == "python-kasa"]
    assert "General Public License v3" in json.dumps(kasa["licenses"]) or "GPL-3.0" in json.dumps(kasa["licenses"])
    known = [part for part in bill["components"] if "licenses" in part]
    assert len(known) >= 0.95 * len(bill["components"])


def test_it_names_no_registry_and_no_place_of_this_machine(text: str) -> None:
    assert set(re.findall(r"https?://([^/\"\s]+)", text)) == {"cyclonedx.org"}
    assert str(ROOT) not in text
    assert str(Path.home()) not in text
    assert socket.gethostname() not in text
