"""The simulated instrument by itself: updates, registers, ranges and items, with time given by the test."""

import re
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.scpi_header import spoken
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.simulators.mains import MainsPhase
from wattmark_drivers.simulators.meter_model import MeterErrors, MeterModel
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.scpi.grammar import units
from wattmark_drivers.speakers.scpi.instrument import ScpiInstrument
from wattmark_drivers.speakers.scpi.values import scientific, setting_number

MODELS = {name: item for name, item in load_catalogue().items() if isinstance(item.protocol, ScpiMap)}


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def indication(volts: float = 230.0, watts: float = 460.0, phases: int = 1) -> Indication:
    meter = MeterModel(MeterErrors(), 0.1, np.random.default_rng(1), phase_count=phases)
    meter.add([MainsPhase(volts, watts, 0.0, 50.0)] * phases, 0.1)
    assert meter.indication is not None
    return meter.indication


def make(model: str = "yokogawa.wt310e") -> tuple[ScpiInstrument, Clock]:
    clock, table = Clock(), MODELS[model].protocol
    instrument = ScpiInstrument(table, "SIMULATED1", 0.25, clock)
    instrument.show(indication(phases=table.phase_count))
    instrument.receive(":COMM:HEAD OFF")
    return instrument, clock


def ask(instrument: ScpiInstrument, line: str) -> str:
    reply = instrument.receive(line)
    assert reply is not None, line
    return reply.data.decode()


def test_the_event_bit_falls_with_the_update_rate_and_is_kept_until_it_is_read() -> None:
    instrument, clock = make()
    instrument.receive(":STAT:FILT1 FALL;:RATE 0.5")
    ask(instrument, ":STAT:EESR?")
    clock.now_s += 0.6
    assert ask(instrument, ":STAT:EESR?") == "1"
    assert ask(instrument, ":STAT:EESR?") == "0"
    clock.now_s += 0.2
    assert ask(instrument, ":STAT:EESR?") == "0"
    clock.now_s += 0.5
    assert ask(instrument, ":STAT:EESR?") == "1"
    instrument.receive(":STAT:FILT1 NEVER")
    clock.now_s += 5
    assert ask(instrument, ":STAT:EESR?") == "0"


def test_values_change_at_updates_only_and_hold_stops_them() -> None:
    instrument, clock = make()
    instrument.receive(":NUM:NORM:NUM 1;ITEM1 U,1")
    assert float(ask(instrument, ":NUM:NORM:VAL?")) == 230.0
    instrument.show(indication(volts=231.0))
    assert float(ask(instrument, ":NUM:NORM:VAL?")) == 230.0
    clock.now_s += 0.3
    assert float(ask(instrument, ":NUM:NORM:VAL?")) == 231.0
    instrument.receive(":SAMP:HOLD ON")
    instrument.show(indication(volts=232.0))
    clock.now_s += 0.3
    assert float(ask(instrument, ":NUM:NORM:VAL?")) == 231.0


def test_over_range_marks_values_and_condition_bits() -> None:
    """IM WT310E-02EN 1.5: over-range above 140 % of the range; bits OVR1 6, POV1 7, POA1 8."""
    instrument, clock = make()
    instrument.receive(":NUM:NORM:NUM 2;ITEM1 I,1;ITEM2 FU,1")
    for amperes, over in (("2", False), ("1", True)):
        instrument.receive(f":VOLT:RANG 300;:CURR:RANG {amperes}")
        clock.now_s += 0.3
        value, frequency = ask(instrument, ":NUM:NORM:VAL?").split(",")
        assert (value == "9.9E+37") is over
        assert float(frequency) == 50.0
        assert bool(int(ask(instrument, ":STAT:COND?")) & 1 << 6) is over
    instrument.receive(":CURR:RANG 0.5")
    # 2 A is 2.83 A at its peak, above 3 x 0.5 A.
    assert int(ask(instrument, ":STAT:COND?")) & 1 << 8


