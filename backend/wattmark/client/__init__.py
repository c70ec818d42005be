"""Measure the energy of work from the program that does it: against an appliance, or with a local meter.

    with measure("matmul", ops=1000) as m:
        work()
    print(m.result)

This module needs nothing but the standard library, and imports the rest of wattmark only for a local meter. It is also
shipped as the package `wattmark_client`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

__all__ = ["Appliance", "ClientError", "Figure", "Measurement", "Part", "Result", "connect", "measure"]

URL, TOKEN, TOKEN_FILE = "WATTMARK_URL", "WATTMARK_TOKEN", "WATTMARK_TOKEN_FILE"
HERE = "http://127.0.0.1:8400"
NOT_KNOWN = "–"
THIN_SPACE = "\u202f"
"""Groups thousands without breaking the line."""
AS_IS = "as is"
HOUR_S = 3600.0
ASK_S, METERS_S = 10.0, 150.0
"""How long a request may take [s]; one that waits for meters, which have a minute to answer and two periods each."""
MOST_BYTES = 16 * 2**20
MOST_MARKS, MOST_LABEL = 20_000, 64
"""What an appliance takes with the end: marks, and characters of a label."""
LEAST, MOST = 1e-30, 1e30
"""What an amount of work may be beside 0, as wattmark takes it everywhere."""


class ClientError(Exception):
    """What was asked was not done: what happened, what to do, and the ``status`` of the answer where there was one."""

    def __init__(self, cause: str, remedy: str = "", status: int | None = None) -> None:
        super().__init__(f"{cause} {remedy}".strip())
        self.cause, self.remedy, self.status = cause, remedy, status


@dataclass(frozen=True)
class Figure:
    """A value with its unit and its ± at 95 %; U95 None: no bound of the error is known."""

    value: float
    unit: str
    U95: float | None = None

    def __str__(self) -> str:
        """Write it as wattmark does everywhere, for this module stands alone: to two digits of its ±, or to three."""
        value, half = (Decimal(repr(float(number))) for number in (self.value, self.U95 or 0.0))
        size = max(abs(value), half)
        exponent = size.adjusted() if size and not -4 <= size.adjusted() < 9 else 0
        value, half = value.scaleb(-exponent), half.scaleb(-exponent)
        deciding, digits = (half, 2) if half else (value, 3)
        last = deciding.adjusted() - digits + 1 if deciding else 0
        if deciding and _rounded(deciding, last).adjusted() > deciding.adjusted():  # 0.0996 becomes 0.10
            last += 1
        of_value, of_half = (f"{_rounded(number, last):,f}".replace(",", THIN_SPACE) for number in (value, half))
        if half:
            text = f"{of_value} ± {of_half}"
            return f"({text})e{exponent} {self.unit}" if exponent else f"{text} {self.unit}"
        return f"{of_value}e{exponent} {self.unit}" if exponent else f"{of_value} {self.unit}"


def _rounded(number: Decimal, last: int) -> Decimal:
    """Round to the power of ten of the last digit, half away from zero."""
    rounded = number.quantize(Decimal(1).scaleb(last), ROUND_HALF_UP, Context(prec=800))
    return rounded or abs(rounded)


@dataclass(frozen=True)
class Part:
    """A part of the window, named by the mark that it begins with; ``begin_s`` counts from the begin of the window."""

    label: str
    begin_s: float
    duration_s: float
    power: Figure | None
    energy: Figure | None


@dataclass(frozen=True)
class Result:
    """What was measured in the window; a figure is None where it is not known, and ``remarks`` say why."""

    run_id: str
    name: str
    server: str
    configuration: str
    duration_s: float
    power: Figure | None
    """Mean power [W]."""
    energy: Figure | None
    """[J]"""
    throughput: Figure | None
    """Work per second."""
    efficiency: Figure | None
    """Work per joule."""
    peak_w: float | None
    """The largest reading [W]."""
    instead_of_wall: str | None
    """What was measured in place of the wall; None: the wall was."""
    simulated: bool
    basis: str
    """Calibration behind the ±: "certificate", "specification" or "none"."""
    parts: tuple[Part, ...]
    remarks: tuple[str, ...]
    """What speaks against the figures, and what would make them better."""
    lines: tuple[tuple[str, str], ...]
    """The figures in words."""
    url: str | None
    """Page of its run; None: it was measured here."""

    def __str__(self) -> str:
        """Write the figures as a screen of lines."""
        width = max((len(name) for name, _ in self.lines), default=0)
        figures = [f"{name:<{width}}  {text}" for name, text in self.lines]
        parts = [
            f"  {part.label}: {part.duration_s:.4g} s, {part.power or NOT_KNOWN}, {part.energy or NOT_KNOWN}"
            for part in self.parts
        ]
        stored = self.url or f"Stored as run {self.run_id}."
        return "\n".join([self.name, *(f"  {line}" for line in (*figures, *parts, *self.remarks, stored))])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002 - as IPython calls it
        printer.text(str(self))


class Appliance(Protocol):
    """What measures: an appliance that answers over HTTP, or meters that this program reads itself."""

    def open(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Begin to record, and return the measurement once readings enclose a begin."""

    def begin(self, identifier: str) -> None:
        """Begin the window."""

    def end(self, identifier: str, order: Mapping[str, Any]) -> dict[str, Any]:
        """End the window, and return its figures."""

    def drop(self, identifier: str) -> None:
        """End a measurement without a result."""

    def page(self, run_id: str) -> str | None:
        """Return the address of the page of a run."""

    def close(self) -> None:
        """Release what was opened."""


