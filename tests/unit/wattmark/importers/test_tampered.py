"""Logs that were changed afterwards: none gives an unmarked figure, and those that deny themselves give none.

Each change is made to a small result written for this test and, where the published results lie beside the checkout,
to a real one (NVIDIA DGX Station A100, resnet50 Offline, v1.0). The digests that the session recorded are taken out
first: whoever changes a log can renew them too, and the log must then speak for itself.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from wattmark.core.quantity import Quantity
from wattmark.importers.bring_in import import_source
from wattmark.importers.mlperf.mlperf import MLPERF_INFERENCE
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import CLAIMS, why_not_ranked
from wattmark.results.result import Result

FORM = "%m-%d-%Y %H:%M:%S.%f"
PUBLISHED = (
    Path(__file__).parents[4] / "../shared/data/mlperf-power-v1.0/closed/NVIDIA/results"
    "/DGX-Station-A100_A100-SXM-80GBx4_TRT_MaxQ/resnet50/Offline/performance"
)
FIGURES = (
    "power",
    "throughput",
    "energy_j",
    "efficiency",
    "energy_per_op",
    "full_load_power",
)
DESCRIPTIVE = {"memory_gib", "window_s", "uncovered_pct"}
"""Numbers of a result that rest on no reading: they stay where every figure is withheld."""
Change = Callable[[Path], None]


class Log:
    """A power log as lines, changed in place."""

    def __init__(self, performance: Path) -> None:
        self.path = performance / "run_1/spl.txt"
        self.lines = self.path.read_text().splitlines()
        values = key_values(performance / "run_1/mlperf_log_detail.txt")
        self.begin, self.end = (instant(values[key]) for key in ("power_begin", "power_end"))

    def save(self, lines: list[str]) -> None:
        self.path.write_text("".join(f"{line}\n" for line in lines))

    def inside(self, line: str) -> bool:
        return self.begin < moment(line) < self.end

    def highest(self, share: float) -> set[int]:
        inside = [index for index, line in enumerate(self.lines) if self.inside(line)]
        return set(sorted(inside, key=lambda index: -watts(self.lines[index]))[: round(share * len(inside))])


def key_values(detail: Path) -> dict[str, Any]:
    entries = [json.loads(line.removeprefix(":::MLLOG")) for line in detail.read_text().splitlines()]
    return {entry["key"]: entry["value"] for entry in entries}


def instant(text: str) -> datetime:
    return datetime.strptime(text, FORM).replace(tzinfo=UTC)


def moment(line: str) -> datetime:
    return instant(line.split(",")[1])


def watts(line: str) -> float:
    return float(line.split(",")[3])


def with_watts(line: str, value: float) -> str:
    fields = line.split(",")
    return ",".join([*fields[:3], f"{value:.6f}", *fields[4:]])


def stamped(line: str, when: datetime) -> str:
    return ",".join(["Time", when.strftime(FORM)[:-3], *line.split(",")[2:]])


def set_value(performance: Path, key: str, value: object) -> None:
    """Change a value of the detail log, and the throughput of the summary with it."""
    detail = performance / "run_1/mlperf_log_detail.txt"
    old = key_values(detail)[key]
    detail.write_text(
        detail.read_text().replace(f'"{key}", "value": {json.dumps(old)}', f'"{key}", "value": {json.dumps(value)}')
    )
    summary = performance / "run_1/mlperf_log_summary.txt"
    if key == "result_samples_per_second" and summary.exists():
        summary.write_text(re.sub(r"(Samples per second *: *)\S+", rf"\g<1>{value}", summary.read_text()))


def set_json(performance: Path, file: str, change: Callable[[dict[str, Any]], None]) -> None:
    path = performance / "power" / file
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def console(performance: Path) -> Path:
    return performance / "power/ptd_logs.txt"


def keep_samples(performance: Path, keep: Callable[[int], bool]) -> None:
    log = Log(performance)
    log.save([line for index, line in enumerate(log.lines) if not log.inside(line) or keep(index)])


def delete_three_quarters(performance: Path) -> None:
    draw = random.Random(5)
    keep_samples(performance, lambda _: draw.random() < 0.25)


def delete_every_second(performance: Path) -> None:
    keep_samples(performance, lambda index: index % 2 == 0)


def delete_highest_quarter(performance: Path) -> None:
    highest = Log(performance).highest(0.25)
    keep_samples(performance, lambda index: index not in highest)


def call_highest_bad(performance: Path) -> None:
    log = Log(performance)
    highest = log.highest(0.045)
    log.save([with_watts(line, -1.0) if index in highest else line for index, line in enumerate(log.lines)])


def scale_watts(performance: Path, factor: float) -> None:
    log = Log(performance)
    log.save([with_watts(line, factor * watts(line)) for line in log.lines])


def scale_watts_without_console(performance: Path) -> None:
    scale_watts(performance, 0.9)
    console(performance).unlink()


def delete_every_second_without_console(performance: Path) -> None:
    delete_every_second(performance)
    console(performance).unlink()


def add_half_power(performance: Path) -> None:
    log, lines = Log(performance), []
    for line in log.lines:
        lines += [line, stamped(with_watts(line, watts(line) / 2), moment(line) + timedelta(milliseconds=1))]
    log.save(lines)


def complain(performance: Path, text: str, times: int, mark: str = "testing") -> None:
    """Write lines into the console in the middle of a pass."""
    log = Log(performance)
    when = (log.begin + (log.end - log.begin) / 2).strftime(FORM)[:-3]
    added = f"{when}: {text}\n" * times
    path = console(performance)
    match = re.search(rf"Go with mark '[^']*_{mark}'\n", path.read_text())
    assert match is not None
    path.write_text(path.read_text()[: match.end()] + added + path.read_text()[match.end() :])


def warn_of_uncertainty(performance: Path) -> None:
    complain(performance, "WARNING: Uncertainty 1.50%, which is above 1.00% limit for the last sample!", 1000)


def fail_in_testing(performance: Path) -> None:
    complain(performance, "ERROR: Bad watts reading nan from WT330E", 25)


def hide_behind_an_error_in_ranging(performance: Path) -> None:
    complain(performance, "ERROR: Lost the meter", 1, "ranging")


def cut_window(performance: Path) -> None:
    begin = Log(performance).end - timedelta(seconds=40)
    set_value(performance, "power_begin", begin.strftime(FORM)[:-3])


def raise_throughput(performance: Path) -> None:
    stated = key_values(performance / "run_1/mlperf_log_detail.txt")["result_samples_per_second"]
    set_value(performance, "result_samples_per_second", round(1.1 * stated, 1))


def move_clock(performance: Path, seconds: float) -> None:
    log = Log(performance)
    middle, step = log.begin + (log.end - log.begin) / 2, timedelta(seconds=seconds)
    log.save([stamped(line, moment(line) + step) if moment(line) > middle else line for line in log.lines])


def raise_ranging(performance: Path) -> None:
    path = performance / "ranging/spl.txt"
    path.write_text("".join(f"{with_watts(line, 1.08 * watts(line))}\n" for line in path.read_text().splitlines()))


def reidentify(performance: Path, old: str, new: str) -> None:
    path = performance / "power/server.json"
    assert re.search(old, path.read_text())
    path.write_text(re.sub(old, new, path.read_text()))


CHANGES: dict[str, tuple[Change, str, bool]] = {
    "75 % of the samples deleted": (delete_three_quarters, "import-daemon-count", True),
    "every 2nd sample deleted": (delete_every_second, "import-daemon-count", True),
    "highest 25 % deleted": (delete_highest_quarter, "import-daemon-mean", True),
    "highest 4.5 % called bad": (call_highest_bad, "import-daemon-bad-samples", True),
    "watts +50 %": (lambda p: scale_watts(p, 1.5), "import-daemon-mean", True),
    "watts -10 %": (lambda p: scale_watts(p, 0.9), "import-daemon-mean", True),
    "watts -10 %, no console": (scale_watts_without_console, "import-volts-amps", True),
    "no console": (lambda p: console(p).unlink(), "import-session-files", False),
    "every 2nd deleted, no console": (delete_every_second_without_console, "import-sample-count", False),
    "half power 1 ms after each": (add_half_power, "import-daemon-count", True),
    "1000 samples too uncertain": (warn_of_uncertainty, "import-uncertainty", False),
    "25 errors in testing": (fail_in_testing, "import-errors", False),
    "odd error in ranging": (hide_behind_an_error_in_ranging, "import-ranging-errors", False),
    "window cut": (cut_window, "import-duration", True),
    "throughput x 1.1": (raise_throughput, "import-work-rate", True),
    "an error of LoadGen": (
        lambda p: report(p, "error_runtime", "Multiple issued queries"),
        "import-loadgen-errors",
        True,
    ),
    "AccuracyOnly": (lambda p: set_value(p, "effective_test_mode", "AccuracyOnly"), "import-test-mode", True),
    "other session in client.json": (
        lambda p: set_json(p, "client.json", lambda c: c.update(session_name="2021-03-16_00-00-00")),
        "import-session",
        True,
    ),
    "other identifiers in client.json": (
        lambda p: set_json(p, "client.json", lambda c: c.update(uuid={"client": "0", "server": "1"})),
        "import-session",
        True,
    ),
    "unknown driver": (lambda p: reidentify(p, "YokogawaWT330E", "NoSuchMeter"), "import-analyzer", False),
    "unknown version": (lambda p: reidentify(p, r"version=[0-9.]+", "version=9.9.9"), "import-daemon-version", False),
    "clock +5 s": (lambda p: move_clock(p, 5), "import-clock-steps", True),
    "clock -30 s": (lambda p: move_clock(p, -30), "import-clock-steps", True),
    "clock -1 h": (lambda p: move_clock(p, -3600), "import-clock-steps", True),
    "ranging pass 8 % higher": (raise_ranging, "import-ranging-power", False),
    "clocks 10 s apart": (
        lambda p: set_json(p, "client.json", lambda c: [_later(m) for m in c["messages"] if m["cmd"] == "time"]),
        "import-clock-difference",
        False,
    ),
}
"""What was changed, the rule that must fail, and whether the files then deny each other, so that no figure is left."""


def report(performance: Path, key: str, text: str) -> None:
    path = performance / "run_1/mlperf_log_detail.txt"
    entry = {"key": key, "value": text, "time_ms": 0.01, "metadata": {"is_error": True, "is_warning": False}}
    path.write_text(f"{path.read_text()}:::MLLOG {json.dumps(entry)}\n")


def _later(message: dict[str, Any]) -> None:
    for key in ("cmd_time", "reply_time"):
        message[key] += 10


@pytest.fixture(params=["written", "published"])
def performance(request: pytest.FixtureRequest, make_result: Callable[..., Path], tmp_path: Path) -> Path:
    """Give a result without recorded digests, in a tree of its own."""
    if request.param == "written":
        folder = make_result().parent
    elif PUBLISHED.is_dir():
        folder = tmp_path / "v1.0/closed/NVIDIA/results/station/resnet50/Offline/performance"
        shutil.copytree(PUBLISHED, folder, copy_function=shutil.copyfile)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
    else:
        pytest.skip("the published results are not beside the checkout")
    for file in ("server.json", "client.json"):
        set_json(folder, file, lambda session: session.update(results={}))
    return folder


def result_of(performance: Path, storage: Storage) -> Result:
    (outcome,) = import_source(MLPERF_INFERENCE, performance, storage.samples, storage.runs)
    assert outcome.error is None
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    return evaluate(run, storage.samples, "mlperf")


def outcomes(result: Result) -> dict[str, str]:
    return {verdict.rule: verdict.outcome for verdict in result.verdicts if verdict.rule.startswith("import-")}


def test_an_untouched_result_fails_nothing_and_keeps_its_figures(performance: Path, storage: Storage) -> None:
    result = result_of(performance, storage)
    judged = outcomes(result)
    assert len(judged) == 25
    assert judged.pop("import-file-digests") == "not-checked"
    if judged["import-held-maximum"] == "not-checked":  # the written log rises once
        del judged["import-held-maximum"]
    assert set(judged.values()) == {"pass"}
    assert result.power is not None
    assert result.throughput is not None
    assert result.efficiency is not None
    assert result.efficiency.value == pytest.approx(result.throughput.value / result.power.value, rel=1e-12)
    assert not any("contradicts itself" in note for note in result.notes)


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_log_never_gives_an_unmarked_figure(name: str, performance: Path, storage: Storage) -> None:
    change, rule, contradicts = CHANGES[name]
    change(performance)
    result = result_of(performance, storage)
    (verdict,) = (verdict for verdict in result.verdicts if verdict.rule == rule)
    assert verdict.outcome == "fail"
    assert verdict.value is not None
    assert verdict.limit is not None
    assert any(note.startswith("The log contradicts itself: ") for note in result.notes) == contradicts
    figures = [figure for figure in FIGURES if getattr(result, figure) is not None]
    if contradicts:
        assert figures == []
        assert "Get the original files from the submitter." in result.notes[0]
        numbers = [name for name in type(result).model_fields if isinstance(getattr(result, name), float | Quantity)]
        assert set(numbers) <= DESCRIPTIVE
        assert result.standards == ()
    else:
        assert "power" in figures
        assert any(verdict.text.startswith(note) for note in result.notes)


@pytest.mark.parametrize(
    ("file", "silent"),
    [
        ("ptd_logs.txt", {"import-daemon-count", "import-daemon-mean", "import-errors", "import-uncertainty"}),
        ("client.json", {"import-clock-difference", "import-phases"}),
        ("server.json", {"import-analyzer", "import-daemon-version", "import-phases"}),
    ],
)
def test_missing_evidence_is_said_rule_by_rule(
    file: str, silent: set[str], performance: Path, storage: Storage
) -> None:
    (performance / "power" / file).unlink()
    result = result_of(performance, storage)
    judged = {verdict.rule: verdict for verdict in result.verdicts}
    for rule in silent:
        assert judged[rule].outcome == "not-checked"
        assert file in judged[rule].text
    failed = [rule for rule, outcome in outcomes(result).items() if outcome == "fail"]
    assert failed == ["import-session-files"]
    assert f"power/{file}" in judged["import-session-files"].text
    assert result.power is not None
    assert all(why_not_ranked(result, claim) is not None for claim in CLAIMS)


def test_line_ends_that_a_repository_changed_are_no_change(make_result: Callable[..., Path], storage: Storage) -> None:
    """The power logs of v2.0 were written with CRLF and published with LF; the digests are of what was written."""
    run = make_result()
    log, session = run / "spl.txt", run.parent / "power/server.json"
    written = hashlib.sha1(log.read_bytes().replace(b"\n", b"\r\n"), usedforsecurity=False).hexdigest()
    recorded = json.loads(session.read_text())
    recorded["results"]["run_1/spl.txt"] = written
    session.write_text(json.dumps(recorded))
    result = result_of(run.parent, storage)
    (verdict,) = (verdict for verdict in result.verdicts if verdict.rule == "import-file-digests")
    assert (verdict.outcome, verdict.value) == ("pass", 0)
    assert "1 of them but for their line ends" in verdict.text


def test_a_file_that_is_not_the_one_that_the_session_recorded_fails(
    make_result: Callable[..., Path], storage: Storage
) -> None:
    run = make_result()
    assert outcomes(result_of(run.parent, storage))["import-file-digests"] == "pass"
    with (run / "spl.txt").open("a") as log:
        log.write("\n")
    result = result_of(run.parent, storage)
    assert outcomes(result)["import-file-digests"] == "fail"
    assert any("run_1/spl.txt" in note and "get the original files" in note for note in result.notes)
    assert [figure for figure in FIGURES if getattr(result, figure) is not None] == []


def more_work(performance: Path) -> None:
    """Raise LoadGen's count and rate together, so that its log still agrees with itself."""
    values = key_values(performance / "run_1/mlperf_log_detail.txt")
    count = "generated_query_count" if values["generated_query_count"] > 1 else "generated_samples_per_query"
    set_value(performance, count, round(1.1 * values[count]))
    set_value(performance, "result_samples_per_second", round(1.1 * values["result_samples_per_second"], 1))


