"""Check the bench file's consistency: names that refer to something, and which meter measures what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from wattmark.bench.bench import Bench, suggestion
from wattmark.bench.calendar import calendar_problem
from wattmark.bench.feeds import feed_problems
from wattmark.bench.plan import Plan
from wattmark.bench.server import HOST
from wattmark.bench.together import together_problems
from wattmark.bench.workload_entry import WorkloadUse
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.declaration import Declaration

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something wrong in the bench file: where, and what instead."""

    path: Path
    text: str


def check_references(bench: Bench, known_models: Collection[str] | None) -> Iterator[Mistake]:
    """Find names that are used twice or refer to nothing, and PSUs measured twice."""
    yield from _unique(bench)
    yield from _meters(bench, known_models)
    yield from _measured_twice(bench)
    yield from _bmcs(bench)
    yield from _workloads(bench)
    yield from _plans(bench)
    yield from _variants(bench)
    yield from _spoken(bench)


def _unique(bench: Bench) -> Iterator[Mistake]:
    yield from _twice(((("servers", i, "id"), s.id) for i, s in enumerate(bench.servers)), "server")
    for i, server in enumerate(bench.servers):
        base: Path = ("servers", i, "configurations")
        yield from _twice((((*base, j, "id"), c.id) for j, c in enumerate(server.configurations)), "configuration")
        for j, configuration in enumerate(server.configurations):
            psus = (((*base, j, "psus", k, "id"), psu.id) for k, psu in enumerate(configuration.psus))
            yield from _twice(psus, "PSU")
    sources: list[tuple[Path, str]] = [(("meters", i, "id"), m.id) for i, m in enumerate(bench.meters)]
    sources += [(("bmcs", i, "id"), b.id) for i, b in enumerate(bench.bmcs)]
    yield from _twice(sources, "meter or BMC")
    for path, name in sources:
        if name == HOST or name.startswith(f"{HOST}."):
            yield Mistake(path, f"found {name!r}, which names the operating system's own series; choose another id")
    named: list[tuple[Path, str]] = []
    for i, entry in enumerate(bench.workloads):
        uses = isinstance(entry, WorkloadUse)
        named.append((("workloads", i, "id"), entry.name if isinstance(entry, WorkloadUse) else entry.id))
        if not uses and named[-1][1] in load_catalogue():
            yield Mistake(named[-1][0], f"found {named[-1][1]!r}, a workload of the catalogue; choose another id")
    yield from _twice(named, "workload")
    yield from _twice(((("plans", i, "name"), p.name) for i, p in enumerate(bench.plans)), "plan")
    yield from _twice(((("notify", i, "id"), n.id) for i, n in enumerate(bench.notify)), "entry of notify")


def _twice(named: Iterable[tuple[Path, str]], what: str) -> Iterator[Mistake]:
    seen = set()
    for path, name in named:
        if name in seen:
            yield Mistake(path, f"found {name!r}, which names another {what} already; choose another id")
        seen.add(name)


def _meters(bench: Bench, known_models: Collection[str] | None) -> Iterator[Mistake]:
    servers = {server.id for server in bench.servers}
    for i, meter in enumerate(bench.meters):
        if known_models is not None and meter.model not in known_models:
            yield _unknown(("meters", i, "model"), meter.model, known_models, "meter model")
        for j, feed in enumerate(meter.feeds):
            if feed.server not in servers:
                yield _unknown(("meters", i, "feeds", j, "server"), feed.server, servers, "server")
                continue
            psus = _psus(bench, feed.server)
            for k, psu in enumerate(feed.psus or ()):
                if psu not in psus:
                    yield _unknown(("meters", i, "feeds", j, "psus", k), psu, psus, "PSU of that server")


def _psus(bench: Bench, server_id: str) -> set[str]:
    server = bench.server(server_id)
    return {psu.id for configuration in server.configurations for psu in configuration.psus}


def _measured_twice(bench: Bench) -> Iterator[Mistake]:
    taken: dict[tuple[str, str | None], str] = {}
    for i, meter in enumerate(bench.meters):
        for j, feed in enumerate(meter.feeds if meter.role == "wall" else ()):
            if all(server.id != feed.server for server in bench.servers):
                continue
            for psu in feed.psus or sorted(_psus(bench, feed.server)) or (None,):
                other = taken.setdefault((feed.server, psu), meter.id)
                if other != meter.id:
                    what = f"PSU {psu} of {feed.server}" if psu else f"server {feed.server}"
                    text = f"{what} is already measured by {other} and would count twice"
                    yield Mistake(("meters", i, "feeds", j), f"{text}; name the measured psus or set role: secondary")
                    break


def _bmcs(bench: Bench) -> Iterator[Mistake]:
    servers = {server.id for server in bench.servers}
    for i, bmc in enumerate(bench.bmcs):
        if bmc.server not in servers:
            yield _unknown(("bmcs", i, "server"), bmc.server, servers, "server")


