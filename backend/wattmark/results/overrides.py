"""What a person accepted, and what spoke against a certificate, as sentences that go with every figure."""

from __future__ import annotations

from collections.abc import Iterable

from wattmark.runs.result import Result


def override_texts(result: Result) -> list[str]:
    """Say for each overridden meter what was accepted, by whom and why."""
    return [
        f"Overridden by {one.override_by} ({one.override_reason}): {' '.join(part.text for part in one.overridden)}"
        for one in result.calibrations
        if one.overridden
    ]


def refusal_texts(result: Result) -> list[str]:
    """Say for each meter why its certificate does not serve."""
    return [f"{one.meter}: {part.text}" for one in result.calibrations for part in one.refusals]


def by_run(results: Iterable[Result]) -> list[str]:
    """Put overrides and refusals of several results together, each text once with the runs that it is about."""
    return with_runs((result.run_id, accepted_texts(result)) for result in results)


def accepted_texts(result: Result) -> list[str]:
    """Say what was overridden and what was refused of a result's certificates."""
    return [*override_texts(result), *(f"Certificate refused: {text}" for text in refusal_texts(result))]


def with_runs(texts: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Give each text once, with the ids of the runs that it comes from."""
    runs: dict[str, list[str]] = {}
    for run_id, mine in texts:
        for text in mine:
            runs.setdefault(text, []).append(run_id)
    return [f"{text} (run {', '.join(mine)})" for text, mine in runs.items()]
