"""A suite as data: its worklets by what they stress, their levels, and the weights of one figure for a server."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated, Self

from pydantic import Field, model_validator
from ruamel.yaml import YAML

from wattmark.bench.plan_rules import Duration, Percent
from wattmark.core.errors import InputError
from wattmark.core.inputs import REAL, WHOLE
from wattmark.core.likely import meant_or_listed
from wattmark.core.part import Identifier, Part, Word
from wattmark.workloads.catalogue import load_catalogue

Share = Annotated[float, Field(gt=0, le=1), REAL]


class Worklet(Part):
    """A workload with an adjustable rate, and what it stresses."""

    workload: Identifier
    kind: Word
    """A key of the weights."""
    nominal: Annotated[float, Field(gt=0, le=1e12), REAL]
    """Work per second that counts as 1 [unit/s]. It sets the scale of scores; their ratios do not depend on it."""


class Suite(Part):
    """Worklets at shares of their calibrated maximum, weighted."""

    id: Identifier
    title: Word
    purpose: Word
    weights: dict[Word, Share]
    """Exponent of each kind; together 1."""
    formula: Word
    """The weighted mean, as it is written down."""
    source: Word
    """Who says so, and what is this suite's own."""
    percent: tuple[Percent, ...] = Field(min_length=2)
    """Load levels [% of the maximum], in the order in which they are run."""
    calibrate: Annotated[int, Field(strict=True, ge=1, le=10), WHOLE]
    measure_s: Annotated[float, Field(ge=1, le=86_400), REAL]
    """Length of a level [s]."""
    settle_s: Duration
    idle_s: Annotated[float, Field(ge=1, le=86_400), REAL]
    """Length of active idle, measured once [s]."""
    worklets: tuple[Worklet, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if {worklet.kind for worklet in self.worklets} != set(self.weights):
            raise ValueError(f"a worklet for each of the weights, {', '.join(self.weights)}, and for no other kind")
        if abs(math.fsum(self.weights.values()) - 1) > 1e-9:
            raise ValueError("weights that add up to 1")
        if max(self.percent) != 100 or len(set(self.percent)) < len(self.percent):
            raise ValueError("load levels that contain 100 %, each once")
        if len({worklet.workload for worklet in self.worklets}) < len(self.worklets):
            raise ValueError("each workload once")
        for worklet in self.worklets:
            declaration = load_catalogue().get(worklet.workload)
            if declaration is None or declaration.level is None or declaration.level.asks_per_s is None:
                raise ValueError(f"workloads of the catalogue with an adjustable rate, not {worklet.workload}")
        return self

    def of_kind(self, kind: str) -> list[Worklet]:
        """List the worklets of a kind."""
        return [worklet for worklet in self.worklets if worklet.kind == kind]

    @property
    def workloads(self) -> tuple[str, ...]:
        """Name the workloads, in their order."""
        return tuple(worklet.workload for worklet in self.worklets)


@cache
def load_suites() -> Mapping[str, Suite]:
    """Load every suite that ships with wattmark, by id."""
    folder = files(__package__).joinpath("data")
    texts = [entry.read_text("utf-8") for entry in sorted(folder.iterdir(), key=lambda item: item.name)]
    suites = [Suite.model_validate(YAML(typ="safe").load(text)) for text in texts]
    return MappingProxyType({suite.id: suite for suite in suites})


def find_suite(name: str) -> Suite:
    """Find a suite by its id. Raises `InputError`."""
    suites = load_suites()
    if name not in suites:
        raise InputError(f"There is no suite {name[:80]!r}.", meant_or_listed(name[:80], list(suites), "Suites"))
    return suites[name]
