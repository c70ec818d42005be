"""What MLPerf's checker lets through is named: the four changed logs that it passes (mlcommons/power-dev c4b3ad82)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.audits.audit import Audit
from wattmark.audits.published_figures import published_figure
from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.mlperf.mlperf import find_mlperf
from wattmark.importers.mlperf.mlperf_audit import audit_mlperf

Make = Callable[..., Path]


def audited(folder: Path) -> Audit:
    """Audit a result whose digests the session no longer records: whoever changes a log can renew them."""
    for name in ("server.json", "client.json"):
        path = folder.parent / "power" / name
        session = json.loads(path.read_text())
        for key in ("checksums", "results"):
            session.pop(key, None)
        path.write_text(json.dumps(session))
    (audit,) = audit_mlperf(folder, Choices())
    return audit


def rules(audit: Audit) -> set[str]:
    return {finding.rule for finding in audit.findings}


def change(path: Path, edit: Callable[[str], str]) -> None:
    text = path.read_text()
    path.write_text(edit(text))
    assert path.read_text() != text


def stamped_inside(folder: Path, text: str) -> str:
    """Write a line of the console with the stamp of a sample in the middle of the window."""
    lines = (folder / "spl.txt").read_text().splitlines()
    return f"{lines[len(lines) // 2].split(',')[1]}: {text}\n"


def before_summary(console: str, line: str) -> str:
    """Put a line into the measured pass, before the daemon sums it up."""
    at = console.rindex("Completed test")
    return console[: console.rindex("\n", 0, at) + 1] + line + console[console.rindex("\n", 0, at) + 1 :]


def test_an_untouched_result_agrees_within_its_edges(make_result: Make) -> None:
    audit = audited(make_result())
    assert audit.by_rule == 500.0
    assert audit.over_window == pytest.approx(500.0, rel=1e-3)
    assert audit.runs[0].refused is None
    assert not rules(audit) & {"sample-count", "daemon-mean", "volts-amps", "hidden-errors", "uncertainty-warnings"}


@pytest.mark.parametrize(("scenario", "queries"), [("SingleStream", 1), ("MultiStream", 8)])
def test_energy_per_stream_of_a_latency_scenario(make_result: Make, scenario: str, queries: int) -> None:
    """In v2.0 an Odroid N2+ of Krai was published with 13.98128248 J in MultiStream, from a log of SingleStream at
    1.74766031 J: eight queries."""
    latency = {"result_query_count": 1000, "result_qps_with_loadgen_overhead": 10.0, "generated_query_count": 1000}
    audit = audited(make_result(scenario="SingleStream", scenario_folder=scenario, result=latency, summary=None))
    assert (audit.quantity, audit.unit) == ("energy per stream", "J")
    assert audit.by_rule == pytest.approx(queries * 500.0 * 100 / 1000)
    assert queries * 1.74766031 == pytest.approx({1: 1.74766031, 8: 13.98128248}[queries], rel=1e-8)
    assert audit.runs[0].by_rule == audit.by_rule
    assert audit.over_window == pytest.approx(audit.by_rule, rel=1e-3)


@pytest.mark.parametrize(("round_name", "joules"), [("v1.1", 500.0 / 9.99), ("v2.0", 500.0 * 100 / 1000)])
def test_energy_per_stream_of_v1_1_is_by_the_stated_rate(make_result: Make, round_name: str, joules: float) -> None:
    """mlcommons/inference#886; eight figures of Krai in v1.1 come out to nine digits so, and to 1.5e-4 by the count."""
    latency = {"result_query_count": 1000, "result_qps_with_loadgen_overhead": 9.99, "generated_query_count": 1000}
    run = make_result(scenario="SingleStream", scenario_folder="SingleStream", result=latency, summary=None)
    root = run.parents[7].rename(run.parents[8] / "tree")
    (audit,) = audit_mlperf(root, Choices(round=round_name))
    assert audit.by_rule == pytest.approx(joules, rel=1e-9)
    assert ("result_qps_with_loadgen_overhead" in audit.rule) == (round_name == "v1.1")


