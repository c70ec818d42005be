"""A meter named by its URL alone: the address, the model and its settings in one line, for use without a bench file."""

from __future__ import annotations

import math
from collections.abc import Callable
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from wattmark_drivers.address import parse_address, split
from wattmark_drivers.catalogue import Declaration, find_model, load_catalogue
from wattmark_drivers.engines import find_engine
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.settings import MeterSettings

SECONDS = ("period_s", "timeout_s")
SECRETS = ("password", "passwd", "pass", "token", "secret")
MOST_NAMED = 8
REMEDY = "Remove them from the address. Give the user with --user and the password with --password-file."


def is_url(text: str) -> bool:
    """Return whether a text is a URL rather than a name of the bench file."""
    return "://" in text


def parse_meter_url(
    text: str,
    *,
    username: str | None = None,
    password: Callable[[], str] | None = None,
    privacy_password: Callable[[], str] | None = None,
    simulated: bool = False,
) -> MeterSettings:
    """Read ``SCHEME://WHERE?model=MODEL`` with range, period_s, timeout_s and the model's options as further parts.

    The model may be omitted where only one speaks the scheme. What remains of the URL is the model's own address.
    Raises `ConfigurationError` with cause and remedy; never repeats a secret.
    """
    parts = _split(text)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    parameters = dict(pairs)
    if parts.username is not None or parts.password is not None or any(name.lower() in SECRETS for name in parameters):
        raise ConfigurationError("The address of the meter contains a user or a password.", REMEDY)
    declaration = _model(parameters.pop("model", None), parts.scheme)
    seconds = {name: _seconds(name, parameters.pop(name)) for name in SECONDS if name in parameters}
    options = {name: parameters.pop(name) for name in declaration.protocol.option_names if name in parameters}
    measuring = parameters.pop("range", None)
    place = f"{parts.scheme}://{parts.netloc}{parts.path}"
    query = urlencode([pair for pair in pairs if pair[0] in parameters])
    url = f"{place}?{query}" if query else place
    parse_address(url, declaration)
    return MeterSettings(
        name=place,
        model=declaration.id,
        url=url,
        period_s=seconds.get("period_s", declaration.rhythm.update_period_s),
        range=measuring,
        simulated=simulated,
        timeout_s=seconds.get("timeout_s"),
        options=options,
        username=username,
        password=password,
        privacy_password=privacy_password,
    )


def meter_url(settings: MeterSettings) -> str:
    """Write settings as a URL that `parse_meter_url` reads; user and password are excluded."""
    parts = urlsplit(settings.url)
    extra: dict[str, str | int | float] = {"model": settings.model, **settings.options}
    if settings.range is not None:
        extra["range"] = settings.range
    query = "&".join(part for part in (parts.query, urlencode(extra)) if part)
    return f"{parts.scheme}://{parts.netloc}{parts.path}?{query}"


def schemes() -> dict[str, list[Declaration]]:
    """List the URL schemes of the catalogue, each with the models that speak it."""
    declarations: dict[str, list[Declaration]] = {}
    for declaration in load_catalogue().values():
        for transport in declaration.transports:
            declarations.setdefault(transport.scheme, []).append(declaration)
    return declarations


def _split(text: str) -> SplitResult:
    try:
        return split(text)
    except ValueError as error:
        raise ConfigurationError(f"The address of the meter {error}.", "Write SCHEME://WHERE?model=MODEL.") from None


def _model(model: str | None, scheme: str) -> Declaration:
    if model is not None:
        return find_model(model)
    speakers = schemes().get(scheme, [])
    if len(speakers) == 1:
        return speakers[0]
    if not speakers:
        raise ConfigurationError(
            f"No model in the catalogue uses {scheme[:40] or 'an address without scheme'}.",
            f"Schemes: {', '.join(sorted(schemes()))}.",
        )
    form = find_engine(speakers[0].protocol.engine).schemes[scheme].form
    glue = "&" if "?" in form else "?"
    raise ConfigurationError(
        f"The address names no model, and {len(speakers)} models use {scheme}.",
        f"Write {form}{glue}model=MODEL, with MODEL {_models_in_words(speakers)}.",
    )


def _models_in_words(speakers: list[Declaration]) -> str:
    """Name the models that an address may name; of many one of each of three makers."""
    names = [item.id for item in speakers]
    if len(names) <= MOST_NAMED:
        return f"one of {', '.join(names)}"
    of_makers = {name.partition(".")[0]: name for name in reversed(names)}
    return f"such as {', '.join(sorted(of_makers.values())[:3])}; `wattmark meter models` lists them"


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 3600:
        raise ConfigurationError(f"The address says {name}={text[:40]}.", "Enter seconds above 0 and up to 3600.")
    return seconds
