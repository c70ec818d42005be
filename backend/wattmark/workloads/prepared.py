"""Make a workload ready on its machine, and take away afterwards what that left."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from wattmark.core.errors import WorkloadFailed
from wattmark.core.part import Argv
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local.commands import run_to_end
from wattmark.workloads.local.environment import load_environment
from wattmark.workloads.marks import Mark
from wattmark.workloads.trigger import Execution, OutputLine, Trigger

TAIL_LINES = 3
"""Programs that say on standard output what went wrong say it in their last lines."""


@contextlib.asynccontextmanager
async def prepared(
    declaration: Declaration, *, level: int | None, seconds: float, trigger: Trigger
) -> AsyncIterator[str]:
    """Place the workload's files, start its server and run its set-up; at the end clean up, end it, remove the files.

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
        serving = await stack.enter_async_context(step.serve()) if declaration.serve else None
        try:
            await _while_serving(step.run(declaration.setup, "set-up"), serving)
            yield workspace
        except BaseException as failure:
            with contextlib.suppress(WorkloadFailed):
                await step.run(declaration.cleanup, "clean-up")
            if serving is not None and isinstance(failure, WorkloadFailed):
                await _require_serving(serving)
            raise
        await step.run(declaration.cleanup, "clean-up")


@dataclass(frozen=True, slots=True)
class _Serving:
    """The program that serves a workload, as the messages call it."""

    name: str
    execution: Execution
    lines: deque[str]
    """Its last lines."""
    ended: asyncio.Future[tuple[int, Mark]]


async def _while_serving(preparing: Coroutine[Any, Any, None], serving: _Serving | None) -> None:
    """Run the set-up. Raises `WorkloadFailed` as soon as what it prepares has ended."""
    if serving is None:
        await preparing
        return
    task = asyncio.ensure_future(preparing)
    either: set[asyncio.Future[Any]] = {task, serving.ended}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            await _require_serving(serving)
        await task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def _require_serving(serving: _Serving) -> None:
    """Raise `WorkloadFailed` with the last words of the program that serves a workload, where it has ended."""
    if not serving.ended.done():
        return
    status, _ = await serving.ended
    said = serving.execution.error_tail or " | ".join(serving.lines) or "no output"
    cause = f"{serving.name}, which serves the load, ended with status {status}: {said}."
    raise WorkloadFailed(cause, "Start it by hand with the same arguments.")


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

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator[_Serving]:
        """Run what serves the workload, for the length of the context."""
        argv = await self._filled(self._declaration.serve or ())
        lines = deque[str](maxlen=TAIL_LINES)

        def keep(line: OutputLine) -> None:
            lines.append(line.text.strip())

        async with self._trigger.start(argv, keep, load_environment(self._declaration)) as execution:
            ended = asyncio.ensure_future(execution.wait())
            try:
                yield _Serving(argv[0], execution, lines, ended)
            finally:
                ended.cancel()
                await asyncio.wait({ended})
                if not ended.cancelled():
                    ended.exception()  # what it was, who waited for it has heard

    async def run(self, commands: Sequence[Argv], step: str) -> None:
        """Run all commands. Raises `WorkloadFailed` at the first that fails."""
        declaration = self._declaration
        for command in commands:
            argv = await self._filled(command)
            environment = load_environment(declaration)
            finished = await run_to_end(self._trigger, argv, declaration.setup_timeout_s, environment)
            if finished.status != 0:
                output = finished.error_tail or " | ".join(finished.lines[-TAIL_LINES:]) or "no output"
                cause = f"The {step} of {declaration.id}, {argv[0]}, ended with status {finished.status}: {output}."
                raise WorkloadFailed(cause, "Check that its input exists.")

    async def _filled(self, command: Argv) -> Argv:
        """Put the values of all placeholders into a command."""
        cpus = await self._trigger.cpus()
        return self._declaration.fill(
            command, level=self._level, seconds=self._seconds, cpus=cpus, workspace=self._workspace
        )
