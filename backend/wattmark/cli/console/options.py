"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.core.data_dir import default_data_dir

DataDir = Annotated[
    Path | None, typer.Option("--data", help="Data folder. Default: WATTMARK_DATA_DIR or ~/.local/share/wattmark.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print only one JSON document to standard output.")]


def data_dir(folder: Path | None) -> Path:
    """Choose the data folder: the option, the environment, the default."""
    return folder or default_data_dir()
