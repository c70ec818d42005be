"""`wattmark meter check`: is what the device says plausible, and which setting is probably wrong?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated

import typer
from rich.progress import Progress
from rich.text import Text
from wattmark_drivers.meter import Meter
from wattmark_drivers.pace import pace_remark, uncovered_remark
from wattmark_drivers.plausibility.collect import collect
from wattmark_drivers.plausibility.judge import judge
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict
from wattmark_drivers.settings import MeterSettings

from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import PlainConsole, console
from wattmark.cli.meter.target import (
    BenchFile,
    PasswordEnv,
    PasswordFile,
    PrivacyPasswordFile,
    TargetName,
    User,
    resolve,
)
from wattmark.core.numbers import format_number

COLOURS = {"pass": "green", "fail": "red", "not-checked": "dim"}


def check(
    target: TargetName,
    seconds: Annotated[float, typer.Option("--seconds", min=1, max=3600, help="Duration [s].")] = 20.0,
    bench: BenchFile = None,
    user: User = None,
    password_file: PasswordFile = None,
    password_env: PasswordEnv = None,
    privacy_password_file: PrivacyPasswordFile = None,
    as_json: AsJson = False,
) -> None:
    """Test a meter's readings against physics and its declaration. Exit code 1 when a test fails."""
    settings = resolve(target, bench, user, password_file, password_env, privacy_password_file)
    opened: list[Meter] = []
    verdicts = judge(asyncio.run(_collect(settings, seconds, opened.append)))
    remark = uncovered_remark(settings) or pace_remark(opened[0].identity, time.time_ns())
    failed = any(verdict.outcome == "fail" for verdict in verdicts)
    if as_json:
        rows = [asdict(verdict) for verdict in verdicts]
        emit_json({"meter": settings.name, "model": settings.model, "verdicts": rows, "remark": remark})
    else:
        _print(settings, verdicts)
        if remark:
            typer.echo(f"warning: {remark}", err=True)
    if failed:
        raise typer.Exit(1)


async def _collect(settings: MeterSettings, seconds: float, on_open: Callable[[Meter], None]) -> MeterRecording:
    with Progress(console=console(), transient=True, disable=not console().is_terminal) as bars:
        task = bars.add_task(f"Reading {settings.name}", total=seconds)
        return await collect(
            settings, seconds, on_poll=lambda passed_s: bars.update(task, completed=passed_s), on_open=on_open
        )


def _print(settings: MeterSettings, verdicts: tuple[PlausibilityVerdict, ...]) -> None:
    out = PlainConsole(soft_wrap=True)
    out.print(f"{settings.name} ({settings.model})")
    for verdict in verdicts:
        words = verdict.outcome.replace("-", " ")
        out.print(Text(f"{words:<11}", COLOURS[verdict.outcome]), f"{verdict.rule:<14} {verdict.text}{_limit(verdict)}")
        if verdict.advice:
            out.print(f"{'':27}{verdict.advice}", style="bold")


def _limit(verdict: PlausibilityVerdict) -> str:
    if verdict.value is None or verdict.limit is None:
        return ""
    unit = "" if verdict.unit == "1" else f" {verdict.unit}"
    return f" ({format_number(verdict.value, 3)}{unit}; limit {format_number(verdict.limit, 3)}{unit})"
