"""`wattmark verify`: is an archive whole, who signed it, and do its results follow from its samples?"""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.archives.signature import PublicKey, read_public_key
from wattmark.archives.verify import Verification, verify
from wattmark.cli.console.log_progress import work_shown
from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json, visible
from wattmark.core.errors import InputError

_WORDS = {
    "yes": "valid",
    "no": "none; nobody vouches for this archive",
    "wrong": "WRONG: the archive was changed after it was signed",
    "by another key": "by another key than the one you expect",
}


def verify_archive(
    file: Annotated[Path, typer.Argument(help="Archive written by `wattmark archive`.")],
    key: Annotated[
        str | None,
        typer.Option("--key", help="Public key of the lab that you expect: the line that begins with RW, or a file."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the hashes and the signature of an archive, and recompute its results; exit code 1 if anything differs."""
    expected = None if key is None else _read_key(key)
    try:
        with (
            file.open("rb") as archive,
            tempfile.TemporaryDirectory(prefix="wattmark-verify-") as folder,
            work_shown(file.name),
        ):
            outcome = verify(archive, file.name, expected, Path(folder) / "data", SystemClock())
    except OSError as error:
        raise InputError(f"Cannot read {file}: {error.strerror}.", "Check the name.") from error
    if as_json:
        emit_json({"archive": str(file), "passed": outcome.passed, **asdict(outcome)})
    else:
        _show(file, outcome)
    if not outcome.passed:
        raise typer.Exit(1)


def _read_key(text: str) -> PublicKey:
    path = Path(text)
    try:
        is_file = path.is_file()
        if not is_file and not text.startswith("RW"):
            raise InputError(f"{text[:80]} is neither a file nor a public key.", "Give the line that begins with RW.")
        content = path.read_text("ascii") if is_file else text
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read the public key {text}.", "Give the line that begins with RW.") from error
    return read_public_key(content)


def _show(file: Path, outcome: Verification) -> None:
    typer.echo(visible(f"{file}: archive of {outcome.lab}, written by wattmark {outcome.software}"))
    typer.echo(f"  Content: whole; the hashes of {outcome.members} members match the manifest")
    typer.echo(visible(f"  Signature: {_WORDS[outcome.signed]}"))
    if outcome.key is not None:
        typer.echo(visible(f"  Key: {outcome.key}"))
    if outcome.comment:
        typer.echo(visible(f"  Signed comment: {outcome.comment}"))
    if outcome.signed == "yes" and not outcome.expected:
        typer.echo(
            "  Whose key this is, the archive cannot tell: compare it with the one that the lab publishes (--key)."
        )
    differing = [run for run in outcome.runs if run.differences]
    same = len(outcome.runs) - len(differing)
    typer.echo(f"  Results: {same} of {len(outcome.runs)} follow from the samples in the archive")
    for run in differing:
        typer.echo(visible(f"    {run.run_id} differs in {', '.join(run.differences)}"))
