"""What ipmitool says when it gets no session, in words that help."""

from __future__ import annotations

import pytest
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import AuthenticationFailed, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.ipmi import dcmi, fru
from wattmark_drivers.ipmi.completion_codes import CompletionError
from wattmark_drivers.ipmi.shell import Credentials, IpmitoolShell, NoReply, explain_refusal
from wattmark_drivers.settings import MeterSettings

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


NOT_PRESENT = "FRU Device Description : Builtin FRU Device (ID 0)\n Device not present ({reason})\n"
"""What `fru print` of ipmitool 1.8.19 shows where nothing came (lib/ipmi_fru.c, `__ipmi_fru_print`)."""
ABSENT = "Requested sensor, data, or record not found"


class Child:
    """An ipmitool that shows what a test says for each command, and nothing for any other."""

    def __init__(self, outputs: dict[str, str], errors: str = "") -> None:
        self._outputs = outputs
        self._errors = errors

    async def ask(self, line: str, timeout_s: float) -> str:
        return self._outputs.get(line, "")

    def take_errors(self) -> str:
        return self._errors


def answering(outputs: dict[str, str], errors: str = ""):
    """Create a meter in a session in which ipmitool shows these outputs."""
    meter = create_meter(MeterSettings("bmc", "ipmi.bmc", "ipmi://127.0.0.1", username="u", password=str))
    session = IpmitoolShell("127.0.0.1", 623, Credentials("u", None, 17, "USER"), SystemClock())
    session._child = Child(outputs, errors)
    meter._shell = session
    return meter


GUID = {dcmi.GUID_COMMAND: " 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10\n"}


@pytest.mark.parametrize("silence", ["", NOT_PRESENT.format(reason="No Response")])
async def test_an_inventory_that_did_not_come_leaves_open_whether_the_bmc_is_simulated(silence):
    with pytest.raises(NoReply, match="does not answer"):
        await answering({fru.COMMAND: silence, **GUID})._who()


HEAD = "FRU Device Description : Builtin FRU Device (ID 0)\n"
BOARD = " Board Mfg             : Quanta\n"
"""Of an area before that of the product."""


@pytest.mark.parametrize("shown", [HEAD, HEAD + BOARD])
async def test_an_inventory_that_is_cut_short_leaves_open_whether_the_bmc_is_simulated(shown):
    """ipmitool 1.8.19, lib/ipmi_fru.c, `read_fru_area`: an area that was not read whole is not shown at all."""
    with pytest.raises(NoReply, match="FRU Read failed"):
        await answering({fru.COMMAND: shown, **GUID}, "FRU Read failed\n")._who()


async def test_a_product_that_the_bmc_refuses_to_show_is_looked_for_in_the_asset_tag():
    """The same place: a refusal stands behind a colon."""
    tag = {dcmi.ASSET_TAG_COMMAND: " dc 09 " + b"SIMULATED".hex(" ") + "\n"}
    refused = "FRU Read failed: Parameter out of range\n"
    assert await answering({fru.COMMAND: HEAD + BOARD, **tag, **GUID}, refused)._who() == "SIMULATED"


async def test_a_guid_that_did_not_come_is_no_absent_one():
    with pytest.raises(NoReply):
        await answering({fru.COMMAND: "Product Serial : 7\n"})._who()


async def test_a_bmc_that_has_no_inventory_is_known_by_its_guid():
    tag = {dcmi.ASSET_TAG_COMMAND: " dc 00\n"}
    who = await answering({fru.COMMAND: NOT_PRESENT.format(reason=ABSENT), **tag, **GUID})._who()
    assert who.startswith("GUID ")
