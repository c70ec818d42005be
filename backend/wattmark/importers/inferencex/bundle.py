"""The files of a bundle: the load generator's result, the log of GPU power, and what its validator made of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wattmark.core.errors import InputError
from wattmark.importers.source_tree import files_of
from wattmark.workloads.loadgen.source_file import SourceFile, broken, parse_json, read_source

LOGS = ("gpu_metrics.csv", "power/samples.csv")
"""Where the log lies, beside the result or in a folder above it: of one node, of several."""
BEGIN, END = "benchmark_start_time_unix", "benchmark_end_time_unix"
_VALID, _METHOD = "power_valid", "integration_method"
_LARGEST = 64 * 2**20
"""Bytes of a result: longer ones list every token."""
_MOST = 1e18
"""Largest count of a result; no server has generated as many tokens."""
_REMEDY = "Give the folder of a run: result (JSON), gpu_metrics.csv or power/samples.csv, power_validation*.json."


@dataclass(frozen=True, slots=True)
class Bundle:
    """One result with the files beside it."""

    where: str
    """The result within the source."""
    result: SourceFile
    load: Mapping[str, Any]
    log: Path
    validation: Mapping[str, Any] | None
    aggregate: Mapping[str, Any] | None
    """What is published of the result; None: not in the bundle."""
    files: tuple[SourceFile, ...]

    @property
    def id(self) -> str:
        """Return the run by its result: one result is one run."""
        return f"inferencex-{self.result.sha256[:16]}"

    def number(self, key: str) -> float:
        """Return a number of the result. Raises `InputError` where it has none, or one below 0."""
        value = self.load.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST:
            raise broken(self.where, None, f"it has no number {key!r} from 0 to {_MOST:g}", _REMEDY)
        return float(value)


def find_bundles(root: Path) -> list[Path]:
    """List the results of a tree that have a log of power. Raises `InputError` where there is none."""
    results = _results(root)
    if not results:
        raise InputError(f"{root} holds no result of InferenceX with a log of GPU power.", _REMEDY)
    return results


def has_bundle(root: Path) -> bool:
    """Return whether a folder holds a result with a log."""
    try:
        return bool(_results(root))
    except InputError:
        return False


def read_bundle(path: Path, root: Path) -> Bundle:
    """Read a result and what lies beside it. Raises `InputError` naming the file that cannot be read."""
    where = path.relative_to(root).as_posix()
    result = read_source(path, where)
    load, log = _object(result), _log_of(path, root)
    if log is None:
        raise InputError(f"{where} has no log of GPU power beside it or above it.", _REMEDY)
    beside = [read_source(file, file.relative_to(root).as_posix()) for file in _json_beside(path, root) if file != path]
    documents = [(file, document) for file in beside if (document := _decoded(file)) is not None]
    validation = next(((file, each) for file, each in documents if _METHOD in each and _is_of(each, load)), None)
    aggregate = next(((file, each) for file, each in documents if _is_aggregate(file, each, path.stem)), None)
    kept = [pair for pair in (validation, aggregate) if pair is not None]
    return Bundle(
        where=where,
        result=result,
        load=load,
        log=log,
        validation=None if validation is None else validation[1],
        aggregate=None if aggregate is None else aggregate[1],
        files=(result, *(file for file, _ in kept)),
    )


def _results(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    files = [path for path in files_of(root.resolve()) if path.suffix == ".json"]
    return [path for path in files if _log_of(path, root.resolve()) is not None and _is_result(path)]


def _is_result(path: Path) -> bool:
    """Return whether a file is a result: it says when it began and what it counted, as no window file does."""
    document = _decoded(read_source(path, path.name)) if path.stat().st_size < _LARGEST else None
    return document is not None and BEGIN in document and "completed" in document


def _log_of(path: Path, root: Path) -> Path | None:
    folder = path.parent
    while folder == root or root in folder.parents:
        for name in LOGS:
            if (folder / name).is_file():
                return folder / name
        folder = folder.parent
    return None


def _json_beside(path: Path, root: Path) -> list[Path]:
    """List the JSON files of the result's folder and of those above it, the nearest first."""
    folder, files = path.parent, list[Path]()
    while folder == root or root in folder.parents:
        files += sorted(file for file in folder.glob("*.json") if file.stat().st_size < _LARGEST)
        folder = folder.parent
    return files


def _is_of(validation: Mapping[str, Any], load: Mapping[str, Any]) -> bool:
    """Return whether a validation is of this result: it has a verdict, and begins with the same window."""
    window = validation.get("benchmark_window") or validation.get("selected_window") or {}
    return _VALID in validation and isinstance(window, dict) and window.get("start_time_unix") == load.get(BEGIN)


def _is_aggregate(file: SourceFile, document: Mapping[str, Any], stem: str) -> bool:
    """Return whether a file holds what is published of a result: its power is judged, and it has the result's name."""
    return _VALID in document and _METHOD not in document and BEGIN not in document and stem in file.name


def _object(file: SourceFile) -> Mapping[str, Any]:
    document = _decoded(file)
    if document is None:
        raise broken(file.name, None, "it is no JSON object", _REMEDY)
    return document


def _decoded(file: SourceFile) -> dict[str, Any] | None:
    try:
        document = parse_json(file.text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
