"""`wattmark.read` gives the same figures wherever the runs are, with the unit and the ± of each column."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import duckdb
import pandas
import polars
import pyarrow
import pytest
import wattmark
from wattmark.archives.layout import SIGNATURE
from wattmark.archives.signature import new_signing_key
from wattmark.core.errors import InputError, NotFound, WattmarkError
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations

from tests.generated_lab import Build, store_lab
from tests.marked_lab import LOOSE, OF_A_SUITE, PLAIN, RUNS, WORKLOAD, store_marked_lab
from tests.stored_run import PLUG_METER, make_run, store_readings
from tests.web_peer import Handler, serving

from ..fleet.parquet.conftest import ODD, add_odd
from ..traceability.conftest import Lab
from .places import assert_same, pack, pour


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Store the laboratory in which everything that needs a mark occurs."""
    folder = tmp_path_factory.mktemp("marked")
    store_marked_lab(folder / "data")
    pack(folder / "data", folder / "runs.zip")
    pour(folder / "data", folder / "cold")
    return folder


@pytest.mark.parametrize("place", ["runs.zip", "cold"])
def test_the_same_run_has_the_same_figures_everywhere(marked: Path, place: str) -> None:
    folder = wattmark.read(marked / "data")
    with wattmark.read(marked / place) as read:
        assert_same(read, folder, folder.runs().to_polars()["run_id"].to_list()[::6])


def test_the_figures_are_those_of_the_result(marked: Path) -> None:
    storage = open_storage(marked / "data", read_only=True)
    results = {result.run_id: result for _, result in Evaluations(storage).each()}
    storage.close()
    rows = wattmark.read(marked / "data").results().to_polars().rows(named=True)
    assert [row["run_id"] for row in rows] == sorted(results, key=lambda run: results[run].created)
    for row in rows:
        for name in ("efficiency", "power", "throughput"):
            figure = getattr(results[row["run_id"]], name)
            read = (row[name], row[f"{name}_u"], row[f"{name}_U95"])
            assert read == ((None,) * 3 if figure is None else (figure.value, figure.u, figure.U95))
        if row["power"] is not None and row["power_U95"] is None:
            assert "neither specification nor certificate" in row["remark"]
    assert {row["server"] for row in rows if row["power_U95"] is None and row["power"] is not None} == {LOOSE}


def test_a_figure_agrees_with_the_truth_within_its_uncertainty(tmp_path: Path) -> None:
    store_lab(tmp_path, servers=1, configurations=3, repeats=2)
    results = wattmark.read(tmp_path).results().to_polars()
    for number, mean_w in results.group_by("configuration").agg(polars.mean("power")).rows():
        build = Build(0, int(number[1:]) - 1)
        assert mean_w == pytest.approx(build.power_w, abs=3 * 0.003 * build.power_w), "it scatters by 0.3 % of itself"


def test_columns_say_unit_title_and_which_is_the_uncertainty_of_which(marked: Path) -> None:
    results = wattmark.read(marked / "data").results()
    assert results.about("power") == {
        "title": "Power", "unit": "W", "expanded_uncertainty": "power_U95", "standard_uncertainty": "power_u",
    }  # fmt: skip
    assert results.about("power_U95") == {"title": "U95(power)", "unit": "W", "expanded_uncertainty_of": "power"}
    assert results.about("throughput")["unit"] == "", "signs and requests in one column have no common unit"
    assert results.about("throughput")["unit_from"] == "throughput_unit"
    assert results.about("throughput")["expanded_uncertainty_is"] == "only a part, as that of counting alone"
    compared = wattmark.read(marked / "data").compare(WORKLOAD, "100 %")
    assert compared.about("efficiency")["unit"] == "signs/J"
    assert compared.about("ratio")["expanded_uncertainty"] == "ratio_U95"
    assert wattmark.read(marked / "data").samples(f"{PLAIN}-0027").about("u_time_s")["unit"] == "s"


