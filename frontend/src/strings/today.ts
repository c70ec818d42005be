/** Words of the page Today: last night's campaigns, bench health, and the queue of plans. */

import { plural } from "./plural"

export const todayWords = {
  night: "Last night",
  nightSince: (since: string): string => `Campaigns since ${since}.`,
  nothing: "No campaign ran since then.",
  next: (plan: string, time: string): string => `Next: ${plan}, ${time}.`,
  campaignOf: (plan: string, time: string): string => `${plan}, ${time}`,
  noResults: "No run has a result.",
  interrupted: "Interrupted",

  health: "Bench health",
  healthText:
    "Mean power and performance per watt of a reference workload at full load, one point per campaign. Out of control: the bench is no longer as it was. After a change on purpose, set “Results since” in the plan.",
  noReference: "No reference workload yet",
  noReferenceText:
    "Choose a plan that measures one configuration at full load, and turn on “Reference workload of the bench” and “Start at calendar times” in it. After ten campaigns its control chart has limits.",
  toPlans: "Go to campaigns",
  state: {
    "no results": "No results",
    baseline: "Collecting the baseline",
    "no limits": "No limits",
    "in control": "In control",
    warning: "Repeat the plan",
    "out of control": "Out of control",
  },
  uncharted: (n: number): string =>
    `${plural(n, "complete run is", "complete runs are")} not on this chart: not ranked, in another unit, or simulated beside measured runs.`,
  chartOf: (quantity: string): string => `${quantity} at full load`,
  nameOf: (subject: string, plan: string): string => `${subject} (${plan})`,
  editPlan: (plan: string): string => `Edit ${plan}`,
  columns: {
    time: "Started",
    runs: "Runs",
    distance: "Distance from mean / s",
    verdict: "Verdict",
    campaign: "Campaign",
  },

  queue: "Queue",
  queueText: "Plans start in this order, one at a time, when nothing else runs.",
  empty: "No plan waits.",
  queued: (by: string): string => `queued by ${by}`,
  byCalendar: "due by its calendar",
  add: (plan: string): string => `Queue ${plan}`,
  earlier: (plan: string): string => `Earlier: ${plan}`,
  later: (plan: string): string => `Later: ${plan}`,
  remove: (plan: string): string => `Remove ${plan}`,
  due: (time: string): string => `next ${time}`,
  never: "no further time",
  past: "Latest",
  outcome: {
    started: "Running",
    complete: "Complete",
    failed: "Failed",
    aborted: "Stopped",
    interrupted: "Interrupted",
    refused: "Not run",
    skipped: "Skipped",
  },
}
