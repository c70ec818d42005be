"""Notebooks of the guide: cells executed in their order, as Jupyter does, without Jupyter.

usage: python -m tests.integration.docs.notebook NOTEBOOK

writes what the cells of a notebook print now into it.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from tests.generated_lab import store_lab
from tests.integration.reading.places import pack, pour

SERVERS, CONFIGURATIONS, REPEATS = 2, 4, 3


def prepare(folder: Path) -> None:
    """Make up the laboratory that the notebooks read: a data folder, and archives of it."""
    store_lab(folder / "lab-data", SERVERS, CONFIGURATIONS, REPEATS)
    pack(folder / "lab-data", folder / "runs.zip")
    pour(folder / "lab-data", folder / "cold", "North")


def read_notebook(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return notebook


def executed(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Execute the code cells in one namespace; yield each with what it printed, the value of its last line included."""
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            yield cell, _execute("".join(cell["source"]), names)


def shown(cell: dict[str, Any]) -> str:
    """Return the text that a notebook shows below a cell."""
    return "".join(
        "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"])
        for output in cell["outputs"]
    )


def _execute(source: str, names: dict[str, Any]) -> str:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()) as out:
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                out.write(repr(value))
    return out.getvalue()


def main(path: Path) -> None:
    """Execute a notebook where its places are, and write the outputs into it."""
    notebook = read_notebook(path)
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        with chdir(folder):
            for number, (cell, text) in enumerate(executed(notebook), 1):
                lines = text.splitlines(keepends=True)
                cell["execution_count"] = number
                cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + os.linesep, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
