"""The life of a certificate on the command line: add, look, refuse, override, revoke, review, recompute."""

from __future__ import annotations

import json

import pytest

CSV = """id,CAL-7
number,K-7
manufacturer,Example
model,PM1
serial,SN-1
laboratory,Example Laboratory
method,Comparison
calibrated_on,2025-03-02
due_on,2026-03-02
range,state,reference_w,indication_w,expanded_u_w,k,power_factor
300V/5A,as_found,50,50.21,0.0515,2,1
300V/5A,as_found,250,250.62,0.1403,2,1
300V/5A,as_found,1000,1002.21,0.5389,2,1
"""


@pytest.fixture
def folder(lab):
    """A data folder that no process holds, with one run."""
    lab.measure(day="2025-06-01")
    lab.storage.close()
    return lab.folder


@pytest.fixture
def file_of(tmp_path, vector):
    def make(certificate, name="certificate.json"):
        path = tmp_path / name
        path.write_bytes(vector.as_bytes(certificate))
        return path

    return make


@pytest.fixture
def added(folder, file_of, answer, vector):
    code, _ = answer("certificate", "add", file_of(vector.make()), "--approve", "A. Owner", "--data", folder)
    assert code == 0
    return folder


def test_add_says_what_was_added_and_what_to_look_at(wattmark, folder, file_of, vector):
    code, out, err = wattmark("certificate", "add", file_of(vector.make()), "--data", folder)
    assert code == 0
    assert b"Certificate CAL-1 v1 for PM1 SN-1" in out
    assert b"1 results of this meter do not change" in out
    assert "The owner has not approved it yet." in err


@pytest.mark.parametrize(
    ("day", "status"),
    [
        ("2025-03-01", "not yet valid"),
        ("2025-06-01", "valid"),
        ("2026-02-10", "due"),
        ("2026-03-02", "due"),
        ("2026-03-03", "expired"),
    ],
)
def test_status_at_a_day(answer, added, day, status):
    _, document = answer("certificate", "list", "--as-of", day, "--data", added)
    assert [entry["status"] for entry in document["certificates"]] == [status]
    _, meters = answer("certificate", "status", "--as-of", day, "--data", added)
    (meter,) = meters["meters"]
    assert (meter["status"], meter["due_on"]) == (status, "2026-03-02")
    expected = {"not yet valid": "specification", "expired": "none"}.get(status, "certificate")
    assert meter["basis"] == expected


def test_superseded_by_the_next_calibration(answer, added, file_of, vector):
    second = vector.make_next(supersedes="CAL-1")
    code, made = answer("certificate", "add", file_of(second, "second.json"), "--data", added)
    assert (code, made["certificate"]["id"]) == (0, "CAL-2")
    _, document = answer("certificate", "list", "--as-of", "2025-10-01", "--data", added)
    assert {entry["id"]: entry["status"] for entry in document["certificates"]} == {
        "CAL-1": "superseded",
        "CAL-2": "valid",
    }


def test_revoke_recompute_and_versions(answer, added):
    because = ("--by", "Example Laboratory", "--reason", "reference drifted")
    _, made = answer("certificate", "revoke", "CAL-1", *because, "--from", "2025-04-01", "--data", added)
    assert (made["version"], made["status"]) == (2, "revoked")
    _, again = answer("certificate", "recompute", "r1", "--by", "A", "--reason", "revoked", "--data", added)
    assert again[0]["certificates"] == ["not traceable"]
    _, document = answer("certificate", "versions", "r1", "--data", added)
    assert [version["certificates"] for version in document["versions"]] == [["specification"], ["not traceable"]]


def test_recompute_of_a_meter_issues_what_changes_and_nothing_twice(answer, wattmark, added):
    order = (
        "certificate",
        "recompute",
        "--serial",
        "SN-1",
        "--by",
        "A",
        "--reason",
        "certificate came",
        "--data",
        added,
    )
    code, made = answer(*order)
    assert (code, [issued["result"]["run_id"] for issued in made]) == (0, ["r1"])
    code, out, _ = wattmark(*order)
    assert (code, out) == (0, b"Nothing would change; no version was issued.\n")


def test_override_needs_name_and_reason_and_a_known_refusal(wattmark, answer, added):
    assert wattmark("certificate", "override", "CAL-1", "--accept", "expired", "--data", added)[0] == 2
    because = ("--by", "A", "--reason", "late")
    assert wattmark("certificate", "override", "CAL-1", *because, "--data", added)[0] == 2
    code, problem = answer("certificate", "override", "CAL-1", *because, "--accept", "everything", "--data", added)
    assert code == 2
    assert "'everything' is not a refusal code that can be overridden" in problem["error"]["cause"]
    code, made = answer("certificate", "override", "CAL-1", *because, "--accept", "expired", "--data", added)
    assert (code, made["accepts"], made["in_force"]) == (0, ["expired"], True)
    code, made = answer("certificate", "override", "CAL-1", *because, "--withdraw", "--data", added)
    assert (code, made["accepts"], made["in_force"]) == (0, [], False)


