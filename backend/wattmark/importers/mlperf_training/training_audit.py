"""The audit of a training submission: its published energy, the rule's, and that of the timed part alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.energy.training_rule import counted_runs, held_energy_j, mean, rule_energy_j
from wattmark.audits.audit import Audit, AuditedRun, Finding, Gap, drawn
from wattmark.audits.each import each_audit
from wattmark.audits.findings import count_finding, printed_finding
from wattmark.audits.logged_power import GAP_PERIODS, LIMITS, MOST_GAPS, lost_s, silences, stretches, why_refused
from wattmark.audits.published_figures import published_figure
from wattmark.audits.sentences import training_sentence
from wattmark.core.numbers import format_number, signed_number
from wattmark.core.version import version
from wattmark.importers.importer import Choices
from wattmark.importers.mlperf_training.power_log import NodeLog
from wattmark.importers.mlperf_training.training_run import TrainingRun, read_training_run
from wattmark.importers.mlperf_training.tree import BenchmarkFolder, find_submissions

RULE = (
    "Each reading times the time since the one before, summed over the whole log of every node, times the timed part "
    "over the length of the log; switches as estimated; mean of the runs without the fastest and the slowest"
)
RULE_SOURCE = "mlcommons/logging, result_summarizer"
WINDOW = "The same readings from run_start to run_stop alone, averaged over the same runs"
_MOST_DROPPED = {"unet3d": 4}
"""Runs that the score excludes at either end, where it is not 1."""
_DIFFERENCE_PCT = 1.0
_ROUNDING_KJ = 0.01
_REPEATS = "repeats are separate measurements"
_OWN_METER = "each node is measured by a meter of its own"
_POLICY = "mlcommons/training_policies, power_measurement: readings cover the timed part"


def audit_training(root: Path, choices: Choices) -> Iterator[Audit]:
    """Audit every submission of a tree. Raises `InputError` after the others where one cannot be read."""
    folders = find_submissions(root, choices.round)
    return each_audit(folders, lambda folder: [audit_folder(folder)])


def audit_folder(folder: BenchmarkFolder) -> Audit:
    """Audit one submission. Raises `InputError` naming the file that cannot be read."""
    scaling, most_dropped = folder.scaling(), _MOST_DROPPED.get(folder.benchmark, 1)
    runs: list[AuditedRun] = []
    times: list[float | None] = []
    digests: list[str] = []
    for file in folder.runs:
        run = read_training_run(folder, file)
        runs.append(_audited(run))
        times.append(run.timed_s if run.converged else None)
        digests.append(run.readings_digest)
    chosen = {run.id for run in counted_runs(runs, times, most_dropped)}
    twice = Counter(digests)
    runs = [
        run.changed(
            counted=run.id in chosen,
            findings=(*run.findings, *_same_log(twice[digest])),
        )
        for run, digest in zip(runs, digests, strict=True)
    ]
    counted = [run for run in runs if run.counted]
    by_rule, over_window = (_mean_kj(counted, name, scaling) for name in ("by_rule", "over_window"))
    description = folder.description().get("submission")
    submitter = str(description.get("submitter") or folder.folder) if isinstance(description, dict) else folder.folder
    printed = published_figure("mlperf-training", folder.round, folder.folder, folder.system, folder.benchmark)
    return Audit(
        id=f"mlperf-training-{hashlib.sha256(folder.source.encode()).hexdigest()[:16]}",
        kind="mlperf-training",
        title=f"{folder.benchmark} on {folder.system}",
        submitter=submitter,
        round=folder.round,
        system=folder.system,
        benchmark=folder.benchmark,
        source=folder.source,
        quantity="energy to train",
        unit="kJ",
        published=printed.value if printed else None,
        published_source=printed.source if printed else None,
        by_rule=by_rule,
        rule=f"{RULE} ({RULE_SOURCE}).",
        over_window=over_window,
        window=f"{WINDOW}.",
        sentence=training_sentence(by_rule, over_window, counted),
        findings=tuple(
            _submission_findings(
                by_rule, over_window, printed.value if printed else None, scaling, runs, digests, folder.without_power
            )
        ),
        runs=tuple(runs),
        software=version(),
    )


def _mean_kj(runs: Sequence[AuditedRun], name: str, scaling: float) -> float | None:
    values = [value for run in runs if (value := getattr(run, name)) is not None]
    average = mean(values)
    return None if average is None else average * scaling


def _audited(run: TrainingRun) -> AuditedRun:
    timed_s = run.timed_s
    estimated_j = run.estimated_w * timed_s
    rule_j = held_j = 0.0
    for node in run.nodes:
        rule_j += node.conversion * rule_energy_j(node.t_s, node.power_w, node.begin_s, node.end_s, timed_s)
        held_j += node.conversion * held_energy_j(node.t_s, node.power_w, node.begin_s, run.begin_s, run.end_s)
    t_s, power_w = _total(run)
    findings = tuple(run_findings(run))
    return AuditedRun(
        id=run.id,
        title=run.title,
        begin_ns=round(run.begin_s * 1e3) * 10**6,
        end_ns=round(run.end_s * 1e3) * 10**6,
        meters=len(run.nodes),
        by_rule=(rule_j + estimated_j) / 1e3,
        over_window=(held_j + estimated_j) / 1e3,
        refused=next((finding.text for finding in findings if finding.rule == "silent-meter"), None),
        **stretches(t_s, power_w, timed_s, edges_inside=True),
        estimated_w=run.estimated_w,
        gaps=_gaps(run),
        findings=findings,
        trace=drawn(t_s.tolist(), power_w.tolist()),
    )


def _total(run: TrainingRun) -> tuple[np.ndarray, np.ndarray]:
    """Add the nodes at the stamps of the first one [s from run_start, W]; the others are read off between stamps."""
    first = run.nodes[0]
    order = np.argsort(first.t_s, kind="stable")
    t_s = first.t_s[order]
    total = first.conversion * first.power_w[order]
    for node in run.nodes[1:]:
        at = np.argsort(node.t_s, kind="stable")
        total = total + node.conversion * np.interp(t_s, node.t_s[at], node.power_w[at])
    return t_s - run.begin_s, total


def _gaps(run: TrainingRun) -> tuple[Gap, ...]:
    """List the silences of any node within the window, from the start of its log on."""
    gaps = [gap for node in run.nodes for gap in silences(_stamps_s(node) - run.begin_s, node.period_s, run.timed_s)]
    return tuple(sorted(gaps, key=lambda gap: gap.begin_s))[:MOST_GAPS]


def _stamps_s(node: NodeLog) -> np.ndarray:
    """Return the start of a log and the stamps of its usable readings, in order [s]."""
    return np.sort(np.append(node.taken_s[~node.bad], node.begin_s))


def _refused(node: NodeLog, run: TrainingRun) -> bool:
    """Return whether wattmark refuses an energy for the log of a node because readings are missing."""
    t_ns, good = _readings(node)
    period_s, window_ns = node.period_s, _window_ns(run)
    return why_refused(_short(node), t_ns, node.power_w, good, period_s=period_s, window_ns=window_ns) is not None


def _readings(node: NodeLog) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return when the readings of a node were taken [ns since 1970], and which are good."""
    return np.rint(node.taken_s * 1e3).astype(np.int64) * 10**6, ~node.bad


