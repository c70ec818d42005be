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
    with_known_memory,
)
from wattmark.comparison.compare.factors import ALWAYS, factors, in_order, is_same, left_equal, typed_alike
from wattmark.comparison.factors.table_views import DeltaRow, DeltasOut
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.core.numbers import signed_interval
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

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
    factors that may differ. A run whose memory contradicts the bench file is excluded where its memory has to be known.
    Raises `InputError` for an unknown factor or value and where nothing pairs.
    """
    known, excluded = with_known_memory(pairs, factor, ignored)
    figures, remarks = repeated(known, figure)
    remarks = [*excluded, *remarks]
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
    return _values(typed_alike([factors(run) for run, _ in pairs]))


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
    old, new = (next((known for known in values if is_same(factor, known, asked)), asked) for asked in (old, new))
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
    of_deltas, of_means, geometric = _means(table, pairs)
    simulated = any(row.simulated for row in rows)
    return DeltasOut(
        figure=figure,
        factor=table.factor,
        new=table.new,
        old=table.old,
        equal=_words({name: table.rows[0].others[name] for name in same}, ()),
        rows=rows,
        mean_of_deltas_pct=of_deltas,
        delta_of_means_pct=of_means if one_kind else None,
        geometric_mean_pct=geometric,
        statement=_statement(table, figure, of_deltas, of_means if one_kind else None, geometric),
        simulated=simulated,
        remarks=list(remarks),
    )


def _row(row: Delta, new: Repeated, old: Repeated, same: Sequence[str]) -> DeltaRow:
    shown_names = [name for name in ALWAYS if name in row.others and name in same]
    hidden = [name for name in same if name not in shown_names]
    return DeltaRow(
        others=_words(row.others, (*hidden, *ALWAYS)) or None,
        workload=row.others.get("workload"),
        level=row.others.get("level"),
        new_key=new.key,
        old_key=old.key,
        new=new.interval,
        old=old.interval,
        unit=new.unit,
        n_new=new.n,
        n_old=old.n,
        factor=row.factor,
        delta_pct=Interval.of(row.delta_pct, row.interval_pct),
        shown=shown_pct(row.delta_pct),
        simulated=new.simulated or old.simulated,
        traceable=new.traceable and old.traceable,
        sources_disagree=bool(new.disagreements or old.disagreements),
        scatter_only=scatter_only(row.estimate, [new, old]),
        remark=ratio_remark(row.estimate, [new], [old]),
        included=bool(new.included or old.included),
    )


def _means(table: DeltaTable, pairs: Sequence[tuple[Repeated, Repeated]]) -> tuple[Interval, Interval, Interval]:
    """Return the mean of deltas, the delta of the means and the geometric mean [%], each over all rows."""
    new, old = (math.fsum(pair[side].system.value for pair in pairs) for side in (0, 1))
    factors = math.fsum(row.factor for row in table.rows)
    of_deltas = [(row.factor / factors,) * 2 for row in table.rows]
    of_means = [(top.system.value / new, base.system.value / old) for top, base in pairs]
    of_logs = [(1 / len(pairs),) * 2 for _ in pairs]
    return (
        _mean(table.mean_of_deltas_pct, factors / len(pairs), of_deltas, pairs),
        _mean(table.delta_of_means_pct, new / old, of_means, pairs),
        _mean(table.geometric_mean_pct, 1 + table.geometric_mean_pct / 100, of_logs, pairs),
    )


def _mean(
    mean_pct: float,
    factor: float,
    exponents: Sequence[tuple[float, float]],
    pairs: Sequence[tuple[Repeated, Repeated]],
) -> Interval:
    estimate = mean_ratio((a, new, b, old) for (a, b), (new, old) in zip(exponents, pairs, strict=True))
    half = None if estimate is None else estimate.half_width()
    ends = None if half is None else (factor * math.exp(-half), factor * math.exp(half))
    return Interval.of(mean_pct, ends and (100 * (ends[0] - 1), 100 * (ends[1] - 1)))


def _statement(
    table: DeltaTable, figure: Figure, of_deltas: Interval, of_means: Interval | None, geometric: Interval
) -> str:
    head = f"{TITLES[figure]} at {table.factor} {table.new} against {table.old}: "
    if len(table.rows) == 1:
        return f"{head}{_shown(of_deltas)}."
    parts = [f"mean of {len(table.rows)} deltas {_shown(of_deltas)}"]
    parts += [f"delta of the means {_shown(of_means)}"] if of_means is not None else []
    parts += [f"geometric mean {_shown(geometric)}"]
    return f"{head}{', '.join(parts)}."


def _shown(delta_pct: Interval) -> str:
    """Format a change with its interval, or without one, for the reason in the remarks of the rows."""
    if delta_pct.low is None or delta_pct.high is None:
        return f"{shown_pct(delta_pct.value)} (no ±)"
    value, low, high = signed_interval(delta_pct.value, delta_pct.low, delta_pct.high)
    return f"{value} % (95 % interval {low} % to {high} %)"
