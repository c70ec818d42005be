"""Lines read as columns give to the bit what the same lines give one by one."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.ptdaemon import power_lines
from wattmark.importers.ptdaemon.line_form import LineForm, LogText
from wattmark.importers.ptdaemon.power_lines import PowerLines, read_power_lines
from wattmark.importers.ptdaemon.ptdaemon_line import LogLine, parse_line
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread

from tests.examples import examples

PUBLISHED = Path(__file__).parents[6] / "shared/data/mlperf-power-v1.0"
LONGEST = 8192
Answer = tuple[bytes, bytes, list[str], Unread] | str


def one_by_one(path: Path) -> Answer:
    """Read a log with `parse_line` alone."""
    unread, lines = Unread(), list[LogLine]()
    try:
        for number, text in TextLines(path, path.name, LONGEST):
            if not text.strip() or text.startswith("#"):
                continue
            try:
                line = parse_line(text)
            except ValueError as error:
                unread.add(path.name, number, text, str(error))
                continue
            if "Watts" in line.total:
                lines.append(line)
            else:
                unread.add(path.name, number, text, "it holds no watts")
    except InputError as error:
        return str(error)
    t_ns = np.array([line.t_ns for line in lines], dtype=np.int64)
    watts = np.array([line.total["Watts"] for line in lines], dtype=np.float64)
    return t_ns.tobytes(), watts.tobytes(), list(dict.fromkeys(line.mark or "notset" for line in lines)), unread


def as_columns(path: Path) -> Answer:
    """Read a log block by block."""
    unread, blocks = Unread(), list[PowerLines]()
    try:
        blocks += read_power_lines(TextLines(path, path.name, LONGEST), unread)
    except InputError as error:
        return str(error)
    marks = dict.fromkeys(mark for block in blocks for mark in block.marks)
    return b"".join(b.t_ns.tobytes() for b in blocks), b"".join(b.watts.tobytes() for b in blocks), list(marks), unread


def test_the_published_logs_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = sorted(PUBLISHED.rglob("spl.txt"))
    if not logs:
        pytest.skip("the published logs of MLPerf are not here")
    for size in (2**20, 10_000):
        monkeypatch.setattr(power_lines, "_BLOCK", size)
        for path in logs:
            assert as_columns(path) == one_by_one(path), path


def test_a_published_log_is_read_as_columns_to_its_last_line() -> None:
    logs = sorted(PUBLISHED.rglob("spl.txt"))
    if not logs:
        pytest.skip("the published logs of MLPerf are not here")
    for path in logs:
        log = LogText(path.read_bytes())
        form = LineForm.of(log.line(0))
        assert form is not None
        assert len(form.read(log, np.arange(len(log.begins))).index) == len(log.begins), path


def plain(stamp: str, watts: str, mark: str = "m_testing") -> str:
    """Write a line as PTDaemon does."""
    return f"Time,{stamp},Watts,{watts},Volts,206.740000,Amps,2.478000,PF,0.959300,Mark,{mark}"


stamps = st.one_of(
    st.builds(
        "{:02d}-{:02d}-{:04d} {:02d}:{:02d}:{:02d}.{:03d}".format,
        st.integers(1, 12),
        st.integers(1, 29),
        st.sampled_from([1970, 2021, 2024, 2261]),
        st.integers(0, 23),
        st.integers(0, 59),
        st.integers(0, 59),
        st.integers(0, 999),
    ),
    st.sampled_from(
        [
            "13-18-2021 21:29:10.371",
            "02-30-2021 21:29:10.371",
            "03-18-1969 21:29:10.371",
            "03-18-2262 21:29:10.371",
            "03-18-2021 24:00:00.000",
            "03-18-2021 23:60:00.000",
            "03-18-2021 23:59:60.000",
            "03-18-2021 21:29:10",
            "03-18-2021 21:29:10.37",
            "03-18-2021 21:29:10.3711",
            "03-18-2021 21:29:1:.371",
            "03-18-2021T21:29:10.371",
            "03-18-2021 21:29:10,371",
            " 03-18-2021 21:29:10.37",
            "03/18/2021 21:29:10.371",
        ]
    ),
)
numbers = st.one_of(
    st.integers(-(10**14) + 1, 10**14 - 1).map(lambda n: f"{'-' * (n < 0)}{abs(n) // 10**6}.{abs(n) % 10**6:06d}"),
    st.integers(-(10**9), 10**9).map(lambda n: f"{n / 1e3:.3f}"),
    st.sampled_from(
        ["-1.000000", "-2.000000", "-0.000000", "nan", "-1.#IND00", "9.91e37", "9.91e+37", "1e308", "inf", "-", "1"]
    ),
    st.sampled_from(["", " 1.000000", "1.000000 ", "+1.000000", ".500000", "1.", "1_0.000000", "1..00000"]),
    st.sampled_from(
        ["12:.000000", "123456789.000000", "99999999.999999", "1.00000\x00", "1.00000\u0663", "--1.0", "1-.000000"]
    ),
)
lines = st.one_of(
    st.builds(plain, stamps, numbers),
    st.builds(plain, stamps, st.just("400.000000"), st.sampled_from(["a", "", " a", "a\r", "Watts", "ä", "x" * 40])),
    st.builds("Time,{},Watts,1.000000,Volts,{},Amps,2.000000,PF,0.950000".format, stamps, numbers),
    st.builds("Time,{},Mark,Watts,Watts,{}".format, stamps, numbers),
    st.builds("Time,{},Ch1,Watts,{}".format, stamps, numbers),
    st.builds("Time,{},Volts,{},Watts,5.000000,Watts,3.000000,Mark,m".format, stamps, numbers),
    st.builds("{},Temp,{},Humidity,0.000000,Mark,notset".format, stamps, numbers),
    st.builds("{},Watts,{}".format, stamps, numbers),
    st.builds(
        "Time,{},Watts,{},Volts,-1.000000,Mark,m,Ch1,Watts,{},Volts,230.000000,Ch2,Watts,1.000000,Volts,2.000000".format,
        stamps,
        numbers,
        numbers,
    ),
    st.builds(lambda line, cut: line[:cut], st.builds(plain, stamps, numbers), st.integers(0, 110)),
    st.sampled_from(
        ["", "\r", " ", ",,,,,,,,,,,", "Time,03-18-2021 21:29:10.371,Watts,1.0,Ch1\r", "x" * 9000, "# read by wattmark"]
    ),
)
logs = st.lists(st.tuples(lines, st.integers(1, 12), st.sampled_from(["\n", "\n", "\r\n", "\r\r\n"])), max_size=12)


def same_both_ways(content: bytes, block: int) -> None:
    """Compare both readers on a log."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_lines, "_BLOCK", block)
        path = Path(folder) / "spl.txt"
        path.write_bytes(content)
        assert as_columns(path) == one_by_one(path)


@settings(deadline=None, max_examples=examples(300))
@given(logs, st.integers(0, 150), st.sampled_from([200, 3000, 2**20]))
def test_any_mixture_of_lines_gives_the_same(parts: list[tuple[str, int, str]], torn: int, block: int) -> None:
    text = "".join((line + end) * times for line, times, end in parts)
    same_both_ways(text[: len(text) - torn].encode(), block)


@settings(deadline=None, max_examples=examples(300))
@given(
    st.lists(st.tuples(st.integers(0, 2000), st.binary(min_size=1, max_size=9)), max_size=6),
    st.sampled_from([300, 2**20]),
)
def test_a_log_with_damaged_bytes_gives_the_same(damages: list[tuple[int, bytes]], block: int) -> None:
    content = bytearray(
        "".join(plain(f"03-18-2021 21:29:{s:02d}.371", f"{400 + s}.100000") + "\n" for s in range(20)).encode()
    )
    for at, replacement in damages:
        content[at : at + len(replacement)] = replacement
    same_both_ways(bytes(content), block)


@settings(deadline=None)
@example(b"#")
@given(st.binary(max_size=400))
def test_any_bytes_give_the_same(content: bytes) -> None:
    same_both_ways(content, 64)
