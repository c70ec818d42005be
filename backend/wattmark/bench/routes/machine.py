"""Prefill a server of the bench from what a machine reports of itself: this one, or another over SSH."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from fastapi import APIRouter
from wattmark_drivers.parent_death import die_with_parent

from wattmark.access.http.about import About
from wattmark.bench.machine import COMMANDS, Machine, describe_machine
from wattmark.bench.routes.change import BenchServiceDep
from wattmark.bench.slot_ways import commands, lists_slots, why_not_believed, without_private
from wattmark.core.errors import InputError, WorkloadFailed
from wattmark.core.inputs import Input
from wattmark.hosts.address import Host, Port, SshAddress, User

TIMEOUT_S = 10.0
MOST_BYTES = 1_000_000
router = APIRouter(prefix="/api/bench", tags=["bench"])


class MachineAddress(Input):
    """Another machine, reached with the agent or the keys in ~/.ssh of the service's user, or with the appliance's own
    key; its host key is known.
    """

    host: Host
    user: User
    port: Port = 22
    own_key: bool = False
    """Whether the appliance logs in with its own key, to a host whose key was accepted here."""
    sudo_dmidecode: bool = False
    """Whether a line of sudoers lets this user read the memory slots; without it sudo is not asked."""


class MachineOrder(Input):
    """Which machine is asked: another one over SSH, or without it this one."""

    ssh: MachineAddress | None = None


@router.post("/read-machine")
async def read_machine(order: MachineOrder, bench_service: BenchServiceDep, about: About) -> Machine:
    """Ask this machine or another one over SSH for processors, system and memory slots. Nothing is changed."""
    about("this machine" if order.ssh is None else f"{order.ssh.user}@{order.ssh.host}")
    if order.ssh is None:
        return await _read(_run_here, sudo=False)
    from wattmark.hosts.connection import SshConnection

    address = SshAddress(host=order.ssh.host, user=order.ssh.user, port=order.ssh.port)
    if order.ssh.own_key:
        address = bench_service.editor.own_keys.address(address.host, address.port, address.user)
    connection = SshConnection(address, Path.home())
    try:
        await connection.open()
        return await _read(connection.run, sudo=order.ssh.sudo_dmidecode)
    except WorkloadFailed as error:
        raise InputError(error.cause, error.remedy) from error
    finally:
        await connection.close()


async def _read(run: Callable[[Sequence[str]], Awaitable[bytes]], *, sudo: bool) -> Machine:
    answers = {name: await _answer(run, argv) for name, argv in COMMANDS.items()}
    boot = answers["boot"].strip() or None
    for way, argv in commands(sudo=sudo).items():
        lines = without_private((await _answer(run, argv)).splitlines())
        if lists_slots(lines) and why_not_believed(way, lines, boot) is None:
            answers["slots"] = "\n".join(lines)
            break
    return describe_machine(answers)


async def _answer(run: Callable[[Sequence[str]], Awaitable[bytes]], argv: Sequence[str]) -> str:
    try:
        return (await run(argv)).decode("utf-8", "replace")
    except WorkloadFailed:
        return ""


async def _run_here(argv: Sequence[str]) -> bytes:
    """Run a short command of this machine. Raises `WorkloadFailed` when it is missing, fails or does not end."""
    environment = {"PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
            preexec_fn=die_with_parent(),
        )
    except OSError as error:
        raise WorkloadFailed(f"{argv[0]} does not start: {error}.") from None
    try:
        async with asyncio.timeout(TIMEOUT_S):
            output, _ = await process.communicate()
    except TimeoutError:
        raise WorkloadFailed(f"{argv[0]} did not end within {TIMEOUT_S:g} s.") from None
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        raise WorkloadFailed(f"{argv[0]} ended with status {process.returncode}.")
    return output[:MOST_BYTES]
