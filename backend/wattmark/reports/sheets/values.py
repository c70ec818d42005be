"""Values for the entries of sheets, by name: each is read from a run, or has a reason for being unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import pairwise

from wattmark.core.numbers import format_number, format_uncertain, partial_u
from wattmark.core.quantity import Quantity
from wattmark.reports.facts import instant_text
from wattmark.reports.report_bench import accuracy_text
from wattmark.reports.sheets.sheet_run import NS, SheetAnswer, SheetRun

Take = Callable[[SheetRun], SheetAnswer]
PARTS = 10
"""Equal parts of a core phase whose means are reported (EE HPC methodology, levels 2 and 3)."""


def _text(value: object) -> SheetAnswer:
    return SheetAnswer(str(value).strip() or None) if value is not None else SheetAnswer()


def _stated(*keys: str) -> Take:
    """Return the submitter's entry of an imported result under the first of some keys."""
    return lambda of: _text(next((of.submission[key] for key in keys if of.submission.get(key)), None))


def _quantity(quantity: Quantity | None, why: str) -> SheetAnswer:
    if quantity is None:
        return SheetAnswer(why=why)
    return SheetAnswer(quantity.value, quantity.U95, quantity.unit, "" if quantity.U95 is not None else why)


def _notes(of: SheetRun) -> str:
    """Return why the result lacks a figure, or its ±: the notes that name the ± where there is power."""
    if of.result.power is None:
        return " ".join(part for part in (of.result.reason, *of.result.notes) if part)
    return " ".join(note for note in of.result.notes if "±" in note)


def _submitter(of: SheetRun) -> SheetAnswer:
    imported, recorded = of.run.disclosure.imported, of.run.disclosure.recorded_by
    return _text((imported and imported.submitter) or (recorded and recorded.lab))


def _system(of: SheetRun) -> SheetAnswer:
    if of.submission.get("system_name"):
        return _text(of.submission["system_name"])
    title = of.result.configuration_title
    return _text(f"{of.result.server}, {title}" if title and title != of.result.server else of.result.server)


def _count(value: object) -> SheetAnswer:
    return SheetAnswer(value) if isinstance(value, int) and not isinstance(value, bool) else SheetAnswer()


def _accelerator(of: SheetRun) -> SheetAnswer:
    return _text(of.submission.get("accelerator_model_name"))


def _accelerators(of: SheetRun) -> SheetAnswer:
    stated = str(of.submission.get("accelerators_per_node", ""))
    return SheetAnswer(int(stated)) if stated.isascii() and stated.isdigit() and len(stated) < 6 else SheetAnswer()


def _memory(of: SheetRun) -> SheetAnswer:
    gib, count, kind = of.result.memory_gib, of.result.dimm_count, of.result.memory and of.result.memory.type
    parts = [f"{count} modules" if count else "", kind or "", f"{format_number(gib)} GiB" if gib else ""]
    return _text(", ".join(part for part in parts if part)) if any(parts) else SheetAnswer()


def _operating_system(of: SheetRun) -> SheetAnswer:
    return _text(" ".join(part for part in (of.snapshot.os, of.snapshot.kernel) if part))


def _software(of: SheetRun) -> SheetAnswer:
    stated = of.snapshot.framework or of.submission.get("framework")
    return _text(stated or of.run.disclosure.program_version)


def _scenario(of: SheetRun) -> SheetAnswer:
    imported = of.run.disclosure.imported
    if imported is None or not imported.loadgen:
        return SheetAnswer(why="The load was not LoadGen, so it has no scenario.")
    return _text(of.result.level)


def _performance(of: SheetRun) -> SheetAnswer:
    """Return what LoadGen states, in its own unit; a throughput of another program is not an MLPerf one."""
    imported = of.run.disclosure.imported
    if imported is not None and imported.throughput_key and of.run.source_figures:
        stated = of.run.source_figures[0]
        return SheetAnswer(stated.value, unit=stated.unit)
    throughput = of.result.throughput
    return (
        SheetAnswer(why=_notes(of))
        if throughput is None
        else SheetAnswer(throughput.value, throughput.U95, throughput.unit)
    )


