"""Values for the entries of sheets, by name: each is read from a run, or has a reason for being unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import pairwise

from wattmark.core.numbers import format_number, format_uncertain, partial_u
from wattmark.core.quantity import Quantity
from wattmark.reports.facts import instant_text
from wattmark.reports.report_bench import accuracy_text
from wattmark.reports.sheets.sheet_run import NS, Answer, SheetRun

Take = Callable[[SheetRun], Answer]
PARTS = 10
"""Equal parts of a core phase whose means are reported (EE HPC methodology, levels 2 and 3)."""


def _text(value: object) -> Answer:
    return Answer(str(value).strip() or None) if value is not None else Answer()


def _stated(*keys: str) -> Take:
    """Return the submitter's entry of an imported result under the first of some keys."""
    return lambda of: _text(next((of.submission[key] for key in keys if of.submission.get(key)), None))


def _quantity(quantity: Quantity | None, why: str) -> Answer:
    if quantity is None:
        return Answer(why=why)
    return Answer(quantity.value, quantity.U95, quantity.unit, "" if quantity.U95 is not None else why)


def _notes(of: SheetRun) -> str:
    """Return why the result lacks a figure, or its ±: the notes that name the ± where there is power."""
    if of.result.power is None:
        return " ".join(part for part in (of.result.reason, *of.result.notes) if part)
    return " ".join(note for note in of.result.notes if "±" in note)


def _submitter(of: SheetRun) -> Answer:
    imported, recorded = of.run.disclosure.imported, of.run.disclosure.recorded_by
    return _text((imported and imported.submitter) or (recorded and recorded.lab))


def _system(of: SheetRun) -> Answer:
    if of.submission.get("system_name"):
        return _text(of.submission["system_name"])
    title = of.result.configuration_title
    return _text(f"{of.result.server}, {title}" if title and title != of.result.server else of.result.server)


def _count(value: object) -> Answer:
    return Answer(value) if isinstance(value, int) and not isinstance(value, bool) else Answer()


def _accelerator(of: SheetRun) -> Answer:
    return _text(of.submission.get("accelerator_model_name"))


def _accelerators(of: SheetRun) -> Answer:
    stated = str(of.submission.get("accelerators_per_node", ""))
    return Answer(int(stated)) if stated.isascii() and stated.isdigit() and len(stated) < 6 else Answer()


def _memory(of: SheetRun) -> Answer:
    gib, count, kind = of.result.memory_gib, of.result.dimm_count, of.result.memory and of.result.memory.type
    parts = [f"{count} modules" if count else "", kind or "", f"{format_number(gib)} GiB" if gib else ""]
    return _text(", ".join(part for part in parts if part)) if any(parts) else Answer()


def _operating_system(of: SheetRun) -> Answer:
    return _text(" ".join(part for part in (of.snapshot.os, of.snapshot.kernel) if part))


def _software(of: SheetRun) -> Answer:
    stated = of.snapshot.framework or of.submission.get("framework")
    return _text(stated or of.run.disclosure.program_version)


def _scenario(of: SheetRun) -> Answer:
    imported = of.run.disclosure.imported
    if imported is None or not imported.loadgen:
        return Answer(why="The load was not LoadGen, so it has no scenario.")
    return _text(of.result.level)


def _performance(of: SheetRun) -> Answer:
    """Return what LoadGen states, in its own unit; a throughput of another program is not an MLPerf one."""
    imported = of.run.disclosure.imported
    if imported is not None and imported.throughput_key and of.run.source_figures:
        stated = of.run.source_figures[0]
        return Answer(stated.value, unit=stated.unit)
    throughput = of.result.throughput
    return Answer(why=_notes(of)) if throughput is None else Answer(throughput.value, throughput.U95, throughput.unit)


def _instant(ns: int | None) -> Answer:
    return Answer() if ns is None else Answer(instant_text(datetime.fromtimestamp(ns / NS, UTC)))


