"""Survey of the runs in one pass: their facts in brief, and which run first has each build and meter."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from wattmark.comparison.compare.groups import group_key
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


@dataclass(frozen=True, slots=True)
class Brief:
    """A run's place among others, a hundredth of its result."""

    run_id: str
    server: str
    configuration: str
    workload: str
    level: str
    dimm_count: int | None
    simulated: bool
    created: str
    installation: str | None


class Survey:
    """Remember runs while their results pass by."""

    def __init__(self) -> None:
        self.runs: list[Brief] = []
        self.builds: dict[tuple[str, str], str] = {}
        """The first run of every build, by the name and the disclosure of the configuration."""
        self.meters: dict[str, tuple[str, int]] = {}
        """The first run with every meter as it was used, and its place among the meters of that run."""

    def of(self, pairs: Iterable[tuple[RunRecord, Result]]) -> Iterator[Result]:
        """Yield the results, and record the place of each run, build and meter on the way."""
        for run, result in pairs:
            self.runs.append(Brief(**{field.name: getattr(result, field.name) for field in fields(Brief)}))
            self.builds.setdefault((group_key(result), _digest(run.configuration_snapshot.document())), run.run_id)
            for i, meter in enumerate(run.meters):
                self.meters.setdefault(_digest(meter.model_dump(mode="json")), (run.run_id, i))
            yield result


def _digest(document: Any) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True, default=str).encode()).hexdigest()
