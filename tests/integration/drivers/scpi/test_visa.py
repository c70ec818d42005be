"""The VISA link against pyvisa-sim (an independent instrument), and what is said when the extra is missing."""

import asyncio
import gc
import sys
import warnings
from pathlib import Path

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.scpi.address import VisaAddress
from wattmark_drivers.scpi.dialogue import ScpiDialogue
from wattmark_drivers.scpi.links import NoAnswer
from wattmark_drivers.scpi.visa_link import VisaLink
from wattmark_drivers.settings import MeterSettings

INSTRUMENT = """
spec: "1.1"
devices:
  WT310E:
    eom:
      TCPIP INSTR: {q: "\\n", r: "\\n"}
      USB INSTR: {q: "\\n", r: "\\n"}
    error: ERROR
    dialogues:
      - {q: "*IDN?", r: "YOKOGAWA,WT310E,C3XX00001V,F1.04"}
      - {q: ":NUM:NORM:VAL?", r: "612.51E+00,230.12E+00,2.7201E+00"}
    properties:
      voltage_range:
        default: 300.0
        getter: {q: ":INP:VOLT:RANG?", r: "{:.1f}"}
        setter: {q: ":INP:VOLT:RANG {:.1f}"}
        specs: {min: 15, max: 600, type: float}
resources:
  TCPIP0::10.0.0.7::inst0::INSTR: {device: WT310E}
  USB0::0x0b21::0x0025::C3XX00001V::0::INSTR: {device: WT310E}
"""
# pyvisa-sim 0.7.1 opens its resources with a deprecated way of pyvisa-sim's own parser.
pytestmark = pytest.mark.filterwarnings("default")


def link(tmp_path: Path, resource: str) -> VisaLink:
    pytest.importorskip("pyvisa_sim")
    pytest.importorskip("pyvisa_py")
    (tmp_path / "device.yaml").write_text(INSTRUMENT)
    return VisaLink(VisaAddress(resource, "visa"), backend=f"{tmp_path / 'device.yaml'}@sim")


async def test_a_dialogue_over_vxi11(tmp_path: Path) -> None:
    table = load_catalogue()["yokogawa.wt310e"].protocol
    visa = link(tmp_path, "TCPIP0::10.0.0.7::inst0::INSTR")
    dialogue = ScpiDialogue(visa, table, SystemClock(), timeout_s=1.0, label="visa")
    assert (await dialogue.identify())["serial"] == "C3XX00001V"
    assert (await dialogue.ask(":NUM:NORM:VAL?")).text == "612.51E+00,230.12E+00,2.7201E+00"
    await dialogue.tell(":INP:VOLT:RANG 150.0")
    with pytest.raises(NoAnswer):
        await visa.receive(0.05)
    dialogue.doubt()
    assert (await dialogue.ask(":INP:VOLT:RANG?")).text == "150.0"
    await dialogue.close()


async def test_the_only_usb_device_of_a_kind_is_found(tmp_path: Path) -> None:
    visa = link(tmp_path, "USB0::0x0b21::0x0025::?*::INSTR")
    await visa.open()
    await visa.send("*IDN?")
    assert (await visa.receive(1.0)).startswith(b"YOKOGAWA")
    await visa.close()
    other = link(tmp_path, "USB0::0x0b21::0x0099::?*::INSTR")
    with pytest.raises(ConnectionFailed, match="0 such devices"):
        await other.open()
    await other.close()


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyvisa_py", None)
    with pytest.raises(ConfigurationError, match=r"wattmark\[visa\]"):
        create_meter(MeterSettings("wt", "yokogawa.wt310e", "usbtmc://0b21:0025"))
    create_meter(MeterSettings("wt", "yokogawa.wt310e", "scpi-tcp://127.0.0.1:9"))


def test_an_absent_network_device_says_what_to_check_and_leaves_no_socket() -> None:
    pytest.importorskip("pyvisa_py")
    meter = create_meter(MeterSettings("wt", "yokogawa.wt310e", "vxi11://127.0.0.1"))

    async def scenario() -> None:
        with pytest.raises(ConnectionFailed):
            await meter.open()
        await meter.close()

    gc.collect()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        asyncio.run(scenario())
        gc.collect()
    assert [warning for warning in caught if warning.category is ResourceWarning] == []
