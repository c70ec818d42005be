"""How a program's output is read, as data."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from wattmark.core.inputs import LINE, REAL, WHOLE
from wattmark.core.part import Argument, Part

Reports = Literal["total", "rate", "interval-amount", "interval-rate", "interval-total"]
Statistic = Literal["mean", "median", "p90", "p95", "p99", "max"]
TimeUnit = Literal["ns", "us", "ms", "s"]
Pointer = Annotated[str, Field(pattern=r"^(/.*)$", max_length=1024), LINE]
"""JSON Pointer (RFC 6901)."""


class OpensslRsa(Part):
    """Read the marks that ``openssl speed -mr rsaNNNN`` prints while it works."""

    kind: Literal["openssl-rsa"]
    operation: Literal["sign", "verify"]


class OpensslEvp(Part):
    """Read the marks that ``openssl speed -mr -evp NAME`` prints while it works; each operation is one block."""

    kind: Literal["openssl-evp"]
    block_bytes: Annotated[int, Field(strict=True, ge=1), WHOLE]


class LoadgenLogs(Part):
    """Read the detail log (and the summary) of MLPerf's LoadGen on standard output; samples are counted."""

    kind: Literal["loadgen"]


class LlmReport(Part):
    """Read what ``programs/llm_client.py`` prints; tokens that a language model generated are counted."""

    kind: Literal["llm"]


class ResponsePattern(Part):
    """A response time in printed lines: the group "value" of the pattern, in ``unit``."""

    statistic: Statistic
    pattern: Argument
    unit: TimeUnit = "ms"

    @field_validator("pattern")
    @classmethod
    def _finds_a_value(cls, value: str) -> str:
        return with_value(value)


class ResponsePointer(Part):
    """A response time in JSON."""

    statistic: Statistic
    pointer: Pointer
    unit: TimeUnit = "ms"


class TextCheck(Part):
    """Where else in its output a program states its work: what contradicts it fails the run.

    The named groups of all patterns together, each from its last match, make one number: all ``value...`` added up,
    times ``times``, over ``seconds``, ``minutes`` or ``hours``; a group ``unit`` is k, m, g or t, in powers of 1024.
    """

    patterns: tuple[Argument, ...] = Field(min_length=1)
    against: Literal["number", "rate"] = "number"
    """The number as it is reported, or work per second between begin and end as they were seen here."""
    factor: Annotated[float, Field(gt=0), REAL] = 1.0
    within_pct: Annotated[float, Field(ge=0, le=100), REAL] = 1.0
    """By how much the two may differ [% of the larger one], for the digits that are printed."""

    @field_validator("patterns")
    @classmethod
    def _find_a_value(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        names = [name for pattern in value for name in re.compile(compiled(pattern)).groupindex]
        if not any(name.startswith("value") for name in names):
            raise ValueError("patterns with a group (?P<value>...)")
        return value


class JsonCheck(Part):
    """Where else in its JSON a program states its work: an amount, and in what time."""

    amount: Pointer
    duration: Pointer
    unit: TimeUnit = "s"
    within_pct: Annotated[float, Field(ge=0, le=100), REAL] = 1.0


class TextParser(Part):
    """Find the throughput in printed lines with a regular expression."""

    kind: Literal["regex"]
    pattern: Argument
    """Its group "value" is the number; with "total" and "rate" the last match counts.

    A group "at" is when the report was made, in seconds of the program: reports that are missing or come twice are
    then told by it, else by when they arrive.
    """
    reports: Reports
    combine: Literal["last", "sum", "mean"] = "last"
    """"sum" if every process of the load prints its own total or rate, "mean" if one line has the mean of them all, as
    many as the level counts."""
    scale: Annotated[float, Field(gt=0), REAL] = 1.0
    """Factor that converts the number to the unit of the workload."""
    begin: Argument | None = None
    """A matching line marks the start of the measured work. Default: the start of the program."""
    end: Argument | None = None
    """A matching line marks the end of the measured work. Default: the exit of the program."""
    took: Argument | None = None
    """A line that comes when the counted work ends. Its group "seconds" is how long that took by the program's own
    clock, and the window is as long; ``begin`` then only tells when what prepares it begins."""
    done: Argument | None = None
    """A line after which nothing counts: the program is ended there, whatever else it would do."""
    fails_on: Argument | None = None
    """A matching line makes the run fail, with the line as reason, whatever the exit status."""
    verified: Argument | None = None
    """A line by which the program says that it checked its result and found it right, one for each number: without it
    there is no figure."""
    checks: tuple[TextCheck, ...] = ()
    """Other figures of the same output that must agree with the number."""
    response: tuple[ResponsePattern, ...] = ()

    @field_validator("pattern", "begin", "end", "took", "done", "fails_on", "verified")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        return value and compiled(value)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        with_value(self.pattern)
        if self.reports.startswith("interval") and (self.begin or self.end or self.took or self.combine != "last"):
            raise ValueError(
                "begin, end, took, sum and mean cannot be combined with interval reports, which have their own times"
            )
        if self.reports.startswith("interval") and (self.done or self.verified):
            raise ValueError("done and verified cannot be combined with interval reports, which end with the window")
        if self.took is not None and (self.end or "seconds" not in re.compile(self.took).groupindex):
            raise ValueError("took with a group (?P<seconds>...) and without end, for its line is the end")
        if self.reports.startswith("interval") and self.checks:
            raise ValueError("checks cannot be combined with interval reports: the program ends before its totals")
        return self


class JsonParser(Part):
    """Find the throughput in JSON: one document at the end, or one per line for interval reports."""

    kind: Literal["json"]
    pointer: Pointer
    """Where the number is."""
    reports: Reports
    scale: Annotated[float, Field(gt=0), REAL] = 1.0
    """Factor that converts the number to the unit of the workload."""
    must_be_0: tuple[Pointer, ...] = ()
    """Where the program counts its errors; a number other than 0 there makes the run fail."""
    check: JsonCheck | None = None
    """Other figures of the document that must agree with the number, which is a rate."""
    response: tuple[ResponsePointer, ...] = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.check is not None and self.reports != "rate":
            raise ValueError("a check only with reports: rate, which amount over duration must make")
        return self


class MarkerParser(Part):
    """Receive the markers of a load that wattmark does not start: begin, end, and values in between."""

    kind: Literal["markers"]
    reports: Reports = "total"
    """Meaning of a number; with "total" and "rate" the last one before the end marker counts."""
    scale: Annotated[float, Field(gt=0), REAL] = 1.0
    """Factor that converts a number to the unit of the workload."""
    wait_s: Annotated[float, Field(gt=0, le=86_400), REAL] = 600.0
    """How long a run waits for the begin marker [s]."""


Parser = Annotated[
    OpensslRsa | OpensslEvp | LoadgenLogs | LlmReport | TextParser | JsonParser | MarkerParser,
    Field(discriminator="kind"),
]


def compiled(pattern: str) -> str:
    """Check that a regular expression compiles."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"a regular expression ({error})") from None
    return pattern


def with_value(pattern: str) -> str:
    """Check that a regular expression has the group "value"."""
    if "value" not in re.compile(compiled(pattern)).groupindex:
        raise ValueError("a pattern with the group (?P<value>...)")
    return pattern
