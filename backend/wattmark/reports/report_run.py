"""The details of one run in a report: facts, checks, uncertainty budgets, calibrations, phases, disclosure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from wattmark.analysis.verdict import Verdict
from wattmark.core.numbers import format_alone, format_uncertain, partial_u
from wattmark.core.separator import DOT
from wattmark.reports.facts import Facts, capital, facts_of, instant_text, iso_text, number_text
from wattmark.reports.figures.plot import Plot
from wattmark.reports.report import Section, Stat
from wattmark.results.pages.run_page import RunOut
from wattmark.results.result import BudgetedQuantity, MeterCalibration, Result
from wattmark.results.state import run_state
from wattmark.results.tables.cross_check_table import cross_check_table
from wattmark.results.tables.memory_slots_table import memory_slots_table
from wattmark.runs.environment import Environment
from wattmark.tables.table import Column, Table

_OUTCOMES = {"pass": "OK", "fail": "failed", "not-checked": "not checked"}
_LIMITS = {"cpu": "CPU", "gpu": "GPU", "throttling": "heat", "nothing": "no bottleneck found"}
_BASES = {"certificate": "certificate", "specification": "manufacturer's specification", "none": "not traceable"}


def run_name(result: Result) -> str:
    """Name the server and the configuration of a run."""
    return f"{result.server}{DOT}{result.configuration_title or result.configuration}"


def work_name(run: RunOut) -> str:
    """Name the workload of a run as its declaration does, with the level."""
    workload = run.disclosure.workload
    title = None if workload is None else workload.declaration.get("title")
    return f"{title or run.result.workload}, {run.result.level}"


def run_section(number: int, run: RunOut, plots: tuple[Plot, ...], *, screen_only: bool) -> Section:
    """Build the section of a run; ``screen_only`` folds it on a screen and omits it on paper."""
    result = run.result
    # The contributions to power are those to performance per watt: on paper one of the two is enough.
    efficiency = _budget("Uncertainty budget of performance per watt", result.efficiency)
    power = _budget("Uncertainty budget of power", result.power)
    checked = (
        _checks(result.verdicts),
        *(() if result.cross_check is None else (cross_check_table(result),)),
        efficiency if efficiency.rows else power,
        _phases(run),
    )
    slots = memory_slots_table([result])
    disclosure = facts_of("Disclosure", run.disclosure.model_dump(mode="json", exclude={"argv"}))
    standards = _verdicts("SPEC, MLPerf, EE HPC and IEC checks", result.standards)
    folded = (*((power,) if efficiency.rows else ()), standards, slots, disclosure)
    return Section(
        f"run-{number}",
        f"Run {result.run_id}: {run_name(result)}, repeat {result.repeat}",
        (_status(result), *not_ranked(run), *_standards(result.standards), *_together(result), *result.notes),
        tuple(table for table in checked if table.rows),
        plots,
        level=3,
        facts=(Facts("Execution", tuple(_execution(run))), *map(_calibration, result.calibrations)),
        folded=tuple(part for part in folded if part.rows),
        screen_only=screen_only,
    )


def run_stats(result: Result) -> tuple[Stat, ...]:
    """List the figures of a run with their ±: performance per watt, throughput, power, energy."""
    window = "" if result.window_s is None else f"over {number_text(result.window_s, 's', 4)}"
    stats = (
        _stat("Performance per watt", result.efficiency, "work per joule"),
        _throughput(result.throughput, window),
        _stat("Mean power at the wall", result.power, f"meter {result.meter}"),
    )
    return tuple(stat for stat in stats if stat is not None)


def run_statement(run: RunOut) -> str:
    """Describe the result of a run in one sentence; without a result, the reason."""
    result = run.result
    if result.efficiency is None or result.power is None:
        state = run_state(result)
        why = state.reason if state.key == "withheld" or not result.notes else result.reason or result.notes[0]
        return f"{run_name(result)}: no performance per watt. {why or ''}".strip()
    kind = " (simulated)" if result.simulated else ""
    return (
        f"{run_name(result)}: {_figure(result.efficiency)} with {work_name(run)}, at {_figure(result.power)} "
        f"from the wall{kind}."
    )


def _figure(quantity: BudgetedQuantity) -> str:
    return format_uncertain(quantity.value, quantity.U95, quantity.unit)


def _stat(label: str, quantity: BudgetedQuantity | None, note: str) -> Stat | None:
    if quantity is None:
        return None
    without = "" if quantity.U95 is not None else "; ± not known"
    return Stat(label, _figure(quantity), f"{note}{without}".removeprefix("; "))


def _throughput(quantity: BudgetedQuantity | None, window: str) -> Stat | None:
    """Write the throughput of one run, whose ± is that of counting alone."""
    if quantity is None or quantity.U95 is None or partial_u(quantity.value, quantity.U95) is not None:
        return _stat("Throughput", quantity, window)
    return Stat(
        "Throughput", format_alone(quantity.value, quantity.unit), f"{window}; ± of counting alone".removeprefix("; ")
    )


def _status(result: Result) -> str:
    window = ""
    if result.window_begin and result.window_end and result.window_s is not None:
        begin, end = (datetime.fromisoformat(iso).astimezone(UTC) for iso in (result.window_begin, result.window_end))
        excluded = f", {result.samples_excluded} excluded" if result.samples_excluded else ""
        window = (
            f" Window {instant_text(begin).removesuffix(' UTC')} to {end:%H:%M:%S} UTC, "
            f"{number_text(result.window_s, 's', 4)}, rule {result.window_rule}; {result.samples} samples{excluded}."
        )
    state = run_state(result)
    return f"State: {state.words}.{f' {state.reason}' if state.reason else ''}{window}"


def _execution(run: RunOut) -> Iterator[tuple[str, str]]:
    """Yield the facts needed to repeat the run; the rest is in the disclosure."""
    result, disclosed = run.result, run.disclosure
    host, quiet, window = disclosed.host, disclosed.quiet, disclosed.window
    environment = disclosed.environment or Environment()
    facts = {
        "Workload": work_name(run),
        "Command": " ".join(disclosed.argv),
        "Program": disclosed.program_version,
        "Started": iso_text(result.created),
        "CPU utilisation": _amount(result.cpu_utilisation_pct, "%"),
        "Limited by": _LIMITS.get(result.limited_by or "", result.limited_by),
        "Limits reached": _limits_reached(result),
        "CPU share of the load": _amount(window.load_cpu_share_pct, "%"),
        "Other programs before the run": None if quiet is None else _amount(quiet.others_pct, "%"),
        "Load generator": ", ".join(str(part) for part in (host.host, host.machine, host.kernel) if part),
        "CPU governor": environment.governor,
        "Turbo": environment.turbo,
        "Power caps": ", ".join(f"{name}: {text}" for name, text in (environment.power_caps or {}).items()),
        "Clock": disclosed.clock.remark or _amount(disclosed.clock.offset_s, "s"),
        "Recorded by": disclosed.recorded_by.lab if disclosed.recorded_by else None,
        "Software": result.software,
        "Tags": ", ".join(run.tags),
        "Note": run.note,
    }
    yield from ((name, text) for name, text in facts.items() if text)
    if run.inclusion is not None:
        yield from facts_of("", run.inclusion.model_dump(mode="json")).rows


def _limits_reached(result: Result) -> str:
    reached = (limit for limit in result.limits_reached if limit.share_pct > 0)
    return "; ".join(f"{r.device}: {r.cause} {number_text(r.share_pct, '%', 3)} ({r.basis})" for r in reached)


def _amount(value: float | None, unit: str) -> str | None:
    return None if value is None else number_text(value, unit, 3)


def _calibration(meter: MeterCalibration) -> Facts:
    facts = meter.model_dump(mode="json", exclude={"basis", "meter"}, exclude_defaults=True)
    rows = facts_of("", facts).rows
    return Facts(f"Calibration of {meter.meter}", (("Basis", _BASES[meter.basis]), *rows))


def not_ranked(run: RunOut) -> Iterator[str]:
    """Yield by which figures the run is not ranked and why, and by whose choice it is ranked; each reason once."""
    barred: dict[str, list[str]] = {}
    for claim in run.ranking:
        if claim.why_not is not None:
            barred.setdefault(claim.why_not, []).append(claim.title)
    yield from (f"Not ranked by {', '.join(titles)}. {why}" for why, titles in barred.items())
    chosen = dict.fromkeys(claim.inclusion for claim in run.ranking if claim.inclusion is not None)
    yield from (f"{text}." for text in chosen)


def _standards(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield in one sentence how many checks of others were passed."""
    judged = [v for v in verdicts if v.outcome != "not-checked"]
    if judged:
        passed = sum(v.outcome == "pass" for v in judged)
        yield f"SPEC, MLPerf, EE HPC and IEC checks: {passed} of {len(judged)} that could be checked are met."