def connect(
    url: str | None = None, token: str | None = None, *, meters: Sequence[str] = (), data: str | Path | None = None
) -> Appliance:
    """Connect to what measures: the appliance at ``url`` or WATTMARK_URL, else meters of this machine.

    The token is ``token``, or in WATTMARK_TOKEN, or in the file that WATTMARK_TOKEN_FILE names. ``meters`` are URLs or
    names for a local measurement, which is stored in the folder ``data``; without any, those of the bench there, else
    RAPL. Raises `ClientError`.
    """
    is_local = bool(meters) or data is not None
    if url and is_local:
        raise ClientError("An appliance is named, and meters of this machine.", "Name one of them.")
    address = url or ("" if is_local else os.environ.get(URL, ""))
    if address:
        return _Remote(address, token or _token())
    return _local(meters, data)


def measure(
    name: str,
    ops: float | None = None,
    unit: str = "operations",
    *,
    server: str | None = None,
    configuration: str = AS_IS,
    url: str | None = None,
    token: str | None = None,
    meters: Sequence[str] = (),
    at_most_s: float = HOUR_S,
    appliance: Appliance | None = None,
) -> Measurement:
    """Measure a block of work: ``with measure("sort", ops=n) as m``; its figures are in ``m.result`` afterwards.

    ``ops`` is the work that the block does, and ``configuration`` what it is compared under. The server must be named
    where the bench has several. A measurement that is not ended, because its program died, is dropped after
    ``at_most_s`` [s]. ``appliance`` is one that `connect` returned; without it one is connected to for this block.
    """
    order = {"name": name, "unit": unit, "server": server, "configuration": configuration, "at_most_s": at_most_s}

    if appliance is not None and (url or token or meters):
        raise ClientError("An appliance is given, and what to connect to.", "Give one of them.")

    def connected() -> Appliance:
        return connect(url, token, meters=meters) if appliance is None else appliance

    return Measurement(connected, order, ops, keeps=appliance is not None)


