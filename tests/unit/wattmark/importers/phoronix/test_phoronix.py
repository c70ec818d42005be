"""Result files of the Phoronix Test Suite, written from its schema and from how it stores sensors.

Sources: phoronix-test-suite snapshot of 2026-06-13, pts-core/openbenchmarking.org/schemas/result-file.xsd; module
system_monitor: a sensor's result has the test's title, no identifier, "<sensor> <arguments>" as arguments, and samples
joined by commas; work per watt is round(result / mean of the samples, 3).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.comparison.compare.pairs import published_pair
from wattmark.comparison.published.imported_groups import imported_groups
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source, preview_source
from wattmark.importers.importer import Choices, ImportedFigures
from wattmark.importers.kinds import importer_of
from wattmark.importers.phoronix.phoronix import PHORONIX, audit_phoronix
from wattmark.importers.phoronix.result_xml import read_result_file
from wattmark.importers.unread import Unread
from wattmark.results.data_folder import Storage

from tests.examples import examples

HARDWARE = (
    "Processor: 2 x AMD EPYC 7502 32-Core @ 2.50GHz (64 Cores / 128 Threads), Motherboard: Maker Board (1.0 BIOS), "
    "Memory: 16 x 32 GB DDR4-3200MT/s, Disk: 960GB"
)


def result(identifier: str, scale: str, value: str, arguments: str = "b", **more: str) -> str:
    fields = {"Proportion": "HIB", "DisplayFormat": "BAR_GRAPH", "Description": "Test: Compression Rating", **more}
    return f"""\
  <Result>
    <Identifier>{identifier}</Identifier>
    <Title>7-Zip Compression</Title>
    <AppVersion>24.05</AppVersion>
    <Arguments>{arguments}</Arguments>
    <Scale>{scale}</Scale>
    {"".join(f"<{name}>{text}</{name}>" for name, text in fields.items())}
    <Data><Entry><Identifier>lab &amp; one</Identifier><Value>{value}</Value><RawString>{value}</RawString>
      <JSON>{{"test-run-times": "20.1:20.2"}}</JSON></Entry></Data>
  </Result>
"""


SENSOR = {"DisplayFormat": "LINE_GRAPH", "Proportion": "LIB"}
TEST = result("pts/compress-7zip-1.11.0", "MIPS", "300000")
SYSTEM_POWER = result(
    "",
    "Watts",
    "200,300,400,300",
    "System Power Consumption b",
    **SENSOR,
    Description="System Power Consumption Monitor",
)
CPU_POWER = result(
    "", "Watts", "150,150", "CPU Power Consumption b", **SENSOR, Description="CPU Power Consumption Monitor"
)
PER_WATT = result("", "MIPS Per Watt", "1000")


def composite(*results: str) -> str:
    return f"""\
<?xml version="1.0"?>
<!--Phoronix Test Suite v10.8.4-->
<PhoronixTestSuite>
  <Generated><Title>night</Title><LastModified>2026-02-01 12:00:00</LastModified>
    <TestClient>Phoronix Test Suite v10.8.4</TestClient><Description></Description></Generated>
  <System>
    <Identifier>lab &amp; one</Identifier>
    <Hardware>{HARDWARE}</Hardware>
    <Software>OS: Debian 12, Kernel: 6.1</Software>
    <User>tester</User>
    <TimeStamp>2026-02-01 12:00:00</TimeStamp>
    <TestClientVersion>10.8.4</TestClientVersion>
    <Notes></Notes>
  </System>
{"".join(results)}</PhoronixTestSuite>
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "composite.xml"
    path.write_text(text)
    return path


def read(path: Path) -> ImportedFigures:
    (pending,) = PHORONIX.find(path, Choices())
    item = pending.read()
    assert isinstance(item, ImportedFigures)
    return item


