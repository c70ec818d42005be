"""Lines of the plugins' own README files in influxdata/telegraf, and of the InfluxDB reference."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices
from wattmark.importers.logs.line_protocol import number_of, parse_point, proven_precision, tags_of

IPMI = """\
ipmi_sensor,server=10.20.2.203,name=power_supply_1,unit=watts status=1i,value=110 {stamp}
ipmi_sensor,server=10.20.2.203,name=power_supply_2,unit=watts status=1i,value=120 {stamp}
ipmi_sensor,server=10.20.2.203,name=power_supplies value=0,status=1i {stamp}
ipmi_sensor,server=10.20.2.203,name=fan_1,unit=percent status=1i,value=43.12 {stamp}
"""
DCMI = "ipmi_sensor,name=instantaneous_power_reading,server={server},unit=watts value={watts} {stamp}\n"
MODBUS = "modbus,name=device,slave_id=1,type=holding_register energy=3254.5,power={watts} {stamp}\n"
ROCM = (
    "amd_rocm_smi,gpu_id=0x6861,gpu_unique_id=0x2150e7d042a1124,host=ali47xl,name=card0 clocks_current_memory=167i,"
    "power_draw=7,temperature_sensor_edge=28,utilization_gpu=0i {stamp}\n"
)
T = 1517125513
NS = [f"{T + second}000000000" for second in range(3)]


def repeated(line: str, **values: str) -> str:
    return "".join(line.format(stamp=stamp, **values) for stamp in NS)


def test_supplies_are_parts_and_only_the_reading_of_the_whole_is_the_server(read_log):
    log = read_log(repeated(IPMI))
    assert log.kind == "telegraf"
    assert log.of("ipmi_sensor 10.20.2.203", "power_supply_1") == [110, 110, 110]
    assert [meter.partial for meter in log.item.record.meters] == [True]
    whole = read_log(repeated(IPMI) + repeated(DCMI, server="10.20.2.203", watts="167"))
    assert whole.values["ipmi_sensor 10.20.2.203", "power"] == [(T, 167), (T + 1, 167), (T + 2, 167)]
    assert [(meter.role, meter.partial) for meter in whole.item.record.meters] == [("bmc", False)]


def test_the_power_of_several_machines_decides_no_result(read_log):
    log = read_log(repeated(DCMI, server="a", watts="167") + repeated(DCMI, server="b", watts="200"))
    assert [meter.partial for meter in log.item.record.meters] == [True, True]
    assert any("power of 2 machines" in note for note in log.item.notes)
    chosen = read_log(
        repeated(DCMI, server="a", watts="167") + repeated(DCMI, server="b", watts="200"),
        Choices(power="ipmi_sensor,server=b,name=instantaneous_power_reading value"),
    )
    assert [m.name for m in chosen.item.record.meters if not m.partial] == ["ipmi_sensor b"]


def test_a_gpu_is_a_part(read_log):
    log = read_log(repeated(ROCM))
    assert log.of("amd_rocm_smi ali47xl 0x6861", "power_draw") == [7, 7, 7]
    assert log.of("amd_rocm_smi ali47xl 0x6861", "temperature_sensor_edge") == [28, 28, 28]
    assert [meter.partial for meter in log.item.record.meters] == [True]


def test_a_field_without_a_unit_is_power_only_if_a_person_says_so(read_log):
    text = repeated(MODBUS, watts="23.5")
    written = "modbus,name=device,slave_id=1,type=holding_register power"
    with pytest.raises(InputError, match=rf"Say with --power which one is the power of the server: '{written}'"):
        read_log(text)
    with pytest.raises(InputError, match=rf"no series 'pdu power'\. It has: '{written}'"):
        read_log(text, Choices(power="pdu power"))
    assert read_log(text, Choices(power=written)).item.record.meters[0].role == "wall"
    source = "modbus device 1 holding_register"
    assert read_log(text, Choices(power="modbus,slave_id=1 power")).of(source, "power") == [23.5] * 3
    kilo = read_log(text, Choices(power="modbus power kW"))
    assert kilo.of(source, "power") == [23500.0] * 3
    assert [meter.role for meter in kilo.item.record.meters] == ["wall"]
    both = text + text.replace("slave_id=1", "slave_id=2")
    with pytest.raises(InputError, match=r"names 2 series of the log: .*Name more of its tags"):
        read_log(both, Choices(power="modbus power"))
    assert list(read_log(both, Choices(power="modbus,slave_id=2 power")).values) == [
        ("modbus device 2 holding_register", "power")
    ]


@pytest.mark.parametrize(
    ("line", "choices"),
    [
        ('http,host=a power="302" {stamp}\n', Choices()),
        ('http,host=a power="302 W",code=200i {stamp}\n', Choices(power="http power")),
        ('nvidia_smi,host=a,index=0 power_draw="302.5" {stamp}\n', Choices()),
        ('mqtt_consumer,topic=plug value="302" {stamp}\n', Choices(power="mqtt_consumer value")),
    ],
)
def test_power_that_is_written_as_text_is_named_with_what_to_do(read_log, line: str, choices: Choices) -> None:
    """MQTT and HTTP inputs keep a payload as a string unless they are told its type."""
    with pytest.raises(InputError, match=r'line 1: .* is text and not a number: "302.*processors\.converter'):
        read_log(repeated(line), choices)


def test_a_field_that_is_text_in_some_lines_loses_those_and_says_so(read_log):
    lines = [f"http,host=a power={watts} {stamp}\n" for watts, stamp in zip(('"302"', "303", "304"), NS, strict=True)]
    log = read_log("".join(lines), Choices(power="http power"))
    assert log.of("http a", "power") == [303, 304]
    assert [(each.line, each.why) for each in log.item.unread.first] == [(1, 'power is text and not a number: "302"')]
    log = read_log(
        "".join([lines[1], lines[2], lines[0].replace(NS[0], f"{T + 3}000000000")]), Choices(power="http power")
    )
    assert log.of("http a", "power")[:2] == [303, 304]
    assert math.isnan(log.of("http a", "power")[2])
    assert log.item.unread.count == 1


@pytest.mark.parametrize("kind", ["auto", "telegraf"])
@pytest.mark.parametrize(
    "line",
    [
        '{{"fields":{{"power":302}},"name":"http","tags":{{"host":"a"}},"timestamp":{t}}}\n',
        '{{"metrics":[{{"fields":{{"power":302}},"name":"http","tags":{{"host":"a"}},"timestamp":{t}}}]}}\n',
    ],
)
def test_json_is_named_with_the_format_to_choose(read_log, line: str, kind: str) -> None:
    """Telegraf's serializers/json README shows both forms."""
    with pytest.raises(InputError, match=r'written as JSON.*data_format = "influx"'):
        read_log("".join(line.format(t=T + i) for i in range(3)), kind=kind)


