"""Any plug that the catalogue declares with JSON pointers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

import httpx2

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.http_map import HttpMap, HttpRequest
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import require_same
from wattmark_drivers.http_client.client import HttpClient, HttpReply
from wattmark_drivers.http_client.json_body import Json, text_at, word_at
from wattmark_drivers.http_client.reconnects import Reconnects
from wattmark_drivers.http_client.secret import fetch_password
from wattmark_drivers.http_client.status import NotFound, refusal
from wattmark_drivers.identity import SIMULATOR_MARK, identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.plugs.address import PlugAddress
from wattmark_drivers.plugs.values import PlugValue, is_for, require_one_power, values_of
from wattmark_drivers.reading import Channel, Quality, Reading
from wattmark_drivers.settings import MeterSettings

POWER = "power"


@dataclass(frozen=True, slots=True, repr=False)
class PlugLogin:
    """Credentials of a request: a reply to challenges, or arguments at the end of each URL."""

    auth: httpx2.Auth | None = None
    arguments: str = ""

    def url(self, path: str) -> str:
        """Add the arguments to a path. The result is a secret."""
        return path if not self.arguments else f"{path}{'&' if '?' in path else '?'}{self.arguments}"


def make_login(table: HttpMap, username: str | None, password: str) -> PlugLogin:
    """Create the login that the device wants; none without a password, which most plugs ship with."""
    if table.login == "none" or not password:
        return PlugLogin()
    name = username or table.username
    if table.login == "basic":
        return PlugLogin(httpx2.BasicAuth(name, password))
    if table.login == "digest":
        return PlugLogin(httpx2.DigestAuth(name, password))
    return PlugLogin(arguments=f"user={quote(name, safe='')}&password={quote(password, safe='')}")


class PlugMeter:
    """Asks each declared path once per poll; an unanswered request is sent once more, on a new connection."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: HttpMap,
        address: PlugAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._table = table
        self._origin = address.origin
        self._output = table.first_output if address.output is None else address.output
        self._any_output = address.output is None
        last = table.first_output + table.outputs - 1
        if not table.first_output <= self._output <= last:
            raise ConfigurationError(
                f"Meter {settings.name}: {declaration.id} has no output {self._output}.",
                f"Write {table.first_output} to {last}.",
            )
        self._timeout_s = timeout_s
        self._clock = clock
        self._identity = identify(settings, declaration)
        self._client: HttpClient | None = None
        self._reconnects = Reconnects(clock)
        self._login = PlugLogin()
        self._present = {value.channel for value in table.measured}
        self._product: str | None = None
        """The device's own product name."""
        measuring = declaration.range(settings.range)
        self._range = measuring.id if measuring else None

    @property
    def identity(self) -> MeterIdentity:
        """Describe the plug; serial number and firmware are known after `open`, where it reports them."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the declared channels; after `open` those that this device has."""
        return [
            Channel(
                value.channel, value.quantity, value.unit, self._declaration.kind_of(value), value.label, value.step
            )
            for value in self._table.measured
            if value.channel in self._present
        ]

    async def open(self) -> None:
        """Ask who the device is, and for everything once. Raises a `DriverError`."""
        await self.close()
        self._login = make_login(self._table, self._settings.username, fetch_password(self._settings))
        self._client = HttpClient(self._origin, self._timeout_s, self._clock, self._login.auth)
        try:
            serial, firmware = await self._identify(self._client)
            simulated = await self._find_channels(self._client)
        except BaseException:
            await self.close()
            raise
        self._reconnects.confirm(self._client.connections)
        self._identity = identify(self._settings, self._declaration, serial, firmware, simulated=simulated)

    async def read(self) -> list[Reading]:
        """Read all channels. Raises `BadReply`, or `ConnectionFailed` when the plug is gone or is another one."""
        if self._client is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        readings: list[Reading] = []
        for request in self._table.requests:
            reply, values = await self._ask(self._client, request)
            readings += [self._reading(value, reply) for value in values if value.declared.channel in self._present]
        if self._reconnects.due(self._client.connections):
            await self._confirm(self._client)
        return readings

    async def close(self) -> None:
        client, self._client = self._client, None
        self._login = PlugLogin()
        if client is not None:
            await client.close()

    @property
    def _called(self) -> str:
        """Return the end of a refusal: the device's own product name, where it reports one."""
        return "" if self._product is None else f"; it calls itself {self._product}"

    async def _confirm(self, client: HttpClient) -> None:
        """Check the plug's identity again, where it reported one before. Raises `Exchanged`, or why there is none."""
        if self._identity.serial is not None:
            serial, firmware = await self._identify(client)
            require_same(self._identity, serial=serial, firmware=firmware)
        self._reconnects.confirm(client.connections)

    async def _identify(self, client: HttpClient) -> tuple[str | None, str | None]:
        serial = firmware = None
        for place in self._table.identity:
            if place.tells_product_alone and self._product is not None:
                continue
            try:
                _, document = await self._get(client, place.path)
            except NotFound:
                continue
            product = word_at(document, place.product) if place.product else None
            if product is not None and place.products and product not in place.products:
                raise ConfigurationError(
                    f"{client.label} is a {product}, and {self._declaration.id} is {', '.join(place.products)}.",
                    "Choose the model of this device, if it is in the list of models.",
                )
            self._product = self._product or product
            serial = serial or (text_at(document, place.serial) if place.serial else None)
            firmware = firmware or (text_at(document, place.firmware) if place.firmware else None)
        return serial, firmware

    async def _find_channels(self, client: HttpClient) -> bool:
        """Leave out channels that this device does not have; return whether a simulator answers.

        Raises `ConfigurationError` where power has no place: it is another device.
        """
        present: set[str] = set()
        simulated = False
        for request in self._table.requests:
            try:
                reply, values = await self._ask(client, request)
            except NotFound as error:
                raise NotFound(f"{error.cause.rstrip('.')}{self._called}.", error.remedy) from None
            simulated |= reply.headers.get("server") == SIMULATOR_MARK
            present |= {value.declared.channel for value in values if value.present}
        if POWER not in present:
            raise ConfigurationError(
                f"{client.label} reports no power where {self._declaration.id} has it{self._called}.",
                "Check the model, and that this output measures power.",
            )
        self._present = present
        return simulated

    async def _ask(self, client: HttpClient, request: HttpRequest) -> tuple[HttpReply, list[PlugValue]]:
        reply, document = await self._get(client, request.path, request.not_there)
        if not is_for(request, document, self._output):
            raise BadReply(f"{client.label} answered for another output.", "wattmark retries automatically.")
        if self._any_output:
            require_one_power(request, document, client.label, self._table.first_output)
        return reply, values_of(request, document, self._output, self._table.first_output)

    async def _get(self, client: HttpClient, path: str, not_there: str = "") -> tuple[HttpReply, Json]:
        """Ask for a path; errors name it without the login that may be part of the URL."""
        path = path.replace("{output}", str(self._output))
        reply = await client.get(self._login.url(path))
        if not_there and reply.status in (404, 500) and _says_not_there(reply):
            raise ConfigurationError(f"{client.label} has no {path.partition('?')[0]}{self._called}.", not_there)
        if not 200 <= reply.status < 300:
            raise refusal(reply.status, f"The device at {client.label}", path)
        document = reply.json(client.label)
        if self._table.denied is not None and (words := text_at(document, self._table.denied)) is not None:
            raise AuthenticationFailed(f"{client.label} rejects the login: {words}.", "Check the password.")
        return reply, document

    def _reading(self, value: PlugValue, reply: HttpReply) -> Reading:
        retried = Quality.RETRIED if reply.retried else Quality.GOOD
        return Reading(
            channel=value.declared.channel,
            value=value.value,
            unit=value.declared.unit,
            t_ns=reply.stamp.t_ns,
            u_t_ns=reply.stamp.u_t_ns,
            kind=self._declaration.kind_of(value.declared),
            range=self._range,
            quality=value.quality | retried,
        )


def _says_not_there(reply: HttpReply) -> bool:
    """Return whether an error of a Shelly means that it has no such component, or none with that number."""
    return any(words in reply.body.lower() for words in (b"not found", b"no handler"))
