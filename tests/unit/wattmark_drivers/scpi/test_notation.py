"""Commands in the notation of manuals, and the settings that they carry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.scpi_header import echoed, match, same_word, spoken
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_setting import Setting, SettingKind

TABLES = {name: item.protocol for name, item in load_catalogue().items() if isinstance(item.protocol, ScpiMap)}


@pytest.mark.parametrize(
    ("command", "short"),
    [
        ("[:INPut]:VOLTage:RANGe 300", ":INP:VOLT:RANG 300"),
        ("[:INPut]:VOLTage:RANGe:ELEMent<x>?", ":INP:VOLT:RANG:ELEM2?"),
        (":NUMeric[:NORMal]:ITEM{n} {item}", ":NUM:NORM:ITEM{n} {item}"),
        ("*IDN?", "*IDN?"),
        ("actn;count?;{items}", "actn;count?;{items}"),
    ],
)
def test_the_short_form_is_sent(command: str, short: str) -> None:
    assert spoken(command, 2) == short


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("[:INPut]:CFACtor?", ":CFAC?"), ("[:INPut]:CFACtor?", "CFAC?"), ("[:INPut]:CFACtor?", ":input:cfactor?"),
        (":MEASure:AVERaging[:STATe]?", ":MEAS:AVER:STATE?"), (":MEASure:AVERaging[:STATe]?", ":MEAS:AVER?"),
        (":CURSor?", ":CURSO?"), (":CURSor?", ":CURS?"), (":CURSor?", "cursor?"),
    ],
)  # fmt: skip
def test_what_an_instrument_understands(header: str, text: str) -> None:
    """The last three are the examples of IM WT5000-17EN, page 4-4."""
    assert match(header, text)


@pytest.mark.parametrize(
    ("header", "text"), [(":CURSor?", ":CUR?"), (":CURSor?", ":CURS"), (":CURSor?", ":CURSORS?"), ("*IDN?", "IDN?")]
)
def test_what_it_does_not(header: str, text: str) -> None:
    assert not match(header, text)


def test_the_echo_of_a_header() -> None:
    """The WT333E of the published PTDaemon consoles answers `:SYNC CURR` and `:MEAS:AVER 0`."""
    assert echoed("[:INPut]:SYNChronize", verbose=False) == ":SYNC"
    assert echoed(":MEASure:AVERaging[:STATe]", verbose=False) == ":MEAS:AVER"
    assert echoed("[:INPut]:CFACtor", verbose=True) == ":INPUT:CFACTOR"


@pytest.mark.parametrize("model", sorted(TABLES))
def test_each_setting_reads_back_what_it_writes(model: str) -> None:
    for item in TABLES[model].settings:
        setting = TABLES[model].setting(item.name)
        for value in setting.values or ("on", "off"):
            normal = setting.normal(value)
            assert setting.same(setting.understood(setting.written(normal)), normal), (item.name, value)
            assert match(item.command, spoken(item.command, 1)), item.name


@given(st.text(max_size=20))
def test_any_answer_of_a_setting_is_a_value_or_refused(text: str) -> None:
    for setting in (
        Setting(name="a", command=":A", kind=SettingKind.SWITCH, power_on="off"),
        Setting(name="b", command=":B", values=(1.0, 2.5), tokens={"2.5": "7"}, power_on=1.0),
        Setting(name="c", command=":C", kind=SettingKind.WORD, values=("CURRent", "OFF"), power_on="OFF"),
    ):
        try:
            value = setting.understood(text)
        except ValueError:
            continue
        assert isinstance(value, float | str)


def test_words_in_both_forms() -> None:
    assert same_word("CURRent", "CURR")
    assert same_word("CURRent", "current")
    assert not same_word("CURRent", "CURRE")
    assert same_word("WT300", "wt300")
    assert same_word("A6", "A6")