def test_the_decimal_comma_of_the_example_is_reported(read_log):
    """The README of inputs.modbus shows frequency=49,97, which no database takes."""
    text = repeated(MODBUS, watts="23.5").replace("power=23.5", "power=23.5,frequency=49,97", 1)
    log = read_log(text, Choices(power="modbus power"), kind="telegraf")
    assert [(line.line, line.why) for line in log.item.unread.first] == [(1, "'97' is not a key with a value")]


@pytest.mark.parametrize(("unit", "zeros"), [("s", 0), ("ms", 3), ("us", 6), ("ns", 9)])
def test_the_unit_of_stamps_is_proven_by_them(read_log, unit, zeros):
    text = "".join(DCMI.format(server="a", watts="167", stamp=f"{T + i}{'0' * zeros}") for i in range(2))
    log = read_log(text)
    assert [t for t, _ in log.values["ipmi_sensor a", "power"]] == [T, T + 1]
    assert any(f"read in {unit}:" in note for note in log.item.notes)


LATE = 4_102_444_800
"""Seconds from 1970 to 2100: later stamps prove no unit."""


def test_a_unit_that_is_not_proven_is_asked_for(read_log):
    text = "".join(DCMI.format(server="a", watts="167", stamp=f"{LATE + i}") for i in range(2))
    with pytest.raises(InputError, match="does not prove its unit; say it with --precision"):
        read_log(text, kind="telegraf")
    log = read_log(text, Choices(precision="s"), kind="telegraf")
    assert [t for t, _ in log.values["ipmi_sensor a", "power"]] == [LATE, LATE + 1]
    mixed = (
        DCMI.format(server="a", watts="1", stamp=T)
        + DCMI.format(server="a", watts="2", stamp=T)
        + DCMI.format(server="a", watts="1", stamp=f"{T + 9}000")
    )
    with pytest.raises(InputError, match="2 lines with a reading, and two at different times are needed: line 3"):
        read_log(mixed)


