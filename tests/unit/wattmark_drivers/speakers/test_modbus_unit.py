"""The float vector is the example of Eastron's protocol documents: 43 66 33 34 (hex) = 230.2."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.modbus_map import ModbusMap, Register, RegisterType, WordOrder
from wattmark_drivers.speakers.face import Face
from wattmark_drivers.speakers.faults import FaultQueue
from wattmark_drivers.speakers.indication import QUANTITIES, Indication
from wattmark_drivers.speakers.modbus.unit import ModbusUnit, encode, register_image

TYPES = st.sampled_from(RegisterType)


def indication(phases: int) -> Indication:
    rows = tuple({quantity: 100.0 * n + i for i, quantity in enumerate(QUANTITIES)} for n in range(1, phases + 1))
    return Indication(rows, {quantity: 1000.0 + i for i, quantity in enumerate(QUANTITIES)}, 123_456.0, 7_890.0)


def table(model: str) -> ModbusMap:
    protocol = load_catalogue()[model].protocol
    assert isinstance(protocol, ModbusMap)
    return protocol


def test_the_makers_example() -> None:
    assert encode(230.2, RegisterType.FLOAT32, WordOrder.HIGH_FIRST) == [0x4366, 0x3333]
    assert encode(struct.unpack(">f", bytes.fromhex("43663334"))[0], RegisterType.FLOAT32, WordOrder.HIGH_FIRST) == [
        0x4366,
        0x3334,
    ]


def test_a_register_that_no_channel_has_is_no_number_behind_a_face() -> None:
    """Eastron's list calls 30043 (address 42) the average line to neutral volts; the map here does not read it."""
    protocol = table("eastron.sdm630")
    assert all(register.address not in (42, 43) for register in protocol.registers)
    request = struct.pack(">BHH", 4, 42, 2)
    live = ModbusUnit(protocol, 1, FaultQueue(), Face("wattmark", "gateway to a WT310E", "9", "1.0", simulated=False))
    live.show(indication(3))
    assert live.answer(request, None).registers == [0xFFFF, 0xFFFF]
    simulated = ModbusUnit(protocol, 1, FaultQueue())
    simulated.show(indication(3))
    assert simulated.answer(request, None).registers == [0, 0]


def test_the_low_word_may_come_first() -> None:
    assert encode(0x12345678, RegisterType.UINT32, WordOrder.LOW_FIRST) == [0x5678, 0x1234]
    assert encode(1, RegisterType.INT64, WordOrder.LOW_FIRST) == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (70_000, RegisterType.UINT16, [0xFFFF]),
        (-1, RegisterType.UINT16, [0]),
        (40_000, RegisterType.INT16, [0x7FFF]),
        (-40_000, RegisterType.INT16, [0x8000]),
        (float("nan"), RegisterType.UINT16, [0xFFFF]),
    ],
)
def test_integers_stick_at_the_end_of_their_format(value: float, kind: RegisterType, words: list[int]) -> None:
    assert encode(value, kind, WordOrder.HIGH_FIRST) == words


@given(st.floats(-1e30, 1e30), TYPES, st.sampled_from(WordOrder))
def test_any_number_fits_any_format(value: float, kind: RegisterType, order: WordOrder) -> None:
    words = encode(value, kind, order)

    assert len(words) == kind.words
    assert all(0 <= word <= 0xFFFF for word in words)


def test_a_single_phase_meter_shows_its_total() -> None:
    image = register_image(table("eastron.sdm120"), indication(1))

    power = 1000.0 + QUANTITIES.index("power")
    assert [image[4, 12], image[4, 13]] == encode(power, RegisterType.FLOAT32, WordOrder.HIGH_FIRST)


def test_both_directions_of_energy_travel_in_kilowatt_hours() -> None:
    image = register_image(table("eastron.sdm120"), indication(1))

    assert struct.unpack(">f", struct.pack(">HH", image[4, 72], image[4, 73]))[0] == pytest.approx(123.456)
    assert struct.unpack(">f", struct.pack(">HH", image[4, 74], image[4, 75]))[0] == pytest.approx(7.89)


def test_phases_lie_in_their_own_registers() -> None:
    image = register_image(table("eastron.sdm630"), indication(3))
    volts = [struct.unpack(">f", struct.pack(">HH", image[4, a], image[4, a + 1]))[0] for a in (0, 2, 4)]

    assert volts == [100.0, 200.0, 300.0]


def test_scaled_integers_divide_by_the_scale() -> None:
    register = Register(
        channel="power", quantity="power", unit="W", label="", address=3, type="uint32", scale=0.1, function=4
    )
    scaled = table("eastron.sdm120").model_copy(update={"registers": (register,), "word_order": WordOrder.LOW_FIRST})

    image = register_image(scaled, indication(1))

    assert (image[4, 3], image[4, 4]) == (10_020, 0)


@pytest.mark.parametrize(("model", "phases"), [("eastron.sdm120", 1), ("eastron.sdm630", 3)])
def test_phases_are_counted_by_channels(model: str, phases: int) -> None:
    assert table(model).phase_count == phases
