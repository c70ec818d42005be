"""The plug-in for pytest: the fixture `measure`, figures as JUnit properties, and a table at the end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from . import AS_IS, HOUR_S, Appliance, Figure, Measurement, Result, connect

MOST_NAME = 64
"""Characters of a name in results."""
_HEADS = ("measurement", "s", "mean power", "energy", "work per joule")


@dataclass
class _Session:
    """What the tests of one call of pytest have measured."""

    url: str | None
    """None: the option was not given, and nothing is measured."""
    server: str | None
    results: list[tuple[str, Result]] = field(default_factory=list)
    named_by_test: dict[str, set[str]] = field(default_factory=dict)
    """Tests by the name that their results have because none was given."""
    not_made: int = 0
    not_ended: int = 0
    _appliance: Appliance | None = None

    @property
    def appliance(self) -> Appliance:
        """Connect when the first test measures, and stay connected."""
        if self._appliance is None:
            self._appliance = connect(self.url or None)
        return self._appliance

    def close(self) -> None:
        """Close what was opened."""
        if self._appliance is not None:
            self._appliance.close()


_SESSION = pytest.StashKey[_Session]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("wattmark", "energy of tests, by wattmark")
    group.addoption(
        "--wattmark",
        metavar="URL",
        nargs="?",
        const="",
        default=None,
        help="Measure what the fixture `measure` encloses: on the appliance at URL, else at WATTMARK_URL, else with a "
        "meter of this machine.",
    )
    group.addoption("--wattmark-server", metavar="NAME", default=None, help="The server of the bench that works.")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options; nothing is connected to before a test measures."""
    url = config.getoption("wattmark")
    if url and not url.startswith(("http://", "https://")):
        raise pytest.UsageError(
            f"--wattmark {url} is not the address of a service. Write --wattmark=URL, or --wattmark behind the paths."
        )
    if url is not None and config.getoption("dist", "no") != "no":
        raise pytest.UsageError("--wattmark measures one test at a time. Run it without -n.")
    config.stash[_SESSION] = _Session(url, config.getoption("wattmark_server"))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close what was opened."""
    if (session := config.stash.get(_SESSION, None)) is not None:
        session.close()


@pytest.fixture
def measure(request: pytest.FixtureRequest) -> Iterator[Callable[..., Measurement | Unmeasured]]:
    """Measure a block of the test: ``with measure(ops=n): work()``, with the arguments of `wattmark.client.measure`.

    The name is that of the test unless another is given. Without the option --wattmark the block runs and nothing is
    measured. Figures become properties of the test in JUnit XML. What the test began and did not end is dropped.
    """
    session = request.config.stash[_SESSION]
    begun: list[Measurement] = []

    def begin(
        name: str | None = None,
        ops: float | None = None,
        unit: str = "operations",
        *,
        server: str | None = None,
        configuration: str = AS_IS,
        at_most_s: float = HOUR_S,
    ) -> Measurement | Unmeasured:
        if session.url is None:
            session.not_made += 1
            return Unmeasured(ops)
        order = {
            "name": _shortened(name or request.node.name),
            "unit": unit,
            "server": server or session.server,
            "configuration": configuration,
            "at_most_s": at_most_s,
        }

        def report(result: Result) -> None:
            session.results.append((request.node.nodeid, result))
            if name is None:
                session.named_by_test.setdefault(result.name, set()).add(request.node.nodeid)
            # As record_property does, which warns in every suite that writes the usual form of JUnit XML.
            request.node.user_properties += [
                (f"wattmark.{result.name}.{key}", value) for key, value in _properties(result)
            ]

        begun.append(_Reported(order, ops, session, report))
        return begun[-1]

    yield begin
    for measurement in begun:
        if measurement.is_open:
            session.not_ended += 1
            measurement.drop()


class Unmeasured:
    """Stands for a measurement where none is made: the work runs, and there is no result."""

    result, is_open = None, False

    def __init__(self, ops: float | None) -> None:
        self.ops = ops

    def __enter__(self) -> Unmeasured:
        """Do nothing."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing."""

    def begin(self) -> Unmeasured:
        """Do nothing."""
        return self

    def mark(self, label: str = "") -> None:
        """Do nothing."""

    def value(self, ops: float) -> None:
        """Do nothing."""

    def end(self, ops: float | None = None) -> None:
        """Do nothing."""

    def drop(self) -> None:
        """Do nothing."""


class _Reported(Measurement):
    """A measurement that reports its result."""

    def __init__(
        self, order: dict[str, Any], ops: float | None, session: _Session, report: Callable[[Result], None]
    ) -> None:
        super().__init__(lambda: session.appliance, order, ops, keeps=True)
        self._report = report

    def end(self, ops: float | None = None) -> Result:
        result = super().end(ops)
        self._report(result)
        return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print a table of what was measured, or that nothing was."""
    session = config.stash[_SESSION]
    for line in _remarks(session):
        terminalreporter.write_line(f"wattmark: {line}")
    if not session.results:
        return
    terminalreporter.section("wattmark, ± at 95 %")
    rows = [_HEADS, *(_row(result) for _, result in session.results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        terminalreporter.write_line("  ".join(cells).rstrip())
        if number and config.getoption("verbose") > 0:
            nodeid, result = session.results[number - 1]
            for text in (nodeid, *result.remarks, result.url or f"Stored as run {result.run_id}."):
                terminalreporter.write_line(f"    {text}")
    if any(result.simulated for _, result in session.results):
        terminalreporter.write_line("The power is simulated.")
    for instead in dict.fromkeys(r.instead_of_wall for _, r in session.results if r.instead_of_wall):
        terminalreporter.write_line(f"The power is that of the {instead}.")


def _remarks(session: _Session) -> Iterator[str]:
    """List what was not measured, and what is not told apart."""
    if session.not_made:
        yield f"{session.not_made} blocks were not measured. Give --wattmark or --wattmark=URL."
    if session.not_ended:
        yield f"{session.not_ended} blocks were not ended, and are dropped."
    for name, tests in session.named_by_test.items():
        if len(tests) > 1:
            yield f"{len(tests)} tests are named {name}, and count as repeats of one. Name them: measure(NAME)."


def _row(result: Result) -> tuple[str, ...]:
    figures = (result.power, result.energy, result.efficiency)
    return (result.name, f"{result.duration_s:.4g}", *("–" if figure is None else str(figure) for figure in figures))


def _properties(result: Result) -> list[tuple[str, object]]:
    """List the figures for JUnit, each with its ± where it has one."""
    figures: dict[str, Figure | None] = {
        "power_w": result.power,
        "energy_j": result.energy,
        "throughput": result.throughput,
        "efficiency": result.efficiency,
    }
    properties: list[tuple[str, object]] = [("run", result.run_id), ("duration_s", result.duration_s)]
    for key, figure in figures.items():
        if figure is not None:
            properties.append((key, figure.value))
            properties += [] if figure.U95 is None else [(f"{key}_U95", figure.U95)]
    return properties


def _shortened(name: str) -> str:
    """Shorten a name that results cannot hold, so that no two tests share one."""
    if len(name) <= MOST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: MOST_NAME - len(digest) - 1]}-{digest}"
