"""Errors that drivers raise: each has a one-line cause and a remedy, ready to be shown to a person."""

from __future__ import annotations


class DriverError(Exception):
    """A device error: what went wrong, and what to do."""

    def __init__(self, cause: str, remedy: str = "") -> None:
        super().__init__(f"{cause} {remedy}".strip())
        self.cause = cause
        self.remedy = remedy


class ConfigurationError(DriverError):
    """The connection settings or the model name are wrong; trying again will not help."""


class ConnectionFailed(DriverError):  # noqa: N818 - reads better at the raise site
    """The device cannot be reached now; it may come back."""


class AuthenticationFailed(DriverError):  # noqa: N818
    """The device refuses the credentials (or, for IPMI, cannot be distinguished from an absent BMC)."""


class BadReply(DriverError):  # noqa: N818
    """The device answered something that cannot be a reading: torn line, wrong count, bad CRC, exception code."""