def _window_ns(run: TrainingRun) -> tuple[int, int]:
    return round(run.begin_s * 1e3) * 10**6, round(run.end_s * 1e3) * 10**6


def run_findings(run: TrainingRun) -> Iterator[Finding]:
    """List what the logs of one run show that the publisher's checker lets through."""
    yield from _silence(run)
    backward = sum(node.backward_steps for node in run.nodes)
    if backward:
        yield count_finding(
            "clock-steps",
            backward,
            "steps",
            f"{backward} readings have a stamp that is not after the one before; the rule adds it all.",
            "stamps of a log increase",
        )
    if cut := next((node.cut for node in run.nodes if node.cut.are_cut), None):
        yield Finding(
            rule="cut-stamps",
            severity="notes",
            value=cut.equal,
            unit="readings",
            text=cut.note,
            source="each reading was taken within the second after its stamp",
        )
    if bad := sum(int(np.count_nonzero(node.bad)) for node in run.nodes):
        yield count_finding(
            "bad-readings",
            bad,
            "readings",
            f"{bad} readings are below 0 W, which no server draws; the rule adds them as power.",
            "a reading below 0 W is an error of the meter",
        )
    yield from _not_measured(run)
    yield from _left_out(run)
    if run.estimated_w:
        nodes_j = _nodes_j(run)
        share = 100 * run.estimated_w * run.timed_s / (run.estimated_w * run.timed_s + nodes_j or 1.0)
        yield Finding(
            rule="estimated-power",
            severity="notes",
            value=share,
            unit="%",
            text=f"{format_number(share, 3)} % of the energy is the estimate of {run.estimated_w:g} W for switches, "
            "not a "
            "measurement.",
            source=_POLICY,
        )
    if factors := sorted({node.conversion for node in run.nodes if node.conversion != 1}):
        shown = ", ".join(f"{factor:g}" for factor in factors)
        yield Finding(
            rule="scaled-power",
            severity="hides",
            value=factors[-1],
            limit=1.0,
            text=f"Readings are multiplied by a stated conversion efficiency of {shown} that no file supports.",
            source=_POLICY,
        )
    late_s = max(max(node.begin_s - run.begin_s, run.end_s - float(node.t_s.max())) for node in run.nodes)
    if late_s > max(node.period_s for node in run.nodes):
        yield Finding(
            rule="window-covered",
            severity="hides",
            value=late_s,
            limit=max(node.period_s for node in run.nodes),
            unit="s",
            text=f"A power log misses {format_number(late_s, 3)} s of the timed part at an edge.",
            source=_POLICY,
        )