class Measurement:
    """A measurement of one window. Use it as a context, or call `begin` and `end`."""

    def __init__(
        self, connected: Callable[[], Appliance], order: Mapping[str, Any], ops: float | None, *, keeps: bool = False
    ) -> None:
        """``keeps``: the appliance stays open for the next measurement."""
        self.ops = ops
        """Work that is done in the window, in all; it may be set until the end."""
        self.result: Result | None = None
        """The figures, once the window is closed."""
        self._connected = connected
        self._order = order
        self._keeps = keeps
        self._appliance: Appliance | None = None
        self._id = ""
        self._begun_s = 0.0
        self._round_trip_s = 0.0
        self._marks: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Measurement:
        """Begin the window; takes two periods of the slowest meter."""
        return self.begin()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the window, unless it has ended; drop it where the work failed."""
        if error is not None:
            self.drop()
        elif self.is_open:
            self.end()

    def begin(self) -> Measurement:
        """Begin the window. Raises `ClientError`."""
        if self._appliance is not None:
            raise ClientError("The measurement has begun already.", "Make another one with measure().")
        self._appliance = appliance = self._connected()
        try:
            self._id = str(appliance.open(self._order)["id"])
            asked_s = time.perf_counter()
            appliance.begin(self._id)
        except BaseException:
            self.drop()
            self._appliance = None
            raise
        self._begun_s = time.perf_counter()
        self._round_trip_s = self._begun_s - asked_s
        return self

    @property
    def is_open(self) -> bool:
        """Return whether it has begun and has neither ended nor been dropped."""
        return bool(self._id)

    def mark(self, label: str = "") -> None:
        """Begin a part of the window; the result has figures for each. Nothing is sent before the end."""
        self._add(part_mark(label))

    def value(self, ops: float) -> None:
        """Count work done since the last value, or since the begin. Nothing is sent before the end."""
        if self.ops is not None:
            raise ClientError("Work is counted in all, by ops, and once more by value().", "Count it by one of them.")
        self._add(work_mark(ops))

    def end(self, ops: float | None = None) -> Result:
        """End the window, and return its figures; takes two periods of the slowest meter. Raises `ClientError`.

        ``ops`` is the work done in all of it.
        """
        with self._lock:
            elapsed_s, marks = self._elapsed_s(), list(self._marks)
        appliance = self._appliance
        assert appliance is not None  # noqa: S101 - it has begun
        in_all = self.ops if ops is None else ops
        try:
            order = {
                "operations": None if in_all is None else amount_of(in_all),
                "elapsed_s": elapsed_s,
                "round_trip_s": self._round_trip_s,
                "marks": marks,
            }
            figures = appliance.end(self._id, order)
        except BaseException:
            self.drop()
            raise
        self._id = ""
        self._release()
        self.result = result_of(figures, appliance.page(figures["run_id"]))
        return self.result

    def drop(self) -> None:
        """End the measurement without a result. What fails in it is passed over: the work matters more."""
        if self._appliance is not None and self._id:
            with contextlib.suppress(ClientError):
                self._appliance.drop(self._id)
        self._id = ""
        self._release()

    def _add(self, mark: dict[str, Any]) -> None:
        with self._lock:  # threads may count together
            elapsed_s = self._elapsed_s()
            if len(self._marks) >= MOST_MARKS:
                self._marks = fewer_marks(self._marks)
            self._marks.append({"elapsed_s": elapsed_s, **mark})

    def _elapsed_s(self) -> float:
        now_s = time.perf_counter()
        if not self.is_open:
            raise ClientError("The measurement is not under way.", "Call begin() first, and end() once.")
        return now_s - self._begun_s

    def _release(self) -> None:
        if self._appliance is not None and not self._keeps:
            self._appliance.close()


def part_mark(label: str) -> dict[str, Any]:
    """Return a mark that begins a part. Raises `ClientError` for a label that no appliance takes."""
    if len(label) > MOST_LABEL or not label.isprintable():
        raise ClientError(f"The label {label[:80]!r} is not one line of up to {MOST_LABEL} characters.", "Shorten it.")
    return {"label": label}


def work_mark(ops: float) -> dict[str, Any]:
    """Return a mark that counts work. Raises `ClientError` for what is no amount of work."""
    return {"operations": amount_of(ops)}


def amount_of(ops: float) -> float:
    """Return an amount of work, whatever kind of number it is. Raises `ClientError` for what is none."""
    amount = float(ops)
    if amount and not LEAST <= amount <= MOST:
        raise ClientError(f"The work {amount:g} is not finite, below 0, or beyond counting.", "Count what was done.")
    return amount


def fewer_marks(marks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Join values two by two, so that an appliance takes them all. Raises `ClientError` for too many parts."""
    joined: list[dict[str, Any]] = []
    is_open = False
    for mark in marks:
        is_value = "operations" in mark
        if is_value and is_open:
            joined[-1] = {**mark, "operations": joined[-1]["operations"] + mark["operations"]}
        else:
            joined.append({**mark})
        is_open = is_value and not is_open
    if len(joined) >= MOST_MARKS:
        raise ClientError(f"There are more than {MOST_MARKS:,} marks.", "Mark fewer parts.")
    return joined


def result_of(figures: Mapping[str, Any], page: str | None) -> Result:
    """Read the figures as an appliance answers them."""
    return Result(
        run_id=figures["run_id"],
        name=figures["name"],
        server=figures["server"],
        configuration=figures["configuration"],
        duration_s=figures["duration_s"],
        power=_figure(figures["power"]),
        energy=_figure(figures["energy"]),
        throughput=_figure(figures["throughput"]),
        efficiency=_figure(figures["efficiency"]),
        peak_w=figures["peak_w"],
        instead_of_wall=figures["instead_of_wall"],
        simulated=figures["simulated"],
        basis=figures["basis"],
        parts=tuple(
            Part(part["label"], part["begin_s"], part["duration_s"], _figure(part["power"]), _figure(part["energy"]))
            for part in figures["parts"]
        ),
        remarks=tuple(figures["remarks"]),
        lines=tuple((line["name"], line["text"]) for line in figures["lines"]),
        url=page,
    )


def _figure(quantity: Mapping[str, Any] | None) -> Figure | None:
    return None if quantity is None else Figure(quantity["value"], quantity["unit"], quantity["U95"])


