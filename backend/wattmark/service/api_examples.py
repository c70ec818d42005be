"""An example of a request for every route, in an order in which each finds what it needs."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

BASE = "http://127.0.0.1:8400"
_WORKLOAD, _LEVEL = "openssl.rsa2048-sign", "100 %"
_RUN = "plain-1-0027"
_AT = {"workload": _WORKLOAD, "level": _LEVEL}
_FANS = "fan: 80 mm"
_SIGNED = {"by": "K. Berg", "reason": "meter was adjusted"}
_VERSION = f"If-Match: $(curl -sS {BASE}/api/bench | jq .version)"
_SERVER = {
    "id": "spare",
    "access": {"local": True},
    "configurations": [{"id": "c", "cpu": {"model": "Xeon 5160"}, "os": {"name": "Debian", "kernel": "6.1"}}],
}
_METER = {"id": "outlet-2", "model": "eastron.sdm120", "url": "modbus-tcp://192.0.2.10:502/2"}
_SECRET = {"owner": "spare-bmc", "model": "ipmi.bmc", "url": "ipmi://192.0.2.20:623", "password": "example"}
_BMC = """$(jq '{id: "spare-bmc", server: "spare", host: "192.0.2.20", user: "monitor", password_file}' secret.json)"""
_OUTPUT = {
    "output": "Requests per second:    5417.20 [#/sec] (mean)",
    "unit": "requests",
    "reports": "rate",
    "figure": {"line": 0, "begin": 24, "end": 31},
}
_PLAN = {"name": "look", "configurations": ["s/c"], "workloads": ["openssl.rsa2048-sign"], "measure_s": 60}
_SUITE = {"suite": "graduated-trial", "configurations": ["s/c"]}
_MAPPING = {
    "name": "plug",
    "holds": "power log",
    "delimiter": ";",
    "zone": "Europe/Berlin",
    "time": {"columns": ["time"], "format": "%Y-%m-%d %H:%M:%S"},
    "columns": [{"column": "power [W]", "quantity": "power", "unit": "W"}],
}
_IN_HOUSE = {
    "meter": "plug",
    "reference": "analyser",
    "campaign_id": "stepped",
    "due_on": "2027-03-01",
    "laboratory": "Example Lab",
    "by": "K. Berg",
}


def _head(more: str) -> str:
    """Write the begin of a file of readings as JSON, which takes it in base64."""
    return (
        f"""$(jq -n --arg head "$(base64 -w 0 plug.csv)" '{{file_name: "plug.csv", head: $head, whole: true{more}}}')"""
    )


@dataclass(frozen=True, slots=True)
class Example:
    """A request; ``$(...)`` in it is the shell's, and takes a name from another answer."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """Sent as JSON; a text as it is, in double quotes."""
    file: tuple[str, str] | None = None
    """A file to send and its media type."""
    options: str = ""
    """More options of curl."""
    status: int | None = None
    """Of the refusal, where what is asked for is rarely there to be done."""

    def command(self, method: str, *, versioned: bool = False) -> str:
        """Write it as a command line; ``versioned``: it must state the version of the bench that it changes."""
        words = ["curl -sS"]
        if method == "GET" and self.query:
            words.append("-G")
        elif method != "GET":
            words.append(f"-X {method}")
        words.append(f'"{BASE}{self.path}"' if "$" in self.path else shlex.quote(f"{BASE}{self.path}"))
        words += [f"--data-urlencode {shlex.quote(f'{name}={value}')}" for name, value in self.query.items()]
        if versioned:
            words.append(f'-H "{_VERSION}"')
        if self.file is not None:
            words.append(f"-H 'Content-Type: {self.file[1]}' --data-binary @{self.file[0]}")
        if self.body is not None:
            sent = f'"{self.body}"' if isinstance(self.body, str) else shlex.quote(json.dumps(self.body))
            words.append(f"-H 'Content-Type: application/json' -d {sent}")
        return " ".join([*words, self.options] if self.options else words)


def takes_version(operation: Mapping[str, Any]) -> bool:
    """Return whether an operation of the API must state the version of the bench that it changes."""
    return any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", ()))


