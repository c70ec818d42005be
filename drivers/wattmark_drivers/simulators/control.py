"""Change a running simulator: python -m wattmark_drivers.simulators.control ADDRESS TOKEN_FILE server=NAME dimms=N.

Made for the prepare hook of a bench file: arguments only. Exit code 0 done, 1 the simulator refuses or is not there,
2 wrong arguments.
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError

USAGE = "usage: python -m wattmark_drivers.simulators.control HOST:PORT TOKEN_FILE server=NAME dimms=N"
TIMEOUT_S = 5.0


class ControlRefused(DriverError):  # noqa: N818 - the simulator's answer, not a fault of the program
    """The simulator does not do that."""


def request(address: str, message: dict[str, Any]) -> dict[str, Any]:
    """Send one message, return its answer. Raises `ControlRefused`, `ConnectionFailed` or `ConfigurationError`."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigurationError(f"{address} is not HOST:PORT.", USAGE)
    try:
        with socket.create_connection((host, int(port)), TIMEOUT_S) as connection, connection.makefile("rwb") as stream:
            stream.write(json.dumps(message).encode() + b"\n")
            stream.flush()
            answer: dict[str, Any] = json.loads(stream.readline())
    except (OSError, ValueError, OverflowError) as error:
        raise ConnectionFailed(
            f"No simulator answers at {address}: {error}.", "Check that the simulator is running."
        ) from None
    if not answer.get("ok"):
        raise ControlRefused(str(answer.get("error", "The simulator refuses.")))
    return answer


def main(arguments: list[str]) -> int:
    """Send the change that the arguments describe and return the exit code."""
    try:
        address, message = _parse(arguments)
        request(address, message)
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except DriverError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _parse(arguments: list[str]) -> tuple[str, dict[str, Any]]:
    if len(arguments) < 3:
        raise ConfigurationError("Arguments are missing.", USAGE)
    address, token_file, *words = arguments
    settings = dict(word.partition("=")[::2] for word in words)
    if set(settings) != {"server", "dimms"} or len(words) != 2 or not settings["server"]:
        raise ConfigurationError("server=NAME and dimms=N are needed, and nothing else.", USAGE)
    if not (settings["dimms"].isascii() and settings["dimms"].isdigit()):
        raise ConfigurationError(f"dimms={settings['dimms']} is not a whole number.", USAGE)
    try:
        token = Path(token_file).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise ConfigurationError(
            f"The token file {token_file} cannot be read.", "Check that the simulator is running."
        ) from None
    return address, {"token": token, "server": settings["server"], "dimms": int(settings["dimms"])}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
