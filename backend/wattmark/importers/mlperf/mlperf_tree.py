"""Where the results lie in an MLPerf tree.

``<division>/<submitter>/results/<system>/<benchmark>/<scenario>/performance/run_1``, with ``ranging`` and ``power``
beside ``run_1`` and ``<division>/<submitter>/systems/<system>.json``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.importers.source_tree import folders_of
from wattmark.workloads.loadgen.source_file import SourceFile, read_source

DETAIL, SUMMARY, POWER_LOG = "mlperf_log_detail.txt", "mlperf_log_summary.txt", "spl.txt"
RANGING, POWER = "ranging", "power"
SESSION_FILES = (
    *(f"{POWER}/{name}" for name in ("client.json", "client.log", "ptd_logs.txt", "server.json", "server.log")),
    *(f"{RANGING}/{name}" for name in (DETAIL, SUMMARY, POWER_LOG)),
)
"""What a power session leaves beside the folder of the measured pass; the compliance checker requires each."""
_ROUND = re.compile(r"v[0-9]+\.[0-9]+$")
_RUN = re.compile(r"run_([0-9]{1,4})")


@dataclass(frozen=True, slots=True)
class ResultFolder:
    """The folder of one measured pass and what its path says about it; None where the path says nothing."""

    path: Path
    where: str
    """Path from the division down, as sources are shown and errors name files."""
    division: str | None
    submitter: str | None
    system: str
    benchmark: str
    scenario: str
    repeat: int
    round: str | None

    @property
    def source(self) -> str:
        """Return the folder with its round, where its path contains one."""
        return f"{self.round} {self.where}" if self.round else self.where

    @property
    def title(self) -> str:
        """Return the result for progress and messages."""
        return f"{self.system} {self.benchmark} {self.scenario}"

    def file(self, *parts: str) -> SourceFile:
        """Read a file of the result. Raises `InputError` when it is missing."""
        return read_source(self.path.joinpath(*parts), os.path.normpath(f"{self.where}/{'/'.join(parts)}"))

    def optional(self, *parts: str) -> SourceFile | None:
        """Read a file that need not be there."""
        return self.file(*parts) if self.path.joinpath(*parts).is_file() else None

    @property
    def of_session(self) -> bool:
        """Return whether a power session made the result: it is in a submission, or files of one lie beside it."""
        beside = self.path.parent
        return self.submitter is not None or any((beside / name).is_file() for name in SESSION_FILES)

    def missing_files(self) -> tuple[str, ...]:
        """List the files that a power session leaves and that are not there, by their paths in it."""
        beside, summary = self.path.parent, f"{self.path.name}/{SUMMARY}"
        return tuple(name for name in (*SESSION_FILES, summary) if not (beside / name).is_file())

    def system_file(self) -> SourceFile | None:
        """Read the description of the system beside the results folder; None when there is none."""
        if self.submitter is None:
            return None
        parts = ("..",) * 6 + ("systems", f"{self.system}.json")
        return self.optional(*parts)


def find_results(directory: Path, round_name: str | None = None) -> list[ResultFolder]:
    """Find every power result in a tree, a part of one or a single result folder; the ranging passes are none.

    ``round_name`` is the round of those whose path names none.
    Performance-only and accuracy folders are passed over. Raises `InputError` when there is nothing to import.
    """
    if not directory.is_dir():
        raise InputError(f"{directory} is not a folder.", "Give a folder with MLPerf Power results.")
    root = directory.resolve()
    results = [_describe(folder) for folder, _, files in folders_of(root) if _is_result(folder, files)]
    if not results:
        raise InputError(
            f"{directory} contains no MLPerf Power result (no {POWER_LOG} next to {DETAIL} outside a ranging folder).",
            "Give a folder of a published result tree, for example .../closed/<submitter>/results.",
        )
    return [replace(folder, round=folder.round or round_name) for folder in results]


def has_result(root: Path) -> bool:
    """Return whether a folder of the tree looks like a power result."""
    return root.is_dir() and any(_is_result(folder, files) for folder, _, files in folders_of(root))


def _is_result(folder: Path, files: list[str]) -> bool:
    """Recognise a measured pass: a power log, or a LoadGen log in a run folder that has power files beside it."""
    if folder.name == RANGING:
        return False
    is_run = _RUN.fullmatch(folder.name) is not None
    beside = is_run and any((folder.parent / name).is_dir() for name in ("power", RANGING))
    return POWER_LOG in files or (beside and DETAIL in files)


def _describe(path: Path) -> ResultFolder:
    names = path.parts
    is_run = _RUN.fullmatch(path.name)
    standard = len(names) >= 8 and names[-2] == "performance" and names[-6] == "results" and is_run
    if not standard:
        return ResultFolder(path, path.name, None, None, path.name, "unknown", "unknown", _repeat(path.name), None)
    division, submitter, _, system, benchmark, scenario = names[-8:-2]
    rounds = [match[0] for name in names[:-8] if (match := _ROUND.search(name))]
    return ResultFolder(
        path,
        "/".join(names[-8:]),
        division,
        submitter,
        system,
        benchmark,
        scenario,
        _repeat(path.name),
        rounds[-1] if rounds else None,
    )


def _repeat(name: str) -> int:
    match = _RUN.fullmatch(name)
    return int(match[1]) if match else 1
