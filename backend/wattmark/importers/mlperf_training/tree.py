"""Where the results lie: ``<submitter>/results/<system>/<benchmark>/result_*.txt`` with ``power/<result>/`` beside."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.importers.mlperf.systems import parse_system
from wattmark.importers.source_tree import folders_of
from wattmark.importers.text_lines import TextLines
from wattmark.workloads.loadgen.source_file import broken, parse_json, read_source

POWER = "power"
NODE = re.compile(r"node_[0-9]+\.txt")
_RESULT = re.compile(r"result_.*\.txt")
_ROUND = re.compile(r"v[0-9]+\.[0-9]+$")
_MOST_SCALING = 10.0


@dataclass(frozen=True, slots=True)
class ResultFile:
    """The log of one training run and the folder of its power logs."""

    path: Path
    power: Path


@dataclass(frozen=True, slots=True)
class BenchmarkFolder:
    """One submission: all runs of a benchmark on a system."""

    path: Path
    where: str
    """Path from the submitter down, as sources are shown and errors name files."""
    system: str
    benchmark: str
    folder: str
    """The folder that the submitter named."""
    round: str | None
    runs: tuple[ResultFile, ...]
    without_power: int
    """Results that have no folder of power logs, beside ``runs``."""

    @property
    def source(self) -> str:
        """Return the folder with its round, where the path contains one."""
        return f"{self.round} {self.where}" if self.round else self.where

    def lines(self, path: Path) -> TextLines:
        """Open a file of the submission."""
        return TextLines(path, f"{self.where}/{path.relative_to(self.path)}")

    def most_nodes(self) -> int:
        """Return how many nodes have a power log in that run of the submission that has most."""
        return max(
            (sum(NODE.fullmatch(path.name) is not None for path in run.power.iterdir()) for run in self.runs), default=0
        )

    def scaling(self) -> float:
        """Read the factor that a review put on time and energy; 1 without one. Raises `InputError`."""
        path = self.path / "scaling.json"
        if not path.is_file():
            return 1.0
        file = read_source(path, f"{self.where}/scaling.json")
        try:
            stated = parse_json(file.text)
        except ValueError as error:
            raise broken(file.name, None, f"it is not JSON: {error}", "Restore the file.") from None
        factor = stated.get("scaling_factor") if isinstance(stated, dict) else None
        if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor <= _MOST_SCALING:
            raise broken(file.name, None, "it holds no scaling_factor", "Restore the file from its source.")
        return float(factor)

    def description(self) -> dict[str, object]:
        """Read the system as its submitter describes it; empty where there is no description."""
        path = self.path.parents[2] / "systems" / f"{self.system}.json"
        if not path.is_file():
            return {}
        return dict(parse_system(read_source(path, f"{self.folder}/systems/{self.system}.json")))


def find_submissions(root: Path, round_name: str | None = None) -> list[BenchmarkFolder]:
    """Find every benchmark with power logs in a tree, or in a part of one. Raises `InputError` where there is none.

    ``round_name`` is the round of those whose path names none.
    """
    if root.is_dir():
        base = root.resolve()
        folders = [_describe(folder) for folder, names, _ in folders_of(base) if POWER in names]
        named = [replace(folder, round=folder.round or round_name) for folder in folders]
        if submissions := [folder for folder in named if folder.runs]:
            return submissions
    raise InputError(
        f"{root} holds no MLPerf Training result with power logs (no folder {POWER!r} beside result_*.txt).",
        "Give a folder of a published result tree, for example .../<submitter>/results.",
    )


def has_submission(root: Path) -> bool:
    """Return whether a folder of the tree looks like a submission with power."""
    return root.is_dir() and any(
        POWER in names and any(_RESULT.fullmatch(file) for file in files) for _, names, files in folders_of(root)
    )


def _describe(path: Path) -> BenchmarkFolder:
    names = path.parts
    standard = len(names) >= 4 and names[-3] == "results"
    folder = names[-4] if standard else path.parent.name
    rounds = [match[0] for name in names[:-4] if (match := _ROUND.search(name))]
    results = sorted(file for file in path.iterdir() if file.is_file() and _RESULT.fullmatch(file.name))
    every = [ResultFile(file, path / POWER / file.stem) for file in results]
    runs = tuple(run for run in every if run.power.is_dir())
    return BenchmarkFolder(
        path,
        "/".join(names[-4:]) if standard else path.name,
        path.parent.name,
        path.name,
        folder,
        rounds[-1] if rounds else None,
        runs,
        len(every) - len(runs),
    )
