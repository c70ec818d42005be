/** Words of the question which memory modules to buy. */

import { plural } from "./plural"

const servers = (n: number): string => plural(n, "server", "servers")

export const predictedWords = {
  link: "Compare modules before buying",
  note: "Predicted from servers with several memory populations, own and published; not measured in yours.",
  ways: "Ways of populating, one a line",
  waysHint: "Number of modules x GB of each. In full: 6 x 32 GB 2R 3200 DDR4 RDIMM",
  wrongWays: (most: number): string => `At most ${most} ways at once.`,
  kind: "Modules",
  kindNote: (n: number, results: number): string => `${servers(n)}, ${plural(results, "result", "results")}`,
  level: "Load",
  idle: "Active idle",
  tariff: "Price of energy [per kWh]",
  currency: "Currency",
  hours: "Hours a year",
  number: "Enter a positive number.",
  tooManyHours: "A year has 8 760 hours.",
  answers: "Answer",
  population: "Population",
  watts: "Memory",
  aYear: "A year",
  difference: "Against the first",
  work: "Work per joule",
  interval: (low: string, high: string): string => `${low} to ${high}`,
  shown: "Shown",
  yes: "yes",
  no: "not known",
  excluded: (n: number): string =>
    n ? `${plural(n, "result", "results")} without a usable memory description excluded.` : "",
  check: "Check of the model",
  checkNote: "Each server as the others predict it. Nothing of the server itself is in its prediction.",
  server: "Server",
  measured: "Measured",
  predicted: "Predicted",
  held: "In the interval",
  outside: "no",
  perModule: "W/module",
  emptyTitle: "No server with several populations",
  emptyText:
    "Import published results, such as full disclosure texts of SPECpower_ssj2008, or measure one server with two memory populations.",
  simulated: "Simulated servers: these watts tell nothing about real modules.",
}
