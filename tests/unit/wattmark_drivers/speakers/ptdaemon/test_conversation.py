"""Every command of a power daemon, held against the dialogues of real ones.

The literals are those of MLPerf Inference v1.0 (server.json and ptd_logs.txt of NVIDIA and Dell) and of
../shared/reference/ptdaemon-specpower-mlperf.md, section 1.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from wattmark_drivers.speakers.ptdaemon.ranges import FixedRanges
from wattmark_drivers.speakers.ptdaemon.samples import MOST_SAMPLES
from wattmark_drivers.speakers.ptdaemon.words import identify_reply

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
    alike = rig(channels=2)
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
    alike = rig(channels=2)
    await alike.ask("Go,1000,0")
    await measure(alike, (A, (-1.0, -1.0, -1.0, -1.0)))
    lines = (await alike.ask("RL,*,*")).split("\r\n")[1]
    assert lines.count("Watts,-1.000000") == 2
    assert "Watts,396.500000" in lines


async def test_over_range_is_an_error_line_and_a_negative_sample(rig):
    alike = rig()
    await alike.ask("Go,1000,0")
    await measure(alike, (A,))
    alike.pass_s(1.0)
    alike.read(trouble="over-range")
    assert (await alike.ask("RL")).endswith("Watts,-1.000000,Volts,-1.000000,Amps,-1.000000,PF,-1.000000")
    assert any("ERROR: Current exceeds peak value allowed for range" in line for line in alike.console)
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


async def test_climate(rig):
    alike = rig(columns=("Temperature", "Humidity"))
    await alike.ask("Go,1000,0")
    await measure(alike, ((23.5, -1.0),), ((24.5, -1.0),))
    assert await alike.ask("R*") == "Temperature,24.500000,Humidity,-1.000000"
    assert await alike.ask("Temperature") == "Temperature,24.000000,23.500000,24.500000,2,0,2"
    assert await alike.ask("Humidity") == "Humidity,-1.000000,-1.000000,-1.000000,2,2,0"
