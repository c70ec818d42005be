"""Modbus exception codes in words (Modbus application protocol V1.1b3, clause 7)."""

from __future__ import annotations

GATEWAY_SILENT = 0x0B
PASSING = (0x05, 0x06, GATEWAY_SILENT)
"""Exceptions that may be gone at the next request."""

WORDS = {
    0x01: ("illegal function", "Check the model: this device does not know the function that its declaration uses."),
    0x02: ("illegal data address", "Check the model: this device does not have the registers of its declaration."),
    0x03: ("illegal data value", "Check the model: this device does not give that many registers at once."),
    0x04: ("device failure", "Check the unit id, then see the display of the device."),
    0x05: ("acknowledge, still working", "The next reading will tell; poll it less often if this repeats."),
    0x06: ("device busy", "The next reading will tell; poll it less often if this repeats."),
    0x08: ("memory parity error", "Restart the device."),
    0x0A: ("gateway path unavailable", "Check the unit id, and how the gateway maps it to its serial line."),
    GATEWAY_SILENT: (
        "gateway answers, but the device behind it does not",
        "Check the unit id, the wiring, the baud rate and the parity.",
    ),
}


def explain(code: int) -> tuple[str, str]:
    """Explain what an exception code means and what to do about it."""
    words, remedy = WORDS.get(code, ("unknown exception", "Look the code up in the manual of the device."))
    return f"exception {code} ({words})", remedy
