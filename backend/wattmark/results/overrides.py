"""Overrides and refusals of certificates as sentences that go with every figure."""

from __future__ import annotations

from collections.abc import Iterable

from wattmark.results.result import Result


def override_texts(result: Result) -> list[str]:
    """List for each overridden meter what was accepted, by whom and why."""
    return [
        f"Overridden by {calibration.override_by} ({calibration.override_reason}): "
        + " ".join(part.text for part in calibration.overridden)
        for calibration in result.calibrations
        if calibration.overridden
    ]


def refusal_texts(result: Result) -> list[str]:
    """List for each meter why its certificate does not serve."""
    return [f"{calibration.meter}: {part.text}" for calibration in result.calibrations for part in calibration.refusals]


def by_run(results: Iterable[Result]) -> list[str]:
    """Merge the overrides and refusals of several results, each text once with the ids of its runs."""
    return with_runs((result.run_id, accepted_texts(result)) for result in results)


def accepted_texts(result: Result) -> list[str]:
    """List the overrides and refusals of a result's certificates."""
    return [*override_texts(result), *(f"Certificate refused: {text}" for text in refusal_texts(result))]


def with_runs(texts: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Merge texts of several runs, each once with the ids of its runs."""
    runs: dict[str, list[str]] = {}
    for run_id, run_texts in texts:
        for text in run_texts:
            runs.setdefault(text, []).append(run_id)
    return [f"{text} (run {', '.join(run_ids)})" for text, run_ids in runs.items()]
