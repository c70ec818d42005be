"""Delta tables: one value of a factor against another at equal other factors, with intervals from the runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from wattmark.analysis.comparison.deltas import Cell, Delta, DeltaTable, delta_table, shown_pct
from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.refusal import Refused
from wattmark.comparison.choices import Figure
from wattmark.comparison.compare.cells import (
    TITLES,
    Repeated,
    mean_ratio,
    ratio_of,
    ratio_remark,
    repeated,
    scatter_only,
)
from wattmark.comparison.compare.factors import ALWAYS, factors, in_order, left_equal
from wattmark.comparison.factors.table_views import DeltaRow, DeltasOut
from wattmark.core.errors import InputError
from wattmark.core.numbers import signed_interval
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

Interval = tuple[float, float]
Key = tuple[str, frozenset[tuple[str, str]]]


def deltas_view(
    pairs: Iterable[tuple[RunRecord, Result]],
    factor: str,
    new: str | None = None,
    old: str | None = None,
    figure: Figure = "efficiency",
    ignored: Sequence[str] = (),
) -> DeltasOut:
    """Compare every figure at ``factor`` = new with the one at old whose other factors are all equal [%].

    Without ``new`` and ``old`` a factor with two values is taken from the first to the second. ``ignored`` names
    factors that may differ. Raises `InputError` for an unknown factor or value and where nothing pairs.
    """
    figures, remarks = repeated(pairs, figure)
    old, new = _ends(figures, factor, old, new, remarks)
    cells = {id(cell): (cell, f) for cell, f in ((_cell(f, factor, ignored), f) for f in figures)}
    try:
        table = delta_table([cell for cell, _ in cells.values()], factor, new, old)
    except Refused as refusal:
        raise InputError(
            refusal.text, "Name the factors that may differ (ignore), or choose other values."
        ) from refusal
    by_key = {_key(cell.factors, factor): f for cell, f in cells.values()}
    rows = tuple(_with_interval(row, by_key, new, old) for row in table.rows)
    return _out(replace(table, rows=rows), by_key, figure, (*remarks, *_alone(table)))


def factor_values(pairs: Iterable[tuple[RunRecord, Result]]) -> dict[str, list[str]]:
    """List every factor that takes more than one value, with its values in order, whether or not its runs count."""
    return _values([factors(run) for run, _ in pairs])


def _values(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    names = dict.fromkeys(name for row in rows for name in row)
    values = {name: in_order(row[name] for row in rows if name in row) for name in names}
    return {name: listed for name, listed in values.items() if len(listed) > 1}


def _ends(
    figures: Sequence[Repeated], factor: str, old: str | None, new: str | None, remarks: Sequence[str]
) -> tuple[str, str]:
    """Choose the two values."""
    varied = _values([f.factors for f in figures])
    if factor not in varied:
        why = f" {' '.join(remarks[:3])}" if remarks else ""
        raise InputError(
            f"No runs differ in the factor {factor[:80]!r}.{why}",
            f"Factors that differ: {', '.join(varied) or 'none'}.",
        )
    values = varied[factor]
    for value in (old, new):
        if value is not None and value not in values:
            raise InputError(f"No run has {factor} {value[:80]!r}.", f"Its values: {', '.join(values)}.")
    if old is not None and new is not None:
        return old, new
    rest = [value for value in values if value not in (old, new)]
    if len(values) > 2:
        raise InputError(
            f"{factor} has {len(values)} values.",
            f"Choose the old and the new value (--old, --new): {', '.join(values)}.",
        )
    return (old or rest[0], new or rest[-1])


def _cell(figure: Repeated, factor: str, ignored: Sequence[str]) -> Cell:
    return Cell({**left_equal(figure.factors, factor, ignored), "unit": figure.unit}, Measured(figure.system.value))


def _key(by_name: Mapping[str, str], factor: str) -> Key:
    return by_name.get(factor, ""), frozenset((k, v) for k, v in by_name.items() if k != factor)


def _with_interval(row: Delta, by_key: Mapping[Key, Repeated], new: str, old: str) -> Delta:
    """Return the ratio of the runs, where a meter's own error cancels as far as it is the same."""
    top, base = _both(row, by_key, new, old)
    return replace(row, estimate=ratio_of(top, base))


def _both(row: Delta, by_key: Mapping[Key, Repeated], new: str, old: str) -> tuple[Repeated, Repeated]:
    others = frozenset(row.others.items())
    return by_key[new, others], by_key[old, others]


def _alone(table: DeltaTable) -> list[str]:
    """Return the figures without a partner."""
    return [
        f"No counterpart at {table.factor} {_other(table, cell)}: {_words(cell.factors, ())}."
        for cell in table.unpaired
    ]


def _other(table: DeltaTable, cell: Cell) -> str:
    return table.old if cell.factors.get(table.factor) == table.new else table.new


