"""The shell script that carries a load on another machine."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from wattmark.workloads.process_group import MARKER
from wattmark.workloads.trigger import WorkloadFailed

STARTED, ENDED = "+wattmark-started", "+wattmark-ended"
BUSY_MS = 20
"""How long before the instant the clock is read without rest [ms]; a sleep ends later than it should."""
END_ALL = f"""
end_all() {{
  [ -n "$load" ] && kill -s "$1" -- "-$load"
  for file in $(grep -lszE "^{MARKER}=$marker" /proc/[0-9]*/environ); do
    pid=${{file#/proc/}}
    kill -s "$1" "${{pid%/environ}}"
  done
}}
"""
WAIT = f"""
begin="$1"; shift
left=$(( (begin - $(date +%s%N)) / 1000000 - {BUSY_MS} ))
if [ "$left" -gt 0 ]; then sleep "$(( left / 1000 )).$(printf %03d $(( left % 1000 )))"; fi
while stamp=$(date +%s%N); [ "$stamp" -lt "$begin" ]; do :; done
echo "{STARTED} $stamp" >&2
exec "$@"
"""
"""Arguments: start instant, program, arguments. Nothing but a write stands between the stamp and the program."""
SCRIPT = f"""{END_ALL}
while IFS= read -r line && [ -n "$line" ]; do export "$line"; done
marker="$1"; begin="$2"; cd "$3" || exit 126; shift 3
exec 3<&0
{MARKER}="$marker" setsid sh -c {shlex.quote(WAIT)} wattmark-wait "$begin" "$@" </dev/null 3<&- &
load=$!
( cat <&3 >/dev/null; end_all TERM; sleep 1; end_all KILL ) >/dev/null 2>&1 &
wait "$load"; status=$?
stamp=$(date +%s%N)
end_all KILL >/dev/null 2>&1
echo "{ENDED} $stamp $status" >&2
exit "$status"
"""
"""Arguments: marker, start instant [ns since 1970 by the machine's own clock; 0: at once], folder, program, arguments.

The program's process is there before the instant, waits for it, and becomes the program.
Standard input: lines NAME=VALUE, an empty line, then nothing; its end means that wattmark is gone, and ends the load.
"""
CLEAR = f"""{END_ALL}
marker="$1"; load=
end_all KILL 2>/dev/null
exit 0
"""
"""Argument: the beginning of the markers whose processes are killed, as a regular expression."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def load_command(argv: Sequence[str], marker: str, folder: str, begin_ns: int) -> str:
    """Write the command line for the server's shell; every argument is quoted."""
    return shlex.join(["sh", "-c", SCRIPT, "wattmark-load", marker, str(begin_ns), folder, *argv])


def clear_command(owner: str) -> str:
    """Write the command line that ends what an owner left running."""
    return shlex.join(["sh", "-c", CLEAR, "wattmark-clear", re.escape(owner)])


def environment_lines(environment: Mapping[str, str]) -> bytes:
    """Write environment variables for the script's standard input. Raises `WorkloadFailed` for what cannot be one."""
    for name, value in environment.items():
        if not _NAME.fullmatch(name) or "\n" in value or "\0" in value:
            raise WorkloadFailed(f"The environment variable {name!r} cannot be handed over.", "Keep it to one line.")
    return "".join(f"{name}={value}\n" for name, value in environment.items()).encode() + b"\n"
