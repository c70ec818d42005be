"""Random faults in what load programs print: the rate stays the true one, or something is said.

WATTMARK_FAULTS sets how many faults are injected, WATTMARK_FAULT_SEED where they begin. Truths are what the same output
states elsewhere, or the numbers that an output was written from.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from wattmark.core.errors import InputError, WorkloadFailed
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.loadgen.stamps import parse_stamp
from wattmark.workloads.markers import parse_marker
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.number_track import NumberTrack
from wattmark.workloads.parsers.parsing import parser_for
from wattmark.workloads.parsers.printed_lines import PrintedLines
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.trigger import OutputLine

FAULTS = int(os.environ.get("WATTMARK_FAULTS", "600"))
SEED = int(os.environ.get("WATTMARK_FAULT_SEED", "31"))
RECORDED = Path(__file__).parent / "recorded"
UTC_NS = 1_795_234_000_000_000_000
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
SECONDS = 20
Stream = Literal["stdout", "stderr"]
Printed = tuple[float, Stream, str]
"""When a line was printed [s], where, and the line."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a program prints, and the rate of the work in a window of it."""

    workload: Declaration
    printed: list[Printed]
    truth: Callable[[float, float], float]
    level: int | None = None
    within: float = 1e-3
    utc_ns: int = UTC_NS
    seconds: float = 60
    errors: tuple[str, ...] = ()
    """Lines with which the program itself reports an error."""


def mark(output: Output, second: float) -> Mark:
    return Mark(output.utc_ns + round(second * 1e9), round(second * 1e9))


def recorded(name: str) -> list[str]:
    return (RECORDED / name).read_text("utf-8").splitlines()[2:]


def whole(workload: str, name: str, rate: float, ended: float, *errors: str, level: int = 2, **at: float) -> Output:
    """An output with one figure; ``at``: when the first lines with a word came, the others come at the end."""
    printed: list[Printed] = []
    for text in recorded(name):
        second = next((when for word, when in at.items() if word in text), printed[-1][0] if printed else 0.0)
        printed.append((second, "stdout", text))
    printed[-1] = (ended, "stdout", printed[-1][2])
    return Output(load_catalogue()[workload], printed, lambda *_: rate, level, errors=errors)


def by_second(workload: str, line: str, *errors: str, head: tuple[str, ...] = ()) -> Output:
    """An output with a line for each second, written from rates that differ by some percent."""
    rates = [round(2000 * (1 + 0.3 * ((7 * n) % 11) / 11), 2) for n in range(1, SECONDS + 1)]
    rates = [round(rate) for rate in rates] if "{rate:d}" in line else rates
    printed: list[Printed] = [(0.0, "stdout", text) for text in head]
    printed += [(n, "stdout", line.format(n=n, rate=rate)) for n, rate in enumerate(rates, start=1)]

    def truth(begin: float, end: float) -> float:
        counted = rates[round(begin) : round(end)]
        return sum(counted) / len(counted)

    return Output(load_catalogue()[workload].model_copy(update={"warm_up_s": 0.0}), printed, truth, errors=errors)


def openssl(workload: str, name: str, rate: float, level: int, seconds: float) -> Output:
    rows = [row.split("\t", 2) for row in (RECORDED / name).read_text("utf-8").splitlines()[2:]]
    printed: list[Printed] = [
        (int(stamp) / 1e9, "stderr" if stream == "stderr" else "stdout", text)
        for stamp, stream, text in rows
        if stream != "exit"
    ]
    errors = ("RSA sign failure",) if "rsa" in workload else ("EVP error: digest init failed",)
    return Output(load_catalogue()[workload], printed, lambda *_: rate, level, 0.02, seconds=seconds, errors=errors)


