"""Figures as their publishers printed them, for audits: facts with their source, shipped as data."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ruamel.yaml import YAML


@dataclass(frozen=True, slots=True)
class PrintedFigure:
    """A published figure and where it was printed."""

    value: float
    source: str


def published_figure(
    kind: str, round_name: str | None, submitter: str, system: str, benchmark: str
) -> PrintedFigure | None:
    """Find the published figure of a submission; None where it is not known here."""
    return _figures().get((kind, round_name or "", submitter, system, benchmark))


_INFERENCE = "published_inference.csv"
_INFERENCE_SOURCE = "MLCommons, results of MLPerf Inference {}, as tabulated for arXiv 2410.12032"


@cache
def _figures() -> dict[tuple[str, str, str, str, str], PrintedFigure]:
    folder = files("wattmark.audits")
    groups = YAML(typ="safe").load(folder.joinpath("published_figures.yaml").read_text("utf-8"))
    inference = csv.DictReader(folder.joinpath(_INFERENCE).read_text("utf-8").splitlines())
    return {
        (group["kind"], group["round"], group["submitter"], system, benchmark): PrintedFigure(
            float(value), group["source"]
        )
        for group in groups
        for system, benchmark, value in group["figures"]
    } | {
        ("mlperf", row["round"], row["submitter"], row["system"], row["benchmark"]): PrintedFigure(
            float(row["value"]), _INFERENCE_SOURCE.format(row["round"])
        )
        for row in inference
    }
