"""Named hosts: BMCs, plugs and instruments that identify themselves without a password."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wattmark_drivers.catalogue import Declaration
from wattmark_drivers.catalogue.kasa_map import KasaMap
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.discovery.fit import fit_models
from wattmark_drivers.discovery.found import FoundDevice
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.kasa import xor
from wattmark_drivers.kasa.values import who_is
from wattmark_drivers.meter_url import schemes

MOST_HOSTS = 64
MOST_BYTES = 1 << 16
ASK_IPMI = bytes.fromhex("0600ff07000000000000000000092018c88100380e0435")
"""Get Channel Authentication Capabilities outside any session (IPMI 2.0, 13.6 and 22.13): any BMC answers it."""
KLAP_HELLO_BYTES = 48
"""A seed of 16 bytes and a hash of 32."""
IPMI_PORT, MODBUS_PORT, SCPI_PORT = 623, 502, 5025


@dataclass(frozen=True, slots=True)
class Host:
    """A host, and the only port to probe; None probes the usual ports."""

    name: str
    port: int | None = None

    def at(self, usual: int) -> int:
        """Choose the port."""
        return usual if self.port is None else self.port

    def place(self, usual: int) -> str:
        """Write host and port, the usual port excluded."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.at(usual) == usual else f"{name}:{self.port}"


def parse_hosts(text: str) -> list[Host]:
    """Read "bmc1,10.0.0.7,plug:8080,[fe80::1]:80". Raises `ConfigurationError`; ranges and networks are refused."""
    remedy = f"Write up to {MOST_HOSTS} names or addresses, each with :PORT where it is not the usual one."
    hosts = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%\w]+)\]|([A-Za-z0-9][A-Za-z0-9._-]*))(?::(\d{1,5}))?", part)
        if match is None or int(match[3] or 1) not in range(1, 65536):
            raise ConfigurationError(f"{part[:60]!r} is not a host.", remedy)
        hosts.append(Host(match[1] or match[2], int(match[3]) if match[3] else None))
    if not 1 <= len(hosts) <= MOST_HOSTS:
        raise ConfigurationError(f"{len(hosts)} hosts are listed.", remedy)
    return hosts


async def scan_host(host: Host, *, timeout_s: float, clock: Clock | None = None) -> list[FoundDevice]:
    """Probe one host with all protocols at once; a service that does not answer in time counts as absent.

    Those of several questions bound each of them by ``timeout_s``.
    """
    clock = clock or SystemClock()
    answers = await asyncio.gather(
        *(_in_time(probe, timeout_s) for probe in (_modbus(host), _instrument(host), _kasa(host))),
        *(
            _in_time(probe, 10 * timeout_s)
            for probe in (_ipmi(host), _redfish(host, timeout_s), _plug(host, timeout_s, clock), _klap(host, timeout_s))
        ),
    )
    return [answer for answer in answers if answer is not None]


async def _in_time(probe: Any, limit_s: float) -> FoundDevice | None:
    """Wait for a probe; unexpected data of an unknown device is not an error."""
    with contextlib.suppress(
        OSError, ValueError, UnicodeError, RecursionError, http.client.HTTPException, asyncio.IncompleteReadError
    ):
        async with asyncio.timeout(limit_s):
            device: FoundDevice | None = await probe
            return device
    return None


async def _ipmi(host: Host, wait_s: float = 1.0) -> FoundDevice | None:
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[bytes] = loop.create_future()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: _Datagrams(answer), remote_addr=(host.name, host.at(IPMI_PORT))
    )
    try:
        for _ in range(2):
            transport.sendto(ASK_IPMI)
            done, _ = await asyncio.wait([answer], timeout=wait_s)
            if done:
                break
    finally:
        transport.close()
    if not answer.done() or answer.result()[:4] != ASK_IPMI[:4]:
        answer.cancel()
        return None
    where = f"ipmi://{host.place(IPMI_PORT)}"
    note = "Power is read after log-in: add --user and --password-file."
    return FoundDevice(where, "a BMC that speaks IPMI", ("ipmi.bmc",), (f"{where}?cipher=3",), note)


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, answer: asyncio.Future[bytes]) -> None:
        self._answer = answer

    def datagram_received(self, data: bytes, _addr: Any) -> None:
        if not self._answer.done():
            self._answer.set_result(data)

    def error_received(self, exc: Exception) -> None:
        if not self._answer.done():
            self._answer.set_exception(exc)


async def _redfish(host: Host, timeout_s: float) -> FoundDevice | None:
    for secure, scheme, usual in ((True, "redfish", 443), (False, "redfish+http", 80)):
        root = await asyncio.to_thread(_get_json, host.name, host.at(usual), "/redfish/v1/", timeout_s, secure)
        if root and "RedfishVersion" in root:
            where = f"{scheme}://{host.place(usual)}"
            words = f"a BMC that speaks Redfish {str(root['RedfishVersion'])[:20]}"
            note = "Power is read after log-in: add --user and --password-file."
            return FoundDevice(where, words, ("redfish.bmc",), (where,), note)
    return None


