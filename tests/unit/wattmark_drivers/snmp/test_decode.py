"""Any answer gives numbers, flagged values or an error; addresses and declarations are checked."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.snmp_map import SnmpMap, numbered
from wattmark_drivers.errors import DriverError
from wattmark_drivers.reading import Quality
from wattmark_drivers.snmp.decode import SnmpChannel, constants, find_channel, is_of_unit

from tests.examples import examples

TABLES = [item.protocol for item in load_catalogue().values() if isinstance(item.protocol, SnmpMap)]


ANSWERS = st.none() | st.integers() | st.text(max_size=6) | st.sampled_from([-1, 0, 1, 2, 3, 4, 5])


@settings(max_examples=examples(40))
@given(st.data())
def test_any_answer_gives_numbers_or_flags(data):
    for table in TABLES:
        for value in table.values:
            asked = [*constants(value, 3), *SnmpChannel(value, 3, 1.0).oids]
            objects = {oid: data.draw(ANSWERS) for oid in asked}
            with contextlib.suppress(DriverError):
                find_channel(value, 3, objects)
            number, quality, _ = SnmpChannel(value, 3, value.scale).decode(objects)
            assert math.isfinite(number) or quality & Quality.INVALID


@pytest.mark.parametrize(
    ("model", "object_id", "off", "on"),
    [
        # PowerNet-MIB, rPDU2OutletSwitchedStatusState; EATON-EPDU-MIB, outletControlStatus; GUDEADS-EPC8226-MIB,
        # epc8226PortState; PDU2-MIB, outletSwitchingState; Sentry4-MIB, st4OutletState; VERTIV-V5-MIB,
        # pduOutletSwitchState.
        ("apc.rpdu2outlet", "1.3.6.1.4.1.318.1.1.26.9.2.3.1.5.24", 1, 2),
        ("eaton.epdug3outlet", "1.3.6.1.4.1.534.6.6.7.6.6.1.2.0.24", 0, 1),
        ("gude.epc8226port", "1.3.6.1.4.1.28507.58.1.3.1.2.1.3.24", 0, 1),
        ("raritan.pxoutlet", "1.3.6.1.4.1.13742.6.4.1.2.1.3.1.24", 8, 7),
        ("servertech.sentry4outlet", "1.3.6.1.4.1.1718.4.1.8.3.1.1.1.1.24", 2, 1),
        ("vertiv.geistoutlet", "1.3.6.1.4.1.21239.5.2.3.5.1.4.24", 2, 1),
    ],
)
def test_the_state_of_an_outlet_has_the_maker_s_codes(model: str, object_id: str, off: int, on: int) -> None:
    relay = load_catalogue()[model].protocol.relay
    assert (numbered(relay.oid, 24), relay.off, relay.on) == (object_id, off, on)


@pytest.mark.parametrize(
    ("number", "modules", "phases"),
    [
        (1, {}, ["l1", "l2", "l3"]),
        (1, {1: 1, 2: 1, 3: 1}, ["l1", "l2", "l3"]),
        (1, {1: 1, 2: 2, 3: 3}, ["l1"]),
        (2, {1: 1, 2: 1, 3: 1}, []),
        (2, {1: 1, 2: 2, 3: 3}, ["l2"]),
        (2, {}, []),
    ],
)
def test_phases_of_another_unit_of_a_chain_are_left_out(number, modules, phases):
    """librenms 2735: rPDU2PhaseStatusTable lists the phases of all units; its column 2 is the unit."""
    table = load_catalogue()["apc.rpdu2"].protocol
    objects = {f"1.3.6.1.4.1.318.1.1.26.6.3.1.2.{phase}": unit for phase, unit in modules.items()}
    own = [value.channel for value in table.values if is_of_unit(value, number, objects)]
    assert [name.removeprefix("current_") for name in own if name.startswith("current_l")] == phases
    assert "power" in own


def test_a_row_that_belongs_to_another_unit_is_no_power_of_this_one():
    table = load_catalogue()["apc.rpdu2"].protocol
    power = next(value for value in table.values if value.channel == "power")
    assert is_of_unit(power, 2, {"1.3.6.1.4.1.318.1.1.26.4.3.1.2.2": 2})
    assert not is_of_unit(power, 2, {"1.3.6.1.4.1.318.1.1.26.4.3.1.2.2": 3})