def _spoken(bench: Bench) -> Iterator[Mistake]:
    """Check what the gateway speaks: a meter, or a server whose wall meters measure all of it; each port once."""
    servers = {server.id: server for server in bench.servers}
    meters = {meter.id for meter in bench.meters}
    walls = bench.model_copy(update={"meters": tuple(meter for meter in bench.meters if meter.role == "wall")})
    for i, entry in enumerate(bench.speak):
        path: Path = ("speak", i, "what")
        if entry.what in servers and entry.what in meters:
            yield Mistake(path, f"found {entry.what!r}, which names a server and a meter; rename one of them")
        elif entry.what in servers:
            server = servers[entry.what]
            problems = (text for built in server.configurations for text in feed_problems(walls, server, built))
            if (problem := next(problems, None)) is not None:
                text = "whose wall meters may not show its whole power, so that their sum is not spoken"
                yield Mistake(path, f"found {entry.what!r}, {text}; name one meter, or: {problem}")
        elif entry.what not in meters:
            yield _unknown(path, entry.what, {*servers, *meters}, "server or meter")
        for other in bench.speak[:i]:
            if entry.meets(other):
                what = f"the port of {other.as_} for {other.what}"
                yield Mistake(("speak", i, "port"), f"found {entry.port}, {what} already; choose another port")
            elif entry.port is None and entry.url == other.url:
                text = f"which {other.what} is spoken with already; give each device a topic of its own"
                yield Mistake(("speak", i, "url"), f"found {entry.url!r}, {text}")


def _workloads(bench: Bench) -> Iterator[Mistake]:
    for i, entry in enumerate(bench.workloads):
        if isinstance(entry, WorkloadUse) and entry.uses not in load_catalogue():
            yield _unknown(("workloads", i, "uses"), entry.uses, load_catalogue(), "workload of the catalogue")
        elif isinstance(entry, WorkloadUse):
            yield from _parameters(i, entry, load_catalogue()[entry.uses])


def _parameters(i: int, entry: WorkloadUse, declaration: Declaration) -> Iterator[Mistake]:
    """Check the values that the bench gives to a workload's placeholders, and its password."""
    for name, value in entry.adapt.parameters.items():
        path: Path = ("workloads", i, "with", "parameters", name)
        parameter = declaration.parameters.get(name)
        if parameter is None:
            yield _unknown(path, name, declaration.parameters, f"parameter of {entry.uses}")
        elif not parameter.accepts(str(value)):
            yield Mistake(path, f"found {str(value)[:80]!r}; allowed: {parameter.allowed}")
    if entry.adapt.password_env and declaration.password_variable is None:
        yield Mistake(("workloads", i, "with", "password_env"), f"found a password, but {entry.uses} does not use one")


def _plans(bench: Bench) -> Iterator[Mistake]:
    configurations = {f"{server.id}/{c.id}" for server in bench.servers for c in server.configurations}
    workloads = bench.workload_declarations()
    for i, plan in enumerate(bench.plans):
        base: Path = ("plans", i)
        for j, reference in enumerate(plan.configurations):
            if reference not in configurations:
                yield _unknown((*base, "configurations", j), reference, configurations, "server/configuration")
        for j, name in enumerate(plan.workloads):
            if name not in workloads:
                yield _unknown((*base, "workloads", j), name, workloads, "workload")
        yield from _plan_rules(base, plan)
        yield from _schedule(base, plan, bench)
        if configurations.issuperset(plan.configurations) and set(workloads).issuperset(plan.workloads):
            yield from (Mistake((*base, *path), text) for path, text in together_problems(plan, bench))


def _variants(bench: Bench) -> Iterator[Mistake]:
    """Find runs under power settings that would have the name of another configuration, and be taken for its runs."""
    configurations = {f"{server.id}/{c.id}" for server in bench.servers for c in server.configurations}
    named = {reference: reference for reference in configurations}
    for i, plan in enumerate(bench.plans):
        for j, reference in enumerate(plan.configurations):
            for settings in plan.variants if plan.settings and reference in configurations else ():
                name = settings.variant(reference)
                if (other := named.setdefault(name, reference)) != reference:
                    text = f"found {reference!r}, whose runs under {settings.words()} are called {name!r}"
                    text += f" as those of {other!r}; choose another id for one of the two"
                    yield Mistake(("plans", i, "configurations", j), text)
                    break


def _plan_rules(base: Path, plan: Plan) -> Iterator[Mistake]:
    """Check that the rules of a plan refer to its content."""
    named: list[tuple[Path, str | None, Collection[str], str]] = []
    for j, exclusion in enumerate(plan.exclude):
        path: Path = (*base, "exclude", j)
        named.append(((*path, "configuration"), exclusion.configuration, plan.configurations, "configuration"))
        named.append(((*path, "workload"), exclusion.workload, plan.workloads, "workload"))
    named += [((*base, "workload_levels", name), name, plan.workloads, "workload") for name in plan.workload_levels]
    graduated = plan.graduated.workloads if plan.graduated else ()
    named += [
        ((*base, "graduated", "workloads", j), name, plan.workloads, "workload") for j, name in enumerate(graduated)
    ]
    for path, name, allowed, what in named:
        if name is not None and name not in allowed:
            yield _unknown(path, name, allowed, f"{what} of this plan")


def _schedule(base: Path, plan: Plan, bench: Bench) -> Iterator[Mistake]:
    """Check that a schedule can be read, and that no operator is needed at its time."""
    if plan.schedule is None:
        return
    if problem := calendar_problem(plan.schedule.calendar):
        text = f"found {plan.schedule.calendar!r}: {problem}; allowed: a calendar event of systemd.time(7)"
        yield Mistake((*base, "schedule", "calendar"), f'{text}, such as "Mon..Fri 02:00"')
    attended = {server.id for server in bench.servers if server.prepare == "manual"}
    places = Counter(reference.partition("/")[0] for reference in dict.fromkeys(plan.configurations))
    for server in sorted(attended):
        if places[server] > 1:
            text = f"an operator would have to change {server} between its configurations"
            yield Mistake((*base, "schedule"), f"{text}; name one of them, or set prepare: {{command: [...]}}")


def _unknown(path: Path, name: str, allowed: Collection[str], what: str) -> Mistake:
    return Mistake(path, f"found {name!r}, which is not a known {what}; {suggestion(name, allowed)}")
