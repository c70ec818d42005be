"""Tables on the command line, from a real store: the right choice, the right figures, the same bytes twice."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from wattmark.cli.main import main
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus, ThroughputInterval
from wattmark.storage.open import open_storage
from wattmark.storage.sample_store import Samples, SeriesKey

BEGIN_NS = 1_700_000_000_000_000_000
SECONDS = 100
METER = MeterRecord(name="outlet", model="wattsup.pro", title="Watts Up? PRO", reading_pct=1.5, fixed_w=0.3)
LEVELS = {1: "1 process", 2: "2 processes", 4: "4 processes"}
DIMMS = ["--factor", "memory.dimm_count", "--old", "2", "--new", "8", "--figure", "power"]
FORMATS = ["table", "json", "csv", "md", "tex", "html", "xlsx", "parquet"]
EXTRAPOLATED = ["table", "extrapolated", "--axis", "load", "--target", "8"]
MEANS = ["table", "geometric-means", "--from", "2"]
COMMANDS = [
    ["compare"], ["memory"], ["scaling"], ["table", "results"], ["table", "deltas", *DIMMS], EXTRAPOLATED, MEANS,
]  # fmt: skip


def store_run(storage, dimms: int, processes: int, repeat: int) -> None:
    """Record a run of 200 W + 6 W per DIMM + 10 W per process, and 1000 signs/s per process."""
    run_id = f"{dimms}-{processes}-{repeat}"
    amount = 10_000 * processes + repeat
    run = RunRecord(
        run_id=run_id,
        server="s1",
        configuration=f"dimm-{dimms}",
        workload="rsa",
        level=LEVELS[processes],
        repeat=repeat,
        status=RunStatus.COMPLETE,
        created_ns=BEGIN_NS + len(storage.runs.all()),
        unit="signs",
        throughput=tuple(
            ThroughputInterval(begin_ns=BEGIN_NS + k * 10**10, end_ns=BEGIN_NS + (k + 1) * 10**10, amount=amount)
            for k in range(SECONDS // 10)
        ),
        window_begin_ns=BEGIN_NS,
        window_end_ns=BEGIN_NS + SECONDS * 10**9,
        meters=(METER,),
        configuration_snapshot={"title": f"{dimms} FB-DIMMs", "dimm_count": dimms, "memory_gib": float(dimms)},
    )
    storage.runs.put(run)
    rng = np.random.default_rng(dimms * 100 + processes * 10 + repeat)
    t_ns = BEGIN_NS + np.arange(-10, SECONDS + 11) * 10**9
    watts = 200.0 + 6 * dimms + 10 * processes + rng.normal(0, 0.3, len(t_ns))
    series = storage.samples.series(SeriesKey(run_id, "s1", "outlet", "power", "power", "W", "averaged"))
    none, u_t_s = np.zeros(len(t_ns), np.uint16), np.full(len(t_ns), 0.002, np.float32)
    storage.samples.append([(series.id, Samples(t_ns, watts, none, u_t_s))])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two repeats of three memory populations at 4 processes; of one of them also at 1 and 2."""
    folder = tmp_path_factory.mktemp("data")
    storage = open_storage(folder)
    for repeat in (1, 2):
        for dimms in (2, 4, 8):
            store_run(storage, dimms, 4, repeat)
        for processes in (1, 2):
            store_run(storage, 4, processes, repeat)
    storage.close()
    return folder


@pytest.fixture
def wattmark(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]):
    """Run a command inside this process: (exit code, standard output, standard error)."""

    def run(*arguments: str | Path) -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["wattmark", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfdbinary.readouterr()
        return int(ended.value.code or 0), out, err.decode()

    return run


def rows(out: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out.decode(), newline="")))


def test_compare_chooses_what_most_configurations_ran_and_says_so(wattmark, data: Path) -> None:
    code, out, err = wattmark("compare", "--data", data, "--format", "csv")
    assert code == 0
    assert "Compared: rsa, 4 processes (3 measured configurations)." in err
    found = rows(out)
    assert [row["dimm_count"] for row in found] == ["2", "4", "8"]
    assert float(found[0]["efficiency"]) == pytest.approx(4000 / 252, rel=2e-3)