def loadgen(name: str, rate: float) -> Output:
    texts = recorded(f"loadgen_{name}.out")
    begin, end = (next(re.search(r'"value": "([^"]+)"', text)[1] for text in texts if f'"{key}"' in text)  # type: ignore[index]
                  for key in ("power_begin", "power_end"))  # fmt: skip
    begin_ns = parse_stamp(begin) - 2 * 10**9
    ended = (parse_stamp(end) - begin_ns) / 1e9 + 0.1
    printed: list[Printed] = [(ended, "stdout", text) for text in texts]
    return Output(load_catalogue()["mlperf.loadgen"], printed, lambda *_: rate, utc_ns=begin_ns)


def own(kind: str, reports: str, line: str, **more: str) -> Output:
    """A command of a lab's own, by a regular expression or in JSON."""
    reading = {"pointer": "/ops"} if kind == "json" else {"pattern": r"ops (?P<value>\S+) done$"}
    facts = {"id": "own", "title": "Own", "unit": "ops", "command": ["own"]}
    declaration = Declaration.model_validate({**facts, "parser": {"kind": kind, "reports": reports, **reading, **more}})
    if reports.startswith("interval"):
        seconds = by_second("fractal", line)
        return Output(declaration, seconds.printed, seconds.truth)
    printed: list[Printed] = [(0.0, "stdout", "starting"), (10.0, "stdout", line)]
    return Output(declaration, printed, lambda *_: 4321.5)


SYSBENCH_HEAD = ("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)", "Number of threads: 2", "Threads started!")
OLTP = (
    "[ {n}s ] thds: 4 tps: 123.45 qps: {rate:.2f} (r/w/o: 1728.37/0.00/246.91) lat (ms,95%): 4.82 "
    "err/s: 0.00 reconn/s: 0.00"
)
PROGRESS = "progress: {n}.0 s, {rate:.1f} tps, lat 0.192 ms stddev 0.340, 0 failed"


