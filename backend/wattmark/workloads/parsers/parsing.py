"""Turn what a program prints into work done."""

from __future__ import annotations

from typing import Protocol

from wattmark.workloads.declaration import Declaration
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.json_output import JsonOutput
from wattmark.workloads.parsers.llm_output import LlmOutput
from wattmark.workloads.parsers.loadgen_output import LoadgenOutput
from wattmark.workloads.parsers.openssl_output import OpensslOutput, evp_marks, rsa_marks
from wattmark.workloads.parsers.parsers import JsonParser, LlmReport, LoadgenLogs, MarkerParser, OpensslEvp, OpensslRsa
from wattmark.workloads.parsers.text_output import TextOutput
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.trigger import OutputLine


class OutputParser(Protocol):
    """Reads the lines of one run of a program."""

    @property
    def began(self) -> Mark | None:
        """Return when the work that counts began; None before that."""
        ...

    @property
    def done(self) -> bool:
        """Return whether everything has been seen, so that the program can be stopped."""
        ...

    def feed(self, line: OutputLine) -> None:
        """Read a line. Raises `WorkloadFailed` when it reports that the program failed."""
        ...

    def so_far(self, now: Mark) -> MarkedWork | None:
        """Compute the work until now, cheaply; None while it is not known."""
        ...

    def result(self, ended: Mark) -> MarkedWork:
        """Compute the work done. Raises `WorkloadFailed` when the output holds no measurement."""
        ...


def parser_for(declaration: Declaration, *, level: int | None, seconds: float, started: Mark) -> OutputParser:
    """Create the parser that a declaration names, for one run of the program."""
    parser = declaration.parser
    if isinstance(parser, OpensslRsa):
        return OpensslOutput(rsa_marks(parser.operation), processes=level or 1, seconds=seconds)
    if isinstance(parser, OpensslEvp):
        return OpensslOutput(evp_marks(parser.block_bytes), processes=level or 1, seconds=seconds)
    if isinstance(parser, LoadgenLogs):
        return LoadgenOutput(started=started)
    if isinstance(parser, LlmReport):
        return LlmOutput(declaration.parameter_values())
    if isinstance(parser, JsonParser):
        return JsonOutput(
            parser, started=started, warm_up_s=declaration.warm_up_s, seconds=seconds, unit=declaration.unit
        )
    if isinstance(parser, MarkerParser):
        raise TypeError(f"{declaration.id} prints nothing: its markers come from elsewhere")
    return TextOutput(
        parser,
        started=started,
        warm_up_s=declaration.warm_up_s,
        seconds=seconds,
        unit=declaration.unit,
        processes=level or 1,
    )