def test_line_protocol_as_its_reference_writes_it():
    """Examples of "Special characters" and "Data types and format" of the reference."""
    point = parse_point(
        'my\\ Measurement,tag\\ Key1=tag\\ Value1 fieldKey="string, value = \\" x",a=1i 1556813561098000000'
    )
    assert tags_of(point.head) == ("my Measurement", {"tag Key1": "tag Value1"})
    assert [key for key, _ in point.fields] == ["fieldKey", "a"]
    assert [number_of(value) for _, value in point.fields] == [None, 1.0]
    assert tags_of('m,disk=3.5"') == ("m", {"disk": '3.5"'})
    assert [number_of(text) for text in ("1.0", "-1.234456e+78", "1u", "true", '"x"')] == [
        1.0,
        -1.234456e78,
        1.0,
        None,
        None,
    ]
    for wrong in ("m", "m a=1", " a=1 1", ",t=1 a=1 1", 'm a="x 1', "m a= 1", "m =1 1", "m a=1 1 1"):
        with pytest.raises(ValueError, match=r"^(it|a string|.* is not a key)"):
            parse_point(wrong)
    assert proven_precision("12345") is None


@given(st.text(alphabet='m,t= \\"a1.i#\n', max_size=40))
def test_points_are_read_or_refused(line: str) -> None:
    try:
        point = parse_point(line)
        tags_of(point.head)
        [number_of(value) for _, value in point.fields]
    except ValueError:
        pass


@pytest.mark.parametrize(
    ("field", "named"),
    [
        ("power_kw", "says kW, and --power names no unit"),
        ("power_mw", "says mW or MW, and --power names no unit"),
        ("power_milliwatts", "says mW"),
        ("apparent_va", "says VA, which is not a unit of power"),
        ("energy_kwh", "says kWh, which is not a unit of power"),
        ("power_deciwatts", "says dW"),
        ("apparent_power", "says 'apparent'"),
        ("powerLimit", "says 'limit'"),
        ("power_w_x10", "says .w x10., and --power names no unit"),
        ("power_max", "says .max.: it is not the power"),
        ("powerKW", "says kW, and --power names no unit"),
        ("powerDeciWatts", "says dW"),
        ("power_factor", "says 'factor'"),
        ("power_requested_watts", "says 'requested'"),
        ("interval_in_min", "says 'interval'"),
    ],
)
def test_a_field_that_says_another_unit_is_power_only_with_its_unit(read_log, field: str, named: str) -> None:
    text = repeated(MODBUS, watts="23.5").replace("power=", f"{field}=")
    assert field in text
    with pytest.raises(InputError, match=named):
        read_log(text, Choices(power=f"modbus {field}"))


