"""Every command of a power daemon, held against the dialogues of real ones.

The literals are those of MLPerf Inference v1.0 (server.json and ptd_logs.txt of NVIDIA and Dell) and of
../shared/reference/ptdaemon-specpower-mlperf.md, section 1.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from wattmark_drivers.speakers.ptdaemon.ranges import FixedRanges
from wattmark_drivers.speakers.ptdaemon.sample_grid import Observation
from wattmark_drivers.speakers.ptdaemon.samples import MOST_SAMPLES, Exceeded
from wattmark_drivers.speakers.ptdaemon.words import identify_reply

SECOND = 1_000_000_000
PUBLISHED = Path(__file__).parents[6] / "shared/data/mlperf-power-v1.0"
A, B = (396.5, 206.81, 2.0136, 0.9521), (420.2, 206.79, 2.1262, 0.9557)
LINE_A = "Time,03-16-2021 08:53:58.862,Watts,396.500000,Volts,206.810000,Amps,2.013600,PF,0.952100"
LINE_B = "Time,03-16-2021 08:53:59.862,Watts,420.200000,Volts,206.790000,Amps,2.126200,PF,0.955700"
STARTED = "Starting untimed measurement, maximum 500000 samples at 1000ms with 0 rampup samples"


async def measure(rig, *samples) -> None:
    for values in samples:
        rig.pass_s(1.0)
        rig.read(*values)


@pytest.mark.parametrize(
    ("command", "reply"),
    [
        ("Hello", "Hello, PTDaemon here!"),
        (
            "Identify",
            "YokogawaWT330E,1000,1,1,1,1,0,0,1,version=1.9.2-3976349f-20201208,OS=Windows 8 / Server 2012,mode=power,"
            "1,1,1,0,0,no_cal_date,YOKOGAWA;WT333E;C2WC23035V;F1.04",
        ),
        ("RR", "Ranges,1,5.000000,1,300.000000"),
        ("RR,1", "Ranges,1,5.000000,1,300.000000"),
        ("RR,*", "Ranges,1,5.000000,1,300.000000"),
        ("SR,V,Auto", "Range V changed"),
        ("SR,A,Auto", "Range A changed"),
        ("SR,V,239.42", "Range V changed"),
        ("sr,v,239.42", "Range v changed"),
        ("Go,1000,0,2021-03-16_08-53-28_ranging", STARTED),
        ("Go,0,0", STARTED),
        ("Stop", "Error: no measurement to stop"),
        ("R*", "No data"),
        ("RL,*,*", "Invalid number of parameters"),
        ("Frobnicate", "Unknown command"),
        ("Uncertainty", "Uncertainty,-1.0,10000000.000000,0.000000,0,0,0,0"),
        ("Temperature", "Temperature,-1.000000,-1.000000,-1.000000,0,0,0"),
        ("Humidity", "Humidity,-1.000000,-1.000000,-1.000000,0,0,0"),
    ],
)
async def test_one_command_of_a_client(rig, command, reply):
    assert await rig().ask(command) == reply


@pytest.mark.parametrize("company", ["NVIDIA", "Qualcomm", "DellEMC"])
async def test_published_dialogues_word_for_word(rig, company):
    """Each command of the sessions of a company, against the reply that the real daemon gave."""
    if not PUBLISHED.is_dir():
        pytest.skip("the published results are not there (../shared)")
    sessions = sorted((PUBLISHED / "closed" / company).rglob("server.json"))
    assert sessions
    for session in sessions:
        alike = rig()
        for message in json.loads(session.read_text("utf-8"))["ptd_messages"]:
            reply = await alike.ask(message["cmd"])
            if message["cmd"] not in ("Identify", "RR"):
                assert (message["cmd"], reply) == (message["cmd"], message["reply"])


async def test_a_real_identity_is_written_as_its_daemon_wrote_it(rig):
    """The six fields that the published sessions differ in, put into ours."""
    if not PUBLISHED.is_dir():
        pytest.skip("the published results are not there (../shared)")
    for session in PUBLISHED.rglob("server.json"):
        messages = json.loads(session.read_text("utf-8"))["ptd_messages"]
        real = next(message["reply"] for message in messages if message["cmd"] == "Identify")
        fields = real.split(",")
        maker, model, serial, firmware = fields[-1].split(";")
        version = next(field for field in fields if field.startswith("version=")).removeprefix("version=")
        system = next(field for field in fields if field.startswith("OS=")).removeprefix("OS=")
        ours = replace(
            rig().daemon.identity,
            driver=fields[0],
            version=version,
            system=system,
            maker=maker,
            model=model,
            serial=serial,
            firmware=firmware,
        )
        assert identify_reply(ours) == real


async def test_samples_are_read_once_and_after_the_stop_too(rig):
    alike = rig()
    await alike.ask("Go,1000,0,x")
    await measure(alike, (A,))
    assert await alike.ask("RL") == f"Last 1 samples\r\n{LINE_A}"
    await measure(alike, (B,))
    assert await alike.ask("Stop") == "Stopping untimed measurement"
    assert await alike.ask("Stop") == "Error: no measurement to stop"
    assert await alike.ask("RL,*") == f"Last 1 samples\r\n{LINE_B}"
    assert "No unread" in await alike.ask("RL")


async def test_dc_rl_is_rl(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    assert await alike.ask("DC-RL") == f"Last 1 samples\r\n{LINE_A}"


async def test_the_newest_of_several_can_be_read_first_and_nothing_is_lost(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,), (B,))
    assert await alike.ask("RL,1") == f"Last 1 samples\r\n{LINE_B}"
    assert await alike.ask("RL") == f"Last 1 samples\r\n{LINE_A}"
    await alike.ask("Stop")
    assert "Insufficient unread" in await alike.ask("RL,1") or "No unread" in await alike.ask("RL,1")


async def test_more_than_there_is(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    await alike.ask("Stop")
    assert "Insufficient unread" in await alike.ask("RL,2")
    assert await alike.ask("RL,1") == f"Last 1 samples\r\n{LINE_A}"


async def test_each_client_reads_every_sample(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    first = await alike.ask("RL")
    alike.client = type(alike.client)(alike.daemon)
    assert await alike.ask("RL") == first


async def test_watts_since_go_without_errors_and_missed_samples(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,), (B,))
    alike.pass_s(1.0)
    alike.read(trouble="error")
    # the mean of 396.5 W and 420.2 W
    assert await alike.ask("Watts") == "Watts,408.350000,396.500000,420.200000,3,1,2"
    assert await alike.ask("R*") == "Watts,-1.000000,Volts,-1.000000,Amps,-1.000000,PF,-1.000000"


async def test_ramp_up_samples_are_logged_and_enter_no_average(rig):
    alike = rig()
    reply = await alike.ask("Go,1000,1")
    assert reply == "Starting untimed measurement, maximum 500000 samples at 1000ms with 1 rampup samples"
    await measure(alike, (A,), (B,))
    assert await alike.ask("Watts") == "Watts,420.200000,420.200000,420.200000,1,0,1"
    assert len(alike.log) == 2


async def test_the_mark_is_that_of_the_lines_that_follow(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    reply = await alike.ask("Mark,_002_cal_rc_")
    assert "\r\n" not in reply
    assert "Error" not in reply
    await measure(alike, (B,))
    assert alike.log == [f"{LINE_A},Mark,notset", f"{LINE_B},Mark,_002_cal_rc_"]


async def test_go_clears_what_was_before(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    await alike.ask("Go,1000,0")
    await measure(alike, (B,))
    assert await alike.ask("RL") == f"Last 1 samples\r\n{LINE_B}"
    assert await alike.ask("Watts") == "Watts,420.200000,420.200000,420.200000,1,0,1"


async def test_reset_forgets_the_measurement(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    assert "Error" not in await alike.ask("Reset")
    assert await alike.ask("Stop") == "Error: no measurement to stop"
    assert "No unread" in await alike.ask("RL")


async def test_arbitrary_values_choose_the_next_range_that_fits(rig):
    """A real daemon took 300 V for 239.42 V and 10 A for 8.1675 A (Dell, resnet50, MLPerf v1.0)."""
    alike = rig()
    await alike.ask("SR,V,239.42")
    assert await alike.ask("RR") == "Ranges,1,5.000000,0,300.000000"
    await alike.ask("SR,A,8.1675")
    assert await alike.ask("RR") == "Ranges,0,10.000000,0,300.000000"
    await alike.ask("SR,A,Auto")
    assert await alike.ask("RR") == "Ranges,1,10.000000,0,300.000000"
    assert alike.console[-1].endswith(": Ampere range set to Auto")
    assert any(line.endswith(": Volt range set to 300.000000V") for line in alike.console)
    assert any(line.endswith(": Amp range set to 10.000000A") for line in alike.console)


@pytest.mark.parametrize("command", ["SR,A,20.1", "SR,V,601", "SR,V,0", "SR,V,-1", "SR,V,nan", "SR,W,5", "SR,V,5,9"])
async def test_an_unusable_range_is_refused_and_changes_nothing(rig, command):
    alike = rig()
    assert "Error" in await alike.ask(command)
    assert await alike.ask("RR") == "Ranges,1,5.000000,1,300.000000"


async def test_a_meter_without_ranges_says_so(rig):
    alike = rig()
    alike.daemon.ranges = FixedRanges(model="eastron.sdm120")
    assert await alike.ask("RR") == "Ranges,-1,-1.000000,-1,-1.000000"
    assert "Error" in await alike.ask("SR,V,Auto")
    assert "Error" in await alike.ask("SR,V,230")


async def test_uncertainty_is_counted_above_one_per_cent_and_where_it_is_unknown(rig):
    fractions = iter([0.00241, 0.0127, None])
    alike = rig(judge=lambda channel, values: next(fractions))
    await alike.ask("SR,V,240")
    await alike.ask("SR,A,5")
    await alike.ask("Go,1000,0")
    await measure(alike, (A,), (B,), (B,))
    # the mean of 0.241 % and 1.27 %
    assert await alike.ask("Uncertainty") == "Uncertainty,0.007555,0.002410,0.012700,3,1,2,1"
    text = "\n".join(alike.console)
    assert "WARNING: Uncertainty 1.27%, which is above 1.00% limit for the last sample!" in text
    assert "ERROR: Can't evaluate uncertainty of this sample!" in text
    assert "WARNING: Uncertainty unknown for the last measurement sample! channel 0" in text


async def test_auto_range_leaves_the_uncertainty_unknown(rig):
    alike = rig(judge=lambda channel, values: 0.001)
    await alike.ask("Go,1000,0")
    await measure(alike, *[(A,)] * 3)
    assert await alike.ask("Uncertainty") == "Uncertainty,-1.0,10000000.000000,0.000000,3,0,0,3"


async def test_two_channels_and_their_sum(rig):
    alike = rig(numbers=(1, 2))
    assert (await alike.ask("Identify")).split(",")[14] == "2"
    assert await alike.ask("RR,*") == "Ranges," + ",".join(["1,5.000000,1,300.000000"] * 3)
    await alike.ask("SR,A,9,2")
    assert await alike.ask("RR,2") == "Ranges,0,10.000000,1,300.000000"
    assert await alike.ask("RR,*") == (
        "Ranges,-1,-1.000000,1,300.000000,1,5.000000,1,300.000000,0,10.000000,1,300.000000"
    )
    await alike.ask("Go,1000,0,m")
    await measure(alike, (A, B))
    total = "Watts,816.700000,Volts,206.800000,Amps,2.069900,PF,0.953900"
    first, second = LINE_A.partition(",Watts")[2], LINE_B.partition(",Watts")[2]
    stamp = "Time,03-16-2021 08:53:58.862"
    assert alike.log == [f"{stamp},{total},Mark,m,Ch1,Watts{first},Ch2,Watts{second}"]
    assert await alike.ask("RL,*,*") == (
        f"Last 1 samples from sum channel and channels 1 - 2\r\n{stamp},{total},Watts{first},Watts{second}"
    )
    await measure(alike, (A, B))
    assert (await alike.ask("RL")).endswith(total)
    assert await alike.ask("Watts") == "Watts,816.700000,816.700000,816.700000,2,0,2"


async def test_a_channel_that_failed_fails_the_sum_and_not_the_other(rig):
    alike = rig(numbers=(1, 2))
    await alike.ask("Go,1000,0")
    await measure(alike, (A, (math.nan,) * 4))
    lines = (await alike.ask("RL,*,*")).split("\r\n")[1]
    assert lines.count("Watts,-1.000000") == 2
    assert "Watts,396.500000" in lines


async def test_over_range_is_an_error_line_and_a_negative_sample(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    alike.pass_s(1.0)
    alike.read(trouble="over-range", exceeded=Exceeded(0, "A"))
    assert (await alike.ask("RL")).endswith("Watts,-1.000000,Volts,-1.000000,Amps,-1.000000,PF,-1.000000")
    assert alike.console[-1].endswith(": ERROR: Current exceeds peak value allowed for range 5.000000A")
    assert await alike.ask("Watts") == "Watts,396.500000,396.500000,396.500000,2,1,1"


async def test_a_value_that_is_none_is_an_error_line(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    alike.pass_s(1.0)
    alike.read(trouble="error")
    assert alike.console[-1].endswith(": ERROR: Bad watts reading nan from YokogawaWT330E")


async def test_the_console_of_a_run(rig):
    """The order of a published console: Go, reply, then the end with the daemon's own count."""
    alike = rig()
    await alike.ask("Go,1000,0,2021-03-16_08-53-28_ranging")
    assert alike.console == ["03-16-2021 08:53:57.862: Go with mark '2021-03-16_08-53-28_ranging'"]
    await measure(alike, (A,), (B,))
    await alike.ask("Stop")
    assert alike.console[-2:] == [
        "03-16-2021 08:53:59.862: Completed test",
        "03-16-2021 08:53:59.862: Avg watts 408.350000, min watts 396.500000, max watts 420.200000, "
        "samples 2, errors 0, valid 2",
    ]


