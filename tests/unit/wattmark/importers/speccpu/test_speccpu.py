"""Results of SPEC CPU2017 in its three forms, written by the layout of its formatters and its result file fields.

No result with power lies in a public repository, so the powered result here is made up in that layout; its energies
follow from its watts and seconds. The result without power is a real one: jiegec/blog-source b9b1a2d5, AMD EPYC 7742,
-O3, fp rate with one copy, estimated: thirteen ratios, overall 7.12.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.bring_in import import_source, preview_source
from wattmark.importers.importer import Choices, ImportedFigures
from wattmark.importers.kinds import importer_of
from wattmark.importers.speccpu.cpu_result import Printed, printed
from wattmark.importers.speccpu.speccpu import SPECCPU, audit_speccpu
from wattmark.importers.speccpu.text_file import read_text_file
from wattmark.results.data_folder import Storage

from tests.examples import examples

RUNS = {
    "500.perlbench_r": ("400", "255", "200", "510", "500", "900"),
    "502.gcc_r": ("320", "283", "144", "470", "450", "950"),
    "505.mcf_r": ("250", "414", "100", "420", "400", "1200"),
}
"""Run time [s], rate, energy [kJ], maximum and mean power [W], energy ratio; energy is mean power times run time."""
RATE = geometric_mean([255, 283, 414])
ENERGY = geometric_mean([900, 950, 1200])
MEAN_W = 1e3 * (200 + 144 + 100) / (400 + 320 + 250)
HEAD = f"                 {'Base   ' * 7}   {'Peak   ' * 7}"
COLUMNS = "Copies RunTime  Rate  Energy MaxPwr AvgPwr ERatio     Copies RunTime  Rate  Energy MaxPwr"


def text(rate: str = f"{RATE:.0f}", energy: str = f"{ENERGY:.0f}", runs: dict[str, tuple[str, ...]] = RUNS) -> str:
    rows = [
        f"{name:<15} {'64':>7} {run[0]:>7} {run[1]:>6} {run[2]:>6} {run[3]:>6} {run[4]:>6} {run[5]:>6} "
        for name, run in runs.items()
    ]
    return "\n".join(
        [
            "#" * 80,
            "                      SPEC CPU(R)2017 Integer Rate Result",
            "                                  Maker",
            "                        Server X (2 x EPYC, 2.0 GHz)",
            "",
            "               CPU2017 License: 1            Test date: Nov-2025",
            "  Test sponsor: Maker                          Hardware availability: Oct-2025",
            "  Tested by:    Maker                          Software availability: Oct-2025",
            "",
            HEAD,
            f"Benchmarks       {COLUMNS}",
            "--------------- ------- ------- ------ ------ ------ ------ ------    ------- ------- ------ ------",
            *(f"{row}S" for row in rows[:1]),
            *(f"{row}*" for row in rows),
            "=" * 80,
            *(f"{row}*" for row in rows),
            f" SPECrate(R)2017_int_energy_base                   {energy}",
            f" SPECrate(R)2017_int_base         {rate}",
            " SPECrate(R)2017_int_peak                                                    Not Run",
            "what nobody knows",
            "                                    HARDWARE",
            "                                    --------",
            "            CPU Name: AMD EPYC 7742",
            "             Enabled: 128 cores, 2 chips, 2 threads/core",
            "              Memory: 512 GB (16 x 32 GB 2Rx4 PC4-3200AA-R)",
            "                      running at 2933",
            "",
            "                                  Submit Notes",
            "                                  ------------",
            "any words: of a note",
            "",
        ]
    )


def table(runs: dict[str, tuple[str, ...]] = RUNS) -> str:
    columns = "Base # Copies,Base Run Time,Base Rate,Base Selected,Base Status,Base Energy,Ref Power,Base Energy Ratio"
    rows = [
        f"{name},64,{run[0]},{run[1]},1,S,{float(run[2]) * 1000:g},300,{run[5]},{run[3]},{run[4]},,,,,NR,ref #1"
        for name, run in runs.items()
    ]
    header = f"Benchmark,{columns},Base Max Power,Base Avg Power,Peak # Copies,Peak Run Time,Peak Rate,Peak Selected,"
    header += "Peak Status,Description"
    return "\n".join(
        [
            "valid,1",
            "",
            "SPEC CINT2017 Result",
            '"Full Results Table"',
            header,
            rows[0].replace(",400,", ",999,"),
            '"Selected Results Table"',
            header,
            *rows,
            f"SPECrate2017_int_base,{RATE:.0f},,{RATE:.0f}",
            f"SPECrate2017_int_energy_base,{ENERGY:.0f},,{ENERGY:.0f}",
            "Hardware Vendor:,Maker",
            '"Hardware Model:","Server X (2 x EPYC, 2.0 GHz)"',
            "Test sponsor:,Maker",
            "CPU Name:,AMD EPYC 7742",
            'Enabled:,"128 cores, 2 chips, 2 threads/core"',
            'Memory:,"512 GB (16 x 32 GB 2Rx4 PC4-3200AA-R)"',
            ',"running at 2933"',
            "",
        ]
    )


def raw() -> str:
    lines = ["# a raw file", "spec.cpu2017.hw_vendor: Maker", "spec.cpu2017.hw_model: Server X (2 x EPYC, 2.0 GHz)"]
    lines += ["spec.cpu2017.hw_cpu_name: AMD EPYC 7742", "spec.cpu2017.test_sponsor: Maker"]
    lines += ["spec.cpu2017.hw_ncores: 128 cores, 2 chips, 2 threads/core"]
    lines += ["spec.cpu2017.hw_memory000: 512 GB (16 x 32 GB 2Rx4 PC4-3200AA-R)", "spec.cpu2017.hw_memory001: at 2933"]
    for name, run in RUNS.items():
        for iteration, selected in (("000", "0"), ("001", "1")):
            figures = {
                "benchmark": name,
                "selected": selected,
                "copies": "64",
                "reported_time": run[0] if selected == "1" else "999",
                "ratio": run[1],
                "energy": f"{float(run[2]) * 1000:g}",
                "max_power": run[3],
                "avg_power": run[4],
                "energy_ratio": run[5],
            }
            key = f"spec.cpu2017.results.{name.replace('.', '_')}.base.{iteration}"
            lines += [f"{key}.{figure}: {value}" for figure, value in figures.items()]
    lines += ["spec.cpu2017.baseunits: SPECrate2017_int_base", f"spec.cpu2017.basemean: {RATE:.0f}"]
    lines += [
        "spec.cpu2017.baseenergyunits: SPECrate2017_int_energy_base",
        f"spec.cpu2017.baseenergymean: {ENERGY:.0f}",
    ]
    return "\n".join([*lines, ""])


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


def figures(path: Path) -> ImportedFigures:
    (pending,) = SPECCPU.find(path, Choices())
    item = pending.read()
    assert isinstance(item, ImportedFigures)
    return item


@pytest.mark.parametrize(("name", "content"), [("r.txt", text()), ("r.csv", table()), ("r.rsf", raw())])
def test_the_three_forms_of_a_result_give_the_same_figures(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert importer_of("auto", tmp_path) is SPECCPU
    item = figures(path)
    result = item.result
    (level,) = result.levels
    assert (level.ops_per_s, result.unit) == (round(RATE), "SPECrate2017_int_base")
    assert level.power_w == pytest.approx(MEAN_W, rel=1e-12)
    assert result.stated_overall == round(ENERGY)
    assert result.overall == pytest.approx(ENERGY, rel=1e-12)
    assert (result.title, result.cpu) == ("Maker Server X (2 x EPYC, 2.0 GHz)", "AMD EPYC 7742")
    assert (result.cpus, result.cores, result.memory.modules, result.memory.total_gib) == (2, 128, 16, 512)
    benchmarks = result.disclosure["benchmarks"]
    assert isinstance(benchmarks, list)
    assert [row["energy kJ"] for row in benchmarks] == [200, 144, 100]
    assert [line.text for line in item.unread.first] == (["what nobody knows"] if name == "r.txt" else [])
    (audit,) = audit_speccpu(path, Choices())
    assert (audit.published, audit.findings) == (round(ENERGY), ())


def test_one_result_in_several_forms_is_one(tmp_path: Path, storage: Storage) -> None:
    for name, content in (("r.txt", text()), ("r.csv", table()), ("r.rsf", raw())):
        (tmp_path / name).write_text(content)
    (outcome,) = import_source(SPECCPU, tmp_path, storage.samples, storage.runs)
    assert (outcome.source, outcome.error) == ("r.csv", None)


def test_a_result_that_cannot_be_read_is_refused_by_its_name(
    tmp_path: Path, storage: Storage, unreadable: Callable[[str], None]
) -> None:
    for name in ("a.txt", "r.txt"):
        (tmp_path / name).write_text(text())
    unreadable("a.txt")
    refused, kept = import_source(SPECCPU, tmp_path, storage.samples, storage.runs)
    assert (str(refused.error), kept.error) == ("a.txt cannot be read: Permission denied. Restore the file.", None)
    with pytest.raises(InputError, match=r"a\.txt cannot be read"):
        list(audit_speccpu(tmp_path, Choices()))


def test_a_metric_and_an_energy_that_do_not_follow_are_found(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_text(
        text(energy="1100", rate="350", runs={**RUNS, "502.gcc_r": ("320", "283", "200", "470", "450", "950")})
    )
    (audit,) = audit_speccpu(path, Choices())
    by_rule = [(finding.rule, round(finding.value or 0)) for finding in audit.findings]
    off = [round(100 * (1100 / ENERGY - 1)), round(100 * (350 / RATE - 1)), round(100 * (200 / 144 - 1))]
    assert by_rule == list(zip(("published-figure", "published-figure", "energy"), off, strict=True))


RATIOS = "31.4 4.92 4.33 6.66 5.51 5.42 8.10 5.81 7.32 5.08 5.37 15.1 6.39".split()  # noqa: SIM905 - as the table has them
NAMES = (
    *("503.bwaves_r", "507.cactuBSSN_r", "508.namd_r", "510.parest_r", "511.povray_r", "519.lbm_r", "521.wrf_r"),
    *("526.blender_r", "527.cam4_r", "538.imagick_r", "544.nab_r", "549.fotonik3d_r", "554.roms_r"),
)


def without_power() -> str:
    rows = [f"{name:<16}      1        300  {ratio:>8}   *" for name, ratio in zip(NAMES, RATIOS, strict=True)]
    return "\n".join([*rows, " Est. SPECrate(R)2017_fp_base            7.12", ""])


def test_a_result_without_power_is_refused_with_its_score(tmp_path: Path, storage: Storage) -> None:
    path = tmp_path / "r.txt"
    path.write_text(without_power())
    (preview,) = preview_source(SPECCPU, path, storage.runs)
    assert "was run without power, so it has no watts. It has run times and SPECrate2017_fp_base = 7.12." in str(
        preview.error
    )
    result = read_text_file(path, "r.txt")
    assert result.estimated
    assert geometric_mean([run.ratio.value for run in result.of("base")]) == pytest.approx(7.12, abs=0.005)


@pytest.mark.parametrize(
    ("number", "expected"),
    [("7.120", Printed(7.12, 0.0005)), ("300", Printed(300, 0.5)), ("0", None), ("1e308", None), ("nan", None)],
)
def test_a_printed_number_knows_its_last_digit(number: str, expected: Printed | None) -> None:
    read = printed(number)
    assert (read is None) == (expected is None)
    if read is not None and expected is not None:
        assert (read.value, read.half) == pytest.approx((expected.value, expected.half))


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("r.txt", text().replace(" 450 ", " oops "), "r.txt line 15: the run of 502.gcc_r cannot be read: 64 320 283"),
        ("r.txt", text().replace("*", "S"), "no run of a benchmark that counts"),
        ("r.csv", table().replace(",320,", ",oops,"), "r.csv line 10: the run of 502.gcc_r lacks a time"),
        ("r.csv", table().replace(",450,", ",,"), "lacks the power of 502.gcc_r"),
        ("r.rsf", raw().replace("time: 320", "time: oops"), "the run of 502.gcc_r cannot be read"),
    ],
)
def test_a_result_that_lacks_something_is_refused_in_one_line(
    tmp_path: Path, name: str, content: str, why: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=why) as refusal:
        list(audit_speccpu(path, Choices()))
    assert "\n" not in str(refusal.value)


OTHER_GCC = RUNS | {"502.gcc_r": ("320", "283", "72", "470", "225", "950")}
"""Half of the energy and of the power, which no overall metric shows."""


def gcc(lines: str) -> str:
    return [line for line in lines.split("\n") if "502.gcc" in line][-1]


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("a.txt", gcc(text(runs=OTHER_GCC)).join(text().rsplit(gcc(text()), 1)), "502.gcc_r: two runs of base count"),
        ("a.txt", f"{text()}\n SPECrate(R)2017_int_base         900\n", "SPECrate2017_int_base = 310 and 900"),
        (
            "a.txt",
            text(runs=RUNS | {"502.gcc_r": ("320", "283", "144", "400", "450", "950")}),
            "502.gcc_r: the mean of 450 W is above the highest of 400 W",
        ),
        (
            "a.csv",
            table().replace(gcc(table()), f"{gcc(table())}\n{gcc(table(runs=OTHER_GCC))}"),
            "502.gcc_r: two runs of base count",
        ),
        ("a.csv", table().replace(",1,S,144000", ",0,S,144000"), "502.gcc_r: the table of the selected runs says"),
        (
            "a.rsf",
            f"{raw()}spec.cpu2017.results.502_gcc_r.base.001.energy: 72000\n",
            "results.502_gcc_r.base.001.energy is 144000 and 72000",
        ),
        (
            "a.rsf",
            raw()
            + "\n".join(
                line.replace(".001.", ".002.") for line in raw().split("\n") if "gcc" in line and ".001." in line
            ).replace("avg_power: 450", "avg_power: 225")
            + "\n",
            "502.gcc_r: two runs of base count",
        ),
    ],
    ids=["table of the text", "metric", "highest power", "row", "not selected", "key", "two selected runs"],
)
def test_what_stands_twice_and_differs_is_said(tmp_path: Path, name: str, content: str, named: str) -> None:
    path = write(tmp_path, name, content)
    item = figures(path)
    assert any(named in said for said in item.result.contradictions)
    assert any(named in note for note in item.notes)
    assert item.result.levels[0].power_w == pytest.approx(MEAN_W, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.csv", table().replace("valid,1", "valid,0"), "is not valid by its own words: valid is 0"),
        ("a.csv", table().replace(",1,S,144000", ",1,VE,144000"), "502.gcc_r has the status VE, and it counts"),
        ("a.rsf", f"{raw()}spec.cpu2017.valid: 0\nspec.cpu2017.errors000: too few runs\n", "own words: too few runs"),
        ("a.rsf", f"{raw()}spec.cpu2017.results.502_gcc_r.base.001.valid: RE\n", "502.gcc_r has the status RE"),
        ("a.txt", f"#   INVALID RUN -- INVALID RUN   #\n#  too few runs  #\n{text()}", "RUN; too few runs"),
        (
            "a.txt",
            text().replace("what nobody knows", "SPEC has determined that this result is not in compliance"),
            "SPEC has determined that",
        ),
    ],
)
def test_a_result_that_calls_itself_invalid_has_no_figures(tmp_path: Path, name: str, content: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        figures(write(tmp_path, name, content))


def test_an_estimate_says_why_it_is_none_of_spec(tmp_path: Path) -> None:
    """A run without the option --reportable is both: invalid by SPEC's rules, and an estimate."""
    content = f"#  INVALID RUN  #\n# 'reportable' flag not set #\n{text()}"
    item = figures(write(tmp_path, "a.txt", content.replace(" SPECrate(R)", " Est. SPECrate(R)")))
    assert any("'reportable' flag not set" in note for note in item.notes)
    assert item.result.maker == "Maker"


def test_the_forms_of_a_result_are_held_against_each_other(tmp_path: Path) -> None:
    write(tmp_path, "a.csv", table())
    write(tmp_path, "a.rsf", raw())
    other = write(tmp_path, "a.txt", text())
    assert figures(tmp_path).result.contradictions == ()
    other.write_text(text(runs=OTHER_GCC))
    assert figures(tmp_path).result.contradictions == ("a.csv and a.txt state other figures of 502.gcc_r, base.",)
    (audit,) = audit_speccpu(tmp_path, Choices())
    assert [finding.rule for finding in audit.findings] == ["stated-twice"]


@settings(max_examples=examples(80), deadline=None)
@given(cut=st.binary(max_size=30), at=st.integers(0, 3000), form=st.sampled_from(["txt", "csv", "rsf"]))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, cut: bytes, at: int, form: str
) -> None:
    whole = {"txt": text, "csv": table, "rsf": raw}[form]().encode()
    path = tmp_path_factory.mktemp("fuzz") / f"r.{form}"
    path.write_bytes(whole[:at] + cut + whole[at + len(cut) :])
    with contextlib.suppress(InputError):
        list(audit_speccpu(path, Choices()))