def test_a_series_is_named_as_it_was_offered(read_log) -> None:
    """A comma and a space in tags and field, which line protocol escapes."""
    text = "".join(rf"plug,topic=rack\ 1\,a Power\ now={300 + k} {T + k}000000000" + "\n" for k in range(3))
    with pytest.raises(InputError) as refused:
        read_log(text, Choices(power="plug other"))
    offered = str(refused.value.remedy).partition("'")[2].rpartition("'")[0]
    log = read_log(text, Choices(power=offered))
    assert [value for _, value in log.values["plug rack 1,a", "power"]] == [300, 301, 302]


def test_capital_letters_keep_milliwatts_and_megawatts_apart(read_log) -> None:
    text = repeated(MODBUS, watts="23.5").replace("power=", "power_mw=")
    source = "modbus device 1 holding_register"
    assert read_log(text, Choices(power="modbus power_mw mW")).of(source, "power") == pytest.approx([0.0235] * 3)
    assert read_log(text, Choices(power="modbus power_mw MW")).of(source, "power") == pytest.approx([23.5e6] * 3)


@pytest.mark.parametrize(
    ("line", "power", "named"),
    [
        ("ipmi_sensor,name=volt1,server=a,unit=volts value=230", "ipmi_sensor,name=volt1 value", "is in V"),
        ("ipmi_sensor,name=t,server=a,unit=degrees_c value=40", "ipmi_sensor,name=t value W", "is in .C"),
        ("ipmi_sensor,name=fan,server=a,unit=percent value=40", "ipmi_sensor,name=fan value", "is in percent"),
        ("nvidia_smi,host=h,index=0 temperature_gpu=60", "nvidia_smi temperature_gpu", "is in .C"),
        ("cpu,cpu=cpu-total,host=h usage_active=60", "cpu usage_active", "is in %"),
        (
            "ipmi_sensor,name=pwr,server=a,unit=watts value=201",
            "ipmi_sensor,name=pwr value kW",
            "--power reads it in kW",
        ),
        ("bmc,name=cap,unit=watts value=900", "bmc,name=cap value", "says 'cap'"),
        (
            "kW,entity_id=server_power value=0.3",
            "kW,entity_id=server_power value",
            "says kW, and --power names no unit",
        ),
    ],
)
def test_a_person_cannot_make_a_power_of_what_the_log_says_is_none(read_log, line: str, power: str, named: str) -> None:
    with pytest.raises(InputError, match=named):
        read_log("".join(f"{line} {stamp}\n" for stamp in NS), Choices(power=power))


@pytest.mark.parametrize(
    ("line", "power", "is_part"),
    [
        ("nvidia_smi,host=h,index=0 power_draw=301", "nvidia_smi power_draw", True),
        ("ipmi_sensor,name=power_supply_1,server=a,unit=watts value=110", "ipmi_sensor value", True),
        ("powerstat_package,host=a current_power_consumption_watts=41", "powerstat_package *", True),
        ("modbus,name=pdu power_l1=110", "modbus power_l1", True),
        ("modbus,name=pdu,host=gpu-1 power=110", "modbus power", False),
        ("http,host=h power=0.3", "http power kW", False),
    ],
)
def test_a_part_that_a_person_takes_for_the_server_is_said(read_log, line: str, power: str, is_part: bool) -> None:
    chosen = power.replace("*", "current_power_consumption_watts")
    log = read_log("".join(f"{line} {stamp}\n" for stamp in NS), Choices(power=chosen))
    assert any("is the power of a part of a server" in note for note in log.item.notes) is is_part
    assert any("is taken as the power of the server" in note for note in log.item.notes)


def test_a_name_that_denies_to_be_a_power_is_not_offered(read_log) -> None:
    fields = "power_capacity_watts=900,power_consumed_watts=300"
    with pytest.raises(InputError) as refused:
        read_log("".join(f"redfish_power_powercontrol,source=a {fields} {stamp}\n" for stamp in NS))
    assert "power_consumed_watts" in refused.value.remedy
    assert "capacity" not in refused.value.remedy