def _core_means(of: SheetRun) -> Answer:
    """Evaluate the mean power of equal parts of the core phase."""
    if of.core is None:
        return Answer(why="The core phase is not marked.")
    begin, end = of.core
    edges = [begin + (end - begin) * part // PARTS for part in range(PARTS + 1)]
    means = []
    for first, last in pairwise(edges):
        power, notes = of.power_of(first, last)
        if power is None:
            return Answer(why=" ".join(notes))
        means.append(format_uncertain(power.value, power.U95))
    return Answer("; ".join(means), unit="W")


def _energy_readings(of: SheetRun) -> Answer:
    """Count the readings of the energy registers in the core phase; of several meters the fewest."""
    if of.core is None:
        return Answer(why="The core phase is not marked.")
    begin, end = of.core
    traces = of.pages.traces(of.run.run_id, 1, begin / NS, end / NS)
    counts = [
        sum(round(s.samples_per_bucket) for s in traces.series if s.source == meter.name and s.quantity == "energy")
        for meter in of.meters
    ]
    least = min(counts, default=0)
    return Answer(float(least)) if least else Answer(why="No energy register was recorded.")


def _energy(of: SheetRun) -> Answer:
    """Return the energy of the window [J]."""
    energy = of.result.energy
    return Answer(why=_notes(of)) if energy is None else Answer(energy.value, energy.U95, "J", _notes(of))


def _throughput(of: SheetRun) -> Answer:
    """Return work per second; a ± of counting alone gives it no digits that the whole ± would not."""
    work = of.result.throughput
    if work is None:
        return Answer(why=_notes(of))
    return Answer(work.value, partial_u(work.value, work.U95), work.unit)


def _idle_power(of: SheetRun) -> Answer:
    idle = of.phase("idle")
    return Answer(why="The run has no idle phase.") if idle is None else _quantity(idle.power, " ".join(idle.notes))


def _nodes_measured(of: SheetRun) -> int:
    stated = str(of.submission.get("number_of_nodes", ""))
    return int(stated) if stated.isascii() and stated.isdigit() and 0 < len(stated) < 7 else 1


def _fraction(of: SheetRun) -> Answer:
    measured = _nodes_measured(of)
    if of.nodes is None or of.nodes < measured:
        why = "" if of.nodes is None else f"{measured} nodes were measured, more than the {of.nodes} of the machine."
        return Answer(why=why)
    return Answer(100 * measured / of.nodes, unit="%")


def _machine_power(of: SheetRun) -> Answer:
    power, fraction = of.result.power, _fraction(of)
    if power is None or not isinstance(fraction.value, float):
        return Answer(why=_notes(of) if power is None else fraction.why)
    scale = 100 / fraction.value
    text = format_uncertain(power.value * scale, None if power.U95 is None else power.U95 * scale, "W")
    return Answer(text if scale == 1 else f"{text}, extrapolated, not measured")


def _whole_machine(of: SheetRun, text: str) -> Answer:
    return Answer(text) if of.nodes == 1 == _nodes_measured(of) else Answer()


def _place(of: SheetRun) -> Answer:
    if of.at_the_wall:
        return Answer("the wall, in front of all power supplies")
    if any(meter.partial for meter in of.meters):
        return Answer(why="Only some of the power supplies were measured.")
    return Answer(why="No wall meter was recorded." if of.meters else "No power was recorded.")


def _accuracy(of: SheetRun) -> Answer:
    limits = [(meter, accuracy_text(meter)) for meter in of.meters]
    if not limits or any(not (m.reading_pct or m.range_pct or m.fixed_w) for m, _ in limits):
        return Answer(why="; ".join(f"{meter.name}: {text}" for meter, text in limits))
    return Answer("; ".join(f"{meter.name}: {text}" for meter, text in limits))


def _calibration(of: SheetRun) -> Answer:
    used = [c for c in of.result.calibrations if c.basis == "certificate"]
    if not used or len(used) < len(of.meters):
        return Answer(why="Not every meter has a certificate in force.")
    return Answer("; ".join(f"{c.meter}: certificate {c.certificate_id}" for c in used))


def _synchronised(of: SheetRun) -> Answer:
    clock, imported = of.run.disclosure.clock, of.run.disclosure.imported
    if imported is not None and imported.clock is not None:
        return Answer(imported.clock.decided_by)
    if clock.used and clock.u_offset_s is not None:
        return Answer(
            f"the clock of the server was compared {clock.used} times with the one that stamps the readings, "
            f"standard uncertainty {format_number(1e3 * clock.u_offset_s, 2)} ms"
        )
    return Answer(clock.remark, why=clock.problem or "")


def _level(of: SheetRun) -> Answer:
    verdict = next((v for v in of.result.standards if v.rule == "eehpc"), None)
    if verdict is None or not verdict.value:
        return Answer(why="" if verdict is None else verdict.text)
    return Answer(f"level {verdict.value:g}")


def _eehpc_fact(name: str) -> Take:
    return lambda of: Answer(of.run.facts.get(name))


def _interval(of: SheetRun) -> Answer:
    return Answer(max(meter.period_s for meter in of.meters), unit="s") if of.meters else Answer()


VALUES: Mapping[str, Take] = {
    "unknown": lambda _: Answer(),
    "submitter": _submitter,
    "system": _system,
    "platform": lambda of: Answer(f"{of.result.server}/{of.result.configuration}"),
    "manufacturer": _stated("manufacturer", "vendor"),
    "availability": _stated("status"),
    "division": lambda of: _text(of.run.disclosure.imported and of.run.disclosure.imported.division),
    "suite": _stated("system_type"),
    "nodes_submitted": lambda of: Answer(_nodes_measured(of)),
    "processor": lambda of: _text(of.snapshot.cpu),
    "processors": lambda of: _count(of.snapshot.cpu_count),
    "cores": lambda of: _count(of.snapshot.cores),
    "accelerator": _accelerator,
    "accelerators": _accelerators,
    "memory": _memory,
    "operating_system": _operating_system,
    "software": _software,
    "workload": lambda of: _text(of.result.workload),
    "load": lambda of: _text(f"{of.result.workload}, {of.result.level}"),
    "scenario": _scenario,
    "accuracy_of_model": lambda _: Answer(why="LoadGen measures accuracy in a run of its own."),
    "performance": _performance,
    "throughput": _throughput,
    "efficiency": lambda of: _quantity(of.result.efficiency, _notes(of)),
    "power": lambda of: _quantity(of.result.power, _notes(of)),
    "eehpc_level": _level,
    "internal_rate": _eehpc_fact("internal_rate_hz"),
    "reading_interval": _interval,
    "core_begin": lambda of: _instant(of.run.window_begin_ns),
    "core_end": lambda of: _instant(of.run.window_end_ns),
    "core_s": lambda of: Answer() if of.core is None else Answer((of.core[1] - of.core[0]) / NS, unit="s"),
    "core_energy": _energy,
    "core_means": _core_means,
    "energy_readings": _energy_readings,
    "idle_power": _idle_power,
    "nodes_measured": lambda of: Answer(float(_nodes_measured(of))),
    "nodes": lambda of: Answer() if of.nodes is None else Answer(float(of.nodes)),
    "fraction_pct": _fraction,
    "machine_power": _machine_power,
    "chosen": lambda of: _whole_machine(of, "not chosen: the whole machine is measured"),
    "compute": lambda of: Answer("measured, all supplies at the wall") if of.at_the_wall else _place(of),
    "interconnect": lambda of: _whole_machine(of, "none: the machine is one node"),
    "place": _place,
    "meters": lambda of: _text("; ".join(f"{m.name}: {m.title or m.model}" for m in of.meters)),
    "meter_count": lambda of: Answer(float(len(of.meters))) if of.meters else Answer(),
    "accuracy": _accuracy,
    "calibration": _calibration,
    "synchronised": _synchronised,
    "loss": lambda of: Answer("none: measured upstream of power conversion") if of.at_the_wall else Answer(),
}
"""By the names that layouts use."""
