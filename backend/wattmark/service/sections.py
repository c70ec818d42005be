"""The API by sections: where each one is, and what it imports when it is first asked for."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.service.http.on_demand import Section
from wattmark.service.wings import Wings

Routers = tuple[APIRouter, ...]


def stored_sections(wings: Wings | None) -> tuple[Section, ...]:
    """List what is about stored runs, in the service and in the reader (no wings: only to describe the API)."""
    return (
        Section(("/api/run-rows", "/api/runs", "/api/certificates", "/api/meters"), _runs),
        Section(
            ("/api/compare", "/api/memory", "/api/parts", "/api/published", "/api/scaling", "/api/suites"), _compare
        ),
        Section(("/api/export",), _export),
        Section(("/api/archive",), _archives, lambda: (wings.archives,) if wings else ()),
        Section(("/api/audits",), _audits, lambda: (wings.audits,) if wings else ()),
        Section(("/api/imports",), _imports, lambda: (wings.imports,) if wings else ()),
        Section(("/api/store",), _store, lambda: (wings.shared,) if wings else ()),
        Section(("/api/fleet",), _fleet, lambda: (wings.fleet,) if wings else ()),
    )


def bench_sections() -> tuple[Section, ...]:
    """List what is about the bench, its meters and what they do now: the service alone knows."""
    return (
        Section(("/api/bench",), _bench),
        Section(("/api/live",), _live),
        Section(("/api/alarms",), _alarms),
        Section(("/api/outputs",), _outputs),
        Section(("/api/notices",), _notices),
        Section(("/api/gateway",), _gateway),
        Section(("/api/meters", "/api/ports", "/api/models"), _meters),
        Section(("/api/check-standards",), _check_standards),
        Section(("/api/campaign", "/api/workloads"), _campaign),
        Section(("/api/markers",), _markers),
        Section(("/api/measurements",), _measurements),
        Section(("/api/annotations",), _annotations),
        Section(("/api/trash",), _trash),
    )


def fleet_sections() -> tuple[Section, ...]:
    """List what a service has that shows a fleet and measures nothing."""
    return (Section(("/api/fleet",), _fleet),)


def _runs() -> Routers:
    from wattmark.results.routes import certificates, runs

    return runs.router, certificates.router


def _compare() -> Routers:
    from wattmark.comparison.routes import comparisons

    return (comparisons.router,)


def _export() -> Routers:
    from wattmark.reports import routes

    return (routes.router,)


def _archives() -> Routers:
    from wattmark.archives import routes

    return (routes.router,)


def _audits() -> Routers:
    from wattmark.audits import routes

    return (routes.router,)


def _imports() -> Routers:
    from wattmark.importers import routes
    from wattmark.importers.csv_mapping import routes as csv_mapping

    return routes.router, csv_mapping.router


def _store() -> Routers:
    from wattmark.fleet.sending import routes as sending
    from wattmark.fleet.shared import routes

    return routes.router, sending.router


def _fleet() -> Routers:
    from wattmark.fleet.reading import routes

    return (routes.router,)


def _bench() -> Routers:
    from wattmark.bench.routes import bench_text, entries, machine, ssh_hosts
    from wattmark.service import bench_routes

    return bench_routes.router, bench_text.router, entries.router, machine.router, ssh_hosts.router


def _live() -> Routers:
    from wattmark.service import live_routes

    return (live_routes.router,)


def _alarms() -> Routers:
    from wattmark.alarms import routes

    return (routes.router,)


def _outputs() -> Routers:
    from wattmark.live_out import routes

    return (routes.router,)


def _notices() -> Routers:
    from wattmark.notices import routes

    return (routes.router,)


def _gateway() -> Routers:
    from wattmark.gateway import routes

    return (routes.router,)


def _meters() -> Routers:
    from wattmark.instruments.routes import meters, models

    return meters.router, models.router


def _check_standards() -> Routers:
    from wattmark.instruments.routes import check_standards

    return (check_standards.router,)


def _campaign() -> Routers:
    from wattmark.campaigns.routes import campaign, plans, queue, workloads

    return plans.router, campaign.router, queue.router, workloads.router


def _markers() -> Routers:
    from wattmark.campaigns.routes import markers

    return (markers.router,)


def _measurements() -> Routers:
    from wattmark.measurements import routes

    return (routes.router,)


def _annotations() -> Routers:
    from wattmark.results.routes import annotations

    return (annotations.router,)


def _trash() -> Routers:
    from wattmark.runs import routes

    return (routes.router,)