def _instant(ns: int | None) -> SheetAnswer:
    return SheetAnswer() if ns is None else SheetAnswer(instant_text(datetime.fromtimestamp(ns / NS, UTC)))


def _core_means(of: SheetRun) -> SheetAnswer:
    """Evaluate the mean power of equal parts of the core phase."""
    if of.core is None:
        return SheetAnswer(why="The core phase is not marked.")
    begin, end = of.core
    edges = [begin + (end - begin) * part // PARTS for part in range(PARTS + 1)]
    means = []
    for first, last in pairwise(edges):
        power, notes = of.power_of(first, last)
        if power is None:
            return SheetAnswer(why=" ".join(notes))
        means.append(format_uncertain(power.value, power.U95))
    return SheetAnswer("; ".join(means), unit="W")


def _energy_readings(of: SheetRun) -> SheetAnswer:
    """Count the readings of the energy registers in the core phase; of several meters the fewest."""
    if of.core is None:
        return SheetAnswer(why="The core phase is not marked.")
    begin, end = of.core
    traces = of.pages.traces(of.run.run_id, 1, begin / NS, end / NS)
    counts = [
        sum(round(s.samples_per_bucket) for s in traces.series if s.source == meter.name and s.quantity == "energy")
        for meter in of.meters
    ]
    least = min(counts, default=0)
    return SheetAnswer(float(least)) if least else SheetAnswer(why="No energy register was recorded.")


def _energy(of: SheetRun) -> SheetAnswer:
    """Return the energy of the window [J]."""
    energy = of.result.energy
    return SheetAnswer(why=_notes(of)) if energy is None else SheetAnswer(energy.value, energy.U95, "J", _notes(of))


def _throughput(of: SheetRun) -> SheetAnswer:
    """Return work per second; a ± of counting alone gives it no digits that the whole ± would not."""
    work = of.result.throughput
    if work is None:
        return SheetAnswer(why=_notes(of))
    return SheetAnswer(work.value, partial_u(work.value, work.U95), work.unit)


def _idle_power(of: SheetRun) -> SheetAnswer:
    idle = of.phase("idle")
    return (
        SheetAnswer(why="The run has no idle phase.") if idle is None else _quantity(idle.power, " ".join(idle.notes))
    )


def _nodes_measured(of: SheetRun) -> int:
    stated = str(of.submission.get("number_of_nodes", ""))
    return int(stated) if stated.isascii() and stated.isdigit() and 0 < len(stated) < 7 else 1


def _fraction(of: SheetRun) -> SheetAnswer:
    measured = _nodes_measured(of)
    if of.nodes is None or of.nodes < measured:
        why = "" if of.nodes is None else f"{measured} nodes were measured, more than the {of.nodes} of the machine."
        return SheetAnswer(why=why)
    return SheetAnswer(100 * measured / of.nodes, unit="%")


def _machine_power(of: SheetRun) -> SheetAnswer:
    power, fraction = of.result.power, _fraction(of)
    if power is None or not isinstance(fraction.value, float):
        return SheetAnswer(why=_notes(of) if power is None else fraction.why)
    scale = 100 / fraction.value
    text = format_uncertain(power.value * scale, None if power.U95 is None else power.U95 * scale, "W")
    return SheetAnswer(text if scale == 1 else f"{text}, extrapolated, not measured")


def _whole_machine(of: SheetRun, text: str) -> SheetAnswer:
    return SheetAnswer(text) if of.nodes == 1 == _nodes_measured(of) else SheetAnswer()


def _place(of: SheetRun) -> SheetAnswer:
    if of.at_the_wall:
        return SheetAnswer("the wall, in front of all power supplies")
    if any(meter.partial for meter in of.meters):
        return SheetAnswer(why="Only some of the power supplies were measured.")
    return SheetAnswer(why="No wall meter was recorded." if of.meters else "No power was recorded.")


def _accuracy(of: SheetRun) -> SheetAnswer:
    limits = [(meter, accuracy_text(meter)) for meter in of.meters]
    if not limits or any(not (m.reading_pct or m.range_pct or m.fixed_w) for m, _ in limits):
        return SheetAnswer(why="; ".join(f"{meter.name}: {text}" for meter, text in limits))
    return SheetAnswer("; ".join(f"{meter.name}: {text}" for meter, text in limits))


def _calibration(of: SheetRun) -> SheetAnswer:
    used = [c for c in of.result.calibrations if c.basis == "certificate"]
    if not used or len(used) < len(of.meters):
        return SheetAnswer(why="Not every meter has a certificate in force.")
    return SheetAnswer("; ".join(f"{c.meter}: certificate {c.certificate_id}" for c in used))


def _synchronised(of: SheetRun) -> SheetAnswer:
    clock, imported = of.run.disclosure.clock, of.run.disclosure.imported
    if imported is not None and imported.clock is not None:
        return SheetAnswer(imported.clock.decided_by)
    if clock.used and clock.u_offset_s is not None:
        return SheetAnswer(
            f"the clock of the server was compared {clock.used} times with the one that stamps the readings, "
            f"standard uncertainty {format_number(1e3 * clock.u_offset_s, 2)} ms"
        )
    return SheetAnswer(clock.remark, why=clock.problem or "")


def _level(of: SheetRun) -> SheetAnswer:
    verdict = next((v for v in of.result.standards if v.rule == "eehpc"), None)
    if verdict is None or not verdict.value:
        return SheetAnswer(why="" if verdict is None else verdict.text)
    return SheetAnswer(f"level {verdict.value:g}")


def _eehpc_fact(name: str) -> Take:
    return lambda of: SheetAnswer(of.run.facts.get(name))


def _interval(of: SheetRun) -> SheetAnswer:
    return SheetAnswer(max(meter.period_s for meter in of.meters), unit="s") if of.meters else SheetAnswer()


VALUES: Mapping[str, Take] = {
    "unknown": lambda _: SheetAnswer(),
    "submitter": _submitter,
    "system": _system,
    "platform": lambda of: SheetAnswer(f"{of.result.server}/{of.result.configuration}"),
    "manufacturer": _stated("manufacturer", "vendor"),
    "availability": _stated("status"),
    "division": lambda of: _text(of.run.disclosure.imported and of.run.disclosure.imported.division),
    "suite": _stated("system_type"),
    "nodes_submitted": lambda of: SheetAnswer(_nodes_measured(of)),
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
    "accuracy_of_model": lambda _: SheetAnswer(why="LoadGen measures accuracy in a run of its own."),
    "performance": _performance,
    "throughput": _throughput,
    "efficiency": lambda of: _quantity(of.result.efficiency, _notes(of)),
    "power": lambda of: _quantity(of.result.power, _notes(of)),
    "eehpc_level": _level,
    "internal_rate": _eehpc_fact("internal_rate_hz"),
    "reading_interval": _interval,
    "core_begin": lambda of: _instant(of.run.window_begin_ns),
    "core_end": lambda of: _instant(of.run.window_end_ns),
    "core_s": lambda of: SheetAnswer() if of.core is None else SheetAnswer((of.core[1] - of.core[0]) / NS, unit="s"),
    "core_energy": _energy,
    "core_means": _core_means,
    "energy_readings": _energy_readings,
    "idle_power": _idle_power,
    "nodes_measured": lambda of: SheetAnswer(float(_nodes_measured(of))),
    "nodes": lambda of: SheetAnswer() if of.nodes is None else SheetAnswer(float(of.nodes)),
    "fraction_pct": _fraction,
    "machine_power": _machine_power,
    "chosen": lambda of: _whole_machine(of, "not chosen: the whole machine is measured"),
    "compute": lambda of: SheetAnswer("measured, all supplies at the wall") if of.at_the_wall else _place(of),
    "interconnect": lambda of: _whole_machine(of, "none: the machine is one node"),
    "place": _place,
    "meters": lambda of: _text("; ".join(f"{m.name}: {m.title or m.model}" for m in of.meters)),
    "meter_count": lambda of: SheetAnswer(float(len(of.meters))) if of.meters else SheetAnswer(),
    "accuracy": _accuracy,
    "calibration": _calibration,
    "synchronised": _synchronised,
    "loss": lambda of: SheetAnswer("none: measured upstream of power conversion") if of.at_the_wall else SheetAnswer(),
}
"""By the names that layouts use."""
