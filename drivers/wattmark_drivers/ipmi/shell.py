"""A session with a BMC: `ipmitool shell` kept open, one command at a time."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.ipmi.child import IpmitoolChild, ShellEnded
from wattmark_drivers.ipmi.completion_codes import CompletionError
from wattmark_drivers.traffic import tell

START_TIMEOUT_S = 10.0
IDLE_S = 20.0
"""A session expires in the BMC after a minute without a command (IPMI 2.0, Session Inactivity Timeouts), in some after
half a minute; ask something harmless before [s]."""
KEEP_ALIVE = "raw 0x06 0x01"
PATIENCE = ("-N", "1", "-R", "2")
"""Wait 1 s for an answer, send again twice: a silent BMC costs 3 s, an absent one 6 s."""
LONGEST_PASSWORD = 20
"""Bytes; of a longer one ipmitool would take the first without a word."""
_LINE_ENDS = frozenset("\0\n\r")
_CODE = re.compile(r"rsp=0x([0-9a-fA-F]{2})|\(([cd][0-9a-f])\)")
NO_RESPONSE = "Device not present (No Response)"
"""What `ipmitool fru print` shows where the BMC has not answered; it says the reason of a refusal there."""
CUT_SHORT = "FRU Read failed"
"""What it complains of where an answer in the middle of an area did not come: it shows the areas before that one alone.
Where the answer was a refusal, that follows after a colon."""
_NOISE = ("Get HPM.x Capabilities request failed",)


class NoReply(BadReply):
    """The BMC did not answer a command; the session may be dead."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who asks, and how the session is protected."""

    username: str
    password: Callable[[], str] | None
    cipher: int
    privilege: str


@dataclass(frozen=True, slots=True)
class ShellReply:
    """The output of a command, and the time of the reply."""

    output: str
    stamp: Stamp


class IpmitoolShell:
    """One session; not reusable after `stop`."""

    def __init__(self, host: str, port: int, credentials: Credentials, clock: Clock) -> None:
        self._place = f"{host}:{port}"
        self._credentials = credentials
        # Without -C ipmitool first asks for the cipher suites; a BMC that ignores this costs 10 s per start.
        self._arguments = [
            *("-I", "lanplus", "-C", str(credentials.cipher), "-L", credentials.privilege, *PATIENCE),
            *("-H", host, "-p", str(port), "-U", credentials.username, "shell"),
        ]
        self._clock = clock
        self._lock = asyncio.Lock()
        self._child: IpmitoolChild | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._asked_ns = 0

    @property
    def child(self) -> IpmitoolChild | None:
        """Return the process while the session is open."""
        return self._child

    async def start(self) -> None:
        """Open the session. Raises `ConfigurationError`, `AuthenticationFailed` or `ConnectionFailed`."""
        password = self._fetch_password()
        try:
            self._child = IpmitoolChild()
            await self._child.start(self._arguments, password, START_TIMEOUT_S)
        except ShellEnded:
            errors = self._child.take_errors() if self._child else ""
            await self.stop()
            raise explain_refusal(errors, self._place, self._credentials.cipher, self._credentials.privilege) from None
        except OSError as error:
            await self.stop()
            raise ConnectionFailed(f"ipmitool cannot be started: {error.strerror}.", "Free space in /tmp.") from None
        except BaseException:
            await self.stop()
            raise
        self._asked_ns = self._clock.monotonic_ns()
        self._keeper = asyncio.create_task(self._keep_alive())

    async def run(self, command: str, timeout_s: float, what: str) -> ShellReply:
        """Run a command; ``what`` names it in errors.

        Raises `CompletionError` and `NoReply`; after `ShellDied` only `stop` makes sense.
        """
        async with self._lock:
            if self._child is None:
                raise ShellEnded("The session is closed.")
            self._asked_ns = self._clock.monotonic_ns()
            tell("sent", command)
            output = await self._child.ask(command, timeout_s)
            stamp = stamp_since(self._clock, self._asked_ns)
            errors = self._child.take_errors()
            tell("received", output + errors)
        if not output.strip() or NO_RESPONSE in output or CUT_SHORT in map(str.strip, errors.splitlines()):
            raise self._explain_nothing(what, errors)
        return ShellReply(output, stamp)

    async def stop(self) -> None:
        """Close the session. Never raises."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
        child, self._child = self._child, None
        if child is not None:
            await child.end()

    def _fetch_password(self) -> str:
        try:
            password = self._credentials.password() if self._credentials.password else ""
        except Exception as error:
            raise ConfigurationError(f"The password for {self._place} cannot be obtained: {error}") from None
        if len(password.encode()) > LONGEST_PASSWORD or not _LINE_ENDS.isdisjoint(password):
            cause = f"The password for {self._place} is longer than {LONGEST_PASSWORD} bytes or more than a line."
            raise ConfigurationError(cause, "Set one that IPMI allows.")
        return password

    def _explain_nothing(self, what: str, errors: str) -> BadReply:
        """Find out why a command printed nothing; the shell gives no status."""
        lines = [line.strip() for line in errors.splitlines() if line.strip() and not line.startswith(_NOISE)]
        code = next((match for line in lines if (match := _CODE.search(line))), None)
        if code is not None:
            return CompletionError(what, int(code[1] or code[2], 16), self._credentials.privilege)
        detail = f" ({lines[-1][:120]})" if lines else ""
        return NoReply(
            f"The BMC at {self._place} does not answer{detail}.", "wattmark opens a new session automatically."
        )

    async def _keep_alive(self) -> None:
        """Send a command after `IDLE_S` without one, and never later: some BMCs wait for 30 s only."""
        while True:
            idle_s = (self._clock.monotonic_ns() - self._asked_ns) / 1e9
            if idle_s < IDLE_S:
                await self._clock.sleep(IDLE_S - idle_s)
            else:
                with contextlib.suppress(BadReply, ConnectionFailed):
                    await self.run(KEEP_ALIVE, START_TIMEOUT_S, "a sign of life")


def explain_refusal(errors: str, place: str, cipher: int, privilege: str) -> DriverError:
    """Convert ipmitool's last words to a cause and a remedy."""
    if "invalid authentication algorithm" in errors or "invalid integrity" in errors or "confidentiality" in errors:
        return AuthenticationFailed(f"The BMC at {place} rejects cipher suite {cipher}.", "Try cipher=3 or cipher=17.")
    if "insufficient resources" in errors:
        return ConnectionFailed(
            f"The BMC at {place} has no free session.", "Close other sessions; wattmark retries automatically."
        )
    if "unauthorized name" in errors:
        return AuthenticationFailed(f"The BMC at {place} does not know the user.", "Check the user name.")
    if "HMAC is invalid" in errors:
        return AuthenticationFailed(f"The BMC at {place} rejects the password.", "Check the password.")
    if "role" in errors or "privilege" in errors:
        return AuthenticationFailed(
            f"The BMC at {place} does not grant the privilege {privilege} to the user.",
            "Try privilege=USER in the address.",
        )
    if "Address lookup" in errors:
        return ConnectionFailed(f"The host {place} is not known.", "Check the address.")
    if "Unable to establish" in errors:
        return AuthenticationFailed(
            f"No IPMI session with {place}: either there is no BMC at this address, or it rejects the user or the "
            "password.",
            f"Check, in this order: the address and that IPMI over LAN is enabled; user and password; cipher={cipher} "
            f"and privilege={privilege}.",
        )
    last_line = errors.strip().splitlines()[-1:] or ["nothing"]
    return ConnectionFailed(f"ipmitool ended: {last_line[0].strip()[:200]}", "wattmark retries automatically.")
