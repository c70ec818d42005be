"""The pieces of a device address, each checked; a ValueError continues the sentence "The address of the meter ..."."""

from __future__ import annotations

from urllib.parse import SplitResult, parse_qsl

from wattmark_drivers.catalogue.declaration import Parity, Transport


def host(parts: SplitResult) -> str:
    """Return the host."""
    name = parts.hostname or ""
    if not name or name.startswith("-") or any(char.isspace() for char in name):
        raise ValueError("names no host")
    return name


def device_file(parts: SplitResult) -> str:
    """Return the path of a device file."""
    if parts.netloc or not parts.path.startswith("/"):
        raise ValueError("names no device file (three slashes lead to an absolute path)")
    return parts.path


def query(parts: SplitResult, *allowed: str) -> dict[str, str]:
    """Parse what follows the question mark. Raises `ConfigurationError` for keys that are not allowed."""
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        raise ValueError(f"has the unknown part {unknown[0]}")
    return parameters


def parity(text: str) -> Parity:
    """Return the parity of a serial line."""
    if text not in list(Parity):
        raise ValueError(f"has the parity {text}, which is not {', '.join(Parity)}")
    return Parity(text)


def baud(options: dict[str, str], transport: Transport) -> int:
    """Return the baud rate, the model's where the address names none."""
    return number(options.get("baud", str(transport.baud or 9600)), "baud rate", 300, 4_000_000)


def number(text: str, what: str, low: int, high: int) -> int:
    """Parse a whole number between two limits."""
    if not (text.isascii() and text.isdecimal()) or not low <= int(text) <= high:
        raise ValueError(f"has the {what} {text}, which is not a whole number from {low} to {high}")
    return int(text)