def _together(result: Result) -> Iterator[str]:
    """Yield the runs of the same barrier group, and the spread of their starts."""
    if result.started_with:
        yield f"Ran together with {', '.join(result.started_with)}."
    if result.start_spread_s is not None and result.start_spread_u_s is not None:
        apart_ms, u_ms = result.start_spread_s * 1e3, result.start_spread_u_s * 1e3
        yield f"Their measured work started {apart_ms:.1f} ms apart (u {u_ms:.1f} ms)."


def _checks(verdicts: Sequence[Verdict]) -> Table:
    """Build the table of what was judged; what was not checked is said below it, or a run takes a sheet more."""
    judged = [v for v in verdicts if v.outcome != "not-checked"]
    if not judged:
        return _verdicts("Checks", verdicts)
    reasons: dict[str, list[Verdict]] = {}
    for v in verdicts:
        if v.outcome == "not-checked":
            reasons.setdefault(v.text, []).append(v)
    unchecked = tuple(f"{_rules(same)}: {text}" for text, same in reasons.items())
    table = _verdicts("Checks", judged)
    return replace(table, footnotes=("Not checked:", *unchecked)) if unchecked else table


def _verdicts(title: str, verdicts: Sequence[Verdict]) -> Table:
    """Build the table of verdicts; rules that were not checked for one reason share a row."""
    columns = (
        Column("rule", "Check"),
        Column("outcome", "Outcome"),
        Column("value", "Value"),
        Column("limit", "Limit"),
        Column("text", "In words"),
    )
    together: dict[object, list[Verdict]] = {}
    for position, v in enumerate(verdicts):
        alone = v.outcome != "not-checked" or v.value is not None
        together.setdefault(position if alone else v.text, []).append(v)
    rows = tuple(
        (
            _rules(same),
            _OUTCOMES[same[0].outcome],
            _value(same[0].value, same[0].unit),
            _value(same[0].limit, same[0].unit) if len(same) == 1 else None,
            same[0].text,
        )
        for same in together.values()
    )
    return Table("verdicts", title, columns, rows)


