"""Where a device is: the URLs of the bench file, checked by the engine of the model."""

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, urlsplit

from wattmark_drivers.catalogue.declaration import Declaration, Transport
from wattmark_drivers.engines import find_engine
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.on_demand import FORM, SCHEME, parse_load_model, simulated_transport

WITHOUT_PORT = frozenset({"usbtmc"})
"""Schemes in which a colon separates something else than host and port."""


def parse_address(url: str, declaration: Declaration, meter: str = "the meter") -> tuple[Any, Transport]:
    """Parse a URL by what the model speaks. Raises `ConfigurationError` with the allowed forms; never shows secrets."""
    schemes = find_engine(declaration.protocol.engine).schemes
    simulated = simulated_transport(declaration)
    forms = [schemes[transport.scheme].form for transport in declaration.reached_by] + [FORM] * (simulated is not None)
    try:
        parts = split(url)
        transport = simulated if parts.scheme == SCHEME else declaration.transport(parts.scheme)
        if parts.username is not None or parts.password is not None:
            raise ValueError("contains a user or password, which have their own settings")
        if transport is None:
            raise ValueError(f"has the scheme {parts.scheme or 'of none'}, which {declaration.id} does not support")
        if transport is simulated:
            return parse_load_model(parts), transport
        return schemes[transport.scheme].parse(parts, transport), transport
    except ValueError as error:
        raise ConfigurationError(f"The address of {meter} {error}.", f"Write it as {' or '.join(forms)}.") from None


def split(url: str) -> SplitResult:
    """Split a URL. Raises ValueError with words that continue the sentence "The address of the meter ..."."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("is not an address") from None
    try:
        if parts.scheme not in WITHOUT_PORT:
            parts.port  # noqa: B018 - urllib checks the port when it is read
    except ValueError:
        raise ValueError("has a port that is not a number from 0 to 65535") from None
    return parts
