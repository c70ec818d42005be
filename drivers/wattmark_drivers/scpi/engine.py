"""Offer the engine for analysers to the factory."""

from __future__ import annotations

from typing import Any

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.scpi_map import LINE_ENDS, ScpiMap
from wattmark_drivers.clock import Clock
from wattmark_drivers.engine import Engine
from wattmark_drivers.scpi.address import SCHEMES, ScpiAddress, SerialAddress, TcpAddress
from wattmark_drivers.scpi.byte_link import SerialLink, TcpLink
from wattmark_drivers.scpi.links import Link
from wattmark_drivers.scpi.meter import ScpiMeter
from wattmark_drivers.scpi.visa_link import VisaLink, load_pyvisa
from wattmark_drivers.settings import MeterSettings


def make_link(address: ScpiAddress, table: ScpiMap, clock: Clock) -> Link:
    """Create the link for an address without opening it."""
    scheme = {TcpAddress: "scpi-tcp", SerialAddress: "serial"}.get(type(address), "visa")
    send_end = LINE_ENDS[table.send_end.get(scheme, "lf")]
    reply_end = LINE_ENDS[table.reply_end.get(scheme, "lf")]
    if isinstance(address, TcpAddress):
        return TcpLink(address, clock, send_end=send_end, reply_end=reply_end)
    if isinstance(address, SerialAddress):
        rts_cts = table.handshake == "rts-cts"
        return SerialLink(address, clock, send_end=send_end, reply_end=reply_end, rts_cts=rts_cts)
    return VisaLink(address, send_end=send_end.decode("ascii"))


def make_meter(
    settings: MeterSettings,
    declaration: Declaration,
    table: Any,
    address: Any,
    *,
    timeout_s: float,
    clock: Clock,
) -> ScpiMeter:
    """Create a meter. Raises `ConfigurationError` for a wrong option, or where the extra ``visa`` is missing."""
    if not isinstance(address, TcpAddress | SerialAddress):
        load_pyvisa()
    return ScpiMeter(
        settings,
        declaration,
        table,
        address.label,
        lambda: make_link(address, table, clock),
        timeout_s=timeout_s,
        clock=clock,
    )


ENGINE = Engine(SCHEMES, make_meter)
