/** Words of the pages of a fleet. */

import { fmt } from "@/format"

const counted = (count: number, singular: string, many: string): string =>
  `${fmt.fixed(count, 0)} ${count === 1 ? singular : many}`

export const fleetWords = {
  nav: "Fleet",
  toAppliance: "This appliance",
  store: (target: string): string => `Fleet store ${target}`,
  size: (labs: number, runs: number): string => `${counted(labs, "lab", "labs")}, ${counted(runs, "run", "runs")}`,
  unreachable: "The store does not answer",
  lab: "Lab",
  facets: { lab: "Lab", model: "Server model", processor: "Processor", dimms: "DIMMs" },
  find: (facet: string): string => `Find in ${facet.toLowerCase()}`,
  noValue: "No value fits.",
  moreValues: (count: number): string => `${fmt.fixed(count, 0)} more. Type a part of the name to find them.`,
  search: "Search labs, servers, processors",
  searchRuns: "Search runs",
  level: "Level",
  clear: "Clear",
  page: (first: number, last: number, all: number, what: string): string =>
    all === 0 ? `0 ${what}` : `${fmt.fixed(first, 0)}–${fmt.fixed(last, 0)} of ${fmt.fixed(all, 0)} ${what}`,
  previousPage: "Previous page",
  nextPage: "Next page",
  pages: "Pages",
  configurations: (count: number): string => (count === 1 ? "configuration" : "configurations"),
  runs: (count: number): string => (count === 1 ? "run" : "runs"),
  noneFits: "No configuration fits. Clear the selection to see all.",
  noRunFits: "No run fits. Clear the filter to see all.",
  pageNote: "This page holds the best figures first; a column sorts the rows of this page.",
  emptyTitle: "Nothing to compare yet",
  emptyText: "The store holds no complete runs. Appliances that send to it add theirs as soon as they end.",

  run: {
    as: "Result",
    issued: "As issued",
    recomputed: "Recomputed",
    recomputedNote: "Evaluated now from the raw samples in the store.",
    issuedNote: (version: number | null): string =>
      version === null ? "As its lab issued it." : `As its lab issued it, version ${version}.`,
    lab: (lab: string): string => `Lab ${lab}`,
  },

  memory: {
    choose: "Workload",
    title: "Watts per DIMM by lab and server",
    note: "Same workload and level; one line for each server and kind of modules. Bars: 95 % interval. Choose a server to see its fit.",
    lines: (count: number): string => (count === 1 ? "line" : "lines"),
    noneFits: "No server of these labs ran this at several DIMM counts.",
    emptyTitle: "Too few DIMM counts",
    emptyText: "No server in the store ran one workload with at least two DIMM counts.",
    close: "Close the fit",
  },
}