def test_review_ends_with_1_until_results_are_recomputed(answer, added, file_of, vector):
    worse = vector.make_next(
        as_found=(vector.calibrated(vector.points(shift_w=5.0, limit_w=3.0)),),
    )
    answer("certificate", "add", file_of(worse, "worse.json"), "--data", added)
    code, document = answer("certificate", "review", "CAL-2", "--data", added)
    assert code == 1
    assert [result["run_id"] for result in document["affected"]] == ["r1"]
    code, document = answer("certificate", "review", "CAL-2", "--recompute", "--by", "A", "--data", added)
    assert (code, document["affected"][0]["recomputed"]) == (0, True)


def test_show_prints_points_errors_and_facts(wattmark, added):
    code, out, _ = wattmark("certificate", "show", "CAL-1", "--data", added)
    text = out.decode()
    assert code == 0
    assert "0.210 ± 0.051" in text
    assert "Approved by A. Owner." in text
    assert "kept, unchanged" in text


def test_tables_for_people(wattmark, added):
    for command in (("list",), ("status",), ("versions", "r1")):
        code, out, _ = wattmark("certificate", *command, "--data", added)
        assert code == 0
        assert out.strip()


def test_csv_with_another_due_date(answer, folder, tmp_path):
    path = tmp_path / "typed.csv"
    path.write_text(CSV)
    code, made = answer("certificate", "add", path, "--due", "2025-12-31", "--data", folder)
    assert code == 0
    assert made["certificate"]["due_on"] == "2025-12-31"


def test_results_show_coverage_and_basis(wattmark, added):
    _, out, _ = wattmark("results", "--wide", "--data", added)
    assert b"Coverage factor" in out
    assert b"Based on" in out
    _, out, _ = wattmark("results", "--format", "json", "--data", added)
    (result,) = json.loads(out)["results"]
    assert result["power"]["U95"] == pytest.approx(result["power"]["k95"] * result["power"]["u"])
    assert result["basis"] == "specification"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "The file is empty"),
        (b"not a certificate", "is not valid"),
        (b"{", "not JSON"),
        (b'{"id": "x"}', "is not valid"),
        (b"\x00\xff\xfe", "is not valid"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "document type"),
        (b"<dcc>", "not well-formed"),
        (b"<x/>", "not a DCC 3.x"),
        (CSV.replace("250.62", "0.25062").encode(), "differ too much"),
        (CSV.replace("expanded_u_w", "expanded_u_mw").encode(), "is not known"),
        (CSV.replace("2026-03-02", "2024-03-02").encode(), "not after its calibration"),
        (CSV.replace("serial,SN-1\n", "").encode(), "serial is missing"),
    ],
)
def test_bad_files_get_one_line_and_change_nothing(answer, folder, tmp_path, content, complaint):
    path = tmp_path / "bad.dat"
    path.write_bytes(content)
    code, problem = answer("certificate", "add", path, "--data", folder)
    assert code == 2
    assert complaint in problem["error"]["cause"]
    assert "\n" not in problem["error"]["cause"]
    assert answer("certificate", "list", "--data", folder)[1]["certificates"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "nobody"),
        ("review", "nobody"),
        ("revoke", "nobody", "--by", "A", "--reason", "b", "--from", "2025-01-01"),
        ("override", "nobody", "--by", "A", "--reason", "b", "--accept", "expired"),
        ("versions", "nobody"),
        ("recompute", "nobody", "--by", "A", "--reason", "b"),
        ("recompute", "--by", "A", "--reason", "b"),
        ("list", "--as-of", "tomorrow"),
        ("add", "/nowhere/at/all.json"),
    ],
)
def test_what_is_not_there_is_said(answer, folder, arguments):
    code, problem = answer("certificate", *arguments, "--data", folder)
    assert code == 2
    assert problem["error"]["cause"]
    assert problem["error"]["remedy"]


def test_the_schema_names_every_part_of_a_certificate(wattmark, vector):
    code, out, _ = wattmark("certificate", "schema")
    described = json.loads(out)["properties"]
    assert code == 0
    assert json.loads(vector.as_bytes(vector.make())).keys() <= described.keys()


BENCH = """\
schema: wattmark-bench/1
lab: Test
servers:
  - id: s
    access: {local: true}
    configurations:
      - {id: c, cpu: {model: any}, os: {name: any, kernel: any}}
meters:
  - {id: new, model: eastron.sdm120, url: "modbus-tcp://192.0.2.1:502/1", serial: SN-NEW, feeds: [{server: s}]}
bmcs:
  - {id: bmc, server: s, host: 192.0.2.2, user: u, password_env: NOT_SET}
"""


def test_status_lists_the_meters_of_a_bench_that_never_measured(answer, added, tmp_path):
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH)
    code, document = answer("certificate", "status", "--bench", bench, "--data", added)
    assert code == 0
    rows = {row["meter"]: row for row in document["meters"]}
    assert (rows["new"]["on_bench"], rows["new"]["serial"], rows["new"]["basis"]) == (True, "SN-NEW", "specification")
    assert (rows["wall"]["on_bench"], rows["wall"]["serial"]) == (False, "SN-1")
    assert "bmc" not in rows
    _, without = answer("certificate", "status", "--data", added)
    assert [row["meter"] for row in without["meters"]] == ["wall"]