def _nodes_j(run: TrainingRun) -> float:
    return sum(held_energy_j(n.t_s, n.power_w, n.begin_s, run.begin_s, run.end_s) for n in run.nodes)


def _not_measured(run: TrainingRun) -> Iterator[Finding]:
    """Name the nodes whose logs are not a measurement of their own, and the files whose names are not those of logs."""
    if run.counted_twice:
        text = f"{run.counted_twice} nodes have the readings of another node: one measurement, counted again."
        yield count_finding("same-log", run.counted_twice, "nodes", text, _OWN_METER)
    if (total := run.total) is not None:
        text = f"The log of {_short(total)} holds the power of all other nodes together, which is counted twice."
        yield count_finding("counted-twice", 1, "nodes", text, _OWN_METER)
    if small := [_short(node) for node in run.in_other_unit]:
        text = f"The power of {small[0]} is less than a 200th of that of other nodes, as if it was logged in kW."
        yield count_finding("other-unit", len(small), "nodes", text, "power is logged in W")
    if dead := [_short(node) for node in run.nodes if node.is_dead]:
        text = f"The log of {dead[0]} never shows power above 0 W; {len(dead)} of {len(run.nodes)} nodes are so."
        yield count_finding("no-power", len(dead), "nodes", text, "a running node draws power")
    if run.others:
        text = (
            f"{len(run.others)} files beside the power logs are neither node_N.txt nor sw_N.txt, such as "
            f"{run.others[0][:80]}; what they hold is in no figure."
        )
        yield count_finding("other-files", len(run.others), "files", text, _POLICY)


def _left_out(run: TrainingRun) -> Iterator[Finding]:
    """Name the switches whose readings the rule leaves out, because their log holds no estimate."""
    logs = [(switch.left_out, switch.conversion) for switch in run.switches if switch.left_out]
    watts = sum((readings.mean_w or 0.0) * conversion for readings, conversion in logs)
    if logs and watts > 0:
        left_out_j = watts * run.timed_s
        yield Finding(
            rule="switch-left-out",
            severity="hides",
            value=100 * left_out_j / (left_out_j + _nodes_j(run)),
            limit=0.0,
            unit="%",
            text=f"The logs of switches hold {sum(readings.readings for readings, _ in logs)} readings, "
            f"{format_number(watts, 4)} W "
            f"or {format_number(left_out_j / 1e3, 4)} kJ together. The rule counts none of it: it takes an estimate "
            "alone.",
            source=f"{RULE_SOURCE}: interconnect_power_est",
        )


