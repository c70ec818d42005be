"""The meter that this machine remembers: an entry of the bench in the data folder, as the web app writes it."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from wattmark_drivers.catalogue import find_model
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.editing.editor import BenchEditor
from wattmark.bench.editing.plain import Document, Edit, EntryPlace, put_entry
from wattmark.core.errors import InputError
from wattmark.measurements.choice import local_server, this_machine

DEFAULT = "default"
"""Name of the entry; another meter that is remembered takes its place."""
CPU_INFO, OS_RELEASE = Path("/proc/cpuinfo"), Path("/etc/os-release")


def remember(editor: BenchEditor, settings: MeterSettings, password_file: Path | None) -> str:
    """Make a meter the one that measures this machine; returns the name of the server in the bench.

    A server for this machine is added where the bench has none. Raises `WattmarkError`.
    """
    server = local_server(editor.bench)
    name = server.id if server else this_machine()
    entry = EntryPlace("meters", DEFAULT)
    meter = put_entry(entry, _meter(settings, name, password_file))
    added = None if server else put_entry(EntryPlace("servers", name), _server(name))

    def apply(document: Document) -> Document:
        return meter.apply(added.apply(document) if added else document)

    editor.write(editor.prepare(Edit(apply, meter.title), editor.version))
    return name


def _meter(settings: MeterSettings, server: str, password_file: Path | None) -> dict[str, Any]:
    """Write the entry of a meter. Raises `InputError` for what an entry cannot hold."""
    if settings.timeout_s is not None:
        raise InputError("A bench has no timeout of a meter, so timeout_s is not remembered.", "Leave it out.")
    usual_s = find_model(settings.model).rhythm.update_period_s
    entry: dict[str, Any] = {"id": DEFAULT, "model": settings.model, "url": settings.url, "feeds": [{"server": server}]}
    optional = {
        "user": settings.username,
        "password_file": str(password_file.resolve()) if password_file else None,
        "period_s": settings.period_s if settings.period_s != usual_s else None,
        "range": settings.range,
        "options": settings.options or None,
    }
    return entry | {name: value for name, value in optional.items() if value is not None}


def _server(name: str) -> dict[str, Any]:
    """Describe this machine as far as its system says."""
    cpu = {"model": _value(CPU_INFO, "model name", ":") or platform.machine(), "threads": os.cpu_count() or 1}
    system = {"name": _value(OS_RELEASE, "PRETTY_NAME", "=") or platform.system(), "kernel": platform.release()}
    return {"id": name, "access": {"local": True}, "configurations": [{"id": "as-is", "cpu": cpu, "os": system}]}


def _value(file: Path, key: str, sign: str) -> str:
    """Read the first value of a key in a file of lines; empty where it has none."""
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    pairs = (line.partition(sign) for line in lines)
    return next((value.strip().strip('"') for name, _, value in pairs if name.strip() == key), "")
