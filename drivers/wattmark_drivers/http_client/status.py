"""Explain what an HTTP status means for a measurement."""

from __future__ import annotations

from wattmark_drivers.errors import AuthenticationFailed, BadReply, DriverError

BUSY = (429, 502, 503, 504)


class NotFound(BadReply):
    """The device has no such resource (404 or 410)."""


class Unauthorised(AuthenticationFailed):
    """The device wants credentials, or other ones (401)."""


class Forbidden(AuthenticationFailed):
    """The device knows the user, who may not read this (403)."""


def refusal(status: int, who: str, path: str, explanation: str | None = None) -> DriverError:
    """Convert a status other than 2xx to a cause and a remedy; ``path`` must carry no secret."""
    detail = f" and says: {explanation.rstrip('.')}" if explanation else ""
    if status == 401:
        return Unauthorised(f"{who} rejects the user or the password{detail}.", "Check user and password.")
    if status == 403:
        return Forbidden(
            f"{who} does not allow this user to read {path}{detail}.", "Give the user permission to log in and read."
        )
    if status in (404, 410):
        return NotFound(f"{who} has no {path}{detail}.", "Check the address and the model of the meter.")
    if 300 <= status < 400:
        return BadReply(
            f"{who} redirects to another address (status {status}). Redirects are not followed.",
            "Enter the final address.",
        )
    if status == 406:
        return BadReply(
            f"{who} sends {path} only compressed{detail}, which is not accepted.", "Update the firmware of the device."
        )
    if status in BUSY:
        return BadReply(
            f"{who} is busy (status {status}{detail}).", "Poll it less often; wattmark retries automatically."
        )
    return BadReply(f"{who} answered {path} with status {status}{detail}.", "See the log of the device.")
