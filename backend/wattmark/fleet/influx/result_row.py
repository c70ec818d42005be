"""Results as rows that anybody can query: one point per issued version, with plain numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wattmark.fleet.dossiers.dossier import Dossier
from wattmark.fleet.influx import schema
from wattmark.fleet.influx.lines import tagged
from wattmark.results.pages.row import FIGURES, run_row
from wattmark.results.result import Result

CURRENT = "current"
_OUTCOMES = {"pass": 1.0, "fail": 0.0}
_NOT_NAME = re.compile(r"\W+")
_UNFIT = str.maketrans({"\\": "_", '"': "_", **{chr(code): "_" for code in range(32)}})


def result_lines(dossier: Dossier) -> list[str]:
    """Write the result of a run as it was issued last, and that earlier versions are superseded; none before that.

    The point of version n is stored n - 1 nanoseconds after the creation of the run: a later version cannot leave a
    field of an earlier one in place that it has no value for.
    """
    result, issue = dossier.result, dossier.issued_with
    if result is None or issue is None:
        return []
    version = issue.version
    tags = {
        "lab": dossier.origin.lab if dossier.origin is not None else dossier.lab,
        "server": result.server,
        "configuration": result.configuration,
        "workload": result.workload,
        "level": result.level,
        "simulated": "true" if result.simulated else "false",
    }
    begin, created_ns = tagged(schema.RESULTS, tags), dossier.record.created_ns
    earlier = [f"{begin}{CURRENT}=0.0 {created_ns + number}" for number in range(version - 1)]
    fields = ",".join(f"{name}={value!r}" for name, value in _numbers(result, version))
    texts = {"run": result.run_id, "unit": result.unit}
    words = ",".join(f'{name}="{text.translate(_UNFIT)}"' for name, text in texts.items())
    return [*earlier, f"{begin}{fields},{words} {created_ns + version - 1}"]


def _numbers(result: Result, version: int) -> Iterator[tuple[str, float]]:
    """Name what is known of a result as floats; what is not known is absent, never zero."""
    row = run_row(result)
    yield CURRENT, 1.0
    yield "version", float(version)
    yield "complete", 1.0 if result.status == "complete" else 0.0
    yield "traceable", 1.0 if result.traceable else 0.0
    for claim in FIGURES:
        yield f"{claim}_ranked", 0.0 if claim in row.not_ranked else 1.0
    for of in FIGURES.values():
        for column, take in (of.value, of.u, of.U95):
            if isinstance(number := take(row), float):
                yield column.key, number
    numbers = {"energy_j": result.energy_j, "window_s": result.window_s, "dimm_count": result.dimm_count}
    yield from ((name, float(value)) for name, value in numbers.items() if value is not None)
    outcomes: dict[str, float] = {}
    for verdict in result.verdicts:
        if (outcome := _OUTCOMES.get(verdict.outcome)) is not None:
            name = _NOT_NAME.sub("_", f"verdict_{verdict.rule}")
            outcomes[name] = min(outcome, outcomes.get(name, outcome))
    yield from outcomes.items()