async def test_a_mark_cannot_break_a_line(rig):
    alike = rig()
    await alike.ask("Go,1000,0,a,b\x00\u20ac")
    await measure(alike, (A,))
    assert alike.log == [f"{LINE_A},Mark,a;b??"]


@pytest.mark.parametrize("command", ["Go", "Go,1000", "Go,x,0", "Go,10,0", "Go,1000,-1", "Go,99999999,0", "Go,1e3,0"])
async def test_a_go_that_cannot_be_begun(rig, command):
    alike = rig()
    assert (await alike.ask(command)).startswith(("Error", "Invalid"))
    assert not alike.daemon.measuring


async def test_a_measurement_ends_at_its_largest_number_of_samples(rig, monkeypatch):
    monkeypatch.setattr("wattmark_drivers.speakers.ptdaemon.samples.MOST_SAMPLES", 3)
    assert MOST_SAMPLES == 500_000
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, *[(A,)] * 5)
    assert not alike.daemon.measuring
    assert (await alike.ask("RL")).startswith("Last 3 samples\r\n")
    assert any(line.endswith("Completed test") for line in alike.console)


@pytest.mark.parametrize(
    ("exceeded", "words"),
    [
        (Exceeded(0, "V"), "Voltage of channel 2 exceeds peak value allowed for range 300.000000V"),
        (Exceeded(1, "A"), "Current of channel 3 exceeds peak value allowed for range 5.000000A"),
        (Exceeded(1), "The range in use of channel 3 is exceeded"),
    ],
)
async def test_the_console_names_the_input_that_exceeds_its_range(rig, exceeded, words):
    alike = rig(numbers=(2, 3))
    await alike.ask("Go,1000,0")
    alike.pass_s(1.0)
    alike.read(trouble="over-range", exceeded=exceeded)
    assert alike.console[-1].endswith(f": ERROR: {words}")


