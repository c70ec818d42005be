"""Which meter the two words of a power daemon's command line mean: the type of the device and its port."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode, urlsplit

from wattmark_drivers.catalogue import Declaration, find_model
from wattmark_drivers.meter_url import is_url, parse_meter_url
from wattmark_drivers.settings import MeterSettings

from wattmark.core.errors import InputError

WT210, WT310, WT330, WT500 = "yokogawa.wt210", "yokogawa.wt310e", "yokogawa.wt330e", "yokogawa.wt500"
TYPES = {
    0: WT310,
    8: WT210,
    35: WT500,
    47: "yokogawa.wt1800e",
    48: WT500,
    49: WT310,
    52: WT330,
    66: "yokogawa.wt5000",
    77: WT330,
    508: WT210,
    549: WT310,
    586: WT330,
}
"""Numbers of device types as PTDaemon has them, and the model that each is; 0 is a device that does not exist."""
DUMMY = 0
DIRECT_CURRENT = (508, 549, 586)
THERMOMETERS = (1000, 1005)
MODE = "measuring_mode"
NETWORK = ("vxi11", "hislip", "scpi-tcp")
"""Ways to an analyser on a network, the usual one first."""


@dataclass(frozen=True, slots=True)
class Interface:
    """The flags of the interface: GPIB, network, USB."""

    gpib: bool = False
    network: bool = False
    usb: bool = False
    direct_current: bool = False


def device_settings(kind: str, device: str, interface: Interface, channels: tuple[int, ...]) -> MeterSettings:
    """Find the settings of the device. Raises `InputError` or `ConfigurationError` with what is allowed."""
    number = int(kind) if kind.isascii() and kind.isdecimal() and len(kind) < 6 else None
    if number in THERMOMETERS:
        raise InputError(f"Type {number} is a thermometer, which wattmark does not read.", "Omit its daemon.")
    if number is not None and number not in TYPES:
        listed = ", ".join(map(str, TYPES))
        raise InputError(f"There is no device type {number}.", f"Types: {listed}; or name a model of the catalogue.")
    model = find_model(kind if number is None else TYPES[number])
    settings = parse_meter_url(_url(model, device, interface, simulated=number == DUMMY))
    if settings.model != model.id and number is None:
        raise InputError(
            f"The address names the model {settings.model}, and the type is {model.id}.", "Name the same model twice."
        )
    options = dict(settings.options)
    names = find_model(settings.model).protocol.option_names
    if interface.direct_current or number in DIRECT_CURRENT:
        if MODE not in names:
            raise InputError(f"{settings.model} has no mode for direct current.", "Omit -D.")
        options[MODE] = "DC"
    if channels and "elements" in names:
        options["elements"] = ",".join(map(str, channels))
    return replace(settings, options=options)


def parse_channels(text: str | None) -> tuple[int, ...]:
    """Read `-c CHANNEL` or `-c FIRST,COUNT`. Raises `InputError`."""
    if text is None:
        return ()
    words = text.split(",")
    numbers = [int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 4]
    if len(numbers) != len(words) or len(numbers) > 2 or not all(1 <= number <= 16 for number in numbers):
        raise InputError(f"-c {text[:40]} is no channel.", "Write a channel, or the first one and how many: 1,2.")
    first, count = (*numbers, 1)[:2]
    return tuple(range(first, first + count))


def _url(model: Declaration, device: str, interface: Interface, *, simulated: bool) -> str:
    """Write the address of a device that is named as a port."""
    if is_url(device):
        return _with_model(device, model.id)
    if simulated:
        return f"simulated://?{urlencode({'model': model.id})}"
    schemes = {transport.scheme for transport in model.reached_by}
    if device.startswith("/"):
        return _with_model(f"serial://{device}", model.id)
    if interface.gpib or interface.usb:
        raise InputError(
            f"{device[:40]!r} is no address of a device.",
            "Write the address of the meter: usbtmc://VENDOR:PRODUCT, or vxi11://HOST of a GPIB gateway.",
        )
    way = next((scheme for scheme in NETWORK if scheme in schemes), None)
    if way is None:
        listed = ", ".join(sorted(schemes))
        raise InputError(
            f"{model.id} is not reached at {device[:40]!r}.", f"Write SCHEME://WHERE, with one of {listed}."
        )
    return _with_model(f"{way}://{device}", model.id)


def _with_model(url: str, model: str) -> str:
    """Add the model to an address that names none."""
    query = urlsplit(url).query
    if any(part.startswith("model=") for part in query.split("&")):
        return url
    return f"{url}{'&' if query else '?'}{urlencode({'model': model})}"
