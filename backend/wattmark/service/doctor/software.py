"""What is installed with wattmark: its libraries, its web app, its extras."""

from __future__ import annotations

import platform
from collections.abc import Iterator

import apsw

from wattmark.core.extras import EXTRAS, installed
from wattmark.core.version import version
from wattmark.service.app import UI
from wattmark.service.doctor.finding import Finding

SQLITE_WITHOUT_WAL_RACE = (3, 51, 3)


def software() -> Iterator[Finding]:
    """Check versions and optional parts."""
    yield Finding("wattmark", "ok", f"{version()} on Python {platform.python_version()}, {platform.platform()}")
    yield sqlite(apsw.sqlite_lib_version())
    yield _web_app()
    for extra in EXTRAS:
        yield _extra(extra)


def sqlite(version: str) -> Finding:
    """Evaluate a version of SQLite."""
    if tuple(int(part) for part in version.split(".")) >= SQLITE_WITHOUT_WAL_RACE:
        return Finding("SQLite", "ok", f"{version} (inside apsw {apsw.apsw_version()})")
    remedy = "Install the locked apsw: versions before 3.51.3 can lose commits when two connections checkpoint."
    return Finding("SQLite", "problem", version, remedy)


def _web_app() -> Finding:
    if (UI / "index.html").is_file():
        return Finding("web app", "ok", "built in")
    return Finding("web app", "warning", "not built into this installation", "Run `make ui`, or install the wheel.")


def _extra(extra: str) -> Finding:
    if installed(extra):
        return Finding(f"extra {extra}", "ok", "installed")
    return Finding(f"extra {extra}", "ok", f"not installed; pip install 'wattmark[{extra}]' adds it")
