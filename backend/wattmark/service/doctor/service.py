"""The service's port and the bench file."""

from __future__ import annotations

import errno
import http.client
import json
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Literal

from wattmark.bench.bench import Bench
from wattmark.bench.editing.bench_file import WAY_OUT, BenchFile
from wattmark.bench.instruments import Bmc, Meter
from wattmark.bench.passwords import password_reader, secret_reader
from wattmark.core.errors import InputError
from wattmark.instruments.entries import own_port_remarks
from wattmark.instruments.known_bench import OWN_BENCH, load_known_bench
from wattmark.notices.channel import secrets_of, target_of
from wattmark.notices.sendmail import sendmail_program
from wattmark.service.doctor.finding import Finding

_PATIENCE_S = 3.0
_LONGEST_ANSWER = 2**20
_SAID: tuple[tuple[str, Literal["problem", "warning"]], ...] = (("reasons", "problem"), ("notes", "warning"))


def port(host: str, number: int) -> Finding:
    """Check whether the service answers on its port, another program does, or it is free."""
    subject = f"port {number}"
    if _answer(host, number, "/healthz/live").get("status") == "alive":
        return Finding(subject, "ok", "a wattmark service answers")
    try:
        with socket.create_server((host, number)):
            return Finding(subject, "ok", f"free on {host}; no service runs there")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return Finding(
                subject, "warning", "in use by another program", "Choose another port: wattmark serve --port N."
            )
        return Finding(subject, "warning", f"cannot be used: {error.strerror}", "Choose another --host or --port.")


def running(host: str, number: int) -> Iterator[Finding]:
    """Report the state of the service on the port: what keeps it from measuring, and what else fails."""
    readiness = _answer(host, number, "/healthz")
    where = f"See the page Live at http://{host}:{number} and the log of the service."
    for field, state in _SAID:
        texts = readiness.get(field)
        for text in texts if isinstance(texts, list) else []:
            yield Finding("service", state, str(text), where)


def bench(path: Path | None, data_dir: Path, environment: Mapping[str, str], number: int = 0) -> Iterator[Finding]:
    """Check the bench file of the settings, else that of the data folder, the passwords that it names and its ports.

    ``number`` is the port of the service; 0: any free one.
    """
    own = data_dir / OWN_BENCH
    path = path or (own if own.is_file() else None)
    if path is None:
        yield Finding("bench file", "ok", "none given (set --bench FILE or WATTMARK_BENCH to check one)")
        return
    try:
        description = load_known_bench(path)
    except InputError as error:
        remedy = error.remedy or "Correct the file; `wattmark bench check` shows the errors."
        yield Finding("bench file", "problem", error.cause, remedy)
        return
    counts = f"{len(description.servers)} servers, {len(description.meters)} meters, {len(description.plans)} plans"
    yield Finding("bench file", "ok", f"{path}: {counts}")
    if BenchFile(path).fixed:
        yield Finding("bench editor", "warning", f"{path} cannot be written by this user", WAY_OUT)
    yield from passwords(description, environment)
    yield from open_ports(description, environment)
    yield from notified(description, environment)
    for remark in own_port_remarks(description, number):
        yield Finding("gateway", "warning", remark)


def open_ports(bench: Bench, environment: Mapping[str, str]) -> Iterator[Finding]:
    """List the ports that the gateway opens to other machines, and the passwords of it that cannot be read."""
    for entry in bench.speak:
        subject = f"gateway {entry.name}"
        if entry.open_beyond:
            who = "whoever knows its password" if entry.has_password else "everybody who reaches this machine"
            readable = ", which crosses the network unencrypted" if entry.leaves_readably else ""
            yield Finding(subject, "ok", f"{entry.what} is open beyond this machine, to {who}{readable}")
        owner = f"the gateway ({entry.name})"
        yield from _readable(
            subject, secret_reader(entry.password_env, entry.password_file, bench.folder, owner, environment)
        )


def notified(bench: Bench, environment: Mapping[str, str]) -> Iterator[Finding]:
    """List who is told what happens, and what of it cannot work."""
    for entry in bench.notify:
        subject = f"notify {entry.id}"
        yield Finding(subject, "ok", f"by {entry.by} to {target_of(entry)}: {', '.join(entry.events)}")
        if entry.by == "mail" and sendmail_program() is None:
            yield Finding(
                subject, "warning", "there is no sendmail", "Install a package that has it, such as msmtp-mta."
            )
        for read in secrets_of(entry, bench.folder, environment):
            yield from _readable(subject, read)


def _readable(subject: str, read: Callable[[], str] | None) -> Iterator[Finding]:
    """Report a password that cannot be read."""
    if read is None:
        return
    try:
        read()
    except InputError as error:
        yield Finding(subject, "warning", error.cause, error.remedy)


def _answer(host: str, number: int, path: str) -> dict[str, object]:
    """Ask a service about itself; empty where no wattmark answers."""
    with closing(http.client.HTTPConnection(host, number, timeout=_PATIENCE_S)) as connection:
        try:
            connection.request("GET", path)
            answer = json.loads(connection.getresponse().read(_LONGEST_ANSWER))
        except (OSError, ValueError, RecursionError, http.client.HTTPException):
            return {}
    return answer if isinstance(answer, dict) else {}


def passwords(bench: Bench, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check that each password can be read. The service's environment may differ from that of this command."""
    entries: list[Meter | Bmc] = [*bench.meters, *bench.bmcs]
    for entry in entries:
        for privacy in (False, True):
            read = password_reader(entry, bench.folder, environment, privacy=privacy)
            yield from _readable(f"password {entry.id}", read)