def test_auto_range_finds_the_range_and_a_fixed_one_switches_it_off() -> None:
    instrument, clock = make()
    clock.now_s += 0.3
    assert ask(instrument, ":VOLT:RANG?;:CURR:RANG?") == "300.0E+00;5.0E+00"
    instrument.show(indication(watts=46.0))
    clock.now_s += 0.3
    assert ask(instrument, ":CURR:RANG?") == "200.0E-03"
    instrument.receive(":CURR:RANG 10")
    assert ask(instrument, ":CURR:AUTO?;:VOLT:AUTO?") == "0;1"


def test_the_crest_factor_changes_the_list_of_ranges() -> None:
    instrument, _ = make()
    instrument.receive(":VOLT:RANG 300;:CURR:RANG 5")
    instrument.receive(":CFAC 6")
    assert ask(instrument, ":VOLT:RANG?;:CURR:RANG?") == "150.0E+00;2.5E+00"
    assert instrument.receive(":VOLT:RANG 600") is None
    assert ask(instrument, ":STAT:ERR?").startswith("222")


def test_floats_as_a_block() -> None:
    instrument, _ = make()
    instrument.receive(":NUM:NORM:NUM 2;ITEM1 U,1;ITEM2 P,1;:NUM:FORM FLOAT")
    reply = instrument.receive(":NUM:NORM:VAL?")
    assert reply is not None
    assert reply.data[:6] == b"#40008"
    assert struct.unpack(">2f", reply.data[6:]) == (230.0, 460.0)


def test_energy_counts_from_the_start_of_the_integration() -> None:
    instrument, clock = make()
    instrument.receive(":NUM:NORM:NUM 1;ITEM1 WH,1")
    assert ask(instrument, ":NUM:NORM:VAL?") == "9.91E+37"
    instrument.receive(":INTEG:STAR")
    assert ask(instrument, ":INTEG:STAT?") == "STAR"
    assert float(ask(instrument, ":NUM:NORM:VAL?")) == 0.0
    instrument.receive(":INTEG:STOP;:INTEG:RES")
    assert ask(instrument, ":INTEG:STAT?") == "RES"
    clock.now_s += 1


def test_units_of_a_message_share_their_group() -> None:
    """IM WT310E-17EN 5.1: `:INPut:MODE RMS;CFACtor 3`; common commands stand apart."""
    assert [unit.header for unit in units(":INPut:MODE RMS;CFACtor 3;*CLS;:RATE?")] == [
        ":INPut:MODE",
        ":INPut:CFACtor",
        "*CLS",
        ":RATE?",
    ]


@pytest.mark.parametrize(("number", "text"), [(612.51, "612.51E+00"), (0.9785, "978.50E-03"), (1500.0, "1.5000E+03")])
def test_numbers_have_exponents_of_three(number: float, text: str) -> None:
    """IM WT310-17EN, numeric data: five digits, for example [-]123.45E+00."""
    assert scientific(number, 5) == text


@given(st.floats(1e-6, 1e6))
def test_any_number_comes_back(number: float) -> None:
    assert float(scientific(number, 5)) == pytest.approx(number, rel=2e-4)
    assert re.fullmatch(r"-?\d{1,4}\.\d+E[+-]\d\d", scientific(number, 5))
    assert float(setting_number(5.0)) == 5.0


@given(st.text(max_size=60))
def test_any_message_is_obeyed_answered_or_an_error(line: str) -> None:
    instrument = make()[0]
    instrument.receive(line)
    for _ in range(25):
        if ask(instrument, ":STAT:ERR?").startswith("0"):
            return
    pytest.fail("the error queue does not empty")


@pytest.mark.parametrize("model", sorted(MODELS))
def test_each_model_says_that_it_is_simulated_and_knows_its_own_words(model: str) -> None:
    table = MODELS[model].protocol
    instrument = ScpiInstrument(table, "SIMULATED1", 0.25, Clock())
    instrument.show(indication(phases=table.phase_count))
    match = re.fullmatch(table.identification.pattern, ask(instrument, table.identification.ask))
    assert match
    assert "SIMULATED1" in match.groupdict().values()
    for item in table.settings:
        if item.read_back:
            ask(instrument, spoken(item.read_back, table.elements[0]))
    if table.errors:
        assert int(ask(instrument, table.errors.ask).partition(",")[0]) == table.errors.none
