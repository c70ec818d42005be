"""IPMI completion codes in words (IPMI 2.0 revision 1.1, table 5-2)."""

from __future__ import annotations

from wattmark_drivers.errors import BadReply

INVALID_COMMAND = 0xC1
INSUFFICIENT_PRIVILEGE = 0xD4

WORDS = {
    0xC0: "node busy",
    INVALID_COMMAND: "invalid command",
    0xC2: "command invalid for this LUN",
    0xC3: "timeout while processing the command",
    0xC4: "out of space",
    0xC5: "reservation cancelled",
    0xC7: "request data length invalid",
    0xC9: "parameter out of range",
    0xCB: "requested sensor, data or record not present",
    0xCC: "invalid data field in request",
    0xCD: "command illegal for this sensor or record type",
    0xCE: "command response could not be provided",
    0xD0: "SDR repository in update mode",
    0xD1: "device in firmware update mode",
    0xD2: "BMC initialisation in progress",
    0xD3: "destination unavailable",
    INSUFFICIENT_PRIVILEGE: "insufficient privilege level",
    0xD5: "not supported in the present state",
    0xD6: "sub-function disabled",
    0xFF: "unspecified error",
}
PRIVILEGE_REMEDY = "Add privilege=OPERATOR or privilege=ADMINISTRATOR to the address."
REMEDIES = {INSUFFICIENT_PRIVILEGE: PRIVILEGE_REMEDY}


class CompletionError(BadReply):
    """The BMC refuses a command with a completion code; ``privilege`` is that of the session."""

    def __init__(self, what: str, code: int, privilege: str) -> None:
        words = WORDS.get(code, "unknown completion code")
        session = f" in a session with privilege {privilege}" if code == INSUFFICIENT_PRIVILEGE else ""
        super().__init__(f"The BMC refuses {what}{session}: {code:#04x} ({words}).", REMEDIES.get(code, ""))
        self.code = code