def _get(path: str, options: str = "", **query: str) -> Example:
    return Example(path, query, options=options)


_OPENED = f"$(curl -sS {BASE}/api/measurements | jq -r '.[0].id')"
_QUEUED = f"$(curl -sS {BASE}/api/campaign/queue | jq -r '.waiting[0].entry')"
_LABS = {"workload": _WORKLOAD, "level": "all threads"}
_THERE = "node-01 (Lab 0001)"
_IN_FLEET = f"$(curl -sS {BASE}/api/fleet/run-rows?limit=1 | jq -r '.rows[0].run_id')"
_FLEET = {
    "GET /api/fleet": _get("/api/fleet"),
    "GET /api/fleet/run-rows": _get("/api/fleet/run-rows", lab="Lab 0001", limit="20"),
    "GET /api/fleet/run-rows/facets": _get("/api/fleet/run-rows/facets"),
    "GET /api/fleet/runs/{run_id}": _get(f"/api/fleet/runs/{_IN_FLEET}"),
    "GET /api/fleet/runs/{run_id}/samples.{extension}": _get(f"/api/fleet/runs/{_IN_FLEET}/samples.csv"),
    "GET /api/fleet/runs/{run_id}/span": _get(f"/api/fleet/runs/{_IN_FLEET}/span", begin_s="1", end_s="2"),
    "GET /api/fleet/runs/{run_id}/traces": _get(f"/api/fleet/runs/{_IN_FLEET}/traces", px="600"),
    "GET /api/fleet/compare/choices": _get("/api/fleet/compare/choices"),
    "GET /api/fleet/facets": Example("/api/fleet/facets", _LABS),
    "GET /api/fleet/compare": Example("/api/fleet/compare", _LABS),
    "GET /api/fleet/compare/details": Example("/api/fleet/compare/details", {**_LABS, "key": f"{_THERE}/fb-2x2"}),
    "GET /api/fleet/compare/matrix": Example(
        "/api/fleet/compare/matrix", {"baseline": f"{_THERE}/fb-2x2", "key": f"{_THERE}/fb-4x2"}
    ),
    "GET /api/fleet/memory": Example("/api/fleet/memory", {**_LABS, "server": _THERE}),
    "GET /api/fleet/memory/slopes": Example("/api/fleet/memory/slopes", _LABS),
    "GET /api/fleet/memory/pooled": Example("/api/fleet/memory/pooled", _LABS),
    "GET /api/fleet/parts": Example("/api/fleet/parts", {**_LABS, "server": _THERE, "part": _FANS}),
    "GET /api/fleet/parts/slopes": Example("/api/fleet/parts/slopes", {**_LABS, "kind": "fan"}),
    "GET /api/fleet/published": _get("/api/fleet/published"),
    "GET /api/fleet/rings": _get("/api/fleet/rings"),
    "GET /api/fleet/ring": Example("/api/fleet/ring", {**_LABS, "model": "ProLiant DL360 G5"}),
    "GET /api/fleet/scaling": _get("/api/fleet/scaling", workload=_WORKLOAD),
    "GET /api/store/shared": _get("/api/store/shared", days="36500"),
    "POST /api/store/shared/copy": Example(
        "/api/store/shared/copy",
        body=f"$(curl -sS '{BASE}/api/store/shared?days=36500' | jq '{{run_id: .runs[0].run_id}}')",
    ),
}
_HOST_KEY = {
    "host": "s5000.lab",
    "key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    "fingerprint": "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
}
"""The host key of github.com, as published there."""
EXAMPLES: Mapping[str, Example] = {
    "GET /healthz": _get("/healthz"),
    "GET /healthz/live": _get("/healthz/live"),
    "GET /metrics": _get("/metrics"),
    "GET /api/health": _get("/api/health"),
    "GET /api/docs": _get("/api/docs"),
    "GET /api/session": _get("/api/session"),
    "GET /api/bench": _get("/api/bench"),
    "GET /api/bench/entries": _get("/api/bench/entries"),
    "GET /api/bench/source": _get("/api/bench/source"),
    "PATCH /api/bench": Example("/api/bench", body={"lab": "Power lab, room 2"}),
    "PUT /api/bench/servers/{name}": Example("/api/bench/servers/spare", body=_SERVER),
    "PUT /api/bench/servers/{server}/configurations/{name}": Example(
        "/api/bench/servers/spare/configurations/d",
        body={**_SERVER["configurations"][0], "id": "d"},  # type: ignore[index]
    ),
    "PUT /api/bench/meters/{name}": Example("/api/bench/meters/outlet-2", body=_METER),
    "POST /api/bench/secrets": Example("/api/bench/secrets", body=_SECRET, options="-o secret.json"),
    "PUT /api/bench/bmcs/{name}": Example("/api/bench/bmcs/spare-bmc", body=_BMC),
    "PUT /api/bench/plans/{name}": Example("/api/bench/plans/look", body=_PLAN),
    "DELETE /api/bench/plans/{name}": Example("/api/bench/plans/look"),
    "DELETE /api/bench/bmcs/{name}": Example("/api/bench/bmcs/spare-bmc"),
    "DELETE /api/bench/meters/{name}": Example("/api/bench/meters/outlet-2"),
    "DELETE /api/bench/servers/{server}/configurations/{name}": Example("/api/bench/servers/spare/configurations/d"),
    "DELETE /api/bench/servers/{name}": Example("/api/bench/servers/spare"),
    "POST /api/bench/undo": Example("/api/bench/undo"),
    "DELETE /api/bench/servers/{name}/with-dependents": Example("/api/bench/servers/spare/with-dependents"),
    "PUT /api/bench/source": Example(
        "/api/bench/source", body=f"$(curl -sS {BASE}/api/bench/source | jq '{{text}}' | sed 's/room 2/room 3/')"
    ),
    "GET /api/bench/changes": _get("/api/bench/changes"),
    "POST /api/bench/read-machine": Example("/api/bench/read-machine", body={}),
    "POST /api/bench/ssh-hosts/ask": Example(
        "/api/bench/ssh-hosts/ask", body={"host": "127.0.0.1", "port": 1}, status=422
    ),
    "POST /api/bench/ssh-hosts": Example("/api/bench/ssh-hosts", body=_HOST_KEY, status=403),
    "GET /api/models": _get("/api/models"),
    "GET /api/models/limits": _get("/api/models/limits"),
    "GET /api/models/{model}": _get("/api/models/eastron.sdm120"),
    "POST /api/models/{model}/fields": Example(
        "/api/models/eastron.sdm120/fields", body={"url": "modbus-tcp://192.0.2.10:502/1"}
    ),
    "POST /api/models/{model}/address": Example(
        "/api/models/eastron.sdm120/address",
        body={"scheme": "modbus-tcp", "fields": {"host": "192.0.2.10", "port": 502, "unit": 1}},
    ),
    "GET /api/ports": _get("/api/ports"),
    "POST /api/meters/scan": Example(
        "/api/meters/scan", body={"modbus_tcp": "127.0.0.1:1502", "ids": "1", "timeout_s": 0.5}
    ),
    "POST /api/meters/try": Example(
        "/api/meters/try",
        body={"meter": {"model": "eastron.sdm120", "url": "modbus-tcp://127.0.0.1:1502/1"}, "seconds": 1},
    ),
    "POST /api/meters/{name}/check": Example("/api/meters/wall/check"),
    "POST /api/measurements": Example("/api/measurements", body={"name": "matmul", "server": "s"}),
    "GET /api/measurements": _get("/api/measurements"),
    "POST /api/measurements/{identifier}/begin": Example(f"/api/measurements/{_OPENED}/begin"),
    "POST /api/measurements/{identifier}/end": Example(f"/api/measurements/{_OPENED}/end", body={"operations": 1000}),
    "DELETE /api/measurements/{identifier}": Example(f"/api/measurements/{_OPENED}"),
    "GET /api/live": _get("/api/live"),
    "GET /api/live/alarms": _get("/api/live/alarms"),
    "GET /api/live/history": _get("/api/live/history", source="wall", begin_s="1790000000", end_s="1790000600"),
    "GET /api/live/stream": _get("/api/live/stream", options="-N --max-time 2"),
    "GET /api/workloads": _get("/api/workloads"),
    "POST /api/workloads/parser": Example("/api/workloads/parser", body=_OUTPUT),
    "POST /api/workloads/{name}/try": Example("/api/workloads/openssl.rsa2048-sign/try", body={"seconds": 2}),
    "GET /api/campaign/plans/{name}": _get("/api/campaign/plans/night"),
    "GET /api/campaign/plans/{name}/forecast": _get("/api/campaign/plans/night/forecast"),
    "POST /api/campaign/plans/preview": Example("/api/campaign/plans/preview", body=_PLAN),
    "POST /api/campaign/plans/forecast": Example("/api/campaign/plans/forecast", body=_PLAN),
    "POST /api/campaign": Example("/api/campaign", body={"plan": "night"}),
    "GET /api/campaign": _get("/api/campaign"),
    "GET /api/campaign/throughput": _get("/api/campaign/throughput"),
    "POST /api/campaign/suite": Example("/api/campaign/suite", body=_SUITE, status=409),
    "POST /api/campaign/queue": Example("/api/campaign/queue", body={"plan": "night"}),
    "GET /api/campaign/queue": _get("/api/campaign/queue"),
    "PUT /api/campaign/queue/{entry}": Example(f"/api/campaign/queue/{_QUEUED}", body={"position": 0}),
    "DELETE /api/campaign/queue/{entry}": Example(f"/api/campaign/queue/{_QUEUED}"),
    "GET /api/campaign/health": _get("/api/campaign/health", since_s="1790000000"),
    "POST /api/markers": Example("/api/markers", body={"kind": "value", "value": 1200}),
    "POST /api/campaign/ready": Example("/api/campaign/ready"),
    "POST /api/campaign/stop": Example("/api/campaign/stop"),
    "POST /api/campaign/resume": Example("/api/campaign/resume", body={}),
    "POST /api/campaign/repeat": Example("/api/campaign/repeat", body={}, status=422),
    "GET /api/campaign/history": _get("/api/campaign/history"),
    "GET /api/alarms": _get("/api/alarms"),
    "GET /api/outputs": _get("/api/outputs"),
    "GET /api/notices": _get("/api/notices"),
    "POST /api/notices/{name}/test": Example("/api/notices/phone/test"),
    "GET /api/gateway": _get("/api/gateway"),
    "POST /api/outputs/{name}/test": Example("/api/outputs/prometheus/test"),
    "GET /api/runs": _get("/api/runs", limit="2"),
    "GET /api/run-rows": _get("/api/run-rows", workload=_WORKLOAD, sort="-efficiency", limit="20"),
    "GET /api/run-rows/facets": _get("/api/run-rows/facets", kind="measured"),
    "GET /api/runs/{run_id}": _get(f"/api/runs/{_RUN}"),
    "GET /api/runs/{run_id}/traces": _get(f"/api/runs/{_RUN}/traces", px="600"),
    "GET /api/runs/{run_id}/span": _get(f"/api/runs/{_RUN}/span", begin_s="1790003255", end_s="1790003265"),
    "GET /api/runs/{run_id}/samples.{extension}": _get(f"/api/runs/{_RUN}/samples.csv"),
    "GET /api/runs/{run_id}/versions": _get(f"/api/runs/{_RUN}/versions"),
    "POST /api/runs/{run_id}/recompute": Example(f"/api/runs/{_RUN}/recompute", body=_SIGNED),
    "GET /api/annotations": _get("/api/annotations"),
    "POST /api/annotations/tags": Example("/api/annotations/tags", body={"run_ids": [_RUN], "add": ["new fans"]}),
    "PUT /api/annotations/{run_id}/note": Example(f"/api/annotations/{_RUN}/note", body={"note": "lid open"}),
    "PUT /api/annotations/{run_id}/inclusion": Example(
        "/api/annotations/early/inclusion",
        body={"by": "K. Berg", "reason": "the job was done", "rules": ["asked-length"]},
    ),
    "DELETE /api/annotations/{run_id}/inclusion": Example("/api/annotations/early/inclusion"),
    "GET /api/compare/choices": _get("/api/compare/choices"),
    "GET /api/compare": Example("/api/compare", _AT),
    "GET /api/compare/details": Example("/api/compare/details", {**_AT, "key": "plain-1/dimms-2"}),
    "GET /api/compare/differences": Example(
        "/api/compare/differences", {"a": "plain-1/dimms-2", "b": "plain-1/dimms-8"}
    ),
    "GET /api/compare/pairs": Example("/api/compare/pairs?key=plain-1/dimms-2", {**_AT, "key": "plain-1/dimms-8"}),
    "GET /api/compare/matrix": Example(
        "/api/compare/matrix", {"baseline": "plain-1/dimms-2", "key": "plain-1/dimms-8"}
    ),
    "GET /api/memory": Example("/api/memory", {**_AT, "server": "plain-1"}),
    "GET /api/memory/choices": _get("/api/memory/choices"),
    "GET /api/memory/slopes": Example("/api/memory/slopes", _AT),
    "GET /api/memory/pooled": Example("/api/memory/pooled", _AT),
    "GET /api/memory/break-even": Example("/api/memory/break-even", {**_AT, "server": "plain-1", "against": "loose-1"}),
    "GET /api/memory/predicted": _get("/api/memory/predicted"),
    "GET /api/memory/published": _get("/api/memory/published"),
    "GET /api/parts/choices": _get("/api/parts/choices"),
    "GET /api/parts": Example("/api/parts", {**_AT, "server": "plain-1", "part": _FANS}),
    "GET /api/parts/pooled": Example("/api/parts/pooled", {**_AT, "kind": "fan"}),
    "GET /api/parts/slopes": Example("/api/parts/slopes", {**_AT, "kind": "fan"}),
    "GET /api/parts/break-even": Example(
        "/api/parts/break-even",
        {**_AT, "server": "plain-1", "part": _FANS, "against": "loose-1", "against_part": _FANS},
    ),
    "GET /api/published": _get("/api/published"),
    "GET /api/scaling": _get("/api/scaling", workload=_WORKLOAD),
    "GET /api/scaling/load-levels": _get("/api/scaling/load-levels", workload=_WORKLOAD),
    "GET /api/scaling/published": _get("/api/scaling/published", key="published:1"),
    "GET /api/suites": _get("/api/suites"),
    "GET /api/suites/{suite}": _get("/api/suites/graduated-trial", configuration="plain-1/dimms-8"),
    "GET /api/export/suite-report.html": _get("/api/export/suite-report.html", suite="graduated-trial"),
    "GET /api/export/{table}.{extension}": _get("/api/export/results.csv", layout="full"),
    "GET /api/export/{table}": _get("/api/export/certificates"),
    "GET /api/export/figure/{name}.{extension}": Example(
        "/api/export/figure/compare.svg", _AT, options="-o compare.svg"
    ),
    "GET /api/export/overlay.{extension}": _get("/api/export/overlay.svg", "-o overlay.svg", run_id=_RUN),
    "GET /api/export/traces/{run_id}.{extension}": _get(f"/api/export/traces/{_RUN}.svg", "-o traces.svg"),
    "GET /api/export/report.html": _get("/api/export/report.html", "-o report.html", run_id=_RUN),
    "GET /api/archive": _get("/api/archive", "-o runs.zip", run_id=_RUN),
    "POST /api/archive/preview": Example("/api/archive/preview", file=("runs.zip", "application/zip")),
    "POST /api/archive": Example("/api/archive", file=("runs.zip", "application/zip")),
    "POST /api/certificates": Example(
        "/api/certificates?file_name=certificate.csv", file=("certificate.csv", "text/csv")
    ),
    "GET /api/certificates": _get("/api/certificates"),
    "GET /api/certificates/{certificate_id}": _get("/api/certificates/CAL-2026-001"),
    "GET /api/certificates/{certificate_id}/file": _get("/api/certificates/CAL-2026-001/file"),
    "POST /api/certificates/{certificate_id}/override": Example(
        "/api/certificates/CAL-2026-001/override",
        body={"by": "K. Berg", "reason": "calibrated again since", "accepts": ["expired"], "run_id": _RUN},
    ),
    "POST /api/certificates/{certificate_id}/review": Example("/api/certificates/CAL-2026-001/review"),
    "POST /api/certificates/{certificate_id}/recompute": Example(
        "/api/certificates/CAL-2026-001/recompute", body=_SIGNED
    ),
    "POST /api/meters/{serial}/recompute": Example("/api/meters/SN-1/recompute", body=_SIGNED),
    "POST /api/certificates/{certificate_id}/revoke": Example(
        "/api/certificates/CAL-2026-001/revoke",
        body={"by": "K. Berg", "reason": "the laboratory withdrew it", "effective": "2026-06-01"},
    ),
    "POST /api/certificates/in-house/preview": Example("/api/certificates/in-house/preview", body=_IN_HOUSE),
    "POST /api/certificates/in-house": Example("/api/certificates/in-house", body=_IN_HOUSE),
    "GET /api/meters/calibration": _get("/api/meters/calibration"),
    "POST /api/check-standards": Example(
        "/api/check-standards", body={"name": "lamp", "meter": "wall", "nominal_w": 60.0}
    ),
    "POST /api/check-standards/{name}/readings": Example(
        "/api/check-standards/lamp/readings", body={"operator": "K. Berg", "power_w": 60.1, "sd_w": 0.05, "n": 60}
    ),
    "GET /api/check-standards": _get("/api/check-standards"),
    "GET /api/check-standards/{name}": _get("/api/check-standards/lamp"),
    "GET /api/imports/kinds": _get("/api/imports/kinds"),
    "POST /api/imports/csv/proposal": Example("/api/imports/csv/proposal", body=_head("")),
    "POST /api/imports/csv/trial": Example("/api/imports/csv/trial", body=_head(f", mapping: {json.dumps(_MAPPING)}")),
    "PUT /api/imports/mappings/{name}": Example("/api/imports/mappings/plug", body=_MAPPING),
    "GET /api/imports/mappings": _get("/api/imports/mappings"),
    "POST /api/imports/preview": Example(
        "/api/imports/preview?file_name=plug.csv&mapping=plug", file=("plug.csv", "application/octet-stream")
    ),
    "POST /api/imports": Example(
        "/api/imports?file_name=results.zip", file=("results.zip", "application/octet-stream")
    ),
    "DELETE /api/imports/mappings/{name}": Example("/api/imports/mappings/plug"),
    "GET /api/audits": _get("/api/audits"),
    "GET /api/audits/table.{extension}": _get("/api/audits/table.csv"),
    "GET /api/audits/{audit_id}": _get(f"/api/audits/$(curl -sS {BASE}/api/audits | jq -r '.[0].id')"),
    "GET /api/imports": _get("/api/imports"),
    "DELETE /api/imports/{import_id}": Example(f"/api/imports/$(curl -sS {BASE}/api/audits | jq -r '.[0].id')"),
    "GET /api/imports/deleted": _get("/api/imports/deleted"),
    "POST /api/imports/{import_id}/restore": Example(
        f"/api/imports/$(curl -sS {BASE}/api/imports/deleted | jq -r '.[0].id')/restore"
    ),
    "DELETE /api/runs/{run_id}": Example("/api/runs/plain-1-0035"),
    "GET /api/trash": _get("/api/trash"),
    "POST /api/trash/restore": Example("/api/trash/restore", body={"run_ids": ["plain-1-0035"]}),
    "POST /api/trash": Example("/api/trash", body={"run_ids": ["plain-1-0034", "plain-1-0035"]}),
    "DELETE /api/trash/{run_id}": Example("/api/trash/plain-1-0035"),
    "GET /api/store/sink": _get("/api/store/sink"),
    "GET /api/audit": _get("/api/audit"),
    "GET /api/tokens": _get("/api/tokens"),
    "POST /api/tokens": Example("/api/tokens", body={"name": "notebook", "role": "viewer"}, options="-o token.json"),
    "POST /api/session": Example("/api/session", body="$(jq '{token: .secret}' token.json)", options="-c cookies"),
    "DELETE /api/session": Example("/api/session", options="-b cookies"),
    "DELETE /api/tokens/{name}": Example("/api/tokens/notebook"),
    **_FLEET,
}
