"""The columns of the table of runs: those that scripts rely on, then the finer ones, then the second figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from wattmark.core.numbers import format_number
from wattmark.core.quantity import Quantity, half_of, value_of
from wattmark.results.disagreement import disagreement
from wattmark.results.issued.versions import labels
from wattmark.results.overrides import override_texts
from wattmark.results.plus_minus import NOMINAL, joined, plus_minus_text
from wattmark.results.ranking_bars import inclusion_text, not_ranked_text
from wattmark.results.result import Result
from wattmark.results.state import run_state
from wattmark.results.tables.marks import result_marks
from wattmark.tables.fields import Fields
from wattmark.tables.table import Cell, Column, LayoutColumn

Part = TypeVar("Part")


def _hashes(result: Result) -> str | None:
    used = [calibration.certificate_sha256 for calibration in result.calibrations if calibration.basis == "certificate"]
    return ", ".join(hash_ for hash_ in used if hash_) or None


def _of(part: Callable[[Result], Part | None], take: Callable[[Part], Cell]) -> Callable[[Result], Cell]:
    """Return a function that takes a cell from a part of a result; None where the result lacks that part."""
    return lambda result: None if (value := part(result)) is None else take(value)


def _u(quantity: Quantity | None) -> float | None:
    return None if quantity is None else quantity.u


def _k95(quantity: Quantity | None) -> float | None:
    return None if quantity is None else quantity.k95


def _energy_half(result: Result) -> float | None:
    """Compute the U95 of the energy of the window [J]: relative to it, that of mean power."""
    joules, power = result.energy_j, result.power
    return None if joules is None or power is None or power.U95 is None else joules * power.U95 / power.value


_FIRST: Fields[Result] = (
    (Column("run_id", "Run"), lambda r: r.run_id),
    (Column("server", "Server"), lambda r: r.server),
    (Column("configuration", "Configuration"), lambda r: r.configuration),
    (Column("workload", "Workload"), lambda r: r.workload),
    (Column("level", "Level"), lambda r: r.level),
    (Column("repeat", "Repeat", kind="integer"), lambda r: r.repeat),
    (Column("status", "Status", for_people=False), lambda r: r.status.value),
    (
        Column(
            "throughput",
            "Throughput",
            "",
            "number",
            expanded_u="throughput_U95",
            partial=True,
            unit_from="throughput_unit",
        ),
        lambda r: value_of(r.throughput),
    ),
    (Column("throughput_unit", "Unit", for_people=False), lambda r: r.throughput_unit),
    (Column("power_w", "Power", "W", "number", expanded_u="power_U95_w"), lambda r: value_of(r.power)),
    (Column("power_u_w", "u(power)", "W", "number", for_people=False), lambda r: _u(r.power)),
    (
        Column("efficiency", "Efficiency", "", "number", expanded_u="efficiency_U95", unit_from="efficiency_unit"),
        lambda r: value_of(r.efficiency),
    ),
    (
        Column("efficiency_u", "u(efficiency)", kind="number", unit_from="efficiency_unit", for_people=False),
        lambda r: _u(r.efficiency),
    ),
    (Column("efficiency_unit", "Unit", for_people=False), lambda r: r.efficiency_unit),
    (
        Column(
            "energy_per_op_j", "Energy per operation", "J", "number", expanded_u="energy_per_op_U95_j", prefixed=True
        ),
        lambda r: value_of(r.energy_per_op),
    ),
    (Column("window_begin", "Window begin", kind="time", for_people=False), lambda r: r.window_begin),
    (Column("window_end", "Window end", kind="time", for_people=False), lambda r: r.window_end),
    (Column("window_s", "Window", "s", "number"), lambda r: r.window_s),
    (Column("window_rule", "Window rule"), lambda r: r.window_rule),
    (Column("samples", "Samples", kind="integer"), lambda r: r.samples),
    (Column("meter", "Meter"), lambda r: r.meter),
    (Column("simulated", "Simulated", kind="flag", for_people=False), lambda r: r.simulated),
    (Column("traceable", "Traceable", kind="flag", for_people=False), lambda r: r.traceable),
    (Column("source", "Source"), lambda r: r.source),
    (Column("configuration_title", "Configuration in words", for_people=False), lambda r: r.configuration_title),
    (Column("dimm_count", "DIMMs", kind="integer"), lambda r: r.dimm_count),
    (Column("power_U95_w", "U95(power)", "W", "number", for_people=False), lambda r: half_of(r.power)),
    (
        Column("efficiency_U95", "U95(efficiency)", kind="number", unit_from="efficiency_unit", for_people=False),
        lambda r: half_of(r.efficiency),
    ),
    (
        Column("throughput_U95", "U95(throughput)", kind="number", unit_from="throughput_unit", for_people=False),
        lambda r: half_of(r.throughput),
    ),
    (
        Column("energy_per_op_U95_j", "U95(energy per op.)", "J", "number", for_people=False),
        lambda r: half_of(r.energy_per_op),
    ),
    (Column("energy_per_op_u_j", "u(energy per op.)", "J", "number", for_people=False), lambda r: _u(r.energy_per_op)),
    (Column("energy_j", "Energy", "J", "number", "energy_U95_j", for_people=False), lambda r: r.energy_j),
    (Column("energy_U95_j", "U95(energy)", "J", "number", for_people=False), _energy_half),
    (Column("n_eff", "Effective samples", kind="number", for_people=False), lambda r: r.n_eff),
    (Column("samples_excluded", "Samples excluded", kind="integer", for_people=False), lambda r: r.samples_excluded),
    (
        Column("cpu_utilisation_pct", "CPU utilisation", "%", "number", for_people=False),
        lambda r: r.cpu_utilisation_pct,
    ),
    (Column("steady", "Steady", kind="flag", for_people=False), lambda r: r.steady),
    (Column("full_load", "Full load", kind="flag", for_people=False), lambda r: r.full_load),
    (Column("power_k95", "Coverage factor", kind="number", digits=3), lambda r: _k95(r.power)),
    (Column("efficiency_k95", "k95(efficiency)", kind="number", for_people=False), lambda r: _k95(r.efficiency)),
    (Column("basis", "Basis", for_people=False), lambda r: r.basis),
    (Column("rests_on", "Based on"), lambda r: "; ".join(labels(r)) or None),
    (Column("certificate_hash", "Certificate hash", for_people=False), _hashes),
    (Column("result_version", "Version", kind="integer", for_people=False), lambda r: r.result_version),
    (Column("overrides", "Overrides", for_people=False), lambda r: " ".join(override_texts(r)) or None),
)

_SECOND: Fields[Result] = (
    (
        Column("full_load_power_w", "Full-load power", "W", "number", "full_load_power_U95_w"),
        _of(lambda r: r.full_load_power, lambda p: value_of(p.power)),
    ),
    (
        Column("full_load_power_u_w", "u(full-load power)", "W", "number", for_people=False),
        _of(lambda r: r.full_load_power, lambda p: _u(p.power)),
    ),
    (
        Column("full_load_power_U95_w", "U95(full-load power)", "W", "number", for_people=False),
        _of(lambda r: r.full_load_power, lambda p: half_of(p.power)),
    ),
    (
        Column("full_load_reason", "No full-load power", for_people=False),
        _of(lambda r: r.full_load_power, lambda p: p.reason or None),
    ),
    (
        Column("stated_throughput", "Stated throughput", kind="number", unit_from="throughput_unit", for_people=False),
        lambda r: r.stated_throughput,
    ),
    (Column("uncovered_pct", "Time uncovered", "%", "number", for_people=False), lambda r: r.uncovered_pct),
    (
        Column("idle_subtracted_efficiency", "Idle-subtracted efficiency", "", "number",
               "idle_subtracted_efficiency_U95",
               "efficiency_unit"),
        _of(lambda r: r.idle_subtracted, lambda a: value_of(a.efficiency)),
    ),
    (
        Column("idle_subtracted_efficiency_u", "u(idle-subtracted)", "", "number", None, "efficiency_unit",
               for_people=False),
        _of(lambda r: r.idle_subtracted, lambda a: _u(a.efficiency)),
    ),
    (
        Column("idle_subtracted_efficiency_U95", "", "", "number", None, "efficiency_unit", for_people=False),
        _of(lambda r: r.idle_subtracted, lambda a: half_of(a.efficiency)),
    ),
    (
        Column("idle_power_w", "Idle power", "W", "number", expanded_u="idle_power_U95_w", for_people=False),
        _of(lambda r: r.idle_subtracted, lambda a: a.idle.value),
    ),
    (
        Column("idle_power_u_w", "u(idle power)", "W", "number", for_people=False),
        _of(lambda r: r.idle_subtracted, lambda a: a.idle.u),
    ),
    (
        Column("idle_power_U95_w", "U95(idle power)", "W", "number", for_people=False),
        _of(lambda r: r.idle_subtracted, lambda a: a.idle.U95),
    ),
    (
        Column("edp_js", "Energy-delay product", "J s", "number", expanded_u="edp_U95_js"),
        _of(lambda r: r.delay_product, lambda d: d.edp.value),
    ),
    (
        Column("edp_u_js", "u(EDP)", "J s", "number", for_people=False),
        _of(lambda r: r.delay_product, lambda d: d.edp.u),
    ),
    (
        Column("edp_U95_js", "U95(EDP)", "J s", "number", for_people=False),
        _of(lambda r: r.delay_product, lambda d: d.edp.U95),
    ),
    (
        Column("ed2p_js2", "ED2P", "J s2", "number", expanded_u="ed2p_U95_js2", for_people=False),
        _of(lambda r: r.delay_product, lambda d: d.ed2p.value),
    ),
    (
        Column("ed2p_U95_js2", "U95(ED2P)", "J s2", "number", for_people=False),
        _of(lambda r: r.delay_product, lambda d: d.ed2p.U95),
    ),
    (
        Column("edp_of", "EDP of", for_people=False),
        _of(lambda r: r.delay_product, lambda d: f"{format_number(d.work)} {d.unit}"),
    ),
    (
        Column("cost_per_operation", "Cost per operation", "", "number", "cost_per_operation_U95", "currency"),
        _of(lambda r: r.cost, lambda c: c.per_operation.value),
    ),
    (
        Column("cost_per_operation_u", "u(cost)", "", "number", None, "currency", for_people=False),
        _of(lambda r: r.cost, lambda c: c.per_operation.u),
    ),
    (
        Column("cost_per_operation_U95", "U95(cost)", "", "number", None, "currency", for_people=False),
        _of(lambda r: r.cost, lambda c: c.per_operation.U95),
    ),
    (Column("currency", "Currency", for_people=False), _of(lambda r: r.cost, lambda c: c.currency)),
    (
        Column("efficiency_per_price", "Efficiency per price", "", "number", "efficiency_per_price_U95",
               "efficiency_per_price_unit"),
        _of(lambda r: r.cost, lambda c: value_of(c.efficiency_per_price)),
    ),
    (
        Column("efficiency_per_price_U95", "U95(eff. per price)", "", "number", None, "efficiency_per_price_unit",
               for_people=False),
        _of(lambda r: r.cost, lambda c: half_of(c.efficiency_per_price)),
    ),
    (
        Column("efficiency_per_price_unit", "Unit", for_people=False),
        lambda r: None if r.cost is None else f"{r.efficiency_unit}/{r.cost.currency}",
    ),
    (
        Column("nominal_efficiency", "Nominal efficiency", "", "number", None, "nominal_unit"),
        _of(lambda r: r.nominal, lambda n: n.efficiency.value),
    ),
    (Column("nominal_unit", "Unit", for_people=False), _of(lambda r: r.nominal, lambda n: n.efficiency.unit)),
    (Column("tdp_w", "Design power", "W", "number", for_people=False), _of(lambda r: r.nominal, lambda n: n.tdp_w)),
)  # fmt: skip

_LAST: Fields[Result] = (
    (Column("marks", "Marks"), lambda r: ", ".join(result_marks(r)) or None),
    (
        Column("plus_minus", "On the ±"),
        lambda r: joined([plus_minus_text(r), None if r.nominal is None else NOMINAL]),
    ),
    (Column("not_ranked", "Not ranked"), not_ranked_text),
    (Column("other_sources", "Other sources of power"), disagreement),
    (Column("state", "State"), lambda r: run_state(r).words),
    (Column("state_reason", "Reason of the state", for_people=False), lambda r: run_state(r).reason),
    (Column("ranked_by_choice", "Ranked by override"), inclusion_text),
    (Column("reason", "Reason", for_people=False), lambda r: r.reason),
    (Column("notes", "Notes", for_people=False), lambda r: " ".join(r.notes) or None),
)
WORK = (LayoutColumn("throughput"), LayoutColumn("power_w"))
EFFICIENCY = LayoutColumn("efficiency", "Perf/W", quotient=("throughput", "power_w"))
"""The columns that every article about work per joule prints."""
RESULT_LAYOUT = (
    LayoutColumn("configuration_title", "Configuration", lead="server", otherwise="configuration"),
    LayoutColumn("workload", if_varies=True),
    LayoutColumn("level", if_varies=True),
    LayoutColumn("repeat"),
    *WORK,
    EFFICIENCY,
)
"""What an article prints of runs, at most a page wide."""
RESULT: Fields[Result] = (*_FIRST, *_SECOND, *_LAST)