def _words(by_name: Mapping[str, str], without: Sequence[str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in by_name.items() if name not in ("unit", *without))


def _out(table: DeltaTable, by_key: Mapping[Key, Repeated], figure: Figure, remarks: Sequence[str]) -> DeltasOut:
    same = [name for name in table.rows[0].others if len({row.others.get(name) for row in table.rows}) == 1]
    pairs = [_both(row, by_key, table.new, table.old) for row in table.rows]
    rows = [_row(row, *both, same) for row, both in zip(table.rows, pairs, strict=True)]
    one_kind = len({(row.others.get("workload"), row.others["unit"]) for row in table.rows}) == 1
    means = table.delta_of_means_pct if one_kind else None
    simulated = any(row.simulated for row in rows)
    intervals = _intervals(table, pairs, one_kind=one_kind)
    return DeltasOut(
        figure=figure,
        factor=table.factor,
        new=table.new,
        old=table.old,
        equal=_words({name: table.rows[0].others[name] for name in same}, ()),
        rows=rows,
        mean_of_deltas_pct=table.mean_of_deltas_pct,
        delta_of_means_pct=means,
        geometric_mean_pct=table.geometric_mean_pct,
        mean_of_deltas_interval_pct=intervals["mean of deltas"],
        delta_of_means_interval_pct=intervals["delta of means"],
        geometric_mean_interval_pct=intervals["geometric mean"],
        statement=_statement(table, figure, means, intervals),
        simulated=simulated,
        remarks=list(remarks),
    )


def _row(row: Delta, new: Repeated, old: Repeated, same: Sequence[str]) -> DeltaRow:
    interval = row.interval_pct
    shown_names = [name for name in ALWAYS if name in row.others and name in same]
    hidden = [name for name in same if name not in shown_names]
    return DeltaRow(
        others=_words(row.others, (*hidden, *ALWAYS)) or None,
        workload=row.others.get("workload"),
        level=row.others.get("level"),
        new_key=new.key,
        old_key=old.key,
        new=row.new.value,
        old=row.old.value,
        new_U95=new.half_width,
        old_U95=old.half_width,
        unit=new.unit,
        n_new=new.n,
        n_old=old.n,
        factor=row.factor,
        delta_pct=row.delta_pct,
        low_pct=interval[0] if interval else None,
        high_pct=interval[1] if interval else None,
        shown=shown_pct(row.delta_pct),
        simulated=new.simulated or old.simulated,
        traceable=new.traceable and old.traceable,
        sources_disagree=bool(new.disagreements or old.disagreements),
        scatter_only=scatter_only(row.estimate, [new, old]),
        remark=ratio_remark(row.estimate, [new], [old]),
        included=bool(new.included or old.included),
    )


def _intervals(
    table: DeltaTable, pairs: Sequence[tuple[Repeated, Repeated]], *, one_kind: bool
) -> dict[str, Interval | None]:
    """Find the 95 % intervals of the means over all rows [%]; None where a row has none."""
    new, old = (math.fsum(pair[side].system.value for pair in pairs) for side in (0, 1))
    factors = math.fsum(row.factor for row in table.rows)
    shares = {
        "mean of deltas": (factors / len(pairs), [(row.factor / factors,) * 2 for row in table.rows]),
        "delta of means": (new / old, [(top.system.value / new, base.system.value / old) for top, base in pairs]),
        "geometric mean": (1 + table.geometric_mean_pct / 100, [(1 / len(pairs),) * 2 for _ in pairs]),
    }
    if not one_kind:
        shares["delta of means"] = (1.0, [])
    return {name: _interval(factor, exponents, pairs) for name, (factor, exponents) in shares.items()}


def _interval(
    factor: float, exponents: Sequence[tuple[float, float]], pairs: Sequence[tuple[Repeated, Repeated]]
) -> Interval | None:
    if not exponents:
        return None
    estimate = mean_ratio((a, new, b, old) for (a, b), (new, old) in zip(exponents, pairs, strict=True))
    if estimate is None:
        return None
    half = estimate.half_width()
    return 100 * (factor * math.exp(-half) - 1), 100 * (factor * math.exp(half) - 1)


def _statement(table: DeltaTable, figure: Figure, means: float | None, intervals: Mapping[str, Interval | None]) -> str:
    head = f"{TITLES[figure]} at {table.factor} {table.new} against {table.old}: "
    if len(table.rows) == 1:
        return f"{head}{_shown(table.rows[0].delta_pct, intervals['mean of deltas'])}."
    parts = [f"mean of {len(table.rows)} deltas {_shown(table.mean_of_deltas_pct, intervals['mean of deltas'])}"]
    parts += [f"delta of the means {_shown(means, intervals['delta of means'])}"] if means is not None else []
    parts += [f"geometric mean {_shown(table.geometric_mean_pct, intervals['geometric mean'])}"]
    return f"{head}{', '.join(parts)}."


def _shown(delta_pct: float, interval: Interval | None) -> str:
    """Format a change with its interval, or without one, for the reason in the remarks of the rows."""
    if interval is None:
        return f"{shown_pct(delta_pct)} (no ±)"
    value, low, high = signed_interval(delta_pct, *interval)
    return f"{value} % (95 % interval {low} % to {high} %)"