class _Remote:
    """An appliance that answers over HTTP."""

    def __init__(self, url: str, token: str | None) -> None:
        self._url, self._token = url.rstrip("/"), token

    def open(self, order: Mapping[str, Any]) -> dict[str, Any]:
        return self._document(self._ask("POST", "", order, METERS_S))

    def begin(self, identifier: str) -> None:
        self._ask("POST", f"/{identifier}/begin", None, ASK_S)

    def end(self, identifier: str, order: Mapping[str, Any]) -> dict[str, Any]:
        return self._document(self._ask("POST", f"/{identifier}/end", order, METERS_S))

    def drop(self, identifier: str) -> None:
        self._ask("DELETE", f"/{identifier}", None, ASK_S)

    def page(self, run_id: str) -> str | None:
        return f"{self._url}/runs/{run_id}"

    def close(self) -> None:
        """Nothing stays open between requests."""

    def _document(self, answer: Any) -> dict[str, Any]:
        if not isinstance(answer, dict):
            raise ClientError(f"{self._url} is not a wattmark service.", "Check the address.")
        return answer

    def _ask(self, method: str, path: str, order: Mapping[str, Any] | None, most_s: float) -> Any:
        try:
            return ask(self._url, method, f"/api/measurements{path}", order, token=self._token, most_s=most_s)
        except ClientError as error:
            if error.status == 401:
                remedy = f"Put a token with the role operator into {TOKEN}: `wattmark token create`."
                raise ClientError(error.cause, remedy, 401) from None
            raise


def ask(
    url: str,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    token: str | None = None,
    most_s: float = ASK_S,
    most_bytes: int = MOST_BYTES,
) -> Any:
    """Ask a service, and return the JSON of its answer; None where it has none. Raises `ClientError`.

    A redirect is not followed: the token is for the address that was given, and for no other.
    """
    import http.client
    import urllib.error
    import urllib.request

    if re.search("[@?]", url) or (
        token and not re.fullmatch(r"[!-~]+", token)
    ):  # libraries would repeat it in what they raise
        raise ClientError(
            "The address has a user, password or query, or the token a space, line break or character beyond ASCII.",
            f"Put the token alone into {TOKEN}.",
        )
    if not url.startswith(("http://", "https://")):
        raise ClientError(f"{url} is not the address of a service.", f"Write it like {HERE}.")

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return

    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    sent = None if body is None else json.dumps(body).encode()
    try:
        request = urllib.request.Request(f"{url.rstrip('/')}{path}", sent, headers, method=method)  # noqa: S310
        with urllib.request.build_opener(NoRedirects).open(request, timeout=most_s) as answer:
            content = answer.read(most_bytes + 1)
            if answer.length and len(content) <= most_bytes:
                raise http.client.IncompleteRead(content, answer.length)
    except urllib.error.HTTPError as error:
        with error:
            raise _refusal(error) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise ClientError(
            f"{url} does not answer: {reason}.", "Start the service: wattmark serve. Or correct the address."
        ) from None
    if len(content) > most_bytes:
        raise ClientError(f"{url} sends more than {most_bytes // 2**20} MiB.", "Check the address.")
    try:
        return json.loads(content) if content else None
    except (ValueError, RecursionError):
        raise ClientError(f"{url} is not a wattmark service.", "Check the address.") from None


def _refusal(error: Any) -> ClientError:
    """Take cause and remedy from the service's answer."""
    status = int(error.code)
    if 300 <= status < 400:
        return ClientError(
            f"The service redirects to another address (status {status}).", "Give its final address.", status
        )
    try:
        answer = json.loads(error.read(65_536))
        return ClientError(str(answer["cause"]), str(answer["remedy"]), status)
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        return ClientError(f"The service refused with status {status}.", "Look at its log.", status)


def load_ipython_extension(shell: Any) -> None:
    """Add the cell magic %%wattmark: ``%load_ext wattmark.client``."""
    from .notebook import cell_magic

    shell.register_magic_function(cell_magic(shell), "cell", "wattmark")


def _token() -> str | None:
    if token := os.environ.get(TOKEN, "").strip():
        return token
    if not (file := os.environ.get(TOKEN_FILE)):
        return None
    try:
        return Path(file).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ClientError(f"{TOKEN_FILE} names {file}, which cannot be read: {reason}.", "Correct it.") from None


def _local(meters: Iterable[str], data: str | Path | None) -> Appliance:
    try:
        from wattmark.service.local import LocalAppliance, failures
    except ImportError:
        raise ClientError(
            "No appliance was named, and the package wattmark, which reads meters of this machine, is not installed.",
            f"Set {URL} to the address of an appliance, such as {HERE}, or install wattmark.",
        ) from None
    with failures(ClientError):
        return LocalAppliance(tuple(meters), None if data is None else Path(data), ClientError)