def outputs() -> Iterator[tuple[str, Output]]:
    no_space = "write failed on handle 10008 (No space left on device)"
    yield "wrk", whole("web.wrk", "wrk.out", 65662.45, 3.1, "  Socket errors: connect 0, read 12, write 0, timeout 4")
    yield "ab", whole("web.ab", "ab.out", 11147.51, 3.0, "Non-2xx responses:      17", "Write errors:           3")
    yield (
        "httperf",
        whole("web.by-rate", "httperf.out", 6000 / 6, 6.0, "Reply status: 1xx=0 2xx=5993 3xx=0 4xx=0 5xx=7", level=200),
    )
    yield "dbench", whole("dbench", "dbench.out", 381.223, 6.0, f"[412] {no_space}", releasing=1.0, execute=3.0)
    yield "tbench", whole("tbench", "tbench.out", 904.006, 6.0, f"[412] {no_space}", releasing=1.0, execute=3.0)
    yield (
        "stress-ng cpu",
        replaced_within(
            whole("stress-ng.cpu", "stress_cpu.out", 2741.46, 3.01, "stress-ng: fail:  [7] cpu: failed", metrc=3.005),
            0.01,
        ),
    )
    yield (
        "stress-ng stream",
        whole(
            "stress-ng.stream",
            "stress_stream.out",
            5515.73 + 5427.91,
            12.1,
            "stress-ng: error: [7] out of memory",
            memory=12.0,
        ),
    )
    for part, rate in (("write", 302866), ("rewrite", 1091937), ("read", 3402515)):
        yield f"bonnie {part}", whole(
            f"bonnie.{part}", "bonnie.out", rate, 60.0, "Can't write block.: No space left on device",
            Reading=50.0, Rewriting=30.0, Writing=10.0, start=59.0,
        )  # fmt: skip
    yield "7zip", whole("7zip", "7zz.out", 4232, 20.0, "ERROR: Can't allocate required memory!")
    yield "fio", whole("fio.randread", "fio.out", 146117 / 2.008, 2.1)
    yield "pgbench", by_second("pgbench.select-only", PROGRESS, "pgbench: error: connection to server failed")
    yield (
        "order entry",
        by_second("order-entry.pgsql", PROGRESS, "progress: 3.0 s, 612.9 tps, lat 3 ms stddev 2, 4 failed"),
    )
    cpu = "[ {n}s ] thds: 2 eps: {rate:.2f} lat (ms,95%): 1.61"
    yield "sysbench cpu", by_second("sysbench.cpu", cpu, "FATAL: out of memory", head=SYSBENCH_HEAD)
    yield "sysbench memory", by_second("sysbench.memory-write", "[ {n}s ] {rate:.2f} MiB/sec", "FATAL: out of memory")
    for base in ("mysql", "pgsql"):
        broken = OLTP.format(n=5, rate=1).replace("err/s: 0.00", "err/s: 2.00")
        yield f"sysbench {base}", by_second(f"sysbench.oltp-read-only-{base}", OLTP, broken, head=SYSBENCH_HEAD)
    for program in ("fractal", "memory-search", "memory-latency"):
        yield program, by_second(program, "work {rate:d} in second {n}")
    yield "gpu", by_second("gpu.matmul", "work {rate:.3f} in second {n}")
    # The rates that OpenSSL itself adds up at its end: +F2, and +F in bytes per second.
    yield "rsa sign", openssl("openssl.rsa1024-sign", "rsa1024_2_processes.txt", 24753.5, 2, 2)
    yield "rsa verify", openssl("openssl.rsa1024-verify", "rsa1024_2_processes.txt", 460917.5, 2, 2)
    yield "rsa 8", openssl("openssl.rsa2048-sign", "rsa2048_8_processes_on_2_cpus.txt", RSA_8, 8, 2)
    yield "sha256", openssl("openssl.sha256", "sha256_2_processes.txt", 1739341824.0, 2, 1)
    yield "loadgen offline", loadgen("offline", 426242)
    yield "loadgen server", loadgen("server", 197.737)
    yield "loadgen multi stream", loadgen("multi_stream", 1864 * 8 / 5.003)
    yield "own total", own("regex", "total", "ops 43215.0 done")
    yield "own rate", own("regex", "rate", "ops 4321.5 done")
    yield "own interval-amount", own("regex", "interval-amount", "ops {rate:.2f} done")
    yield "own interval-rate", own("regex", "interval-rate", "ops {rate:.2f} done")
    yield "own JSON", own("json", "rate", '{"ops": 4321.5}')
    yield "own JSON interval", own("json", "interval-amount", '{{"ops": {rate:.2f}, "unit": "ops"}}')


RSA_8 = (
    sum(map(int, re.findall(r"\+R1:(\d+):", (RECORDED / "rsa2048_8_processes_on_2_cpus.txt").read_text("utf-8"))))
    / 2.014
)
"""Signatures of all processes over the mean of the times that they print [1/s]."""


def replaced_within(output: Output, within: float) -> Output:
    return Output(output.workload, output.printed, output.truth, output.level, within, errors=output.errors)


def numbers_as_printed(number: str, rng: random.Random) -> str:
    """Print a number in another way, or another number that no load gives."""
    value = float(number)
    digits = f"{value:,.2f}" if "." in number else f"{int(value):,}"
    dot, comma = digits.replace(",", ""), digits.replace(",", " ").replace(".", ",").replace(" ", ".")
    return rng.choice(
        [
            f"{value:.6e}", f"{value:.3E}", "nan", "-nan", "inf", f"-{number}", "0", "0.00", "1" + 18 * "0", "1e18",
            digits, dot.replace(".", ","), comma, digits.replace(",", " "), digits.replace(",", "\u202f"),
            digits.replace(",", "'"), f"{value / 1000:.2f}k", f"{value / 1e6:.4f}M", f"{value / 1024:.2f} K",
        ]
    )  # fmt: skip


UNITS = [("MB", "kB"), ("MB", "GB"), ("MiB", "KiB"), ("ms", "us"), ("ms", "s"), ("tps", "ktps"), ("seconds", "minutes"),
         (" s,", " ms,"), ("/sec", "/min"), ("MIPS", "GIPS"), ("m  ", "g  ")]  # fmt: skip


