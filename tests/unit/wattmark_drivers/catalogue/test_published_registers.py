"""Declared registers stand where the sources put them: (address on the wire, type, factor to V, A, W, Hz, Wh)."""

from __future__ import annotations

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.modbus_map import Encoding, ModbusMap, WordOrder
from wattmark_drivers.modbus.layout import lay_out
from wattmark_drivers.reading import Quality

R, Z, N = "float32", "int32", "uint32"
# Carlo Gavazzi EM300/ET300 protocol V2R9, table 2.4-1; mbmd and sdm_modbus give the EM24 E1 the same.
EM300 = {
    "voltage_l1": (0x00, Z, 0.1), "current_l1": (0x0C, Z, 0.001), "power_l1": (0x12, Z, 0.1),
    "apparent_power_l1": (0x18, Z, 0.1), "reactive_power_l1": (0x1E, Z, 0.1), "power": (0x28, Z, 0.1),
    "apparent_power": (0x2A, Z, 0.1), "reactive_power": (0x2C, Z, 0.1), "power_factor_l1": (0x2E, "int16", 0.001),
    "power_factor_l3": (0x30, "int16", 0.001), "power_factor": (0x31, "int16", 0.001),
    "frequency": (0x33, "int16", 0.1), "energy_import": (0x34, Z, 100), "energy_export": (0x4E, Z, 100),
}  # fmt: skip
# Siemens PAC3200 manual A5E01168664B-04, table 3-6; PAC4200 manual A5E02316180B-02, table A-1; OpenEMS.
PAC = {
    "voltage_l1": (1, R, 1), "voltage_l3": (5, R, 1), "current_l1": (13, R, 1), "apparent_power_l1": (19, R, 1),
    "power_l1": (25, R, 1), "reactive_power_l1": (31, R, 1), "power_factor_l1": (37, R, 1), "frequency": (55, R, 1),
    "apparent_power": (63, R, 1), "power": (65, R, 1), "reactive_power": (67, R, 1),
    "energy_import": (801, "float64", 1), "energy_export": (809, "float64", 1),
}  # fmt: skip
# Janitza UMG 96RM address list 1.040.034.n, frequently required readings.
UMG = {
    "voltage_l1": (19000, R, 1), "current_l1": (19012, R, 1), "power_l1": (19020, R, 1), "power": (19026, R, 1),
    "apparent_power": (19034, R, 1), "reactive_power": (19042, R, 1), "frequency": (19050, R, 1),
    "energy_import": (19068, R, 1), "energy_export": (19076, R, 1),
}  # fmt: skip
# mbmd iem3000.go (addresses on the wire); the manual's numbers are one higher: 3060 is the total power in kW.
SCHNEIDER = {
    "voltage_l1": (0x0BD3, R, 1), "current_l1": (0x0BB7, R, 1), "power_l1": (0x0BED, R, 1000),
    "power": (3060 - 1, R, 1000), "power_factor": (3084 - 1, R, 1), "frequency": (0x0C25, R, 1),
    "energy_import": (0x0C83, "int64", 1),
}  # fmt: skip
# mbmd abb.go; ABB A43 manual 2CMC48001M0201, page 108 (energy, 0.01 kWh unsigned).
ABB = {
    "power": (0x5B14, Z, 0.01), "power_factor": (0x5B3A, "int16", 0.001), "frequency": (0x5B2C, "uint16", 0.01),
    "energy_import": (0x5000, "uint64", 10), "energy_export": (0x5004, "uint64", 10),
}  # fmt: skip
SDM = {
    "power": (12, R, 1), "voltage": (0, R, 1), "current": (6, R, 1), "frequency": (70, R, 1),
    "energy_import": (72, R, 1000),
}  # fmt: skip
PUBLISHED = {
    # SDM72D-M user manual V1.5, page 14; SDM72DM-V2 user manual V1.1, pages 13 and 14.
    "eastron.sdm72": {"power": (0x34, R, 1), "energy_import": (0x48, R, 1000), "energy_export": (0x4A, R, 1000)},
    "eastron.sdm72v2": {"voltage_l1": (0, R, 1), "current_l3": (0x0A, R, 1), "power_l2": (0x0E, R, 1),
                        "power": (0x34, R, 1), "apparent_power": (0x38, R, 1), "reactive_power": (0x3C, R, 1),
                        "power_factor": (0x3E, R, 1), "frequency": (0x46, R, 1), "energy_export": (0x4A, R, 1000)},
    "eastron.sdm220": SDM, "eastron.sdm230": SDM,  # SDM230-2T protocol V1.1, clause 1.2; mbmd sdm220.go
    "carlogavazzi.em300": EM300, "carlogavazzi.em530": EM300, "carlogavazzi.em24e1": EM300,
    # mbmd carlogavazzi-em24.go; Aggsoft EM24 map.
    "carlogavazzi.em24": {"voltage_l1": (0, Z, 0.1), "current_l1": (0x0C, Z, 0.001), "power_l3": (0x16, Z, 0.1),
                          "power": (0x28, Z, 0.1), "power_factor": (0x35, "int16", 0.001),
                          "frequency": (0x37, "int16", 0.1), "energy_import": (62, Z, 100)},
    # Carlo Gavazzi EM100/ET100 protocol 4.0, table 4.1.
    "carlogavazzi.em100": {"voltage": (0, Z, 0.1), "current": (2, Z, 0.001), "power": (4, Z, 0.1),
                           "apparent_power": (6, Z, 0.1), "reactive_power": (8, Z, 0.1),
                           "power_factor": (0x0E, "int16", 0.001), "frequency": (0x0F, "int16", 0.1),
                           "energy_import": (0x10, Z, 100), "energy_export": (0x20, Z, 100)},
    "schneider.iem3000": SCHNEIDER, "schneider.pm5000": {**SCHNEIDER, "energy_export": (0x0C87, "int64", 1)},
    "abb.b21": {**ABB, "voltage": (0x5B00, N, 0.1), "current": (0x5B0C, N, 0.01)},
    "abb.b23": {**ABB, "voltage_l3": (0x5B04, N, 0.1), "current_l1": (0x5B0C, N, 0.01), "power_l1": (0x5B16, Z, 0.01),
                "power_factor_l3": (0x5B3D, "int16", 0.001)},
    "janitza.umg96": UMG, "janitza.b23": UMG,
    "siemens.pac3200": PAC, "siemens.pac4200": PAC, "siemens.pac2200": PAC,
    # OpenEMS MeterSiemensPac1600Impl; evcc siemens-7kt1665.yaml.
    "siemens.pac1600": {"voltage_l1": (1, N, 0.01), "current_l1": (7, N, 0.0001), "power_l1": (19, Z, 0.01),
                        "power": (57, Z, 0.01), "frequency": (49, Z, 0.01), "energy_import": (6687, N, 1)},
    # Aggsoft Acuvim II map (16384 = 4000h, floats); kW by the map for V3 firmware.
    "accuenergy.acuvim2": {"frequency": (16384, R, 1), "voltage_l1": (16386, R, 1), "current_l1": (16402, R, 1),
                           "power_l1": (16412, R, 1000), "power": (16418, R, 1000), "energy_import": (0x4048, N, 100)},
    # mbmd dtsu666.go: floats, but ten, a thousand and a hundred times too large.
    "chint.dtsu666": {"voltage_l1": (0x2006, R, 0.1), "current_l1": (0x200C, R, 0.001), "power": (0x2012, R, 0.1),
                      "power_l1": (0x2014, R, 0.1), "power_factor": (0x202A, R, 0.001), "frequency": (0x2044, R, 0.01),
                      "energy_import": (0x101E, R, 1000), "energy_export": (0x1028, R, 1000)},
    # ORNO register description: UINT, LONG (W, var, VA), INT, ULONG (0.01 kWh); mbmd orno1p.go: the current's 32 bits.
    "orno.we514": {"frequency": (0x130, "uint16", 0.01), "voltage": (0x131, "uint16", 0.01),
                   "current": (0x139, N, 0.001), "power": (0x140, "int32", 1), "reactive_power": (0x148, "int32", 1),
                   "apparent_power": (0x150, "int32", 1), "power_factor": (0x158, "int16", 0.001),
                   "energy_import": (0xA000, N, 10)},
}  # fmt: skip