def test_points_that_a_buffer_sends_again_count_once(read_log) -> None:
    """The last nine of 300 readings were written once more before the log goes on, and at its end the last line."""
    points = [DCMI.format(server="a", watts=str(200 + i % 7), stamp=f"{T + i}000000000") for i in range(600)]
    log = read_log("".join([*points[:300], *points[291:300], *points[300:], points[599]]))
    assert [t for t, _ in log.values["ipmi_sensor a", "power"]] == [T + i for i in range(600)]
    assert any(note.startswith("10 points stand twice") for note in log.item.notes)
    assert log.item.unread.count == 0


@pytest.mark.parametrize("apart_s", [0.0, 0.5, 0.3])
def test_points_that_other_tags_distinguish_are_several_sources(read_log, apart_s: float) -> None:
    head = "ipmi_sensor,name=instantaneous_power_reading,server=a,unit=watts,rack={} value={} {:.0f}\n"
    lines = [
        head.format(rack, 200 + i % 7 + more, (T + i + late_s) * 1e9)
        for i in range(300)
        for rack, more, late_s in (("r1", 0, 0.0), ("r2", 3, apart_s))
    ]
    text = "".join(lines)
    named = "come in turn from 2 sources.*Choose one with --power: 'ipmi_sensor,name=instantaneous_power_reading"
    with pytest.raises(InputError, match=named) as refused:
        read_log(text)
    chosen = str(refused.value).split("'")[-2]
    assert chosen.endswith("rack=r2 value")
    log = read_log(text, Choices(power=chosen))
    assert set(log.of("ipmi_sensor a", "power")) == {203 + i for i in range(7)}


def test_a_tag_of_the_state_and_one_that_changes_once_are_of_one_source(read_log) -> None:
    head = "ipmi_sensor,name=instantaneous_power_reading,server=a,unit=watts,status={},rack={} value={} {}000000000\n"
    log = read_log("".join(head.format("ok" if i % 2 else "nc", f"r{i // 50}", 200 + i % 7, T + i) for i in range(100)))
    assert len(log.of("ipmi_sensor a", "power")) == 100


def test_batches_in_reversed_order_are_told_as_such(read_log) -> None:
    points = [DCMI.format(server="a", watts=str(200 + i % 7), stamp=f"{T + i}000000000") for i in range(300)]
    with pytest.raises(InputError, match=r"step back 270 times\. Sort the lines by time"):
        read_log("".join("".join(reversed(points[begin : begin + 10])) for begin in range(0, 300, 10)))


@pytest.mark.parametrize(("said", "zeros", "proven"), [("ms", 0, "s"), ("ns", 3, "ms"), ("us", 9, "ns")])
def test_a_unit_of_stamps_that_they_disprove_is_to_be_left_out(read_log, said: str, zeros: int, proven: str) -> None:
    text = "".join(DCMI.format(server="a", watts="167", stamp=f"{T + i}{'0' * zeros}") for i in range(3))
    with pytest.raises(
        InputError, match=rf"not in {said}, as --precision says, but in {proven};.*Leave --precision out"
    ):
        read_log(text, Choices(precision=said), kind="telegraf")


def test_measurements_that_are_not_known_are_named(read_log) -> None:
    """Telegraf's name_override gives the plugin ipmi_sensor another name."""
    renamed = repeated(DCMI, server="a", watts="167").replace("ipmi_sensor", "bmc")
    offered = "bmc,name=instantaneous_power_reading,server=a,unit=watts value"
    with pytest.raises(InputError, match=rf"Say with --power which one is the power of the server: '{offered}'"):
        read_log(renamed)
    assert read_log(renamed, Choices(power=offered)).item.record.meters[0].role == "wall"
    with pytest.raises(
        InputError, match=r"no series that is known as power or as a sensor, but cpu usage_user, disk free"
    ):
        read_log("".join(f"cpu usage_user=3 {stamp}\ndisk free=4 {stamp}\n" for stamp in NS))
