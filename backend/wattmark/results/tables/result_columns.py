"""The columns of the table of runs: those that scripts rely on, then the finer ones, then the second figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from wattmark.core.numbers import format_number
from wattmark.results.disagreement import disagreement
from wattmark.results.issued.versions import labels
from wattmark.results.overrides import override_texts
from wattmark.results.plus_minus import NOMINAL, joined, plus_minus_text
from wattmark.results.ranking_bars import inclusion_text, not_ranked_text
from wattmark.results.result import Result
from wattmark.results.state import run_state
from wattmark.results.tables.marks import result_marks
from wattmark.results.validity import MEANING, validity
from wattmark.tables.fields import Fields, HalfFields, QuantityFields
from wattmark.tables.table import Cell, Column, LayoutColumn

Part = TypeVar("Part")


def _hashes(result: Result) -> str | None:
    used = [calibration.certificate_sha256 for calibration in result.calibrations if calibration.basis == "certificate"]
    return ", ".join(hash_ for hash_ in used if hash_) or None


def _of(part: Callable[[Result], Part | None], take: Callable[[Part], Cell]) -> Callable[[Result], Cell]:
    """Return a function that takes a cell from a part of a result; None where the result lacks that part."""
    return lambda result: None if (value := part(result)) is None else take(value)


_THROUGHPUT = QuantityFields[Result](
    Column("throughput", "Throughput", partial=True, unit_from="throughput_unit"), lambda r: r.throughput, "throughput"
)
_POWER = QuantityFields[Result](Column("power_w", "Power", "W"), lambda r: r.power, "power")
_EFFICIENCY = QuantityFields[Result](
    Column("efficiency", "Efficiency", unit_from="efficiency_unit"), lambda r: r.efficiency, "efficiency"
)
_ENERGY_PER_OP = QuantityFields[Result](
    Column("energy_per_op_j", "Energy per operation", "J", prefixed=True), lambda r: r.energy_per_op, "energy per op."
)
_FULL_LOAD = QuantityFields[Result](
    Column("full_load_power_w", "Full-load power", "W"),
    lambda r: None if r.full_load_power is None else r.full_load_power.power,
    "full-load power",
)
_IDLE_SUBTRACTED = QuantityFields[Result](
    Column("idle_subtracted_efficiency", "Idle-subtracted efficiency", unit_from="efficiency_unit"),
    lambda r: None if r.idle_subtracted is None else r.idle_subtracted.efficiency,
    "idle-subtracted",
)
_IDLE = QuantityFields[Result](
    Column("idle_power_w", "Idle power", "W", for_people=False),
    lambda r: None if r.idle_subtracted is None else r.idle_subtracted.idle,
    "idle power",
)
_EDP = QuantityFields[Result](
    Column("edp_js", "Energy-delay product", "J s"),
    lambda r: None if r.delay_product is None else r.delay_product.edp,
    "EDP",
)
_ED2P = QuantityFields[Result](
    Column("ed2p_js2", "ED2P", "J s2", for_people=False),
    lambda r: None if r.delay_product is None else r.delay_product.ed2p,
    "ED2P",
)
_COST = QuantityFields[Result](
    Column("cost_per_operation", "Cost per operation", unit_from="currency"),
    lambda r: None if r.cost is None else r.cost.per_operation,
    "cost",
)
_PER_PRICE = QuantityFields[Result](
    Column("efficiency_per_price", "Efficiency per price", unit_from="efficiency_per_price_unit"),
    lambda r: None if r.cost is None else r.cost.efficiency_per_price,
    "eff. per price",
)

_FIRST: Fields[Result] = (
    (Column("run_id", "Run"), lambda r: r.run_id),
    (Column("server", "Server"), lambda r: r.server),
    (Column("configuration", "Configuration"), lambda r: r.configuration),
    (Column("workload", "Workload"), lambda r: r.workload),
    (Column("level", "Level"), lambda r: r.level),
    (Column("repeat", "Repeat", kind="integer"), lambda r: r.repeat),
    (Column("status", "Status", for_people=False), lambda r: r.status.value),
    _THROUGHPUT.value,
    (Column("throughput_unit", "Unit", for_people=False), lambda r: r.throughput_unit),
    _POWER.value,
    _POWER.u,
    _EFFICIENCY.value,
    _EFFICIENCY.u,
    (Column("efficiency_unit", "Unit", for_people=False), lambda r: r.efficiency_unit),
    _ENERGY_PER_OP.value,
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
    (
        Column("memory_inventory", "Memory inventory", for_people=False),
        lambda r: None if r.inventory is None else r.inventory.summary,
    ),
    _POWER.U95,
    _EFFICIENCY.U95,
    _THROUGHPUT.U95,
    _ENERGY_PER_OP.U95,
    _ENERGY_PER_OP.u,
    *HalfFields[Result](Column("energy_j", "Energy", "J", for_people=False), lambda r: r.energy, "energy").both,
    (Column("n_eff", "Effective samples", kind="number", for_people=False), lambda r: r.n_eff),
    (Column("samples_excluded", "Samples excluded", kind="integer", for_people=False), lambda r: r.samples_excluded),
    (
        Column("cpu_utilisation_pct", "CPU utilisation", "%", "number", for_people=False),
        lambda r: r.cpu_utilisation_pct,
    ),
    (Column("steady", "Steady", kind="flag", for_people=False), lambda r: r.steady),
    (Column("full_load", "Full load", kind="flag", for_people=False), lambda r: r.full_load),
    (Column("power_k95", "Coverage factor", kind="number", digits=3), _POWER.k95[1]),
    _EFFICIENCY.k95,
    (Column("basis", "Basis", for_people=False), lambda r: r.basis),
    (Column("rests_on", "Based on"), lambda r: "; ".join(labels(r)) or None),
    (Column("certificate_hash", "Certificate hash", for_people=False), _hashes),
    (Column("result_version", "Version", kind="integer", for_people=False), lambda r: r.result_version),
    (Column("overrides", "Overrides", for_people=False), lambda r: " ".join(override_texts(r)) or None),
)

_SECOND: Fields[Result] = (
    _FULL_LOAD.value,
    _FULL_LOAD.u,
    _FULL_LOAD.U95,
    (
        Column("full_load_reason", "No full-load power", for_people=False),
        _of(lambda r: r.full_load_power, lambda p: p.reason or None),
    ),
    (
        Column("stated_throughput", "Stated throughput", kind="number", unit_from="throughput_unit", for_people=False),
        lambda r: r.stated_throughput,
    ),
    (Column("uncovered_pct", "Time uncovered", "%", "number", for_people=False), lambda r: r.uncovered_pct),
    _IDLE_SUBTRACTED.value,
    _IDLE_SUBTRACTED.u,
    _IDLE_SUBTRACTED.U95,
    _IDLE.value,
    _IDLE.u,
    _IDLE.U95,
    _EDP.value,
    _EDP.u,
    _EDP.U95,
    _ED2P.value,
    _ED2P.U95,
    (
        Column("edp_of", "EDP of", for_people=False),
        _of(lambda r: r.delay_product, lambda d: f"{format_number(d.work)} {d.unit}"),
    ),
    _COST.value,
    _COST.u,
    _COST.U95,
    (Column("currency", "Currency", for_people=False), _of(lambda r: r.cost, lambda c: c.currency)),
    _PER_PRICE.value,
    _PER_PRICE.U95,
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
)

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
    (Column("validity", "Validity", for_people=False), validity),
    (Column("meaning", "Meaning", for_people=False), lambda _: MEANING),
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