def table(model: str) -> ModbusMap:
    protocol = load_catalogue()[model].protocol
    assert isinstance(protocol, ModbusMap)
    return protocol


@pytest.mark.parametrize("model", sorted(PUBLISHED))
def test_registers_stand_where_the_sources_put_them(model):
    declared = {item.channel: (item.address, item.type.value, item.scale) for item in table(model).registers}
    assert {name: declared[name] for name in PUBLISHED[model]} == PUBLISHED[model]


def test_every_other_modbus_meter_is_checked_elsewhere():
    meters = {name for name, item in load_catalogue().items() if isinstance(item.protocol, ModbusMap)}
    elsewhere = {"eastron.sdm120", "eastron.sdm630", "peacefair.pzem004tv3", "peacefair.pzem016", "peacefair.pzem017"}
    assert meters == set(PUBLISHED) | elsewhere


def decoded(model: str, words: str) -> dict[str, float]:
    protocol = table(model)
    layout = lay_out(protocol.blocks[0], protocol.registers, protocol.word_order)
    values = zip(layout.fields, layout.decode(bytes.fromhex(words)), strict=True)
    return {field.register.channel: value for field, (value, quality) in values if quality is Quality.GOOD}


@pytest.mark.parametrize("model", ["peacefair.pzem004tv3", "peacefair.pzem016"])
def test_the_example_of_the_pzem_manual(model):
    # Peacefair AC communication module manual, 2.3: 220.0 V, 1.000 A, 220.0 W, 0 Wh, 50.0 Hz, 1.00, no alarm.
    assert decoded(model, "0898 03E8 0000 0898 0000 0000 0000 01F4 0064 0000") == pytest.approx(
        {"voltage": 220.0, "current": 1.0, "power": 220.0, "energy_import": 0, "frequency": 50.0, "power_factor": 1.0}
    )


