"""Make a workload ready on its machine, and take away afterwards what that left."""

from __future__ import annotations

import contextlib
import math
from collections.abc import AsyncIterator, Sequence
from importlib.resources import files

from wattmark.core.errors import WorkloadFailed
from wattmark.core.part import Argv
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local.commands import run_to_end
from wattmark.workloads.local.environment import load_environment
from wattmark.workloads.trigger import Trigger

TAIL_LINES = 3
"""Programs that say on standard output what went wrong say it in their last lines."""


@contextlib.asynccontextmanager
async def prepared(
    declaration: Declaration, *, level: int | None, seconds: float, trigger: Trigger
) -> AsyncIterator[str]:
    """Place the workload's files and run its set-up; at the end run its clean-up and remove the files.

    Gives the workspace folder ("" where the workload has no files). Raises `WorkloadFailed` with the last words of a
    command that fails; a clean-up that fails is passed over when the run itself has failed.
    """
    if missing := declaration.missing_parameters():
        cause = f"The workload {declaration.id} needs {', '.join(missing)}."
        raise WorkloadFailed(cause, f"Give them in the bench file: with: {{parameters: {{{missing[0]}: ...}}}}.")
    contents = {name: (files(__package__) / "programs" / name).read_bytes() for name in declaration.files}
    async with contextlib.AsyncExitStack() as stack:
        workspace = await stack.enter_async_context(trigger.workspace(contents)) if contents else ""
        step = _Step(declaration, level, math.ceil(seconds), trigger, workspace)
        try:
            await step.run(declaration.setup, "set-up")
            yield workspace
        except BaseException:
            with contextlib.suppress(WorkloadFailed):
                await step.run(declaration.cleanup, "clean-up")
            raise
        await step.run(declaration.cleanup, "clean-up")


class _Step:
    """Runs the commands of a set-up or clean-up, one after the other."""

    def __init__(
        self, declaration: Declaration, level: int | None, seconds: int, trigger: Trigger, workspace: str
    ) -> None:
        self._declaration = declaration
        self._level = level
        self._seconds = seconds
        self._trigger = trigger
        self._workspace = workspace

    async def run(self, commands: Sequence[Argv], step: str) -> None:
        """Run all commands. Raises `WorkloadFailed` at the first that fails."""
        declaration = self._declaration
        cpus = await self._trigger.cpus() if commands else 0
        for command in commands:
            argv = declaration.fill(
                command, level=self._level, seconds=self._seconds, cpus=cpus, workspace=self._workspace
            )
            environment = load_environment(declaration)
            finished = await run_to_end(self._trigger, argv, declaration.setup_timeout_s, environment)
            if finished.status != 0:
                output = finished.error_tail or " | ".join(finished.lines[-TAIL_LINES:]) or "no output"
                cause = f"The {step} of {declaration.id}, {argv[0]}, ended with status {finished.status}: {output}."
                raise WorkloadFailed(cause, "Check that its input exists.")
