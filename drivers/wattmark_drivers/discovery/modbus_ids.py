"""Device ids on one Modbus line: who answers, and as which model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import Declaration
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.discovery.fit import Fit, fit_models
from wattmark_drivers.discovery.found import FoundDevice
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.meter_url import schemes
from wattmark_drivers.modbus.line import ExceptionReply, ModbusLine, NoAnswer
from wattmark_drivers.modbus.request import Request

MOST_IDS = 247
GATEWAY_CODES = (0x0A, 0x0B)
"""A gateway has no path to the device, or the device does not answer it (Modbus application protocol V1.1b3, 7)."""
LEAST_TESTS = 3
"""With fewer telling tests passed a model is a guess."""
QUIET_S = 0.5


def parse_ids(text: str) -> list[int]:
    """Read device ids such as "1-10,17". Raises `ConfigurationError` for anything but ids from 1 to 247."""
    remedy = f"Write ids from 1 to {MOST_IDS}, such as 1-10 or 1,5,17."
    ids: set[int] = set()
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        ends = (low, high if dash else low)
        if not all(end.isascii() and end.isdecimal() and 1 <= int(end) <= MOST_IDS for end in ends):
            raise ConfigurationError(f"{text[:60]!r} is not a range of unit ids.", remedy)
        ids.update(range(int(ends[0]), int(ends[1]) + 1))
    if not ids:
        raise ConfigurationError(f"{text[:60]!r} contains no unit id.", remedy)
    return sorted(ids)


async def scan_modbus(
    url_of: Callable[[int], str],
    ids: Iterable[int],
    *,
    timeout_s: float,
    clock: Clock | None = None,
    on_id: Callable[[int], None] = lambda _: None,
) -> list[FoundDevice]:
    """Probe each unit id on one line for a register, then read those that answer as every model of the scheme.

    ``url_of`` writes the URL of an id; ``on_id`` hears which id is asked. Raises `ConfigurationError` for a wrong
    place, `ConnectionFailed` where the line itself cannot be opened.
    """
    clock = clock or SystemClock()
    models = schemes()[urlsplit(url_of(1)).scheme]
    devices = []
    for device_id in ids:
        on_id(device_id)
        url = url_of(device_id)
        if await _answers(url, device_id, models[0], timeout_s, clock):
            fits = await fit_models(url, models, timeout_s=timeout_s, clock=clock, least=1)
            devices.append(_found(url, fits))
    return devices


async def _answers(url: str, device_id: int, model: Declaration, timeout_s: float, clock: Clock) -> bool:
    """Return whether a device answers to a unit id, even by a refusal; a gateway's "no device" does not count."""
    address, _ = parse_address(url, model, "the line")
    line = ModbusLine(address, clock)
    try:
        await line.read(Request(device_id, 4, 0, 2, timeout_s, 0.0, QUIET_S))
    except NoAnswer:
        return False
    except ExceptionReply as refusal:
        return refusal.code not in GATEWAY_CODES
    except BadReply:
        return True
    finally:
        line.close()
    return True


def _found(url: str, fits: list[Fit]) -> FoundDevice:
    if not fits:
        return FoundDevice(
            url, "a Modbus device that fits no model of the catalogue", note="Its registers are not known here."
        )
    identity = fits[0].identity
    glue = "&" if "?" in url else "?"
    details = [f"serial {identity.serial}" if identity.serial else "", "simulated" if identity.simulated else ""]
    return FoundDevice(
        where=url,
        what=", ".join(["a Modbus meter", *(word for word in details if word)]),
        models=tuple(fit.model for fit in fits),
        urls=tuple(f"{url}{glue}model={fit.model}" for fit in fits),
        note=_doubt(fits),
    )


def _doubt(fits: list[Fit]) -> str:
    if fits[0].passed < LEAST_TESTS:
        return "A guess: few of its values can be tested. The nameplate decides."
    return "Several models share these registers: the nameplate decides." if len(fits) > 1 else ""