def test_a_direct_current_meter_has_neither_frequency_nor_power_factor():
    # PZEM-003/017 manual: 0.01 V, 0.01 A, 0.1 W and 1 Wh; power and energy low word first.
    assert load_catalogue()["peacefair.pzem017"].direct_current
    assert decoded("peacefair.pzem017", "12C0 03E8 12C0 0000 0001 0001") == pytest.approx(
        {"voltage": 48.0, "current": 10.0, "power": 480.0, "energy_import": 65537}
    )


def test_word_orders():
    # EM100 protocol 4.0, clause 3.1 and EM300 V2R9, clause 2.1: LSW -> MSW; PZEM manual: low 16 bits first.
    low = {name for name, item in load_catalogue().items()
           if isinstance(item.protocol, ModbusMap) and item.protocol.word_order is WordOrder.LOW_FIRST}  # fmt: skip
    assert {name.partition(".")[0] for name in low} == {"carlogavazzi", "peacefair"}


@pytest.mark.parametrize(("model", "limit"), [
    ("carlogavazzi.em24", 11),  # EM24-DIN communication protocol, page 4
    ("carlogavazzi.em300", 50),  # EM300/ET300 protocol V2R9, 1.2.2
    ("carlogavazzi.em100", 50),  # EM100/ET100 protocol 4.0, 2.1 (EM111)
    ("eastron.sdm72v2", 60), ("eastron.sdm72", 60),  # 30 parameters: user manuals, page 13 and page 14
    ("eastron.sdm230", 60),  # SDM230-2T protocol V1.1, 1.1
])  # fmt: skip
def test_no_request_is_longer_than_the_manual_allows(model, limit):
    assert table(model).max_registers == limit
    assert all((block.retry_count or block.count) <= limit for block in table(model).blocks)


@pytest.mark.parametrize("model", ["schneider.iem3000", "schneider.pm5000"])
def test_schneider_power_factors_are_four_quadrant_numbers(model):
    factors = [item for item in table(model).registers if item.quantity == "power_factor"]
    assert factors
    assert all(item.encoding is Encoding.FOUR_QUADRANT for item in factors)


@pytest.mark.parametrize("model", ["siemens.pac2200", "siemens.pac3200", "siemens.pac4200"])
def test_pac_meters_give_numbers_only_whole(model):
    # PAC3200 manual 3.9.3 and PAC4200 manual A.3, notice on inconsistent access.
    assert table(model).whole_values


def test_abb_marks_what_it_does_not_measure():
    # mbmd abb.go: all ones, or the largest signed number.
    largest = {"uint16": 0xFFFF, "int16": 0x7FFF, "uint32": 0xFFFFFFFF, "int32": 0x7FFFFFFF, "uint64": 2**64 - 1}
    for model in ("abb.b21", "abb.b23"):
        assert all(item.invalid == (largest[item.type.value],) for item in table(model).registers)
