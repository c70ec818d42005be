"""An issued result on another appliance: the same figures with the names of server and meters there."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.core.quantity import BudgetLine
from wattmark.results.meters import meter_identity, result_meters
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.origin import machine
from wattmark.runs.record import RunRecord


def relocated(result: Result, run: RunRecord) -> Result:
    """Return a result with the source, server and meter identities of its run as it is stored here."""
    renamed = result.model_copy(update={"source": run.source, "server": machine(run)})
    return with_identities(renamed, [meter_identity(run, meter) for meter in result_meters(run)])


def with_identities(result: Result, identities: Sequence[str]) -> Result:
    """Rename the meters of a result, also in the groups of errors that it shares with other results."""
    names = dict(zip(result.meter_identities, identities, strict=False))
    if all(old == new for old, new in names.items()):
        return result
    above = result.idle_subtracted
    return result.model_copy(
        update={
            "meter_identities": tuple(identities),
            "throughput": _of_meters(result.throughput, names),
            "power": _of_meters(result.power, names),
            "efficiency": _of_meters(result.efficiency, names),
            "idle_subtracted": above and above.model_copy(update={"idle": _of_meters(above.idle, names)}),
        }
    )


def _of_meters(figure: BudgetedQuantity | None, names: dict[str, str]) -> BudgetedQuantity | None:
    return figure and figure.model_copy(update={"budget": tuple(_renamed(line, names) for line in figure.budget)})


def _renamed(line: BudgetLine, names: dict[str, str]) -> BudgetLine:
    group = line.correlation_group
    old = None if group is None else next((name for name in names if group.startswith(name)), None)
    if group is None or old is None:
        return line
    return line.model_copy(update={"correlation_group": names[old] + group[len(old) :]})