async def _modbus(host: Host) -> FoundDevice | None:
    if host.port is not None:
        return None
    _, writer = await asyncio.open_connection(host.name, MODBUS_PORT)
    writer.close()
    return FoundDevice(
        f"modbus-tcp://{host.place(MODBUS_PORT)}",
        "an open Modbus TCP port",
        note=f"Look behind it with --modbus-tcp {host.name} --ids 1-10.",
    )


async def _instrument(host: Host) -> FoundDevice | None:
    reader, writer = await asyncio.open_connection(host.name, host.at(SCPI_PORT))
    try:
        writer.write(b"*IDN?\n")
        line = (await reader.readuntil(b"\n")).decode("ascii", "replace").strip()
    finally:
        writer.close()
    if line.count(",") < 2 or not line.isprintable():
        return None
    speakers = schemes().get("scpi-tcp", [])
    models = tuple(sorted(item.id for item in speakers if _identifies(item, line)))
    where = f"scpi-tcp://{host.place(0)}:{host.at(SCPI_PORT)}" if host.port is None else f"scpi-tcp://{host.place(0)}"
    maker, model = line.split(",")[:2]
    urls = tuple(f"{where}?model={name}" for name in models)
    return FoundDevice(where, f"an instrument: {maker.strip()[:40]} {model.strip()[:40]}", models, urls)


def _identifies(declaration: Declaration, line: str) -> bool:
    """Return whether an instrument's own words are those that the declaration knows its model by."""
    table = declaration.protocol
    return isinstance(table, ScpiMap) and re.fullmatch(table.identification.pattern, line) is not None


async def _plug(host: Host, timeout_s: float, clock: Clock) -> FoundDevice | None:
    answer = await asyncio.to_thread(_get_json, host.name, host.at(80), "/", timeout_s, False)
    if answer is None:
        return None
    where = f"http://{host.place(80)}"
    fits = await fit_models(where, schemes().get("http", []), timeout_s=timeout_s, clock=clock, least=0)
    if not fits:
        return None
    if fits[0].locked:
        note = "Log in to tell which plug it is: `meter check URL?model=MODEL` with user and password."
        return FoundDevice(where, "a device with a web server that asks for a password", note=note)
    models = tuple(fit.model for fit in fits)
    return FoundDevice(
        where, f"a plug: {fits[0].identity.title}", models, tuple(f"{where}?model={model}" for model in models)
    )


async def _kasa(host: Host) -> FoundDevice | None:
    """Query the identity of a TP-Link plug of the old protocol, which needs no login."""
    reader, writer = await asyncio.open_connection(host.name, host.at(xor.PORT))
    try:
        writer.write(xor.encode(b'{"system":{"get_sysinfo":{}}}'))
        length = int.from_bytes(await reader.readexactly(4), "big")
        if length > xor.MOST_BYTES:
            return None
        who = who_is("iot", json.loads(xor.decode(await reader.readexactly(length))))
    finally:
        writer.close()
    if who.model is None:
        return None
    return _tp_link(host.place(xor.PORT), f"a TP-Link {who.model[:20]}", who.model)


async def _klap(host: Host, timeout_s: float) -> FoundDevice | None:
    """Start a KLAP handshake without credentials; the reply proves the protocol."""
    answer = await asyncio.to_thread(_post, host.name, host.at(80), "/app/handshake1", bytes(16), timeout_s)
    if len(answer) != KLAP_HELLO_BYTES:
        return None
    device = _tp_link(host.place(80), "a TP-Link plug or switch that speaks KLAP", None, "protocol=klap2")
    return replace(device, note="Power is read after log-in: user and password of the TP-Link account.")


def _tp_link(place: str, words: str, model: str | None, query: str = "") -> FoundDevice:
    """Name the models of the dialect that a device may be: all of Tapo's where it does not report its model."""
    tables = {item.id: item.protocol for item in schemes().get("kasa", [])}
    fits = tuple(
        name
        for name, table in sorted(tables.items())
        if isinstance(table, KasaMap) and (table.dialect == "smart" if model is None else model in table.models)
    )
    where = f"kasa://{place}"
    urls = tuple(f"{where}?{query + '&' if query else ''}model={name}" for name in fits)
    return FoundDevice(where, words, fits, urls)


def _post(host: str, port: int, path: str, body: bytes, timeout_s: float) -> bytes:
    """Post bytes and return the body of an answer with status 200; empty for any other."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("POST", path, body)
        answer = connection.getresponse()
        return answer.read(MOST_BYTES) if answer.status == 200 else b""
    finally:
        connection.close()


def _get_json(host: str, port: int, path: str, timeout_s: float, secure: bool) -> dict[str, Any] | None:
    """Get a document without log-in and without trust in a certificate; {} for any other answer, None for none."""
    connection: http.client.HTTPConnection
    if secure:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=timeout_s, context=context)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", path, headers={"Accept": "application/json"})
        body = connection.getresponse().read(MOST_BYTES)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


async def scan_hosts(hosts: Sequence[Host], *, timeout_s: float) -> list[FoundDevice]:
    """Probe all named hosts at once."""
    answers = await asyncio.gather(*(scan_host(host, timeout_s=timeout_s) for host in hosts))
    return [device for per_host in answers for device in per_host]
