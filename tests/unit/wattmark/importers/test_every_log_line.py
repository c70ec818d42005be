"""Logs other than CSV: a line that cannot be read is an invalid reading, stamps out of order are told, parts chosen."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.kinds import KINDS
from wattmark.importers.log_lines import with_unread
from wattmark_drivers.reading import Quality

T = 1_732_800_000
COUNT = 300
MIDDLE = 100


def spl(t_s: float, watts: float) -> str:
    return (
        f"Time,{datetime.fromtimestamp(t_s, UTC):%m-%d-%Y %H:%M:%S}.000,Watts,{watts:.3f},Volts,230.0,Amps,1.0,Mark,m"
    )


def spaced(t_s: float, watts: float) -> str:
    return f"{datetime.fromtimestamp(t_s, UTC):%Y-%m-%d %H:%M:%S}.414022 11 {watts:.1f} 117.2 2.000"


def point(t_s: float, watts: float) -> str:
    return f"ipmi_sensor,name=instantaneous_power_reading,server=a,unit=watts value={watts:.1f} {t_s * 1e9:.0f}"


def putval(t_s: float, watts: float) -> str:
    return f"PUTVAL a/ipmi/power-total interval=1.000 {t_s:.3f}:{watts:.3f}"


def hwinfo(t_s: float, watts: float) -> str:
    at = datetime.fromtimestamp(t_s, UTC)
    return f"{at.day}.{at.month}.{at.year},{at:%H:%M:%S}.0,{watts:.3f},"


POWER = {"collectd": "a/ipmi/power-total", "hwinfo": "Total System Power [W]"}
HEAD = {"hwinfo": ['Date,Time,"Total System Power [W]",']}
LINES = {"ptdaemon": spl, "wattsup": spaced, "telegraf": point, "collectd": putval, "hwinfo": hwinfo}


def lines_of(kind: str, by_s: float = 0.0, after: int = COUNT) -> list[str]:
    """Lines of one reading a second, with a clock that is set by some seconds."""
    return [LINES[kind](T + i + (by_s if i >= after else 0), 200 + i % 7) for i in range(COUNT)]


def imported(path: Path, kind: str, lines: list[str], power: str | None = None) -> ImportedRun:
    file = path / "log.txt"
    file.write_text("\n".join([*HEAD.get(kind, []), *lines]) + "\n")
    (pending,) = KINDS[kind].find(file, Choices(zone=UTC, power=power or POWER.get(kind)))
    item = pending.read()
    assert isinstance(item, ImportedRun)
    return with_unread(item)


def samples_of(item: ImportedRun) -> tuple[list[float], list[bool]]:
    blocks = [samples for block in item.blocks() for key, samples in block if key.channel == "power"]
    bad = np.concatenate([samples.quality for samples in blocks]) == Quality.INVALID
    return (np.concatenate([samples.t_ns for samples in blocks]) / 1e9 - T).round(3).tolist(), bad.tolist()


def outcome(item: ImportedRun, rule: str) -> str:
    return next(verdict.outcome for verdict in item.record.evidence if verdict.rule == rule)


@pytest.mark.parametrize("kind", LINES)
def test_a_line_that_cannot_be_read_is_an_invalid_reading_between_its_neighbours(tmp_path: Path, kind: str) -> None:
    lines = lines_of(kind)
    begin = (
        lines[MIDDLE].find("value") if kind == "telegraf" else lines[MIDDLE].find(" 1732") if kind == "collectd" else 3
    )
    lines[MIDDLE] = lines[MIDDLE][: begin + 4]
    item = imported(tmp_path, kind, lines)
    stamps, bad = samples_of(item)
    assert len(stamps) == COUNT
    assert [place for place, is_bad in enumerate(bad) if is_bad] == [MIDDLE]
    assert stamps[MIDDLE] - stamps[MIDDLE - 1] == pytest.approx(1)
    assert item.record.disclosure.imported is not None
    assert item.record.disclosure.imported.lines_not_understood == 1
    assert outcome(item, "import-clock-steps") == "pass"


@pytest.mark.parametrize("kind", LINES)
def test_a_value_that_cannot_be_read_is_invalid_at_its_stamp(tmp_path: Path, kind: str) -> None:
    lines = lines_of(kind)
    value = f"{200 + MIDDLE % 7}."
    head, _, tail = lines[MIDDLE].rpartition(value)
    lines[MIDDLE] = f"{head}20x4.{tail}"
    stamps, bad = samples_of(imported(tmp_path, kind, lines))
    assert [stamp for stamp, is_bad in zip(stamps, bad, strict=True) if is_bad] == [stamps[0] + MIDDLE]


@pytest.mark.parametrize("kind", LINES)
def test_more_than_one_line_in_a_hundred_that_cannot_be_read_fails(tmp_path: Path, kind: str) -> None:
    lines = lines_of(kind)
    lines[MIDDLE : MIDDLE + 5] = ["?"] * 5
    item = imported(tmp_path, kind, lines)
    assert outcome(item, "import-unread-lines") == "fail"


@pytest.mark.parametrize("kind", LINES)
def test_one_line_that_stands_twice_is_a_verdict_and_an_invalid_reading(tmp_path: Path, kind: str) -> None:
    lines = lines_of(kind)
    item = imported(tmp_path, kind, [*lines[: MIDDLE + 1], LINES[kind](T + MIDDLE, 230), *lines[MIDDLE + 1 :]])
    _, bad = samples_of(item)
    assert bad.index(True) == MIDDLE + 1
    assert (sum(bad), outcome(item, "import-clock-steps")) == (1, "fail")


@pytest.mark.parametrize("kind", LINES)
def test_a_clock_that_was_set_back_is_refused(tmp_path: Path, kind: str) -> None:
    with pytest.raises(InputError, match=r"in 100 of 300 lines; the stamps step back 1 times"):
        imported(tmp_path, kind, lines_of(kind, -100, 150))


@pytest.mark.parametrize("kind", [kind for kind in LINES if kind != "telegraf"])
def test_a_clock_that_was_never_set_is_refused(tmp_path: Path, kind: str) -> None:
    said = "before the year 2000, as of a clock that was not set"
    if kind != "ptdaemon":
        said += r"; 300 of 30[01] lines were not understood\. Remove the lines from before"
    with pytest.raises(InputError, match=said):
        imported(tmp_path, kind, [LINES[kind](i, 200) for i in range(COUNT)])


@pytest.mark.parametrize("kind", [kind for kind in LINES if kind != "hwinfo"])
def test_two_logs_that_come_by_turns_are_refused(tmp_path: Path, kind: str) -> None:
    other = [line.replace(".414022", ".714022").replace(".000,W", ".300,W") for line in lines_of(kind)]
    if kind in ("telegraf", "collectd"):
        other = [LINES[kind](T + i + 0.3, 400) for i in range(COUNT)]
    with pytest.raises(InputError, match="2 series stand in one column"):
        imported(tmp_path, kind, [line for pair in zip(lines_of(kind), other, strict=True) for line in pair])


def test_points_that_were_written_late_are_in_order(tmp_path: Path) -> None:
    """A buffer of Telegraf hands points on after newer ones: each stands once, with its own stamp."""
    lines = lines_of("telegraf")
    item = imported(tmp_path, "telegraf", lines[:100] + lines[130:200] + lines[100:130] + lines[200:])
    stamps, bad = samples_of(item)
    assert sorted(stamps) == list(range(COUNT))
    assert not any(bad)
    assert outcome(item, "import-clock-steps") == "pass"


def test_two_meters_in_one_file_of_a_logger_are_named_and_one_is_chosen(tmp_path: Path) -> None:
    head = "Meter, Time, W, V, A"
    lines = [head]
    for i in range(COUNT):
        stamp = f"{datetime.fromtimestamp(T + i, UTC):%Y-%m-%d %H:%M:%S}.250000"
        lines += [f"ttyUSB0, {stamp}, 200.0, 120.0, 2.0", f"ttyUSB1, {stamp}, 300.0, 120.0, 3.0"]
    with pytest.raises(InputError, match=r"'ttyUSB0' and 'ttyUSB1'\. Say with --power"):
        imported(tmp_path, "wattsup", lines)
    item = imported(tmp_path, "wattsup", lines, "ttyUSB1")
    values = [v for block in item.blocks() for key, s in block if key.channel == "power" for v in s.value.tolist()]
    assert values == [300.0] * COUNT


def analyzers(t_s: float, total: float, parts: tuple[float, ...], word: str = "Analyzer") -> str:
    """The form in threads 329 and 330 of mlcommons/power-dev."""
    stamp = f"{datetime.fromtimestamp(t_s, UTC):%m-%d-%Y %H:%M:%S}.000"
    again = f"Time,{stamp}," if word == "Analyzer" else ""
    line = f"Time,{stamp},Watts,{total:.3f},Volts,-1,Amps,-1,PF,-1,Mark,m"
    return line + "".join(
        f",{word}{k},{again}Watts,{part:.3f},Volts,230.1,Amps,2.3,PF,0.9,Mark,m"
        for k, part in enumerate(parts, start=1)
    )


@pytest.mark.parametrize("word", ["Analyzer", "Ch"])
def test_several_analyzers_are_their_sum_or_the_one_that_was_chosen(tmp_path: Path, word: str) -> None:
    lines = [analyzers(T + i, 531.382, (8.682, 522.700), word) for i in range(COUNT)]
    runs = {}
    for power, watts in ((None, 531.382), (f"{word}1", 8.682), (f"{word}2", 522.7)):
        item = imported(tmp_path, "ptdaemon", lines, power)
        values = {v for block in item.blocks() for _, s in block for v in s.value.tolist()}
        assert values == {watts}
        assert any(f"{word}1, {word}2 and their sum" in note for note in item.notes)
        runs[item.record.run_id] = item.record.meters[0].title
    assert len(runs) == 3
    with pytest.raises(InputError, match=f"no analyzer or channel 'PDU'. It has: {word}1, {word}2"):
        imported(tmp_path, "ptdaemon", lines, "PDU")


def test_analyzers_that_do_not_add_up_are_refused_by_name(tmp_path: Path) -> None:
    """Thread 329: one of them is wired the wrong way round, and the sum is that of magnitudes."""
    lines = [analyzers(T + i, 42.5, (31.43, -11.07)) for i in range(COUNT)]
    with pytest.raises(InputError, match=r"Analyzer2 -11\.07 W do not add up to 42\.5 W, and so in 300 of 300 lines"):
        imported(tmp_path, "ptdaemon", lines)
    lines[1:] = [analyzers(T + i, 20.36, (31.43, -11.07)) for i in range(1, COUNT)]
    _, bad = samples_of(imported(tmp_path, "ptdaemon", lines))
    assert bad == [True] + [False] * (COUNT - 1)


def test_a_line_with_fewer_fields_than_the_others_was_cut(tmp_path: Path) -> None:
    """ "Watts,20" is what is left of "Watts,200.000,Volts,..."."""
    lines = lines_of("ptdaemon")
    lines[MIDDLE] = lines[MIDDLE][: lines[MIDDLE].index("Watts,") + len("Watts,20")]
    _, bad = samples_of(imported(tmp_path, "ptdaemon", lines))
    assert [place for place, is_bad in enumerate(bad) if is_bad] == [MIDDLE]


@pytest.mark.parametrize("kind", LINES)
def test_a_last_line_that_may_be_cut_is_told(tmp_path, kind):
    assert not any("line break" in note for note in imported(tmp_path, kind, lines_of(kind)).notes)
    file = tmp_path / "log.txt"
    file.write_text(file.read_text().removesuffix("\n")[:-1])
    (pending,) = KINDS[kind].find(file, Choices(zone=UTC, power=POWER.get(kind)))
    item = pending.read()
    assert isinstance(item, ImportedRun)
    assert any("line break" in note for note in item.notes)


def test_a_lost_line_leaves_stamps_of_whole_seconds_whole(tmp_path):
    """A log of a reading each 1.02 s, whose stamps are cut to seconds: its equal stamps are no clock step."""
    late_s = np.random.default_rng(1).uniform(-0.45, 0.45, COUNT * 3)
    stamps = [T + int(0.47 + 1.02 * i + late_s[i]) for i in range(COUNT * 3)]
    lines = [spaced(t_s, 200 + i % 7).replace(".414022", ".000000") for i, t_s in enumerate(stamps)]
    verdicts = {v.rule: v for v in imported(tmp_path, "wattsup", lines).record.evidence}
    assert verdicts["import-clock-steps"].outcome == "pass"
    between_odd = [i for i in range(1, len(stamps) - 1) if (stamps[i + 1] - stamps[i - 1]) % 2]
    for torn in between_odd[::15][:7]:
        lines[torn] = "2024-11-2"
    verdicts = {v.rule: v for v in imported(tmp_path, "wattsup", lines).record.evidence}
    assert verdicts["import-clock-steps"].outcome == "pass"
    assert verdicts["import-unread-lines"].value == pytest.approx(700 / (COUNT * 3))


def test_a_stamp_out_of_order_names_the_file_that_it_is_in(tmp_path):
    for name, begin in (("a.log", 0), ("b.log", 500)):
        lines = [putval(T + begin + i - (300 if begin and i > 150 else 0), 200) for i in range(COUNT)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    (pending,) = KINDS["collectd"].find(tmp_path, Choices(zone=UTC, power=POWER["collectd"]))
    with pytest.raises(InputError, match=r"b\.log, line 152: "):
        pending.read()


def repeated_and_lost(kind: str) -> list[str]:
    """Lines of a reading a second, of which one in twenty is written twice, and another one in twenty is missing."""
    lines = [[line] * (2 if i % 20 == 10 else 1) for i, line in enumerate(lines_of(kind)) if i % 20 != 15]
    return [line for twice in lines for line in twice]


@pytest.mark.parametrize("kind", ["ptdaemon", "collectd", "hwinfo", "wattsup"])
def test_lines_that_stand_twice_beside_others_that_are_lost_are_no_cut_stamps(tmp_path: Path, kind: str) -> None:
    with pytest.raises(InputError, match=r"its stamp is that of an earlier line, and so in 15 of 300 lines"):
        imported(tmp_path, kind, repeated_and_lost(kind))


def test_points_that_stand_twice_beside_others_that_are_lost_leave_these_lost(tmp_path: Path) -> None:
    stamps, bad = samples_of(imported(tmp_path, "telegraf", repeated_and_lost("telegraf")))
    assert stamps == [i for i in range(COUNT) if i % 20 != 15]
    assert not any(bad)


@pytest.mark.parametrize("moving", [True, False])
def test_stamps_that_are_cut_are_told_whether_the_load_moves_or_not(tmp_path: Path, moving: bool) -> None:
    """A reading each 1.01 s with jitter: two lines of one second are the same where the power does not move."""
    random = np.random.default_rng(1)
    at = np.floor(T + 0.5 + 1.01 * np.arange(2000) + random.uniform(-0.4, 0.4, 2000))
    item = imported(tmp_path, "collectd", [putval(t_s, 200 + moving * (i % 7)) for i, t_s in enumerate(at.tolist())])
    assert any(note.startswith("The log cuts its stamps to whole seconds") for note in item.notes)
