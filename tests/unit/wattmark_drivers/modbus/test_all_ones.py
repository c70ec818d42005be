"""A gateway that answers all ones, also to a meter whose values are read in requests of their own."""

from __future__ import annotations

import pytest
from wattmark_drivers.clock import Stamp
from wattmark_drivers.factory import create_meter
from wattmark_drivers.modbus.meter import ModbusMeter
from wattmark_drivers.modbus.request import ModbusAnswer, Request
from wattmark_drivers.physics import Physics
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.settings import MeterSettings


class Gateway:
    """Answers each request with the same word, but for the registers from an address on."""

    connections = 1

    def __init__(self, word: int, words: dict[int, list[int]]) -> None:
        self._word, self._words = word, words

    async def read(self, request: Request) -> ModbusAnswer:
        words = self._words.get(request.address, [self._word] * request.count)
        return ModbusAnswer(b"".join(word.to_bytes(2, "big") for word in words), Stamp(0, 0))


async def read(model: str, word: int, words: dict[int, list[int]], **options: str) -> dict[str, Reading]:
    meter = create_meter(MeterSettings("m", model, "modbus-tcp://h/1", options=options))
    assert isinstance(meter, ModbusMeter)
    meter._line = Gateway(word, words)  # type: ignore[assignment]
    readings = Physics(meter.identity, meter.channels).mark(await meter._read_blocks())
    return {reading.channel: reading for reading in readings}


@pytest.mark.parametrize("model", ["carlogavazzi.em24", "orno.we514", "eastron.sdm120", "peacefair.pzem016"])
async def test_no_power_is_good_where_every_register_is_all_ones(model):
    readings = await read(model, 0xFFFF, {})
    assert not any(reading.quality.usable for name, reading in readings.items() if name.startswith("power"))


async def test_one_watt_returned_by_a_meter_that_answers_is_good():
    words = {320: [0xFFFF, 0xFFFF]}
    readings = await read("orno.we514", 0, words)
    assert (readings["power"].value, bool(readings["power"].quality & Quality.NO_VALUE)) == (-1.0, False)


@pytest.mark.parametrize("model", ["siemens.pac2200", "eastron.sdm120", "carlogavazzi.em24"])
async def test_zeros_everywhere_are_no_answer_of_a_live_meter(model):
    power = (await read(model, 0, {}))["power"]
    assert power.value == 0
    assert power.quality & Quality.NOT_LIVE
    assert not power.quality.usable


async def test_watts_of_a_module_without_volts_are_no_measurement():
    """Volts 0, 1.5 A, 335 W, energy all ones, 50 Hz: the voltage is not known, and so the power is not."""
    words = {0: [0, 1500, 0, 3350, 0, 0xFFFF, 0xFFFF, 500, 97, 0]}
    readings = await read("peacefair.pzem016", 0, words)
    assert readings["power"].quality & Quality.NO_VOLTAGE
    assert not readings["power"].quality.usable
