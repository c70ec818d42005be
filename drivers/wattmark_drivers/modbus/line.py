"""One Modbus line: a TCP gateway or a serial port, shared by the devices behind it."""

from __future__ import annotations

from wattmark_drivers.bus import Bus
from wattmark_drivers.clock import Clock, stamp_between
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.modbus.address import ModbusAddress, label, line_settings
from wattmark_drivers.modbus.exception_codes import explain
from wattmark_drivers.modbus.frames import EXCEPTION
from wattmark_drivers.modbus.link import NOT_FRAMES, Link, open_link
from wattmark_drivers.modbus.request import ModbusAnswer, Request

DROP_AFTER_SILENCES = 2


class NoAnswer(ConnectionFailed):
    """The device did not answer in time."""


class ExceptionReply(BadReply):
    """The device refuses the request with an exception code."""

    def __init__(self, who: str, code: int) -> None:
        words, remedy = explain(code)
        super().__init__(f"{who} answers {words}.", remedy)
        self.code = code


class ModbusLine:
    """Sends one request at a time; neither retries nor hides an error."""

    def __init__(self, address: ModbusAddress, clock: Clock) -> None:
        self._address = address
        self._label = label(address)
        self._clock = clock
        self._bus = Bus(clock)
        self._link: Link | None = None
        self._silences = 0
        self._passed_over = 0
        self.connections = 0
        """How often the line was connected; another number means that another device may answer."""

    def check_settings(self, address: ModbusAddress) -> None:
        """Refuse a second user with other line settings. Raises `ConfigurationError`."""
        if line_settings(address) != line_settings(self._address):
            raise ConfigurationError(
                f"{self._label} is in use with other line settings.",
                "Give all meters on the line the same baud rate and parity.",
            )

    async def read(self, request: Request) -> ModbusAnswer:
        """Read registers when the line is free. Raises `NoAnswer`, `ConnectionFailed`, `BadReply`, `ExceptionReply`."""
        bus = self._bus
        await bus.take(request.request_gap_s)
        # After a failure the line stays silent, so that a late reply cannot answer the next request.
        gap_s = request.quiet_gap_s
        try:
            link = self._link if self._link is not None and self._link.open else await self._connect()
            asked_ns = self._clock.monotonic_ns()
            pdu = await self._exchange(link, request)
            stamp = stamp_between(self._clock, asked_ns, bus.traffic_ns)
            self._silences = 0
            refused = len(pdu) == 2 and pdu[0] == request.function | EXCEPTION
            if not refused:
                self._check(request, pdu)
            # The reply is complete, even as a refusal, so nothing late can follow.
            gap_s = 0.0
        finally:
            bus.give(gap_s)
        if refused:
            raise ExceptionReply(self._who(request), pdu[1])
        return ModbusAnswer(pdu[2:], stamp)

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    async def _connect(self) -> Link:
        try:
            self._link = await open_link(self._address, self._bus.heard)
        except (OSError, UnicodeError):
            raise ConnectionFailed(
                f"No connection to {self._label}.",
                "Check the address, the cable, that the device is on, and that this user may open the port.",
            ) from None
        self.connections += 1
        return self._link

    async def _exchange(self, link: Link, request: Request) -> bytes:
        try:
            return await link.ask(request.device_id, request.pdu, request.timeout_s)
        except TimeoutError:
            raise self._silent(request) from None
        except ConnectionAbortedError:
            self.close()
            raise ConnectionFailed(
                f"{self._label} was disconnected: {NOT_FRAMES}.",
                "Check the port, and whether the gateway speaks Modbus TCP.",
            ) from None
        except OSError:
            self.close()
            raise NoAnswer(f"{self._label} closed the connection.", "wattmark retries automatically.") from None

    def _silent(self, request: Request) -> NoAnswer:
        """Count missing replies; a connection without replies is dropped, because it may be dead without an error."""
        self._silences += 1
        passed_over = [] if self._link is None else list(self._link.passed_over)
        self._passed_over += len(passed_over)
        # The rest of a partly received frame would corrupt the next one.
        if self._silences >= DROP_AFTER_SILENCES or (self._link is not None and self._link.halfway):
            self.close()
            self._silences = 0
        if passed_over:
            return NoAnswer(
                f"{self._label} answers, but not to what was asked: {len(passed_over)} answers within "
                f"{request.timeout_s:g} s came with {passed_over[-1]} ({self._passed_over} in all).",
                "Such a gateway does not follow Modbus TCP: update it, set it to Modbus TCP, or let it pass the line "
                "through and read it as RTU over TCP. Raise timeout_s if its answers are only late.",
            )
        return NoAnswer(
            f"{self._who(request)} does not answer within {request.timeout_s:g} s.",
            "Check the unit id, the wiring, the baud rate and the parity.",
        )

    def _check(self, request: Request, pdu: bytes) -> None:
        """Refuse a reply whose length differs from the request's."""
        if pdu[0] != request.function or pdu[1] != len(pdu) - 2 or pdu[1] % 2:
            raise BadReply(f"{self._who(request)} did not answer with a list of registers.", "Check the model.")
        if pdu[1] != 2 * request.count:
            raise BadReply(
                f"{self._who(request)} answered with {pdu[1] // 2} registers for {request.count}, probably late.",
                "Raise timeout_s if this repeats.",
            )

    def _who(self, request: Request) -> str:
        return f"Device {request.device_id} at {self._label}"
