"""What names a server or a configuration of the bench, and names it anew when that is renamed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Change = Callable[[Any], Any]


def rename_server(document: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return a document in which feeds, BMCs and plans name a server anew."""

    def server(name: Any) -> Any:
        return new if name == old else name

    def reference(name: Any) -> Any:
        return f"{new}{name[len(old) :]}" if isinstance(name, str) and name.startswith(f"{old}/") else name

    feeds = _each(_at({"server": server}))
    changes = {"meters": _each(_at({"feeds": feeds})), "bmcs": _each(_at({"server": server})), **_plans(reference)}
    changed: dict[str, Any] = _at(changes)(document)
    return changed


def rename_configuration(document: dict[str, Any], server: str, old: str, new: str) -> dict[str, Any]:
    """Return a document in which plans name a configuration anew."""
    changed: dict[str, Any] = _at(_plans(lambda name: f"{server}/{new}" if name == f"{server}/{old}" else name))(
        document
    )
    return changed


def _plans(reference: Change) -> dict[str, Change]:
    """Change every "server/configuration" of the plans."""
    exclusions = _each(_at({"configuration": reference}))
    return {"plans": _each(_at({"configurations": _each(reference), "exclude": exclusions}))}


def _at(changes: Mapping[str, Change]) -> Change:
    """Change the values of a map at some keys; what is no map stays, for the check of the bench to refuse."""
    return lambda value: (
        {key: changes[key](one) if key in changes else one for key, one in value.items()}
        if isinstance(value, dict)
        else value
    )


def _each(change: Change) -> Change:
    """Change every entry of a list."""
    return lambda value: [change(one) for one in value] if isinstance(value, list) else value
