/** Words of the campaign page and its dialogs that no other page needs. */

import { plural } from "./plural"

export const campaignWords = {
  resumeTitle: "Resume the campaign",
  resumeText: "It continues with its first unfinished run. Completed runs are kept.",
  left: (left: number, all: number): string => `${left} of ${plural(all, "run", "runs")} left`,
  takes: (duration: string): string => `expected to take ${duration}`,
  unknownTable: "The run table is read when the campaign resumes.",
  hotUnknown:
    "The servers of the plan will run at full load and get hot. Check that cooling is on and that nobody else needs them.",
  idOf: (id: string): string => `Campaign ${id}`,
  optional: "only if the precision is not reached",
  together: "Servers running together",
  togetherWith: (servers: readonly string[]): string => `together with ${servers.join(" and ")}`,
  toMake: (runs: number): string => plural(runs, "run", "runs"),
  sound: "OK",
  build: "Build a plan",
  compare: "Show the comparison",
  publish: "Export the comparison",
  edit: (plan: string): string => `Edit ${plan}`,
  firstPlan: "A plan names configurations, workloads and repeats. It is saved in the bench file.",
  level: "Level",
  earlier: (n: number): string => `${plural(n, "earlier attempt", "earlier attempts")}:`,
  endsAbout: (end: string): string => `Started now, it ends at about ${end}, not counting preparation.`,
  preview: "Preview of the plan",
  show: "Show the run table",
  hide: "Hide the run table",
  begins: "Starts",
  remark: "Note",
  size: (runs: number, order: string, seed: number): string =>
    `${plural(runs, "run", "runs")}, ${order === "as-listed" ? "in plan order" : `${order} order, seed ${seed}`},`,
  atMost: (duration: string): string => `at most ${duration}`,
  moreRows: (n: number): string => `and ${n} more`,
  excluded: (n: number): string => `${plural(n, "run", "runs")} excluded by the plan`,
}
