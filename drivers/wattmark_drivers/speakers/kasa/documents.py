"""Replies of a simulated TP-Link plug to a query, in both dialects. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter

from wattmark_drivers.catalogue.kasa_map import KasaMap
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.http.documents import place
from wattmark_drivers.speakers.indication import values_of

UNKNOWN_METHOD = -1002
"""Error code of the dialect smart."""
NO_ENTRY = {"err_code": -14, "err_msg": "entry not exist"}
NO_MODULE = {"err_code": -1, "err_msg": "module not support"}
CHILD = f"{SIMULATOR_MARK}0"
MULTIPLE = "multipleRequest"


IotRequest = dict[str, dict[str, Any]]
"""Commands with their arguments by module; ``context`` names the outlets."""


class _Method(BaseModel):
    method: str


class _Methods(BaseModel):
    requests: tuple[_Method, ...] = ()


class SmartRequest(_Method):
    """A method, or several of them in one request."""

    params: _Methods | None = None

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the names of the methods asked for."""
        if self.method != MULTIPLE:
            return (self.method,)
        return tuple(item.method for item in self.params.requests) if self.params else ()


Request = IotRequest | SmartRequest
_IOT: TypeAdapter[Request] = TypeAdapter(IotRequest)
_SMART: TypeAdapter[Request] = TypeAdapter(SmartRequest)


class KasaDocuments:
    """The documents of one plug; its first outlet carries the load, the others none."""

    def __init__(self, table: KasaMap, serial: int) -> None:
        self._table = table
        self._children = [[f"{CHILD}{n}"] for n in range(table.outlets)]
        who = {"mac": f"{SIMULATOR_MARK}-{serial}"}
        if table.dialect == "smart":
            who |= {"model": table.models[0], "fw_ver": f"{SIMULATOR_MARK} 1.0", "type": "SMART.TAPOPLUG"}
            self._identity: dict[str, Any] = {"get_device_info": who}
        else:
            who |= {"model": f"{table.models[0]}(EU)", "sw_ver": f"{SIMULATOR_MARK} 1.0", "feature": "TIM:ENE"}
            children = [{"id": f"{CHILD}{n}", "state": 1} for n in range(table.outlets)] if table.outlets > 1 else []
            self._identity = {"system": {"get_sysinfo": {**who, "err_code": 0, "children": children}}}
        self.values = values_of(table.values, None)
        """By channel; None where there is no reading."""

    def parse(self, data: bytes | str) -> Request:
        """Parse a request. Raises `ValueError` for one that the dialect does not have."""
        return (_SMART if self._table.dialect == "smart" else _IOT).validate_json(data)

    def measures(self, request: Request) -> bool:
        """Return whether a request asks for readings."""
        asked = set(request.methods) if isinstance(request, SmartRequest) else set(request)
        return any(name.partition("/")[0] in asked for name in self._table.requests)

    def answer(self, request: Request, wrong: tuple[str, float | None] | None = None) -> Any:
        """Answer a request; ``wrong`` is a channel and the value to show instead, None for a missing one."""
        return self._smart(request, wrong) if isinstance(request, SmartRequest) else self._iot(request, wrong)

    def _iot(self, request: IotRequest, wrong: tuple[str, float | None] | None) -> Any:
        children = request.get("context", {}).get("child_ids", [f"{CHILD}0"])
        if children not in self._children:
            return {module: NO_ENTRY for module in request if module != "context"}
        known = self._documents(wrong, loaded=children == self._children[0])
        return {
            module: {command: known.get(module, {}).get(command, NO_MODULE) for command in commands}
            for module, commands in request.items()
            if module != "context"
        }

    def _smart(self, request: SmartRequest, wrong: tuple[str, float | None] | None) -> Any:
        known = self._documents(wrong, loaded=True)
        if request.method != MULTIPLE:
            return _smart_answer(known, request.method)
        responses = [{"method": method, **_smart_answer(known, method)} for method in request.methods]
        return {"error_code": 0, "result": {"responses": responses}}

    def _documents(self, wrong: tuple[str, float | None] | None, *, loaded: bool) -> dict[str, Any]:
        document: Any = self._identity
        for item in self._table.values:
            value = self.values[item.channel] if loaded else 0.0
            if wrong is not None and wrong[0] == item.channel:
                value = wrong[1]
            shown = item.places[0]
            document = place(document, shown.pointer, None if value is None else round(value / shown.scale))
        answers: dict[str, Any] = document
        return answers


def _smart_answer(known: Mapping[str, Any], method: str) -> dict[str, Any]:
    return {"error_code": 0, "result": known[method]} if method in known else {"error_code": UNKNOWN_METHOD}
