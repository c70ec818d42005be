"""Every kind of source that can be imported, most telling first. To add one: a line here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wattmark.core.errors import InputError, UnknownSource
from wattmark.importers.csv_mapping.csv_import import CSV, importer_of_csv
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.eehpc.eehpc import EEHPC
from wattmark.importers.importer import Importer
from wattmark.importers.inferencex.inferencex import INFERENCEX
from wattmark.importers.logs.log_formats import LOG_IMPORTERS
from wattmark.importers.mlperf.mlperf import MLPERF_INFERENCE
from wattmark.importers.mlperf_training.training import MLPERF_TRAINING
from wattmark.importers.phoronix.phoronix import PHORONIX
from wattmark.importers.ptdaemon.ptdaemon_import import PTDAEMON_LOG
from wattmark.importers.speccpu.speccpu import SPECCPU
from wattmark.importers.specpower.specpower import SPECPOWER

IMPORTERS: tuple[Importer, ...] = (
    *(MLPERF_TRAINING, MLPERF_INFERENCE, EEHPC, INFERENCEX, SPECPOWER, SPECCPU, PHORONIX, PTDAEMON_LOG),
    *LOG_IMPORTERS,
    CSV,
)
KINDS = {importer.kind: importer for importer in IMPORTERS}
DETECT = "auto"
"""In place of a kind: look at the source."""
TABLES = (".csv", ".tsv")


def importer_of(kind: str, path: Path, mappings: Sequence[CsvMapping] = ()) -> Importer:
    """Return the importer of a kind, or the one that recognises a source for "auto"; last the mapping that fits.

    Raises `InputError`.
    """
    if kind == CSV.kind:
        return importer_of_csv(path, mappings)
    if kind != DETECT:
        if kind in KINDS:
            return KINDS[kind]
        raise InputError(f"There is no importer {kind[:40]!r}.", f"Choose one of: {', '.join((*KINDS, DETECT))}.")
    for importer in IMPORTERS:
        if importer.recognises(path):
            return importer
    if (by_mapping := importer_of_csv(path, mappings)) is not CSV:
        return by_mapping
    if path.suffix.lower() in TABLES:
        raise UnknownSource(
            f"{path.name} is not a known kind of log, so its columns must be described once.",
            f"Make a mapping on the page Archives or with wattmark mapping add, then: wattmark import csv {path.name} "
            "--mapping NAME",
        )
    kinds = "; ".join(f"{importer.title}: {importer.takes}" for importer in IMPORTERS)
    raise UnknownSource(f"{path.name} is not of a kind that can be imported.", f"These can: {kinds}.")
