"""Which meter the two words of a power daemon's command line mean: the type of the device and its port."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode, urlsplit

from wattmark_drivers.catalogue import Declaration, find_model
from wattmark_drivers.meter_url import is_url, parse_meter_url
from wattmark_drivers.reading import part_of
from wattmark_drivers.settings import MeterSettings

from wattmark.core.errors import InputError

WT210, WT310, WT330, WT500 = "yokogawa.wt210", "yokogawa.wt310e", "yokogawa.wt330e", "yokogawa.wt500"
COUNTED = (48,)
"""Types whose `-c` says how many channels are read."""
MOST_CHANNELS = 16
TYPES = {
    0: WT310,
    8: WT210,
    35: WT500,
    47: "yokogawa.wt1800e",
    48: WT500,
    49: WT310,
    52: WT330,
    59: "hioki.pw3336",
    61: "hioki.pw3337",
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
NO_THERMOMETER = "wattmark reads no thermometer, and the sensors inside of meters do not measure the ambient"
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


@dataclass(frozen=True, slots=True)
class Device:
    """A meter, and which of its channels are sampled."""

    settings: MeterSettings
    phases: tuple[int, ...] = ()
    """By the number of the phase or element; none: the whole meter."""
    with_sum: bool = False
    """Whether a sample holds their sum, and each of them."""


def device_settings(kind: str, device: str, interface: Interface, channel: str | None = None) -> Device:
    """Find the device. Raises `InputError` or `ConfigurationError` with what is allowed."""
    number = int(kind) if kind.isascii() and kind.isdecimal() and len(kind) < 6 else None
    if number in THERMOMETERS:
        raise InputError(f"Type {number} is a thermometer: {NO_THERMOMETER}.", "Omit its daemon.")
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
    in_use = find_model(settings.model)
    names = in_use.protocol.option_names
    if interface.direct_current or number in DIRECT_CURRENT:
        if MODE not in names:
            raise InputError(f"{settings.model} has no mode for direct current.", "Omit -D.")
        options[MODE] = "DC"
    channels, with_sum = _channels(channel, number)
    phases = _phases(channels, in_use)
    if phases and "elements" in names:
        options["elements"] = ",".join(map(str, phases))
    return Device(replace(settings, options=options), phases, with_sum and bool(phases))


def _channels(text: str | None, number: int | None) -> tuple[tuple[int, ...], bool]:
    """Read `-c` as the type has it: which channels, and whether with their sum. Raises `InputError`.

    One number is one channel alone; of a WT500 with several channels it is how many, from the first
    (mlcommons/power-dev#220). Two numbers are the first one and how many.
    """
    if text is None:
        return (), False
    words = text.split(",")
    numbers = [int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 4]
    if len(numbers) != len(words) or len(numbers) > 2 or not all(1 <= number <= MOST_CHANNELS for number in numbers):
        raise InputError(f"-c {text[:40]} is no channel.", "Write a channel, or the first one and how many: 1,2.")
    if len(numbers) == 2:
        first, count = numbers
        return tuple(range(first, first + count)), True
    if number in COUNTED:
        return tuple(range(1, numbers[0] + 1)), True
    return (numbers[0],), False


def _phases(channels: tuple[int, ...], model: Declaration) -> tuple[int, ...]:
    """Return the phases or elements that are read. Raises `InputError` for a channel that the model does not have."""
    measured = {part_of(item.channel) for item in model.protocol.measured if item.quantity == "power"}
    parts = sorted(part for part in measured if part is not None)
    strange = [channel for channel in channels if channel not in (parts or [1])]
    if strange:
        listed = ", ".join(map(str, parts or [1]))
        raise InputError(f"{model.id} has no channel {strange[0]}.", f"Its channels: {listed}. Correct -c.")
    return channels if parts else ()


def _url(model: Declaration, device: str, interface: Interface, *, simulated: bool) -> str:
    """Write the address of a device that is named as a port."""
    if is_url(device):
        return _with_model(device, model.id)
    if simulated:
        return f"simulated://?{urlencode({'model': model.id})}"
    schemes = {transport.scheme for transport in model.reached_by}
    if device.startswith("/dev/usbtmc"):
        raise InputError(
            f"{device[:60]} is an analyser on USB, which wattmark reaches by its numbers there.",
            "Write usbtmc://VENDOR:PRODUCT, such as usbtmc://0x0b21:0x0025; lsusb lists them.",
        )
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