def test_others_take_a_table_without_being_asked(marked: Path) -> None:
    results = wattmark.read(marked / "data").results()
    total = f"SELECT sum(power) FROM results WHERE server = '{PLAIN}'"
    expected = results.to_polars().filter(server=PLAIN)["power"].sum()
    assert duckdb.sql(total).fetchall()[0][0] == pytest.approx(expected)
    table = pyarrow.table(results)
    assert table.schema.field("power").metadata[b"unit"] == b"W"
    frame = results.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.attrs["power"]["expanded_uncertainty"] == "power_U95"
    assert frame.loc[frame.server == PLAIN, "power"].sum() == pytest.approx(expected)
    assert len(results) == len(frame) == (len(RUNS) + len(OF_A_SUITE)) * 4 + 1


def test_samples_that_formats_lose_come_back(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "data")
    add_odd(lab)
    lab.storage.close()
    pour(tmp_path / "data", tmp_path / "cold")
    here, there = (wattmark.read(tmp_path / name).samples(ODD).to_polars() for name in ("data", "cold"))
    assert there.equals(here)
    assert len(here) == 15


def test_a_folder_is_read_while_another_process_writes_it(tmp_path: Path) -> None:
    writer = open_storage(tmp_path)
    folder = wattmark.read(tmp_path)
    assert len(folder.runs()) == 0
    run = make_run("r1", window_s=10, amount=5.0, meters=(PLUG_METER,))
    store_readings(writer, run, range(-2, 13), [200.0] * 15)
    writer.runs.put(run)
    assert folder.results().to_polars()["power"].to_list() == [pytest.approx(200.0)]
    writer.close()


def test_tags_and_notes_come_with_the_folder_and_on_request_with_an_archive(tmp_path: Path) -> None:
    store_lab(tmp_path / "data", 1, 1, 1)
    storage = open_storage(tmp_path / "data")
    storage.annotations.tag(["g00000"], ["new fans", "lid open"], [])
    storage.annotations.write_note("g00000", "as delivered")
    storage.close()
    pack(tmp_path / "data", tmp_path / "with.zip", notes=True)
    pack(tmp_path / "data", tmp_path / "without.zip")
    said = {name: wattmark.read(tmp_path / name) for name in ("data", "with.zip", "without.zip")}
    read = {name: place.runs().to_polars().select("tags", "note").row(0) for name, place in said.items()}
    for place in said.values():
        place.close()
    assert read == {
        "data": ("lid open, new fans", "as delivered"),
        "with.zip": ("lid open, new fans", "as delivered"),
        "without.zip": (None, None),
    }


def test_equal_servers_of_two_laboratories_are_two(tmp_path: Path) -> None:
    for lab in ("North", "South"):
        store_lab(tmp_path / lab, 1, 2, 2)
        pour(tmp_path / lab, tmp_path / "cold", lab)
    read = wattmark.read(tmp_path / "cold")
    runs = read.runs().to_polars()
    assert set(runs.select("lab", "server").rows()) == {("North", "node-01 (North)"), ("South", "node-01 (South)")}
    compared = read.compare().to_polars().filter(kind="measured")
    assert sorted(compared.select("key", "n").rows()) == [
        (f"node-01 ({lab})/c0{number}", 2) for lab in ("North", "South") for number in (1, 2)
    ]
    with pytest.raises(InputError, match="is there from North, South"):
        read.samples("g00000")


def test_a_run_archived_before_its_result_says_so(tmp_path: Path) -> None:
    store_lab(tmp_path / "data", 1, 1, 2)
    storage = open_storage(tmp_path / "data")
    storage.issued.delete("g00001")
    storage.close()
    pour(tmp_path / "data", tmp_path / "cold")
    runs = wattmark.read(tmp_path / "cold").runs().to_polars()
    assert runs["run_id"].to_list() == ["g00000", "g00001"]
    assert "before its result was issued" in runs["reason"][1]


