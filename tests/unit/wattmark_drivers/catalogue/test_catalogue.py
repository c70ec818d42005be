"""Every declaration is checked; adding a model is adding a file."""

from __future__ import annotations

from importlib.resources import files

import pytest
from wattmark_drivers.catalogue import catalogue_json_schema, load_catalogue, parse_declaration
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.catalogue.source import Status
from wattmark_drivers.catalogue.support_table import support_cells
from wattmark_drivers.errors import ConfigurationError

MODELS = sorted(load_catalogue())
# Published zero-based addresses: Eastron SDM630Modbus protocol V1.8, clause 1.2.1; mbmd sdm220.go for the SDM120.
SDM630 = {
    **{f"{name}_l{phase}": first + 2 * (phase - 1) for name, first in (
        ("voltage", 0x00), ("current", 0x06), ("power", 0x0C), ("apparent_power", 0x12), ("reactive_power", 0x18),
        ("power_factor", 0x1E)) for phase in (1, 2, 3)},
    "power": 0x34, "apparent_power": 0x38, "reactive_power": 0x3C, "power_factor": 0x3E, "frequency": 0x46,
    "energy_import": 0x48, "energy_export": 0x4A,
}  # fmt: skip
SDM120 = {
    "voltage": 0, "current": 6, "power": 12, "apparent_power": 18, "reactive_power": 24, "power_factor": 30,
    "frequency": 70, "energy_import": 72, "energy_export": 74,
}  # fmt: skip


def test_the_first_models_are_there():
    assert {"eastron.sdm120", "eastron.sdm630", "wattsup.pro", "ipmi.bmc"} <= set(MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_every_declaration_can_be_cited(model):
    declaration = load_catalogue()[model]
    for name, fact in declaration.facts():
        assert fact.status is Status.UNCONFIRMED or declaration.cite(fact), name
    cited = {key for _, fact in declaration.facts() for key in fact.source}
    assert set(declaration.sources) - {declaration.manual} <= cited
    channels = [item.channel for item in getattr(declaration.protocol, "registers", ())]
    assert len(channels) == len(set(channels))


@pytest.mark.parametrize(("model", "addresses"), [("eastron.sdm120", SDM120), ("eastron.sdm630", SDM630)])
def test_registers_stand_where_the_makers_protocol_puts_them(model, addresses):
    table = load_catalogue()[model].protocol
    assert isinstance(table, ModbusMap)
    assert {item.channel: item.address for item in table.registers} == addresses
    assert {(item.function, item.type.value) for item in table.registers} == {(4, "float32")}


@pytest.mark.parametrize("model", ["eastron.sdm120", "eastron.sdm630"])
def test_sdm_meters_are_read_in_one_even_block_of_at_most_80_registers(model):
    # SDM630Modbus protocol V1.8, clause 1.1: even counts, at most 40 values in one transaction.
    table = load_catalogue()[model].protocol
    assert isinstance(table, ModbusMap)
    (block,) = table.blocks
    assert block.retry_count is not None
    assert all(count % 2 == 0 and count <= 80 for count in (block.count, block.retry_count))


def test_watts_up_accuracy_gives_the_manuals_own_example():
    # Watts up? manual, technical specifications: 1.5 % + 3 counts, "100w load is +/- 1.8 watts".
    (term,) = load_catalogue()["wattsup.pro"].accuracy
    assert 100 * term.reading_pct / 100 + term.fixed == pytest.approx(1.8)


def test_a_bmc_is_indicative_and_has_no_accuracy():
    assert load_catalogue()["ipmi.bmc"].indicative
    assert load_catalogue()["ipmi.bmc"].accuracy == ()


SDM, PLUG, PDU = "eastron.sdm120", "shelly.plus1pm", "apc.rpdu2outlet"


def text_of(model: str) -> str:
    return files("wattmark_drivers.catalogue").joinpath("models", f"{model}.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("model", "old", "new", "complaint"),
    [
        (SDM, "count: 76", "count: 77", "even number"),
        (SDM, "count: 76, retry_count: 78", "count: 82", "at most 80"),
        (SDM, "retry_count: 78", "retry_count: 74", "larger than count"),
        (SDM, "address: 74, type", "address: 76, type", "exactly one block"),
        (SDM, "type: float32", "type: float31", "protocol.modbus.registers.0.type"),
        (SDM, "source: [protocol, mbmd, sdm_modbus, ha_eastron]", "source: [hearsay]", "unknown sources: hearsay"),
        (SDM, "manual: protocol", "manual: leaflet", "leaflet is not among the sources"),
        (SDM, "scheme: modbus-rtu", "scheme: ipmi", "does not support ipmi"),
        (SDM, "maker: Eastron", "maker: Eastron\nindicative: true", "indicative sensor has no accuracy"),
        (SDM, "kind: counter}", "wraps_at: 1.0e+7}", "energy_import is not a counter"),
        (SDM, "kind: counter}", "kind: counter, wraps_at: 0}", "greater than 0"),
        (SDM, "maker: Eastron", "maker: Eastron\ncolour: grey", "colour"),
        (SDM, "maker: Eastron", "maker: [Eastron", "is not YAML"),
        (PLUG, "channel: voltage,", "channel: power,", "two values have the same channel"),
        (PLUG, "quality: invalid}", "quality: invalid, channels: [fan]}", "channels that its request does not have"),
        (PLUG, "pointer: /apower", "pointer: apower", "pointer"),
        (PLUG, "path: /rpc/Switch", "path: rpc/Switch", "path"),
        (PDU, "channel: current,", "channel: power,", "two values have the same channel"),
        (PDU, "scale: 0.1", "scale: 0", "scale"),
        (PDU, 'oid: "1.3.6', 'oid: "PowerNet-MIB::rPDU2', "oid"),
    ],
)
def test_a_wrong_declaration_names_the_file_and_the_fault(model, old, new, complaint):
    text = text_of(model)
    assert old in text
    with pytest.raises(ConfigurationError, match=r"broken\.yaml") as caught:
        parse_declaration(text.replace(old, new, 1), "broken.yaml")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_request_must_not_cut_a_number_that_is_only_given_whole():
    text = text_of(SDM).replace("even_counts: true", "whole_values: true").replace("retry_count: 78", "retry_count: 77")
    parse_declaration(text, "whole.yaml")
    with pytest.raises(ConfigurationError, match="the request for 75 registers from 0 ends within a number"):
        parse_declaration(text.replace("count: 76", "count: 75"), "cut.yaml")


def test_a_register_may_have_evidence_of_its_own():
    text = text_of(SDM).replace("kind: counter}", "kind: counter, evidence: {status: unconfirmed}}", 1)
    assert "register energy_import" in parse_declaration(text, "sdm120.yaml").unconfirmed


def test_a_meter_whose_accuracy_nobody_states_says_so():
    assert "accuracy of power" in load_catalogue()["siemens.pac3200"].unconfirmed
    assert all(
        "accuracy of power" not in load_catalogue()[model].unconfirmed for model in ("eastron.sdm630", "ipmi.bmc")
    )


NONE_STATED = "no_accuracy: {status: manual, source: [protocol]}\n"
NONE_READ = "no_accuracy: {status: unconfirmed}\n"


def test_a_maker_that_states_no_accuracy_is_told_from_one_whose_documents_were_not_found():
    silent, not_found, stated = (load_catalogue()[m] for m in ("tasmota.plug", "siemens.pac3200", "eastron.sdm120"))
    assert support_cells(silent)[3].startswith("not stated in the documents read ([manual](https://tasmota.github.io/")
    assert support_cells(not_found)[3] == "not found"
    assert not silent.states_accuracy
    assert stated.states_accuracy


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (text_of(SDM) + NONE_STATED, "state no accuracy of power"),
        (text_of(SDM).split("accuracy:")[0] + NONE_READ, "documents that were read"),
    ],
)
def test_what_contradicts_a_missing_accuracy_is_refused(text, complaint):
    with pytest.raises(ConfigurationError, match=complaint):
        parse_declaration(text, "broken.yaml")