def _silence(run: TrainingRun) -> Iterator[Finding]:
    """Name the node that was silent for longest, where wattmark refuses a figure for it."""
    silent = [(_silent_s(node, run), node) for node in run.nodes if _refused(node, run)]
    if not silent:
        return
    silent_s, node = max(silent, key=lambda pair: pair[0])
    limit_s = LIMITS.most_lost_s(run.timed_s, node.period_s)
    what = "was silent"
    if silent_s <= limit_s:  # readings are missing one by one, or show 0 W
        what, (t_ns, good) = "gave no good reading", _readings(node)
        silent_s = lost_s(t_ns, node.power_w, good, period_s=node.period_s, window_ns=_window_ns(run))
    yield Finding(
        rule="silent-meter",
        severity="hides",
        value=silent_s,
        limit=limit_s,
        unit="s",
        text=f"The meter of {_short(node)} {what} for {silent_s:.1f} s of {run.timed_s:.0f} s. The rule fills the "
        "silence with other readings.",
        source="at most 1 % of the window, or one reading, may be missing (wattmark's limits)",
    )


def _silent_s(node: NodeLog, run: TrainingRun) -> float:
    """Add up how much longer than its usual period a node was silent within the window [s]."""
    t_s = _stamps_s(node)
    long = np.diff(t_s) > GAP_PERIODS * node.period_s
    begin = np.clip(t_s[:-1][long], run.begin_s, run.end_s)
    end = np.clip(t_s[1:][long] - node.period_s, run.begin_s, run.end_s)
    before_s = max(min(float(t_s[0]), run.end_s) - run.begin_s, 0.0)
    after_s = max(run.end_s - max(float(t_s[-1]) + node.period_s, run.begin_s), 0.0)
    return before_s + float(np.maximum(end - begin, 0.0).sum()) + after_s


def _short(node: NodeLog) -> str:
    return node.name.rpartition("/")[2].removesuffix(".txt")


def _same_log(count: int) -> tuple[Finding, ...]:
    if count < 2:
        return ()
    text = f"{count} runs have power logs with the same readings: one measurement, counted {count} times."
    return (count_finding("same-log", count, "runs", text, _REPEATS, limit=1.0),)


def _submission_findings(
    by_rule: float | None,
    over_window: float | None,
    printed: float | None,
    scaling: float,
    runs: Sequence[AuditedRun],
    digests: Sequence[str],
    without_power: int,
) -> Iterator[Finding]:
    if by_rule is not None and over_window:
        off = 100 * (by_rule / over_window - 1)
        if abs(off) > _DIFFERENCE_PCT:
            yield Finding(
                rule="window",
                severity="differs",
                value=off,
                limit=_DIFFERENCE_PCT,
                unit="%",
                text=f"The rule gives {off:+.1f} % against the same readings over the timed part alone.",
                source="1 %, the accuracy that MLPerf asks of a meter",
            )
    if printed is not None and by_rule:
        text = (
            f"Published are {printed:,.2f} kJ; the files give {by_rule:,.2f} kJ by the same rule, "
            f"{signed_number(100 * (printed / by_rule - 1), 3)} % apart."
        )
        last_digit_pct = 100 * _ROUNDING_KJ / by_rule
        if finding := printed_finding(printed, by_rule, last_digit_pct, text, "last digit of the published figure"):
            yield finding
    if scaling != 1:
        yield Finding(
            rule="scaled-figure",
            severity="notes",
            value=scaling,
            limit=1.0,
            text=f"A review scaled time and energy by {format_number(scaling, 6)}; the energy of that time was not "
            "measured.",
            source="scaling.json of the submission",
        )
    if without_power:
        yield count_finding(
            "power-logs",
            without_power,
            "runs",
            f"{without_power} of {without_power + len(runs)} runs have no power logs; their energy is in no figure.",
            _POLICY,
        )
    repeated = len(digests) - len(set(digests))
    if repeated:
        yield count_finding(
            "same-log",
            repeated,
            "runs",
            f"Of {len(digests)} runs only {len(set(digests))} have power logs of their own.",
            _REPEATS,
        )
    silent = [run for run in runs if run.refused]
    if silent:
        yield count_finding(
            "silent-meter",
            len(silent),
            "runs",
            f"{len(silent)} of {len(runs)} runs have a meter that was silent for too long; over the timed part each "
            "silence is filled with the reading that ends it, and as measurements these runs have no figure.",
            "at most 1 % of the window without a reading (wattmark's limits)",
        )
