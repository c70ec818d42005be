"""A log of PTDaemon read block by block for a recording says what the reader of whole logs says of it."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.ptdaemon import power_lines
from wattmark.importers.ptdaemon.ptdaemon import COLUMNS, parse_power_log
from wattmark.importers.ptdaemon.ptdaemon_line import parse_line
from wattmark.importers.recordings.ptdaemon_log import CHANNELS, read_ptdaemon, write_ptdaemon
from wattmark.importers.recordings.recording import RecordedColumn, Recording, SamplesOnDisk
from wattmark.store.columns import make_samples
from wattmark.workloads.loadgen.source_file import read_source
from wattmark_drivers.reading import UNUSABLE, Quality

from tests.examples import examples

Answer = tuple[dict[str, tuple[bytes, bytes, bytes]], list[str]] | tuple[str, str]


def sample(second: int, watts: str, groups: str = "") -> str:
    """Write a line as PTDaemon does, of one analyzer or of two channels."""
    return f"Time,03-18-2021 21:29:{second:02d}.371,Watts,{watts},Volts,206.7,Amps,2.177,PF,0.957,Mark,testing{groups}"


def two_channels(second: int, watts: str, first: str, second_part: str) -> str:
    """Write a line of two channels."""
    return sample(second, watts, f",Ch1,Watts,{first},Volts,206.7,Ch2,Watts,{second_part},Volts,206.8")


watts = st.sampled_from(["431.0", "430.5", "-1.0", "nan", "9.91e37", "2e8", "0.0"])
singles = st.builds(sample, st.integers(0, 20), watts)
pairs = st.builds(two_channels, st.integers(0, 20), watts, watts, st.sampled_from(["0.0", "431.0", "-1.0"]))
odd = st.sampled_from(
    ["03-18-2021 21:29:10.371,Temp,29.687500,Humidity,0.000000,Mark,notset", "", "Time,yesterday,Watts,1", " "]
)


def whole(path: Path) -> Answer:
    """Read the log at once."""
    try:
        log = parse_power_log(read_source(path, path.name))
    except InputError as error:
        return str(error), error.remedy
    columns = {
        CHANNELS[name].id: (log.t_ns.tobytes(), log.columns[name].value.tobytes(), log.columns[name].quality.tobytes())
        for name in COLUMNS
    }
    return columns, list(log.remarks)


def in_blocks(path: Path) -> Answer:
    """Read the log block by block."""
    try:
        recording = read_ptdaemon(path)
    except InputError as error:
        return str(error), error.remedy
    columns = {}
    for column in recording.columns:
        samples = column.samples.whole()
        columns[column.channel.id] = tuple(
            np.ascontiguousarray(part).tobytes() for part in (samples.t_ns, samples.value, samples.quality)
        )
    return columns, [remark for remark in recording.remarks if not remark.startswith("Marks are excluded")]


@settings(deadline=None, max_examples=examples(100))
@given(
    st.one_of(st.lists(st.one_of(singles, singles, odd), max_size=14), st.lists(pairs, max_size=14)),
    st.integers(0, 110),
    st.booleans(),
    st.sampled_from([150, 400, 2**18]),
)
def test_any_log_says_the_same_both_ways(lines: list[str], cut: int, ends: bool, block: int) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if not ends:
        text = text[: max(0, len(text) - 1 - cut)]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_lines, "_BLOCK", block)
        path = Path(folder) / "spl.txt"
        path.write_text(text)
        assert in_blocks(path) == whole(path)


def test_a_line_that_was_cut_while_it_was_written_is_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "spl.txt"
    path.write_text(f"{sample(1, '431.0')}\n{sample(2, '430.0')}\n{sample(3, '43')[:45]}")
    recording = read_ptdaemon(path)
    assert recording.columns[0].samples.whole().value.tolist() == [431.0, 430.0]
    assert "cut off while being written" in recording.remarks[0]


def test_the_line_that_is_no_sample_is_named(tmp_path: Path) -> None:
    path = tmp_path / "spl.txt"
    path.write_text(f"{sample(1, '431.0')}\nTime,03-18-20\n{sample(3, '431.0')}\n")
    with pytest.raises(InputError, match=r"spl\.txt line 2: found 'Time,03-18-20'"):
        read_ptdaemon(path)


def test_readings_that_are_not_used_are_failed_samples_in_the_log_that_is_written() -> None:
    flags = [flag for flag in Quality if flag & UNUSABLE] + [Quality.EXCEEDS_VA | Quality.IMPLAUSIBLE]
    quality = [Quality.GOOD, *flags, Quality.RETRIED]
    stamps = [1_616_102_950_000_000_000 + n * 10**9 for n in range(len(quality))]
    samples = SamplesOnDisk.of([make_samples(stamps, [500.0] * len(quality), quality)])
    file = io.BytesIO()
    write_ptdaemon(Recording("any", (RecordedColumn(CHANNELS["Watts"], samples),)), file)
    written = [parse_line(line).total["Watts"] for line in file.getvalue().decode().splitlines()]
    assert written == [500.0, *[-1.0] * len(flags), 500.0]
