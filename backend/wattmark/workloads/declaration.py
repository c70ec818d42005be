"""What a workload is, as data: the program, how to bring it to a level, what it prints, what it counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wattmark.core.inputs import LINE, REAL, SCALAR, WHOLE, Text
from wattmark.core.part import Argument, Argv, Identifier, Part, Variable, Word
from wattmark.workloads.hook import Hook
from wattmark.workloads.parameters import Name, Parameter
from wattmark.workloads.parsers.parsers import JsonParser, LoadgenLogs, MarkerParser, OpensslRsa, Parser
from wattmark.workloads.placeholders import PLACEHOLDERS, fill, names_in, well_spelt

LONGER_S = 5
"""How much longer {longer} is than the requested time [s]."""
FILE = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"

Unit = Annotated[str, Field(pattern=r"^[^\s/]+$", max_length=32), LINE]
"""Unit of the work counted, plural and without "per second": "signs", "queries", "MB"."""


class LevelRule(Part):
    """What a load level counts."""

    one: Word
    """Singular, "process"."""
    many: Word
    """Plural, "processes"."""
    default: Annotated[Literal["cpus"] | Annotated[int, Field(strict=True, ge=1)], SCALAR] = "cpus"
    sweep: tuple[Annotated[int, Field(strict=True, ge=1), WHOLE], ...] = ()
    """Levels that make a curve, lowest first."""
    asks_per_s: Annotated[float, Field(gt=0), REAL] | None = None
    """Work per second requested by one unit of the level [unit/s], if the level is a rate; otherwise None."""

    @property
    def most(self) -> int | None:
        """Return the level that asks for more than any machine does, so that it finds the most; None: there is none."""
        return self.default if self.default != "cpus" and self.sweep and self.default == self.sweep[-1] else None

    def full(self, cpus: int) -> int:
        """Return the level that brings a machine with this number of CPUs to full load."""
        return cpus if self.default == "cpus" else self.default


Limit = Literal["cpu", "memory", "disk", "network", "gpu", "requests"]
"""What a workload at full load is bound by; "requests": by the requested send rate."""


class Declaration(Part):
    """One workload. ``command`` is an argument list; it never passes through a shell."""

    id: Identifier
    title: Word
    unit: Unit
    direction: Literal["higher"] = "higher"
    """Always "higher": throughput is work per second. A time per operation is its inverse or a response time."""
    command: tuple[Argument, ...] = ()
    """Empty if a hook starts the load, or if the load is started elsewhere and sends markers."""
    hook: Hook | None = None
    """HTTP calls that start and end a load on another system, instead of a command."""
    version: Argv | None = None
    """A command that prints the program's version."""
    environment: dict[Text, Text] = Field(default_factory=dict)
    parameters: dict[Name, Parameter] = Field(default_factory=dict)
    """Placeholders of this workload alone; the bench file gives their values."""
    files: tuple[Annotated[str, Field(pattern=FILE), LINE], ...] = ()
    """Files of the folder ``programs`` that are placed in {workspace}."""
    serve: Argv | None = None
    """A server that does the work for the command: started before the set-up, which may wait until it answers, and
    ended after the clean-up."""
    setup: tuple[Argv, ...] = ()
    """Commands that prepare the workload (compile a program, fill a database); they run before the first phase."""
    cleanup: tuple[Argv, ...] = ()
    """Commands that clean up after the setup; they run after the last phase, however the run ended."""
    setup_timeout_s: Annotated[float, Field(gt=0), REAL] = 600.0
    """Time after which a setup command is killed [s]."""
    password_variable: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$"), LINE] | None = None
    """Environment variable in which the program expects a password; never an argument, which all users could see."""
    password_env: Variable | None = None
    """Variable in wattmark's environment with the password; named in the bench file."""
    service: Word | None = None
    """Server process that does the work for the program: "database", "web server". Its CPU time is not counted."""
    one_node: bool = False
    """Whether the program fills its server and uses no other: to the rules of HPC that server is then the machine."""
    limited_by: Limit = "cpu"
    needs: dict[Text, Text] = Field(default_factory=dict)
    """Other programs that it calls, with their Debian packages."""
    stands_for: tuple[Text, ...] = ()
    """Workloads of published articles to which this one corresponds."""
    level: LevelRule | None = None
    parser: Parser
    warm_up_s: Annotated[float, Field(ge=0, le=3600), REAL] = 0.0
    """Work before this time is not counted [s]; only for programs that report intervals."""
    slice_s: Annotated[int, Field(strict=True, ge=1, le=3600), WHOLE] | None = None
    """Length of one slice, if a measurement consists of several runs of the program [s]; None: one run."""
    timeout_s: Annotated[float, Field(gt=0), REAL] | None = None
    """Time after which the program is killed [s]; None: twice the requested time plus 60 s."""
    package: Text | None = None
    """Debian package of the program."""
    source: Text = ""
    """Where the command and the meaning of its output come from."""

    @property
    def external(self) -> bool:
        """Return whether the load is started from outside wattmark."""
        return not self.command and self.hook is None

    @model_validator(mode="after")
    def _command_or_markers(self) -> Self:
        if self.hook is not None:
            self._hook_fits(self.hook)
        elif (not self.command) != isinstance(self.parser, MarkerParser):
            raise ValueError("a command, or a parser of the kind markers and no command, or a hook")
        return self

    def _hook_fits(self, hook: Hook) -> None:
        """Check that the calls can supply what the parser reads."""
        if self.command or self.slice_s is not None:
            raise ValueError("neither a command nor slices with a hook, whose calls start and end the load")
        if not isinstance(self.parser, JsonParser | MarkerParser):
            raise ValueError("a parser of the kind json or markers for a hook")
        polled = isinstance(self.parser, JsonParser) and self.parser.reports.startswith("interval")
        if polled != (hook.poll is not None):
            raise ValueError(
                "interval reports together with a poll, or neither: the response to the end call states a total or rate"
            )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.warm_up_s and not getattr(self.parser, "reports", "").startswith("interval"):
            raise ValueError("interval reports together with warm_up_s, because a total includes the warm-up")
        if any("{level}" in word or "{operations}" in word for word in self.command) and self.level is None:
            raise ValueError("a level (one, many, default) for the placeholder {level}")
        if self.password_env is not None and self.password_variable is None:
            raise ValueError("a workload that uses a password, if password_env is set")
        return self

    @model_validator(mode="after")
    def _placeholders_are_known(self) -> Self:
        if hidden := set(self.parameters) & set(PLACEHOLDERS):
            raise ValueError(f"parameter names other than {', '.join(sorted(hidden))}")
        for url in self.hook.addresses if self.hook else ():
            if unknown := names_in(url) - set(self.parameters):
                raise ValueError(f"parameters named {', '.join(sorted(unknown))}, which its addresses use")
        check = well_spelt((*PLACEHOLDERS, *self.parameters))
        for argv in [self.command, self.serve or (), *self.setup, *self.cleanup]:
            for word in argv:
                check(word)
        return self

    def level_text(self, level: int | None) -> str:
        """Return the name of a level: "4 processes", or "full load" where the workload has none."""
        if self.level is None or level is None:
            return "full load"
        return f"{level} {self.level.one if level == 1 else self.level.many}"

    def argv(self, *, level: int | None, seconds: int, cpus: int, workspace: str = "") -> tuple[str, ...]:
        """Write the argument list for a level and a duration [s]."""
        return self.fill(self.command, level=level, seconds=seconds, cpus=cpus, workspace=workspace)

    def fill(
        self, argv: tuple[str, ...], *, level: int | None, seconds: int, cpus: int, workspace: str
    ) -> tuple[str, ...]:
        """Put the values of all placeholders into an argument list; each stays inside its argument."""
        values = {
            **self.parameter_values(),
            "level": str(level or ""),
            "seconds": str(seconds),
            "longer": str(seconds + LONGER_S),
            "operations": str((level or 1) * seconds),
            "cpus": str(cpus),
            "workspace": workspace,
        }
        return tuple(fill(word, values) for word in argv)

    def parameter_values(self) -> dict[str, str]:
        """Return the values of its parameters; "" for one without a value."""
        return {name: parameter.default or "" for name, parameter in self.parameters.items()}

    @property
    def program(self) -> str:
        """Return the program that it starts, as messages name it."""
        return fill(self.command[0], self.parameter_values())

    def programs(self) -> Iterator[tuple[str, str | None]]:
        """Iterate over the programs that it calls, with the Debian packages that bring them."""
        if self.command and not self.command[0].startswith("{workspace}"):
            yield self.program, self.package
        if self.serve:
            yield fill(self.serve[0], self.parameter_values()), None
        yield from self.needs.items()

    def missing_parameters(self) -> tuple[str, ...]:
        """List the parameters without a value."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.default is None)

    def lead_in_s(self, measure_s: float) -> float:
        """Return how long the program runs at full load before the counted work begins [s]."""
        if isinstance(self.parser, OpensslRsa) and self.parser.operation == "verify":
            return math.ceil(measure_s)
        return self.warm_up_s

    def asked_s(self, measure_s: float) -> float | None:
        """Return how long the load is asked to run [s]; None where it ends by itself when its work is done."""
        takes_time = self.hook is not None or any(
            word in part for part in self.command for word in ("{seconds}", "{longer}")
        )
        reports = getattr(self.parser, "reports", "")
        if self.external or isinstance(self.parser, LoadgenLogs):
            return None
        return measure_s if takes_time or reports.startswith("interval") else None

    def slices(self, measure_s: float) -> tuple[int, ...]:
        """Split a measurement into whole seconds per run of the program, as equal as possible."""
        total = max(1, math.ceil(measure_s))
        count = max(1, round(total / self.slice_s)) if self.slice_s else 1
        return tuple(total // count + (index < total % count) for index in range(count))
