"""Write what a build of wattmark is made of, as CycloneDX JSON: the locked requirements, and the parts of the web app.

usage: sbom.py FILE

cyclonedx-py reads requirements.lock, npm its own lock. Licences of Python packages are those that installed packages
state. Package URLs name where a part comes from: addresses of registries and paths of this machine are not in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SHORT = 80
"""Longest licence field that names a licence; a longer one is its text."""
_CLASSIFIER = "License :: OSI Approved :: "


def bill() -> dict[str, Any]:
    """Compose the bill of materials of the working tree."""
    version = str(metadata("wattmark")["Version"])
    python = _run([sys.executable, "-m", "cyclonedx_py", "requirements", "requirements.lock", "--of", "JSON"], ROOT)
    components = [*map(_python_part, python["components"]), *_web_parts(ROOT / "frontend")]
    at_s = int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.now(UTC).timestamp())
    purl = f"pkg:pypi/wattmark@{version}"
    whole = {"type": "application", "bom-ref": purl, "name": "wattmark", "version": version, "purl": purl}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {**whole, "licenses": [{"expression": metadata("wattmark")["License-Expression"]}]},
        },
        "components": sorted(components, key=lambda part: part["purl"]),
    }


def _run(command: list[str], folder: Path) -> dict[str, Any]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-500:]}")
    return dict(json.loads(done.stdout))


def _python_part(part: dict[str, Any]) -> dict[str, Any]:
    """Keep the hashes of all files of a version: each platform has its own wheel."""
    hashes = [known for reference in part.get("externalReferences", []) for known in reference.get("hashes", [])]
    files = {"type": "distribution", "url": part["purl"], "hashes": hashes}
    return {**_named(part), **_licences(part["name"]), "externalReferences": [files]}


def _web_parts(folder: Path) -> list[dict[str, Any]]:
    """List what the web app is made of. npm's own ``--omit dev`` would leave Vue out, on which tools depend, too."""
    lock = json.loads((folder / "package-lock.json").read_text("utf-8"))
    shipped = {
        (place.rpartition("node_modules/")[2], entry["version"])
        for place, entry in lock["packages"].items()
        if place and not entry.keys() & {"dev", "devOptional", "optional"}
    }
    parts = _run(["npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], folder)["components"]
    return [
        {**_named(part), **{key: part[key] for key in ("hashes", "licenses") if part.get(key)}}
        for part in parts
        if (part["name"], part["version"]) in shipped
    ]


def _named(part: dict[str, Any]) -> dict[str, Any]:
    named = {key: part[key] for key in ("type", "group", "name", "version", "purl") if key in part}
    return {**named, "bom-ref": part["purl"]}


def _licences(name: str) -> dict[str, Any]:
    """Read the licence that an installed package states; one for another platform is not installed, and has none."""
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return {}
    if expression := stated["License-Expression"]:
        return {"licenses": [{"expression": expression}]}
    names = [
        text.removeprefix(_CLASSIFIER) for text in stated.get_all("Classifier", []) if text.startswith(_CLASSIFIER)
    ]
    field = (stated["License"] or "").strip()
    if not names and field and "\n" not in field and len(field) <= SHORT:
        names = [field]
    return {"licenses": [{"license": {"name": text}} for text in names]} if names else {}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(f"{json.dumps(bill(), indent=1, ensure_ascii=False)}\n", "utf-8")
