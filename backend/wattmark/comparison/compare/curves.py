"""Which runs make one curve over load: those of one configuration, unit of work and version of the load program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from wattmark.comparison.compare.groups import SIMULATED, group_key, program_versions
from wattmark.comparison.compare.levels import target_load
from wattmark.core.errors import InputError
from wattmark.core.texts import first_of
from wattmark.results.result import Result

MOST_NAMED = 8
Apart = tuple[str, ...]
"""What tells the curves of one configuration apart."""


def curves_of(results: Iterable[Result], workload: str) -> dict[str, list[Result]]:
    """Split the runs of a workload into curves by their keys, in the order of the configurations.

    Simulated runs of a configuration that was also measured are a curve of their own, and so are those of each unit of
    work and of each version of the load program, where there are several: their keys end with what tells them apart.
    Active idle does no work: it is in each curve of its configuration.
    """
    configurations: dict[tuple[str, bool], list[Result]] = defaultdict(list)
    for result in results:
        if result.workload == workload:
            configurations[group_key(result), result.simulated].append(result)
    curves: dict[str, list[Result]] = {}
    for (key, simulated), own in sorted(configurations.items(), key=lambda item: item[0]):
        end = SIMULATED if simulated and (key, False) in configurations else ""
        for apart, runs in _by_program_and_unit(own):
            what = f" ({', '.join(apart)})" if apart else ""
            curves[f"{key}{end}{what}"] = runs
    return curves


def curve_named(results: Iterable[Result], key: str, workload: str) -> list[Result]:
    """Return the runs of one curve; empty where there is none.

    Raises `InputError` for a configuration with several, which no curve mixes.
    """
    curves = curves_of(results, workload)
    if key in curves:
        return curves[key]
    if several := [name for name in curves if name.startswith(f"{key} (")]:
        raise InputError(
            f"{key} ran {workload[:80]!r} with several versions of the load program or units of work.",
            f"Name one of its curves: {first_of(several, MOST_NAMED)}.",
        )
    plain = curves.get(key.removesuffix(SIMULATED), [])
    return plain if all(result.simulated for result in plain) else []


def _by_program_and_unit(runs: Sequence[Result]) -> Iterator[tuple[Apart, list[Result]]]:
    loaded = [result for result in runs if target_load(result.level) != 0]
    several = len(program_versions(loaded)) > 1, len({result.unit for result in loaded}) > 1
    if not any(several):
        yield (), list(runs)
        return

    def apart(result: Result) -> Apart:
        program = f"program {next(iter(program_versions([result])), 'not known')}"
        return tuple(text for text, tells in zip((program, result.unit), several, strict=True) if tells)

    for wanted in sorted({apart(result) for result in loaded}):
        yield wanted, [result for result in runs if target_load(result.level) == 0 or apart(result) == wanted]
