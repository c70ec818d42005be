"""What ipmitool says when it gets no session, in words that help."""

from __future__ import annotations

import pytest
from wattmark_drivers.errors import AuthenticationFailed, ConnectionFailed
from wattmark_drivers.ipmi.completion_codes import CompletionError
from wattmark_drivers.ipmi.shell import explain_refusal

OPEN = "Error in open session response message : "
SESSION = "Error: Unable to establish IPMI v2 / RMCP+ session\n"


def test_wrong_password_and_absent_bmc_cannot_be_told_apart():
    error = explain_refusal(SESSION, "bmc7:623", 3, "USER")
    assert isinstance(error, AuthenticationFailed)
    for word in ("there is no BMC", "user", "password", "cipher=3", "privilege=USER"):
        assert word in str(error)


@pytest.mark.parametrize(
    ("output", "kind", "word"),
    [
        (f"{OPEN}invalid authentication algorithm\n\n{SESSION}", AuthenticationFailed, "cipher suite 17"),
        (f"{OPEN}insufficient resources for session\n{SESSION}", ConnectionFailed, "no free session"),
        (f"RAKP 2 message indicates an error : unauthorized name\n{SESSION}", AuthenticationFailed, "user"),
        (f"> RAKP 2 HMAC is invalid\n{SESSION}", AuthenticationFailed, "password"),
        ("Address lookup for bmc7 failed\n", ConnectionFailed, "is not known"),
        ("Something new\n", ConnectionFailed, "Something new"),
        ("", ConnectionFailed, "nothing"),
    ],
)  # fmt: skip
def test_other_refusals(output, kind, word):
    error = explain_refusal(output, "bmc7:623", 17, "USER")
    assert isinstance(error, kind)
    assert word in str(error)
    assert "\n" not in str(error)


def test_completion_codes_in_words():
    assert "0xd4 (insufficient privilege level)" in str(CompletionError("the DCMI power reading", 0xD4, "USER"))
    assert "privilege USER" in str(CompletionError("the DCMI power reading", 0xD4, "USER"))
    assert "privilege=" in CompletionError("x", 0xD4, "USER").remedy
    assert "0x91 (unknown" in str(CompletionError("x", 0x91, "USER"))
