"""`wattmark results`: every run with its figures, to the screen or to a file."""

from __future__ import annotations

from functools import partial

from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.result_json import result_json
from wattmark.cli.tables.shown import Columns, FormatOption, OutputFile, Wide, file_format, put_file, show, view
from wattmark.cli.tables.tables import LoadLevel, OfServer, OfWorkload, WindowRule, ask, choose
from wattmark.core.likely import none_as_wanted
from wattmark.reports.chosen_runs import chosen_runs
from wattmark.reports.sources import Sources
from wattmark.results.tables.results_table import results_table
from wattmark.tables.json_file import write_document
from wattmark.tables.table import Table


def results(
    workload: OfWorkload = None,
    level: LoadLevel = None,
    server: OfServer = None,
    wide: Wide = False,
    columns: Columns = "",
    data: DataDir = None,
    window_rule: WindowRule = "complete",
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Print the results of the runs in a data folder."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    query = choose(workload=workload, level=level, server=server)

    def chosen(sources: Sources) -> list[str] | None:
        runs = chosen_runs(sources, query)
        if runs == []:
            ran = {(run.server, run.workload, run.level) for run in sources.results.ran()}
            wanted = {"server": server, "workload": workload, "level": level}
            raise none_as_wanted("No run matches", wanted, ran)
        return runs

    def write_json(sources: Sources) -> None:
        results = (result_json(result) for _, result in sources.results.each(chosen(sources), window_rule))
        put_file(partial(write_document, before={}, name="results", items=results, after={}), output)

    def question(sources: Sources) -> Table:
        return results_table(result for _, result in sources.results.each(chosen(sources), window_rule))

    if format == "json":
        ask(data, write_json)
    else:
        show(view(ask(data, question), columns, wide=wide), format, output)
