"""Add a server over SSH: what host key it shows, and the person who accepts it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from wattmark.access.http.about import About
from wattmark.access.http.permissions import identity_of
from wattmark.bench.routes.change import RESPONSES, BenchServiceDep
from wattmark.core.errors import Forbidden, InputError, WorkloadFailed
from wattmark.core.inputs import LINE, Input
from wattmark.core.schema import Schema
from wattmark.hosts.address import Host, Port
from wattmark.hosts.own_keys import ask_host_key, parse_host_key

LONGEST_KEY = 8192
router = APIRouter(prefix="/api/bench/ssh-hosts", tags=["bench"], responses=RESPONSES)


class SshHost(Input):
    """A server to be asked for its host key."""

    host: Host
    port: Port = 22


class AcceptedKey(Input):
    """A host key that a person has compared and accepts, as it was shown."""

    host: Host
    port: Port = 22
    key: Annotated[str, Field(max_length=LONGEST_KEY), LINE]
    fingerprint: Annotated[str, Field(max_length=100), LINE]


class HostKeyOut(Schema):
    """The host key that a server shows."""

    key: str
    """As known_hosts has it."""
    algorithm: str
    fingerprint: str
    accepted: bool | None
    """Whether it was accepted before; null: another key of this host was."""


class OwnKeyOut(Schema):
    """How this appliance logs in to an accepted server."""

    authorized_keys: str
    """Line for authorized_keys of the user on the server."""
    identity_file: str
    """What the bench names as the key file."""
    known_hosts: str
    """What the bench names as the file of host keys."""


@router.post("/ask")
async def ask_ssh_host(order: SshHost, bench_service: BenchServiceDep, about: About) -> HostKeyOut:
    """Ask a server for its host key. Nothing is accepted, and nobody logs in."""
    about(f"{order.host}:{order.port}")
    try:
        key = await ask_host_key(order.host, order.port)
    except WorkloadFailed as error:
        raise InputError(error.cause, error.remedy) from error
    accepted = await asyncio.to_thread(bench_service.editor.own_keys.state_of, order.host, order.port, key)
    return HostKeyOut(key=key.text, algorithm=key.algorithm, fingerprint=key.fingerprint, accepted=accepted)


@router.post("", status_code=201)
async def accept_ssh_host(
    order: AcceptedKey, request: Request, bench_service: BenchServiceDep, about: About
) -> OwnKeyOut:
    """Accept the host key of a server, for a signed-in administrator. The server isn't asked again: the key that was
    shown is kept.
    """
    about(f"{order.host}:{order.port}", order.fingerprint)
    if identity_of(request).session is None:
        raise Forbidden(
            "Only an administrator who is signed in accepts the host key of a server.",
            "Start the service with --sign-in and sign in at /login, or name the host in the bench file.",
        )
    key = parse_host_key(order.key)
    if key.fingerprint != order.fingerprint:
        raise InputError("The fingerprint is not that of the key.", "Ask the server for its key again.")
    own_keys = bench_service.editor.own_keys
    line = await asyncio.to_thread(own_keys.accept, order.host, order.port, key)
    name = bench_service.named
    return OwnKeyOut(
        authorized_keys=line, identity_file=name(own_keys.identity), known_hosts=name(own_keys.known_hosts)
    )