def test_a_test_with_the_power_of_the_system_becomes_figures(tmp_path: Path, storage: Storage) -> None:
    folder = tmp_path / "test-results" / "night"
    folder.mkdir(parents=True)
    path = write(folder, composite(TEST, SYSTEM_POWER, CPU_POWER, PER_WATT))
    assert importer_of("auto", tmp_path) is PHORONIX
    figures = read(path).result
    (level,) = figures.levels
    assert (level.ops_per_s, level.power_w, figures.unit, figures.stated_overall) == (300000, 300, "MIPS", 1000)
    assert figures.overall == 300000 / 300
    assert figures.program_version == "7-Zip Compression 24.05"
    assert figures.title == "7-Zip Compression, Test: Compression Rating on lab & one"
    assert (figures.cpu, figures.cpus, figures.cores) == ("AMD EPYC 7502 32-Core", 2, 64)
    assert (figures.memory.modules, figures.memory.total_gib, figures.tested_on) == (16, 512, "2026-02-01")
    sensors = figures.disclosure["sensors"]
    assert isinstance(sensors, dict)
    assert sensors["System Power Consumption"] == {"unit": "Watts", "samples": 4, "min": 200, "mean": 300, "max": 400}
    assert sensors["CPU Power Consumption"]["mean"] == 150
    (outcome,) = import_source(PHORONIX, tmp_path, storage.samples, storage.runs)
    assert outcome.error is None


def test_another_version_of_the_program_is_said_beside_the_ratio(tmp_path: Path) -> None:
    newer = result("pts/compress-7zip-1.11.0", "MIPS", "450000").replace("24.05", "25.01")
    unknown = result("pts/compress-7zip-1.11.0", "MIPS", "300000").replace("24.05", "")
    results = []
    for text in (TEST, newer, unknown):
        results.append(read(write(tmp_path, composite(text, SYSTEM_POWER))).result.summary)
    assert results[2].program_version == ""
    groups = imported_groups(results, results[0].workload, "100 %")
    assert [group.program_versions for group in groups] == [
        ["7-Zip Compression 24.05"],
        ["7-Zip Compression 25.01"],
        [],
    ]
    names = {group.key: f"“{n}”" for n, group in enumerate(groups)}
    other, same = (published_pair(groups[n], groups[0], names) for n in (1, 2))
    assert other is not None
    assert same is not None
    assert "the load program differs (7-Zip Compression 25.01 against 7-Zip Compression 24.05)" in other.verdict
    assert "program" not in same.verdict


def test_printed_work_per_watt_is_held_against_its_own_samples(tmp_path: Path) -> None:
    (audit,) = audit_phoronix(write(tmp_path, composite(TEST, SYSTEM_POWER, PER_WATT)), Choices())
    assert (audit.published, audit.by_rule, audit.unit) == (1000, 1000, "MIPS/W")
    assert [finding.rule for finding in audit.findings] == ["no-times"]
    other = composite(TEST, SYSTEM_POWER, PER_WATT.replace("1000", "1200"))
    (audit,) = audit_phoronix(write(tmp_path, other), Choices())
    assert audit.findings[0].rule == "published-figure"
    assert audit.findings[0].value == pytest.approx(20)


def test_a_time_is_runs_per_second_and_milliwatts_are_watts(tmp_path: Path) -> None:
    test = result("pts/build-linux-kernel-1.16.0", "Seconds", "50", Proportion="LIB")
    power = SYSTEM_POWER.replace("Watts", "Milliwatts").replace("200,300,400,300", "5000,5000")
    (level,) = read(write(tmp_path, composite(test, power))).result.levels
    assert (level.ops_per_s, level.power_w) == (1 / 50, 5)


def figures(path: Path) -> list[ImportedFigures]:
    items = [pending.read() for pending in PHORONIX.find(path, Choices())]
    return [item for item in items if isinstance(item, ImportedFigures)]


def test_results_of_one_run_have_its_power_and_their_own_work_per_watt(tmp_path: Path) -> None:
    """7-Zip rates compression and decompression in one run, with the same arguments."""
    other = result("pts/compress-7zip-1.11.0", "MIPS", "200000", Description="Test: Decompression Rating")
    per_watt = result("", "MIPS Per Watt", "666.667", Description="Test: Decompression Rating")
    items = figures(write(tmp_path, composite(TEST, other, SYSTEM_POWER, PER_WATT, per_watt)))
    assert [item.result.levels[0].power_w for item in items] == [300, 300]
    assert [item.result.stated_overall for item in items] == [1000, 666.667]
    assert [item.result.contradictions for item in items] == [(), ()]