def damage(printed: list[Printed], output: Output, rng: random.Random) -> tuple[str, list[Printed]]:  # noqa: C901 - a list
    """Damage an output in one of many ways; half of the time where its figures are."""
    lines = list(printed)
    pattern = getattr(output.workload.parser, "pattern", r"\d")
    telling = [n for n, (_, _, text) in enumerate(lines) if re.search(pattern, text)]
    place = rng.choice(telling) if telling and rng.random() < 0.5 else rng.randrange(len(lines))
    second, stream, text = lines[place]

    def put(*texts: str) -> None:
        lines[place : place + 1] = [(second, stream, part) for part in texts]

    kind = rng.choice(KINDS)
    match kind:
        case "dropped":
            del lines[place]
        case "repeated":
            put(text, text)
        case "swapped":
            # Reports without a time of their own are alike: the first one only begins the window.
            place, other = (max(1, n) for n in (place, rng.choice([place - 1, rng.randrange(len(lines))])))
            second, stream, text = lines[place]
            lines[place] = (second, stream, lines[other][2])
            lines[other] = (lines[other][0], lines[other][1], text)
        case "torn line":
            put(text[: rng.randrange(len(text) + 1)])
        case "torn in two":
            at = rng.randrange(len(text) + 1)
            put(text[:at], text[at:])
        case "wrapped":
            put(*[text[n : n + 80] for n in range(0, len(text), 80)])
        case "torn file":
            del lines[place + 1 :]
            put(text[: rng.randrange(len(text) + 1)])
        case "stacked":
            last = lines[-1][0]
            lines += [(last, where, NUMBER.sub(lambda m: doubled(m[0]), what)) for _, where, what in lines]
        case "number":
            if numbers := list(NUMBER.finditer(text)):
                chosen = rng.choice(numbers)
                put(text[: chosen.start()] + numbers_as_printed(chosen[0], rng) + text[chosen.end() :])
        case "unit":
            old, new = rng.choice(UNITS)
            put(text.replace(old, new))
        case "colours":
            put("\x1b[1;32m" + NUMBER.sub("\x1b[31m\\g<0>\x1b[0m", text) + "\x1b[K")
        case "progress":
            put(f"  0%\r 50%\r100%\r{text}\r")
        case "error stream":
            lines.insert(place, (second, "stderr", "warning: 3 of 7 clocks are unstable 12.5"))
        case "glued":
            at = rng.randrange(len(text) + 1)
            put(text[:at] + "warning: clock is unstable", text[at:])
    return kind, lines


KINDS = [
    "dropped", "repeated", "swapped", "torn line", "torn in two", "wrapped", "torn file", "stacked", "number", "number",
    "number", "unit", "colours", "progress", "error stream", "glued",
]  # fmt: skip


def doubled(number: str) -> str:
    return f"{2 * float(number):.2f}" if "." in number else number


def work_of(output: Output, printed: list[Printed]) -> MarkedWork:
    """Parse as a run does: bytes of two streams, in the order in which they came."""
    parser = parser_for(output.workload, level=output.level, seconds=output.seconds, started=mark(output, 0))
    streams = {"stdout": PrintedLines(), "stderr": PrintedLines()}
    for second, stream, text in printed:
        for part in streams[stream].take(text.encode() + b"\n"):
            parser.feed(OutputLine(stream, part, mark(output, second)))
        if parser.done:
            break
    return parser.result(mark(output, output.printed[-1][0]))


def wrong(output: Output, work: MarkedWork) -> float:
    """Compute by how much a rate is off [1]."""
    rate = work.stated_rate or sum(item.amount for item in work.intervals) / work.duration_s
    begin, end = ((at.utc_ns - output.utc_ns) / 1e9 for at in (work.begin, work.end))
    return rate / output.truth(begin, end) - 1


