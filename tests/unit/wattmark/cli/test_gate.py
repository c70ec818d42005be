"""`wattmark gate` on stored runs: what a reference names, and that no error is taken for a verdict."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from wattmark.archives.data_folder import Archives
from wattmark.cli.main import build
from wattmark.cli.tables import gate as command
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import RunStatus
from wattmark_drivers.clock import SystemClock

from tests.stored_run import BEGIN_NS, PLUG_METER, S, make_run, store_readings

OLD, NEW = "2A1,2A2,2A3", "2B1,2B2,2B3"
WATTS = {"A": 240.0, "B": 252.0}
TURN_S, WINDOW_S = 600, 60


@dataclass
class Done:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two series of three runs each of A and B by turns (1A1 ... 2B3), a failed run 2B4, a trashed run T1; archives."""
    place = tmp_path_factory.mktemp("gate")
    storage = open_storage(place / "data")
    rng = np.random.default_rng(3)
    runs = [
        make_run(
            f"{series}{name}{k}",
            begin_ns=BEGIN_NS + (8 * series + 2 * k + (name == "B")) * TURN_S * S,
            window_s=WINDOW_S,
            amount=1000.0,
            every_s=10,
            configuration=name,
            campaign_id=f"series-{series}",
            repeat=k,
            meters=(PLUG_METER,),
            status=RunStatus.FAILED if (series, name, k) == (2, "B", 4) else RunStatus.COMPLETE,
        )
        for series in (1, 2)
        for k in (1, 2, 3, 4)
        for name in WATTS
        if k < 4 or (series, name) == (2, "B")
    ]
    runs.append(make_run("T1", window_s=WINDOW_S, amount=1000.0, every_s=10, meters=(PLUG_METER,)))
    for run in runs:
        storage.runs.put(run)
        t_s = np.arange(-5.0, WINDOW_S + 6)
        store_readings(storage, run, t_s, WATTS.get(run.configuration, 100.0) + rng.normal(0, 0.5, len(t_s)))
    storage.annotations.tag(["2B1", "2B2", "2B3"], ["change"], [])
    storage.runs.trash(["T1"], BEGIN_NS)
    results = Evaluations(storage)
    archives = Archives(storage, results, Issuer(storage, results, SystemClock()))
    for name in WATTS:
        chosen = [run for run in runs if run.campaign_id == "series-2" and run.configuration == name]
        with (place / f"{name}.wattmark").open("wb") as file:
            archives.write(file, runs=[run for run in chosen if run.status is RunStatus.COMPLETE])
    storage.close()
    return place


