"""What a workload is, as data: the program, how to bring it to a level, what it prints, what it counts."""

from __future__ import annotations

import math
import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from wattmark.workloads.placeholders import PLACEHOLDERS, fill, well_spelt

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=64)]
"""A name that is safe in file names, addresses and argument lists: it never begins with a dash."""
Word = Annotated[str, Field(min_length=1, max_length=4096)]
Argv = Annotated[tuple[Word, ...], Field(min_length=1)]


class Part(BaseModel):
    """Base of everything that is declared in YAML: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class LevelRule(Part):
    """What a load level counts."""

    one: Word
    """Singular, "process"."""
    many: Word
    """Plural, "processes"."""
    default: Literal["cpus"] | Annotated[int, Field(strict=True, ge=1)] = "cpus"


class OpensslRsa(Part):
    """Read the marks that ``openssl speed -mr rsaNNNN`` prints while it works."""

    kind: Literal["openssl-rsa"]
    operation: Literal["sign", "verify"]


Reports = Literal["total", "rate", "interval-amount", "interval-rate"]


class TextParser(Part):
    """Find the throughput in printed lines with a regular expression."""

    kind: Literal["regex"]
    pattern: Word
    """Its group "value" is the number; with "total" and "rate" the last match counts."""
    reports: Reports
    begin: Word | None = None
    """A line that matches marks the begin of the measured work; without it the start of the program does."""
    end: Word | None = None
    """A line that matches marks the end of the measured work; without it the exit of the program does."""

    @field_validator("pattern", "begin", "end")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"a regular expression ({error})") from None
        return value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if "value" not in re.compile(self.pattern).groupindex:
            raise ValueError("a pattern with the group (?P<value>...)")
        if self.reports.startswith("interval") and (self.begin or self.end):
            raise ValueError("neither begin nor end with interval reports, which carry their own marks")
        return self


class JsonParser(Part):
    """Find the throughput in JSON: one document at the end, or one per line for interval reports."""

    kind: Literal["json"]
    pointer: Annotated[str, Field(pattern=r"^(/.*)$", max_length=1024)]
    """JSON Pointer (RFC 6901) to the number."""
    reports: Reports


Parser = Annotated[OpensslRsa | TextParser | JsonParser, Field(discriminator="kind")]


class Declaration(Part):
    """One workload. ``command`` is an argument list; it never passes through a shell."""

    id: Identifier
    title: Word
    unit: Annotated[str, Field(pattern=r"^[^\s/]+$", max_length=32)]
    """Unit of the work counted, plural and without "per second": "signs", "queries", "MB"."""
    direction: Literal["higher"] = "higher"
    command: tuple[Annotated[Word, AfterValidator(well_spelt(PLACEHOLDERS))], ...] = Field(min_length=1)
    version: Argv | None = None
    """A command that prints the program's version."""
    environment: dict[str, str] = Field(default_factory=dict)
    level: LevelRule | None = None
    parser: Parser
    warm_up_s: float = Field(default=0.0, ge=0, le=3600)
    """Work before this instant is not counted [s]; only for programs that report intervals."""
    slice_s: Annotated[int, Field(strict=True, ge=1, le=3600)] | None = None
    """Length of one slice of a measurement that is made of several runs of the program [s]; None: one run."""
    timeout_s: float | None = Field(default=None, gt=0)
    """When a program that has not ended is killed [s]; None: twice the time asked for and a minute."""
    package: str | None = None
    """Debian package that brings the program."""
    source: str = ""
    """Where the command and the meaning of its output come from."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.warm_up_s and not getattr(self.parser, "reports", "").startswith("interval"):
            raise ValueError("interval reports to go with warm_up_s, because a total counts the warm-up as well")
        if any("{level}" in word for word in self.command) and self.level is None:
            raise ValueError("a level (one, many, default) for the placeholder {level}")
        return self

    def level_text(self, level: int | None) -> str:
        """Name a level: "4 processes", or "full load" where the workload has none."""
        if self.level is None or level is None:
            return "full load"
        return f"{level} {self.level.one if level == 1 else self.level.many}"

    def argv(self, *, level: int | None, seconds: int, cpus: int) -> tuple[str, ...]:
        """Write the argument list for a level and a duration [s]."""
        values = {"level": str(level or ""), "seconds": str(seconds), "cpus": str(cpus)}
        return tuple(fill(word, values) for word in self.command)

    def lead_in_s(self, measure_s: float) -> float:
        """Tell how long the program works at full load before the work that counts begins [s]."""
        if isinstance(self.parser, OpensslRsa) and self.parser.operation == "verify":
            return math.ceil(measure_s)
        return self.warm_up_s

    def slices(self, measure_s: float) -> tuple[int, ...]:
        """Cut a measurement into whole seconds per run of the program, as equal as they can be."""
        total = max(1, math.ceil(measure_s))
        count = max(1, round(total / self.slice_s)) if self.slice_s else 1
        return tuple(total // count + (index < total % count) for index in range(count))