def _rules(verdicts: Sequence[Verdict]) -> str:
    """Name the rules of verdicts, each once."""
    return capital(", ".join(dict.fromkeys(v.rule.replace("-", " ").replace("_", " ") for v in verdicts)))


def _value(value: float | None, unit: str) -> str | None:
    if value is None:
        return None
    if unit == "level":
        return f"level {value:g}" if value else "none"
    return number_text(value, "" if unit == "1" else "rule" if unit == "rules" and value == 1 else unit, 3)


def _budget(title: str, figure: BudgetedQuantity | None) -> Table:
    unit = "" if figure is None else figure.unit
    columns = (
        Column("name", "Contribution"),
        Column("evaluation", "Type"),
        Column("distribution", "Distribution"),
        Column("u_input", "u of the input"),
        Column("sensitivity", "Sensitivity", kind="number", digits=3),
        Column("u", "u of the result", unit, kind="number", digits=2),
        Column("dof", "Degrees of freedom", kind="number", digits=2),
        Column("share_pct", "Share", "%", "number", digits=2),
    )
    rows = tuple(
        (f"{b.name} ({b.note})" if b.note else b.name, b.evaluation, b.distribution, number_text(b.u, b.unit, 2),
         b.sensitivity, b.u_result, b.dof, round(b.share_pct, 2))
        for b in (() if figure is None else figure.budget)
    )  # fmt: skip
    return Table("budget", title, columns, rows)


def _phases(run: RunOut) -> Table:
    columns = (
        Column("name", "Phase"),
        Column("begin", "Begin"),
        Column("duration", "Duration", "s", "number", digits=4),
    )
    rows = tuple(
        (phase.name, instant_text(datetime.fromtimestamp(phase.begin_s, UTC)),
         None if phase.end_s is None else phase.end_s - phase.begin_s)
        for phase in run.phases
    )  # fmt: skip
    return Table("phases", "Phases", columns, rows)
