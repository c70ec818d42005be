/** Words of the quality of a run: what a failed check says about it. */

import { en as t } from "./en"

const FAILED: Readonly<Record<string, string>> = {
  gaps: "Gaps in the readings",
  "bad-samples": "Bad samples",
  "over-range": "Meter over range",
  stale: "Stale readings",
  frozen: "Frozen readings",
  "flat-top": "Readings cut at one value",
  "supply-rating": "Impossible power",
  "metered-supplies": "A power supply has no meter",
  aliasing: "Sampling in step with the load",
  register: "Energy counter differs",
  "window-length": "Window too short",
  "warm-up": "Still warming up",
  drift: "Power drifted",
  "half-split": "Halves differ",
  "block-scatter": "Power not steady",
  "effective-samples": "Too few independent samples",
  "change-point": "Load changed",
  "full-load": "Below full load",
  "asked-length": "Ended early",
  standstill: "Load paused",
  bottleneck: "Unexpected bottleneck",
  "clock-step": "Clock was set",
  "server-clock": "Server's clock was set",
  recording: "Recording problem",
  settled: "Power had not settled",
  undisturbed: "Disturbed",
  alarms: "Limit exceeded",
  "started together": "Not started together",
  "cross-check": "Power sources exclude each other",
  "cross-check-indicative": "Other sources disagree",
  "idle-drift": "Idle power drifted",
  "cool-down": "Not cooled down",
  "memory-slots": "Memory differs from the bench",
}

export const failedRule = (rule: string): string => FAILED[rule] ?? `${t.rule(rule)}: failed`