OUTPUTS = dict(outputs())


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_without_a_fault_gives_the_truth_without_a_word(name: str) -> None:
    work = work_of(OUTPUTS[name], OUTPUTS[name].printed)
    assert abs(wrong(OUTPUTS[name], work)) <= OUTPUTS[name].within
    assert work.remarks == ()


def test_no_fault_changes_a_rate_without_a_word() -> None:
    rng, outcomes, silent = random.Random(SEED), Counter[str](), list[str]()
    names = list(OUTPUTS)
    for number in range(FAULTS):
        name = names[number % len(names)]
        output = OUTPUTS[name]
        kind, lines = damage(output.printed, output, rng)
        try:
            work = work_of(output, lines)
        except WorkloadFailed:
            outcomes["refused"] += 1
            continue
        off = wrong(output, work)
        if abs(off) <= output.within:
            outcomes["true"] += 1
        elif work.remarks:
            outcomes["said"] += 1
        else:
            changed = [new[2] for new in lines if new not in output.printed][:2]
            silent.append(f"{name}, {kind}: {off:+.4g} {changed}")
    print(f"{FAULTS} faults from seed {SEED}: {dict(outcomes)}, {len(silent)} wrong without a word")  # noqa: T201
    assert not silent, "\n".join(silent)


@pytest.mark.parametrize(("name", "error"), [(name, error) for name, item in OUTPUTS.items() for error in item.errors])
def test_an_error_that_the_program_reports_fails_the_run_wherever_it_stands(name: str, error: str) -> None:
    output = OUTPUTS[name]
    stream: Stream = "stderr" if name.startswith(("rsa", "sha")) else "stdout"
    lines = [*output.printed[:1], (output.printed[0][0], stream, error), *output.printed[1:]]
    with pytest.raises(WorkloadFailed):
        work_of(output, lines)


def test_a_report_of_a_process_that_comes_much_later_than_the_others_is_refused() -> None:
    """A sign report that changes places with a verify report, 2 s later, made the rate 6.5 % too low."""
    output = OUTPUTS["rsa 8"]
    texts = [text for _, _, text in output.printed]
    sign, verify = (
        next(n for n, text in enumerate(texts) if text.startswith(start)) for start in ("+R1:1450", "+R2:20917")
    )
    lines = list(output.printed)
    for place, other in ((sign, verify), (verify, sign)):
        lines[place] = (*output.printed[place][:2], texts[other])
    with pytest.raises(WorkloadFailed, match="reported after 4"):
        work_of(output, lines)


def test_queries_without_their_number_of_samples_are_refused() -> None:
    """Without the line, each query of eight samples counted as one."""
    output = OUTPUTS["loadgen multi stream"]
    lines = [line for line in output.printed if "samples_per_query" not in line[2]]
    assert len(lines) < len(output.printed)
    with pytest.raises(WorkloadFailed, match="no samples per query"):
        work_of(output, lines)


def test_a_marker_is_read_whole_or_refused() -> None:
    """Markers of one number come as lines of a pipe; the last one is the total."""
    rng = random.Random(SEED)
    for _ in range(FAULTS // 10):
        amount = rng.choice([4321.25, 4321.5, 987654.25])
        line = numbers_as_printed(f"{amount}", rng)
        try:
            kind, value, unit = parse_marker(line)
            assert kind == "value"
            assert value is not None
            if unit:
                continue  # held against the unit of the workload
            track = NumberTrack("total", started=Mark(0, 0), warm_up_s=0, seconds=10)
            track.begin_at(Mark(0, 0))
            track.add(Mark(10**9, 10**9), value)
            total = sum(item.amount for item in track.result(Mark(10**10, 10**10)).intervals)
        except (InputError, WorkloadFailed):
            continue
        assert total == pytest.approx(amount, rel=1e-3) or line in {"1" + 18 * "0", "1e18", "0", "0.00"}, line
