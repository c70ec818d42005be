"""Watts of drives, network cards and supplies, by the method of watts per DIMM, from runs of known truth."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.parts.break_even_table import break_even_table
from wattmark.comparison.parts.fit_table import fit_table
from wattmark.comparison.parts.fitted_parts import fitted_parts, parts_of
from wattmark.comparison.parts.line_table import parts_table
from wattmark.comparison.parts.parts import (
    choose_part,
    part_choices,
    parts_break_even,
    pooled_parts,
    server_parts,
    slopes_of_parts,
)
from wattmark.core.errors import InputError
from wattmark.results.evaluate import evaluate
from wattmark.runs.configuration import RecordedConfiguration
from wattmark.runs.disclosure import Disclosure, WorkloadAsRun
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase

from tests.stored_run import BEGIN_NS

WORK = ("s1", "rsa", "all")
S = 10**9


def drives(count, model="S3500", **more):
    return {"kind": "drive", "model": model, "count": count, **more}


def snapshot(*parts, **declared):
    return {"title": "x", "declared": {"parts": list(parts), **declared}}


class Lab:
    """A server whose power and work depend on its parts, measured in turns, each run of an installation of its own."""

    def __init__(self, store, record, rng):
        self.store, self.record, self.rng = store, record, rng
        self.records, self.results = [], []

    def run(self, parts, watts, *, idle_w=None, work=8000.0, noise_w=0.3, declared=None, name=None, **changes):
        number = len(self.records)
        run_id = f"r{number:03}"
        changes.setdefault("disclosure", {})
        disclosure = Disclosure.model_validate({"installation": run_id, **changes.pop("disclosure")})
        run = self.record(
            run_id,
            work=work,
            configuration=name or " ".join(f"{part['model']}-{part['count']}" for part in parts),
            configuration_snapshot=snapshot(*parts, **(declared or {})),
            created_ns=BEGIN_NS + number * 600 * S,
            disclosure=disclosure,
            **changes,
        )
        begin_ns = run.window_begin_ns
        idle = Phase(name=PhaseName.IDLE, begin_ns=begin_ns - 100 * S, end_ns=begin_ns - 30 * S)
        run = run.model_copy(update={"phases": () if idle_w is None else (idle,)})
        t = np.arange(-110.0, 121.0)
        loaded = watts + self.rng.normal(0, noise_w)
        rest = 100.0 if idle_w is None else idle_w + self.rng.normal(0, noise_w)
        self.store.add(run_id, "outlet", "power", t, np.where(t <= 0, rest, loaded) + self.rng.normal(0, 0.3, len(t)))
        self.store.add(
            run_id, "host", "cpu_utilisation", t, np.where(t > 0, 99.5, 3.0), quantity="utilisation", unit="%"
        )
        self.records.append(run)
        self.results.append(evaluate(run, self.store))

    def view(self, key, work=WORK):
        return server_parts(self.results, self.records, key, work, installations(self.results))


@pytest.fixture
def lab(store, record, rng):
    return Lab(store, record, rng)


ORDER = (4, 1, 8, 2, 8, 4, 1, 2, 2, 8, 4, 1)
"""Counts in turns: neither rising nor falling with time."""


def test_watts_of_a_drive_loaded_and_idle_and_per_terabyte(lab):
    """6.4 W loaded and 3 W idle by construction; 4 TB each make 1.6 and 0.75 W/TB."""
    for n in ORDER:
        lab.run([drives(n, capacity_tb=4.0)], 200 + 6.4 * n, idle_w=100 + 3.0 * n)
    view = lab.view("drive: S3500, 4 TB")
    assert view.watts_per_part.low < 6.4 < view.watts_per_part.high
    assert view.watts_per_part.complete
    assert view.idle.watts_per_part.low < 3.0 < view.idle.watts_per_part.high
    assert view.statement.startswith("Each drive costs 6.")
    assert "with 1, 2, 4 and 8 drives." in view.statement
    assert "Idle, each drive costs" in view.statement
    assert "DIMM" not in view.statement
    assert "module" not in view.statement
    rates = {rate.quantity: rate.value for rate in view.rates}
    loaded, idle = rates["W per TB of a drive, loaded"], rates["W per TB of a drive, idle"]
    assert (loaded.value, loaded.low, loaded.high) == pytest.approx(
        [x / 4 for x in (view.watts_per_part.value, view.watts_per_part.low, view.watts_per_part.high)]
    )
    assert idle.low < 0.75 < idle.high
    fit = {row[0]: row for row in fit_table("parts-fit", view).rows}
    assert fit["Watts per drive at the wall"][1] == view.watts_per_part.value
    assert fit["W per TB of a drive, loaded"][1] == loaded.value
    assert [row[2] for row in parts_table(view).rows] == sorted(ORDER)


NETWORK = {"disclosure": {"workload": WorkloadAsRun(limited_by="network")}}


def disk_work(count, work):
    return {
        "work": work,
        "unit": "operations",
        "disclosure": {"workload": WorkloadAsRun(limited_by="disk")},
        "full_load_limit_pct": None,
    }


def test_operations_per_watt_of_the_drive_and_of_the_server(lab):
    """Each drive adds 500 operations/s and 5 W: 100 per W alone; of the server 500 n / (200 + 5 n)."""
    for n in ORDER:
        lab.run([drives(n)], 200 + 5.0 * n, **disk_work(n, 500.0 * n))
    rates = {rate.quantity: rate for rate in lab.view("drive: S3500").rates}
    alone = rates["IOPS per W of a drive alone"]
    assert alone.value.low < 100 < alone.value.high
    assert alone.unit == "IOPS/W"
    whole = rates["IOPS per W of the server with 8 drives"].value
    assert whole.low < 4000 / 240 < whole.high
    assert "IOPS per W of the server with 1 drive" in rates


def test_throughput_that_is_no_line_is_said(lab):
    """The controller is full from four drives on."""
    for k, n in enumerate(ORDER):
        lab.run([drives(n)], 200 + 5.0 * n, **disk_work(n, 500.0 * min(n, 4) + k % 3))
    rates = {rate.quantity: rate for rate in lab.view("drive: S3500").rates}
    assert "The throughput does not lie on a line" in rates["IOPS per W of a drive alone"].remark


@pytest.mark.parametrize(("kind", "limited_by"), [("fan", "disk"), ("drive", "cpu")])
def test_work_that_a_part_does_not_do_is_not_its_own(lab, kind, limited_by):
    for n in ORDER:
        part = {"kind": kind, "model": "X", "count": n}
        workload = {"disclosure": {"workload": WorkloadAsRun(limited_by=limited_by)}}
        lab.run([part], 200 + 5.0 * n, **{**disk_work(n, 500.0 * n), "unit": "MB", **workload})
    quantities = {rate.quantity for rate in lab.view(f"{kind}: X").rates}
    assert f"W per GB/s of the server with 8 {kind}s" in quantities
    assert not [quantity for quantity in quantities if "alone" in quantity]


@pytest.mark.parametrize("kind", ["SSD", "NVMe drive"])
def test_other_names_of_drives_do_the_work_of_a_disk(lab, kind):
    for n in ORDER:
        lab.run([{**drives(n), "kind": kind}], 200 + 5.0 * n, **disk_work(n, 500.0 * n))
    rates = {rate.quantity: rate for rate in lab.view(f"{kind}: S3500").rates}
    assert rates[f"IOPS per W of a {kind} alone"].value.low < 100 < rates[f"IOPS per W of a {kind} alone"].value.high


def test_operations_that_are_none_of_a_disk_have_no_iops(lab):
    for n in ORDER:
        lab.run([drives(n)], 200 + 5.0 * n, work=500.0 * n, unit="operations")
    assert lab.view("drive: S3500").rates == []


def test_watts_per_gigabyte_per_second(lab):
    """Each card adds 250 MB/s and 10 W: 40 W/(GB/s) alone; of the server (100 + 10 n) / (0.25 n)."""
    for n in ORDER:
        card = {"kind": "network card", "model": "X520", "count": n, "link_gbit_s": 10.0}
        lab.run([card], 100 + 10.0 * n, **{**disk_work(n, 250.0 * n), "unit": "MB", **NETWORK})
    rates = {rate.quantity: rate.value for rate in lab.view("network card: X520, 10 Gbit/s").rates}
    assert rates["W per GB/s of a network card alone"].low < 40 < rates["W per GB/s of a network card alone"].high
    whole = rates["W per GB/s of the server with 4 network cards"]
    assert whole.low < 140 < whole.high
    assert rates["W per Gbit/s of a network card, loaded"].value == pytest.approx(1.0, abs=0.1)


def test_watts_that_may_be_zero_divide_nothing(lab):
    for n in ORDER:
        lab.run([drives(n, capacity_tb=2.0)], 200.0, noise_w=3.0, **disk_work(n, 500.0 * n))
    view = lab.view("drive: S3500, 2 TB")
    assert view.watts_per_part.low < 0 < view.watts_per_part.high
    rates = {rate.quantity: rate for rate in view.rates}
    alone = rates["IOPS per W of a drive alone"]
    assert alone.value is None
    assert "what a drive adds to power is not clearly above 0" in alone.remark
    assert alone.remark in fit_table("parts-fit", view).footnotes[0]
    per_tb = rates["W per TB of a drive, loaded"].value
    assert per_tb.low < 0 < per_tb.high


def test_drives_and_cards_that_change_together_are_said(lab):
    """A card more with each two drives: its watts are in the slope, and the statement names it."""
    for n in (2, 8, 4, 4, 8, 2, 2, 4, 8):
        lab.run([drives(n), {"kind": "network card", "model": "X520", "count": n // 2}], 200 + 8.0 * n)
    view = lab.view("drive: S3500")
    assert len(view.warnings) == 1
    assert "More than the drives changes with their count, and its watts are in the slope" in view.warnings[0]
    assert "parts.network card (1 × X520 with 2; 2 × X520 with 4; 4 × X520 with 8)" in view.warnings[0]
    assert view.warnings[0] in view.statement


def test_models_are_not_mixed_and_a_boot_drive_stays_beside(lab):
    for n in (2, 4, 8, 2, 8, 4):
        lab.run([drives(n), drives(1, "boot")], 200 + 6.0 * n)
        lab.run([drives(n, "other")], 200 + 20.0 * n)
    view = lab.view("drive: S3500, beside 1 × boot")
    assert {point.count for point in view.points} == {2, 4, 8}
    assert view.watts_per_part.value == pytest.approx(6.0, abs=0.5)
    assert "6 other runs have other drives (6 with other)" in view.statement
    slopes = slopes_of_parts(lab.results, lab.records, "drive", installations(lab.results))
    assert [slope.part for slope in slopes] == ["S3500, beside 1 × boot", "other"]
    assert slopes[1].watts_per_part.value == pytest.approx(20.0, abs=0.5)


def test_no_drives_are_a_count(lab):
    for n in (0, 4, 0, 4, 2, 2, 4, 0):
        lab.run([drives(n)], 200 + 6.0 * n)
    view = lab.view("drive: S3500")
    assert view.line[0][0] == 0
    assert view.intercept_w == pytest.approx(200, abs=1)


def without(table):
    """Return the cells of the watts without drives by their keys, of the loaded and of the idle server."""
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    return [row for row in rows if row["quantity"].startswith("Watts without drives")]


@pytest.mark.parametrize("counts", [(0, 4, 0, 4, 2, 2, 4, 0), (1, 5, 1, 5, 3, 3, 5, 1)])
def test_watts_without_drives_are_extrapolated_only_where_they_were_not_measured(lab, counts):
    for n in counts:
        lab.run([drives(n)], 200 + 6.0 * n, idle_w=100 + 3.0 * n)
        lab.run([drives(n)], 240 + 2.0 * n, server="s2")
    fit = without(fit_table("parts-fit", lab.view("drive: S3500")))
    both = break_even(lab, ("s1", "drive: S3500"), ("s2", "drive: S3500"))
    meeting = without(break_even_table("parts-break-even", both))
    assert (len(fit), len(meeting)) == (2, 2)
    planted = [200.0, 100.0, 200.0, 240.0]
    for row, watts in zip([*fit, *meeting], planted, strict=True):
        if 0 in counts:
            assert row["low"] < watts < row["high"]
            assert row["remark"] is None
        else:
            assert (row["low"], row["high"]) == (None, None)
            assert row["remark"] == "No ±: the line extrapolated to 0 drives, which was not measured."
    marks = {row["marks"] for row in meeting}
    assert marks == ({None} if 0 in counts else {"extrapolated, not measured"})


def test_what_a_second_powered_supply_costs(lab, meter):
    """12 W more with two supplies powered than with one; nothing is told behind the supplies."""
    curve = {"20": 90.0, "50": 92.0, "100": 89.0}
    for powered in (1, 2, 2, 1, 2, 1, 1, 2):
        psus = [{"id": f"psu{k}", "rated_w": 650.0, "powered": k < powered, "efficiency_pct": curve} for k in range(2)]
        meters = (meter(supplies=("psu0", "psu1")),)
        lab.run([], 200 + 12.0 * powered, declared={"psus": psus}, name=f"{powered} powered", meters=meters)
    view = lab.view("power supply: 650 W")
    assert view.watts_per_part.low < 12 < view.watts_per_part.high
    assert view.statement.startswith("Each power supply costs")
    assert view.watts_per_part_dc is None
    assert view.warnings == []


@pytest.mark.parametrize(
    ("counts", "words"),
    [((4, 4, 4), "All runs have the same drive count; measure at least one more drive count."),
     ((2, 8), "repeat both")],
)  # fmt: skip
def test_refusals(lab, counts, words):
    for n in counts:
        lab.run([drives(n)], 200 + 6.0 * n)
    view = lab.view("drive: S3500")
    assert view.watts_per_part is None
    assert words in view.refusal
    assert view.rates == []


def test_two_counts_each_fitted_once_have_no_interval(lab):
    for n in (2, 4, 4, 2, 2, 4):
        lab.run([drives(n, capacity_tb=1.0)], 200 + 6.0 * n, disclosure={"installation": str(n)})
    view = lab.view("drive: S3500, 1 TB")
    assert not view.watts_per_part.complete
    assert "With only two drive counts, each installed once, the effect of re-installing the drives" in view.remark
    assert view.rates[0].value.U95 is None
    assert view.rates[0].remark == "No ±: watts per drive have none."


@pytest.mark.parametrize("key", ["drive", "drive: none such", "drive: all", ": x"])
def test_parts_that_no_run_has_are_an_error(lab, key):
    lab.run([drives(2)], 212.0)
    with pytest.raises(InputError):
        lab.view(key)


def test_unsteady_runs_are_shown_excluded(lab):
    for n in (2, 4, 8):
        lab.run([drives(n)], 200 + 6.0 * n, status="aborted")
    view = lab.view("drive: S3500")
    assert [run.count for run in view.excluded] == [2, 4, 8]
    assert view.refusal == "No run that is ranked by full-load power has both a drive count and a power."


@pytest.fixture
def two_models(lab):
    """2 TB for 3 W and 8 TB for 6 W in one server: 2 of the small draw as much as a large, which holds 4 times more."""
    for n in (2, 8, 4, 8, 2, 4, 4, 2, 8):
        lab.run([drives(n, "small", capacity_tb=2.0)], 200 + 3.0 * n)
        lab.run([drives(n, "large", capacity_tb=8.0)], 200 + 6.0 * n)
    return lab


def break_even(lab, first, second):
    return parts_break_even(lab.results, lab.records, (first, second), *WORK[1:], installations(lab.results))


SMALL, LARGE = ("s1", "drive: small, 2 TB"), ("s1", "drive: large, 8 TB")


def test_few_large_drives_against_many_small_ones(two_models):
    meeting = break_even(two_models, SMALL, LARGE)
    assert [(line.part, line.title) for line in meeting.lines] == [
        ("large, 8 TB", "drive large, 8 TB"), ("small, 2 TB", "drive small, 2 TB"),
    ]  # fmt: skip
    assert meeting.crossing is None
    assert "begin at the same watts: there is no break-even count." in meeting.statement
    assert meeting.slope_difference.low < 3.0 < meeting.slope_difference.high
    assert meeting.equal_power.value.low < 2.0 < meeting.equal_power.value.high
    assert meeting.equal_power.value.high < 4
    assert "It holds as much as 4 of them: for the same capacity drive large, 8 TB draws less." in meeting.statement
    rows = {row[0]: row for row in break_even_table("parts-break-even", meeting).rows}
    assert rows["Difference of watts per drive"][3] == meeting.slope_difference.value


@pytest.mark.parametrize(
    ("beside", "named"),
    [
        ({"parts": [{"kind": "fan", "model": "80 mm", "count": 4}]}, "parts.fan (4 × 80 mm with large; not stated"),
        ({"parts": [drives(1, "boot")]}, "other drives (none with small; 1 × boot with large"),
        ({"declared": {"cpu": {"model": "Xeon", "sockets": 2}}}, "cpu.sockets (2 with large; not stated with small)"),
        ({"disclosure": {"settings": {"power_cap_w": 125}}}, "settings.power_cap_w (125 with large; not stated"),
    ],
    ids=["fans", "a boot drive", "processors", "a power setting"],
)  # fmt: skip
def test_models_beside_different_things_are_not_said_to_begin_at_the_same_watts(lab, beside, named):
    """200 + 6 n of the large, whose server holds 12 W more, against 212 + 3 n of the small: equal at 4 drives."""
    parts, others = beside.get("parts", []), {key: of for key, of in beside.items() if key != "parts"}
    for n in (2, 8, 4, 8, 2, 4, 4, 2, 8):
        lab.run([drives(n, "small")], 212 + 3.0 * n)
        lab.run([drives(n, "large"), *parts], 200 + 6.0 * n, **others)
    large = "drive: large, beside 1 × boot" if parts == [drives(1, "boot")] else "drive: large"
    meeting = break_even(lab, ("s1", "drive: small"), ("s1", large))
    assert "begin at the same watts: there is no break-even count" not in meeting.statement
    assert "More than the drives differs between small and large" in meeting.statement
    assert "so that they need not begin at the same watts: " in meeting.statement
    assert named in meeting.statement
    assert meeting.crossing.count.low < 4 < meeting.crossing.count.high


def test_a_break_even_needs_two_of_one_kind(two_models):
    with pytest.raises(InputError, match="itself"):
        break_even(two_models, SMALL, SMALL)
    with pytest.raises(InputError, match="not counted alike"):
        break_even(two_models, SMALL, ("s1", "fan: 80 mm"))
    with pytest.raises(InputError, match="did not run"):
        break_even(two_models, SMALL, ("s9", "drive: large, 8 TB"))


def test_lines_of_two_servers_meet(lab):
    """200 + 7 n and 240 + 2 n meet at 8 drives."""
    for n in (2, 12, 6, 12, 2, 6, 6, 2, 12):
        lab.run([drives(n)], 200 + 7.0 * n)
        lab.run([drives(n)], 240 + 2.0 * n, server="s2")
    meeting = break_even(lab, ("s1", "drive: S3500"), ("s2", "drive: S3500"))
    assert meeting.crossing.count.low < 8 < meeting.crossing.count.high
    assert "s1 draws less without drives, s2 adds less per drive." in meeting.statement


def test_one_model_in_several_servers_has_a_mean(lab):
    """7 and 5 W of the same drive: 6 W. Another model of one server is in no mean."""
    for n in (2, 12, 6, 12, 2, 6, 6, 2, 12):
        lab.run([drives(n)], 200 + 7.0 * n)
        lab.run([drives(n)], 240 + 5.0 * n, server="s2")
        lab.run([drives(n, "P4510")], 240 + 9.0 * n, server="s3")
    (row,) = pooled_parts(lab.results, lab.records, "drives", installations(lab.results))
    assert (row.part, row.servers) == ("S3500", ["s1", "s2"])
    assert row.watts_per_part.value == pytest.approx(6.0, abs=0.1)


@pytest.mark.parametrize("ratings", [(None, None), (650.0, None)])
def test_supplies_of_an_unknown_rating_have_no_mean(lab, meter, ratings):
    """What is not rated in one server is 500 W perhaps, and 2000 W in another."""
    for powered in (1, 2, 2, 1, 1, 2):
        for server, cost in (("s1", 12.0), ("s2", 20.0)):
            psus = [
                {"id": f"psu{k}", "powered": k < powered, **({} if rated_w is None else {"rated_w": rated_w})}
                for k, rated_w in enumerate(ratings)
            ]
            both = (meter(supplies=("psu0", "psu1")),)
            name = f"{powered} powered"
            lab.run([], 200 + cost * powered, declared={"psus": psus}, name=name, server=server, meters=both)
    (row,) = pooled_parts(lab.results, lab.records, "power supply", installations(lab.results))
    assert row.servers == ["s1", "s2"]
    assert row.watts_per_part is None
    assert row.refusal.startswith("No mean over servers: the rating of these power supplies is not stated")


def test_records_that_write_a_kind_differently_are_one_line(lab):
    """What was recorded before kinds had one name, or elsewhere."""
    for n, kind in zip((2, 8, 4, 8, 2, 4), ("drive", "Drives", "DRIVE", "drives", "Drive", "disk"), strict=True):
        lab.run([{**drives(n), "kind": kind}], 200 + 6.0 * n)
    for asked in ("drive: S3500", "Drives: S3500"):
        view = lab.view(asked)
        assert view.kind == "drive"
        assert [point.count for point in view.points] == [2, 2, 4, 4, 8, 8]
        assert view.warnings == []
    (slope,) = slopes_of_parts(lab.results, lab.records, "DRIVES", installations(lab.results))
    assert slope.counts == [2, 4, 8]
    choices = part_choices(lab.results, parts_of(lab.records))
    assert [(choice.key, choice.counts) for choice in choices] == [("drive: S3500", [2, 4, 8])]
    for asked in ("Drives", "disk", "DRIVE: S3500"):
        assert choose_part(choices, asked, None, None, None) == choices[0]


def test_records_that_type_a_model_differently_are_one_line(lab):
    """Firmware and people write the maker in capitals or not."""
    models = ("Samsung PM893", "SAMSUNG PM893", "samsung  pm893", "Samsung PM893", "SAMSUNG PM893", "Samsung PM893")
    for n, model in zip((2, 8, 4, 8, 2, 4), models, strict=True):
        lab.run([drives(n, model)], 200 + 6.0 * n)
    choices = part_choices(lab.results, parts_of(lab.records))
    assert [choice.counts for choice in choices] == [[2, 4, 8]]
    for asked in (choices[0].key, "drive: Samsung PM893", "drive: samsung pm893"):
        assert choose_part(choices, asked, None, None, None) == choices[0]
        assert [point.count for point in lab.view(asked).points] == [2, 2, 4, 4, 8, 8]
    (slope,) = slopes_of_parts(lab.results, lab.records, "drive", installations(lab.results))
    assert slope.counts == [2, 4, 8]


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({"disks": ["WD Raptor", "WD Raptor"]}, [("drive", "WD Raptor", 2)]),
        ({"disks": ["WD Raptor", "WD RAPTOR"]}, [("drive", "WD RAPTOR", 2)]),
        ({"disks": ["2x Intel S3500"]}, [("drive", "2x Intel S3500", 1)]),
        ({"nics": ["X520", "I350"]}, [("network card", "X520, beside 1 × I350", 1),
                                      ("network card", "I350, beside 1 × X520", 1)]),
        ({"disks": ["a"], "parts": [drives(3)]}, [("drive", "S3500", 3)]),
        ({"psus": [{"id": "a"}, {"id": "b", "powered": False}]}, [("power supply", "rating not stated", 1)]),
        ({"parts": [{"kind": "Drives", "model": "a", "count": 2}, {"kind": "drive", "model": "a", "count": 1}]},
         [("drive", "a", 3)]),
        ({"disks": ["a"], "parts": [{"kind": "Disk", "model": "b", "count": 1}]}, [("drive", "b", 1)]),
        ({}, []),
    ],
)  # fmt: skip
def test_what_a_configuration_has_to_count(declared, expected):
    stated = RecordedConfiguration.model_validate({"declared": declared})
    assert [(part.kind, part.name, part.count) for part in fitted_parts(stated)] == expected