@pytest.mark.parametrize(
    ("text", "published", "is_finding"),
    [
        ('[{"Location": "%s", "Power_Result": 500.0, "Power_Units": "Watts"}]', 500.0, False),
        ('[{"Location": "%s", "Power_Result": 501.0, "Power_Units": "Watts"}]', 501.0, True),
        ('[{"Location": "%s", "Power_Result": 500.0, "Power_Units": "millijoules"}]', None, False),
        ('[{"Location": "%s", "Power_Result": 1e308, "Power_Units": "Watts"}, 1, null]', None, False),
        ('{"Location": "%s"', None, False),
    ],
)
def test_what_the_tree_of_a_round_states_as_published(
    make_result: Make, text: str, published: float | None, is_finding: bool
) -> None:
    run = make_result()
    where = "/".join(run.parts[-8:-2])
    (run.parents[7] / "summary_results.json").write_text(text.replace("%s", where))
    audit = audited(run)
    assert audit.published == published
    assert ("published-figure" in rules(audit)) == is_finding


def test_figures_of_a_round_that_cannot_be_read_are_no_missing_ones(
    make_result: Make, unreadable: Callable[[str], None]
) -> None:
    run = make_result()
    (run.parents[7] / "summary_results.json").write_text("[]")
    unreadable("summary_results.json")
    with pytest.raises(InputError, match=r"summary_results\.json cannot be read: Permission denied"):
        audited(run)


@pytest.mark.parametrize("held", [False, True])
def test_watts_that_never_fall_are_a_held_maximum(make_result: Make, held: bool) -> None:
    """As in cTuning's tree of v3.1, whose WT210 shows 119 to 168 W in steps up alone, while its power factor moves."""
    folder = make_result()
    highest = 0.0
    lines = []
    for index, line in enumerate((folder / "spl.txt").read_text().splitlines()):
        now = 119.0 + 49 * (index * 37 % 100) / 100
        highest = max(highest, now)
        fields = line.split(",")
        lines.append(",".join([*fields[:3], f"{highest if held else now:.6f}", *fields[4:]]))
    (folder / "spl.txt").write_text("\n".join([*lines, ""]))
    findings = {finding.rule: finding for finding in audited(folder).findings}
    assert ("held-maximum" in findings) == held
    if held:
        assert (findings["held-maximum"].value, findings["held-maximum"].severity) == (0, "hides")


def test_negative_watts_of_a_published_result_are_no_silence(make_result: Make) -> None:
    """As in v5.1 of GATEOverflow: a WT210 fixed at 0.5 A wrote -37 W each time the peaks were beyond its range."""
    folder = make_result()
    where = "/".join(folder.parts[-8:-2])
    (folder.parents[7] / "summary_results.json").write_text(
        json.dumps([{"Location": where, "Power_Result": 500.0, "Power_Units": "Watts"}])
    )
    lines = (folder / "spl.txt").read_text().splitlines()
    middle = len(lines) // 2
    for at in range(middle, middle + 12):
        fields = lines[at].split(",")
        lines[at] = ",".join([*fields[:3], "-37.480000", *fields[4:]])
    (folder / "spl.txt").write_text("\n".join([*lines, ""]))
    error = "ERROR: Current exceeds peak value allowed for range 0.50A and CF 3"
    change(folder.parent / "power/ptd_logs.txt", lambda text: before_summary(text, 3 * stamped_inside(folder, error)))
    audit = audited(folder)
    bad, errors = (next(f for f in audit.findings if f.rule == rule) for rule in ("bad-readings", "errors"))
    assert (bad.value, bad.severity, errors.severity) == (12, "hides", "hides")
    assert "-37.48 W" in bad.text
    assert "Current exceeds peak value" in bad.text
    assert audit.runs[0].gaps == ()
    assert audit.runs[0].refused is not None
    assert audit.by_rule == 500.0
    assert audit.over_window is None, "more than 1 % of the window is missing, as the import says"
    assert audit.runs[0].refused in audit.sentence


def test_results_published_apart_from_one_log(make_result: Make) -> None:
    """As in v1.1 of Dell: 3d-unet-99 and 3d-unet-99.9 with spl.txt equal byte for byte. Each keeps its audit."""
    run = make_result()
    benchmark = run.parents[2]
    shutil.copytree(benchmark, benchmark.parent / f"{benchmark.name}-99.9")
    root = run.parents[7]
    audits = list(audit_mlperf(root, Choices()))
    assert len({audit.id for audit in audits}) == len(audits) == 2
    for audit, other in zip(audits, reversed(audits), strict=True):
        (finding,) = (finding for finding in audit.findings if finding.rule == "same-log")
        assert (finding.value, finding.severity) == (2, "hides")
        assert other.source.partition("closed")[2] in finding.text
    assert "same-log" not in rules(audited(run))


