"""The dialogue of SPEC's PTDaemon with real analysers, from the consoles published with MLPerf Inference v1.0.

Source of the pairs below: mlcommons/inference_results_v1.0, closed/{NVIDIA,Qualcomm,DellEMC}/results/.../ptd_logs.txt,
lines "Writing query string" and "response of N bytes". With ../shared/data/mlperf-power-v1.0 present, every pair of
those files is tried; without it, the ones written here.
"""

import re
from pathlib import Path

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.scpi_header import match
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.scpi.answer import plain
from wattmark_drivers.speakers.scpi.instrument import ScpiInstrument

SHARED = Path(__file__).parents[4].parent / "shared" / "data" / "mlperf-power-v1.0"
WT333E, WT210 = "YOKOGAWA,WT333E,C2WC23035V,F1.04", "YOKOGAWA,760401,0,F1.12"
RANGES_WT333E = ":CURR:RANG?;:CURRENT:AUTO?;:VOLT:RANG?;:VOLT:AUTO?"
PUBLISHED = [
    (WT333E, ":INTEGRATE:STATE?", "RES"),
    (WT333E, ":MEAS:AVER:STATE?;:MEAS:AVER:TYPE?", ":MEAS:AVER 0;:MEAS:AVER:TYPE LIN"),
    (WT333E, ":SYNC?", ":SYNC CURR"),
    (WT333E, ":CFAC?;:CURR:RANG?;:CURR:AUTO?;:VOLT:RANG?;:VOLT:AUTO?", "3;5.0E+00;1;300.0E+00;1"),
    (WT333E, ":FILT:LINE?", "0"),
    (WT333E, ":FILT:FREQ?", "1"),
    (WT333E, RANGES_WT333E, "5.0E+00;1;300.0E+00;0"),
    (WT333E, RANGES_WT333E, "10.0E+00;0;300.0E+00;0"),
    (WT210, ":CONF?", "P1W2;RMS;300.0E+00;1;5.000E+00;1;0;0;0;1.000E+00;1.000E+00;1.000E+00;0;LIN,8;CURR;0"),
    (WT210, "*OPT?", "NONE"),
    (WT210, ":AVER:STATE?;:AVER:TYPE?", ":AVER 0;AVER:TYPE LIN,8"),
    (WT210, ":SYNC?", ":SYNC CURR"),
    (WT210, ":CURRENT:RANGE?", "5.000E+00"),
    (WT210, ":CFAC?;:CURR:RANG?;:CURR:AUTO?;:VOLT?;:FILTER?;:LFILTER?", "3;5.000E+00;1;300.0E+00;1;0;0"),
    (WT210, ":CURR:RANG?;:CURR:AUTO?;:VOLT?", "10.000E+00;0;300.0E+00;1"),
]
Pair = tuple[str, str, str]


def recorded() -> list[Pair]:
    """Take every query with its answer out of the consoles."""
    pairs: set[Pair] = set()
    for log in SHARED.rglob("ptd_logs.txt"):
        identity = asked = ""
        for line in log.read_text("utf-8", "replace").splitlines():
            if match := re.search(r"identity response of \d+ bytes: (.*)", line):
                identity = match[1].strip()
            elif match := re.search(r"Writing query string (.*)", line):
                asked = match[1].strip()
            elif (match := re.search(r"\.\.\.response of \d+ bytes: (.*)", line)) and asked:
                pairs.add((identity, asked, match[1].strip()))
                asked = ""
    return sorted(pairs)


def table_of(identity: str) -> ScpiMap:
    """Find the declaration that an analyser's answer belongs to."""
    tables = [item.protocol for item in load_catalogue().values() if isinstance(item.protocol, ScpiMap)]
    (matching,) = [table for table in tables if re.fullmatch(table.identification.pattern, identity)]
    return matching


def in_the_state_of(table: ScpiMap, answer: str) -> ScpiInstrument:
    """Bring a simulated analyser into the state that a recorded answer shows: its ranges, and headers or none."""
    instrument = ScpiInstrument(table, "SIMULATED1", 0.25, lambda: 0.0)
    instrument.receive(f":COMM:HEAD {'ON' if answer.startswith(':') else 'OFF'}")
    ranges = re.search(r"([\d.]+E[+-]\d+);([01]);([\d.]+E[+-]\d+);([01])", answer)
    if ranges and not answer.startswith("P1W2"):
        for command, text in zip(
            (":CURR:RANG", ":CURR:AUTO", ":VOLT:RANG", ":VOLT:AUTO"), ranges.groups(), strict=True
        ):
            assert instrument.receive(f"{command} {text}") is None
    return instrument


def alike(first: str, other: str) -> bool:
    """Compare answers part by part: 5.000E+00 and 5.0E+00 are the same."""
    parts = [re.split(r"[;, ]", text) for text in (first, other)]
    return len(parts[0]) == len(parts[1]) and all(_same(a, b) for a, b in zip(*parts, strict=True))


def _same(first: str, other: str) -> bool:
    try:
        return float(first) == float(other)
    except ValueError:
        return first == other


def try_pair(identity: str, query: str, answer: str) -> None:
    """Ask our simulator as PTDaemon asked, and let our driver read what the real analyser answered."""
    table = table_of(identity)
    instrument = in_the_state_of(table, answer)
    reply = instrument.receive(query)
    assert reply is not None, query
    assert alike(reply.data.decode(), answer), (query, reply.data, answer)
    errors = instrument.receive(":STAT:ERR?")
    assert errors is not None
    assert errors.data.startswith(b"0"), (query, errors.data)

    for unit, text in zip(query.split(";"), answer.split(";"), strict=False):
        setting = next((item for item in table.settings if match(item.read_back, unit)), None)
        if setting is not None and ":VOLT?" not in query:
            value = table.setting(setting.name).understood(plain(text))
            assert table.setting(setting.name).normal(value) == value


@pytest.mark.parametrize(("identity", "query", "answer"), PUBLISHED)
def test_a_published_exchange(identity: str, query: str, answer: str) -> None:
    try_pair(identity, query, answer)


def test_every_exchange_of_the_published_consoles() -> None:
    pairs = recorded()
    if not pairs:
        pytest.skip("../shared/data/mlperf-power-v1.0 is not there; the pairs written here are tried")
    assert len(pairs) >= 30
    assert set(PUBLISHED) <= set(pairs)
    for pair in pairs:
        try_pair(*pair)


def test_the_simulator_is_strict_about_everything_else() -> None:
    instrument = ScpiInstrument(table_of(WT333E), "SIMULATED1", 0.25, lambda: 0.0)
    for wrong in (":CURR:RANGES?", ":VOLT:RANG 299", ":INP:CFAC 4", ":FOO 1", ":NUM:NORM:ITEM1 X,1", ":SYNC MAYBE"):
        assert instrument.receive(wrong) is None
        answer = instrument.receive(":STAT:ERR?")
        assert answer is not None
        assert answer.data.split(b",")[0] in (b"113", b"222"), wrong
    assert instrument.receive(":STAT:ERR?") is not None