def test_compare_holds_all_against_the_baseline(wattmark, data: Path) -> None:
    _, out, _ = wattmark("compare", "--data", data, "--baseline", "s1/dimm-8", "--format", "csv")
    by_key = {row["key"]: row for row in rows(out)}
    assert by_key["s1/dimm-8"]["ratio"] == ""
    assert float(by_key["s1/dimm-2"]["ratio"]) == pytest.approx(288 / 252, rel=2e-3)


def test_compare_at_another_level(wattmark, data: Path) -> None:
    code, out, err = wattmark(
        "compare", "--data", data, "--workload", "rsa", "--level", "1 process", "--format", "json"
    )
    assert (code, err) == (0, "")
    assert [row["key"] for row in json.loads(out)["rows"]] == ["s1/dimm-4"]


def test_memory_tells_the_planted_watts_per_dimm(wattmark, data: Path) -> None:
    code, out, err = wattmark("memory", "--data", data, "--format", "json")
    assert code == 0
    assert "Shown: s1, rsa, 4 processes." in err
    document = json.loads(out)
    assert len(document["rows"]) == 6
    slope = float(document["footnotes"][0].split("costs ")[1].split(" W")[0])
    assert slope == pytest.approx(6, abs=0.3)


def test_numbers_of_the_fit_have_a_table_of_their_own(wattmark, data: Path) -> None:
    """Planted: 240 W + 6 W per DIMM at four processes."""
    _, out, _ = wattmark("table", "memory-fit", "--data", data, "--format", "csv")
    found = {row["quantity"]: row for row in rows(out)}
    slope = found["Watts per DIMM at the wall"]
    assert float(slope["low"]) < 6 < float(slope["high"])
    assert float(found["Watts without DIMMs"]["value"]) == pytest.approx(240, abs=1)
    assert float(found["Claimed watts per DIMM"]["value"]) == 5


def test_scaling_shows_levels_and_their_speed_up(wattmark, data: Path) -> None:
    code, out, err = wattmark("scaling", "--data", data, "--format", "csv")
    assert code == 0
    assert "Shown: s1/dimm-4, rsa." in err
    assert [row["count"] for row in rows(out)] == ["1", "2", "4"]
    assert [float(row["speed_up"]) for row in rows(out)] == pytest.approx([1, 2, 4], rel=1e-3)


def test_table_lists_published_tables_and_prints_each_without_a_data_folder(wattmark) -> None:
    _, out, _ = wattmark("table", "--format", "csv")
    names = [row["name"] for row in rows(out)]
    assert names[0] == "results"
    for name in (name for name in names if "." in name):
        code, out, err = wattmark("table", name, "--format", "csv")
        assert (code, err) == (0, "")
        assert len(out.splitlines()) > 1


def test_table_of_results_is_that_of_the_command_results(wattmark, data: Path) -> None:
    _, by_name, _ = wattmark("table", "results", "--data", data, "--format", "csv")
    _, results, _ = wattmark("results", "--data", data, "--format", "csv")
    assert by_name == results
    assert len(rows(results)) == 10


def test_factors_that_differ_can_be_compared(wattmark, data: Path) -> None:
    _, out, _ = wattmark("table", "factors", "--data", data, "--format", "csv")
    values = {row["factor"]: row["values"] for row in rows(out)}
    assert values["memory.dimm_count"] == "2; 4; 8"
    assert values["level"] == "1 process; 2 processes; 4 processes"
    _, out, _ = wattmark("table", "deltas", "--data", data, *DIMMS, "--format", "json")
    document = json.loads(out)
    (row,) = document["rows"]
    assert row["delta_pct"] == pytest.approx(100 * (288 / 252 - 1), abs=0.2)
    assert row["delta_low_pct"] < row["delta_pct"] < row["delta_high_pct"]
    assert document["footnotes"][0].startswith("Power at memory.dimm_count 8 against 2: +14.")


