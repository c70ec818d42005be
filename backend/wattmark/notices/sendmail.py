"""A mail to the machine's own sendmail: bounded in time, and started without a shell."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress

from wattmark.bench.address import masked
from wattmark.notices.post import NotTold

TIMEOUT_S = 30.0
PLACES = "/usr/sbin:/usr/lib:/usr/local/sbin"
"""Where it is, although the path of a service names only other folders."""
_MOST_BYTES = 64 * 1024
_SHOWN = 200
_REMEDY = "Look at the log of the mail system."


def sendmail_program() -> str | None:
    """Find the program; None where there is none."""
    return shutil.which("sendmail", path=f"{os.environ.get('PATH', os.defpath)}:{PLACES}")


def send_mail(message: bytes, to: Sequence[str], sender: str | None, *, timeout_s: float = TIMEOUT_S) -> None:
    """Hand a mail over. Raises `NotTold` where there is no sendmail, and where it fails or takes too long."""
    program = sendmail_program()
    if program is None:
        raise NotTold("There is no sendmail on this machine.", "Install a package that has it, such as msmtp-mta.")
    order = [program, "-i", *([] if sender is None else ["-f", sender]), "--", *to]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            order, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
        )
        try:
            process.communicate(message, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise NotTold(f"sendmail took longer than {timeout_s:g} s.", _REMEDY) from None
        finally:
            _end(process)
        said.seek(0)
        words = _shown(said.read(_MOST_BYTES).decode("utf-8", "replace"), [*to, *([] if sender is None else [sender])])
    if process.returncode != 0:
        cause = f"sendmail ended with code {process.returncode}{f': {words}' if words else ''}."
        raise NotTold(cause, _REMEDY)


def _shown(words: str, mailboxes: Sequence[str]) -> str:
    """Shorten what the program said, without secrets of its configuration and without whom the mail was for."""
    for mailbox in (mailbox for mailbox in mailboxes if "@" in mailbox):
        words = words.replace(mailbox, f"***@{mailbox.partition('@')[2]}")
    return " ".join("".join(sign if sign.isprintable() else " " for sign in masked(words)).split())[:_SHOWN]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program with everything that it started; an ended one stays as it is."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
