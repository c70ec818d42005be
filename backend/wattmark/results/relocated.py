"""A stated result where its run lies now: the same figures under the names that meters and server have there."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.results.identity import meter_identity
from wattmark.results.series import result_meters
from wattmark.runs.origin import machine
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Budget, Result

_BUDGETS = ("power_budget", "efficiency_budget", "throughput_budget", "idle_budget")


def relocated(result: Result, run: RunRecord) -> Result:
    """Give a result the source of its run, and server and meters the names that they have by it."""
    told = result.model_copy(update={"source": run.source, "server": machine(run)})
    return with_identities(told, [meter_identity(run, meter) for meter in result_meters(run)])


def with_identities(result: Result, identities: Sequence[str]) -> Result:
    """Rename the meters of a result, and with them the errors that it shares with other results."""
    names = dict(zip(result.meter_identities, identities, strict=False))
    if all(old == new for old, new in names.items()):
        return result
    budgets = {name: tuple(_renamed(line, names) for line in getattr(result, name)) for name in _BUDGETS}
    return result.model_copy(update={"meter_identities": tuple(identities), **budgets})


def _renamed(line: Budget, names: dict[str, str]) -> Budget:
    group = line.correlation_group
    old = None if group is None else next((name for name in names if group.startswith(name)), None)
    if group is None or old is None:
        return line
    return line.model_copy(update={"correlation_group": names[old] + group[len(old) :]})