def test_multiples_and_load_levels(wattmark, data: Path) -> None:
    _, out, _ = wattmark("table", "normalised", "--data", data, "--baseline", "s1/dimm-2", "--format", "csv")
    factors = {row["key"]: float(row["factor"]) for row in rows(out)}
    assert factors == pytest.approx({"s1/dimm-2": 1, "s1/dimm-4": 252 / 264, "s1/dimm-8": 252 / 288}, rel=2e-3)
    _, out, _ = wattmark("table", "load-levels", "--data", data, "--format", "json")
    document = json.loads(out)
    assert [round(row["load_pct"]) for row in document["rows"]] == [100, 50, 25]
    assert any("needs full load (100 %) and active idle" in note for note in document["footnotes"])


def test_geometric_means_of_the_upper_levels(wattmark, data: Path) -> None:
    """2000 signs/s at 244 W and 4000 at 264 W; 252 W with two modules fewer."""
    _, out, _ = wattmark(*MEANS, "--baseline", "s1/dimm-4", "--data", data, "--format", "json")
    document = json.loads(out)
    found = {row["key"]: row for row in document["rows"]}
    assert found["s1/dimm-4"]["levels"] == 2
    assert found["s1/dimm-4"]["efficiency"] == pytest.approx((2000 / 244 * 4000 / 264) ** 0.5, rel=2e-3)
    assert found["s1/dimm-2"]["factor"] == pytest.approx(264 / 252, rel=2e-3)


@pytest.mark.parametrize(
    ("command", "chosen"),
    [
        (["compare", "--smallest", "0.5"], {"smallest difference of interest": "0.5 %", "window rule": "complete"}),
        (["compare", "--figure", "power", "--window-rule", "mlperf"], {"figure": "power", "window rule": "mlperf"}),
        (["memory", "--claim", "6", "--margin", "0.5"], {"claim": "6 W per DIMM"}),
        (["scaling", "--from", "2"], {"average over levels from": "2"}),
        (["table", "deltas", *DIMMS], {"factor": "memory.dimm_count"}),
    ],
)
def test_methods_sheet_tells_what_was_chosen(wattmark, data: Path, tmp_path: Path, command, chosen) -> None:
    assert wattmark(*command, "--data", data, "--format", "xlsx", "-o", tmp_path / "x.xlsx")[0] == 0
    methods = openpyxl.load_workbook(tmp_path / "x.xlsx")["Methods"]
    told = {str(term): text for term, text in methods.iter_rows(values_only=True)}
    assert {name: told.get(f"chosen: {name}") for name in chosen} == chosen


def test_another_claim_and_another_limit_change_the_verdicts(wattmark, data: Path) -> None:
    """Planted: 6 W per DIMM, and 4.8 % between 4 and 2 DIMMs."""
    _, five, _ = wattmark("memory", "--data", data, "--format", "json")
    _, six, _ = wattmark("memory", "--claim", "6", "--data", data, "--format", "json")
    assert b"Not the claimed 5 W per DIMM" in five
    assert b"Not the claimed" not in six
    _, wide, _ = wattmark("compare", "--smallest", "20", "--data", data, "--format", "json")
    assert b"smaller than the 20 % that are of interest" in wide


def test_extrapolation_says_on_every_row_that_it_was_not_measured(wattmark, data: Path) -> None:
    _, out, _ = wattmark(*EXTRAPOLATED, "--data", data, "--format", "csv")
    found = rows(out)
    assert {row["kind"] for row in found if float(row["at [at once]"]) > 4} == {"extrapolated, not measured"}
    assert {row["marks"] for row in found if float(row["at [at once]"]) > 4} == {"extrapolated, not measured"}
    assert {row["marks"] for row in found if float(row["at [at once]"]) <= 4} == {""}
    line = next(row for row in found if row["model"].startswith("Straight line: "))
    # The count of the repeat is one operation in 10 000 more for each process.
    assert float(line[next(key for key in line if key.startswith("throughput ["))]) == pytest.approx(8000, rel=2e-3)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("command", COMMANDS)
