/** Words of the pages Memory and Parts: watts against a number of parts, whatever these are called. */

import { plural } from "./plural"

/** One part and several: as they are counted ("DIMM"), and as things that are fitted ("module"). */
export interface PartNoun {
  one: string
  many: string
  piece: string
  pieces: string
}

export const DIMM: PartNoun = { one: "DIMM", many: "DIMMs", piece: "module", pieces: "modules" }

/** The words of a kind of part; the plural is the regular one. */
export function nounOf(kind: string): PartNoun {
  const ies = /[^aeiou]y$/.test(kind)
  const many = ies ? `${kind.slice(0, -1)}ies` : `${kind}${/(s|x|ch|sh)$/.test(kind) ? "es" : "s"}`
  return { one: kind, many, piece: kind, pieces: many }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const countedWords = ({ one, many, piece, pieces }: PartNoun) => ({
  kindNote: (counts: readonly number[], runs: number): string =>
    `${counts.join(", ")} ${many}, ${plural(runs, "run", "runs")}`,
  count: (n: number): string => `${n} ${n === 1 ? one : many}`,
  counts: (n: number): string => `${n} ${one} counts`,
  numbers: "Results of the fit",
  perPart: `Watts per ${one}`,
  perPartUnit: `W/${one}`,
  ends: (low: string, high: string): string => `95 %: ${low} to ${high}`,
  interval: (low: string, high: string): string => `95 %: ${low} to ${high} W`,
  noInterval: "No ±; the notes above say why",
  meanOf: (servers: number): string => `Mean of ${plural(servers, "server", "servers")}`,
  noMean: "Mean of the servers",
  prediction: (low: string, high: string): string =>
    `Another server: ${low} to ${high} W (95 % prediction interval, dashed)`,
  atWall: "At the wall, including regulator and supply losses",
  withoutParts: `Without ${pieces}`,
  interceptNote: (measured: boolean): string =>
    `The fitted line at zero ${pieces}${measured ? "" : "; extrapolated, not measured"}`,
  robust: "Robust slope",
  robustNote: "Theil–Sen; insensitive to a single outlier",
  lackOfFit: (p: string): string => `Test for lack of fit: ${p}. A small p means that the points do not lie on a line.`,
  simulatedNote: "The power comes from a load model, not from a machine.",
  planted: (name: string, value: string): string => {
    const where = { watts_per_dimm_dc: "W per DIMM (DC)", watts_per_dimm_wall: "W per DIMM at the wall" }[name]
    return `${value} ${where ?? name.replaceAll("_", " ")}`
  },
  plantedAll: (values: readonly string[]): string => `Set in the model: ${values.join(", ")}.`,
  figureNote: "Markers: runs with 95 % intervals. Line and band: fit with 95 % interval.",
  dashed: "dashed: extrapolated, not measured",
  xAxis: `${capital(one)} count`,
  againstCount: `${one} count`,
  yAxis: "Power at the wall [W]",
  unknownCount: `${capital(one)} count not known`,
  claim: "Test a claim",
  claimed: `Claim [W per ${one}]`,
  margin: "Equivalence margin [W]",
  number: "Enter a positive number in W.",
  noClaim: `Nothing is claimed. Enter watts per ${one} to test them.`,
  refuted: "Claim rejected",
  equal: "Claim confirmed within the margin",
  open: "Inconclusive",
  dc: (watts: string): string => `${watts} on the DC side of the power supply`,
  show: "Quantity shown",
  quantities: { power: "Power", idle: "Idle", throughput: "Throughput", efficiency: "Perf/W" },
  idle: "Idle power",
  idlePart: `Idle, watts per ${one}`,
  against: "Horizontal axis",
  axes: { count: `${capital(one)} count`, capacity: "Capacity" },
  capacity: "memory capacity",
  capacityAxis: "Capacity [GiB]",
  figureTitle: (quantity: string, against: string): string => `${quantity} against ${against}`,
  noFitNote: `Each marker is a run with its 95 % interval. A line is fitted only to power against ${one} count.`,
  nothing: "No run has this quantity.",
  rates: "What these watts give",
  ratesNote: `W per TB and W per Gbit/s are the watts of one ${piece} over its capacity or its link. What one ${piece} does alone is the throughput that it adds, set against the power that it adds.`,
  breakEvenTitle: (first: string, second: string): string => `${first} and ${second}`,
  meet: "Both draw the same power where the lines meet. Grey strip: 95 % interval.",
  apart: "Markers: runs with 95 % intervals. Lines and bands: both fits with 95 % intervals.",
  dashedNote: "Dashed: extrapolated, not measured.",
  crossing: (count: string, low: string | null, high: string | null): string =>
    `${count} ${many} (${low === null && high === null ? "unbounded" : `95 %: ${low ?? "unbounded"} to ${high ?? "unbounded"}`})`,
  breakEvenHead: "Break-even",
  difference: `Difference in watts per ${one}`,
  breakEvenColumns: ["Quantity", "Server", "Part", "Value", "Low", "High", "Unit"],
  many,
  other: "Compare with",
  nobody: "none",
})
export type CountedWords = ReturnType<typeof countedWords>

/** Words of the page Parts. */
export const partsWords = {
  kind: "Kind of part",
  choose: "Part and server",
  otherTitle: "This did not run with several counts",
  otherText: "The address names a part, a server and a workload that did not run together with at least two counts.",
  showFirst: (part: string): string => `Show ${part}`,
  emptyTitle: "No part with several counts",
  emptyText:
    "Declare the parts of your configurations with their count (drives, network cards, GPUs, fans), and run one workload with at least two counts of one of them. This page then shows the watts of each part with their interval.",
  option: (part: string, server: string, workload: string, level: string): string =>
    `${part} · ${server}: ${workload}, ${level}`,
  slopes: (one: string): string => `Watts per ${one} by server and model`,
  slopesNote: "Same workload and level; one line for each server and model. Bars: 95 % interval.",
  breakEven: "Break-even with another model or server",
  breakEvenNote: "Same workload and level; straight-line fits of power against the count",
  memory: "Memory modules have a page of their own.",
  memoryLink: "Open Memory",
  warnings: "What changes with the count besides the parts",
}
