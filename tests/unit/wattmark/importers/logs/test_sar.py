"""Lines of sysstat's own expected outputs (sysstat/sysstat, tests/), and of `sar 2 10` with a clock of 12 hours."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.choices import read_choices
from wattmark.importers.importer import Choices

SAR_U = """\
Linux 1.2.3-TEST (SYSSTAT.TEST) \t04/18/19 \t_x86_64_\t(9 CPU)

13:20:09        CPU     %user     %nice   %system   %iowait    %steal     %idle
13:20:19        all      2.15     12.50      2.36      0.12      0.00     82.88
13:20:19          0      2.71      0.03      3.12      0.00      0.00     94.14
13:20:29        all      2.28      0.00      1.93      0.48      0.00     95.31
Average:        all      3.36      0.00      1.92      0.18      0.00     94.54

13:37:29     LINUX RESTART\t(9 CPU)
13:39:09     COM Testing sysstat!
"""
SENSORS = """\
Linux 4.17.18-200.fc28.x86_64 (linux.home) \t08/29/18 \t_x86_64_\t(8 CPU)

09:33:48          FAN       rpm      drpm DEVICE
09:34:34            1   1283.00   1283.00 f71858fg-isa-0200
09:35:34            1   1290.00   1290.00 f71858fg-isa-0200

09:33:48         TEMP      degC     %temp DEVICE
09:34:34            1     34.00     48.57 f71858fg-isa-0200
09:34:34            4     36.00     37.89 nouveau-pci-0100
09:35:34            1     35.00     49.57 f71858fg-isa-0200

09:33:48         proc/s   cswch/s
09:34:34         3.56  68409.30

09:33:48        CPU    wghMHz
09:34:34        all   1123.35
09:34:34          0   1200.33
"""
SADF = """\
# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
SYSSTAT.TEST;31;{};-1;2.15;12.50;2.36;0.12;0.00;82.88
SYSSTAT.TEST;31;{};-1;2.28;0.00;1.93;0.48;0.00;95.31
SYSSTAT.TEST;-1;{};LINUX-RESTART\t(9 CPU)
# hostname;interval;timestamp;TEMP;DEVICE;degC;%temp
SYSSTAT.TEST;46;{};1;f71858fg-isa-0200;34.00;48.57
"""
BUSY = [100 - 82.88 - 0.12, 100 - 95.31 - 0.48]
"""Busy share, with waiting for disks counted as idle, as the host's own probe counts it."""


def at(*when: int) -> float:
    return datetime(*when, tzinfo=UTC).timestamp()


def test_utilisation_of_all_cpus_and_nothing_of_averages_and_restarts(read_log):
    log = read_log(SAR_U, Choices(zone=UTC))
    assert (log.kind, log.item.unread.count, log.item.record.server) == ("sar", 0, "SYSSTAT.TEST")
    times = [at(2019, 4, 18, 13, 20, 19), at(2019, 4, 18, 13, 20, 29)]
    assert list(log.values) == [("host", "cpu_utilisation")]
    assert log.values["host", "cpu_utilisation"] == [pytest.approx(item) for item in zip(times, BUSY, strict=True)]
    assert log.item.record.meters == ()
    assert "The log holds no power." in log.item.notes


def test_sensors_stand_in_tables_one_after_the_other(read_log):
    log = read_log(SENSORS, Choices(zone=ZoneInfo("Europe/Paris")))
    first = at(2018, 8, 29, 7, 34, 34)
    assert log.values["host", "fan_1_f71858fg_isa_0200_rpm"] == [(first, 1283), (first + 60, 1290)]
    assert log.values["host", "temp_1_f71858fg_isa_0200_degc"] == [(first, 34), (first + 60, 35)]
    assert log.of("host", "temp_4_nouveau_pci_0100_degc") == [36]
    assert log.of("host", "cpu_all_wghmhz") == [1123.35]
    assert any("proc/s" in note for note in log.item.notes)


