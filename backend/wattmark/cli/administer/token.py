"""`wattmark token`: who may use a service, with which role."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.access.gate import Gate
from wattmark.access.roles import Role
from wattmark.access.views import TokenMade, TokenOut, token_out
from wattmark.cli.console.audited import note_act
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.stored import stored
from wattmark.cli.console.writing import BY_URL, open_to_write
from wattmark.cli.tables.shown import show
from wattmark.reading.http_service import URL_HELP, ask_service
from wattmark.results.data_folder import Storage
from wattmark.tables.table import Column, Table

app = typer.Typer(no_args_is_help=True)
Url = Annotated[
    str | None,
    typer.Option(
        "--url", help=f"{URL_HELP} Without it, the data folder is changed directly; the service must be stopped."
    ),
]
Name = Annotated[str, typer.Argument(help="Name of the token: a person or a program, such as prometheus.")]


@app.callback()
def token() -> None:
    """Create, list and revoke the tokens that a service requires."""


@app.command("create")
def create(
    name: Name,
    role: Annotated[Role, typer.Option("--role", help="Role of the token; each role includes the previous one.")],
    data: DataDir = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Create a token and print its secret to standard output. It is not shown again."""
    if url is not None:
        made = TokenMade.model_validate(ask_service(url, "POST", "/api/tokens", {"name": name, "role": role}))
    else:
        with _storage(data) as storage:
            gate = _gate(storage)
            secret = gate.tokens.create(name, role)
            note_act(storage, "token create", f"{name} {role}")
            made = TokenMade(token=token_out(gate.tokens.require(name)), secret=secret)
    if as_json:
        emit_json(made)
    else:
        typer.echo(made.secret)


@app.command("list")
def list_tokens(data: DataDir = None, url: Url = None, as_json: AsJson = False) -> None:
    """List all tokens by name with role and last use; secrets are not stored."""
    if url is not None:
        listed = [TokenOut.model_validate(token) for token in ask_service(url, "GET", "/api/tokens")]
    else:
        with stored(data, "are no tokens") as storage:
            listed = [token_out(token) for token in storage.tokens.all()]
    if as_json:
        emit_json(listed)
    else:
        show(_table(listed), "table", None)


@app.command("revoke")
def revoke(name: Name, data: DataDir = None, url: Url = None) -> None:
    """Revoke a token; on a running service its sessions and live streams end at once."""
    if url is not None:
        ask_service(url, "DELETE", f"/api/tokens/{name}")
        return
    with _storage(data) as storage:
        _gate(storage).revoke(name)
        note_act(storage, "token revoke", name)


@contextmanager
def _storage(data: Path | None) -> Iterator[Storage]:
    storage = open_to_write(data, BY_URL)
    try:
        yield storage
    finally:
        storage.close()


def _gate(storage: Storage) -> Gate:
    return Gate(storage.tokens, storage.audit, SystemClock())


def _table(tokens: list[TokenOut]) -> Table:
    columns = (
        Column("name", "Name"),
        Column("role", "Role"),
        Column("created", "Created", kind="time"),
        Column("used", "Last use", kind="time"),
        Column("revoked", "Revoked", kind="time"),
    )
    rows = tuple((token.name, token.role.value, token.created, token.used, token.revoked) for token in tokens)
    return Table("tokens", "Tokens", columns, rows)
