"""`wattmark completion`: the script by which a shell completes commands, options and their values."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from typer._completion_shared import get_completion_script

from wattmark.cli.lazy import COMPLETE, PROGRAM


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="The shell.")]) -> None:
    """Print the completion of a shell, to be loaded by it or installed for everybody.

    Bash: in ~/.bashrc, eval "$(wattmark completion bash)". Zsh: save it as _wattmark in a folder of $fpath. Fish: save
    it as ~/.config/fish/completions/wattmark.fish. docker/README.md says where a package puts them.
    """
    typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=COMPLETE, shell=shell))
