"""The audit of an MLPerf Inference result: mean power by its rule and over the complete window, and what it hides."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.energy.training_rule import held_energy_j
from wattmark.audits.audit import Audit, AuditedRun, Finding, drawn
from wattmark.audits.each import each_audit
from wattmark.audits.findings import count_finding, finding_of, printed_finding
from wattmark.audits.logged_power import MOST_GAPS, silences, stretches, why_refused
from wattmark.audits.published_figures import PrintedFigure, published_figure
from wattmark.audits.sentences import mean_power_sentence
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.core.texts import first_of
from wattmark.core.version import version
from wattmark.importers.importer import Choices
from wattmark.importers.mlperf.judge_session import shortfall_pct
from wattmark.importers.mlperf.judged import CHECKER
from wattmark.importers.mlperf.mlperf_evidence import Evidence, read_evidence
from wattmark.importers.mlperf.mlperf_result import judge_evidence, run_id
from wattmark.importers.mlperf.mlperf_tree import POWER_LOG, ResultFolder, find_results
from wattmark.importers.mlperf.summary_results import published_in_tree
from wattmark.runs.record import ImportedVerdict
from wattmark.workloads.loadgen.stamps import NS

STREAMS = 8
"""Samples of a MultiStream query since v2.0 (MLPerf Inference rules)."""
RULE = "Mean of the positive samples strictly between power_begin and power_end (mlcommons/power-dev)."
PER_STREAM = (
    "That mean times the length of the window over the number of queries; a MultiStream figure from a SingleStream log "
    f"counts {STREAMS} queries (MLPerf's submission checker)."
)
PER_RATE = "That mean over result_qps_with_loadgen_overhead (MLPerf's submission checker of v1.1)."
_RATE = "result_qps_with_loadgen_overhead"
_BY_RATE_IN = "v1.1"
"""The round whose energy per stream was published by the rate that LoadGen states; later ones count queries."""
WINDOW = "The same samples, each held back to the one before it, from power_begin to power_end."
_ROUNDING_PCT = 0.02
_ROUNDING_SOURCE = "0.02 %, how energy per stream was rounded in v1.0 and v1.1; later rounds print ten digits"
_ABOVE_RANGING_PCT = 5.0
_MOST_NAMED = 3
_CHECKED = frozenset(
    {
        "import-session",
        "import-session-files",
        "import-file-digests",
        "import-analyzer",
        "import-daemon-version",
        "import-clock-difference",
        "import-phases",
        "import-ranging-power",
        "import-errors",
        "import-test-mode",
    }
)
"""Rules that the checker has as well: what it refuses is not published. It lets everything else through."""


def audit_mlperf(root: Path, choices: Choices) -> Iterator[Audit]:
    """Audit every power result of a tree. Raises `InputError` after the others where one cannot be read."""
    folders = find_results(root, choices.round)
    same = _same_logs(folders)
    return each_audit(folders, lambda folder: [audit_result(folder, same.get(folder.path, ()))])


def _same_logs(folders: Sequence[ResultFolder]) -> dict[Path, tuple[str, ...]]:
    """Return for each folder the other ones whose power log holds the same bytes."""
    groups: defaultdict[str, list[ResultFolder]] = defaultdict(list)
    for folder in folders:
        with suppress(InputError):  # the audit of the folder names the file that cannot be read
            groups[folder.file(POWER_LOG).sha256].append(folder)
    return {
        folder.path: tuple(other.where for other in group if other is not folder)
        for group in groups.values()
        for folder in group
    }


def audit_result(folder: ResultFolder, same_log: tuple[str, ...] = ()) -> Audit:
    """Audit one result; ``same_log`` are others with its power log. Raises `InputError` naming an unreadable file."""
    evidence = read_evidence(folder)
    verdicts = judge_evidence(evidence)
    per_stream = _per_stream(evidence)
    unit = "W" if per_stream is None else "J"
    printed = _published(folder, unit)
    run = _audited(evidence, verdicts, per_stream or 1.0, published=printed is not None)
    return Audit(
        id=_audit_id(folder, run.id),
        kind="mlperf",
        title=_title(evidence),
        submitter=folder.submitter or "",
        round=folder.round,
        system=folder.system,
        benchmark=folder.benchmark,
        source=folder.source,
        quantity="mean power" if per_stream is None else "energy per stream",
        unit=unit,
        published=printed.value if printed else None,
        published_source=printed.source if printed else None,
        by_rule=run.by_rule,
        rule=RULE if per_stream is None else f"{RULE} {PER_RATE if _by_rate(evidence) else PER_STREAM}",
        over_window=run.over_window,
        window=WINDOW,
        sentence=mean_power_sentence(run),
        findings=(*_differs(printed, run.by_rule, unit), *_same_log(same_log), *run.findings),
        runs=(run.changed(findings=()),),
        software=version(),
    )


def _audit_id(folder: ResultFolder, run: str) -> str:
    """Return one id for each published result: several may be inferred from one log, which is one run."""
    return f"mlperf-{hashlib.sha256(f'{folder.where} {run}'.encode()).hexdigest()[:16]}"


def _same_log(others: tuple[str, ...]) -> Iterator[Finding]:
    if others:
        count = len(others) + 1
        yield count_finding(
            "same-log",
            count,
            "results",
            f"{count} results have power logs with the same bytes: one measurement, counted {count} times. The others: "
            f"{first_of(others, _MOST_NAMED)}.",
            "results that are published apart are separate measurements",
            limit=1.0,
        )


def _title(evidence: Evidence) -> str:
    """Name the scenario that was submitted, and the one that ran where it is another."""
    folder, ran = evidence.folder, evidence.loadgen.scenario
    inferred = "" if folder.scenario.lower() == ran.lower() else f", from a {ran} log"
    return f"{folder.benchmark} {folder.scenario} on {folder.system}{inferred}"


def _published(folder: ResultFolder, unit: str) -> PrintedFigure | None:
    """Return the published figure: as the tree of the round states it, else as it is known here."""
    benchmark = f"{folder.benchmark} {folder.scenario}"
    known = published_figure("mlperf", folder.round, folder.submitter or "", folder.system, benchmark)
    return published_in_tree(folder, unit) or known


def _differs(printed: PrintedFigure | None, by_rule: float | None, unit: str) -> Iterator[Finding]:
    if printed is not None and by_rule is not None:
        text = (
            f"Published are {printed.value:g} {unit}; the log gives {format_number(by_rule, 6)} {unit} by MLPerf's "
            "rule."
        )
        if finding := printed_finding(printed.value, by_rule, _ROUNDING_PCT, text, _ROUNDING_SOURCE):
            yield finding


def _per_stream(evidence: Evidence) -> float | None:
    """Return what turns mean power into the published energy per stream [s]; None where mean power is published."""
    scenario, queries = evidence.folder.scenario.lower(), evidence.loadgen.queries
    if not queries or scenario in ("offline", "server"):
        return None
    if _by_rate(evidence):
        return 1 / evidence.loadgen.numbers[_RATE]
    begin_ns, end_ns = evidence.window_in_log
    from_single = scenario == "multistream" and evidence.loadgen.scenario == "SingleStream"
    return (STREAMS if from_single else 1) * (end_ns - begin_ns) / NS / queries


def _by_rate(evidence: Evidence) -> bool:
    """Return whether energy per stream is published by the stated rate, and not by queries in the window."""
    folder = evidence.folder
    single = folder.scenario.lower() == "singlestream"
    return single and folder.round == _BY_RATE_IN and _RATE in evidence.loadgen.numbers


def _audited(evidence: Evidence, verdicts: tuple[ImportedVerdict, ...], scale: float, *, published: bool) -> AuditedRun:
    """Audit the log; ``scale`` turns mean power into the quantity that is published."""
    begin_ns, end_ns = evidence.window_in_log
    duration_s = (end_ns - begin_ns) / NS
    column = evidence.log.columns["Watts"]
    good = np.asarray(column.quality == 0)
    t_s = (evidence.log.t_ns - begin_ns) / NS
    first_s = float(t_s[good][0]) - evidence.period_s if good.any() else 0.0
    held_w = held_energy_j(t_s[good], column.value[good], first_s, 0.0, duration_s) / duration_s if good.any() else None
    refused = _refusal(evidence, good, verdicts)
    return AuditedRun(
        id=run_id(evidence.detail),
        title=evidence.folder.path.name,
        begin_ns=evidence.clock.window_to_utc(evidence.loadgen.begin_ns),
        end_ns=evidence.clock.window_to_utc(evidence.loadgen.end_ns),
        meters=1,
        by_rule=None if evidence.testing_w is None else evidence.testing_w * scale,
        over_window=None if held_w is None or refused else held_w * scale,
        refused=refused,
        **stretches(t_s[good], column.value[good], duration_s, edges_inside=False),
        gaps=tuple(silences(t_s, evidence.period_s, duration_s)[:MOST_GAPS]),
        findings=tuple(_findings(evidence, verdicts, published=published)),
        trace=drawn(t_s[good].tolist(), column.value[good].tolist()),
    )


def _refusal(evidence: Evidence, good: NDArray[np.bool_], verdicts: tuple[ImportedVerdict, ...]) -> str | None:
    """Return why wattmark gives no figure for the result; None where it does."""
    if denied := next((verdict for verdict in verdicts if verdict.contradicts), None):
        return f"The files contradict each other. {denied.text}"
    log = evidence.log
    return why_refused(
        "the analyzer",
        log.t_ns,
        log.columns["Watts"].value,
        good,
        period_s=evidence.period_s,
        window_ns=evidence.window_in_log,
    )


def _findings(evidence: Evidence, verdicts: tuple[ImportedVerdict, ...], *, published: bool) -> Iterator[Finding]:
    """List what the log hides. A published result that breaks a rule of the checker hides that it was let through."""
    for verdict in verdicts:
        if verdict.outcome == "fail":
            yield finding_of(verdict, "notes" if verdict.rule in _CHECKED and not published else "hides")
    yield from _bad_readings(evidence)
    yield from _warnings(evidence)
    yield from _hidden(verdicts)
    below_pct = shortfall_pct(evidence)
    if below_pct is not None and -below_pct > _ABOVE_RANGING_PCT:
        yield Finding(
            rule="power-above-ranging",
            severity="hides",
            value=-below_pct,
            limit=_ABOVE_RANGING_PCT,
            unit="%",
            text=f"The measured pass drew {-below_pct:.1f} % more than the ranging pass; the checker looks only "
            "at less.",
            source=f"{CHECKER}: 5 %, applied to both sides",
        )


def _bad_readings(evidence: Evidence) -> Iterator[Finding]:
    """Count the readings below 0 W in the window, with what the daemon said; the rule leaves them out of the mean."""
    begin_ns, end_ns = evidence.window_in_log
    inside = (evidence.log.t_ns > begin_ns) & (evidence.log.t_ns < end_ns)
    watts = evidence.log.columns["Watts"].value[inside]
    below = watts[watts < 0]
    if not len(below):
        return
    errors = [line.text for line in evidence.console.lines if line.level == "ERROR"] if evidence.console else []
    said = f" The daemon wrote {len(errors)} errors, the first: {errors[0][:100]!r}." if errors else ""
    yield count_finding(
        "bad-readings",
        len(below),
        "readings",
        f"{len(below)} of {len(watts)} readings in the window are below 0 W, on average "
        f"{format_number(float(below.mean()), 4)} W; the rule leaves them out of the mean.{said}",
        "no server gives power back",
    )


def _warnings(evidence: Evidence) -> Iterator[Finding]:
    """Name warnings of the daemon inside the window; the checker skips 800 s at either end of it."""
    if evidence.console is None:
        return
    begin_ns, end_ns = evidence.window_in_log
    inside = [
        line
        for line in evidence.console.lines
        if "Uncertainty" in line.text
        and "above" in line.text
        and line.t_ns is not None
        and begin_ns < line.t_ns < end_ns
    ]
    if inside:
        yield count_finding(
            "uncertainty-warnings",
            len(inside),
            "warnings",
            f"The daemon warned {len(inside)} times inside the window, the first: {inside[0].text[:100]!r}. The "
            "checker skips 800 s at either end of the window.",
            f"{CHECKER}: no uncertainty above 1 % in the window",
        )


def _hidden(verdicts: tuple[ImportedVerdict, ...]) -> Iterator[Finding]:
    """Name errors of the measured pass that an odd error of the ranging pass hides: the checker stops at the first."""
    failed = {verdict.rule: verdict for verdict in verdicts if verdict.outcome == "fail"}
    errors, ranging = failed.get("import-errors"), failed.get("import-ranging-errors")
    if errors and ranging and errors.value:
        yield count_finding(
            "hidden-errors",
            round(errors.value),
            "lines",
            f"{errors.value:g} errors of the measured pass follow an unusual error of the ranging pass, at which "
            "the checker stops reading.",
            f"{CHECKER}: none outside the ranging pass",
        )