async def test_channels_keep_the_numbers_of_the_device(rig):
    """`-c 2,2` of power-dev reads Ch2 and Ch3 of the log, and takes another name for a missing channel."""
    alike = rig(numbers=(2, 3))
    assert (await alike.ask("Identify")).split(",")[14] == "2"
    await alike.ask("SR,A,9,3")
    assert await alike.ask("RR,3") == "Ranges,0,10.000000,1,300.000000"
    assert await alike.ask("RR,2") == "Ranges,1,5.000000,1,300.000000"
    assert "Error" in await alike.ask("RR,1")
    assert "Error" in await alike.ask("SR,A,9,1")
    await alike.ask("Go,1000,0,m")
    await measure(alike, (A, B))
    assert [word for word in alike.log[0].split(",") if word.startswith("Ch")] == ["Ch2", "Ch3"]
    assert (await alike.ask("RL,*,*")).startswith("Last 1 samples from sum channel and channels 2 - 3\r\n")
    await measure(alike, (A, B))
    assert (await alike.ask("RL,1,3")).startswith("Last 1 samples from channel 3\r\nTime,")


async def test_one_channel_of_an_analyser_with_several_has_a_sum_too(rig):
    """power-dev (`-c 1` of type 48) looks for Ch1 behind the mark, and gives up where it is missing."""
    alike = rig(numbers=(1,))
    await alike.ask("Go,1000,0,m")
    await measure(alike, (A,))
    values = LINE_A.partition(",Watts")[2]
    assert alike.log == [f"{LINE_A},Mark,m,Ch1,Watts{values}"]
    assert await alike.ask("RL,*,*") == (
        f"Last 1 samples from sum channel and channels 1 - 1\r\n{LINE_A},Watts{values}"
    )


