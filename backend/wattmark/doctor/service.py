"""The service's port and the bench file."""

from __future__ import annotations

import errno
import http.client
import json
import socket
from contextlib import closing
from pathlib import Path

from wattmark.appliance.bench import load_known_bench
from wattmark.doctor.finding import Finding
from wattmark.errors import InputError

_PATIENCE_S = 3.0


def port(host: str, number: int) -> Finding:
    """Tell whether the service answers on its port, something else does, or it is free."""
    subject = f"port {number}"
    if _wattmark_answers(host, number):
        return Finding(subject, "ok", "a wattmark service answers")
    try:
        with socket.create_server((host, number)):
            return Finding(subject, "ok", f"free on {host}; no service runs there")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return Finding(subject, "warning", "in use by another program", "Choose another: wattmark serve --port N.")
        return Finding(subject, "warning", f"cannot be used: {error.strerror}", "Choose another --host or --port.")


def bench(path: Path | None) -> Finding:
    """Check the bench file of the settings."""
    if path is None:
        return Finding("bench file", "ok", "none named (give --bench FILE or WATTMARK_BENCH to check one)")
    try:
        found = load_known_bench(path)
    except InputError as error:
        return Finding(
            "bench file", "problem", error.cause, error.remedy or "Correct it; `wattmark bench check` helps."
        )
    counts = f"{len(found.servers)} servers, {len(found.meters)} meters, {len(found.plans)} plans"
    return Finding("bench file", "ok", f"{path}: {counts}")


def _wattmark_answers(host: str, number: int) -> bool:
    with closing(http.client.HTTPConnection(host, number, timeout=_PATIENCE_S)) as connection:
        try:
            connection.request("GET", "/healthz/live")
            return bool(json.loads(connection.getresponse().read(1000)).get("status") == "alive")
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return False
