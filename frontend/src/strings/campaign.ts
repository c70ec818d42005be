/** Words of the campaign page and its dialogs that no other page needs. */

import { plural } from "./plural"

const ORDERS: Record<string, string> = {
  "random-blocks": "in random blocks",
  "up-and-down": "up and down",
  "as-listed": "in plan order",
  random: "in random order",
}
const orders = (order: string, seed: number): string =>
  `${ORDERS[order] ?? order}${order.startsWith("random") ? `, seed ${seed}` : ""}`

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
  liveTrace: (run: string): string => `Now: ${run}`,
  build: "Build a plan",
  compare: "Show the comparison",
  publish: "Export the comparison",
  edit: (plan: string): string => `Edit ${plan}`,
  firstPlan: "A plan names configurations, workloads and repeats. It is saved in the bench file.",
  level: "Level",
  seeRemark: (letter: string): string => `see remark ${letter}`,
  remarks: "Remarks",
  remarkOf: (places: string, alike: boolean): string =>
    alike ? `Runs ${places}:` : `Runs ${places}, each with its own figures; of the first of them:`,
  earlier: (n: number): string => `${plural(n, "earlier attempt", "earlier attempts")}:`,
  endsAbout: (end: string): string => `Started now, it ends at about ${end}, not counting preparation.`,
  preview: "Preview of the plan",
  show: "Show the run table",
  hide: "Hide the run table",
  begins: "Starts",
  remark: "Note",
  size: (runs: number, order: string, seed: number): string =>
    `${plural(runs, "run", "runs")}, ${orders(order, seed)},`,
  atMost: (duration: string): string => `at most ${duration}`,
  moreRows: (n: number): string => `and ${n} more`,
  history: "History",
  historyText: "All campaigns of this data folder, newest first.",
  noHistory: "No campaign has run yet.",
  unreadable: (n: number): string => `${plural(n, "campaign", "campaigns")} of this list cannot be read.`,
  older: "Show older campaigns",
  started: "Started",
  duration: "Duration",
  runsOf: "Show its runs",
  runsOfCampaign: (plan: string, started: string): string => `Show its runs: ${plan}, started ${started}`,
  interrupted: "Interrupted",
  repeat: (n: number): string => (n === 1 ? "Repeat the disturbed run" : `Repeat the ${n} disturbed runs`),
  repeatTitle: "Repeat the disturbed runs",
  repeatText:
    "Other programs used more than 5 % of the CPU during these runs. Stop them first. The repeated runs join the same campaign; the disturbed ones are kept.",
  wereDisturbed: (n: number, of: number): string =>
    `Other programs disturbed ${n} of ${plural(of, "run", "runs")}: no comparison ranks ${n === 1 ? "it" : "them"}.`,
  disturbed: (n: number, of: number): string => `${n} of ${plural(of, "run", "runs")}`,
  excluded: (n: number): string => `${plural(n, "run", "runs")} excluded by the plan`,
}