def test_a_later_run_of_the_same_test_has_its_own_power(tmp_path: Path) -> None:
    later = TEST.replace("24.05", "25.00").replace("300000", "330000")
    power, per_watt = SYSTEM_POWER.replace("200,300,400,300", "330,330"), PER_WATT
    items = figures(write(tmp_path, composite(TEST, SYSTEM_POWER, PER_WATT, later, power, per_watt)))
    assert [(item.result.levels[0].ops_per_s, item.result.levels[0].power_w) for item in items] == [
        (300000, 300),
        (330000, 330),
    ]
    assert [item.result.overall for item in items] == [1000, 1000]


@pytest.mark.parametrize(
    ("results", "why", "text"),
    [
        ((PER_WATT.replace("1000", "600"),), "another work per watt of this test stands before", "7-Zip"),
        ((result("", "MB/s Per Watt", "9"),), "it is of no test before it, or of several", "7-Zip"),
    ],
)
def test_what_stands_twice_is_said(tmp_path: Path, results: tuple[str, ...], why: str, text: str) -> None:
    item = read(write(tmp_path, composite(TEST, SYSTEM_POWER, PER_WATT, *results)))
    assert item.result.stated_overall == 1000
    assert [(line.why, line.text[:5]) for line in item.unread.first] == [(why, text)]


def test_a_second_value_or_system_of_a_name_is_said(tmp_path: Path) -> None:
    entry = "<Entry><Identifier>lab &amp; one</Identifier><Value>200000</Value></Entry></Data>"
    text = composite(TEST.replace("</Data>", entry), SYSTEM_POWER)
    text = text.replace("<System>", "<System><Identifier>lab &amp; one</Identifier><User>b</User></System><System>")
    item = read(write(tmp_path, text))
    assert item.result.levels[0].ops_per_s == 300000
    assert [line.why for line in item.unread.first] == [
        "another system of this name stands before",
        "another value of this system stands before",
    ]


def test_two_series_of_samples_of_one_test_refuse_it(tmp_path: Path) -> None:
    path = write(tmp_path, composite(TEST, SYSTEM_POWER, SYSTEM_POWER.replace("200,300,400,300", "500,500")))
    with pytest.raises(InputError, match="has two series of samples of System Power Consumption"):
        read(path)


@pytest.mark.parametrize(
    ("samples", "shown"), [("300,0,300", "0 W"), ("300,-1,300", "-1 W"), ("300,300,65535", "65535")]
)
def test_samples_that_no_running_system_takes_are_said(tmp_path: Path, samples: str, shown: str) -> None:
    path = write(tmp_path, composite(TEST, SYSTEM_POWER.replace("200,300,400,300", samples)))
    (text,) = read(path).result.contradictions
    assert text.startswith(f"1 of 3 samples of System Power Consumption, such as {shown}")
    (audit,) = audit_phoronix(path, Choices())
    assert audit.findings[0].rule == "bad-readings"


@pytest.mark.parametrize(
    ("scale", "value", "run_times", "why"),
    [
        ("ms", "0.2", "20.1:20.2", "it is a latency, and no time of a run"),
        ("ms", "0.2", "", "it is a latency, and no time of a run"),
        ("Seconds", "3", "20.1:20.2", "it is a latency, and no time of a run"),
        ("ms", "20000", "20.1:20.2", ""),
        ("Seconds", "50", "", ""),
        ("Hours", "1", "3602", ""),
        ("Microseconds", "5", "", "it is neither a rate nor a time"),
    ],
)
def test_a_latency_is_no_time_of_a_run(tmp_path: Path, scale: str, value: str, run_times: str, why: str) -> None:
    """The suite notes beside each value how long its runs took."""
    test = result("pts/onednn-1", scale, value, Proportion="LIB").replace("20.1:20.2", run_times)
    path = write(tmp_path, composite(test, SYSTEM_POWER))
    if why:
        with pytest.raises(
            InputError, match=rf"holds no result of a test that is .*'7-Zip .*: {value} {scale}'.*{why}"
        ):
            PHORONIX.find(path, Choices())
    else:
        assert read(path).result.unit == "runs/s"


