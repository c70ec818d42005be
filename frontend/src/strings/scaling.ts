/** Words of the page Scaling: configurations and published results over their load levels. */

import { plural } from "./plural"

const configurations = (n: number): string => plural(n, "configuration", "configurations")

export const scalingWords = {
  workload: "Workload",
  choose: "Choose one",
  notLeveled: (workload: string): string => `${workload} did not run at several loads`,
  notLeveledText: "Choose another workload above, or run this one at two load levels or more.",
  unit: "Unit",
  curves: configurations,
  loads: (n: number): string => plural(n, "load level", "load levels"),
  emptyTitle: "Nothing was measured at several loads yet",
  emptyText:
    "This page draws power and work per joule over load, with idle power, energy proportionality and the best level. A plan with load levels makes such runs.",
  plan: "Build a plan with load levels",
  show: "Quantity by load",
  quantities: { efficiency: "Performance per watt", power: "Power", relative: "Power as a share of full load" },
  short: { efficiency: "Perf/W", power: "Power", relative: "Relative power" },
  title: (quantity: string, workload: string): string => `${quantity} over load, ${workload}`,
  note: {
    efficiency: "Bars: 95 % intervals. Ring: best level. Dotted line: knee, where the curve bends most.",
    power: "Bars: 95 % intervals. Idle: before each run, or active idle at the end of the levels.",
    relative: "Bars: 95 % intervals. Dashed: power proportional to load.",
  },
  spreadNote: (n: number, workload: string): string =>
    ` Grey: the middle half and the median of ${plural(n, "published result", "published results")} of ${workload}.`,
  nothing: "No configuration has this figure.",
  load: "Load [%]",
  idle: "idle",
  low: "Low (95 %)",
  high: "High (95 %)",
  notTraceable: (name: string): string => `${name} (not traceable)`,

  table: "Configurations over their loads",
  configuration: "Configuration",
  draw: (name: string): string => `Draw ${name}`,
  levels: "Levels",
  idleW: "Idle",
  idleShare: "Idle share",
  proportionality: "Proportionality",
  deviation: "Deviation",
  bestLevel: "Best at",
  bestFigure: "Best perf/W",
  kneeLevel: "Knee",
  alike: (loads: string): string => `not told from it: ${loads}`,
  untested: (loads: string): string => `not tested against ${loads}`,
  others: "the others",
  drawn: (n: number, all: number): string =>
    n === all
      ? configurations(all)
      : `${n} of ${configurations(all)} in colour, the others grey. Choose others in the table.`,
  search: "Search configurations",
  excluded: "Not drawn",
  inWords: (name: string): string => `${name} in words`,
  printed: "Figure for print (PDF)",
  methods: "How these figures are computed",
  source: (source: string): string => `Source: ${source}.`,
  countedNote: " Load: share of the highest throughput.",
  programNote: (version: string): string => ` Load program ${version}, where a name has no other.`,
  counted: "By clients, threads or processes",

  published: "Published results over their loads",
  publishedNote: "Imported results of others, not measured here; they have no ±.",
  publishedTitle: (quantity: string, workload: string): string => `${quantity} over load, published, ${workload}`,
  publishedFigureNote: {
    efficiency: "Hollow: published figures, without ±. Ring: best level. Dotted line: knee.",
    power: "Hollow: published figures, without ±. Idle: active idle.",
    relative: "Hollow: published figures, without ±. Dashed: power proportional to load.",
  },
  find: "Find a published result",
  foundOf: (n: number, all: number): string =>
    n === all ? plural(all, "result", "results") : `${n} of ${plural(all, "result", "results")}`,
  noneFits: "No published result has all of these words.",
  notPublished: (workload: string): string =>
    `No result of ${workload} over its loads was imported. Choose another workload.`,
  result: "Result",
  year: "Year",
  behind: "Published range",
}