def test_the_schema_describes_every_part_of_a_declaration():
    schema = catalogue_json_schema()
    assert {"id", "sources", "transports", "protocol", "rhythm"} <= set(schema["required"])
    assert {"Register", "RegisterBlock", "AccuracyTerm", "Quirk", "Status"} <= set(schema["$defs"])


def test_a_field_beyond_the_end_of_its_answer_is_refused():
    text = text_of("chroma.66204")
    with pytest.raises(ConfigurationError, match="beyond the 3 numbers"):
        parse_declaration(text.replace("length: 4", "length: 3", 1), "broken.yaml")


@pytest.mark.parametrize(
    ("model", "power_w", "range_w", "limit_w"),
    [
        # Yokogawa IM 760401-01E, p. 16-4, 12 months: 0.15 % of 300 W + 0.1 % of 300 V x 2 A
        ("yokogawa.wt210", 300, 600, 1.05),
        # APC FA156074: 3 % of 1000 W + one last digit, 10 W of a unit and 1 W of an outlet
        ("apc.rpdu2", 1000, 0, 40),
        ("apc.rpdu2outlet", 1000, 0, 31),
        # Eastron SDM220MODBUS user manual: 1 % of range maximum, 230 V x 80 A
        ("eastron.sdm220", 1000, 18400, 184),
    ],
)
def test_limits_of_power_are_those_of_the_makers_documents(model, power_w, range_w, limit_w):
    term = next(item for item in load_catalogue()[model].accuracy if item.quantity == "power")
    assert term.reading_pct / 100 * power_w + term.range_pct / 100 * range_w + term.fixed == pytest.approx(limit_w)