@pytest.mark.parametrize("fault", ["rights", "form"])
def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_their_import(
    tmp_path: Path, storage: Storage, unreadable: Callable[[str], None], fault: str
) -> None:
    (tmp_path / "a.xml").write_text(composite(TEST, SYSTEM_POWER)[: None if fault == "rights" else -20])
    (tmp_path / "b.xml").write_text(composite(TEST, SYSTEM_POWER))
    if fault == "rights":
        unreadable("a.xml")
    refused, kept = import_source(PHORONIX, tmp_path, storage.samples, storage.runs)
    assert str(refused.error).startswith("a.xml cannot be read: Perm" if fault == "rights" else "a.xml line ")
    assert (refused.source, kept.source, kept.error) == ("a.xml", "b.xml", None)


def test_beside_a_composite_no_other_file_is_read(tmp_path: Path) -> None:
    write(tmp_path, composite(TEST, SYSTEM_POWER))
    (tmp_path / "test-1.xml").write_text(composite(TEST, SYSTEM_POWER))
    assert len(figures(tmp_path)) == 1
    (tmp_path / "composite.xml").unlink()
    assert len(figures(tmp_path)) == 1


@pytest.mark.parametrize(
    ("results", "why"),
    [
        ((TEST,), "has no samples of System Power Consumption."),
        ((TEST, CPU_POWER), "only of CPU Power Consumption, which is not the power of the system"),
        ((TEST, SYSTEM_POWER.replace("200,300,400,300", "0,0")), "has no samples"),
    ],
)
def test_a_test_without_the_power_of_the_system_is_refused(
    tmp_path: Path, storage: Storage, results: tuple[str, ...], why: str
) -> None:
    (preview,) = preview_source(PHORONIX, write(tmp_path, composite(*results)), storage.runs)
    assert preview.error is not None
    assert why in str(preview.error)


def test_what_is_not_understood_is_named_by_line(tmp_path: Path) -> None:
    latency = result("pts/db-1.0.0", "Level", "3", Proportion="LIB", Description="other")
    strange = SYSTEM_POWER.replace("200,300", "200,many")
    unknown = TEST.replace("<Scale>", "<Colour><Deep/>red</Colour><Scale>")
    path = write(tmp_path, composite(unknown, latency, strange, SYSTEM_POWER))
    path.write_text(path.read_text().replace("<Result>", result("pts/other-1.0.0", "MB/s", "9", "a") + "<Result>", 1))
    refused, pending = PHORONIX.find(path, Choices())
    with pytest.raises(InputError, match="has no samples"):
        refused.read()
    item = pending.read()
    assert isinstance(item, ImportedFigures)
    results = [number for number, line in enumerate(path.read_text().split("\n"), 1) if "<Result>" in line]
    assert {line.why: line.line for line in item.unread.first} == {
        "the element is not known": results[1] + 5,
        "it is neither a rate nor a time": results[2],
        "a sample is not a number": results[3],
    }
    assert item.result.levels[0].power_w == 300


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x SYSTEM "file:///etc/passwd">'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (composite(TEST).replace("<Phoronix", f"{BOMB}<Phoronix", 1), "declares a document type"),
        (composite(TEST).replace("<Phoronix", f"{OUTSIDE}<Phoronix", 1), "declares a document type"),
        (composite(TEST)[:-30], "it is not XML"),
        (composite(TEST).replace("&amp;", "&other;"), "it is not XML"),
        ("<?xml version='1.0' encoding='nonsense'?><PhoronixTestSuite></PhoronixTestSuite>", "it is not XML"),
        ("<Other><PhoronixTestSuite></PhoronixTestSuite></Other>", "its root is 'Other'"),
        (composite("<a>" * 9 + "</a>" * 9), "nested more than 8 deep"),
        (composite(TEST.replace("300000", "1" * (5 * 2**20))), "holds more than 4194304 characters"),
        (composite(), "no result of a test"),
    ],
)
def test_hostile_xml_ends_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as refusal:
        PHORONIX.find(write(tmp_path, text), Choices())
    assert "\n" not in str(refusal.value)


@settings(max_examples=examples(150), deadline=None)
@given(cut=st.binary(max_size=30), at=st.integers(0, 3000))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, cut: bytes, at: int) -> None:
    whole = composite(TEST, SYSTEM_POWER).encode()
    path = tmp_path_factory.mktemp("fuzz") / "composite.xml"
    path.write_bytes(whole[:at] + cut + whole[at + len(cut) :])
    with contextlib.suppress(InputError):
        read_result_file(path, path.name, Unread())
    with contextlib.suppress(InputError):
        list(audit_phoronix(path, Choices()))
