"""Say why ipmitool could not open a session, from what it wrote on standard error."""

from __future__ import annotations

from wattmark_drivers.errors import AuthenticationFailed, ConnectionFailed, DriverError


def explain_refusal(errors: str, place: str, cipher: int, privilege: str) -> DriverError:
    """Convert ipmitool's last words to a cause and a remedy."""
    if "invalid authentication algorithm" in errors or "invalid integrity" in errors or "confidentiality" in errors:
        return AuthenticationFailed(f"The BMC at {place} refuses cipher suite {cipher}.", "Try cipher=3 or cipher=17.")
    if "insufficient resources" in errors:
        return ConnectionFailed(f"The BMC at {place} has no free session.", "Close other sessions; it is tried again.")
    if "unauthorized name" in errors:
        return AuthenticationFailed(f"The BMC at {place} does not know the user.", "Check the user name.")
    if "HMAC is invalid" in errors:
        return AuthenticationFailed(f"The BMC at {place} refuses the password.", "Check the password.")
    if "role" in errors or "privilege" in errors:
        return AuthenticationFailed(
            f"The BMC at {place} does not grant {privilege} to the user.", "Try privilege=USER in the address."
        )
    if "Address lookup" in errors:
        return ConnectionFailed(f"There is no host {place}.", "Check the address.")
    if "Unable to establish" in errors:
        return AuthenticationFailed(
            f"No IPMI session with {place}: either no BMC answers there, or it refuses the user or the password.",
            "Check the address and that IPMI over LAN is switched on, then user and password, then "
            f"cipher={cipher} and privilege={privilege}.",
        )
    last_line = errors.strip().splitlines()[-1:] or ["nothing"]
    return ConnectionFailed(f"ipmitool ended and said: {last_line[0].strip()[:200]}", "It is tried again by itself.")