@pytest.mark.parametrize("update_s", [0.9994, 1.0, 1.0006, 1.015])
async def test_the_interval_is_the_nominal_one(rig, update_s):
    """power-dev's checker takes "at 1000ms" alone; an update that is learnt from stamps is never quite 1 s."""
    alike = rig(update_s=update_s)
    assert await alike.ask("Go,1000,0,x") == STARTED
    assert await alike.ask("Go,0,0,x") == STARTED


async def test_a_meter_that_is_slower_says_its_own_interval(rig):
    alike = rig(update_s=1.5)
    assert "at 1500ms" in await alike.ask("Go,1000,0")


async def test_a_feed_in_of_one_watt_at_unity_is_measured(rig):
    """-1 W and a power factor of -1 are values as good as others: the daemon counts them, though clients cannot."""
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, ((-1.0, 230.0, 0.00435, -1.0),))
    assert await alike.ask("Watts") == "Watts,-1.000000,-1.000000,-1.000000,1,0,1"
    assert (await alike.ask("RL")).endswith("Watts,-1.000000,Volts,230.000000,Amps,0.004350,PF,-1.000000")


async def test_a_daemon_of_wattmark_tells_whose_measurement_it_has(rig):
    """No other daemon knows the command: its reply is ours to define."""
    alike = rig()
    assert await alike.ask("Wattmark") == "Wattmark,,none,0,0,0,"
    await alike.ask("Go,1000,0,mine")
    await measure(alike, (A,), (B,))
    name, key, *standing = (await alike.ask("Wattmark")).split(",")
    assert (name, standing) == ("Wattmark", ["running", "2", "2", "1000", "mine"])
    await alike.ask("RL,1")
    assert (await alike.ask("Wattmark")).split(",")[3:5] == ["2", "2"]
    await alike.ask("RL")
    assert (await alike.ask("Wattmark")).split(",")[3:5] == ["2", "0"]
    await alike.ask("Stop")
    assert (await alike.ask("Wattmark")).split(",")[1:3] == [key, "stopped"]
    await alike.ask("Go,1000,0,other")
    assert (await alike.ask("Wattmark")).split(",")[1] != key


