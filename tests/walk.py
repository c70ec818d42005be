"""How far a reader walks through our own files to follow one call, counted from what really runs.

The rule:

- An *entry* is a call from a function of one of our modules to a function of another. Calls inside a module lead
  nowhere. Each pair of calling and called function counts once, when it first occurs: a loop over meters is read once.
- A *stay* is an unbroken stretch of entries to one module, in the order of their running.
- A *return* is a stay in a module that had a stay before: stays less modules.
- Our own are all modules of `wattmark` and `wattmark_calibration`, but for the engine behind `SampleStore`
  (`wattmark.store`), which stands behind its protocol: a store in memory gives the same walk.
- No calls are comprehensions, generator expressions and lambdas, nor properties, for reading an attribute takes nobody
  to another file; they belong to whom they run for. Generated code (`dataclass`) has no file, and runs unseen.
- What is imported or built once for all is excluded: the call runs once before.

Beside the whole walk there is the one without *words*: modules that say what a verdict, a limit, a number in a sentence
or a figure with its uncertainty is, and that everything else is written in.

Run as a program, with the checkout to count in PYTHONPATH, it prints the walk of one evaluated run.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

import wattmark
import wattmark_calibration

HOMES = tuple(Path(package.__path__[0]) for package in (wattmark, wattmark_calibration))
ENGINE = "wattmark.store."
WORDS = ("wattmark.analysis.verdict", "wattmark.core.numbers", "wattmark.core.quantity", "wattmark_calibration.")

Function = tuple[str, CodeType]


@dataclass(frozen=True)
class Walk:
    """Where a call led: the modules that were entered, in their order."""

    entries: tuple[str, ...]

    @property
    def stays(self) -> tuple[str, ...]:
        """List the stretches of entries to one module."""
        return tuple(module for module, _ in groupby(self.entries))

    @property
    def modules(self) -> int:
        """Count the modules that were entered."""
        return len(set(self.entries))

    @property
    def returns(self) -> int:
        """Count how often a module was entered that had been left."""
        return len(self.stays) - self.modules

    def without_words(self) -> Walk:
        """Leave out the modules that everything else is written in."""
        return Walk(tuple(module for module in self.entries if not module.startswith(WORDS)))

    def __str__(self) -> str:
        return f"{self.modules} modules, {len(self.stays)} stays, {self.returns} returns"


def walk(work: Callable[[], object]) -> Walk:
    """Follow a call."""
    work()
    calls = [(caller, called) for caller, called in _calls(work) if caller is None or caller[0] != called[0]]
    return Walk(tuple(module for _, (module, _) in dict.fromkeys(calls)))


def _calls(work: Callable[[], object]) -> list[tuple[Function | None, Function]]:
    """List the calls of our functions with the function of ours that each was made for."""
    properties = frozenset(_properties())
    functions: dict[CodeType, Function | None] = {}
    calls: list[tuple[Function | None, Function]] = []

    def ours(frame: FrameType) -> Function | None:
        code = frame.f_code
        if code not in functions:
            module = None if code.co_name.startswith("<") or code in properties else _module(Path(code.co_filename))
            functions[code] = None if module is None else (module, code)
        return functions[code]

    def heard(frame: FrameType, event: str, _: object) -> None:
        called = ours(frame) if event == "call" else None
        if called is not None:
            back = frame.f_back
            while back is not None and ours(back) is None:
                back = back.f_back
            calls.append((None if back is None else ours(back), called))

    sys.setprofile(heard)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def _module(file: Path) -> str | None:
    """Name one of our modules by its file; None for others, and for the engine behind the sample store."""
    for home in HOMES:
        if home in file.parents:
            name = ".".join((home.name, *file.relative_to(home).with_suffix("").parts))
            return None if name.startswith(ENGINE) else name
    return None


def _properties() -> Iterator[CodeType]:
    """Find the functions behind the properties of our classes."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in {home.name for home in HOMES}:
            for kind in vars(module).values():
                for member in vars(kind).values() if isinstance(kind, type) else ():
                    if isinstance(member, property) and member.fget is not None:
                        yield inspect.unwrap(member.fget).__code__


if __name__ == "__main__":
    from wattmark.results.evaluate import evaluate

    from tests.unit.wattmark.results.whole_run import whole_run

    run, store = whole_run()
    whole = walk(lambda: evaluate(run, store))
    sys.stdout.write(f"{whole}; without words {whole.without_words()}\n")
    for module, count in Counter(whole.stays).most_common():
        sys.stdout.write(f"{count:4} {module}\n")