def test_repetition_gives_the_same_bytes(wattmark, data: Path, tmp_path: Path, command: list[str], kind: str) -> None:
    outs = []
    for name in ("a", "b"):
        code, out, err = wattmark(*command, "--data", data, "--format", kind)
        assert code == 0, err
        assert wattmark(*command, "--data", data, "--format", kind, "-o", tmp_path / name)[0] == 0
        outs.append(out)
    assert outs[0] == outs[1]
    assert outs[0]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert kind == "table" or (tmp_path / "a").read_bytes() == outs[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "--workload", "nothing"], "Nothing ran workload 'nothing'"),
        (["compare", "--baseline", "s1/none"], "There is no 's1/none' in this comparison"),
        (["memory", "--server", "s9"], "No run fits server 's9'"),
        (["memory", "--server", "s1", "--against", "s9"], "'s9' did not run rsa at 4 processes"),
        (["scaling", "--configuration", "s1/none"], "No run fits configuration 's1/none'"),
        (["table", "none"], "There is no table 'none'"),
        (["table", "deltas"], "needs the factor that differs"),
        (["table", "deltas", "--factor", "memory.dimm_count"], "memory.dimm_count has 3 values"),
        (["table", "extrapolated"], "needs its target"),
        (["table", "extrapolated", "--axis", "load", "--target", "3"], "within the measured range"),
        (["table", "extrapolated", "--target", "-1"], "--target: "),
        (["compare", "--smallest", "90"], "--smallest: "),
        (["memory", "--claim", "0"], "--claim: "),
        (["scaling", "--from", "-2"], "--from: "),
        (["table", "geometric-means", "--from", "9"], "No level is 9 or higher"),
        (["table", "normalised", "--baseline", "s1/none"], "no configuration 's1/none'"),
    ],
)
def test_wrong_input_is_one_line_with_a_remedy(wattmark, data: Path, arguments: list[str], words: str) -> None:
    code, out, err = wattmark(*arguments, "--data", data)
    assert (code, out) == (2, b"")
    cause, remedy = [line for line in err.splitlines() if not line.startswith(("Compared", "Shown"))]
    assert cause.startswith("wattmark: ")
    assert words in cause
    assert remedy.strip()


@pytest.mark.parametrize("command", ["compare", "memory", "scaling", "results"])
def test_folder_without_results_is_wrong_input(wattmark, tmp_path: Path, command: str) -> None:
    code, _, err = wattmark(command, "--data", tmp_path)
    assert code == 2
    assert "There are no results in" in err


def test_file_that_cannot_be_written_fails_the_work(wattmark, data: Path, tmp_path: Path) -> None:
    code, _, err = wattmark("compare", "--data", data, "--format", "csv", "-o", tmp_path / "none" / "x.csv")
    assert code == 1
    assert "Cannot write" in err


def test_report_discloses_configuration_meters_verdicts_and_figures(wattmark, data: Path, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        code, out, err = wattmark("report", "--data", data, "--run", "2-4-1", "--run", "8-4-1", "-o", tmp_path / name)
        assert (code, out, err) == (0, b"", "")
    made = (tmp_path / "a.html").read_text()
    assert made == (tmp_path / "b.html").read_text()
    for words in ("Configuration s1/dimm-8", "Watts Up? PRO", "reading_pct", "Verdicts", "Budget of power [W]", "<svg"):
        assert words in made
    assert made.count("<h3>Run ") == 2
    code, _, err = wattmark("report", "--data", data, "--campaign", "none", "-o", tmp_path / "c.html")
    assert code == 2
    assert "no runs of a campaign 'none'" in err
    assert not (tmp_path / "c.html").exists()


@pytest.mark.parametrize("name", ["compare", "memory", "scaling", "load-levels"])
def test_figures_are_written_by_the_ending_of_the_name(wattmark, data: Path, tmp_path: Path, name: str) -> None:
    code, _, err = wattmark("figure", name, "--data", data, "-o", tmp_path / "x.pdf")
    assert code == 0
    assert err.strip()
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF-")


def test_figure_of_a_run_shows_its_power(wattmark, data: Path) -> None:
    code, out, _ = wattmark("figure", "run", "--run", "2-4-1", "--data", data)
    assert code == 0
    assert b"<svg" in out
    assert wattmark("figure", "run", "--data", data)[0] == 2


def test_program_starts_without_the_slow_parts_of_scipy() -> None:
    check = "import sys, wattmark.cli; print([m for m in ('scipy.stats', 'scipy.optimize') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