@pytest.fixture
def gate(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    monkeypatch.setenv("WATTMARK_DATA_DIR", str(folder / "data"))

    def run(*arguments: object) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            build()(["gate", *map(str, arguments)])
        printed = capsys.readouterr()
        return Done(int(end.value.code or 0), printed.out, printed.err)

    return run


def between(baseline: object, candidate: object) -> tuple[object, ...]:
    return "--baseline", baseline, "--candidate", candidate


@pytest.mark.parametrize(
    ("baseline", "candidate", "code"),
    [
        (OLD, NEW, 1),
        ("2A1, 2A2,\t2A3 ", " 2B1 ,2B2,2B3", 1),
        (NEW, OLD, 0),
        ("s/A", "s/B", 1),
        ("s/A", "tag:change", 1),
        ("{folder}/A.wattmark", "{folder}/B.wattmark", 1),
        (OLD, "{folder}/B.wattmark", 1),
        ("1A1,1A2,1A3", NEW, 3),
    ],
)
def test_a_reference_names_runs(
    gate: Callable[..., Done], folder: Path, baseline: str, candidate: str, code: int
) -> None:
    done = gate(*between(baseline.format(folder=folder), candidate.format(folder=folder)))
    assert done.code == code, done.err
    assert done.out.startswith({0: "no regression", 1: "regression", 3: "not known"}[code])


def test_what_is_not_used_is_said(gate: Callable[..., Done]) -> None:
    done = gate(*between("s/A", "2B1,2B2,2B3,2B4"))
    assert "(w, all; 3 of 4 runs against 3)" in done.out
    assert "Not used: 2B4 (failed)." in done.out
    verdict = json.loads(gate(*between("s/A", "2B1,2B2,2B3,2B4"), "--json").out)
    assert verdict["candidate"] == ["2B1", "2B2", "2B3", "2B4"]
    assert verdict["metrics"][0]["candidate"] == {"used": ["2B1", "2B2", "2B3"], "unused": {"2B4": "failed"}}


MANY = ",".join(f"run-{k}" for k in range(2000))


@pytest.mark.parametrize(
    ("baseline", "candidate", "said"),
    [
        ("2A1,2A2,2A1,2A2", NEW, "The baseline names more than once: 2A1, 2A2."),
        (OLD, OLD, "On both sides are: 2A1, 2A2, 2A3."),
        (OLD, "2B1,2B2,2A1", "On both sides are: 2A1."),
        ("{folder}/A.wattmark", "{folder}/A.wattmark", "On both sides are: 2A1, 2A2, 2A3."),
        ("{folder}/A.wattmark", OLD, "On both sides are: 2A1, 2A2, 2A3."),
        ("campaign:series-2", NEW, "On both sides are: 2B1, 2B2, 2B3."),
        ("", NEW, "--baseline '' names nothing."),
        (OLD, "  ", "--candidate '  ' names nothing."),
        ("tag:", NEW, "--baseline 'tag:' names nothing."),
        ("2A1,,2A2", NEW, "names an empty run id"),
        ("2A1,2A2,", NEW, "names an empty run id"),
        ("2A1,T1", NEW, "Run T1 is in the trash."),
        ("2A1,none", NEW, "There is no run 'none'."),
        (MANY, NEW, "There is no run 'run-0'."),
        ("tag:none", NEW, "No run is named by 'tag:none'."),
        ("campaign:none", NEW, "No run is named by 'campaign:none'."),
        ("s/none", NEW, "No run is named by 's/none'."),
        ("{folder}/none.wattmark", NEW, "There is no file"),
        ("{folder}/data/wattmark.db", NEW, "wattmark.db"),
        ("a\x00b", NEW, "There is no run"),
    ],
)
def test_what_names_no_runs_is_an_error(
    gate: Callable[..., Done], folder: Path, baseline: str, candidate: str, said: str
) -> None:
    done = gate(*between(baseline.format(folder=folder), candidate.format(folder=folder)))
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_archives_need_no_data_folder(gate: Callable[..., Done], folder: Path, tmp_path: Path) -> None:
    none = tmp_path / "none"
    archives = between(folder / "A.wattmark", folder / "B.wattmark")
    assert gate("--data", none, *archives).code == 1
    assert not none.exists()
    done = gate("--data", none, *between(folder / "A.wattmark", NEW))
    assert done.code == 2
    assert "There is no data in" in done.err


@pytest.mark.parametrize(
    "option",
    [
        ("--until-known",),
        ("--output", "x.wattmark"),
        ("--meter", "rapl://"),
        ("--ops", 5),
        ("--work", "(.)"),
        ("--prepare", "true"),
    ],
)
def test_an_option_for_commands_is_refused_for_stored_runs(
    gate: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: tuple[object, ...]
) -> None:
    """Else it would be given and nothing done, as for an archive that never comes."""
    monkeypatch.chdir(tmp_path)
    done = gate(*between(OLD, NEW), *option)
    assert done.code == 2
    assert f"{option[0]} is for commands, and stored runs are judged." in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_drift_is_refused_for_commands(gate: Callable[..., Done]) -> None:
    done = gate("--compare", "true", "--compare", "true", "--drift", "1%")
    assert done.code == 2
    assert "--drift is for stored runs, and commands are measured by turns." in done.err


def test_runs_that_belong_to_no_series_are_said_to_be_judged_together(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [make_run(f"one-{k}", begin_ns=BEGIN_NS + k * TURN_S * S, configuration="A") for k in range(3)]
    assert command._latest_series(runs) == ["one-0", "one-1", "one-2"]
    assert "s/A: 3 runs that were measured one by one are judged, since 20" in capsys.readouterr().err


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [
        ("--data", "{tmp}/foreign", *between(OLD, NEW)),
        ("--data", "{tmp}/none", *between(OLD, NEW)),
        (*between(OLD, NEW), "--worse-than", "100%"),
        (*between(OLD, NEW), "--metric", "speed"),
        (*between(OLD, NEW), "--junit", "{tmp}/none/file"),
        (*between(OLD, NEW), "--compare", "true"),
        ("--baseline", OLD),
        (),
    ],
)  # fmt: skip
def test_every_error_is_2(gate: Callable[..., Done], tmp_path: Path, arguments: tuple[str, ...], as_json: bool) -> None:
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "wattmark.db").write_bytes(b"something else" * 1000)
    done = gate(*(argument.format(tmp=tmp_path) for argument in arguments), *(["--json"] if as_json else []))
    assert done.code == 2
    if as_json:
        assert json.loads(done.out)["error"]["exit_code"] == 2


@pytest.mark.parametrize("arguments", [("--no-such-option",), ("--at-most", "two"), ("stray",)])
def test_wrong_usage_is_2(gate: Callable[..., Done], arguments: tuple[str, ...]) -> None:
    assert gate(*arguments).code == 2


@pytest.mark.parametrize("error", [RuntimeError("x"), OSError(5, "x"), MemoryError(), EOFError(), StoreError("x")])
def test_what_nobody_expected_is_2_with_its_traceback(
    gate: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(command, "judge_runs", fail)
    done = gate(*between(OLD, NEW), "--json")
    assert done.code == 2
    assert json.loads(done.out)["error"]["exit_code"] == 2
    if not isinstance(error, StoreError):
        assert "Traceback" in done.err
        assert f"An error in wattmark ({type(error).__name__}): nothing was judged." in done.err


def test_an_interruption_is_no_regression(gate: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "judge_runs", interrupt)
    assert gate(*between(OLD, NEW)).code == 130


def test_a_file_that_cannot_be_written_is_found_before_anything_is_measured(
    gate: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(*_: object, **__: object) -> None:
        raise AssertionError("measured")

    monkeypatch.setattr(command, "measure_series", measure)
    for option in ("--junit", "--summary", "--badge", "--output"):
        done = gate("--compare", "true", "--compare", "true", option, tmp_path / "none" / "file")
        assert done.code == 2
        assert "Cannot write" in done.err
        assert "Traceback" not in done.err


def test_a_verdict_is_printed_although_its_file_cannot_be_written(
    gate: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the disk became full meanwhile."""

    def fail(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    for options in ([], ["--json"]):
        done = gate(*between(OLD, NEW), "--summary", tmp_path / "new.md", *options)
        assert done.code == 2
        assert json.loads(done.out)["outcome"] == "regression" if options else done.out.startswith("regression")
        assert "Cannot write" in done.err
        assert "No space left on device" in done.err


@pytest.mark.parametrize("option", ["--junit", "--summary", "--badge"])
def test_a_report_to_a_pipe_leaves_it_one(gate: Callable[..., Done], tmp_path: Path, option: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert gate(*between(OLD, NEW), option, pipe).code == 1
        assert "got worse by more than 2 %" in os.read(reader, 10_000).decode()
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
