"""The answers about runs as tools of the Model Context Protocol: read-only, over standard input and output."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import Field

from wattmark.comparison.compare.views import CompareChoice
from wattmark.comparison.compare.yardstick import ComparedBy
from wattmark.core.errors import WattmarkError
from wattmark.core.extras import require
from wattmark.core.version import version
from wattmark.reading import answers
from wattmark.reading.answers import Budget, Comparison, RunList
from wattmark.reading.readable import Readable

FEATURE = "`wattmark mcp` needs"
INSTRUCTIONS = """Measured power, throughput and work per joule of servers, each with its uncertainty.
State every figure with its unit and its U95 as ±. Where U95 is null, say the remark instead of a ±, and never compute
or estimate one. Compare configurations with the tool compare only: errors of one meter do not average out, so means
and differences of single runs have no ± that could be computed from the list. What a run is not ranked by must not be
ranked. Figures of kind "simulated" say nothing about real hardware; "published" ones were not measured here."""
T = TypeVar("T")
Workload = Annotated[str | None, Field(description="Exact name of the workload, as list_comparisons gives it.")]
Level = Annotated[str | None, Field(description="Exact load level, as list_comparisons gives it.")]


class Tools:
    """The tools over one place, called one after the other: an archive is one open file."""

    def __init__(self, place: Readable) -> None:
        self._place = place
        self._alone = threading.Lock()

    def list_runs(
        self,
        text: Annotated[str, Field(description="Words to find in names, meter, tags or note.")] = "",
        server: str | None = None,
        workload: Workload = None,
        level: Level = None,
        limit: Annotated[int, Field(ge=1, le=answers.MOST_RUNS)] = 50,
        offset: Annotated[int, Field(ge=0)] = 0,
    ) -> RunList:
        """List runs, newest first, with work per joule, power and throughput, each with ± or why it has none."""
        return self._ask(lambda: answers.list_runs(self._place, text, server, workload, level, limit, offset))

    def list_comparisons(self) -> list[CompareChoice]:
        """List the workloads and load levels at which configurations can be compared."""
        return self._ask(lambda: answers.list_comparisons(self._place))

    def compare(
        self,
        workload: Workload = None,
        level: Level = None,
        baseline: Annotated[
            str | None, Field(description="Key of the configuration that others are divided by.")
        ] = None,
        figure: ComparedBy = "efficiency",
        smallest_pct: Annotated[
            float | None, Field(gt=0, le=50, description="Smallest relevant difference [%].")
        ] = None,
    ) -> Comparison:
        """Compare configurations: the answer in a sentence, ratios with 95 % intervals, verdicts, ranks with ties.

        Without workload and level, those with most configurations. efficiency is work per joule.
        """
        return self._ask(lambda: answers.compare(self._place, workload, level, baseline, figure, smallest_pct))

    def explain_budget(
        self, run: Annotated[str, Field(description="run_id of list_runs.")], figure: ComparedBy = "efficiency"
    ) -> Budget:
        """Explain the ± of a figure of a run: its contributions, their shares, and what would make it smaller."""
        return self._ask(lambda: answers.explain_budget(self._place, run, figure))

    def _ask(self, question: Callable[[], T]) -> T:
        from mcp.server.mcpserver.exceptions import ToolError

        try:
            with self._alone:
                return question()
        except WattmarkError as error:
            raise ToolError(str(error)) from None


def mcp_server(place: Readable) -> Any:
    """Build a server over one place. Raises `InputError` without the extra "mcp"."""
    server = require("mcp", "mcp.server.mcpserver", FEATURE)
    hints = require("mcp", "mcp_types", FEATURE).ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    tools = Tools(place)
    served = server.MCPServer("wattmark", instructions=INSTRUCTIONS, version=version(), log_level="WARNING")
    for tool in (tools.list_runs, tools.list_comparisons, tools.compare, tools.explain_budget):
        served.tool(annotations=hints)(tool)
    return served
