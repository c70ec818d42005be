/** Words of published servers: power against their DIMM counts. */

import { plural } from "./plural"

const results = (n: number): string => plural(n, "result", "results")

export const publishedWords = {
  title: "Published servers",
  note: "Imported results of others, not measured here. A line needs one model with the same CPUs and several DIMM counts.",
  kind: "Modules",
  kindNote: (all: number, servers: number): string => `${results(all)}, ${plural(servers, "line", "lines")}`,
  level: "Load",
  workload: "Workload",
  figureTitle: (kind: string, level: string): string =>
    `Power at ${level} against DIMM count, ${kind}, published servers`,
  figureNote: (line: boolean): string =>
    line
      ? "Hollow: published results. Coloured: the chosen server; line and band: fit with 95 % interval, from the scatter of its results only."
      : "Hollow: published results. Coloured: the chosen server; a line through two results has no interval.",
  power: (level: string): string => `Power at ${level} [W]`,
  nothing: "No published result has this level.",
  server: "Server",
  populations: "Populations",
  results: "Results",
  idle: "Idle",
  full: "Full load",
  perDimm: "W/DIMM",
  interval: (low: string, high: string): string => `${low} to ${high}`,
  noInterval: "no interval",
  levels: (server: string): string => `Watts per DIMM by load level, ${server}`,
  low: "Low (95 %)",
  high: "High (95 %)",
  leftOut: (n: number): string =>
    n
      ? `${results(n)} of several nodes, without a DIMM count or whose modules do not come to the printed memory not shown.`
      : "",
  noLines: "No server of this kind of modules was published with several DIMM counts.",
  build: "Build",
  tested: "Tested",
  source: "Source",
}
