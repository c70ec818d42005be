/** Words of the campaign page and its dialogs that no other page needs. */

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const campaignWords = {
  resumeTitle: "Resume the campaign",
  resumeText: "It goes on at its first unfinished run. What was measured before is kept.",
  left: (left: number, all: number): string => `${plural(left, "run", "runs")} of ${all} left`,
  takes: (duration: string): string => `expected to take ${duration}`,
  unknownTable: "Its run table is read when it goes on.",
  hotUnknown:
    "The servers of its plan will run at full load and get hot. See that cooling is on and nobody needs them.",
  idOf: (id: string): string => `Campaign ${id}`,
  optional: "if the precision asks for it",
  together: "Servers that run together",
  togetherWith: (servers: readonly string[]): string => `together with ${servers.join(" and ")}`,
  toMake: (runs: number): string => plural(runs, "run", "runs"),
  sound: "No rule broken",
  build: "Build a plan",
  compare: "See the comparison",
  publish: "Publish the comparison",
  edit: (plan: string): string => `Edit ${plan}`,
  firstPlan: "A plan names configurations, workloads and repeats. Build one here; it is kept in the bench file.",
  level: "Level",
  earlier: (n: number): string => `${plural(n, "earlier attempt", "earlier attempts")}:`,
  endsAbout: (end: string): string => `Begun now, it ends about ${end}; preparation not counted.`,
  preview: "What the plan would do",
  show: "Run table",
  hide: "Hide the run table",
  begins: "Begins",
  remark: "Remark",
  size: (runs: number, order: string, seed: number): string =>
    `${plural(runs, "run", "runs")}, ${order === "as-listed" ? "in the order of the plan" : `order ${order}, seed ${seed}`},`,
  atMost: (duration: string): string => `at most ${duration}`,
  moreRows: (n: number): string => `and ${n} more`,
  excluded: (n: number): string => `${plural(n, "run", "runs")} left out by the plan`,
}