async def test_late_readings_are_counted_and_said(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,), (A,))
    early_ns = alike.clock.utc_ns() + SECOND
    alike.pass_s(4.5)
    alike.daemon.take(Observation(alike.clock.utc_ns(), (B,)))
    for _ in range(2):
        alike.daemon.take(Observation(early_ns, (A,)))
    alike.pass_s(1.0)
    alike.daemon.take(Observation(alike.clock.utc_ns(), (B,)))
    assert alike.console[-1].endswith(": WARNING: 2 readings came after their sample had ended, and enter none")
    watts = [line.split(",")[3] for line in alike.log]
    assert set(watts) == {"396.500000", "-2.000000", "420.200000"}


async def test_every_warning_of_the_console_begins_with_its_time(rig):
    """power-dev's checker stops at a line with WARNING: or ERROR: that does not begin with MM-DD-YYYY HH:MM:SS.mmm."""
    alike = rig(judge=lambda channel, values: 0.0127 if values == A else None)
    await alike.ask("SR,V,240")
    await alike.ask("SR,A,5")
    await alike.ask("Go,1000,0")
    await measure(alike, (A,), (B,))
    alike.pass_s(1.0)
    alike.read(trouble="over-range")
    alike.pass_s(9.0)
    alike.read(B)
    worrying = [line for line in alike.console if "WARNING:" in line or "ERROR:" in line]
    assert len(worrying) >= 5
    assert all(re.match(r"\d\d-\d\d-\d{4} \d\d:\d\d:\d\d\.\d{3}: (WARNING|ERROR): ", line) for line in worrying)


async def test_a_change_of_range_that_takes_too_long_is_refused_and_its_end_is_said(rig, monkeypatch):
    monkeypatch.setattr("wattmark_drivers.speakers.ptdaemon.daemon.SETTLING_S", 0.05)
    alike = rig()
    choose = alike.daemon.ranges.choose

    async def slowly(*parameters):
        await asyncio.sleep(0.2)
        return await choose(*parameters)

    monkeypatch.setattr(alike.daemon.ranges, "choose", slowly)
    assert "Error" in await alike.ask("SR,V,240")
    assert "did not change its range" in alike.console[-1]
    assert await alike.ask("RR") == "Ranges,1,5.000000,1,300.000000"
    await asyncio.sleep(0.3)
    assert alike.console[-1].endswith(": Volt range set to 300.000000V")
    assert await alike.ask("RR") == "Ranges,1,5.000000,0,300.000000"
