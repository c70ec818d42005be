/** Words of the pages of a fleet. */

import { fmt } from "@/format"

const counted = (count: number, singular: string, many: string): string =>
  `${fmt.fixed(count, 0)} ${count === 1 ? singular : many}`

export const fleetWords = {
  nav: "Fleet",
  toAppliance: "This appliance",
  store: (target: string): string => `Fleet store ${target}`,
  /** What a fleet is called: by its labs, where these are few. */
  name: (labs: readonly string[]): string =>
    labs.length > 0 && labs.length < 4 ? labs.join(", ") : `Fleet of ${counted(labs.length, "lab", "labs")}`,
  unnamed: "a lab without a name",
  size: (runs: number): string => counted(runs, "run", "runs"),
  unreachable: "The store does not answer",
  lab: "Lab",
  facets: { lab: "Lab", model: "Server model", processor: "Processor", dimms: "DIMMs" },
  find: (facet: string): string => `Find in ${facet.toLowerCase()}`,
  noValue: "No value fits.",
  moreValues: (count: number): string => `${fmt.fixed(count, 0)} more. Type a part of the name to find them.`,
  search: "Search labs, servers, processors",
  searchRuns: "Search names, workloads, tags, notes",
  level: "Level",
  clear: "Clear",
  page: (first: number, last: number, all: number, what: string): string =>
    all === 0 ? `0 ${what}` : `${fmt.fixed(first, 0)}–${fmt.fixed(last, 0)} of ${fmt.fixed(all, 0)} ${what}`,
  previousPage: "Previous page",
  nextPage: "Next page",
  pages: "Pages of the list",
  configurations: (count: number): string => (count === 1 ? "configuration" : "configurations"),
  runs: (count: number): string => (count === 1 ? "run" : "runs"),
  selection: "Selection of the fleet",
  noneFits: "No configuration fits. Clear the selection to see all.",
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
    title: "Watts per DIMM by lab and server",
    note: "Same workload and level; one line for each server and kind of modules. Bars: 95 % interval. Choose a server to see its fit. A mean is over all labs that are chosen, not only over those of this page.",
    noMean: (why: string): string => `No mean over the servers of these labs: ${why}`,
    labs: (count: number): string => (count === 1 ? "lab" : "labs"),
    noneFits: "No server of these labs ran this at several DIMM counts.",
    emptyText: "No server in the store ran one workload with at least two DIMM counts.",
    close: "Close the fit",
  },

  ring: {
    nav: "Ring",
    title: "Ring comparison",
    note: "The same server model, processor and memory under one workload, measured by several labs.",
    search: "Search models, processors, workloads",
    list: "Ring comparisons that can be made",
    rings: (count: number): string => (count === 1 ? "comparison" : "comparisons"),
    more: "More exist. Search to find them.",
    noneFits: "No comparison fits the search.",
    emptyTitle: "Nothing measured by two labs yet",
    emptyText:
      "A ring comparison needs the same server model, processor and memory under one workload and level, measured by at least two labs.",
    all: "All comparisons",
    open: (title: string): string => `Compare the labs of ${title}`,
    model: "Server model",
    processor: "Processor",
    memory: "Memory",
    workload: "Workload",
    labs: "Labs",
    unknown: "not stated",
    unnamed: "lab without a name",
    consensus: "Consensus value",
    consensusOf: (members: number, all: number): string =>
      members === all ? `Weighted mean of ${all} labs` : `Weighted mean of ${members} of ${all} labs, which agree`,
    noConsensus: "No consensus value",
    apart: (apart: number, all: number): string => `${apart} of ${all} labs off`,
    comparing: "Comparing …",
    verdictLost: "Not compared",
    agreement: "Agreement",
    agree: "Consistent",
    disagree: "Not consistent",
    chiSquared: (chiSquared: string, dof: number, p: string): string => `χ² = ${chiSquared} for ${dof}, ${p}`,
    birge: (ratio: string): string => `Birge ratio ${ratio}`,
    robust: "Robust mean",
    robustNote: (sd: string): string => `Robust standard deviation ${sd}`,
    figureTitle: (quantity: string): string => `${quantity} by lab`,
    figureNote:
      "Bars: 95 % intervals. Band: consensus value with its 95 % interval. Filled: part of the consensus value. Hollow: not part of it.",
    table: "Labs",
    tableNote:
      "± is half the 95 % interval. En is the difference divided by its ±: up to 1 satisfactory, above 1 an action signal. z replaces it where a lab states no ±.",
    notJudged: "not judged",
    notInReference: "not in the consensus value",
    columns: {
      lab: "Lab",
      value: "Value",
      difference: "Difference",
      percent: "Difference",
      en: "En",
      z: "z",
      verdict: "Verdict",
      runs: "Runs",
      server: "Server",
    },
    runsOf: (lab: string): string => `Show the runs of ${lab}`,
    excluded: "Excluded",
    excludedCount: (n: number): string => `${counted(n, "group", "groups")}:`,
    excludedNote: (lab: string, server: string, n: number): string => `${lab}, ${server}, ${counted(n, "run", "runs")}`,
    notes: "Notes",
  },
}
