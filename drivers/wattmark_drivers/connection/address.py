"""Convert between the fields of a form and an address, without access to any device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from wattmark_drivers.connection.fields import Field, Value

Values = Mapping[str, Value | None]


def write_address(scheme: str, fields: Sequence[Field], values: Values) -> str:
    """Write an address. What is empty, or in the query what equals the default, is excluded."""
    texts = {field.name: _text(values.get(field.name)) for field in fields}
    place = _host(texts) if any(field.place == "host" for field in fields) else _name(fields, texts)
    paths = [texts[field.name] for field in fields if field.place == "path"]
    path = quote(paths[0], safe="/:@+,=-._~") if paths and paths[0] else ""
    query = {
        field.name: texts[field.name]
        for field in fields
        if field.place == "query" and texts[field.name] not in ("", _text(field.default))
    }
    slash = "/" if path and not path.startswith("/") else ""
    return f"{scheme}://{place}{slash}{path}" + (f"?{urlencode(query, safe='/:')}" if query else "")


def read_address(url: str, fields: Sequence[Field]) -> dict[str, Value]:
    """Read the fields of an address; absent fields are excluded. Raises ValueError where it is not an address."""
    parts = urlsplit(url)
    values: dict[str, str] = {}
    if any(field.place == "host" for field in fields):
        values["host"] = parts.hostname or ""
        values["port"] = str(parts.port or "")
    names = [field.name for field in fields if field.place == "name"]
    values |= dict(zip(names, parts.netloc.split(":", len(names) - 1), strict=False)) if names else {}
    for field in fields:
        if field.place == "path":
            rooted = field.kind in {"serial-port", "file", "folder"}
            values[field.name] = unquote(parts.path) if rooted else unquote(parts.path.strip("/"))
    values |= dict(parse_qsl(parts.query))
    return {field.name: _value(field, values[field.name]) for field in fields if values.get(field.name)}


def _host(texts: Mapping[str, str]) -> str:
    host = texts["host"]
    shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{shown}:{texts['port']}" if texts.get("port") else shown


def _name(fields: Sequence[Field], texts: Mapping[str, str]) -> str:
    names = [texts[field.name] for field in fields if field.place == "name"]
    return ":".join(names).rstrip(":")


def _text(value: Value | None) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value).strip()


def _value(field: Field, text: str) -> Value:
    """Parse a number; other text stays text, for the form to show what is wrong."""
    numeric = field.kind == "integer" or (field.kind == "choice" and isinstance(field.default, int))
    if numeric:
        return int(text) if text.isascii() and text.isdecimal() else text
    try:
        return float(text) if field.kind == "number" else text
    except ValueError:
        return text