def test_a_signed_archive_whose_signature_was_taken_out_is_refused(tmp_path: Path) -> None:
    store_lab(tmp_path / "data", 1, 1, 1)
    pack(tmp_path / "data", tmp_path / "signed.zip", key=new_signing_key())
    wattmark.read(tmp_path / "signed.zip").close()
    with ZipFile(tmp_path / "signed.zip") as signed, ZipFile(tmp_path / "taken.zip", "w") as taken:
        for name in signed.namelist():
            if name != SIGNATURE:
                taken.writestr(name, signed.read(name))
    with pytest.raises(InputError, match="signature is WRONG"):
        wattmark.read(tmp_path / "taken.zip")


def test_what_is_damaged_is_named(marked: Path, tmp_path: Path) -> None:
    pour(marked / "data", tmp_path / "cold")
    (file,) = (tmp_path / "cold/result").rglob("*.parquet")
    content = file.read_bytes()
    file.write_bytes(content[:100] + bytes(400) + content[500:])
    with pytest.raises(InputError, match=f"{file.name} cannot be read as Parquet"):
        wattmark.read(tmp_path / "cold").runs()
    packed = bytearray((marked / "runs.zip").read_bytes())
    packed[len(packed) // 2] ^= 1
    (tmp_path / "runs.zip").write_bytes(packed)
    with pytest.raises(InputError, match="was not read"):
        wattmark.read(tmp_path / "runs.zip")


def test_where_nothing_is_says_what_can_be_read(marked: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as nothing:
        wattmark.read(tmp_path)
    assert "data folder" in nothing.value.remedy
    for place in ("data", "runs.zip", "cold"):
        with wattmark.read(marked / place) as read, pytest.raises(NotFound):
            read.samples("none")
    with pytest.raises(InputError, match="no column 'watts'"):
        wattmark.read(marked / "data").results().about("watts")


def test_a_missing_package_is_named(marked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = wattmark.read(marked / "data").results()
    for name, convert in (("polars", results.to_polars), ("pandas", results.to_pandas), ("pyarrow", results.to_pandas)):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, name, None)
            with pytest.raises(InputError) as missing:
                convert()
        assert missing.value.remedy == f"Install it with: pip install {name}."
    monkeypatch.setitem(sys.modules, "arro3.core", None)
    with pytest.raises(InputError, match=r"wattmark\.read needs"):
        wattmark.read(marked / "data").runs()


def test_importing_wattmark_imports_no_more_than_before() -> None:
    heavy = ("numpy", "pydantic", "wattmark.reading")
    program = f"import sys, wattmark; print([name for name in {heavy} if name in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"


def test_samples_that_are_gone_are_not_an_empty_run(marked: Path, tmp_path: Path) -> None:
    pour(marked / "data", tmp_path / "cold")
    run = f"{PLAIN}-0027"
    (file,) = (tmp_path / "cold/sample").rglob(f"*{run}*")
    file.unlink()
    with pytest.raises(InputError, match="lacks samples of"):
        wattmark.read(tmp_path / "cold").samples(run)


def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: File name too long"):
        wattmark.read(tmp_path / ("x" * 300))


def test_a_figure_that_is_none_is_named(marked: Path) -> None:
    with pytest.raises(InputError, match="cannot be compared by 'volts'"):
        wattmark.read(marked / "data").compare(figure="volts")


def test_a_result_that_is_gone_was_issued_all_the_same(marked: Path, tmp_path: Path) -> None:
    pour(marked / "data", tmp_path / "cold")
    (file,) = (tmp_path / "cold/result").rglob("*.parquet")
    file.unlink()
    cold = wattmark.read(tmp_path / "cold")
    assert all(reason.startswith("The archive lacks the result") for reason in cold.runs().to_polars()["reason"])
    assert cold.result(f"{PLAIN}-0027").power is None


class Talker(Handler):
    def do_GET(self) -> None:
        self.send(200, b"<html>")


def test_a_server_of_another_kind_is_named() -> None:
    with serving(Talker) as port, pytest.raises(WattmarkError, match=r"The answer of http://\S+ cannot be read"):
        wattmark.read(f"http://127.0.0.1:{port}").samples("r")
    with pytest.raises(WattmarkError, match="does not answer: Invalid IPv6 URL"):
        wattmark.read("http://[::1").runs()