@pytest.mark.parametrize(
    ("stamps", "zone"),
    [
        (("2019-04-18 13:20:19 UTC", "2019-04-18 13:20:29 UTC"), None),
        (("1555593619", "1555593629"), None),
        (("2019-04-18 15:20:19 CET", "2019-04-18 15:20:29 CET"), "Europe/Berlin"),
    ],
)
def test_what_sadf_prints(read_log, stamps, zone):
    """The last stamps are those of expected.sadf-d-t-tz: "CET" in April, when Berlin is two hours ahead of UTC."""
    text = SADF.format(*stamps, stamps[1], stamps[1])
    log = read_log(text, Choices(zone=ZoneInfo(zone) if zone else None))
    assert [t for t, _ in log.values["host", "cpu_utilisation"]] == [
        at(2019, 4, 18, 13, 20, 19),
        at(2019, 4, 18, 13, 20, 29),
    ]
    assert log.of("host", "temp_1_f71858fg_isa_0200_degc") == [34]
    if zone:
        with pytest.raises(InputError, match="name no time zone"):
            read_log(text)


def test_a_clock_of_twelve_hours_and_the_next_day(read_log):
    text = (
        SAR_U.replace("04/18/19", "12/14/2019")
        .replace("13:20:09 ", "11:59:56 PM ")
        .replace("13:20:19 ", "11:59:58 PM ")
    )
    log = read_log(text.replace("13:20:29 ", "12:00:00 AM "), Choices(zone=UTC))
    assert [t for t, _ in log.values["host", "cpu_utilisation"]] == [at(2019, 12, 14, 23, 59, 58), at(2019, 12, 15)]


def test_a_day_that_reads_in_two_ways_is_asked_for(read_log):
    text = SAR_U.replace("04/18/19", "07/08/2019")
    with pytest.raises(InputError, match=r"two different days\. Say with --begin"):
        read_log(text, Choices(zone=UTC))
    log = read_log(text, read_choices("UTC", begin="2019-07-08"))
    assert log.values["host", "cpu_utilisation"][0][0] == at(2019, 7, 8, 13, 20, 19)
    for day in ("2019-04-18", "18.04.2019", "18/04/19"):
        log = read_log(SAR_U.replace("04/18/19", day), Choices(zone=UTC))
        assert log.values["host", "cpu_utilisation"][0][0] == at(2019, 4, 18, 13, 20, 19)


def test_a_locale_with_decimal_commas_and_lines_of_two_machines(read_log):
    head, _, rows = SAR_U.partition("\n")
    log = read_log(head + "\n" + rows.replace(".", ","), Choices(zone=UTC))
    assert log.of("host", "cpu_utilisation") == pytest.approx(BUSY)
    with pytest.raises(InputError, match=r"lines of SYSSTAT\.TEST and of other"):
        read_log(SAR_U + SAR_U.replace("SYSSTAT.TEST", "other"), Choices(zone=UTC))


def test_devices_that_read_alike_are_series_of_their_own(read_log):
    text = SENSORS.replace("nouveau-pci-0100", "f71858fg.isa_0200").replace("           4  ", "           1  ")
    log = read_log(text, Choices(zone=ZoneInfo("Europe/Paris")))
    assert log.of("host", "temp_1_f71858fg_isa_0200_degc") == [34, 35]
    assert log.of("host", "temp_1_f71858fg_isa_0200_degc_2") == [36]


@pytest.mark.parametrize("share", ["%idle", "%iowait", "%steal"])
def test_a_share_that_was_not_counted_is_an_invalid_utilisation_and_not_0(read_log, share):
    """A kernel whose counters step back: sysstat divides by nothing and prints nan."""
    place = SAR_U.splitlines()[2].split().index(share)
    lines = SAR_U.splitlines()
    words = lines[3].split()
    words[place] = "nan"
    lines[3] = " ".join(words)
    log = read_log("\n".join(lines), Choices(zone=UTC))
    assert log.of("host", "cpu_utilisation") == pytest.approx([math.nan, BUSY[1]], nan_ok=True)
