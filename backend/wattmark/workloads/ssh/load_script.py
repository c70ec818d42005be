"""The shell script that carries a load on another machine, and ends it when its reason is gone.

Processes there: the keeper, which starts the load, waits for it and ends what is left of it; the watch, which waits for
heartbeats and ends the load without them; the load. Neither keeper nor watch waits for anybody to take what it writes
before the load has ended, so a connection that takes nothing cannot hold them up.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.local.process_group import MARKER, OOM_SCORE_ADJ

STARTED, ENDED = "+wattmark-started", "+wattmark-ended"
HEARTBEAT = b"."
HEARTBEAT_S: Final = 3.0
"""How often wattmark says that it still wants the load [s]."""
PATIENCE_S: Final = 12
"""How long the watch waits for a heartbeat [s]; with a second's grace for the load to end, it is gone within 15 s."""
BUSY_MS = 20
"""How long before the instant the clock is read without rest [ms]; a sleep ends later than it should."""
ROUNDS = 60
"""How often the keeper looks for processes that are left, every 50 ms; what hangs in the kernel is not waited for."""
CGROUP = "wattmark-load-"
_ADOPT_PERL = r"""
eval { require Config };
my ($script, @rest) = @ARGV;
my %numbers = (x86_64 => 157, aarch64 => 167, riscv64 => 167, ppc64le => 171, powerpc64le => 171, s390x => 172);
my ($machine) = ($Config::Config{archname} // "") =~ /^(\w+)-linux(?!-gnux32)/;
my $number = $numbers{$machine // ""};
my $adopts = $number && syscall($number, 36, 1, 0, 0, 0) == 0 ? "subreaper" : "";
exec "sh", "-c", $script, "wattmark-load", $adopts, @rest;
"""
_ADOPT_PYTHON = r"""
import os, signal, sys
adopts = ""
try:
    import ctypes
    adopts = "subreaper" if ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0 else ""
except (ImportError, OSError, AttributeError):
    pass
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
os.execvp("sh", ["sh", "-c", sys.argv[1], "wattmark-load", adopts, *sys.argv[2:]])
"""
ADOPT = f"""
if command -v perl >/dev/null; then
  LC_ALL=C exec perl -e {shlex.quote(_ADOPT_PERL)} -- "$@"
elif command -v python3 >/dev/null; then
  exec python3 -ISc {shlex.quote(_ADOPT_PYTHON)} "$@"
fi
script="$1"; shift
exec sh -c "$script" wattmark-load "" "$@"
"""
"""Arguments: the keeper's script and its arguments. Makes the process that becomes the keeper a subreaper
(PR_SET_CHILD_SUBREAPER, 36, which survives exec): what loses its parent below it becomes its child."""
SIGNAL_MARKED = f"""
signal_marked() {{
  for file in $(grep -lszE "^{MARKER}=$marker" /proc/[0-9]*/environ) $2; do
    pid=${{file#/proc/}}
    kill -s "$1" "${{pid%/*}}"
  done
}}
"""
END_ALL = f"""{SIGNAL_MARKED}
adopted() {{
  found=; children=
  read -r children <"/proc/$$/task/$$/children"
  for child in $children; do
    [ "$child" = "$watch" ] && continue
    stat=; read -r stat <"/proc/$child/stat"
    case "${{stat##*) }}" in Z*|X*|"") ;; *) found="$found $child" ;; esac
  done
  [ -n "$found" ]
}}
end_all() {{
  [ -n "$load" ] && kill -s "$1" -- "-$load"
  [ "$1" = KILL ] && [ -n "$cgroup" ] && echo 1 >"$cgroup/cgroup.kill"
  signal_marked "$1"
  if [ "$1" = KILL ]; then
    rounds={ROUNDS}
    while adopted && [ "$rounds" -gt 0 ]; do
      for child in $found; do kill -s KILL "$child"; done
      rounds=$(( rounds - 1 )); [ "$rounds" -gt {ROUNDS - 3} ] || sleep 0.05
    done
  fi
}}
"""
"""What the shell does by itself comes first: a load may have taken the last process that its user may have.

Every round kills the children, and what they leave behind become children; so a number always names what it named.
"""
WAIT = f"""
cgroup="$1"; held="$2"; begin="$3"; shift 3
{{
  if [ -n "$cgroup" ]; then echo 0 >"$cgroup/cgroup.procs"; fi
  echo {OOM_SCORE_ADJ} >/proc/self/oom_score_adj
}} 2>/dev/null
left=$(( (begin - $(date +%s%N)) / 1000000 - {BUSY_MS} ))
if [ "$left" -gt 0 ]; then sleep "$(( left / 1000 )).$(printf %03d $(( left % 1000 )))"; fi
while stamp=$(date +%s%N); [ "$stamp" -lt "$begin" ]; do :; done
echo "{STARTED} $stamp $held" >&2
exec "$@"
"""
"""Arguments: cgroup or nothing, what holds the load, start instant, program, arguments.

Nothing but a write stands between the stamp and the program.
"""
KEEP = f"""{END_ALL}
watch_over() {{
  read -r watch _ </proc/self/stat
  trap 'end_all KILL' EXIT
  while beat=$(timeout "$patience" dd bs=1 count=1 <&3); heard=$?; [ -n "$beat" ]; do :; done
  [ "$heard" = 0 ] || echo "wattmark was not heard here for $patience s, so the load was ended" >&5 &
  end_all TERM; sleep 1
}}
make_cgroup() {{
  for mount in /sys/fs/cgroup /sys/fs/cgroup/unified; do
    [ -e "$mount/cgroup.controllers" ] || continue
    while IFS=: read -r id _ own; do [ "$id" != 0 ] || own_cgroup="$mount${{own%/}}"; done </proc/self/cgroup
    cgroup="$own_cgroup/{CGROUP}$marker"
    mkdir "$cgroup" && [ -e "$cgroup/cgroup.kill" ] && ( echo 0 >"$cgroup/cgroup.procs" ) && return
    rmdir "$cgroup"; cgroup=
  done
}}
while IFS= read -r line && [ -n "$line" ]; do export "$line"; done
held="$1"; marker="$2"; patience="$3"; begin="$4"; folder="$5"; shift 5
cd "$folder" || exit 126
[ -r "/proc/$$/task/$$/children" ] || held=
load=; watch=; cgroup=; own_cgroup=
make_cgroup 2>/dev/null
[ -z "$cgroup" ] || held=cgroup
exec 3<&0
{MARKER}="$marker" setsid sh -c {shlex.quote(WAIT)} wattmark-wait "$cgroup" "${{held:-marker}}" "$begin" "$@" \
  </dev/null 3<&- &
load=$!
watch_over 5>&2 >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$load"; status=$?
stamp=$(date +%s%N)
exec 4>&2 >/dev/null 2>&1
beat=; read -r beat <"/proc/$watch/task/$watch/children"
kill -s KILL "$watch"; watch=
[ -z "$beat" ] || kill -s KILL -- "-${{beat%% *}}"
end_all KILL
[ -z "$cgroup" ] || rmdir "$cgroup" || {{ sleep 0.1; rmdir "$cgroup"; }}
echo "{ENDED} $stamp $status" >&4
exit "$status"
"""
"""Arguments: "subreaper" or nothing, marker, patience [s], start instant [ns since 1970 by the machine's own clock; 0:
at once], folder, program, arguments.

The program's process is there before the instant, waits for it, and becomes the program.
Standard input: lines NAME=VALUE, an empty line, then a byte every so often. Its end, or a longer silence than the
patience, means that wattmark is gone, and ends the load.
"""
CLEAR = f"""{SIGNAL_MARKED}
marker="$1"; shift
signal_marked KILL "$(grep -lsE "^0::.*/{CGROUP}$marker" /proc/[0-9]*/cgroup)" 2>/dev/null
[ -z "$1" ] || rm -rf -- "$1"*
exit 0
"""
"""Arguments: the beginning of the markers whose processes are killed, as a regular expression; the beginning of the
paths of folders that are removed, or nothing."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def load_command(argv: Sequence[str], marker: str, folder: str, begin_ns: int, patience_s: float = PATIENCE_S) -> str:
    """Write the command line for the server's shell; every argument is quoted."""
    words = [KEEP, marker, f"{patience_s:g}", str(begin_ns), folder, *argv]
    return shlex.join(["sh", "-c", ADOPT, "wattmark-adopt", *words])


def clear_command(owner: str, folders: str = "") -> str:
    """Write the command line that ends what an owner left running, and removes the folders with these prefixes."""
    return shlex.join(["sh", "-c", CLEAR, "wattmark-clear", re.escape(owner), folders])


def environment_lines(environment: Mapping[str, str]) -> bytes:
    """Write environment variables for the script's standard input. Raises `WorkloadFailed` for an invalid one."""
    for name, value in environment.items():
        if not _NAME.fullmatch(name) or "\n" in value or "\0" in value:
            raise WorkloadFailed(f"The environment variable {name!r} cannot be passed on.", "Use a value of one line.")
    return "".join(f"{name}={value}\n" for name, value in environment.items()).encode() + b"\n"