@pytest.mark.parametrize(("submitted", "ending"), [("Offline", ", from a SingleStream log"), ("SingleStream", "")])
def test_the_submitted_scenario_is_the_title(make_result: Make, submitted: str, ending: str) -> None:
    latency = {"result_query_count": 1000, "result_qps_with_loadgen_overhead": 10.0, "generated_query_count": 1000}
    folder = make_result(scenario="SingleStream", scenario_folder=submitted, result=latency, summary=None)
    title = audited(folder).title
    assert f" {submitted} on " in title
    assert title.endswith(ending)
    assert ("from a" in title) == bool(ending)


def test_published_figures_of_earlier_rounds_are_known() -> None:
    """MLCommons, results of MLPerf Inference v2.0: Xavier NX of NVIDIA (MaxQ), RNN-T Offline, 16.37933019 W."""
    known = published_figure("mlperf", "v2.0", "NVIDIA", "Xavier_NX_TRT_MaxQ", "rnnt Offline")
    assert known is not None
    assert known.value == 16.37933019
    assert "v2.0" in known.source
    assert published_figure("mlperf", "v2.1", "NVIDIA", "Xavier_NX_TRT_MaxQ", "rnnt Offline") is None


@pytest.mark.parametrize(("said", "missing"), [(None, True), ("v1.1", False)])
def test_the_round_of_a_tree_whose_path_names_none(make_result: Make, said: str | None, missing: bool) -> None:
    run = make_result()
    root = run.parents[7].rename(run.parents[8] / "i11")
    (audit,) = audit_mlperf(root, Choices(round=said))
    assert (audit.round, audit.round_missing) == (said, missing)
    (pending,) = find_mlperf(root, Choices(round=said))
    imported = pending.read()
    assert isinstance(imported, ImportedRun)
    assert imported.record.disclosure.imported is not None
    assert imported.record.disclosure.imported.round == said
    assert (imported.record.submission or "").endswith(said or imported.record.submission or "")


def test_a_warning_in_the_window_that_the_checker_skips(make_result: Make) -> None:
    folder = make_result()
    warning = "WARNING: Uncertainty 1.50%, which is above 1.00% limit for the last sample!"
    change(folder.parent / "power/ptd_logs.txt", lambda text: before_summary(text, stamped_inside(folder, warning)))
    assert "uncertainty-warnings" in rules(audited(folder))


def test_errors_behind_an_odd_error_of_the_ranging_pass(make_result: Make) -> None:
    folder = make_result()
    console = folder.parent / "power/ptd_logs.txt"
    error = stamped_inside(folder, "ERROR: Bad answer from the analyzer")
    change(console, lambda text: before_summary(text, 25 * error))
    assert "hidden-errors" not in rules(audited(folder))
    odd = "03-19-2021 16:09:07.000: ERROR: Something unusual\n"
    change(
        console,
        lambda text: text.replace("03-19-2021 16:22:11.437: Completed", f"{odd}03-19-2021 16:22:11.437: Completed"),
    )
    findings = {finding.rule: finding for finding in audited(folder).findings}
    assert findings["hidden-errors"].value == 25


def test_three_quarters_of_the_samples_deleted(make_result: Make) -> None:
    folder = make_result()
    change(
        folder / "spl.txt",
        lambda text: "".join(line for i, line in enumerate(text.splitlines(keepends=True)) if i % 4 == 0),
    )
    audit = audited(folder)
    assert rules(audit) >= {"sample-count", "daemon-count"}
    assert audit.runs[0].refused is not None


def test_half_as_much_power_again(make_result: Make) -> None:
    folder = make_result()
    change(folder / "spl.txt", lambda text: text.replace("Watts,500.0", "Watts,750.0"))
    audit = audited(folder)
    assert rules(audit) & {"daemon-mean", "volts-amps"}
    assert audit.runs[0].refused is not None
