"""Ask for a password when it is needed."""

from __future__ import annotations

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.settings import MeterSettings


def fetch_password(settings: MeterSettings) -> str:
    """Read the password of a meter; empty where none is set. Raises `ConfigurationError` when it is not available."""
    try:
        return settings.password() if settings.password else ""
    except Exception as error:
        raise ConfigurationError(f"The password of the meter {settings.name} cannot be obtained: {error}") from None