def shorter(performance: Path) -> None:
    begin = Log(performance).begin + timedelta(seconds=5)
    set_value(performance, "power_begin", begin.strftime(FORM)[:-3])


@pytest.mark.parametrize("change", [more_work, shorter, raise_ranging])
def test_a_changed_log_beside_recorded_digests_gives_no_figure(
    change: Change, make_result: Callable[..., Path], storage: Storage
) -> None:
    run = make_result()
    change(run.parent)
    result = result_of(run.parent, storage)
    assert outcomes(result)["import-file-digests"] == "fail"
    assert [figure for figure in FIGURES if getattr(result, figure) is not None] == []
    assert "Changed since the session recorded them: " in result.notes[0]


FILES = (
    *("power/client.json", "power/client.log", "power/ptd_logs.txt", "power/server.json", "power/server.log"),
    *("ranging/mlperf_log_detail.txt", "ranging/mlperf_log_summary.txt", "ranging/spl.txt"),
    "run_1/mlperf_log_summary.txt",
)


@pytest.mark.parametrize(
    "gone", [*((name,) for name in FILES), ("power/client.json", "power/server.json"), FILES], ids=",".join
)
def test_no_file_of_a_session_can_be_taken_away_without_a_word(
    gone: tuple[str, ...], make_result: Callable[..., Path], storage: Storage
) -> None:
    """Without its files a session vouches for nothing: here the count was raised as well, and the log agrees."""
    performance = make_result().parent
    more_work(performance)
    for name in gone:
        (performance / name).unlink()
    result = result_of(performance, storage)
    (verdict,) = (verdict for verdict in result.verdicts if verdict.rule == "import-session-files")
    assert (verdict.outcome, verdict.value) == ("fail", len(gone))
    assert all(name in verdict.text for name in gone)
    assert all(why_not_ranked(result, claim) is not None for claim in CLAIMS)
    if {"power/client.json", "power/server.json"}.isdisjoint(gone):
        assert result.efficiency is None


@pytest.mark.parametrize("file", ["server.json", "client.json"])
def test_digests_that_one_side_renewed_are_not_those_of_the_other(
    file: str, make_result: Callable[..., Path], storage: Storage
) -> None:
    performance = make_result().parent
    for side in ("server.json", "client.json"):
        set_json(performance, side, lambda s: s["results"].update({"run_1/mlperf_log_detail.txt": "0" * 40}))
    renewed = hashlib.sha1((performance / "run_1/mlperf_log_detail.txt").read_bytes(), usedforsecurity=False)
    set_json(performance, file, lambda s: s["results"].update({"run_1/mlperf_log_detail.txt": renewed.hexdigest()}))
    assert outcomes(result_of(performance, storage))["import-file-digests"] == "fail"


def test_bare_logs_without_a_session_are_not_checked_for_its_files(
    make_result: Callable[..., Path], tmp_path: Path, storage: Storage
) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(make_result(), bare)
    result = result_of(bare, storage)
    assert outcomes(result)["import-session-files"] == "not-checked"
    assert "fail" not in outcomes(result).values()
