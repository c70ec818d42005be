"""Who asks an SNMP agent, and with which algorithms (RFC 3414, 3826, 7860)."""

from __future__ import annotations

from collections.abc import Callable

from pysnmp.hlapi.v3arch import asyncio as hlapi

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.snmp.address import SnmpAddress, Version

SHORTEST_PASSPHRASE = 8
"""RFC 3414, 11.2."""
PUBLIC = "public"
"""The community that agents ship with for reading; taken where no password is set."""
_AUTHENTICATION = {
    "MD5": hlapi.USM_AUTH_HMAC96_MD5,
    "SHA": hlapi.USM_AUTH_HMAC96_SHA,
    "SHA224": hlapi.USM_AUTH_HMAC128_SHA224,
    "SHA256": hlapi.USM_AUTH_HMAC192_SHA256,
    "SHA384": hlapi.USM_AUTH_HMAC256_SHA384,
    "SHA512": hlapi.USM_AUTH_HMAC384_SHA512,
}
_PRIVACY = {
    "DES": hlapi.USM_PRIV_CBC56_DES,
    "AES": hlapi.USM_PRIV_CFB128_AES,
    "AES192": hlapi.USM_PRIV_CFB192_AES,
    "AES256": hlapi.USM_PRIV_CFB256_AES,
}


def make_security(
    settings: MeterSettings, address: SnmpAddress, version: Version
) -> hlapi.CommunityData | hlapi.UsmUserData:
    """Build the library's security data, reading the secrets now. Raises `ConfigurationError`."""
    secret = _fetch(settings.password, settings.name)
    if version == "2c":
        return hlapi.CommunityData(secret or PUBLIC, mpModel=1)  # noqa: S508 - many PDUs speak nothing else
    if not settings.username:
        raise ConfigurationError(f"Meter {settings.name}: SNMP version 3 needs a user.", "Enter its user name.")
    privacy = None if address.privacy == "none" else _fetch(settings.privacy_password, settings.name) or secret
    for what, passphrase in (("authentication", secret), ("privacy", privacy)):
        if passphrase is not None and len(passphrase) < SHORTEST_PASSPHRASE:
            raise ConfigurationError(
                f"Meter {settings.name}: the {what} passphrase has fewer than {SHORTEST_PASSPHRASE} characters.",
                "Enter the passphrase that is set in the device.",
            )
    return hlapi.UsmUserData(
        settings.username,
        authKey=secret,
        privKey=privacy,
        authProtocol=_AUTHENTICATION[address.authentication],
        privProtocol=hlapi.USM_PRIV_NONE if privacy is None else _PRIVACY[address.privacy],
    )


def _fetch(password: Callable[[], str] | None, name: str) -> str:
    try:
        return password() if password else ""
    except Exception as error:
        raise ConfigurationError(f"The password of the meter {name} cannot be obtained: {error}") from None
